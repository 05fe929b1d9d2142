"""Hypothesis strategies that several test files share.

Small graphs on purpose: isolated nodes, several components, self-loops and weights of very
different sizes all occur within eight nodes, and a failing example stays readable.
"""

import numpy as np
from hypothesis import strategies as st

from polyfilter.graphs import Graph, GraphSet

__all__ = ["edge_lists", "graph_sets", "graphs", "signals"]

positive = st.floats(min_value=1e-3, max_value=1e3, allow_nan=False)
"""Weights across six orders of magnitude."""


@st.composite
def edge_lists(draw, max_nodes=8, weighted=None, self_loops=False):
    """Draw (edges, num_nodes, weights): distinct pairs in any order and direction."""
    num_nodes = draw(st.integers(1, max_nodes))
    pairs = [(i, j) for j in range(num_nodes) for i in range(j + self_loops)]
    chosen = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    edges = [(j, i) if draw(st.booleans()) else (i, j) for i, j in chosen]
    if weighted if weighted is not None else draw(st.booleans()):
        return edges, num_nodes, draw(st.lists(positive, min_size=len(edges), max_size=len(edges)))
    return edges, num_nodes, None


@st.composite
def graphs(draw, max_nodes=8, weighted=None, self_loops=False):
    """Draw a graph of at most ``max_nodes`` nodes; ``weighted=None`` draws both kinds."""
    edges, num_nodes, weights = draw(edge_lists(max_nodes, weighted, self_loops))
    return Graph.from_edges(edges, num_nodes, weights, self_loops=self_loops)


def graph_sets(max_graphs=4, **options):
    """Draw a set of graphs that differ in size; options are those of :func:`graphs`."""
    return st.lists(graphs(**options), min_size=1, max_size=max_graphs).map(GraphSet)


@st.composite
def signals(draw, num_nodes, channels=None):
    """Draw a signal of shape (num_nodes,), or (num_nodes, channels)."""
    shape = (num_nodes,) if channels is None else (num_nodes, channels)
    seed = draw(st.integers(0, 2**32 - 1))
    return np.random.default_rng(seed).standard_normal(shape)
