r"""A stack as a picture: its response, how the layers build it up, and how far off it is.

The maps are ``stack -> figure`` (PNG, SVG or PDF by matplotlib) and ``stack -> text`` (braille dots
in a terminal), both with three panels over the eigenvalue :math:`\lambda`:

1. the response :math:`|h(\lambda)|`;
2. partial products :math:`|q_l(\lambda) \cdots q_1(\lambda)|` after a quarter, a half, three
   quarters and all of the layers, on a logarithmic axis: a good order keeps each below 1 and lets
   it fall with the response (:mod:`polyfilter.ordering`);
3. the error :math:`|q_L \cdots q_1 - h|`, on a logarithmic axis.

Assumptions: none on the stack. matplotlib is imported when a figure is asked for, and used through
its object interface: no window, no global state.

>>> import polyfilter as pf
>>> stack = pf.factorize(pf.design.interpolate(pf.responses.band_pass, 64))
>>> len(figure(stack).axes)
3
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from polyfilter.braille import Curve, panel
from polyfilter.certify import Certificate
from polyfilter.curves import Curves, binned_maximum, curves, upper_envelope
from polyfilter.errors import FileFormatError
from polyfilter.files import atomic_write
from polyfilter.stack import SoGCStack

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["FORMATS", "check_format", "figure", "save_plot", "terminal_plot"]

FORMATS = (".png", ".svg", ".pdf")

# Okabe and Ito's colours, which the colour-blind can tell apart.
BLUE, SKY, GREEN, ORANGE, RED = "#0072B2", "#56B4E9", "#009E73", "#E69F00", "#D55E00"
BLACK, GREY, PALE = "#000000", "#555555", "#e8e8e8"
STAGES = (ORANGE, GREEN, SKY, BLUE)
"""After a quarter, a half, three quarters and all of the layers."""


def figure(stack: SoGCStack, title: str = "", certificate: Certificate | None = None) -> Figure:
    """Return a matplotlib figure of three panels.

    Parameters
    ----------
    stack
        What to draw.
    title
        Above the panels; by default the size of the stack.
    certificate
        A proven bound (:meth:`SoGCStack.certify`), drawn as a line over the error.

    Examples
    --------
    >>> from polyfilter.stack import factorize
    >>> len(figure(factorize([0.25, 0, 1])).axes)
    3
    """
    from matplotlib.figure import Figure

    drawn = curves(stack)
    picture = Figure(figsize=(8.0, 7.2), dpi=160, layout="constrained")
    panels = picture.subplots(3, 1, sharex=True, height_ratios=(1.0, 1.25, 1.0))
    picture.suptitle(title or _title(stack), fontsize=14, fontweight="bold", x=0.012, ha="left")
    _draw_response(panels[0], drawn)
    _draw_partial(panels[1], drawn)
    _draw_error(panels[2], stack, drawn, certificate)
    for axes in panels:
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(True, color=PALE, linewidth=0.8)
        axes.set_axisbelow(True)
        axes.tick_params(labelsize=10)
    below = panels[2]
    below.set_xlim(-1, 1)
    below.set_xticks(np.linspace(-1, 1, 9))
    below.set_xlabel("eigenvalue λ of the normalized adjacency", fontsize=11)
    for place, words in (("left", "← high frequencies"), ("right", "low frequencies →")):
        below.annotate(
            words,
            (0 if place == "left" else 1, 0),
            (0, -31),
            xycoords="axes fraction",
            textcoords="offset points",
            ha=place,
            color=GREY,
        )
    return picture


def _title(stack: SoGCStack) -> str:
    layers = "layer" if len(stack) == 1 else "layers"
    where = "" if stack.points is None else f", on {len(np.unique(stack.points)):,} eigenvalues"
    return f"{len(stack)} second-order {layers}, degree {stack.degree}, {stack.dtype.name}{where}"


def _draw_response(axes: Axes, drawn: Curves) -> None:
    axes.fill_between(drawn.lam, drawn.response, color=BLUE, alpha=0.12, linewidth=0)
    axes.plot(drawn.lam, drawn.response, color=BLUE, linewidth=2, marker=_marker(drawn))
    axes.set_ylim(0, 1.08 * (drawn.response.max() or 1.0))
    _heading(axes, "Response  |h|")


def _draw_partial(axes: Axes, drawn: Curves) -> None:
    stages = list(drawn.partial)
    shown = [_without_dips(drawn, values) for values in drawn.partial.values()]
    for number, (x, y), colour in zip(stages, shown, STAGES[-len(stages) :], strict=True):
        axes.plot(x, y, color=colour, linewidth=2, marker=_marker(drawn), label=f"{number}")
    _log_axis(axes, [y for _, y in shown])
    _heading(axes, f"Partial products{_how(drawn)}, after this many layers:")
    axes.legend(
        loc="lower right",
        bbox_to_anchor=(1.0, 0.99),
        ncols=len(stages),
        frameon=False,
        borderaxespad=0.0,
        handlelength=1.4,
        columnspacing=1.4,
    )


def _draw_error(
    axes: Axes, stack: SoGCStack, drawn: Curves, certificate: Certificate | None
) -> None:
    x, y = _without_holes(drawn)
    axes.plot(x, y, color=RED, linewidth=1.4, marker=_marker(drawn))
    rounding = float(np.finfo(stack.dtype).eps) * float(drawn.response.max())
    marks = [(rounding, f"rounding of {stack.dtype.name}", ":")]
    if certificate is not None and certificate.bound > 0:
        marks.append((certificate.bound, f"proven bound {certificate.bound:.2g}", "--"))
    for level, words, style in marks:
        axes.axhline(level, color=BLACK, linewidth=1.2, linestyle=style)
        axes.annotate(
            words,
            (1, level),
            (-2, 3),
            xycoords=("axes fraction", "data"),
            textcoords="offset points",
            ha="right",
            bbox={"facecolor": "white", "alpha": 0.75, "edgecolor": "none", "pad": 0.5},
        )
    _log_axis(axes, [y, np.array([level for level, _, _ in marks])])
    if not y.any():
        axes.text(0.5, 0.4, "nothing above rounding", transform=axes.transAxes, ha="center")
    _heading(axes, f"Error  |product of the layers − h|{_how(drawn)}")


def _how(drawn: Curves) -> str:
    return "" if drawn.sparse else ", upper envelope"


def _marker(drawn: Curves) -> str:
    return "." if drawn.sparse else ""


def _without_dips(drawn: Curves, values: NDArray[np.float64]) -> Curve:
    return (drawn.lam, values) if drawn.sparse else upper_envelope(drawn.lam, values)


def _without_holes(drawn: Curves) -> Curve:
    return (drawn.lam, drawn.error) if drawn.sparse else binned_maximum(drawn.lam, drawn.error)


def _heading(axes: Axes, text: str) -> None:
    axes.set_title(text, loc="left", fontsize=11)


def _log_axis(axes: Axes, values: list[NDArray[np.float64]]) -> None:
    """Scale an axis to whole decades; a curve that is zero everywhere leaves it linear."""
    positive = np.concatenate([v[np.isfinite(v) & (v > 0)] for v in map(np.ravel, values)])
    if not len(positive):
        return
    low, high = np.floor(np.log10(positive.min())), np.log10(positive.max())
    high += 0.1 * (high - low)  # room for a label
    step = max(1, int(np.ceil((high - low) / 6)))
    exponents = np.arange(step * np.floor(low / step), high, step)
    axes.set_ylim(10.0**low, 10.0**high)  # before the scale, which looks for limits of its own
    axes.set_yscale("log", nonpositive="mask")
    axes.set_yticks(10.0 ** exponents[exponents >= low])
    axes.minorticks_off()


def save_plot(
    stack: SoGCStack,
    path: str | os.PathLike[str],
    title: str = "",
    certificate: Certificate | None = None,
) -> None:
    """Draw the :func:`figure` of a stack into a file, whose ending says how: .png, .svg or .pdf.

    The file appears whole or not at all.

    Examples
    --------
    >>> import tempfile
    >>> from polyfilter.stack import factorize
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_plot(factorize([0.25, 0, 1]), Path(folder) / "h.png")
    ...     (Path(folder) / "h.png").read_bytes()[1:4]
    b'PNG'
    """
    ending = check_format(path)
    picture = figure(stack, title, certificate)
    with atomic_write(path) as stream:
        picture.savefig(stream, format=ending.removeprefix("."))


def check_format(path: str | os.PathLike[str]) -> str:
    """Return the ending of a picture's name if it is one that we can draw.

    Examples
    --------
    >>> check_format("h.PNG")
    '.png'
    """
    ending = Path(path).suffix.lower()
    if ending not in FORMATS:
        raise FileFormatError(
            f"{path} ends in {ending or 'nothing'}, and plots are drawn to {' '.join(FORMATS)}"
        )
    return ending


def terminal_plot(stack: SoGCStack, width: int = 80) -> str:
    """Return the three panels as text.

    Examples
    --------
    >>> from polyfilter.stack import factorize
    >>> print(terminal_plot(factorize([0, 0, 1]), width=40))
    Response |h|
           1 ┤⠳⡄                         ⢠⠞
             │ ⠙⣆                       ⣰⠋
             │  ⠈⢳⡀                   ⢀⡞⠁
             │    ⠙⢦⡀               ⢀⡴⠋
             │      ⠙⠲⣄           ⣠⠖⠋
           0 ┤        ⠈⠙⠲⠤⣄⣀⣀⣀⣠⠤⠖⠋⠁
             └┬─────────────┬─────────────┬
             -1             0             1
    Error |product of the layers - h|, upper envelope
             (nothing above rounding)
    """
    drawn = curves(stack)
    lam = drawn.lam
    *stages, last = drawn.partial
    panels = [
        panel(
            [(lam, drawn.response)],
            "Response |h|",
            width=width,
            limits=(0.0, drawn.response.max() or 1.0),
        )
    ]
    if stages:
        words = f"after {', '.join(map(str, stages))} and all {last} layers{_how(drawn)}"
        envelopes = [_without_dips(drawn, values) for values in drawn.partial.values()]
        panels.append(panel(envelopes, f"Partial products {words}", width=width, log=True))
    title = f"Error |product of the layers - h|{_how(drawn)}"
    panels.append(panel([_without_holes(drawn)], title, width=width, height=4, log=True))
    return "\n".join(line for lines in panels for line in lines)
