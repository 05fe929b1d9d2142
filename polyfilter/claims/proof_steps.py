r"""The proofs' own steps: where they are off by a little, and what sets them right.

1. *Proof of Lemma 1.* "If :math:`\dim \mathcal T_K < K + 1`, there exists p with
   :math:`\deg p < K` and :math:`p(T) = 0`." A relation between :math:`I, \dots, T^K` has degree K
   at most, and for :math:`K = \Gamma` no less. With :math:`\le` for :math:`<` (and
   :math:`p \ne 0`) the contradiction stands, since :math:`K < \Gamma = \deg m`.
2. *Proof of Theorem 1.* :math:`L = \lceil \deg h / 2 \rceil` gives no layer to a constant, and a
   composition of no layers is the identity; every other constant needs one. So
   :math:`L = \max(1, \lceil \deg h / 2 \rceil)`, which matters to the theorem only for Γ = 1.
3. *Order.* The proof finds :math:`f^{(1)} \circ \dots \circ f^{(L)}` and concludes
   :math:`f^{(L)} \circ \dots \circ f^{(1)}`; filters commute, so both are right.
4. *Remarks* on varying vertex numbers and on infinite sets: :mod:`polyfilter.claims._remarks`.

>>> layers_as_printed(fmpq_poly([2])), layers(fmpq_poly([2])), layers(x**3 - 2)
(0, 1, 2)
"""

from collections.abc import Sequence
from functools import reduce
from typing import Any

import numpy as np
from flint import fmpq, fmpq_mat, fmpq_poly

from polyfilter.claim import Claim, Finding, Outcome, Setting, settle
from polyfilter.claims._common import graph_sets, modest, names, small_graphs, small_sets
from polyfilter.claims._rational import (
    compose,
    draw,
    make,
    power_ranks,
    random_polynomial,
    rational_adjacency,
    x,
)
from polyfilter.claims._remarks import Graphs, Step, capacity, infinite, vertex_numbers

# ------------------------------------------------------------------------------------- 1. Lemma 1


def least_relation(ranks: Sequence[int]) -> int:
    """Return the least degree of a nonzero p with p(T) = 0, from the ranks of I, ..., T^K.

    >>> least_relation([1, 2, 2, 2])
    2
    """
    return next(d for d in range(1, len(ranks)) if ranks[d] == ranks[d - 1])


def relations(sets: Sequence[Graphs]) -> Step:
    """Compare the degrees of relations with what the proof of Lemma 1 says."""
    early: list[bool] = []
    basis: list[bool] = []
    late: list[tuple[Graphs, int]] = []
    for graphs in sets:
        gamma = capacity(graphs)
        ranks = power_ranks([rational_adjacency(graph) for graph in graphs], gamma + 3)
        basis += [ranks[K] == gamma == ranks[gamma - 1] for K in range(gamma - 1, gamma + 4)]
        dependent = [K for K in range(1, gamma + 4) if ranks[K] < K + 1]
        early += [least_relation(ranks) <= K for K in dependent]
        late += [(graphs, K) for K in dependent if least_relation(ranks) >= K]
    first = late[:1]
    where = "".join(f"; smallest: {names(graphs)} with K = {K}" for graphs, K in first)
    lemma = r"If $\dim \mathcal{T}_K < K + 1$, some $p$ with $\deg p"
    return Step(
        "deg p ≤ K in the proof of Lemma 1",
        (
            Finding(
                f"{lemma} < K$ has $p(T) = 0$",
                not late,
                f"no nonzero one in {len(late)} of {len(early)} cases, namely if K = Γ{where}",
            ),
            Finding(
                r"$I, T, \dots, T^{\Gamma - 1}$ form a basis of $\mathcal{T}_K$ if $K + 1 \ge "
                r"\Gamma$",
                all(basis),
                f"{len(basis)} sets and degrees, by rank",
            ),
        ),
        (
            Finding(
                rf"{lemma} \le K$, $p \ne 0$, has $p(T) = 0$",
                all(early),
                f"{len(early)} cases; if K < Γ, that contradicts deg m = Γ",
            ),
        ),
        tuple(draw(f"No p of degree < {K}", graph) for graphs, K in first for graph in graphs),
    )


# ----------------------------------------------------------------------------------- 2. Theorem 1


def layers_as_printed(h: fmpq_poly) -> int:
    """Return ⌈deg h / 2⌉."""
    return -(-max(0, h.degree()) // 2)


def real_factors(h: fmpq_poly) -> tuple[int, int]:
    """Return how many irreducible factors of degree one and two h has, from certified roots."""
    found: Any = h.numer().complex_roots() if h.degree() > 0 else []  # its stub forgets pairs
    real = sum(times for root, times in found if root.imag == 0)
    return real, (max(0, h.degree()) - real) // 2


def layers(h: fmpq_poly) -> int:
    """Return how many layers there are once linear factors are merged; a constant takes one."""
    linear, quadratic = real_factors(h)
    return max(1, -(-linear // 2) + quadratic)


def drawn_filters(rng: np.random.Generator, count: int) -> list[fmpq_poly]:
    """Draw polynomials of degree one or more, with all, some or none of their roots real."""
    filters = []
    for degree in rng.integers(1, 8, size=count).tolist():
        h = random_polynomial(rng, degree)
        for root in rng.integers(-5, 6, size=int(rng.integers(6))).tolist():
            h *= x - fmpq(root, 6)
        filters.append(h)
    return filters


def depth(rng: np.random.Generator, count: int) -> Step:
    """Count the layers of drawn filters and of constants."""
    filters, values = drawn_filters(rng, count), [0, 2, *rng.integers(-9, 0, size=2).tolist()]
    counts = [layers(h) == layers_as_printed(h) for h in filters]
    parity = [real_factors(h)[0] % 2 == h.degree() % 2 for h in filters]
    unserved = [c for c in values if layers_as_printed(fmpq_poly([c])) == 0]
    node = small_graphs(1)[0]
    return Step(
        "one layer for constants",
        (
            Finding(
                r"$L = \lceil \deg h / 2 \rceil$ layers, of degree two but for one of degree one "
                "if $\\deg h$ is odd: for $\\deg h \\ge 1$",
                all(counts) and all(parity),
                f"{count} filters of degree up to {max(h.degree() for h in filters)}, certified "
                "roots",
            ),
            Finding(
                "the same for constants",
                not unserved,
                f"no layer for h = {', '.join(map(str, unserved))}, but composing none is the "
                "identity; smallest: one node",
            ),
        ),
        (
            Finding(
                r"$L = \max(1, \lceil \deg h / 2 \rceil)$",
                all(layers(h) == max(1, layers_as_printed(h)) for h in filters)
                and all(layers(fmpq_poly([c])) == 1 for c in values),
                f"{count} filters and {len(values)} constants; the bound of Theorem 1 is "
                "touched only if Γ = 1",
            ),
        ),
        (draw("Γ = 1: every filter is a constant, and ⌈0 / 2⌉ layers make only 1", node),),
    )


def order(rng: np.random.Generator, sets: Sequence[Graphs]) -> Step:
    """Compose random layers first to last, last to first, and shuffled."""
    same = []
    for graphs in sets:
        blocks = [rational_adjacency(graph) for graph in graphs]
        stack: list[Sequence[fmpq_mat]] = [make(random_polynomial(rng, 2), blocks) for _ in "1234"]
        shuffled = [stack[k] for k in rng.permutation(4)]
        results = [reduce(compose, layers) for layers in (stack, stack[::-1], shuffled)]
        same.append(all(result == results[0] for result in results))
    text = r"$f^{(1)} \circ \dots \circ f^{(L)} = f^{(L)} \circ \dots \circ f^{(1)}$"
    why = f"4 layers on {len(sets)} sets, exactly, in any order"
    return Step("filters don't commute", (Finding(text, all(same), why),))


def check(setting: Setting) -> Outcome:
    """Settle every step by itself."""
    small: list[Graphs] = [*small_sets(4 if setting.full else 3)]
    drawn: list[Graphs] = [*map(modest, graph_sets(setting, 13))]
    steps = [
        relations(small + drawn),
        vertex_numbers(small + drawn),
        depth(setting.rng(13, 1), 200 if setting.full else 40),
        order(setting.rng(13, 2), drawn),
        infinite(setting.rng(13, 3), drawn, 30 if setting.full else 16),
    ]
    printed = [finding for step in steps for finding in step.printed]
    mended = [step.mended for step in steps if not all(finding.holds for finding in step.printed)]
    stand = sum(finding.holds for finding in printed)
    return settle(
        f"{stand} of {len(printed)} steps stand as printed; corrected: {', '.join(mended)}",
        printed=printed,
        repaired=[finding for step in steps for finding in step.repaired],
        drawings=[drawing for step in steps for drawing in step.drawings],
    )


CLAIM = Claim(
    name="proof_steps",
    number=13,
    where="Proofs of Lemma 1 (Appendix C) and Theorem 1; remarks after Lemma 2 (Appendix D)",
    statement=r"There exists some $p$ with $\deg p < K$ such that $p(T) = 0$; Lemmas 1 and 2 still "
    r"hold when the vertex numbers are varying; $L = \lceil \deg h / 2 \rceil$; $f = f^{(L)} \circ "
    r"\dots \circ f^{(1)}$; for infinite sets $\Gamma$ might be uncountable.",
    reading="Each step by itself, as an implication, on every set and degree that it is said of.",
    check=check,
    conjectures=(5,),
)
