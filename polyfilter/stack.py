r"""A stack of second-order layers: a filter that runs hop by hop (Theorem 1).

The map is

.. math::  (G, x) \mapsto \prod_{l=L}^{1} \bigl(\theta_{l0} I + \theta_{l1} A(G)
           + \theta_{l2} A(G)^2\bigr)\, x,

and :func:`factorize` is the way from a polynomial :math:`h` to its :math:`\theta`. A
:class:`SoGCStack` is a value: it can be applied, composed, certified, saved, and it says how many
digits it keeps.

Assumptions: graphs are undirected, :math:`A` is the normalized adjacency with spectrum in [-1, 1].
How layers run is told in :mod:`polyfilter.cascade`, how they are found in :mod:`polyfilter.factor`.

>>> import polyfilter as pf
>>> h = pf.design.interpolate(pf.responses.band_pass, 64)
>>> stack = pf.factorize(h)
>>> stack.theta.shape, bool(stack.certify().relative < 1e-12)
((32, 3), True)
>>> ring = pf.Graph.from_edges([(i, (i + 1) % 12) for i in range(12)])
>>> y = stack.apply(ring, np.eye(12)[0])
>>> bool(np.allclose(y, pf.filter_dense(ring, h, np.eye(12)[0]), atol=1e-13))
True
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from polyfilter import factor, stackwords
from polyfilter.cascade import as_matrix, cascade
from polyfilter.certify import Certificate, certify
from polyfilter.clenshaw import Real
from polyfilter.errors import FilterError
from polyfilter.factor import ExactFactor
from polyfilter.files import atomic_write, check_size
from polyfilter.graphs import Graph, GraphSet
from polyfilter.polynomial import TRIM, FilterPolynomial, as_filter
from polyfilter.roots import check_method, residual_goal, roots
from polyfilter.rounding import rounded, sensitivity, single
from polyfilter.sections import from_sos, to_sos
from polyfilter.spectrum import Spectrum, as_points, as_signal
from polyfilter.squares import product
from polyfilter.stackfile import MAX_STACK_BYTES, StackFields, decode, encode
from polyfilter.stackwords import Status

__all__ = ["SoGCStack", "Status", "factorize"]

DTYPES = ("float32", "float64")
LARGEST = 1e290
"""Filters are scaled to 1 on the way, but their derivatives and sums have to be floats."""


def factorize(
    h: Any,
    spectrum: Spectrum | Graph | GraphSet | ArrayLike | None = None,
    dtype: DTypeLike = "float64",
    *,
    method: str = "auto",
    trim: float = TRIM,
) -> SoGCStack:
    r"""Factor a filter into :math:`\lceil \deg h / 2 \rceil` second-order layers (Theorem 1).

    Parameters
    ----------
    h : numpy polynomial, sequence of power coefficients, sympy Poly, or FilterPolynomial
        The filter as a polynomial in the eigenvalue of A. Integers and fractions are exact, and
        give exact factors where all factors are rational.
    spectrum : optional
        Where the layers will be used: eigenvalues, or graphs. Pairing, order and scale are chosen
        for it. Default: all of [-1, 1].
    dtype : {"float64", "float32"}
        The precision of theta.
    method : {"auto", "colleague", "aberth", "certified"}
        How roots are found (:func:`polyfilter.roots.roots`).
    trim : float
        Trailing Chebyshev coefficients up to ``trim`` times max|h| are dropped and reported.

    Returns
    -------
    SoGCStack
        At most one of its layers is first-order; a constant has one layer.

    Examples
    --------
    >>> factorize([-1, 0, 1]).theta.tolist()                       # x^2 - 1
    [[-1.0, 0.0, 1.0]]
    >>> factorize([0.0]).theta.tolist()                            # the zero filter
    [[0.0, 0.0, 0.0]]
    """
    name = _dtype_name(dtype)
    check_method(method)
    polynomial = as_filter(h, trim)
    if polynomial.maximum > LARGEST:
        size = f"the filter reaches {polynomial.maximum:.0e}, and has to stay below {LARGEST:.0e}"
        raise FilterError(f"{size}; scale it down")
    points = None if spectrum is None else _frozen(as_points(spectrum))
    where = factor.grid(polynomial.degree) if points is None else points
    theta, exact = _exact(polynomial, where)
    residual = 0.0
    if theta is None:
        found = roots(polynomial.chebyshev, method) if polynomial.degree else None
        residual = found.residual if found else 0.0
        theta = factor.factors(polynomial, found, where)
    return SoGCStack(_frozen(theta), polynomial, points, exact, residual).astype(name)


def _exact(h: FilterPolynomial, points: Real) -> tuple[Real | None, tuple[ExactFactor, ...] | None]:
    """Rational factors, as floats and as fractions, if the filter is exact and has them."""
    try:
        with np.errstate(over="raise", invalid="raise"):
            exact = None if h.exact is None else factor.exact_factors(h.exact, points)
        if exact is None:
            return None, None
        return np.array([[float(a) for a in row] for row in exact]), exact
    except (OverflowError, FloatingPointError):
        raise FilterError(
            "the filter has a root beyond what float64 can hold; leave its smallest leading "
            "coefficients away"
        ) from None


def _dtype_name(dtype: DTypeLike) -> str:
    try:
        name = np.dtype(dtype).name
    except TypeError:
        name = str(dtype)
    if name not in DTYPES:
        raise FilterError(f"a stack is of dtype float32 or float64, not {name}")
    return name


def _frozen(array: NDArray[Any]) -> NDArray[Any]:
    array = np.ascontiguousarray(array)
    array.setflags(write=False)
    return array


@dataclass(frozen=True, eq=False, repr=False)
class SoGCStack:
    """Second-order layers whose product is a filter.

    Attributes
    ----------
    theta : array (L, 3)
        Rows are layers, first applied first; columns theta_0, theta_1, theta_2 (Equation 4).
    filter : FilterPolynomial
        The polynomial that was factored, after trimming.
    points : array or None
        The spectrum that the layers were ordered and scaled for; None for [-1, 1].
    exact : tuple of triples of Fraction, or None
        Factors whose product is exactly the filter, when it was exact and they are rational.
    root_residual : float
        What the roots alone left, relative to max|h|.
    """

    theta: NDArray[Any]
    filter: FilterPolynomial
    points: Real | None = None
    exact: tuple[ExactFactor, ...] | None = None
    root_residual: float = 0.0

    # ------------------------------------------------------------------------- what it is

    def __len__(self) -> int:
        return len(self.theta)

    @property
    def degree(self) -> int:
        """The degree of the filter."""
        return self.filter.degree

    @property
    def dtype(self) -> np.dtype[Any]:
        """The precision of theta."""
        return self.theta.dtype

    @cached_property
    def _double(self) -> Real:
        return self.theta.astype(np.float64)

    @property
    def _where(self) -> Real:
        return factor.grid(self.degree) if self.points is None else self.points

    @cached_property
    def noise_gain(self) -> float:
        """max over l of max|P_l| max|R_l| / max|h|: how rounding errors are amplified."""
        return factor.noise_gain(self._double, self._where)

    @cached_property
    def condition(self) -> float:
        """max|h'| / max|h|: what every algorithm pays."""
        return factor.condition(self.filter, self._where)

    @cached_property
    def predicted_error(self) -> float:
        """The relative error (mean square) of :meth:`apply` in the stack's precision."""
        eps = float(np.finfo(self.dtype).eps)
        return factor.predicted_error(self._double, self.filter, self._where, eps)

    @cached_property
    def status(self) -> Status:
        """Whether the result can be used, as a sentence."""
        eps = float(np.finfo(self.dtype).eps)
        limit = float(np.sqrt(eps))
        if self.root_residual > max(limit, residual_goal(self.degree)):
            return Status.UNRESOLVED
        if self.condition * eps > limit:
            return Status.ILL_CONDITIONED
        return Status.SUCCESS if self.predicted_error <= limit else Status.NOISY

    def astype(self, dtype: DTypeLike) -> SoGCStack:
        """Return the stack in another precision, rounded so that the filter hardly moves.

        Examples
        --------
        >>> factorize([1.0, 0.3, 0.2]).astype("float32").theta.dtype
        dtype('float32')
        """
        name = _dtype_name(dtype)
        if name == self.dtype.name:
            return self
        if name == "float64":
            return replace(self, theta=_frozen(self._double))
        if self.exact is not None:
            return replace(self, theta=_frozen(single(self.theta)))
        forms = sensitivity(self.theta, self._where)
        return replace(self, theta=_frozen(rounded(self.theta, forms)))

    # ----------------------------------------------------------------------- what it does

    def response(self, lam: ArrayLike) -> Real:
        """Return the product of the layers at eigenvalues ``lam``.

        Examples
        --------
        >>> factorize([0, 0, 1]).response([0.0, 0.5]).tolist()
        [0.0, 0.25]
        """
        try:
            x = np.asarray(lam)
        except ValueError:  # rows of different lengths
            x = np.asarray(None)
        if x.dtype.kind not in "fiub":
            raise FilterError(f"a response is taken at real numbers, not at {lam!r:.60}")
        return product(self._double, x.astype(np.float64))

    def apply(self, graph: Graph | GraphSet | Any, x: Any) -> Any:
        """Filter a signal, in the precision of the signal.

        Parameters
        ----------
        graph : Graph, sparse matrix, or GraphSet
            A sparse matrix is taken as the normalized adjacency itself.
        x : array (N,) or (N, channels), or a sequence of them for a GraphSet
            float32 signals are filtered in float32, all others in float64.

        Returns
        -------
        array of the shape of x, or a list of them for a GraphSet

        Examples
        --------
        >>> edge = Graph.from_edges([(0, 1)])
        >>> factorize([0, 1]).apply(edge, [1.0, 2.0]).tolist()         # h(A) = A swaps the ends
        [2.0, 1.0]
        """
        if not isinstance(graph, GraphSet):
            signal = as_signal(x)
            return cascade(self._double, as_matrix(graph, signal.dtype), signal)
        signals = list(x) if isinstance(x, Iterable) else [x]
        if len(signals) != len(graph):
            raise FilterError(f"{len(graph)} graphs need as many signals, not {len(signals)}")
        return [self.apply(g, signal) for g, signal in zip(graph, signals, strict=True)]

    def compose(self, other: SoGCStack) -> SoGCStack:
        r"""Return the stack of the product of both filters (composition, Lemma 2).

        Layers of both are ordered and scaled anew; two first-order layers become one of second
        order, so that the depth is again :math:`\lceil \deg / 2 \rceil`.

        Examples
        --------
        >>> x = factorize([0, 1])
        >>> x.compose(x).theta.tolist()
        [[0.0, 0.0, 1.0]]
        """
        if not isinstance(other, SoGCStack):
            raise FilterError(f"a stack composes with a stack, not with a {type(other).__name__}")
        product = self.filter * other.filter
        points = None  # [-1, 1] unless both were made for a spectrum
        if self.points is not None and other.points is not None:
            points = _frozen(np.union1d(self.points, other.points))
        where = factor.grid(product.degree) if points is None else points
        theta, exact = _exact(product, where)
        if theta is None:
            both = np.concatenate([self._double, other._double])
            theta = factor.reordered(both, product, where)
        residual = 0.0 if exact is not None else self.root_residual + other.root_residual
        stack = SoGCStack(_frozen(theta), product, points, exact, residual)
        return stack.astype(np.promote_types(self.dtype, other.dtype))

    def certify(
        self, over: Graph | GraphSet | ArrayLike | None = None, progress: bool | None = None
    ) -> Certificate:
        """Prove a bound on max|response - h| in ball arithmetic (:mod:`polyfilter.certify`).

        Parameters
        ----------
        over : None, Graph, GraphSet or array
            [-1, 1] by default; the exact spectrum of graphs; or the numbers given.
        progress : bool, optional
            Show a progress bar; by default on long work at a terminal.

        Examples
        --------
        >>> factorize([0.5, 0.25]).certify().bound
        0.0
        """
        return certify(self._double, self.filter, over, progress)

    def to_sos(self) -> Real:
        r"""Return the stack as second-order sections of :mod:`scipy.signal`, for time series.

        They have at frequency :math:`\omega` the gain that the stack has at the eigenvalue
        :math:`\lambda = \cos\omega`, with a delay of :attr:`degree` samples: on a ring, both do
        the same (:mod:`polyfilter.sections` says why this and no other).

        Examples
        --------
        >>> factorize([0, 1]).to_sos().tolist()                    # x = (z + 1/z) / 2
        [[0.5, 0.0, 0.5, 1.0, 0.0, 0.0]]
        """
        return to_sos(self._double)

    @classmethod
    def from_sos(cls, sos: ArrayLike) -> SoGCStack:
        """Return the stack of a linear-phase FIR filter, given as sections of :mod:`scipy.signal`.

        Examples
        --------
        >>> SoGCStack.from_sos([[0.25, 0.5, 0.25, 1, 0, 0]]).theta.tolist()      # (1 + cos w) / 2
        [[0.5, 0.5, 0.0]]
        """
        return factorize(from_sos(sos))

    # ------------------------------------------------------------------------------ files

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the stack as JSON; the file appears whole or not at all."""
        data = encode(
            StackFields(self.theta, self.filter, self.points, self.exact, self.root_residual)
        )
        with atomic_write(path) as stream:
            stream.write(data)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> SoGCStack:
        """Read a stack that :meth:`save` wrote.

        Raises
        ------
        FileFormatError
            If the file is missing, truncated or not a stack.
        """
        source = check_size(path, MAX_STACK_BYTES)
        theta, h, points, exact, residual = decode(source.read_bytes(), str(source))
        points = None if points is None else _frozen(points)
        return cls(_frozen(theta), h, points, exact, residual)

    # --------------------------------------------------------------------------- in words

    def __repr__(self) -> str:
        return stackwords.words(self)

    def _repr_html_(self) -> str:
        return stackwords.pictures(self)
