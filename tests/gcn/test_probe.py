"""Responses of networks, ours and others, against the filters that they are or are not."""

from functools import partial

import numpy as np
import pytest
import torch
from torch import nn
from torch_geometric.nn import APPNP, ChebConv, GATConv, GCNConv, TAGConv
from torch_geometric.nn import GCN as PyGNetwork

import polyfilter as pf
from gcn.bridge import initialise, network
from gcn.layers import SoGConv
from gcn.nets import GIN, GraphNetwork, KOrderGCN, SoGCN, VanillaGCN
from gcn.probe import polynomial, response
from polyfilter.errors import FilterError
from polyfilter.spectrum import eigenvalue_tolerance

EPS = float(np.finfo(np.float64).eps)


def random_graph(nodes: int = 40, p: float = 0.12, seed: int = 0) -> pf.Graph:
    rng = np.random.default_rng(seed)
    pairs = np.argwhere(np.triu(rng.random((nodes, nodes)) < p, 1))
    return pf.Graph.from_edges(pairs, num_nodes=nodes)


def petersen() -> pf.Graph:
    """Regular of degree three, with eigenspaces of five and four dimensions."""
    outer = [(i, (i + 1) % 5) for i in range(5)]
    inner = [(5 + i, 5 + (i + 2) % 5) for i in range(5)]
    return pf.Graph.from_edges([*outer, *inner, *((i, 5 + i) for i in range(5))])


@pytest.fixture(scope="module")
def graph() -> pf.Graph:
    return random_graph()


@pytest.fixture(scope="module")
def x(graph: pf.Graph) -> np.ndarray:
    return np.random.default_rng(5).standard_normal(graph.num_nodes)


def tolerance(graph: pf.Graph, degree: int, depth: int = 1) -> float:
    r"""Return what the share of a true filter that is no filter may measure.

    Eigenvectors are those of a matrix :math:`\|E\| \le` :func:`eigenvalue_tolerance` away, and a
    filter of size one and degree K has slopes up to K² (Markov); each layer adds a rounding of n
    terms, in n × n entries.
    """
    n = graph.num_nodes
    return n * (degree**2 * eigenvalue_tolerance(n) + depth * n * EPS)


LINEAR = [
    lambda: SoGCN(1, 8, 1, num_layers=4),
    lambda: SoGCN(1, 8, 1, num_layers=4, residual=False, batch_norm=False),
    lambda: KOrderGCN(1, 8, 1, num_layers=2, K=4, head="linear"),
    lambda: VanillaGCN(1, 8, 1, num_layers=4),
    lambda: GIN(1, 8, 1, num_layers=4),
]


@pytest.mark.parametrize("make", LINEAR)
def test_both_ways_agree(make, graph):
    torch.manual_seed(0)
    net = make()
    exact, measured = polynomial(net), response(net, graph)
    allowed = tolerance(graph, exact.degree, net.num_layers)
    size = np.abs(measured.values).max()
    wanted = exact(measured.eigenvalues)[:, 0, 0]
    assert np.abs(measured.values - wanted).max() <= allowed * size
    assert measured.not_filter <= allowed
    assert measured.offset <= exact.offset_bound * (1 + allowed)


def test_a_designed_filter_comes_back():
    stack = pf.factorize(pf.design.interpolate(pf.responses.low_pass, 40))
    graph = random_graph(seed=3)
    for net in (
        network(stack, dtype=torch.float64),
        initialise(SoGCN(1, 4, 1, num_layers=20, batch_norm=False).double(), stack),
    ):
        found = response(net, graph)
        allowed = tolerance(graph, stack.degree, 20)
        assert np.abs(found.values - stack.filter(found.eigenvalues)).max() <= allowed
        assert found.not_filter <= allowed
        everywhere = response(net)
        assert np.abs(everywhere.values - stack.filter(everywhere.eigenvalues)).max() < 1e-12
        assert everywhere.polynomial is not None


def test_relu_is_linearised_at_the_signal(graph, x):
    stack = pf.factorize(pf.design.interpolate(pf.responses.band_pass, 8))
    started = SoGCN(1, 8, 1, num_layers=5, activation="relu", batch_norm=False).double()
    found = response(initialise(started, stack), graph, x)
    # positive and negative parts together are linear, wherever they are not zero
    assert found.not_filter <= tolerance(graph, stack.degree, 5)
    torch.manual_seed(1)
    other = SoGCN(1, 8, 1, num_layers=3, activation="relu", batch_norm=False)
    assert 0.01 < response(other, graph, x).not_filter <= 1
    kink = GraphNetwork(
        partial(SoGConv, bias=False),
        1,
        8,
        1,
        num_layers=3,
        embedding="none",
        activation="relu",
        batch_norm=False,
        residual=False,
    )
    at_zero = response(kink, graph)
    assert not at_zero.values.any()
    assert at_zero.not_filter == 0


def test_a_gru_is_no_filter(graph, x):
    assert 0.01 < response(SoGCN(1, 8, 1, num_layers=3, gru=True), graph, x).not_filter <= 1


class Steps(nn.Module):
    """A module made of a function of x and edge_index."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, x, edge_index):
        return self.function(x, edge_index)


def test_pyg_layers_that_are_filters(graph):
    torch.manual_seed(0)
    lam = response(Steps(lambda x, _: x), graph).eigenvalues
    tag = TAGConv(1, 1, K=3)
    theta = [float(lin.weight.detach().double()) for lin in tag.lins]
    found = response(tag, graph)
    assert found.not_filter <= tolerance(graph, 3)
    wanted = np.polynomial.polynomial.polyval(lam, theta)
    assert np.abs(found.values - wanted).max() <= tolerance(graph, 3) * np.abs(theta).sum()


def test_chebnet_is_a_filter_of_minus_a():
    graph = random_graph(30, 0.25, seed=2)  # without isolated nodes, where its L is not I - A
    assert graph.adjacency.sum(axis=1).min() > 0
    cheb = ChebConv(1, 1, K=4)
    theta = [float(lin.weight.detach().double()) for lin in cheb.lins]
    found = response(cheb, graph)
    wanted = np.polynomial.chebyshev.chebval(-found.eigenvalues, theta)
    assert found.not_filter <= tolerance(graph, 3)
    assert np.abs(found.values - wanted).max() <= tolerance(graph, 3) * np.abs(theta).sum()


@pytest.mark.parametrize(
    "make", [lambda: GCNConv(1, 1), lambda: APPNP(5, 0.1), lambda: GATConv(1, 1)]
)
def test_self_loops_are_no_filter_unless_the_graph_is_regular(make, graph, x):
    torch.manual_seed(0)
    layer = make()
    assert 0.01 < response(layer, graph, x).not_filter <= 1
    if not isinstance(layer, GATConv):
        regular = petersen()
        assert response(layer, regular).not_filter <= tolerance(regular, 5)


def test_a_pyg_network_with_batch_norm(graph, x):
    torch.manual_seed(0)
    net = PyGNetwork(1, 8, 2, 1, norm="batch_norm", dropout=0.5)
    first, again = response(net, graph, x), response(net, graph, x)
    assert np.array_equal(first.values, again.values)
    assert net.training


def test_eigenspaces_count_as_one():
    regular = petersen()
    found = response(SoGConv(1, 1, bias=False), regular)
    assert found.multiplicities.tolist() == [4, 5, 1]
    assert found.eigenvalues == pytest.approx([-2 / 3, 1 / 3, 1])
    swap = torch.tensor([1, 0, *range(2, 10)])
    moved = response(Steps(lambda x, _: x[swap]), regular)
    # tr P = 8 of 10, spread over three eigenspaces: what is left has a known size
    assert 0.3 < moved.not_filter < 0.7


def test_permutations_are_no_filter(graph):
    order = torch.from_numpy(np.random.default_rng(0).permutation(graph.num_nodes))
    assert response(Steps(lambda x, _: x[order]), graph).not_filter > 0.8


def test_the_nearest_filter_is_found(graph):
    """ρ is the distance to the span of the projections, by least squares."""
    J = np.random.default_rng(1).standard_normal((graph.num_nodes,) * 2)
    found = response(Steps(lambda x, _: torch.from_numpy(J) @ x), graph)
    lam, U = pf.spectrum(graph), np.linalg.eigh(graph.normalized_adjacency().toarray())
    values, vectors = U
    E = [
        sum(np.outer(v, v) for t, v in zip(values, vectors.T, strict=True) if abs(t - mu) < 1e-9)
        for mu in lam
    ]
    columns = np.stack([e.ravel() for e in E], axis=1)
    h, *_ = np.linalg.lstsq(columns, J.ravel(), rcond=None)
    assert np.allclose(found.values, h, rtol=0, atol=1e-9)
    rest = np.linalg.norm(J.ravel() - columns @ h) / np.linalg.norm(J)
    assert found.not_filter == pytest.approx(rest, abs=1e-9)


def test_batch_norm_is_folded_and_the_original_left_alone(graph, x):
    torch.manual_seed(0)
    net = SoGCN(1, 8, 1, num_layers=3)
    W = graph.adjacency.tocoo()
    edges = torch.from_numpy(np.stack((W.row, W.col)).astype(np.int64))
    for _ in range(3):
        net(torch.from_numpy(x).float()[:, None], edges)
    before = {name: value.clone() for name, value in net.state_dict().items()}
    found = response(net, graph, x)
    assert found.not_filter <= tolerance(graph, 6, 3)
    assert np.abs(found.values - polynomial(net)(found.eigenvalues)[:, 0, 0]).max() < 1e-10
    assert net.training
    assert next(net.parameters()).dtype == torch.float32
    assert all(torch.equal(before[name], value) for name, value in net.state_dict().items())


def test_offsets_do_not_depend_on_the_signal(graph, x):
    torch.manual_seed(0)
    net = SoGCN(1, 8, 1, num_layers=3)
    assert response(net, graph, x).offset == pytest.approx(response(net, graph).offset)
    assert response(SoGConv(1, 1, bias=False), graph, x).offset <= tolerance(graph, 2)


def test_channels(graph):
    layer = SoGConv(2, 3, bias=False)
    theta = layer.matrix_polynomial().detach().double().numpy()
    for i in range(2):
        for o in range(3):
            found = response(layer, graph, input=i, output=o)
            wanted = np.polynomial.polynomial.polyval(found.eigenvalues, theta[:, i, o])
            assert np.abs(found.values - wanted).max() <= tolerance(graph, 2) * 3
            assert (found.input, found.output) == (i, o)
    assert "channel 1 to 2" in repr(found)
    everywhere = response(layer, input=1, output=2)
    assert everywhere.values == pytest.approx(
        np.polynomial.polynomial.polyval(everywhere.eigenvalues, theta[:, 1, 2])
    )


def test_weights_are_handed_on():
    weighted = pf.Graph.from_edges([(0, 1), (1, 2), (0, 2)], weights=[1.0, 2.0, 5.0])
    for net in (SoGConv(1, 1), SoGCN(1, 4, 1, num_layers=2), TAGConv(1, 1, K=2)):
        assert response(net, weighted).not_filter <= tolerance(weighted, 4, 2)


def test_a_constant_module_has_no_response(graph):
    found = response(Steps(lambda x, _: torch.ones(len(x), 1)), graph)
    assert not found.values.any()
    assert (found.not_filter, found.offset) == (0, 1)


def test_it_prints_and_draws(graph):
    torch.manual_seed(0)
    net = SoGCN(1, 4, 1, num_layers=2)
    for found in (response(net), response(net, graph)):
        assert repr(found).startswith("Response(")
        assert "<svg" in found._repr_html_()
        ax = found.plot()
        assert found.plot(ax, color="black") is ax
        drawn = ax.get_lines()
        assert len(drawn) == 2
        assert np.array_equal(drawn[0].get_ydata(), found.values)
        assert ax.get_xlabel()


def test_refused(graph):
    with pytest.raises(FilterError, match="measure it on a graph"):
        response(TAGConv(1, 1))
    with pytest.raises(FilterError, match="probed on a Graph, not on a list"):
        response(SoGConv(1, 1), [(0, 1)])
    with pytest.raises(FilterError, match=r"has shape \(40,\) or \(40, channels\), not \(3,\)"):
        response(SoGConv(1, 1), graph, np.ones(3))
    with pytest.raises(FilterError, match="not finite"):
        response(SoGConv(1, 1), graph, np.full(40, np.nan))
    with pytest.raises(FilterError, match="no input channel 1: the signal has 1"):
        response(SoGConv(1, 1), graph, input=1)
    with pytest.raises(FilterError, match="no output channel 4: the network gives 1"):
        response(SoGConv(1, 1), graph, output=4)
    with pytest.raises(FilterError, match="from channel 0 to 3: the network maps 1 channels to 1"):
        response(SoGConv(1, 1), output=3)
    with pytest.raises(FilterError, match="a filter has a row for each"):
        response(Steps(lambda x, _: x.sum()), graph)
