r"""Layer spanning spaces: what a network can express on given graphs, and how (Section 3.1).

The map is

.. math:: (\text{architecture}, L, w;\ \text{spectrum}) \;\mapsto\; \mathcal F^L \subseteq
    \mathcal A = \mathbb R[x]/(m),

from an architecture with :math:`L` layers of width :math:`w` to the set of filters that it can
express with activations removed (Equation 5), inside the ambient space of dimension :math:`\Gamma`
(:mod:`polyfilter.ambient`). Four questions are answered:

* :func:`dimension`: how many free directions it has, by the rank of its Jacobian modulo a prime;
* :func:`complete`: how deep it has to be to express everything;
* :func:`contains`: whether a filter is in it, and why;
* :func:`realise`: with which weights, and to how many digits.

The architectures and what is proven about each are in :mod:`polyfilter.architectures`.

Assumptions: all layers propagate by the normalized adjacency, activations are removed, and the
network is read as one filter from one channel to one channel.

>>> from polyfilter.graphs import Graph
>>> ring = Graph.from_edges([(i, (i + 1) % 9) for i in range(9)])          # Γ = 5
>>> print(dimension("sogc", 1, ring))
sogc, depth 1, width 1: dimension 3 of Γ = 5 (proven)
>>> print(complete("sogc", ring))
depth 2: layers of order 2 give every polynomial of degree 2 × depth, and Γ - 1 = 4 is needed.
>>> print(contains("vanilla", 3, [0, 1], ring))
no: all filters at this depth are multiples of (1 + x)^3, this is not.
>>> found = realise("first-order", [1, 0, 1], ring, width=2)                 # x² + 1
>>> found.depth, found.response([0.0, 0.5]).round(12)
(2, array([1.  , 1.25]))
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import log10, prod
from operator import index
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from polyfilter.ambient import Ambient, SpectrumLike, ambient
from polyfilter.architectures import (
    ARCHITECTURES,
    Architecture,
    Membership,
    Need,
    Weights,
    architecture,
)
from polyfilter.architectures.base import FLOAT_BITS, plural
from polyfilter.errors import FilterError
from polyfilter.factor import grid
from polyfilter.jacobian import PRIME, Residues, Words, generic_rank

__all__ = [
    "ARCHITECTURES",
    "Architecture",
    "Dimension",
    "Membership",
    "Need",
    "Realisation",
    "architecture",
    "complete",
    "contains",
    "dimension",
    "realise",
]

MAX_WORK = 5 * 10**7
"""Multiplications modulo the prime, beyond which the formula has to do: seconds."""
MAX_DEPTH, MAX_WIDTH, MAX_BITS = 10**6, 1024, 10**5
"""Beyond these a number was mistyped."""


@dataclass(frozen=True)
class Dimension:
    """The dimension of a layer spanning space.

    Attributes
    ----------
    value
        The generic rank of the Jacobian of the filter's values by the weights.
    gamma
        The dimension Γ of the ambient space.
    upper
        An upper bound that is proven by counting (see the architecture's module).
    weights
        The number of weights.
    prime
        The rank was computed modulo this prime, which proves it to be a lower bound; None if that
        would have taken too long, and ``value`` is the formula's.
    """

    architecture: Architecture
    depth: int
    width: int
    value: int
    gamma: int
    upper: int
    weights: int
    prime: int | None

    @property
    def proven(self) -> bool:
        """Whether the lower bound of this run meets the upper bound."""
        return self.prime is not None and self.value == self.upper

    @property
    def reason(self) -> str:
        """What the value rests on, in a sentence."""
        if self.prime is None:
            return (
                f"The Jacobian of {self.weights:,} weights is too large to compute here; "
                f"{self.upper:,} is what the formula of this architecture gives."
            )
        found = (
            f"The Jacobian at random weights modulo {self.prime} has rank {self.value:,}, so the "
            "generic rank is at least that"
        )
        if self.proven:
            return f"{found}, and no more by counting."
        return (
            f"{found}, and unless that point was unlucky no more; counting allows {self.upper:,}."
        )

    def __int__(self) -> int:
        return self.value

    def __str__(self) -> str:
        how = "proven" if self.proven else "by formula" if self.prime is None else "generic rank"
        return (
            f"{self.architecture}, depth {self.depth:,}, width {self.width:,}: dimension "
            f"{self.value:,} of Γ = {self.gamma:,} ({how})"
        )


@dataclass(frozen=True)
class Realisation:
    """Weights with which an architecture is a given filter, or why there are none.

    Attributes
    ----------
    depth, width
        Of the network; depth is None if there is no such network.
    weights
        One mapping for each layer, embedding first and readout last where there are any; arrays of
        float64, or of fractions beyond 53 bits. None if there are none.
    error
        The largest deviation from the filter on the spectrum, relative to its largest value: of
        float64 arithmetic up to 53 bits, and of the weights alone beyond.
    bits
        The precision of the weights.
    reason
        In a sentence.
    """

    architecture: Architecture
    depth: int | None
    width: int
    weights: Weights | None = field(repr=False)
    error: float
    bits: int
    reason: str

    def response(self, x: ArrayLike) -> NDArray[Any]:
        """Return the network's filter at eigenvalues, by the reference evaluator."""
        if self.weights is None or self.depth is None:
            raise FilterError(f"there are no weights: {self.reason}")
        return self.architecture.evaluate(self.weights, x, self.depth)

    def __bool__(self) -> bool:
        """Whether there are weights."""
        return self.weights is not None

    def __str__(self) -> str:
        if self.weights is None:
            return f"{self.architecture}, width {self.width}: none, {self.reason}"
        return (
            f"{self.architecture}, depth {self.depth}, width {self.width}: error {self.error:.1e} "
            f"at {self.bits} bits; {self.reason}"
        )


def dimension(
    architecture: str | Architecture,
    depth: int,
    spectrum: SpectrumLike,
    width: int = 1,
    *,
    seed: int | np.random.Generator = 0,
) -> Dimension:
    """Return the dimension of a layer spanning space (Lemma 1, Equations 7 and 8).

    Parameters
    ----------
    architecture
        A name of :data:`ARCHITECTURES`, or an architecture.
    depth
        The number of layers (hops and stacks for some).
    spectrum
        Γ as an integer, eigenvalues, or graphs.
    width
        The number of channels of a layer.
    seed
        Where the random weights come from.

    Examples
    --------
    >>> dimension("vanilla", 10, 50).value, dimension("gin", 10, 50).value
    (1, 11)
    >>> print(dimension("arma", 3, 50).reason)
    The Jacobian at random weights modulo 2147483647 has rank 6, so the generic rank is at least \
that, and no more by counting.
    """
    kind, space = _named(architecture), ambient(spectrum)
    depth, width = _whole(depth, "depth", MAX_DEPTH), _whole(width, "width", MAX_WIDTH)
    upper = kind.bound(space.gamma, depth, width)
    shapes = kind.shapes(depth, width)
    weights = sum(prod(shape) for layer in shapes for shape in layer.values())
    count = min(space.gamma, upper + 1)  # one more than the bound, so that it could be broken
    prime = PRIME if depth * width * width * weights * count <= MAX_WORK else None
    value = upper
    if prime is not None:
        rng = np.random.default_rng(seed)
        value = generic_rank(
            lambda arrays, x, over: kind.forward(arrays, x, depth, over),
            shapes,
            _residues(space, count, prime, rng),
            prime,
            rng,
        )
    return Dimension(kind, depth, width, value, space.gamma, upper, weights, prime)


def complete(architecture: str | Architecture, spectrum: SpectrumLike, width: int = 1) -> Need:
    """Return the smallest depth that expresses every filter on a spectrum (Theorem 1 and others).

    Examples
    --------
    >>> [complete(name, 100).depth for name in ("vanilla", "gin", "sogc", "k-order:4", "arma")]
    [None, 100, 50, 25, 100]
    >>> complete("gin", 100, width=16).depth, complete("first-order", 100, width=16).depth
    (100, 99)
    """
    return _named(architecture).complete(ambient(spectrum), _whole(width, "width", MAX_WIDTH))


def contains(
    architecture: str | Architecture,
    depth: int,
    filter: Any,
    spectrum: SpectrumLike,
    width: int = 1,
) -> Membership:
    """Return whether a network of this depth can be the filter, with the reason.

    Parameters
    ----------
    architecture, depth, spectrum, width
        As in :func:`dimension`.
    filter
        A polynomial, or a function of λ that is interpolated on the eigenvalues. Integers and
        fractions are exact; floats are taken as they are, but where a filter has to equal another
        one, to rounding.

    Examples
    --------
    >>> bool(contains("gin", 2, [-1, 0, 1], 9)), bool(contains("gin", 2, [1, 0, 1], 9))
    (True, False)
    >>> print(contains("gin", 9, [1, 0, 1], 9).reason)
    every filter is, at depth 9.
    """
    kind, space = _named(architecture), ambient(spectrum)
    depth, width = _whole(depth, "depth", MAX_DEPTH), _whole(width, "width", MAX_WIDTH)
    enough = kind.complete(space, width).depth
    if enough is not None and depth >= enough:
        return Membership(True, f"every filter is, at depth {enough:,}.")
    return kind.contains(space.element(filter), space, depth, width)


def realise(
    architecture: str | Architecture,
    filter: Any,
    spectrum: SpectrumLike,
    *,
    depth: int | None = None,
    width: int = 1,
    bits: int = FLOAT_BITS,
) -> Realisation:
    """Return weights with which a network is the filter on a spectrum, or why there are none.

    Parameters
    ----------
    architecture, filter, spectrum, width
        As in :func:`contains`.
    depth
        The smallest that does, by default.
    bits
        The precision of the weights: 53 for float64, more for fractions. Filters with arbitrary
        values ask for more bits the more eigenvalues there are.

    Examples
    --------
    >>> spectrum = [-0.9, -0.4, 0.0, 0.5, 1.0]
    >>> lifted = realise("gin", [1, 0, 1], spectrum)                # x² + 1 has no real root
    >>> lifted.depth, lifted.error < 1e-12
    (5, True)
    >>> print(realise("gin", [1, 0, 1], spectrum, depth=4).reason)
    the filter has degree 2 and 1 pair of roots that are not real, of which a layer of order 1 \
holds 0; from depth ⌈Γ/1⌉ = 5 on, t·m + h is the same filter and has real roots only.
    """
    kind, space = _named(architecture), ambient(spectrum)
    width, bits = _whole(width, "width", MAX_WIDTH), _whole(bits, "number of bits", MAX_BITS)
    h = space.element(filter)
    if depth is None:
        need = kind.least_depth(h, space, width)
        depth, reason = need.depth, need.reason
    else:
        depth = _whole(depth, "depth", MAX_DEPTH)
        found = kind.contains(h, space, depth, width)
        depth, reason = (depth if found.answer else None), found.reason
    if depth is None:
        return Realisation(kind, None, width, None, float("inf"), bits, reason)
    weights = kind.weights(h, space, depth, width, bits)
    points = grid(max(h.degree, 1)) if space.points is None else space.points
    got = kind.evaluate(weights, points, depth)
    wanted = h(points) if got.dtype == np.float64 else h.fractions(points)
    error = float(np.abs(got - wanted).max() / (np.abs(wanted).max() or 1))
    return Realisation(kind, depth, width, weights, error, bits, _judged(reason, error, bits))


def _judged(reason: str, error: float, bits: int) -> str:
    """Add what half of the digits are missing for."""
    if error <= 2.0 ** (-min(bits, FLOAT_BITS) / 2):
        return reason
    left = "no digit is" if error > 0.1 else f"{plural(int(-log10(error)), 'digit')} of it are"
    return f"{reason} At {bits} bits {left} left: ask for more."


def _residues(space: Ambient, count: int, prime: int, rng: np.random.Generator) -> Words:
    """Eigenvalues modulo a prime: the floats that were given, or any different numbers."""
    if space.given is None:
        return rng.choice(prime, size=count, replace=False)
    number = Residues(prime).number
    chosen = rng.choice(len(space.given), size=count, replace=False)
    return np.array([number(float(space.given.values[k])) for k in chosen], dtype=np.int64)


def _named(kind: str | Architecture) -> Architecture:
    return architecture(kind)


def _whole(value: int, name: str, largest: int) -> int:
    try:
        checked = index(value)
    except TypeError:
        raise FilterError(f"the {name} has to be a whole number, not {value!r}") from None
    if not 1 <= checked <= largest:
        raise FilterError(f"the {name} has to be from 1 to {largest:,}, not {checked}")
    return checked
