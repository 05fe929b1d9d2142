"""PPGN against one graph at a time, unpadded, pair by pair."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn
from zoo_cases import MOLHIV, ZINC, case_of

from gcn.propagate import prepare
from gcn.zoo import ppgn
from gcn.zoo.ppgn import PPGN, Block, groups
from gcn.zoo.wired import Wiring, wired

TOLERANCE = 2**-40
"""Hundreds of roundings of float64, relative to the largest answer."""


def layer_of(conv: nn.Module, v: Tensor) -> Tensor:
    return conv.weight[:, :, 0, 0] @ v + conv.bias


def dense(tower: PPGN, W: Tensor) -> Tensor:
    """Return the answers for one graph, from its tensor of shape (nodes, nodes, channels)."""
    n, rows = len(W), []
    pairs = [(i, j) for i in range(n) for j in range(n)]
    X = {pair: W[pair] for pair in pairs}
    for block in tower.blocks:
        assert isinstance(block, Block)
        left, right = (
            {p: torch.relu(layer_of(m[2], torch.relu(layer_of(m[0], X[p])))) for p in pairs}
            for m in (block.left, block.right)
        )
        product = {
            (i, j): sum((left[i, k] * right[k, j] for k in range(n)), torch.zeros(()))
            for i, j in pairs
        }
        X = {p: layer_of(block.join, torch.cat((X[p], product[p]))) for p in pairs}
        rows.append(torch.stack([X[i, i] for i in range(n)]))
        rest = [sum((X[i, j] for j in range(n) if j != i), 0 * X[i, i]) for i in range(n)]
        rows.append(torch.stack(rest))
    read = tower.read
    return torch.cat(rows, dim=1) @ read.weight.T + read.bias


def batch(task: str) -> tuple[Tensor, Wiring]:
    case = case_of(MOLHIV if task == "molhiv" else ZINC)
    x = torch.randn(9, 2, generator=torch.Generator().manual_seed(3), dtype=torch.float64)
    A = prepare(case.edge_index, 9, dtype=torch.float64)
    return x, wired(A, case.edge_attr, case.graph)


@pytest.mark.parametrize("numbers", [1, 240, 10**6])
@pytest.mark.parametrize("task", ["molhiv", "zinc"])
def test_one_graph_at_a_time(task: str, numbers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many graphs are computed together."""
    monkeypatch.setattr(ppgn, "NUMBERS", numbers)
    x, wiring = batch(task)
    tower = PPGN(2, 3, blocks=2, bonds=(5, 6, 2) if task == "molhiv" else None).double()
    x.requires_grad_()
    found = tower(x, wiring)
    e = None if tower.bond is None else tower.bond(wiring.features())
    assert wiring.graph is not None
    truth = []
    for graph in range(3):
        nodes = (wiring.graph == graph).nonzero()[:, 0].tolist()
        W = x.new_zeros(len(nodes), len(nodes), 3)
        for at, node in enumerate(nodes):
            W[at, at, 1:] = x[node]
        for k, (j, i) in enumerate(wiring.edge_index.T.tolist()):
            if i in nodes:
                pair = nodes.index(i), nodes.index(j)
                W[(*pair, 0)] += 1
                if e is not None:
                    W[pair][1:] += e[k]
        truth.append(dense(tower, W))
    answer = torch.cat(truth)
    assert (found - answer).abs().max() <= TOLERANCE * (1 + answer.abs().max())
    # what was forgotten is computed again for the gradient
    inputs = [x, *tower.parameters()]
    one, two = (torch.autograd.grad(y.square().sum(), inputs) for y in (found, answer))
    for a, b in zip(one, two, strict=True):
        assert (a - b).abs().max() <= TOLERANCE * (1 + b.abs().max())


def test_without_graphs_there_is_one() -> None:
    x, wiring = batch("zinc")
    tower = PPGN(2, 3, blocks=1).double()
    alone = Wiring(wiring.prepared, wiring.edge_index)
    together = Wiring(wiring.prepared, wiring.edge_index, graph=torch.zeros(9, dtype=torch.int64))
    assert torch.equal(tower(x, alone), tower(x, together))


@given(sizes=st.lists(st.integers(0, 40), max_size=30), most=st.integers(1, 4_000))
@settings(max_examples=50)
def test_groups_hold_every_graph_once_and_not_too_many_pairs(sizes: list[int], most: int) -> None:
    found = list(groups(sizes, most))
    chosen = [graph for group in found for graph in group]
    assert sorted(chosen) == [graph for graph, size in enumerate(sizes) if size]
    for group in found:
        largest = max(sizes[graph] for graph in group)
        assert len(group) == 1 or len(group) * largest**2 <= most


def test_memory_stays_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forty graphs of 60 nodes: what is kept for the gradient is less than one of their tensors."""
    monkeypatch.setattr(ppgn, "NUMBERS", 2**17)
    n, graphs = 60, 40
    ring = torch.tensor([[i, (i + 1) % n] for i in range(n)]).T
    index = torch.cat([torch.cat((ring, ring.flip(0)), 1) + n * g for g in range(graphs)], 1)
    graph = torch.arange(graphs).repeat_interleave(n)
    wiring = wired(prepare(index, n * graphs), graph=graph)
    tower, kept = PPGN(2, 4, blocks=2), 0

    def keep(tensor: Tensor) -> Tensor:
        nonlocal kept
        kept += tensor.numel()
        return tensor

    x = torch.ones(n * graphs, 2, requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        tower(x, wiring)
    assert kept < graphs * n * n
