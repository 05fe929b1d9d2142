r"""Trainings, kept: a case is trained once, survives a kill, and is found again by its name.

The map is ``case, network, graphs -> STORE/NAME.json``: the case, what came of it, the losses of
every epoch and where it was made. Checkpoints and weights lie in a folder of their own (``--runs``,
by default ``runs/`` beside the package) and are not part of the repository.

A case is whatever has a name, a seed, and a dictionary that tells it. Those of the SGS data are in
:mod:`experiments.sgs.case`, those of real data in :mod:`experiments.benchmarks.case`.

>>> import tempfile
>>> from experiments.sgs.case import Case as SGS
>>> with tempfile.TemporaryDirectory() as folder:
...     case, store = SGS("gin", "low-pass", "text"), Path(folder)
...     keep(case, {"run": {"epochs": 20}}, store)
...     keep(case, {"run": {"epochs": 10}}, store)
...     record_of(case, store)
{'run': {'epochs': 20}}
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

import torch

from experiments.record import RESULTS, origin
from gcn.data.collection import Collection
from gcn.train import Run, Settings, fit
from polyfilter.errors import FileFormatError
from polyfilter.files import atomic_write

__all__ = ["RUNS", "Case", "keep", "record_of", "records", "told", "train"]

RUNS = RESULTS.parents[1] / "runs"
DIGITS = 6
"""Kept of the losses of an epoch."""


class Case(Protocol):
    """What is trained, on what, and how."""

    @property
    def name(self) -> str:
        """A path that tells cases apart."""

    @property
    def seed(self) -> int:
        """Of weights and shuffling."""

    def to_dict(self) -> dict[str, Any]:
        """Return the case for a JSON file."""


def record_of(case: Case, store: Path) -> dict[str, Any] | None:
    """Return what came of a case, or None if it was not run to its end."""
    path = store / f"{case.name}.json"
    return _read(path) if path.exists() else None


def records(store: Path) -> Iterator[dict[str, Any]]:
    """Yield every record of a folder, in the order of names.

    Examples
    --------
    >>> list(records(Path("nowhere")))
    []
    """
    yield from map(_read, sorted(store.rglob("*.json")))


def _read(path: Path) -> dict[str, Any]:
    try:
        record: dict[str, Any] = json.loads(path.read_text())
    except ValueError as error:
        raise FileFormatError(
            f"can't read {path}: it is no JSON; delete it, and its case is run again"
        ) from error
    return record


def keep(case: Case, record: dict[str, Any], store: Path) -> None:
    """Write what came of a case; a record that is there and says as much stays as it is."""
    path = store / f"{case.name}.json"
    if path.exists() and _reached(_read(path)) >= _reached(record):
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(path) as stream:
        stream.write(json.dumps(record, ensure_ascii=False).encode() + b"\n")


def _reached(record: dict[str, Any]) -> tuple[int, bool]:
    """How far a run came."""
    run = record.get("run", {})
    return run.get("epochs", 0), run.get("converged", False)


def train(
    case: Case,
    net: torch.nn.Module,
    parts: tuple[Collection, Collection, Collection],
    settings: Settings,
    runs: Path,
    progress: bool | None = None,
) -> dict[str, Any]:
    """Train a network, or go on where that was interrupted, and return its record.

    Parameters
    ----------
    case
        What is trained.
    net
        Its network, which ends with the weights of the best epoch.
    parts
        Graphs to train on, to validate and to test.
    settings
        How to train.
    runs
        Folder of checkpoints.
    progress
        Whether to show a bar.
    """
    folder = runs / case.name
    folder.mkdir(parents=True, exist_ok=True)
    learn, valid, test = parts
    run = fit(
        net,
        learn,
        valid,
        settings,
        test=test,
        folder=folder,
        resume=True,
        progress=progress,
    )
    return told(case, net, run)


def told(case: Case, net: torch.nn.Module, run: Run) -> dict[str, Any]:
    """Return the record of a run."""
    return {
        "provenance": origin(case.seed, run.seconds),
        "case": case.to_dict(),
        "parameters": sum(weight.numel() for weight in net.parameters()),
        "run": run.to_dict(),
        "train_loss": [round(epoch.train_loss, DIGITS) for epoch in run.history],
        "valid_loss": [round(epoch.valid_loss, DIGITS) for epoch in run.history],
    }
