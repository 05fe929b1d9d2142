"""Compensated evaluation against ball arithmetic at 200 bits, within bounds that are derived here.

Clenshaw's recurrence b_k = c_k + 2z b_{k+1} - b_{k+2} makes in step k a rounding error of at most
delta_k, which reaches the result multiplied by |U_k(z)|. The compensated kernels know that error
and carry it along; what they can't know is the rounding of the second recurrence, so that they are
off by one rounding of the result and u^2 times a moderate number. :func:`bounds` follows that
argument with the numbers of the case at hand.
"""

from math import comb

import flint
import numpy as np
import pytest
from balls import BITS, midpoint, series, series_floats
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from polyfilter.clenshaw import FAR, compensated_real, newton_correction
from polyfilter.design import interpolate
from polyfilter.responses import high_pass

U = float(np.finfo(np.float64).eps) / 2


def growth(degree, z):
    """Bound |U_k(z)| for all k up to the degree."""
    w = np.abs(z + np.sqrt(z - 1 + 0j) * np.sqrt(z + 1 + 0j))
    away = np.sqrt(np.abs(1 - z * z))
    return np.minimum(degree + 1, 1 / np.maximum(away, 1e-300)) * np.maximum(w, 1 / w) ** (
        degree + 1
    )


def bounds(c, z):
    """Bound the errors of h (plain and compensated) and of h' (always plain)."""
    z = np.asarray(z)
    b1, b2, d1, d2 = (np.zeros(len(z), dtype=complex) for _ in range(4))
    local = np.zeros((2, len(z)))
    ops = 8 if np.iscomplexobj(z) else 1  # a complex product is six real operations
    for ck in c[::-1]:
        b = ck + 2 * z * b1 - b2
        d = 2 * b1 + 2 * z * d1 - d2
        local[0] += ops * U * (np.abs(2 * z * b1) + np.abs(b) + np.abs(2 * z * b1 - b2))
        local[1] += ops * U * (2 * np.abs(2 * z * d1) + 2 * np.abs(d2) + 6 * np.abs(b1))
        b1, b2, d1, d2 = b, b1, d, d1
    steps, reach = len(c), growth(len(c) - 1, z)
    plain = reach * local[0]  # bounds every intermediate error as well
    # a step of the second recurrence: eight roundings of three old errors and three local ones
    compensated = reach * 8 * ops * U * (3 * steps * plain + 3 * local[0])
    slope = reach * (local[1] + 2 * steps * plain)
    return plain, compensated, slope


def check_real(c, x):
    value, slope = compensated_real(c, x)
    for i, (v, d, point) in enumerate(zip(value, slope, x, strict=True)):
        true, derivative = (ball.real for ball in series(c, point))
        _, error, tilt = (bound[i] for bound in bounds(c, x))
        with flint.ctx.workprec(BITS):
            assert abs(flint.arb(v) - true) <= 2 * U * abs(true) + error
            assert abs(flint.arb(d) - derivative) <= 2 * U * abs(derivative) + tilt


def check_newton(c, z, kernel):
    """Check that N = (h + error) / (h' + tilt), but for a few roundings."""
    with np.errstate(divide="ignore", invalid="ignore"):
        found = newton_correction(c, z, kernel)
    value, slope = series_floats(c, z)
    plain, compensated, tilt = bounds(c, z)
    error = compensated if kernel == "compensated" else plain
    critical = ~np.isfinite(found)
    assert (np.abs(slope) <= tilt + 2 * U * np.abs(slope))[critical].all()
    found = np.where(critical, 0, found)
    off = np.abs(found * slope - value)
    allowed = error + np.abs(found) * (tilt + 16 * U * np.abs(slope)) + 2 * U * np.abs(value)
    assert (off <= allowed)[~critical].all()
    return allowed / np.maximum(np.abs(value), 1e-300)


coefficients = st.integers(0, 24).flatmap(
    lambda degree: arrays(np.float64, degree + 1, elements=st.floats(-1, 1, width=32))
)


# ------------------------------------------------------------------------------- on the line


@given(coefficients, st.lists(st.floats(-1, 1), min_size=1, max_size=4))
@example(np.array([0.5, 0.0, 0.5]), [1e-9, 0.0, -0.0, 1.0, -1.0])
@example(np.zeros(4), [0.3])
def test_real_points(c, x):
    check_real(c, np.array(x))


@given(coefficients, st.lists(st.floats(-4, 4), min_size=1, max_size=4))
def test_real_points_outside(c, x):
    check_real(c, np.array(x))


@pytest.mark.parametrize("degree", [1, 2, 3, 50, 200])
def test_a_random_series(degree):
    rng = np.random.default_rng(degree)
    c = rng.standard_normal(degree + 1) / np.arange(1, degree + 2)
    check_real(c, np.concatenate([np.cos(rng.uniform(0, np.pi, 20)), [-1.0, 0.0, 1.0]]))


def test_digits_are_left_where_plain_evaluation_is_noise():
    # (1 - x)^12, whose Chebyshev coefficients are binomials over a power of two: no rounding
    c = np.array([(-1) ** k * comb(24, 12 - k) / 2.0**11 for k in range(13)])
    c[0] /= 2
    x = np.array([0.95, 0.9, 0.8])
    truth = (1 - x) ** 12  # 1 - x is exact
    assert truth[0] < 1e-19 * np.abs(c).sum()
    assert np.abs(np.polynomial.chebyshev.chebval(x, c) - truth)[0] > truth[0]
    value, _ = compensated_real(c, x)
    error = 13 * 2 * U * truth + bounds(c, x)[1]
    assert (np.abs(value - truth) <= error).all()
    assert (error < 1e-5 * truth).all()


def test_the_signs_of_a_high_pass_are_right():
    c = interpolate(high_pass, 256).coef
    x = np.linspace(-1, 1, 101)
    value, _ = compensated_real(c, x)
    truth = np.array([float(series(c, point)[0].real.mid()) for point in x])
    assert (np.sign(value) == np.sign(truth)).all()


def test_more_points_than_a_chunk():
    rng = np.random.default_rng(0)
    c, x = rng.standard_normal(9), rng.uniform(-1, 1, 5000)
    value, slope = compensated_real(c, x)
    few = [compensated_real(c, x[i : i + 1]) for i in (0, 2047, 2048, 4095, 4096, 4999)]
    at = [0, 2047, 2048, 4095, 4096, 4999]
    assert value[at].tolist() == [v[0] for v, _ in few]
    assert slope[at].tolist() == [d[0] for _, d in few]


def test_no_points():
    value, slope = compensated_real(np.array([1.0, 2.0]), np.zeros(0))
    assert value.shape == slope.shape == (0,)


def test_a_constant_has_no_slope():
    value, slope = compensated_real(np.array([3.0]), np.array([0.1, 0.2]))
    assert value.tolist() == [3.0, 3.0]
    assert slope.tolist() == [0.0, 0.0]


# ------------------------------------------------------------------------------- in the plane


@pytest.mark.parametrize("kernel", ["plain", "compensated"])
@given(coefficients.filter(lambda c: len(c) > 1 and c[-1] != 0), st.data())
def test_complex_points(kernel, c, data):
    parts = st.floats(-2, 2)
    z = data.draw(st.lists(st.builds(complex, parts, parts), min_size=1, max_size=3))
    check_newton(c, np.array(z), kernel)


@pytest.mark.parametrize("kernel", ["plain", "compensated"])
def test_a_random_series_near_its_roots(kernel):
    rng = np.random.default_rng(3)
    c = rng.standard_normal(65)
    z = np.polynomial.chebyshev.chebroots(c).astype(complex)
    z = z[np.abs(z.imag) > 0.01] + 1e-6
    assert check_newton(c, z, kernel).max() < (1e-2 if kernel == "plain" else 1e-6)


def test_compensated_steps_see_two_roots_where_plain_ones_see_noise():
    # (x - 1/2)^2 (x - 1/2 - 2^-20): h is 1e-18 of its terms between the roots
    gap = 2.0**-20
    a = np.polynomial.polynomial.polyfromroots([0.5, 0.5, 0.5 + gap])
    c = np.polynomial.chebyshev.poly2cheb(a)
    z = np.array([0.5 + gap / 2 + 1e-9j])
    truth = midpoint(np.divide(*series(c, z[0])))
    assert abs(newton_correction(c, z)[0] - truth) < 1e-3 * abs(truth)
    assert abs(newton_correction(c, z, "plain")[0] - truth) > 1e-3 * abs(truth)


@pytest.mark.parametrize("degree", [3, 20, 64])
@pytest.mark.parametrize("modulus", [1e3, 1e10, 1e40, 1e120, 1e150, 1e250])
def test_far_points(degree, modulus):
    rng = np.random.default_rng(degree)
    c = rng.standard_normal(degree + 1)
    z = modulus * np.exp(1j * rng.uniform(0, 2 * np.pi, 5))
    value = newton_correction(c, z)
    truth = [midpoint(h / slope) for h, slope in (series(c, point) for point in z)]
    # Horner's 2K steps, each a product and a sum, for numerator and denominator; h/h' is z/K there
    assert np.abs(value - truth).max() <= 16 * (2 * degree + 8) * U * modulus / degree


@pytest.mark.parametrize(("degree", "base"), [(59, 10.0), (100, 4.0), (100, 10.0), (200, 2.0)])
def test_far_points_of_a_series_that_decays(degree, base):
    # past bug: where c_k falls like |w|^-k the decaying halves of T_k are not negligible
    rng = np.random.default_rng(degree)
    c = rng.uniform(0.5, 1, degree + 1) * base ** -np.arange(degree + 1.0)
    w = base * np.exp(1j * rng.uniform(0, 2 * np.pi, 6))
    z = (w + 1 / w) / 2
    assert base**degree > FAR
    found = newton_correction(c, z)
    truth = [midpoint(h / slope) for h, slope in (series(c, point) for point in z)]
    value, slope = series_floats(c, z)
    size = (np.abs(c) * base ** np.arange(degree + 1)).sum()  # of the terms, all about one
    steep = (np.arange(degree + 1) * np.abs(c) * base ** np.arange(degree + 1)).sum() / base
    wrong = 16 * (2 * degree + 8) * U * (size / np.abs(value) + 4 * steep / np.abs(slope))
    assert (np.abs(found - truth) <= wrong * np.abs(truth) + 1e-300).all()


def test_near_and_far_meet():
    # the same points by both ways, on either side of the border |w|^K = FAR
    c = np.random.default_rng(1).standard_normal(31)
    border = FAR ** (1 / 30)
    for w in border * np.array([1 - 1e-9, 1 + 1e-9]):
        z = np.array([(w + 1 / w) / 2 + 0j])
        h, slope = series(c, z[0])
        assert newton_correction(c, z)[0] == pytest.approx(midpoint(h / slope), rel=1e-13)
