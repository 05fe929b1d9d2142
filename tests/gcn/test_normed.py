"""A layer and its batch normalization in one step are the two steps, with all their derivatives."""

from itertools import product

import pytest
import torch
from dense_truth import random_graph, signal
from torch import Tensor, nn

from gcn.layers import KOrderConv
from gcn.nets import Block
from gcn.norm import BatchNorm
from gcn.normed import fits, folded, normed_power_sum
from gcn.powers import power_sum
from gcn.propagate import Prepared, prepare

NODES = 30
WIDTHS = ((3, 3, True), (3, 3, False), (3, 5, False), (5, 3, False), (1, 4, False))
"""In, out, residual; hops carry the narrower side, forward and backward."""
SWITCHES = list(product(WIDTHS, (True, False), (None, 0.625)))
"""And whether there is a bias, and about which point the polynomial is written."""


def operator(name: str = "symmetric") -> Prepared:
    """Rows and columns differ for "mean", so the transposed matrix matters."""
    graph = random_graph(NODES, 0.15)
    return prepare(graph.index, NODES, operator=name, dtype=torch.float64)


def parts(
    widths: tuple[int, int, bool], bias: bool, shift: float | None
) -> tuple[KOrderConv, BatchNorm]:
    torch.manual_seed(0)
    conv = KOrderConv(*widths[:2], K=2, bias=bias, shift=shift, operator="mean").double()
    norm = BatchNorm(widths[1]).double()
    nn.init.uniform_(norm.weight, 0.5, 2.0)
    nn.init.uniform_(norm.bias)
    return conv, norm


def in_two_steps(x: Tensor, A: Prepared, conv: KOrderConv, norm: nn.Module, add: bool) -> Tensor:
    """Dense matrices and torch's own batch normalization."""
    dense = A.propagate(torch.eye(NODES, dtype=torch.float64))
    power, y = torch.eye(NODES, dtype=torch.float64), torch.zeros(1, dtype=torch.float64)
    for theta in conv.matrix_polynomial():
        y = y + power @ x @ theta
        power = power @ dense
    y = norm(y if conv.bias is None else y + conv.bias)
    return y + x if add else y


def rounding(tensor: Tensor) -> float:
    """Two orders of summation over NODES rows, three hops and two norms, in float64."""
    size = max(1.0, float(tensor.abs().max()))
    return 64 * NODES * torch.finfo(torch.float64).eps * size


@pytest.mark.parametrize(("widths", "bias", "shift"), SWITCHES)
def test_one_step_is_two(widths: tuple[int, int, bool], bias: bool, shift: float | None) -> None:
    A, x, push = operator("mean"), signal(NODES, widths[0]), signal(NODES, widths[1], seed=1)
    found = []
    for one in (True, False):
        conv, norm = parts(widths, bias, shift)
        torchs = nn.BatchNorm1d(widths[1]).double()
        torchs.load_state_dict(norm.state_dict())
        x = x.detach().requires_grad_()
        if one:
            y = normed_power_sum(x, A, conv.weight, norm, conv.bias, conv.shift, widths[2])
        else:
            y = in_two_steps(x, A, conv, torchs, widths[2])
        learned = [*conv.parameters(), *(norm if one else torchs).parameters()]
        gradients = torch.autograd.grad(y, [x, *learned], push)
        state = (norm if one else torchs).state_dict()
        found.append([y.detach(), *gradients, *state.values()])
    for mine, its in zip(*found, strict=True):
        assert float((mine - its).abs().max()) <= rounding(its)


@pytest.mark.parametrize(("widths", "bias", "shift"), SWITCHES)
def test_a_network_that_answers_folds_the_norm_into_its_weights(
    widths: tuple[int, int, bool], bias: bool, shift: float | None
) -> None:
    A, x = operator("mean"), signal(NODES, widths[0])
    conv, norm = parts(widths, bias, shift)
    nn.init.uniform_(norm.running_mean)
    nn.init.uniform_(norm.running_var, 0.5, 2.0)
    truth = in_two_steps(x, A, conv, norm.eval(), widths[2]).detach()
    theta, offset = folded(conv.weight, conv.bias, norm, widths[2])
    found = power_sum(x, A, theta, offset, conv.shift).detach()
    assert float((found - truth).abs().max()) <= rounding(truth)


class One(nn.Module):
    """One step as a module, so that its parameters can be given from outside."""

    def __init__(self, widths: tuple[int, int, bool]) -> None:
        super().__init__()
        self.conv, self.norm = parts(widths, False, None)
        self.residual = widths[2]

    def forward(self, x: Tensor, A: Prepared) -> Tensor:
        return normed_power_sum(x, A, self.conv.weight, self.norm, residual=self.residual)


@pytest.mark.parametrize("widths", WIDTHS)
def test_derivatives_of_first_and_second_order(widths: tuple[int, int, bool]) -> None:
    A, module = operator("mean"), One(widths)
    names = [name for name, _ in module.named_parameters()]

    def call(x: Tensor, *values: Tensor) -> Tensor:
        named = dict(zip(names, values, strict=True))
        return torch.func.functional_call(module, named, (x, A))

    inputs = [signal(NODES, widths[0]).requires_grad_(), *module.parameters()]
    assert torch.autograd.gradcheck(call, inputs, fast_mode=True)
    assert torch.autograd.gradgradcheck(call, inputs, fast_mode=True)


@pytest.mark.parametrize("activation", [None, nn.ReLU()], ids=str)
def test_a_block_is_the_same_when_it_learns_and_when_it_answers(activation: nn.Module | None):
    """With momentum 1 the running statistics are the batch's, up to the unbiased variance."""
    torch.manual_seed(0)
    A, x = operator(), signal(NODES, 3)
    block = Block(
        KOrderConv(3, 3, K=2),
        3,
        batch_norm=True,
        activation=activation,
        residual=True,
        dropout=0.0,
    ).double()
    assert block.norm is not None
    assert fits(x, A, block.norm)
    block.norm.momentum = 1.0
    learning = block(x, A)
    block.norm.running_var *= (NODES - 1) / NODES
    answer = block.eval()(x, A)
    assert float((learning - answer).detach().abs().max()) <= rounding(answer.detach())


def test_a_bias_before_the_norm_has_no_gradient() -> None:
    conv, norm = parts((3, 3, False), True, None)
    x = signal(NODES, 3)
    normed_power_sum(x, operator("mean"), conv.weight, norm, conv.bias).square().sum().backward()
    assert conv.bias is not None
    assert conv.bias.grad is not None
    assert not conv.bias.grad.any()


def test_where_two_steps_are_needed() -> None:
    A, x = operator(), signal(NODES, 3)
    norm = BatchNorm(3).double()
    assert fits(x, A, norm)
    assert not fits(x.bfloat16(), A, norm)
    assert not fits(x, A, BatchNorm(3, affine=False))
    assert not fits(x, A, norm.eval())
    learns = torch.ones(2, dtype=torch.float64, requires_grad=True)
    assert not fits(x[:2], prepare(torch.tensor([[0, 1], [1, 0]]), 2, learns), norm.train())
    with torch.autocast("cpu", torch.bfloat16):
        assert not fits(x, A, norm)
