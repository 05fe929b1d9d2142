"""The layer of order K: K hops and no power of A, whichever side is narrower."""

from collections.abc import Callable

import pytest
import torch
from dense_truth import CASES, polynomial_tolerance, signal
from torch import Tensor

from gcn import powers
from gcn.kernels import Matrix
from gcn.layers import KOrderConv
from gcn.propagate import Prepared, prepare
from polyfilter.errors import GraphError

CASE = CASES["random"]
A = prepare(CASE.index, CASE.num_nodes)


@pytest.fixture
def hops(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """List the widths of all products with A, or with its transpose."""
    widths: list[int] = []
    inner: Callable[[Tensor, Matrix, str], Tensor] = powers.product
    outer = Prepared.propagate

    def product(x: Tensor, matrix: Matrix, kernel: str) -> Tensor:
        # a power of A would have more entries than A
        assert matrix[1].numel() == A.num_edges
        widths.append(x.shape[1])
        return inner(x, matrix, kernel)

    def propagate(self: Prepared, x: Tensor) -> Tensor:
        widths.append(x.shape[1])
        return outer(self, x)

    monkeypatch.setattr(powers, "product", product)
    monkeypatch.setattr(Prepared, "propagate", propagate)
    return widths


@pytest.mark.parametrize("K", [0, 1, 2, 4, 7])
@pytest.mark.parametrize("widths", [(3, 5), (5, 3), (4, 4)], ids=str)
def test_k_hops_each_way_that_carry_the_narrower_side(
    K: int, widths: tuple[int, int], hops: list[int]
) -> None:
    layer = KOrderConv(*widths, K=K)
    x = signal(40, widths[0], dtype=torch.float32).requires_grad_()
    y = layer(x, A)
    assert hops == [min(widths)] * K
    hops.clear()
    y.sum().backward()
    assert hops == [widths[1]] * K  # the gradient of y is what travels back


@pytest.mark.parametrize("K", [2, 4])
def test_only_x_is_kept_for_the_gradient(K: int) -> None:
    layer = KOrderConv(8, 8, K=K)
    x = signal(40, 8, dtype=torch.float32).requires_grad_()
    kept: list[Tensor] = []

    def keep(tensor: Tensor) -> Tensor:
        kept.append(tensor)
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        layer(x, A)
    assert sum(tensor.numel() for tensor in kept if tensor.shape == x.shape) == x.numel()


@pytest.mark.parametrize("widths", [(3, 5), (5, 3)], ids=str)
@pytest.mark.parametrize("shift", [None, 0.625])
def test_both_ways_to_differentiate_agree(widths: tuple[int, int], shift: float | None) -> None:
    """With its own derivative, and composed of steps as for second derivatives."""
    layer = KOrderConv(*widths, K=3, shift=shift).double()
    B = A.to(torch.float64)
    x = signal(40, widths[0]).requires_grad_()
    inputs = [x, *layer.parameters()]
    composed = powers.composed(x, B, layer.weight, layer.bias, layer.shift)
    found = [y.square().sum() for y in (layer(x, B), composed)]
    theta = layer.matrix_polynomial().detach()
    bound = polynomial_tolerance(CASE.matrix(), x.detach(), theta, x.dtype)
    assert abs(found[0] - found[1]) <= 2 * bound * composed.detach().abs().sum()
    grads = [torch.autograd.grad(value, inputs) for value in found]
    size = 2 * float(composed.detach().norm()) * (1 + float(x.detach().norm()))
    for a, b in zip(*grads, strict=True):
        assert (a - b).abs().max() <= bound * size * len(theta)


def test_frozen_parts_get_no_gradient() -> None:
    layer = KOrderConv(3, 3, K=2)
    layer.weight.requires_grad_(False)
    x = signal(40, 3, dtype=torch.float32)
    layer(x, A).sum().backward()
    assert layer.weight.grad is None
    assert layer.bias is not None
    assert layer.bias.grad is not None
    assert torch.equal(layer.bias.grad, torch.full((3,), 40.0))


@pytest.mark.parametrize("shift", [0.75, -1.0, 1.0])
def test_shift_says_the_same_in_other_words(shift: float) -> None:
    """Σ (A - s)^k Θ_k: its powers of A are binomial sums of the weights."""
    layer = KOrderConv(2, 2, K=4, bias=False, shift=shift).double()
    plain = KOrderConv(2, 2, K=4, bias=False).double()
    with torch.no_grad():
        plain.weight.copy_(layer.matrix_polynomial())
    x = signal(40, 2)
    theta = layer.weight.detach().abs()
    bound = polynomial_tolerance(
        CASE.matrix().abs() + abs(shift) * torch.eye(40), x, theta, x.dtype
    )
    assert (layer(x, A.to(x.dtype)) - plain(x, A.to(x.dtype))).abs().max() <= bound
    assert list(layer.state_dict()) == ["weight", "shift"]
    assert [name for name, _ in layer.named_parameters()] == ["weight"]


def test_order_zero_sees_no_edges() -> None:
    layer = KOrderConv(2, 3, K=0)
    x = signal(40, 2, dtype=torch.float32)
    assert layer.bias is not None
    assert torch.equal(layer(x, A), torch.addmm(layer.bias, x, layer.weight[0]))


def test_orders() -> None:
    assert KOrderConv(2, 3, K=6).matrix_polynomial().shape == (7, 2, 3)
    with pytest.raises(GraphError, match="a layer can't have order -1: K is 0 or more"):
        KOrderConv(2, 3, K=-1)
    with pytest.raises(TypeError):
        KOrderConv(2, 3, K=1.5)  # type: ignore[arg-type]
