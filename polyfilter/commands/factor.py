r"""``polyfilter factor``: from coefficients to a stack (Theorem 1).

The map is ``coefficients -> stack``, by :func:`polyfilter.stack.factorize`; the coefficients are
those of powers of :math:`\lambda` or of Chebyshev polynomials, the lowest first.

Assumptions: the variable is the eigenvalue of the normalized adjacency.
"""

from argparse import Namespace
from fractions import Fraction
from typing import Any

from numpy.polynomial import Chebyshev

from polyfilter.commands import stacks
from polyfilter.commands.inputs import coefficients
from polyfilter.commands.outputs import check_outputs
from polyfilter.commands.report import Report, pairs
from polyfilter.plot import check_format
from polyfilter.polynomial import power_from_chebyshev
from polyfilter.stack import factorize

__all__ = ["run"]


def run(arguments: Namespace) -> Report:
    """Read, factor, write."""
    if arguments.plot is not None:
        check_format(arguments.plot)
    inputs = [*arguments.coefficients, arguments.spectrum]
    check_outputs([arguments.output, arguments.plot], inputs)
    h = _polynomial(coefficients(arguments.coefficients, arguments.exact), arguments.basis)
    graphs = stacks.optional_spectrum(arguments)
    stack = factorize(h, graphs, arguments.dtype, method=arguments.roots)
    written = stacks.write(stack, arguments.output, arguments.plot)
    document = {
        "basis": arguments.basis,
        **stacks.document(stack),
        "output": arguments.output,
        "plot": arguments.plot,
    }
    return Report(document, stacks.title(stack), pairs([*stacks.rows(stack), *written]))


def _polynomial(numbers: list[Fraction | float], basis: str) -> Any:
    if basis == "power":
        return numbers
    exact = [number for number in numbers if isinstance(number, Fraction)]
    if len(exact) == len(numbers):
        return power_from_chebyshev(exact)
    return Chebyshev([float(number) for number in numbers])
