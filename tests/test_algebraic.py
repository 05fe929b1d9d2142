"""Characteristic polynomials over the integers, against sympy."""

from fractions import Fraction

import networkx as nx
import numpy as np
import sympy
from hypothesis import given, settings
from strategies import graphs

from polyfilter.algebraic import algebraic_factors, characteristic_polynomial
from polyfilter.graphs import Graph
from polyfilter.quotient import collapse, stack


@settings(max_examples=60)
@given(graphs(max_nodes=5, self_loops=True))
def test_characteristic_polynomial(graph):
    x = sympy.Symbol("x")
    blocks = stack([graph])
    for b in range(blocks.num_blocks):
        block = blocks.pick(np.array([b]))
        n = block.num_nodes
        W = sympy.zeros(n, n)
        rows = np.repeat(np.arange(n), np.diff(block.indptr))
        for i, j, w in zip(rows, block.indices, block.weights, strict=True):
            W[int(i), int(j)] = sympy.Rational(Fraction(float(w)))
        for i, loop in enumerate(block.loops):
            W[i, i] = sympy.Rational(Fraction(float(loop)))
        D = sympy.diag(*(sum(W.row(i)) or 1 for i in range(n)))
        expected = sympy.Poly((D.inv() * W).charpoly(x).as_expr(), x)
        chi = [sympy.Rational(int(c)) for c in characteristic_polynomial(block).coeffs()]
        assert [c / chi[-1] for c in reversed(chi)] == expected.all_coeffs()


def test_factors_of_the_nine_cycle():
    # cos(2 pi k / 9): the rational ones, and those of degree phi(9) / 2
    cycle = stack([Graph.from_networkx(nx.cycle_graph(9))])
    assert algebraic_factors(cycle, []) == {(-1, 1), (1, 2), (1, -6, 0, 8)}


def test_values_join_as_linear_factors():
    star = Graph.from_networkx(nx.star_graph(5))
    blocks, values = collapse(stack([star]))
    assert algebraic_factors(blocks, values) == {(-1, 1), (1, 1), (0, 1)}
    assert algebraic_factors(blocks, [Fraction(-2, 3)]) == {(-1, 1), (1, 1), (2, 3)}


def test_coefficients_of_hundreds_of_bits():
    graph = nx.gnm_random_graph(60, 300, seed=5)
    block, _ = collapse(stack([Graph.from_networkx(graph)]))
    chi = characteristic_polynomial(block)
    assert max(abs(int(c)) for c in chi.coeffs()).bit_length() > 150
    assert chi(1) == 0
    for at in (2, -3):
        degrees = [graph.degree(v) for v in graph]
        A = nx.to_numpy_array(graph, dtype=int).tolist()
        rows = [[at * d * (i == j) - A[i][j] for j in range(60)] for i, d in enumerate(degrees)]
        assert int(chi(at)) == sympy.polys.matrices.DomainMatrix(rows, (60, 60), sympy.ZZ).det()
