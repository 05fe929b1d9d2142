r"""Products of polynomial layers: GIN, first order, SoGC, order K, ChebNet.

A layer of order :math:`K` and width :math:`w` is

.. math:: H \mapsto \sum_{k=0}^{K} \Theta_k\, \phi_k(A) H, \qquad
    \Theta_k \in \mathbb R^{w \times w}, \quad \phi_k(x) = x^k \text{ or } T_k(-x),

and GIN's is :math:`W (\theta_1 A + \theta_0 I) H` with two *numbers* :math:`\theta_k`, whatever the
width (its :math:`1 + \varepsilon` is :math:`\theta_0 / \theta_1`). :math:`L` layers give
polynomials of degree :math:`KL` at most.

**One channel.** The filters are the products of :math:`L` real polynomials of degree :math:`K` at
most. A real polynomial of degree :math:`d` with :math:`c` pairs of complex roots is one if and only
if :math:`d \le KL` and :math:`c \le \lfloor K/2 \rfloor L`. For even :math:`K` the second
condition follows from the first; for odd :math:`K` it is a second condition, and for :math:`K = 1`
it says that all roots are real.

*Dimension* :math:`\min\{KL + 1, \Gamma\}`: factors without a common root generate all polynomials
of degree :math:`KL` as tangents, :math:`\sum_l r_l \prod_{j \ne l} q_j`.

*Complete* at the smallest :math:`L` with :math:`KL \ge \Gamma - 1`, as a smaller one has too few
dimensions; this is Theorem 1 at :math:`K = 2`. Only if :math:`K` is odd, :math:`L \ge 2` and
:math:`KL = \Gamma - 1` exactly, a filter without real roots is missing (or with one only), and one
layer more is needed. Why not many more: as soon as :math:`KL \ge \Gamma`, every filter has another
polynomial :math:`t m + h` with real roots only (:mod:`polyfilter.architectures.splitting`). For GIN
that is always so: incomplete at :math:`\Gamma - 1` and complete at :math:`\Gamma`, if
:math:`\Gamma \ge 3`.

**Two channels or more.** The matrices :math:`\begin{pmatrix} a & -b \\ b & a \end{pmatrix}` are the
complex numbers, so that layers with matrices :math:`\Theta_k` multiply by complex polynomials of
degree :math:`K`: *every* real polynomial of degree :math:`KL` at most is in the space, and no
other. GIN gains nothing: its :math:`W` are numbers in front of the same product.

>>> from polyfilter.ambient import ambient
>>> gin, sogc, first = (PRODUCTS[name] for name in ("gin", "sogc", "first-order"))
>>> seven = ambient(7)
>>> [a.complete(seven, width=1).depth for a in (gin, sogc, first)], first.complete(seven, 2).depth
([7, 3, 7], 6)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil
from typing import Any

import numpy as np
from flint import fmpq

from polyfilter.ambient import Ambient, Element, rational
from polyfilter.architectures.base import (
    FLOAT_BITS,
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
    Coefficients,
    count_pairs,
    fits,
    groups,
    lift,
    scaled_factors,
    split,
)
from polyfilter.clenshaw import Real
from polyfilter.factor import grid
from polyfilter.jacobian import Shapes
from polyfilter.polynomial import chebyshev_from_power
from polyfilter.stack import factorize

__all__ = ["PRODUCTS", "Product"]


@dataclass(frozen=True)
class Product(Architecture):
    """L layers of order K, one after the other.

    Attributes
    ----------
    order
        K, the degree of a layer.
    mixing
        Whether the Θ_k are matrices of their own (not so in GIN).
    chebyshev
        Whether the layer is written in Chebyshev polynomials of -A.

    Examples
    --------
    >>> third = PRODUCTS["k-order"].of_order(3)
    >>> isinstance(third, Product), third.order
    (True, 3)
    """

    order: int = 2
    mixing: bool = True
    chebyshev: bool = False

    def shapes(self, depth: int, width: int) -> Shapes:
        square = (width, width)
        layer = (
            {"theta": (self.order + 1, *square)}
            if self.mixing
            else {"theta": (self.order + 1, 1, 1), "W": square}
        )
        return [{"embed": (width, 1)}, *([layer] * depth), {"readout": (1, width)}]

    def forward(self, weights: Sequence[Any], x: Any, depth: int, field: Field) -> Any:
        zero, one, two = (field.number(k) for k in range(3))
        H = weights[0]["embed"] @ (x * zero + one)
        for layer in weights[1:-1]:
            theta = layer["theta"]
            if not self.mixing:
                H = layer["W"] @ (theta[0] * H + theta[1] * (x * H))
                continue
            before, term = x * H * zero, H
            total = theta[0] @ term
            for k in range(1, self.order + 1):
                if self.chebyshev:  # T_k(-x) H = -2 x T_{k-1} H - T_{k-2} H, and T_1(-x) = -x
                    step = x * term * (-one if k == 1 else -two)
                    before, term = term, step - before
                else:
                    term = x * term
                total = total + theta[k] @ term
            H = total
        return weights[-1]["readout"] @ H

    def _is_complex(self, width: int) -> bool:
        return self.mixing and width > 1

    def bound(self, gamma: int, depth: int, width: int) -> int:
        return min(self.order * depth + 1, gamma)

    def complete(self, ambient: Ambient, width: int) -> Need:
        gamma, order = ambient.gamma, self.order
        depth = max(1, ceil((gamma - 1) / order))
        if self._is_complex(width) or order % 2 == 0:
            return Need(
                depth,
                f"layers of order {order} give every polynomial of degree {order} × depth, and "
                f"Γ - 1 = {gamma - 1:,} is needed.",
            )
        if depth < 2 or order * depth > gamma - 1:
            return Need(
                depth,
                f"{order} × {depth:,} is at least Γ - 1 = {gamma - 1:,}, with room for the real "
                "roots that layers of odd order ask for.",
            )
        return Need(
            depth + 1,
            f"degree Γ - 1 = {gamma - 1:,} is reached at depth {depth:,}, but a layer of odd order "
            "has a real root, and a filter need not have enough of them; one layer more leaves "
            "room for t·m + h, whose roots are all real.",
        )

    def least_depth(self, h: Element, ambient: Ambient, width: int) -> Need:
        order, degree = self.order, h.degree
        by_degree = max(1, ceil(degree / order))
        if self._is_complex(width) or order % 2 == 0:
            return Need(
                by_degree,
                f"the filter has degree {degree}, and layers of order {order} reach exactly the "
                f"polynomials of degree {order} × depth.",
            )
        pairs = count_pairs(h.polynomial)
        if fits(degree, pairs, order, by_degree):
            return Need(
                by_degree,
                f"the filter has degree {degree} and {plural(pairs, 'pair')} of roots that are not "
                f"real, which {plural(by_degree, 'layer')} of order {order} can hold.",
            )
        lifted = ceil(ambient.gamma / order)
        by_pairs = ceil(pairs / (order // 2)) if order > 1 else lifted
        return Need(
            min(by_pairs, lifted),
            f"the filter has degree {degree} and {plural(pairs, 'pair')} of roots that are not "
            f"real, of which a layer of order {order} holds {order // 2}; from depth ⌈Γ/{order}⌉ = "
            f"{lifted:,} on, t·m + h is the same filter and has real roots only.",
        )

    def weights(self, h: Element, ambient: Ambient, depth: int, width: int, bits: int) -> Weights:
        factors = self._factors(h, ambient, depth, width, bits)
        identity: Coefficients = [(fmpq(1), fmpq(0))]
        factors += [identity] * (depth - len(factors))
        embed, readout = embedding(width, bits)
        layers = [self._layer(factor, width, bits) for factor in factors]
        return ({"embed": embed}, *layers, {"readout": readout})

    def _factors(
        self, h: Element, ambient: Ambient, depth: int, width: int, bits: int
    ) -> list[Coefficients]:
        """Polynomials of degree K at most whose product is the filter on the spectrum."""
        if h.degree < 1:
            return [[(h.polynomial[0], fmpq(0))]]
        points = grid(h.degree) if ambient.points is None else ambient.points
        if self.order == 2 and bits <= FLOAT_BITS:
            # ordered for the least noise, and fast at a degree of hundreds
            theta = factorize(h.filter, points).theta
            return [[(rational(t), fmpq(0)) for t in row] for row in theta]
        p = h.polynomial
        is_real = fits(p.degree(), count_pairs(p), self.order, depth)
        if not is_real and not self._is_complex(width):
            p, is_real = lift(p, ambient.require_modulus()), True
        roots = split(p, bits + GUARD_BITS)
        dealt = groups(roots, self.order, depth, paired=is_real)
        return scaled_factors(dealt, p[p.degree()], points, bits + GUARD_BITS)

    def _layer(self, factor: Coefficients, width: int, bits: int) -> dict[str, Any]:
        padded = factor + [(fmpq(0), fmpq(0))] * (self.order + 1 - len(factor))
        real, imaginary = ([part[k] for part in padded] for k in (0, 1))
        if self.chebyshev:
            real, imaginary = _chebyshev_of_minus(real), _chebyshev_of_minus(imaginary)
        a, b = as_array(real, bits), as_array(imaginary, bits)
        if not self.mixing:
            return {"theta": a[:, None, None], "W": np.eye(width, dtype=int).astype(a.dtype)}
        theta = np.zeros((self.order + 1, width, width), dtype=a.dtype)
        theta[:, 0, 0] = a
        if width > 1:
            theta[:, 0, 1], theta[:, 1, 0], theta[:, 1, 1] = -b, b, a
        return {"theta": theta}

    def hull(self, x: Real, depth: int, width: int) -> Hull:
        top = len(np.unique(x)) - 1
        outer = polynomials(x, min(self.order * depth, top))
        odd = not self._is_complex(width) and self.order % 2 == 1
        if not odd or self.order * depth > top or depth == 1:
            return Hull(outer)
        # an odd degree brings a real root of its own
        inner = polynomials(x, min((self.order - 1) * depth + 1, top))
        family = real_rooted(depth) if self.order == 1 else None
        return Hull(outer, tight=False, inner=inner, family=family)

    def depth_of_degree(self, degree: int, width: int) -> int | None:
        if self._is_complex(width) or self.order % 2 == 0 or degree <= self.order:
            return max(1, ceil(degree / self.order))
        return ceil((degree - 1) / (self.order - 1)) if self.order > 1 else None

    def of_order(self, order: int) -> Product:
        """The same with another order K."""
        name, layer = self.name.partition(":")[0], self.layer.replace("K", str(order))
        return replace(self, name=f"{name}:{order}", layer=layer, order=order)


def _chebyshev_of_minus(a: Sequence[fmpq]) -> list[fmpq]:
    """Coefficients of sum a_k x^k in T_k(-x)."""
    c = chebyshev_from_power([Fraction(int(v.p), int(v.q)) for v in a])
    return [fmpq(v.numerator, v.denominator) * (-1) ** k for k, v in enumerate(c)]


PRODUCTS = {
    product.name: product
    for product in (
        Product("gin", "W (θ₁ A + θ₀ I)", order=1, mixing=False),
        Product("first-order", "Θ₁ A + Θ₀", order=1),
        Product("sogc", "Θ₂ A² + Θ₁ A + Θ₀", order=2),
        Product("k-order", "Σ_k Θ_k A^k, k ≤ K", order=0),
        Product("chebnet", "Σ_k Θ_k T_k(-A), k ≤ K", order=0, chebyshev=True),
    )
}
"""The products by name; ``k-order`` and ``chebnet`` wait for their order."""
