"""Layers that embed edges, against a loop over them."""

import pytest
import torch
from dense_truth import Arcs, arcs, signal
from hypothesis import given, settings
from torch.autograd import gradcheck

from gcn.layers import BondConv, KOrderConv
from gcn.propagate import KERNELS, prepare
from polyfilter.errors import FilterError, GraphError

EDGE = torch.tensor([[0, 1], [1, 0]])


def kinds(edges: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(0)
    high = torch.tensor([3, 2])
    return (torch.rand(edges, 2, generator=generator) * high).long()


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("operator", ["symmetric", "mean"])
@given(case=arcs())
@settings(max_examples=15)
def test_a_loop_over_edges(kernel: str, operator: str, case: Arcs) -> None:
    layer = BondConv(2, 3, K=2, cardinalities=(3, 2), operator=operator).double()
    x, kind = signal(case.num_nodes, 2), kinds(case.index.shape[1])
    A = prepare(case.index, case.num_nodes, case.weight, kernel, operator=operator, dtype=x.dtype)
    found = layer(x, A, edge_attr=kind)
    entries = torch.empty_like(A.weight).index_copy(0, A.order, A.weight)
    truth, h = x @ layer.weight[0] + layer.bias, x
    for theta in layer.weight[1:]:
        hopped = torch.zeros_like(h)
        for (source, target), a, row in zip(case.index.T, entries, kind, strict=True):
            e = layer.bond.weight[row[0]] + layer.bond.weight[3 + row[1]]
            hopped[target] += a * torch.relu(h[source] + e)
        h = hopped
        truth = truth + h @ theta
    d, eps = case.index.shape[1] + 8, torch.finfo(x.dtype).eps
    # two hops of at most d terms and maps of two channels; hops grow with the number of edges
    scale = float((1 + x.abs().max() + 4) * d**2)
    assert (found - truth).abs().max() <= 4 * d * eps * scale


def test_gradients() -> None:
    layer = BondConv(2, 2, K=2, cardinalities=(3, 2)).double()
    x = signal(2, 2).requires_grad_()
    assert gradcheck(lambda x: layer(x, EDGE, None, kinds(2)), (x,))
    layer(x, EDGE, edge_attr=kinds(2)).sum().backward()
    assert all(p.grad is not None for p in layer.parameters())


def test_it_is_no_filter() -> None:
    """It inherited the polynomial of the layer without edges, which it is not."""
    with pytest.raises(FilterError, match="a layer that embeds edges is no polynomial in A"):
        BondConv(2, 2, K=2, cardinalities=(3,)).matrix_polynomial()


def test_counts_and_repr() -> None:
    layer, plain = BondConv(4, 5, K=3, cardinalities=(5, 6, 2)), KOrderConv(4, 5, K=3)
    count = [sum(p.numel() for p in module.parameters()) for module in (layer, plain)]
    assert count[0] - count[1] == 13 * 4
    assert repr(layer) == "BondConv(4, 5, K=3)"


def test_what_is_refused() -> None:
    layer, x = BondConv(2, 2, K=1, cardinalities=(3,)), torch.ones(2, 2)
    with pytest.raises(GraphError, match="embeds the features of edges: give it edge_attr"):
        layer(x, EDGE)
    with pytest.raises(GraphError, match="edge_attr has 3 rows for 2 edges"):
        layer(x, EDGE, edge_attr=torch.zeros(3, 1).long())
    with pytest.raises(GraphError, match="row 1 has category 3 in feature 0, which has 3"):
        layer(x, EDGE, edge_attr=torch.tensor([[0], [3]]))
    with pytest.raises(GraphError, match=r"\(2, 3\), but BondConv takes \(nodes, 2\)"):
        layer(torch.ones(2, 3), EDGE, edge_attr=torch.zeros(2, 1).long())
