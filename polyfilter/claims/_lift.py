r"""A filter as a product of real first-order factors: lifted by a multiple of m.

The map is :math:`h \mapsto t m + h` with :math:`m = \prod_{i \le \Gamma} (x - \lambda_i)`. On the
spectrum nothing changes. For t large enough all Γ roots are real: take a point :math:`\xi_i` in
each gap between neighbouring eigenvalues; if

.. math:: t > \max_i |h(\xi_i) / m(\xi_i)|

then :math:`t m + h` has the signs of :math:`t m` at every :math:`\xi_i` and near
:math:`\pm\infty`, which alternate Γ times. Any choice of points proves it; several are tried, since
a point where h is small is worth more than one where m is large.

Assumptions: :math:`\deg h < \Gamma`. Here t is a power of two, so that its size is a number of
bits.

>>> x = fmpq_poly([0, 1])
>>> m, h = x**3 - x, x**2 + 1  # eigenvalues -1, 0, 1
>>> k = proven_exponent(h, m, gaps([arb(-1), arb(0), arb(1)]))
>>> k, least_exponent(h, m, k), is_real_rooted(lift(h, m, k)), lift(h, m, k) % m == h
(2, 2, True, True)
"""

from collections.abc import Sequence
from functools import reduce
from itertools import pairwise
from math import cos, log2, pi
from typing import Any

import numpy as np
from flint import arb, arb_poly, ctx, fmpq, fmpq_poly, fmpz_poly

from polyfilter.capacity import spectrum_capacity
from polyfilter.claim import ClaimError
from polyfilter.graphs import Graph, GraphSet
from polyfilter.realroots import is_real_rooted

__all__ = [
    "BITS",
    "floor_exponent",
    "gaps",
    "least_exponent",
    "lift",
    "minimal",
    "proven_exponent",
    "random_filter",
    "weight_bits",
]

BITS = 512
"""Precision of eigenvalues and roots: t at Γ = 64 has about 200 bits."""

CUTS = 16
"""Each gap is tried at the points that cut it into so many parts."""


def minimal(graphs: Graph | GraphSet) -> fmpq_poly:
    """Return the monic polynomial whose roots are the distinct eigenvalues, each once.

    >>> minimal(Graph.from_edges([(0, 1), (1, 2), (2, 0)]))
    x^2 + (-1/2)*x + (-1/2)
    """
    m = fmpq_poly([1])
    for factor in spectrum_capacity(graphs, "algebraic").factors:
        m *= fmpq_poly(fmpz_poly(list(factor)))
    return m / m.leading_coefficient()


def lift(h: fmpq_poly, m: fmpq_poly, exponent: int) -> fmpq_poly:
    """Return t m + h with t = 2^exponent.

    >>> x = fmpq_poly([0, 1])
    >>> lift(x, x**2 - 1, 3)
    8*x^2 + x + (-8)
    """
    return m * fmpq(2) ** exponent + h


def gaps(balls: Sequence[arb]) -> list[list[arb]]:
    """Return a few points in each gap between neighbouring eigenvalues.

    >>> [[float(xi) for xi in gap[::7]] for gap in gaps([arb(-1), arb(1)])]
    [[-0.875, 0.0, 0.875]]
    """
    inner = range(1, CUTS)
    return [[a + (b - a) * j / CUTS for j in inner] for a, b in pairwise(balls)]


def proven_exponent(h: fmpq_poly, m: fmpq_poly, between: list[list[arb]]) -> int:
    """Return the least k for which t = 2^k passes the test of signs in the module's docstring.

    >>> x = fmpq_poly([0, 1])
    >>> proven_exponent(5 * x**0, x**2 - 1, gaps([arb(-1), arb(1)]))  # at 0, |5 / -1| < 8
    3
    """
    top, bottom = arb_poly(h), arb_poly(m)
    ratios = ([(top(xi) / bottom(xi)).abs_upper() for xi in gap] for gap in between)
    bound = reduce(arb.max, (reduce(arb.min, gap) for gap in ratios))
    mantissa, exponent = bound.man_exp()
    return int(mantissa).bit_length() + int(exponent)


def least_exponent(h: fmpq_poly, m: fmpq_poly, start: int) -> int:
    """Return the least k such that 2^k m + h, ..., 2^start m + h all split, by counts of roots.

    There is one if h does not split: then small t don't do.

    >>> x = fmpq_poly([0, 1])
    >>> least_exponent(x**2 + 1, x**3 - x, 10)
    2
    """
    while is_real_rooted(lift(h, m, start - 1)):
        start -= 1
    return start


def floor_exponent(gamma: int) -> float:
    r"""Return a lower bound on log2 t, if t is to serve all filters with values in [-1, 1].

    It serves 1 and -1, so that :math:`|m| \ge 1/t` somewhere in each gap. Compare m with the monic
    Chebyshev polynomial T of degree Γ on :math:`[-s, s]`, :math:`s = 1/\cos(\pi/2\Gamma)`, whose
    extreme roots are -1 and 1. If every gap of m were deeper than :math:`\max |T|`, then m - T
    would change sign Γ - 2 times between those points, and once more on either side up to
    :math:`\pm 1`, where T is zero: Γ zeros of a polynomial of degree below Γ. So
    :math:`1/t \le \max |T| = 2 (s/2)^\Gamma`.

    >>> floor_exponent(3)  # m = x^3 - 3/4 x is T_3 / 4, but -1 and 1 are eigenvalues of graphs
    1.3774...
    """
    return gamma - 1 + gamma * log2(cos(pi / (2 * gamma)))


def random_filter(rng: np.random.Generator, balls: Sequence[arb], bits: int) -> fmpq_poly:
    """Draw values at the eigenvalues; return a polynomial with rational coefficients close to it.

    Coefficients are rounded to multiples of 2^-bits, so that what follows is exact. Of filters
    that split, which need no lift, another one is drawn.

    >>> with ctx.workprec(BITS):
    ...     h = random_filter(np.random.default_rng(0), [arb(-1), arb(0), arb(1)], 64)
    >>> h.degree(), is_real_rooted(h)
    (2, False)
    """
    nodes = [ball.mid() for ball in balls]
    while True:
        values = [arb(int(v)) / 64 for v in rng.integers(-64, 65, size=len(nodes))]
        through = arb_poly.interpolate(nodes, values)
        scaled = [(c * arb(2) ** bits).mid().floor().fmpz() for c in through.coeffs()]
        h = fmpq_poly([fmpq(c) / fmpq(2) ** bits for c in scaled])
        if h.degree() == len(nodes) - 1 and not is_real_rooted(h):
            return h


def weight_bits(p: fmpq_poly, balls: Sequence[arb], tolerance: float) -> int:
    """Return the bits to which the roots of p must be rounded for an error of ``tolerance``.

    The error is the largest at an eigenvalue, over the largest value there. A polynomial that does
    not split has no weights to round.

    >>> x = fmpq_poly([0, 1])
    >>> with ctx.workprec(BITS):
    ...     weight_bits((x - fmpq(1, 2)) * (x + fmpq(1, 4)), [arb(0), arb(1)], 1e-6)
    2
    """
    found: Any = p.numer().complex_roots()  # its stub forgets the multiplicities
    if not all(root.imag == 0 for root, _ in found):
        raise ClaimError("a product of real factors has roots that are not real")
    roots = [root.real.mid() for root, times in found for _ in range(times)]
    lead, wanted = arb(p.leading_coefficient()), [arb_poly(p)(ball) for ball in balls]
    scale = max(float(abs(value).mid()) for value in wanted)

    def error(bits: int) -> float:
        with ctx.workprec(bits):
            rounded = [(root + 0).mid() for root in roots]
        made = [_product(lead, [ball - r for r in rounded]) for ball in balls]
        return max(float((a - b).abs_upper()) for a, b in zip(made, wanted, strict=True)) / scale

    low, high = 1, 2  # flint's least precision is two
    while error(high) > tolerance:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if error(middle) <= tolerance else (middle, high)
    return high


def _product(start: arb, factors: Sequence[arb]) -> arb:
    for factor in factors:
        start *= factor
    return start
