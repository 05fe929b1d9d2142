r"""The two remarks after Lemma 2: graphs of different sizes, and infinitely many of them.

*Varying vertex numbers.* The proofs never use that all graphs have N nodes; :math:`T` has
:math:`\sum_i N_i` rows in place of :math:`N|\mathcal G|`. But "without loss of generality" must not
be read as "pad with isolated nodes": that adds the eigenvalue 0, and Γ grows by one if it was not
there.

*Infinite sets.* ":math:`\Gamma` might be uncountable": for simple graphs it can be infinite, but
eigenvalues are roots of polynomials with integer coefficients, and of those there are countably
many. With real weights it can be: the path with weights 1, w, 1 has the eigenvalue 1 / (1 + w).

>>> edge, triangle = Graph.from_edges([(0, 1)]), Graph.from_edges([(0, 1), (1, 2), (2, 0)])
>>> capacity([edge, triangle]), capacity(padded([edge, triangle]))
(3, 4)
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from flint import fmpq, fmpq_mat, fmpq_poly

from polyfilter.capacity import spectrum_capacity
from polyfilter.claim import Drawing, Finding
from polyfilter.claims._common import names, random_graph
from polyfilter.claims._rational import draw, minimal_polynomial, power_ranks, rational_adjacency
from polyfilter.graphs import Graph, GraphSet

__all__ = ["Graphs", "Step", "capacity", "infinite", "padded", "vertex_numbers"]

Graphs = Sequence[Graph]


@dataclass(frozen=True)
class Step:
    """What became of one step, and in few words what mends it."""

    mended: str
    printed: tuple[Finding, ...]
    repaired: tuple[Finding, ...] = ()
    drawings: tuple[Drawing, ...] = ()


def capacity(graphs: Graphs) -> int:
    """Return Γ as the degree of the minimal polynomial of T."""
    return minimal_polynomial(rational_adjacency(graph) for graph in graphs).degree()


# ------------------------------------------------------------------------------- 2. vertex numbers


def padded(graphs: Graphs) -> list[Graph]:
    """Return the graphs with isolated nodes added, so that all have as many as the largest."""
    most = max(graph.num_nodes for graph in graphs)
    parts = [graph.edges() for graph in graphs]
    return [Graph.from_edges(pairs, most, weights) for pairs, weights in parts]


def vertex_numbers(sets: Sequence[Graphs]) -> Step:
    """Try Lemma 1 where sizes differ, as they are and padded to one size."""
    uneven = [graphs for graphs in sets if len({graph.num_nodes for graph in graphs}) > 1]
    right, moved, expected = [], [], []
    for graphs in uneven:
        blocks = [rational_adjacency(graph) for graph in graphs]
        gamma = capacity(graphs)
        counted = spectrum_capacity(GraphSet(graphs), "algebraic").value
        ranks = power_ranks(blocks, gamma + 1)
        right.append(gamma == counted and ranks == [min(K + 1, gamma) for K in range(gamma + 2)])
        moved += [graphs] if capacity(padded(graphs)) != gamma else []
        without_zero = all(B.det() != 0 for B in blocks)
        expected.append(capacity(padded(graphs)) - gamma == without_zero)
    first = moved[0] if moved else ()
    return Step(
        "no padding to one size",
        (
            Finding(
                "Lemma 1 still holds when the vertex numbers vary",
                all(right),
                f"{len(uneven)} sets of graphs of different sizes, by rank",
            ),
        ),
        (
            Finding(
                r"But padding to one size with isolated nodes is not without loss: $\Gamma$ grows "
                "by one exactly if 0 is no eigenvalue of the set",
                all(expected) and bool(moved),
                f"it grows on {len(moved)} of {len(uneven)} sets; smallest: {names(first)}",
            ),
        ),
        tuple(draw("Γ grows if padded to one size: of the set", graph) for graph in first),
    )


# ------------------------------------------------------------------------------- 5. infinite sets


def infinite(rng: np.random.Generator, sets: Sequence[Graphs], most: int) -> Step:
    """Write eigenvalues as integers; watch Γ grow; and find any number as a weighted eigenvalue."""
    sets = [graphs for graphs in sets if not any(graph.is_weighted for graph in graphs)]
    codes = [spectrum_capacity(GraphSet(graphs), "algebraic").factors for graphs in sets]
    coded = [sum(len(code) - 1 for code in found) for found in codes]
    right = coded == [capacity(graphs) for graphs in sets]
    complete = [random_graph(rng, n, 1.0) for n in range(2, most + 1)]
    grows = [capacity(complete[: k + 1]) for k in range(len(complete))]
    wanted = [fmpq(int(a), int(a + b)) for a, b in rng.integers(1, 1000, size=(20, 2))]
    hit = all(_weighted_path(1 / share - 1)(share) == 0 for share in wanted)
    return Step(
        "Γ of simple graphs is countable",
        (
            Finding(
                r"For infinite sets of simple graphs, $\Gamma$ might be uncountable",
                not right,
                f"each of {sum(coded)} eigenvalues is a root of an integer polynomial, and of "
                "such numbers there are countably many",
            ),
        ),
        (
            Finding(
                r"$\Gamma$ is countable for simple graphs, and infinite for some sets: "
                r"$\Gamma(K_2, \dots, K_n) = n$",
                right and grows == list(range(2, most + 1)),
                f"Γ = {grows[0]}, ..., {grows[-1]} for n up to {most}",
            ),
            Finding(
                "With real weights it may be uncountable: the path with weights $1, w, 1$ has the "
                "eigenvalue $1 / (1 + w)$, any number between 0 and 1",
                hit,
                f"{len(wanted)} random fractions, exactly",
            ),
        ),
    )


def _weighted_path(w: fmpq) -> fmpq_poly:
    a, b = 1 / (1 + w), w / (1 + w)
    return fmpq_mat([[0, 1, 0, 0], [a, 0, b, 0], [0, b, 0, a], [0, 0, 1, 0]]).minpoly()
