r"""What the lift of :mod:`polyfilter.claims._lift` costs: measured, and as a table and a figure.

The map is ``graphs -> Lifted``: a random filter that doesn't split is lifted by the least power of
two that makes it split, and its weights are rounded until that shows.

>>> path = Graph.from_edges([(0, 1), (1, 2)])
>>> cost = lifted(path, "path", np.random.default_rng(0))
>>> cost.right, cost.gamma, cost.missing
(True, 3, 2)
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np
from flint import ctx, fmpq_poly

from polyfilter.certify import eigenvalue_balls
from polyfilter.claim import Curve, Figure, Table
from polyfilter.claims._lift import (
    BITS,
    floor_exponent,
    gaps,
    least_exponent,
    lift,
    minimal,
    proven_exponent,
    random_filter,
    weight_bits,
)
from polyfilter.graphs import Graph, GraphSet
from polyfilter.realroots import count_real_roots

__all__ = ["Lifted", "figure", "lifted", "of_kind", "table", "typical"]

TOLERANCE = 1e-6


@dataclass(frozen=True)
class Lifted:
    """A filter that doesn't split, made of Γ factors that do."""

    kind: str
    gamma: int
    missing: int
    """How many of the Γ - 1 roots of the filter itself are not real."""
    least: int
    """log2 of the least t, among powers of two."""
    proven: int
    """log2 of the least t that the lemma proves, among powers of two."""
    constants: int
    """log2 of the least t that serves the filters 1 and -1."""
    weights: int
    """Bits of the weights for an error of 1e-6."""
    right: bool
    """Whether the lift splits into Γ factors and is the filter on the spectrum."""


def lifted(graphs: Graph | GraphSet, kind: str, rng: np.random.Generator) -> Lifted:
    """Draw a filter on the spectrum that doesn't split, and lift it."""
    m = minimal(graphs)
    gamma = m.degree()
    with ctx.workprec(BITS):
        balls = eigenvalue_balls(graphs)
        h, between = random_filter(rng, balls, 64 + 8 * gamma), gaps(balls)
        proven = proven_exponent(h, m, between)
        least = least_exponent(h, m, proven)
        signs = [fmpq_poly([sign]) for sign in (1, -1)]
        constants = max(least_exponent(c, m, proven_exponent(c, m, between)) for c in signs)
        lifts = [lift(h, m, k) for k in (least, proven)]
        weights = weight_bits(lifts[0], balls, TOLERANCE)
    right = all(p % m == h and count_real_roots(p) == gamma == p.degree() for p in lifts)
    missing = gamma - 1 - count_real_roots(h)
    return Lifted(kind, gamma, missing, least, proven, constants, weights, right)


def of_kind(cases: Sequence[Lifted], kind: str, gamma: int) -> list[Lifted]:
    """The cases of one kind of spectrum and one size."""
    return [case for case in cases if (case.kind, case.gamma) == (kind, gamma)]


def typical(cases: Sequence[Lifted], kind: str, gamma: int) -> float:
    """The median of log2 t."""
    return median(case.least for case in of_kind(cases, kind, gamma))


def table(cases: Sequence[Lifted]) -> Table:
    """A row for each kind of spectrum and each size."""
    groups = sorted({(case.kind, case.gamma) for case in cases})
    rows = []
    for kind, gamma in groups:
        group = of_kind(cases, kind, gamma)
        least = " ".join(str(k) for k in sorted(case.least for case in group))
        proven = max(case.proven for case in group)
        weights = max(case.weights for case in group)
        rows.append((kind, gamma, least, proven, f"{floor_exponent(gamma):.1f}", weights))
    return Table(
        "Random filters as products of Γ real factors: what the lift costs",
        ("spectrum", "Γ", "log2 t", "by the lemma", "at least, for ±1", "weight bits for 1e-6"),
        tuple(rows),
    )


def figure(cases: Sequence[Lifted]) -> Figure:
    """Bits of t against Γ, beside the proven floor and 2Γ."""
    curves = []
    for kind in sorted({case.kind for case in cases}):
        sizes = sorted({case.gamma for case in cases if case.kind == kind})
        curves.append(_curve(kind, sizes, [typical(cases, kind, gamma) for gamma in sizes]))
    sizes = sorted({case.gamma for case in cases})
    curves.append(_curve("Chebyshev's bound", sizes, list(map(floor_exponent, sizes))))
    curves.append(_curve("2Γ", sizes, [2.0 * gamma for gamma in sizes]))
    return Figure("Bits of t in the lift t m + h", tuple(curves), "Γ", "log2 t")


def _curve(name: str, sizes: Sequence[int], bits: Sequence[float]) -> Curve:
    return Curve(name, tuple(map(float, sizes)), tuple(map(float, bits)))
