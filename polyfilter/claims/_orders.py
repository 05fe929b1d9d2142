r"""Layers of order K: Algorithm 1 with its multiply-adds counted, and what products can be.

The maps are ``(theta, A, x) -> (sum_k theta_k A^k x, multiply-adds)``, step by step as Algorithm 1
of the paper has it, and ``(order, depth) -> which factor patterns fit``. By unique factorization a
real polynomial with :math:`r` real roots and :math:`c` conjugate pairs is a product of :math:`M`
real polynomials of degree at most :math:`K` if and only if :math:`r` items of size one and
:math:`c` of size two go into :math:`M` bins of size :math:`K`:

.. math::  c \le M \lfloor K/2 \rfloor, \qquad r + 2c \le MK.

>>> fits(0, 3, order=2, depth=3), fits(0, 3, order=3, depth=2)      # six hops each, no real root
(True, False)
"""

from fractions import Fraction
from functools import cache
from math import prod
from typing import Any

import numpy as np
from flint import arb_poly, ctx, fmpq_poly
from numpy.typing import NDArray
from scipy.sparse import csr_array

from polyfilter.claim import ClaimError
from polyfilter.claims._rational import random_polynomial
from polyfilter.enclosure import ball_layers, product
from polyfilter.factor import exact_factors, grid
from polyfilter.graphs import Graph

__all__ = [
    "CountingHop",
    "algorithm_1",
    "complete_depth",
    "fits",
    "packs",
    "reduces",
    "weaker",
    "work",
    "zero_coefficients",
    "zero_leading",
]

BITS = 256


def fits(linear: int, pairs: int, order: int, depth: int) -> bool:
    """Whether so many real roots and pairs are a product of ``depth`` layers of this order."""
    return pairs <= depth * (order // 2) and linear + 2 * pairs <= depth * order


@cache
def packs(linear: int, pairs: int, order: int, depth: int) -> bool:
    """The same by trying every way to fill one layer after the other.

    >>> all(packs(r, c, K, M) == fits(r, c, K, M)
    ...     for K in range(1, 6) for M in range(1, 4) for c in range(8) for r in range(8))
    True
    """
    if depth == 0:
        return linear == pairs == 0
    return any(
        packs(linear - r, pairs - c, order, depth - 1)
        for c in range(min(pairs, order // 2) + 1)
        for r in range(min(linear, order - 2 * c) + 1)
    )


def weaker() -> tuple[int, int]:
    """The first (order, depth), by hops, that misses a filter which second order has.

    >>> weaker()
    (3, 2)
    """
    for hops in range(2, 25, 2):
        for order in range(3, hops + 1):
            if hops % order == 0 and not fits(0, hops // 2, order, hops // order):
                return order, hops // order
    raise AssertionError("every order is as good as the second")


def complete_depth(order: int, degree: int) -> int:
    """How many layers of an order make every polynomial of a degree, by trying all patterns.

    >>> complete_depth(2, 6), complete_depth(3, 6)
    (3, 3)
    """
    patterns = [(degree - 2 * c, c) for c in range(degree // 2 + 1)]
    depth = 1
    while not all(packs(r, c, order, depth) for r, c in patterns):
        depth += 1
    return depth


def reduces(rng: np.random.Generator, order: int, depth: int) -> bool:
    """Whether a random product of layers of this order is ⌈MK/2⌉ second-order layers, proven.

    >>> reduces(np.random.default_rng(0), order=3, depth=3)
    True
    """
    h = prod((random_polynomial(rng, order) for _ in range(depth)), start=fmpq_poly([1]))
    layers = ball_layers(h, BITS)
    with ctx.workprec(BITS):
        gap = product(layers) - arb_poly(h)
        closed = all(c.contains(0) and c.abs_upper() < 2.0**-64 for c in gap.coeffs())
    return closed and len(layers) == -(-order * depth // 2)


def zero_coefficients(h: fmpq_poly) -> int:
    """How many coefficients of the layers of a filter with rational layers are exactly zero.

    >>> zero_coefficients(fmpq_poly([1, 0, 1])), zero_coefficients(fmpq_poly([0, 0, 1]))
    (1, 2)
    """
    fractions = [Fraction(int(c.p), int(c.q)) for c in h.coeffs()]
    layers = exact_factors(fractions, grid(h.degree()))
    if layers is None:
        raise ClaimError(f"{h} has factors that are not rational: zeros can't be counted")
    return sum(theta == 0 for layer in layers for theta in layer)


def zero_leading(h: fmpq_poly) -> int:
    """How many layers lack their second-order term.

    >>> zero_leading(fmpq_poly([1, 1])), zero_leading(fmpq_poly([1, 1, 1]))
    (1, 0)
    """
    return sum(two == 0 for _, _, two in ball_layers(h, BITS))


class CountingHop:
    """One hop x -> A x that counts: a multiply-add for each neighbour and channel.

    >>> hop = CountingHop(csr_array(np.ones((3, 3))))
    >>> _ = hop(np.ones((3, 2)))
    >>> hop.hops, hop.multiply_adds
    (1, 18)
    """

    def __init__(self, matrix: csr_array) -> None:
        self.matrix = matrix
        self.hops = 0
        self.multiply_adds = 0

    def __call__(self, x: NDArray[np.float64]) -> Any:
        self.hops += 1
        self.multiply_adds += self.matrix.nnz * (x.size // len(x))
        return self.matrix @ x


def algorithm_1(theta: NDArray[np.float64], hop: CountingHop, x: NDArray[np.float64]) -> Any:
    """Return sum_k theta_k A^k x: K hops, each from the one before (Algorithm 1).

    >>> hop = CountingHop(csr_array(np.array([[0.0, 1.0], [1.0, 0.0]])))
    >>> algorithm_1(np.array([1.0, 2.0, 3.0]), hop, np.array([1.0, 0.0])).tolist(), hop.hops
    ([4.0, 2.0], 2)
    """
    h, y = x, theta[0] * x
    for weight in theta[1:]:
        h = hop(h)
        y = y + weight * h
    return y


def work(graph: Graph, order: int, degree: int, channels: int) -> tuple[int, int]:
    """Hops and multiply-adds of Algorithm 1 for a filter of this degree in layers of this order.

    >>> work(Graph.from_edges([(0, 1)]), order=2, degree=4, channels=3)
    (4, 24)
    """
    hop = CountingHop(graph.normalized_adjacency())
    signal = np.ones((graph.num_nodes, channels))
    for _ in range(degree // order):
        signal = algorithm_1(np.ones(order + 1), hop, signal)
    return hop.hops, hop.multiply_adds
