r"""How far a stack is from its filter, proven in ball arithmetic.

The map is

.. math::  (\theta, h) \mapsto B \ge \max_{x \in X} \Bigl| \prod_l (\theta_{l0} + \theta_{l1} x
           + \theta_{l2} x^2) - h(x) \Bigr|

with the floats of :math:`\theta` and of :math:`h` taken as the exact numbers that they are.

*Over the interval.* The difference is a polynomial of degree :math:`n`. By Ehlich and Zeller (1964)
its maximum over [-1, 1] is at most :math:`1 / \cos(\pi n / 2m)` times that over the zeros of
:math:`T_m`, :math:`m > n`; with :math:`m = 2n` the factor is 1.414. The zeros are balls, the
difference is evaluated over them, and the largest upper end is the bound.

*Over a graph set.* The eigenvalues are enclosed as roots of the exact integer factors of the
characteristic polynomials (:mod:`polyfilter.capacity`, method ``algebraic``). *Over given numbers*
they are taken as exact.

Assumptions: none on rounding. Power coefficients of a polynomial that is bounded on [-1, 1] grow
like :math:`(1 + \sqrt 2)^n`; :math:`2n + 128` bits leave more than 100 good ones.

>>> from polyfilter.polynomial import as_filter
>>> certify(np.array([[0.0, 0.0, 1.0]]), as_filter([0, 0, 1]))
Certificate(max |response - h| <= 0 over [-1, 1], 132 bits at 4 points)
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from functools import cmp_to_key
from itertools import pairwise
from typing import Any

import flint
import numpy as np
from numpy.typing import ArrayLike

from polyfilter.capacity import spectrum_capacity
from polyfilter.clenshaw import Real
from polyfilter.graphs import Graph, GraphSet
from polyfilter.polynomial import FilterPolynomial, power_from_chebyshev
from polyfilter.progress import bar
from polyfilter.spectrum import as_points

__all__ = ["Certificate", "certify", "eigenvalue_balls"]

OVERSAMPLING = 2
GUARD_BITS = 128


@dataclass(frozen=True)
class Certificate:
    """A proven bound on ``max |response - h|``.

    Attributes
    ----------
    bound : float
        The bound, rounded up.
    relative : float
        The bound over max ``|h|`` on [-1, 1].
    over : str
        What the maximum is taken over, in words.
    points : int
        Where the difference was evaluated.
    bits : int
        The precision of the balls.
    """

    bound: float
    relative: float
    over: str
    points: int
    bits: int

    def __float__(self) -> float:
        return self.bound

    def __repr__(self) -> str:
        return (
            f"Certificate(max |response - h| <= {self.bound:.3g} over {self.over}, "
            f"{self.bits} bits at {self.points} points)"
        )


@contextmanager
def _precision(bits: int) -> Iterator[None]:
    """Flint's precision is global: set it for a block, and restore it whatever happens."""
    before = flint.ctx.prec
    flint.ctx.prec = bits
    try:
        yield
    finally:
        flint.ctx.prec = before


def certify(
    theta: Real,
    h: FilterPolynomial,
    over: Graph | GraphSet | ArrayLike | None = None,
    progress: bool | None = None,
) -> Certificate:
    """Prove a bound on ``max |response - h|``.

    Parameters
    ----------
    theta : array (L, 3)
        The layers.
    h : FilterPolynomial
        The filter; its exact twin is taken where it has one.
    over : None, Graph, GraphSet or array
        The interval [-1, 1], the eigenvalues of graphs, or the numbers given.
    progress : bool, optional
        Show a progress bar; by default on long work at a terminal.

    Examples
    --------
    >>> from polyfilter.polynomial import as_filter
    >>> certificate = certify(np.array([[0.1, 0.0, 0.0]]), as_filter([Fraction(1, 10)]))
    >>> 0 < certificate.bound < 1e-17                    # 0.1 is not a tenth
    True
    """
    degree = max(h.degree, 2 * len(theta), 1)
    bits = 2 * degree + GUARD_BITS
    with _precision(bits):
        nodes, factor, words = _nodes(degree, over)
        difference = _product(theta) - _target(h)
        largest = flint.arb(0)
        step = max(1, (1 << 20) // degree)
        with bar(len(nodes), "certifying", progress) as update:
            for start in range(0, len(nodes), step):
                part = nodes[start : start + step]
                for value in difference.evaluate(part, "iter"):
                    largest = largest.max(abs(value))
                update(len(part))
        bound = _up(largest * factor)
    relative = bound / h.maximum if h.maximum else (0.0 if bound == 0 else float("inf"))
    return Certificate(bound, relative, words, len(nodes), bits)


def _up(ball: flint.arb) -> float:
    """The upper end as a float, rounded up: conversion rounds to nearest, an ulp more is above."""
    if ball == 0:
        return 0.0
    return float(np.nextafter(float(ball.abs_upper()), np.inf))


def _nodes(
    degree: int, over: Graph | GraphSet | ArrayLike | None
) -> tuple[list[flint.arb], flint.arb, str]:
    if over is None:
        m = OVERSAMPLING * degree
        nodes = [flint.arb.cos_pi_fmpq(flint.fmpq(2 * j + 1, 2 * m)) for j in range(m)]
        return nodes, 1 / flint.arb.cos_pi_fmpq(flint.fmpq(degree, 2 * m)), "[-1, 1]"
    if isinstance(over, Graph | GraphSet):
        nodes = eigenvalue_balls(over)
        return nodes, flint.arb(1), f"the {len(nodes)} distinct eigenvalues"
    points = as_points(over)
    return [flint.arb(x) for x in points.tolist()], flint.arb(1), f"{len(points)} given points"


def eigenvalue_balls(graphs: Graph | GraphSet) -> list[flint.arb]:
    """Return a ball around each distinct eigenvalue of a graph set, ascending and disjoint.

    The working precision is doubled until no two balls overlap. That happens, since different
    irreducible polynomials have no root in common.

    Examples
    --------
    >>> [float(b.mid()) for b in eigenvalue_balls(Graph.from_edges([(0, 1), (1, 2), (2, 0)]))]
    [-0.5, 1.0]
    """
    factors = [list(f) for f in spectrum_capacity(graphs, method="algebraic").factors]
    bits = flint.ctx.prec
    while True:
        balls: list[flint.arb] = []
        with _precision(bits):
            for coefficients in factors:
                found: Any = flint.fmpz_poly(coefficients).complex_roots()  # its stub forgets pairs
                balls += [root.real for root, _ in found]  # A is symmetric: its roots are real
        balls.sort(key=cmp_to_key(_compare))
        if all(a < b for a, b in pairwise(balls)):
            return balls
        bits *= 2


def _compare(a: flint.arb, b: flint.arb) -> int:
    """Order balls by their midpoints, which are exact numbers."""
    return int(a.mid() > b.mid()) - int(a.mid() < b.mid())


def _product(theta: Real) -> flint.arb_poly:
    """The product of the factors, as a balanced tree."""
    level = [flint.arb_poly([flint.arb(float(t)) for t in row]) for row in theta]
    while len(level) > 1:
        pairs = [a * b for a, b in zip(level[::2], level[1::2], strict=False)]
        level = pairs + level[2 * len(pairs) :]
    return level[0]


def _target(h: FilterPolynomial) -> flint.arb_poly:
    exact: Sequence[Fraction] | None = h.exact
    if exact is None:
        exact = power_from_chebyshev([Fraction(c) for c in h.chebyshev.tolist()])
    return flint.arb_poly([flint.arb(flint.fmpq(a.numerator, a.denominator)) for a in exact])
