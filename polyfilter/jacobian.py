r"""Generic rank of a network's Jacobian, exact modulo a prime.

The map is

.. math:: \theta \;\mapsto\; \operatorname{rank}\,
    \frac{\partial \bigl(f_\theta(\lambda_1), \dots, f_\theta(\lambda_\Gamma)\bigr)}
         {\partial \theta} \pmod p

at a random :math:`\theta \in \mathbb F_p^n`. The filters that a network can express are the image
of a polynomial (or rational) map of its weights; its dimension is the rank of the Jacobian at
almost every point.

*What it proves.* A minor that is not zero modulo :math:`p` at one point is not the zero polynomial.
So the rank found is a lower bound on the generic rank, without any tolerance; and it is the generic
rank itself unless the random point hits a zero of a polynomial of degree :math:`d`, of which the
chance is at most :math:`d/p` (Schwartz and Zippel), or :math:`p` divides all of its coefficients.

*How.* The same code that evaluates a network on floats runs on :class:`Jet` numbers: residues
together with their derivatives by all weights (forward differentiation).

Assumptions: primes are below 2^31, so that a product of two residues and a sum of two products fit
in 64 bits.

>>> def network(weights, x, field):                                   # (a + b x)(c + d x)
...     first, second = (layer["a"] + layer["b"] * x for layer in weights)
...     return first * second
>>> shapes = [{"a": (1, 1), "b": (1, 1)}] * 2
>>> generic_rank(network, shapes, np.arange(5), PRIME, np.random.default_rng(0))
3
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod
from typing import Any

import numpy as np
from flint import nmod_mat
from numpy.typing import NDArray

__all__ = ["PRIME", "Jet", "Residues", "Shapes", "Words", "generic_rank"]

PRIME = 2**31 - 1

Words = NDArray[np.int64]
Shapes = Sequence[Mapping[str, tuple[int, ...]]]
"""The shapes of the weights of each layer, by name."""


@dataclass(frozen=True)
class Residues:
    """The field of integers modulo a prime, as networks see it.

    >>> Residues(7).number(Fraction(1, 2)), Residues(7).number(0.25)
    (4, 2)
    """

    prime: int = PRIME

    def number(self, value: Fraction | float) -> int:
        """Return the residue of a rational number; a float is the rational number that it is."""
        exact = Fraction(value)
        return exact.numerator * pow(exact.denominator, -1, self.prime) % self.prime


@dataclass(frozen=True, eq=False)
class Jet:
    """Residues ``v`` with their derivatives ``d``, one more axis in front, modulo a prime.

    >>> field = Residues(7)
    >>> t = Jet(np.array([3]), np.array([[1]]), 7)
    >>> (t * t + 1).v, (t * t + 1).d                                  # t² + 1 = 10, 2 t = 6
    (array([3]), array([[6]]))
    """

    v: Words
    d: Words
    p: int

    __array_ufunc__ = None  # so that an array on the left leaves the operation to us

    def __getitem__(self, key: Any) -> Jet:
        key = key if isinstance(key, tuple) else (key,)
        return Jet(self.v[key], self.d[(slice(None), *key)], self.p)

    def __add__(self, other: Any) -> Jet:
        if isinstance(other, Jet):
            return Jet((self.v + other.v) % self.p, (self.d + other.d) % self.p, self.p)
        v = (self.v + other) % self.p
        return Jet(v, np.broadcast_to(self.d, (len(self.d), *v.shape)), self.p)

    __radd__ = __add__

    def __neg__(self) -> Jet:
        return Jet(-self.v % self.p, -self.d % self.p, self.p)

    def __sub__(self, other: Any) -> Jet:
        return self.__add__(-other)

    def __rsub__(self, other: Any) -> Jet:
        return (-self).__add__(other)

    def __mul__(self, other: Any) -> Jet:
        if isinstance(other, Jet):
            d = (self.d * other.v + self.v * other.d) % self.p
            return Jet(self.v * other.v % self.p, d, self.p)
        return Jet(self.v * other % self.p, self.d * other % self.p, self.p)

    __rmul__ = __mul__

    def __matmul__(self, other: Any) -> Jet:
        # one inner index at a time: a sum of many products would overflow
        inner = range(self.v.shape[-1])
        return _sum(self[..., :, k, None] * other[..., k, None, :] for k in inner)

    def __rmatmul__(self, other: Words) -> Jet:
        return _sum(other[..., :, k, None] * self[..., k, None, :] for k in range(other.shape[-1]))

    def __rtruediv__(self, other: int) -> Jet:
        inverse, power, square = np.ones_like(self.v), self.p - 2, self.v
        while power:  # Fermat: v^(p - 2) = 1 / v
            if power & 1:
                inverse = inverse * square % self.p
            square, power = square * square % self.p, power >> 1
        d = -(self.d * (inverse * inverse % self.p) % self.p) % self.p
        return other * Jet(inverse, d, self.p)


def _sum(jets: Iterator[Jet]) -> Jet:
    total = next(jets)
    for jet in jets:
        total = total + jet
    return total


def generic_rank(
    network: Callable[[list[dict[str, Any]], Any, Residues], Jet],
    shapes: Shapes,
    points: Words,
    prime: int,
    rng: np.random.Generator,
) -> int:
    """Return the rank of the Jacobian of a network's values by its weights, modulo a prime.

    Parameters
    ----------
    network
        Called with weights, points of shape (1, P), and the field; returns values (1, P).
    shapes
        The shapes of the weights, by name, a mapping for each layer.
    points
        Residues of the P eigenvalues.
    prime, rng
        The field, and where the random weights come from.

    Examples
    --------
    >>> vanilla = lambda layers, x, field: layers[0]["a"] * layers[1]["b"] * (x + 1) * (x + 1)
    >>> shapes = [{"a": (1, 1)}, {"b": (1, 1)}]
    >>> generic_rank(vanilla, shapes, np.arange(5), PRIME, np.random.default_rng(0))
    1
    """
    total = sum(prod(shape) for layer in shapes for shape in layer.values())
    start, weights = 0, []
    for layer in shapes:
        jets = {}
        for name, shape in layer.items():
            d = np.zeros((total, prod(shape)), dtype=np.int64)
            d[start : start + prod(shape)] = np.eye(prod(shape), dtype=np.int64)
            jets[name] = Jet(rng.integers(prime, size=shape), d.reshape(-1, *shape), prime)
            start += prod(shape)
        weights.append(jets)
    x = Jet(points[None, :] % prime, np.zeros((1, 1, len(points)), dtype=np.int64), prime)
    values = network(weights, x, Residues(prime))
    J = np.broadcast_to(values.d, (total, 1, len(points)))[:, 0, :]
    return int(nmod_mat(total, len(points), J.ravel().tolist(), prime).rank())
