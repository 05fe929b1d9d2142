"""Collections: a batch is its graphs side by side, and nothing else."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from gcn.data import Batch, Collection
from gcn.layers import BondConv
from gcn.propagate import prepare
from polyfilter.errors import GraphError
from polyfilter.graphs import Graph

SIZES = (3, 1, 4, 2)
EDGES = ([(0, 1), (1, 2)], [], [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)], [(0, 1)])


def make(y: str = "node", dtype: torch.dtype = torch.float64) -> Collection:
    ptr = np.cumsum([0, *SIZES])
    pairs = [(i + p, j + p) for p, edges in zip(ptr, EDGES, strict=False) for i, j in edges]
    index = torch.tensor([*pairs, *((j, i) for i, j in pairs)]).T
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(int(ptr[-1]), 2, generator=generator, dtype=torch.float64).to(dtype)
    rows = int(ptr[-1]) if y == "node" else len(SIZES)
    target = torch.arange(rows, dtype=dtype)[:, None]
    prepared = prepare(index, int(ptr[-1]), dtype=dtype)
    return Collection(x, target, torch.from_numpy(ptr), prepared)


def dense(k: int) -> torch.Tensor:
    graph = Graph.from_edges(np.reshape(EDGES[k], (-1, 2)).astype(int), num_nodes=SIZES[k])
    return torch.from_numpy(graph.normalized_adjacency().toarray())


def hop_tolerance(degree: int, eps: float, scale: float) -> float:
    """An entry of A carries three roundings, a sum of `degree` products as many more each way."""
    return (2 * degree + 3) * eps * scale


@given(st.lists(st.integers(0, len(SIZES) - 1), min_size=1, max_size=6))
def test_batch_is_graphs_side_by_side(chosen: list[int]) -> None:
    collection = make()
    batch = collection.batch(torch.tensor(chosen))
    parts = [collection.x[collection.node_ptr[k] : collection.node_ptr[k + 1]] for k in chosen]
    assert torch.equal(batch.x, torch.cat(parts))
    assert batch.num_graphs == len(chosen)
    assert batch.graph.tolist() == [n for n, k in enumerate(chosen) for _ in range(SIZES[k])]
    hop = batch.prepared.propagate(batch.x)
    truth = torch.cat([dense(k) @ part for k, part in zip(chosen, parts, strict=True)])
    eps, scale = torch.finfo(torch.float64).eps, float(batch.x.abs().max())
    assert float((hop - truth).abs().max()) <= hop_tolerance(4, eps, scale)


@pytest.mark.parametrize("operator", ["symmetric", "mean"])
def test_nodes_by_degree_are_the_same_graphs(operator: str) -> None:
    """Hops, targets and the features of edges go with their nodes."""
    base = make()
    index = torch.stack([base.prepared.cols, torch.repeat_interleave(base.prepared.rowptr.diff())])
    source, target = index.long()
    marks = (10 * source + target).double()[:, None]  # what each edge is, wherever it lies
    x = torch.arange(len(base.x), dtype=torch.float64)[:, None]
    prepared = prepare(index.long(), len(x), operator=operator, dtype=torch.float64)
    graphs = Collection(x, x, base.node_ptr, prepared, marks)
    ordered = graphs.by_degree()
    nodes = ordered.x.ravel().long()
    assert torch.equal(ordered.y, ordered.x)
    eye = torch.eye(len(x), dtype=torch.float64)
    dense = graphs.prepared.propagate(eye)
    assert torch.equal(ordered.prepared.propagate(eye), dense[nodes][:, nodes])
    backward = eye.clone().requires_grad_()
    ordered.prepared.propagate(backward).backward(eye)
    assert torch.equal(backward.grad, dense.T[nodes][:, nodes])
    for g in range(graphs.num_graphs):
        batch = ordered.batch(torch.tensor([g]))
        assert bool((batch.prepared.rowptr.diff().diff() >= 0).all())
        came = torch.repeat_interleave(batch.prepared.rowptr.diff().long())
        ends = batch.x[batch.prepared.cols.long()], batch.x[came]
        assert batch.edge_attr is not None
        assert torch.equal(batch.edge_attr, 10 * ends[0] + ends[1])
    assert ordered.by_degree() is ordered


def test_targets_belong_to_nodes_or_graphs() -> None:
    assert make("node").batch(torch.tensor([3, 1])).y.ravel().tolist() == [8.0, 9.0, 3.0]
    assert make("graph").batch(torch.tensor([3, 1])).y.ravel().tolist() == [3.0, 1.0]


def test_batches_give_every_graph_once_in_order() -> None:
    collection = make("graph")
    batches = list(collection.batches(3))
    assert [batch.num_graphs for batch in batches] == [3, 1]
    assert torch.equal(torch.cat([batch.y for batch in batches]), collection.y)
    assert torch.equal(torch.cat([batch.x for batch in batches]), collection.x)


def test_batches_are_shuffled_by_the_generator_alone() -> None:
    collection = make("graph")

    def order(seed: int) -> list[float]:
        generator = torch.Generator().manual_seed(seed)
        batches = collection.batches(2, generator)
        return [float(y) for batch in batches for y in batch.y]

    state = torch.get_rng_state()
    orders = [order(seed) for seed in range(8)]
    assert torch.equal(torch.get_rng_state(), state)
    assert all(sorted(found) == [0.0, 1.0, 2.0, 3.0] for found in orders)
    assert orders == [order(seed) for seed in range(8)]
    assert len({tuple(found) for found in orders}) > 1


def test_shuffling_goes_on_from_epoch_to_epoch() -> None:
    generator = torch.Generator().manual_seed(0)
    epochs = [
        tuple(float(y) for batch in make("graph").batches(4, generator) for y in batch.y)
        for _ in range(8)
    ]
    assert len(set(epochs)) > 1


def test_to_changes_numbers_but_not_classes() -> None:
    single = make().to(torch.float32)
    assert (single.x.dtype, single.y.dtype, single.prepared.dtype) == (torch.float32,) * 3
    assert single.node_ptr.dtype == torch.int64
    whole = make()
    classes = Collection(whole.x, whole.y.long(), whole.node_ptr, whole.prepared)
    assert classes.to(torch.float32).y.dtype == torch.int64


def test_on_a_device(device: torch.device) -> None:
    collection = make().to(device)
    generator = torch.Generator().manual_seed(1)
    here = make().batches(2, torch.Generator().manual_seed(1))
    for there, batch in zip(collection.batches(2, generator), here, strict=True):
        assert there.x.device.type == torch.device(device).type
        assert torch.equal(there.x.cpu(), batch.x)
        assert torch.equal(there.graph.cpu(), batch.graph)
        hop, truth = there.prepared.propagate(there.x).cpu(), batch.prepared.propagate(batch.x)
        tolerance = 2 * hop_tolerance(4, torch.finfo(torch.float64).eps, float(batch.x.abs().max()))
        assert float((hop - truth).abs().max()) <= tolerance


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"x": torch.ones(10)}, r"x has shape \(10,\), but the graphs have 10 nodes"),
        ({"x": torch.ones(9, 1)}, r"give \(10, features\)"),
        ({"y": torch.ones(5, 1)}, r"a row a node, or \(4, targets\), a row a graph"),
        ({"node_ptr": torch.tensor([0, 3, 3, 4, 10])}, "every graph has a node"),
        ({"node_ptr": torch.tensor([1, 10])}, "start at 0"),
        ({"node_ptr": torch.tensor([0.0, 10.0])}, "as int64, not torch.float32"),
        ({"node_ptr": torch.tensor([0])}, r"G \+ 1 borders"),
        ({"prepared": prepare(torch.tensor([[0, 1], [1, 0]]), 2)}, "prepared graph has 2 nodes"),
    ],
)
def test_what_does_not_fit_is_refused(change: dict[str, object], words: str) -> None:
    good = make()
    fields = {"x": good.x, "y": good.y, "node_ptr": good.node_ptr, "prepared": good.prepared}
    with pytest.raises(GraphError, match=words):
        Collection(**(fields | change))


def test_an_empty_batch_is_refused() -> None:
    with pytest.raises(GraphError, match="at least one graph, not 0"):
        next(make().batches(0))


@pytest.mark.parametrize(
    ("graphs", "words"),
    [
        (torch.tensor([0, 4]), "numbered from 0 to 3, but the batch asks for 0 to 4"),
        (torch.tensor([-1]), "asks for -1 to -1"),
        (torch.tensor([True, False]), "not torch.bool"),
        (torch.tensor([], dtype=torch.int64), r"of shape \(0,\)"),
        (torch.tensor(2), r"of shape \(\)"),
    ],
)
def test_graphs_that_do_not_exist_are_refused(graphs: torch.Tensor, words: str) -> None:
    with pytest.raises(GraphError, match=words):
        make().batch(graphs)


def test_they_print_what_they_are() -> None:
    assert repr(make()) == "Collection(4 graphs, 10 nodes, 2 features, y a node)"
    batch = make("graph").batch(torch.tensor([1]))
    assert isinstance(batch, Batch)
    assert repr(batch) == "Batch(1 graph, 1 node)"


def test_edge_features_follow_their_edges_into_a_batch():
    """A molecule network gives the same on a batch as on its graphs one by one."""
    torch.manual_seed(0)
    path, star = [(0, 1), (1, 2)], [(0, 1), (0, 2), (0, 3)]
    kinds, index = [], []
    for first, edges in ((0, path), (3, star)):
        for i, j in edges:
            index += [(first + i, first + j), (first + j, first + i)]
            kinds += 2 * [len(kinds) % 3]
    shuffled = torch.randperm(len(index))
    edge_index, edge_attr = torch.tensor(index)[shuffled].T, torch.tensor(kinds)[shuffled, None]
    whole = Collection(
        torch.randn(7, 4),
        torch.zeros(2, 1),
        torch.tensor([0, 3, 7]),
        prepare(edge_index, 7),
        edge_attr,
    )
    layer = BondConv(4, 4, K=2, cardinalities=(3,))
    expected = layer(whole.x, edge_index, edge_attr=edge_attr)
    batch = whole.batch(torch.tensor([1, 0]))
    found = layer(batch.x, batch.prepared, edge_attr=batch.edge_attr)
    torch.testing.assert_close(found, torch.cat((expected[3:], expected[:3])))


def test_edge_features_of_another_graph_are_refused():
    with pytest.raises(GraphError, match="edge_attr has 3 rows for 2 edges"):
        Collection(
            torch.ones(2, 1),
            torch.ones(2, 1),
            torch.tensor([0, 2]),
            prepare(torch.tensor([[0, 1], [1, 0]]), 2),
            torch.zeros(3, 1, dtype=torch.int64),
        )
