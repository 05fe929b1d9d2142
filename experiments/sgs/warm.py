r"""Trained from the analytic start.

The question is ours: does training keep the floor, or improve it? A SoGCN of 16 layers and 16
channels is begun as the polynomial of degree 32 that fits the training graphs best
(:func:`gcn.bridge.initialise`), and trained as every other one, by the protocols ``text`` and
``published``, and by the same with Adam from 1e-4: its first steps are as long as the rate, and
0.01 leaves any floor. Beside it stands the network that begins at random. So the gap between the
two, at equal architecture and training, is one of optimisation.

Writes ``results/warm.json`` and ``docs/images/warm.png``.

>>> [case.name for case in cases(quick=True, seeds=[0])][:2]
['text/sogcn-16x16/band-pass/seed-0-analytic-epochs-...', ...]
"""

from collections.abc import Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from experiments.canvas import BLACK, BLUE, GREEN, ORANGE, absent, headline, tidy
from experiments.cells import LEGEND, Table, find, is_full, logarithmic, shown, summary
from experiments.sgs.case import Case
from experiments.sgs.floor import analytic, floors
from experiments.sgs.table2 import QUICK, TARGETS

__all__ = ["cases", "collect", "draw", "table"]

DEGREE = 32
PROTOCOLS = ("text", "published")
STARTS = {"analytic": GREEN, "gentle": ORANGE, "random": BLUE}
WORDS = {"analytic": "analytic", "gentle": "analytic, rate 1e-4", "random": "random"}
STYLES = {"text": "-", "published": "--"}


def cases(quick: bool, seeds: Sequence[int]) -> list[Case]:
    """Return what is trained; those that begin at random are Table 2's."""
    return [
        Case("sogcn", target, protocol, seed=seed, start=start, **(QUICK if quick else {}))
        for seed in seeds
        for target in (("band-pass",) if quick else reversed(TARGETS))
        for protocol in PROTOCOLS
        for start in STARTS
    ]


def collect(records: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the cells, and the validation loss of every epoch of the first seed."""
    figures = summary(records)
    for cell in figures["cells"]:
        first = {name: cell[name] for name in ("target", "protocol", "start", "graphs")}
        first |= {"seed": cell["seeds"][0]}
        cell["valid_loss"] = next(
            record["valid_loss"]
            for record in records
            if all(record["case"][name] == value for name, value in first.items())
        )
    return figures


def table(figures: dict[str, Any]) -> Table:
    """Return one row for each start."""
    full = is_full(figures["cells"])
    found = [floors(target, analytic()).get(DEGREE) if full else None for target in TARGETS]
    rows = [["best polynomial", "", *("not run" if f is None else f"{f:.4f}" for f in found)]]
    for protocol in PROTOCOLS:
        for start in STARTS:
            what = {"protocol": protocol, "start": start}
            ours = [find(figures["cells"], target=target, **what) for target in TARGETS]
            if start == "analytic":
                rows.append([f"{protocol}, before training", start, *map(_at_start, ours)])
            rows.append([f"{protocol}, trained", WORDS[start], *map(shown, ours)])
    return Table(["network", "start", *TARGETS], rows, f"{LEGEND} SoGCN, 16 layers, 16 channels.")


def _at_start(cell: dict[str, Any] | None) -> str:
    return "not run" if cell is None or "at_start" not in cell else f"{cell['at_start']:.4f}"


def draw(figures: dict[str, Any]) -> Figure:
    """Draw the validation loss over the epochs, from both starts, above the floor."""
    picture = Figure(figsize=(11.0, 4.8), dpi=160, layout="constrained")
    panels = picture.subplots(1, len(TARGETS), sharey=True)
    headline(picture, "SoGCN from the best polynomial, and from random weights")
    for axes, target in zip(panels, TARGETS, strict=True):
        _panel(tidy(axes, target), target, figures)
    panels[0].set_ylabel("validation MAE", fontsize=11)
    handles, labels = panels[0].get_legend_handles_labels()
    picture.legend(handles, labels, loc="outside lower center", ncols=4, frameon=False)
    return picture


def _panel(axes: Axes, target: str, figures: dict[str, Any]) -> None:
    cells = [cell for cell in figures["cells"] if cell["target"] == target]
    for start, colour in STARTS.items():
        for protocol, style in STYLES.items():
            cell = find(cells, start=start, protocol=protocol)
            losses = [] if cell is None else cell["valid_loss"]
            axes.plot(
                range(1, len(losses) + 1),
                losses,
                style,
                color=colour,
                linewidth=1.4,
                label=f"{WORDS[start]}; {protocol}",
            )
    if not cells:
        absent(axes)
    best = floors(target, analytic()).get(DEGREE) if is_full(cells) else None
    if best is not None:
        axes.axhline(best, color=BLACK, linestyle=":", label=f"best polynomial of degree {DEGREE}")
    logarithmic(axes)
    axes.set_xlabel("epoch", fontsize=10)
