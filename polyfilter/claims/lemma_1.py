r"""Lemma 1: the filters of degree K on a graph set form a space of dimension min{K + 1, Γ}.

*Proof.* A filter :math:`h(A)` is zero on every graph if and only if :math:`h` vanishes on the
:math:`\Gamma` eigenvalues, since every :math:`A` is symmetric and so has eigenvectors for all of
space. Hence :math:`\mathcal F_K` is the space of the vectors
:math:`(h(\lambda_1), \dots, h(\lambda_\Gamma))`, :math:`\deg h \le K`, which are the columns'
combinations of a Vandermonde matrix with distinct nodes, :math:`K + 1` columns and :math:`\Gamma`
rows: its rank is the smaller of the two.

*Check.* The dimension is the rank of :math:`I, T, \dots, T^K`. On small sets it is computed over
the rationals for every K up to Γ + 3, with Γ from somewhere else: from the irreducible factors of
the characteristic polynomials. On larger sets the rank of :math:`\xi, T\xi, \dots, T^K \xi` modulo
a prime, for a random signal ξ, can only be less than the dimension, and the dimension can't be more
than min{K + 1, Γ}; so if they meet, it is proven.

>>> path = Graph.from_edges([(0, 1), (1, 2), (2, 3)])  # eigenvalues -1, -1/2, 1/2, 1
>>> exact_dimensions(GraphSet([path]), 6)
[1, 2, 3, 4, 4, 4, 4]
>>> [dimension(K, 4) for K in range(7)]
[1, 2, 3, 4, 4, 4, 4]
"""

from collections.abc import Sequence

import numpy as np
from flint import nmod_mat
from numpy.typing import NDArray

from polyfilter.capacity import spectrum_capacity
from polyfilter.claim import (
    Claim,
    ClaimError,
    Curve,
    Figure,
    Finding,
    Outcome,
    Setting,
    Table,
    settle,
)
from polyfilter.claims._common import graph_sets, molecules, origin, random_graph, small_graphs
from polyfilter.claims._rational import power_ranks, rational_adjacency
from polyfilter.graphs import Graph, GraphSet

BEYOND = 3
"""How far K goes beyond Γ, where the dimension has to stay."""

PRIMES = (2147483647, 2147483629, 2147483587)
"""Primes whose residues can be multiplied, and a row of products added, in 64 bits."""

SHOWN = 7
"""How many sets the figure shows."""


def dimension(K: int, capacity: int) -> int:
    """Return what Lemma 1 says: min{K + 1, Γ}."""
    return min(K + 1, capacity)


def exact_dimensions(graphs: GraphSet, degree: int) -> list[int]:
    """Return dim F_K for K = 0, ..., degree, as ranks over the rationals."""
    return power_ranks([rational_adjacency(graph) for graph in graphs], degree)


def proven_dimensions(graphs: GraphSet, gamma: int, rng: np.random.Generator) -> list[int]:
    """Return lower bounds of dim F_K, K = 0, ..., Γ + 3, from as many primes as it takes.

    A prime that divides a difference of two eigenvalues gives less than the dimension, which says
    nothing about the lemma. If all of them stay below it, the check has failed.
    """
    degree = gamma + BEYOND
    for prime in PRIMES:
        ranks = modular_dimensions(graphs, degree, rng, prime)
        if all(rank >= dimension(K, gamma) for K, rank in enumerate(ranks)):
            return ranks
    raise ClaimError(f"no prime shows that filters on {graphs.name!r} have dimension {gamma}")


def modular_dimensions(
    graphs: GraphSet, degree: int, rng: np.random.Generator, prime: int
) -> list[int]:
    """Return the ranks of a random Krylov sequence modulo a prime, for K = 0, ..., degree.

    >>> cycle = Graph.from_edges([(i, (i + 1) % 7) for i in range(7)])
    >>> modular_dimensions(GraphSet([cycle]), 6, np.random.default_rng(0), PRIMES[0])
    [1, 2, 3, 4, 4, 4, 4]
    """
    columns = [_krylov(graph, degree, rng, prime) for graph in graphs]
    reduced, rank = nmod_mat(np.concatenate(columns).tolist(), prime).rref()
    rows = np.array([[int(c) for c in row] for row in reduced.tolist()[:rank]])
    pivots = (rows != 0).argmax(axis=1)
    return [int((pivots <= K).sum()) for K in range(degree + 1)]


def _krylov(graph: Graph, degree: int, rng: np.random.Generator, prime: int) -> NDArray[np.int64]:
    """Return the columns ξ, Bξ, ..., B^degree ξ modulo the prime, for a random ξ."""
    W = graph.adjacency.toarray().astype(np.int64)
    inverse = [pow(max(1, int(d)), -1, prime) for d in W.sum(axis=1)]
    B = W * np.array(inverse)[:, None] % prime
    vectors = [rng.integers(prime, size=graph.num_nodes)]
    for _ in range(degree):
        vectors.append((B * vectors[-1] % prime).sum(axis=1) % prime)
    return np.stack(vectors, axis=1)


def check(setting: Setting) -> Outcome:
    """Compare ranks with min{K + 1, Γ} on small sets, all smallest graphs, and larger sets."""
    small, rows, curves = graph_sets(setting, 3), [], []
    agree = True
    for graphs in small:
        gamma = spectrum_capacity(graphs, "algebraic").value
        ranks = exact_dimensions(graphs, gamma + BEYOND)
        right = _right(ranks, gamma)
        agree &= right
        rows.append(_row(graphs, gamma, ranks, "over the rationals", right))
        curves.append(_curve(graphs, gamma, ranks))
    atlas = [graph for n in range(1, 7 if setting.full else 6) for graph in small_graphs(n)]
    wrong = [graph for graph in atlas if not _one(graph)]
    large = _large_sets(setting)
    met = True
    for k, graphs in enumerate(large):
        gamma = spectrum_capacity(graphs, "algebraic").value
        ranks = proven_dimensions(graphs, gamma, setting.rng(3, 2, k))
        right = _right(ranks, gamma)
        met &= right
        rows.append(_row(graphs, gamma, ranks, "modulo a prime", right))
    table = Table(
        f"Dimension of the filters of degree K, for K from 1 to Γ + {BEYOND}",
        ("graph set", "graphs", "nodes", "Γ", "dim at Γ - 2, Γ - 1, Γ", "ranks", "min{K + 1, Γ}"),
        tuple(rows),
    )
    figure = Figure(
        "The dimension grows by one a degree and stops at Γ", tuple(curves[:SHOWN]), "K", "dim"
    )
    sizes = ", ".join(str(row[3]) for row in rows[len(small) :])
    return settle(
        f"rank equals min{{K + 1, Γ}} for every K ≤ Γ + {BEYOND} on {origin(small)}, on all "
        f"{len(atlas)} graphs with up to {atlas[-1].num_nodes} nodes, and at Γ = {sizes}",
        printed=[
            Finding(
                r"$\dim \mathcal{F}_K = \min\{K + 1, \Gamma\}$ on sets of graphs of one size, of "
                "varying sizes, with isolated nodes, with weights and without edges",
                agree,
                f"{origin(small)}, ranks over the rationals, K = 1 to Γ + {BEYOND}",
            ),
            Finding(
                "the same on every single graph with few nodes",
                not wrong,
                f"{len(atlas)} graphs with up to {atlas[-1].num_nodes} nodes, {len(wrong)} "
                "exceptions",
            ),
            Finding(
                "the same on larger sets",
                met,
                f"Γ = {sizes}: ranks modulo a prime meet the bound min{{K + 1, Γ}} from below",
            ),
        ],
        tables=[table],
        figures=[figure],
    )


def _right(ranks: Sequence[int], gamma: int) -> bool:
    return all(rank == dimension(K, gamma) for K, rank in enumerate(ranks) if K > 0)


def _one(graph: Graph) -> bool:
    """Whether the lemma is right on the set of this one graph."""
    gamma = spectrum_capacity(graph, "algebraic").value
    return _right(exact_dimensions(GraphSet([graph]), gamma + BEYOND), gamma)


def _large_sets(setting: Setting) -> list[GraphSet]:
    """Random graphs as in the paper's synthetic data, and molecules if there are any."""
    rng = setting.rng(3, 1)
    count, nodes = (10, 100) if setting.full else (3, 60)
    random = [random_graph(rng, nodes + int(rng.integers(-20, 21)), 0.1) for _ in range(count)]
    real = molecules(setting, 60 if setting.full else 12, 3, 1)
    return [GraphSet(random, "random"), *([GraphSet(real, "molecules")] if real else [])]


def _row(
    graphs: GraphSet, gamma: int, ranks: list[int], how: str, right: bool
) -> tuple[str | int, ...]:
    seen = ", ".join(str(ranks[K]) for K in range(max(0, gamma - 2), gamma + 1))
    verdict = "equal" if right else "different"
    return graphs.name, len(graphs), graphs.num_nodes, gamma, seen, how, verdict


def _curve(graphs: GraphSet, gamma: int, ranks: list[int]) -> Curve:
    degrees = range(1, len(ranks))
    name = f"{graphs.name}, Γ = {gamma}"
    return Curve(name, tuple(map(float, degrees)), tuple(float(ranks[K]) for K in degrees))


CLAIM = Claim(
    name="lemma_1",
    number=3,
    where="Lemma 1 (lem:dim)",
    statement=r"Filter space $\mathcal{F}_K$ with degree $K > 0$ has dimension "
    r"$\min\{K + 1, \Gamma\}$ as a vector space.",
    reading=r"The rank of $I, T, \dots, T^K$ is $\min\{K + 1, \Gamma\}$ for every finite set of "
    r"graphs, of one size or of several, and every $K \ge 1$, where $T$ is block diagonal with the "
    r"matrices $A(G)$ and $\Gamma$ counts their distinct eigenvalues.",
    check=check,
)
