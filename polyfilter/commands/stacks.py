"""A stack in words: what ``design``, ``factor`` and ``show`` have in common.

The maps are ``stack -> rows of text`` and ``stack -> document``.

Assumptions: none.

>>> from polyfilter.stack import factorize
>>> stack = factorize([-1, 0, 0, 0, 1])
>>> title(stack)
'2 second-order layers of degree 4 in float64'
>>> document(stack)["exact"]
True
"""

from argparse import Namespace
from typing import Any

from polyfilter.certify import Certificate
from polyfilter.commands.inputs import read_set
from polyfilter.commands.report import plural
from polyfilter.graphs import GraphSet
from polyfilter.stack import SoGCStack

__all__ = ["document", "optional_spectrum", "rows", "title", "write"]


def title(stack: SoGCStack) -> str:
    """Return what the stack is, in a line."""
    layers = plural(len(stack), "second-order layer")
    return f"{layers} of degree {stack.degree:,} in {stack.dtype.name}"


def rows(stack: SoGCStack) -> list[tuple[str, str]]:
    """Return what a person wants to know before using it."""
    where = "[-1, 1]" if stack.points is None else plural(len(stack.points), "eigenvalue")
    shown = [
        ("noise gain", f"{stack.noise_gain:.3g} on {where}"),
        ("condition", f"{stack.condition:.3g}"),
        ("predicted error", f"{stack.predicted_error:.1e} of the output, in {stack.dtype.name}"),
    ]
    if stack.filter.trimmed:
        dropped = plural(stack.filter.trimmed, "coefficient")
        bound = f"worth at most {stack.filter.trim_bound:.1e}"
        shown.append(("trimmed", f"{dropped} at rounding level, {bound}"))
    if stack.exact is not None:
        shown.append(("exact", "the filter is the product of rational layers, kept as fractions"))
    shown.append(("status", stack.status.value))
    return shown


def document(stack: SoGCStack) -> dict[str, Any]:
    """Return the same for a program."""
    return {
        "degree": stack.degree,
        "layers": len(stack),
        "dtype": stack.dtype.name,
        "spectrum_size": None if stack.points is None else len(stack.points),
        "noise_gain": stack.noise_gain,
        "condition": stack.condition,
        "predicted_error": stack.predicted_error,
        "trimmed": stack.filter.trimmed,
        "exact": stack.exact is not None,
        "status": stack.status.name,
        "status_text": stack.status.value,
    }


def optional_spectrum(arguments: Namespace) -> GraphSet | None:
    """Return the graphs of ``--spectrum``, if there are any."""
    if arguments.spectrum is None:
        return None
    return read_set([arguments.spectrum], split=arguments.split, self_loops=arguments.self_loops)


def write(
    stack: SoGCStack,
    output: str | None,
    plot: str | None,
    heading: str = "",
    certificate: Certificate | None = None,
) -> list[tuple[str, str]]:
    """Save the stack, and its picture if one is asked for; return the rows that say so."""
    written = []
    if output is not None:
        stack.save(output)
        written.append(("stack", output))
    if plot is not None:
        from polyfilter.plot import save_plot  # matplotlib: only for those who draw

        save_plot(stack, plot, heading, certificate)
        written.append(("plot", plot))
    return written
