"""Edges: what is refused, in one sentence each, and what the entries of the operator are."""

from typing import Any

import numpy as np
import pytest
import torch
from dense_truth import CASES, DIRECTED, Arcs, arcs, of_graph
from hypothesis import example, given
from strategies import graphs

from gcn.edges import OPERATORS, check_edges, normalized
from polyfilter.errors import GraphError
from polyfilter.graphs import Graph

EDGE = torch.tensor([[0, 1], [1, 0]])
EPS = torch.finfo(torch.float64).eps


def as_matrix(case: Arcs, entries: torch.Tensor) -> torch.Tensor:
    n = case.num_nodes
    A = torch.zeros(n, n, dtype=torch.float64)
    return A.index_put((case.index[1], case.index[0]), entries.double(), accumulate=True)


def entry_tolerance(case: Arcs) -> float:
    """Bound the relative rounding of an entry: a sum of all weights, a power, three products."""
    return 2 * (case.index.shape[1] + 8) * EPS


@given(graphs(self_loops=True))
def test_symmetric_is_the_normalized_adjacency(graph: Graph) -> None:
    case = of_graph(graph)
    entries = normalized(case.index, case.num_nodes, case.weight, "symmetric", torch.float64)
    truth = torch.from_numpy(graph.normalized_adjacency().toarray())
    assert (as_matrix(case, entries) - truth).abs().max() <= entry_tolerance(case)


@given(arcs())
@example(DIRECTED["one way"])
@example(DIRECTED["weights differ"])
@example(CASES["weight zero"])
def test_every_operator_is_its_definition(case: Arcs) -> None:
    for operator in OPERATORS:
        entries = normalized(case.index, case.num_nodes, case.weight, operator, torch.float64)
        truth = case.matrix(operator)
        assert bool(
            ((as_matrix(case, entries) - truth).abs() <= entry_tolerance(case) * truth).all()
        )


def test_symmetric_to_the_last_bit() -> None:
    case = CASES["weighted"]
    A = as_matrix(case, normalized(case.index, 5, case.weight, "symmetric", None))
    assert torch.equal(A, A.T)


@pytest.mark.parametrize("operator", OPERATORS)
def test_the_type_of_the_result(operator: str) -> None:
    weight = torch.ones(2)
    assert normalized(EDGE, 2, None, operator, None).dtype == torch.get_default_dtype()
    assert normalized(EDGE, 2, weight.double(), operator, None).dtype == torch.float64
    for dtype in (torch.float64, torch.bfloat16, torch.float16):
        assert normalized(EDGE, 2, weight, operator, dtype).dtype == dtype


def test_single_weights_and_double_features_make_double_entries() -> None:
    """The roots of degrees were once taken in the weights' float32, and float64 got them."""
    case = CASES["weighted"]
    assert case.weight is not None  # multiples of 1/8: the same numbers in float32
    entries = normalized(case.index, 5, case.weight.float(), "symmetric", torch.float64)
    assert torch.equal(entries, normalized(case.index, 5, case.weight, "symmetric", None))


def test_half_precision_counts_past_256() -> None:
    hub = CASES["hub"]
    entries = normalized(hub.index, hub.num_nodes, None, "symmetric", torch.bfloat16)
    truth = 1 / np.sqrt(599)
    assert (entries.double() - truth).abs().max() <= torch.finfo(torch.bfloat16).eps * truth


def test_gradients_are_finite_where_nothing_arrives() -> None:
    weight = torch.zeros(2, requires_grad=True)
    normalized(EDGE, 3, weight, "symmetric", None).sum().backward()
    assert weight.grad is not None
    assert weight.grad.isfinite().all()


def test_numbers_of_nodes_may_be_any_integer() -> None:
    assert check_edges(EDGE, np.int64(2), None)[1] == 2
    for dtype in (torch.int32, torch.int16, torch.uint8):
        assert check_edges(EDGE.to(dtype), 2, None)[0].dtype == torch.int64
    with pytest.raises(TypeError, match="integer"):
        check_edges(EDGE, 2.0, None)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("index", "nodes", "weight", "words"),
    [
        (
            torch.tensor([[0, 1], [1, 2]]),
            2,
            None,
            "edge 1 is (1, 2), but nodes are numbered 0 to 1",
        ),
        (torch.tensor([[0, -1], [1, 0]]), 2, None, "edge 1 is (-1, 0), but nodes are numbered"),
        (EDGE, 0, None, "edge 0 is (0, 1), but the batch has no nodes"),
        (EDGE, -1, None, "a batch can't have -1 nodes"),
        (EDGE.float(), 2, None, "edge_index has to be a tensor of integers, not of torch.float32"),
        (EDGE.bool(), 2, None, "edge_index has to be a tensor of integers, not of torch.bool"),
        ([[0], [1]], 2, None, "edge_index has to be a tensor of integers, not of list"),
        (EDGE[0], 2, None, "edge_index has shape (2,): it has to be (2, edges)"),
        (torch.zeros(3, 2).long(), 2, None, "edge_index has shape (3, 2): it has to be (2, edges)"),
        (EDGE, 2, torch.ones(3), "edge_weight has shape (3,) for 2 edges: it has to be (2,)"),
        (EDGE, 2, torch.ones(2, 1), "edge_weight has shape (2, 1) for 2 edges"),
        (EDGE, 2, torch.ones(2).long(), "edge_weight has to be floating point, not torch.int64"),
        (EDGE, 2, [1.0, 1.0], "edge_weight has to be a tensor, not list"),
        (EDGE, 2, torch.ones(2, device="meta"), "edge_weight is on meta, edge_index on cpu"),
        (EDGE, 2, torch.tensor([1.0, -2.0]), "edge 1 has weight -2.0: weights are finite and not"),
        (EDGE, 2, torch.tensor([torch.nan, 1.0]), "edge 0 has weight nan: weights are finite"),
        (EDGE, 2, torch.tensor([1.0, torch.inf]), "edge 1 has weight inf: weights are finite"),
    ],
)
def test_bad_edges_are_told_in_one_sentence(
    index: Any, nodes: int, weight: Any, words: str
) -> None:
    with pytest.raises(GraphError) as caught:
        check_edges(index, nodes, weight)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)
