"""Layers in balls: they hold the truth, and say so when they can't."""

import numpy as np
import pytest
from flint import arb, arb_poly, ctx, fmpq, fmpq_poly
from hypothesis import example, given
from hypothesis import strategies as st

from polyfilter.enclosure import ball_layers, ball_roots, evaluate, interpolant, product
from polyfilter.errors import FilterError

integers = st.lists(st.integers(-50, 50), min_size=1, max_size=12).filter(lambda a: a[-1] != 0)


@given(integers)
@example([0, 0, 0, 0, 1])  # a fourfold root
@example([1, 0, 2, 0, 1])  # (x^2 + 1)^2
@example([-1, 3, -3, 1])  # (x - 1)^3
@example([7])
def test_product_holds_the_polynomial(a):
    h = fmpq_poly(a)
    layers = ball_layers(h, 300)
    assert len(layers) == max(1, -(-h.degree() // 2))
    with ctx.workprec(300):
        found = product(layers)
        for k in range(len(a)):
            assert found[k].contains(h[k])
            assert found[k].rad() < 1e-50 * (1 + max(map(abs, a)))
        at = arb(fmpq(1, 3))
        assert evaluate(layers, at).overlaps(arb_poly(h)(at))


@given(integers.filter(lambda a: len(a) > 1))
def test_roots_are_those_of_numpy(a):
    h = fmpq_poly(a)
    real, upper = ball_roots(h, 200)
    assert len(real) + 2 * len(upper) == h.degree()
    found = [complex(float(r.mid())) for r in real] + [
        complex(float(z.real.mid()), float(z.imag.mid())) for z in upper
    ]
    for root in found:  # backward error, as multiple roots are ill-conditioned in floats
        size = np.polyval(np.abs(a[::-1]), abs(root))
        assert abs(np.polyval(a[::-1], root)) <= 1e-12 * size


def test_interpolant_goes_through_its_points():
    rng = np.random.default_rng(0)
    with ctx.workprec(400):
        x = [arb(v) for v in np.sort(rng.uniform(-1, 1, 15)).tolist()]
        y = [arb(v) for v in rng.standard_normal(15).tolist()]
        h = interpolant(x, y, 400)
        layers = ball_layers(h, 400)
        assert len(layers) == 7
        for at, value in zip(x, y, strict=True):
            gap = evaluate(layers, at) - value
            assert gap.contains(0)
            assert gap.abs_upper() < 1e-30


def test_too_few_bits_are_told():
    rng = np.random.default_rng(0)
    with ctx.workprec(60):
        x = [arb(v) for v in np.sort(rng.uniform(-1, 1, 40)).tolist()]
        h = interpolant(x, [arb(v) for v in rng.standard_normal(40).tolist()], 60)
    with pytest.raises(FilterError, match="raise the precision"):
        ball_layers(h, 60)


def test_a_degree_that_is_not_known_is_told():
    with pytest.raises(FilterError, match="degree"):
        ball_roots(arb_poly([1, arb(0, 1)]), 64)


def test_the_zero_filter_is_one_layer():
    assert ball_layers(fmpq_poly([]), 64) == ((arb(0), arb(0), arb(0)),)


def test_precision_is_restored():
    before = ctx.prec
    ball_layers(fmpq_poly([1, 2, 3]), 500)
    assert ctx.prec == before
