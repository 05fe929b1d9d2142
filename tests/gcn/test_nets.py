"""Networks: the published counts, the order inside a block, and every switch."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
import torch
from dense_truth import CASES, polynomial_tolerance, random_graph, signal
from torch import Tensor, nn
from torch_geometric.nn import APPNP, SAGEConv

from gcn.encoders import (
    ATOM_FEATURES,
    ATOM_FEATURES_OF_THE_PAPER,
    BOND_FEATURES,
    CategoryEncoder,
)
from gcn.layers import KOrderConv, SoGConv
from gcn.nets import GIN, Block, GraphNetwork, KOrderGCN, SoGCN, VanillaGCN
from gcn.propagate import prepare
from gcn.readout import pool
from polyfilter.errors import GraphError

EDGE = torch.tensor([[0, 1], [1, 0]])
NETS: dict[str, Callable[..., GraphNetwork]] = {
    "vanilla": VanillaGCN,
    "gin": GIN,
    "sogcn": SoGCN,
    "korder": partial(KOrderGCN, K=4),
}

# published parameter counts


def test_table_2() -> None:
    nets = VanillaGCN(), GIN(), SoGCN(), KOrderGCN(K=3), KOrderGCN(K=4)
    assert [net.num_parameters for net in nets] == [4_611, 4_627, 12_323, 16_179, 20_035]
    assert SoGCN(1, 16, 1, 16).num_parameters == 12_323
    named = SoGCN(in_channels=1, hidden_channels=16, out_channels=1, num_layers=16)
    assert named.num_parameters == 12_323


def test_proteins() -> None:
    plain = {"embedding": "none", "batch_norm": False}
    narrow, wide = (8, 200, 112, 3), (8, 256, 112, 3)
    assert SoGCN(*narrow, **plain).num_parameters == 192_512
    assert KOrderGCN(*narrow, K=4, **plain).num_parameters == 320_512
    assert KOrderGCN(*narrow, K=6, **plain).num_parameters == 448_512
    assert VanillaGCN(*wide, **plain).num_parameters == 96_880


class Predict(nn.Module):
    """APPNP's prediction, a linear map for each layer; the last one propagates."""

    def __init__(self, in_channels: int, out_channels: int, last: bool) -> None:
        super().__init__()
        self.linear = nn.Linear(in_channels, out_channels)
        self.walk = APPNP(K=10, alpha=0.1) if last else None

    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
        y: Tensor = self.linear(x)
        return y if self.walk is None else self.walk(y, edge_index)


def test_layers_of_pytorch_geometric() -> None:
    plain: dict[str, Any] = {"embedding": "none", "batch_norm": False, "activation": "relu"}
    sage = GraphNetwork(SAGEConv, 8, 256, 112, 3, **plain)
    appnp = GraphNetwork(lambda i, o: Predict(i, o, o == 112), 8, 256, 112, 3, **plain)
    assert sage.num_parameters == 193_136
    assert appnp.num_parameters == 96_880
    for net in (sage, appnp):
        assert net.operator is None
        assert net(torch.ones(2, 8), EDGE).shape == (2, 112)


@pytest.mark.parametrize(("K", "count"), [(2, 1_426_201), (4, 2_326_201), (6, 3_226_201)])
def test_molhiv(K: int, count: int) -> None:
    """With 173 embeddings of atoms as in the paper; today's ogb has one more, of 300 channels."""
    for atoms, more in ((ATOM_FEATURES_OF_THE_PAPER, 0), (ATOM_FEATURES, 300)):
        encoder = CategoryEncoder(atoms, 300)
        net = KOrderGCN(
            9, 300, 1, 5, K=K, embedding=encoder, bonds=BOND_FEATURES, readout="mean", head="linear"
        )
        assert net.num_parameters == count + more
    x, bonds = torch.zeros(2, 9, dtype=torch.int64), torch.zeros(2, 3, dtype=torch.int64)
    y = net(x, EDGE, torch.tensor([0, 0]), edge_attr=bonds)
    assert y.shape == (1, 1)


@pytest.mark.parametrize("name", NETS)
@pytest.mark.parametrize("h", [4, 16])
def test_a_gru_adds_its_three_gates(name: str, h: int) -> None:
    with_gate, without = (NETS[name](3, h, 2, 3, gru=gru) for gru in (True, False))
    assert with_gate.num_parameters - without.num_parameters == 3 * (2 * h * h + 2 * h)


# what a network computes


def composed(net: GraphNetwork) -> Tensor:
    """Multiply the matrix polynomials of a linear network, residual connections included."""
    assert isinstance(net.embedding, nn.Linear)
    total = net.embedding.weight.T[None]
    for block in net.blocks:
        theta = block.conv.matrix_polynomial().clone()
        if block.residual:
            theta[0] += torch.eye(theta.shape[1], dtype=theta.dtype)
        product = total.new_zeros(len(total) + len(theta) - 1, total.shape[1], theta.shape[2])
        for i, a in enumerate(total):
            for j, b in enumerate(theta):
                product[i + j] += a @ b
        total = product
    return total.detach()


@pytest.mark.parametrize("name", NETS)
@pytest.mark.parametrize("residual", [True, False])
def test_a_linear_network_is_its_composed_polynomial(name: str, residual: bool) -> None:
    net = NETS[name](2, 4, 3, 4, batch_norm=False, bias=False, residual=residual).double()
    with torch.no_grad():
        net.embedding.bias.zero_()  # type: ignore[union-attr]
    case = random_graph(15, 0.3)
    A, x = case.matrix(), signal(15, 2)
    theta = composed(net)
    values, U = torch.linalg.eigh(A)
    parts = [U @ (values[:, None] ** k * (U.T @ x)) @ t for k, t in enumerate(theta)]
    y = net(x, prepare(case.index, 15, dtype=x.dtype))
    # rounding is that of four layers, each of which bounds the composed one by its own norms
    sizes = [
        float(sum(t.norm() for t in block.conv.matrix_polynomial().detach())) + block.residual
        for block in net.blocks
    ]
    scale = torch.tensor([*sizes, float(net.embedding.weight.detach().norm())]).prod()  # type: ignore[union-attr]
    unit = polynomial_tolerance(A, x, torch.ones(len(theta), 1, 1), x.dtype)
    assert (y - torch.stack(parts).sum(0)).abs().max() <= unit * (1 + scale)


def test_the_order_inside_a_block() -> None:
    """Convolution, normalization, activation, residual connection, dropout."""
    conv = SoGConv(3, 3)
    options: dict[str, Any] = {"batch_norm": True, "residual": True, "dropout": 0.5}
    block = Block(conv, 3, activation=nn.ReLU(), **options)
    assert block.norm is not None
    x, edges = signal(20, 3, dtype=torch.float32), random_graph(20, 0.3).index
    torch.manual_seed(5)
    found = block(x, edges)
    y = conv(x, edges)
    normalized = (y - y.mean(0)) / (y.var(0, unbiased=False) + block.norm.eps).sqrt()
    torch.manual_seed(5)
    truth = nn.functional.dropout(x + torch.relu(normalized), 0.5)
    eps, spread = torch.finfo(x.dtype).eps, float(y.detach().std(0).min())
    assert (found - truth).abs().max() <= 20 * eps * float(truth.detach().abs().max()) / spread
    assert (found == 0).any()
    assert torch.equal(block.eval()(x, edges), block(x, edges))


@pytest.mark.parametrize("hidden", ["before", "after"])
def test_one_gate_is_shared_by_layers_of_the_hidden_width(hidden: str) -> None:
    net = SoGCN(3, 4, 2, 3, gru=hidden, batch_norm=False, activation="relu").eval()
    x, edges = signal(20, 3, dtype=torch.float32), random_graph(20, 0.3).index
    h = net.embed(x)
    assert net.gru is not None
    for block in list(net.blocks)[:-1]:
        h = net.gru(block(h, edges), h)
    assert torch.equal(net(x, edges), list(net.blocks)[-1](h, edges))
    assert net.gru.hidden == hidden


def test_a_gate_leaves_other_widths_alone() -> None:
    """A single layer from 3 to 3 channels was once sent to a gate of 4."""
    net = SoGCN(3, 4, 3, 1, embedding="none", gru=True, batch_norm=False)
    plain = SoGCN(3, 4, 3, 1, embedding="none", batch_norm=False)
    plain.load_state_dict(net.state_dict(), strict=False)
    x = torch.ones(2, 3)
    assert torch.equal(net(x, EDGE), plain(x, EDGE))


@pytest.mark.parametrize("name", NETS)
def test_both_calls_are_the_same(name: str) -> None:
    net = NETS[name](2, 4, 3, 2).eval()
    case = CASES["weighted"]
    assert case.weight is not None
    x, weight = signal(5, 2, dtype=torch.float32), case.weight.float()
    assert torch.equal(
        net(x, case.index, edge_weight=weight), net(x, prepare(case.index, 5, weight))
    )


# switches


@pytest.mark.parametrize("name", NETS)
@pytest.mark.parametrize("activation", [None, "relu", "tanh", nn.GELU])
@pytest.mark.parametrize("readout", ["node", "sum", "mean", "max"])
def test_every_switch_runs_and_learns(name: str, activation: Any, readout: str) -> None:
    graph = torch.tensor([0, 0, 0, 1, 1])
    x = signal(5, 2, dtype=torch.float32)
    for on in (True, False):
        switches: dict[str, Any] = {"batch_norm": on, "residual": on, "bias": on, "gru": on}
        net = NETS[name](
            2, 8, 3, 2, activation=activation, readout=readout, dropout=0.1, **switches
        )
        y = net(x, CASES["weighted"].index, graph)
        assert y.shape == ((5, 3) if readout == "node" else (2, 3))
        y.square().sum().backward()
        assert all(p.grad is not None and p.grad.isfinite().all() for p in net.parameters())


def test_where_things_are() -> None:
    net = SoGCN(2, 8, 3, 3, activation="relu", dropout=0.2)
    first, _, last = net.blocks
    assert (first.residual, last.residual) == (True, False)
    assert isinstance(first.activation, nn.ReLU)
    assert last.activation is None
    assert isinstance(first.dropout, nn.Dropout)
    assert first.norm is not None
    assert (net.gru, net.head, net.readout, net.operator) == (None, None, "node", "symmetric")
    assert isinstance(
        list(SoGCN(2, 8, 3, 2, activation="tanh", activate_last=True).blocks)[-1].activation,
        nn.Tanh,
    )
    bare = SoGCN(2, 8, 3, 2, batch_norm=False, residual=False, bias=False, embedding="none")
    assert bare.embedding is None
    for block, width in zip(bare.blocks, (2, 8), strict=True):
        assert (block.norm, block.residual, block.dropout) == (None, False, None)
        assert isinstance(block.conv, KOrderConv)
        assert (block.conv.bias, block.conv.in_channels) == (None, width)


@pytest.mark.parametrize("head", ["none", "linear", "mlp"])
def test_readout_and_head(head: str) -> None:
    net = SoGCN(2, 8, 3, 2, activation="relu", readout="mean", head=head).eval()
    graph, edges = torch.tensor([0, 0, 0, 1, 1]), CASES["weighted"].index
    x = signal(5, 2, dtype=torch.float32)
    h = net.embed(x)
    for block in net.blocks:
        h = block(h, prepare(edges, 5))
    h = pool(h, graph, "mean")
    assert torch.equal(net(x, edges, graph), h if net.head is None else net.head(h))
    # a head reads activated features; a last convolution answers itself
    assert (list(net.blocks)[-1].activation is None) == (head == "none")
    assert torch.equal(net(x, edges, graph, num_graphs=3)[:2], net(x, edges, graph))


def test_an_operator_for_all_layers() -> None:
    net = GIN(2, 4, 1, 2, operator="sum")
    assert net.operator == "sum"
    assert net(torch.ones(2, 2), prepare(EDGE, 2, operator="sum")).shape == (2, 1)
    assert VanillaGCN(operator="mean", self_loop=False).operator == "mean"
    next(iter(net.blocks)).conv.operator = "mean"
    with pytest.raises(GraphError, match="the layers disagree about A: mean, sum"):
        net(torch.ones(2, 2), EDGE)


@pytest.mark.parametrize("name", NETS)
def test_state_survives_and_weights_can_be_drawn_again(name: str) -> None:
    net, other = (NETS[name](2, 4, 3, 2, gru=True).eval() for _ in range(2))
    other.load_state_dict(net.state_dict())
    x = signal(2, 2, dtype=torch.float32)
    assert torch.equal(net(x, EDGE), other(x, EDGE))
    before = {key: value.clone() for key, value in net.named_parameters()}
    net.reset_parameters()
    still = {key for key, value in net.named_parameters() if torch.equal(value, before[key])}
    assert all("norm" in key or "epsilon" in key for key in still)


@pytest.mark.parametrize("name", NETS)
def test_the_same_bits_twice_and_autocast(name: str, device: torch.device) -> None:
    net = NETS[name](2, 8, 3, 3, activation="relu").to(device).eval()
    case = CASES["random"]
    x = signal(40, 2, dtype=torch.float32).to(device)
    A = prepare(case.index.to(device), 40)
    assert torch.equal(net(x, A), net(x, A))
    with torch.autocast(device.type, torch.bfloat16):
        y = net(x, A)
    assert y.isfinite().all()
    double = net.double()(x.double(), A.to(torch.float64))
    assert double.dtype == torch.float64


def test_repr() -> None:
    assert repr(SoGCN()) == "SoGCN(1, 16, 1, num_layers=16): 12,323 parameters"
    assert repr(KOrderGCN(K=3)) == "KOrderGCN(1, 16, 1, num_layers=16, K=3): 16,179 parameters"


# what is refused


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"num_layers": 0}, "a network needs at least one layer, not 0"),
        ({"dropout": 1.0}, "dropout is a probability below 1, not 1.0"),
        ({"dropout": -0.1}, "dropout is a probability below 1, not -0.1"),
        ({"readout": "median"}, "unknown readout 'median': choose from node, sum, mean, max"),
        ({"activation": "soft"}, "unknown activation 'soft': choose from relu, tanh, or give a"),
        ({"activation": "soft", "num_layers": 1}, "unknown activation 'soft': choose from relu"),
        ({"activation": nn.ReLU()}, "unknown activation ReLU(): choose from relu, tanh, or give"),
        ({"head": "big"}, "unknown head 'big': choose from none, linear, mlp"),
        ({"embedding": "both"}, "embedding is 'linear', 'none' or a module, not 'both'"),
        ({"gru": "middle"}, "the GRU's hidden state is 'before' or 'after' a layer, not 'middle'"),
        ({"out_channels": 0}, "out_channels is 0: a layer has at least one channel"),
    ],
)
def test_networks_that_are_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises(GraphError) as caught:
        SoGCN(**options)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("x", "edges", "options", "words"),
    [
        (torch.ones(2, 4), EDGE, {}, "x has shape (2, 4), but SoGCN takes (nodes, 3)"),
        (torch.ones(2), EDGE, {}, "x has shape (2,), but SoGCN takes (nodes, 3)"),
        (torch.ones(3, 3), prepare(EDGE, 2), {}, "but the batch has 2 nodes"),
        (torch.ones(2, 3).double(), EDGE, {}, "x is torch.float64 and SoGCN torch.float32"),
        (torch.ones(2, 3).long(), EDGE, {}, "x is torch.int64 and SoGCN torch.float32"),
        (torch.ones(2, 3), prepare(EDGE, 2).to(torch.float64), {}, "and the batch torch.float64"),
        (torch.ones(2, 3, device="meta"), EDGE, {}, "x is on meta and SoGCN on cpu: move one"),
        (torch.ones(2, 3), prepare(EDGE, 2).to("meta"), {}, "x is on cpu and the batch on meta"),
        (torch.ones(2, 3), prepare(EDGE, 2, operator="mean"), {}, "was prepared for 'mean'"),
        (torch.ones(2, 3), prepare(EDGE, 2), {"edge_weight": torch.ones(2)}, "has its weights"),
        (torch.ones(2, 3), EDGE + 1, {}, "edge 0 is (1, 2), but nodes are numbered 0 to 1"),
    ],
)
@pytest.mark.parametrize("embedding", ["linear", "none"])
def test_calls_that_are_refused(
    embedding: str, x: Tensor, edges: Any, options: dict[str, Any], words: str
) -> None:
    net = SoGCN(3, 4, 2, 2, embedding=embedding)
    with pytest.raises(GraphError) as caught:
        net(x, edges, **options)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_graphs_and_edge_features_are_asked_for() -> None:
    with pytest.raises(GraphError, match="give it graph"):
        SoGCN(3, 4, 2, 2, readout="sum")(torch.ones(2, 3), EDGE)
    with pytest.raises(GraphError, match="give it edge_attr"):
        KOrderGCN(3, 4, 2, 2, bonds=(2,))(torch.ones(2, 3), EDGE)
    atoms = KOrderGCN(9, 4, 2, 2, embedding=CategoryEncoder(ATOM_FEATURES, 4))
    with pytest.raises(GraphError, match="row 0 has category 119 in feature 0, which has 119"):
        atoms(torch.tensor([[119, *[0] * 8]] * 2), EDGE)
