"""A small network and small data, and a process that trains the one on the other.

``python small_training.py FOLDER EPOCHS [KILL]`` trains in FOLDER, resuming what is there, and
kills itself at training step KILL. Under torchrun it trains with all processes. It writes what a
test wants to know to ``result.pt``.
"""

import os
import signal
import sys
from itertools import pairwise
from pathlib import Path

import torch
from torch import Tensor

from gcn.data.collection import Collection
from gcn.norm import BatchNorm
from gcn.propagate import Prepared, prepare
from gcn.train import Run, Settings, fit
from gcn.train.parallel import launched

WIDTH, DEPTH = 6, 3


class Net(torch.nn.Module):
    """Second-order layers with batch normalization and dropout; dies at the step asked for."""

    def __init__(self, dropout: float = 0.0, kill: int = 0, norm: type = BatchNorm) -> None:
        super().__init__()
        sizes = [1] + [WIDTH] * DEPTH
        self.terms = torch.nn.ModuleList(torch.nn.Linear(3 * a, b) for a, b in pairwise(sizes))
        self.norms = torch.nn.ModuleList(norm(WIDTH) for _ in range(DEPTH))
        self.dropout = torch.nn.Dropout(dropout)
        self.last = torch.nn.Linear(WIDTH, 1)
        self.kill, self.steps = kill, 0

    def forward(
        self, x: Tensor, prepared: Prepared, graph: Tensor, edge_attr: Tensor | None = None
    ) -> Tensor:
        if self.training:
            self.steps += 1
            if self.steps == self.kill:
                os.kill(os.getpid(), signal.SIGKILL)
        for terms, norm in zip(self.terms, self.norms, strict=True):
            hop = prepared.propagate(x)
            x = torch.cat([x, hop, prepared.propagate(hop)], 1)
            x = self.dropout(torch.relu(norm(terms(x))))
        output: Tensor = self.last(x)
        return output


def network(dropout: float = 0.0, kill: int = 0, norm: type = BatchNorm, seed: int = 0) -> Net:
    """Make the network with weights that depend on the seed alone."""
    with torch.random.fork_rng([]):
        torch.manual_seed(seed)
        return Net(dropout, kill, norm)


def collection(graphs: int, seed: int, dtype: torch.dtype = torch.float32) -> Collection:
    """Random graphs of 4 to 12 nodes, with noise and the Laplacian's answer to it."""
    generator = torch.Generator().manual_seed(seed)
    sizes = torch.randint(4, 13, (graphs,), generator=generator)
    ptr = torch.cat([torch.zeros(1, dtype=torch.int64), sizes.cumsum(0)])
    nodes = int(ptr[-1])
    number = torch.repeat_interleave(torch.arange(graphs), sizes)
    joined = torch.rand(nodes, nodes, generator=generator) < 0.4
    edges = torch.triu(joined & (number[:, None] == number), 1).nonzero().T
    prepared = prepare(torch.cat([edges, edges.flip(0)], 1), nodes, dtype=dtype)
    x = torch.randn(nodes, 1, generator=generator).to(dtype)
    return Collection(x, x - prepared.propagate(x), ptr, prepared)


def tolerance(steps: int, lr: float, dtype: torch.dtype) -> float:
    """How far losses may be apart if gradients were summed in another order.

    A gradient is a mean of terms of size 1, so another order moves it by about eps. Where it is
    0 but for rounding, as for a bias in front of batch normalization, Adam divides by nothing but
    its own 1e-8: a step moves the weight by lr eps / 1e-8, and steps add up. Losses move no more
    than weights do, since batch normalization keeps all signals of size 1.
    """
    return steps * lr * torch.finfo(dtype).eps / 1e-8


SETTINGS = {"batch_size": 8, "lr": 0.05, "patience": 0, "seed": 5, "device": "cpu"}


def train(net: Net, folder: Path | None, epochs: int, dtype: torch.dtype, graphs: int = 33) -> Run:
    """Five batches an epoch, the last of which is a single graph."""
    splits = [collection(count, seed, dtype) for seed, count in enumerate((graphs, 9, 11))]
    settings = Settings(epochs=epochs, **SETTINGS)
    return fit(
        net.to(dtype),
        *splits[:2],
        settings,
        test=splits[2],
        folder=folder,
        resume=folder is not None,
        save_seconds=0.0,
    )


def main(folder: Path, epochs: int, kill: int = 0) -> None:
    torch.set_num_threads(1)
    with launched("cpu") as here:
        spread = here.size > 1
        net = network(dropout=0.0 if spread else 0.2, kill=kill)
        run = train(net, folder, epochs, torch.float64 if spread else torch.float32)
        if here.rank == 0:
            rows = [[e.train_loss, e.valid_loss, e.lr] for e in run.history]
            result = {"history": torch.tensor(rows, dtype=torch.float64), "test": run.test_metric}
            torch.save(result | {"weights": net.state_dict()}, folder / "result.pt")


if __name__ == "__main__":
    main(Path(sys.argv[1]), *map(int, sys.argv[2:]))
