"""Lanczos's algorithm on a batch, and the layer on top of it, against dense eigenvectors."""

import pytest
import torch
from dense_truth import Arcs, of_graph, random_graph, signal
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import graphs
from torch import Tensor
from zoo_cases import TASKS, case_of, small

from gcn.propagate import prepare
from gcn.zoo.lanczos import LONG, SHORT, LanczosConv, ritz, ritz_pairs
from gcn.zoo.wired import Wiring, wired
from polyfilter.errors import GraphError
from polyfilter.graphs import Graph

TOLERANCE = 2**-30
"""A rest of norm √eps = 2⁻²⁶ is dropped as rounding; it enters filters twice."""


def batch(case: Arcs) -> Wiring:
    return wired(prepare(case.index, case.num_nodes, case.weight, dtype=torch.float64))


def applied(values: Tensor, V: Tensor, graph: Tensor, power: int) -> Tensor:
    """Return V R^p Vᵀ as one matrix over the batch."""
    same = graph[:, None] == graph
    return torch.einsum("nk,mk,nk->nm", V, V, values[graph] ** power) * same


@given(graph=graphs(max_nodes=7), seed=st.integers(0, 99))
@settings(max_examples=30)
def test_with_enough_steps_it_is_exact_on_its_start(graph: Graph, seed: int) -> None:
    """On the Krylov space of the start, powers of the small matrix are powers of A."""
    case = of_graph(graph)
    n = case.num_nodes
    A, start = case.matrix(), signal(n, 1, seed)[:, 0]
    zeros = torch.zeros(n, dtype=torch.int64)
    values, V = ritz(batch(case).prepared, start, zeros, K=n + 2)
    for power in (0, 1, 2, 5):
        truth = torch.linalg.matrix_power(A, power) @ start
        found = applied(values, V, zeros, power) @ start
        assert (found - truth).abs().max() <= 2**-20 * start.norm()


def test_graphs_of_a_batch_are_their_own() -> None:
    case = case_of(TASKS["zinc"])
    A = prepare(case.edge_index, 9, dtype=torch.float64)
    start = signal(9, 1)[:, 0]
    values, V = ritz(A, start, case.graph, K=6)
    dense = Arcs(case.edge_index, 9).matrix()
    for graph in range(3):
        nodes = (case.graph == graph).nonzero()[:, 0]
        block = dense[nodes][:, nodes]
        spectrum = torch.linalg.eigvalsh(block)
        # eigenvalues are simple here, so that a generic start sees all of them; the rest is 0
        assert torch.allclose(
            torch.sort(values[graph].abs()).values[-len(nodes) :],
            torch.sort(spectrum.abs()).values,
            atol=TOLERANCE,
        )
        here = V[nodes]
        assert torch.allclose(here * values[graph] @ here.T, block, atol=TOLERANCE)


def test_the_layer_is_its_filters_on_the_spectrum() -> None:
    case = random_graph(8, 0.5)
    wiring, x = batch(case), signal(8, 3)
    wiring = Wiring(wiring.prepared, wiring.edge_index, shared=ritz_pairs(wiring, x))
    layer = LanczosConv(3, 2).double()
    values, U = torch.linalg.eigh(case.matrix())
    assert values.diff().min() > 1e-3  # all simple: ten steps reach all of the spectrum
    response = layer.response(torch.stack([values**power for power in LONG], dim=1))
    signals = [x, *(U @ (values[:, None] ** s * (U.T @ x)) for s in SHORT)]
    far = [U @ (response[:, m, None] * (U.T @ x)) for m in range(len(LONG))]
    truth = torch.cat(signals, dim=1) @ layer.near.weight.T + layer.near.bias
    truth = truth + torch.cat(far, dim=1) @ layer.far.weight.T
    assert (layer(x, wiring) - truth).abs().max() <= TOLERANCE * (1 + truth.abs().max())


def test_a_start_of_zeros_begins_with_ones() -> None:
    wiring = batch(random_graph(6, 0.6))
    graph = torch.zeros(6, dtype=torch.int64)
    zeros, ones = torch.zeros(6, dtype=torch.float64), torch.ones(6, dtype=torch.float64)
    for found, truth in zip(
        ritz(wiring.prepared, zeros, graph, 3), ritz(wiring.prepared, ones, graph, 3), strict=True
    ):
        assert torch.equal(found, truth)


def test_vectors_are_made_once_and_for_symmetric_matrices() -> None:
    net = small("lanczosnet", TASKS["mnist"]).eval()
    case, calls = case_of(TASKS["mnist"]), []
    net.share = lambda wiring, h: calls.append(1) or ritz_pairs(wiring, h)
    case.answer(net, "symmetric")
    assert len(calls) == 1
    with pytest.raises(GraphError, match="needs a symmetric A"):
        ritz_pairs(wired(prepare(case.edge_index, 9, operator="mean")), torch.ones(9, 1))
