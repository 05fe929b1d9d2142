"""Isomorphic blocks are recognized, and others are never merged: against networkx."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import graph_sets

from polyfilter.graphs import Graph
from polyfilter.isomorphism import distinct
from polyfilter.quotient import collapse, stack


def classes(blocks):
    """Count isomorphism classes of blocks by networkx, weights and all."""
    found = []
    for b in range(blocks.num_blocks):
        block = blocks.pick(np.array([b]))
        graph = nx.Graph()
        for i, (k, loop) in enumerate(zip(block.multiplicity, block.loops, strict=True)):
            graph.add_node(i, label=(int(k), float(loop)))
        rows = np.repeat(np.arange(block.num_nodes), np.diff(block.indptr))
        graph.add_weighted_edges_from(zip(rows, block.indices, block.weights, strict=True))
        if not any(
            nx.is_isomorphic(graph, other, lambda a, b: a == b, lambda a, b: a == b)
            for other in found
        ):
            found.append(graph)
    return len(found)


@given(graph_sets(max_nodes=7, self_loops=True), st.booleans(), st.randoms(use_true_random=False))
def test_small_blocks_are_merged_exactly_when_isomorphic(members, twins, random):
    shuffled = [g.permute(random.sample(range(g.num_nodes), g.num_nodes)) for g in members]
    blocks = stack([*members, *shuffled])
    if twins:
        blocks, _ = collapse(blocks)
    kept = distinct(blocks)
    assert kept.num_blocks == classes(blocks)
    assert distinct(kept).num_blocks == kept.num_blocks


@pytest.mark.parametrize(
    "graph",
    [
        nx.random_labeled_tree(40, seed=0),
        nx.gnm_random_graph(300, 900, seed=0),
        nx.grid_2d_graph(6, 7),
        nx.hypercube_graph(3),
        nx.petersen_graph(),
    ],
    ids=["tree", "random", "grid", "cube", "Petersen"],
)
def test_shuffled_copies_cost_nothing(graph):
    rng = np.random.default_rng(0)
    graph = Graph.from_networkx(max(map(graph.subgraph, nx.connected_components(graph)), key=len))
    copies = [graph.permute(rng.permutation(graph.num_nodes)) for _ in range(5)]
    assert distinct(collapse(stack(copies))[0]).num_blocks == 1


def test_regular_graphs_that_refinement_can_not_tell_apart():
    hexagon, prism = nx.cycle_graph(6), nx.disjoint_union(nx.cycle_graph(3), nx.cycle_graph(3))
    pair = [nx.complement(hexagon), nx.complement(prism)]  # both cubic, on six nodes
    assert distinct(stack([Graph.from_networkx(g) for g in pair])).num_blocks == 2
    rook = nx.line_graph(nx.complete_bipartite_graph(4, 4))
    nodes = [(i, j) for i in range(4) for j in range(4)]
    steps = [(0, 1), (0, 3), (1, 0), (3, 0), (1, 1), (3, 3)]
    shrikhande = nx.Graph(
        [((i, j), ((i + a) % 4, (j + b) % 4)) for i, j in nodes for a, b in steps]
    )
    blocks = stack([Graph.from_networkx(rook), Graph.from_networkx(shrikhande)])
    assert distinct(blocks).num_blocks == 2
