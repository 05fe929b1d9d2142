"""Certificates by enclosure: nothing computed exactly, at any rational point, exceeds them."""

from fractions import Fraction
from itertools import pairwise

import flint
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.polynomial import Chebyshev
from strategies import graph_sets

from polyfilter import design
from polyfilter.capacity import spectrum_capacity
from polyfilter.certify import Certificate, certify, eigenvalue_balls
from polyfilter.errors import PolyfilterError, SpectrumError
from polyfilter.graphs import Graph, GraphSet
from polyfilter.polynomial import as_filter
from polyfilter.responses import high_pass
from polyfilter.spectrum import eigenbasis, eigenvalue_tolerance, spectrum
from polyfilter.stack import factorize

CYCLE = Graph.from_edges([(i, (i + 1) % 7) for i in range(7)])
points = st.fractions(-1, 1, max_denominator=10**6)


def exact_difference(theta, h, x):
    """Return |product - h| at a rational point in fractions, by Clenshaw or Horner."""
    product = Fraction(1)
    for row in theta.astype(np.float64).tolist():
        zero, one, two = map(Fraction, row)
        product *= zero + x * (one + x * two)
    if h.exact is not None:
        value = sum(a * x**k for k, a in enumerate(h.exact))
    else:
        b1, b2 = Fraction(0), Fraction(0)
        for c in reversed(h.chebyshev[1:].tolist()):
            b1, b2 = 2 * x * b1 - b2 + Fraction(c), b1
        value = x * b1 - b2 + Fraction(float(h.chebyshev[0]))
    return abs(product - value)


@given(
    st.lists(st.floats(-1, 1), min_size=1, max_size=12),
    st.sampled_from(["float64", "float32"]),
    st.lists(points, min_size=1, max_size=8),
)
@settings(max_examples=60)
@example([0.0, 1.0, 0.3], "float32", [Fraction(-1), Fraction(1)])
def test_no_point_of_the_interval_exceeds_the_certificate(c, dtype, where):
    if dtype == "float32":
        c = [round(value, 6) for value in c]
    stack = factorize(Chebyshev(c), dtype=dtype)
    certificate = stack.certify()
    for x in where:
        assert exact_difference(stack.theta, stack.filter, x) <= Fraction(certificate.bound)


@given(
    st.lists(st.floats(-2, 2), min_size=3, max_size=12).map(lambda v: v[: len(v) // 3 * 3]),
    st.lists(st.fractions(-2, 2, max_denominator=9), min_size=1, max_size=9),
    st.lists(points, min_size=1, max_size=8),
)
@settings(max_examples=60)
def test_certificates_hold_for_layers_that_are_no_factors_at_all(rows, power, where):
    theta, h = np.reshape(rows, (-1, 3)), as_filter(power)
    bound = Fraction(certify(theta, h).bound)
    given_points = np.array([float(x) for x in where])
    there = Fraction(certify(theta, h, given_points).bound)
    for x in where:
        assert exact_difference(theta, h, x) <= bound
        assert exact_difference(theta, h, Fraction(float(x))) <= there


def test_a_certificate_is_near_what_it_bounds():
    """The factor of Ehlich and Zeller is all that is lost: below 1.415, and the sampling."""
    stack = factorize(design.interpolate(high_pass, 30), dtype="float32")
    certificate = stack.certify()
    x = [Fraction(k, 500) for k in range(-500, 501)]
    largest = max(exact_difference(stack.theta, stack.filter, point) for point in x)
    assert largest <= Fraction(certificate.bound) <= Fraction(3, 2) * largest
    assert certificate.relative == pytest.approx(certificate.bound / stack.filter.maximum)


@pytest.mark.parametrize(
    ("rows", "power"),
    [
        ([[0.0, 0.0, 1.0]], [0, 0, 1]),
        ([[0.5, 0.25, 0.0]], [Fraction(1, 2), Fraction(1, 4)]),
        ([[1.0, 0.0, 1.0], [-1.0, 0.0, 1.0]], [-1, 0, 0, 0, 1]),
        ([[0.0, 0.0, 0.0]], [0]),
        ([[3.0, 0.0, 0.0]], [3.0]),
    ],
)
def test_what_floats_hold_exactly_is_certified_as_zero(rows, power):
    for over in (None, CYCLE, [0.25, -0.5]):
        certificate = certify(np.array(rows), as_filter(power), over)
        assert certificate.bound == certificate.relative == float(certificate) == 0


def test_a_tenth_is_not_a_tenth():
    theta = np.array([[0.1, 0.0, 0.0]])
    wrong = abs(Fraction(1, 10) - Fraction(0.1))
    bound = certify(theta, as_filter([Fraction(1, 10)])).bound
    assert wrong <= Fraction(bound) <= wrong * Fraction(3, 2)
    assert certify(theta, as_filter([0.1])).bound == 0


def test_layers_where_zero_is_wanted_have_no_relative_bound():
    certificate = certify(np.array([[1.0, 0.0, 0.0]]), as_filter([0]))
    assert certificate.bound >= 1
    assert certificate.relative == np.inf


def test_sizes_that_floats_can_not_hold():
    huge = certify(np.full((3, 3), 1e200), as_filter([1]))
    assert huge.bound == np.inf
    tiny = certify(np.full((3, 3), 1e-200), as_filter([0]))
    assert 0 < tiny.bound <= 1e-300


@given(graph_sets(max_graphs=3, max_nodes=7))
@settings(max_examples=40)
def test_balls_hold_the_eigenvalues_and_nothing_else(graphs):
    balls = eigenvalue_balls(graphs)
    assert len(balls) == spectrum_capacity(graphs, "algebraic").value
    assert all(a < b for a, b in pairwise(balls))  # certainly, as balls
    middles = np.array([float(ball.mid()) for ball in balls])
    for graph in graphs:
        lam = eigenbasis(graph).values
        nearest = np.abs(lam[:, None] - middles).min(axis=1)
        assert nearest.max() <= eigenvalue_tolerance(graph.num_nodes)
    everything = np.concatenate([eigenbasis(graph).values for graph in graphs])
    nearest = np.abs(middles[:, None] - everything).min(axis=1)
    assert nearest.max() <= eigenvalue_tolerance(7)


def test_balls_of_known_spectra():
    cosines = [flint.arb.cos_pi_fmpq(flint.fmpq(2 * k, 7)) for k in (3, 2, 1, 0)]
    balls = eigenvalue_balls(CYCLE)
    assert len(balls) == 4
    assert all(ball.overlaps(wanted) for ball, wanted in zip(balls, cosines, strict=True))


def test_eigenvalues_that_float64_can_not_tell_apart_get_disjoint_balls():
    """Triangles with one edge heavier by a last bit, relative to weights that differ by 1e-7."""
    near = GraphSet(
        [
            Graph.from_edges([(0, 1), (1, 2), (2, 0)], weights=[s, s, np.nextafter(s, 2)])
            for s in (1.0, 1.0 + 1e-7, 1.0 + 2e-7)
        ]
    )
    balls = eigenvalue_balls(near)
    assert len(balls) == spectrum_capacity(near, "algebraic").value == 7
    assert len({float(ball.mid()) for ball in balls}) < 7
    assert all(a < b for a, b in pairwise(balls))


def test_over_a_graph_set_the_bound_is_that_at_its_eigenvalues():
    graphs = GraphSet([CYCLE, Graph.from_edges([(0, 1), (1, 2)])])
    stack = factorize(design.interpolate(high_pass, 20), dtype="float32")
    certificate = stack.certify(graphs)
    lam = spectrum(graphs).values
    seen = float(np.abs(stack.response(lam) - stack.filter(lam)).max())
    assert certificate.points == len(lam) == 6
    assert "the 6 distinct eigenvalues" in repr(certificate)
    assert certificate.bound == pytest.approx(seen, rel=1e-6)
    assert certificate.bound <= stack.certify().bound


@pytest.mark.parametrize("over", [[2.0], [], "x", [np.nan], [[0.5]]])
def test_a_wrong_spectrum_gets_one_sentence_and_the_precision_back(over):
    before = flint.ctx.prec
    with pytest.raises(SpectrumError):
        factorize([0.5, 1.0]).certify(over)
    assert flint.ctx.prec == before


def test_the_precision_of_flint_is_restored_whatever_happens(monkeypatch):
    stack = factorize(design.interpolate(high_pass, 12))
    flint.ctx.prec = 77
    try:
        stack.certify()
        stack.certify(CYCLE)
        eigenvalue_balls(CYCLE)
        assert flint.ctx.prec == 77

        def fail(*_):
            raise PolyfilterError("stop")

        monkeypatch.setattr("polyfilter.certify._product", fail)
        with pytest.raises(PolyfilterError, match="stop"):
            stack.certify()
        assert flint.ctx.prec == 77
    finally:
        flint.ctx.prec = 53


def test_the_answer_does_not_depend_on_the_precision_outside():
    stack = factorize(design.interpolate(high_pass, 12))
    wanted = stack.certify(CYCLE)
    flint.ctx.prec = 20
    try:
        assert stack.certify(CYCLE) == wanted
        assert len(eigenvalue_balls(CYCLE)) == 4
    finally:
        flint.ctx.prec = 53


def test_a_certificate_prints_what_it_says():
    certificate = Certificate(1.5e-9, 3e-9, "[-1, 1]", 8, 160)
    words = "Certificate(max |response - h| <= 1.5e-09 over [-1, 1], 160 bits at 8 points)"
    assert repr(certificate) == words
