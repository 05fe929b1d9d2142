"""The algebra claims: verdicts, truths from elsewhere, and mathematics broken on purpose."""

from dataclasses import replace
from functools import cache, reduce
from itertools import combinations
from operator import mul

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import graphs

from polyfilter.capacity import spectrum_capacity
from polyfilter.claim import ClaimError, Setting, Verdict
from polyfilter.claims import (
    _common,
    _rational,
    _remarks,
    appendix_b,
    definition_1,
    definition_2,
    lemma_1,
    lemma_2,
    proof_steps,
)
from polyfilter.graphs import Graph, GraphSet

CLAIMS = {
    definition_1: (1, Verdict.HOLDS),
    definition_2: (2, Verdict.CORRECTED),
    lemma_1: (3, Verdict.HOLDS),
    appendix_b: (4, Verdict.CORRECTED),
    lemma_2: (5, Verdict.CORRECTED),
    proof_steps: (13, Verdict.CORRECTED),
}


@cache
def outcome_of(module, seed=0):
    """The outcome of a claim, computed once for all tests that look at it."""
    return module.CLAIM.check(Setting(seed))


def floats(graph):
    """Eigenvalues by LAPACK."""
    return np.linalg.eigvalsh(graph.normalized_adjacency().toarray())


# ------------------------------------------------------------------------------------- verdicts


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("module", CLAIMS, ids=lambda module: module.CLAIM.name)
def test_verdict(module, seed):
    number, verdict = CLAIMS[module]
    outcome = outcome_of(module, seed)
    assert outcome.verdict is verdict
    assert module.CLAIM.number == number
    assert module.__name__.endswith(module.CLAIM.name)
    assert all(finding.because for finding in (*outcome.printed, *outcome.repaired))


@pytest.mark.parametrize("module", CLAIMS, ids=lambda module: module.CLAIM.name)
def test_evidence_moves_with_the_seed_and_stays_with_it(module):
    first, again, other = outcome_of(module), module.CLAIM.check(Setting()), outcome_of(module, 1)
    evidence = [
        [finding.because for finding in (*o.printed, *o.repaired, *o.instead)] + [o.tables]
        for o in (first, again, other)
    ]
    assert evidence[0] == evidence[1] != evidence[2]


@pytest.mark.parametrize("module", CLAIMS, ids=lambda module: module.CLAIM.name)
def test_real_graphs_are_used_where_there_are_some(module, data_folder):
    outcome = module.CLAIM.check(Setting(1, data=data_folder))
    assert outcome.verdict is CLAIMS[module][1]
    shown = " ".join(f.because for f in (*outcome.printed, *outcome.repaired))
    cells = [str(cell) for table in outcome.tables for row in table.rows for cell in row]
    assert "ZINC" in shown or any("molecules" in c for c in cells) or module is proof_steps


# ----------------------------------------------------------------------- truths from elsewhere


def test_small_graphs_are_the_atlas_of_networkx():
    atlas = [g for g in nx.graph_atlas_g() if 1 <= g.number_of_nodes() <= 6]
    ours = [g.to_networkx() for n in range(1, 7) for g in _common.small_graphs(n)]
    assert len(ours) == len(atlas)
    # as many as there are, and no two alike: so one of each
    for a, b in combinations(ours, 2):
        alike = sorted(d for _, d in a.degree) == sorted(d for _, d in b.degree)
        assert not (alike and nx.is_isomorphic(a, b))


@settings(max_examples=40)
@given(graphs(weighted=False))
def test_rational_twin_has_the_eigenvalues_of_the_normalized_adjacency(graph):
    B = _rational.rational_adjacency(graph)
    twin = np.array([[int(c.p) / int(c.q) for c in row] for row in B.tolist()])
    # B is not symmetric; its eigenvalues are as well conditioned as D^{1/2} is
    np.testing.assert_allclose(np.sort(np.linalg.eigvals(twin).real), floats(graph), atol=1e-6)
    assert _rational.minimal_polynomial([B]).degree() == spectrum_capacity(graph).value


@settings(max_examples=40)
@given(graphs(max_nodes=6, weighted=False), st.integers(0, 99))
def test_tau_is_the_inverse_of_making_a_filter(graph, seed):
    blocks = [_rational.rational_adjacency(graph)]
    gamma = _rational.minimal_polynomial(blocks).degree()
    h = _rational.random_polynomial(np.random.default_rng(seed), gamma - 1)
    assert lemma_2.tau(_rational.make(h, blocks), blocks, gamma - 1) == h


@settings(max_examples=30)
@given(st.lists(graphs(max_nodes=7, weighted=False), min_size=1, max_size=3))
def test_modular_ranks_are_the_exact_ones(members):
    family = GraphSet(members)
    degree = spectrum_capacity(family, "algebraic").value + 1
    exact = lemma_1.exact_dimensions(family, degree)
    modular = lemma_1.modular_dimensions(
        family, degree, np.random.default_rng(0), lemma_1.PRIMES[0]
    )
    assert modular == exact


def test_commutant_by_projections():
    for graph in _common.small_graphs(4):
        values = floats(graph).round(6)
        multiplicities = np.unique(values, return_counts=True)[1]
        dimension = definition_1.commutant_dimension(_rational.rational_adjacency(graph))
        assert dimension == int((multiplicities**2).sum())


def test_smallest_counterexamples():
    drawn = {m: [d.graph for d in outcome_of(m).drawings] for m in CLAIMS}
    told = {m: [_common.describe(graph) for graph in some] for m, some in drawn.items()}
    assert told[definition_1] == ["2 K_1", "K_3", "K_2 + K_1", "P_3"]
    assert told[definition_2] == ["K_1", "P_4", "(4 nodes, 5 edges)"]
    assert told[appendix_b] == ["K_2 + K_1"]
    assert told[lemma_2] == ["K_2"]
    assert told[proof_steps] == ["K_1", "K_2", "K_3", "K_1"]
    path, diamond = (floats(graph) for graph in drawn[definition_2][1:])
    np.testing.assert_allclose(path, [-1, -1 / 2, 1 / 2, 1], atol=1e-12)
    np.testing.assert_allclose(diamond, [-2 / 3, -1 / 3, 0, 1], atol=1e-12)


# -------------------------------------------------------- the mathematics, broken on purpose


def coarse(tolerance):
    """A capacity that takes eigenvalues for one if they are as close as the tolerance."""

    def counted(graphs_, method="modular"):
        true = spectrum_capacity(graphs_, method)
        members = [graphs_] if isinstance(graphs_, Graph) else graphs_
        values = np.sort(np.concatenate([floats(graph) for graph in members]))
        value = 1 + int((np.diff(values) > tolerance).sum())
        factors = frozenset(
            sorted(true.factors)[: max(1, len(true.factors) - (value < true.value))]
        )
        return replace(true, value=value, factors=factors)

    return counted


def off_by_an_entry(h, B):
    """A filter that adds to one entry, and so is no polynomial."""
    H = _rational.evaluate(h, B)
    H[0, B.nrows() - 1] += 1
    return H


def short(polynomials):
    """A minimal polynomial that lacks its last root."""
    m = _rational.minimal_polynomial(polynomials)
    return m if m.degree() < 2 else m // _rational.x if m[0] == 0 else m // (_rational.x - 1)


MUTATIONS = {
    "Γ with a coarse tolerance, lemma 1": (lemma_1, "spectrum_capacity", coarse(0.05)),
    "max for min": (lemma_1, "dimension", lambda K, gamma: max(K + 1, gamma)),
    "K for K + 1": (lemma_1, "dimension", lambda K, gamma: min(K, gamma)),
    "Γ - 1 for Γ": (lemma_1, "dimension", lambda K, gamma: min(K + 1, gamma - 1)),
    "a power is dropped": (
        lemma_1,
        "power_ranks",
        lambda blocks, degree: [1, *_rational.power_ranks(blocks, degree)[:-1]],
    ),
    "a filter that is no polynomial": (definition_1, "evaluate", off_by_an_entry),
    "all spectra taken as simple": (definition_1, "has_simple_spectrum", lambda graphs_: True),
    "shared eigenvalues counted twice": (
        definition_1,
        "minimal_polynomial",
        lambda blocks: reduce(mul, (B.minpoly() for B in blocks)),
    ),
    "sum of multiplicities, not squares": (
        definition_1,
        "sum_of_squares",
        lambda B: B.charpoly().degree(),
    ),
    "common eigenvectors counted short": (
        definition_1,
        "common_eigenvectors",
        lambda a, b: a.nrows() - 1,
    ),
    "Γ with a coarse tolerance, definition 2": (definition_2, "spectrum_capacity", coarse(0.3)),
    "1 counted in every graph": (
        definition_2,
        "corrected",
        lambda family: sum(member.distinct for member in family),
    ),
    "minimal polynomials multiplied": (
        definition_2,
        "least_common_multiple",
        lambda polynomials: reduce(mul, polynomials),
    ),
    "Γ with a coarse tolerance, appendix B": (appendix_b, "spectrum_capacity", coarse(0.3)),
    "composition the wrong way": (appendix_b, "compose", lambda f, g: f),
    "T without its last block": (
        appendix_b,
        "pi",
        lambda h, blocks: _rational.block_diagonal(
            [*_rational.make(h, blocks)[:-1], _rational.identity(blocks[-1].nrows())]
        ),
    ),
    "m without a root": (lemma_2, "minimal_polynomial", short),
    "composition for addition": (
        lemma_2,
        "compose",
        lambda f, g: [a + b for a, b in zip(f, g, strict=True)],
    ),
    "idempotents not reduced": (lemma_2, "idempotents", lambda m: [m + 1, m]),
    "no layer for constants": (
        proof_steps,
        "layers",
        lambda h: -(-proof_steps.real_factors(h)[0] // 2) + proof_steps.real_factors(h)[1],
    ),
    "a layer dropped": (proof_steps, "layers", lambda h: max(1, h.degree() // 2)),
    "relations found late": (proof_steps, "least_relation", lambda ranks: len(ranks)),
    "Γ with a coarse tolerance, remarks": (_remarks, "spectrum_capacity", coarse(0.3)),
    "padding that adds an edge": (
        _remarks,
        "padded",
        lambda graphs_: [*graphs_, Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)])],
    ),
}


@pytest.mark.parametrize("mutation", MUTATIONS)
def test_a_broken_check_changes_its_verdict_or_fails(mutation, monkeypatch):
    module, name, broken = MUTATIONS[mutation]
    claim = proof_steps if module is _remarks else module
    monkeypatch.setattr(module, name, broken)
    try:
        verdict = claim.CLAIM.check(Setting()).verdict
    except ClaimError:  # its own correction is not true any more: a failure and no verdict
        verdict = None
    assert verdict is not CLAIMS[claim][1]


def unlucky(times):
    """Ranks modulo primes that are one short of the truth the first few times."""
    calls = iter(range(times))
    true = lemma_1.modular_dimensions

    def ranks(*arguments):
        short_of = next(calls, None) is not None
        return [max(1, rank - short_of) for rank in true(*arguments)]

    return ranks


def test_unlucky_primes_are_no_verdict(monkeypatch):
    monkeypatch.setattr(lemma_1, "modular_dimensions", unlucky(len(lemma_1.PRIMES)))
    with pytest.raises(ClaimError, match="no prime shows"):
        lemma_1.CLAIM.check(Setting())


def test_an_unlucky_prime_is_followed_by_another(monkeypatch):
    monkeypatch.setattr(lemma_1, "modular_dimensions", unlucky(len(lemma_1.PRIMES) - 1))
    assert lemma_1.CLAIM.check(Setting()).verdict is Verdict.HOLDS
