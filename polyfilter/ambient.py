r"""The ambient space: all filters that a spectrum can tell apart (Lemma 1).

The map is

.. math:: \{\lambda_1, \dots, \lambda_\Gamma\} \;\mapsto\;
    \mathcal A = \mathbb R[x] / (m), \qquad m(x) = \prod_i (x - \lambda_i),

of dimension :math:`\Gamma`: two polynomials are the same filter on a graph set if and only if they
agree on its :math:`\Gamma` distinct eigenvalues, which is if :math:`m` divides their difference.
Every filter has one representative of degree below :math:`\Gamma`, its :class:`Element`.

A spectrum is given in one of three ways:

* an integer: :math:`\Gamma` distinct points in general position, :math:`-1` not among them;
* an array: its different floats, taken as the exact numbers that they are;
* a graph or graph set: :math:`\Gamma` is counted exactly (:mod:`polyfilter.capacity`), and
  :math:`m`, where it is needed and :math:`\Gamma` is no more than :data:`EXACT_GAMMA`, is the
  product of irreducible factors over the rationals. The floats in ``points`` are only for figures.

Nothing here rounds: coefficients are rational numbers.

>>> path = ambient(Graph.from_edges([(0, 1), (1, 2)]))
>>> path.gamma, path.modulus                                       # eigenvalues -1, 0, 1
(3, x^3 + (-1)*x)
>>> path.element([0, 0, 0, 0, 5]).polynomial                       # x^4 = x^2 on these
5*x^2
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from operator import index
from typing import Any, TypeAlias

import numpy as np
from flint import fmpq, fmpq_poly
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import block_array, csr_array
from scipy.sparse.csgraph import connected_components

from polyfilter.capacity import SpectrumCapacity, spectrum_capacity
from polyfilter.clenshaw import Real
from polyfilter.errors import FilterError, SpectrumError
from polyfilter.graphs import Graph, GraphSet
from polyfilter.polynomial import (
    FilterPolynomial,
    as_filter,
    chebyshev_from_power,
    power_from_chebyshev,
)
from polyfilter.response import Response, evaluate
from polyfilter.spectrum import Spectrum, as_points, spectrum

__all__ = [
    "EXACT_GAMMA",
    "Ambient",
    "Element",
    "SpectrumLike",
    "ambient",
    "has_minus_one",
    "rational",
]

SpectrumLike: TypeAlias = "int | Graph | GraphSet | Spectrum | ArrayLike | Ambient"
"""What stands for a spectrum."""

EPS = float(np.finfo(np.float64).eps)
EXACT_GAMMA = 256
"""Up to so many eigenvalues m is multiplied out, in a second or two."""
PROVEN_NODES = 64
"""Up to so many nodes Γ is proven in no time; beyond, it is counted modulo primes."""
EXACT_VALUES = 64
"""Up to so many given values are interpolated exactly: the coefficients have Γ² words each."""


@dataclass(frozen=True, eq=False)
class Element:
    """A filter on a spectrum, by its representative of degree below Γ.

    Attributes
    ----------
    polynomial
        The representative, with rational coefficients.
    exact
        Whether it was given in rational numbers; if not, equalities are tested to rounding.
    """

    polynomial: fmpq_poly
    exact: bool

    @property
    def degree(self) -> int:
        """The degree; -1 for the zero filter."""
        return self.polynomial.degree()

    @property
    def is_zero(self) -> bool:
        """Whether it is zero on the whole spectrum."""
        return self.degree < 0

    def is_close(self, other: fmpq_poly) -> bool:
        """Whether it is ``other``: exactly, or to the rounding of d + 1 float coefficients.

        Each power coefficient may carry a few roundings, at most one a degree.
        """
        off = sum((abs(c) for c in (self.polynomial - other).coeffs()), fmpq(0))
        size = sum((abs(c) for c in self.polynomial.coeffs()), fmpq(0))
        slack = 0 if self.exact else (self.degree + 1) * rational(EPS)
        return bool(off <= size * slack)

    @cached_property
    def filter(self) -> FilterPolynomial:
        """The same polynomial in float64, by its Chebyshev coefficients."""
        power = [_fraction(a) for a in self.polynomial.coeffs()] or [Fraction(0)]
        floats = np.array([float(c) for c in chebyshev_from_power(power)])
        return as_filter(np.polynomial.Chebyshev(floats), trim=0)

    def __call__(self, x: Real) -> Real:
        """Evaluate exactly at the floats ``x`` and round once, or in float64 if x is long."""
        if len(x) > EXACT_GAMMA:
            return np.asarray(self.filter(x))
        return self.fractions(x).astype(np.float64)

    def fractions(self, x: Real) -> NDArray[np.object_]:
        """Evaluate exactly at the floats ``x``."""
        return np.array([_fraction(self.polynomial(rational(t))) for t in x], dtype=object)


@dataclass(frozen=True, eq=False, repr=False)
class Ambient:
    """The space of all filters on a spectrum.

    Attributes
    ----------
    gamma
        Its dimension Γ, the number of distinct eigenvalues.
    given
        The eigenvalues that were given, if they were.
    capacity, graphs
        The graphs that were given, and how their Γ was counted.
    """

    gamma: int
    given: Spectrum | None = None
    capacity: SpectrumCapacity | None = None
    graphs: Graph | GraphSet | None = None

    @property
    def is_generic(self) -> bool:
        """Whether the points are in general position, without coordinates."""
        return self.given is None and self.graphs is None

    @cached_property
    def spectrum(self) -> Spectrum | None:
        """The eigenvalues in float64 with multiplicities; None in general position."""
        return self.given if self.graphs is None else spectrum(self.graphs)

    @property
    def points(self) -> Real | None:
        """The eigenvalues in float64, ascending; None in general position."""
        return None if self.spectrum is None else self.spectrum.values

    def __repr__(self) -> str:
        return f"Ambient({self.words})"

    @property
    def words(self) -> str:
        """Where we are, for sentences: Γ and what has it."""
        if self.is_generic:
            return f"Γ = {self.gamma:,} points in general position"
        return f"Γ = {self.gamma:,} distinct eigenvalues"

    @cached_property
    def minus_one(self) -> bool:
        """Whether -1 is an eigenvalue, decided without rounding."""
        if self.graphs is not None:
            return has_minus_one(self.graphs)
        return self.given is not None and bool(self.given.values[0] == -1)

    @cached_property
    def modulus(self) -> fmpq_poly | None:
        """The monic polynomial m that is zero on the spectrum; None if it is not to be had."""
        if self.is_generic or self.gamma > EXACT_GAMMA:
            return None
        if self.graphs is None:
            return _product([fmpq_poly([-rational(point), 1]) for point in self.given or ()])
        capacity = self.capacity
        if capacity is None or not capacity.factors:
            capacity = spectrum_capacity(self.graphs, "algebraic", progress=False)
        factors = capacity.factors
        m = _product([fmpq_poly(list(factor)) for factor in sorted(factors)])
        return m / m[m.degree()]

    def require_modulus(self) -> fmpq_poly:
        """Return m, or say why it is not to be had."""
        if self.modulus is not None:
            return self.modulus
        if self.is_generic:
            raise FilterError(
                "this needs the eigenvalues, and points in general position have none: give an "
                "array of them, or graphs"
            )
        raise FilterError(
            f"this needs all eigenvalues exactly, which takes too long for Γ = {self.gamma:,}; the "
            f"limit is {EXACT_GAMMA}"
        )

    def element(self, h: Any) -> Element:
        """Return a filter's representative of degree below Γ.

        Parameters
        ----------
        h : polynomial or function
            What :func:`polyfilter.polynomial.as_filter` takes, or a function of λ such as those of
            :mod:`polyfilter.responses`, which is interpolated on the points.

        Raises
        ------
        FilterError
            If the degree is not below Γ and m is not to be had.

        Examples
        --------
        >>> ambient([-1.0, 0.5]).element(lambda lam: lam**2).polynomial
        (-1/2)*x + 1/2
        """
        if isinstance(h, Element):
            return h
        if isinstance(h, Response) or _is_plain_function(h):
            return Element(self._interpolate(h), exact=False)
        given = as_filter(h)
        power = given.exact or power_from_chebyshev([Fraction(float(c)) for c in given.chebyshev])
        polynomial = fmpq_poly([fmpq(a.numerator, a.denominator) for a in power])
        if polynomial.degree() >= self.gamma:
            polynomial = polynomial % self.require_modulus()
        return Element(polynomial, given.exact is not None)

    def _interpolate(self, response: Callable[[Real], ArrayLike]) -> fmpq_poly:
        if self.points is None:
            raise FilterError(
                "a response has no values on points in general position; give the eigenvalues"
            )
        if self.gamma > EXACT_VALUES:
            raise FilterError(
                f"a response is interpolated exactly on up to {EXACT_VALUES} eigenvalues, not "
                f"{self.gamma}; design a polynomial for it and ask about that"
            )
        values = [rational(value) for value in evaluate(response, self.points)]
        x = [rational(point) for point in self.points]
        for step in range(1, len(x)):  # Newton's divided differences, in place
            for i in range(len(x) - 1, step - 1, -1):
                values[i] = (values[i] - values[i - 1]) / (x[i] - x[i - step])
        h = fmpq_poly([0])
        for point, value in zip(reversed(x), reversed(values), strict=True):
            h = h * fmpq_poly([-point, 1]) + value
        return h


def ambient(given: SpectrumLike) -> Ambient:
    """Return the ambient space of a spectrum.

    Parameters
    ----------
    given : int, array, Spectrum, Graph or GraphSet
        See the module's docstring.

    Examples
    --------
    >>> ambient(5)
    Ambient(Γ = 5 points in general position)
    >>> ambient([0.5, -0.5, 0.5])
    Ambient(Γ = 2 distinct eigenvalues)
    """
    if isinstance(given, Ambient):
        return given
    if isinstance(given, Graph | GraphSet):
        is_small = given.num_nodes <= PROVEN_NODES
        capacity = spectrum_capacity(given, "algebraic" if is_small else "modular")
        return Ambient(capacity.value, None, capacity, given)
    if isinstance(given, Spectrum):
        return Ambient(len(given), given)
    if isinstance(given, int | np.integer):
        if (gamma := index(given)) < 1:
            raise SpectrumError(f"a spectrum has at least one eigenvalue, not {gamma}")
        return Ambient(gamma)
    values, counts = np.unique(as_points(given), return_counts=True)
    return Ambient(len(values), Spectrum(values, counts.astype(np.int64), 0.0))


def has_minus_one(graphs: Graph | GraphSet) -> bool:
    """Whether -1 is an eigenvalue: whether some component with an edge is bipartite.

    A connected graph is bipartite if and only if its double cover falls apart in two.

    >>> triangle = Graph.from_edges([(0, 1), (1, 2), (2, 0)])
    >>> has_minus_one(triangle), has_minus_one(GraphSet([triangle, Graph.from_edges([(0, 1)])]))
    (False, True)
    """
    graph = graphs if isinstance(graphs, Graph) else graphs.union()
    A = graph.adjacency
    isolated = int(np.sum(np.diff(A.indptr) == 0))
    cover = csr_array(block_array([[None, A], [A, None]]))
    count = [int(connected_components(W, directed=False)[0]) for W in (A, cover)]
    return count[1] > count[0] + isolated


def rational(value: float) -> fmpq:
    """Return the number that a float is.

    >>> rational(0.75)
    3/4
    """
    return fmpq(*float(value).as_integer_ratio())


def _fraction(value: fmpq) -> Fraction:
    return Fraction(int(value.p), int(value.q))


def _product(factors: list[fmpq_poly]) -> fmpq_poly:
    """Return a product by halves, so that the factors stay of one size."""
    while len(factors) > 1:
        pairs = zip(factors[::2], factors[1::2], strict=False)
        factors = [a * b for a, b in pairs] + factors[len(factors) & ~1 :]
    return factors[0]


def _is_plain_function(h: Any) -> bool:
    """Whether h is called for its values: not a polynomial of numpy, sympy or ours."""
    if isinstance(h, FilterPolynomial | np.poly1d) or not callable(h):
        return False
    return not hasattr(h, "coef") and type(h).__module__.split(".")[0] != "sympy"
