r"""Curves in a terminal, with the 2 × 4 dots of Unicode's braille characters.

The map is ``curves -> lines of text``. Dot :math:`(i, j)` of a character is one bit of its code
point, so that a window of 80 columns has 160 dots across and four a line.

Assumptions: abscissae ascend within a curve; values that are not finite, and on a logarithmic axis
those that are not positive, are not drawn. Where many samples share a column of dots the whole
range of their values is drawn, so that no extremum is lost.

>>> x = np.linspace(-1, 1, 101)
>>> print("\n".join(panel([(x, x**2)], "x²", width=33, height=3)))
x²
       1 ┤⠙⢦⡀                 ⢀⡴⠋
         │  ⠙⠲⣄⡀           ⢀⣠⠖⠋
       0 ┤     ⠉⠓⠦⠤⣄⣀⣀⣀⣠⠤⠴⠚⠉
         └┬──────────┬──────────┬
         -1          0          1
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["Curve", "panel"]

Curve = tuple[NDArray[np.float64], NDArray[np.float64]]
"""Abscissae and ordinates."""

BITS = np.array([[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]])
"""The bit of a dot by its row and its column in a character."""
LABEL = 8
"""Columns for the labels of the vertical axis."""


def panel(
    curves: Sequence[Curve],
    title: str,
    *,
    width: int = 72,
    height: int = 6,
    limits: tuple[float, float] | None = None,
    span: tuple[float, float] = (-1.0, 1.0),
    log: bool = False,
) -> list[str]:
    r"""Return the lines of a plot: a title, ``height`` rows of dots, and a horizontal axis.

    Parameters
    ----------
    curves
        What to draw.
    title
        Above the plot.
    width, height
        Size in characters; the width includes the labels at the left.
    limits
        Lowest and highest value shown; by default those that occur.
    span
        Ends of the horizontal axis.
    log
        Logarithmic vertical axis.

    Examples
    --------
    >>> x = np.linspace(-1, 1, 101)
    >>> print("\n".join(panel([(x, 10.0 ** (8 * x - 8))], "decay", width=33, height=2, log=True)))
    decay
       1e+00 ┤           ⢀⣀⣀⣠⠤⠤⠴⠒⠒⠒⠋⠉
       1e-16 ┤⣀⣠⠤⠤⠤⠖⠒⠒⠋⠉⠉⠉
             └┬──────────┬──────────┬
             -1          0          1
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        scaled = [(x, np.log10(y) if log else y) for x, y in curves]
        borders = np.log10(limits) if limits and log else limits
    shown = [(x[good], y[good]) for x, y in scaled if (good := np.isfinite(y)).any()]
    if not shown:
        return [title, f"{'':>{LABEL}} (nothing above rounding)"]
    ys = np.concatenate([y for _, y in shown])
    low, high = borders if borders is not None else (ys.min(), ys.max())
    if log:
        # whole decades, as the labels say; a maximum of 1 may be an ulp above it
        high = np.ceil(high - 0.01)
        low = min(np.floor(low), high - 1)
    left, right = span
    across_characters = max(width - LABEL - 2, 3)
    across_characters -= 1 - across_characters % 2  # odd, so that there is one in the middle
    columns, rows = 2 * across_characters, 4 * height
    dots = np.zeros((rows, columns), dtype=bool)
    for x, y in shown:
        across = (x - left) / (right - left) * (columns - 1)
        down = (high - y) / ((high - low) or 1.0) * (rows - 1)
        _draw(dots, across, down)
    labels = [""] * height
    labels[0], labels[-1] = _label(high, log), _label(low, log)
    lines = [
        f"{label:>{LABEL}} {'┤' if label else '│'}{text}"
        for label, text in zip(labels, _characters(dots), strict=True)
    ]
    return [title, *lines, *_axis(left, right, across_characters)]


def _draw(dots: NDArray[np.bool_], across: NDArray[np.float64], down: NDArray[np.float64]) -> None:
    """Set the dots of a polyline: in each column the range from its highest to its lowest value."""
    rows, columns = dots.shape
    column = np.rint(across).astype(int)
    edges = np.arange(column[0], column[-1] + 2) - 0.5
    border = np.interp(edges, across, down)
    top, bottom = np.full(columns, np.inf), np.full(columns, -np.inf)
    inside = slice(column[0], column[-1] + 1)
    top[inside] = np.minimum(border[:-1], border[1:])
    bottom[inside] = np.maximum(border[:-1], border[1:])
    np.minimum.at(top, column, down)
    np.maximum.at(bottom, column, down)
    first, last = np.rint(top), np.rint(bottom)
    row = np.arange(rows)[:, None]
    dots |= (first <= row) & (row <= last)


def _characters(dots: NDArray[np.bool_]) -> list[str]:
    rows, columns = dots.shape
    cells = dots.reshape(rows // 4, 4, columns // 2, 2).transpose(0, 2, 1, 3)
    codes = 0x2800 + (cells * BITS).sum(axis=(2, 3))
    return ["".join(map(chr, line)).rstrip("\u2800").replace("\u2800", " ") for line in codes]


def _label(value: float, log: bool) -> str:
    return f"1e{int(value):+03d}" if log else f"{value:.3g}"


def _axis(left: float, right: float, columns: int) -> list[str]:
    """The line below the dots, with a tick at both ends and in the middle."""
    ticks = {0: left, columns // 2: (left + right) / 2, columns - 1: right}
    line = "".join("┬" if k in ticks else "─" for k in range(columns))
    labels = [" "] * (LABEL + columns + 4)
    for k, value in ticks.items():
        text = f"{value:.3g}"
        start = LABEL + 2 + k - len(text) // 2
        labels[start : start + len(text)] = text
    return [f"{'':>{LABEL}} └{line}", "".join(labels).rstrip()]
