r"""Least absolute deviations: the line through the middle of the data, with its proof.

For a matrix X of n observations of p features and a target y the map is

.. math:: (X, y) \;\mapsto\; \arg\min_\beta \; \lVert y - X \beta \rVert_1
    \;=\; \max_{d} \; \{\, y^\top d \;:\; X^\top d = 0,\ |d_i| \le 1 \,\} .

Every d on the right proves a lower bound for the left, so a pair with a small gap is a proof that
nothing better exists. The method is the Frisch-Newton algorithm of Portnoy and Koenker (*The
Gaussian hare and the Laplacian tortoise*, 1997): a primal-dual interior-point method with
Mehrotra's predictor and corrector, which costs O(n p²) a step and takes twenty to forty steps
whatever n is. It departs from its reference in four places:

1. X is replaced by an orthonormal basis Q of its columns, and y by the residual r of least
   squares. This changes neither the fits nor the gap, and leaves p x p systems that are as well
   conditioned as the weights allow. Directions of X that float64 can't tell from zero are left
   out of Q, and β is the smallest of all coefficients that give the fit.
2. The box is [-1, 1] and not [0, 1], so that the two sides are treated alike.
3. :math:`Q^\top d = 0` is part of each Newton step, so that rounding does not add up.
4. It stops by a gap that is computed afresh: d is projected onto :math:`Q^\top d = 0`, shrunk into
   the box, and its bound :math:`r^\top d` compared with the sum of absolute residuals. No quantity
   of the iteration is trusted.

Assumptions: all values are finite.

>>> X = np.column_stack([np.ones(9), np.arange(9)])
>>> y = X @ [1.0, 2.0]
>>> y[4] = 100.0  # one wild value does not move the line
>>> result = least_absolute_deviations(X, y)
>>> result.coefficients.round(9), round(result.objective, 6)
(array([1., 2.]), 91.0)
>>> print(result.status.value)
The fit is proven to be optimal within the tolerance.
"""

from dataclasses import dataclass, field
from enum import Enum
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve

__all__ = ["LeastAbsolute", "LeastAbsoluteStatus", "least_absolute_deviations", "rank_tolerance"]

FloatArray: TypeAlias = NDArray[np.float64]

EPS = float(np.finfo(np.float64).eps)
MAX_STEPS = 200
"""Far above the forty that are ever needed."""
TO_BOUNDARY = 0.9995
"""How much of the way to the boundary of the box a step may go (Portnoy and Koenker's value)."""


class LeastAbsoluteStatus(Enum):
    """How the iteration ended.

    Examples
    --------
    >>> print(LeastAbsoluteStatus.EXACT.value)
    The residuals are at rounding level: the fit is exact.
    """

    OPTIMAL = "The fit is proven to be optimal within the tolerance."
    EXACT = "The residuals are at rounding level: the fit is exact."
    ROUNDED = "The fit is optimal but for rounding, which its large coefficients amplify."
    STALLED = "Rounding stopped the iteration before the gap was within the tolerance."


@dataclass(frozen=True)
class LeastAbsolute:
    """A least-absolute-deviations fit and its proof.

    Attributes
    ----------
    coefficients
        β.
    objective
        The sum of absolute residuals of β.
    lower_bound
        No coefficients have a smaller sum (weak duality).
    rank
        How many directions of the features float64 can tell from zero.
    """

    coefficients: FloatArray = field(repr=False)
    objective: float
    lower_bound: float
    rank: int
    steps: int
    status: LeastAbsoluteStatus


def rank_tolerance(rows: int, columns: int) -> float:
    """Return below which fraction of the largest a singular value counts as zero: max(n, p) eps.

    This is the backward error of an orthogonal factorization, and so the distance within which
    float64 can't tell a matrix from one of lower rank.

    Examples
    --------
    >>> rank_tolerance(1000, 33) == 1000 * EPS
    True
    """
    return max(rows, columns) * EPS


def exact_level(target: FloatArray, columns: int) -> float:
    """Return the residual sum that rounding leaves of an exact fit: 4 (p + 1) eps |y|₁.

    A residual is reached by three sums of p products (the factorization, the projection and the
    fit) and one difference, each entry of which rounds by about p eps of the target.
    """
    return 4 * (columns + 1) * EPS * float(np.abs(target).sum())


def least_absolute_deviations(
    features: FloatArray, target: FloatArray, *, tolerance: float = 1e-9
) -> LeastAbsolute:
    """Return the coefficients that minimise the sum of absolute residuals, with a proof.

    Parameters
    ----------
    features
        X, of shape (n, p) with n ≥ p.
    target
        y, of shape (n,).
    tolerance
        Relative duality gap to stop at: the sum is at most this fraction above the best.

    Examples
    --------
    >>> X = np.ones((5, 1))
    >>> median = least_absolute_deviations(X, np.array([3.0, 1.0, 2.0, 9.0, 8.0]))
    >>> float(median.coefficients[0].round(6))
    3.0
    """
    rows, columns = features.shape
    # by a power of two, which is exact, so that no target is too small or too large to add up
    exponent = int(np.frexp(np.abs(target).max())[1])
    target = np.ldexp(target, -exponent)
    Q, R = np.linalg.qr(features)
    U, singular, Vt = np.linalg.svd(R)
    rank = int(np.sum(singular > rank_tolerance(rows, columns) * singular[0]))
    if rank < columns:
        Q = Q @ U[:, :rank]
        to_coefficients = Vt[:rank].T / singular[:rank]
    else:
        to_coefficients = Vt.T / singular @ U.T
    start = Q.T @ target
    residual = target - Q @ start
    move, lower, steps, status = np.zeros(rank), 0.0, 0, LeastAbsoluteStatus.EXACT
    if np.abs(residual).sum() > exact_level(target, columns):
        move, lower, steps, status = _frisch_newton(Q, residual, tolerance)
    coefficients = to_coefficients @ (start + move)
    objective = float(np.abs(target - features @ coefficients).sum())
    slack = tolerance * objective + exact_level(target, columns)
    if status is LeastAbsoluteStatus.OPTIMAL and objective - lower > slack:
        status = LeastAbsoluteStatus.ROUNDED
    return LeastAbsolute(
        coefficients=np.ldexp(coefficients, exponent),
        objective=float(np.ldexp(objective, exponent)),
        lower_bound=float(np.ldexp(min(lower, objective), exponent)),
        rank=rank,
        steps=steps,
        status=status,
    )


def _frisch_newton(
    Q: FloatArray, residual: FloatArray, tolerance: float
) -> tuple[FloatArray, float, int, LeastAbsoluteStatus]:
    """Minimise |r - Qγ|₁; return γ, a lower bound, the number of steps and how it ended."""
    scale = float(np.abs(residual).mean())
    r = residual / scale
    gamma, d = np.zeros(Q.shape[1]), np.zeros(r.size)
    # z⁺ - z⁻ = r - Qγ: z⁺ belongs to the side u = 1 - d > 0 of the box, z⁻ to v = 1 + d > 0
    z_plus, z_minus = np.maximum(r, 0) + 1, np.maximum(-r, 0) + 1
    best_gamma, best_sum, bound = gamma, np.inf, 0.0
    status, steps = LeastAbsoluteStatus.STALLED, 0
    while steps < MAX_STEPS:
        e = r - Q @ gamma
        if (total := float(np.abs(e).sum())) < best_sum:
            best_gamma, best_sum = gamma, total
        bound = max(bound, _dual_bound(Q, r, d))
        if best_sum - bound <= tolerance * best_sum:
            status = LeastAbsoluteStatus.OPTIMAL
            break
        try:
            newton = _Newton(Q, e, d, z_plus, z_minus)
        except LinAlgError:
            break
        steps += 1
        predictor = newton.direction()
        corrector = newton.direction(newton.centring(predictor), predictor)
        gamma = gamma + corrector.dual_length * corrector.gamma
        d = d + corrector.box_length * corrector.d
        z_plus = z_plus + corrector.dual_length * corrector.z_plus
        z_minus = z_minus + corrector.dual_length * corrector.z_minus
    return scale * best_gamma, scale * bound, steps, status


def _dual_bound(Q: FloatArray, r: FloatArray, d: FloatArray) -> float:
    """Return the lower bound that d proves, once it is feasible to rounding."""
    feasible = d - Q @ (Q.T @ d)
    return float(r @ feasible) / max(1.0, float(np.abs(feasible).max()))


@dataclass(frozen=True)
class _Direction:
    """A Newton direction and how far it may be followed."""

    gamma: FloatArray
    d: FloatArray
    z_plus: FloatArray
    z_minus: FloatArray
    box_length: float
    dual_length: float


class _Newton:
    r"""The linearised optimality conditions at one point, factored once.

    With u = 1 - d, v = 1 + d and e = r - Qγ they are :math:`Q^\top d = 0`,
    :math:`z^+ - z^- = e`, :math:`u z^+ = \mu` and :math:`v z^- = \mu`. Eliminating all but γ
    leaves :math:`Q^\top W Q \, \Delta\gamma = Q^\top (W (e - \xi) + d)` with
    :math:`W^{-1} = z^+/u + z^-/v`, where ξ holds μ and the corrector's second-order terms.
    """

    def __init__(
        self, Q: FloatArray, e: FloatArray, d: FloatArray, z_plus: FloatArray, z_minus: FloatArray
    ) -> None:
        self.Q, self.e, self.d, self.z_plus, self.z_minus = Q, e, d, z_plus, z_minus
        self.u, self.v = 1 - d, 1 + d
        self.W = 1 / (z_plus / self.u + z_minus / self.v)
        scaled = np.sqrt(self.W)[:, None] * Q
        gram = scaled.T @ scaled
        try:
            self.factor = cho_factor(gram)
        except LinAlgError:
            # near a corner of the box the weights differ by more than float64 holds; a shift at
            # the rounding level of the matrix only bends the direction, and the proof is unmoved
            shift = len(gram) * EPS * gram.trace()
            self.factor = cho_factor(gram + shift * np.eye(len(gram)))

    def direction(self, mu: float = 0.0, predictor: _Direction | None = None) -> _Direction:
        """Return the direction towards the centre ``mu``, corrected by an earlier one."""
        second_plus = mu if predictor is None else mu + predictor.d * predictor.z_plus
        second_minus = mu if predictor is None else mu - predictor.d * predictor.z_minus
        pull_plus, pull_minus = second_plus / self.u, second_minus / self.v
        flow = self.W * (self.e - pull_plus + pull_minus)
        gamma = cho_solve(self.factor, self.Q.T @ (flow + self.d))
        d = flow - self.W * (self.Q @ gamma)
        z_plus = pull_plus - self.z_plus * (1 - d / self.u)
        z_minus = pull_minus - self.z_minus * (1 + d / self.v)
        return _Direction(
            gamma,
            d,
            z_plus,
            z_minus,
            box_length=min(_length(self.u, -d), _length(self.v, d)),
            dual_length=min(_length(self.z_plus, z_plus), _length(self.z_minus, z_minus)),
        )

    def centring(self, predictor: _Direction) -> float:
        """Return Mehrotra's μ: the cube of what the predictor leaves of the gap, times the mean."""
        gap = float(self.z_plus @ self.u + self.z_minus @ self.v)
        box = predictor.box_length * predictor.d
        dual = predictor.dual_length
        left = float(
            (self.z_plus + dual * predictor.z_plus) @ (self.u - box)
            + (self.z_minus + dual * predictor.z_minus) @ (self.v + box)
        )
        return gap / (2 * self.e.size) * (left / gap) ** 3


def _length(position: FloatArray, direction: FloatArray) -> float:
    """Return how far a positive ``position`` can move and stay positive; one at most."""
    shrinking = direction < 0
    to_zero = position[shrinking] / -direction[shrinking]
    return min(1.0, TO_BOUNDARY * float(to_zero.min(initial=np.inf)))
