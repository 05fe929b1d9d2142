r"""Runs, kept: a case is trained once, survives a kill, and is found again by its name.

The map is ``Case -> experiments/results/sgs/NAME.json``: the case, what came of it, the validation
loss of every epoch and where it was made. Checkpoints and weights lie in a folder of their own
(``--runs``, by default ``runs/`` beside the package) and are not part of the repository.

>>> from experiments.sgs.case import Case
>>> record_of(Case("sogcn", "low-pass", "text", seed=99)) is None
True
"""

import json
from pathlib import Path
from typing import Any

import torch

from experiments.record import RESULTS, origin
from experiments.sgs.case import Case
from gcn.bridge import initialise
from gcn.data import sgs
from gcn.data.collection import Collection
from gcn.nets import GraphNetwork
from gcn.train import evaluate, fit
from polyfilter import design, factorize
from polyfilter.errors import FilterError
from polyfilter.files import atomic_write

__all__ = ["RUNS", "STORE", "keep", "record_of", "train"]

STORE = RESULTS / "sgs"
RUNS = RESULTS.parents[1] / "runs"


def record_of(case: Case, store: Path = STORE) -> dict[str, Any] | None:
    """Return what came of a case, or None if it was not run to its end."""
    path = store / f"{case.name}.json"
    if not path.exists():
        return None
    record: dict[str, Any] = json.loads(path.read_text())
    return record


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
    folder = runs / case.name
    folder.mkdir(parents=True, exist_ok=True)
    run = fit(
        net,
        parts.train,
        parts.valid,
        case.settings(),
        test=parts.test,
        folder=folder,
        resume=True,
        progress=progress,
    )
    record = {
        "provenance": origin(case.seed, run.seconds),
        "case": case.to_dict(),
        "parameters": net.num_parameters,
        "run": run.to_dict(),
        "valid_loss": [round(epoch.valid_loss, 6) for epoch in run.history],
        **begun,
    }
    keep(case, record, store)
    return record


def keep(case: Case, record: dict[str, Any], store: Path = STORE) -> None:
    """Write what came of a case; a record that is there already stays as it is."""
    path = store / f"{case.name}.json"
    if path.exists():
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(path) as stream:
        stream.write(json.dumps(record, ensure_ascii=False).encode() + b"\n")


def _begin(case: Case, net: GraphNetwork, train: Collection, data: Path) -> None:
    """Let a network begin as the polynomial that fits the training graphs best."""
    if case.start != "analytic":
        raise FilterError(f"unknown start {case.start!r}: choose from random, analytic")
    part = sgs.obtain(data, case.target, "train", count=case.graphs[0])
    best = design.fit(part.graphs, part.x, part.y, degree=2 * case.layers)
    initialise(net, factorize(best), batch=train)
