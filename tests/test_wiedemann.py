"""Minimal polynomials modulo primes, against dense matrices and exact residues."""

from fractions import Fraction

import networkx as nx
import numpy as np
import pytest
from flint import nmod_mat, nmod_poly
from hypothesis import example, given
from hypothesis import strategies as st
from strategies import graph_sets

from polyfilter.graphs import Graph
from polyfilter.quotient import collapse, stack
from polyfilter.wiedemann import (
    SparseOperator,
    UnluckyPrimeError,
    inverses,
    minimal_polynomials,
    reduce,
    residues,
)

P = 2**31 - 1


def dense(blocks, prime):
    """Return D^-1 (W K + L) modulo a prime by Fractions, as a list of rows."""
    n = blocks.num_nodes
    N = [[Fraction(0)] * n for _ in range(n)]
    rows = np.repeat(np.arange(n), np.diff(blocks.indptr))
    for i, j, w in zip(rows, blocks.indices, blocks.weights, strict=True):
        N[i][j] = Fraction(float(w)) * int(blocks.multiplicity[j])
    for i, loop in enumerate(blocks.loops):
        N[i][i] += Fraction(float(loop))
    C = [[value / (sum(row) or 1) for value in row] for row in N]
    return [[v.numerator * pow(v.denominator, -1, prime) % prime for v in row] for row in C]


@given(graph_sets(self_loops=True), st.booleans())
def test_polynomials_annihilate_and_have_no_smaller_degree(members, twins):
    blocks = stack(members.graphs)
    if twins:
        blocks, _ = collapse(blocks)
    found = minimal_polynomials(blocks, P, np.random.default_rng(0))
    for b, g in enumerate(found):
        block = blocks.pick(np.array([b]))
        n = block.num_nodes
        C = nmod_mat(n, n, [v for row in dense(block, P) for v in row], P)
        chi = C.charpoly()
        radical = chi // chi.gcd(chi.derivative())  # C is diagonalizable
        assert nmod_poly(g.tolist(), P) == radical


@given(graph_sets(self_loops=True), st.integers(0, 2**32 - 1))
def test_the_operator_is_the_matrix(members, seed):
    blocks, _ = collapse(stack(members.graphs))
    operator = SparseOperator.of(blocks, P)
    z = np.random.default_rng(seed).integers(0, P, blocks.num_nodes, dtype=np.uint64)
    k = blocks.multiplicity.astype(np.uint64)
    # z = K x, so that K C x is M (W + T) z
    x = z * inverses(k, P) % np.uint64(P)
    expected = [
        int(k[i]) * sum(c * int(v) for c, v in zip(row, x, strict=True)) % P
        for i, row in enumerate(dense(blocks, P))
    ]
    assert (operator.scale * (operator @ z) % np.uint64(P)).tolist() == expected


def test_a_hub_with_many_odd_weights_does_not_overflow():
    leaves = 1 << 17
    rng = np.random.default_rng(0)
    weights = rng.random(leaves)
    edges = np.column_stack((np.zeros(leaves, dtype=int), np.arange(1, leaves + 1)))
    blocks = stack([Graph.from_edges(edges, weights=weights)])
    operator = SparseOperator.of(blocks, P)
    z = np.full(blocks.num_nodes, P - 1, dtype=np.uint64)  # minus one, the largest residue
    total = sum(residues(weights, P).tolist())
    assert len(operator.digits) > 1
    assert (operator @ z)[0] == -total % P


def test_integer_weights_stay_whole_until_they_could_overflow():
    def digits(weight):
        return len(SparseOperator.of(stack([_edge_and_loop(weight)]), P).digits)

    assert digits(2.0**31) == 1
    assert digits(2.0**33) > 1
    assert digits(0.5) > 1


def _edge_and_loop(weight):
    return Graph.from_edges([(0, 1), (1, 2)], weights=[weight, 1])


@given(st.lists(st.floats(0, 1.7e308), max_size=5), st.sampled_from([3, 101, P]))
@example([5e-324, 2.0**53 + 2, 0.1], P)
def test_residues_of_floats_are_exact(values, prime):
    exact = [Fraction(v) for v in values]
    expected = [v.numerator * pow(v.denominator, -1, prime) % prime for v in exact]
    assert residues(np.array(values, dtype=np.float64), prime).tolist() == expected


@given(st.lists(st.integers(0, P - 1), max_size=40))
def test_inverses(values):
    x = np.array(values, dtype=np.uint64)
    assert np.array_equal(inverses(x, P) * x % np.uint64(P), (x != 0).astype(np.uint64))


@given(st.lists(st.integers(0, 2**64 - 1), min_size=1), st.integers(1, 2**31 - 1))
def test_reduce(values, p):
    assert reduce(np.array(values, dtype=np.uint64), np.uint64(p)).tolist() == [
        v % p for v in values
    ]


@pytest.mark.parametrize("prime", [11, 13, 17, 31])
def test_blocks_start_again_when_a_norm_vanishes(prime):
    blocks = stack([Graph.from_networkx(nx.path_graph(n)) for n in range(2, 9)])
    for seed in range(20):  # with so small a prime, some of these runs meet a vector of norm zero
        try:
            found = minimal_polynomials(blocks, prime, np.random.default_rng(seed))
        except UnluckyPrimeError as error:
            assert "again and again" in str(error)  # noqa: PT017 -- only some seeds raise
            continue
        for b, g in enumerate(found):
            n = int(blocks.sizes[b])
            rows = dense(blocks.pick(np.array([b])), prime)
            chi = nmod_mat(n, n, [v for row in rows for v in row], prime).charpoly()
            assert chi % nmod_poly(g.tolist(), prime) == 0


@pytest.mark.parametrize(("prime", "reason"), [(2, "not between"), (2**31 + 11, "not between")])
def test_primes_out_of_range(prime, reason):
    with pytest.raises(UnluckyPrimeError, match=reason):
        minimal_polynomials(stack([Graph.from_edges([(0, 1)])]), prime, np.random.default_rng(0))


def test_a_prime_that_divides_a_degree():
    star = stack([Graph.from_networkx(nx.star_graph(7))])
    with pytest.raises(UnluckyPrimeError, match="7 divides a degree"):
        minimal_polynomials(star, 7, np.random.default_rng(0))


def test_work_is_reported_and_stops_early():
    seen = []
    cube = stack([Graph.from_networkx(nx.hypercube_graph(6))])
    minimal_polynomials(cube, P, np.random.default_rng(0), seen.append)
    assert seen == [64] * 7  # seven eigenvalues, sixty-four nodes
