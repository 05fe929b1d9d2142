r"""ARMA: rational filters, from stacks of recursive layers.

A stack repeats :math:`H \mapsto a A H + b X` with :math:`|a| < 1` until it stands still, at
:math:`b (I - aA)^{-1} X`. The filter of :math:`K` stacks with :math:`w` channels each is

.. math:: f(x) = \sum_{i=1}^{n} \frac{b_i}{1 - a_i x}, \qquad n = K w, \quad |a_i| < 1.

(Channels that are mixed by a matrix have its eigenvalues for :math:`a_i`. Pairs that are not real
are left out here; they change neither the dimension nor the depth that is complete.)

**What changes** with rational functions:

* On :math:`\Gamma` eigenvalues they are filters like all others, each with its polynomial of degree
  below :math:`\Gamma`, but of no bounded degree: one stack has all of them at once.
* Weights are not linear: poles move. *Dimension* :math:`\min\{2n, \Gamma\}`, twice that of as many
  coefficients.
* And yet it is *complete* only at :math:`n = \Gamma`. There it is, as
  :math:`1/(1 - a_i \lambda_j)` with different :math:`a_i` is a Cauchy matrix, and regular. Before,
  it is not: the numerator has degree :math:`n - 1` and the denominator no zero on :math:`[-1, 1]`,
  so that :math:`f` changes its sign at most :math:`n - 1` times, and some filters do
  :math:`\Gamma - 1` times.

*Membership* below :math:`\Gamma`. If :math:`\Gamma \ge 2n`, at most one rational function
:math:`N/D` with :math:`\deg N < n`, :math:`\deg D \le n` takes the values of a filter; Euclid's
algorithm on :math:`m` and :math:`h` finds it, and its poles decide, exactly. Between, signs can
exclude a filter; otherwise it is not decided.

>>> from polyfilter.ambient import ambient
>>> space = ambient([-1.0, -0.5, 0.0, 0.5, 1.0])
>>> ARMA_.complete(space, width=1).depth
5
>>> print(ARMA_.contains(space.element([2, 1]), space, depth=1, width=1))
no: no quotient with 1 pole takes these values on the spectrum.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any

import numpy as np
from flint import fmpq, fmpq_mat, fmpq_poly

from polyfilter.ambient import Ambient, Element, rational
from polyfilter.architectures.base import (
    Architecture,
    Family,
    Field,
    Hull,
    Membership,
    Need,
    Weights,
    as_array,
    plural,
)
from polyfilter.architectures.splitting import GUARD_BITS, count_pairs, middle, split
from polyfilter.clenshaw import Real
from polyfilter.errors import FilterError
from polyfilter.jacobian import Shapes
from polyfilter.spectrum import eigenvalue_tolerance

__all__ = ["ARMA", "ARMA_"]

NEARLY_ONE = 1 - 2.0**-20
"""No pole that is searched for comes closer to the spectrum than this."""
RADIUS = 0.95
"""Poles of a complete set are 1/a for a at Chebyshev points of this radius."""


@dataclass(frozen=True)
class ARMA(Architecture):
    """Sums of b / (1 - a x).

    Examples
    --------
    >>> isinstance(ARMA_, ARMA), ARMA_.shapes(depth=1, width=2)
    (True, [{'a': (2, 1), 'b': (1, 2)}])
    """

    def shapes(self, depth: int, width: int) -> Shapes:
        return [{"a": (width, 1), "b": (1, width)}] * depth

    def forward(self, weights: Sequence[Any], x: Any, depth: int, field: Field) -> Any:
        one, total = field.number(1), x * field.number(0)
        for stack in weights:
            total = total + stack["b"] @ (one / (stack["a"] * x * field.number(-1) + one))
        return total

    def bound(self, gamma: int, depth: int, width: int) -> int:
        return min(2 * depth * width, gamma)

    def complete(self, ambient: Ambient, width: int) -> Need:
        depth = ceil(ambient.gamma / width)
        return Need(
            depth,
            f"with n poles a filter changes its sign n - 1 times at most, and on Γ = "
            f"{ambient.gamma:,} eigenvalues one may do so Γ - 1 times; Γ poles give all.",
        )

    def contains(self, h: Element, ambient: Ambient, depth: int, width: int) -> Membership:
        n, gamma = depth * width, ambient.gamma
        if h.is_zero:
            return Membership(True, "the zero filter has zero weights.")
        if n >= gamma:
            return Membership(True, f"{n} poles give every filter on Γ = {gamma} eigenvalues.")
        if ambient.is_generic:
            return Membership(None, "below Γ poles this depends on the eigenvalues; give them.")
        changes = _sign_changes(h, ambient)
        if changes >= n:
            return Membership(
                False,
                f"the filter changes its sign {changes} times along the spectrum; with "
                f"{plural(n, 'pole')} it could {n - 1} times at most.",
            )
        if gamma < 2 * n:
            return Membership(
                None,
                f"several quotients with {plural(n, 'pole')} take these values; we search none.",
            )
        quotient = _quotient(h.polynomial, ambient.require_modulus(), n)
        if quotient is None:
            return Membership(
                False, f"no quotient with {plural(n, 'pole')} takes these values on the spectrum."
            )
        return _judged(*quotient, n)

    def least_depth(self, h: Element, ambient: Ambient, width: int) -> Need:
        depth = ceil(ambient.gamma / width)
        for fewer in range(1, min(depth, ceil(ambient.gamma / (2 * width)) + 1)):
            if not ambient.is_generic and self.contains(h, ambient, fewer, width).answer:
                return Need(
                    fewer, f"a quotient with {plural(fewer * width, 'pole')} is this filter."
                )
        return Need(
            depth, f"{ambient.gamma} poles give every filter on as many eigenvalues; fewer may do."
        )

    def weights(self, h: Element, ambient: Ambient, depth: int, width: int, bits: int) -> Weights:
        n = depth * width
        if h.is_zero:
            a, b = [fmpq(0)], [fmpq(0)]
        elif n < ambient.gamma:
            quotient = _quotient(h.polynomial, ambient.require_modulus(), n)
            assert quotient is not None, "a filter that is contained below Γ is a quotient"
            a, b = _partial_fractions(*quotient, bits + GUARD_BITS)
        else:
            a, b = _cauchy(h, ambient)
        padding = [fmpq(0)] * (n - len(a))
        poles, sizes = (as_array(part + padding, bits).reshape(depth, width) for part in (a, b))
        return tuple({"a": poles[k, :, None], "b": sizes[k, None]} for k in range(depth))

    def hull(self, x: Real, depth: int, width: int) -> Hull:
        n = depth * width

        def columns(s: Real, x: Real) -> Real:
            return 1 / (1 - NEARLY_ONE * np.tanh(s) * x[:, None])

        inner = 1 / (1 - _places(n) * x[:, None])
        # sums of filters with one pole are all filters, so no linear space is around it
        return Hull(None, tight=False, inner=inner, family=Family(columns, n))

    def depth_of_degree(self, degree: int, width: int) -> int | None:
        return 1 if degree == 0 else None


def _sign_changes(h: Element, ambient: Ambient) -> int:
    """How often the filter surely changes its sign along the spectrum."""
    points = ambient.points
    assert points is not None
    values = h(points)
    # what an eigenvalue in float64 may be off by, times the slope
    slope = np.abs(h.filter.derivative(points)).max()
    off = 0.0 if ambient.graphs is None else eigenvalue_tolerance(len(points)) * slope
    signs = np.sign(values[np.abs(values) > off])
    return int(np.sum(signs[1:] != signs[:-1]))


def _quotient(h: fmpq_poly, m: fmpq_poly, n: int) -> tuple[fmpq_poly, fmpq_poly] | None:
    """Return N, D with N = h D modulo m, deg N < n, deg D <= n, without common factors.

    The remainders r = s m + t h of Euclid's algorithm, from the first of degree below n: if any
    pair solves the congruence, this one does, and it is unique for deg m >= 2n.
    """
    r0, r1, t0, t1 = m, h, fmpq_poly([0]), fmpq_poly([1])
    while r1.degree() >= n:
        q, rest = divmod(r0, r1)
        r0, r1, t0, t1 = r1, rest, t1, t0 - q * t1
    common = r1.gcd(t1)
    N, D = r1 // common, t1 // common
    if D.degree() > n or not ((N - h * D) % m).is_zero():
        return None
    return N, D


def _judged(N: fmpq_poly, D: fmpq_poly, n: int) -> Membership:
    """Whether N / D is a sum of n terms with different real poles outside [-1, 1]."""
    if count_pairs(D):
        return Membership(False, "the only quotient with these values has poles that are not real.")
    if D.gcd(D.derivative()).degree() > 0:
        return Membership(False, "the only quotient with these values has a double pole.")
    if any(ball.real.abs_lower() <= 1 for ball in split(D, 64).real):
        return Membership(False, "the only quotient with these values has a pole in [-1, 1].")
    if N.degree() > D.degree():
        return Membership(False, "the only quotient with these values has a polynomial part.")
    if D.degree() + (N.degree() == D.degree()) > n:
        return Membership(False, f"the only quotient with these values needs more than {n} terms.")
    return Membership(
        True, f"it is a quotient with {plural(D.degree(), 'pole')}, all outside [-1, 1]."
    )


def _partial_fractions(N: fmpq_poly, D: fmpq_poly, bits: int) -> tuple[list[fmpq], list[fmpq]]:
    """Return a, b with N/D = sum of b / (1 - a x): at a pole r, a = 1/r and b = -N/(r D')."""
    a, b = [], []
    slope = D.derivative()
    for ball in split(D, bits).real:
        r = middle(ball.real)
        a.append(1 / r)
        b.append(-N(r) / (slope(r) * r))
    if N.degree() == D.degree():
        a.append(fmpq(0))
        b.append(N[N.degree()] / D[D.degree()])
    return a, b


def _places(n: int) -> Real:
    """Different a in (-1, 1), spread as Chebyshev points."""
    return RADIUS * np.cos(np.pi * (np.arange(n) + 0.5) / n)


def _cauchy(h: Element, ambient: Ambient) -> tuple[list[fmpq], list[fmpq]]:
    """Γ poles at fixed places, and their sizes from the values on the spectrum, exactly."""
    if ambient.points is None:
        raise FilterError("poles take values on eigenvalues: give an array of them, or graphs")
    gamma = len(ambient.points)
    a = [rational(t) for t in _places(gamma)]
    x = [rational(t) for t in ambient.points]
    C = fmpq_mat(gamma, gamma, [1 / (1 - pole * point) for point in x for pole in a])
    y = fmpq_mat(gamma, 1, [h.polynomial(point) for point in x])
    return a, C.solve(y).entries()


ARMA_ = ARMA("arma", "Σ b (I - a A)⁻¹, |a| < 1", "stacks")
"""Stacks of recursive layers, at their fixed point."""
