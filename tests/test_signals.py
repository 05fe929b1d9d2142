"""Signals on graph sets against dense eigendecompositions, and every mistake by its place."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.polynomial import Chebyshev
from strategies import graph_sets, signals

from polyfilter.errors import FilterError
from polyfilter.graphs import Graph, GraphSet
from polyfilter.signals import chebyshev_features, stack_signals, union_adjacency

EPS = np.finfo(float).eps
EDGE = Graph.from_edges([(0, 1)])
PATH = Graph.from_edges([(0, 1), (1, 2)])
BOTH = GraphSet([EDGE, PATH])


def recurrence_tolerance(degree, size):
    """Return how far K steps of the recurrence drift: each rounds and the errors grow as U_k."""
    return 4 * EPS * size * (degree + 1) ** 2


@given(st.data(), st.integers(0, 12))
def test_features_are_the_dense_polynomials(data, degree):
    graphs = data.draw(graph_sets())
    xs = [data.draw(signals(graph.num_nodes, channels=2)) for graph in graphs]
    features = chebyshev_features(union_adjacency(graphs), stack_signals(graphs, xs, "x"), degree)
    for k in range(degree + 1):
        truth = []
        for graph, x in zip(graphs, xs, strict=True):
            lam, U = np.linalg.eigh(graph.normalized_adjacency().toarray())
            truth.append(U @ (Chebyshev.basis(k)(lam)[:, None] * (U.T @ x)))
        worst = np.abs(features[:, k] - np.concatenate(truth).ravel()).max()
        size = max(np.linalg.norm(x) for x in xs)
        assert worst <= recurrence_tolerance(degree, graphs.num_nodes) * size


@given(graph_sets(), st.integers(1, 3))
def test_lists_and_stacked_arrays_are_the_same(graphs, channels):
    x = np.arange(graphs.num_nodes * channels, dtype=float).reshape(-1, channels)
    ends = np.cumsum([graph.num_nodes for graph in graphs])
    parts = np.split(x, ends[:-1])
    assert np.array_equal(stack_signals(graphs, parts, "x"), x)
    assert np.array_equal(stack_signals(graphs, x, "x"), x)


def test_whole_numbers_and_booleans_are_numbers():
    assert stack_signals(BOTH, [[True, False], [1, 2, 3]], "x").ravel().tolist() == [1, 0, 1, 2, 3]


@pytest.mark.parametrize(
    ("x", "message"),
    [
        ([[1, 2]], "x has 1 signals for 2 graphs"),
        ([[1, 2], [1, 2]], r"x has shape \(2,\) on graph 1, which has 3 nodes"),
        ([[1, np.nan], [1, 2, 3]], "x is nan at node 1 of graph 0"),
        ([[1, 2], [[1, 2], [1, -np.inf], [1, 2]]], "x is -inf at node 1 of graph 1"),
        ([[[1], [2]], [[1, 2], [1, 2], [1, 2]]], "x has 2 channels on graph 1, but 1 on graph 0"),
        ([[[], []], [1, 2, 3]], "x has no channels on graph 0"),
        ([[1, 2], ["a", "b", "c"]], "x on graph 1 is no array of real numbers"),
        ([[1, 2], [[1], [2, 3], [4]]], "x on graph 1 is no array of real numbers"),
        ([[1, 2j], [1, 2, 3]], "x on graph 0 is complex"),
        (np.zeros(4), r"x has shape \(4,\), but the graphs have 5 nodes in all"),
        (np.zeros((1, 5, 1)), r"x has shape \(1, 5, 1\)"),
        (np.float64(3.0), "x has to hold one signal a graph, not"),
        (7, "x has to hold one signal a graph, not 7"),
    ],
)
def test_bad_signals_are_named_by_their_place(x, message):
    with pytest.raises(FilterError, match=message):
        stack_signals(BOTH, x, "x")
