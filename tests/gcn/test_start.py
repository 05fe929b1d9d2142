"""Networks that start as a filter: they are it, and they can learn to be more."""

import numpy as np
import pytest
import torch
from torch import nn

import polyfilter as pf
from gcn.data.sgs import generate
from gcn.layers import BondConv, SoGConv
from gcn.nets import GIN, GraphNetwork, KOrderGCN, SoGCN
from gcn.propagate import prepare
from gcn.start import initialise
from polyfilter.errors import FilterError, GraphError

DEGREE = 12


@pytest.fixture(scope="module")
def graph() -> pf.Graph:
    rng = np.random.default_rng(1)
    pairs = np.argwhere(np.triu(rng.random((60, 60)) < 0.08, 1))
    return pf.Graph.from_edges(pairs, num_nodes=61)  # the last node is isolated


@pytest.fixture(scope="module")
def stack() -> pf.SoGCStack:
    return pf.factorize(pf.design.interpolate(pf.responses.band_pass, DEGREE))


def edges_of(graph: pf.Graph) -> torch.Tensor:
    W = graph.adjacency.tocoo()
    return torch.from_numpy(np.stack((W.row, W.col)).astype(np.int64))


def signal(graph: pf.Graph, channels: int = 1, dtype: torch.dtype = torch.float64) -> torch.Tensor:
    x = np.random.default_rng(2).standard_normal((graph.num_nodes, channels))
    return torch.from_numpy(x).to(dtype)


def allowed(net: GraphNetwork, stack: pf.SoGCStack, eps: float) -> float:
    """Return a bound for the relative error of a network that is a stack.

    A layer adds a rounding or two for each of its three terms, and those are amplified by the
    layers that follow: by the noise gain of the product, or by 2 L and Σ|c| in the recurrence. With
    residual connections a carrier after ReLU has grown by each layer before it.
    """
    depth = net.num_layers
    series = np.abs(stack.filter.chebyshev).sum() / stack.filter.maximum
    return 6 * eps * depth**2 * max(stack.noise_gain, 2 * depth * series)


def relative(y: torch.Tensor, truth: np.ndarray) -> float:
    return float(np.linalg.norm(y.detach().double().cpu().numpy() - truth) / np.linalg.norm(truth))


@pytest.mark.parametrize("route", ["product", "recurrence"])
@pytest.mark.parametrize("head", ["none", "linear"])
@pytest.mark.parametrize("embedding", ["linear", "none"])
@pytest.mark.parametrize("batch_norm", [False, True])
@pytest.mark.parametrize("residual", [False, True])
@pytest.mark.parametrize("activation", [None, "relu"])
def test_every_network_starts_as_the_filter(
    graph, stack, activation, residual, batch_norm, embedding, head, route
):
    net = SoGCN(
        1,
        8,
        1,
        num_layers=len(stack) + 2,
        activation=activation,
        residual=residual,
        batch_norm=batch_norm,
        embedding=embedding,
        head=head,
    ).double()
    x, edges = signal(graph), edges_of(graph)
    assert initialise(net, stack, (x, edges) if batch_norm else None, route=route) is net
    assert net.training
    truth = pf.filter_dense(graph, stack.filter, x.numpy())
    tolerance = allowed(net, stack, np.finfo(np.float64).eps)
    assert relative(net.eval()(x, edges), truth) < tolerance
    other = -3 * x.flip(0) + 1
    assert relative(net(other, edges), pf.filter_dense(graph, stack.filter, other)) < tolerance
    assert relative(net.train()(x, edges), truth) < tolerance  # on the batch it was calibrated by


@pytest.mark.parametrize("K", [2, 3, 4])
@pytest.mark.parametrize("channels", [1, 2])
@pytest.mark.parametrize("activation", [None, "relu"])
def test_orders_and_channels(graph, stack, K, channels, activation, device):
    net = KOrderGCN(
        channels, 16, channels, num_layers=7, K=K, activation=activation, batch_norm=False
    ).to(device)
    initialise(net, stack)
    x = signal(graph, channels, torch.float32)
    y = net(x.to(device), edges_of(graph).to(device))
    truth = pf.filter_dense(graph, stack.filter, x.numpy())
    assert relative(y, truth) < allowed(net, stack, np.finfo(np.float32).eps)


@pytest.mark.parametrize("activation", [None, "relu"])
def test_degree_512_in_float32_to_six_digits(graph, activation):
    """Wider networks do better than the product of a stack, which keeps five."""
    stack = pf.factorize(pf.design.interpolate(pf.responses.high_pass, 512))
    net = SoGCN(1, 6, 1, num_layers=256, activation=activation, residual=False, batch_norm=False)
    x = signal(graph, dtype=torch.float32)
    y = initialise(net, stack)(x, edges_of(graph))
    assert relative(y, pf.filter_dense(graph, stack.filter, x.numpy())) < 1e-6


def test_the_operator_of_means_has_the_same_response(graph, stack):
    net = initialise(
        SoGCN(1, 4, 1, num_layers=8, operator="mean", batch_norm=False), stack
    ).double()
    initialise(net, stack)
    x = signal(graph)
    root = np.sqrt(np.maximum(graph.adjacency.sum(axis=1), 1))[:, None]
    truth = pf.filter_dense(graph, stack.filter, x.numpy() * root) / root
    spread = root.max() / root.min()
    y = net(x, edges_of(graph))
    assert relative(y, truth) < spread * allowed(net, stack, np.finfo(np.float64).eps)


@pytest.mark.parametrize("activation", [None, "relu"])
@pytest.mark.parametrize("residual", [False, True])
def test_gradients_reach_what_is_free(graph, stack, activation, residual):
    net = SoGCN(1, 12, 1, num_layers=7, activation=activation, residual=residual, batch_norm=False)
    initialise(net, stack)
    x = signal(graph, dtype=torch.float32)
    (net(x, edges_of(graph)) - 1).square().sum().backward()
    carriers = 6 if activation else 3
    for block in list(net.blocks)[1:]:
        into = block.conv.weight.grad[:, carriers:, : min(carriers, block.conv.out_channels)]
        assert not block.conv.weight[:, carriers:, : into.shape[2]].any()
        assert (into != 0).any(dim=(0, 2)).any()
        assert into.abs().max() > 0


def test_free_weights_stay_or_are_drawn(stack):
    def made(seed):
        torch.manual_seed(0)
        net = SoGCN(1, 8, 1, num_layers=6, batch_norm=False)
        before = net.layers[2].conv.weight.detach().clone()
        generator = None if seed is None else torch.Generator().manual_seed(seed)
        initialise(net, stack, generator=generator)
        return before, net.layers[2].conv.weight.detach()

    before, kept = made(None)
    assert torch.equal(before[:, :, 3:], kept[:, :, 3:])
    (_, first), (_, again), (_, other) = made(1), made(1), made(2)
    assert torch.equal(first, again)
    assert not torch.equal(first[:, :, 3:], other[:, :, 3:])
    assert first.abs().max() <= 5  # 4 A² and -2 A are of the recurrence, the rest below 1/√8


def test_batches_move_a_normalized_start_by_percents_only():
    """What the docstring says of the network of Table 2, on fewer graphs."""
    split = generate("high-pass", "train", seed=3, count=120).collection()
    stack = pf.factorize(pf.design.interpolate(pf.responses.high_pass, 31))
    errors = {}
    for route in ("product", "recurrence"):
        torch.manual_seed(0)
        net = initialise(SoGCN(), stack, split, route=route)
        batch = split.batch(torch.arange(60))
        with torch.no_grad():
            still = net.eval()(batch.x, batch.prepared)
            moving = net.train()(batch.x, batch.prepared)
        errors[route] = float((moving - still).norm() / still.norm())
    assert errors["recurrence"] < 0.15
    assert errors["product"] > 0.5


def test_training_goes_on_from_the_floor(graph):
    """A few small steps towards another filter: the loss falls below that of the start."""
    stack = pf.factorize(pf.design.interpolate(pf.responses.band_pass, 8))
    torch.manual_seed(0)
    net = initialise(SoGCN(1, 8, 1, num_layers=4, activation="relu", batch_norm=False), stack)
    x, edges = signal(graph, dtype=torch.float32), edges_of(graph)
    wanted = torch.from_numpy(pf.filter_dense(graph, pf.responses.band_pass, x.numpy())).float()
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-4)
    losses = []
    for _ in range(100):
        loss = (net(x, edges) - wanted).abs().mean()
        losses.append(loss.item())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    assert min(losses[-20:]) < losses[0]


def test_dropout_takes_no_part_in_evaluation(graph, stack):
    net = initialise(SoGCN(1, 8, 1, num_layers=6, dropout=0.5, batch_norm=False).double(), stack)
    x = signal(graph)
    truth = pf.filter_dense(graph, stack.filter, x.numpy())
    y = net.eval()(x, edges_of(graph))
    assert relative(y, truth) < allowed(net, stack, np.finfo(np.float64).eps)


def small(**options) -> SoGCN:
    return SoGCN(1, 8, 1, **{"num_layers": 6, "batch_norm": False, **options})


REFUSED = [
    (lambda: small(num_layers=5), "the stack has 6 layers, but the network only 5"),
    (lambda: small(gru=True), "a GRU between layers"),
    (lambda: small(readout="mean"), "reads out the mean over graphs"),
    (lambda: small(activation="tanh"), "not through Tanh"),
    (lambda: small(activation="relu", activate_last=True), "activate_last=False"),
    (lambda: small(head="mlp"), "head is a Sequential"),
    (lambda: small(embedding=nn.Sequential(nn.Linear(1, 8))), "embedding is a Sequential"),
    (lambda: small(operator="sum"), "'sum' operator"),
    (lambda: small(batch_norm=True), "give initialise a batch"),
    (lambda: SoGCN(2, 8, 3, num_layers=6, batch_norm=False), "maps 2 to 3"),
    (
        lambda: SoGCN(2, 3, 2, num_layers=6, activation="relu", batch_norm=False),
        "needs 4 channels to carry a signal of 2, once for either sign, but the network is 3 wide",
    ),
    (lambda: GIN(1, 8, 1, num_layers=6, batch_norm=False), "layer 1 is GINConv"),
    (lambda: KOrderGCN(1, 8, 1, num_layers=6, K=1, batch_norm=False), "K of at least 2"),
    (lambda: KOrderGCN(1, 8, 1, num_layers=6, bonds=(2,), batch_norm=False), "layer 1 is BondConv"),
    (lambda: SoGConv(1, 1), "a SoGConv can't start as a stack"),
    (lambda: BondConv(1, 1, 2, (3,)), "a BondConv can't"),
]


@pytest.mark.parametrize(("make", "sentence"), REFUSED)
def test_refused_in_one_sentence_and_left_alone(stack, make, sentence):
    net = make()
    before = [p.clone() for p in net.parameters()]
    with pytest.raises(FilterError, match=sentence) as caught:
        initialise(net, stack)
    assert "\n" not in str(caught.value)
    assert all(map(torch.equal, before, net.parameters()))


def test_more_that_is_refused(stack):
    with pytest.raises(FilterError, match="not as a list: factorize"):
        initialise(small(), [1, 2])
    with pytest.raises(FilterError, match="no route 'scenic': choose from product, recurrence"):
        initialise(small(), stack, route="scenic")
    with pytest.raises(FilterError, match="the recurrence needs 3 channels"):
        initialise(SoGCN(1, 2, 1, num_layers=6, batch_norm=False), stack, route="recurrence")
    nothing = torch.zeros(2, 0, dtype=torch.int64)
    with pytest.raises(FilterError, match="has no nodes"):
        initialise(small(batch_norm=True), stack, (torch.zeros(0, 1), prepare(nothing, 0)))
    normed = small(batch_norm=True)
    before = [p.clone() for p in normed.parameters()]
    edge = torch.tensor([[0, 1], [1, 0]])
    with pytest.raises(GraphError, match=r"x is torch\.float64 and SoGCN torch\.float32"):
        initialise(normed, stack, (torch.ones(2, 1, dtype=torch.float64), edge))
    with pytest.raises(GraphError, match="nodes are numbered 0 to 0"):
        initialise(normed, stack, (torch.ones(1, 1), edge))
    with pytest.raises(GraphError, match="SoGCN takes"):
        initialise(normed, stack, (torch.ones(2, 3), edge))
    assert all(map(torch.equal, before, normed.parameters()))
    net = small(batch_norm=True)
    net.layers[2].norm = nn.LayerNorm(8)
    with pytest.raises(FilterError, match="can't be undone"):
        initialise(net, stack, (torch.ones(2, 1), edge))
