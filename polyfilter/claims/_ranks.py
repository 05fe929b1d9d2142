r"""Dimensions of what second-order layers reach, exactly: ranks modulo a prime.

The map is ``(graph set, depth) -> rank of the derivative of weights -> filter`` at random weights.
The filters that :math:`L` layers reach are a set of that dimension. A filter is seen as its values
:math:`h(B_i) v_i` on one random vector a graph, with :math:`B = D^{-1} W`; modulo a prime ranks can
only fall, so that a rank found here is a proven lower bound over the reals.

>>> from polyfilter.graphs import Graph
>>> path = GraphSet([Graph.from_edges([(0, 1), (1, 2), (2, 3)])])           # Γ = 4
>>> for found in depth_ranks(path, 4, 2, np.random.default_rng(0)):
...     print(found)
DepthRank(depth=1, rank=3, misses_top=True)
DepthRank(depth=2, rank=4, misses_top=False)
"""

from dataclasses import dataclass

import numpy as np
from flint import fmpz_mat, nmod_mat, nmod_poly

from polyfilter.claims._rational import rational_adjacency
from polyfilter.graphs import GraphSet

__all__ = ["PRIME", "DepthRank", "depth_ranks"]

PRIME = (1 << 61) - 1


@dataclass(frozen=True)
class DepthRank:
    """The dimension at a depth, and whether A^(Γ-1) is independent of all that it reaches."""

    depth: int
    rank: int
    misses_top: bool


def depth_ranks(
    family: GraphSet, gamma: int, deepest: int, rng: np.random.Generator
) -> list[DepthRank]:
    """Return the dimension for each depth from 1 to ``deepest``.

    The derivative along weight j of layer l is x^j times the product of the other layers.
    """
    krylov = _krylov(family, max(2 * deepest, gamma - 1) + 1, rng)
    found = []
    for depth in range(1, deepest + 1):
        length = 2 * depth + 1
        layers = [nmod_poly(_residues(rng, 3), PRIME) for _ in range(depth)]
        tangents = []
        for k in range(depth):
            others = nmod_poly([1], PRIME)
            for layer in layers[:k] + layers[k + 1 :]:
                others *= layer
            coefficients = [int(c) for c in others.coeffs()]
            for j in range(3):
                tangents.append(([0] * j + coefficients + [0] * 2)[:length])
        reached = nmod_mat(fmpz_mat(tangents), PRIME) * nmod_mat(fmpz_mat(krylov[:length]), PRIME)
        both = nmod_mat(fmpz_mat([*krylov[:length], krylov[gamma - 1]]), PRIME)
        found.append(DepthRank(depth, reached.rank(), both.rank() == length + 1))
    return found


def _residues(rng: np.random.Generator, count: int) -> list[int]:
    return [int(r) for r in rng.integers(1, PRIME, size=count)]


def _krylov(family: GraphSet, count: int, rng: np.random.Generator) -> list[list[int]]:
    """Rows k = 0, 1, ...: B^k v for all graphs, one after the other."""
    rows: list[list[int]] = [[] for _ in range(count)]
    for graph in family:
        n, B = graph.num_nodes, rational_adjacency(graph)
        residues = [int(b.p) * pow(int(b.q), -1, PRIME) for b in B.entries()]
        M = nmod_mat(n, n, residues, PRIME)
        v = nmod_mat(n, 1, _residues(rng, n), PRIME)
        for row in rows:
            row += [int(c) for c in v.entries()]
            v = M * v
    return rows
