"""Least absolute deviations against linear programming, and proofs against themselves."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from polyfilter.lad import LeastAbsoluteStatus, exact_level, least_absolute_deviations

HIGHS = 1e-7
"""HiGHS' feasibility tolerance: its objective is good to this much a row."""


def linear_program(X, y):
    """Return the best sum of absolute residuals, by HiGHS: min Σ(u + v) with Xβ + u - v = y."""
    n, p = X.shape
    cost = np.concatenate([np.zeros(p), np.ones(2 * n)])
    bounds = [(None, None)] * p + [(0, None)] * (2 * n)
    return linprog(
        cost, A_eq=np.hstack([X, np.eye(n), -np.eye(n)]), b_eq=y, bounds=bounds, method="highs"
    ).fun


@st.composite
def problems(draw):
    """Draw features and a target: smooth or full of ties, noisy or wild, thin or square."""
    columns = draw(st.integers(1, 6))
    rows = draw(st.integers(columns, 40))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    if draw(st.booleans()):
        X = rng.integers(-2, 3, size=(rows, columns)).astype(float)
        X[0, 0] = 1.0  # not all zero
    else:
        X = rng.standard_normal((rows, columns))
    y = X @ rng.standard_normal(columns) + rng.standard_t(1.5, size=rows)
    return X, np.round(y) if draw(st.booleans()) else y


@given(problems())
def test_it_is_as_good_as_a_linear_program(problem):
    X, y = problem
    result = least_absolute_deviations(X, y)
    best = linear_program(X, y)
    assert result.status is not LeastAbsoluteStatus.STALLED
    assert abs(result.objective - best) <= HIGHS * len(y) * (1 + np.abs(y).max())


@given(problems())
def test_the_proof_holds(problem):
    X, y = problem
    result = least_absolute_deviations(X, y)
    assert result.lower_bound <= result.objective
    assert result.rank == np.linalg.matrix_rank(X)
    rounding = exact_level(y, X.shape[1])
    if result.status is LeastAbsoluteStatus.OPTIMAL:
        assert result.objective - result.lower_bound <= 1e-9 * result.objective + rounding
    else:
        # the coefficients amplify what rounding leaves by the condition of the features
        values = np.linalg.svd(X, compute_uv=False)
        assert result.objective <= len(y) * rounding * values[0] / values[result.rank - 1]


@given(problems(), st.floats(-3, 3), st.floats(0.01, 100))
def test_it_is_equivariant(problem, shift, scale):
    X, y = problem
    best = least_absolute_deviations(X, y).objective
    moved = least_absolute_deviations(X, scale * y + shift * X[:, 0]).objective
    size = np.abs(y).sum() + np.abs(X[:, 0]).sum() + 1
    assert abs(moved - scale * best) <= 1e-9 * scale * best + 1e-13 * (scale + 3) * size


def test_one_constant_column_gives_the_median():
    y = np.array([3.0, 1.0, 2.0, 90.0, 8.0])
    result = least_absolute_deviations(np.ones((5, 1)), y)
    assert abs(result.coefficients[0] - np.median(y)) <= 1e-8 * np.abs(y).max()


def test_outliers_do_not_move_an_exact_line():
    rng = np.random.default_rng(1)
    X = rng.standard_normal((60, 4))
    beta = rng.standard_normal(4)
    y = X @ beta
    y[:10] += 1e3
    result = least_absolute_deviations(X, y)
    # a gap of 1e-9 of the objective, 1e4, bounds what the other fifty rows can be off by
    assert np.abs(X[10:] @ (result.coefficients - beta)).sum() <= 1e-9 * result.objective


def test_dependent_columns_get_the_smallest_coefficients():
    rng = np.random.default_rng(2)
    x = rng.standard_normal(30)
    y = 3 * x + rng.standard_normal(30)
    twice = least_absolute_deviations(np.column_stack([x, x]), y)
    once = least_absolute_deviations(x[:, None], y)
    assert twice.rank == 1
    assert np.allclose(twice.coefficients, once.coefficients / 2, rtol=1e-6)
    assert abs(twice.objective - once.objective) <= 2e-9 * once.objective


@pytest.mark.parametrize("rows", [3, 50])
def test_an_exact_fit_is_recognised(rows):
    X = np.vander(np.linspace(0, 1, rows), 3)
    result = least_absolute_deviations(X, X @ [1.0, -2.0, 3.0])
    assert result.status is LeastAbsoluteStatus.EXACT
    assert np.allclose(result.coefficients, [1, -2, 3], atol=1e-12)


def test_a_zero_target_is_fitted_by_zero():
    result = least_absolute_deviations(np.ones((4, 2)), np.zeros(4))
    assert result.coefficients.tolist() == [0, 0]
    assert result.objective == 0


@pytest.mark.parametrize("size", [1e-310, 1e-200, 1e200, 1e307])
def test_no_target_is_too_small_or_too_large(size):
    y = np.array([3.0, 1.0, 2.0, 9.0, 8.0])
    result = least_absolute_deviations(np.ones((5, 1)), size * y)
    assert result.status is LeastAbsoluteStatus.OPTIMAL
    assert np.isclose(result.coefficients[0], 3 * size, rtol=1e-6, atol=0)


def test_many_observations():
    rng = np.random.default_rng(3)
    X = rng.standard_normal((20_000, 20))
    y = X @ rng.standard_normal(20) + rng.standard_t(2, size=20_000)
    result = least_absolute_deviations(X, y)
    assert result.status is LeastAbsoluteStatus.OPTIMAL
    assert result.steps <= 40
