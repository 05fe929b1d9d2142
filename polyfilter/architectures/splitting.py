r"""Polynomials into real or complex factors of bounded degree, in certified arithmetic.

The map is

.. math:: h = \kappa \prod_i (x - z_i) \;\mapsto\; q_1, \dots, q_L, \qquad
    h = \prod_l q_l, \quad \deg q_l \le K,

over the reals, where a pair of conjugate roots has to share a factor, or over the complex numbers,
where it has not. And the *lift*: for :math:`m` with :math:`\Gamma` simple real roots
:math:`\lambda_1 < \dots < \lambda_\Gamma`, for any :math:`h` of lower degree and

.. math:: t > \max_i |h(\mu_i) / m(\mu_i)|, \qquad \lambda_i < \mu_i < \lambda_{i+1},

the polynomial :math:`t m + h` has the signs of :math:`m` at the :math:`\Gamma - 1` points
:math:`\mu_i` and at both infinities. So it changes its sign :math:`\Gamma` times, has real roots
only, and equals :math:`h` wherever :math:`m` is zero.

Roots come in balls that provably hold one root each (python-flint); a real root has an imaginary
part that is exactly zero, so that counts of real roots are proofs.

>>> h, m = fmpq_poly([1, 0, 1]), fmpq_poly([0, -1, 0, 1])          # x² + 1 on -1, 0, 1
>>> count_pairs(h), lift(h, m), count_pairs(lift(h, m))
(1, 4*x^3 + x^2 + (-4)*x + 1, 0)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import flint
import numpy as np
from flint import acb, acb_poly, arb, fmpq, fmpq_poly
from numpy.typing import NDArray

from polyfilter.clenshaw import Real

__all__ = [
    "GUARD_BITS",
    "Split",
    "complex_roots",
    "count_pairs",
    "fits",
    "groups",
    "leja",
    "lift",
    "middle",
    "scaled_factors",
    "split",
]

GUARD_BITS = 64
"""Carried beyond the bits that are asked for: the products below lose two or three a factor."""

Coefficients = list[tuple[fmpq, fmpq]]
"""Real and imaginary parts of the coefficients of a factor, lowest first."""


@dataclass(frozen=True)
class Split:
    """The roots of a real polynomial: real ones, and one of each conjugate pair."""

    real: list[acb]
    upper: list[acb]


def split(h: fmpq_poly, bits: int) -> Split:
    """Return the certified roots of a polynomial to so many bits, with multiplicity.

    >>> found = split(fmpq_poly([-1, 1, -1, 1]), 53)                     # (x - 1)(x² + 1)
    >>> len(found.real), len(found.upper)
    (1, 1)
    """
    real: list[acb] = []
    upper: list[acb] = []
    with flint.ctx.workprec(bits):
        found: Any = h.numer().complex_roots()  # its stub forgets the multiplicities
        for ball, multiplicity in found:
            if ball.imag == 0:
                real += [ball] * int(multiplicity)
            elif ball.imag > 0:
                upper += [ball] * int(multiplicity)
    return Split(real, upper)


def count_pairs(h: fmpq_poly) -> int:
    """Return how many pairs of conjugate roots a polynomial has that are not real: a proof.

    >>> count_pairs(fmpq_poly([2, 0, 3, 0, 1]))                       # (x² + 1)(x² + 2)
    2
    """
    return len(split(h, 53).upper) if h.degree() > 1 else 0


def fits(degree: int, pairs: int, order: int, depth: int) -> bool:
    """Whether a real polynomial is a product of ``depth`` real ones of degree ``order`` or less.

    A factor of odd degree holds at most (order - 1) / 2 pairs, so an odd order needs real roots
    to fill its layers.

    >>> fits(6, 3, order=3, depth=2), fits(6, 2, order=3, depth=2), fits(6, 3, order=2, depth=3)
    (False, True, True)
    """
    return degree <= order * depth and pairs <= (order // 2) * depth


def lift(h: fmpq_poly, m: fmpq_poly) -> fmpq_poly:
    """Return t·m + h with real roots only, t the smallest power of two that is proven to do.

    >>> lift(fmpq_poly([1]), fmpq_poly([0, -1, 0, 1]))                # x³ - x + 1 has one
    4*x^3 + (-4)*x + 1
    """
    with flint.ctx.workprec(64 + h.degree()):
        found: Any = m.numer().complex_roots()
        nodes = sorted((middle(ball.real) for ball, _ in found))
    between = [(a + b) / 2 for a, b in pairwise(nodes)]
    need = max((abs(h(point) / m(point)) for point in between), default=fmpq(0))
    t = fmpq(1)
    while t <= need:
        t *= 2
    while need and t / 2 > need:
        t /= 2
    return h + t * m


def complex_roots(real: fmpq_poly, imaginary: fmpq_poly, bits: int) -> list[acb]:
    """Return the roots of a polynomial with complex coefficients that has no double root.

    >>> [root] = complex_roots(fmpq_poly([1]), fmpq_poly([0, 1]), 53)     # 1 + i x
    >>> float(root.real), float(root.imag)
    (0.0, 1.0)
    """
    prec = bits
    while True:
        with flint.ctx.workprec(prec):
            h = acb_poly([acb(a, b) for a, b in _aligned(real, imaginary)])
            try:
                found: list[acb] = h.roots(tol=arb(2) ** -bits)
                return found
            except ValueError:  # not yet isolated
                prec *= 2


def _aligned(real: fmpq_poly, imaginary: fmpq_poly) -> list[tuple[fmpq, fmpq]]:
    top = max(real.degree(), imaginary.degree())
    return [(real[k], imaginary[k]) for k in range(top + 1)]


def groups(found: Split, order: int, depth: int, *, paired: bool) -> list[list[acb]]:
    """Deal roots out to at most ``depth`` groups of at most ``order``, spread ones first.

    If ``paired``, conjugates go together; see :func:`fits` for when that can be done.

    Examples
    --------
    >>> found = Split([acb(0)], [acb(0, 1)])
    >>> [len(group) for group in groups(found, order=2, depth=2, paired=True)]
    [2, 1]
    """
    if not paired:
        pool = found.real + [z for root in found.upper for z in (root, _conjugate(root))]
        pool = [pool[k] for k in leja(pool)]
        return [pool[k : k + order] for k in range(0, len(pool), order)]
    upper = [found.upper[k] for k in leja(found.upper)]
    real = [found.real[k] for k in leja(found.real)]
    dealt: list[list[acb]] = [[] for _ in range(depth)]
    for k, root in enumerate(upper):
        dealt[k // (order // 2)] += [root, _conjugate(root)]
    for group in reversed(dealt):
        while real and len(group) < order:
            group.append(real.pop(0))
    return [group for group in dealt if group]


def _conjugate(root: acb) -> acb:
    """The conjugate with all its bits: flint would round it to those of the context."""
    with flint.ctx.workprec(max(64, int(root.real.bits()), int(root.imag.bits()))):
        return root.conjugate()


def leja(roots: Sequence[acb]) -> list[int]:
    """Order points so that each is far from those before it: partial products then stay tame.

    Examples
    --------
    >>> leja([acb(-1), acb(0), acb(1), acb(2)])
    [1, 3, 0, 2]
    """
    z = np.array([complex(root) for root in roots])
    if len(z) == 0:
        return []
    chosen = [int(np.argmin(np.abs(z)))]
    distance = np.zeros(len(z))
    for _ in range(len(z) - 1):
        with np.errstate(divide="ignore"):
            distance += np.log(np.abs(z - z[chosen[-1]]))
        distance[chosen] = -np.inf
        left = np.setdiff1d(np.arange(len(z)), chosen)
        chosen.append(int(left[np.argmax(distance[left])]))
    return chosen


def scaled_factors(
    dealt: list[list[acb]], leading: fmpq, points: Real, bits: int
) -> list[Coefficients]:
    """Return the factors of each group; partial products have size about one on the points.

    Scales are powers of two, which cost no digit; the last factor carries the constant.

    Examples
    --------
    >>> [layer] = scaled_factors([[acb(0, 1), acb(0, -1)]], fmpq(2), np.array([0.0, 0.5]), bits=53)
    >>> [float(int(a.p) / int(a.q)) for a, _ in layer]                  # 2 x² + 2
    [2.0, 0.0, 2.0]
    """
    layers: list[Coefficients] = []
    product: NDArray[Any] = np.ones(len(points), dtype=complex)
    constant = leading
    with flint.ctx.workprec(bits):
        for group in dealt:
            coefficients = acb_poly.from_roots(group).coeffs()
            value = product * np.polyval([complex(c) for c in reversed(coefficients)], points)
            top = float(np.abs(value).max())
            power = fmpq(2) ** -int(np.frexp(top)[1]) if top else fmpq(1)
            product = value * float(int(power.p) / int(power.q))
            constant /= power
            layers.append([(middle(c.real) * power, middle(c.imag) * power) for c in coefficients])
    last = layers[-1] if layers else [(fmpq(1), fmpq(0))]
    return [*layers[:-1], [(a * constant, b * constant) for a, b in last]]


def middle(ball: arb) -> fmpq:
    """Return the midpoint of a ball, which is a rational number.

    >>> middle(arb(0.5))
    1/2
    """
    mantissa, exponent = ball.mid().man_exp()
    return fmpq(mantissa) * fmpq(2) ** int(exponent)
