r"""Lemma 2: τ, from filters to polynomials, and the quotient that makes it a ring isomorphism.

The paper says that :math:`\tau: \sum \theta_k A(G)^k \mapsto \sum \theta_k x^k`, from
:math:`\mathcal F_K` to :math:`\mathbb R_K[x]`, is a ring isomorphism when
:math:`K \le \Gamma - 1`, since both sides have dimension K + 1.

*What is true.* Equal dimensions make τ an isomorphism of vector spaces. It can't be one of rings
for any :math:`K \ge 1`, because :math:`\mathbb R_K[x]` is not closed under multiplication, and no
other choice of polynomials would help: with :math:`m = ab` the minimal polynomial of :math:`T`,
:math:`a(A) \circ b(A) = 0` though neither is zero, while a product of nonzero polynomials is never
zero. The smallest case is an edge: :math:`A \circ A = I`, but :math:`x \cdot x \ne 1`.

What repairs it is to multiply modulo m: polynomials act on the set through
:math:`\mathbb R[x] \to \mathcal F_{\Gamma - 1}`, :math:`h \mapsto h(A)`, which respects sums and
products, is onto, and has the multiples of m as its kernel. So

.. math:: \mathbb R[x] / (m) \;\cong\; \mathcal F_{\Gamma - 1} \;\cong\; \mathbb R^\Gamma,

and :math:`\tau(f \circ g) = \tau(f) \tau(g) \bmod m`, where "mod m" may be left out if and only if
the degrees add up to :math:`\Gamma - 1` at most. That is all that Theorem 1 needs.

>>> edge = [rational_adjacency(Graph.from_edges([(0, 1)]))]
>>> tau([B * B for B in edge], edge, 1)  # of A ∘ A
1
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from flint import fmpq_mat, fmpq_poly

from polyfilter.claim import Claim, ClaimError, Finding, Outcome, Setting, Table, settle
from polyfilter.claims._common import graph_sets, modest, names, small_sets, title
from polyfilter.claims._rational import (
    Blocks,
    compose,
    draw,
    flatten,
    identity,
    make,
    minimal_polynomial,
    power_ranks,
    powers,
    random_polynomial,
    rational_adjacency,
    show,
    x,
)
from polyfilter.graphs import Graph, GraphSet


def tau(f: Blocks, blocks: Blocks, degree: int) -> fmpq_poly:
    """Return the polynomial of at most this degree, below Γ, whose filter f is.

    It is found by solving for its coefficients, so that nothing is assumed about products.
    """
    stacks = zip(*(powers(B, degree) for B in blocks), strict=True)
    columns = [*(flatten(stack) for stack in stacks), flatten(f)]
    reduced, rank = fmpq_mat(columns).transpose().rref()
    if rank != degree + 1:
        raise ClaimError(f"f is not one polynomial of degree {degree}: rank {rank}")
    return fmpq_poly([reduced[k, degree + 1] for k in range(degree + 1)])


def idempotents(m: fmpq_poly) -> list[fmpq_poly]:
    """Return for every irreducible factor of m the polynomial that is 1 modulo it and 0 elsewhere.

    >>> idempotents(x**2 - 1)
    [1/2*x + 1/2, (-1/2)*x + 1/2]
    """
    found = []
    for factor, _ in m.factor()[1]:
        rest = m / factor
        _, inverse, _ = rest.xgcd(factor)
        found.append(rest * inverse % m)
    return found


def splits(blocks: Blocks, m: fmpq_poly) -> bool:
    """Whether the idempotents of R[x]/(m) are projections that share out the whole space."""
    projections = [make(e, blocks) for e in idempotents(m)]
    zero = make(fmpq_poly([0]), blocks)
    whole = [sum((p[i] for p in projections), zero[i]) for i in range(len(blocks))]
    return (
        len(projections) == len(m.factor()[1])
        and all(any(p) and compose(p, p) == p for p in projections)
        and all(compose(p, q) == zero for p, q in combinations(projections, 2))
        and whole == [identity(B.nrows()) for B in blocks]
    )


def has_zero_divisors(blocks: Blocks, m: fmpq_poly) -> bool:
    """Whether the factors x - 1 and m / (x - 1) give nonzero filters that compose to zero."""
    a, b = make(x - 1, blocks), make(m / (x - 1), blocks)
    return any(a) and any(b) and not any(compose(a, b))


def agreement(blocks: Blocks, m: fmpq_poly, f: fmpq_poly, g: fmpq_poly) -> tuple[bool, bool]:
    """Whether τ(f ∘ g) is τ(f) τ(g), and whether it is modulo m."""
    image = tau(compose(make(f, blocks), make(g, blocks)), blocks, m.degree() - 1)
    return image == f * g, image == f * g % m


def pairs_of_filters(
    rng: np.random.Generator, gamma: int, count: int
) -> list[tuple[fmpq_poly, fmpq_poly]]:
    """Draw pairs of filters below degree Γ; the first two stand on either side of the border."""
    half = gamma // 2
    below, above = (half, gamma - 1 - half), (half, gamma - half)
    degrees = [below, above, *rng.integers(gamma, size=(count, 2))]
    return [(random_polynomial(rng, int(a)), random_polynomial(rng, int(b))) for a, b in degrees]


@dataclass(frozen=True, eq=False)
class Trial:
    """What was found on one graph set.

    Attributes
    ----------
    graphs, gamma
        The set and its capacity.
    ranks
        Dimensions of F_0, ..., F_{Γ + 1}.
    squares
        Degrees K < Γ for which τ(A^K ∘ A^K) is not x^K · x^K.
    products
        For pairs of random filters: the degrees of both together, whether τ(f ∘ g) = τ(f) τ(g), and
        whether that is so modulo m.
    splits, divides
        Whether :func:`splits` and :func:`has_zero_divisors`.
    """

    graphs: Sequence[Graph]
    gamma: int
    ranks: list[int]
    squares: list[int]
    products: list[tuple[int, bool, bool]]
    splits: bool
    divides: bool

    @classmethod
    def of(cls, graphs: Sequence[Graph], rng: np.random.Generator, count: int) -> Trial:
        """Compute everything over the rationals; the set must have an edge."""
        blocks = [rational_adjacency(graph) for graph in graphs]
        m = minimal_polynomial(blocks)
        gamma = m.degree()
        squares = [K for K in range(1, gamma) if not agreement(blocks, m, x**K, x**K)[0]]
        products = [
            (f.degree() + g.degree(), *agreement(blocks, m, f, g))
            for f, g in pairs_of_filters(rng, gamma, count)
        ]
        ranks = power_ranks(blocks, gamma + 1)
        divides = has_zero_divisors(blocks, m)
        return cls(graphs, gamma, ranks, squares, products, splits(blocks, m), divides)


def check(setting: Setting) -> Outcome:
    """Compute τ of compositions by elimination, and compare with products of polynomials."""
    rng, count = setting.rng(5), 12 if setting.full else 3
    small = small_sets(4, num_graphs=1) + small_sets(3)
    sets = [*small, *map(modest, graph_sets(setting, 5))]
    trials = [Trial.of(s, rng, count) for s in sets if any(graph.num_edges for graph in s)]
    linear = [(t.gamma > K, t.ranks[K] == K + 1) for t in trials for K in range(1, t.gamma + 2)]
    products = [(degree < t.gamma, *same) for t in trials for degree, *same in t.products]
    unequal = sum(not equal for _, equal, _ in products)
    first = [(trial.graphs, K) for trial in trials for K in trial.squares][:1]
    example = "".join(f"; smallest: {names(g)}, f = g = A^{K}, degree {K}" for g, K in first)
    return settle(
        f"a linear isomorphism; τ(f∘g) = τ(f)τ(g) fails for {unequal} of {len(products)} pairs, "
        f"those whose degrees add up to Γ or more, and holds modulo m for all{example}",
        printed=[
            Finding(
                r"$\tau: \mathcal{F}_K \to \mathbb{R}_K[x]$ is linear, one to one and onto for "
                r"$K \le \Gamma - 1$",
                all(full for below, full in linear if below),
                f"{sum(below for below, _ in linear)} sets and degrees, by rank",
            ),
            Finding(
                r"$\tau(f \circ g) = \tau(f) \tau(g)$ for $f, g \in \mathcal{F}_K$, "
                r"$K \le \Gamma - 1$",
                not first and not unequal,
                f"{unequal} of {len(products)} random pairs differ{example}",
            ),
        ],
        repaired=[
            Finding(
                r"$\tau$ is an isomorphism of vector spaces $\mathcal{F}_K \to \mathbb{R}_K[x]$ if "
                r"and only if $K \le \Gamma - 1$; beyond, $m(A) = 0$ has two images",
                all(below == full for below, full in linear),
                f"{len(linear)} sets and degrees up to K = Γ + 1",
            ),
            Finding(
                r"$\tau(f \circ g) \equiv \tau(f) \tau(g) \pmod m$ always, with equality if and "
                r"only if $\deg \tau(f) + \deg \tau(g) \le \Gamma - 1$",
                all(below == equal and modulo for below, equal, modulo in products),
                f"{len(products)} random pairs on {len(trials)} sets, τ found by elimination",
            ),
            Finding(
                r"$\mathbb{R}[x]/(m) \cong \mathcal{F}_{\Gamma - 1}$ as rings: its idempotents are "
                "projections that share out the space of signals",
                all(trial.splits for trial in trials),
                f"{len(trials)} sets; onto since powers below Γ span, one to one since m is least",
            ),
            Finding(
                r"For $\Gamma \ge 2$ filters have zero divisors, so they are isomorphic to no ring "
                "of polynomials, which have none",
                all(trial.divides for trial in trials),
                f"$(x - 1)$ and $m / (x - 1)$ on all {len(trials)} sets",
            ),
        ],
        tables=[_table([trial for trial in trials if isinstance(trial.graphs, GraphSet)])],
        drawings=[
            draw(f"f = g = A^{K}: τ(f ∘ g) = {_square(g, K)}, τ(f) τ(g) = x^{2 * K}", graph)
            for g, K in first
            for graph in g
        ],
    )


def _square(graphs: Sequence[Graph], K: int) -> str:
    return show(x ** (2 * K) % minimal_polynomial(rational_adjacency(graph) for graph in graphs))


def _table(trials: Sequence[Trial]) -> Table:
    rows = []
    for t in trials:
        equal, modulo = (sum(product[k] for product in t.products) for k in (1, 2))
        rows.append((title(t.graphs), t.gamma, len(t.products), equal, modulo))
    header = ("graph set", "Γ", "pairs", "τ(f∘g) = τ(f)τ(g)", "the same modulo m")
    return Table("Random filters of degree below Γ, on the sets of this run", header, tuple(rows))


CLAIM = Claim(
    name="lemma_2",
    number=5,
    where="Lemma 2 (lem:tau, equ:ring_iso) and its proof (Appendix D)",
    statement=r"$\tau: \mathcal{F}_K \to \mathbb{R}_K[x]$, $\sum_k \theta_k A(G)^k \mapsto \sum_k "
    r"\theta_k x^k$ is a ring isomorphism when $K \le \Gamma - 1$.",
    reading=r"$\tau$ is well defined, linear, one to one and onto, and takes compositions of "
    r"filters of $\mathcal{F}_K$ to products of polynomials, for $1 \le K \le \Gamma - 1$.",
    check=check,
    conjectures=(5,),
)
