"""One hop: every kernel is the dense matrix, forward and backward, for every operator and type."""

import copy
from typing import Any

import pytest
import torch
from dense_truth import (
    CASES,
    DIRECTED,
    DTYPES,
    Arcs,
    arcs,
    hop_tolerance,
    of_graph,
    signal,
)
from hypothesis import example, given, settings
from hypothesis import strategies as st
from strategies import graphs
from torch import Tensor
from torch.autograd import gradcheck, gradgradcheck

from gcn.propagate import KERNELS, OPERATORS, Prepared, as_prepared, prepare
from polyfilter.errors import GraphError
from polyfilter.graphs import Graph

EDGE = torch.tensor([[0, 1], [1, 0]])
TENSORS = ("rowptr", "cols", "weight", "colptr", "rows", "transposed_weight", "order")
few = settings(max_examples=15)


def prepared(
    case: Arcs,
    kernel: str = "auto",
    operator: str = "symmetric",
    dtype: torch.dtype = torch.float64,
    device: torch.device | str = "cpu",
) -> Prepared:
    index, weight = case.index.to(device), case.weights(dtype, torch.device(device))
    return prepare(index, case.num_nodes, weight, kernel, operator=operator, dtype=dtype)


def assert_hop(case: Arcs, A: Tensor, x: Tensor, y: Tensor, times: int = 1) -> None:
    """Assert that y = A x up to rounding, or that many times its bound."""
    assert bool(((y.double() - A @ x.double()).abs() <= times * hop_tolerance(case, A, x)).all())


# the contract: kernels x operators x types x devices


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("operator", OPERATORS)
@pytest.mark.parametrize("kernel", KERNELS)
class TestContract:
    @pytest.mark.parametrize("name", [*CASES, *DIRECTED])
    def test_a_hop_is_the_dense_product(
        self, name: str, kernel: str, operator: str, dtype: torch.dtype, device: torch.device
    ) -> None:
        case = (CASES | DIRECTED)[name]
        x = signal(case.num_nodes, 3, dtype=dtype)
        A = prepared(case, kernel, operator, dtype, device)
        y = A.propagate(x.to(device))
        assert (y.dtype, y.shape, y.device.type) == (dtype, x.shape, device.type)
        assert_hop(case, case.matrix(operator), x, y.cpu())

    @pytest.mark.parametrize("name", ["weighted", "random", "one way", "weights differ"])
    def test_the_gradient_is_the_transposed_product(
        self, name: str, kernel: str, operator: str, dtype: torch.dtype, device: torch.device
    ) -> None:
        case = (CASES | DIRECTED)[name]
        x = signal(case.num_nodes, 2, dtype=dtype).to(device).requires_grad_()
        seed = signal(case.num_nodes, 2, seed=1, dtype=dtype)
        y = prepared(case, kernel, operator, dtype, device).propagate(x)
        (grad,) = torch.autograd.grad(y, x, seed.to(device))
        assert grad.dtype == dtype
        assert_hop(case, case.matrix(operator).T, seed, grad.cpu())

    def test_nothing_to_do(
        self, kernel: str, operator: str, dtype: torch.dtype, device: torch.device
    ) -> None:
        none = prepared(
            Arcs(torch.zeros(2, 0, dtype=torch.int64), 0), kernel, operator, dtype, device
        )
        x = torch.ones(0, 3, dtype=dtype, device=device, requires_grad=True)
        assert none.propagate(x).shape == (0, 3)
        none.propagate(x).sum().backward()
        some = prepared(CASES["path"], kernel, operator, dtype, device)
        assert some.propagate(torch.ones(3, 0, dtype=dtype, device=device)).shape == (3, 0)

    def test_the_same_bits_twice(
        self, kernel: str, operator: str, dtype: torch.dtype, device: torch.device
    ) -> None:
        case = CASES["random"]
        x = signal(case.num_nodes, 5, dtype=dtype).to(device).requires_grad_()

        def run() -> tuple[Tensor, Tensor]:
            y = prepared(case, kernel, operator, dtype, device).propagate(x)
            return y, torch.autograd.grad(y.square().sum(), x)[0]

        for first, second in zip(run(), run(), strict=True):
            assert torch.equal(first, second)

    def test_any_layout_of_x(
        self, kernel: str, operator: str, dtype: torch.dtype, device: torch.device
    ) -> None:
        A = prepared(CASES["random"], kernel, operator, dtype, device)
        x = signal(40, 4, dtype=dtype).to(device)
        views = (x.T.contiguous().T, torch.cat((x, x), 1)[:, :4], torch.stack((x, x), 2)[..., 0])
        for view in views:
            assert not view.is_contiguous()
            assert torch.equal(A.propagate(view), A.propagate(x))
        wide = x[:, :1].expand(-1, 3)
        assert torch.equal(A.propagate(wide), A.propagate(wide.contiguous()))

    def test_nan_stays_in_its_component(
        self, kernel: str, operator: str, dtype: torch.dtype, device: torch.device
    ) -> None:
        A = prepared(CASES["isolated nodes"], kernel, operator, dtype, device)  # 1 - 3 - 4
        x = torch.ones(6, 1, dtype=dtype, device=device)
        x[0] = x[2] = torch.nan  # isolated, and on nobody's way
        assert A.propagate(x).isfinite().all()
        x[1] = torch.nan
        assert A.propagate(x).isnan().ravel().tolist() == [False, False, False, True, False, False]


@pytest.mark.parametrize("kernel", KERNELS)
@given(graph=graphs(self_loops=True))
@few
def test_truth_is_polyfilters(kernel: str, graph: Graph) -> None:
    case = of_graph(graph)
    x = signal(graph.num_nodes, 2)
    y = prepared(case, kernel).propagate(x)
    assert_hop(case, torch.from_numpy(graph.normalized_adjacency().toarray()), x, y, times=2)


# derivatives


@pytest.mark.parametrize("name", ["weighted", "multi-edges", "one way", "weights differ"])
@pytest.mark.parametrize("operator", OPERATORS)
@pytest.mark.parametrize("kernel", KERNELS)
def test_first_and_second_derivatives(
    kernel: str, operator: str, name: str, device: torch.device
) -> None:
    case = (CASES | DIRECTED)[name]
    index = case.index.to(device)
    weight = torch.ones(index.shape[1]) if case.weight is None else case.weight
    weight = weight.to(device, torch.float64, copy=True).requires_grad_()
    x = signal(case.num_nodes, 2).to(device).requires_grad_()

    def hop(x: Tensor, weight: Tensor) -> Tensor:
        return prepare(index, case.num_nodes, weight, kernel, operator=operator).propagate(x)

    assert gradcheck(hop, (x, weight))
    assert gradgradcheck(hop, (x, weight))


@pytest.mark.parametrize("kernel", KERNELS)
def test_derivatives_of_aggregate(kernel: str, device: torch.device) -> None:
    case = DIRECTED["weights differ"]
    assert case.weight is not None
    index, weight = case.index.to(device), case.weight.to(device, copy=True).requires_grad_()
    messages = signal(5, 2).to(device).requires_grad_()

    def total(messages: Tensor, weight: Tensor) -> Tensor:
        return prepare(index, 3, weight, kernel).aggregate(messages)

    assert gradcheck(total, (messages, weight))
    assert gradgradcheck(total, (messages, weight))


@pytest.mark.parametrize("kernel", KERNELS)
def test_autocast(kernel: str, device: torch.device) -> None:
    """The spmm kernel once asked the CPU's library for bfloat16 here, which it doesn't have."""
    case = CASES["random"]
    A = prepared(case, kernel, dtype=torch.float32, device=device)
    for dtype in (torch.float32, torch.bfloat16):
        x = signal(40, 3, dtype=dtype).to(device).requires_grad_()
        with torch.autocast(device.type, torch.bfloat16):
            y = A.propagate(x)
        assert y.dtype == dtype
        y.sum().backward()
        assert x.grad is not None
        assert x.grad.dtype == dtype
        assert_hop(case, case.matrix(), x.detach().cpu(), y.detach().cpu())


def test_inference_mode() -> None:
    A = prepared(CASES["path"])
    x = signal(3, 2).requires_grad_()
    with torch.inference_mode():
        y = A.propagate(x)
    assert not y.requires_grad
    assert torch.equal(y, A.propagate(x).detach())


# laws


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("operator", OPERATORS)
@given(case=arcs(), a=st.integers(-8, 8), seed=st.integers(0, 99))
@few
def test_linear(kernel: str, operator: str, case: Arcs, a: int, seed: int) -> None:
    A = prepared(case, kernel, operator)
    x, y = signal(case.num_nodes, 2, seed), signal(case.num_nodes, 2, seed + 100)
    left, right = A.propagate(a * x + y), a * A.propagate(x) + A.propagate(y)
    bound = 4 * hop_tolerance(case, case.matrix(operator), abs(a) * x.abs() + y.abs())
    assert bool(((left - right).abs() <= bound).all())


@pytest.mark.parametrize("kernel", KERNELS)
@given(graph=graphs(self_loops=True))
@few
def test_symmetric(kernel: str, graph: Graph) -> None:
    """⟨A x, y⟩ = ⟨x, A y⟩, and the matrix knows that it is its own transpose."""
    case = of_graph(graph)
    A = prepared(case, kernel)
    assert A.is_symmetric
    x, y = signal(graph.num_nodes, 1), signal(graph.num_nodes, 1, seed=1)
    difference = (A.propagate(x) * y).sum() - (x * A.propagate(y)).sum()
    bound = (hop_tolerance(case, case.matrix(), x) * y.abs()).sum()
    assert abs(difference) <= (2 + graph.num_nodes) * bound


@pytest.mark.parametrize("kernel", KERNELS)
@given(case=arcs(), data=st.data())
@few
def test_names_of_nodes_do_not_matter(kernel: str, case: Arcs, data: st.DataObject) -> None:
    n = case.num_nodes
    place = torch.tensor(data.draw(st.permutations(range(n))))
    renamed = Arcs(place[case.index], n, case.weight)
    x = signal(n, 2)
    moved = torch.empty_like(x).index_copy(0, place, x)
    left, right = (
        prepared(renamed, kernel).propagate(moved)[place],
        prepared(case, kernel).propagate(x),
    )
    assert bool(((left - right).abs() <= 2 * hop_tolerance(case, case.matrix(), x)).all())


@given(case=arcs(), data=st.data())
@few
def test_the_order_of_edges_does_not_matter(case: Arcs, data: st.DataObject) -> None:
    order = torch.tensor(data.draw(st.permutations(range(case.index.shape[1]))), dtype=torch.int64)
    weight = None if case.weight is None else case.weight[order]
    shuffled = Arcs(case.index[:, order], case.num_nodes, weight)
    x = signal(case.num_nodes, 2)
    difference = prepared(shuffled).propagate(x) - prepared(case).propagate(x)
    assert bool((difference.abs() <= 2 * hop_tolerance(case, case.matrix(), x)).all())


def side_by_side(cases: list[Arcs]) -> tuple[Arcs, Tensor]:
    """Return the graphs as one, and where each one's nodes begin."""
    ptr = torch.tensor([0, *(case.num_nodes for case in cases)]).cumsum(0)
    index = torch.cat([c.index + p for c, p in zip(cases, ptr, strict=False)], 1)
    weights = [
        torch.ones(c.index.shape[1], dtype=torch.float64) if c.weight is None else c.weight
        for c in cases
    ]
    return Arcs(index, int(ptr[-1]), torch.cat(weights)), ptr


@pytest.mark.parametrize("kernel", KERNELS)
@given(cases=st.lists(arcs(), min_size=1, max_size=4))
@few
def test_a_batch_is_its_graphs_one_by_one(kernel: str, cases: list[Arcs]) -> None:
    batch, ptr = side_by_side(cases)
    x = signal(batch.num_nodes, 2)
    y = prepared(batch, kernel).propagate(x)
    for case, first, last in zip(cases, ptr[:-1], ptr[1:], strict=True):
        part = prepared(case, kernel).propagate(x[first:last])
        bound = 2 * hop_tolerance(case, case.matrix(), x[first:last])
        assert bool(((y[first:last] - part).abs() <= bound).all())


# parts of a batch


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("operator", OPERATORS)
@given(cases=st.lists(arcs(max_nodes=4), min_size=1, max_size=4), data=st.data())
@few
@example(cases=[CASES["path"], DIRECTED["weights differ"], CASES["one node"]], data=None)
def test_blocks_are_prepared_anew(
    kernel: str, operator: str, cases: list[Arcs], data: st.DataObject | None
) -> None:
    """Bit for bit: also for directed edges, for no graph, and for a graph chosen twice."""
    batch, ptr = side_by_side(cases)
    numbers = st.lists(st.integers(0, len(cases) - 1), max_size=5)
    chosen = [2, 1, 1, 0] if data is None else data.draw(numbers)
    A = prepared(batch, kernel, operator)
    blocks = A.blocks(ptr, torch.tensor(chosen, dtype=torch.int64))
    assert (blocks.kernel, blocks.operator) == (kernel, operator)
    if not chosen:
        assert blocks.propagate(torch.ones(0, 1, dtype=torch.float64)).shape == (0, 1)
        return
    parts, starts = side_by_side([cases[k] for k in chosen])
    truth = prepared(parts, kernel, operator)
    for name in TENSORS[:-1]:
        assert torch.equal(getattr(blocks, name), getattr(truth, name)), name
        assert getattr(blocks, name).dtype == getattr(truth, name).dtype, name
    # `order` still points into the edges of the whole batch
    shift = torch.repeat_interleave(starts[:-1] - ptr[torch.tensor(chosen)], starts.diff())
    targets = torch.repeat_interleave(blocks.rowptr.diff().long())
    assert torch.equal(batch.index[1][blocks.order], targets - shift[targets])
    assert torch.equal(batch.index[0][blocks.order], blocks.cols.long() - shift[targets])


def test_blocks_keep_gradients_and_symmetry() -> None:
    batch, ptr = side_by_side([CASES["path"], CASES["weighted"]])
    assert prepared(batch).blocks(ptr, torch.tensor([1])).is_symmetric
    assert batch.weight is not None
    weight = batch.weight.clone().requires_grad_()
    x = signal(5, 2).requires_grad_()

    def hop(x: Tensor, weight: Tensor) -> Tensor:
        whole = prepare(batch.index, batch.num_nodes, weight)
        return whole.blocks(ptr, torch.tensor([1])).propagate(x)

    assert gradcheck(hop, (x, weight))
    assert gradgradcheck(hop, (x, weight))


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("operator", OPERATORS)
@given(case=arcs())
@few
def test_aggregate_is_a_loop(kernel: str, operator: str, case: Arcs) -> None:
    A = prepared(case, kernel, operator)
    messages = signal(A.num_edges, 2)
    truth = torch.zeros(case.num_nodes, 2, dtype=torch.float64)
    for i in range(case.num_nodes):
        for k in range(int(A.rowptr[i]), int(A.rowptr[i + 1])):
            assert case.index[:, A.order[k]].tolist() == [int(A.cols[k]), i]
            truth[i] += A.weight[k] * messages[k]
    sizes = torch.zeros_like(truth).index_add(
        0, case.index[1][A.order], (A.weight[:, None] * messages).abs()
    )
    bound = (A.num_edges + 1) * torch.finfo(torch.float64).eps * sizes
    assert bool(((A.aggregate(messages) - truth).abs() <= bound).all())


# what a batch is


@pytest.mark.parametrize("kernel", KERNELS)
def test_indices_are_small_where_they_can_be(kernel: str) -> None:
    A = prepared(CASES["path"], kernel)
    kind = torch.int64 if kernel == "scatter" else torch.int32
    assert {getattr(A, name).dtype for name in ("rowptr", "cols", "colptr", "rows")} == {kind}


def test_auto() -> None:
    assert prepared(CASES["path"], dtype=torch.float32).kernel == "fused"
    assert prepared(CASES["path"], dtype=torch.bfloat16).kernel == "fused"
    assert prepared(CASES["path"], dtype=torch.float64).kernel == "spmm"


@pytest.mark.parametrize("name", ["path", "one way"])
def test_moved_and_copied(name: str, device: torch.device) -> None:
    A = prepared((CASES | DIRECTED)[name], dtype=torch.float32)
    moved = A.to(torch.float64).to(device)
    assert (moved.dtype, moved.device.type) == (torch.float64, device.type)
    assert (moved.num_nodes, moved.num_edges) == (A.num_nodes, A.num_edges)
    assert moved.is_symmetric == A.is_symmetric == (name == "path")
    assert moved.cols.dtype == A.cols.dtype
    assert torch.equal(moved.weight.cpu().float(), A.weight)
    copied = copy.deepcopy(A)
    assert copied.is_symmetric == A.is_symmetric
    x = torch.ones(A.num_nodes, 1)
    assert torch.equal(copied.propagate(x), A.propagate(x))


def test_weights_that_learn_keep_both_matrices() -> None:
    weight = torch.ones(4, requires_grad=True)
    A = prepare(CASES["path"].index, 3, weight)
    assert not A.is_symmetric
    assert A.colptr is A.rowptr
    with torch.no_grad():
        assert prepare(CASES["path"].index, 3, weight).is_symmetric


def test_repr() -> None:
    words = "Prepared(2 nodes, 2 edges, operator='mean', kernel='scatter', torch.float32, cpu)"
    assert repr(prepare(EDGE, 2, kernel="scatter", operator="mean")) == words


# what is refused

BATCH = prepare(EDGE, 2)


@pytest.mark.parametrize(
    ("x", "words"),
    [
        (torch.ones(3, 1), "x has shape (3, 1), but the batch has 2 nodes: (2, channels)"),
        (torch.ones(2), "x has shape (2,), but the batch has 2 nodes: (2, channels)"),
        (torch.ones(2, 1, 1), "x has shape (2, 1, 1), but the batch has 2 nodes"),
        (torch.ones(2, 1).double(), "x is torch.float64 and the batch torch.float32: convert x"),
        (torch.ones(2, 1).long(), "x is torch.int64 and the batch torch.float32: convert x"),
        (torch.ones(2, 1, device="meta"), "x is on meta and the batch on cpu: move one"),
    ],
)
def test_features_that_do_not_fit(x: Tensor, words: str) -> None:
    with pytest.raises(GraphError) as caught:
        BATCH.propagate(x)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"kernel": "magic"}, "unknown kernel 'magic': choose from auto, fused, spmm, scatter"),
        ({"operator": "max"}, "unknown operator 'max': choose from symmetric, mean, sum"),
    ],
)
def test_unknown_names(options: dict[str, Any], words: str) -> None:
    with pytest.raises(GraphError) as caught:
        prepare(EDGE, 2, **options)
    assert str(caught.value) == words


def test_scatter_without_torch_scatter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gcn.kernels.find_spec", lambda name: None)
    with pytest.raises(GraphError, match="the scatter kernel needs torch-scatter: pip install"):
        prepare(EDGE, 2, kernel="scatter")


def test_messages_that_do_not_fit() -> None:
    with pytest.raises(
        GraphError, match=r"messages have shape \(3, 1\), but the batch has 2 edges"
    ):
        BATCH.aggregate(torch.ones(3, 1))


def test_as_prepared() -> None:
    x = torch.ones(2, 1)
    assert as_prepared(x, BATCH, None, "symmetric") is BATCH
    assert as_prepared(x.double(), EDGE, torch.ones(2), "mean").dtype == torch.float64
    with pytest.raises(
        GraphError, match=r"the 'sum' operator, but the batch was prepared for 'sym"
    ):
        as_prepared(x, BATCH, None, "sum")
    with pytest.raises(GraphError, match=r"has its weights: give edge_weight to prepare\(...\)"):
        as_prepared(x, BATCH, torch.ones(2), "symmetric")
    with pytest.raises(GraphError, match=r"x has shape \(2,\): a layer takes \(nodes, channels\)"):
        as_prepared(x[:, 0], EDGE, None, "symmetric")
