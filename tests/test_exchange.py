"""The exchange on points, against linear programmes and the exchange on an interval."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from polyfilter.design import minimax_with_proof
from polyfilter.exchange import best_on_points, level
from polyfilter.responses import band_pass, low_pass


def programme(x, f, degree):
    """The best error by a linear programme over Chebyshev coefficients."""
    V = np.polynomial.chebyshev.chebvander(x, degree)
    one = np.ones((len(x), 1))
    result = linprog(
        np.append(np.zeros(degree + 1), 1.0),
        A_ub=np.block([[V, -one], [-V, -one]]),
        b_ub=np.concatenate([f, -f]),
        bounds=[(None, None)] * (degree + 1) + [(0, None)],
        method="highs",
    )
    return result.fun


@given(st.integers(0, 10_000), st.integers(0, 8), st.integers(10, 60))
@example(0, 0, 10)
@settings(max_examples=40)
def test_best_error_is_that_of_the_programme(seed, degree, count):
    rng = np.random.default_rng(seed)
    x = np.sort(rng.uniform(-1, 1, count))
    f = rng.standard_normal(count)
    found = best_on_points(x, f, degree)
    wanted = programme(x, f, degree)
    assert found.lower_bound <= wanted * (1 + 1e-6) + 1e-9
    assert found.error >= wanted * (1 - 1e-6) - 1e-9
    assert found.error == pytest.approx(wanted, rel=1e-5, abs=1e-8)


@pytest.mark.parametrize("response", [low_pass, band_pass, np.abs, np.exp])
@pytest.mark.parametrize("degree", [0, 1, 2, 7, 30])
def test_many_points_are_the_interval(response, degree):
    x = np.sin(np.pi / 2 * np.linspace(-1, 1, 4001))
    found = best_on_points(x, response(x), degree)
    whole = minimax_with_proof(response, degree)
    assert found.error == pytest.approx(found.lower_bound, rel=1e-6, abs=1e-13)
    assert found.error <= whole.error * (1 + 1e-9) + whole.rounding
    assert found.error == pytest.approx(whole.error, rel=1e-2, abs=whole.rounding)


def test_enough_coefficients_leave_nothing():
    x = np.linspace(-1, 1, 5)
    assert best_on_points(x, np.sign(x), 4).error == 0


def test_a_tolerance_ends_the_exchange_early():
    x = np.sin(np.pi / 2 * np.linspace(-1, 1, 2001))
    exact = best_on_points(x, low_pass(x), 40)
    high = best_on_points(x, low_pass(x), 40, tolerance=2 * exact.error)
    low = best_on_points(x, low_pass(x), 40, tolerance=exact.error / 2)
    assert high.error <= 2 * exact.error
    assert low.lower_bound > exact.error / 2
    assert max(high.exchanges, low.exchanges) <= exact.exchanges


@given(st.integers(0, 10_000), st.integers(0, 10))
def test_level_is_below_every_error(seed, degree):
    rng = np.random.default_rng(seed)
    x = np.sort(rng.uniform(-1, 1, degree + 2))
    f = rng.standard_normal(degree + 2)
    some = np.polynomial.Polynomial(rng.standard_normal(degree + 1))
    assert level(x, f) <= np.abs(f - some(x)).max() * (1 + 1e-9)
