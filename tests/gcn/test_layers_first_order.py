"""The first-order layer and its twin in PyTorch Geometric."""

import torch
from dense_truth import CASES, polynomial_tolerance, signal
from torch_geometric.nn import GraphConv

from gcn.layers import FirstOrderConv
from gcn.propagate import prepare


def test_graphconv_with_the_entries_of_a() -> None:
    """GraphConv sums weighted neighbours: with A's entries for weights it is this layer."""
    case = CASES["random"]
    twin, layer = GraphConv(3, 2).double(), FirstOrderConv(3, 2).double()
    with torch.no_grad():
        layer.weight.copy_(torch.stack((twin.lin_root.weight.T, twin.lin_rel.weight.T)))
        assert layer.bias is not None
        layer.bias.copy_(twin.lin_rel.bias)
    x = signal(40, 3)
    A = prepare(case.index, 40, dtype=torch.float64)
    entries = torch.empty_like(A.weight).index_copy(0, A.order, A.weight)
    theta = layer.matrix_polynomial().detach()
    difference = layer(x, A) - twin(x, case.index, entries)
    assert difference.abs().max() <= polynomial_tolerance(case.matrix(), x, theta, x.dtype)
    assert theta.shape == (2, 3, 2)
