"""GIN with a linear map, and its twin in PyTorch Geometric."""

import pytest
import torch
from dense_truth import CASES, polynomial_tolerance, signal
from torch_geometric.nn import GINConv as Twin

from gcn.layers import GINConv


@pytest.mark.parametrize("widths", [(3, 5), (5, 3)], ids=str)
def test_published_gin_has_the_sum(widths: tuple[int, int]) -> None:
    case = CASES["random"]
    layer = GINConv(*widths, operator="sum", epsilon=0.5).double()
    twin = Twin(torch.nn.Linear(*widths), eps=0.5, train_eps=True).double()
    with torch.no_grad():
        twin.nn.weight.copy_(layer.weight.T)
        twin.nn.bias.copy_(layer.bias)
    x = signal(40, widths[0])
    theta = layer.matrix_polynomial().detach()
    bound = polynomial_tolerance(case.matrix("sum"), x, theta, x.dtype)
    assert (layer(x, case.index) - twin(x, case.index)).abs().max() <= bound


def test_epsilon_is_learned_and_begins_where_it_was_told_to() -> None:
    layer = GINConv(2, 3, epsilon=0.25)
    x = signal(3, 2, dtype=torch.float32)
    layer(x, CASES["path"].index).sum().backward()
    assert layer.epsilon.grad is not None
    assert layer.epsilon.grad.abs() > 0
    with torch.no_grad():
        layer.epsilon.fill_(7)
    layer.reset_parameters()
    assert layer.epsilon.tolist() == [0.25]
    theta = layer.matrix_polynomial()
    assert torch.equal(theta[0], 1.25 * theta[1])
