r"""The order of the factors: every prefix a miniature of the whole.

The map is :math:`\{q_1, \dots, q_L\} \mapsto` a permutation. After layer :math:`l` the state of a
cascade is :math:`P_l = q_1 \cdots q_l` and :math:`R_l = q_{l+1} \cdots q_L` is still to come. A
layer rounds a vector that mixes all frequencies, so its error is white, about
:math:`\varepsilon \lVert P_l \rVert`, and leaves the cascade multiplied by :math:`R_l`. If
:math:`|P_l| \approx |h|^{l/L}` at all frequencies, then nothing is ever amplified. That is a
discrepancy problem: the prefix has to hold its share of the roots everywhere.

The algorithm, for a reader who wants to check it:

1. **Start.** Sort the factors by the angle of their roots. Write
   :math:`\delta_i = \log|q_i| - \frac1L \log|h|`, taken on an ellipse a few root spacings around
   the spectrum, where logarithms have no poles.
2. **Halve.** The split in the middle decides :math:`P_{L/2}`: of every two neighbours one goes left
   and one right. Choose the signs one after the other, so that the potential
   :math:`\sum_x \cosh(\beta \sum_{i \in \text{left}} \delta_i(x))` grows least; then halve both
   halves, each time with what lies left of it in the sum. Every prefix is the left side of one
   split. Neighbours differ only locally, so the discrepancy stays bounded; bit reversal (van der
   Corput) is this with blind signs. :math:`O(L \log L)` logarithms of :math:`O(K)` points, where
   greedy choice costs :math:`O(L^2)`.
3. **Polish.** In a window of consecutive factors the :math:`w!` orders run through :math:`2^w`
   prefixes. With the squares :math:`Q_S` of all partial products as rows of one matrix, the noise
   that each step adds is two matrix-vector products, and the best order is a shortest path. Slide
   the window by half its width. Passing through the prefix S costs

   .. math::  \operatorname{mean}(P_S^2 + V_S) \cdot \operatorname{mean}(R_S^2),

   with :math:`V` the noise that is already in the state. Without :math:`V` an order is chosen whose
   noise swells to :math:`10^4` times the signal in the stop band half-way and is damped later:
   harmless in exact arithmetic, fatal in float32, since the swollen noise is rounded too.

Assumptions: factors scaled to maximum 1 on the points.

>>> roots = np.cos(np.pi * (np.arange(8) + 0.5) / 8)                 # T_8, one pair a factor
>>> q = np.array([[r * s, -(r + s), 1.0] for r, s in zip(roots[:4], roots[4:])])
>>> sorted(order(q, np.linspace(-1, 1, 33)).tolist())
[0, 1, 2, 3]
"""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from polyfilter.clenshaw import Real

__all__ = ["order"]

Index = NDArray[np.int64]
Single = NDArray[np.float32]

BETA = 1.0
"""Steepness of the potential; results change little between 1 and 3."""
HEIGHT = 4.0
"""Distance of the ellipse from the spectrum in units of 1/K: about one spacing of the roots."""
NOISE = 1e-7
"""Rounding error of a layer, for V: that of float32, so that an order serves both precisions."""
FLOOR = 1e-30
"""Squares are kept above this: they would be denormal in float32, and slow."""
SMALL = 256
"""Stacks up to this depth get four passes with windows of 8 factors, deeper ones one of 6."""


def order(q: Real, points: Real) -> Index:
    """Return a permutation of the rows of ``q`` with small noise gain on ``points``.

    Parameters
    ----------
    q : array (L, 3)
        Factors q_0 + q_1 x + q_2 x^2, each of maximum about 1 on the points, sorted by angle.
    points : array (n,)
        The spectrum, or a grid of [-1, 1].

    Examples
    --------
    >>> order(np.array([[1.0, 0.0, 0.0]]), np.zeros(1)).tolist()
    [0]
    """
    if len(q) == 1:
        return np.zeros(1, dtype=np.int64)
    found = _halved(_deviations(q, points))
    width, passes = (8, 4) if len(q) <= SMALL else (6, 1)
    width = min(len(q), width)
    thin = _thin(points, _enough(len(q)))
    for sweep in range(passes):
        found = _polished(q, found, thin, width, stride=max(1, width // 2 - sweep % 2))
    return found


def _enough(depth: int) -> int:
    """How many points stand for the spectrum: one a root, for deep stacks one a factor."""
    return 2 * depth + 1 if depth <= SMALL else depth + 1


def _thin(points: Real, count: int) -> Real:
    """At most about ``count`` of the points, evenly by rank, the outermost always among them."""
    if len(points) <= count:
        return points
    keep = np.linspace(0, len(points) - 1, count).round().astype(np.int64)
    return np.sort(points)[keep]


def _deviations(q: Real, points: Real) -> Single:
    """Step 1: log|q_i| minus its share of log|h|, on the ellipse."""
    x = _thin(points, _enough(len(q)))
    z = np.cos(np.arccos(x.clip(-1, 1)) + 1j * HEIGHT / (2 * len(q) + 1))
    log = np.empty((len(q), len(z)), dtype=np.float32)
    for row, (a, b, c) in zip(log, q, strict=True):
        row[:] = np.log(np.abs(a + z * (b + z * c)))
    log -= log.mean(axis=0, dtype=np.float64).astype(np.float32)
    return log


def _halved(delta: Single) -> Index:
    """Step 2: signed halving, without recursion limits: a stack of (factors, what lies left)."""
    found: list[int] = []
    todo: list[tuple[Index, Real]] = [
        (np.arange(len(delta)), np.zeros(delta.shape[1], dtype=np.float64))
    ]
    while todo:
        block, before = todo.pop()
        if len(block) == 1:
            found.append(int(block[0]))
            continue
        left, right = _split(delta, block, before)
        todo.append((right, before + delta[left].sum(axis=0)))
        todo.append((left, before))
    return np.array(found, dtype=np.int64)


def _split(delta: Single, block: Index, before: Real) -> tuple[Index, Index]:
    total = before + delta[block].sum(axis=0) / 2
    up = np.exp(np.clip(BETA * total, -30, 30)).astype(np.float32)
    down = 1 / up
    first, second = block[0 : len(block) - 1 : 2], block[1 : len(block) : 2]
    half = np.float32(BETA / 2) * (delta[first] - delta[second])
    if len(block) % 2:  # the odd one is weighed against nothing
        first, second = np.append(first, block[-1]), np.append(second, -1)
        half = np.concatenate([half, np.float32(BETA / 2) * delta[block[-1:]]])
    flip = np.zeros(len(first), dtype=bool)
    for i, grow in enumerate(np.exp(half.clip(-8, 8))):  # products of a few stay within float32
        shrink = 1 / grow
        flip[i] = up @ grow + down @ shrink > up @ shrink + down @ grow
        if flip[i]:
            grow, shrink = shrink, grow
        up *= grow
        down *= shrink
    left, right = np.where(flip, second, first), np.where(flip, first, second)
    return np.sort(left[left >= 0]), np.sort(right[right >= 0])


def _polished(q: Real, found: Index, x: Real, width: int, stride: int) -> Index:
    """Step 3: the best order inside a window that slides along the stack."""
    found = found.copy()
    depth = len(found)

    def square(i: int) -> Real:
        value: Real = q[i, 0] + x * (q[i, 1] + x * q[i, 2])
        return np.maximum(value * value, FLOOR)

    log_rest = np.zeros(len(x))
    for i in found[width:]:
        log_rest += np.log(square(i))
    signal, noise = np.ones(len(x)), np.zeros(len(x))  # P^2 and V before the window
    products = np.empty((1 << width, len(x)), dtype=np.float32)
    products[0] = 1
    start = 0
    for target in [*range(0, depth - width, stride), depth - width]:
        for k in range(start, target):
            gain = square(found[k])
            signal *= gain
            noise *= gain
            top = signal.max()
            signal /= top
            noise /= top
            noise += NOISE**2 * (signal.mean() + noise.mean())
            np.maximum(signal, FLOOR, out=signal)
            log_rest -= np.log(square(found[k + width]))
        start = target
        window = found[start : start + width]
        for i, factor in enumerate(window):
            more = products[1 << i : 2 << i]
            np.multiply(products[: 1 << i], square(factor).astype(np.float32), out=more)
            np.maximum(more, FLOOR, out=more)
        rest = np.exp(log_rest - log_rest.max())
        before = products @ (signal + noise).astype(np.float32)
        after = (products @ np.maximum(rest, FLOOR).astype(np.float32))[::-1]
        found[start : start + width] = window[_shortest(before * after, width)]
    return found


@lru_cache(maxsize=8)
def _subsets(width: int) -> list[tuple[Index, Index, Index]]:
    """For every size k: the subsets of that size, their k predecessors, the bits that differ."""
    levels = []
    for size in range(1, width + 1):
        sets = [s for s in range(1 << width) if s.bit_count() == size]
        bits = np.array([[i for i in range(width) if s >> i & 1] for s in sets])
        levels.append((np.array(sets), np.array(sets)[:, None] ^ (1 << bits), bits))
    return levels


def _shortest(price: Single, width: int) -> Index:
    """The cheapest path from the empty set to the full one, a price for every set on the way."""
    cost = np.zeros(len(price))
    last = np.zeros(len(price), dtype=np.int64)
    for sets, origin, bits in _subsets(width):
        best = cost[origin].argmin(axis=1)
        rows = np.arange(len(sets))
        cost[sets] = cost[origin[rows, best]] + price[sets]
        last[sets] = bits[rows, best]
    state, path = len(price) - 1, []
    while state:
        path.append(int(last[state]))
        state ^= 1 << path[-1]
    return np.array(path[::-1], dtype=np.int64)
