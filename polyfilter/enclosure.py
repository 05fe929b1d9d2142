r"""Second-order layers to any number of bits, each number in a ball that provably holds it.

The map is that of Theorem 1,

.. math::  h \mapsto (\theta_{l0}, \theta_{l1}, \theta_{l2})_{l \le L}, \qquad
           h = \prod_l (\theta_{l0} + \theta_{l1} x + \theta_{l2} x^2),
           \quad L = \max(1, \lceil \deg h / 2 \rceil),

in arithmetic that can't lie. Roots are isolated in balls, one root a ball; a root is *real* if its
ball is the only one that meets its own mirror image, since the conjugate of a root of a real
polynomial is a root. So the real :math:`\theta` with :math:`\prod_l q_l = h`, equal and not nearly
equal, exist, and the balls that are returned hold them. Where float64 has nothing left (arbitrary
values at twenty eigenvalues), this is the way to have the layers at all.

Assumptions: the roots of a polynomial with balls for coefficients are simple; those of a rational
one may be multiple, as they are split off exactly.

>>> h = fmpq_poly([-2, 0, 0, 0, 1])                                     # x^4 - 2
>>> layers = ball_layers(h, 256)
>>> with ctx.workprec(256):
...     error = product(layers) - arb_poly(h)
>>> len(layers), all(c.contains(0) and c.rad() < 1e-70 for c in error.coeffs())
(2, True)
"""

from collections.abc import Sequence
from typing import Any

from flint import acb, acb_poly, arb, arb_poly, ctx, fmpq_poly

from polyfilter.errors import FilterError

__all__ = ["BallLayer", "ball_layers", "ball_roots", "evaluate", "interpolant", "product"]

BallLayer = tuple[arb, arb, arb]
"""theta_0, theta_1, theta_2 of a layer, as balls."""

TOO_COARSE = "{bits} bits do not tell the roots apart; raise the precision"


def interpolant(points: Sequence[arb], values: Sequence[arb], bits: int) -> arb_poly:
    """Return the polynomial of degree below the number of points that takes the values there.

    Examples
    --------
    >>> h = interpolant([arb(-1), arb(0), arb(1)], [arb(1), arb(0), arb(1)], 64)     # x^2
    >>> [float(c.mid()) for c in h.coeffs()]
    [0.0, 0.0, 1.0]
    """
    with ctx.workprec(bits):
        return arb_poly.interpolate(list(points), list(values))


def ball_layers(h: fmpq_poly | arb_poly, bits: int) -> tuple[BallLayer, ...]:
    """Factor a filter into layers whose numbers are known to about ``bits`` bits.

    Real roots are paired far apart (:mod:`polyfilter.factor`) and the constant is in the last
    layer.

    Parameters
    ----------
    h : fmpq_poly or arb_poly
        The filter, by power coefficients: exact, or in balls.
    bits : int
        The working precision.

    Raises
    ------
    FilterError
        If the precision does not suffice to isolate the roots.

    Examples
    --------
    >>> [[float(t.mid()) for t in layer] for layer in ball_layers(fmpq_poly([6, 5, 1]), 64)]
    [[6.0, 5.0, 1.0]]
    """
    with ctx.workprec(bits):
        if h.degree() < 1:
            return ((arb(h[0]), arb(0), arb(0)),)
        real, upper = ball_roots(h, bits)
        layers: list[BallLayer] = [(abs(z) ** 2, -2 * z.real, arb(1)) for z in upper]
        if len(real) % 2:
            alone = max(range(len(real)), key=lambda k: abs(float(real[k].mid())))
            layers.append((-real.pop(alone), arb(1), arb(0)))
        half = len(real) // 2
        layers += [(r * s, -(r + s), arb(1)) for r, s in zip(real[:half], real[half:], strict=True)]
        lead = arb(h[h.degree()])
        layers[-1] = (lead * layers[-1][0], lead * layers[-1][1], lead * layers[-1][2])
        return tuple(layers)


def ball_roots(h: fmpq_poly | arb_poly, bits: int) -> tuple[list[arb], list[acb]]:
    """Return the real roots, ascending, and those above the real axis, each in a ball of its own.

    Examples
    --------
    >>> real, upper = ball_roots(fmpq_poly([-1, 0, 0, 1]), 64)                       # x^3 - 1
    >>> [float(r.mid()) for r in real], len(upper)
    ([1.0], 1)
    """
    with ctx.workprec(bits):
        real, upper = _rational_roots(h) if isinstance(h, fmpq_poly) else _isolated(h, bits)
        if len(real) + 2 * len(upper) != h.degree():
            raise FilterError(TOO_COARSE.format(bits=bits))
        return sorted(real, key=lambda r: float(r.mid())), upper


def _rational_roots(h: fmpq_poly) -> tuple[list[arb], list[acb]]:
    """Real roots and upper halves of pairs, as often as they occur."""
    real: list[arb] = []
    upper: list[acb] = []
    found: Any = h.numer().complex_roots()  # its stub forgets the multiplicities
    for ball, multiplicity in found:
        if ball.imag == 0:  # flint makes the imaginary part of a real root exactly zero
            real += [ball.real] * int(multiplicity)
        elif ball.imag > 0:
            upper += [ball] * int(multiplicity)
    return real, upper


def _isolated(h: arb_poly, bits: int) -> tuple[list[arb], list[acb]]:
    """Roots of a polynomial that is known in balls only: a mirror image tells which are real."""
    if h[h.degree()].contains(0):
        raise FilterError(f"{bits} bits do not tell the degree of the filter; raise the precision")
    try:
        balls: list[acb] = acb_poly(h).roots(tol=arb(2) ** (-bits // 2))
    except ValueError:
        raise FilterError(TOO_COARSE.format(bits=bits)) from None
    real: list[arb] = []
    for k, ball in enumerate(balls):
        if ball.imag.contains(0):
            mirror = ball.conjugate()
            if any(mirror.overlaps(other) for j, other in enumerate(balls) if j != k):
                raise FilterError(TOO_COARSE.format(bits=bits))
            real.append(ball.real)
    return real, [ball for ball in balls if ball.imag > 0]


def product(layers: Sequence[BallLayer]) -> arb_poly:
    """Return the product of the layers as a polynomial, at the present precision.

    Examples
    --------
    >>> product([(arb(0), arb(1), arb(0)), (arb(1), arb(0), arb(1))]).degree()     # x (x^2 + 1)
    3
    """
    level = [arb_poly(list(layer)) for layer in layers]
    while len(level) > 1:
        pairs = [a * b for a, b in zip(level[::2], level[1::2], strict=False)]
        level = pairs + level[2 * len(pairs) :]
    return level[0]


def evaluate(layers: Sequence[BallLayer], x: arb) -> arb:
    """Return the product of the layers at a ball: layer by layer, which keeps small values small.

    Examples
    --------
    >>> float(evaluate([(arb(0), arb(1), arb(0)), (arb(1), arb(0), arb(1))], arb(2)).mid())
    10.0
    """
    value = arb(1)
    for zero, one, two in layers:
        value *= zero + x * (one + x * two)
    return value
