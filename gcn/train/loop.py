r"""The loop.

The map is ``network, graphs, settings -> Run``, and as it goes the network learns:

1. Each epoch shuffles the training graphs and takes one Adam step a batch. What is random in epoch
   e is a function of (seed, e, process) alone: no generator outlives an epoch, so a run that was
   killed continues to the same bits.
2. The validation loss decides the learning rate and which weights are kept.
3. At the end the network has the weights of the best epoch, and the test graphs are looked at for
   the first and only time.

Losses are sums over all samples divided once (:mod:`gcn.train.objective`). Nothing in a step waits
for a number: the sums stay on the device until the epoch is over.

Assumptions: all collections are prepared with the operator that the network wants
(``net.operator``). The predictions for a whole split fit into memory.
"""

import math
import time
from collections.abc import Iterable
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from gcn.data.collection import Batch, Collection
from gcn.norm import shared
from gcn.train.log import log
from gcn.train.objective import LossName, Objective, objective
from gcn.train.parallel import World, align, barrier, gathered, sum_gradients, summed, world
from gcn.train.run import Epoch, Run, Score
from gcn.train.settings import Settings, choose_device
from gcn.train.state import State
from polyfilter.progress import bar

__all__ = ["evaluate", "fit"]

LARGER = 2
"""Batches that need no gradients are this many times larger; beyond that they leave the cache."""


def fit(
    net: torch.nn.Module,
    train: Collection,
    valid: Collection,
    settings: Settings,
    *,
    test: Collection | None = None,
    folder: str | Path | None = None,
    resume: bool = False,
    tensorboard: bool = False,
    progress: bool | None = None,
    save_seconds: float = 5.0,
) -> Run:
    """Train a network; it ends with the weights of the lowest validation loss.

    Parameters
    ----------
    net
        Called as ``net(x, prepared, graph, edge_attr=...)``; moved to the device.
    train, valid, test
        Graphs to learn from, to choose by, and to report on.
    settings
        How to train.
    folder
        Where ``last.pt``, ``best.pt`` and ``log.jsonl`` go; without one nothing is written.
    resume
        Whether to go on from ``last.pt``, if it is there. Otherwise a folder that holds a run is
        refused.
    tensorboard
        Whether to write TensorBoard's files into the folder as well.
    progress
        Whether to show a bar; by default if stderr is a terminal.
    save_seconds
        At least this many seconds pass between checkpoints. What a kill can cost is that much.

    Examples
    --------
    >>> from gcn.propagate import prepare
    >>> edge = prepare(torch.tensor([[0, 1], [1, 0]]), 2)
    >>> graphs = Collection(torch.ones(2, 1), torch.ones(2, 1), torch.tensor([0, 2]), edge)
    >>> class Scale(torch.nn.Linear):
    ...     def forward(self, x, prepared, graph=None, edge_attr=None):
    ...         return super().forward(prepared.propagate(x))
    >>> run = fit(Scale(1, 1), graphs, graphs, Settings(epochs=3, device="cpu"))
    >>> len(run.history), run.converged, run.why
    (3, False, 'all 3 epochs were run')
    """
    device, here = choose_device(settings.device), world()
    net.to(device)
    align(net)
    # nodes are summed over and never told apart, so they may lie as hops are fastest
    train, valid = train.by_degree().to(device), valid.by_degree().to(device)
    goal = objective(settings.loss, train.y)
    state = State(net, settings, {"train": str(train), "valid": str(valid)}, folder)
    state.begin(resume)
    barrier()  # nobody writes before everybody has looked
    home = state.folder if here.rank == 0 else None  # one process writes
    chosen = list(_batches(valid, LARGER * settings.batch_size, here))
    forked = torch.random.fork_rng([device] if device.type == "cuda" else [])
    telling = (
        nullcontext(lambda epoch: None) if home is None else log(home, state.history, tensorboard)
    )
    shown = progress if here.rank == 0 else False
    with forked, telling as tell, bar(settings.epochs, "training", shown) as advance:
        advance(len(state.history))
        saved = -math.inf
        while (why := state.ended()) is None:
            start, lr = time.perf_counter(), state.optimizer.param_groups[0]["lr"]
            number = len(state.history) + 1
            train_loss = _epoch(net, train, goal, state.optimizer, settings, number, here)
            valid_loss = goal.mean(*_predict(net, valid, chosen, settings.precision))
            seconds = time.perf_counter() - start
            state.add(Epoch(number, train_loss, valid_loss, lr, seconds))
            tell(state.history[-1])
            advance(1)
            if home is not None and time.monotonic() - saved >= save_seconds:
                state.save()
                saved = time.monotonic()
        if home is not None:
            state.save()
        state.take_best()
        score = None
        if test is not None:
            score = evaluate(net, test.to(device), goal, precision=settings.precision)
    barrier()
    return Run(
        tuple(state.history),
        state.best_epoch,
        None if score is None else score.loss,
        None if score is None else score.metric,
        goal.metric_name,
        state.converged,
        why,
    )


def evaluate(
    net: torch.nn.Module,
    collection: Collection,
    loss: LossName | Objective,
    batch_size: int = LARGER * 128,
    precision: str = "full",
) -> Score:
    """Return loss and metric over all samples of a collection.

    Examples
    --------
    >>> from gcn.propagate import prepare
    >>> edge = prepare(torch.tensor([[0, 1], [1, 0]]), 2)
    >>> graphs = Collection(torch.eye(2), torch.eye(2), torch.tensor([0, 2]), edge)
    >>> class Hop(torch.nn.Module):
    ...     def forward(self, x, prepared, graph=None, edge_attr=None):
    ...         return prepared.propagate(x)
    >>> print(evaluate(Hop(), graphs, "mae"))
    loss 1, MAE 1 (2 samples)
    """
    goal = loss if isinstance(loss, Objective) else objective(loss, collection.y)
    chosen, before = _batches(collection, batch_size, world()), net.training
    output, y = _predict(net, collection, chosen, precision)
    net.train(before)
    value, metric = goal.mean(output, y), goal.metric(output, y)
    return Score(value, metric, goal.metric_name, goal.samples(y))


def _batches(collection: Collection, batch_size: int, here: World) -> Iterable[Batch]:
    """The batches of a split that fall to this process."""
    mine, _ = _share(torch.arange(collection.num_graphs), here)
    return (collection.batch(graphs) for graphs in torch.split(mine, batch_size))


def _share(graphs: Tensor, here: World) -> tuple[Tensor, float]:
    """The graphs that fall to this process, and how much its sums count.

    With fewer graphs than processes all of them take all graphs: then none is without work, which
    a network need not expect.
    """
    if len(graphs) < here.size:
        return graphs, 1 / here.size
    return graphs[here.rank :: here.size], 1.0


def _output(net: torch.nn.Module, batch: Batch, precision: str) -> Tensor:
    mixed = precision == "mixed"
    with torch.autocast(batch.x.device.type, torch.bfloat16, enabled=mixed):
        output: Tensor = net(batch.x, batch.prepared, batch.graph, edge_attr=batch.edge_attr)
    return output


def _epoch(
    net: torch.nn.Module,
    train: Collection,
    goal: Objective,
    optimizer: torch.optim.Optimizer,
    settings: Settings,
    number: int,
    here: World,
) -> float:
    """Take one step a batch and return the mean loss over all samples as the steps met them."""
    shuffle = torch.Generator().manual_seed(_seed(settings.seed, number))
    torch.manual_seed(_seed(settings.seed, number, 1 + here.rank))  # dropout takes no generator
    net.train()
    sums = torch.zeros(2, dtype=torch.float64, device=train.x.device)
    order = torch.randperm(train.num_graphs, generator=shuffle)
    for graphs in torch.split(order, settings.batch_size):
        mine, share = _share(graphs, here)
        batch = train.batch(mine)
        # alone there is nothing to share, and no need to walk through the network
        with shared(net) if here.size > 1 and share == 1 else nullcontext():
            output = _output(net, batch, settings.precision)
        total, weight = (share * each for each in goal(output, batch.y))
        weight = summed(weight)
        optimizer.zero_grad(set_to_none=True)
        torch.autograd.backward(total / weight)
        sum_gradients(net)
        optimizer.step()
        sums += torch.stack([total.detach(), weight / here.size])
    total, weight = summed(sums)
    return float(total / weight)


@torch.inference_mode()
def _predict(
    net: torch.nn.Module, collection: Collection, batches: Iterable[Batch], precision: str
) -> tuple[Tensor, Tensor]:
    """Outputs and targets of a whole split, of which this process has some batches."""
    net.eval()
    pairs = [(_output(net, batch, precision), batch.y) for batch in batches]
    output, y = (torch.cat(tensors) for tensors in zip(*pairs, strict=True))
    if collection.num_graphs < world().size:  # then it had all
        return output, y
    return gathered(output), gathered(y)


def _seed(*words: int) -> int:
    """A seed of 64 bits for what these numbers name: near numbers give unlike seeds.

    A zero at the end counts for nothing.
    """
    return int(np.random.SeedSequence(words).generate_state(1, np.uint64)[0])
