r"""The command ``python -m experiments benchmarks``.

The map is ``arguments -> exit status``: what is asked for is trained, or tested as it stands, and
told in a few lines. Tables and pictures are made by ``python -m experiments report``.

Assumptions: :mod:`experiments.command` turns errors into one line and a status.
"""

import json
import sys
from argparse import Namespace
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from experiments.benchmarks.arguments import parse
from experiments.benchmarks.case import Case
from experiments.benchmarks.runs import RUNS, STORE, is_done, keep, record_of, so_far, train
from experiments.cells import Table
from experiments.engines import open_engine
from experiments.sweep import sweep
from gcn.data import benchmarks
from polyfilter.usage import printable

__all__ = ["run", "table"]


def run(words: Sequence[str]) -> int:
    """Do what the words say, and return 0, or 1 if a training failed."""
    arguments = parse(words)
    runs = (arguments.runs or RUNS).resolve()
    store = runs / "quick" if arguments.quick else STORE
    data = (arguments.data or runs / "data").resolve()
    if arguments.download:
        _download(arguments.dataset, data)
    failed = 0
    if arguments.so_far:
        for case in arguments.cases:
            so_far(case, runs, store, data)
    elif arguments.cases:
        failed = _train(arguments, runs, store, data)
    found = [record for case in arguments.cases if (record := record_of(case, store)) is not None]
    if arguments.json:
        print(json.dumps(found, indent=1))
    elif arguments.cases:
        print(printable(table(found, arguments.cases)))
    return int(failed > 0)


def _download(names: Iterable[str], data: Path) -> None:
    for name in names:
        print(benchmarks.load(name, data, download=True), file=sys.stderr)


def _train(arguments: Namespace, runs: Path, store: Path, data: Path) -> int:
    """Train what is not trained yet and return how many trainings failed."""
    engine = open_engine(arguments.engine, arguments.jobs, arguments.scheduler)
    cases: list[Case] = arguments.cases
    if len(cases) == 1 and arguments.engine == "local":  # here, with a bar of its epochs
        train(cases[0], runs, store, data)
        return 0
    outcome = sweep(
        cases,
        partial(train, runs=runs, store=store, data=data, progress=False),
        engine,
        done=partial(is_done, store=store),
        keep=partial(keep, store=store),
    )
    print(outcome, file=sys.stderr)
    return len(outcome.failed)


def table(records: Sequence[dict[str, Any]], cases: Sequence[Case]) -> Table:
    """Return a row for each case that was asked for."""
    known = {Case(**record["case"]).name: record for record in records}
    rows = [_row(case, known.get(case.name)) for case in cases]
    header = ["data", "network", "seed", "width", "parameters", "test", "epochs", "s/epoch", "s"]
    return Table(header, rows, "† did not converge.")


def _row(case: Case, record: dict[str, Any] | None) -> list[str]:
    row = [case.dataset, case.network_name, str(case.seed)]
    if record is None:
        return [*row, *[""] * 2, "not run", *[""] * 3]
    run = record["run"]
    mark = "" if run["converged"] else " †"
    return [
        *row,
        str(record["width"]),
        f"{record['parameters']:,}",
        f"{run['metric_name']} {run['test_metric']:.4f}",
        f"{run['epochs']}{mark}",
        f"{run['seconds'] / run['epochs']:.1f}",
        f"{run['seconds']:,.0f}",
    ]
