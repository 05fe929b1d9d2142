"""Theorem 1, at scale, and against higher orders: verdicts, other truths, broken mathematics."""

from dataclasses import replace
from functools import cache

import networkx as nx
import numpy as np
import pytest
from flint import arb, ctx, fmpq_poly
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import graph_sets, graphs

import polyfilter as pf
from polyfilter.claim import ClaimError, Setting, Verdict
from polyfilter.claims import (
    _orders,
    _powers,
    _ranks,
    _rounding,
    higher_orders,
    theorem_1,
    theorem_1_at_scale,
)
from polyfilter.enclosure import ball_layers

CLAIMS = {theorem_1: 6, theorem_1_at_scale: 7, higher_orders: 12}


@cache
def outcome_of(module, seed=0):
    """The outcome of a claim, computed once for all tests that look at it."""
    return module.CLAIM.check(Setting(seed))


# ------------------------------------------------------------------------------------- verdicts


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("module", CLAIMS, ids=lambda module: module.CLAIM.name)
def test_verdict(module, seed):
    outcome = outcome_of(module, seed)
    assert outcome.verdict is Verdict.CORRECTED
    assert module.CLAIM.number == CLAIMS[module]
    assert module.__name__.endswith(f".{module.CLAIM.name}")


@pytest.mark.parametrize("module", CLAIMS, ids=lambda module: module.CLAIM.name)
def test_another_seed_is_other_evidence(module):
    first, second = outcome_of(module, 0), outcome_of(module, 1)
    assert first.tables[0].rows != second.tables[0].rows


def test_only_a_graph_without_edges_breaks_theorem_1():
    outcome = outcome_of(theorem_1, 0)
    assert [finding.holds for finding in outcome.printed] == [True, False]
    assert outcome.drawings[0].graph.num_nodes == 1


def test_smallest_counterexamples_of_higher_orders():
    order, sparse, steady = (drawing.graph for drawing in outcome_of(higher_orders, 0).drawings)
    assert pf.spectrum_capacity(order, "algebraic").value == 7
    assert (sparse.num_nodes, sparse.num_edges) == (3, 1)
    assert (steady.num_nodes, steady.num_edges) == (2, 1)


@pytest.mark.parametrize("module", [theorem_1, higher_orders], ids=lambda m: m.CLAIM.name)
def test_real_graphs(module, data_folder):
    assert module.CLAIM.check(Setting(0, data=data_folder)).verdict is Verdict.CORRECTED


# -------------------------------------------------------------------------- truths from elsewhere


@given(graph_sets(max_graphs=3, max_nodes=6, weighted=False))
@settings(max_examples=20)
def test_ranks_are_those_of_random_jacobians(family):
    gamma = pf.spectrum_capacity(family, "algebraic").value
    lam = pf.spectrum(family).values
    rng = np.random.default_rng(0)
    for found in _ranks.depth_ranks(family, gamma, max(1, theorem_1.asked(gamma)), rng):
        theta = rng.standard_normal((found.depth, 3))
        values = theta @ np.vander(lam, 3, increasing=True).T
        tangents = [
            lam**j * np.prod(np.delete(values, k, axis=0), axis=0)
            for k in range(found.depth)
            for j in range(3)
        ]
        assert found.rank == min(2 * found.depth + 1, gamma)
        if gamma <= 5:  # more eigenvalues may lie too close for floats
            assert np.linalg.matrix_rank(np.array(tangents), tol=1e-9) <= found.rank


@given(graphs(max_nodes=7, weighted=False))
def test_eigenvalues_of_modulus_one(graph):
    lam = np.linalg.eigvalsh(graph.normalized_adjacency().toarray())
    assert _powers.lasting(graph) == np.count_nonzero(np.abs(lam) > 1 - 1e-9)
    assert _powers.lasting(graph) == _powers.lasting_exactly(graph)
    network = nx.from_scipy_sparse_array(graph.adjacency)
    parts = [network.subgraph(c) for c in nx.connected_components(network) if len(c) > 1]
    assert _powers.lasting(graph) == len(parts) + sum(nx.is_bipartite(part) for part in parts)


def test_products_of_layers_have_no_more_pairs_than_they_can():
    rng = np.random.default_rng(0)
    for order in (3, 5):
        for depth in (1, 2, 3):
            h = np.polynomial.Polynomial([1.0])
            for _ in range(depth):
                h = h * np.polynomial.Polynomial(rng.standard_normal(order + 1))
            pairs = np.count_nonzero(h.roots().imag > 1e-9)
            assert _orders.fits(h.degree() - 2 * pairs, pairs, order, depth)


def test_algorithm_1_is_a_polynomial_of_a():
    graph = pf.Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)])
    A = graph.normalized_adjacency()
    theta, x = np.array([1.0, -2.0, 0.5, 3.0]), np.arange(4.0)
    hop = _orders.CountingHop(A)
    wanted = pf.filter_dense(graph, np.polynomial.Polynomial(theta), x)
    np.testing.assert_allclose(_orders.algorithm_1(theta, hop, x), wanted, atol=1e-14)
    assert hop.multiply_adds == 3 * A.nnz


@given(st.integers(0, 10_000))
@settings(max_examples=30)
def test_rounding_stays_below_its_bound(seed):
    rng = np.random.default_rng(seed)
    graph = pf.Graph.from_edges(np.argwhere(np.triu(rng.random((20, 20)) < 0.3, 1)), num_nodes=20)
    theta = rng.standard_normal((4, 3))
    h = np.polynomial.Polynomial([1.0])
    for row in theta:
        h = h * np.polynomial.Polynomial(row)
    stack = pf.SoGCStack(theta, pf.as_filter(h, trim=0.0))
    x = rng.standard_normal(20).astype(np.float32)
    off = np.linalg.norm(stack.apply(graph, x) - pf.filter_dense(graph, h, x))
    width = int(np.diff(graph.adjacency.indptr).max())
    factor = _rounding.rounding_factor(theta, pf.spectrum(graph).values, width)
    assert off <= 2.0**-24 * factor * np.linalg.norm(x)


def test_edges_as_the_paper_counts_them():
    family = theorem_1_at_scale.training_set(np.random.default_rng(0))
    directed = np.array([graph.adjacency.nnz for graph in family])
    inside = np.mean((directed >= 80) & (directed <= 350))
    assert theorem_1_at_scale.seen(family, 2) == pytest.approx(inside)
    assert inside > 0.99 > 0.8 > theorem_1_at_scale.seen(family, 1)


# ---------------------------------------------------------------- mathematics broken on purpose


def test_theorem_1_notices_a_dropped_layer(monkeypatch):
    def short(h, bits):
        layers = ball_layers(h, bits)
        return layers[:-1] if len(layers) > 1 else layers

    monkeypatch.setattr(theorem_1, "ball_layers", short)
    with pytest.raises(ClaimError):
        theorem_1.check(Setting(0))


def test_theorem_1_notices_a_weight_off_by_a_hair(monkeypatch):
    def off(h, bits):
        first, *rest = ball_layers(h, bits)
        with ctx.workprec(bits):
            return (first[0] + arb(2) ** -90, *first[1:]), *rest

    monkeypatch.setattr(theorem_1, "ball_layers", off)
    assert not theorem_1.prove(
        pf.GraphSet([pf.Graph.from_edges([(0, 1)])]), lambda bits: fmpq_poly([1, 3])
    ).equal
    with pytest.raises(ClaimError):
        theorem_1.check(Setting(0))


def test_theorem_1_notices_a_depth_that_is_too_small(monkeypatch):
    monkeypatch.setattr(theorem_1, "asked", lambda gamma: (gamma - 1) // 2)
    with pytest.raises(ClaimError):
        theorem_1.check(Setting(0))


def test_theorem_1_notices_a_coarse_count(monkeypatch):
    def count(graphs, method="modular"):
        merged = len(pf.spectrum(graphs, tolerance=0.05))
        return replace(pf.spectrum_capacity(graphs, method), value=merged)

    monkeypatch.setattr(theorem_1, "spectrum_capacity", count)
    with pytest.raises(ClaimError):
        theorem_1.check(Setting(0))


def test_scale_notices_a_dropped_layer(monkeypatch):
    monkeypatch.setattr(theorem_1_at_scale, "GRAPHS", 30)
    assert theorem_1_at_scale.check(Setting(0)).printed[0].holds

    def short(h):
        stack = pf.factorize(h)
        return replace(stack, theta=stack.theta[:-1])

    monkeypatch.setattr(theorem_1_at_scale, "factorize", short)
    with pytest.raises(ClaimError):
        theorem_1_at_scale.check(Setting(0))


def test_scale_notices_the_wrong_filter(monkeypatch):
    monkeypatch.setattr(theorem_1_at_scale, "GRAPHS", 30)

    def other(h):
        stack = pf.factorize(h)
        moved = pf.as_filter(np.polynomial.Chebyshev(stack.filter.chebyshev + 1e-9))
        return replace(stack, filter=moved)

    monkeypatch.setattr(theorem_1_at_scale, "factorize", other)
    with pytest.raises(ClaimError):
        theorem_1_at_scale.check(Setting(0))


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("fits", lambda r, c, K, M: r + 2 * c <= K * M),  # forgets that pairs stay together
        ("lasting", lambda graph: len(graph.components())),  # forgets bipartite graphs
        ("reduces", lambda rng, order, depth: False),
        ("zero_leading", lambda h: 2),
        ("work", lambda graph, order, degree, channels: (order * degree, order**2)),
        ("exact_ranks", lambda graph, highest: list(range(highest))),
        ("seen_ranks", lambda graph, chebyshev=False: [1, 2, 3, 4, 5, 6, 7]),
        ("complete_depth", lambda order, degree: -(-degree // order)),
    ],
)
def test_higher_orders_notices(monkeypatch, name, wrong):
    monkeypatch.setattr(higher_orders, name, wrong)
    if name == "fits":  # the counterexample itself would vanish
        monkeypatch.setattr(higher_orders, "weaker", lambda: (3, 2))
    with pytest.raises(ClaimError):
        higher_orders.check(Setting(0))


def test_zeros_are_counted_exactly():
    h = fmpq_poly([1, 0, 1]) * fmpq_poly([4, 0, 1])
    assert _orders.zero_coefficients(h) == 2
    with pytest.raises(ClaimError, match="not rational"):
        _orders.zero_coefficients(fmpq_poly([-2, 0, 0, 1]))
