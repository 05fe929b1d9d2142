"""Spanning spaces against brute force: numerical ranks, dense networks, factors dealt by hand."""

from fractions import Fraction
from itertools import product
from math import prod

import networkx as nx
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import polyfilter as pf
from polyfilter import spaces
from polyfilter.ambient import ambient
from polyfilter.errors import FilterError, SpectrumError

NAMES = [f"{name}:3" if name in ("k-order", "chebnet") else name for name in spaces.ARCHITECTURES]
MIXING = ("vanilla+residual", "first-order", "sogc", "k-order:3", "chebnet:3", "gcnii", "arma")
"""Where a second channel changes something."""


class Reals:
    """Floats and complex floats, for networks that are run by hand."""

    def number(self, value):
        return float(value)


def spread_points(count, seed=0):
    """Different points in (-1, 1) that are not too close to each other."""
    rng = np.random.default_rng([seed, count])
    return np.sort(np.cos(np.pi * (np.arange(count) + 0.2 + 0.6 * rng.random(count)) / count))


# --------------------------------------------------------------------------------- dimension


def numerical_rank(kind, depth, width, points, rng):
    """The rank of the Jacobian by complex steps and singular values, best of three points."""
    shapes = kind.shapes(depth, width)
    total = sum(prod(shape) for layer in shapes for shape in layer.values())
    best = 0
    for _ in range(3):
        flat = rng.uniform(-0.9, 0.9, size=total)
        J = np.empty((len(points), total))
        for k in range(total):
            moved = flat.astype(complex)
            moved[k] += 1e-30j
            weights, start = [], 0
            for layer in shapes:
                arrays = {}
                for name, shape in layer.items():
                    arrays[name] = moved[start : start + prod(shape)].reshape(shape)
                    start += prod(shape)
                weights.append(arrays)
            J[:, k] = kind.forward(weights, points[None, :], depth, Reals())[0].imag / 1e-30
        J /= np.maximum(np.linalg.norm(J, axis=0), 1e-300)
        singular = np.linalg.svd(J, compute_uv=False)
        best = max(best, int(np.sum(singular > 1e-9 * singular[0])))
    return best


@pytest.mark.parametrize("name", NAMES)
def test_dimension_is_the_numerical_rank(name):
    rng = np.random.default_rng(1)
    for gamma, depth, width in product((1, 2, 4, 7), (1, 2, 3), (1, 2)):
        points = spread_points(gamma)
        found = spaces.dimension(name, depth, points, width)
        assert found.proven, found.reason
        assert found.value == numerical_rank(found.architecture, depth, width, points, rng)
        assert int(spaces.dimension(name, depth, gamma, width)) == found.value


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("vanilla", 1),
        ("sgc", 1),
        ("appnp", 1),
        ("gin", 6),
        ("first-order", 6),
        ("vanilla+residual", 6),
        ("sogc", 11),
        ("k-order:4", 21),
        ("chebnet:3", 16),
        ("gcnii", 5),
        ("gpr-gnn", 6),
        ("bernnet", 6),
        ("chebnetii", 6),
        ("jacobiconv", 6),
        ("jknet", 6),
        ("arma", 10),
    ],
)
def test_dimension_at_depth_five(name, expected):
    assert spaces.dimension(name, 5, 1000).value == expected
    assert spaces.dimension(name, 5, 4).value == min(expected, 4)


def test_dimension_of_graphs_counts_gamma_exactly():
    ring = pf.Graph.from_networkx(nx.cycle_graph(12))
    found = spaces.dimension("gpr-gnn", 30, pf.GraphSet([ring, ring]))
    assert (found.value, found.gamma) == (7, 7)


def test_a_filter_that_vanishes_on_the_spectrum_has_no_dimension():
    found = spaces.dimension("vanilla", 3, [-1.0])
    assert (found.value, found.upper, found.proven) == (0, 1, False)
    assert "at least" in found.reason


def test_large_dimensions_are_said_to_be_by_formula():
    found = spaces.dimension("sogc", 30_000, 69_324)
    assert found.value == 60_001
    assert found.prime is None
    assert not found.proven
    assert "formula" in str(found)
    assert "too large" in found.reason


# ---------------------------------------------------------------------------------- complete


def adversaries(points):
    """Filters that small networks miss: signs that alternate, no real root, zero at -1, holes."""
    gamma = len(points)
    alternating = (-1.0) ** np.arange(gamma)
    yield lambda lam: alternating * (1 + np.arange(gamma))
    yield [Fraction(1), 0, 1] if gamma > 2 else [Fraction(1), 1]
    yield [Fraction(0)] * (gamma - 1) + [1]
    yield [Fraction(1), 1]
    yield lambda lam: 2 + np.cos(7 * np.arange(gamma))
    yield [Fraction(1, 4), Fraction(1, 2), Fraction(1, 4)] if gamma > 2 else [Fraction(1)]
    P = pf.as_filter([Fraction(1, 2), Fraction(1, 2)])  # P^(Γ-1) + 9 P^Γ
    h = pf.as_filter([Fraction(11, 2), Fraction(9, 2)])
    for _ in range(gamma - 1):
        h = h * P
    yield h
    h = pf.as_filter([Fraction(1), (gamma - 1) % 2])  # as few real roots as the degree allows
    for k in range((gamma - 1) // 2):
        h = h * pf.as_filter([Fraction(1 + k), 0, 1])
    yield h


COMPLETE = [
    # name, width, Γ = 1, 2, 3, 4, 7, 10
    ("vanilla", 3, (1, None, None, None, None, None)),
    ("appnp", 1, (1, None, None, None, None, None)),
    ("bernnet", 1, (None, None, None, None, None, None)),
    ("vanilla+residual", 1, (1, 2, 3, 4, 7, 10)),
    ("vanilla+residual", 2, (1, 1, 2, 3, 6, 9)),
    ("gin", 1, (1, 1, 3, 4, 7, 10)),
    ("gin", 5, (1, 1, 3, 4, 7, 10)),
    ("first-order", 2, (1, 1, 2, 3, 6, 9)),
    ("sogc", 1, (1, 1, 1, 2, 3, 5)),
    ("k-order:3", 1, (1, 1, 1, 1, 3, 4)),
    ("k-order:3", 2, (1, 1, 1, 1, 2, 3)),
    ("k-order:4", 1, (1, 1, 1, 1, 2, 3)),
    ("gcnii", 1, (1, 3, 4, 5, 8, 11)),
    ("gcnii", 2, (1, 2, 3, 4, 7, 10)),
    ("jknet", 1, (1, 1, 2, 3, 6, 9)),
    ("arma", 1, (1, 2, 3, 4, 7, 10)),
    ("arma", 3, (1, 1, 1, 2, 3, 4)),
]


@pytest.mark.parametrize(("name", "width", "depths"), COMPLETE)
def test_complete_depth_is_enough_and_no_less_is(name, width, depths):
    for gamma, depth in zip((1, 2, 3, 4, 7, 10), depths, strict=True):
        points = spread_points(gamma)
        assert spaces.complete(name, points, width).depth == depth
        if depth is None:
            continue
        for h in adversaries(points):
            assert spaces.contains(name, depth, h, points, width)
            found = spaces.realise(name, h, points, depth=depth, width=width, bits=600)
            assert found.error < 1e-60, (name, gamma, str(found))
        if depth > 1:
            answers = [
                spaces.contains(name, depth - 1, h, points, width).answer
                for h in adversaries(points)
            ]
            assert False in answers, (name, gamma)


def test_one_channel_can_not_be_zero_at_minus_one_on_a_bipartite_graph():
    star = pf.Graph.from_networkx(nx.star_graph(4))  # -1, 0, 1
    for name in ("vanilla+residual", "gcnii"):
        assert spaces.complete(name, star).depth is None
        assert spaces.complete(name, star, 2).depth is not None
        assert not spaces.contains(name, 50, [1, 1], star)
        assert spaces.contains(name, 50, [2, 1], star)
        assert not spaces.realise(name, [1, 1], star)
        assert spaces.realise(name, [1, 1], star, width=2).error < 1e-12
    triangle = pf.Graph.from_networkx(nx.complete_graph(3))
    assert spaces.complete("vanilla+residual", triangle).depth == 2


# ---------------------------------------------------------------------------------- contains


def dealt_by_hand(reals, pairs, order, depth):
    """Whether roots can be dealt to ``depth`` bins of ``order``, by trying all ways."""
    reached = {(0,) * depth}
    for size in [2] * pairs + [1] * reals:
        reached = {
            tuple(sorted((*bins[:k], bins[k] + size, *bins[k + 1 :])))
            for bins in reached
            for k in range(depth)
            if bins[k] + size <= order
        }
    return bool(reached)


@settings(max_examples=60)
@given(
    st.lists(st.integers(-9, 9), max_size=5),
    st.lists(st.tuples(st.integers(-4, 4), st.integers(1, 5)), max_size=3),
    st.integers(1, 5),
    st.integers(1, 4),
)
@example([], [(0, 1), (1, 2), (2, 3)], 3, 2)
def test_products_contain_what_can_be_dealt(roots, pairs, order, depth):
    h = pf.as_filter([Fraction(3)])
    for r in roots:
        h = h * pf.as_filter([Fraction(-r, 7), 1])
    for a, b in pairs:
        h = h * pf.as_filter([Fraction(a * a + b * b, 25), Fraction(-2 * a, 5), 1])
    answer = spaces.contains(f"k-order:{order}", depth, h, 40)
    if order * depth < 39:
        assert answer.answer == dealt_by_hand(len(roots), len(pairs), order, depth), answer.reason
    wide = spaces.contains(f"k-order:{order}", depth, h, 40, width=2)
    assert wide.answer == (h.degree <= order * depth)
    gin = spaces.contains("gin", h.degree or 1, h, 40, width=7)
    assert gin.answer == (not pairs)


def test_a_deeper_network_contains_what_a_shallower_one_does():
    points = spread_points(6)
    for name in NAMES:
        if name in ("vanilla", "sgc", "appnp", "gcnii"):  # one filter a depth, and a ratio a depth
            continue
        for h in adversaries(points):
            answers = [spaces.contains(name, depth, h, points).answer for depth in range(1, 9)]
            known = [answer for answer in answers if answer is not None]
            assert known == sorted(known), name


def test_fixed_filters_are_multiples_of_one_polynomial():
    space = ambient(9)
    for depth in range(1, 6):
        h = [0.1 * c for c in np.polynomial.polynomial.polypow([1.0, 1.0], depth)]
        assert spaces.contains("vanilla", depth, h, space, 4), depth
        assert spaces.contains("sgc", depth, h, space)
        assert not spaces.contains("sgc", depth + 1, h, space)
        assert not spaces.contains("appnp", depth, h, space)
    assert spaces.contains("vanilla", 12, [0], space)
    assert not spaces.contains("vanilla", 12, [1], space)
    # on two eigenvalues a power of x + 1 is a polynomial of degree one
    two = [0.0, 1.0]
    assert spaces.contains("vanilla", 3, [1, 7], two)
    assert not spaces.contains("vanilla", 4, [1, 7], two)


def test_reduction_modulo_the_spectrum_decides():
    path = pf.Graph.from_networkx(nx.path_graph(3))  # x³ = x
    assert spaces.contains("gin", 1, [0, 0, 0, 1], path)
    assert spaces.contains("vanilla", 3, [1, 4, 3], path)  # (1 + x)³ = 1 + 4x + 3x² there
    assert spaces.realise("gpr-gnn", [0] * 9 + [1], path).depth == 1


def test_gcnii_has_a_ratio_in_its_last_coefficients():
    # in powers of P = (x + 1)/2: c_3 = 9 c_2
    P = pf.as_filter([Fraction(1, 2), Fraction(1, 2)])
    terms = [pf.as_filter([1]), P, P * P, P * P * P]

    def combined(c):
        power = [Fraction(0)] * 4
        for number, term in zip(c, terms, strict=True):
            for k, a in enumerate(term.exact):
                power[k] += number * a
        return power

    assert spaces.contains("gcnii", 3, combined([5, 7, 2, 18]), 12)
    assert not spaces.contains("gcnii", 3, combined([5, 7, 2, 17]), 12)
    assert not spaces.contains("gcnii", 4, combined([5, 7, 2, 17]), 12)
    assert spaces.contains("gcnii", 5, combined([5, 7, 2, 17]), 12)
    half = spaces.architecture("gcnii", alpha="1/2")
    assert spaces.contains(half, 3, combined([5, 7, 2, 2]), 12)
    hole = combined([5, 0, 2, 18])
    assert not spaces.contains("gcnii", 3, hole, 12)
    assert spaces.contains("gcnii", 3, hole, 12, width=2)


def test_the_cone_of_bernnet():
    points = spread_points(5)
    assert spaces.contains("bernnet", 1, [1], points)
    assert "cone" in spaces.contains("bernnet", 9, [-1], points).reason
    assert (
        "zero at" in spaces.contains("bernnet", 9, lambda lam: np.abs(lam - lam[2]), points).reason
    )
    for depth in (2, 4, 6, 9):  # inside by construction, weights at the border of the cone included
        theta = np.random.default_rng(depth).random(depth + 1)
        theta[::2] = 0
        bernnet = spaces.architecture("bernnet")
        weights = ({"theta": theta[:, None, None]},)
        values = bernnet.evaluate(weights, points, depth)
        found = spaces.contains("bernnet", depth, lambda lam, v=values: v, points)
        assert found.answer or depth < 5, found.reason
        assert not spaces.contains("bernnet", depth, lambda lam, v=values: v[1] - v, points)


def exact_interpolant(points, values):
    """Lagrange interpolation with fractions, by hand."""
    total = [Fraction(0)] * len(points)
    for j, y in enumerate(values):
        term = [Fraction(y)]
        for k, x in enumerate(points):
            if k != j:
                scale = 1 / (points[j] - x)
                longer = [Fraction(0), *term]
                for i, a in enumerate(term):
                    longer[i] -= x * a
                term = [scale * a for a in longer]
        total = [a + b for a, b in zip(total, term, strict=True)]
    return total


@settings(max_examples=30)
@given(
    st.lists(
        st.tuples(st.integers(-9, 9), st.integers(-9, 9).filter(bool)),
        min_size=1,
        max_size=3,
        unique_by=lambda pair: pair[0],
    )
)
def test_arma_finds_its_own_poles(terms):
    points = [Fraction(k, 8) for k in range(-8, 9, 2)]
    values = [sum(b / (1 - Fraction(a, 10) * x) for a, b in terms) for x in points]
    h = exact_interpolant(points, values)
    spectrum = [float(x) for x in points]
    for depth in range(1, 5):
        found = spaces.contains("arma", depth, h, spectrum)
        assert found.answer == (depth >= len(terms)), found.reason
    realised = spaces.realise("arma", h, spectrum)
    assert realised.depth == len(terms)
    assert realised.error < 1e-10
    poles = sorted(layer["a"].item() for layer in realised.weights)
    assert np.allclose(poles, sorted(a / 10 for a, _ in terms))


def test_arma_refuses_poles_inside():
    points = [Fraction(k, 8) + Fraction(1, 16) for k in range(-8, 7, 2)]
    inside = exact_interpolant(points, [1 / (1 - 4 * x) for x in points])
    spectrum = [float(x) for x in points]
    assert not spaces.contains("arma", 1, inside, spectrum)
    off = exact_interpolant(points, [1 / (4 + x * x) for x in points])
    assert "not real" in spaces.contains("arma", 2, off, spectrum).reason
    double = exact_interpolant(points, [1 / (2 - x) ** 2 for x in points])
    assert "double pole" in spaces.contains("arma", 2, double, spectrum).reason
    undecided = spaces.contains("arma", 5, [2, 1, 1], spectrum)
    assert undecided.answer is None
    with pytest.raises(FilterError, match="not decided"):
        bool(undecided)


# --------------------------------------------------------------------------------- realise


@settings(max_examples=40)
@given(
    st.sampled_from(NAMES),
    st.integers(1, 8),
    st.integers(1, 3),
    st.lists(st.integers(-20, 20), min_size=8, max_size=8),
)
@example("vanilla+residual", 5, 2, [0, 0, 0, 0, 1, 0, 0, 0])
@example("gcnii", 5, 1, [1, 2, 1, 0, 0, 0, 0, 0])
def test_realised_where_contained_and_only_there(name, gamma, width, numbers):
    points = spread_points(gamma)
    h = [Fraction(a, 10) for a in numbers[:gamma]]
    found = spaces.realise(name, h, points, width=width, bits=500)
    if not found:
        assert found.depth is None
        assert found.reason
        with pytest.raises(FilterError, match="no weights"):
            found.response(points)
        return
    assert spaces.contains(name, found.depth, h, points, width), found.reason
    wanted = np.polynomial.polynomial.polyval(points, [float(a) for a in h])
    size = max(1e-9, np.abs(wanted).max())
    assert np.abs(found.response(points).astype(float) - wanted).max() < 1e-12 * size
    # a cone is entered by least squares in float64, all else by exact arithmetic
    assert found.error < (1e-11 if name == "bernnet" else 1e-60), str(found)
    shallower = range(1, found.depth) if name != "arma" else ()
    answers = [spaces.contains(name, depth, h, points, width).answer for depth in shallower]
    assert not any(answers)


def test_realisations_say_how_many_digits_are_left():
    points = np.sort(np.random.default_rng(1).uniform(-1, 1, 24))
    values = np.random.default_rng(0).standard_normal(24)
    few = spaces.realise("gin", lambda lam: values, points)
    many = spaces.realise("gin", lambda lam: values, points, bits=400)
    assert few.error > 1e-6
    assert "ask for more" in few.reason
    assert many.error < 1e-60
    assert "ask for more" not in many.reason
    assert all(layer["theta"].dtype == object for layer in many.weights[1:-1])


def test_a_smooth_filter_of_high_degree_is_a_stack_of_sogc():
    h = pf.design.interpolate(pf.responses.band_pass, 128)
    found = spaces.realise("sogc", h, np.linspace(-1, 1, 500))
    assert found.depth == 64
    assert found.error < 1e-11


# --------------------------------------------------------------------------------- mistakes


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("gcn", 1, 5), "no architecture is called 'gcn'"),
        (("k-order", 1, 5), "k-order needs its order"),
        ((spaces.ARCHITECTURES["k-order"], 1, 5), "k-order needs its order"),
        (("k-order:0", 1, 5), "whole number from 1"),
        (("k-order:two", 1, 5), "whole number from 1"),
        (("sogc:3", 1, 5), "sogc has the order 2"),
        (("vanilla:3", 1, 5), "no parameter 'order'"),
        (("sogc", 0, 5), "depth has to be from 1"),
        (("sogc", 1.5, 5), "whole number, not 1.5"),
        (("sogc", 1, 5, 0), "width has to be from 1"),
    ],
)
def test_mistakes_have_one_sentence(arguments, message):
    with pytest.raises(FilterError, match=message):
        spaces.dimension(*arguments)


def test_parameters_are_checked():
    with pytest.raises(FilterError, match="between 0 and 1"):
        spaces.architecture("gcnii", alpha=1)
    with pytest.raises(FilterError, match="a, b > -1"):
        spaces.architecture("jacobiconv", a=-2)
    with pytest.raises(FilterError, match="a number, not 'x'"):
        spaces.architecture("appnp", alpha="x")
    with pytest.raises(SpectrumError, match="at least one eigenvalue"):
        spaces.dimension("sogc", 1, 0)
    with pytest.raises(FilterError, match="needs the eigenvalues"):
        spaces.contains("sogc", 1, [0] * 9 + [1], 5)
    with pytest.raises(FilterError, match="give the eigenvalues"):
        spaces.contains("sogc", 1, np.cos, 5)
