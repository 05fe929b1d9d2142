"""The polynomial of a linear network: by values, by fractions, and by the network itself."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import polyfilter as pf
from gcn.layers import GRU, GINConv, KOrderConv, SoGConv
from gcn.linear import polynomial
from gcn.nets import GIN, KOrderGCN, SoGCN, VanillaGCN
from polyfilter.errors import FilterError

EPS = float(np.finfo(np.float64).eps)


def worn(net, seed=0):
    """Return a network whose normalizations look as after training, in float64."""
    generator = torch.Generator().manual_seed(seed)
    for module in net.modules():
        if isinstance(module, torch.nn.BatchNorm1d):
            module.running_mean.normal_(generator=generator)
            module.running_var.uniform_(0.5, 2, generator=generator)
            torch.nn.init.normal_(module.weight, generator=generator)
            torch.nn.init.normal_(module.bias, generator=generator)
    return net.double()


def tolerance(net, size) -> float:
    """Return what products of ``depth`` matrices of a width may lose, for values of a size."""
    return 4 * net.num_layers * (net.hidden_channels + 4) * EPS * size


NETWORKS = [
    lambda: SoGCN(),
    lambda: SoGCN(2, 5, 3, num_layers=3, head="linear"),
    lambda: SoGCN(2, 5, 3, num_layers=4, embedding="none", residual=False, batch_norm=False),
    lambda: VanillaGCN(1, 6, 2, num_layers=5),
    lambda: VanillaGCN(1, 6, 2, num_layers=5, operator="mean", self_loop=False),
    lambda: GIN(2, 6, 1, num_layers=5, operator="sum"),
    lambda: KOrderGCN(1, 4, 1, num_layers=3, K=4, bias=False),
    lambda: KOrderGCN(1, 4, 1, num_layers=3, K=0),
]


@pytest.mark.parametrize("make", NETWORKS)
def test_values_and_fractions_agree(make):
    torch.manual_seed(1)
    net = worn(make())
    by_values, exact = polynomial(net), polynomial(net, exact=True)
    for one, other in (
        (by_values.chebyshev, exact.chebyshev),
        (by_values.offset, exact.offset),
    ):
        full = np.zeros_like(one)
        full[: len(other)] = other
        # partial products may be larger than the whole: by the size of both parts together
        size = np.abs(exact.chebyshev).sum() + np.abs(exact.offset).sum()
        assert np.abs(one - full).max() <= tolerance(net, size)
    assert by_values.operator == net.operator


@pytest.mark.parametrize("make", NETWORKS)
def test_it_is_what_the_network_does(make):
    torch.manual_seed(2)
    net = worn(make()).eval()
    found = polynomial(net)
    graph = pf.Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 0), (0, 2), (3, 4)], num_nodes=6)
    W = graph.adjacency.toarray()
    degree = np.maximum(W.sum(axis=1), 1)
    A = {
        "symmetric": W / np.sqrt(np.outer(degree, degree)),
        "mean": W / degree[:, None],
        "sum": W / 8,  # of a weighted graph, so that its spectrum is in [-1, 1]
    }[net.operator]
    lam, U = np.linalg.eig(A)
    x = np.random.default_rng(0).standard_normal((6, net.in_channels))
    rows, columns = W.nonzero()
    edges = torch.from_numpy(np.stack((rows, columns)))
    weight = torch.full((len(rows),), 1 / 8, dtype=torch.float64) if net.operator == "sum" else None
    y = net(torch.from_numpy(x), edges, edge_weight=weight).detach().numpy()
    P = found(lam.real)
    spectral, ones = np.linalg.solve(U, x), np.linalg.solve(U, np.ones(6))
    beta = np.polynomial.chebyshev.chebval(lam.real, found.offset).T
    truth = (U @ (np.einsum("ni,nio->no", spectral, P) + ones[:, None] * beta)).real
    size = np.abs(P).max() + np.abs(beta).max()
    bound = np.linalg.cond(U) * 6 * tolerance(net, size) * max(1.0, np.abs(x).max())
    assert np.abs(y - truth).max() <= bound


@settings(deadline=None)
@given(st.integers(1, 3), st.integers(0, 4), st.floats(-1, 1, width=32))
def test_shifts_change_nothing(channels, K, shift):
    plain = KOrderConv(channels, 2, K, bias=False).double()
    moved = KOrderConv(channels, 2, K, bias=False, shift=shift).double()
    moved.load_state_dict({**plain.state_dict(), "shift": moved.shift})
    about = polynomial(moved, exact=True)
    lam = np.linspace(-1, 1, 9)
    size = float(plain.weight.detach().abs().sum()) * 2**K
    wanted = polynomial(plain)(lam - shift)  # Chebyshev series beyond [-1, 1] grow like 4^K
    assert np.abs(about(lam) - wanted).max() <= 16 * (K + 1) * EPS * size * 4**K


def test_vanilla_is_a_multiple_of_its_power_and_gin_has_real_roots_exactly():
    from flint import fmpq_poly

    strict = {"embedding": "none", "bias": False, "batch_norm": False, "residual": False}
    vanilla = polynomial(VanillaGCN(1, 8, 1, num_layers=7, **strict), exact=True).exact[0, 0]
    power = fmpq_poly([1, 1]) ** 7
    assert vanilla % power == 0
    gin = polynomial(GIN(1, 1, 1, num_layers=6, **strict), exact=True).exact[0, 0]
    assert all(root.imag == 0 for root, _ in gin.numer().complex_roots())


def test_a_gin_layer_is_taken_exactly():
    layer = GINConv(1, 1, bias=False)
    with torch.no_grad():
        layer.epsilon.fill_(1 / 3)
        layer.weight.fill_(1 / 3)
    theta, epsilon = layer.weight.item(), layer.epsilon.item()
    found = polynomial(layer, exact=True).filter().exact
    from fractions import Fraction

    assert found == ((1 + Fraction(epsilon)) * Fraction(theta), Fraction(theta))


def test_the_original_is_left_alone():
    net = SoGCN()
    before = {name: value.clone() for name, value in net.state_dict().items()}
    polynomial(net)
    assert net.training
    assert all(p.requires_grad and p.grad is None for p in net.parameters())
    assert all(torch.equal(before[name], value) for name, value in net.state_dict().items())


def test_it_prints_and_bounds_its_offset():
    layer = SoGConv(1, 1)
    with torch.no_grad():
        layer.bias.fill_(0.5)
    found = polynomial(layer)
    assert found.offset_bound == pytest.approx(0.5, rel=4 * EPS)
    assert repr(found) == "NetworkPolynomial(degree 2, 1 channel to 1, and an offset of up to 0.5)"
    assert "exact" in repr(polynomial(layer, exact=True))


REFUSED = [
    (lambda: SoGCN(activation="relu"), "layer 1 is followed by ReLU"),
    (lambda: SoGCN(gru=True), "gated by a GRU"),
    (lambda: SoGCN(readout="mean"), "reads out graphs"),
    (lambda: SoGCN(head="mlp"), "the head is a Sequential"),
    (lambda: SoGCN(embedding=torch.nn.Identity()), "the embedding is a Identity"),
    (lambda: KOrderGCN(bonds=(3,)), "layer 1, BondConv"),
    (lambda: GRU(3), "a GRU does not say which polynomial"),
    (lambda: torch.nn.Linear(1, 1), "a Linear does not say which polynomial"),
]


@pytest.mark.parametrize(("make", "sentence"), REFUSED)
def test_refused_with_a_way_out(make, sentence):
    with pytest.raises(FilterError, match=sentence) as caught:
        polynomial(make())
    assert "gcn.probe.response(net, graph)" in str(caught.value)
