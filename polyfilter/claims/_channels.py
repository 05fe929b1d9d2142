r"""One-hop layers with several channels, over any ring: polynomials, exact matrices or balls.

The map is, for a stack of pairs :math:`(\Theta_0, \Theta_1)` of matrices and a read-in
:math:`u` and a read-out :math:`v`,

.. math:: X^{(0)}_c = u_c \, s, \qquad
    X^{(l)} = X^{(l-1)} \Theta^{(l)}_0 + A X^{(l-1)} \Theta^{(l)}_1, \qquad
    y = \sum_c v_c X^{(L)}_c,

so that :math:`y = p(A) s` for one polynomial :math:`p` of degree at most :math:`L`. Nothing in it
asks what :math:`A` is. With the polynomial :math:`x` for :math:`A` the outcome is :math:`p` itself;
with the rational matrix :math:`B = D^{-1} W` it is the network run on a graph, exactly; with a ball
around an eigenvalue it is a ball around the response there.

Special cases of a layer: vanilla has :math:`\Theta_0 = \Theta_1 = W`, vanilla with a residual
(:mod:`polyfilter.claims._residual`) :math:`\Theta_0 = I + W, \Theta_1 = W`, and GIN as published
:math:`\Theta_0 = (1 + \varepsilon) \Theta_1`.

A complex number :math:`a + b i` is the matrix :func:`rotation` ``(a, b)``, which adds and
multiplies as it does: :math:`\mathbb C` sits in :math:`\mathbb R^{2 \times 2}`.

>>> layers = [(rotation(0, -1), eye(2)), (rotation(0, 1), eye(2))]  # x - i, then x + i
>>> run(layers, fmpq_poly([0, 1]), fmpq_poly([1]), (1, 0), (1, 0))
x^2 + 1
"""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from flint import arb, arb_poly, ctx, fmpq, fmpq_mat, fmpq_poly

from polyfilter.certify import eigenvalue_balls
from polyfilter.graphs import GraphSet

__all__ = [
    "BITS",
    "CLOSED",
    "Layer",
    "Number",
    "Rows",
    "clenshaw_layers",
    "eye",
    "filtered",
    "from_roots",
    "horner_layers",
    "on_spectrum",
    "random_matrix",
    "random_roots",
    "root_balls",
    "rotation",
    "rotation_layers",
    "run",
]

BITS = 256
"""Precision of balls."""
CLOSED = 2.0**-100
"""How small a ball around a difference has to be to say that it closes on zero."""

Number = Any
"""An int, an fmpq or an arb; python-flint has no common type for them."""

Rows = tuple[tuple[Number, ...], ...]
Layer = tuple[Rows, Rows]


def eye(width: int, scale: Number = 1) -> Rows:
    """A multiple of the identity matrix.

    >>> eye(2)
    ((1, 0), (0, 1))
    """
    return tuple(tuple(scale if i == j else 0 for j in range(width)) for i in range(width))


def rotation(a: Number, b: Number) -> Rows:
    """The real matrix that multiplies the row (Re z, Im z) by a + b i.

    >>> rotation(1, 2)
    ((1, 2), (-2, 1))
    """
    return ((a, b), (-b, a))


def run(
    layers: Iterable[Layer],
    A: Any,
    signal: Any,
    read_in: Sequence[Number],
    read_out: Sequence[Number],
) -> Any:
    """Run a stack of first-order layers; see the module's docstring.

    Parameters
    ----------
    layers
        Pairs (Θ_0, Θ_1) of square matrices as rows, the first to act first.
    A
        What one hop multiplies by, from the left.
    signal
        What each channel is a multiple of at the start.
    read_in, read_out
        The weights u and v, one a channel.

    >>> vanilla = ((1,),), ((1,),)
    >>> run([vanilla] * 3, 10, 1, [1], [1])  # (x + 1)^3 at 10
    1331
    """
    channels = [signal * u for u in read_in]
    for theta_0, theta_1 in layers:
        hops = [A * X for X in channels]
        channels = [
            _combine(channels, [row[c] for row in theta_0])
            + _combine(hops, [row[c] for row in theta_1])
            for c in range(len(channels))
        ]
    return _combine(channels, read_out)


def _combine(channels: Sequence[Any], weights: Sequence[Number]) -> Any:
    first, *rest = (X * w for X, w in zip(channels, weights, strict=True))
    return sum(rest, start=first)


def rotation_layers(roots: Iterable[tuple[Number, Number]]) -> list[Layer]:
    """Multiply two channels, as a complex number, by x - r for each root r = (Re r, Im r).

    >>> run(rotation_layers([(3, 0)]), 10, 1, (1, 0), (1, 0))
    7
    """
    return [(rotation(-a, -b), eye(2)) for a, b in roots]


def horner_layers(a: Sequence[Number]) -> tuple[list[Layer], tuple[Number, ...]]:
    """Return a step of Horner's rule for each power coefficient but the top, and the read-in.

    In the channels (y, s) a step is y <- x y + a_k s; the read-out is (1, 0).

    >>> layers, read_in = horner_layers([5, 6, 7])
    >>> run(layers, 10, 1, read_in, (1, 0))
    765
    """
    *rest, top = a
    return [(((0, 0), (c, 1)), ((1, 0), (0, 0))) for c in reversed(rest)], (top, 1)


def clenshaw_layers(c: Sequence[Number]) -> tuple[list[Layer], tuple[Number, ...]]:
    """Return a step of Clenshaw's rule for each Chebyshev coefficient but the top, and the read-in.

    In the channels (b, b', s) a step is b <- 2 x b - b' + c_k s; the read-out is (1, 0, 0).

    >>> layers, read_in = clenshaw_layers([5, 6, 7])
    >>> run(layers, 10, 1, read_in, (1, 0, 0))  # 5 + 6 * 10 + 7 * 199
    1458
    """
    *rest, top = c
    layers: list[Layer] = []
    for k, coefficient in reversed(list(enumerate(rest))):
        still = ((0, 1, 0), (-1, 0, 0), (coefficient, 0, 1))
        layers.append((still, ((2 if k else 1, 0, 0), (0, 0, 0), (0, 0, 0))))
    return layers, (top, 0, 1)


def filtered(h: fmpq_poly, B: fmpq_mat, signal: fmpq_mat) -> fmpq_mat:
    """Return h(B) times a signal, from the powers of B, to compare a network with.

    >>> filtered(fmpq_poly([1, 0, 3]), fmpq_mat([[2]]), fmpq_mat([[1]]))
    [13]
    """
    total, power = 0 * signal, signal
    for c in h.coeffs():
        total, power = total + power * c, B * power
    return total


def random_matrix(rng: np.random.Generator, rows: int, columns: int) -> Rows:
    """Draw a matrix of rationals, none of them zero.

    >>> random_matrix(np.random.default_rng(0), 1, 2)
    ((7/4, -3/2),)
    """
    tops = rng.integers(1, 9, size=(rows, columns)) * rng.choice([-1, 1], size=(rows, columns))
    return tuple(tuple(fmpq(int(k), 4) for k in row) for row in tops)


# ----------------------------------------------------------------------------------- complex roots


def random_roots(rng: np.random.Generator, degree: int) -> list[tuple[fmpq, fmpq]]:
    """Draw the rational (Re r, Im r) of a real polynomial's roots: pairs, and a real one if odd.

    About a third of the pairs are real too, and no root is -1.

    >>> len(random_roots(np.random.default_rng(0), 5))
    5
    """
    roots: list[tuple[fmpq, fmpq]] = []
    while len(roots) < degree:
        a, b = (fmpq(int(k), 8) for k in rng.integers(-15, 16, size=2))
        if a == -1:
            continue
        if degree - len(roots) == 1 or rng.random() < 1 / 3:
            roots.append((a, fmpq(0)))
        else:
            roots += [(a, b), (a, -b)]
    return roots


def from_roots(roots: Iterable[tuple[fmpq, fmpq]]) -> fmpq_poly:
    """The monic polynomial with these roots, whose coefficients have to come out real.

    >>> from_roots([(fmpq(0), fmpq(1)), (fmpq(0), fmpq(-1))])
    x^2 + 1
    """
    x = fmpq_poly([0, 1])
    real, imaginary = fmpq_poly([1]), fmpq_poly([0])
    for a, b in roots:
        real, imaginary = real * (x - a) + imaginary * b, imaginary * (x - a) - real * b
    if imaginary.degree() >= 0:
        raise ValueError("roots that are not real have to come with their conjugates")
    return real


def root_balls(h: fmpq_poly) -> list[tuple[arb, arb]]:
    """Enclose (Re r, Im r) of all roots, each as often as it counts.

    >>> [(float(a.mid()), float(b.mid())) for a, b in root_balls(fmpq_poly([1, -2, 1]))]
    [(1.0, 0.0), (1.0, 0.0)]
    """
    with ctx.workprec(BITS):
        found: Any = h.numer().complex_roots()  # its stub forgets the multiplicities
    return [(root.real, root.imag) for root, times in found for _ in range(times)]


def on_spectrum(
    family: GraphSet,
    h: fmpq_poly,
    layers: Iterable[Layer],
    read_in: Sequence[Number],
    read_out: Sequence[Number],
) -> float:
    """Bound the distance of a network's response from h on the exact eigenvalues.

    Infinite if a ball of the difference does not hold 0: then they are proven to differ.

    >>> from polyfilter.graphs import Graph
    >>> family = GraphSet([Graph.from_edges([(0, 1)])])
    >>> on_spectrum(family, fmpq_poly([0, 1]), [(eye(1, 0), eye(1))], (1,), (1,)) < 1e-70
    True
    """
    layers = list(layers)
    with ctx.workprec(BITS):
        balls = eigenvalue_balls(family)
        gaps = [run(layers, x, arb(1), read_in, read_out) - arb_poly(h)(x) for x in balls]
        if not all(gap.contains(0) for gap in gaps):
            return float("inf")
        return max(float(gap.abs_upper()) for gap in gaps)
