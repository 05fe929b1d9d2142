r"""Pictures of the benchmarks: how training went, and what a metric costs.

The map is ``records -> pictures``:

* ``benchmark_curves``: the validation loss of every epoch, and pale the training loss, a panel a
  data set, a line a run;
* ``benchmark_cost``: the test metric against seconds an epoch and against parameters.

Only runs at the size of the paper's table are drawn. A mark is hollow if a run did not converge.

>>> draw_curves([]).texts == draw_cost([]).texts == []
True
"""

from collections.abc import Sequence
from statistics import fmean
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from experiments.benchmarks.sizes import task_of
from experiments.benchmarks.tables import gathered, is_usual, lower_is_better, metric_name, title
from experiments.canvas import BLACK, GREEN, GREY, NETWORKS, absent, headline, tidy
from experiments.cells import Cell
from gcn.data.benchmarks import NAMES

__all__ = ["colour", "draw_cost", "draw_curves"]

COLOURS = NETWORKS | {
    "vanilla-mean": "#8c6d31",
    "order-6": BLACK,
    "gat": "#7b4173",
    "graphsage": "#ce6dbd",
    "monet": "#637939",
    "gatedgcn": "#843c39",
    "3wlgnn": GREEN,
}
PANEL = 3.6
"""Inches."""
LOGARITHMIC = 4.0
"""Losses that differ by this factor are drawn on a logarithmic axis."""


def colour(network: str) -> str:
    """Return the colour of a network; with a GRU it has the same.

    Examples
    --------
    >>> colour("sogcn-gru") == colour("sogcn")
    True
    """
    return COLOURS.get(network.removesuffix("-gru"), GREY)


def _datasets(found: Sequence[Cell]) -> list[str]:
    run = {cell["dataset"] for cell in found}
    return [name for name in NAMES if name in run]


def _nothing() -> Figure:
    picture = Figure(figsize=(2 * PANEL, PANEL), dpi=160, layout="constrained")
    absent(tidy(picture.add_subplot()))
    return picture


def draw_curves(records: Sequence[dict[str, Any]]) -> Figure:
    """Draw the validation loss of every run; networks with a GRU are dashed."""
    usual = [record for record in records if is_usual(record)]
    names = _datasets(gathered(usual))
    if not names:
        return _nothing()
    columns = min(3, len(names))
    rows = -(-len(names) // columns)
    picture = Figure(figsize=(1.35 * PANEL * columns, PANEL * rows + 1.2), dpi=160)
    picture.set_layout_engine("constrained")
    panels = picture.subplots(rows, columns, squeeze=False).ravel()
    headline(picture, "Validation loss by epoch, and pale the training loss")
    for axes in panels[len(names) :]:
        axes.set_visible(False)
    for axes, name in zip(panels, names, strict=False):
        tidy(axes, task_of(name).title)
        for record in usual:
            if record["case"]["dataset"] == name:
                _curve(axes, record)
        low, high = axes.dataLim.intervaly
        if high > LOGARITHMIC * low > 0:
            axes.set_yscale("log")
        axes.set_xlabel("epoch", fontsize=10)
    _legend(picture, list(panels))
    return picture


def _curve(axes: Axes, record: dict[str, Any]) -> None:
    case, losses, run = record["case"], record["valid_loss"], record["run"]
    network = case["model"] + ("-gru" if case["gru"] else "")
    line = "--" if case["gru"] else "-"
    label = title(network) if case["seed"] == 0 else None
    epochs = range(1, len(losses) + 1)
    axes.plot(epochs, record["train_loss"], line, color=colour(network), linewidth=0.7, alpha=0.4)
    axes.plot(epochs, losses, line, color=colour(network), linewidth=1.2, label=label)
    best = run["best_epoch"]
    face = colour(network) if run["converged"] else "white"
    axes.plot(
        best, losses[best - 1], "o", color=colour(network), markerfacecolor=face, markersize=5
    )


def draw_cost(records: Sequence[dict[str, Any]]) -> Figure:
    """Draw the test metric against seconds an epoch, and against parameters."""
    found = [cell for cell in gathered(records) if cell["mean"] is not None]
    names = _datasets(found)
    if not names:
        return _nothing()
    picture = Figure(figsize=(2.9 * PANEL, PANEL * len(names) + 1.0), dpi=160)
    picture.set_layout_engine("constrained")
    panels = picture.subplots(len(names), 2, squeeze=False)
    headline(picture, "What a test metric costs")
    for (left, right), name in zip(panels, names, strict=True):
        cells = [cell for cell in found if cell["dataset"] == name]
        seconds = [sum(cell["run_seconds"]) / sum(cell["run_epochs"]) for cell in cells]
        _points(tidy(left, task_of(name).title), cells, seconds)
        _points(tidy(right), cells, [cell["parameters"] for cell in cells])
        left.set_ylabel(metric_name(name), fontsize=10)
        if lower_is_better(name):  # better is always up
            left.invert_yaxis()
            right.invert_yaxis()
        left.set_xlim(left=0)
        left.set_xlabel("seconds an epoch, on a machine that did other work too", fontsize=9)
        right.set_xlabel("parameters", fontsize=9)
        right.margins(x=0.3)
        right.xaxis.set_major_formatter("{x:,.0f}")
        right.xaxis.set_major_locator(MaxNLocator(5))
    _legend(picture, list(panels.ravel()))
    return picture


def _points(axes: Axes, cells: Sequence[Cell], places: Sequence[float]) -> None:
    for cell, place in zip(cells, places, strict=True):
        scale = 1 if lower_is_better(cell["dataset"]) else 100
        network = cell["network"]
        axes.errorbar(
            place,
            scale * fmean(cell["test"]),
            yerr=None if cell["spread"] is None else scale * cell["spread"],
            fmt="s" if cell["gru"] else "o",
            color=colour(network),
            markerfacecolor=colour(network) if all(cell["converged"]) else "white",
            label=title(network),
        )


def _legend(picture: Figure, panels: Sequence[Axes]) -> None:
    """One legend for all panels, each network once."""
    entries: dict[str, Any] = {}
    for axes in panels:
        handles, labels = axes.get_legend_handles_labels()
        entries |= dict(zip(labels, handles, strict=True))
    mark = panels[0].plot([], [], "o", color=GREY, markerfacecolor="white")[0]
    entries["hollow: not converged"] = mark
    picture.legend(
        list(entries.values()), list(entries), loc="outside lower center", ncols=5, frameon=False
    )
