r"""Best uniform approximation on finitely many points: Remez' exchange on a spectrum.

The map is

.. math::  (x, f) \mapsto \min_{\deg h \le K} \max_i |f_i - h(x_i)|,

with the proof that comes along: on any :math:`K+2` of the points, by de la Vallée Poussin, every
polynomial of degree K is somewhere off by

.. math::  \ell = \frac{\bigl|\sum_i (-1)^i |w_i| f_i\bigr|}{\sum_i |w_i|},
           \qquad w_i = \prod_{j \ne i} (x_i - x_j)^{-1}.

A graph has eigenvalues and no interval; where they leave gaps, less is asked of a polynomial. For
tens of thousands of points the exchange takes a few sums over them, where a linear programme would
hold them all.

Assumptions: points are ascending and distinct.

>>> x = np.linspace(-1, 1, 9)
>>> round(best_on_points(x, np.abs(x), 4).error, 6)                  # 0.067621 on all of [-1, 1]
0.066667
"""

from dataclasses import dataclass

import numpy as np
from numpy.polynomial.chebyshev import chebvander
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import qr

from polyfilter.clenshaw import Real

__all__ = ["BestOnPoints", "best_on_points", "level"]

Index = NDArray[np.int64]

MAX_EXCHANGES = 100
EXCHANGE_GAP = 1e-9
"""Relative distance of the error from the lower bound at which an exchange has converged."""
CHUNK = 1 << 14
"""Points that are evaluated at a time."""


def level(points: ArrayLike, values: ArrayLike) -> float:
    """Return an error that every polynomial of degree K has at some of K + 2 ascending points.

    Examples
    --------
    >>> level([-1.0, 0.0, 1.0], [1.0, 0.0, 1.0])             # |x| and straight lines
    0.5
    """
    x, f = np.asarray(points, dtype=np.float64), np.asarray(values, dtype=np.float64)
    return abs(_signed_level(_barycentric(x), f))


def _barycentric(x: Real) -> Real:
    """The weights w_i of ascending points, up to a factor: signs alternate."""
    log = np.log(np.abs(x[:, None] - x) + np.eye(len(x)))
    weight = -log.sum(axis=1)
    return np.asarray((-1.0) ** np.arange(len(x)) * np.exp(weight - weight.max()))


def _signed_level(weights: Real, f: Real) -> float:
    return float(weights @ f / np.abs(weights).sum())


@dataclass(frozen=True)
class BestOnPoints:
    """The best uniform approximation on finitely many points: what was reached, what can't be."""

    error: float
    lower_bound: float
    exchanges: int


def best_on_points(
    points: ArrayLike, values: ArrayLike, degree: int, tolerance: float | None = None
) -> BestOnPoints:
    r"""Return how close polynomials of degree K come to given values, at best.

    Remez' exchange on a finite set: :math:`K + 2` points carry a levelled error; the highest error
    in every run of one sign takes their place, runs are dropped where there are too many, and the
    level grows. Polynomials are held by their values on the reference (barycentric). Where points
    are so few that a polynomial of this degree runs away between them, float64 may not get to the
    end: then the bounds differ, and both are right.

    Parameters
    ----------
    points : array
        Ascending and distinct, more than K + 1 of them.
    values : array
        f there.
    degree : int
        K.
    tolerance : float, optional
        Stop as soon as it is known whether this can be reached.

    Examples
    --------
    >>> best_on_points([-1.0, -0.5, 0.0, 0.5, 1.0], [1.0, 0.5, 0.0, 0.5, 1.0], 2)
    BestOnPoints(error=0.125, lower_bound=0.125, exchanges=2)
    """
    x, f = np.asarray(points, dtype=np.float64), np.asarray(values, dtype=np.float64)
    if len(x) < degree + 2:
        return BestOnPoints(0.0, 0.0, 0)
    reference = _first_reference(x, f, degree + 2)
    error, lower, exchanges = np.inf, 0.0, 0
    rounding = 4 * (degree + 2) * float(np.finfo(np.float64).eps) * float(np.abs(f).max())
    while exchanges < MAX_EXCHANGES:
        exchanges += 1
        nodes = x[reference]
        weights = _barycentric(nodes)
        signed = _signed_level(weights, f[reference])
        levelled = f[reference] - signed * (-1.0) ** np.arange(degree + 2)
        deviation = f - _interpolated(nodes, weights, levelled, x)
        deviation[reference] = f[reference] - levelled
        error, lower = min(error, float(np.abs(deviation).max())), max(lower, abs(signed))
        if error <= lower * (1 + EXCHANGE_GAP) + rounding:
            break
        if tolerance is not None and (error <= tolerance or lower > tolerance):
            break
        reference = _exchanged(deviation, len(reference))
        if len(reference) < degree + 2:  # rounding has taken the signs
            break
    return BestOnPoints(error, lower, exchanges)


def _first_reference(x: Real, f: Real, count: int) -> Index:
    """Well spread points; lopsided ones where those have no level, as for an even f.

    An inner point is left out for that: without the outermost, polynomials run away there.
    """
    spread = _spread(x, count)
    nothing = count * float(np.finfo(np.float64).eps) * float(np.abs(f).max())
    if len(x) == count or level(x[spread], f[spread]) > nothing:
        return spread
    return np.delete(_spread(x, count + 1), count // 2 - 1)


def _spread(x: Real, count: int) -> Index:
    """The most independent of the points, by pivoted QR of some of them (Fekete, approximately)."""
    size = min(len(x), 16 * count)
    target = np.sin(np.pi * np.arange(1 - size, size, 2) / (2 * max(size, 2) - 2))
    near = np.unique(np.searchsorted(x, target).clip(0, len(x) - 1))
    if len(near) < 2 * count:  # gaps have swallowed them: take all there are, evenly
        near = np.unique(np.linspace(0, len(x) - 1, size).round().astype(np.int64))
    pivots = qr(chebvander(x[near], count - 1).T, mode="r", pivoting=True)[-1]
    return np.sort(near[pivots[:count]])


def _interpolated(nodes: Real, weights: Real, values: Real, x: Real) -> Real:
    """The barycentric formula, in chunks that fit in memory; at nodes it is not asked."""
    found = np.empty(len(x))
    for start in range(0, len(x), CHUNK):
        with np.errstate(divide="ignore", invalid="ignore"):
            part = weights / (x[start : start + CHUNK, None] - nodes)
            found[start : start + CHUNK] = part @ values / part.sum(axis=1)
    return found


def _exchanged(deviation: Real, count: int) -> Index:
    """The highest deviation of every run of one sign, and of too many runs not the lowest.

    Signs have to go on alternating, so the lowest goes alone at an end and else with a neighbour.
    The highest stays, and no deviation that stays is below the level: so the level grows.
    """
    sign = np.where(deviation < 0, -1, 1)
    starts = np.flatnonzero(np.append(True, sign[1:] != sign[:-1]))
    height = np.abs(deviation)
    peaks = [
        start + int(np.argmax(height[start:stop]))
        for start, stop in zip(starts, np.append(starts[1:], len(sign)), strict=True)
    ]
    while (excess := len(peaks) - count) > 0:
        tall = height[peaks]
        ends = (0, len(peaks) - 1)
        low = int(np.argmin(tall)) if excess > 1 else min(ends, key=tall.__getitem__)
        if low in ends:
            del peaks[low]
        else:
            low -= int(tall[low - 1] < tall[low + 1])
            del peaks[low : low + 2]
    return np.array(peaks, dtype=np.int64)
