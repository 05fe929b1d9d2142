"""Networks of first order that are a filter, on graphs and against the dense truth."""

import numpy as np
import pytest
import torch

import polyfilter as pf
from gcn.bridge import realise
from gcn.layers import FirstOrderConv, GINConv, KOrderConv, SoGConv, VanillaConv
from polyfilter.errors import FilterError

LAYERS = {
    "first-order": FirstOrderConv,
    "vanilla+residual": VanillaConv,
    "gin": GINConv,
    "sogc": SoGConv,
    "k-order:3": KOrderConv,
}


def random_graph(nodes: int, seed: int) -> pf.Graph:
    rng = np.random.default_rng(seed)
    pairs = np.argwhere(np.triu(rng.random((nodes, nodes)) < 0.4, 1))
    return pf.Graph.from_edges(pairs, num_nodes=nodes)


def edges_of(graph: pf.Graph) -> torch.Tensor:
    W = graph.adjacency.tocoo()
    return torch.from_numpy(np.stack((W.row, W.col)).astype(np.int64))


def on_graph(found, graph: pf.Graph, h) -> float:
    """Return the largest error on a graph, relative to the filter's largest value there."""
    U = pf.spectrum(graph)
    x = np.random.default_rng(1).standard_normal(graph.num_nodes)
    with torch.no_grad():
        y = found.network(torch.from_numpy(x)[:, None], edges_of(graph)).numpy()[:, 0]
    off = np.linalg.norm(y - pf.filter_dense(graph, h, x)) / np.linalg.norm(x)
    return float(off / np.abs(h(U.values)).max())


@pytest.mark.parametrize("name", LAYERS)
@pytest.mark.parametrize("bits", [53, 160])
@pytest.mark.parametrize("nodes", [6, 10, 14])
def test_a_network_is_the_filter_as_well_as_it_says(name, bits, nodes):
    graph = random_graph(nodes, seed=nodes)
    h = pf.responses.band_pass
    found = realise(name, h, graph, bits=bits)
    assert isinstance(next(iter(found.network.blocks)).conv, LAYERS[name])
    # the two matrices round differently: errors are alike in size, of n eigenvalues each
    assert on_graph(found, graph, h) <= nodes * (found.error + nodes * np.finfo(float).eps)
    assert found.error < 1e-3  # and on so few eigenvalues float64 is good for some digits


@pytest.mark.parametrize("name", ["first-order", "vanilla+residual", "sogc"])
@pytest.mark.parametrize("response", ["high_pass", "low_pass", "band_pass"])
def test_the_filters_of_table_2_are_in_reach_on_all_graphs(name, response):
    h = pf.design.interpolate(getattr(pf.responses, response), 32)
    found = realise(name, h, 101)
    assert found.network.num_layers <= (16 if name == "sogc" else 32)
    assert found.error < 1e-12
    graph = random_graph(40, seed=3)
    assert on_graph(found, graph, h) < 40 * 1e-12


def test_the_gin_lift_says_when_float64_is_not_enough():
    # of numbers that are what they are: those of a graph are not floats, and no bits make up for it
    values = pf.spectrum(random_graph(30, seed=7)).values
    found = realise("gin", pf.responses.band_pass, values, bits=256)
    assert found.realisation.error < 1e-6  # with enough bits it is the filter
    assert found.error > 0.1  # and in float64 it is not
    assert "error" in repr(found)


def test_float32_says_what_it_loses():
    single, double = (
        realise("first-order", [1, 0, 1, 0, 2], 9, dtype=dtype)
        for dtype in (torch.float32, torch.float64)
    )
    assert next(single.network.parameters()).dtype == torch.float32
    assert double.error < 1e-14 < single.error < 1e-5


def test_long_spectra_are_thinned_out():
    found = realise("first-order", [1, 0, 1], np.linspace(-1, 1, 2000))
    assert found.error < 1e-13


def test_refused():
    with pytest.raises(FilterError, match="no gin network of depth 2 is this filter"):
        realise("gin", [1, 0, 1], [-1.0, 0.0, 1.0], depth=2)
    with pytest.raises(FilterError, match="layer 2 of this network is a number and no hop"):
        realise("gin", [0, 1], [-1.0, 0.0, 1.0], depth=2)
    with pytest.raises(FilterError, match="there is no network of appnp layers here"):
        realise("appnp", [1, 1], 5)
    with pytest.raises(FilterError, match="no architecture is called 'transformer'"):
        realise("transformer", [1, 1], 5)
