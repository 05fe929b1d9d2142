r"""Table 2: what networks of 16 layers and 16 channels find of three filters.

The question is the paper's: which layers can fit a filter? The cases are vanilla, GIN, SoGCN, and
layers of third and fourth order, on three targets, by the protocols of
:mod:`experiments.sgs.case`: ``published``, ``text`` and ``strict``, and two rows of ``plain``.
Below stand rows that no gradient step has touched (:mod:`experiments.sgs.analytic`).

``quick`` is a smaller question with the same answer: 16 layers still, fewer graphs and epochs, two
targets, one protocol.

Writes ``results/table2.json`` and ``docs/images/table2.png``.

>>> len(cases(quick=True, seeds=[0])), len(cases(quick=False, seeds=[0, 1]))
(10, 102)
>>> print(table({"cells": []}))
protocol   network       parameters  high-pass  paper  low-pass  paper  band-pass  paper
published  vanilla GCN   4,611       not run    0.308  not run   0.317  not run    0.559
...
"""

from collections.abc import Sequence
from typing import Any

from matplotlib.figure import Figure

from experiments.canvas import BLACK, GREEN, GREY, NETWORKS, WORDS, absent, headline, tidy
from experiments.cells import LEGEND, NOT_RUN, Table, find, is_full, logarithmic, shown, summary
from experiments.sgs.analytic import PAPER
from experiments.sgs.case import Case
from experiments.sgs.floor import analytic, floors

__all__ = ["TARGETS", "cases", "collect", "draw", "table"]

TARGETS = ("high-pass", "low-pass", "band-pass")
KINDS = ("vanilla", "gin", "sogcn", "order-3", "order-4")
PROTOCOLS = ("published", "text", "strict")
PLAIN = ("vanilla", "sogcn")
"""Networks that are trained without residual connections too."""
DEGREE = 32
"""Of 16 second-order layers."""
QUICK: dict[str, Any] = {"epochs": 80, "graphs": (500, 100, 200)}
QUICK_TARGETS = ("high-pass", "band-pass")


def cases(quick: bool, seeds: Sequence[int]) -> list[Case]:
    """Return what is trained, the band-pass first, where networks differ most."""
    if quick:
        return [
            Case(kind, target, "published", seed=seed, **QUICK)
            for seed in seeds
            for target in reversed(QUICK_TARGETS)
            for kind in KINDS
        ]
    return [
        Case(kind, target, protocol, seed=seed)
        for seed in seeds
        for target in reversed(TARGETS)
        for protocol in (*PROTOCOLS, "plain")
        for kind in (PLAIN if protocol == "plain" else KINDS)
    ]


def collect(records: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the cells of the table."""
    return summary(records)


def table(figures: dict[str, Any]) -> Table:
    """Return the table, the paper's numbers beside ours."""
    rows = [
        _row(figures, protocol, kind)
        for protocol in (*PROTOCOLS, "plain")
        for kind in (PLAIN if protocol == "plain" else KINDS)
        if protocol == "published" or is_full(figures["cells"])
    ]
    header = ["protocol", "network", "parameters"]
    return Table(
        [*header, *(word for target in TARGETS for word in (target, "paper"))],
        [*rows, *_computed(figures)],
        f"{LEGEND} {_size(figures)}",
    )


def _row(figures: dict[str, Any], protocol: str, kind: str) -> list[str]:
    cells = figures["cells"]
    _, parameters, paper = PAPER[kind]
    found = {t: find(cells, kind=kind, protocol=protocol, target=t) for t in TARGETS}
    counts = {cell["parameters"] for cell in found.values() if cell is not None}
    numbers = [word for t in TARGETS for word in (shown(found[t]), f"{paper[t]:.3f}")]
    return [protocol, WORDS[kind], f"{counts.pop() if counts else parameters:,}", *numbers]


def _computed(figures: dict[str, Any]) -> list[list[str]]:
    """Rows of networks whose weights were computed."""
    targets = analytic().get("targets", {}) if is_full(figures["cells"]) else {}
    rows: dict[tuple[str, int], dict[str, float]] = {}
    for target, found in targets.items():
        for row in found["networks"]:
            how = "designed" if row["how"].startswith("designed") else row["how"]
            words = f"{row['architecture']}, {row['layers']} layers, {how}"
            rows.setdefault((words, row["parameters"]), {})[target] = row["test"]["float32"]
    missing = {target: "none" if target in targets else NOT_RUN for target in TARGETS}
    return [
        ["computed", words, f"{parameters:,}"]
        + [
            word
            for t in TARGETS
            for word in (f"{numbers[t]:.4f}" if t in numbers else missing[t], "")
        ]
        for (words, parameters), numbers in rows.items()
    ]


def _size(figures: dict[str, Any]) -> str:
    sizes = {tuple(cell["graphs"]) for cell in figures["cells"] if "graphs" in cell}
    words = [" + ".join(f"{count:,}" for count in size) for size in sorted(sizes)]
    return f"Graphs to train on, to validate and to test: {', '.join(words) or 'none yet'}."


def draw(figures: dict[str, Any]) -> Figure:
    """Draw ours and the paper's numbers for each target, a column a network."""
    picture = Figure(figsize=(11.0, 4.8), dpi=160, layout="constrained")
    panels = picture.subplots(1, len(TARGETS), sharey=True)
    headline(picture, "Table 2: test MAE by network and protocol")
    shapes = {"published": "o", "text": "s", "strict": "^", "plain": "D"}
    for axes, target in zip(panels, TARGETS, strict=True):
        tidy(axes, target)
        for place, kind in enumerate(KINDS):
            axes.plot(place, PAPER[kind][2][target], "_", color=BLACK, markersize=22)
            for shift, (protocol, shape) in enumerate(shapes.items()):
                cell = find(figures["cells"], kind=kind, target=target, protocol=protocol)
                if cell is not None and cell["mean"] is not None:
                    axes.errorbar(
                        place + 0.14 * (shift - 1.5),
                        cell["mean"],
                        yerr=cell["spread"],
                        fmt=shape,
                        color=NETWORKS[kind],
                        markerfacecolor=NETWORKS[kind] if all(cell["converged"]) else "white",
                    )
        if not any(cell["target"] == target for cell in figures["cells"]):
            absent(axes)
        best = floors(target, analytic()).get(DEGREE) if is_full(figures["cells"]) else None
        if best is not None:
            label = f"best polynomial of degree {DEGREE}, computed"
            axes.axhline(best, color=GREEN, linestyle="--", linewidth=1.4, label=label)
        logarithmic(axes)
        axes.set_xlim(-0.6, len(KINDS) - 0.4)
        axes.set_xticks(range(len(KINDS)), [WORDS[kind].replace(" ", "\n") for kind in KINDS])
    panels[0].set_ylabel("test MAE", fontsize=11)
    for protocol, shape in shapes.items():
        panels[0].plot([], [], shape, color=GREY, label=protocol)
    panels[0].plot([], [], "_", color=BLACK, markersize=14, label="paper")
    panels[0].plot([], [], "o", color=GREY, markerfacecolor="white", label="not converged")
    handles, labels = panels[0].get_legend_handles_labels()
    picture.legend(handles, labels, loc="outside lower center", ncols=7, frameon=False)
    return picture
