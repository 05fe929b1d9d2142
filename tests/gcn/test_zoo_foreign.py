"""Layers of PyTorch Geometric inside: against dense matrices, and against ours where they agree."""

import math
import sys
from dataclasses import replace

import pytest
import torch
from dense_truth import polynomial_tolerance, random_graph, signal, spectral
from torch import Tensor, nn
from zoo_cases import MOLHIV, TASKS, case_of, small

from gcn.encoders import CategoryEncoder
from gcn.layers import BondConv, KOrderConv
from gcn.propagate import prepare
from gcn.zoo import build
from gcn.zoo.foreign import Foreign, Initial, Pseudo, geometric
from gcn.zoo.geometric import bond_of
from gcn.zoo.gpr import GPRWalk
from gcn.zoo.plan import Plan
from gcn.zoo.wired import Wiring, wired
from polyfilter.errors import GraphError

GRAPH = random_graph(15, 0.3)
A = GRAPH.matrix()
LOOPED = type(GRAPH)(torch.cat((GRAPH.index, torch.arange(15).repeat(2, 1)), 1), 15).matrix()
"""The operator of the graph with a loop at every node, which several layers propagate by."""
BATCH = wired(prepare(GRAPH.index, 15, dtype=torch.float64))
X = signal(15, 4)
NODES = replace(TASKS["cora"], name="nodes")
"""In the shell of the benchmarks, with embedding, batch normalization and head."""
TOLERANCE = 2**-40
"""Hundreds of roundings of float64 in numbers of order one."""


def close(found: Tensor, truth: Tensor) -> bool:
    return bool((found - truth).abs().max() <= TOLERANCE * (1 + truth.abs().max()))


def polynomial(theta: Tensor, found: Tensor) -> bool:
    bound = polynomial_tolerance(A, X, theta, X.dtype)
    return bool((found - spectral(A, X, theta)).abs().max() <= bound)


def weights(layer: nn.Module) -> Tensor:
    return torch.stack([linear.weight.detach().T for linear in layer.lins])


def test_tag_is_the_layer_of_order_three() -> None:
    layer = geometric().TAGConv(4, 3, K=3, bias=False).double()
    assert polynomial(weights(layer), Foreign(layer)(X, BATCH).detach())


def test_chebnet_is_sogc_in_another_basis() -> None:
    """T_0, T_1 and T_2 of the scaled Laplacian, which is -A: Θ_0 - Θ_2, -Θ_1 and 2 Θ_2."""
    layer = geometric().ChebConv(4, 3, K=3, bias=False).double()
    first, second, third = weights(layer)
    theta = torch.stack((first - third, -second, 2 * third))
    assert polynomial(theta, Foreign(layer)(X, BATCH).detach())


def test_gpr_is_a_filter_and_begins_as_appnp() -> None:
    walk = GPRWalk(K=5, alpha=0.2).double()
    walk.reset_parameters()  # in float64
    identity = torch.eye(4, dtype=torch.float64)
    theta = walk.gamma.detach()[:, None, None] * identity
    assert polynomial(theta, walk(X, BATCH).detach())
    h = X
    for _ in range(5):
        h = 0.8 * A @ h + 0.2 * X
    assert close(walk(X, BATCH), h)
    assert float(walk.gamma.detach().sum()) == pytest.approx(1)


@pytest.mark.parametrize("shared", [True, False])
def test_gcnii_is_told_where_it_began(shared: bool) -> None:
    layer = geometric().GCN2Conv(4, 0.5, 1.0, 2, shared_weights=shared).double()
    start = signal(15, 4, seed=1)
    found = Initial(layer)(X, Wiring(BATCH.prepared, BATCH.edge_index, start=start))
    beta, identity = math.log(1.5), torch.eye(4, dtype=torch.float64)
    one = (1 - beta) * identity + beta * layer.weight1
    two = one if shared else (1 - beta) * identity + beta * layer.weight2
    hop = 0.5 * LOOPED @ X @ one
    assert close(found, hop + 0.5 * start @ two)
    assert close(Initial(layer)(X, BATCH), hop + 0.5 * X @ two)


def test_gcnii_begins_behind_the_first_layer_where_nothing_embeds() -> None:
    net = small("gcnii", TASKS["proteins"]).eval()
    case = case_of(TASKS["proteins"])
    first, *middle, last = net.blocks
    wiring = wired(prepare(case.edge_index, 9, dtype=torch.float64))
    start = h = first(case.x, wiring)
    for block in middle:
        h = torch.relu(block.conv.layer(h, start, wiring.edge_index))
    assert torch.equal(case.answer(net, "symmetric"), last(h, wiring))


def test_monet_measures_edges_by_degrees() -> None:
    layer = geometric().GMMConv(4, 3, dim=2, kernel_size=2, aggr="add").double()
    pseudo = Pseudo(layer, 2).double()
    degree = torch.bincount(GRAPH.index[1], minlength=15).double() + 1
    truth = X @ layer.root.weight.T + layer.bias
    h = (X @ layer.g).reshape(15, 2, 3)
    linear = pseudo.coordinates
    for j, i in GRAPH.index.T.tolist():
        ends = torch.stack((degree[i], degree[j])).rsqrt()
        u = torch.tanh(linear.weight @ ends + linear.bias)
        bell = torch.exp(-0.5 * ((u - layer.mu) ** 2 / (1e-15 + layer.sigma**2)).sum(1))
        truth[i] = truth[i] + (bell[:, None] * h[j]).sum(0)
    assert close(pseudo(X, BATCH), truth)


def test_appnp_predicts_and_then_walks() -> None:
    net = small("appnp", NODES).eval()
    x = signal(15, 12)
    assert isinstance(net.embedding, nn.Linear)
    h = net.embedding(x)
    for number, block in enumerate(net.blocks):
        h = block.conv.linear(h)
        h = torch.relu(h) if number < 2 else h
    start = h
    for _ in range(3):
        h = 0.9 * LOOPED @ h + 0.1 * start
    assert net.head is not None
    assert close(net(x, BATCH.prepared), net.head(h))


def test_sgc_hops_as_often_as_others_have_layers() -> None:
    net = small("sgc", TASKS["proteins"], layers=4).eval()
    x = signal(15, 8)
    (block,) = net.blocks
    linear = block.conv.layer.lin
    truth = torch.linalg.matrix_power(LOOPED, 4) @ x @ linear.weight.T + linear.bias
    assert close(net(x, BATCH.prepared), truth)


def test_snowball_and_jknet_read_all_signals() -> None:
    for model in ("snowball", "jknet"):
        net = small(model, NODES).eval()
        x = signal(15, 12)
        h = net.embed(x)
        given, signals = [], []
        for block in net.blocks:
            given.append(h)
            layer, width = block.conv.layer, len(given) if model == "snowball" else 1
            seen = torch.cat(given[-width:], dim=1)
            y = LOOPED @ seen @ layer.lin.weight.T + layer.bias
            assert block.norm is not None
            y = y / (1 + block.norm.eps) ** 0.5
            h = torch.tanh(y) if model == "snowball" else h + torch.relu(y)
            signals.append(h)
        linear, head = net.jump.linear, net.head
        assert head is not None
        assert close(net(x, BATCH.prepared), head(linear(torch.cat(signals, dim=1))))


# features of edges


def molecule() -> tuple[Tensor, Wiring]:
    case = case_of(MOLHIV)
    A = prepare(case.edge_index, 9, dtype=torch.float64)
    return signal(9, 4), wired(A, case.edge_attr, case.graph)


def test_messages_carry_edges_as_in_our_own_layer() -> None:
    """TAGConv with carried edges is BondConv of the same order and weights."""
    layer = geometric().TAGConv(4, 4, K=2).double()
    foreign = Foreign(layer, CategoryEncoder((5, 6, 2), 4)).double()
    ours = BondConv(4, 4, K=2, cardinalities=(5, 6, 2)).double()
    with torch.no_grad():
        ours.weight.copy_(weights(layer))
        assert ours.bias is not None
        ours.bias.copy_(layer.bias)
        assert foreign.bond is not None
        ours.bond.weight.copy_(foreign.bond.weight)
    x, wiring = molecule()
    case = case_of(MOLHIV)
    assert close(foreign(x, wiring), ours(x, wiring.prepared, edge_attr=case.edge_attr))
    walk = GPRWalk(2, 0.1, foreign.bond).double()
    identity = BondConv(4, 4, K=2, cardinalities=(5, 6, 2), bias=False).double()
    with torch.no_grad():
        identity.weight.copy_(walk.gamma[:, None, None] * torch.eye(4))
        identity.bond.weight.copy_(foreign.bond.weight)
    assert close(walk(x, wiring), identity(x, wiring.prepared, edge_attr=case.edge_attr))


def test_loops_that_a_layer_adds_carry_nothing() -> None:
    """GCNConv adds a loop to every node; it goes through the ReLU with nothing added."""
    layer = geometric().GCNConv(4, 4).double()
    foreign = Foreign(layer, CategoryEncoder((5, 6, 2), 4)).double()
    x, wiring = molecule()
    h = x @ layer.lin.weight.T
    assert foreign.bond is not None
    assert wiring.edge_attr is not None
    e = foreign.bond(wiring.edge_attr)
    degree = torch.bincount(wiring.edge_index[1], minlength=9).double() + 1
    truth = torch.relu(h) / degree[:, None] + layer.bias
    for k, (j, i) in enumerate(wiring.edge_index.T.tolist()):
        truth[i] = truth[i] + torch.relu(h[j] + e[k]) / (degree[i] * degree[j]).sqrt()
    assert close(foreign(x, wiring), truth)
    assert not layer._message_forward_pre_hooks


def test_edges_come_in_the_order_of_their_features() -> None:
    case = case_of(MOLHIV)
    wiring = wired(prepare(case.edge_index, 9), case.edge_attr)
    kinds = {
        tuple(pair): kind.tolist()
        for pair, kind in zip(case.edge_index.T.tolist(), case.edge_attr, strict=True)
    }
    assert wiring.edge_attr is not None
    for pair, kind in zip(wiring.edge_index.T.tolist(), wiring.edge_attr, strict=True):
        assert kinds[tuple(pair)] == kind.tolist()
    assert torch.equal(wiring.degrees.long(), torch.bincount(case.edge_index[1], minlength=9))


def test_what_is_refused() -> None:
    layer = Foreign(geometric().SAGEConv(2, 2), CategoryEncoder((3,), 2))
    loop = torch.tensor([[0, 0], [0, 1]])
    with pytest.raises(GraphError, match="edges have features can't have loops"):
        layer(torch.ones(2, 2), wired(prepare(loop, 2), torch.zeros(2, 1).long()))
    edge = torch.tensor([[0, 1], [1, 0]])
    with pytest.raises(GraphError, match="embeds the features of edges: give it edge_attr"):
        layer(torch.ones(2, 2), wired(prepare(edge, 2)))
    with pytest.raises(GraphError, match="edge_attr has 3 rows for 2 edges"):
        wired(prepare(edge, 2), torch.zeros(3, 1).long())
    net = build("gat", TASKS["mnist"], layers=1, width=8)
    with pytest.raises(GraphError, match="prepared for 'sum'"):
        net(torch.ones(2, 3), prepare(edge, 2, operator="sum"), torch.zeros(2).long())


def test_without_pytorch_geometric(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch_geometric.nn", None)
    with pytest.raises(ImportError, match=r"pip install 'polyfilter\[gcn\]'"):
        build("gat", TASKS["mnist"], layers=1, width=8)
    assert build("sogcn", TASKS["mnist"], layers=1, width=8).num_parameters > 0


def test_only_molhiv_embeds_edges() -> None:
    assert bond_of(Plan(TASKS["mnist"], 2, 8), 8) is None
    bond = bond_of(Plan(MOLHIV, 2, 8), 6)
    assert bond is not None
    assert bond.weight.shape == (13, 6)
    assert isinstance(next(iter(small("krylov", TASKS["mnist"]).blocks)).conv, KOrderConv)
