"""Roots against closed forms and against balls that provably hold one root each.

Three independent truths: cosines for Chebyshev polynomials; flint's certified roots of exactly the
numbers that the floats are; and the theorem that a disc of radius K |h/h'| about any point of the
plane holds a root, with h and h' in ball arithmetic.
"""

from fractions import Fraction

import flint
import numpy as np
import pytest
from balls import series
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.polynomial import Chebyshev, Legendre, chebyshev
from scipy.optimize import linear_sum_assignment

from polyfilter.aberth import aberth
from polyfilter.design import interpolate
from polyfilter.errors import FilterError
from polyfilter.polynomial import as_filter, power_from_chebyshev
from polyfilter.responses import band_pass, high_pass, low_pass
from polyfilter.roots import COLLEAGUE_DEGREE, METHODS, Roots, residual_goal, roots

EPS = float(np.finfo(np.float64).eps)


def all_of(found):
    """Return all roots as complex numbers."""
    return np.concatenate([found.real, found.upper, found.upper.conj()])


def distance(found, truth):
    """Return the distances of the best one-to-one match, relative to max(|z|, 1)."""
    a, b = all_of(found), np.asarray(truth, dtype=complex)
    assert len(a) == len(b)
    cost = np.abs(a[:, None] - b) / np.maximum(np.abs(b), 1)
    return cost[linear_sum_assignment(cost)]


def inclusion(c, z):
    """Return the radius K |h/h'| of a disc about z that holds a root, from balls."""
    value, slope = series(c, z)
    return (
        (len(c) - 1) * float((abs(value) / abs(slope)).upper()) if not slope.contains(0) else np.inf
    )


def healthy(found, c):
    """Check what holds for every result: as many roots as the degree, sorted, frozen, in place."""
    assert found.degree == len(c) - 1
    assert (np.diff(found.real) >= 0).all()
    assert (np.diff(found.upper.real) >= 0).all()
    assert (found.upper.imag > 0).all()
    assert not found.real.flags.writeable
    assert not found.upper.flags.writeable
    return found


def condition(c, z):
    """Bound how far roots move, to first order, when each c_k moves by eps max |c|."""
    w = z + np.sqrt(z - 1 + 0j) * np.sqrt(z + 1 + 0j)
    size = np.maximum(np.abs(w), 1 / np.abs(w))[:, None] ** np.arange(len(c))
    slope = np.abs(chebyshev.chebval(z, chebyshev.chebder(c)))
    return EPS * np.abs(c).max() * size.sum(axis=1) / slope


# ---------------------------------------------------------------------------------- closed forms


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 8, 9, 31, 64])
def test_chebyshev_polynomials(method, n):
    found = healthy(roots(np.eye(n + 1)[n], method), np.eye(n + 1)[n])
    truth = np.cos(np.pi * (np.arange(n, 0, -1) - 0.5) / n)
    assert len(found.real) == n
    # of T_n the roots are as well conditioned as can be; eigenvalues of a matrix of norm 1 are
    # right to n eps or so, all else to the last bits, and the cosines themselves to one
    assert np.abs(found.real - truth).max() <= (n + 2) * EPS if method == "colleague" else 2 * EPS
    assert found.residual <= 16 * n * residual_goal(n)


@pytest.mark.parametrize("n", [257, 300, 771])
def test_chebyshev_polynomials_of_high_degree(n):
    # past bug: all of the points at which the product was checked were roots of T_257
    found = healthy(roots(np.eye(n + 1)[n]), np.eye(n + 1)[n])
    assert found.method == "aberth"
    assert found.residual <= residual_goal(n)
    assert np.abs(found.real - np.cos(np.pi * (np.arange(n, 0, -1) - 0.5) / n)).max() <= 2 * EPS


@pytest.mark.parametrize("n", [10, 33, 64, 150])
def test_legendre_polynomials(n):
    c = Legendre(np.eye(n + 1)[n]).convert(kind=Chebyshev).coef
    found = healthy(roots(c), c)
    nodes = np.polynomial.legendre.leggauss(n)[0]
    moved = (n + 1) * condition(c, found.real)  # by the conversion of the basis, and numpy's nodes
    assert (np.abs(found.real - nodes) <= moved + 4 * EPS).all()


@pytest.mark.parametrize("n", [12, 20, 40, 60])
def test_equally_spaced_roots_are_those_of_the_rounded_coefficients(n):
    # Wilkinson's example on [-1, 1]: in the middle h is 1e-14 of what it is at the ends, and so are
    # its slopes. Past bugs: noise taken for samples, and steps taken for settled there.
    c = chebyshev.chebfromroots(np.linspace(-1, 1, n))
    found, certified = roots(c), roots(c, "certified")
    assert len(found.real) == len(certified.real)
    assert distance(found, all_of(certified)).max() <= (2 * EPS if n > 32 else 1e-6)
    assert found.residual <= residual_goal(n)


@pytest.mark.parametrize("n", [3, 4, 40, 41])
def test_roots_of_unity_in_the_plane_of_w(n):
    # T_n(z) = cosh(1): w^n = e^(1 + 2 pi i j), so all roots lie on one ellipse
    c = np.zeros(n + 1)
    c[0], c[n] = -np.cosh(1.0), 1.0
    w = np.exp((1 + 2j * np.pi * np.arange(n)) / n)
    found = healthy(roots(c, "aberth"), c)
    assert distance(found, (w + 1 / w) / 2).max() <= 8 * EPS
    assert len(found.real) == (1 if n % 2 else 2)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    "truth",
    [
        [0.5],
        [-1.0, 1.0],
        [1.0, -1.0, 0.25],
        [2.0, -3.0],
        [0.5 + 0.5j, 0.5 - 0.5j],
        [0.5 + 0.5j, 0.5 - 0.5j, -0.75],
        [1j, -1j, 2j, -2j],
        [4.0, 5.0, -6.0, 7.0],
        [0.0, 1.0, -1.0, 3.0, 0.5 + 2j, 0.5 - 2j],
    ],
)
def test_low_degrees(method, truth):
    c = chebyshev.chebfromroots(truth).real
    found = healthy(roots(c, method), c)
    slack = len(truth) ** 2 * (condition(c, np.array(truth, dtype=complex)) + EPS)
    scale = np.maximum(np.abs(truth), 1)
    assert distance(found, truth).max() <= 4 * (slack / scale).max()
    assert len(found.real) == sum(np.imag(z) == 0 for z in truth)


def test_a_constant_has_no_roots():
    for method in METHODS:
        found = roots(np.array([3.0]), method)
        assert (found.degree, found.residual) == (0, 0.0)


# -------------------------------------------------------------------------------- certified


@given(arrays(np.float64, st.integers(2, 12), elements=st.floats(-1, 1, width=16)))
@example(np.array([-1.0, 0.0, 1.0]))
@settings(max_examples=50)
def test_certified_roots_are_within_an_ulp_of_a_ball(c):
    assume(c[-1] != 0)
    found = healthy(roots(c, "certified"), c)
    exact = power_from_chebyshev([Fraction(float(a)) for a in c])
    with flint.ctx.workprec(200):
        balls = flint.fmpq_poly([flint.fmpq(a.numerator, a.denominator) for a in exact])
        truth = [(ball, multiplicity) for ball, multiplicity in balls.numer().complex_roots()]
        assert sum(multiplicity for _, multiplicity in truth) == found.degree
        for z in all_of(found):
            near = min(abs(ball - flint.acb(z.real, z.imag)).upper() for ball, _ in truth)
            assert float(near) <= 2 * EPS * abs(z) + 1e-300


@pytest.mark.parametrize("factor", [1.0, 3.0, 5.25, 2.0**900, 2.0**-900])
def test_certified_multiplicities_are_exact(factor):
    # past bug: scaling by the largest coefficient rounded the others, and the roots fell apart
    c = chebyshev.chebfromroots([0.5, 0.5, -0.25, -0.25, -0.25]) * 2**16
    assert (c == np.round(c)).all()  # integers of few bits, so a small factor rounds nothing
    found = roots(c * factor, "certified")
    assert found.real.tolist() == [-0.25, -0.25, -0.25, 0.5, 0.5]


# ---------------------------------------------------------------- any series: laws that always hold


series_of_any_kind = st.one_of(
    arrays(np.float64, st.integers(2, 40), elements=st.floats(-1, 1)),
    arrays(np.float64, st.integers(2, 40), elements=st.integers(-2, 2).map(float)),
    st.lists(st.integers(-4, 4).map(lambda k: k / 4), min_size=1, max_size=16).map(
        lambda truth: chebyshev.chebfromroots(np.array(truth))
    ),
).filter(lambda c: abs(c[-1]) > 1e-12 * np.abs(c).max())


@given(series_of_any_kind)
@settings(max_examples=60)
@example(np.array([0.5, 0.0, 0.5]))  # a double root at zero
@example(np.array([1.0, 0.0, 0.0, 0.0, 1.0]))  # two double roots
@example(np.eye(10)[9] + np.eye(10)[0])  # four double roots and one single
@example(chebyshev.chebfromroots([1.0] * 6 + [-1.0] * 5))
@example(chebyshev.poly2cheb(np.eye(12)[11]))  # x^11
def test_the_product_of_the_factors_is_the_series(c):
    found = healthy(roots(c), c)
    assert found.residual <= 8 * residual_goal(found.degree)


@given(series_of_any_kind)
@settings(max_examples=40)
def test_every_method_finds_as_many_roots_as_the_degree(c):
    for method in ("colleague", "aberth"):
        healthy(roots(c, method), c)


@given(
    arrays(np.float64, st.integers(2, 10), elements=st.floats(-1, 1).filter(bool)),
    st.integers(-300, 300),
)
@example(np.array([1.0, 0.5, 0.25, 0.125]), -300)
@settings(max_examples=40)
def test_a_power_of_two_changes_nothing(c, exponent):
    assume(np.abs(c).min() > 1e-100)
    a, b = roots(c), roots(np.ldexp(c, exponent))
    assert a.real.tolist() == b.real.tolist()
    assert a.upper.tolist() == b.upper.tolist()
    assert a.residual == b.residual


@pytest.mark.parametrize("scale", [1e300, 1e-300, -1e-300, 1e-310])
@pytest.mark.parametrize("method", METHODS)
def test_scales(scale, method):
    c = np.array([1.0, 0.5, 0.25, 0.1, 0.1, 0.3])
    found, truth = roots(c * scale, method), roots(c, "certified")
    digits = max(EPS, 5e-324 / abs(scale))
    assert distance(found, all_of(truth)).max() <= 100 * digits


# ---------------------------------------------------------------------------- random and symmetric


@pytest.mark.parametrize("degree", [33, 64, 65, 120])
def test_aberth_is_right_to_the_last_bits(degree):
    c = np.random.default_rng(degree).standard_normal(degree + 1)
    found, truth = roots(c, "aberth"), roots(c, "certified")
    assert len(found.real) == len(truth.real)
    assert distance(found, all_of(truth)).max() <= 2 * EPS
    for z in all_of(found)[::7]:
        assert inclusion(c, z) <= 4 * degree * EPS * max(abs(z), 1 / degree)


@pytest.mark.parametrize("degree", [5, 20, 64])
def test_methods_agree(degree):
    c = np.random.default_rng(degree).standard_normal(degree + 1)
    truth = roots(c, "certified")
    moved = degree * condition(c, all_of(truth))  # the colleague matrix is backward stable
    for method in ("colleague", "aberth", "auto"):
        found = healthy(roots(c, method), c)
        assert len(found.real) == len(truth.real)
        assert (distance(found, all_of(truth)) <= moved.max() + 2 * EPS).all()


@pytest.mark.parametrize("parity", [0, 1])
@pytest.mark.parametrize("degree", [8, 64, 100])
def test_even_and_odd_series_have_symmetric_roots(degree, parity):
    degree += parity
    c = np.random.default_rng(degree).standard_normal(degree + 1)
    c[1 - parity :: 2] = 0
    found = healthy(roots(c), c)
    slack = 2 * degree * condition(c, all_of(found)).max() + 4 * EPS
    assert distance(found, -all_of(found)).max() <= slack
    assert np.abs(found.real).min() <= slack or not parity


@pytest.mark.parametrize("degree", [5, 12, 40])
def test_palindromes_have_roots_in_reciprocal_pairs(degree):
    a = np.random.default_rng(degree).integers(-5, 6, degree + 1)
    a[-1] = 7
    palindrome = (a + a[::-1]).astype(int).tolist()
    c = as_filter(palindrome).chebyshev
    z = all_of(roots(c, "certified"))
    cost = np.abs(z[:, None] - 1 / z)
    assert cost[linear_sum_assignment(cost)].max() <= 1e-6 * np.abs(z).max()


@pytest.mark.parametrize("gap", [1e-2, 1e-4, 1e-6, 1e-8])
@pytest.mark.parametrize("turn", [1, 1j])
def test_near_pairs_are_told_apart(gap, turn):
    # past bug: iterations were stopped by the spacing of the others, not by their own
    base = np.cos(np.pi * (np.arange(20) + 0.5) / 20)
    c = chebyshev.chebfromroots(np.concatenate([base + turn * gap / 40, base - turn * gap / 40]))
    found, truth = roots(c.real, "aberth"), roots(c.real, "certified")
    assert len(found.real) == len(truth.real)
    assert distance(found, all_of(truth)).max() <= 4 * EPS


@pytest.mark.parametrize("m", [2, 3, 5, 8])
@pytest.mark.parametrize("method", ["auto", "colleague"])
def test_multiple_roots_scatter_no_further_than_rounding_explains(method, m):
    # to first order a root of multiplicity m moves by (m! delta / |h^(m)|)^(1/m)
    c = chebyshev.chebfromroots([0.3] * m + [-0.6])
    found = roots(c, method)
    delta = (m + 2) ** 2 * EPS * np.abs(c).sum()
    reach = 2 * (delta / abs(c[-1] * 2.0**m * 0.9)) ** (1 / m)
    z = all_of(found)
    assert np.sort(np.abs(z - 0.3))[:m].max() <= reach
    assert np.abs(z + 0.6).min() <= delta / abs(c[-1] * 2.0**m * 0.9**m) * 4
    assert found.residual <= 8 * residual_goal(m + 1)


@pytest.mark.parametrize("method", ["colleague", "aberth", "certified"])
def test_a_pair_of_double_roots_is_paired_or_real(method):
    c = np.array([1.0, 0.0, 0.0, 0.0, 1.0])  # T_4 + 1
    found = healthy(roots(c, method), c)
    assert np.abs(np.abs(all_of(found).real) - np.sqrt(0.5)).max() <= 1e-7
    assert np.abs(all_of(found).imag).max() <= 1e-7


# ----------------------------------------------------------------- coefficients of all sizes


@pytest.mark.parametrize("lead", [1e-14, 1e-100, 1e-300])
@pytest.mark.parametrize("degree", [1, 2, 3, 5, 24])
def test_tiny_leading_coefficients(lead, degree):
    # past bug: at degree 5 both methods failed on 1e-300 and nobody said so
    c = np.random.default_rng(degree).uniform(0.5, 1, degree + 1)
    c[-1] = lead
    found = healthy(roots(c), c)
    truth = roots(c, "certified")
    assert found.residual <= 1e3 * residual_goal(degree) + 1e3 * EPS * abs(np.log(lead))
    z, w = np.sort(np.abs(all_of(found))), np.sort(np.abs(all_of(truth)))
    assert z == pytest.approx(w, rel=1e-9)


@pytest.mark.parametrize("base", [1.5, 4.0, 10.0])
@pytest.mark.parametrize("degree", [40, 100, 200])
def test_coefficients_that_decay(base, degree):
    # past bug: far from the interval only half of every T_k was seen
    c = np.random.default_rng(degree).standard_normal(degree + 1) * base ** -np.arange(degree + 1.0)
    found = healthy(roots(c, "aberth"), c)
    assert found.residual <= residual_goal(degree)


def test_coefficients_across_all_orders_of_magnitude():
    rng = np.random.default_rng(0)
    for degree in (5, 20, 50):
        c = rng.standard_normal(degree + 1) * 10.0 ** rng.uniform(-150, 0, degree + 1)
        found = healthy(roots(c), c)
        assert found.residual <= np.sqrt(EPS)


@pytest.mark.parametrize("degree", [20, 40, 100])
def test_a_taylor_series(degree):
    # e^-x: all roots are far away, and each of them means little
    a = np.cumprod(np.concatenate([[1.0], -1.0 / np.arange(1, degree + 1)]))
    c = as_filter(a.tolist(), trim=0).chebyshev
    found = healthy(roots(c), c)
    assert found.residual <= 2 * residual_goal(degree)


@pytest.mark.parametrize("modulus", [1e3, 1e8])
def test_roots_that_are_all_far(modulus):
    truth = modulus * np.array([1.0, -2.0, 3.0, -4.0])
    c = chebyshev.chebfromroots(truth)
    for method in METHODS:
        found = roots(c, method)
        assert np.sort(found.real) == pytest.approx(np.sort(truth), rel=1e-11)


# ------------------------------------------------------------------------- the paper's responses


@pytest.mark.parametrize("response", [high_pass, low_pass, band_pass], ids=lambda r: r.name)
@pytest.mark.parametrize("degree", [64, 128, 300])
def test_the_responses_of_the_paper(response, degree):
    c = as_filter(interpolate(response, degree)).chebyshev
    found = healthy(roots(c), c)
    assert found.method == "aberth"
    assert found.residual <= residual_goal(len(c) - 1)
    colleague = roots(c, "colleague")
    # blurred where h is small, but a backward stable set of roots of the same series
    assert colleague.residual <= 64 * len(c) * residual_goal(len(c) - 1)
    # in the pass band both are sharp
    moved = condition(c, all_of(found))
    sharp = moved <= 1e-3 / degree
    near = np.abs(all_of(found)[:, None] - all_of(colleague)).min(axis=1)
    assert (near <= len(c) ** 2 * moved + 4 * EPS)[sharp].all()


@pytest.mark.parametrize("response", [high_pass, band_pass], ids=lambda r: r.name)
def test_stop_bands_against_certified_roots(response):
    c = as_filter(interpolate(response, 96)).chebyshev
    found, truth = roots(c), roots(c, "certified")
    assert len(found.real) == len(truth.real)
    assert distance(found, all_of(truth)).max() <= 2 * EPS
    for z in all_of(found)[::5]:
        assert inclusion(c, z) <= 4 * len(c) * EPS * max(abs(z), 1 / len(c))


# ------------------------------------------------------------------------------------ the parts


def test_aberth_returns_real_roots_and_the_others():
    real, other = aberth(chebyshev.chebfromroots([0.1, -0.7, 0.5 + 1j, 0.5 - 1j]).real)
    assert np.sort(real) == pytest.approx([-0.7, 0.1], abs=4 * EPS)
    assert np.sort_complex(other) == pytest.approx([0.5 - 1j, 0.5 + 1j], abs=16 * EPS)


def test_a_sample_that_is_a_root():
    # of x^4 T_9 plain samples are exactly zero next to the origin
    c = chebyshev.chebmul(chebyshev.poly2cheb([0, 0, 0, 0, 1]), np.eye(10)[9])
    found = healthy(roots(c, "aberth"), c)
    cosines = np.cos(np.pi * (np.arange(9) + 0.5) / 9)
    for z in cosines[np.abs(cosines) > 0.1]:
        assert np.abs(all_of(found) - z).min() <= 4 * EPS
    assert roots(c).residual <= 2 * residual_goal(13)


def test_auto_takes_the_better_of_both_at_low_degrees():
    rng = np.random.default_rng(0)
    for degree in (3, 12, COLLEAGUE_DEGREE):
        c = rng.standard_normal(degree + 1)
        both = [roots(c, method).residual for method in ("colleague", "aberth")]
        assert roots(c).residual == min(both)
    assert roots(rng.standard_normal(COLLEAGUE_DEGREE + 2)).method == "aberth"


def test_printing():
    found = roots(np.array([1.5, 0.0, 0.5]))
    assert repr(found).startswith("Roots(real=[], upper=[1j], method='colleague', residual=")
    many = Roots(np.arange(6.0), np.zeros(0, dtype=complex), "aberth", 0.0)
    assert "[0.0, 1.0, 2.0, 3.0, ...]" in repr(many)


@pytest.mark.parametrize(
    ("c", "message"),
    [
        ([], "finite coefficients, the last of them not zero"),
        ([0.0], "finite coefficients, the last of them not zero"),
        ([1.0, 2.0, 0.0], "finite coefficients, the last of them not zero"),
        ([1.0, np.nan], "finite coefficients, the last of them not zero"),
        ([np.inf, 1.0], "finite coefficients, the last of them not zero"),
        ([1e300, 1.0, 1e-30], "too small for float64"),
    ],
)
@pytest.mark.parametrize("method", METHODS)
def test_what_has_no_roots(c, message, method):
    with pytest.raises(FilterError, match=message):
        roots(np.array(c), method)


def test_an_unknown_method():
    with pytest.raises(FilterError, match="no root finder 'magic'; choose from auto, colleague"):
        roots(np.ones(3), "magic")
