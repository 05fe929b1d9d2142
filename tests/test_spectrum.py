"""Spectra against those that are known in closed form, and transforms against dense algebra."""

import pickle

import networkx as nx
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from strategies import graph_sets, graphs

from polyfilter import blocks
from polyfilter.errors import FilterError, GraphError, ResponseError, SpectrumError
from polyfilter.graphs import Graph, GraphSet
from polyfilter.spectrum import (
    Spectrum,
    as_points,
    eigenbasis,
    eigenvalue_tolerance,
    filter_dense,
    fourier,
    inverse_fourier,
    spectrum,
)


def dense_eigenvalues(graph):
    return np.linalg.eigvalsh(graph.normalized_adjacency().toarray())


def known(name, n):
    """Give a graph, its distinct eigenvalues and their multiplicities, from the textbook."""
    if name == "complete":
        return nx.complete_graph(n), {-1 / (n - 1): n - 1, 1: 1}
    if name == "cycle":
        pairs = {np.cos(2 * np.pi * k / n): 2 for k in range(1, (n + 1) // 2)}
        return nx.cycle_graph(n), {1: 1, **pairs, **({-1: 1} if n % 2 == 0 else {})}
    if name == "star":
        return nx.star_graph(n), {-1: 1, 0: n - 1, 1: 1}
    if name == "path":
        return nx.path_graph(n), {np.cos(np.pi * k / (n - 1)): 1 for k in range(n)}
    if name == "hypercube":
        binomial = [round(np.prod([(n - i) / (i + 1) for i in range(k)])) for k in range(n + 1)]
        return nx.hypercube_graph(n), {1 - 2 * k / n: binomial[k] for k in range(n + 1)}
    if name == "bipartite":
        return nx.complete_bipartite_graph(n, n + 3), {-1: 1, 0: 2 * n + 1, 1: 1}
    if name == "petersen":
        return nx.petersen_graph(), {-2 / 3: 4, 1 / 3: 5, 1: 1}
    # Paley graphs are strongly regular with eigenvalues (-1 +- sqrt q) / 2 over (q - 1) / 2
    squares = {k * k % n for k in range(1, n)}
    edges = [(i, j) for i in range(n) for j in range(i) if (i - j) % n in squares]
    low, high = ((-1 + s * np.sqrt(n)) / (n - 1) for s in (-1, 1))
    return nx.Graph(edges), {low: (n - 1) // 2, high: (n - 1) // 2, 1: 1}


@pytest.mark.parametrize(
    ("name", "n"),
    [
        *[("complete", n) for n in (2, 3, 7, 100, 257)],
        *[("cycle", n) for n in (3, 4, 5, 12, 101, 256)],
        *[("star", n) for n in (2, 3, 50, 400)],
        *[("path", n) for n in (2, 3, 10, 129)],
        *[("hypercube", n) for n in (2, 3, 5, 8, 9)],
        *[("bipartite", n) for n in (1, 4, 60)],
        ("petersen", 10),
        *[("paley", q) for q in (5, 13, 29, 101)],
    ],
)
def test_known_spectra(name, n):
    other, truth = known(name, n)
    found = spectrum(Graph.from_networkx(other))
    values = sorted(truth)
    assert len(found) == len(truth)
    assert found.multiplicities.tolist() == [truth[value] for value in values]
    assert np.abs(found.values - values).max() <= eigenvalue_tolerance(other.number_of_nodes())
    assert found.num_nodes == other.number_of_nodes()
    assert found.min_gap == pytest.approx(np.diff(values).min(), rel=1e-9)


def test_the_tolerance_is_generous_but_not_by_much():
    # copies of one eigenvalue lie within a tenth of what the bound allows, on the graphs whose
    # multiplicities are largest; gaps of the 129-node path, the closest above, are 3e9 times it
    for other in (nx.complete_graph(400), nx.hypercube_graph(9), nx.star_graph(500)):
        graph = Graph.from_networkx(other)
        values = dense_eigenvalues(graph)
        starts = np.flatnonzero(np.append(True, np.diff(values) > 1e-6))
        ends = np.append(starts[1:], len(values)) - 1
        spread = (values[ends] - values[starts]).max()
        assert spread < 0.1 * eigenvalue_tolerance(graph.num_nodes)


def test_isolated_nodes_and_single_edges():
    lonely = spectrum(Graph.from_edges([], num_nodes=3))
    assert (lonely.values.tolist(), lonely.multiplicities.tolist()) == ([0.0], [3])
    assert lonely.min_gap == np.inf
    pair = spectrum(Graph.from_edges([(0, 1)], num_nodes=3))
    assert np.allclose(pair, [-1, 0, 1], rtol=0, atol=eigenvalue_tolerance(2))
    loop = spectrum(Graph.from_edges([(0, 0)], num_nodes=2, self_loops=True))
    assert np.allclose(loop, [0, 1], rtol=0, atol=eigenvalue_tolerance(1))


@given(graph_sets(self_loops=True))
def test_spectrum_merges_the_dense_eigenvalues(graphs):
    values = np.sort(np.concatenate([dense_eigenvalues(graph) for graph in graphs]))
    found = spectrum(graphs)
    spread = np.repeat(found.values, found.multiplicities)
    assert np.abs(values - spread).max() <= len(found) * found.tolerance + eigenvalue_tolerance(8)
    assert found.num_nodes == graphs.num_nodes
    assert found.min_gap > found.tolerance
    assert np.abs(found.values).max() <= 1


@given(graph_sets(self_loops=True))
def test_a_set_has_the_spectrum_of_its_union_and_of_its_copies(graphs):
    once = spectrum(graphs)
    twice = spectrum(GraphSet([*graphs, *graphs]))
    assert np.array_equal(spectrum(graphs.union()).values, once.values)
    assert len(twice) == len(once)
    assert np.array_equal(twice.multiplicities, 2 * once.multiplicities)


def test_batches_change_nothing(monkeypatch):
    many = GraphSet(
        [Graph.from_networkx(nx.gnp_random_graph(n, 0.3, seed=n)) for n in range(2, 40)]
    )
    whole = spectrum(many)
    monkeypatch.setattr(blocks, "BATCH_BYTES", 1000)
    parts = spectrum(many)
    assert np.array_equal(parts.values, whole.values)
    assert np.array_equal(parts.multiplicities, whole.multiplicities)


def test_a_wider_tolerance_merges_more():
    graph = Graph.from_networkx(nx.path_graph(50))
    sizes = [len(spectrum(graph, tolerance)) for tolerance in (0, 1e-3, 1e-2, 1e-1, 2)]
    assert sizes[0] >= 50
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] == 1


def test_a_spectrum_is_an_array_wherever_one_is_wanted():
    found = spectrum(Graph.from_networkx(nx.petersen_graph()))
    assert np.array_equal(np.asarray(found), found.values)
    assert np.asarray(found, dtype=np.float32).dtype == np.float32
    assert np.cos(found).shape == (3,)
    assert list(found) == found.values.tolist()
    with pytest.raises(ValueError, match="read-only"):
        found.values[0] = 0
    again = pickle.loads(pickle.dumps(found))
    assert np.array_equal(again.values, found.values)
    assert repr(found).startswith("Spectrum('Petersen Graph', 3 distinct of 10 eigenvalues")
    assert found._repr_html_().count("<rect") == 3


# ---------------------------------------------------------------------------------- transforms


@given(graphs(self_loops=True))
@example(Graph.from_edges([], num_nodes=3))
def test_eigenbasis_decomposes(graph):
    lam, U = eigenbasis(graph)
    A = graph.normalized_adjacency().toarray()
    bound = 10 * eigenvalue_tolerance(graph.num_nodes)
    assert np.all(np.diff(lam) >= 0)
    assert np.abs(U.T @ U - np.eye(len(lam))).max() <= bound
    assert np.abs((U * lam) @ U.T - A).max() <= bound


@given(graphs(self_loops=True), st.sampled_from([(), (1,), (3,)]), st.integers(0, 99))
def test_filters_in_the_spectral_and_the_vertex_domain_agree(graph, channels, seed):
    x = np.random.default_rng(seed).standard_normal((graph.num_nodes, *channels))
    bound = 100 * eigenvalue_tolerance(graph.num_nodes) * np.abs(x).max()
    basis = eigenbasis(graph)
    assert np.abs(inverse_fourier(basis, fourier(basis, x)) - x).max() <= bound
    A = graph.normalized_adjacency()
    truth = 2 * x - A @ x + 0.5 * (A @ (A @ x))
    for way in (graph, basis):
        found = filter_dense(way, lambda lam: 2 - lam + 0.5 * lam**2, x)
        assert found.shape == x.shape
        assert np.abs(found - truth).max() <= bound


# --------------------------------------------------------------------------------------- points


def test_points():
    assert as_points([0.5, -1, 0.5]).tolist() == [0.5, -1, 0.5]
    assert as_points([1 + 1e-15]).tolist() == [1.0]
    graph = Graph.from_networkx(nx.cycle_graph(6))
    assert np.array_equal(as_points(graph), spectrum(graph).values)
    assert np.array_equal(as_points(GraphSet([graph])), spectrum(graph).values)
    assert np.array_equal(as_points(spectrum(graph)), spectrum(graph).values)


@pytest.mark.parametrize("degree", [1, 2, 5, 16])
def test_points_of_the_interval_miss_little(degree):
    grid = as_points(size=4 * degree + 1)
    assert np.array_equal(grid, -grid[::-1])
    assert (grid[0], grid[-1]) == (-1, 1)
    random = np.random.default_rng(degree)
    fine = np.linspace(-1, 1, 20_001)
    for _ in range(20):
        h = np.polynomial.Chebyshev(random.standard_normal(degree + 1))
        assert np.abs(h(grid)).max() >= np.cos(np.pi / 8) * np.abs(h(fine)).max()


@pytest.mark.parametrize(
    ("points", "message"),
    [
        ([], r"not of shape \(0,\)"),
        (0.5, r"not of shape \(\)"),
        ([[0.5]], r"not of shape \(1, 1\)"),
        ([0.5, 1.5, -2], r"eigenvalue 1 is 1.5, .* lie in \[-1, 1\]$"),
        ([0.0, 1.5, 2.0], "eigenvalue 1 is 1.5, .* Laplacian I - A, pass 1 - values"),
        ([0.0, np.nan], "eigenvalue 1 is nan"),
        ([0.0, -np.inf], "eigenvalue 1 is -inf"),
        ([0.5j], "real numbers"),
        (["a"], "real numbers"),
        ([True], "real numbers"),
        ([[1], [1, 2]], "not an array"),
    ],
)
def test_bad_points(points, message):
    with pytest.raises(SpectrumError, match=message):
        as_points(points)


# ------------------------------------------------------------------------------ what is wrong


def test_bad_arguments():
    graph = Graph.from_edges([(0, 1)])
    with pytest.raises(GraphError, match="takes a Graph or a GraphSet, not list"):
        spectrum([graph])
    for tolerance in (-1e-9, np.nan, np.inf):
        with pytest.raises(SpectrumError, match="tolerance"):
            spectrum(graph, tolerance)


@pytest.mark.parametrize(
    ("x", "message"),
    [
        ([1.0], r"a signal on 2 nodes has shape \(2,\) or \(2, channels\), not \(1,\)"),
        (np.ones((2, 1, 1)), "not"),
        ([1.0, np.nan], "not finite at node 1"),
        ([1.0, 1j], "real numbers"),
    ],
)
def test_bad_signals(x, message):
    graph = Graph.from_edges([(0, 1)])
    for call in (fourier, inverse_fourier):
        with pytest.raises(FilterError, match=message):
            call(graph, x)


def test_bad_responses():
    graph = Graph.from_edges([(0, 1)], num_nodes=3)
    with pytest.raises(ResponseError, match=r"returned shape \(\) for 3 eigenvalues"):
        filter_dense(graph, lambda lam: 1.0, np.ones(3))
    with pytest.raises(ResponseError, match="the response is inf at eigenvalue 0"):
        filter_dense(graph, lambda lam: np.where(lam == 0, np.inf, lam), np.ones(3))


def test_a_component_that_does_not_fit_is_refused_before_memory_is_taken():
    n = blocks.MAX_DENSE + 1
    path = Graph.from_edges(np.column_stack((np.arange(n - 1), np.arange(1, n))))
    for call in (spectrum, eigenbasis):
        with pytest.raises(SpectrumError, match=r"20,001 nodes, more than the 20,000"):
            call(path)
    scattered = Graph.from_edges([(0, 1)], num_nodes=n)
    assert isinstance(spectrum(scattered), Spectrum)
