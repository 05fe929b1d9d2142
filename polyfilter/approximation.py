r"""The closest element of a linear space, or of a cone, on finitely many points.

The map is

.. math:: (B, f, m) \;\mapsto\; \min_{c} \max_j |f_j - (Bc)_j|
    \quad\text{and}\quad \min_c \Bigl(\tfrac{1}{\sum m}\sum_j m_j (f_j - (Bc)_j)^2\Bigr)^{1/2},

over all :math:`c`, or over :math:`c \ge 0`. The second is least squares. The first is a linear
programme with a constraint a point on each side; it is solved on a few points, to which those with
the largest deviation are added until no point is worse than the programme says. Its value on some
points can't be above that on all, so it is a lower bound for every choice of :math:`c`; the largest
deviation on all points is what was reached.

1. Without signs, the basis is replaced by an orthonormal one of the directions that float64 can
   tell from zero, and the target by the residual of least squares over its largest entry, so that
   a small error is found to as many digits as a large one.
2. The programme starts from as many points as there are directions, chosen by pivoted QR from some
   more (approximate Fekete points): deviations there say most about those elsewhere.

Assumptions: rows are in ascending order of points, so that neighbours are neighbours.

>>> x = np.linspace(-1, 1, 201)
>>> B = np.column_stack([np.ones(201), x])
>>> line = closest(B, x**2, np.ones(201))
>>> round(line.largest, 6), round(line.lower, 6)                       # x² is within 1/2 of a half
(0.5, 0.5)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import qr
from scipy.optimize import linprog, nnls

from polyfilter.clenshaw import Real
from polyfilter.lad import rank_tolerance

__all__ = ["Closest", "closest", "rounding_level"]

EPS = float(np.finfo(np.float64).eps)
Indices = NDArray[np.intp]
ROUNDS = 50
"""The exchange ends after five to fifteen rounds."""
GAP = 1e-6
"""Relative distance of the reached from the lower bound at which the exchange ends."""
LP_TOLERANCES = (1e-10, 1e-7)
"""The smallest that HiGHS takes, of a problem scaled to one, and its default."""


@dataclass(frozen=True)
class Closest:
    """How close the space comes.

    Attributes
    ----------
    largest
        The largest deviation of the best element that was found.
    lower
        No element has a smaller one, to the accuracy of the linear programme.
    mean
        The smallest weighted root mean square deviation.
    """

    largest: float
    lower: float
    mean: float


def closest(basis: Real, target: Real, weights: Real, *, nonnegative: bool = False) -> Closest:
    """Return how close the span, or the cone, of some columns comes to a target.

    Parameters
    ----------
    basis
        One row a point, ascending, one column an element of the basis.
    target
        f on the points.
    weights
        How much each point counts in the mean.
    nonnegative
        Whether coefficients have to be at least zero.

    Examples
    --------
    >>> ramp = np.arange(3.0)[:, None]
    >>> closest(ramp, np.array([0.0, -1.0, -2.0]), np.ones(3)).largest
    0.0
    >>> closest(ramp, np.array([0.0, -1.0, -2.0]), np.ones(3), nonnegative=True).largest
    2.0
    """
    root = np.sqrt(weights / weights.sum())
    rounding = rounding_level(basis.shape[1], target)
    if nonnegative:
        coefficients, norm = nnls(root[:, None] * basis, root * target, maxiter=30 * len(basis))
        start = target - basis @ coefficients
        return _bounded(basis, target, start, float(norm), rounding, nonnegative=True)
    U = _directions(basis)
    weighted = np.linalg.lstsq(root[:, None] * U, root * target, rcond=None)[0]
    mean = float(np.linalg.norm(root * (target - U @ weighted)))
    residual = target - U @ (U.T @ target)
    residual = residual - U @ (U.T @ residual)  # twice, so that it is orthogonal to rounding
    unit = U * np.sqrt(len(U))  # entries of size one, as a solver of linear programmes expects
    return _bounded(unit, residual, residual, mean, rounding, nonnegative=False)


def rounding_level(columns: int, target: Real) -> float:
    """Return the deviation that rounding leaves of an exact fit: 4 (n + 1) eps max|f|.

    A deviation is reached by three sums of n products (the factorization, the projection and the
    fit) and one difference, each of which rounds by about n eps of the target.

    >>> rounding_level(9, np.ones(3)) < 1e-14
    True
    """
    return 4 * (columns + 1) * EPS * float(np.abs(target).max())


def _directions(basis: Real) -> Real:
    """An orthonormal basis of what float64 can tell from zero."""
    Q, R = np.linalg.qr(basis)
    U, singular, _ = np.linalg.svd(R)
    rank = int(np.sum(singular > rank_tolerance(*basis.shape) * singular[0]))
    return np.asarray(Q @ U[:, :rank], dtype=np.float64)


def _bounded(
    B: Real, target: Real, start: Real, mean: float, rounding: float, *, nonnegative: bool
) -> Closest:
    """The exchange, from the deviation ``start`` of a first element."""
    largest = float(np.abs(start).max())
    if largest <= rounding:
        return Closest(largest, 0.0, mean)
    scale = float(np.abs(target).max())
    f = target / scale
    used = _first(B)
    lower = 0.0
    for _ in range(ROUNDS):
        found = _programme(B[used], f[used], nonnegative)
        if found is None:
            break
        coefficients, level = found
        deviation = np.abs(f - B @ coefficients)
        lower = max(lower, level * scale)
        largest = min(largest, float(deviation.max()) * scale)
        if largest <= lower * (1 + GAP):
            break
        used = np.union1d(used, _peaks(deviation, B.shape[1] + 1)).astype(np.intp)
    return Closest(largest, min(lower, largest), mean)


def _first(B: Real) -> Indices:
    """As many points as columns, and one: the most independent of sixteen times as many."""
    count = min(len(B), 16 * (B.shape[1] + 1))
    some = np.unique(np.linspace(0, len(B) - 1, count).round().astype(np.intp))
    pivots = qr(B[some].T, mode="r", pivoting=True)[-1]
    return np.sort(some[pivots[: B.shape[1] + 1]])


def _programme(B: Real, f: Real, nonnegative: bool) -> tuple[Real, float] | None:
    """Minimise e with |f - Bc| <= e on the rows; None if HiGHS gives up."""
    rows, columns = B.shape
    one = np.ones((rows, 1))
    for tolerance in LP_TOLERANCES:
        result = linprog(
            np.append(np.zeros(columns), 1.0),
            A_ub=np.block([[B, -one], [-B, -one]]),
            b_ub=np.concatenate([f, -f]),
            bounds=[(0 if nonnegative else None, None)] * columns + [(0, None)],
            method="highs",
            options={
                "primal_feasibility_tolerance": tolerance,
                "dual_feasibility_tolerance": tolerance,
            },
        )
        if result.success and result.x is not None:
            return result.x[:-1], float(result.x[-1])
    return None


def _peaks(deviation: Real, count: int) -> Indices:
    """The highest local maxima, at most ``count`` of them."""
    padded = np.concatenate([[-np.inf], deviation, [-np.inf]])
    k = np.flatnonzero((padded[1:-1] >= padded[:-2]) & (padded[1:-1] >= padded[2:]))
    return k[np.argsort(-deviation[k], kind="stable")[:count]]
