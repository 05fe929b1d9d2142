r"""What an architecture is: a map from weights to a filter, and what is known about its image.

The map is

.. math:: (\theta, \lambda) \;\mapsto\; f_\theta(\lambda) \in \mathbb R,

the filter of the network with activations removed: what it does to the eigenvector of eigenvalue
:math:`\lambda`. A network embeds one channel in ``width`` channels, runs its layers, and reads one
channel out; embedding and readout are weights too. The filters that it can express at a depth are
its *layer spanning space* (Equation 5).

Assumptions: every layer propagates by the normalized adjacency :math:`A` of this package. Those
whose authors add self-loops get :math:`A + I` as in Equation 2 of the paper, or
:math:`P = (A + I)/2` where the scale matters. The *renormalised* :math:`\tilde A` of Kipf and
Welling is no polynomial in :math:`A` unless the graph is regular; networks that use it have the
same spaces on the spectrum of :math:`\tilde A`.

>>> answer = Membership(False, "The filter has degree 5, and two layers reach degree 4.")
>>> bool(answer), print(answer)
no: The filter has degree 5, and two layers reach degree 4.
(False, None)
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol, TypeAlias

import numpy as np
from flint import fmpq
from numpy.polynomial.chebyshev import chebvander
from numpy.typing import ArrayLike, NDArray

from polyfilter.ambient import Ambient, Element
from polyfilter.clenshaw import Real
from polyfilter.errors import FilterError
from polyfilter.jacobian import Shapes

__all__ = [
    "FLOAT_BITS",
    "Architecture",
    "Family",
    "Field",
    "Hull",
    "Membership",
    "Need",
    "Weights",
    "as_array",
    "embedding",
    "plural",
    "polynomials",
    "real_rooted",
]

Weights: TypeAlias = tuple[dict[str, NDArray[Any]], ...]
"""The weights of each layer by name, embedding first and readout last; float64, or fractions."""

FLOAT_BITS = 53
"""Weights of up to so many bits are float64; beyond, exact fractions."""


class Field(Protocol):
    """The numbers that a network computes with: floats, fractions, or residues.

    Examples
    --------
    >>> from polyfilter.jacobian import Residues
    >>> half: Field = Residues(7)
    >>> int(half.number(Fraction(1, 2)))                                # 2 · 4 = 1 modulo 7
    4
    """

    def number(self, value: Fraction | float) -> Any:
        """Return a constant of the architecture as such a number."""


class _Reals:
    def number(self, value: Fraction | float) -> float:
        return float(value)


class _Rationals:
    def number(self, value: Fraction | float) -> Fraction:
        return Fraction(value)


@dataclass(frozen=True)
class Membership:
    """Whether a filter is in a space.

    Attributes
    ----------
    answer
        True or False, both proven; None if our methods can't tell.
    reason
        Why, in a sentence.
    """

    answer: bool | None
    reason: str

    def __bool__(self) -> bool:
        """The answer; a question that is not decided has none."""
        if self.answer is None:
            raise FilterError(
                f"it is not decided whether the filter is in the space: {self.reason}"
            )
        return self.answer

    def __str__(self) -> str:
        word = {True: "yes", False: "no", None: "not decided"}[self.answer]
        return f"{word}: {self.reason}"


@dataclass(frozen=True)
class Need:
    """The smallest depth that does, or None if none does, and why.

    >>> print(Need(3, "Two roots a layer."), "|", Need(None, "One dimension at every depth."))
    depth 3: Two roots a layer. | no depth: One dimension at every depth.
    """

    depth: int | None
    reason: str

    def __str__(self) -> str:
        return f"{'no depth' if self.depth is None else f'depth {self.depth:,}'}: {self.reason}"


@dataclass(frozen=True)
class Family:
    """Filters with some parameters that are not linear.

    Attributes
    ----------
    columns
        From parameters and points to a basis there, of which the network has every combination.
    parameters
        How many there are; each may be any number.
    """

    columns: Callable[[Real, Real], Real]
    parameters: int


@dataclass(frozen=True)
class Hull:
    """What is known about the best error of a network: linear spaces around and inside its own.

    Attributes
    ----------
    outer
        The basis on given points of a linear space that holds every filter of the network; None
        if nothing smaller than the ambient space does.
    tight
        Whether the network comes as close as one likes to everything in ``outer``.
    nonnegative
        Whether coefficients are restricted to be at least zero.
    inner
        The basis of a linear space wholly inside, if ``outer`` is not tight.
    family
        Where to search for more, if ``outer`` is not tight.

    Examples
    --------
    >>> Hull(outer=None).tight
    True
    """

    outer: Real | None
    tight: bool = True
    nonnegative: bool = False
    inner: Real | None = None
    family: Family | None = None


@dataclass(frozen=True)
class Architecture(ABC):
    """A family of linear networks, by depth and width.

    Attributes
    ----------
    name
        What :func:`polyfilter.architectures.architecture` takes.
    layer
        What one layer does, as a formula.
    counts
        What ``depth`` counts: layers, hops or stacks.

    Examples
    --------
    >>> from polyfilter.architectures import architecture
    >>> sogc = architecture("sogc")
    >>> isinstance(sogc, Architecture), sogc.layer, sogc.counts
    (True, 'Θ₂ A² + Θ₁ A + Θ₀', 'layers')
    """

    name: str
    layer: str
    counts: str = "layers"

    @abstractmethod
    def shapes(self, depth: int, width: int) -> Shapes:
        """The shapes of all weights."""

    @abstractmethod
    def forward(self, weights: Sequence[Any], x: Any, depth: int, field: Field) -> Any:
        """Run the network at eigenvalues ``x`` of shape (1, P), in any field."""

    @abstractmethod
    def bound(self, gamma: int, depth: int, width: int) -> int:
        """A proven upper bound on the dimension, which is reached at random weights."""

    @abstractmethod
    def complete(self, ambient: Ambient, width: int) -> Need:
        """The smallest depth that expresses every filter on the spectrum."""

    @abstractmethod
    def least_depth(self, h: Element, ambient: Ambient, width: int) -> Need:
        """The smallest depth that expresses this filter."""

    @abstractmethod
    def weights(self, h: Element, ambient: Ambient, depth: int, width: int, bits: int) -> Weights:
        """Weights that express a filter which is in the space."""

    @abstractmethod
    def hull(self, x: Real, depth: int, width: int) -> Hull:
        """What is known about best errors on points ``x``, at a depth that is not complete."""

    @abstractmethod
    def depth_of_degree(self, degree: int, width: int) -> int | None:
        """The smallest depth that approximates every polynomial of a degree; None if none does."""

    def contains(self, h: Element, ambient: Ambient, depth: int, width: int) -> Membership:
        """Whether a filter is in the space; deeper networks of most families contain shallower."""
        need = self.least_depth(h, ambient, width)
        return Membership(need.depth is not None and depth >= need.depth, need.reason)

    def evaluate(self, weights: Weights, x: ArrayLike, depth: int) -> NDArray[Any]:
        """Return the filter at eigenvalues ``x``: in float64, or exactly if weights are fractions.

        The reference that every realisation is tested against.
        """
        points = np.asarray(x)
        arrays = [array for layer in weights for array in layer.values()]
        if all(array.dtype == np.float64 for array in arrays):
            row, field = points.astype(np.float64)[None, :], _Reals()
            values: NDArray[Any] = self.forward(weights, row, depth, field)[0]
            return values
        exact = np.array([Fraction(t) for t in points.tolist()], dtype=object)
        fractions: NDArray[Any] = self.forward(weights, exact[None, :], depth, _Rationals())[0]
        return fractions

    def __str__(self) -> str:
        return self.name


def plural(count: int, noun: str) -> str:
    """Return a number with its noun.

    >>> plural(1, "pair"), plural(2000, "pair")
    ('1 pair', '2,000 pairs')
    """
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def embedding(width: int, bits: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the embedding into the first channel (w, 1), and its readout (1, w).

    Examples
    --------
    >>> embedding(2, bits=53)[1]
    array([[1., 0.]])
    """
    first = as_array([fmpq(int(k == 0)) for k in range(width)], bits)
    return first[:, None], first[None, :].copy()


def polynomials(x: Real, degree: int) -> Real:
    """Return the basis T_0, ..., T_degree of polynomials at the points, one column each.

    Examples
    --------
    >>> polynomials(np.array([0.5]), 2)
    array([[ 1. ,  0.5, -0.5]])
    """
    return chebvander(x, degree).astype(np.float64)


def real_rooted(depth: int) -> Family:
    """Return the products of ``depth`` real factors: cos φ x - sin φ has every root, ∞ included.

    Examples
    --------
    >>> family = real_rooted(2)
    >>> family.columns(np.array([0.0, 0.0]), np.array([0.5, 1.0])).ravel()        # x², scaled
    array([0.25, 1.  ])
    """

    def columns(angles: Real, x: Real) -> Real:
        factors = np.cos(angles) * x[:, None] - np.sin(angles)
        product = np.ones_like(x)
        for k in range(depth):  # kept near one, since a scale is free
            product = product * factors[:, k]
            product = product / (np.abs(product).max() or 1.0)
        return product[:, None]

    return Family(columns, depth)


def as_array(values: Sequence[fmpq], bits: int) -> NDArray[Any]:
    """Return rational numbers rounded to ``bits``: float64 if these are enough, else fractions.

    >>> as_array([fmpq(1, 3)], 53)
    array([0.33333333])
    >>> bool(abs(as_array([fmpq(1, 3)], 100)[0] - Fraction(1, 3)) < 2.0**-100)
    True
    """
    if bits <= FLOAT_BITS:
        return np.array([int(v.p) / int(v.q) for v in values], dtype=np.float64)
    rounded = np.empty(len(values), dtype=object)
    for k, value in enumerate(values):
        size = int(value.p).bit_length() - int(value.q).bit_length()
        unit = Fraction(2) ** (size - bits)
        rounded[k] = round(Fraction(int(value.p), int(value.q)) / unit) * unit
    return rounded
