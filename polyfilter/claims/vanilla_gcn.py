r"""Vanilla GCN spans a line, and a residual connection makes it complete.

*Statement.* The spanning space of L layers :math:`\theta (A + I)` is
:math:`\{\Theta \sum_l \binom{l}{L} x^l\}`, of dimension 1 however large L is, negligible in
:math:`\mathcal A`.

*The binomial.* :math:`\binom lL = 0` for :math:`l < L`, so that what is printed is
:math:`\Theta x^L`; the layers make :math:`\Theta (x + 1)^L = \Theta \sum_l \binom{L}{l} x^l`. The
line is never zero, as not all eigenvalues are -1 (the trace is 0); it is all of
:math:`\mathcal A` exactly if :math:`\Gamma = 1`, that is, without edges. Width alone changes
nothing: :math:`v^\top W_1 \cdots W_L u \, (x + 1)^L` is on the same line.

*A residual connection* turns a layer into :math:`I + (x + 1) W`. At :math:`x = -1` this is the
identity, so that a network with read-in u and read-out v has :math:`p(-1) = v \cdot u`.

- One channel: :math:`c \prod (1 + w_l (x + 1))`: real roots, all but -1. If -1 is an eigenvalue
  then :math:`x + 1` is out of reach at every depth.
- Two channels, W a rotation and scaling by :math:`w = -1/(1 + r)`: the factor
  :math:`(x - r)/(-1 - r)` for a complex r. All real polynomials but those with the root -1.
- Two channels and any W: all polynomials of degree L, the root -1 too. With
  :math:`z = x + 1` and channels (y, s), the layer :math:`y \mathrel{+}= c_l z s`,
  :math:`s \mathrel{+}= a_l z s` adds a term to Newton's form
  :math:`c_0 + \sum_l c_l \, z \prod_{j<l} (1 + a_j z)`, whose terms are a basis if no
  :math:`a_j = 0`. Read-in :math:`(c_0, 1)`, read-out (1, 0), rational weights, no roots needed.

So vanilla with a residual and two channels is complete at depth Γ - 1, and not before (degree).

>>> line(3, right_binomial), line(3, printed_binomial)
(x^3 + 3*x^2 + 3*x + 1, x^3)
>>> edge = rational_adjacency(Graph.from_edges([(0, 1)]))
>>> realised([edge], x + 1)
True
"""

from collections.abc import Callable, Sequence
from math import comb

import numpy as np
from flint import fmpq, fmpq_mat, fmpq_poly

from polyfilter.claim import Claim, Drawing, Finding, Outcome, Setting, Table, settle
from polyfilter.claims._channels import CLOSED, random_matrix, random_roots, run
from polyfilter.claims._common import describe, graph_sets, origin, small_graphs
from polyfilter.claims._rational import (
    evaluate,
    flatten,
    identity,
    minimal_polynomial,
    random_polynomial,
    rational_adjacency,
    x,
)
from polyfilter.claims._residual import at_minus_one, enclosed, realised, rotated
from polyfilter.graphs import Graph

Blocks = Sequence[fmpq_mat]
Binomial = Callable[[int, int], int]

DEPTHS = range(1, 6)
DRAWS = 6
"""How many random networks a space is spanned by."""


def printed_binomial(k: int, L: int) -> int:
    """Return the coefficient as printed: zero for k < L."""
    return comb(k, L)


def right_binomial(k: int, L: int) -> int:
    """Return the coefficient of x^k in (x + 1)^L."""
    return comb(L, k)


def line(L: int, binomial: Binomial) -> fmpq_poly:
    """Return the polynomial whose multiples are said to be the spanning space."""
    return fmpq_poly([binomial(k, L) for k in range(L + 1)])


# ------------------------------------------------------------------------------ without a residual


def networks(blocks: Blocks, L: int, width: int, rng: np.random.Generator) -> list[list[fmpq]]:
    """Run random stacks of L layers X -> (A + I) X W on every graph; the entries of each, a row."""
    found = []
    for _ in range(DRAWS):
        layers = [(W, W) for W in (random_matrix(rng, width, width) for _ in range(L))]
        (u,), (v,) = random_matrix(rng, 1, width), random_matrix(rng, 1, width)
        found.append(flatten(run(layers, B, identity(B.nrows()), u, v) for B in blocks))
    return found


def rank(vectors: Sequence[Sequence[fmpq]]) -> int:
    """Dimension of a span, over the rationals."""
    return int(fmpq_mat([list(vector) for vector in vectors]).rank())


def is_line(blocks: Blocks, L: int, drawn: Sequence[Sequence[fmpq]], binomial: Binomial) -> bool:
    """Whether networks span exactly the multiples of the polynomial that is said to do so."""
    said = flatten(evaluate(line(L, binomial), B) for B in blocks)
    return rank([said]) == rank(drawn) == rank([said, *drawn]) == 1


def misprint(graph: Graph, rng: np.random.Generator) -> int | None:
    """Return the least depth at which the printed line is not the spanning space of a graph."""
    blocks = [rational_adjacency(graph)]
    for L in DEPTHS:
        if not is_line(blocks, L, networks(blocks, L, 1, rng), printed_binomial):
            return L
    return None


def smallest(holds: Callable[[Graph], bool]) -> Graph:
    """Return the graph with fewest nodes, and then fewest edges, for which something is so."""
    return next(graph for n in range(1, 6) for graph in small_graphs(n) if holds(graph))


# --------------------------------------------------------------------------------------- the check


def check(setting: Setting) -> Outcome:
    """Span the line, correct the binomial, and build what a residual connection can do."""
    rng, families = setting.rng(8), graph_sets(setting, 8)
    sets = [[rational_adjacency(graph) for graph in family] for family in families]
    narrow = [(blocks, L, networks(blocks, L, 1, rng)) for blocks in sets for L in DEPTHS]
    wide = [
        (blocks, L, networks(blocks, L, w, rng)) for blocks in sets for L in (2, 3) for w in (2, 3)
    ]
    minimal = [minimal_polynomial(blocks) for blocks in sets]
    gammas = [m.degree() for m in minimal]
    orders = [rank([flatten(B**k for B in blocks) for k in (0, 1)]) for blocks in sets]
    targets = [random_polynomial(rng, g - 1) for g in gammas]
    vanishing = [(x + 1) * random_polynomial(rng, max(0, g - 2)) for g in gammas]
    pairs = zip([*sets, *sets], targets + vanishing, strict=True)
    built = [realised(blocks, h) for blocks, h in pairs]
    needed = [(h % m).degree() == m.degree() - 1 for h, m in zip(targets, minimal, strict=True)]
    roots = [random_roots(rng, degree) for degree in range(1, 9)]
    proper = [h if h(-1) != 0 else h + 1 for h in targets]
    errors = [enclosed(family, h) for family, h in zip(families, proper, strict=True)]
    node = smallest(lambda graph: misprint(graph, rng) is not None)
    edge = smallest(lambda graph: graph.num_edges > 0 and misprint(graph, rng) is not None)
    blind = smallest(lambda graph: minimal_polynomial([rational_adjacency(graph)])(-1) == 0)
    rows = [
        (family.name, g, rank(networks(blocks, 5, 1, rng)), max(1, h.degree()), f"{error:.0e}")
        for family, blocks, g, h, error in zip(families, sets, gammas, targets, errors, strict=True)
    ]
    where = f"{origin(families)}, L = {DEPTHS[0]} to {DEPTHS[-1]}"
    return settle(
        f"the line is $(x+1)^L$, not $x^L$ as printed ({describe(node)}, L = "
        f"{misprint(node, rng)}, differs); with a residual and two channels all filters, up to "
        f"Γ = {max(gammas)}, in Γ - 1 layers, the root -1 included",
        printed=[
            Finding(
                r"the space is $\{\Theta \sum_l \binom{l}{L} x^l\}$",
                all(is_line(*case, printed_binomial) for case in narrow),
                f"that is $\\Theta x^L$; smallest: {describe(node)} at L = {misprint(node, rng)}, "
                f"with an edge {describe(edge)} at L = {misprint(edge, rng)}",
            ),
            Finding(
                r"$\dim \mathcal{F}_1^L = 1$ for all $L$",
                all(rank(drawn) == 1 for _, _, drawn in narrow),
                f"rank of {DRAWS} random networks over the rationals, {where}",
            ),
            Finding(
                r"that is a proper subspace of $\mathcal{A}$",
                all(g > 1 for g in gammas),
                f"not without edges: Γ = {min(gammas)} there, as on {describe(node)}",
            ),
            Finding(
                r"layers of $\mathcal{F}_1$ (Definition 1) are meant, so that $\dim \mathcal{F}_1 "
                "= 1$",
                max(orders) == 1,
                f"$I$ and $A$ have rank {max(orders)}: only the line $\\theta (A + I)$ is meant",
            ),
        ],
        repaired=[
            Finding(
                r"layers $\theta (A + I)$ span $\{\Theta \sum_l \binom{L}{l} x^l\}$, a line",
                all(is_line(*case, right_binomial) for case in narrow),
                where,
            ),
            Finding(
                "it is all of $\\mathcal{A}$ exactly if there is no edge",
                all(
                    (g == 1) == (sum(graph.num_edges for graph in family) == 0)
                    for g, family in zip(gammas, families, strict=True)
                ),
                f"Γ = {', '.join(map(str, gammas))}",
            ),
        ],
        instead=[
            Finding(
                "more channels without a residual stay on the line",
                all(is_line(*case, right_binomial) for case in wide),
                f"widths 2 and 3, {len(wide)} cases",
            ),
            Finding(
                "with a residual the response at -1 is the read-out times the read-in, so that one "
                f"channel never makes $x + 1$ where -1 is an eigenvalue (first: {describe(blind)})",
                all(at_minus_one(w, L, rng) for w in (1, 2, 3) for L in DEPTHS),
                "widths 1 to 3, exact",
            ),
            Finding(
                "a residual and two channels with $W$ a rotation and scaling make every "
                "polynomial without the root -1",
                all(map(rotated, roots)) and max(errors) < CLOSED,
                f"degrees 1 to {len(roots)} exactly; on exact spectra within {max(errors):.0e}",
            ),
            Finding(
                r"a residual and two channels make every polynomial of degree $L$ in $L$ layers, "
                r"the root -1 included: complete at depth $\Gamma - 1$ and not before",
                all(built) and all(needed),
                f"{len(built)} filters on {origin(families)}, half of them zero at -1; they leave "
                r"a remainder of degree $\Gamma - 1$ modulo $m$, so that no fewer layers do",
            ),
        ],
        tables=[
            Table(
                "Vanilla layers without a residual, and with one and two channels",
                (
                    "graph set",
                    "Γ",
                    "dimension at L = 5",
                    "layers for any filter",
                    "rotations off by",
                ),
                tuple(rows),
            )
        ],
        drawings=[
            Drawing(r"eigenvalue 0: $x^L$ is zero here, and $(x + 1)^L$ is not", node),
            Drawing("eigenvalues -1 and 1: a residual with one channel never makes $x + 1$", blind),
        ],
    )


CLAIM = Claim(
    name="vanilla_gcn",
    number=8,
    where="Section 3.2 (equ:vanilla_lss)",
    statement=r"$\mathcal{F}_1^L \simeq \{p : p(x) = \Theta \sum_{l=0}^{L} \binom{l}{L} x^l\}$; "
    r"no matter how large $L$ is, $\dim \mathcal{F}_1^L = 1$, a negligible subspace of "
    r"$\mathcal{A}$.",
    reading=r"Compositions of $L$ layers $\theta (A + I)$ with any $\theta$ are, on every graph "
    r"set, the multiples of the polynomial that is printed; and what changes with a residual "
    r"connection, $X + (A + I) X W$, and several channels.",
    check=check,
    conjectures=(3, 5),
)
