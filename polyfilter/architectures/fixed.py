r"""Networks with one filter a depth: vanilla GCN, SGC, APPNP.

====================== ========================================================= ===============
architecture           map of :math:`L` layers or hops                           free numbers
====================== ========================================================= ===============
vanilla (Equation 2)   :math:`H \mapsto W_l (A + I) H`, :math:`L` times          1
SGC                    :math:`\theta (A + I)^L`                                  1
APPNP                  :math:`Z \mapsto (1-\alpha) P Z + \alpha X`, from         1
                       :math:`Z = X`, :math:`L` times, then :math:`\theta`
====================== ========================================================= ===============

with :math:`P = (A + I)/2` and a fixed :math:`\alpha` (0.1 by default). Weights commute with
propagation, so that all of them together are one number in front of one polynomial
:math:`q_L(x)`:

.. math:: (1 + x)^L \quad\text{or}\quad
    (1-\alpha)^L P^L + \alpha \sum_{k<L} (1-\alpha)^k P^k, \qquad P = (1 + x)/2.

*Dimension* 1 at every depth and width (Equation 7, where the binomial should read
:math:`\binom{L}{l}`); complete only on a single eigenvalue.

>>> from polyfilter.ambient import ambient
>>> FIXED["vanilla"].polynomial(3)
x^3 + 3*x^2 + 3*x + 1
>>> five = ambient(5)
>>> print(FIXED["vanilla"].contains(five.element([2, 4, 2]), five, depth=2, width=8))
yes: the filter is 2 times (1 + x)^2, as all at this depth.
"""

from __future__ import annotations

from abc import abstractmethod
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
)
from polyfilter.clenshaw import Real
from polyfilter.errors import FilterError
from polyfilter.jacobian import Shapes

__all__ = ["APPNP", "FIXED", "SGC", "Fixed", "Vanilla", "check_alpha"]


@dataclass(frozen=True)
class Fixed(Architecture):
    """A number times one polynomial a depth.

    Examples
    --------
    >>> {name: type(kind).__name__ for name, kind in FIXED.items() if isinstance(kind, Fixed)}
    {'vanilla': 'Vanilla', 'sgc': 'SGC', 'appnp': 'APPNP'}
    """

    @abstractmethod
    def polynomial(self, depth: int) -> fmpq_poly:
        """The polynomial q of this depth."""

    def bound(self, gamma: int, depth: int, width: int) -> int:
        return 1

    def complete(self, ambient: Ambient, width: int) -> Need:
        if ambient.gamma == 1 and self._on(ambient, 1).degree() == 0:
            return Need(1, "on a single eigenvalue a filter is a number, and so is the weight.")
        return Need(
            None,
            "at every depth there is one filter up to scale, and all filters have "
            f"{ambient.gamma:,} dimensions.",
        )

    def _on(self, ambient: Ambient, depth: int) -> fmpq_poly:
        """The polynomial's representative on the spectrum."""
        q = self.polynomial(depth)
        return q % ambient.require_modulus() if q.degree() >= ambient.gamma else q

    def contains(self, h: Element, ambient: Ambient, depth: int, width: int) -> Membership:
        name = self._word(depth)
        if h.is_zero:
            return Membership(True, "the zero filter has the weight zero.")
        if ambient.is_generic and ambient.gamma > 1 and depth >= ambient.gamma:
            return Membership(
                False,
                f"on points in general position no filter of degree {h.degree} is a multiple of "
                f"{name}.",
            )
        q = self._on(ambient, depth)
        if q.degree() == h.degree and h.is_close(q * (scale := self._scale(h, ambient, depth))):
            number = int(scale.p) / int(scale.q)
            return Membership(True, f"the filter is {number:g} times {name}, as all at this depth.")
        return Membership(False, f"all filters at this depth are multiples of {name}, this is not.")

    def least_depth(self, h: Element, ambient: Ambient, width: int) -> Need:
        depth = max(1, h.degree)
        found = self.contains(h, ambient, depth, width)
        if found.answer:
            return Need(depth, found.reason)
        return Need(
            None,
            f"a depth below Γ gives one filter, of the degree of its depth, and at depth {depth} "
            f"that is {self._word(depth)}, of which this filter is no multiple.",
        )

    def _word(self, depth: int) -> str:
        return f"(1 + x)^{depth}"

    def _scale(self, h: Element, ambient: Ambient, depth: int) -> fmpq:
        return fmpq(0) if h.is_zero else h.polynomial[h.degree] / self._on(ambient, depth)[h.degree]

    def hull(self, x: Real, depth: int, width: int) -> Hull:
        return Hull((((1 + x) / 2) ** depth)[:, None])

    def depth_of_degree(self, degree: int, width: int) -> int | None:
        return None


@dataclass(frozen=True)
class Vanilla(Fixed):
    """W (A + I), layer after layer."""

    def polynomial(self, depth: int) -> fmpq_poly:
        return fmpq_poly([1, 1]) ** depth

    def shapes(self, depth: int, width: int) -> Shapes:
        square = {"W": (width, width)}
        return [{"embed": (width, 1)}, *([square] * depth), {"readout": (1, width)}]

    def forward(self, weights: Sequence[Any], x: Any, depth: int, field: Field) -> Any:
        one = field.number(1)
        H = weights[0]["embed"] @ (x * field.number(0) + one)
        for layer in weights[1:-1]:
            H = layer["W"] @ ((x + one) * H)
        return weights[-1]["readout"] @ H

    def weights(self, h: Element, ambient: Ambient, depth: int, width: int, bits: int) -> Weights:
        embed, readout = embedding(width, bits)
        scale = as_array([self._scale(h, ambient, depth)], bits)[0]
        W = np.eye(width, dtype=int).astype(embed.dtype)
        return ({"embed": embed}, *([{"W": W}] * depth), {"readout": readout * scale})


@dataclass(frozen=True)
class SGC(Fixed):
    """One weight after all hops."""

    def polynomial(self, depth: int) -> fmpq_poly:
        return fmpq_poly([1, 1]) ** depth

    def shapes(self, depth: int, width: int) -> Shapes:
        return [{"theta": (1, 1)}]

    def forward(self, weights: Sequence[Any], x: Any, depth: int, field: Field) -> Any:
        one = field.number(1)
        z = x * field.number(0) + one
        for _ in range(depth):
            z = z * (x + one)
        return weights[0]["theta"] * z

    def weights(self, h: Element, ambient: Ambient, depth: int, width: int, bits: int) -> Weights:
        return ({"theta": as_array([self._scale(h, ambient, depth)], bits)[:, None]},)


@dataclass(frozen=True)
class APPNP(SGC):
    """Personalised PageRank: every hop returns to the input with probability alpha.

    Examples
    --------
    >>> FIXED["appnp"].alpha
    Fraction(1, 10)
    """

    alpha: Fraction = Fraction(1, 10)

    def __post_init__(self) -> None:
        check_alpha(self.alpha, self.name)

    def polynomial(self, depth: int) -> fmpq_poly:
        stay = fmpq(self.alpha.numerator, self.alpha.denominator)
        z, step = fmpq_poly([1]), fmpq_poly([1, 1]) * ((1 - stay) / 2)
        for _ in range(depth):
            z = step * z + stay
        return z

    def forward(self, weights: Sequence[Any], x: Any, depth: int, field: Field) -> Any:
        one = field.number(1)
        input_ = x * field.number(0) + one
        z = input_
        for _ in range(depth):
            walk = (x + one) * z * field.number((1 - self.alpha) / 2)
            z = walk + input_ * field.number(self.alpha)
        return weights[0]["theta"] * z

    def _word(self, depth: int) -> str:
        return f"the PageRank polynomial of {depth} hops"

    def hull(self, x: Real, depth: int, width: int) -> Hull:
        z = np.ones_like(x)
        for _ in range(depth):
            z = float(1 - self.alpha) * (1 + x) / 2 * z + float(self.alpha)
        return Hull(z[:, None])


def check_alpha(alpha: Fraction, name: str) -> None:
    """Refuse a probability that is not between 0 and 1.

    Examples
    --------
    >>> check_alpha(Fraction(3, 2), "appnp")
    Traceback (most recent call last):
    ...
    polyfilter.errors.FilterError: the alpha of appnp lies between 0 and 1; 3/2 does not
    """
    if not 0 < alpha < 1:
        raise FilterError(f"the alpha of {name} lies between 0 and 1; {alpha} does not")


FIXED: dict[str, Fixed] = {
    fixed.name: fixed
    for fixed in (
        Vanilla("vanilla", "W (A + I)"),
        SGC("sgc", "θ (A + I)^L", "hops"),
        APPNP("appnp", "Z ↦ (1-α) P Z + α X, P = (A + I)/2", "hops"),
    )
}
"""The networks with one filter a depth, by name."""
