r"""Definition 1 and its remark: polynomial filters commute with the shift; when the converse holds.

*Remark (Appendix A).* :math:`h(A) A = A h(A)`, so every filter of :math:`\mathcal F_K` is linear
and shift-invariant (LSI).

*Converse.* An LSI map on a graph set is one matrix a graph that commutes with its :math:`A(G)`. On
each eigenspace, of dimension :math:`m_G(\lambda)`, it may do what it likes, so such maps form a
space of dimension :math:`\sum_G \sum_\lambda m_G(\lambda)^2`, of which the polynomial filters are
a part of dimension :math:`\Gamma`. The two are equal if and only if every eigenvalue of every
graph is simple *and* no two graphs share one: if and only if :math:`T` has simple spectrum. Since
every graph that has an edge has the eigenvalue 1, two such graphs are enough to break it: "the
identity here and zero there" is shift-invariant and no polynomial.

>>> from polyfilter.claims._common import small_graphs
>>> square = small_graphs(4)[8]  # a cycle: eigenvalues -1, 0, 0, 1
>>> commutant_dimension(rational_adjacency(square)), has_simple_spectrum([square])
(6, False)
"""

from collections import Counter
from collections.abc import Sequence

import numpy as np
from flint import fmpq_mat, fmpz_mat

from polyfilter.claim import Claim, Finding, Outcome, Setting, Table, settle
from polyfilter.claims._common import (
    describe,
    first,
    graph_sets,
    names,
    origin,
    small_graphs,
    small_sets,
)
from polyfilter.claims._rational import (
    block_diagonal,
    draw,
    evaluate,
    flatten,
    identity,
    minimal_polynomial,
    powers,
    random_polynomial,
    rational_adjacency,
)
from polyfilter.graphs import Graph, GraphSet

Graphs = Sequence[Graph]


def shift_invariant(graphs: GraphSet, degree: int, rng: np.random.Generator) -> bool:
    """Whether a random filter of this degree commutes with A on every graph, exactly."""
    h = random_polynomial(rng, degree)
    blocks = [rational_adjacency(graph) for graph in graphs]
    return all(evaluate(h, B) * B == B * evaluate(h, B) for B in blocks)


def diagonalizable_pair(
    rng: np.random.Generator, n: int, commuting: bool
) -> tuple[fmpq_mat, fmpq_mat]:
    """Draw two matrices with integer eigenvalues, some repeated, and eigenvectors at random.

    They commute if the second one's eigenvectors are taken within the eigenspaces of the first.
    """
    values = sorted(rng.integers(3, size=n).tolist())
    P = _invertible(rng, np.ones((n, n), dtype=bool))
    within = np.equal.outer(values, values) if commuting else np.ones((n, n), dtype=bool)
    Q = P * _invertible(rng, within)
    D, E = (fmpq_mat(np.diag(d).tolist()) for d in (values, rng.integers(3, size=n)))
    return P * D * P.inv(), Q * E * Q.inv()


def common_eigenvectors(first: fmpq_mat, second: fmpq_mat) -> int:
    """Return how many independent common eigenvectors there are; eigenvalues are 0, 1 and 2.

    >>> common_eigenvectors(fmpq_mat(2, 2, [0, 0, 0, 1]), fmpq_mat(2, 2, [0, 1, 1, 0]))
    0
    """
    n, one = first.nrows(), identity(first.nrows())
    spaces = (
        fmpq_mat([*(first - a * one).tolist(), *(second - b * one).tolist()])
        for a in range(3)
        for b in range(3)
    )
    return sum(n - space.rank() for space in spaces)


def _invertible(rng: np.random.Generator, mask: np.ndarray) -> fmpq_mat:
    while True:
        M = fmpq_mat(np.where(mask, rng.integers(-2, 3, size=mask.shape), 0).tolist())
        if M.det() != 0:
            return M


# ---------------------------------------------------------------------------------- the converse


def commutation(B: fmpq_mat) -> fmpz_mat:
    """Return the matrix of H -> HB - BH on the entries of H, scaled to integers."""
    n = B.nrows()
    equations = fmpq_mat(n * n, n * n)
    for i in range(n):
        for j in range(n):
            for k in range(n):
                equations[n * i + j, n * i + k] += B[k, j]
                equations[n * i + j, n * k + j] -= B[i, k]
    return equations.numer_denom()[0]


def commutant_dimension(B: fmpq_mat) -> int:
    """Return the dimension of the space of all matrices that commute with B."""
    return B.nrows() ** 2 - commutation(B).rank()


def sum_of_squares(B: fmpq_mat) -> int:
    """Return the same dimension from the multiplicities of the eigenvalues."""
    return sum(factor.degree() * times**2 for factor, times in B.charpoly().factor()[1])


def is_polynomial(H: fmpq_mat, B: fmpq_mat) -> bool:
    """Whether H is a combination of powers of B."""
    family = [flatten([power]) for power in powers(B, B.nrows() - 1)]
    return fmpq_mat([*family, flatten([H])]).rank() == fmpq_mat(family).rank()


def stranger(B: fmpq_mat) -> fmpq_mat:
    """Return a matrix that commutes with B and is no polynomial in B; there must be one."""
    n = B.nrows()
    basis, nullity = commutation(B).nullspace()
    columns = fmpq_mat(basis).transpose().tolist()[:nullity]
    return next(H for H in (fmpq_mat(n, n, v) for v in columns) if not is_polynomial(H, B))


def has_simple_spectrum(graphs: Graphs) -> bool:
    """Whether T, with these graphs on its diagonal, has as many eigenvalues as rows."""
    chi = block_diagonal([rational_adjacency(graph) for graph in graphs]).charpoly()
    return chi.gcd(chi.derivative()).degree() == 0


def simple_one(graph: Graph) -> bool:
    """Whether all eigenvalues of one graph are simple."""
    return has_simple_spectrum([graph])


def converse_holds(graphs: Graphs) -> bool:
    """Whether all shift-invariant maps on the set are polynomial filters, by dimensions."""
    blocks = [rational_adjacency(graph) for graph in graphs]
    gamma = minimal_polynomial(blocks).degree()
    return sum(commutant_dimension(B) for B in blocks) == gamma


def check(setting: Setting) -> Outcome:
    """Commute random filters with A; compare dimensions for the converse."""
    rng = setting.rng(1)
    sets = graph_sets(setting, 1)
    tried = [shift_invariant(graphs, K, rng) for graphs in sets for K in range(1, 13)]
    pairs = [diagonalizable_pair(rng, n, c) for n in (3, 4, 5) for c in (True, False) * 10]
    alike = [(a * b == b * a, common_eigenvectors(a, b) == a.nrows()) for a, b in pairs]
    singles = [graph for n in range(1, 6) for graph in small_graphs(n)]
    doubles = small_sets(5 if setting.full else 4)
    verdicts = {graphs: converse_holds(graphs) for graphs in doubles}
    simple = {graphs: has_simple_spectrum(graphs) for graphs in doubles}
    broken = [graphs for graphs in doubles if not verdicts[graphs]]
    ones = [graphs[0] for graphs in broken if len(graphs) == 1]
    alone = first(ones, "graph that breaks the converse")
    joined = first((g for g in ones if len(g.components()) == 1), "connected one")
    pairs_of_simple = [g for g in broken if len(g) == 2 and all(map(simple_one, g))]
    level = first((g for g in pairs_of_simple if g[0].num_nodes == g[1].num_nodes), "pair")
    edged = [g for g in doubles if len(g) == 2 and all(h.num_edges for h in g)]
    good = [graph for graph in singles if converse_holds([graph])]
    matrices = [rational_adjacency(graph) for graph in singles]
    B = rational_adjacency(joined)
    H = stranger(B)
    entries = "; ".join(" ".join(str(entry) for entry in row) for row in H.tolist())
    return settle(
        f"filters commute with A ({len(tried)} tried); the converse holds only if T has simple "
        f"spectrum, and fails on {describe(alone)}, on {describe(joined)}, and on every two graphs "
        "that have an edge",
        printed=[
            Finding(
                r"$A(G) f(G, x) = f(G, A(G) x)$ for every $f \in \mathcal{F}_K$",
                all(tried),
                f"{len(tried)} random filters of degree 1 to 12 on {origin(sets)}, exactly",
            ),
            Finding(
                "diagonalizable matrices are simultaneously diagonalized if and only if they "
                "commute",
                all(commute == common for commute, common in alike),
                f"{len(pairs)} pairs with repeated eigenvalues, {sum(c for c, _ in alike)} of them "
                "commute: those, and no others, have a basis of common eigenvectors",
            ),
        ],
        instead=[
            Finding(
                "The converse, for one graph: all that commutes with $A$ is a polynomial in $A$ "
                "if and only if $A$ has simple spectrum",
                good == [graph for graph in singles if simple_one(graph)],
                f"all {len(singles)} graphs with up to 5 nodes; it holds on {len(good)} of them",
            ),
            Finding(
                r"The converse, for a set: shift-invariant maps have dimension "
                r"$\sum_G \sum_\lambda m_G(\lambda)^2$, polynomial filters $\Gamma$; they are "
                "equal if and only if $T$ has simple spectrum",
                all(verdicts[graphs] == simple[graphs] for graphs in doubles)
                and all(commutant_dimension(M) == sum_of_squares(M) for M in matrices),
                f"{len(doubles)} sets of one or two small graphs; the converse fails on "
                f"{len(broken)}, first, among simple spectra, on {names(pairs_of_simple[0])}, and "
                f"with one number of nodes on {names(level)}",
            ),
            Finding(
                "The converse fails on every set in which two graphs have an edge",
                not any(verdicts[graphs] for graphs in edged),
                f"{len(edged)} pairs; both graphs have the eigenvalue 1, where a polynomial has "
                "one value",
            ),
            Finding(
                "A matrix that commutes and is no polynomial, on the smallest connected graph "
                "that has one",
                H * B == B * H and not is_polynomial(H, B),
                f"{describe(joined)}: H = [{entries}]",
            ),
        ],
        tables=[_table(singles, good)],
        drawings=[
            draw("Smallest graph with a shift-invariant map that is no polynomial", alone),
            draw("Smallest connected one", joined),
            *(draw("Simple spectra, but not one polynomial for both", graph) for graph in level),
        ],
    )


def _table(singles: Graphs, good: Graphs) -> Table:
    of_all, of_good = (Counter(graph.num_nodes for graph in some) for some in (singles, good))
    rows = tuple((n, of_all[n], of_good[n]) for n in sorted(of_all))
    return Table("Where every LSI map is a polynomial", ("nodes", "graphs", "of them"), rows)


CLAIM = Claim(
    name="definition_1",
    number=1,
    where="Definition 1 (dfn:filter_space) and its remark (Appendix A, lemma:simul_diag)",
    statement=r"Functions $f \in \mathcal{F}_K$, $f(G, x) = \sum_{k=0}^K \theta_k A(G)^k x$, are "
    "all linear shift-invariant: $A(G) f(G, x) = f(G, A(G) x)$.",
    reading="For every polynomial $h$ and graph $G$, $h(A) A = A h(A)$; and the lemma that the "
    "remark rests on. The paper doesn't say the converse, but it calls these filters *the* "
    "shift-invariant ones, so we say when that is right.",
    check=check,
)
