r"""All roots of a Chebyshev series of high degree in :math:`O(K^2)` operations.

The map is :math:`c \mapsto \{ z : \sum_{k \le K} c_k T_k(z) = 0 \}`. The colleague matrix costs
:math:`O(K^3)` and blurs roots under the rounding level of the largest coefficient. Here, with
:math:`x = \cos\vartheta`, so that the roots are spread evenly, about :math:`K/\pi` a unit of
:math:`\vartheta`:

1. **Sample.** Cut :math:`[0, \pi]` into panels of about :data:`PANEL_ROOTS` roots and evaluate
   :math:`h` at Chebyshev nodes of every panel, compensated (:mod:`polyfilter.clenshaw`) where it
   is near rounding level. The colleague matrix of every panel's interpolant (small, all in one
   batched eigenvalue call) gives the roots close to it.
2. **Real roots.** Each sign change brackets one; Newton's method kept inside the bracket ends it.
3. **Near roots.** The complex ones among the roots of the interpolants are confirmed by compensated
   Newton steps; duplicates from neighbouring panels are dropped.
4. **Far roots.** The rest lie where the analytic continuation of :math:`h` is balanced by the last
   coefficients, :math:`|h| \approx |c_K|\, e^{K d} / 2`, at the angles that steps 2 and 3 left
   empty. From those starts the Ehrlich-Aberth iteration, plain at first, then compensated, with
   all known roots held in its sum.

Assumptions: at least degree 3, a last coefficient that is not zero, coefficients scaled to about 1.
Clusters and multiple roots converge slowly or not at all; the caller checks the product of the
factors and falls back (:mod:`polyfilter.roots`).

>>> c = np.zeros(41); c[40] = 1.0                          # T_40: all roots are cosines
>>> real, other = aberth(c)
>>> len(real), len(other)
(40, 0)
>>> cosines = np.cos(np.pi * (np.arange(40) + 0.5) / 40)
>>> bool(np.allclose(np.sort(real), np.sort(cosines), atol=1e-15))
True
"""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from polyfilter.clenshaw import Complex, Real, compensated_real, newton_correction, plain_real

__all__ = ["aberth"]

EPS = float(np.finfo(np.float64).eps)

PANEL_ROOTS = 8
PANEL_DEGREE = 32
"""Over 8 roots h oscillates like T_k of k <= 4 pi on the panel; degree 32 resolves that to 1e-7."""

LOUD = 1e4
"""A sample below LOUD times the rounding of plain evaluation is taken again, compensated."""

SETTLED = 1e-16
"""What a step may leave of the room to the next root: the step times its rate of convergence."""

MAX_STEPS = 100
BLOCK = 1 << 16
"""Entries of one block of pairwise differences: three of them stay in the second-level cache."""


def aberth(c: Real) -> tuple[Real, Complex]:
    """Return the real roots in (-1, 1) and all other roots, in no particular order.

    Parameters
    ----------
    c : array (K + 1,)
        Chebyshev coefficients, K >= 3, the last one not zero.

    Examples
    --------
    >>> real, other = aberth(np.array([3.0, 0.0, 0.0, 0.0, 1.0]))    # T_4(z) = -3
    >>> len(real), len(other)
    (0, 4)
    """
    degree = len(c) - 1
    middle, envelope, x, h, guesses = _panels(c)
    real = _bracketed(c, x, h, guesses)
    loud = envelope.min() > LOUD * EPS * np.abs(c).sum()
    upper = _near(c, guesses, "plain" if loud else "compensated")
    if degree < len(real) + 2 * len(upper):  # cannot happen unless h is noise: then trust nothing
        real, upper = real[:degree], upper[:0]
    near = np.concatenate([upper, upper.conj()])
    missing = degree - len(real) - len(near)
    far = _starts(c, np.arccos(real), np.arccos(upper.real.clip(-1, 1)), missing, middle, envelope)
    far = _iterate(c, far, np.concatenate([near, real.astype(complex)]), final=False)
    return real, _iterate(c, np.concatenate([far, near]), real.astype(complex), final=True)


def _panels(c: Real) -> tuple[Real, Real, Real, Real, Complex]:
    """Step 1: middles and envelope of |h| by panel, all samples, roots of the interpolants.

    The roots are given as angles, those within about one spacing of the interval.
    """
    count = -(-(len(c) - 1) // PANEL_ROOTS)
    half = np.pi / (2 * count)
    middle = np.pi * (np.arange(count) + 0.5) / count
    n = PANEL_DEGREE + 1
    angle = np.pi * (np.arange(n) + 0.5) / n
    theta = middle[:, None] - half * np.cos(angle)  # ascending in theta, as x descends
    x = np.cos(theta)
    h = plain_real(c, x.ravel()).reshape(x.shape)
    noise = EPS * np.abs(c).sum()
    quiet = np.abs(h).ravel() < LOUD * noise
    # a single low sample is next to a root: above the noise its sign is right, and that is enough
    alone = ~(np.append(quiet[1:], False) | np.append(False, quiet[:-1]))
    again = (quiet & ~(alone & (np.abs(h).ravel() > 10 * noise))).reshape(h.shape)
    if again.any():
        h[again] = compensated_real(c, x[again])[0]
    envelope = np.abs(h).max(axis=1)
    envelope[envelope == 0] = 1.0

    transform = 2 / n * np.cos(np.arange(n)[:, None] * (np.pi - angle))
    transform[0] /= 2
    a = (h / envelope[:, None]) @ transform.T
    lead = np.where(np.abs(a[:, -1:]) < EPS**2, EPS**2, a[:, -1:])
    k = np.arange(PANEL_DEGREE - 1)
    colleague = np.zeros((count, PANEL_DEGREE, PANEL_DEGREE))
    colleague[:, k, k + 1] = colleague[:, k + 1, k] = 0.5
    colleague[:, 0, 1] = 1.0
    colleague[:, -1] -= a[:, :-1] / (2 * lead)
    t = np.linalg.eigvals(colleague)
    trusted = (np.abs(t.real) <= 1.02) & (t.imag >= 0) & (t.imag < 0.6)
    return middle, envelope, x.ravel(), h.ravel(), (middle[:, None] + half * t)[trusted]


def _bracketed(c: Real, x: Real, h: Real, guesses: Complex) -> Real:
    """Step 2: one root for every sign change of the samples."""
    change = np.flatnonzero(np.sign(h[1:]) * np.sign(h[:-1]) < 0)
    hits = x[h == 0]
    a, b, ha, hb = x[change], x[change + 1], h[change], h[change + 1]
    root = a - ha * (b - a) / (hb - ha)
    # where exactly one root of an interpolant lies in the bracket, it is nearly exact
    known = np.sort(np.cos(guesses[guesses.imag == 0].real))
    first, last = np.searchsorted(known, np.minimum(a, b)), np.searchsorted(known, np.maximum(a, b))
    single = last == first + 1
    root[single] = known[first[single]]
    active, size = np.arange(len(root)), np.abs(c).sum()
    for _ in range(MAX_STEPS):
        if len(active) == 0:
            break
        y = root[active]
        value, slope = compensated_real(c, y)
        same = np.sign(value) == np.sign(ha[active])
        a[active] = np.where(same, y, a[active])
        b[active] = np.where(same, b[active], y)
        low, high = np.minimum(a[active], b[active]), np.maximum(a[active], b[active])
        with np.errstate(divide="ignore", invalid="ignore"):
            new = y - value / slope
        inside = (new >= low) & (new <= high)
        new = np.where(inside, new, (low + high) / 2)
        new = np.where(value == 0, y, new)
        root[active] = new
        step, room = np.abs(new - y), _spacing(c, new.astype(complex))
        # quadratic convergence, but for the slope, which is plain and in doubt in a stop band
        steep = np.abs(slope) * room
        rest = step * (step / room * steep + np.pi * EPS * size)
        settled = inside & (rest < SETTLED * room * steep)
        active = active[~settled & (step > 4 * EPS * np.abs(new))]
    return np.concatenate([root, hits])


def _spacing(c: Real, z: Complex) -> Real:
    """The distance that neighbouring roots near z have, pi/K in the angle."""
    degree = len(c) - 1
    stretch: Real = np.sqrt(np.abs(1 - z)) * np.sqrt(np.abs(1 + z))
    return np.pi / degree * np.maximum(stretch, 1 / degree)


def _near(c: Real, guesses: Complex, kernel: Literal["plain", "compensated"]) -> Complex:
    """Step 3: the guesses off the interval that two Newton steps confirm, each root once."""
    z = np.cos(guesses[guesses.imag > 1e-3 * np.pi / (len(c) - 1)]).conj()
    limit = 0.2
    for _ in range(2):
        if len(z) == 0:
            return z
        with np.errstate(all="ignore"):
            step = newton_correction(c, z, kernel)
        kept = np.abs(step) < limit * _spacing(c, z)  # false for nan
        z, limit = z[kept] - step[kept], 0.01
    z = z[z.imag > 1e-6 * _spacing(c, z)]
    z = z[np.argsort(z.real, kind="stable")]
    once = np.ones(len(z), dtype=bool)
    for shift in (1, 2, 3):
        once[shift:] &= np.abs(z[shift:] - z[:-shift]) > 1e-2 * _spacing(c, z[shift:])
    return z[once]


def _starts(c: Real, real: Real, near: Real, count: int, middle: Real, envelope: Real) -> Complex:
    """Step 4: angles where roots are missing, heights where h balances the last coefficients."""
    degree = len(c) - 1
    angle = np.concatenate([real, near])
    weight = np.concatenate([np.ones(len(real)), np.full(len(near), 2.0)])
    order = np.argsort(angle, kind="stable")
    edge = np.concatenate([[0.0], angle[order], [np.pi]])
    weight = np.concatenate([[0.0], weight[order], [0.0]])
    width = np.diff(edge)
    vacancy = np.maximum(width * degree / np.pi - (weight[1:] + weight[:-1]) / 2 - 0.5, 0)
    if vacancy.sum() == 0:
        vacancy = width
    filled = np.concatenate([[0.0], np.cumsum(vacancy)])
    pairs = (count + 1) // 2
    theta = np.interp((np.arange(pairs) + 0.5) / max(pairs, 1) * filled[-1], filled, edge)
    k = np.arange(max(1, degree - PANEL_ROOTS), degree + 1)
    with np.errstate(divide="ignore"):
        tail = np.log(np.abs(c[k]) / 2)
    level = np.interp(theta, middle, np.log(envelope))
    height = np.maximum(((level[:, None] - tail) / k).min(axis=1), 0.5 / degree)
    w: Complex = np.exp(height + 1j * theta)
    # The two halves are turned a little against each other: from exactly conjugate starts the
    # iteration could never split a pair into two real roots.
    w = np.concatenate([w, w.conj() * np.exp(0.1j / degree)])[:count]
    return (w + 1 / w) / 2


def _iterate(c: Real, z: Complex, known: Complex, *, final: bool) -> Complex:
    """Ehrlich-Aberth: z -= N / (1 - N sum_j 1/(z - z_j)), N = h/h', until nothing moves.

    The first phase (``final=False``) is plain and ends at 1e-12 or when a root stalls at the level
    where plain evaluation is noise; the last is compensated and ends when steps are settled.
    """
    z = z.copy()
    count, floor = len(z), 1 / len(c)
    others = np.concatenate([z, known])
    active = np.arange(count)
    best, last = np.full(count, np.inf), np.full(count, np.inf)
    stalled = np.zeros(count, dtype=np.int64)
    for _ in range(MAX_STEPS):
        if len(active) == 0:
            break
        here = z[active]
        with np.errstate(all="ignore"):
            newton = newton_correction(c, here, "compensated" if final else "plain")
            repulsion, gap = _repulsion(here, active, others)
            step = newton / (1 - newton * repulsion)
        step[~np.isfinite(step)] = floor  # a point on a critical point of h: nudge it
        z[active] = others[active] = here - step
        size = np.abs(step) / np.maximum(np.abs(here), floor)
        stall = size > best[active] / 2
        stalled[active] = np.where(stall, stalled[active] + 1, 0)
        best[active] = np.minimum(best[active], size)
        if final:
            room, length = np.minimum(gap, _spacing(c, here)), np.abs(step)
            rate = np.maximum(length / room, length / last[active])
            done = (length * rate < SETTLED * room) | (size < np.where(stall, 1e-12, 64 * EPS))
            last[active] = length
        else:
            done = (size < 1e-12) | (stalled[active] >= np.where(size < 1e-9, 2, 10))
        active = active[~done]
    return z


def _repulsion(here: Complex, index: NDArray[np.int64], others: Complex) -> tuple[Complex, Real]:
    """sum_{j != i} 1 / (z_i - z_j), and the distance to the nearest of the z_j.

    In real arithmetic, which takes a third of the time of complex division.
    """
    total, nearest = np.empty_like(here), np.empty(len(here))
    x, y = others.real.copy(), others.imag.copy()
    rows = max(1, BLOCK // len(others))
    for start in range(0, len(here), rows):
        part = slice(start, start + rows)
        dx = here.real[part, None] - x
        dy = here.imag[part, None] - y
        weight = dx * dx
        weight += dy * dy
        weight[np.arange(len(weight)), index[part]] = np.inf
        nearest[part] = np.sqrt(weight.min(axis=1))
        np.reciprocal(weight, out=weight)
        total.real[part] = np.einsum("ij,ij->i", dx, weight)
        total.imag[part] = -np.einsum("ij,ij->i", dy, weight)
    return total, nearest
