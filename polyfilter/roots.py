r"""Roots of a real filter polynomial, as real roots and upper halves of conjugate pairs.

The map is :math:`c \mapsto (r, z)` with

.. math::  h(x) = \kappa \prod_i (x - r_i) \prod_j (x - z_j)(x - \bar z_j),
           \qquad \operatorname{Im} z_j > 0,

the factorization over the reals that Lemma 3 of the paper asserts. Three methods:

``colleague``
    Eigenvalues of the colleague matrix (numpy), :math:`O(K^3)`, backward stable, for low degrees
    and for clustered or multiple roots.
``aberth``
    :math:`O(K^2)`, for high degrees (:mod:`polyfilter.aberth`).
``certified``
    Balls that provably hold one root each, with exact multiplicities (python-flint), rounded at the
    end. The coefficients are taken as the exact numbers that the floats are.

``auto`` takes ``aberth`` and measures the product of the factors against the series; up to degree
32, and above it where rounding level was not reached, it takes the better of both methods. If half
of the digits are lost even so (coefficients across a hundred orders of magnitude do that), and the
degree allows it, ``certified`` has the last word.

>>> found = roots(np.array([1.5, 0.0, 0.5]))                              # x^2 + 1
>>> found.real.tolist(), found.upper.tolist(), found.residual < 1e-15
([], [1j], True)
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import flint
import numpy as np
from scipy.spatial import cKDTree

from polyfilter.aberth import aberth
from polyfilter.clenshaw import Complex, Real, compensated_real, plain_real
from polyfilter.errors import FilterError
from polyfilter.polynomial import power_from_chebyshev

__all__ = ["METHODS", "Roots", "roots"]

METHODS = ("auto", "colleague", "aberth", "certified")
EPS = float(np.finfo(np.float64).eps)
COLLEAGUE_DEGREE = 32
"""Up to here the colleague matrix costs next to nothing: both are tried and the better is taken."""
COLLEAGUE_LIMIT = 2048
"""Above this degree the O(K^3) fallback would take minutes: the aberth result stands as it is."""
CERTIFIED_LIMIT = 256
"""Above this degree certified roots would take more than ten seconds: only on request."""
CHECK_POINTS = 257
PLAIN_DEGREE = 128
GOLDEN = (math.sqrt(5) - 1) / 2


def residual_goal(degree: int) -> float:
    """The residual that rounding every root to float64 leaves: K eps and a log factor to spare."""
    return 8 * EPS * degree * math.log2(degree + 2)


def check_method(method: str) -> None:
    """Refuse a name that is not one of :data:`METHODS`."""
    if method not in METHODS:
        raise FilterError(f"there is no root finder {method!r}; choose from {', '.join(METHODS)}")


@dataclass(frozen=True)
class Roots:
    """Real roots and the upper halves of conjugate pairs, each ascending by real part.

    ``residual`` is the largest deviation of the product of the factors from the series on a test
    grid of [-1, 1], relative to the largest value of the series there.
    """

    real: Real
    upper: Complex
    method: str
    residual: float

    @property
    def degree(self) -> int:
        """The degree of the polynomial that has these roots."""
        return len(self.real) + 2 * len(self.upper)

    def __repr__(self) -> str:
        def some(values: list[object]) -> str:
            shown = ", ".join(f"{v}" for v in values[:4])
            return f"[{shown}{', ...' if len(values) > 4 else ''}]"

        real, upper = some(self.real.tolist()), some(self.upper.tolist())
        return (
            f"Roots(real={real}, upper={upper}, method={self.method!r}, "
            f"residual={self.residual:.1e})"
        )


def roots(c: Real, method: str = "auto") -> Roots:
    """Return the roots of a Chebyshev series with real coefficients.

    Parameters
    ----------
    c : array (K + 1,)
        Chebyshev coefficients on [-1, 1]; the last one is not zero.
    method : {"auto", "colleague", "aberth", "certified"}
        See the module's docstring.

    Examples
    --------
    >>> roots(np.array([0.0, 0.0, 0.0, 1.0])).real.round(12).tolist()       # T_3
    [-0.866025403784, 0.0, 0.866025403784]
    """
    check_method(method)
    if len(c) == 0 or c[-1] == 0 or not np.isfinite(c).all():
        raise FilterError("roots need finite coefficients, the last of them not zero")
    # by a power of two, so that the roots are those of exactly the numbers that were given
    c = np.ldexp(c, -int(np.frexp(np.abs(c).max())[1]))
    if abs(c[-1]) < 4 * np.finfo(np.float64).tiny:  # dividing by it could overflow
        raise FilterError(
            "the last coefficient is less than 1e-308 of the largest, too small for float64; "
            "trim it"
        )
    if method == "auto":
        return _best(c)
    return {"colleague": _colleague, "aberth": _aberth, "certified": _certified}[method](c)


def _best(c: Real) -> Roots:
    degree = len(c) - 1
    found = _aberth(c)
    missed = found.residual > residual_goal(degree) and degree <= COLLEAGUE_LIMIT
    if missed or degree <= COLLEAGUE_DEGREE:
        found = min(found, _colleague(c), key=lambda candidate: candidate.residual)
    if found.residual > math.sqrt(EPS) and degree <= CERTIFIED_LIMIT:
        return _certified(c)
    return found


def _aberth(c: Real) -> Roots:
    if len(c) <= 3:
        return _colleague(c)
    return _paired(c, *aberth(c), "aberth")


def _colleague(c: Real) -> Roots:
    if len(c) == 1:
        return Roots(np.zeros(0), np.zeros(0, dtype=complex), "colleague", 0.0)
    found = np.polynomial.chebyshev.chebroots(c)
    return _paired(c, np.zeros(0), found.astype(complex), "colleague")


def _certified(c: Real) -> Roots:
    exact = power_from_chebyshev([Fraction(float(a)) for a in c])
    polynomial = flint.fmpq_poly([flint.fmpq(a.numerator, a.denominator) for a in exact])
    real: list[float] = []
    upper: list[complex] = []
    found: Any = polynomial.numer().complex_roots()  # its stub forgets the multiplicities
    for ball, multiplicity in found:
        if ball.imag == 0:  # flint makes the imaginary part of a real root exactly zero
            real += [float(ball.real.mid())] * int(multiplicity)
        elif ball.imag > 0:
            upper += [complex(float(ball.real.mid()), float(ball.imag.mid()))] * int(multiplicity)
    return _finished(c, np.array(real), np.array(upper, dtype=complex), "certified")


def _paired(c: Real, real: Real, other: Complex, method: str) -> Roots:
    """Join conjugates: mutual nearest neighbours across the axis are pairs, the rest is real."""
    up, down = other[other.imag > 0], other[other.imag < 0].conj()
    alone = [other[other.imag == 0].real]
    upper = np.zeros(0, dtype=complex)
    if len(up) and len(down):
        up_points, down_points = _in_reach(up), _in_reach(down)
        to_down = np.asarray(cKDTree(down_points).query(up_points)[1])
        to_up = np.asarray(cKDTree(up_points).query(down_points)[1])
        mutual = to_up[to_down] == np.arange(len(up))
        # a pair that is closer to the axis than its halves are to each other is two real roots
        partner = down[to_down]
        height = np.minimum(up.imag, partner.imag)
        mutual &= np.abs(up - partner) <= np.maximum(height, 0)
        upper = (up[mutual] + partner[mutual]) / 2
        taken = np.zeros(len(down), dtype=bool)
        taken[to_down[mutual]] = True
        alone += [up[~mutual].real, down[~taken].real]
    else:
        alone += [up.real, down.real]
    return _finished(c, np.concatenate([real, *alone]), upper, method)


def _in_reach(z: Complex) -> Real:
    """Points of the plane, moduli above 1 compressed to 1 + log: their squares would overflow."""
    size = np.maximum(np.abs(z), 1)
    near = z / size * (1 + np.log(size))
    return np.column_stack([near.real, near.imag])


def _finished(c: Real, real: Real, upper: Complex, method: str) -> Roots:
    real, upper = np.sort(real), upper[np.argsort(upper.real, kind="stable")]
    for array in (real, upper):
        array.setflags(write=False)
    return Roots(real, upper, method, _residual(c, real, upper))


def _residual(c: Real, real: Real, upper: Complex) -> float:
    """max |product - h| / max |h| on a test grid; logarithms keep 8,192 factors in range."""
    # no natural polynomial vanishes on multiples of the golden angle, as T_257 would on its zeros
    x = np.cos(np.pi * ((np.arange(CHECK_POINTS) + 0.5) * GOLDEN % 1))
    # plain is wrong by a few roundings, far below what the roots of a high degree leave
    h = compensated_real(c, x)[0] if len(c) <= PLAIN_DEGREE else plain_real(c, x)
    log = np.full(len(x), np.log(np.abs(c[-1])) + max(len(c) - 2, 0) * np.log(2))
    sign = np.full(len(x), np.sign(c[-1]))
    with np.errstate(divide="ignore", invalid="ignore"):
        for start in range(0, len(real), 256):
            d = x - real[start : start + 256, None]
            log += np.log(np.abs(d)).sum(axis=0)
            sign *= np.prod(np.sign(d), axis=0)
        for start in range(0, len(upper), 256):
            log += 2 * np.log(np.abs(x - upper[start : start + 256, None])).sum(axis=0)
        off = float(np.abs(sign * np.exp(np.minimum(log, 700)) - h).max() / np.abs(h).max())
    return off if math.isfinite(off) else math.inf
