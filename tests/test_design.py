"""Designs against numpy's, against dense matrices, and against the polynomials planted in data."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.polynomial import Chebyshev, chebyshev
from scipy.optimize import linprog
from strategies import graph_sets, graphs, signals

from polyfilter import design
from polyfilter.errors import FilterError, ResponseError, SpectrumError
from polyfilter.graphs import Graph, GraphSet
from polyfilter.lad import LeastAbsoluteStatus
from polyfilter.responses import band_pass, heat, high_pass, low_pass
from polyfilter.spectrum import filter_dense, spectrum

EPS = np.finfo(float).eps
FINE = np.linspace(-1, 1, 10_001)
STAR = Graph.from_edges([(0, 1), (0, 2), (0, 3)])
PATH = Graph.from_edges([(0, 1), (1, 2), (2, 3)])

coefficients = st.lists(st.floats(-1, 1), min_size=1, max_size=20)


def transform_tolerance(size, scale):
    """Return the error of a cosine transform of values that are off by K eps themselves.

    Evaluating a polynomial of degree K errs by at most about K eps Σ|c|, and the transform, being
    a mean, adds log2(K) eps.
    """
    return 4 * EPS * (size + math.log2(size + 1)) * scale


def random_graph(size, rng, probability=0.1):
    edges = np.argwhere(np.triu(rng.random((size, size)) < probability, 1))
    return Graph.from_edges(edges, num_nodes=size)


# ------------------------------------------------------------------------- interpolate


@given(coefficients, st.integers(0, 10))
def test_interpolation_reproduces_polynomials(c, extra):
    h = design.interpolate(Chebyshev(c), len(c) - 1 + extra)
    assert h.domain.tolist() == h.window.tolist() == [-1, 1]
    wanted = np.pad(c, (0, extra))
    assert np.abs(h.coef - wanted).max() <= transform_tolerance(h.coef.size, np.abs(c).sum())


@pytest.mark.parametrize("response", [high_pass, low_pass, band_pass, heat(2.0), np.exp], ids=str)
@pytest.mark.parametrize("degree", [0, 1, 2, 15, 64])
def test_interpolation_is_numpys(response, degree):
    theirs = chebyshev.chebinterpolate(response, degree)
    # numpy evaluates T_k at points by recurrence: errors up to K² eps times the sharpness in f
    assert np.abs(design.interpolate(response, degree).coef - theirs).max() <= (
        100 * EPS * (degree + 1) ** 2
    )


def test_interpolation_at_high_degree_is_exact_at_its_points():
    degree = 100_000
    h = design.interpolate(band_pass, degree)
    j = np.array([0, 1, 31_337, 49_999, 50_000, 50_001, 99_999, 100_000])
    points = np.cos(np.pi * (j + 0.5) / (degree + 1))
    # the points are off by eps, which a slope of 25 multiplies; K terms of up to eps each add up
    assert np.abs(h(points) - band_pass(points)).max() <= 100 * EPS * math.sqrt(degree)
    assert np.abs(h.coef[2_000:]).max() <= 10 * EPS


@pytest.mark.parametrize("make", [design.interpolate, design.minimax])
@pytest.mark.parametrize(
    ("degree", "message"),
    [
        (-1, "from 0 to 10,000,000, not -1"),
        (10**12, "from 0 to 10,000,000, not 1000000000000"),
        (2.0, r"whole number, not 2\.0"),
        ("3", "whole number, not '3'"),
        (None, "whole number, not None"),
    ],
)
def test_bad_degrees_are_refused(make, degree, message):
    with pytest.raises(FilterError, match=message):
        make(np.exp, degree)


@pytest.mark.parametrize("make", [design.interpolate, design.minimax])
def test_bad_responses_are_refused(make):
    with pytest.raises(ResponseError, match=r"returned shape \(2,\) for "):
        make(lambda lam: lam[:2], 4)
    with pytest.raises(ResponseError, match="is nan at λ = "):
        make(lambda lam: lam * np.nan, 4)


def test_numpy_integers_are_degrees():
    assert design.interpolate(np.exp, np.int64(3)).degree() == 3


# ------------------------------------------------------------------------- least squares


@given(st.data(), coefficients)
def test_least_squares_of_a_polynomial_is_that_polynomial(data, c):
    points = np.cos(np.pi * (np.arange(len(c) + 5) + 0.5) / (len(c) + 5))
    chosen = data.draw(st.permutations(points.tolist()))
    h = design.least_squares(Chebyshev(c), len(c) - 1, chosen)
    # at Chebyshev's points the basis is orthogonal: condition sqrt(2)
    assert np.abs(h.coef - c).max() <= 10 * transform_tolerance(len(points), np.abs(c).sum() + EPS)


@given(graph_sets(), st.data())
def test_least_squares_is_closest_in_the_frobenius_norm(graph_set, data):
    found = spectrum(graph_set)
    degree = data.draw(st.integers(0, len(found) - 1))
    h = design.least_squares(high_pass, degree, graph_set)
    basis = [[] for _ in range(degree + 1)]
    wanted = []
    for graph in graph_set:
        identity = np.eye(graph.num_nodes)
        wanted.append(filter_dense(graph, high_pass, identity).ravel())
        for k in range(degree + 1):
            basis[k].append(filter_dense(graph, Chebyshev.basis(k), identity).ravel())
    V = np.column_stack([np.concatenate(column) for column in basis])
    wanted = np.concatenate(wanted)
    assume(np.linalg.cond(V) < 1e6)
    best = np.linalg.norm(V @ np.linalg.lstsq(V, wanted)[0] - wanted)
    # both solutions err by cond · eps in their coefficients, and by the square of it in the norm
    ours = np.linalg.norm(V @ h.coef - wanted)
    assert ours <= best + 1e6 * EPS * np.linalg.norm(wanted)


def test_an_array_counts_each_entry_and_a_spectrum_its_multiplicities():
    every = np.linalg.eigvalsh(STAR.normalized_adjacency().toarray())
    by_array = design.least_squares(heat(2.0), 1, every)
    for given_as in (STAR, GraphSet([STAR]), spectrum(STAR)):
        assert np.allclose(design.least_squares(heat(2.0), 1, given_as).coef, by_array.coef)
    once = design.least_squares(heat(2.0), 1, spectrum(STAR).values)
    assert not np.allclose(once.coef, by_array.coef)


def test_every_filter_on_a_small_spectrum_is_a_polynomial():
    # Theorem 1: a polynomial of degree Γ - 1 has any values on Γ eigenvalues
    h = design.least_squares(lambda lam: np.where(np.abs(lam) < 0.5, 1.0, -1.0), 2, STAR)
    assert np.allclose(h([-1, 0, 1]), [-1, 1, -1], atol=1e-14)


def test_gaps_in_the_spectrum_do_not_blow_up():
    found = spectrum(random_graph(200, np.random.default_rng(0), 0.1))
    residuals = []
    for degree in (10, 30, 60, 120, 199):
        h = design.least_squares(band_pass, degree, found)
        residuals.append(np.linalg.norm(h(found.values) - band_pass(found.values)))
    # more degrees never hurt, although the Vandermonde matrix is singular in float64 by degree 60
    assert np.all(np.diff(residuals) < 1e-3)
    assert residuals[-1] < 0.1


@pytest.mark.parametrize("degree", [3, 4, 100])
def test_a_degree_that_the_spectrum_cannot_carry(degree):
    message = f"degree {degree} is more than .* 3 distinct eigenvalues, .* up to degree 2"
    raw = np.linalg.eigvalsh(STAR.normalized_adjacency().toarray())  # the two zeros differ
    for given_as in (STAR, spectrum(STAR), raw):
        with pytest.raises(FilterError, match=message):
            design.least_squares(np.exp, degree, given_as)


def test_a_bad_spectrum_is_refused():
    with pytest.raises(SpectrumError, match=r"eigenvalue 1 is 1\.5"):
        design.least_squares(np.exp, 1, [0.0, 1.5])
    with pytest.raises(SpectrumError, match="list of eigenvalues"):
        design.least_squares(np.exp, 0, [])


# ------------------------------------------------------------------------- minimax


@pytest.mark.parametrize("response", [high_pass, low_pass, band_pass], ids=str)
@pytest.mark.parametrize("degree", [8, 33, 128])
def test_minimax_beats_interpolation_by_no_more_than_lebesgue(response, degree):
    errors = [
        np.abs(make(response, degree)(FINE) - response(FINE)).max()
        for make in (design.minimax, design.interpolate)
    ]
    lebesgue = 1 + 2 / math.pi * math.log(degree + 1) + 1
    assert errors[0] <= errors[1] <= lebesgue * errors[0]


def test_minimax_past_rounding_is_still_a_good_polynomial():
    h = design.minimax(heat(1.0), 60)
    assert np.abs(h(FINE) - heat(1.0)(FINE)).max() <= 60 * EPS


def test_minimax_refuses_what_it_cannot_prove():
    with pytest.raises(FilterError, match=r"no minimax polynomial of degree 40 .* grows"):
        design.minimax(band_pass, 40, bands=[(0, 1)])
    assert design.minimax_with_proof(band_pass, 40, bands=[(0, 1)]).error < 10


def test_minimax_has_an_end():
    with pytest.raises(FilterError, match=r"up to degree 10,000, not 10001; interpolate"):
        design.minimax(np.exp, 10_001)


# ------------------------------------------------------------------------- fit


def planted(graph_set, c, xs):
    """Return h(A) x on each graph by dense matrices."""
    return [filter_dense(g, Chebyshev(c), x) for g, x in zip(graph_set, xs, strict=True)]


@pytest.mark.parametrize("loss", ["mae", "mse"])
@given(st.data(), st.lists(st.floats(-1, 1), min_size=1, max_size=4))
def test_fit_recovers_a_planted_polynomial(loss, data, c):
    graph_set = data.draw(graph_sets(weighted=False))
    xs = [data.draw(signals(graph.num_nodes, channels=2)) for graph in graph_set]
    assume(len(c) <= 2 * graph_set.num_nodes)
    result = design.fit_with_proof(graph_set, xs, planted(graph_set, c, xs), len(c) - 1, loss)
    # outputs are recovered whatever the rank; coefficients only when the data carry them all
    noise = 1e3 * EPS * graph_set.num_nodes * max(np.abs(x).max() for x in xs)
    assert result.error <= noise
    assert result.lower_bound <= result.error
    if result.rank == len(c):
        V = np.vander(spectrum(graph_set).values, len(c))
        assume(np.linalg.cond(V) < 1e3)
        outputs = planted(graph_set, result.polynomial.coef, xs)
        for ours, wanted in zip(outputs, planted(graph_set, c, xs), strict=True):
            assert np.abs(ours - wanted).max() <= 1e3 * noise


def test_fit_is_the_linear_program():
    rng = np.random.default_rng(0)
    graph_set = GraphSet([random_graph(size, rng, 0.3) for size in (8, 11, 5)])
    xs = [rng.standard_normal(g.num_nodes) for g in graph_set]
    ys = [rng.standard_normal(g.num_nodes) for g in graph_set]
    result = design.fit_with_proof(graph_set, xs, ys, 3)
    columns = [np.concatenate(planted(graph_set, row, xs)) for row in np.eye(4)]
    X, y = np.column_stack(columns), np.concatenate(ys)
    n = len(y)
    best = linprog(
        np.concatenate([np.zeros(4), np.ones(2 * n)]),
        A_eq=np.hstack([X, np.eye(n), -np.eye(n)]),
        b_eq=y,
        bounds=[(None, None)] * 4 + [(0, None)] * (2 * n),
    ).fun
    assert math.isclose(result.error * n, best, rel_tol=1e-7)  # HiGHS' own tolerance
    assert math.isclose(result.error, np.abs(X @ result.polynomial.coef - y).mean(), rel_tol=1e-12)


def test_mse_is_numpys_least_squares():
    rng = np.random.default_rng(1)
    graph = random_graph(30, rng, 0.2)
    x, y = rng.standard_normal((2, 30))
    X = np.column_stack([filter_dense(graph, Chebyshev.basis(k), x) for k in range(4)])
    truth = np.linalg.lstsq(X, y)[0]
    assert np.allclose(design.fit(graph, x, y, 3, loss="mse").coef, truth, rtol=1e-10)


def test_fit_takes_one_graph_a_set_or_a_list():
    rng = np.random.default_rng(2)
    x, y = rng.standard_normal((2, 4))
    alone = design.fit(PATH, x, y, 2).coef
    assert np.array_equal(design.fit(PATH, x.tolist(), y.tolist(), 2).coef, alone)
    assert np.array_equal(design.fit(GraphSet([PATH]), [x], [y], 2).coef, alone)
    assert np.array_equal(design.fit([PATH], x, y, 2).coef, alone)


def test_more_degrees_fit_better():
    rng = np.random.default_rng(3)
    graph = random_graph(60, rng)
    x, y = rng.standard_normal((2, 60))
    results = [design.fit_with_proof(graph, x, y, degree) for degree in range(0, 40, 5)]
    assert np.all(np.diff([result.error for result in results]) < 0)
    for result in results:
        if result.status is LeastAbsoluteStatus.OPTIMAL:
            assert result.error - result.lower_bound <= 2e-9 * result.error
        else:  # the spectrum has a gap below 1, where h grows with the degree
            assert result.status is LeastAbsoluteStatus.ROUNDED
            rounding = EPS * np.abs(result.polynomial.coef).sum() * np.abs(x).sum()
            assert result.error - result.lower_bound <= rounding
    assert results[2].status is LeastAbsoluteStatus.OPTIMAL


def test_a_degree_that_the_data_do_not_carry_gets_the_smallest_coefficients():
    x = np.array([1.0, -2.0, 0.5, 0.25])
    y = planted([STAR], [0.3, 0.2, 0.1], [x])[0]
    result = design.fit_with_proof(STAR, x, y, 3)
    assert result.rank == 3  # the star has three distinct eigenvalues
    assert np.allclose(result.polynomial([-1, 0, 1]), Chebyshev([0.3, 0.2, 0.1])([-1, 0, 1]))
    assert "3 of 4 directions" in str(result)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([[1, 2]], [[1, 2, 3, 4]], 1), r"x has shape \(2,\) on graph 0, which has 4 nodes"),
        (([[1, 2, 3, 4]], [[1, 2, 3, np.nan]], 1), "y is nan at node 3 of graph 0"),
        (([[1, 2, 3, 4]], [[[1, 2]] * 4], 1), "x has 1 channels and y has 2"),
        (([[1, 2, 3, 4]], [[1, 2, 3, 4]], 4), "has 5 coefficients, but y has only 4 numbers"),
        (([[0, 0, 0, 0]], [[1, 2, 3, 4]], 1), "x is zero on every graph"),
        (([[1, 2, 3, 4]], [[1, 2, 3, 4]], -1), "degree"),
        (([[1, 2, 3, 4]] * 2, [[1, 2, 3, 4]], 1), "x has 2 signals for 1 graphs"),
        (([[1, 2, 3, 4]], [[1, 2, 3, 4]], 1, "huber"), "'mae' or 'mse', not 'huber'"),
    ],
)
def test_bad_data_are_refused(arguments, message):
    with pytest.raises(FilterError, match=message):
        design.fit(GraphSet([PATH]), *arguments)


@given(graphs(weighted=False), st.data())
def test_fit_of_a_response_is_no_worse_than_any_design(graph, data):
    x = data.draw(signals(graph.num_nodes))
    y = filter_dense(graph, high_pass, x)
    degree = data.draw(st.integers(0, graph.num_nodes - 1))
    rival = np.abs(filter_dense(graph, design.interpolate(high_pass, degree), x) - y).mean()
    assert design.fit_with_proof(graph, x, y, degree).error <= rival * (1 + 1e-8) + 1e-10
