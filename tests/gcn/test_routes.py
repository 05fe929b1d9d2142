"""Routes against the polynomials that they are, in exact arithmetic and in floats."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.polynomial import chebyshev

import polyfilter as pf
from gcn.routes import product, recurrence


def run(route, x):
    """Return the route's filter at a number of any kind."""
    Z = [Fraction(e) for e in route.enter.tolist()]
    for M, s in zip(route.layers.tolist(), route.shifts.tolist(), strict=True):
        powers = [1, x - Fraction(s), (x - Fraction(s)) ** 2]
        Z = [
            sum(
                powers[k] * z * Fraction(M[k][a][b])
                for k in range(3)
                for a, z in enumerate(Z)
                if M[k][a][b]
            )
            for b in range(len(Z))
        ]
    return sum(z * Fraction(r) for z, r in zip(Z, route.leave.tolist(), strict=True))


coefficients = st.lists(st.integers(-8, 8), min_size=1, max_size=9)


@given(coefficients, st.fractions(-1, 1, max_denominator=64))
def test_the_recurrence_is_the_polynomial_exactly(c, x):
    stack = pf.factorize(np.polynomial.Chebyshev([float(a) for a in c]))
    T = [Fraction(1), x]
    while len(T) < len(c):
        T.append(2 * x * T[-1] - T[-2])
    assert run(recurrence(stack), x) == sum(a * t for a, t in zip(c, T, strict=False))


@given(coefficients, st.fractions(-1, 1, max_denominator=64), st.booleans(), st.booleans())
def test_the_product_is_the_polynomial(c, x, narrow, about_dips):
    stack = pf.factorize(np.polynomial.Chebyshev([float(a) for a in c]))
    route = product(stack, narrow=narrow, about_dips=about_dips)
    wanted = chebyshev.chebval(float(x), stack.filter.chebyshev)
    # float32 theta moves a filter by a few roundings of its size; weights stay float64 otherwise
    eps = np.finfo(np.float32 if narrow and not about_dips else np.float64).eps
    allowed = 64 * len(stack) ** 2 * eps * max(1.0, stack.filter.maximum)
    assert abs(float(run(route, x)) - wanted) <= allowed


@pytest.mark.parametrize("make", [product, recurrence])
def test_extended_routes_do_the_same(make):
    route = make(pf.factorize([1, 2, 3, 4]))
    longer = route.extended(len(route.layers) + 3)
    assert len(longer.layers) == len(route.layers) + 3
    for x in (Fraction(1, 3), Fraction(-1)):
        assert run(longer, x) == run(route, x)


def test_shifts_are_floats_of_the_precision():
    stack = pf.factorize(pf.design.interpolate(pf.responses.high_pass, 64))
    shifts = product(stack, narrow=True, about_dips=True).shifts
    assert np.array_equal(shifts, shifts.astype(np.float32))
    assert shifts.any()
