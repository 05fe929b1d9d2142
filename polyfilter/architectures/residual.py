r"""Vanilla GCN with residual connections.

A layer is

.. math:: H \mapsto H + W (A + I) H, \qquad W \in \mathbb R^{w \times w},

and the filter of :math:`L` layers, with embedding :math:`u` and readout :math:`v`, is
:math:`v^\top \prod_l (I + y W_l)\, u` in :math:`y = x + 1`. *Dimension*
:math:`\min\{L + 1, \Gamma\}`.

**One channel.** :math:`c \prod_l (1 + w_l y)`: a polynomial with real roots, none of them
:math:`-1`. At :math:`x = -1` the filter is :math:`c`, so one that is zero there is zero everywhere.
Hence, for :math:`\Gamma \ge 2`:

* if :math:`-1` is no eigenvalue, it is complete at depth :math:`\Gamma` and not before: the lift
  :math:`t m + h` has real roots only, and for almost every :math:`t` none at :math:`-1`;
* if :math:`-1` is an eigenvalue (some component is bipartite), no depth is complete: of the filters
  with :math:`h(-1) = 0` only zero is in reach. All others are, at depth :math:`\Gamma`.

**Two channels or more.** Every polynomial of degree :math:`L` at most, so that it is complete at
:math:`\Gamma - 1`. Let :math:`g = h - h(-1)` and take the complex polynomial
:math:`p = 1 + i s g`. It is 1 at :math:`y = 0`, so its roots differ from :math:`-1` and
:math:`p = \prod_l (1 + w_l y)` with complex :math:`w_l`, each a matrix of two by two. Its real part
is 1, its imaginary part :math:`s g`, and the readout :math:`(h(-1), 1/s)` gives
:math:`h(-1) + g = h`. Any :math:`s \ne 0` will do for which :math:`p` has no double root; only
finitely many have one.

>>> from polyfilter.ambient import ambient
>>> for spectrum in ([-0.5, 0.0, 1.0], [-1.0, 0.0, 1.0]):
...     space = ambient(spectrum)
...     print(RESIDUAL.complete(space, 1).depth, RESIDUAL.complete(space, 2).depth)
3 2
None 2
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import flint
import numpy as np
from flint import acb, fmpq, fmpq_poly

from polyfilter.ambient import Ambient, Element
from polyfilter.architectures.base import (
    Architecture,
    Field,
    Hull,
    Need,
    Weights,
    as_array,
    embedding,
    plural,
    polynomials,
    real_rooted,
)
from polyfilter.architectures.splitting import (
    GUARD_BITS,
    complex_roots,
    count_pairs,
    leja,
    lift,
    middle,
    split,
)
from polyfilter.clenshaw import Real
from polyfilter.jacobian import Shapes

__all__ = ["RESIDUAL", "Residual"]

NEVER = (
    "-1 is an eigenvalue, and with one channel every layer leaves it alone: a filter that is zero "
    "there is zero everywhere."
)


@dataclass(frozen=True)
class Residual(Architecture):
    """I + W (A + I), layer after layer.

    Examples
    --------
    >>> isinstance(RESIDUAL, Residual), RESIDUAL.shapes(depth=1, width=2)[1]
    (True, {'W': (2, 2)})
    """

    def shapes(self, depth: int, width: int) -> Shapes:
        square = {"W": (width, width)}
        return [{"embed": (width, 1)}, *([square] * depth), {"readout": (1, width)}]

    def forward(self, weights: Sequence[Any], x: Any, depth: int, field: Field) -> Any:
        one = field.number(1)
        H = weights[0]["embed"] @ (x * field.number(0) + one)
        for layer in weights[1:-1]:
            H = H + layer["W"] @ ((x + one) * H)
        return weights[-1]["readout"] @ H

    def bound(self, gamma: int, depth: int, width: int) -> int:
        return min(depth + 1, gamma)

    def complete(self, ambient: Ambient, width: int) -> Need:
        gamma = ambient.gamma
        if gamma == 1:
            return Need(1, "on a single eigenvalue a filter is a number, and so is the readout.")
        if width > 1:
            return Need(
                gamma - 1,
                "with two channels the layers give every polynomial of the degree of their depth, "
                f"and Γ - 1 = {gamma - 1:,} is needed.",
            )
        if ambient.minus_one:
            return Need(None, NEVER)
        return Need(
            gamma,
            "below Γ only filters with real roots other than -1 are in reach; at Γ every filter "
            "is, as t·m + h.",
        )

    def least_depth(self, h: Element, ambient: Ambient, width: int) -> Need:
        depth = max(1, h.degree)
        if width > 1:
            return Need(
                depth,
                f"the filter has degree {h.degree}, and two channels give all of that degree.",
            )
        if h.degree < 1:
            return Need(1, "the filter is a number, and so is the readout.")
        pairs, zero = count_pairs(h.polynomial), h.polynomial(-1) == 0
        if not pairs and not zero:
            return Need(depth, f"all {depth} roots of the filter are real and none is -1.")
        if zero and ambient.minus_one:
            return Need(None, NEVER)
        trouble = (
            "is zero at -1"
            if not pairs
            else f"has {plural(pairs, 'pair')} of roots off the real line"
        )
        return Need(
            ambient.gamma,
            f"the filter {trouble}, which one channel can't have; from depth Γ = {ambient.gamma:,} "
            "on, t·m + h is the same filter and has real roots other than -1 only.",
        )

    def weights(self, h: Element, ambient: Ambient, depth: int, width: int, bits: int) -> Weights:
        factors = _one_channel if width == 1 else _two_channels
        roots, reading = factors(h.polynomial, ambient, bits + GUARD_BITS)
        embed, readout = embedding(width, bits)
        readout[0, : len(reading)] = as_array(reading, bits)
        layers = [_layer(roots[k], width, bits) for k in leja(roots)]
        idle = {"W": np.zeros((width, width), dtype=int).astype(embed.dtype)}
        return ({"embed": embed}, *layers, *[idle] * (depth - len(layers)), {"readout": readout})

    def hull(self, x: Real, depth: int, width: int) -> Hull:
        top = len(np.unique(x)) - 1
        outer = polynomials(x, min(depth, top))
        if width > 1 or depth > top or depth == 1:
            return Hull(outer)
        inner, family = polynomials(x, 1), real_rooted(depth)
        return Hull(outer, tight=False, inner=inner, family=family)

    def depth_of_degree(self, degree: int, width: int) -> int | None:
        return max(1, degree) if width > 1 or degree <= 1 else None


def _one_channel(h: fmpq_poly, ambient: Ambient, bits: int) -> tuple[list[acb], list[fmpq]]:
    """The real roots of h, or of its lift, and the readout."""
    if h.degree() < 1:
        return [], [h[0]]
    if count_pairs(h) or h(-1) == 0:
        m = ambient.require_modulus()
        h = lift(h, m)
        while h(-1) == 0:
            h += m
    return split(h, bits).real, [h(-1)]


def _two_channels(h: fmpq_poly, ambient: Ambient, bits: int) -> tuple[list[acb], list[fmpq]]:
    """The complex roots of 1 + i s g, and the readout."""
    g = h - h(-1)
    if g.degree() < 1:
        return [], [h[0]]
    s = _scale(g, ambient)
    return complex_roots(fmpq_poly([1]), s * g, bits), [h(-1), 1 / s]


def _layer(root: acb, width: int, bits: int) -> dict[str, Any]:
    """W for the factor 1 + w y whose root in x is given."""
    with flint.ctx.workprec(bits + GUARD_BITS):
        w = -1 / (root + 1)
    a, b = as_array([middle(w.real), middle(w.imag)], bits)
    W = np.zeros((width, width), dtype=int).astype(np.asarray(a).dtype)
    W[0, 0] = a
    if width > 1:
        W[0, 1], W[1, 0], W[1, 1] = -b, b, a
    return {"W": W}


def _scale(g: fmpq_poly, ambient: Ambient) -> fmpq:
    """A number s of the size of 1 / max|g| for which 1 + i s g has no double root.

    It has one where it and its derivative i s g' are zero, and then so are 1 + s² g² and g'.
    """
    points = np.linspace(-1, 1, 65) if ambient.points is None else ambient.points
    top = np.abs(Element(g, True)(points)).max()
    s = fmpq(2) ** -int(np.frexp(top)[1]) if top else fmpq(1)
    while (1 + s * s * g * g).gcd(g.derivative()).degree() > 0:
        s *= fmpq(5, 4)
    return s


RESIDUAL = Residual("vanilla+residual", "I + W (A + I)")
"""Vanilla GCN with residual connections."""
