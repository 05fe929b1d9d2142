r"""``polyfilter show``: a stack as a table of layers and a picture.

The map is ``file -> text``. A row of the table is a layer :math:`q_l = \theta_0 + \theta_1 \lambda
+ \theta_2 \lambda^2`: its coefficients, its roots, its maximum, and that of the partial product
:math:`P_l = q_l \cdots q_1`, both over the spectrum that the stack was made for.

Assumptions: none.
"""

import math
from argparse import Namespace
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyfilter.certify import Certificate
from polyfilter.commands import stacks
from polyfilter.commands.outputs import check_outputs
from polyfilter.commands.report import Report, columns, decimals, pairs, terminal_width
from polyfilter.factor import grid
from polyfilter.plot import check_format, terminal_plot
from polyfilter.stack import SoGCStack

__all__ = ["Layers", "layer_roots", "layers", "run"]

HEADER = ("layer", "θ₀", "θ₁", "θ₂", "roots", "max|q|", "max|P|")


@dataclass(frozen=True, eq=False)
class Layers:
    """What the table shows, a row a layer."""

    theta: NDArray[np.float64]
    roots: list[list[complex]]
    factor_max: list[float]
    partial_max: list[float]


def layer_roots(theta: NDArray[np.float64]) -> list[complex]:
    """Return the roots of one layer: two, one or none.

    Examples
    --------
    >>> layer_roots(np.array([-1.0, 0.0, 4.0])), layer_roots(np.array([1.0, 2.0, 0.0]))
    ([(-0.5+0j), (0.5+0j)], [(-0.5+0j)])
    """
    zero, one, two = (float(t) for t in theta)
    if two == 0:
        return [] if one == 0 else [complex(-zero / one)]
    s, product = 0.0 - one / (2 * two), zero / two  # no negative zero: it would be printed
    e = product - s * s
    if e > 0:
        return [complex(s, -math.sqrt(e)), complex(s, math.sqrt(e))]
    # the sum that does not cancel, and Vieta for the other root
    larger = s + math.copysign(math.sqrt(-e), s)
    found = sorted([larger, product / larger if larger else 0.0])
    return [complex(root) for root in found]


def layers(stack: SoGCStack) -> Layers:
    """Return the rows of the table.

    Examples
    --------
    >>> from polyfilter.stack import factorize
    >>> layers(factorize([0, 0, 2])).partial_max
    [2.0]
    """
    theta = stack.theta.astype(np.float64)
    points = grid(stack.degree) if stack.points is None else stack.points
    product, factor_max, partial_max = np.ones(len(points)), [], []
    with np.errstate(over="ignore", invalid="ignore"):
        for row in theta:
            value = row[0] + points * (row[1] + points * row[2])
            product = product * value
            factor_max.append(float(np.abs(value).max()))
            partial_max.append(float(np.abs(product).max()))
    return Layers(theta, [layer_roots(row) for row in theta], factor_max, partial_max)


def run(arguments: Namespace) -> Report:
    """Load, certify if asked to, tell and draw."""
    if arguments.plot is not None:
        check_format(arguments.plot)
    check_outputs([arguments.plot], [arguments.stack])
    stack = SoGCStack.load(arguments.stack)
    certificate = None
    if arguments.certify:
        certificate = stack.certify(stack.points, False if arguments.quiet else None)
    written = stacks.write(stack, None, arguments.plot, certificate=certificate)
    found = layers(stack)
    rows = stacks.rows(stack)
    if certificate is not None:
        proven = f"|product - h| ≤ {certificate.bound:.3g} over {certificate.over}"
        rows.insert(3, ("certificate", f"{proven}, in ball arithmetic of {certificate.bits} bits"))
    parts = [pairs([*rows, *written])]
    if arguments.layers:
        parts.append(_table(found, arguments.layers))
    if arguments.plot is None and not arguments.no_plot:
        parts.append(terminal_plot(stack, min(terminal_width(), 80)))
    document = {
        "file": arguments.stack,
        **stacks.document(stack),
        "theta": found.theta.tolist(),
        "roots": [[[r.real, r.imag] for r in pair] for pair in found.roots],
        "factor_max": found.factor_max,
        "partial_max": found.partial_max,
        "certificate": None if certificate is None else _certificate(certificate),
        "plot": arguments.plot,
    }
    return Report(document, stacks.title(stack), "\n\n".join(parts))


def _certificate(certificate: Certificate) -> dict[str, Any]:
    return {
        "bound": certificate.bound,
        "relative": certificate.relative,
        "over": certificate.over,
        "bits": certificate.bits,
    }


def _table(found: Layers, limit: int) -> str:
    """Return the first and the last layers, with a line for those left out between."""
    total = len(found.theta)
    head = total if total <= limit else (limit + 1) // 2
    tail = 0 if total <= limit else limit - head
    shown = [*range(head), *range(total - tail, total)]
    cells = [
        [str(k + 1) for k in shown],
        *(decimals(found.theta[shown, j].tolist()) for j in range(3)),
        [_root_words(found.roots[k]) for k in shown],
        decimals([found.factor_max[k] for k in shown]),
        decimals([found.partial_max[k] for k in shown]),
    ]
    lines = columns(HEADER, list(zip(*cells, strict=True))).split("\n")
    if total > limit:
        lines.insert(1 + head, f"  … {total - limit:,} more, which --layers {total} would show")
    return "\n".join(lines)


def _root_words(roots: list[complex]) -> str:
    if len(roots) == 2 and roots[1].imag:
        return f"{_short(roots[1].real)} ± {roots[1].imag:.4g}i"
    return ", ".join(_short(root.real) for root in roots) or "none"


def _short(value: float) -> str:
    return f"{value:.5f}" if abs(value) < 1e3 else f"{value:.3e}"
