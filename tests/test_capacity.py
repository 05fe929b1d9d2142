"""Spectrum capacity against known spectra, exact rational arithmetic, and its own three methods."""

from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from fractions import Fraction

import networkx as nx
import numpy as np
import pytest
import sympy
from hypothesis import example, given, settings
from hypothesis import strategies as st
from strategies import graph_sets, graphs

from polyfilter.capacity import _capacity, spectrum_capacity
from polyfilter.errors import CapacityError
from polyfilter.graphs import Graph, GraphSet

METHODS = ("modular", "algebraic", "float")

# graph, number of distinct eigenvalues of its normalized adjacency
KNOWN = {
    "one node": (nx.empty_graph(1), 1),
    "no edges": (nx.empty_graph(7), 1),
    "complete": (nx.complete_graph(9), 2),
    "star": (nx.star_graph(8), 3),
    "complete bipartite": (nx.complete_bipartite_graph(3, 5), 3),
    "complete tripartite": (nx.complete_multipartite_graph(2, 2, 2), 3),
    "odd cycle": (nx.cycle_graph(11), 6),
    "even cycle": (nx.cycle_graph(12), 7),
    "path": (nx.path_graph(13), 13),
    "hypercube": (nx.hypercube_graph(5), 6),
    "Petersen": (nx.petersen_graph(), 3),
    "Paley": (nx.Graph(nx.paley_graph(13)), 3),
    "rook": (nx.line_graph(nx.complete_bipartite_graph(4, 4)), 3),
    "icosahedron": (nx.icosahedral_graph(), 4),
    "Heawood": (nx.heawood_graph(), 4),
    "edge and isolated nodes": (nx.disjoint_union(nx.path_graph(2), nx.empty_graph(2)), 3),
}


def exact_capacity(members):
    """Return Γ by sympy: the degree of the lcm of characteristic polynomials over the rationals."""
    x = sympy.Symbol("x")
    total = sympy.Poly(1, x, domain="QQ")
    for graph in members:
        W = [[Fraction(float(w)) for w in row] for row in graph.adjacency.toarray()]
        rows = [[w / (sum(row) or 1) for w in row] for row in W]
        B = sympy.Matrix([[sympy.Rational(w.numerator, w.denominator) for w in r] for r in rows])
        total = sympy.lcm(total, sympy.Poly(B.charpoly(x).as_expr(), x, domain="QQ").sqf_part())
    return total.degree()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("graph", "gamma"), KNOWN.values(), ids=KNOWN)
def test_known_spectra(graph, gamma, method):
    result = spectrum_capacity(Graph.from_networkx(graph), method)
    assert result.value == int(result) == gamma
    assert result.lower <= gamma <= result.upper


@settings(max_examples=60)
@given(graph_sets(max_graphs=3, max_nodes=5, self_loops=True))
@example(GraphSet([Graph.from_edges([(0, 1)], 2, [5e-324])]))
@example(GraphSet([Graph.from_edges([(0, 1), (1, 2)], 3, [1e300, 1e-300])]))
def test_exact_methods_agree_with_sympy(members):
    gamma = exact_capacity(members)
    assert spectrum_capacity(members, "algebraic").value == gamma
    assert spectrum_capacity(members).value == gamma


@settings(max_examples=100)
@given(graph_sets(max_graphs=4, max_nodes=12))
def test_modular_agrees_with_algebraic(members):
    modular, algebraic = spectrum_capacity(members), spectrum_capacity(members, "algebraic")
    assert modular.value == algebraic.value
    assert modular.value <= modular.upper
    assert algebraic.proven
    assert algebraic.value == sum(len(factor) - 1 for factor in algebraic.factors)


@settings(max_examples=100)
@given(graph_sets(max_graphs=3, max_nodes=9, weighted=False))
def test_float_agrees_where_the_gaps_are_wide(members):
    result = spectrum_capacity(members, "float")
    if result.gaps.above > 1e-6:  # then even the crudest tolerance error could not join two
        assert result.value == spectrum_capacity(members).value
        eigenvalues = np.sort(
            np.concatenate(
                [np.linalg.eigvalsh(g.normalized_adjacency().toarray()) for g in members]
            )
        )
        assert result.value == 1 + np.count_nonzero(np.diff(eigenvalues) > 1e-7)


@settings(max_examples=50)
@given(graph_sets(max_graphs=3), graph_sets(max_graphs=3))
def test_capacity_of_a_union(one, other):
    a, b = spectrum_capacity(one).value, spectrum_capacity(other).value
    both = spectrum_capacity(GraphSet([*one, *other])).value
    assert max(a, b) <= both <= a + b
    factors = [spectrum_capacity(s, "algebraic").factors for s in (one, other)]
    assert both == sum(len(factor) - 1 for factor in factors[0] | factors[1])


@settings(max_examples=50)
@given(graph_sets(max_graphs=3), st.data())
def test_copies_and_disjoint_unions_change_nothing(members, data):
    gamma = spectrum_capacity(members)
    chosen = data.draw(st.sampled_from(list(members)))
    copy = chosen.permute(data.draw(st.permutations(range(chosen.num_nodes))))
    together = nx.disjoint_union(chosen.to_networkx(), members[0].to_networkx())
    more = GraphSet([*members, copy, Graph.from_networkx(together)])
    assert spectrum_capacity(more).value == gamma.value


@settings(max_examples=50)
@given(graphs(weighted=True), st.integers(-40, 40))
def test_scaling_the_weights_changes_nothing(graph, exponent):
    scaled = Graph.from_scipy(graph.adjacency * 2.0**exponent)
    assert spectrum_capacity(GraphSet([graph, scaled])).value == spectrum_capacity(graph).value


def test_atlas_against_factors_of_networkx_graphs():
    members = GraphSet([Graph.from_networkx(g) for g in nx.graph_atlas_g()[209:320:5]])
    assert {member.num_nodes for member in members} == {7}
    assert spectrum_capacity(members).value == spectrum_capacity(members, "algebraic").value
    for member in members[:6]:
        assert spectrum_capacity(member).value == exact_capacity([member])


def looped_edge(weight):
    """Return an edge with loops, which has the eigenvalues 1 and (weight - 1) / (weight + 1)."""
    return Graph.from_edges([(0, 1), (0, 0), (1, 1)], weights=[1, weight, weight], self_loops=True)


@pytest.mark.parametrize("position", [0, 1])
def test_a_prime_that_joins_two_eigenvalues_is_caught(position):
    bad, good = 10_007, 2**31 - 1
    # 1 and 1/3; 1 and what is 1/3 modulo 10007; 1, 1/3 and -2/3
    petersen = Graph.from_networkx(nx.petersen_graph())
    members = GraphSet([looped_edge(2), looped_edge(2 + bad), petersen])
    primes = [bad, good] if position == 0 else [good, bad]
    result = _capacity(members, "modular", None, 0, False, primes=primes)
    assert result.value == exact_capacity(members) == 4
    assert result.unlucky == (bad,)
    assert good in result.primes
    assert len(result.primes) >= 2


@pytest.mark.parametrize("bad", [2, 3, 2**31 + 11])  # too small, divides a degree, too large
def test_a_prime_that_can_not_be_used_is_replaced(bad):
    result = _capacity(looped_edge(2), "modular", None, 0, False, primes=[bad])
    assert (result.value, result.unlucky) == (2, (bad,))


def test_a_proof_needs_one_prime_where_bounds_meet():
    result = spectrum_capacity(Graph.from_networkx(nx.path_graph(1500)))
    assert result.value == result.upper == 1500
    assert result.proven
    assert len(result.primes) == 1
    assert "Γ = 1500 is proven" in result.proof


def test_the_proof_says_what_is_left():
    result = spectrum_capacity(Graph.from_networkx(nx.petersen_graph()))
    assert not result.proven
    assert "Γ ≥ 3 is proven" in result.proof
    assert "chance" in result.proof
    assert all(str(p) in result.proof for p in result.primes)
    assert len(set(result.primes)) == 2
    assert "no proof" in spectrum_capacity(Graph.from_edges([(0, 1)]), "float").proof


@pytest.mark.parametrize("method", ["modular", "algebraic"])
@pytest.mark.parametrize("pool", [ThreadPoolExecutor, ProcessPoolExecutor])
def test_any_executor(method, pool):
    rng = np.random.default_rng(7)
    members = GraphSet(
        [Graph.from_networkx(nx.gnp_random_graph(15, 0.2, seed=rng)) for _ in range(12)]
    )
    with pool(2) as executor:
        parallel = spectrum_capacity(members, method, executor)
    assert parallel.value == spectrum_capacity(members, method).value


def test_a_seed_makes_a_run_repeatable():
    graph = Graph.from_networkx(nx.petersen_graph())
    assert spectrum_capacity(graph, seed=3) == spectrum_capacity(graph, seed=3)
    assert spectrum_capacity(graph, seed=3).primes != spectrum_capacity(graph, seed=4).primes


def test_floats_that_can_not_tell():
    near = GraphSet([looped_edge(2), looped_edge(2 + 2**-51)])
    assert spectrum_capacity(near).value == 3
    result = spectrum_capacity(near, "float")
    assert result.value == 2
    assert 0 < result.gaps.below < result.gaps.tolerance < result.gaps.above


def test_molecules(data_folder):
    with np.load(data_folder / "zinc12k" / "zinc12k.npz") as data:
        members = GraphSet.from_edges(
            data["val_edges"].astype(int),
            num_edges=data["val_num_edges"].astype(int),
            num_nodes=data["val_num_nodes"].astype(int),
        )[:150]
    result = spectrum_capacity(members)
    assert result.value == spectrum_capacity(members, "algebraic").value


def test_printing():
    result = spectrum_capacity(Graph.from_networkx(nx.cycle_graph(8)), "float")
    assert repr(result).startswith("SpectrumCapacity Γ = 5\n")
    assert "1e-14" in repr(result)
    assert "Γ = 5" in result._repr_html_()
    assert "<th>1e-04</th>" in result._repr_html_()


def test_mistakes_get_one_clear_sentence():
    edge = Graph.from_edges([(0, 1)])
    with pytest.raises(CapacityError, match="no method 'exact'; choose 'modular'"):
        spectrum_capacity(edge, "exact")
    with pytest.raises(CapacityError, match="not 3"):
        spectrum_capacity(3)
    strip = Graph.from_networkx(nx.circulant_graph(8200, [1, 2]))  # no twins in it
    with pytest.raises(CapacityError, match=r"8200 nodes .* use method 'modular'"):
        spectrum_capacity(strip, "algebraic")
