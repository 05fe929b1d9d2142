r"""Theorem 1, constructively: every filter is a product of ⌈(Γ - 1)/2⌉ second-order layers.

*Statement.* For any :math:`f` of the ambient space :math:`F_{\Gamma-1}` there are
:math:`f_2^{(l)} \in F_2` with :math:`f = f_2^{(L)} \circ \dots \circ f_2^{(1)}` and
:math:`L \le \lceil (\Gamma - 1)/2 \rceil`.

*Reading.* Filters made to be hard are factored in ball arithmetic: isolated roots prove that real
layers with that product exist, and the balls that hold the layers are composed again, on the exact
eigenvalues and as matrices, and have to close on the filter to :data:`PROOF_BITS` bits.

*Γ = 1.* A graph without edges has :math:`A = 0`, and :math:`\lceil 0/2 \rceil = 0` layers compose
to the identity: the filter :math:`2I` is not reached. One layer reaches it. If there is an edge,
then 1 is an eigenvalue and the trace is 0, so :math:`\Gamma \ge 2`: there is no other exception.

*No depth below will do.* :math:`L < \lceil (\Gamma - 1)/2 \rceil` means
:math:`2L < \Gamma - 1`, and the product of the layers has degree at most :math:`2L`. But
:math:`I, A, \dots, A^{\Gamma-1}` are independent, so :math:`A^{\Gamma-1}` is not a product of
:math:`L` layers; what is has dimension :math:`2L + 1`, the rank of the map from weights to filters:
:math:`3L` weights, of which :math:`L - 1` only move scale from layer to layer.

>>> asked(1), asked(2), asked(7)
(0, 1, 3)
>>> from flint import fmpq_poly
>>> edge = GraphSet([Graph.from_edges([(0, 1)])])
>>> prove(edge, lambda bits: fmpq_poly([1, 3]))
Proof(layers=1, equal=True, bits=400)
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from flint import arb, arb_mat, arb_poly, ctx

from polyfilter.capacity import spectrum_capacity
from polyfilter.certify import certify, eigenvalue_balls
from polyfilter.claim import Claim, ClaimError, Drawing, Finding, Outcome, Setting, Table, settle
from polyfilter.claims._common import describe, graph_sets, origin, random_graph, small_graphs
from polyfilter.claims._filters import AmbientFilter, ambient_filters
from polyfilter.claims._ranks import PRIME, DepthRank, depth_ranks
from polyfilter.claims._rational import rational_adjacency
from polyfilter.enclosure import BallLayer, ball_layers, evaluate
from polyfilter.errors import FilterError
from polyfilter.graphs import Graph, GraphSet
from polyfilter.stack import factorize

PROOF_BITS = 100
"""How far the balls have to close on the filter, relative to its largest value."""
MAX_BITS = 1 << 14
MATRIX_NODES = 10
"""Up to this size filters are also compared as matrices."""


def asked(gamma: int) -> int:
    """The depth that Theorem 1 asks for."""
    return -(-(gamma - 1) // 2)


@dataclass(frozen=True)
class Proof:
    """How many layers a filter took, whether they give it back, and the bits that it took."""

    layers: int
    equal: bool
    bits: int


def prove(family: GraphSet, h: AmbientFilter) -> Proof:
    """Factor a filter and compose the layers again, with more bits until the balls close on it."""
    bits = 4 * PROOF_BITS
    while bits <= MAX_BITS:
        try:
            layers = ball_layers(h(bits), bits)
        except FilterError:
            bits *= 2
            continue
        with ctx.workprec(bits):
            wanted = arb_poly(h(bits))
            pairs = [
                *((evaluate(layers, ball), wanted(ball)) for ball in eigenvalue_balls(family)),
                *_entries(family, wanted, layers),
            ]
            gaps = [found - value for found, value in pairs]
            largest = max((abs(value).abs_upper() for _, value in pairs), key=float)
            if not all(gap.contains(0) for gap in gaps):
                return Proof(len(layers), False, bits)
            if all(gap.abs_upper() <= largest * arb(2) ** -PROOF_BITS for gap in gaps):
                return Proof(len(layers), True, bits)
        bits *= 2
    raise ClaimError(f"{MAX_BITS} bits do not settle whether the layers give the filter")


def _entries(
    family: GraphSet, h: arb_poly, layers: Sequence[BallLayer]
) -> Iterator[tuple[arb, arb]]:
    """Without eigenvalues: the entries of the composed layers, and of h, on D^-1 W."""
    for graph in family:
        n = graph.num_nodes
        if n > MATRIX_NODES:
            continue
        B = arb_mat(rational_adjacency(graph))
        one = arb_mat(n, n, [int(i == j) for i in range(n) for j in range(n)])
        found, wanted = one, 0 * one
        for zero, first, second in layers:
            found = found * (zero * one + B * (first * one + second * B))
        for c in reversed(h.coeffs()):
            wanted = wanted * B + c * one
        yield from zip(found.entries(), wanted.entries(), strict=True)


@dataclass(frozen=True)
class Case:
    """A graph set, and what became of its filters."""

    family: GraphSet
    gamma: int
    proofs: tuple[Proof, ...]
    ranks: tuple[DepthRank, ...]
    float_error: float

    def fits(self, depth: int) -> bool:
        """Whether all filters are equal to their layers, and these are no more than ``depth``."""
        return all(proof.equal and proof.layers <= depth for proof in self.proofs)

    def row(self) -> tuple[str | int | float, ...]:
        """A row of the table."""
        deepest = max(proof.layers for proof in self.proofs)
        bits = max(proof.bits for proof in self.proofs)
        off = f"{self.float_error:.1e}"
        return (self.family.name, self.gamma, asked(self.gamma), deepest, bits, off)


def cases(setting: Setting) -> Iterator[Case]:
    """Every graph set with its filters, proven; the last float64 stack for comparison."""
    rng = setting.rng(6)
    sizes = (30, 40, 50) if setting.full else (12, 16)
    for family in (
        *graph_sets(setting, 6),
        GraphSet([Graph.from_edges([(0, 1)])], "one edge"),
        GraphSet([random_graph(rng, n, 0.25) for n in sizes], "larger"),
    ):
        gamma = spectrum_capacity(family, "algebraic").value
        proofs = tuple(prove(family, h) for _, h in ambient_filters(family, rng))
        ranks = tuple(depth_ranks(family, gamma, max(1, asked(gamma)), rng))
        integers = [int(a) for a in rng.integers(-9, 10, size=gamma - 1)] + [1]
        stack = factorize(integers, family, method="certified")
        off = certify(stack.theta, stack.filter, family).relative
        yield Case(family, gamma, proofs, ranks, off)


def check(setting: Setting) -> Outcome:
    """Factor, compose, and count dimensions."""
    found = list(cases(setting))
    usual = [case for case in found if case.gamma > 1]
    edgeless = [case for case in found if case.gamma == 1]
    tried = [graph for n in range(1, 6) for graph in small_graphs(n)]
    ones = [graph for graph in tried if spectrum_capacity(graph, "algebraic").value == 1]
    below = [(c, r) for c in usual for r in c.ranks if r.depth < asked(c.gamma)]
    count = sum(len(case.proofs) for case in usual)
    largest = max(case.gamma for case in usual)
    return settle(
        f"{count} filters on {origin([case.family for case in found])}, Γ up to {largest}: none "
        "takes more layers than asked, and fewer would not do; without edges it is one, not none",
        printed=[
            Finding(
                r"$\Gamma \ge 2$: each filter is a product of at most $\lceil (\Gamma-1)/2 \rceil$ "
                "second-order layers",
                all(case.fits(asked(case.gamma)) for case in usual),
                f"{count} filters: isolated roots prove that the layers exist; composed again, "
                f"they close on the filter to {PROOF_BITS} bits, at eigenvalues and as matrices",
            ),
            Finding(
                r"$\Gamma = 1$: the same, with $\lceil 0/2 \rceil = 0$ layers",
                all(case.fits(asked(case.gamma)) for case in edgeless),
                f"no layer is the identity; the filter $7/3$ on {describe(ones[0])} takes one",
            ),
        ],
        repaired=[
            Finding(
                r"each filter is a product of at most $\max(1, \lceil (\Gamma-1)/2 \rceil)$ layers",
                all(case.fits(max(1, asked(case.gamma))) for case in found),
                f"{sum(len(case.proofs) for case in found)} filters on {len(found)} graph sets",
            ),
            Finding(
                r"$\Gamma = 1$ if and only if there is no edge",
                all((graph in ones) == (graph.num_edges == 0) for graph in tried),
                f"all {len(tried)} graphs of up to 5 nodes; with an edge 1 is an eigenvalue, and "
                "the trace is 0",
            ),
            Finding(
                r"no depth $L < \lceil (\Gamma-1)/2 \rceil$ is complete: what it reaches has "
                r"dimension $2L + 1 < \Gamma$, and $A^{\Gamma-1}$ is not in its span",
                all(r.rank == 2 * r.depth + 1 < c.gamma and r.misses_top for c, r in below),
                f"{len(below)} depths below that asked for, ranks modulo {PRIME}",
            ),
            Finding(
                r"at $L = \lceil (\Gamma-1)/2 \rceil$ the dimension is $\Gamma$",
                all(case.ranks[-1].rank == case.gamma for case in usual),
                f"{len(usual)} graph sets",
            ),
        ],
        tables=[
            Table(
                "Ten filters on each graph set; float64 on a random one",
                ("graph set", "Γ", "layers asked", "layers used", "bits", "float64 off by"),
                tuple(case.row() for case in found),
            )
        ],
        drawings=[Drawing("Γ = 1: no layers can't multiply by 7/3", ones[0])],
    )


CLAIM = Claim(
    name="theorem_1",
    number=6,
    where="Theorem 1 (thm:2nd_order)",
    statement=(
        r"For any $f \in \mathcal{A}$, there exist $f_2^{(l)} \in \mathcal{F}_2$ such that "
        r"$f = f_2^{(L)} \circ \cdots \circ f_2^{(1)}$ where $L \le \lceil (\Gamma-1)/2 \rceil$."
    ),
    reading=(
        r"Every filter of $\mathcal{F}_{\Gamma-1}$ on a graph set equals, on every exact "
        r"eigenvalue, a product of at most $\lceil (\Gamma-1)/2 \rceil$ real polynomials of degree "
        "at most two; and whether fewer could do."
    ),
    check=check,
    conjectures=(5, 6),
)
