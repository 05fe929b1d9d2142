r"""Test MAE against depth: Figure 3 and the depth figures of the appendix.

The question is the paper's: which networks gain by more layers? The cases are vanilla, GIN, SoGCN,
third and fourth order of 2, 4, 8, 16 and 32 layers, as published, on three targets. Two lines are
theory: the best polynomial of as many hops as second-order layers have, and of as many as
first-order layers have.

Writes ``results/depth.json`` and ``docs/images/depth.png``.

>>> len(cases(quick=False, seeds=[0]))
75
>>> sorted({case.layers for case in cases(quick=True, seeds=[0])})
[2, 8]
"""

from collections.abc import Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from experiments.canvas import BLACK, GREY, NETWORKS, WORDS, absent, headline, tidy
from experiments.cells import Table, curve, find, is_full, logarithmic, shown, summary
from experiments.sgs.case import Case
from experiments.sgs.floor import analytic, floors
from experiments.sgs.table2 import KINDS, QUICK, TARGETS

__all__ = ["cases", "collect", "draw", "table"]

LAYERS = (2, 4, 8, 16, 32)
QUICK_LAYERS = (2, 8)


def cases(quick: bool, seeds: Sequence[int]) -> list[Case]:
    """Return what is trained, shallow networks first."""
    if quick:
        return [
            Case(kind, "band-pass", "published", layers=layers, seed=seed, **QUICK)
            for seed in seeds
            for layers in QUICK_LAYERS
            for kind in KINDS
        ]
    return [
        Case(kind, target, "published", layers=layers, seed=seed)
        for seed in seeds
        for layers in LAYERS
        for target in reversed(TARGETS)
        for kind in KINDS
    ]


def collect(records: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return one cell for each network and depth."""
    return summary(records)


def table(figures: dict[str, Any]) -> Table:
    """Return one row for each target and network."""
    rows = [
        [target, WORDS[kind]]
        + [
            shown(find(figures["cells"], kind=kind, target=target, layers=layers))
            for layers in LAYERS
        ]
        for target in TARGETS
        for kind in KINDS
    ]
    return Table(["target", "network", *(f"{layers} layers" for layers in LAYERS)], rows)


def draw(figures: dict[str, Any]) -> Figure:
    """Draw a curve for each network, and the floors."""
    picture = Figure(figsize=(11.0, 4.8), dpi=160, layout="constrained")
    panels = picture.subplots(1, len(TARGETS), sharey=True)
    headline(picture, "Test MAE against depth, 16 channels")
    for axes, target in zip(panels, TARGETS, strict=True):
        _panel(tidy(axes, target), target, figures)
    panels[0].set_ylabel("test MAE", fontsize=11)
    panels[0].plot([], [], "o", color=GREY, markerfacecolor="white", label="not converged")
    handles, labels = panels[0].get_legend_handles_labels()
    picture.legend(handles, labels, loc="outside lower center", ncols=4, frameon=False)
    return picture


def _panel(axes: Axes, target: str, figures: dict[str, Any]) -> None:
    cells = [cell for cell in figures["cells"] if cell["target"] == target]
    for kind in KINDS:
        of_kind = [cell for cell in cells if cell["kind"] == kind]
        curve(axes, [(cell["layers"], cell) for cell in of_kind], NETWORKS[kind], WORDS[kind])
    if not cells:
        absent(axes)
    best = floors(target, analytic()) if is_full(cells) else {}
    for order, style, words in ((2, "--", "2 hops"), (1, ":", "1 hop")):
        reached = [layers for layers in LAYERS if order * layers in best]
        axes.plot(
            reached,
            [best[order * layers] for layers in reached],
            style,
            color=BLACK,
            label=f"best polynomial, {words} a layer",
        )
    axes.set_xscale("log", base=2)
    logarithmic(axes)
    axes.set_xticks(LAYERS, [str(layers) for layers in LAYERS])
    axes.set_xlabel("layers", fontsize=10)
