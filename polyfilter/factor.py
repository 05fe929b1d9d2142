r"""Factors of degree two: paired, ordered, scaled (Theorem 1).

The map is

.. math::  h = \kappa \prod_i (x - r_i) \prod_j (x - z_j)(x - \bar z_j)
           \;\mapsto\; \theta \in \mathbb{R}^{L \times 3}, \quad
           h(x) = \prod_{l=1}^{L} (\theta_{l0} + \theta_{l1} x + \theta_{l2} x^2),
           \quad L = \lceil \deg h / 2 \rceil.

1. **Pair.** A conjugate pair is a factor by necessity. Of :math:`n` real roots in ascending order,
   root :math:`i` goes with root :math:`i + n/2`: far pairs are flat, near pairs dig a hole of
   double depth. If :math:`n` is odd the root of largest modulus stays alone, the one first-order
   layer. A root outside :math:`[-1, 1]` enters as :math:`1 - x/r`, so that roots near infinity do
   no harm.
2. **Order** by noise (:mod:`polyfilter.ordering`).
3. **Scale** each factor so that the partial product has maximum 1 on the points; the last one
   carries the constant, fitted to :math:`h` by least squares over all points.

What this costs in digits is told by three numbers. The **noise gain**
:math:`\max_l \max|P_l| \max|R_l| / \max|h|` bounds how rounding errors are amplified; the
**condition number** :math:`\max|h'| / \max|h|` is what *every* algorithm pays, since moving
:math:`A` by :math:`\varepsilon` moves :math:`h(A)` by :math:`\varepsilon |h'|`; the **predicted
error** follows the variance of the rounding errors, frequency by frequency, through the stack.

A constant has one layer, not the zero layers that :math:`\lceil 0/2 \rceil` would give: the empty
composition is the identity.

>>> from polyfilter.polynomial import as_filter
>>> from polyfilter.roots import roots
>>> h = as_filter([-1, 0, 0, 0, 1])                                   # x^4 - 1
>>> theta = factors(h, roots(h.chebyshev), np.linspace(-1, 1, 65))
>>> theta.shape, float(np.prod(theta.sum(axis=1)).round(12))              # h(1) = 0
((2, 3), 0.0)
"""

from collections.abc import Sequence
from fractions import Fraction

import flint
import numpy as np

from polyfilter.clenshaw import Complex, Real
from polyfilter.ordering import order
from polyfilter.polynomial import FilterPolynomial
from polyfilter.roots import Roots

__all__ = [
    "ExactFactor",
    "completed_square",
    "condition",
    "exact_factors",
    "factors",
    "grid",
    "noise_gain",
    "predicted_error",
    "reordered",
    "scaled",
]

ExactFactor = tuple[Fraction, Fraction, Fraction]
"""theta_0, theta_1, theta_2 of a layer, as fractions."""

EPS = float(np.finfo(np.float64).eps)


def grid(degree: int) -> Real:
    """The points that stand for [-1, 1]: 2K + 3 extrema of a Chebyshev polynomial, with both ends.

    By Ehlich and Zeller a polynomial of degree K is nowhere larger than sqrt(2) times its largest
    value there.

    Examples
    --------
    >>> grid(1).round(3).tolist()
    [-1.0, -0.707, -0.0, 0.707, 1.0]
    """
    n = 2 * degree + 2
    return -np.cos(np.pi * np.arange(n + 1) / n)


def factors(h: FilterPolynomial, found: Roots | None, points: Real) -> Real:
    """Return theta (L, 3) in float64: the factors of ``h``, first applied first.

    Parameters
    ----------
    h : FilterPolynomial
        The filter; its values fix the constant.
    found : Roots or None
        Its roots; None for a constant.
    points : array
        Where maxima are taken: the spectrum, or :func:`grid`.

    Examples
    --------
    >>> from polyfilter.polynomial import as_filter
    >>> from polyfilter.roots import roots
    >>> h = as_filter([6, 5, 1])                               # (x + 2)(x + 3)
    >>> factors(h, roots(h.chebyshev), grid(2)).round(12).tolist()
    [[6.0, 5.0, 1.0]]
    """
    if found is None or h.degree == 0:
        return np.array([[h.chebyshev[0], 0.0, 0.0]])
    q = _unit(_paired(found.real, found.upper), points)
    return scaled(q[order(q, points)], h, points)


def reordered(theta: Real, h: FilterPolynomial, points: Real) -> Real:
    """Order and scale given factors of ``h`` anew; join those of degree below two in pairs.

    Examples
    --------
    >>> from polyfilter.polynomial import as_filter
    >>> twice = np.array([[0.0, 1.0, 0.0], [0.0, 2.0, 0.0]])
    >>> reordered(twice, as_filter([0, 0, 2]), grid(2)).tolist()
    [[0.0, 0.0, 2.0]]
    """
    if h.degree == 0:
        return np.array([[h.chebyshev[0], 0.0, 0.0]])
    theta = theta[(theta[:, 1:] != 0).any(axis=1)]  # constants are in h already
    low = theta[theta[:, 2] == 0]
    if len(low) == 2:
        joined = np.polynomial.polynomial.polymul(low[0, :2], low[1, :2])
        theta = np.concatenate([theta[theta[:, 2] != 0], joined[None]])
    q = _unit(theta, points)
    linear = q[:, 2] == 0
    middle = np.where(linear, -q[:, 0], -q[:, 1] / 2) / np.where(linear, q[:, 1], q[:, 2])
    q = q[np.argsort(middle, kind="stable")]
    return scaled(q[order(q, points)], h, points)


def _linear(r: Complex) -> tuple[Complex, Complex]:
    """Coefficients of x - r, or of 1 - x/r outside the unit disc."""
    outside = np.abs(r) > 1
    one = np.ones_like(r)
    safe = np.where(outside, r, 1.0)
    return np.where(outside, one, -r), np.where(outside, -one / safe, one)


def _paired(real: Real, upper: Complex) -> Real:
    """Step 1, sorted by the angle of the (first) root."""
    alone = real[:0]
    if len(real) % 2:
        i = int(np.argmax(np.abs(real)))
        alone, real = real[i : i + 1], np.delete(real, i)
    half = len(real) // 2
    first = np.concatenate([real[:half], upper])
    second = np.concatenate([real[half:], upper.conj()])
    (a0, a1), (b0, b1) = _linear(first.astype(complex)), _linear(second.astype(complex))
    q = np.column_stack([a0 * b0, a0 * b1 + a1 * b0, a1 * b1]).real
    c0, c1 = _linear(alone.astype(complex))
    q = np.concatenate([q, np.column_stack([c0, c1, 0 * c1]).real])
    return q[np.argsort(np.concatenate([first, alone]).real, kind="stable")]


def _values(theta: Real, points: Real) -> Real:
    return theta[:, :1] + points * (theta[:, 1:2] + points * theta[:, 2:])


def _unit(q: Real, points: Real) -> Real:
    """Each factor over its maximum on the points; one that is zero on all of them as it is."""
    top = np.array([np.abs(_values(row[None], points)).max() for row in q])
    return q / np.where(top > 0, top, 1.0)[:, None]


def scaled(q: Real, h: FilterPolynomial, points: Real) -> Real:
    """Scale the factors, in the order given, so that partial products have maximum 1 (step 3).

    Examples
    --------
    >>> from polyfilter.polynomial import as_filter
    >>> q = np.array([[0.0, 5.0, 0.0], [0.0, 0.0, 7.0]])
    >>> scaled(q, as_filter([0, 0, 0, 1]), grid(3)).tolist()
    [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    """
    theta = q.copy()
    product = np.ones(len(points))
    for row in theta:
        value = product * (row[0] + points * (row[1] + points * row[2]))
        top = float(np.abs(value).max()) or 1.0  # a filter that is zero on all points
        row /= top
        product = value / top
    target = h(points)
    if product.any() and np.abs(target).max() > np.sqrt(EPS) * h.maximum:
        theta[-1] *= float(product @ target) / float(product @ product)
        return theta
    # h drowns in its own rounding on all points: take the constant from where |h| is largest
    x = grid(h.degree)
    at = x[int(np.argmax(np.abs(h(x))))]
    value = _values(theta, np.array([at]))[:, 0]
    size = np.exp(np.log(np.abs(h(at))) - np.log(np.abs(value)).sum())
    theta[-1] *= float(np.sign(h(at)) * np.prod(np.sign(value)) * size)
    return theta


def noise_gain(theta: Real, points: Real) -> float:
    r"""max over l of max|P_l| max|R_l| / max|h|, maxima over the points.

    Examples
    --------
    >>> noise_gain(np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]), grid(2))
    1.0
    """

    def log(row: Real) -> Real:  # taken twice, since all of them would fill memory at degree 8192
        with np.errstate(divide="ignore"):
            value: Real = np.log(np.abs(_values(row[None], points)[0]))
        return np.maximum(value, -700.0)  # that of a zero would turn differences into nan

    before, after = np.zeros(len(points)), np.zeros(len(points))
    for row in theta:
        after += log(row)
    top, worst = float(after.max()), 0.0
    for row in theta[:-1]:
        gain = log(row)
        before += gain
        after -= gain
        worst = max(worst, float(before.max() + after.max()) - top)
    return float(np.exp(min(worst, 700.0)))


def condition(h: FilterPolynomial, points: Real) -> float:
    """max|h'| / max|h| over the points: what every algorithm pays.

    Examples
    --------
    >>> from polyfilter.polynomial import as_filter
    >>> condition(as_filter([0, 0, 1]), grid(2))
    2.0
    """
    top = float(np.abs(h(points)).max())
    if top == 0:  # a filter that is zero on all points keeps no digit there
        return 0.0 if h.is_zero else float("inf")
    return float(np.abs(h.derivative(points)).max()) / top


def completed_square(row: Real) -> tuple[float, float, float] | None:
    r"""Return c, s, e with theta_0 + theta_1 x + theta_2 x^2 = c ((x - s)^2 + e), if |s| <= 2.

    A layer applied as :math:`u = (A - s) x`, :math:`y = c ((A - s) u + e x)` rounds :math:`u` where
    it is small: near the dip of a factor with roots close to the spectrum its noise is three times
    below that of the power form, and :math:`e`, the squared distance of the roots, keeps its
    relative accuracy. If the dip is well outside [-1, 1] there is nothing to gain and :math:`s` may
    be huge: then ``None``.

    Examples
    --------
    >>> completed_square(np.array([0.5, -1.0, 1.0]))
    (1.0, 0.5, 0.25)
    """
    zero, one, two = (float(t) for t in row)
    if two == 0 or abs(one) > 4 * abs(two):
        return None
    s = -one / (2 * two)
    return two, s, zero / two - s * s


def predicted_error(theta: Real, h: FilterPolynomial, points: Real, eps: float) -> float:
    r"""The relative error, in the mean square, that ``apply`` will show on a white signal.

    Each rounding is taken as independent with standard deviation :math:`0.4\,u`,
    :math:`u = \varepsilon / 2` (a uniform error of half an ulp, averaged over the binade), a sparse
    product as two of them. Noise of variance :math:`V` at a frequency is multiplied by
    :math:`q_l^2` there and joined by what the steps of the layer add, in the form in which
    ``apply`` takes them. To that come what rounding theta has changed, and the derivative times
    :math:`u` for the rounded matrix.

    Examples
    --------
    >>> from polyfilter.polynomial import as_filter
    >>> predicted_error(np.array([[0.0, 1.0, 0.0]]), as_filter([0, 1]), grid(1), 2.0**-52) < 1e-15
    True
    """
    target = h(points)
    top = float(np.abs(target).max())
    if top == 0:
        return 0.0 if h.is_zero and not theta.any() else float("inf")
    target = target / top  # squares of a filter of size 1e-200 would vanish
    theta = np.concatenate([theta[:-1], theta[-1:] / top])
    wanted = float((target * target).mean())
    variance = (0.4 * eps / 2) ** 2
    product, noise = np.ones(len(points)), np.zeros(len(points))
    with np.errstate(over="ignore", invalid="ignore"):
        for row in theta:
            state = product * product + noise
            gain = row[0] + points * (row[1] + points * row[2])
            product = product * gain
            noise = noise * gain * gain + variance * _injected(row, points, state)
        moved = float(((product - target) ** 2).mean())
        total = (float(noise.mean()) + moved) / wanted
    slope = float(((h.derivative(points) / top) ** 2).mean()) / wanted
    return float(np.sqrt(total + slope * variance)) if np.isfinite(total) else float("inf")


def _injected(row: Real, x: Real, state: Real) -> Real | float:
    """Variance that one layer adds, in units of one rounding, for a state of that variance."""
    once = float(state.mean())
    square = completed_square(row)
    if square is None:
        hops = 2 * float((x**2 * state).mean()), 3 * float((x**4 * state).mean())
        return float(row[0] ** 2 * once + row[1] ** 2 * hops[0] + row[2] ** 2 * hops[1])
    c, s, e = square
    u = (x - s) ** 2 * state
    first = 2 * float((x**2 * state).mean()) + s * s * once + float(u.mean())
    v = (x - s) ** 2 * u
    second = 2 * float((x**2 * u).mean()) + s * s * float(u.mean()) + float(v.mean())
    return c * c * ((x - s) ** 2 * first + second + e * e * once)


def exact_factors(a: Sequence[Fraction], points: Real) -> tuple[ExactFactor, ...] | None:
    """Factors with rational coefficients whose product is exactly sum a_k x^k, if there are any.

    They are ordered as floats would be and scaled by powers of two, which costs no digit; the last
    one carries the constant. ``None`` when an irreducible factor has a degree above two.

    Examples
    --------
    >>> for row in exact_factors([Fraction(a) for a in (-1, 0, 0, 0, 1)], grid(4)):
    ...     print(*row)
    1/2 0 1/2
    -2 0 2
    """
    if len(a) == 1:
        return ((a[0], Fraction(0), Fraction(0)),)
    lead, irreducible = flint.fmpq_poly(
        [flint.fmpq(b.numerator, b.denominator) for b in a]
    ).factor()
    linear: list[Fraction] = []
    quadratic: list[ExactFactor] = []
    for poly, multiplicity in irreducible:
        if poly.degree() > 2:
            return None
        c = [Fraction(int(b.p), int(b.q)) for b in poly.coeffs()]
        if len(c) == 2:
            linear += [-c[0] / c[1]] * int(multiplicity)
            lead *= poly[1] ** int(multiplicity)
        else:
            quadratic += [(c[0], c[1], c[2])] * int(multiplicity)
    linear.sort()
    q = list(quadratic)
    if len(linear) % 2:
        r = max(linear, key=abs)
        linear.remove(r)
        q.append((-r, Fraction(1), Fraction(0)))
    half = len(linear) // 2
    q += [(r * s, -(r + s), Fraction(1)) for r, s in zip(linear[:half], linear[half:], strict=True)]
    q.sort(key=lambda f: float(-f[1] / 2 if f[2] else -f[0]))
    float_q = _unit(np.array([[float(c) for c in f] for f in q]), points)
    chosen = [q[i] for i in order(float_q, points)]
    return _power_of_two_scaled(chosen, Fraction(int(lead.p), int(lead.q)), points)


def _power_of_two_scaled(
    q: list[ExactFactor], lead: Fraction, points: Real
) -> tuple[ExactFactor, ...]:
    product = np.ones(len(points))
    result: list[ExactFactor] = []
    constant = lead
    for f in q:
        value = product * _values(np.array([[float(c) for c in f]]), points)[0]
        top = float(np.abs(value).max()) or 1.0
        power = Fraction(2) ** int(-np.ceil(np.log2(top)))
        product = value * float(power)
        constant /= power
        result.append((f[0] * power, f[1] * power, f[2] * power))
    last = result[-1]
    result[-1] = (last[0] * constant, last[1] * constant, last[2] * constant)
    return tuple(result)
