"""Arithmetic of jets against polynomials over the rationals, ranks against numpy's."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyfilter.jacobian import PRIME, Jet, Residues, generic_rank

small = st.integers(-50, 50)


def jets(values, prime=PRIME):
    """One jet a variable, each with its own direction."""
    n = len(values)
    identity = np.eye(n, dtype=np.int64)
    return [Jet(np.array([v % prime]), identity[:, k : k + 1], prime) for k, v in enumerate(values)]


@settings(max_examples=100)
@given(small, small, small.filter(bool))
def test_derivatives_of_a_rational_function(a, b, c):
    x, y, z = jets([a, b, c])
    number = Residues().number
    found = (x * y - 3 * x + y * y) * (1 / z) - 5
    value = Fraction(a * b - 3 * a + b * b, c) - 5
    slopes = [Fraction(b - 3, c), Fraction(a + 2 * b, c), -(value + 5) / c]
    assert found.v[0] == number(value)
    assert found.d[:, 0].tolist() == [number(slope) for slope in slopes]


def test_products_of_matrices_do_not_overflow():
    rng = np.random.default_rng(0)
    A, B = (rng.integers(PRIME, size=(5, 5)) for _ in range(2))
    dA, dB = (rng.integers(PRIME, size=(3, 5, 5)) for _ in range(2))

    def exact(X, Y):
        return (X.astype(object) @ Y.astype(object)) % PRIME

    found = Jet(A, dA, PRIME) @ Jet(B, dB, PRIME)
    assert np.array_equal(found.v, exact(A, B))
    assert np.array_equal(found.d, (exact(dA, B) + exact(A, dB)) % PRIME)
    constant = A @ np.eye(5, dtype=np.int64)
    assert np.array_equal((constant @ Jet(B, dB, PRIME)).d, exact(A, dB))
    assert np.array_equal((Jet(A, dA, PRIME) @ B).d, exact(dA, B))


def test_residues_of_floats_are_exact():
    field = Residues(PRIME)
    assert field.number(0.1) * 2**55 % PRIME == 3602879701896397 % PRIME
    assert field.number(Fraction(1, 10)) * 10 % PRIME == 1


@pytest.mark.parametrize("rank", range(1, 6))
def test_rank_of_a_linear_map(rank):
    rng = np.random.default_rng(rank)
    M = rng.integers(-9, 10, size=(6, rank)) @ rng.integers(-9, 10, size=(rank, 7))
    wanted = np.linalg.matrix_rank(M)

    def network(weights, x, field):
        # point k, which is the number k, gets row k of M times the weights
        rows = Jet(M[x.v[0]].T % PRIME, np.zeros((1, 7, 6), dtype=np.int64), PRIME)
        return weights[0]["w"] @ rows

    found = generic_rank(network, [{"w": (1, 7)}], np.arange(6), PRIME, rng)
    assert found == wanted
