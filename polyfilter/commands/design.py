r"""``polyfilter design``: from a wanted response to a stack.

The map is ``(name, parameters, degree) -> stack``: a response of :mod:`polyfilter.responses`, one
of the methods of :mod:`polyfilter.design`, then :func:`polyfilter.stack.factorize`. How far the
polynomial is from the response is measured on the eigenvalues given, or on :math:`8K + 1025`
Chebyshev points of [-1, 1].

Assumptions: the variable of the response is the eigenvalue of the normalized adjacency.
"""

from argparse import Namespace

import numpy as np
from numpy.polynomial import Chebyshev

from polyfilter import design, responses
from polyfilter.commands import stacks
from polyfilter.commands.inputs import response_parameters
from polyfilter.commands.outputs import check_outputs
from polyfilter.commands.report import Report, pairs, plural
from polyfilter.errors import FilterError
from polyfilter.plot import check_format
from polyfilter.response import evaluate
from polyfilter.spectrum import Spectrum, as_points, spectrum
from polyfilter.stack import factorize

__all__ = ["run"]


def run(arguments: Namespace) -> Report:
    """Design, factor, measure, write."""
    if arguments.plot is not None:
        check_format(arguments.plot)
    check_outputs([arguments.output, arguments.plot], [arguments.spectrum])
    response = responses.by_name(arguments.response, **response_parameters(arguments.param))
    graphs = stacks.optional_spectrum(arguments)
    eigenvalues = None if graphs is None else spectrum(graphs)
    h = _design(arguments.method, response, arguments.degree, eigenvalues)
    stack = factorize(h, eigenvalues, arguments.dtype)
    points = as_points(eigenvalues, size=8 * stack.degree + 1025)
    distance = float(np.abs(h(points) - evaluate(response, points)).max())
    heading = f"{response.name}, degree {stack.degree}: {plural(len(stack), 'layer')}"
    written = stacks.write(stack, arguments.output, arguments.plot, f"{heading}, {stack.dtype}")
    document = {
        "response": response.name,
        "parameters": dict(vars(response)),
        "method": arguments.method,
        "design_error": distance,
        **stacks.document(stack),
        "output": arguments.output,
        "plot": arguments.plot,
    }
    values = ", ".join(f"{name} {value:g}" for name, value in vars(response).items())
    where = "on [-1, 1]" if eigenvalues is None else "on the eigenvalues"
    rows = [
        ("response", f"{response.name} ({values}), by {arguments.method}"),
        ("design error", f"{distance:.3g} at most, {where}"),
        *stacks.rows(stack),
        *written,
    ]
    return Report(document, stacks.title(stack), pairs(rows))


def _design(
    method: str, response: responses.Response, degree: int, eigenvalues: Spectrum | None
) -> Chebyshev:
    if method == "interpolate":
        return design.interpolate(response, degree)
    if method == "minimax":
        return design.minimax(response, degree)
    if eigenvalues is None:
        raise FilterError("least-squares needs the graphs to be close on: give --spectrum FILE")
    return design.least_squares(response, degree, eigenvalues)
