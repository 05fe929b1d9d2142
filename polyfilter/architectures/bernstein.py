r"""BernNet: Bernstein polynomials with weights that are not negative. A cone, not a space.

The filter of depth :math:`K` is

.. math:: \sum_{k=0}^{K} \theta_k \binom{K}{k} s^k (1 - s)^{K-k}, \qquad s = \frac{1 - x}{2},
    \quad \theta_k \ge 0,

with :math:`2s` the eigenvalue of the Laplacian. Without the inequality this would be all
polynomials of degree :math:`K`. With it, sums and positive multiples stay inside but differences do
not: a convex cone. Its *dimension* is that of its span, :math:`\min\{K + 1, \Gamma\}`, and no depth
is *complete*:

* a filter of the cone is nowhere negative on :math:`[-1, 1]`;
* in the open interval every Bernstein polynomial is positive, so that a filter which is zero at an
  eigenvalue other than :math:`\pm 1` is zero.

All other filters are in reach at some depth (Bernstein): values that are positive on the spectrum
are taken by a polynomial that is positive on :math:`[-1, 1]`, whose weights approach its values.

*Membership.* Below :math:`\Gamma` the weights of a filter are unique, and their signs decide. From
:math:`\Gamma` on the question is whether a system has a solution that is not negative, which
non-negative least squares answers: its residual :math:`r` is either zero, or a vector with
:math:`B^\top r \le 0 < r^\top y`, which separates the filter from the cone (Farkas). That step is
in float64.

>>> from polyfilter.ambient import ambient
>>> space = ambient([-0.9, -0.2, 0.3, 0.8])
>>> h = space.element([Fraction(1, 10), 0, 1])                         # x² + 1/10 is positive,
>>> BERNNET.contains(h, space, depth=2, width=1).answer                # but -9/10 is a weight
False
>>> BERNNET.least_depth(h, space, width=1).depth
5
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb
from typing import Any

import numpy as np
from flint import fmpq, fmpq_poly
from numpy.typing import NDArray
from scipy.optimize import nnls

from polyfilter.ambient import Ambient, Element, rational
from polyfilter.architectures.base import (
    Architecture,
    Field,
    Hull,
    Membership,
    Need,
    Weights,
    as_array,
)
from polyfilter.clenshaw import Real
from polyfilter.jacobian import Shapes

__all__ = ["BERNNET", "BernNet"]

EPS = float(np.finfo(np.float64).eps)
MAX_DEPTH = 512
"""How deep :meth:`BernNet.least_depth` looks; binomials beyond it overflow float64 at 1030."""


def solved(values: Real, depth: int) -> float:
    """The residual that rounding leaves of a system with a solution: (K + 1) Γ eps |y|.

    A sum of K + 1 terms that are not negative rounds by K + 1 ulps of the sum at most, and the
    least squares of an active set add as many again for each of its Γ columns or fewer.
    """
    return (depth + 1) * len(values) * EPS * float(np.linalg.norm(values))


@dataclass(frozen=True)
class BernNet(Architecture):
    """Non-negative weights times Bernstein polynomials.

    Examples
    --------
    >>> isinstance(BERNNET, BernNet), BERNNET.shapes(depth=3, width=1)
    (True, [{'theta': (4, 1, 1)}])
    """

    def shapes(self, depth: int, width: int) -> Shapes:
        return [{"theta": (depth + 1, 1, 1)}]

    def forward(self, weights: Sequence[Any], x: Any, depth: int, field: Field) -> Any:
        theta, one, half = weights[0]["theta"], field.number(1), field.number(Fraction(1, 2))
        s, t = (x * field.number(-1) + one) * half, (x + one) * half
        powers = [x * field.number(0) + one]
        for _ in range(depth):
            powers.append(powers[-1] * t)
        total, rising = x * field.number(0), powers[0]
        for k in range(depth + 1):
            bernstein = rising * powers[depth - k] * field.number(comb(depth, k))
            total, rising = total + theta[k] * bernstein, rising * s
        return total

    def bound(self, gamma: int, depth: int, width: int) -> int:
        return min(depth + 1, gamma)

    def complete(self, ambient: Ambient, width: int) -> Need:
        return Need(
            None,
            "its weights are not negative, and neither are its filters: a cone, whose span is "
            f"complete from depth {max(1, ambient.gamma - 1):,} on.",
        )

    def coefficients(self, h: fmpq_poly, depth: int) -> list[fmpq]:
        """The unique weights of a polynomial of degree K at most, of any sign."""
        a = h(fmpq_poly([1, -2]))  # in powers of s
        return [
            sum((a[j] * fmpq(comb(k, j), comb(depth, j)) for j in range(k + 1)), fmpq(0))
            for k in range(depth + 1)
        ]

    def contains(self, h: Element, ambient: Ambient, depth: int, width: int) -> Membership:
        if h.is_zero:
            return Membership(True, "the zero filter has zero weights.")
        if h.degree <= depth:
            worst = min(self.coefficients(h.polynomial, depth))
            if worst >= 0:
                return Membership(True, "all its weights are at least zero.")
            if depth < ambient.gamma:
                number = int(worst.p) / int(worst.q)
                return Membership(
                    False, f"its weights are unique, and one of them is {number:.3g}, below zero."
                )
        elif depth < ambient.gamma:
            return Membership(False, f"the filter has degree {h.degree}, above K = {depth}.")
        if ambient.points is None:
            return Membership(None, "from K = Γ on this depends on the eigenvalues; give them.")
        return self._by_least_squares(h, ambient.points, depth)

    def _by_least_squares(self, h: Element, points: Real, depth: int) -> Membership:
        values = h(points)
        outside = self._never(values, points)
        if outside:
            return Membership(False, outside)
        residual = float(nnls(self._basis(points, depth), values, maxiter=30 * depth)[1])
        if residual <= solved(values, depth):
            return Membership(True, "non-negative least squares leaves nothing but rounding.")
        return Membership(
            False,
            f"non-negative least squares leaves {residual:.3g}, which separates the filter from "
            "the cone.",
        )

    @staticmethod
    def _never(values: Real, points: Real) -> str:
        """Why no depth will do, or nothing."""
        if values.min() < 0:
            at = points[int(np.argmin(values))]
            return (
                f"the filter is {values.min():.3g} at λ = {at:.6g}, and the cone is not negative."
            )
        zero = (values == 0) & (np.abs(points) < 1)
        if zero.any() and values.any():
            at = points[int(np.argmax(zero))]
            return f"the filter is zero at λ = {at:.6g}, and inside (-1, 1) only zero is."
        return ""

    def _basis(self, points: Real, depth: int) -> Real:
        identity = np.eye(depth + 1)[:, :, None, None]
        columns = [self.evaluate(({"theta": row},), points, depth) for row in identity]
        return np.column_stack(columns).astype(np.float64)

    def least_depth(self, h: Element, ambient: Ambient, width: int) -> Need:
        if h.is_zero:
            return Need(1, "the zero filter has zero weights.")
        if ambient.points is not None:
            outside = self._never(h(ambient.points), ambient.points)
            if outside:
                return Need(None, outside)
        low, high = 0, max(1, h.degree)
        while not self.contains(h, ambient, high, width).answer:
            low, high = high, 2 * high
            if high > MAX_DEPTH:
                return Need(
                    None,
                    f"up to depth {low} its weights are not all positive; if it is positive on the "
                    "spectrum some larger depth will do.",
                )
        while high - low > 1:  # a larger depth contains a smaller one
            middle = (low + high) // 2
            if self.contains(h, ambient, middle, width).answer:
                high = middle
            else:
                low = middle
        return Need(high, f"at depth {high} its weights are at least zero, and not before.")

    def weights(self, h: Element, ambient: Ambient, depth: int, width: int, bits: int) -> Weights:
        theta: Sequence[fmpq] = []
        if h.degree <= depth:
            theta = self.coefficients(h.polynomial, depth)
        if ambient.points is not None and (not theta or min(theta) < 0):
            found: NDArray[Any] = nnls(
                self._basis(ambient.points, depth), h(ambient.points), maxiter=30 * depth
            )[0]
            theta = [rational(t) for t in found]
        return ({"theta": as_array(theta, bits)[:, None, None]},)

    def hull(self, x: Real, depth: int, width: int) -> Hull:
        return Hull(self._basis(x, depth), nonnegative=True)

    def depth_of_degree(self, degree: int, width: int) -> int | None:
        return None


BERNNET = BernNet("bernnet", "Σ_k θ_k B_k(L/2), θ_k ≥ 0", "hops")
"""The cone of Bernstein polynomials."""
