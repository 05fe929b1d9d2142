r"""Runs on the SGS data: a case is trained once, and kept.

The map is ``Case -> experiments/results/sgs/NAME.json``, by :mod:`experiments.runs`.

>>> from experiments.sgs.case import Case
>>> record_of(Case("sogcn", "low-pass", "text", seed=99), STORE) is None
True
"""

from pathlib import Path
from typing import Any

import torch

from experiments import runs as common
from experiments.record import RESULTS
from experiments.runs import RUNS, keep, record_of
from experiments.sgs.case import Case
from gcn.bridge import initialise
from gcn.data import sgs
from gcn.data.collection import Collection
from gcn.nets import GraphNetwork
from gcn.train import evaluate
from polyfilter import design, factorize
from polyfilter.errors import FilterError

__all__ = ["RUNS", "STORE", "keep", "record_of", "train"]

STORE = RESULTS / "sgs"


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
        Folder of the SGS files, which are made if they are not there.
    progress
        Whether to show a bar.
    """
    done = record_of(case, store)
    if done is not None:
        return done
    torch.set_num_threads(1)  # as many cases as cores beat one case on all cores
    net = case.network()
    operator = net.operator
    assert operator is not None  # all layers are ours
    home = data or runs / "data"
    parts = sgs.splits(case.target, folder=home, sizes=case.graphs, operator=operator)
    begun = {}
    if case.start != "random":
        _begin(case, net, parts.train, home)
        begun["start_metric"] = evaluate(net, parts.test, "mae").metric
    record = common.train(case, net, parts, case.settings(), runs, progress) | begun
    keep(case, record, store)
    return record


def _begin(case: Case, net: GraphNetwork, train: Collection, data: Path) -> None:
    """Let a network begin as the polynomial that fits the training graphs best."""
    if case.start not in ("analytic", "gentle"):
        raise FilterError(f"unknown start {case.start!r}: choose from random, analytic, gentle")
    part = sgs.obtain(data, case.target, "train", count=case.graphs[0])
    best = design.fit(part.graphs, part.x, part.y, degree=2 * case.layers)
    initialise(net, factorize(best), batch=train)
