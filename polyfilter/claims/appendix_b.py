r"""Appendix B: π, from filters to block diagonal matrices, and what "ring" can mean.

The paper puts the matrices :math:`A(G)` of a set on the diagonal of one matrix :math:`T`, says that
:math:`\Gamma` counts its distinct eigenvalues, and that
:math:`\pi: \sum \theta_k A(G)^k \mapsto \sum \theta_k T^k` is a ring isomorphism from
:math:`\mathcal F_K` to :math:`\mathcal T_K`.

*What is true.* :math:`\pi(f)` has the blocks :math:`f(G)` on its diagonal, so π doesn't depend on
the choice of θ, is linear and one to one, and :math:`\pi(f \circ g) = \pi(f) \pi(g)`. But
:math:`\mathcal F_K` is closed under composition, and so a ring, only if :math:`K \ge \Gamma - 1`:
for :math:`1 \le K < \Gamma - 1` the powers :math:`I, \dots, A^{K+1}` are independent (Lemma 1), and
:math:`A \circ A^K` is outside. For those K, π is an isomorphism of vector spaces that respects
every product that stays inside; for the others, and for the union of all :math:`\mathcal F_K`,
which is :math:`\mathcal F_{\Gamma - 1}`, it is one of rings.

>>> survey = Survey.of([Graph.from_edges([(0, 1)], num_nodes=3)])  # eigenvalues -1, 0, 1
>>> survey.gamma, survey.closed
(3, {1: False, 2: True, 3: True, 4: True})
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flint import fmpq_mat, fmpq_poly

from polyfilter.capacity import spectrum_capacity
from polyfilter.claim import Claim, Finding, Outcome, Setting, Table, settle
from polyfilter.claims._common import graph_sets, modest, names, origin, small_sets, title
from polyfilter.claims._rational import (
    Blocks,
    block_diagonal,
    compose,
    draw,
    evaluate,
    make,
    minimal_polynomial,
    power_ranks,
    random_polynomial,
    rational_adjacency,
)
from polyfilter.graphs import Graph, GraphSet


def pi(theta: fmpq_poly, blocks: Blocks) -> fmpq_mat:
    """Return the matrix with these coefficients, in powers of T."""
    return evaluate(theta, block_diagonal(blocks))


def respects_operations(blocks: Blocks, f: fmpq_poly, g: fmpq_poly) -> bool:
    """Whether π maps f ∘ g and f + g to the product and the sum of the images."""
    F, G = make(f, blocks), make(g, blocks)
    composed = block_diagonal(compose(F, G))
    added = block_diagonal([a + b for a, b in zip(F, G, strict=True)])
    left, right = pi(f, blocks), pi(g, blocks)
    return composed == left * right and added == left + right


def is_well_defined(blocks: Blocks, f: fmpq_poly, g: fmpq_poly) -> bool:
    """Whether two ways to write a filter have one image: f and f + g m, with m(T) = 0."""
    other = f + g * minimal_polynomial(blocks)
    return make(f, blocks) == make(other, blocks) and pi(f, blocks) == pi(other, blocks)


def distinct_eigenvalues(T: fmpq_mat) -> int:
    """Return the number of eigenvalues without multiplicity, from the characteristic polynomial."""
    chi = T.charpoly()
    return chi.degree() - chi.gcd(chi.derivative()).degree()


@dataclass(frozen=True, eq=False)
class Survey:
    """Which filter spaces of a graph set are rings.

    Attributes
    ----------
    graphs, gamma
        The set and its capacity.
    closed
        For every K from 1 to Γ + 1: whether compositions of filters of degree K have degree K.
        They span the filters of degree 2K, so this is a matter of two ranks.
    """

    graphs: Sequence[Graph]
    gamma: int
    closed: dict[int, bool]

    @classmethod
    def of(cls, graphs: Sequence[Graph]) -> Survey:
        """Compute all ranks over the rationals."""
        gamma = spectrum_capacity(GraphSet(graphs), "algebraic").value
        ranks = power_ranks([rational_adjacency(graph) for graph in graphs], 2 * (gamma + 1))
        return cls(graphs, gamma, {K: ranks[K] == ranks[2 * K] for K in range(1, gamma + 2)})

    @property
    def as_expected(self) -> bool:
        """Whether closed means K ≥ Γ - 1."""
        return all(closed == (self.gamma - 1 <= K) for K, closed in self.closed.items())


def check(setting: Setting) -> Outcome:
    """Try π on random filters of many sets, and closedness for every K."""
    rng, sets = setting.rng(4), graph_sets(setting, 4)
    families = [[rational_adjacency(graph) for graph in graphs] for graphs in sets]
    matrices = [block_diagonal(blocks) for blocks in families]
    gammas = [spectrum_capacity(graphs, "algebraic").value for graphs in sets]
    counts = [distinct_eigenvalues(T) for T in matrices]
    minimal = [T.minpoly().degree() for T in matrices]
    pairs = [[random_polynomial(rng, int(d)) for d in rng.integers(1, 7, 2)] for _ in range(3)]
    operations = [respects_operations(blocks, f, g) for blocks in families for f, g in pairs]
    images = [is_well_defined(blocks, f, g) for blocks in families for f, g in pairs]
    degree = 8
    injective = [
        power_ranks(blocks, degree) == power_ranks([T], degree)
        for blocks, T in zip(families, matrices, strict=True)
    ]
    atlas = small_sets(5 if setting.full else 4, num_graphs=1) + small_sets(3)
    surveys = [Survey.of(graphs) for graphs in (*atlas, *map(modest, sets))]
    cases = [(survey, K) for survey in surveys for K in survey.closed]
    broken = [(survey, K) for survey, K in cases if not survey.closed[K]]
    rings = [(survey, K) for survey, K in cases if survey.gamma - 1 <= K]
    first = [(survey.graphs, K) for survey, K in broken[:1]]
    example = "".join(f"; smallest: {names(graphs)} with K = {K}" for graphs, K in first)
    return settle(
        f"π is linear, one to one and multiplicative, but F_K is no ring in {len(broken)} of "
        f"{len(cases)} cases: exactly if K < Γ - 1{example}",
        printed=[
            Finding(
                r"Remark: $\Gamma$ is the number of eigenvalues of $T$ without multiplicity, which "
                "is the degree of its minimal polynomial",
                gammas == counts == minimal,
                f"Γ = {', '.join(map(str, gammas))} on {origin(sets)}, by irreducible factors, by "
                "the characteristic and by the minimal polynomial of T",
            ),
            Finding(
                r"$\pi$ is a map, one to one and onto $\mathcal{T}_K$",
                all(injective) and all(images),
                f"{len(images)} filters written in two ways have one image, and spaces have the "
                f"dimension of their images for K ≤ {degree}",
            ),
            Finding(
                r"$\pi$ takes sums to sums and compositions to products",
                all(operations),
                f"{len(operations)} pairs of random filters, exactly",
            ),
            Finding(
                r"$\mathcal{F}_K$ is a ring for every $K > 0$, that is closed under composition",
                not broken,
                f"it is not for {len(broken)} of {len(cases)} sets and degrees{example}",
            ),
        ],
        repaired=[
            Finding(
                r"$\mathcal{F}_K$ is closed under composition if and only if $K \ge \Gamma - 1$",
                all(survey.as_expected for survey in surveys),
                f"{len(surveys)} sets, every K from 1 to Γ + 1, by ranks over the rationals",
            ),
            Finding(
                r"$\pi$ is an isomorphism of vector spaces for every $K$, and one of rings for "
                r"$K \ge \Gamma - 1$, that is on $\bigcup_K \mathcal{F}_K = "
                r"\mathcal{F}_{\Gamma - 1}$",
                all(injective) and all(operations) and all(s.closed[K] for s, K in rings),
                f"all {len(rings)} sets and degrees with K ≥ Γ - 1 are rings",
            ),
        ],
        tables=[_table(surveys[len(atlas) :])],
        drawings=[
            draw(f"No ring for K = {K}: A ∘ A is no filter of degree {K}", graph)
            for graphs, K in first
            for graph in graphs
        ],
    )


def _table(surveys: Sequence[Survey]) -> Table:
    rows = []
    for survey in surveys:
        least = min((K for K, closed in survey.closed.items() if closed), default="none")
        rows.append((title(survey.graphs), survey.gamma, least))
    header = ("graph set", "Γ", "least K for which F_K is a ring")
    return Table("Filters of degree K are a ring from K = max(1, Γ - 1) on", header, tuple(rows))


CLAIM = Claim(
    name="appendix_b",
    number=4,
    where="Appendix B (supp:dev_ring_iso, equ:block_diag)",
    statement=r"$\pi: \mathcal{F}_K \to \mathcal{T}_K$, $\sum_k \theta_k A(G)^k \mapsto \sum_k "
    r"\theta_k T^k$ is a ring isomorphism, where $T$ is block diagonal with all $A(G)$; $\Gamma$ "
    "is the number of eigenvalues of $T$ without multiplicity.",
    reading=r"$\pi$ is well defined, linear, one to one and onto, takes compositions to products, "
    r"and $\mathcal{F}_K$ is a ring, for every $K > 0$.",
    check=check,
    conjectures=(5,),
)
