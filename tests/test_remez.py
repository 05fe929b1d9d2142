"""Best uniform approximation against the few cases whose error is known in closed form."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.polynomial import Chebyshev, chebyshev
from scipy.optimize import linprog

from polyfilter.errors import FilterError, ResponseError
from polyfilter.remez import RemezStatus, remez
from polyfilter.responses import band_pass, heat, high_pass, ideal, low_pass

FINE = np.linspace(-1, 1, 20_001)
LEVEL = 2 * np.sqrt(np.finfo(float).eps)
"""Relative accuracy of a converged error, and as much for what a finite grid misses."""


def known(result, truth):
    """Say whether a result has the known error and proves it."""
    slack = LEVEL * truth + 2 * result.rounding
    assert result.status in (RemezStatus.CONVERGED, RemezStatus.ROUNDING)
    assert abs(result.error - truth) <= slack
    assert truth - slack <= result.lower_bound <= truth + slack
    return True


# ------------------------------------------------------------------------- known errors


@pytest.mark.parametrize("n", [1, 2, 3, 7, 12, 30])
def test_powers(n):
    assert known(remez(lambda lam: lam**n, n - 1), 2.0 ** (1 - n))


@pytest.mark.parametrize("a", [1.01, 1.1, 2.0, -1.5])
@pytest.mark.parametrize("degree", [0, 1, 5, 16])
def test_a_pole(a, degree):
    # Chebyshev, 1859: E_n(1 / (x - a)) = (|a| - sqrt(a² - 1))^n / (a² - 1)
    truth = (abs(a) - math.sqrt(a * a - 1)) ** degree / (a * a - 1)
    assert known(remez(lambda lam: 1 / (lam - a), degree), truth)


@pytest.mark.parametrize("degree", [0, 1, 8, 9, 32, 64, 100])
def test_runge(degree):
    # even, so a pole at -1.08 in u = 2x² - 1 with half the degree, divided by 12.5
    a = 1.08
    truth = (a - math.sqrt(a * a - 1)) ** (degree // 2) / (a * a - 1) / 12.5
    assert known(remez(lambda lam: 1 / (1 + 25 * lam**2), degree), truth)


@pytest.mark.parametrize("degree", [50, 100, 200])
def test_bernsteins_constant(degree):
    # Varga and Carpenter, 1985: 2n E_2n(|x|) = 0.28016949902... - 0.04396752888 / n² + O(1/n⁴)
    result = remez(np.abs, degree)
    n = degree // 2
    asymptotic = 0.280169499023869133 - 0.04396752888 / n**2
    assert result.status is RemezStatus.CONVERGED
    assert abs(degree * result.error - asymptotic) <= 1 / n**4


def test_a_line_through_exp():
    slope = math.sinh(1)
    assert known(remez(np.exp, 1), (math.exp(-1) + slope * math.log(slope)) / 2)


@pytest.mark.parametrize("degree", [0, 3, 10, 40])
def test_a_jump_costs_half_of_itself(degree):
    assert known(remez(ideal(0, 1), degree), 0.5)


def test_faster_than_the_degree_can_follow():
    assert known(remez(lambda lam: np.sin(100 * lam + 1), 16), 1.0)


@pytest.mark.parametrize("frequency", [2, 4, 6])
def test_a_response_that_vanishes_on_the_first_reference(frequency):
    result = remez(lambda lam: np.sin(np.pi * frequency * lam), 1)
    assert known(result, 1.0)


def test_two_bands():
    # on 0.5 ≤ |x| ≤ 1 the best odd cubic for sign(x), a x + b x³, levels at 1/2, one inner
    # point and 1; found here by a linear program on a fine grid
    result = remez(lambda lam: np.sign(lam), 3, bands=[(-1, -0.5), (0.5, 1)])
    x = np.linspace(0.5, 1, 20_001)
    V = np.column_stack([x, x**3])
    ones = np.ones((x.size, 1))
    best = linprog(
        [0, 0, 1],
        A_ub=np.vstack([np.hstack([V, -ones]), np.hstack([-V, -ones])]),
        b_ub=np.concatenate([ones[:, 0], -ones[:, 0]]),
        bounds=[(None, None)] * 3,
    ).fun
    assert result.status is RemezStatus.CONVERGED
    assert abs(result.error - best) <= 1e-6


def test_a_weight_trades_one_band_for_another():
    result = remez(
        ideal(0, 1),
        30,
        bands=[(-1, -0.1), (0.1, 1)],
        weight=lambda lam: np.where(lam < 0, 10.0, 1.0),
    )
    x = FINE[np.abs(FINE) >= 0.1]
    error = np.abs(result.polynomial(x) - ideal(0, 1)(x))
    assert result.status is RemezStatus.CONVERGED
    assert math.isclose(error[x > 0].max(), 10 * error[x < 0].max(), rel_tol=1e-3)


# ------------------------------------------------------------------------- laws


@pytest.mark.parametrize("response", [high_pass, low_pass, band_pass, heat(3.0)], ids=str)
@pytest.mark.parametrize("degree", [0, 1, 4, 17, 64, 200])
def test_the_error_equioscillates(response, degree):
    result = remez(response, degree)
    assert result.status in (RemezStatus.CONVERGED, RemezStatus.ROUNDING)
    assert len(result.polynomial.coef) == degree + 1
    if result.status is RemezStatus.CONVERGED:
        error = response(result.points) - result.polynomial(result.points)
        assert result.points.size == degree + 2
        assert np.all(np.diff(result.points) > 0)
        assert np.all(error[1:] * error[:-1] < 0)
        assert np.abs(error).min() >= result.lower_bound
    on_grid = np.abs(response(FINE) - result.polynomial(FINE)).max()
    assert on_grid <= (1 + LEVEL) * result.error + 2 * result.rounding


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=12), st.integers(0, 14))
def test_it_beats_interpolation_and_no_polynomial_beats_it(coefficients, degree):
    f = Chebyshev(coefficients)
    result = remez(f, degree)
    assume(result.status is not RemezStatus.STALLED)
    rival = Chebyshev(chebyshev.chebinterpolate(f, degree))
    rivals_error = np.abs(f(FINE) - rival(FINE)).max()
    slack = LEVEL * result.error + 20 * result.rounding
    assert result.error <= rivals_error * (1 + 1e-4) + slack  # 1e-4: what the rival's grid misses
    assert result.lower_bound <= result.error
    if degree >= len(coefficients) - 1:
        assert result.status is RemezStatus.ROUNDING
        assert result.error <= slack


@given(st.integers(0, 12), st.floats(0.2, 3), st.floats(-2, 2))
def test_it_is_equivariant(degree, scale, shift):
    plain, moved = remez(np.exp, degree), remez(lambda lam: scale * np.exp(lam) + shift, degree)
    slack = LEVEL * moved.error + 10 * (moved.rounding + scale * plain.rounding)
    assert abs(moved.error - scale * plain.error) <= slack


# ------------------------------------------------------------------------- what is wrong


@pytest.mark.parametrize(
    ("bands", "message"),
    [
        ([], "no bands"),
        ([(0.5, 0.2)], r"band 0 is \(0\.5, 0\.2\)"),
        ([(-1, 0), (0, 1)], "band 1 begins at 0.0, before band 0 has ended"),
        ([(-2, 1)], r"band 0 is \(-2\.0, 1\.0\)"),
        ([(math.nan, 1)], "band 0"),
        ([0.5], "pairs of numbers"),
        ([(0.5, np.nextafter(0.5, 1))], "too narrow for degree 5"),
    ],
)
def test_bad_bands_are_refused(bands, message):
    with pytest.raises(FilterError, match=message):
        remez(np.exp, 5, bands=bands)


def test_a_weight_has_to_be_positive():
    with pytest.raises(ResponseError, match=r"the weight is 0\.0 at λ = -1;"):
        remez(np.exp, 5, weight=lambda lam: lam + 1)


def test_a_response_that_is_not_finite_is_named():
    with pytest.raises(ResponseError, match="is nan at λ = "), np.errstate(invalid="ignore"):
        remez(np.log, 5)


def test_growth_outside_the_bands_is_told():
    result = remez(band_pass, 40, bands=[(0, 1)])
    assert result.status is RemezStatus.OVERGROWN
    assert "grows" in str(result)
