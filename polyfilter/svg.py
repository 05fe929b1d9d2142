"""Small line plots as text, for notebooks: no plotting library, no state.

The map is ``curves -> an <svg> element``, with a linear or logarithmic vertical axis.

>>> picture = line_plot({"h": (np.array([-1.0, 0.0, 1.0]), np.array([0.0, 1.0, 0.0]))}, "a tent")
>>> picture.startswith("<svg") and "polyline" in picture
True
"""

from collections.abc import Mapping
from html import escape

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
        good = np.isfinite(y) & (y > 0) if log else np.isfinite(y)
        drawn[name] = (x[good], np.log10(y[good]) if log else y[good])
    xs = np.concatenate([x for x, _ in drawn.values()])
    ys = np.concatenate([y for _, y in drawn.values()])
    if len(xs) == 0:
        return f"<p>{escape(title)}: nothing to draw</p>"
    left, right, low, high = xs.min(), xs.max(), ys.min(), ys.max()
    wide, tall = (right - left) or 1.0, (high - low) or 1.0
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" role="img" '
        f'aria-label="{escape(title)}" font-family="sans-serif" font-size="9">',
        f'<text x="{MARGIN + 12}" y="10" font-size="10">{escape(title)}</text>',
    ]
    for value in (low, high):
        label = f"1e{value:.0f}" if log else f"{value:.3g}"
        y = HEIGHT - MARGIN + 6 - (value - low) / tall * (HEIGHT - MARGIN - 10)
        parts.append(f'<text x="{MARGIN + 8}" y="{y:.1f}" text-anchor="end">{label}</text>')
    for value, anchor in ((left, "start"), (right, "end")):
        x = MARGIN + 12 + (value - left) / wide * (WIDTH - MARGIN - 18)
        parts.append(
            f'<text x="{x:.1f}" y="{HEIGHT - 8}" text-anchor="{anchor}">{value:.3g}</text>'
        )
    for colour, (name, (x, y)) in zip(COLOURS, drawn.items(), strict=False):
        horizontal = MARGIN + 12 + (x - left) / wide * (WIDTH - MARGIN - 18)
        vertical = HEIGHT - MARGIN + 4 - (y - low) / tall * (HEIGHT - MARGIN - 18)
        points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(horizontal, vertical, strict=True))
        parts.append(
            f'<polyline points="{points}" fill="none" stroke="{colour}">'
            f"<title>{escape(name)}</title></polyline>"
        )
    return "".join(parts) + "</svg>"
