"""Counting in floats, against the dense spectrum of whole graphs."""

import numpy as np
import pytest
from hypothesis import given
from strategies import graph_sets

from polyfilter.errors import CapacityError
from polyfilter.gaps import TOLERANCES, float_tolerance, measure_gaps
from polyfilter.graphs import Graph
from polyfilter.quotient import collapse, stack


@given(graph_sets(self_loops=True))
def test_the_table_counts_the_eigenvalues_of_whole_graphs(members):
    blocks, values = collapse(stack(members.graphs))
    gaps = measure_gaps(blocks, values)
    dense = [np.linalg.eigvalsh(g.normalized_adjacency().toarray()) for g in members]
    steps = np.diff(np.sort(np.concatenate(dense)))
    for tolerance, count in gaps.table[:5]:
        # a gap within rounding of the tolerance may fall on either side
        slack = np.array([-1, 1]) * float_tolerance(members.num_nodes)
        low, high = (1 + np.count_nonzero(steps > tolerance - s) for s in slack)
        assert low <= count <= high
    counts = [count for _, count in gaps.table]
    assert [tolerance for tolerance, _ in gaps.table] == list(TOLERANCES)
    assert counts == sorted(counts)
    assert gaps.below <= gaps.tolerance < gaps.above


def test_a_single_eigenvalue_has_no_gaps():
    gaps = measure_gaps(stack([Graph.from_edges([], num_nodes=1)]), [])
    assert (gaps.count, gaps.above, gaps.below) == (1, np.inf, 0.0)


def test_a_component_that_is_too_large_is_refused_before_memory_is_taken():
    ring = np.arange(20_001)
    graph = Graph.from_edges(np.column_stack((ring, np.roll(ring, 1))))
    with pytest.raises(CapacityError, match=r"20001 nodes .* use method 'modular'"):
        measure_gaps(stack([graph]), [])
