"""Quotients keep the set of eigenvalues: against exact factors without any reduction."""

from fractions import Fraction

import networkx as nx
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from strategies import graph_sets, graphs

from polyfilter.algebraic import algebraic_factors
from polyfilter.graphs import Graph, GraphSet
from polyfilter.quotient import collapse, ranges, row_sums, stack


@given(graph_sets(self_loops=True))
def test_stack_keeps_nodes_edges_and_weights_of_components(members):
    blocks = stack(members.graphs)
    whole = nx.disjoint_union_all([g.to_networkx() for g in members])
    isolated = set(nx.isolates(whole))
    sizes = [len(c) for c in nx.connected_components(whole) if not c <= isolated]
    unique = len({g.adjacency.toarray().tobytes() for g in members}) == len(members)
    if unique:
        assert sorted(blocks.sizes) == sorted(sizes + [1] * bool(isolated))
    assert np.all(np.diff(blocks.sizes) <= 0)
    assert np.all(blocks.owner[blocks.indices] == np.repeat(blocks.owner, np.diff(blocks.indptr)))


def test_equal_graphs_are_stacked_once():
    triangle = Graph.from_edges([(0, 1), (1, 2), (2, 0)])
    heavy = Graph.from_edges([(0, 1), (1, 2), (2, 0)], weights=[0.1] * 3)  # the same D^-1 W
    assert stack([triangle] * 5).num_blocks == 1
    assert np.array_equal(stack([heavy]).weights, stack([triangle]).weights)


@given(graph_sets(max_nodes=9))
@example(GraphSet([Graph.from_networkx(nx.complete_multipartite_graph(1, 2, 3))]))
@example(GraphSet([Graph.from_networkx(nx.barbell_graph(4, 1))]))
@example(GraphSet([Graph.from_edges([(0, 1), (0, 2)], weights=[0.1, 0.1])]))
def test_collapse_keeps_the_set_of_eigenvalues(members):
    blocks = stack(members.graphs)
    smaller, values = collapse(blocks)
    assert algebraic_factors(smaller, values) == algebraic_factors(blocks, [])
    assert smaller.multiplicity.sum() == blocks.num_nodes
    assert smaller.num_blocks == blocks.num_blocks


@given(graphs(max_nodes=9))
def test_collapse_finds_all_twins_of_an_unweighted_graph(graph):
    neighbours = nx.Graph(nx.from_scipy_sparse_array(graph.adjacency != 0)).adj
    plain = Graph.from_edges([(i, j) for i in neighbours for j in neighbours[i]], graph.num_nodes)
    around = {i: frozenset(neighbours[i]) for i in neighbours if neighbours[i]}
    expected = len(set(around.values())) + len({around[i] | {i} for i in around}) - len(around)
    smaller, _ = collapse(stack([plain]))
    assert smaller.num_nodes == expected + (len(around) < graph.num_nodes)


def test_weights_tell_twins_apart():
    fork = Graph.from_edges([(0, 1), (0, 2), (0, 3)], weights=[0.1, 0.1, 0.3])
    smaller, values = collapse(stack([fork]))
    assert sorted(smaller.multiplicity) == [1, 1, 2]
    assert values == {0}
    triangle = Graph.from_edges([(0, 1), (1, 2), (2, 0)], weights=[1, 2, 2])
    assert collapse(stack([triangle]))[1] == set()


@given(graph_sets(self_loops=True), st.booleans())
def test_upper_bound(members, reduce):
    blocks, values = stack(members.graphs), set()
    if reduce:
        blocks, values = collapse(blocks)
    gamma = sum(len(factor) - 1 for factor in algebraic_factors(blocks, values))
    assert gamma <= blocks.upper_bound(values) <= blocks.num_nodes + len(values)


@pytest.mark.parametrize(
    ("graph", "bound"),
    [
        (nx.path_graph(9), 9),
        (nx.star_graph(6), 3),
        (nx.empty_graph(4), 1),
        (nx.disjoint_union(nx.path_graph(4), nx.path_graph(6)), 8),  # 1 and -1 are in both
    ],
)
def test_upper_bound_of_known_graphs(graph, bound):
    blocks, values = collapse(stack([Graph.from_networkx(graph)]))
    assert blocks.upper_bound(values) == bound


def test_a_value_of_twins_is_counted_once():
    blocks, values = collapse(stack([Graph.from_networkx(nx.complete_graph(4))]))
    assert values == {Fraction(-1, 3)}
    assert blocks.upper_bound(values) == 2


@given(st.lists(st.lists(st.integers(0, 2**64 - 1), max_size=4), min_size=1, max_size=6))
def test_row_sums_with_empty_rows(rows):
    indptr = np.cumsum([0, *map(len, rows)])
    words = np.array([w for row in rows for w in row], dtype=np.uint64)
    assert row_sums(words, indptr).tolist() == [sum(row) % 2**64 for row in rows]
    lengths = np.diff(indptr)
    assert np.array_equal(ranges(indptr[:-1], lengths), np.arange(len(words)))
