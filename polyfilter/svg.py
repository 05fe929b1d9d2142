"""Small line plots as text, for notebooks: no plotting library, no state.

The map is ``curves -> an <svg> element``, with a linear or logarithmic vertical axis.

>>> picture = line_plot({"h": (np.array([-1.0, 0.0, 1.0]), np.array([0.0, 1.0, 0.0]))}, "a tent")
>>> picture.startswith("<svg") and "polyline" in picture
True
"""

from collections.abc import Mapping
from html import escape
from itertools import cycle
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["line_plot"]

WIDTH, HEIGHT, MARGIN = 300, 130, 26
COLOURS = ("#1f5fa8", "#c0562b", "#3a7d44", "#7b4f9d")
Curve = tuple[NDArray[np.float64], NDArray[np.float64]]


def line_plot(curves: Mapping[str, Curve], title: str, *, log: bool = False) -> str:
    """Return an SVG of the curves over their common range.

    Parameters
    ----------
    curves : mapping of name to (x, y)
        Values that are not finite (or, on a logarithmic axis, not positive) are left out.
    title : str
        Above the plot.
    log : bool
        Logarithmic vertical axis.

    Examples
    --------
    >>> error = {"e": (np.arange(3.0), np.array([1e-16, 1e-3, 1.0]))}
    >>> "1e-16" in line_plot(error, "error", log=True)
    True
    """
    drawn = {}
    for name, (x, y) in curves.items():
        good = np.isfinite(x) & np.isfinite(y) & ((y > 0) | (not log))
        drawn[name] = (x[good], np.log10(y[good]) if log else y[good])
    xs = np.concatenate([np.zeros(0), *(x for x, _ in drawn.values())])
    ys = np.concatenate([np.zeros(0), *(y for _, y in drawn.values())])
    if len(xs) == 0:
        return f"<p>{escape(title)}: nothing to draw</p>"
    left, right, low, high = xs.min(), xs.max(), ys.min(), ys.max()

    def across(x: Any) -> Any:
        return MARGIN + 12 + _share(x, left, right) * (WIDTH - MARGIN - 18)

    def down(y: Any) -> Any:
        return HEIGHT - MARGIN + 4 - _share(y, low, high) * (HEIGHT - MARGIN - 18)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" role="img" '
        f'aria-label="{escape(title)}" font-family="sans-serif" font-size="9">',
        f'<text x="{MARGIN + 12}" y="10" font-size="10">{escape(title)}</text>',
    ]
    for value in (low, high):
        label = f"1e{value:.0f}" if log else f"{value:.3g}"
        y = down(value) + 3
        parts.append(f'<text x="{MARGIN + 8}" y="{y:.1f}" text-anchor="end">{label}</text>')
    for value, anchor in ((left, "start"), (right, "end")):
        x = across(value)
        parts.append(
            f'<text x="{x:.1f}" y="{HEIGHT - 8}" text-anchor="{anchor}">{value:.3g}</text>'
        )
    for colour, (name, (x, y)) in zip(cycle(COLOURS), drawn.items(), strict=False):
        points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(across(x), down(y), strict=True))
        parts.append(
            f'<polyline points="{points}" fill="none" stroke="{colour}">'
            f"<title>{escape(name)}</title></polyline>"
        )
    return "".join(parts) + "</svg>"


def _share(value: Any, low: float, high: float) -> Any:
    """Where in the range a value lies, from 0 to 1; halves, so that 1e308 - -1e308 is finite."""
    return (value / 2 - low / 2) / ((high / 2 - low / 2) or 1.0)
