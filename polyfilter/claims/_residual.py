r"""Vanilla layers with a residual connection and two channels: two ways to any polynomial.

The map is ``h -> layers``, each layer :math:`X + (A + I) X W`, that is :math:`I + z W` with
:math:`z = x + 1`.

*Rotations.* If W acts on the two channels as the complex number :math:`w = -1/(1 + r)`, the layer
multiplies by :math:`1 + w z = (x - r)/(-1 - r)`. One layer a root; the root -1 can't be had.

*Newton's form.* With channels (y, s) and :math:`W = (0, 0; c_l, a_l)`, the layer is
:math:`y \mathrel{+}= c_l z s,\ s \mathrel{+}= a_l z s`, so that L layers from
:math:`(c_0, 1)` collect

.. math:: y = c_0 + \sum_{l=1}^{L} c_l \, z \prod_{j<l} (1 + a_j z)

in y. The terms have degrees 0, 1, ..., L if no :math:`a_j` is zero: a basis. No roots are needed,
rational filters have rational weights, and :math:`h(-1) = c_0` may be zero.

>>> h = (x + 1) * (x**2 + 1)
>>> layers, read_in = newton_layers(h)
>>> run(layers, x, one, read_in, (1, 0)) == h
True
"""

from collections.abc import Iterable, Sequence

import numpy as np
from flint import ctx, fmpq, fmpq_mat, fmpq_poly

from polyfilter.claims._channels import (
    BITS,
    Layer,
    Number,
    Rows,
    filtered,
    from_roots,
    on_spectrum,
    random_matrix,
    root_balls,
    rotation,
    run,
)
from polyfilter.claims._rational import x
from polyfilter.graphs import GraphSet

__all__ = [
    "at_minus_one",
    "enclosed",
    "newton_layers",
    "realised",
    "residual",
    "residual_rotations",
    "rotated",
]

one = fmpq_poly([1])


def residual(W: Rows) -> Layer:
    """X -> X + (A + I) X W, vanilla with a residual connection.

    >>> residual(((2,),))
    (((3,),), ((2,),))
    """
    ahead = (tuple(w + (i == j) for j, w in enumerate(row)) for i, row in enumerate(W))
    return tuple(ahead), W


def residual_rotations(roots: Iterable[tuple[Number, Number]]) -> list[Layer]:
    """Multiply two channels, as a complex number, by (x - r) / (-1 - r) for each root r.

    >>> run(residual_rotations([(fmpq(1), fmpq(0))]), x, one, (1, 0), (1, 0))
    (-1/2)*x + 1/2
    """
    sizes = ((a, b, (1 + a) * (1 + a) + b * b) for a, b in roots)
    return [residual(rotation(-(1 + a) / size, b / size)) for a, b, size in sizes]


def newton_layers(h: fmpq_poly) -> tuple[list[Layer], tuple[Number, ...]]:
    r"""Realise any polynomial of degree L by L residual layers of width 2, and a read-in.

    Newton's form :math:`c_0 + \sum_l c_l z \prod_{j<l} (1 + a_j z)`, :math:`z = x + 1`, in the
    channels (y, s): y collects the terms, s is the product so far. The read-out is (1, 0).

    >>> layers, read_in = newton_layers(x + 1)
    >>> run(layers, x, one, read_in, (1, 0)), read_in
    (x + 1, (0, 1))
    """
    L, z = max(1, h.degree()), fmpq_poly([0, 1])
    rest = h(z - 1)
    c_0 = rest[0]
    rest, layers = (rest - c_0) / z, []
    for j in range(1, L + 1):
        node = fmpq(2 * j, L)  # spread over the interval (0, 2] of z
        c, a = rest(node), -1 / node
        rest = (rest - c) / (1 + a * z)
        layers.append(residual(((0, 0), (c, a))))
    return layers, (c_0, 1)


def at_minus_one(width: int, depth: int, rng: np.random.Generator) -> bool:
    """Whether a random residual network has the response v·u at the eigenvalue -1."""
    (u,), (v,) = random_matrix(rng, 1, width), random_matrix(rng, 1, width)
    layers = [residual(random_matrix(rng, width, width)) for _ in range(depth)]
    direct = sum((a * b for a, b in zip(u, v, strict=True)), fmpq(0))
    return bool(run(layers, fmpq(-1), fmpq(1), u, v) == direct)


def rotated(roots: Sequence[tuple[fmpq, fmpq]]) -> bool:
    """Whether rotations give the polynomial with these roots, exactly."""
    h = from_roots(roots)
    return bool(run(residual_rotations(roots), x, one, (h(-1), 0), (1, 0)) == h)


def enclosed(family: GraphSet, h: fmpq_poly) -> float:
    """Bound the distance of rotations by certified roots from h on the exact spectrum."""
    with ctx.workprec(BITS):
        return on_spectrum(family, h, residual_rotations(root_balls(h)), (h(-1), 0), (1, 0))


def realised(blocks: Sequence[fmpq_mat], h: fmpq_poly) -> bool:
    """Whether the network of Newton's form is h: as a polynomial, and on a signal on each graph.

    >>> realised([fmpq_mat([[2]])], x**2 + 1)
    True
    """
    layers, read_in = newton_layers(h)
    same = run(layers, x, one, read_in, (1, 0)) == h
    for B in blocks:
        signal = fmpq_mat([[k * k + 1] for k in range(B.nrows())])
        same &= run(layers, B, signal, read_in, (1, 0)) == filtered(h, B, signal)
    return bool(same)
