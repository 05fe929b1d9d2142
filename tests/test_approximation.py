"""Best approximation on points against one linear programme on all of them, and against Remez."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.polynomial.chebyshev import chebvander
from scipy.optimize import linprog, nnls

from polyfilter.approximation import closest, rounding_level
from polyfilter.design import minimax_with_proof
from polyfilter.responses import band_pass, heat, low_pass


def programme(B, f, nonnegative=False):
    """The linear programme on all points at once."""
    one = np.ones((len(B), 1))
    result = linprog(
        np.append(np.zeros(B.shape[1]), 1),
        A_ub=np.block([[B, -one], [-B, -one]]),
        b_ub=np.concatenate([f, -f]),
        bounds=[(0 if nonnegative else None, None)] * B.shape[1] + [(0, None)],
    )
    return result.fun


@settings(max_examples=30)
@given(st.integers(0, 2**32 - 1), st.integers(1, 8), st.booleans())
def test_the_exchange_solves_the_whole_programme(seed, columns, nonnegative):
    rng = np.random.default_rng(seed)
    x = np.sort(rng.uniform(-1, 1, 60))
    B = chebvander(x, columns - 1) + 1.5
    f, weights = rng.standard_normal(60), rng.integers(1, 5, 60).astype(float)
    found = closest(B, f, weights, nonnegative=nonnegative)
    wanted = programme(B, f, nonnegative)
    assert found.lower <= wanted * (1 + 1e-6)
    assert wanted * (1 - 1e-6) <= found.largest <= wanted * (1 + 1e-5) + 1e-9
    root = np.sqrt(weights / weights.sum())
    if nonnegative:
        best = nnls(root[:, None] * B, root * f)[1]
    else:
        best = np.linalg.norm(
            root * f
            - root[:, None] * B @ np.linalg.lstsq(root[:, None] * B, root * f, rcond=None)[0]
        )
    assert found.mean == pytest.approx(best, rel=1e-9)


@pytest.mark.parametrize("response", [low_pass, band_pass, heat(3.0)], ids=str)
def test_many_points_are_as_good_as_an_interval(response):
    x = np.sin(np.pi * np.linspace(-0.5, 0.5, 4001))
    for degree in (3, 12, 31):
        found = closest(chebvander(x, degree), response(x), np.ones(4001))
        wanted = minimax_with_proof(response, degree)
        assert found.largest == pytest.approx(wanted.error, rel=1e-3, abs=1e-14)
        if wanted.error > 1e-13:
            assert found.lower == pytest.approx(found.largest, rel=1e-5)


def test_what_is_in_the_space_is_found_to_rounding():
    x = np.linspace(-1, 1, 50)
    B = chebvander(x, 5)
    f = B @ np.arange(6.0)
    found = closest(B, f, np.ones(50))
    assert found.largest <= rounding_level(6, f)
    assert found.lower == 0


def test_columns_that_say_nothing_new_are_left_out():
    x = np.linspace(-1, 1, 50)
    twice = np.hstack([chebvander(x, 2), chebvander(x, 2) * (1 + 1e-15)])
    once = closest(chebvander(x, 2), np.exp(x), np.ones(50))
    assert closest(twice, np.exp(x), np.ones(50)).largest == pytest.approx(once.largest)
