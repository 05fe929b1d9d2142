"""What every layer keeps: it is U p(Λ) Uᵀ with its own polynomial, however it is called."""

import copy
from collections.abc import Callable
from typing import Any

import pytest
import torch
from dense_truth import (
    CASES,
    DIRECTED,
    Arcs,
    of_graph,
    polynomial_tolerance,
    signal,
    spectral,
)
from hypothesis import given, settings
from strategies import graphs
from torch import Tensor
from torch.autograd import gradcheck, gradgradcheck

from gcn.layers import Convolution, FirstOrderConv, GINConv, KOrderConv, SoGConv, VanillaConv
from gcn.propagate import KERNELS, OPERATORS, Prepared, prepare
from polyfilter.errors import GraphError
from polyfilter.graphs import Graph

LAYERS: dict[str, Callable[..., Convolution]] = {
    "korder 0": lambda *widths, **options: KOrderConv(*widths, K=0, **options),
    "korder 1": lambda *widths, **options: KOrderConv(*widths, K=1, **options),
    "korder 5": lambda *widths, **options: KOrderConv(*widths, K=5, **options),
    "korder 3, shifted": lambda *widths, **o: KOrderConv(*widths, K=3, shift=0.75, **o),
    "sogc": SoGConv,
    "sogc, shifted": lambda *widths, **options: SoGConv(*widths, shift=-0.5, **options),
    "first order": FirstOrderConv,
    "vanilla": VanillaConv,
    "vanilla, no loop": lambda *widths, **o: VanillaConv(*widths, self_loop=False, **o),
    "gin": lambda *widths, **options: GINConv(*widths, epsilon=0.3, **options),
}
WIDTHS = [(3, 5), (5, 3), (4, 4), (1, 1)]
every_layer = pytest.mark.parametrize("name", LAYERS)
every_width = pytest.mark.parametrize("widths", WIDTHS, ids=str)


def made(
    name: str, *widths: int, dtype: torch.dtype = torch.float64, **options: Any
) -> Convolution:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        return LAYERS[name](*widths, **options).to(dtype)


def batch(case: Arcs, layer: Convolution, device: torch.device | str = "cpu") -> Prepared:
    dtype = layer.weight.dtype
    weight = case.weights(dtype, torch.device(device))
    index = case.index.to(device)
    return prepare(index, case.num_nodes, weight, operator=layer.operator, dtype=dtype)


def assert_polynomial(layer: Convolution, A: Tensor, x: Tensor, y: Tensor, truth: Tensor) -> None:
    theta = layer.matrix_polynomial().detach().double().cpu()
    if layer.bias is not None:
        truth = truth + layer.bias.detach().double().cpu()
    bound = polynomial_tolerance(A, x.double(), theta, x.dtype)
    assert (y.detach().double() - truth).abs().max() <= bound


@every_layer
@every_width
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
@pytest.mark.parametrize("operator", ["symmetric", "sum"])
def test_a_layer_is_its_polynomial_on_the_spectrum(
    name: str, widths: tuple[int, int], operator: str, dtype: torch.dtype, device: torch.device
) -> None:
    layer = made(name, *widths, dtype=dtype, operator=operator).to(device)
    for case in (CASES["random"], CASES["weighted"], CASES["self-loops"], CASES["no edges"]):
        x = signal(case.num_nodes, widths[0], dtype=dtype)
        y = layer(x.to(device), batch(case, layer, device)).cpu()
        A, theta = case.matrix(operator), layer.matrix_polynomial().detach().double().cpu()
        assert_polynomial(layer, A, x, y, spectral(A, x.double(), theta))


@every_layer
@pytest.mark.parametrize("operator", OPERATORS)
@pytest.mark.parametrize("widths", [(2, 3), (3, 2)], ids=str)
def test_directed_edges(name: str, operator: str, widths: tuple[int, int]) -> None:
    """A need not be symmetric: then there is no spectrum to look at, only powers."""
    layer = made(name, *widths, operator=operator)
    theta = layer.matrix_polynomial().detach()
    for case in DIRECTED.values():
        A, x = case.matrix(operator), signal(case.num_nodes, widths[0])
        powers = [torch.linalg.matrix_power(A, k) @ x @ t for k, t in enumerate(theta)]
        y = layer(x, batch(case, layer))
        assert_polynomial(layer, A, x, y, torch.stack(powers).sum(0))


@every_layer
@given(graph=graphs(self_loops=True))
@settings(max_examples=20)
def test_an_eigenvector_is_scaled(name: str, graph: Graph) -> None:
    """On u cᵀ with A u = λ u the layer is u cᵀ p(λ): its filter, one frequency at a time."""
    layer = made(name, 3, 2, bias=False)
    case = of_graph(graph)
    A = torch.from_numpy(graph.normalized_adjacency().toarray())
    values, vectors = torch.linalg.eigh(A)
    theta = layer.matrix_polynomial().detach()
    c = signal(1, 3)
    for value, u in zip(values, vectors.T, strict=True):
        x = u[:, None] * c
        response = torch.einsum("k,kio->io", value ** torch.arange(len(theta)), theta)
        assert_polynomial(layer, A, x, layer(x, batch(case, layer)), x @ response)


@every_layer
@every_width
@pytest.mark.parametrize("kernel", KERNELS)
def test_both_calls_are_the_same(name: str, widths: tuple[int, int], kernel: str) -> None:
    layer = made(name, *widths)
    case = CASES["weighted"]
    x = signal(5, widths[0])
    truth = layer(x, case.index, case.weight)
    assert torch.equal(truth, layer(x, prepare(case.index, 5, case.weight)))
    other = layer(x, prepare(case.index, 5, case.weight, kernel))
    theta = layer.matrix_polynomial().detach()
    bound = polynomial_tolerance(case.matrix(), x, theta, x.dtype)
    assert (truth - other).abs().max() <= bound


@every_layer
@pytest.mark.parametrize("widths", [(2, 3), (3, 2)], ids=str)
def test_derivatives(name: str, widths: tuple[int, int]) -> None:
    layer = made(name, *widths)
    case = DIRECTED["weights differ"]
    assert case.weight is not None
    x = signal(3, widths[0]).requires_grad_()
    weight = case.weight.clone().requires_grad_()
    names, parameters = zip(*layer.named_parameters(), strict=True)
    frozen = batch(case, layer)

    def prepared_call(x: Tensor, *values: Tensor) -> Tensor:
        return torch.func.functional_call(layer, dict(zip(names, values, strict=True)), (x, frozen))

    def edges_call(x: Tensor, weight: Tensor) -> Tensor:
        return layer(x, case.index, weight)

    assert gradcheck(prepared_call, (x, *parameters), fast_mode=True)
    assert gradgradcheck(prepared_call, (x, *parameters), fast_mode=True)
    assert gradcheck(edges_call, (x, weight), fast_mode=True)
    assert gradgradcheck(edges_call, (x, weight), fast_mode=True)


@every_layer
@every_width
def test_autocast(name: str, widths: tuple[int, int], device: torch.device) -> None:
    layer = made(name, *widths, dtype=torch.float32).to(device)
    case = CASES["random"]
    x = signal(40, widths[0], dtype=torch.float32).to(device).requires_grad_()
    with torch.autocast(device.type, torch.bfloat16):
        y = layer(x, batch(case, layer, device))
    y.float().sum().backward()
    assert x.grad is not None
    assert x.grad.isfinite().all()
    A, theta = case.matrix(), layer.matrix_polynomial().detach().double().cpu()
    rounded = polynomial_tolerance(A, x.detach().double().cpu(), theta, torch.bfloat16)
    assert (y.double() - layer(x, batch(case, layer, device)).double()).abs().max() <= rounded


@every_layer
def test_the_same_bits_twice(name: str, device: torch.device) -> None:
    layer = made(name, 4, 4, dtype=torch.float32).to(device)
    x = signal(40, 4, dtype=torch.float32).to(device).requires_grad_()
    A = batch(CASES["random"], layer, device)

    def run() -> list[Tensor]:
        y = layer(x, A)
        return [y, *torch.autograd.grad(y.square().sum(), [x, *layer.parameters()])]

    assert all(torch.equal(a, b) for a, b in zip(run(), run(), strict=True))


@every_layer
def test_state_survives_and_weights_can_be_drawn_again(name: str) -> None:
    layer = made(name, 3, 4)
    other = LAYERS[name](3, 4).double()
    other.load_state_dict(layer.state_dict())
    x, A = signal(3, 3), batch(CASES["path"], layer)
    assert torch.equal(layer(x, A), other(x, A))
    before = copy.deepcopy(layer.state_dict())
    layer.reset_parameters()
    assert not torch.equal(layer.weight, before["weight"])
    bound = 3**-0.5
    assert layer.weight.abs().max() <= bound
    assert layer.bias is not None
    assert layer.bias.abs().max() <= bound


def test_repr() -> None:
    found = [repr(LAYERS[name](3, 5)) for name in ("korder 5", "sogc", "vanilla", "gin")]
    assert found == ["KOrderConv(3, 5, K=5)", "SoGConv(3, 5)", "VanillaConv(3, 5)", "GINConv(3, 5)"]
    assert repr(FirstOrderConv(3, 5)) == "FirstOrderConv(3, 5)"


EDGE = torch.tensor([[0, 1], [1, 0]])


@every_layer
@pytest.mark.parametrize(
    ("x", "edges", "weight", "words"),
    [
        (torch.ones(2, 4), EDGE, None, "x has shape (2, 4), but {} takes (nodes, 3)"),
        (torch.ones(2), EDGE, None, "x has shape (2,): a layer takes (nodes, channels)"),
        (torch.ones(3, 3), prepare(EDGE, 2), None, "(3, 3), but the batch has 2 nodes"),
        (torch.ones(3), prepare(EDGE, 2), None, "x has shape (3,), but the batch has 2 nodes"),
        (torch.ones(1, 3), EDGE, None, "edge 0 is (0, 1), but nodes are numbered 0 to 0"),
        (torch.ones(2, 3).double(), EDGE, None, "x is torch.float64 and {} torch.float32"),
        (torch.ones(2, 3).double(), prepare(EDGE, 2), None, "x is torch.float64 and the batch"),
        (torch.ones(2, 3, device="meta"), prepare(EDGE, 2), None, "x is on meta and the batch on"),
        (torch.ones(2, 3), prepare(EDGE, 2, operator="sum"), None, "prepared for 'sum'"),
        (torch.ones(2, 3), prepare(EDGE, 2), torch.ones(2), "a prepared batch has its weights"),
        (torch.ones(2, 3), EDGE, -torch.ones(2), "edge 0 has weight -1.0"),
        (torch.ones(2, 3), EDGE.float(), None, "edge_index has to be a tensor of integers"),
    ],
)
def test_what_does_not_fit(name: str, x: Any, edges: Any, weight: Any, words: str) -> None:
    layer = LAYERS[name](3, 2)
    with pytest.raises(GraphError) as caught:
        layer(x, edges, weight)
    assert words.format(type(layer).__name__) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_layer_on_another_device() -> None:
    layer = SoGConv(3, 2).to("meta")
    with pytest.raises(GraphError, match="x is on cpu and SoGConv on meta: move one with"):
        layer(torch.ones(2, 3), EDGE)


@every_layer
def test_widths_are_positive(name: str) -> None:
    with pytest.raises(GraphError, match="in_channels is 0: a layer has at least one channel"):
        LAYERS[name](0, 2)
    with pytest.raises(GraphError, match="out_channels is -1: a layer has at least one channel"):
        LAYERS[name](2, -1)
