r"""Runs on real data: a case is trained, taken further, and kept.

The map is ``Case, data -> experiments/results/benchmarks/DATASET/NETWORK/seed-N.json``, by
:mod:`experiments.runs`. A record says beside the curve and the test metric where the data came
from, how many graphs there were, how wide the network was and whether it has converged. A case that
has not, and is asked for more epochs, goes on from its checkpoint, and its record is replaced.

>>> from experiments.benchmarks.case import Case
>>> is_done(Case("zinc", "sogcn", seed=99), STORE)
False
"""

from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import torch

from experiments import runs as common
from experiments.benchmarks.case import Case
from experiments.record import RESULTS
from experiments.runs import RUNS, keep, record_of
from gcn import zoo
from gcn.data import benchmarks
from gcn.data.collection import Collection
from gcn.data.dataset import Dataset, Part
from gcn.train import Epoch, Run, evaluate
from gcn.train.checkpoint import check_weights, read
from gcn.train.objective import LossName, objective

__all__ = ["RUNS", "STORE", "first", "is_done", "keep", "load", "record_of", "so_far", "train"]

STORE = RESULTS / "benchmarks"


def is_done(case: Case, store: Path = STORE) -> bool:
    """Whether a case has converged, or was run for as many epochs as are asked for."""
    record = record_of(case, store)
    if record is None:
        return False
    run = record["run"]
    return bool(run["converged"]) or run["epochs"] >= case.epochs


def train(
    case: Case,
    runs: Path = RUNS,
    store: Path = STORE,
    data: Path | None = None,
    progress: bool | None = None,
) -> dict[str, Any]:
    """Train a case, or go on where it was interrupted, and keep what came of it.

    Parameters
    ----------
    case
        What to train; if it is done already nothing happens.
    runs, store
        Folders of checkpoints and of results.
    data
        Folder of the data sets.
    progress
        Whether to show a bar.
    """
    done = record_of(case, store)
    if done is not None and is_done(case, store):
        return done
    torch.set_num_threads(1)  # as many cases as cores beat one case on all cores
    dataset = load(case, data)
    net = case.network(dataset.task)
    settings, told = case.settings(_loss(dataset)), _told(case, dataset)
    parts = _parts(case, dataset)
    del dataset  # gigabytes on PATTERN, which training does not need
    record = common.train(case, net, parts, settings, runs, progress) | told
    keep(case, record, store)
    return record


def so_far(
    case: Case, runs: Path = RUNS, store: Path = STORE, data: Path | None = None
) -> dict[str, Any] | None:
    """Test the best weights of a run as it stands, and keep what comes of it.

    Nothing is written to the run's folder, so that it can go on meanwhile. Without a checkpoint
    there is nothing to test, and None is returned.
    """
    path = runs / case.name / "last.pt"
    if not path.exists():
        return record_of(case, store)
    dataset = load(case, data)
    net = case.network(dataset.task)
    kinds = {"best": dict, "best_epoch": int, "history": torch.Tensor, "optimizer": dict}
    saved = read(path, kinds)
    check_weights(path, saved["best"], net)
    net.load_state_dict(saved["best"])
    history = tuple(Epoch(int(row[0]), *row[1:]) for row in saved["history"].tolist())
    learn, _, test = _parts(case, dataset)
    score = evaluate(net, test, objective(_loss(dataset), learn.y))
    rate = saved["optimizer"]["param_groups"][0]["lr"]
    run = Run(
        history,
        saved["best_epoch"],
        score.loss,
        score.metric,
        score.metric_name,
        converged=rate < case.settings(_loss(dataset)).min_lr,
        why=f"it was tested after {len(history)} epochs",
    )
    record = common.told(case, net, run) | _told(case, dataset)
    keep(case, record, store)
    return record


def load(case: Case, data: Path | None) -> Dataset:
    """Return the data of a case, as many graphs of each split as it asks for."""
    dataset = benchmarks.load(case.dataset, data, limit=case.limit)
    if case.limit is None:
        return dataset
    learn, valid, test = (first(part, case.limit) for part in _splits(dataset))
    return replace(dataset, train=learn, valid=valid, test=test)


def first(part: Part, count: int) -> Part:
    """Return the first graphs of a split.

    Examples
    --------
    >>> import numpy as np
    >>> one = np.ones((4, 1), dtype=np.float32)
    >>> pairs = Part(one, one[:2], np.array([0, 2, 4]), np.array([[0, 1, 2, 3], [1, 0, 3, 2]]))
    >>> first(pairs, 1)
    Part(1 graph, 2 nodes, 2 directed edges)
    """
    graphs = min(count, part.num_graphs)
    nodes = int(part.node_ptr[graphs])
    kept = part.edge_index[0] < nodes
    return Part(
        x=part.x[:nodes],
        y=part.y[: nodes if len(part.y) == len(part.x) else graphs],
        node_ptr=part.node_ptr[: graphs + 1],
        edge_index=part.edge_index[:, kept],
        edge_attr=None if part.edge_attr is None else part.edge_attr[kept],
    )


def _parts(case: Case, dataset: Dataset) -> tuple[Collection, Collection, Collection]:
    """The splits, prepared as the network wants them."""
    operator = zoo.MODELS[case.model].operator
    learn, valid, test = (part.collection(operator=operator) for part in _splits(dataset))
    return learn, valid, test


def _splits(dataset: Dataset) -> tuple[Part, Part, Part]:
    return dataset.train, dataset.valid, dataset.test


def _loss(dataset: Dataset) -> LossName:
    return cast(LossName, dataset.task.loss)  # settings and objective look whether it is one


def _told(case: Case, dataset: Dataset) -> dict[str, Any]:
    """What a record says beside the run."""
    return {
        "width": case.channels(dataset.task),
        "graphs": [part.num_graphs for part in _splits(dataset)],
        "source": dataset.source,
    }
