"""Degrees of least common multiples, against one that is built factor by factor."""

import networkx as nx
import numpy as np
import pytest
from flint import nmod_poly
from hypothesis import given
from hypothesis import strategies as st

from polyfilter.graphs import Graph
from polyfilter.modular import batches, bound_roots, count_roots, random_primes, risk
from polyfilter.quotient import stack
from polyfilter.wiedemann import UnluckyPrimeError

P = 10_007
roots = st.lists(st.integers(0, 30), min_size=1, max_size=8)
"""Few enough residues that families share many roots, double ones among them."""


def monic(zeros):
    g = nmod_poly([1], P)
    for zero in zeros:
        g *= nmod_poly([-zero, 1], P)
    return np.array([int(c) for c in g.coeffs()], dtype=np.uint64)


def degree_of_lcm(family):
    """Return the sum over all roots of the largest multiplicity."""
    everything = {zero for zeros in family for zero in zeros}
    return sum(max(zeros.count(zero) for zeros in family) for zero in everything)


@given(st.lists(roots, min_size=1, max_size=12))
def test_count_is_the_degree_of_the_lcm(family):
    polynomials = [monic(zeros) for zeros in family]
    assert count_roots(polynomials, P).value == degree_of_lcm(family)


@given(st.lists(roots.map(lambda zeros: sorted(set(zeros))), min_size=1, max_size=12), st.data())
def test_bound_is_never_below_and_reached_with_witnesses(family, data):
    polynomials = [monic(zeros) for zeros in family]
    count = count_roots(polynomials, P)
    assert bound_roots(polynomials, P, count.witnesses) == count.value
    some = data.draw(st.lists(st.sampled_from(range(len(family))), unique=True))
    assert bound_roots(polynomials, P, some) >= count.value


def test_witnesses_of_another_prime_reveal_an_accident():
    # x and x - 10007 are one polynomial modulo 10007, and two modulo 10009
    apart = [np.array([0, 1], dtype=np.uint64), np.array([2, 1], dtype=np.uint64)]
    together = count_roots([monic([0]), monic([0])], P)
    assert together.value == 1
    assert bound_roots(apart, 10_009, together.witnesses) == 2


def test_large_shared_parts_have_no_witnesses():
    family = [monic(range(1500)), monic(range(1, 1501))]
    count = count_roots(family, P)
    assert (count.value, count.witnesses) == (1501, None)


def test_a_prime_below_the_degree_is_refused():
    with pytest.raises(UnluckyPrimeError, match="smaller than the number"):
        count_roots([np.array([0] * 8 + [1], dtype=np.uint64)], 7)


def test_batches_hold_all_blocks_in_order():
    graphs = [Graph.from_networkx(nx.path_graph(n)) for n in (2, 3, 5, 9, 4, 30)]
    blocks = stack(graphs)
    pieces = list(batches(blocks, 12))
    assert np.array_equal(np.concatenate([piece.sizes for piece in pieces]), blocks.sizes)
    assert all(len(p.sizes) == 1 or len(p.sizes) * p.sizes[0] <= 12 for p in pieces)


def test_primes_are_different_and_of_31_bits():
    stream = random_primes(np.random.default_rng(0))
    drawn = [next(stream) for _ in range(50)]
    assert len(set(drawn)) == 50
    assert all(2**30 < p < 2**31 for p in drawn)


def test_risk_grows_with_the_number_of_pairs():
    assert risk(10, 1, P) < risk(10, 20, P) <= risk(10**9, 10**9, P) == 0.5
