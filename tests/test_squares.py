"""Completed squares against fractions: the dip keeps its relative accuracy."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from polyfilter.squares import (
    completed_square,
    completed_squares,
    layer,
    product,
    two_product,
    two_sum,
)

EPS = float(np.finfo(float).eps)
moderate = st.floats(-1e6, 1e6).filter(lambda v: v == 0 or abs(v) > 1e-6)


@given(moderate, moderate)
def test_products_and_sums_come_with_their_exact_errors(a, b):
    x, y = np.array([a]), np.array([b])
    for found, wanted in (
        (two_product(x, y), Fraction(a) * Fraction(b)),
        (two_sum(x, y), Fraction(a) + Fraction(b)),
    ):
        assert Fraction(float(found[0][0])) + Fraction(float(found[1][0])) == wanted


@given(st.floats(-1.5, 1.5), st.floats(-12, 2), st.floats(0.1, 10), st.booleans())
@example(1.0, -12.0, 1.0, False)
@example(0.0, -3.0, 1.0, True)
@example(2.225073858507e-311, 0.0, 1.625, False)
def test_the_dip_is_known_to_its_last_digits(s, digits, c, is_crossing):
    """Rows as floats, taken as exact: e is q(s)/c within a few ulps, where θ0/θ2 - s² has none."""
    e = -(10.0**digits) if is_crossing else 10.0**digits
    row = np.array([c * (s * s + e), -2 * c * s, c])
    square = completed_square(row)
    assert square is not None
    zero, one, two = map(Fraction, row.tolist())
    at = Fraction(square[1])
    exact = (zero + one * at + two * at * at) / two
    # a sum of terms of size s^2 with their errors carried along: eps^2 of them, and its own ulps
    assert abs(Fraction(square[2]) - exact) <= 4 * EPS * abs(exact) + 16 * EPS**2 * (1 + s * s)
    assert abs(at + one / (2 * two)) <= EPS * abs(at) + float(np.finfo(float).tiny)


@given(st.lists(st.floats(-2, 2), min_size=3, max_size=3), st.floats(-1, 1))
def test_a_layer_is_its_polynomial(row, x):
    zero, one, two = map(Fraction, row)
    assume(two == 0 or abs(two) > 1e-200)
    exact = zero + Fraction(x) * (one + Fraction(x) * two)
    array = np.array(row)
    square = completed_squares(array[None])[0]
    found = layer(array, square, np.array([x]))[0]
    size = abs(zero) + abs(one) + abs(two)
    if not np.isnan(square[0]):
        c, s, e = map(abs, square.tolist())
        size = Fraction(c * ((1 + s) ** 2 + e))
    assert abs(Fraction(float(found)) - exact) <= 8 * EPS * size + Fraction(1e-300)


@pytest.mark.parametrize(
    "row",
    [[1.0, 2.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0], [1.0, 5.0, 1.0], [1e30, 0.0, 1.0]],
)
def test_layers_without_a_dip_are_left_alone(row):
    assert completed_square(np.array(row)) is None
    assert np.isnan(completed_squares(np.array([row]))).all()


@pytest.mark.parametrize("scale", [1e-300, 1e-160, 1e160, 1e300])
def test_the_size_of_a_layer_does_not_matter(scale):
    c, s, e = completed_square(np.array([0.5, -1.0, 1.0]) * scale)
    assert (c, s) == (scale, pytest.approx(0.5, rel=2 * EPS))
    assert e == pytest.approx(0.25, rel=4 * EPS)


def test_a_product_near_the_dips_keeps_its_digits():
    """Ten factors with dips of depth 1e-10: power form would lose ten digits at their bottoms."""
    s = np.linspace(-0.9, 0.9, 10)
    theta = np.column_stack([s * s + 1e-10, -2 * s, np.ones(10)])
    found = product(theta, s)
    for x, value in zip(s.tolist(), found.tolist(), strict=True):
        exact = Fraction(1)
        for zero, one, two in theta.tolist():
            exact *= Fraction(zero) + Fraction(x) * (Fraction(one) + Fraction(x) * Fraction(two))
        assert abs(Fraction(value) / exact - 1) <= 100 * EPS
    assert product(theta, np.zeros((2, 3))).shape == (2, 3)
