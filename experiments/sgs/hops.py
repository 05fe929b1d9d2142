r"""Hops, not order: is it a layer's order that decides, or the degree of the whole network.

The question is ours. L layers of order K make polynomials of degree K L, so a network of higher
order is a larger one unless it has fewer layers. The cases are orders 1, 2, 3, 4 and 6 at 8, 16, 32
and 64 hops in all (or as near as whole layers come), by the protocol ``text``, on three targets:

* with 16 channels each;
* and with as many channels as give it the parameters of the second-order network of as many hops,
  up to 7 percent. A network of one layer has no channels to mix and is left out.

If the degree decides, the curves of all orders lie on each other; if the order does, on five
levels.

Writes ``results/hops.json`` and ``docs/images/hops.png``.

>>> [(order, layers_for(order, 32) * order) for order in ORDERS]
[(1, 32), (2, 32), (3, 33), (4, 32), (6, 30)]
>>> channels_for(1, 32), parameters(1, 32, channels_for(1, 32)), parameters(2, 16, 16)
(13, 11742, 12323)
"""

from collections.abc import Iterator, Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from experiments.canvas import BLACK, GREEN, GREY, NETWORKS, WORDS, absent, headline, tidy
from experiments.cells import LEGEND, Table, curve, find, is_full, logarithmic, shown, summary
from experiments.sgs.case import Case
from experiments.sgs.floor import analytic, floors
from experiments.sgs.table2 import QUICK, TARGETS

__all__ = ["cases", "channels_for", "collect", "draw", "layers_for", "parameters", "table"]

ORDERS = (1, 2, 3, 4, 6)
HOPS = (8, 16, 32, 64)
QUICK_HOPS = (8, 16)
CHANNELS = 16
SIZES = (11.0, 8.5, 6.5, 4.5, 4.5)
"""Of the points of each order: where they lie on each other, all are seen."""
KIND = {1: "order-1", 2: "sogcn", 3: "order-3", 4: "order-4", 6: "order-6"}
NAMES = WORDS | {"order-1": "first order", "sogcn": "second order", "order-6": "sixth order"}
COLOURS = NETWORKS | {"order-1": "#CC79A7", "order-6": GREEN}


def layers_for(order: int, hops: int) -> int:
    """Return the number of layers whose hops come nearest.

    Examples
    --------
    >>> layers_for(6, 8), layers_for(6, 16)
    (1, 3)
    """
    return max(1, round(hops / order))


def parameters(order: int, layers: int, channels: int) -> int:
    """Return how many numbers such a network learns.

    Examples
    --------
    >>> parameters(2, 16, 16) == Case("sogcn", "low-pass", "text").network().num_parameters
    True
    """
    within = (order + 1) * channels**2 + 3 * channels  # with a bias, and scale and shift
    return 2 * channels + (layers - 1) * within + (order + 1) * channels + 3


def channels_for(order: int, hops: int) -> int:
    """Return the channels that give a network as many parameters as second order has.

    Examples
    --------
    >>> channels_for(2, 64)
    16
    """
    wanted = parameters(2, layers_for(2, hops), CHANNELS)
    layers = layers_for(order, hops)
    return min(range(1, 65), key=lambda width: abs(parameters(order, layers, width) - wanted))


def _networks(equal: str, hops: Sequence[int] = HOPS) -> Iterator[tuple[int, int, int, int]]:
    """Order, wanted hops, layers and channels of each network of a comparison."""
    for total in hops:
        for order in ORDERS:
            layers = layers_for(order, total)
            if equal == "channels":
                yield order, total, layers, CHANNELS
            elif layers > 1:
                yield order, total, layers, channels_for(order, total)


def cases(quick: bool, seeds: Sequence[int]) -> list[Case]:
    """Return what is trained; networks that both comparisons share come once."""
    found = [
        Case(KIND[order], target, "text", layers, channels, seed, **(QUICK if quick else {}))
        for seed in seeds
        for target in (("band-pass",) if quick else reversed(TARGETS))
        for equal in ("channels", "parameters")
        for order, _, layers, channels in _networks(equal, QUICK_HOPS if quick else HOPS)
    ]
    return list(dict.fromkeys(found))


def collect(records: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return one cell for each network, with the hops that it has."""
    figures = summary(records)
    for cell in figures["cells"]:
        order = next(order for order, kind in KIND.items() if kind == cell["kind"])
        cell["hops"] = order * cell["layers"]
    return figures


def table(figures: dict[str, Any]) -> Table:
    """Return one row for each network, the two comparisons one after the other."""
    rows = []
    for equal in ("channels", "parameters"):
        for order, total, layers, channels in _networks(equal):
            size = {"kind": KIND[order], "layers": layers, "channels": channels}
            row = [f"equal {equal}", str(total), str(order * layers), NAMES[KIND[order]]]
            row += [f"{layers} × {channels}", f"{parameters(order, layers, channels):,}"]
            row += [shown(find(figures["cells"], target=t, **size)) for t in TARGETS]
            rows.append(row)
    header = ["comparison", "hops", "real", "network", "layers × channels", "parameters"]
    return Table([*header, *TARGETS], rows, f"{LEGEND} Protocol text.")


def draw(figures: dict[str, Any]) -> Figure:
    """Draw the error over the hops, a curve for each order, and the floor."""
    picture = Figure(figsize=(11.0, 7.6), dpi=160, layout="constrained")
    panels = picture.subplots(2, len(TARGETS), sharex=True, sharey=True)
    headline(picture, "Order of a layer, or hops of the network?")
    for row, equal in zip(panels, ("channels", "parameters"), strict=True):
        for axes, target in zip(row, TARGETS, strict=True):
            _panel(tidy(axes, f"{target}, equal {equal}"), target, equal, figures)
        row[0].set_ylabel("test MAE", fontsize=11)
    for axes in panels[1]:
        axes.set_xlabel("hops of the network", fontsize=10)
    panels[0, 0].plot([], [], "o", color=GREY, markerfacecolor="white", label="not converged")
    handles, labels = panels[0, 0].get_legend_handles_labels()
    picture.legend(handles, labels, loc="outside lower center", ncols=4, frameon=False)
    return picture


def _panel(axes: Axes, target: str, equal: str, figures: dict[str, Any]) -> None:
    cells = [cell for cell in figures["cells"] if cell["target"] == target]
    for order, size in zip(ORDERS, SIZES, strict=True):
        sizes = [net for net in _networks(equal) if net[0] == order]
        found = [
            find(cells, kind=KIND[order], layers=layers, channels=channels)
            for _, _, layers, channels in sizes
        ]
        points = [(cell["hops"], cell) for cell in found if cell is not None]
        curve(axes, points, COLOURS[KIND[order]], NAMES[KIND[order]], size=size)
    if not cells:
        absent(axes)
    best = floors(target, analytic()) if is_full(cells) else {}
    seen = {degree: error for degree, error in best.items() if degree >= min(HOPS) // 2}
    axes.plot(list(seen), list(seen.values()), "--", color=BLACK, label="best polynomial")
    axes.set_xscale("log", base=2)
    logarithmic(axes)
    axes.set_xticks(HOPS, [str(hops) for hops in HOPS])
