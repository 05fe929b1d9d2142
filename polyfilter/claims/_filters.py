r"""Filters of the ambient space that are hard to factor, for claims that factor them.

The map is ``graph set -> filters of degree below Γ``: rational ones as polynomials, and ones that
take prescribed values at the irrational eigenvalues, which exist only to a number of bits.

>>> from polyfilter.graphs import Graph
>>> edge = GraphSet([Graph.from_edges([(0, 1)])])
>>> [name for name, _ in ambient_filters(edge, np.random.default_rng(0))][:3]
['random', 'a power', 'zero']
"""

from collections.abc import Callable, Iterator

import numpy as np
from flint import arb, arb_poly, ctx, fmpq, fmpq_poly, fmpz_poly

from polyfilter.capacity import spectrum_capacity
from polyfilter.certify import eigenvalue_balls
from polyfilter.claims._rational import random_polynomial, x
from polyfilter.enclosure import interpolant
from polyfilter.graphs import GraphSet

__all__ = ["AmbientFilter", "ambient_filters", "through"]

AmbientFilter = Callable[[int], fmpq_poly | arb_poly]
"""A filter at a number of bits; rational ones are the same at any."""


def ambient_filters(
    family: GraphSet, rng: np.random.Generator
) -> Iterator[tuple[str, AmbientFilter]]:
    """Draw filters of degree at most Γ - 1: random, degenerate, and with roots where it hurts."""
    capacity = spectrum_capacity(family, "algebraic")
    top = capacity.value - 1
    square = fmpq_poly([1])
    for factor in sorted(capacity.factors):
        if 2 * (square.degree() + len(factor) - 1) <= top:
            square *= fmpq_poly(fmpz_poly(list(factor)))
    positive = fmpq_poly([int(rng.integers(1, 9))])
    for c in rng.integers(1, 99, size=top // 2).tolist():
        positive *= x**2 + fmpq(c, 10)
    rational = {
        "random": random_polynomial(rng, top),
        "a power": x**top,
        "zero": 0 * x,
        "constant": fmpq_poly([fmpq(7, 3)]),
        "double roots at eigenvalues": square**2,
        "multiple roots at the ends": (x - 1) ** (top // 2) * (x + 1) ** (top - top // 2),
        "sizes from 1e-30 to 1e30": fmpq_poly(
            [fmpq(10) ** int(k) for k in rng.integers(-30, 31, size=top + 1)]
        ),
        "no real root": positive,
    }
    for name, h in rational.items():
        yield name, _constant(h)
    alone = int(rng.integers(top + 1))
    drawn = [fmpq(int(v), 64) for v in rng.integers(1, 65, size=top + 1)]
    signs = rng.choice([-1, 1], size=top + 1).tolist()
    yield (
        "one eigenvalue and no other",
        through(family, [fmpq(int(k == alone)) for k in range(top + 1)]),
    )
    yield "values at will", through(family, [s * v for s, v in zip(signs, drawn, strict=True)])


def _constant(h: fmpq_poly) -> AmbientFilter:
    return lambda bits: h


def through(family: GraphSet, values: list[fmpq]) -> AmbientFilter:
    """Return the filter that takes these values at the eigenvalues of a graph set, ascending.

    >>> from polyfilter.graphs import Graph
    >>> edge = GraphSet([Graph.from_edges([(0, 1)])])
    >>> [float(c.mid()) for c in through(edge, [fmpq(-2), fmpq(2)])(64).coeffs()]    # 2 x
    [0.0, 2.0]
    """

    def at(bits: int) -> arb_poly:
        with ctx.workprec(bits):
            return interpolant(eigenvalue_balls(family), [arb(v) for v in values], bits)

    return at
