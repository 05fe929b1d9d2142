"""SoGC and its twin in PyTorch Geometric."""

import pytest
import torch
from dense_truth import CASES, polynomial_tolerance, signal
from torch_geometric.nn import TAGConv

from gcn.layers import KOrderConv, SoGConv


@pytest.mark.parametrize("widths", [(3, 5), (5, 3)], ids=str)
@pytest.mark.parametrize("name", ["random", "weighted", "isolated nodes"])
def test_tagconv_is_sogc(widths: tuple[int, int], name: str) -> None:
    """TAGConv(K=2) normalizes without self-loops, and its three maps are Θ_0, Θ_1 and Θ_2."""
    case = CASES[name]
    twin = TAGConv(*widths, K=2).double()
    layer = SoGConv(*widths).double()
    with torch.no_grad():
        layer.weight.copy_(torch.stack([lin.weight.T for lin in twin.lins]))
        assert layer.bias is not None
        layer.bias.copy_(torch.arange(widths[1]))
        twin.bias.copy_(layer.bias)
    x = signal(case.num_nodes, widths[0])
    found, truth = layer(x, case.index, case.weight), twin(x, case.index, case.weight)
    theta = layer.matrix_polynomial().detach()
    bound = polynomial_tolerance(case.matrix(), x, theta, x.dtype) * (1 + widths[1])
    assert (found - truth).abs().max() <= bound


def test_it_is_order_two() -> None:
    layer, general = SoGConv(3, 4), KOrderConv(3, 4, K=2)
    general.load_state_dict(layer.state_dict())
    x, case = signal(3, 3, dtype=torch.float32), CASES["path"]
    assert torch.equal(layer(x, case.index), general(x, case.index))
    assert (layer.K, sum(p.numel() for p in layer.parameters())) == (2, 3 * 12 + 4)
