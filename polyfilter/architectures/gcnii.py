r"""GCNII without activations: initial residual and identity mapping.

A layer is

.. math:: H \mapsto M_l \bigl((1 - \alpha) P H + \alpha H_0\bigr), \qquad P = (A + I)/2, \quad
    M_l = (1 - \beta_l) I + \beta_l W_l,

with a fixed :math:`0 < \alpha < 1` (0.1 by default) and matrices :math:`M_l` that are free because
:math:`W_l` are. Unrolled, the filter is :math:`\sum_k c_k P^k` with

.. math:: c_k = \alpha (1 - \alpha)^k\, v^\top M_L M_{L-1} \cdots M_{L-k} u \quad (k < L), \qquad
    c_L = \rho\, c_{L-1}, \quad \rho = (1 - \alpha)/\alpha,

since the deepest term and the one before it pass the same matrices. So the last coefficient is not
free: the span is :math:`V_L`, the polynomials of degree :math:`L` with :math:`c_L = \rho c_{L-1}`,
of *dimension* :math:`\min\{L, \Gamma\}`. (The published theorem on arbitrary coefficients lets
:math:`\alpha` vary by layer.) At :math:`L = \Gamma` the dimension is still :math:`\Gamma`: the
polynomial :math:`m` of the spectrum would have to lie in :math:`V_L`, so that
:math:`1 = -\rho\, e`, where :math:`e \ge 0` is the sum of the eigenvalues of :math:`P`.

**Two channels or more** give all of :math:`V_L`: with :math:`u = (1, 0)`, matrices that take
:math:`v_{k-1}` to :math:`v_k = (c_k, 1)` up to scale can be chosen one by one. *Complete* at
:math:`L = \Gamma`, and not before.

**One channel** has numbers for matrices: once a coefficient is zero, all after it are. That is all
of :math:`V_L` but for a set of measure zero. At :math:`L > \Gamma` a filter has many polynomials
:math:`h + m r` in :math:`V_L`, and zeros can be avoided, but for :math:`c_0 = h(-1)` if :math:`-1`
is an eigenvalue. (As a polynomial in :math:`P`, :math:`m` has roots in :math:`(0, 1]`, hence
coefficients of alternating signs, none of them zero.) So it is *complete* at :math:`\Gamma + 1` if
:math:`-1` is no eigenvalue, and otherwise never: a filter with :math:`h(-1) = 0` has to be zero, as
for vanilla GCN with residual connections.

>>> from polyfilter.ambient import ambient
>>> space = ambient([-0.5, 0.0, 0.5, 1.0])
>>> GCNII_.complete(space, width=1).depth, GCNII_.complete(space, width=2).depth
(5, 4)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from flint import fmpq, fmpq_poly

from polyfilter.ambient import Ambient, Element
from polyfilter.architectures.base import (
    Architecture,
    Field,
    Hull,
    Membership,
    Need,
    Weights,
    as_array,
    embedding,
    polynomials,
)
from polyfilter.architectures.fixed import check_alpha
from polyfilter.clenshaw import Real
from polyfilter.jacobian import Shapes

__all__ = ["GCNII", "GCNII_"]

NEVER = (
    "-1 is an eigenvalue, where one channel has nothing but the first coefficient, and if that is "
    "zero all others are."
)


@dataclass(frozen=True)
class GCNII(Architecture):
    """M ((1 - α) P H + α H₀), layer after layer.

    Examples
    --------
    >>> isinstance(GCNII_, GCNII), GCNII_.alpha
    (True, Fraction(1, 10))
    """

    alpha: Fraction = Fraction(1, 10)

    def __post_init__(self) -> None:
        check_alpha(self.alpha, self.name)

    @property
    def rho(self) -> fmpq:
        """The ratio (1 - α) / α of the last two coefficients."""
        ratio = (1 - self.alpha) / self.alpha
        return fmpq(ratio.numerator, ratio.denominator)

    def shapes(self, depth: int, width: int) -> Shapes:
        square = {"M": (width, width)}
        return [{"embed": (width, 1)}, *([square] * depth), {"readout": (1, width)}]

    def forward(self, weights: Sequence[Any], x: Any, depth: int, field: Field) -> Any:
        one = field.number(1)
        H0 = weights[0]["embed"] @ (x * field.number(0) + one)
        H = H0
        for layer in weights[1:-1]:
            walk = (x + one) * H * field.number((1 - self.alpha) / 2)
            H = layer["M"] @ (walk + H0 * field.number(self.alpha))
        return weights[-1]["readout"] @ H

    def bound(self, gamma: int, depth: int, width: int) -> int:
        return min(depth, gamma)

    def complete(self, ambient: Ambient, width: int) -> Need:
        gamma = ambient.gamma
        if gamma == 1 or width > 1:
            return Need(
                gamma,
                f"depth L has L dimensions, as its last coefficient is not free; Γ = {gamma}.",
            )
        if ambient.minus_one:
            return Need(None, NEVER)
        return Need(
            gamma + 1,
            f"Γ = {gamma:,} layers have the dimension, but with one channel all coefficients after "
            "a zero are zero; one layer more leaves room to avoid zeros.",
        )

    def contains(self, h: Element, ambient: Ambient, depth: int, width: int) -> Membership:
        if h.is_zero:
            return Membership(True, "the zero filter has zero weights.")
        if width == 1 and ambient.minus_one and h.polynomial(-1) == 0:
            return Membership(False, NEVER)
        if depth > ambient.gamma:
            return Membership(True, "more than Γ layers leave room to avoid zero coefficients.")
        is_full = depth == ambient.gamma and (width > 1 or ambient.is_generic)
        if is_full and h.degree == depth - 1:
            return Membership(True, f"{depth} layers have as many dimensions as the spectrum.")
        try:
            c = self._coefficients(h, ambient, depth)
        except LookupError as error:
            return Membership(False, str(error))
        if width == 1 and _has_hole(c):
            return Membership(
                False,
                "a coefficient in P is zero and a later one is not, which takes two channels.",
            )
        return Membership(True, f"the filter is in the span of {depth} layers.")

    def _coefficients(self, h: Element, ambient: Ambient, depth: int) -> list[fmpq]:
        """c_0, ..., c_L of the filter; LookupError if it is not in the span of L layers."""
        a = h.polynomial(fmpq_poly([-1, 2]))  # in powers of P
        if depth > ambient.gamma or a.degree() == depth - 1 == ambient.gamma - 1:
            return self._completed(a, ambient.require_modulus()(fmpq_poly([-1, 2])), depth)
        if a.degree() > depth:
            raise LookupError(f"the filter has degree {h.degree}, above the depth {depth}.")
        bent = a + (self.rho * a[depth - 1] - a[depth]) * fmpq_poly([0] * depth + [1])
        if not h.is_close(bent(fmpq_poly([fmpq(1, 2), fmpq(1, 2)]))):
            raise LookupError(
                f"at depth {depth} the last coefficient in P is {float(1 - self.alpha):g} / "
                f"{float(self.alpha):g} times the one before, and here it is not."
            )
        return [bent[k] for k in range(depth + 1)]

    def _completed(self, a: fmpq_poly, m: fmpq_poly, depth: int) -> list[fmpq]:
        """The coefficients of some a + m r in the span, without holes if that can be had."""
        rng = np.random.default_rng(0)
        spare = depth - m.degree()
        while True:
            r = fmpq_poly([fmpq(int(k), 64) for k in rng.integers(-64, 65, size=spare)])
            top = fmpq_poly([0] * spare + [1]) * m
            # the last coefficient of r is fixed by c_L = rho c_{L-1}
            p = a + m * r
            p += (
                top
                * (self.rho * p[depth - 1] - p[depth])
                / (top[depth] - self.rho * top[depth - 1])
            )
            c = [p[k] for k in range(depth + 1)]
            if spare == 0 or not _has_hole(c) or a[0] == m[0] == 0:
                return c

    def least_depth(self, h: Element, ambient: Ambient, width: int) -> Need:
        if h.is_zero:
            return Need(1, "the zero filter has zero weights.")
        for depth in sorted({max(1, h.degree), h.degree + 2, ambient.gamma, ambient.gamma + 1}):
            found = self.contains(h, ambient, depth, width)
            if found.answer:
                return Need(depth, found.reason)
        return Need(None, found.reason)

    def weights(self, h: Element, ambient: Ambient, depth: int, width: int, bits: int) -> Weights:
        embed, readout = embedding(width, bits)
        c = [fmpq(0)] * (depth + 1) if h.is_zero else self._coefficients(h, ambient, depth)
        stay = fmpq(self.alpha.numerator, self.alpha.denominator)
        # g_k = vᵀ M_L ... M_{L-k} u, what the layers have to bring
        g = [c[k] / (stay * (1 - stay) ** k) for k in range(depth)]
        layers = _numbers(g, bits) if width == 1 else _matrices(g, width, bits)
        if width > 1:
            readout[0, :2] = as_array([fmpq(0), fmpq(1)], bits)
        return ({"embed": embed}, *[{"M": M} for M in reversed(layers)], {"readout": readout})

    def hull(self, x: Real, depth: int, width: int) -> Hull:
        P = (1 + x) / 2
        last = P ** (depth - 1) * (1 + float(1 - self.alpha) / float(self.alpha) * P)
        last = last[:, None] / np.abs(last).max()
        top = len(np.unique(x)) - 1
        if depth > top:
            return Hull(polynomials(x, top))
        return Hull(last if depth == 1 else np.hstack([polynomials(x, depth - 2), last]))

    def depth_of_degree(self, degree: int, width: int) -> int | None:
        return degree + 2


def _has_hole(c: Sequence[fmpq]) -> bool:
    """Whether a zero comes before a number that is not zero."""
    used = [k for k, value in enumerate(c) if value != 0]
    return bool(used) and len(used) != used[-1] + 1


def _numbers(g: Sequence[fmpq], bits: int) -> list[Any]:
    """The numbers γ_L, ..., γ_1 whose running products are g."""
    found, before = [], fmpq(1)
    for value in g:
        found.append(value / before if before != 0 else fmpq(0))
        before = value
    return [as_array([value], bits)[:, None] for value in found]


def _matrices(g: Sequence[fmpq], width: int, bits: int) -> list[Any]:
    """Matrices M_L, ..., M_1 of two channels with row k of running products (g_k, s).

    Rows start from (0, 1), and the second entry stays 1: [0 0; g 1] takes (*, 1) to (g, 1).
    """
    found = []
    for value in g:
        M = np.zeros((width, width), dtype=int).astype(as_array([value], bits).dtype)
        M[1, 0], M[1, 1] = as_array([value, fmpq(1)], bits)
        found.append(M)
    return found


GCNII_ = GCNII("gcnii", "M ((1-α) P H + α H₀), P = (A + I)/2")
"""GCNII without activations, α = 1/10."""
