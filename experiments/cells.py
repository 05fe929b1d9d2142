r"""Numbers of a table: runs that differ in their seed alone, and how they are printed.

The map is ``records -> cells``: mean and standard deviation of the test MAE over the seeds, with
the epochs of each run and whether it has converged. A cell prints as

    0.0427 ± 0.0011 [3: 79-246] †

with the number of seeds and the epochs that were run in brackets, and a dagger if a run did not
converge. What was not run prints as "not run" and never as a number.

Assumptions: records are those of :mod:`experiments.runs`.

>>> case = {"kind": "gin", "target": "low-pass", "protocol": "text", "seed": 0}
>>> run = {"test_metric": 0.25, "epochs": 80, "converged": False}
>>> found = cells([{"case": case, "parameters": 4627, "run": run}])
>>> shown(find(found, kind="gin", target="low-pass"))
'0.2500 [1: 80] †'
>>> shown(find(found, kind="vanilla"))
'not run'
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import Any, TypeAlias

import numpy as np
from matplotlib.axes import Axes

__all__ = [
    "LEGEND",
    "NOT_RUN",
    "Cell",
    "Table",
    "cells",
    "commits",
    "curve",
    "find",
    "is_full",
    "logarithmic",
    "shown",
    "summary",
]

Cell: TypeAlias = dict[str, Any]

LEGEND = (
    "Test MAE: mean ± standard deviation over seeds [seeds: epochs run]; † a run that did not "
    "converge."
)
NOT_RUN = "not run"
FULL = (1000, 1000, 2000)


@dataclass(frozen=True)
class Table:
    """A table for a terminal or a page.

    >>> print(Table(["network", "MAE"], [["GIN", "0.25"]], "One run."))
    network  MAE
    GIN      0.25
    <BLANKLINE>
    One run.
    """

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    caption: str = LEGEND

    def __str__(self) -> str:
        lines = [self.header, *self.rows]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        padded = ["  ".join(map(str.ljust, line, widths)).rstrip() for line in lines]
        return "\n".join([*padded, "", self.caption])

    def markdown(self) -> str:
        """Return the table as Markdown has it."""
        lines = [self.header, ["---"] * len(self.header), *self.rows]
        body = "\n".join("| " + " | ".join(line) + " |" for line in lines)
        return f"{body}\n\n{self.caption}"


def cells(records: Iterable[dict[str, Any]], apart: Sequence[str] = ("seed",)) -> list[Cell]:
    """Return one cell for all records whose cases differ in nothing but their seed.

    Parameters
    ----------
    records
        What trainings have left.
    apart
        What may differ within a cell.
    """
    groups: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for record in records:
        case = {name: value for name, value in record["case"].items() if name not in apart}
        groups.setdefault(tuple((name, str(case[name])) for name in sorted(case)), []).append(
            record
        )
    return [_cell(sorted(group, key=_seed), apart) for group in groups.values()]


def _seed(record: dict[str, Any]) -> int:
    seed: int = record["case"]["seed"]
    return seed


def _cell(records: Sequence[dict[str, Any]], apart: Sequence[str]) -> Cell:
    case = {name: value for name, value in records[0]["case"].items() if name not in apart}
    runs = [record["run"] for record in records]
    tests = [run["test_metric"] for run in runs]
    finite = all(test is not None and math.isfinite(test) for test in tests)
    cell = case | {
        "parameters": records[0]["parameters"],
        "seeds": [_seed(record) for record in records],
        "test": [test if finite else None for test in tests],
        "mean": fmean(tests) if finite else None,
        "spread": stdev(tests) if finite and len(tests) > 1 else None,
        "run_epochs": [run["epochs"] for run in runs],
        "run_seconds": [run.get("seconds", 0.0) for run in runs],
        "converged": [run["converged"] for run in runs],
    }
    if "start_metric" in records[0]:
        cell["at_start"] = fmean(record["start_metric"] for record in records)
    return cell


def find(found: Iterable[Cell], **wanted: object) -> Cell | None:
    """Return the cell with these properties, or None; the first, if there are several."""
    matching = (
        cell for cell in found if all(cell.get(name) == value for name, value in wanted.items())
    )
    return next(matching, None)


def is_full(found: Iterable[Cell]) -> bool:
    """Whether all cells are of the whole data, and not of a quick look."""
    return all(tuple(cell.get("graphs", FULL)) == FULL for cell in found)


def shown(cell: Cell | None) -> str:
    """Print a cell."""
    if cell is None:
        return NOT_RUN
    if cell["mean"] is None:
        return "diverged"
    low, high = min(cell["run_epochs"]), max(cell["run_epochs"])
    spread = "" if cell["spread"] is None else f" ± {cell['spread']:.4f}"
    epochs = f"{low}" if low == high else f"{low}-{high}"
    mark = "" if all(cell["converged"]) else " †"
    return f"{cell['mean']:.4f}{spread} [{len(cell['seeds'])}: {epochs}]{mark}"


def commits(records: Iterable[dict[str, Any]]) -> list[str]:
    """Return the commits that the runs were made on."""
    return sorted({record.get("provenance", {}).get("commit", "unknown") for record in records})


def summary(records: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return what every experiment keeps: its cells, and where and for how long they were made."""
    return {
        "cells": cells(records),
        "run_commits": commits(records),
        "run_seconds": round(sum(record["run"].get("seconds", 0.0) for record in records), 1),
    }


def curve(
    axes: Axes,
    points: Iterable[tuple[float, Cell]],
    colour: str,
    label: str,
    style: str = "-",
    size: float = 5.0,
) -> None:
    """Draw cells with their spread; a point is hollow if a run of it did not converge."""
    known = sorted(
        ((x, cell) for x, cell in points if cell["mean"] is not None), key=lambda point: point[0]
    )
    axes.plot(
        [x for x, _ in known],
        [cell["mean"] for _, cell in known],
        style,
        color=colour,
        linewidth=1.6,
        label=label,
    )
    for x, cell in known:
        axes.errorbar(
            x,
            cell["mean"],
            yerr=cell["spread"],
            fmt="o",
            color=colour,
            markersize=size,
            markerfacecolor=colour if all(cell["converged"]) else "white",
        )


def logarithmic(axes: Axes) -> None:
    """Draw errors on a logarithmic axis, if there are any."""
    if any(np.size(line.get_ydata()) for line in axes.lines):
        axes.set_yscale("log")
