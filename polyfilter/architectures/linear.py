r"""Filters that are linear in their weights: GPR-GNN, ChebNetII, JacobiConv, and JKNet's readout.

=============== ======================================================== =====================
architecture    filter of depth :math:`K`                                basis
=============== ======================================================== =====================
GPR-GNN         :math:`\sum_k \gamma_k P^k`, :math:`P = (A + I)/2`       powers of P
ChebNetII       :math:`\sum_j \gamma_j \ell_j(-A)`                       Lagrange polynomials on
                                                                         Chebyshev points
JacobiConv      :math:`\sum_k \gamma_k P_k^{(a,b)}(A)`                   Jacobi polynomials
JKNet           :math:`\sum_l v_l H_l`, :math:`H_l = W_l (A + I)         powers of A + I, by
                H_{l-1}`                                                 concatenated layers
=============== ======================================================== =====================

All four are bases of the polynomials of degree :math:`K`, so that the space is linear, of
*dimension* :math:`\min\{K + 1, \Gamma\}` (Lemma 1), *complete* at :math:`K = \Gamma - 1` and not
before, and membership is a matter of degree. Width changes nothing: in the first three it is a
filter for every channel, and in JKNet the layers' weights commute with propagation.

* ChebNetII writes the interpolation in Chebyshev polynomials (its Equation 8), which is the same
  polynomial; its weights are the values of the filter on the :math:`K + 1` Chebyshev points of
  :math:`-x`. Where code passes them through a ReLU, as its authors' does, it is a cone instead.
* JKNet here concatenates the input and all :math:`L` layers of a vanilla GCN before the readout.
  Each span one dimension (:mod:`polyfilter.architectures.fixed`), and all together :math:`L + 1`.
* A basis changes what training finds and what rounding leaves, not what can be expressed.

>>> from polyfilter.ambient import ambient
>>> space = ambient([-1.0, -0.5, 0.5, 1.0])
>>> h = space.element([1, 2, 3])
>>> weights = LINEAR["gpr-gnn"].weights(h, space, depth=2, width=1, bits=53)
>>> weights[0]["gamma"].ravel()                                      # 3 x² + 2 x + 1, x = 2P - 1
array([ 2., -8., 12.])
>>> LINEAR["gpr-gnn"].evaluate(weights, [0.5, 1.0], depth=2)
array([2.75, 6.  ])
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from flint import fmpq, fmpq_poly

from polyfilter.ambient import Ambient, Element, rational
from polyfilter.architectures.base import (
    Architecture,
    Field,
    Hull,
    Need,
    Weights,
    as_array,
    embedding,
    polynomials,
)
from polyfilter.clenshaw import Real
from polyfilter.errors import FilterError
from polyfilter.jacobian import Shapes

__all__ = ["GPRGNN", "LINEAR", "ChebNetII", "JKNet", "JacobiConv", "Linear"]


class _Rationals:
    """The field of coefficients of flint's polynomials."""

    def number(self, value: Fraction | float) -> fmpq:
        exact = Fraction(value)
        return fmpq(exact.numerator, exact.denominator)


@dataclass(frozen=True)
class Linear(Architecture):
    """Weights times K + 1 polynomials that form a basis of those of degree K.

    Examples
    --------
    >>> [type(kind).__name__ for kind in LINEAR.values() if isinstance(kind, Linear)]
    ['GPRGNN', 'ChebNetII', 'JacobiConv', 'JKNet']
    """

    @abstractmethod
    def basis(self, x: Any, depth: int, field: Field) -> list[Any]:
        """The K + 1 polynomials at x, which may be a polynomial itself."""

    @abstractmethod
    def coefficients(self, h: fmpq_poly, depth: int) -> list[fmpq]:
        """The weights of a polynomial of degree K at most."""

    def shapes(self, depth: int, width: int) -> Shapes:
        return [{"gamma": (depth + 1, 1, 1)}]

    def forward(self, weights: Sequence[Any], x: Any, depth: int, field: Field) -> Any:
        gamma = weights[0]["gamma"]
        total = x * field.number(0)
        for k, polynomial in enumerate(self.basis(x, depth, field)):
            total = total + gamma[k] * polynomial
        return total

    def bound(self, gamma: int, depth: int, width: int) -> int:
        return min(depth + 1, gamma)

    def complete(self, ambient: Ambient, width: int) -> Need:
        depth = max(1, ambient.gamma - 1)
        return Need(
            depth,
            f"it has all polynomials of degree K, and Γ - 1 = {ambient.gamma - 1:,} is needed.",
        )

    def least_depth(self, h: Element, ambient: Ambient, width: int) -> Need:
        return Need(
            max(1, h.degree),
            f"the filter has degree {h.degree}, and depth K has exactly the polynomials of degree "
            "K.",
        )

    def weights(self, h: Element, ambient: Ambient, depth: int, width: int, bits: int) -> Weights:
        gamma = as_array(self.coefficients(h.polynomial, depth), bits)
        return ({"gamma": gamma[:, None, None]},)

    def hull(self, x: Real, depth: int, width: int) -> Hull:
        return Hull(polynomials(x, min(depth, len(np.unique(x)) - 1)))

    def depth_of_degree(self, degree: int, width: int) -> int | None:
        return max(1, degree)


@dataclass(frozen=True)
class GPRGNN(Linear):
    """Generalised PageRank: powers of P = (A + I) / 2."""

    def basis(self, x: Any, depth: int, field: Field) -> list[Any]:
        one, half = field.number(1), field.number(Fraction(1, 2))
        found = [x * field.number(0) + one]
        for _ in range(depth):
            found.append(found[-1] * (x + one) * half)
        return found

    def coefficients(self, h: fmpq_poly, depth: int) -> list[fmpq]:
        moved = h(fmpq_poly([-1, 2]))
        return [moved[k] for k in range(depth + 1)]


@dataclass(frozen=True)
class ChebNetII(Linear):
    """Values on Chebyshev points of -A, interpolated."""

    @staticmethod
    def nodes(depth: int) -> Real:
        """The K + 1 Chebyshev points, as floats; these very floats are the nodes."""
        return np.cos(np.pi * (np.arange(depth + 1) + 0.5) / (depth + 1))

    def basis(self, x: Any, depth: int, field: Field) -> list[Any]:
        nodes = [Fraction(node) for node in self.nodes(depth)]
        found = []
        for node in nodes:
            others = [other for other in nodes if other != node]
            polynomial = x * field.number(0) + field.number(1)
            # one quotient a factor keeps floats near one
            for other in others:
                step = x * field.number(-1) - field.number(other)
                polynomial = polynomial * step * field.number(1 / (node - other))
            found.append(polynomial)
        return found

    def coefficients(self, h: fmpq_poly, depth: int) -> list[fmpq]:
        return [h(-rational(node)) for node in self.nodes(depth)]


@dataclass(frozen=True)
class JacobiConv(Linear):
    """Jacobi polynomials of A, with parameters a, b > -1."""

    a: Fraction = Fraction(1)
    b: Fraction = Fraction(1)

    def __post_init__(self) -> None:
        if not (self.a > -1 and self.b > -1):
            raise FilterError(f"Jacobi polynomials need a, b > -1, not {self.a} and {self.b}")

    def basis(self, x: Any, depth: int, field: Field) -> list[Any]:
        a, b, number = self.a, self.b, field.number
        found = [x * number(0) + number(1), x * number((a + b + 2) / 2) + number((a - b) / 2)]
        for k in range(2, depth + 1):
            s = 2 * k + a + b
            scale = 2 * k * (k + a + b) * (s - 2)
            slope, shift = s * (s - 1) * (s - 2) / scale, (s - 1) * (a * a - b * b) / scale
            back = 2 * (k + a - 1) * (k + b - 1) * s / scale
            step = x * number(slope) + number(shift)
            found.append(step * found[-1] - found[-2] * number(back))
        return found[: depth + 1]

    def coefficients(self, h: fmpq_poly, depth: int) -> list[fmpq]:
        found = [fmpq(0)] * (depth + 1)
        graded = self.basis(fmpq_poly([0, 1]), depth, _Rationals())
        for k in range(h.degree(), -1, -1):  # the k-th has degree k: from the top down
            found[k] = h[k] / graded[k][k]
            h = h - graded[k] * found[k]
        return found


@dataclass(frozen=True)
class JKNet(Linear):
    """A readout of the input and every layer of a vanilla GCN."""

    def basis(self, x: Any, depth: int, field: Field) -> list[Any]:
        found = [x * field.number(0) + field.number(1)]
        for _ in range(depth):
            found.append(found[-1] * (x + field.number(1)))
        return found

    def coefficients(self, h: fmpq_poly, depth: int) -> list[fmpq]:
        moved = h(fmpq_poly([-1, 1]))
        return [moved[k] for k in range(depth + 1)]

    def shapes(self, depth: int, width: int) -> Shapes:
        square = {"W": (width, width)}
        return [{"embed": (width, 1)}, *([square] * depth), {"readout": (depth + 1, 1, width)}]

    def forward(self, weights: Sequence[Any], x: Any, depth: int, field: Field) -> Any:
        one, readout = field.number(1), weights[-1]["readout"]
        H = weights[0]["embed"] @ (x * field.number(0) + one)
        total = readout[0] @ H
        for k, layer in enumerate(weights[1:-1], start=1):
            H = layer["W"] @ ((x + one) * H)
            total = total + readout[k] @ H
        return total

    def weights(self, h: Element, ambient: Ambient, depth: int, width: int, bits: int) -> Weights:
        embed, first = embedding(width, bits)
        gamma = as_array(self.coefficients(h.polynomial, depth), bits)
        W = np.eye(width, dtype=int).astype(embed.dtype)
        return ({"embed": embed}, *[{"W": W}] * depth, {"readout": gamma[:, None, None] * first})


LINEAR: dict[str, Linear] = {
    linear.name: linear
    for linear in (
        GPRGNN("gpr-gnn", "Σ_k γ_k P^k, P = (A + I)/2", "hops"),
        ChebNetII("chebnetii", "Σ_j γ_j ℓ_j(-A) on Chebyshev points", "hops"),
        JacobiConv("jacobiconv", "Σ_k γ_k P_k^(a,b)(A)", "hops"),
        JKNet("jknet", "Σ_l v_l H_l, H_l = W_l (A + I) H_(l-1)"),
    )
}
"""The architectures that are linear in their weights, by name."""
