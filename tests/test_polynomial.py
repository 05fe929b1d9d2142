"""Everything that people hold as a polynomial becomes the same filter, and says what it lost.

The truth is exact: fractions all the way, and floats compared with the rounding of a fraction.
"""

from decimal import Decimal
from fractions import Fraction
from math import comb, factorial

import numpy as np
import pytest
import sympy
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.polynomial import Chebyshev, Hermite, Laguerre, Legendre, Polynomial

from polyfilter.design import interpolate
from polyfilter.errors import FilterError
from polyfilter.polynomial import (
    TRIM,
    FilterPolynomial,
    as_filter,
    chebyshev_from_power,
    power_from_chebyshev,
    sample,
)
from polyfilter.responses import band_pass, high_pass

EPS = float(np.finfo(np.float64).eps)
UNDERFLOW = 1e-300
x, y = sympy.symbols("x y")

rationals = st.fractions(min_value=-100, max_value=100, max_denominator=1000)
rows = st.lists(rationals, min_size=1, max_size=9)
floats = st.lists(st.floats(-1e3, 1e3), min_size=1, max_size=9)


def rounding_of(h, degree):
    """Bound Clenshaw's recurrence on [-1, 1]: K steps of three roundings, each seen K-fold."""
    return 3 * (degree + 1) ** 2 * EPS * float(np.abs(h.chebyshev).sum()) + UNDERFLOW


def same(h, values, where=None):
    """Say whether a filter takes the values of a function, to the rounding of its evaluation."""
    points = np.linspace(-1, 1, 41) if where is None else where
    truth = np.array([float(values(Fraction(p))) for p in points])
    slack = rounding_of(h, h.degree) + EPS * np.abs(truth)
    return bool((np.abs(h(points) - truth) <= slack).all())


def horner(a, at):
    """Evaluate sum a_k x^k in fractions."""
    value = Fraction(0)
    for ak in reversed(a):
        value = value * at + Fraction(ak)
    return value


# ------------------------------------------------------------------------- exact conversions


@given(rows)
@example([Fraction(0)])
@example([Fraction(0), Fraction(0), Fraction(0)])
def test_to_chebyshev_and_back(a):
    c = chebyshev_from_power(a)
    assert len(c) == len(a)
    assert power_from_chebyshev(c) == a


@given(rows)
def test_to_power_and_back(c):
    assert chebyshev_from_power(power_from_chebyshev(c)) == c


@given(rows, rationals)
def test_a_conversion_keeps_the_values(a, at):
    c = chebyshev_from_power(a)
    before, here = Fraction(1), at
    value = c[0]
    for ck in c[1:]:
        value += ck * here
        before, here = here, 2 * at * here - before
    assert value == horner(a, at)


@pytest.mark.parametrize("n", [0, 1, 2, 7, 40, 150])
def test_powers_of_x(n):
    # x^n = 2^(1-n) sum C(n, j) T_{n-2j}, the constant halved
    truth = [Fraction(0)] * (n + 1)
    for j in range(n // 2 + 1):
        truth[n - 2 * j] = Fraction(2 * comb(n, j), 2**n) / (2 if n == 2 * j else 1)
    assert chebyshev_from_power([Fraction(0)] * n + [Fraction(1)]) == truth


@pytest.mark.parametrize("n", [1, 2, 5, 33])
def test_one_chebyshev_polynomial(n):
    a = power_from_chebyshev([Fraction(0)] * n + [Fraction(1)])
    assert a[-1] == 2 ** (n - 1)
    assert horner(a, Fraction(1)) == 1
    assert horner(a, Fraction(-1)) == (-1) ** n


# --------------------------------------------------------------------------- kinds of input


@given(rows)
def test_fractions_are_exact(a):
    h = as_filter(a)
    degree = max((k for k, ak in enumerate(a) if ak), default=0)
    assert h.exact == tuple(a[: degree + 1])
    assert h.degree == degree
    assert h.trimmed == len(a) - 1 - degree
    assert h.chebyshev.tolist() == [float(c) for c in chebyshev_from_power(a)[: degree + 1]]


@pytest.mark.parametrize(
    "given_as",
    [
        [1, 0, 2],
        (1, 0, 2),
        [True, False, 2],
        [Fraction(1), 0, Fraction(2)],
        [np.int64(1), np.int8(0), np.uint16(2)],
        np.array([1, 0, 2]),
        np.array([1, 0, 2], dtype=np.int8),
        np.array([Fraction(1), 0, 2], dtype=object),
        [Decimal("1.0"), Decimal(0), Decimal(2)],
        (k for k in (1, 0, 2)),
        [sympy.Integer(1), sympy.Integer(0), sympy.Rational(2)],
        np.poly1d([2, 0, 1]),  # descends
        sympy.Poly(2 * x**2 + 1),
        sympy.Poly(2 * x**2 + 1, x, domain="QQ"),
        2 * y**2 + 1,
        Polynomial([Fraction(1), Fraction(0), Fraction(2)]),
    ],
)
def test_exact_input_keeps_its_twin(given_as):
    h = as_filter(given_as)
    assert h.exact == (1, 0, 2)
    assert all(isinstance(a, Fraction) for a in h.exact)
    assert h.chebyshev.tolist() == [2.0, 0.0, 1.0]
    assert repr(h) == "FilterPolynomial(degree=2, max=3, exact)"


@pytest.mark.parametrize(
    "given_as",
    [
        [1.0, 0, 2],
        np.array([1.0, 0.0, 2.0]),
        np.array([1, 0, 2], dtype=np.float32),
        [np.float32(1), np.float16(0), np.longdouble(2)],
        np.poly1d([2.0, 0.0, 1.0]),
        Polynomial([1, 0, 2]),
        Polynomial([1, 0, 2], domain=[0, 3], window=[0, 3]),
        Chebyshev([2, 0, 1]),
        Chebyshev([2, 0, 1], domain=[-3, 2], window=[-3, 2]),
        1.0 + 2 * x**2,
    ],
)
def test_floats_have_no_twin(given_as):
    h = as_filter(given_as)
    assert h.exact is None
    assert h.chebyshev.tolist() == [2.0, 0.0, 1.0]


@given(floats)
@example([0.1])
@example([1e-300, 1e300])
@example([2.0, 5e-324])
def test_power_coefficients_are_rounded_once(a):
    h = as_filter(a, trim=0)
    truth = [float(c) for c in chebyshev_from_power([Fraction(v) for v in a])]
    assert h.chebyshev.tolist() == truth[: h.degree + 1]
    assert not any(truth[h.degree + 1 :])


@given(
    floats,
    st.floats(-10, 10).flatmap(lambda low: st.tuples(st.just(low), st.floats(low + 1, 30))),
)
def test_a_polynomial_on_another_domain(a, domain):
    # past bug: numpy moves power coefficients in floats
    d0, d1 = map(Fraction, domain)
    scale = 2 / (d1 - d0)
    h = as_filter(Polynomial(a, domain=domain), trim=0)
    assert same(h, lambda at: horner(a, scale * (at - d0) - 1))


def test_a_polynomial_of_high_degree_on_another_domain_keeps_all_digits():
    # T_60 on [0, 2], by its power coefficients: numpy's own way loses everything
    power = [float(a) for a in power_from_chebyshev([0] * 60 + [1])]
    h = as_filter(Polynomial(power, domain=[-1, 1], window=[0, 2]), trim=0)
    exact = [Fraction(a) for a in power]
    truth = [float(horner(exact, Fraction(p) + 1)) for p in (-1.0, -0.5, 0.0)]
    assert h(np.array([-1.0, -0.5, 0.0])) == pytest.approx(truth, abs=rounding_of(h, 60))


@pytest.mark.parametrize("kind", [Legendre, Chebyshev, Hermite, Laguerre])
@pytest.mark.parametrize("domain", [[-1, 1], [-2, 1.5], [0, 4]])
def test_other_series(kind, domain):
    series = kind([0.5, -1.0, 0.25, 2.0], domain=domain)
    h = as_filter(series)
    assert h.exact is None
    points = np.linspace(-1, 1, 9)
    assert np.abs(h(points) - series(points)).max() <= 100 * EPS * np.abs(h.chebyshev).sum()


def test_legendre_of_high_degree():
    h = as_filter(Legendre(np.eye(201)[200]))
    assert h.degree == 200
    assert h(1.0) == pytest.approx(1.0, abs=rounding_of(h, 200))
    assert h(0.0) == pytest.approx(comb(200, 100) / 4.0**100, abs=rounding_of(h, 200))


def test_chebyshev_coefficients_are_taken_as_they_are():
    c = np.random.default_rng(0).standard_normal(300)
    assert as_filter(Chebyshev(c)).chebyshev.tolist() == c.tolist()


@pytest.mark.parametrize(
    ("given_as", "power"),
    [
        (sympy.sqrt(2) * x + 1, [1, 2**0.5]),
        (sympy.Poly(sympy.sqrt(2) * x + 1), [1, 2**0.5]),  # sympy sees two variables there
        (sympy.Poly(sympy.sqrt(2) * x + 1, x), [1, 2**0.5]),
        (sympy.Poly(x**2 - sympy.sqrt(2), x, extension=True), [-(2**0.5), 0, 1]),
        ((x + sympy.pi) ** 2, [np.pi**2, 2 * np.pi, 1]),
        (sympy.sqrt(3), [3**0.5]),
        (sympy.Float("0.1") * x, [0, 0.1]),
        ([sympy.sqrt(2), 0, sympy.E], [2**0.5, 0, np.e]),
    ],
)
def test_irrational_coefficients(given_as, power):
    h = as_filter(given_as)
    assert h.exact is None
    truth = np.polynomial.chebyshev.poly2cheb(power)
    assert h.chebyshev == pytest.approx(truth, rel=4 * EPS, abs=4 * EPS)


@pytest.mark.parametrize(
    ("given_as", "exact"),
    [
        (x**2 / 3 + 1, (1, 0, Fraction(1, 3))),
        ((x - 1) * (x + 1), (-1, 0, 1)),
        (sympy.Integer(3), (3,)),
        (sympy.Integer(0), (0,)),
        (sympy.Poly(0, x), (0,)),
        (sympy.chebyshevt(5, x), (0, 5, 0, -20, 0, 16)),
    ],
)
def test_sympy_over_the_rationals(given_as, exact):
    assert as_filter(given_as).exact == exact


def test_a_filter_is_its_own():
    h = as_filter([1, 2])
    assert as_filter(h) is h


# ------------------------------------------------------------------------- zero and constants


@pytest.mark.parametrize("zero", [[0], [0.0, 0.0], [0, 0, 0], Chebyshev([0.0]), Polynomial([0.0])])
def test_zero(zero):
    h = as_filter(zero)
    assert h.is_zero
    assert h.degree == 0
    assert h.maximum == 0
    assert h(0.3) == 0
    assert h.derivative(0.3) == 0


@pytest.mark.parametrize("constant", [[3], [3.0, 0.0], Chebyshev([3.0]), sympy.Integer(3)])
def test_constants(constant):
    h = as_filter(constant)
    assert not h.is_zero
    assert h.degree == 0
    assert h(np.array([-1.0, 0.2])).tolist() == [3.0, 3.0]
    assert h.derivative(np.array([-1.0, 0.2])).tolist() == [0.0, 0.0]


# ----------------------------------------------------------------------------------- trimming


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=8), st.integers(1, 5), st.data())
def test_rounding_level_is_trimmed_and_reported(head, count, data):
    head = [1.0, *head, 0.5]  # the mean of h is 1, so its maximum is at least 1
    tiny = st.floats(-TRIM / 4, TRIM / 4)
    tail = data.draw(st.lists(tiny, min_size=count, max_size=count))
    h = as_filter(Chebyshev([*head, *tail]))
    kept = len(head) + count - h.trimmed
    assert h.degree == kept - 1
    assert kept == len(head)
    assert h.trim_bound == pytest.approx(sum(map(abs, tail)), rel=8 * EPS)
    points = np.linspace(-1, 1, 9)
    moved = np.abs(h(points) - Chebyshev([*head, *tail])(points)).max()
    assert moved <= h.trim_bound + rounding_of(h, kept)
    assert f"trimmed={count}" in repr(h)


def test_trimming_is_relative_to_the_maximum_and_can_be_turned_off():
    c = np.array([1.0, 0.5, 1e-14, 1e-17])
    assert as_filter(Chebyshev(c)).degree == 2
    assert as_filter(Chebyshev(1e300 * c)).degree == 2
    assert as_filter(Chebyshev(1e-290 * c)).degree == 2
    assert as_filter(Chebyshev(c), trim=0).degree == 3
    assert as_filter(Chebyshev(c), trim=1e-3).degree == 1
    assert as_filter(Chebyshev([*c, 0.0]), trim=0).trimmed == 1


def test_exact_input_is_never_trimmed_of_more_than_zeros():
    h = as_filter([1, Fraction(1, 10**200), 0])
    assert (h.degree, h.trimmed, h.trim_bound) == (1, 1, 0.0)


@pytest.mark.parametrize("response", [high_pass, band_pass])
def test_a_design_is_trimmed_to_what_it_says(response):
    # of degree 2048 these responses are resolved; what is left over is noise and goes
    h = as_filter(interpolate(response, 4096))
    assert h.degree < 4096
    assert h.trim_bound <= h.trimmed * TRIM * h.maximum * 1.01


# ------------------------------------------------------------------------------ what filters do


@given(rows, rows)
def test_a_product_of_exact_filters_is_exact(a, b):
    h, g = as_filter(a), as_filter(b)
    product = h * g
    points = [Fraction(k, 7) for k in (-7, -3, 0, 2, 7)]
    assert [horner(product.exact, p) for p in points] == [
        horner(a, p) * horner(b, p) for p in points
    ]
    assert same(product, lambda at: horner(a, at) * horner(b, at))
    assert product.degree == (0 if h.is_zero or g.is_zero else h.degree + g.degree)


@given(floats, floats)
def test_a_product_of_floats(a, b):
    h, g = as_filter(a, trim=0), as_filter(b, trim=0)
    product = h * g
    points = np.linspace(-1, 1, 17)
    size = float(np.abs(h.chebyshev).sum() * np.abs(g.chebyshev).sum())
    slack = 4 * (h.degree + g.degree + 2) ** 2 * EPS * size + UNDERFLOW
    assert product.exact is None
    assert np.abs(product(points) - h(points) * g(points)).max() <= slack


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=30))
def test_samples(c):
    c = np.array(c)
    points, values = sample(c, 2 * len(c))
    slack = 8 * (len(c) + 1) ** 2 * EPS * (np.abs(c).sum() + 1)
    assert np.abs(values - np.polynomial.chebyshev.chebval(points, c)).max() <= slack


def test_too_few_samples():
    with pytest.raises(ValueError, match="3 intervals can't carry degree 4"):
        sample(np.ones(5), 3)


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=20))
def test_the_maximum_is_right_to_eight_percent(c):
    # Ehlich and Zeller: n samples a degree miss at most a factor cos(pi / (2n)), here n = 4
    h = as_filter(Chebyshev(c), trim=0)
    fine = float(np.abs(h(np.cos(np.linspace(0, np.pi, 2001)))).max())
    slack = rounding_of(h, h.degree)
    assert fine * np.cos(np.pi / 8) - slack <= h.maximum <= fine / np.cos(np.pi / 8) + slack


@given(floats)
@example([0.0, 0.0, 5e-324])  # half of it is not a float, so the filter is zero
def test_the_derivative(a):
    h = as_filter(a, trim=0)
    d = [k * Fraction(ak) for k, ak in enumerate(a)][1:] or [Fraction(0)]
    points = np.linspace(-1, 1, 9)
    truth = np.array([float(horner(d, Fraction(p))) for p in points])
    assert np.abs(h.derivative(points) - truth).max() <= (h.degree + 1) ** 2 * rounding_of(
        h, h.degree
    )


def test_coefficients_are_frozen():
    h = as_filter([1.0, 2.0])
    with pytest.raises(ValueError, match="read-only"):
        h.chebyshev[0] = 5
    with pytest.raises(AttributeError):
        h.trimmed = 3
    assert isinstance(h, FilterPolynomial)


def test_to_numpy():
    series = as_filter([1, 2, 3]).to_numpy()
    assert isinstance(series, Chebyshev)
    assert series.domain.tolist() == [-1, 1]
    assert series(0.5) == 2.75


def test_a_taylor_series_in_fractions():
    h = as_filter([Fraction((-1) ** k, factorial(k)) for k in range(61)])
    assert h.degree == 60
    assert h(np.array([-1.0, 0.5])) == pytest.approx(np.exp([1.0, -0.5]), rel=1e-14)


# ------------------------------------------------------------------------------------ bad input


@pytest.mark.parametrize(
    ("given_as", "message"),
    [
        ([1.0, np.nan], "coefficient 1 of the polynomial is nan; it has to be finite"),
        ([1, 2, np.inf], "coefficient 2 of the polynomial is inf"),
        ([1, -np.inf], "coefficient 1 of the polynomial is -inf"),
        (Chebyshev([1, 2, np.nan]), "coefficient 2 of the polynomial is nan"),
        (Polynomial([1, np.inf], domain=[0, 3]), "coefficient 1 of the polynomial is inf"),
        (Legendre([np.nan, 1]), "coefficient 0 of the polynomial is nan"),
        ([Decimal("nan")], "coefficient 0 of the polynomial is nan"),
        ([1j, 1], "coefficient 0 is 1j; it has to be a real number"),
        (np.array([1, 1j]), r"coefficient 0 is \(1\+0j\); it has to be a real number"),
        ([1.0, np.complex128(2)], "coefficient 1 is .*2.*; it has to be a real number"),
        (Chebyshev([1, 1j]), "coefficient 0 is .*; it has to be a real number"),
        ([], "needs at least one coefficient"),
        (np.zeros(0), "needs at least one coefficient"),
        (np.eye(2), r"one row of numbers, not of shape \(2, 2\)"),
        (np.array(3.0), r"one row of numbers, not of shape \(\)"),
        ([[1, 2], [3, 4]], r"coefficient 0 is \[1, 2\]; it has to be a real number"),
        ([1, None], "coefficient 1 is None; it has to be a real number"),
        (["1", "2"], "coefficient 0 is '1'; it has to be a real number"),
        ([1, b"2"], "coefficient 1 is b'2'; it has to be a real number"),
        ([np.array([1.0])], "coefficient 0 is .*; it has to be a real number"),
        ("x^2", "a str is not a polynomial"),
        (b"x", "a bytes is not a polynomial"),
        (None, "a NoneType is not a polynomial"),
        (3.0, "a float is not a polynomial"),
        ({0: 1, 2: 5}, "a dict is not a polynomial"),
        ({1, 5}, "a set is not a polynomial"),
        (np.sin, "a ufunc is not a polynomial"),
        (Polynomial([1, 2], domain=[1, 1]), "the single point 1.0"),
        (x * y, "has the variables x, y; it needs one"),
        (x + sympy.sqrt(y), "has the variables x, y; it needs one"),
        (sympy.exp(x), r"exp\(x\) is not a polynomial in x"),
        (sympy.Poly(sympy.exp(x)), r"exp\(x\) is not a polynomial in x"),
        (1 / x, "1/x is not a polynomial in x"),
        (sympy.sqrt(x) + 1, "is not a polynomial in x"),
        (sympy.Poly(y * x, x), "coefficient 1 is y; it has to be a real number"),
        (sympy.I * x + 1, "coefficient 1 is I; it has to be a real number"),
        (sympy.nan, "coefficient 0 of the polynomial is nan"),
        (sympy.oo * x, "coefficient 1 of the polynomial is inf"),
        (sympy.Eq(x, 1), "a sympy Equality is not a polynomial"),
        (sympy.Matrix([1, 2]), "a sympy MutableDenseMatrix is not a polynomial"),
        ([10**400], "larger than float64 can hold"),
        ([10**400, 0.5], "larger than float64 can hold"),
        ([1e308] * 5, "larger than float64 can hold"),
        (Chebyshev([1e308] * 5), "larger than float64 can hold"),
        ([1, Fraction(1, 10**400)], "coefficient of degree 1 is too small for float64"),
    ],
)
def test_what_is_no_filter(given_as, message):
    with pytest.raises(FilterError, match=message):
        as_filter(given_as)


@pytest.mark.parametrize("trim", [-1, np.nan, -np.inf])
@pytest.mark.parametrize("h", [[1, 2], [1.0, 2.0], Chebyshev([1.0])])
def test_a_bad_trim(h, trim):
    with pytest.raises(FilterError, match=r"trim is .*; it has to be a number of at least 0"):
        as_filter(h, trim=trim)


def test_products_out_of_range():
    large, small = as_filter([0, 10**200]), as_filter([0, Fraction(1, 10**200)])
    with pytest.raises(FilterError, match="larger than float64 can hold"):
        large * large
    with pytest.raises(FilterError, match="coefficient of degree 2 is too small"):
        small * small
    assert (large * small).exact == (0, 0, 1)
    floats = as_filter([0.0, 1e-200]) * as_filter([0.0, 1e-200])
    assert floats.is_zero
    assert floats.trimmed == 2
