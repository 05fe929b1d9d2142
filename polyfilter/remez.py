r"""Best uniform approximation: the polynomial whose largest error is smallest.

For a response f on a union X of bands in [-1, 1] and a weight w > 0 the map is

.. math:: f \;\mapsto\; \arg\min_{\deg h \le K} \; \max_{\lambda \in X} \; w(\lambda)
    \, |f(\lambda) - h(\lambda)| .

By Chebyshev's theorem h is the one polynomial whose weighted error takes its largest value with
alternating signs at K + 2 points. Remez' second algorithm moves K + 2 reference points there:

1. Solve :math:`h(x_i) + (-1)^i \ell / w(x_i) = f(x_i)` for the Chebyshev coefficients of h and
   the level :math:`\ell`.
2. Find the peaks of the error: sample it between neighbouring reference points, then close in on
   every local extremum at once, and keep the highest in each run of one sign.
3. Cut X between neighbouring reference points at a change of sign, move each point to the highest
   peak of its own sign in its piece, and exchange one so that the highest of all is among them.
   The signs still alternate and no error there is below the level, so :math:`|\ell|` grows.
   Where the level is so small that rounding takes its signs, exchange that one only.

Whatever way h was found, an error that alternates at K + 2 points and is at least
:math:`\delta` there proves that no polynomial has an error below :math:`\delta` (de la Vallée
Poussin). Both sides are in the result, so a reader sees how far from best it can be.

Assumptions: f and w are continuous on X, without features narrower than the sampling of step 2.
A jump is not refused: the best error is then at least half of it. On one long interval the
reference stays close to Chebyshev's points, where step 1 is well conditioned. Bands that leave
much of [-1, 1] out are another matter: h grows exponentially there, and with it the rounding.

>>> result = remez(np.abs, 20)
>>> print(result)
degree 20: error 0.0139866 on [-1, 1], no polynomial has less than 0.0139866
The error equioscillates: no polynomial of this degree does better.
>>> float(round(20 * result.error, 3))  # tends to Bernstein's constant, 0.2801694990
0.28
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.polynomial import Chebyshev
from numpy.polynomial.chebyshev import chebval, chebvander
from numpy.typing import NDArray
from scipy.linalg import qr

from polyfilter.errors import FilterError, ResponseError
from polyfilter.response import ResponseLike, evaluate

__all__ = ["WHOLE", "Bands", "Minimax", "RemezStatus", "remez"]

FloatArray: TypeAlias = NDArray[np.float64]
T = TypeVar("T", bound=float)
Bands: TypeAlias = tuple[tuple[float, float], ...]

WHOLE: Bands = ((-1.0, 1.0),)
EPS = float(np.finfo(np.float64).eps)

MAX_EXCHANGES = 100
"""Convergence is quadratic: five to ten exchanges, more where the error nears rounding."""
SAMPLES_BETWEEN = 16
"""Samples between neighbouring reference points: the error has about one peak there, and a peak
that a parabola describes is seen within (1/16)² of its height before step 2 closes in."""
MIN_SAMPLES = 2048
"""Samples on a band at any degree: low degrees have few reference points to sample between."""
CLOSER = 4
"""Times that step 2 closes in, each to a quarter: 1/4096 of the reference spacing at last, which
leaves 1/4096² < sqrt(eps) of the height."""


class RemezStatus(Enum):
    """How an exchange ended.

    Examples
    --------
    >>> print(RemezStatus.CONVERGED.value)
    The error equioscillates: no polynomial of this degree does better.
    """

    CONVERGED = "The error equioscillates: no polynomial of this degree does better."
    ROUNDING = "The error is at rounding level: float64 holds no better polynomial."
    OVERGROWN = "Outside the bands the polynomial grows until rounding hides the error within them."
    STALLED = "The error could not be levelled before the exchange ended."


@dataclass(frozen=True)
class Minimax:
    """A best uniform approximation, with the proof of how good it is.

    Attributes
    ----------
    polynomial
        h, in the Chebyshev basis.
    error
        The largest weighted error on the bands.
    lower_bound
        No polynomial of this degree has a smaller error (de la Vallée Poussin).
    points
        K + 2 points where the error alternates, unless rounding has taken its signs.
    rounding
        What rounding alone can add to an error, from ``rounding_level``.
    """

    polynomial: Chebyshev = field(repr=False)
    error: float
    lower_bound: float
    points: FloatArray = field(repr=False)
    rounding: float
    exchanges: int
    bands: Bands
    status: RemezStatus

    def __str__(self) -> str:
        where = " and ".join(f"[{a:g}, {b:g}]" for a, b in self.bands)
        return (
            f"degree {self.polynomial.degree()}: error {self.error:.6g} on {where}, "
            f"no polynomial has less than {self.lower_bound:.6g}\n{self.status.value}"
        )


def rounding_level(coefficients: FloatArray, scale: float) -> float:
    r"""Return what float64 can't tell from zero in f - h: eps (max|f| + 2 sqrt(K + 1) Σ|c_k|).

    Clenshaw's recurrence makes K + 1 roundings, each of a partial sum of at most about
    :math:`\sum |c_k|`. Their signs vary, so they add up like a random walk; the 2 is for its
    two standard deviations.
    """
    walk = 2 * np.sqrt(coefficients.size) * np.abs(coefficients).sum()
    return float(EPS * (scale + walk))


def level_tolerance(lower_bound: float, rounding: float, degree: int) -> float:
    """Return by how much the error of a converged exchange may exceed its lower bound.

    It is sqrt(eps) of the bound: convergence is quadratic, so that one more exchange would change
    the level by eps of it, which is nothing. To that comes rounding, twice: once in the error and
    once in the bound. Without a bound, when all is rounding, it is the worst case of
    ``rounding_level``, which is sqrt(K + 1) times the random walk.
    """
    if lower_bound == 0:
        return float(np.sqrt(degree + 1)) * rounding
    return float(np.sqrt(EPS)) * lower_bound + 2 * rounding


def remez(
    response: ResponseLike,
    degree: int,
    *,
    bands: Iterable[tuple[float, float]] = WHOLE,
    weight: ResponseLike | None = None,
) -> Minimax:
    """Return the best uniform approximation of ``response`` on ``bands``, with its proof.

    Parameters
    ----------
    response
        f, called with arrays of points of the bands.
    degree
        K ≥ 0.
    bands
        Disjoint ascending intervals in [-1, 1]; nothing is asked of h between them.
    weight
        w, positive on the bands; one by default.

    Examples
    --------
    >>> result = remez(lambda lam: lam**3, 2)  # the best is x³ - T₃/4, with error 1/4
    >>> result.polynomial.coef.round(12) + 0, round(result.error, 12)
    (array([0.  , 0.75, 0.  ]), 0.25)
    """
    problem = _Problem(response, weight, _checked(bands), degree)
    points = problem.first_reference()
    error, lower_bound, exchanges = np.inf, 0.0, 0
    while exchanges < MAX_EXCHANGES:
        exchanges += 1
        try:
            h, level = problem.level(points)
        except np.linalg.LinAlgError:  # points have met: no further exchange can tell them apart
            break
        peaks = problem.peaks(h, points)
        points, lower = peaks.exchange(points, level)
        if (largest := float(np.abs(peaks.values).max())) < error:
            error, coefficients, extrema = largest, h, points
        rounding = problem.rounding(h)
        lower_bound = max(lower_bound, lower - rounding)
        if error - lower_bound <= level_tolerance(lower_bound, rounding, degree):
            break
    if not np.isfinite(error):
        raise FilterError(f"the bands are too narrow for degree {degree}: its points coincide")
    error = max(error, lower_bound)  # beside a jump sampling can miss a sliver of the error
    rounding = problem.rounding(coefficients)
    if rounding > np.sqrt(EPS) * problem.scale:  # half of the digits are lost
        status = RemezStatus.OVERGROWN
    elif error - lower_bound > level_tolerance(lower_bound, rounding, degree):
        status = RemezStatus.STALLED
    else:
        status = RemezStatus.CONVERGED if lower_bound > 0 else RemezStatus.ROUNDING
    return Minimax(
        Chebyshev(coefficients),
        error,
        lower_bound,
        extrema,
        rounding,
        exchanges,
        problem.bands,
        status,
    )


@dataclass(frozen=True)
class _Peaks:
    """The highest error in every run of one sign along the bands: signs alternate."""

    points: FloatArray
    values: FloatArray
    starts: FloatArray
    """Where the runs begin."""

    def exchange(self, reference: FloatArray, level: float) -> tuple[FloatArray, float]:
        """Step 3: return the next reference, and the lower bound that it proves."""
        height = np.abs(self.values)
        top = int(np.argmax(height))
        run = np.searchsorted(self.starts, reference, side="right") - 1
        steps = np.diff(run)
        if np.any(steps <= 0) or np.any(steps % 2 == 0):
            first = level < 0  # the signs that the error has but for rounding
            same = [(first + k) % 2 == (self.values[top] < 0) for k in range(reference.size)]
            return np.array(_insert(reference.tolist(), float(self.points[top]), same)), 0.0
        cuts = np.concatenate(([0], run[:-1] + (steps + 1) // 2, [height.size])).tolist()
        own = [
            max(range(low + (k - low) % 2, high, 2), key=height.__getitem__)
            for k, low, high in zip(run.tolist(), cuts[:-1], cuts[1:], strict=True)
        ]
        chosen = _insert(own, top, [(k - top) % 2 == 0 for k in own])
        return self.points[chosen], float(height[chosen].min())


def _insert(places: list[T], new: T, same_sign: list[bool]) -> list[T]:
    """Put ``new`` in the place of a neighbour of its sign, or at an end and drop the other end."""
    k = int(np.searchsorted(places, new))  # places[k - 1] < new <= places[k]
    if k < len(places) and same_sign[k]:
        return [*places[:k], new, *places[k + 1 :]]
    if k > 0 and same_sign[k - 1]:
        return [*places[: k - 1], new, *places[k:]]
    return [new, *places[:-1]] if k == 0 else [*places[1:], new]


class _Problem:
    """f, w, X and K, and the steps of the exchange on them."""

    def __init__(
        self, response: ResponseLike, weight: ResponseLike | None, bands: Bands, degree: int
    ) -> None:
        self.response, self.weight, self.bands, self.degree = response, weight, bands, degree
        grid = np.concatenate([_extrema(a, b, MIN_SAMPLES) for a, b in bands])
        self.scale = float(np.abs(self.error(np.zeros(1), grid)).max())
        self.heaviest = float(self.weights(grid).max())

    def weights(self, x: FloatArray) -> FloatArray:
        if self.weight is None:
            return np.ones(x.shape)
        w = evaluate(self.weight, x)
        if np.any(w <= 0):
            k = int(np.argmax(w <= 0))
            raise ResponseError(f"the weight is {w[k]} at λ = {x[k]:.17g}; it has to be positive")
        return w

    def error(self, coefficients: FloatArray, x: FloatArray) -> FloatArray:
        return self.weights(x) * (evaluate(self.response, x) - chebval(x, coefficients))

    def rounding(self, coefficients: FloatArray) -> float:
        return rounding_level(self.heaviest * coefficients, self.scale)

    def level(self, x: FloatArray) -> tuple[FloatArray, float]:
        """Step 1: return the coefficients of h and the level on a reference."""
        signs = (-1.0) ** np.arange(x.size)
        matrix = np.column_stack([chebvander(x, self.degree), signs / self.weights(x)])
        solution = np.linalg.solve(matrix, evaluate(self.response, x)).astype(np.float64)
        return solution[:-1], float(solution[-1])

    def first_reference(self) -> FloatArray:
        """Choose K + 2 points to start from.

        An even or odd response can have level zero on a symmetric reference, which says nothing.
        So a lopsided one stands beside it, and the larger level wins: every level is a lower
        bound for the best error.
        """
        symmetric = self._well_spread(self.degree + 2)
        lopsided = self._well_spread(self.degree + 3)[1:]
        try:
            return max(symmetric, lopsided, key=lambda x: abs(self.level(x)[1]))
        except np.linalg.LinAlgError:
            return symmetric

    def _well_spread(self, count: int) -> FloatArray:
        """Return points on which polynomials are well determined.

        On one band Chebyshev's; on several, the most independent rows of a Chebyshev-Vandermonde
        matrix, found by pivoted QR (approximate Fekete points).
        """
        if len(self.bands) == 1:
            return _extrema(*self.bands[0], count)
        grid = np.concatenate([_extrema(a, b, 4 * count) for a, b in self.bands])
        pivots = qr(chebvander(grid, count - 1).T, mode="r", pivoting=True)[-1]
        return np.sort(grid[pivots[:count]])

    def _samples(self, reference: FloatArray) -> FloatArray:
        """Points between band edges and neighbouring reference points, ascending."""
        pieces = []
        for a, b in self.bands:
            inside = reference[(reference > a) & (reference < b)]
            edges = np.concatenate(([a], inside, [b]))
            between = max(SAMPLES_BETWEEN, -(-MIN_SAMPLES // (edges.size - 1)))
            steps = np.diff(edges)[:, None] * (np.arange(between) / between)
            pieces += [(edges[:-1, None] + steps).ravel(), np.array([b])]
        return np.concatenate(pieces)

    def peaks(self, coefficients: FloatArray, reference: FloatArray) -> _Peaks:
        """Step 2: find the highest error in each run of one sign."""
        x = self._samples(reference)
        e = self.error(coefficients, x)
        sign = np.where(e < 0, -1.0, 1.0)
        turns = sign[1:] != sign[:-1]
        run = np.concatenate(([0], np.cumsum(turns)))
        first = np.isin(x, [a for a, _ in self.bands])
        last = np.isin(x, [b for _, b in self.bands])
        # heights are compared within a run and a band, so that each run has its peak
        height = np.abs(e)
        left = np.where(first | np.append(True, turns), -np.inf, np.roll(height, 1))
        right = np.where(last | np.append(turns, True), -np.inf, np.roll(height, -1))
        k = np.flatnonzero((height >= left) & (height >= right))
        low = np.where(first[k], x[k], x[k - 1])
        high = np.where(last[k], x[k], x[(k + 1) % x.size])
        middle, top = x[k], height[k]
        rows = np.arange(k.size)
        for _ in range(CLOSER):
            near = np.sort(np.column_stack([np.linspace(low, high, 9, axis=1), middle]), axis=1)
            heights = sign[k, None] * self.error(coefficients, near.ravel()).reshape(near.shape)
            j = heights.argmax(axis=1)
            middle, top = near[rows, j], heights[rows, j]
            low, high = near[rows, np.maximum(j - 1, 0)], near[rows, np.minimum(j + 1, 9)]
        order = np.lexsort((-top, run[k]))
        highest = order[np.flatnonzero(np.diff(run[k][order], prepend=-1))]
        starts = x[np.flatnonzero(np.append(True, turns))]
        return _Peaks(middle[highest], (sign[k] * top)[highest], starts)


def _extrema(a: float, b: float, count: int) -> FloatArray:
    """Return the ``count`` extrema of a Chebyshev polynomial on [a, b], ends exact."""
    # the sine is odd, so that the points lie symmetric to the last bit
    t = np.sin(np.pi * np.arange(1 - count, count, 2) / (2 * count - 2))
    x = (a + b) / 2 + (b - a) / 2 * t
    x[0], x[-1] = a, b
    return x


def _checked(bands: Iterable[tuple[float, float]]) -> Bands:
    """Refuse bands that are not disjoint ascending intervals in [-1, 1]."""
    try:
        pairs = tuple((float(a), float(b)) for a, b in bands)
    except (TypeError, ValueError) as error:
        raise FilterError(f"bands have to be pairs of numbers, not {bands!r}") from error
    if not pairs:
        raise FilterError("there are no bands: give at least one interval in [-1, 1]")
    for k, (a, b) in enumerate(pairs):
        if not -1 <= a < b <= 1:
            raise FilterError(f"band {k} is ({a!r}, {b!r}), which is no interval in [-1, 1]")
        if k and a <= pairs[k - 1][1]:
            raise FilterError(f"band {k} begins at {a!r}, before band {k - 1} has ended")
    return pairs
