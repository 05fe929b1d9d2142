r"""Filters run with numbers of b bits: every weight, every entry of A, every result is rounded.

The map is ``(realisation, A, x, b) -> y``, as a processor with a mantissa of :math:`b` bits and
exponents without end would compute it; :func:`bits_needed` is the smallest :math:`b` that reaches a
relative error. A hop rounds each entry of :math:`A x` once, as a fused dot product does, so that
what is counted is the price of the filter and not of the order of summation. Scales cost nothing:
in floating point only the *order* of layers and their roots matter.

Assumptions: arrays are flint matrices with exact entries; errors are measured against a truth of
many more bits.

>>> A = arb_mat([[0, 1], [1, 0]])
>>> def run(bits):                                                       # (A - 1/3) x
...     with ctx.workprec(200):
...         third = arb(1) / 3
...     return first_order([third], A, arb_mat([[1], [0]]), bits)
>>> [bits_needed(run, run(200), goal) for goal in (1e-3, 1e-6)]
[8, 18]
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass

import numpy as np
from flint import acb, arb, arb_mat, arb_poly, ctx, fmpq
from numpy.typing import NDArray

from polyfilter.enclosure import BallLayer
from polyfilter.graphs import Graph

__all__ = [
    "Rounding",
    "adjacency_balls",
    "bits_needed",
    "chebyshev_balls",
    "chebyshev_recurrence",
    "first_order",
    "horner",
    "norm",
    "on_perturbed",
    "second_order",
    "width_two",
]

DERIVED = 4096
"""Bits at which weights are derived before they are rounded."""


@dataclass(frozen=True)
class Rounding:
    """Round to nearest, to a number of bits; flint by itself truncates, and errors would add up.

    With :math:`t` the truncation of :math:`v` to :math:`b` bits, :math:`2v - t` truncated is
    :math:`t`, or its successor if :math:`v - t` is half an ulp or more.

    >>> fl = Rounding(3)
    >>> [float(fl.weight(arb(v))) for v in (9, 10, 11, 12, -11)]      # three bits: 8, 10, 12, ...
    [10.0, 10.0, 12.0, 12.0, -12.0]
    """

    bits: int

    def __call__(self, value: arb_mat) -> arb_mat:
        """Round each entry."""
        value = value.mid()
        return self._truncate((2 * value - self._truncate(value)).mid())

    def _truncate(self, value: arb_mat) -> arb_mat:
        with ctx.workprec(self.bits):
            return (value * arb(1)).mid()

    def weight(self, value: arb) -> arb:
        """Round one number."""
        return self(arb_mat([[value]]))[0, 0]


def _high(bits: int) -> AbstractContextManager[object]:
    """A precision at which a step is exact but for its rounding: twice the bits, and some."""
    return ctx.workprec(2 * bits + 64)


def adjacency_balls(graph: Graph) -> arb_mat:
    """Return A at the present precision.

    >>> adjacency_balls(Graph.from_edges([(0, 1)]))[0, 1]
    1.00000000000000
    """
    n, W = graph.num_nodes, graph.adjacency
    degrees = [arb(float(d)) for d in graph.degrees]
    A = arb_mat(n, n)
    for i in range(n):
        for k in range(int(W.indptr[i]), int(W.indptr[i + 1])):
            j = int(W.indices[k])
            A[i, j] = arb(float(W.data[k])) / (degrees[i] * degrees[j]).sqrt()
    return A


def second_order(layers: Sequence[BallLayer], A: arb_mat, x: arb_mat, bits: int) -> arb_mat:
    """Run second-order layers as :mod:`polyfilter.cascade` does: completed squares near a dip."""
    fl = Rounding(bits)
    with _high(bits):
        A = fl(A)
        for zero, one, two in layers:
            hop = fl(A * x)
            if two.contains(0) or abs(one) > 4 * abs(two):
                straight = fl(fl(fl.weight(zero) * x) + fl(fl.weight(one) * hop))
                x = fl(straight + fl(fl.weight(two) * fl(A * hop)))
                continue
            with ctx.workprec(DERIVED):
                centre = -one / (2 * two)
                offset = zero / two - centre * centre
            s, c, ce = fl.weight(centre), fl.weight(two), fl.weight(two * offset)
            u = fl(hop - fl(s * x))
            y = fl(fl(A * u) - fl(s * u))
            x = fl(fl(c * y) + fl(ce * x))
    return x


def first_order(roots: Sequence[arb], A: arb_mat, x: arb_mat, bits: int) -> arb_mat:
    """Run layers x -> (A - r) x."""
    fl = Rounding(bits)
    with _high(bits):
        A = fl(A)
        for root in roots:
            x = fl(fl(A * x) - fl(fl.weight(root) * x))
    return x


def width_two(roots: Sequence[acb], A: arb_mat, x: arb_mat, bits: int) -> arb_mat:
    """Run layers of two channels that multiply by A - z, z complex; return the first channel."""
    fl = Rounding(bits)
    with _high(bits):
        A, y = fl(A), 0 * x
        for root in roots:
            re, im = fl.weight(root.real), fl.weight(root.imag)
            x, y = (
                fl(fl(fl(A * x) - fl(re * x)) + fl(im * y)),
                fl(fl(fl(A * y) - fl(re * y)) - fl(im * x)),
            )
    return x


def chebyshev_recurrence(c: Sequence[arb], A: arb_mat, x: arb_mat, bits: int) -> arb_mat:
    """Run sum_k c_k T_k(A) x by T_{k+1} = 2 A T_k - T_{k-1}."""
    fl = Rounding(bits)
    with _high(bits):
        A = fl(A)
        before, here = x, fl(A * x)
        y = fl(fl(fl.weight(c[0]) * x) + fl(fl.weight(c[1]) * here))
        for ck in c[2:]:
            before, here = here, fl(2 * fl(A * here) - before)
            y = fl(y + fl(fl.weight(ck) * here))
    return y


def horner(h: arb_poly, A: arb_mat, x: arb_mat) -> arb_mat:
    """Return h(A) x at the present precision: the truth, when that is high."""
    y = 0 * x
    for c in reversed(h.coeffs()):
        y = A * y + c * x
    return y.mid()


def on_perturbed(
    h: arb_poly, A: arb_mat, x: arb_mat, noise: NDArray[np.float64], bits: int
) -> arb_mat:
    r"""Return h(A') x, exactly, on a matrix whose entries are off by half an ulp or less.

    Rounding :math:`A` does that to any algorithm. But on a small graph the roots of degrees may
    happen to be short numbers, so the errors are drawn: ``noise`` holds numbers in [-1, 1], and
    :math:`A'_{ij} = A_{ij} (1 + 2^{-b} \nu_{ij})`.
    """
    n = A.nrows()
    entries = [
        A[i, j] * (1 + arb(float(noise[min(i, j), max(i, j)])) * arb(2) ** -bits)
        for i in range(n)
        for j in range(n)
    ]
    return horner(h, arb_mat(n, n, entries), x)


def chebyshev_balls(h: arb_poly) -> list[arb]:
    """Return the Chebyshev coefficients of h, from its values at Chebyshev's points.

    >>> [round(float(c.mid()), 12) for c in chebyshev_balls(arb_poly([0, 0, 2]))]
    [1.0, 0.0, 1.0]
    """
    n = h.degree() + 1
    nodes = [arb.cos_pi_fmpq(fmpq(2 * j + 1, 2 * n)) for j in range(n)]
    values = [h(node) for node in nodes]
    found = []
    for k in range(n):
        cosines = [arb.cos_pi_fmpq(fmpq(k * (2 * j + 1), 2 * n)) for j in range(n)]
        total = sum((v * c for v, c in zip(values, cosines, strict=True)), arb(0))
        found.append(total * (2 if k else 1) / n)
    return found


def bits_needed(run: Callable[[int], arb_mat], truth: arb_mat, goal: float) -> int:
    """Return the smallest number of bits with a relative error of at most ``goal``."""
    size = norm(truth)

    def reached(bits: int) -> bool:
        return bool(norm(run(bits) - truth) <= goal * size)

    high = 8
    while not reached(high):
        high *= 2
    low = high // 2  # not reached, or too few bits to be of interest
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if reached(middle) else (middle, high)
    return high


def norm(value: arb_mat) -> arb:
    """Return the root of the sum of squares.

    >>> float(norm(arb_mat([[3], [4]])))
    5.0
    """
    return sum((entry * entry for entry in value.entries()), arb(0)).sqrt()
