"""Depth that a response needs, against every smaller degree and against interpolation."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import polyfilter as pf
from polyfilter.depth import error_bounds, needed_degree, pole_coefficients, poles, rho
from polyfilter.errors import FilterError
from polyfilter.responses import BandPass, HighPass, LowPass, heat, ideal, low_pass

sharpness = st.floats(8.0, 80.0)
places = st.floats(0.3, 1.7)


@given(sharpness, places)
@settings(max_examples=25)
def test_coefficients_are_those_of_interpolation(alpha, beta):
    for response in (
        LowPass(alpha, beta),
        HighPass(alpha, beta),
        BandPass(alpha, beta, beta + 0.2),
    ):
        c = pole_coefficients(*poles(response), 120)
        wanted = pf.design.interpolate(response, 2047).coef
        np.testing.assert_allclose(c[15:], wanted[16:121], atol=1e-14)


@given(sharpness, places, st.integers(16, 60))
@settings(max_examples=25)
def test_best_errors_are_within_their_bounds(alpha, beta, degree):
    response = LowPass(alpha, beta)
    best = pf.design.minimax_with_proof(response, degree)
    low, high = error_bounds(pole_coefficients(*poles(response), 2000), degree)
    assert low <= best.error + best.rounding
    assert best.lower_bound <= high + best.rounding


@given(st.floats(0.01, 3.0), st.floats(0.05, 3.0))
def test_rho_is_the_sum_of_the_half_axes(a, b):
    axes = np.cosh(a), np.sinh(a)
    point = complex(axes[0] * np.cos(b), axes[1] * np.sin(b))
    assert rho(point) == pytest.approx(axes[0] + axes[1])
    assert rho(point.conjugate()) == pytest.approx(rho(point))


@pytest.mark.parametrize("tolerance", [0.2, 0.05])
def test_needed_degree_is_the_smallest(tolerance):
    found = needed_degree(low_pass, tolerance)
    errors = [pf.design.minimax_with_proof(low_pass, K).error for K in range(found.degree + 1)]
    assert found.degree == next(K for K, error in enumerate(errors) if error <= tolerance)
    assert found.at_least == found.degree
    assert found.error == pytest.approx(errors[-1])


def test_a_spectrum_asks_for_no_more_than_the_interval():
    ring = pf.Graph.from_edges([(i, (i + 1) % 40) for i in range(40)])
    everywhere = needed_degree(low_pass, 0.01)
    here = needed_degree(low_pass, 0.01, ring)
    assert here.at_least <= here.degree <= everywhere.degree
    assert here.degree < len(pf.spectrum(ring))
    h = pf.design.minimax(low_pass, everywhere.degree)
    lam = pf.spectrum(ring).values
    assert np.abs(h(lam) - low_pass(lam)).max() <= 0.01 * (1 + 1e-9)


def test_few_eigenvalues_need_few_layers():
    star = pf.Graph.from_edges([(0, 1), (0, 2), (0, 3)])
    found = needed_degree(low_pass, 1e-6, star)
    assert found.degree <= 2
    assert found.layers == 1


def test_a_constant_needs_one_layer():
    found = needed_degree(pf.responses.constant(2.0), 0.1)
    assert (found.degree, found.layers, found.layers_at_least) == (0, 1, 1)
    assert str(needed_degree(heat(1.0), 0.1)).startswith("heat to 0.1: degree")


def test_a_jump_is_refused(monkeypatch):
    monkeypatch.setattr(pf.depth, "MAX_DEGREE", 64)
    with pytest.raises(FilterError, match="jump"):
        needed_degree(ideal(0.0, 1.0), 0.1)


def test_tolerance_has_to_be_positive():
    with pytest.raises(FilterError, match="positive"):
        needed_degree(low_pass, 0.0)
