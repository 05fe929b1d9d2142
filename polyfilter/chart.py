r"""Figures of the ledger as SVG, with axes, marks and words that a page can colour.

The map is ``figure -> <svg>``: linear or logarithmic axes with round ticks, one polyline a curve, a
mark at each point where there are few. :func:`legend` names the curves as HTML, so that the names
keep their size on a small screen. Curves differ by marks or dashes as well as by colour.

Assumptions: values that are not finite, or not positive on a logarithmic axis, are gaps.

>>> from polyfilter.claim import Curve, Figure
>>> growth = Curve("bits", (5.0, 8.0, 12.0, 20.0), (6.0, 9.0, 15.0, 40.0))
>>> picture = chart(Figure("the lift", (growth,), "Γ", "bits", log_y=True))
>>> picture.count("<use"), "20, 40" in picture
(4, True)
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape

import numpy as np
from numpy.typing import NDArray

from polyfilter import symbols
from polyfilter.claim import Curve, Figure
from polyfilter.typeset import html, plain

__all__ = ["Axis", "axis", "chart", "legend", "marks"]

WIDTH, HEIGHT = 480, 300
LEFT, RIGHT, TOP, BOTTOM = 58, 16, 34, 52
TICKS = 6
"""About so many on an axis."""
MARKED = 40
"""Points up to which each has a mark."""
DRAWN = 1200
"""Points of a curve beyond which it is thinned; the plot is 400 pixels wide."""
STYLES = 8
DASHES = ("", "7 3", "2 3", "9 3 2 3")
SHAPES = (
    '<circle r="3.6"></circle>',
    '<rect x="-3.3" y="-3.3" width="6.6" height="6.6"></rect>',
    '<path d="M0-4.6 4.2 3H-4.2Z"></path>',
    '<path d="M0-4.8 4.8 0 0 4.8-4.8 0Z"></path>',
)


@dataclass(frozen=True)
class Axis:
    """From values to a unit interval, with its ticks.

    Attributes
    ----------
    low, high : float
        The ends, as logarithms on a logarithmic axis.
    log : bool
        Whether the axis is logarithmic.
    ticks : tuple of float
        Round values between the ends.
    """

    low: float
    high: float
    log: bool
    ticks: tuple[float, ...]

    def place(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Where values lie between 0 and 1; NaN for those that the axis can't show."""
        shown = np.where(np.isfinite(values), values, np.nan)
        if self.log:
            shown = np.log10(np.where(shown > 0, shown, np.nan))
        return np.asarray((shown - self.low) / (self.high - self.low))


def axis(values: NDArray[np.float64], log: bool = False) -> Axis:
    """Choose the ends and the ticks of an axis.

    Examples
    --------
    >>> axis(np.array([0.0, 97.0])).ticks
    (0.0, 20.0, 40.0, 60.0, 80.0)
    >>> axis(np.array([1e-16, 1.0]), log=True).ticks
    (1e-15, 1e-12, 1e-09, 1e-06, 0.001, 1.0)
    """
    usable = values[np.isfinite(values) & ((values > 0) | (not log))]
    if len(usable) == 0:
        usable = np.array([1.0, 10.0]) if log else np.array([0.0, 1.0])
    low, high = float(usable.min()), float(usable.max())
    if log:
        low, high = math.log10(low), math.log10(high)
    if high - low <= 1e-12 * max(abs(low), abs(high), 1.0):
        low, high = low - 0.5, high + 0.5
    pad = 0.03 * (high - low)
    low, high = low - pad, high + pad
    return Axis(low, high, log, tuple(_log_ticks(low, high) if log else _ticks(low, high)))


def _ticks(low: float, high: float) -> Iterator[float]:
    raw = (high - low) / TICKS
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(power * k for k in (1, 2, 2.5, 5, 10) if power * k >= raw * 0.99)
    for k in range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1):
        yield float(f"{k * step:.12g}")


def _log_ticks(low: float, high: float) -> Iterator[float]:
    first, last = math.ceil(low - 1e-9), math.floor(high + 1e-9)
    if last - first >= 2:
        step = max(1, math.ceil((last - first) / TICKS))
        yield from (float(f"1e{k}") for k in range(first, last + 1) if k % step == 0)
        return
    leading = (1, 2, 5) if high - low > 0.7 else (1, 1.5, 2, 3, 4, 5, 6, 8)
    for power in range(math.floor(low), math.ceil(high) + 1):
        for digit in leading:
            if low <= math.log10(digit) + power <= high:
                yield float(f"{digit}e{power}")


def label(value: float, log: bool = False) -> str:
    """A tick in a few characters.

    Examples
    --------
    >>> label(1e-12, log=True), label(0.25), label(20000.0)
    ('10⁻¹²', '0.25', '20k')
    """
    exponent = math.log10(value) if log and value > 0 else 0.5
    if log and exponent == round(exponent) and not 0.01 <= value <= 1000:
        return "10" + f"{exponent:.0f}".translate(symbols.SUPERSCRIPTS)
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e4, "k")):
        if abs(value) >= size:
            return f"{value / min(size, 1e3 if letter == 'k' else size):g}{letter}"
    return f"{value:g}".replace("-", "−")


def chart(figure: Figure) -> str:
    """Return a figure as an SVG element.

    Examples
    --------
    >>> chart(Figure("nothing", (), "x", "y")).startswith('<svg class="chart"')
    True
    """
    across = axis(_all(curve.x for curve in figure.curves), figure.log_x)
    up = axis(_all(curve.y for curve in figure.curves), figure.log_y)
    parts = [
        f'<svg class="chart" role="img" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'aria-label="{escape(_words(figure))}">'
    ]
    for tick, x in zip(across.ticks, _across(across, np.array(across.ticks)), strict=True):
        text = escape(label(tick, across.log))
        parts.append(
            f'<path class="grid" d="M{x:.1f} {TOP}V{HEIGHT - BOTTOM}"></path>'
            f'<text x="{x:.1f}" y="{HEIGHT - BOTTOM + 20}" text-anchor="middle">{text}</text>'
        )
    for tick, y in zip(up.ticks, _up(up, np.array(up.ticks)), strict=True):
        text = escape(label(tick, up.log))
        parts.append(
            f'<path class="grid" d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}"></path>'
            f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{text}</text>'
        )
    frame = f"M{LEFT} {TOP}V{HEIGHT - BOTTOM}H{WIDTH - RIGHT}"
    parts.append(f'<path class="frame" d="{frame}"></path>')
    parts.append(f'<text class="label" x="4" y="18">{escape(plain(figure.y_label))}</text>')
    parts.append(
        f'<text class="label" x="{WIDTH - RIGHT}" y="{HEIGHT - 9}" text-anchor="end">'
        f"{escape(plain(figure.x_label))}</text>"
    )
    for k, curve in enumerate(figure.curves):
        parts.append(_curve(curve, k, across, up))
    return "".join(parts) + "</svg>"


def _all(series: Iterator[tuple[float, ...]]) -> NDArray[np.float64]:
    return np.array([value for values in series for value in values], dtype=np.float64)


def _across(across: Axis, values: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(LEFT + across.place(values) * (WIDTH - LEFT - RIGHT))


def _up(up: Axis, values: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(HEIGHT - BOTTOM - up.place(values) * (HEIGHT - TOP - BOTTOM))


def _curve(curve: Curve, k: int, across: Axis, up: Axis) -> str:
    thin = slice(None, None, max(1, len(curve.x) // DRAWN))
    x, y = np.array(curve.x, dtype=float)[thin], np.array(curve.y, dtype=float)[thin]
    points = np.column_stack((_across(across, x), _up(up, y)))
    shown = np.isfinite(points[:, 0]) & np.isfinite(points[:, 1])
    path = "".join(
        f"{'L' if i and shown[i - 1] else 'M'}{points[i, 0]:.1f} {points[i, 1]:.1f}"
        for i in np.flatnonzero(shown)
    )
    parts = [f'<g class="c{k % STYLES}">{_line(curve, k, path)}']
    if len(x) <= MARKED:
        for i in np.flatnonzero(shown):
            title = f"{plain(curve.name)}: {x[i]:.6g}, {y[i]:.6g}"
            parts.append(
                f'<use href="#mark{k % len(SHAPES)}" x="{points[i, 0]:.1f}" '
                f'y="{points[i, 1]:.1f}"><title>{escape(title)}</title></use>'
            )
    return "".join(parts) + "</g>"


def _line(curve: Curve, k: int, path: str) -> str:
    """A curve without marks is told apart by its dashes."""
    dash = "" if len(curve.x) <= MARKED else DASHES[k % len(DASHES)]
    dashed = f' stroke-dasharray="{dash}"' if dash else ""
    return f'<path class="curve"{dashed} d="{path or "M0 0"}"></path>'


def _words(figure: Figure) -> str:
    """The figure for those who can't see it: the axes, and where each curve begins and ends."""
    told = [f"{plain(figure.y_label)} against {plain(figure.x_label)}"]
    for curve in figure.curves:
        if curve.x:
            ends = f"({curve.x[0]:.4g}, {curve.y[0]:.4g}) to ({curve.x[-1]:.4g}, {curve.y[-1]:.4g})"
            told.append(f"{plain(curve.name)} from {ends}")
    return "; ".join(told)


def marks() -> str:
    """Return the marks that charts refer to; a page has them once.

    Examples
    --------
    >>> marks().count("<g id=")
    4
    """
    shapes = "".join(f'<g id="mark{k}">{shape}</g>' for k, shape in enumerate(SHAPES))
    return f'<svg class="marks" aria-hidden="true" width="0" height="0"><defs>{shapes}</defs></svg>'


def legend(figure: Figure) -> str:
    """Return the names of the curves as an HTML list, each with its line and mark.

    Examples
    --------
    >>> curves = Curve("a", (0.0,), (1.0,)), Curve("b", (0.0,), (1.0,))
    >>> legend(Figure("", curves, "x", "y")).count("<li>")
    2
    """
    items = []
    for k, curve in enumerate(figure.curves):
        marked = f'<use href="#mark{k % len(SHAPES)}" x="15" y="7"></use>'
        items.append(
            f'<li><svg class="chart c{k % STYLES}" aria-hidden="true" width="30" height="14" '
            f'viewBox="0 0 30 14">{_line(curve, k, "M1 7H29")}'
            f"{marked * (len(curve.x) <= MARKED)}</svg> {html(curve.name)}</li>"
        )
    return f'<ul class="legend">{"".join(items)}</ul>' if items else ""
