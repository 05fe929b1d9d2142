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
3. **Scale** each factor so that the partial product has maximum 1 on the points, up to a factor of
   :math:`\sqrt 2` that is chosen so that rounding the coefficients moves :math:`h` least
   (:mod:`polyfilter.rounding`). The constant is fitted to :math:`h` by least squares over all
   points; its power of two goes into the last factor and the rest into the least sensitive one.

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
from polyfilter.rounding import least_sensitive, rounded, sensitivity
from polyfilter.squares import (
    completed_square,
    completed_squares,
    layer,
    product,
    two_product,
    two_sum,
)

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

FORM_POINTS = 512
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
    high, low = _paired(found.real, found.upper)
    chosen = order(_unit(high, points), points)
    return scaled(high[chosen], h, points, low[chosen])


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
    flat = (theta[:, 1:] == 0).all(axis=1)
    constant, theta = float(np.prod(theta[flat, 0])), theta[~flat]
    sizes = np.frexp(np.abs(theta).max(axis=1))[1]
    theta = np.ldexp(theta, -sizes[:, None])  # powers of two cost no digit
    low = theta[theta[:, 2] == 0]
    if len(low) == 2:
        joined = np.polynomial.polynomial.polymul(low[0, :2], low[1, :2])
        theta = np.concatenate([theta[theta[:, 2] != 0], joined[None]])
    linear = theta[:, 2] == 0
    middle = np.where(linear, -theta[:, 0], -theta[:, 1] / 2)
    theta = theta[np.argsort(middle / np.where(linear, theta[:, 1], theta[:, 2]), kind="stable")]
    theta = theta[order(_unit(theta, points), points)]
    exponents = np.rint(np.log2(_scales(theta, points))).astype(np.int64)
    theta = np.ldexp(theta, exponents[:, None])
    forms = sensitivity(theta, points)
    return _carried(theta, forms, constant, int(sizes.sum() - exponents.sum()))


def _linear(r: Real) -> tuple[Real, Real]:
    """Coefficients of x - r times a power of two that brings them into [-1, 1]."""
    exponent = np.maximum(np.frexp(np.abs(r))[1], 0)
    return np.ldexp(-r, -exponent), np.ldexp(np.ones_like(r), -exponent)


def _paired(real: Real, upper: Complex) -> tuple[Real, Real]:
    """Step 1, sorted by the angle of the (first) root: rows, and what floats lack of them."""
    alone = real[:0]
    if len(real) % 2:
        i = int(np.argmax(np.abs(real)))
        alone, real = real[i : i + 1], np.delete(real, i)
    half = len(real) // 2
    (a0, a1), (b0, b1), (c0, c1) = map(_linear, (real[:half], real[half:], alone))
    zero, zero_error = two_product(a0, b0)
    one, one_error = two_sum(a0 * b1, a1 * b0)
    high, low = [(zero, one, a1 * b1)], [(zero_error, one_error, 0 * one)]
    high.append((c0, c1, 0 * c1))
    low.append((0 * c1, 0 * c1, 0 * c1))
    exponent = np.maximum(np.frexp(np.abs(upper))[1], 0)
    x, y = np.ldexp(upper.real, -exponent), np.ldexp(upper.imag, -exponent)
    (xx, xx_error), (yy, yy_error) = two_product(x, x), two_product(y, y)
    zero, zero_error = two_sum(xx, yy)
    lead = np.ldexp(np.ones_like(x), -exponent)
    high.append((zero, -2 * x * lead, lead * lead))
    low.append((zero_error + xx_error + yy_error, 0 * x, 0 * x))
    chosen = np.argsort(np.concatenate([real[:half], alone, upper.real]), kind="stable")
    rows, lacks = (np.concatenate([np.column_stack(part) for part in s]) for s in (high, low))
    return rows[chosen], lacks[chosen]


def _values(theta: Real, points: Real) -> Real:
    return theta[:, :1] + points * (theta[:, 1:2] + points * theta[:, 2:])


def _unit(q: Real, points: Real) -> Real:
    """Each factor over its maximum on the points; one that is zero on all of them as it is."""
    top = np.array([np.abs(_values(row[None], points)).max() for row in q])
    return q / np.where(top > 0, top, 1.0)[:, None]


def scaled(q: Real, h: FilterPolynomial, points: Real, low: Real | None = None) -> Real:
    """Scale the factors, in the order given, so that partial products have maximum 1 (step 3).

    ``low`` is what floats lack of the factors, for those who know.

    Examples
    --------
    >>> from polyfilter.polynomial import as_filter
    >>> q = np.array([[0.0, 5.0, 0.0], [0.0, 0.0, 7.0]])
    >>> scaled(q, as_filter([0, 0, 0, 1]), grid(3)).tolist()
    [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    """
    scales = _scales(q, points)[:, None]
    high, error = two_product(scales, q)
    error += 0 if low is None else scales * low
    # a mean square needs no more points than this
    forms = sensitivity(high, points[:: max(1, len(points) // FORM_POINTS)])
    theta = rounded(high, forms, error, np.float64)
    return _carried(theta, forms, *_constant(theta, h, points))


def _scales(q: Real, points: Real) -> Real:
    """The scales with which all partial products have maximum 1."""
    scales = np.ones(len(q))
    state = np.ones(len(points))
    for l, row in enumerate(q):  # noqa: E741 (the paper's letter)
        value = state * _values(row[None], points)[0]
        top = float(np.abs(value).max()) or 1.0  # a filter that is zero on all points
        scales[l] /= top
        state = value / top
    return scales


def _constant(theta: Real, h: FilterPolynomial, points: Real) -> tuple[float, int]:
    """What is missing between the product and h, as a number near 1 and a power of two."""
    exponent = int(np.frexp(h.maximum)[1])
    value, target = product(theta, points), np.ldexp(h(points), -exponent)
    if value.any() and np.ldexp(np.abs(target).max(), exponent) > np.sqrt(EPS) * h.maximum:
        return float(value @ target) / float(value @ value), exponent
    # h drowns in its own rounding on all points: take the constant from where |h| is largest
    x = grid(h.degree)
    at = x[np.argmax(np.abs(h(x)))]
    values = _values(theta, np.array([at]))[:, 0]
    size = np.exp(np.log(np.abs(np.ldexp(h(at), -exponent))) - np.log(np.abs(values)).sum())
    return float(np.sign(h(at)) * np.prod(np.sign(values)) * size), exponent


def _carried(theta: Real, forms: Real, constant: float, exponent: int) -> Real:
    """Give constant times 2^exponent to the rows: the power of two to the last one."""
    mantissa, more = np.frexp(constant)
    theta[least_sensitive(theta, forms)] *= 2 * mantissa
    theta[-1] = np.ldexp(theta[-1], exponent + int(more) - 1)
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
    top = np.abs(target).max()
    if top == 0:
        return 0.0 if h.is_zero and not theta.any() else float("inf")
    exponent = -np.frexp(top)[1]  # squares of a filter of size 1e-200 would vanish
    target = np.ldexp(target, exponent)
    theta = np.concatenate([theta[:-1], np.ldexp(theta[-1:], exponent)])
    wanted = float((target * target).mean())
    variance = (0.4 * eps / 2) ** 2
    signal, noise = np.ones(len(points)), np.zeros(len(points))
    with np.errstate(over="ignore", invalid="ignore"):
        for row, square in zip(theta, completed_squares(theta), strict=True):
            state = signal * signal + noise
            gain = layer(row, square, points)
            signal = signal * gain
            noise = noise * gain * gain + variance * _injected(row, square, points, state)
        moved = float(((signal - target) ** 2).mean())
        total = (float(noise.mean()) + moved) / wanted
    slope = float((np.ldexp(h.derivative(points), exponent) ** 2).mean()) / wanted
    return float(np.sqrt(total + slope * variance)) if np.isfinite(total) else float("inf")


def _injected(row: Real, square: Real, x: Real, state: Real) -> Real | float:
    """Variance that one layer adds, in units of one rounding, for a state of that variance."""
    once = float(state.mean())
    c, s, e = square
    if np.isnan(c):
        hops = 2 * float((x**2 * state).mean()), 3 * float((x**4 * state).mean())
        return float(row[0] ** 2 * once + row[1] ** 2 * hops[0] + row[2] ** 2 * hops[1])
    u = (x - s) ** 2 * state
    first = 2 * float((x**2 * state).mean()) + s * s * once + float(u.mean())
    v = (x - s) ** 2 * u
    second = 2 * float((x**2 * u).mean()) + s * s * float(u.mean()) + float(v.mean())
    added: Real = c * c * ((x - s) ** 2 * first + second + e * e * once)
    return added


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
    q: list[ExactFactor] = []
    for poly, multiplicity in irreducible:
        if poly.degree() > 2:
            return None
        c = [Fraction(int(b.p), int(b.q)) for b in poly.coeffs()]
        if len(c) == 2:
            linear += [-c[0] / c[1]] * int(multiplicity)
            lead *= poly[1] ** int(multiplicity)
        else:
            q += [(c[0], c[1], c[2])] * int(multiplicity)
    linear.sort()
    if len(linear) % 2:
        r = max(linear, key=abs)
        linear.remove(r)
        q.append((-r, Fraction(1), Fraction(0)))
    half = len(linear) // 2
    q += [(r * s, -(r + s), Fraction(1)) for r, s in zip(linear[:half], linear[half:], strict=True)]
    q.sort(key=lambda f: -f[1] / (2 * f[2]) if f[2] else -f[0] / f[1])
    constant = Fraction(int(lead.p), int(lead.q))
    for i, f in enumerate(q):  # roots at 1e600 are no floats, but their factors can be
        size = max(map(abs, f))
        power = Fraction(2) ** (size.numerator.bit_length() - size.denominator.bit_length())
        q[i] = (f[0] / power, f[1] / power, f[2] / power)
        constant *= power
    float_q = _unit(np.array([[float(c) for c in f] for f in q]), points)
    return _power_of_two_scaled([q[i] for i in order(float_q, points)], constant, points)


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
    zero, one, two = result.pop()
    return (*result, (zero * constant, one * constant, two * constant))
