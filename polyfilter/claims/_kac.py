r"""How many real roots a random polynomial has on average: the integral of Kac, enclosed.

The map is, for a polynomial of degree K with independent standard normal coefficients and
:math:`n = K + 1`,

.. math:: E_K = \frac4\pi \int_0^1 \sqrt{\frac1{(1 - x^2)^2} - \frac{n^2 x^{2n-2}}{(1 - x^{2n})^2}}
          \, dx = \frac2\pi \int_0^\infty \sqrt{\frac1{\sinh^2 u} - \frac{n^2}{\sinh^2 nu}} \, du

(Kac 1943; :math:`x = e^{-u}`). With :math:`n \to \infty` and :math:`v = nu`,

.. math:: E_K = \frac2\pi \log(K + 1) + C + O(K^{-2}), \quad C = \frac2\pi \Bigl( \log 2
          + \int_0^\infty \sqrt{g(v)} - \frac1{1 + v} \, dv \Bigr), \quad
          g(v) = \frac1{v^2} - \frac1{\sinh^2 v}

(Edelman and Kostlan 1995, who have :math:`C = 0.6257358072\dots`).

*Bounds for all K.* The integrand is at most :math:`1/\sinh u`, and at most :math:`n/\sqrt3` since
:math:`0 \le g \le 1/3`; it is at least :math:`1/\sinh u - n/\sinh nu`. Splitting at 1/n,

.. math:: \log\coth\tfrac1{2n} - \log\coth\tfrac12 \;\le\; \tfrac\pi2 E_K
          \;\le\; \tfrac1{\sqrt3} + \log\coth\tfrac1{2n},

and :math:`\log\coth\frac1{2n} = \log 2n + O(n^{-2})`. So :math:`E_K \sim (2/\pi) \log K`.

Assumptions: none. Integrals are enclosed by flint's rigorous quadrature, tails by hand.

>>> expected_real_roots(1).contains(1)  # a line has one root
True
>>> float(expected_real_roots(64))
3.28317585268...
"""

from collections.abc import Callable

from flint import acb, arb, ctx

__all__ = ["bounds", "expected_real_roots", "kac_constant"]

BITS = 96
GOAL = 2.0**-64
"""Tolerance of the quadrature on each piece; the balls say what was reached."""
FAR = 64
"""Where the integrals are cut off: the integrands are below 2 exp(-64) there, or known."""
SERIES = 1.5
"""Below this, 1/v^2 and 1/sinh^2 v would cancel, and power series are used."""
NEGLIGIBLE = 50
"""Beyond this, 1/sinh is less than a ball of 2 exp(-50)."""


def expected_real_roots(K: int) -> arb:
    """Enclose the expected number of real roots at degree K ≥ 1.

    >>> 2 * 0.64851 < expected_real_roots(2) < 2 * 0.64852  # both roots real, or none
    True
    """
    n = K + 1
    with ctx.workprec(BITS):

        def density(u: acb, analytic: bool) -> acb:
            v = n * u
            if _near_zero(v):
                return (n * n * _g(v) - _g(u)).sqrt(analytic)
            sinh = u.sinh()
            ratio = n * sinh * _reciprocal_sinh(v)
            return (1 - ratio * ratio).sqrt(analytic) / sinh

        tail = -(arb(FAR) / 2).tanh().log()  # the integral of 1/sinh u from there on
        return (_integrate(density, arb(1) / n) + tail * arb(0.5, 0.5)) * 2 / arb.pi()


def kac_constant() -> arb:
    """Enclose the constant C.

    >>> abs(kac_constant() - 0.6257358072) < 1e-10
    True
    """
    with ctx.workprec(BITS):

        def difference(v: acb, analytic: bool) -> acb:
            return _g(v).sqrt(analytic) - 1 / (1 + v)

        M = arb(FAR)
        # beyond M: 1/v - 1/(1 + v), but for at most v / sinh^2 v <= 8 v exp(-2 v)
        tail = (1 + 1 / M).log() + arb(0, 1) * 8 * M * (-2 * M).exp()
        return (arb(2).log() + _integrate(difference, arb(1)) + tail) * 2 / arb.pi()


def bounds(K: int) -> tuple[arb, arb]:
    """Return the lower and the upper bound on E_K of the module's docstring.

    >>> [round(float(b), 2) for b in bounds(64)]
    [2.61, 3.47]
    """
    with ctx.workprec(BITS):
        far, near = -(arb(1) / (2 * (K + 1))).tanh().log(), -(arb(1) / 2).tanh().log()
        return (far - near) * 2 / arb.pi(), (far + 1 / arb(3).sqrt()) * 2 / arb.pi()


def _integrate(f: Callable[[acb, bool], acb], first: arb) -> arb:
    """Integrate from 0 to FAR over pieces that double, since f varies on the scale of ``first``."""
    total, a, b = arb(0), arb(0), first
    while True:
        b = b.min(arb(FAR))
        piece: acb = acb.integral(f, acb(a), acb(b), rel_tol=arb(GOAL), abs_tol=arb(GOAL))
        total += piece.real
        if b >= FAR:
            return total
        a, b = b, 2 * b


def _near_zero(v: acb) -> bool:
    return bool(abs(complex(v.mid())) < SERIES)


def _g(v: acb) -> acb:
    """1/v^2 - 1/sinh^2 v = D (S + 1) / S^2 with S = sinh v / v, D = (sinh v - v) / v^3."""
    if not _near_zero(v):
        sinh = v.sinh()
        return 1 / (v * v) - 1 / (sinh * sinh)
    w = v * v / 4
    S = w.hypgeom_0f1(acb(3) / 2)
    D = w.hypgeom([acb(1)], [acb(2), acb(5) / 2]) / 6
    return D * (S + 1) / (S * S)


def _reciprocal_sinh(v: acb) -> acb:
    """1/sinh v; far out from |sinh v| >= sinh Re v, as a wide ball of v would hold many poles."""
    low = v.real.lower()
    if not low > NEGLIGIBLE:
        return 1 / v.sinh()
    radius = arb(0, (1 / low.sinh()).upper())
    return acb(radius, radius)
