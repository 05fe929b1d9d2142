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
from gcn.data import sgs
from gcn.train import fit
from polyfilter.files import atomic_write

__all__ = ["RUNS", "STORE", "record_of", "train"]

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
    parts = sgs.splits(
        case.target, folder=data or runs / "data", sizes=case.graphs, operator=operator
    )
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
    }
    path = store / f"{case.name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(path) as stream:
        stream.write(json.dumps(record, ensure_ascii=False).encode() + b"\n")
    return record
