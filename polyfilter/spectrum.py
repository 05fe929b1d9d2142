r"""Eigenvalues, the graph Fourier transform, and the dense truth.

The maps are, for :math:`A = U \Lambda U^\top` the normalized adjacency of a graph,

.. math:: G \mapsto S(A) = \{\lambda_1 < \dots < \lambda_s\}, \qquad x \mapsto U^\top x, \qquad
          (h, x) \mapsto U h(\Lambda) U^\top x.

Assumptions: matrices are dense, so a connected component fits in memory as one; components are
decomposed one by one, as :math:`A` is block diagonal over them, and equal ones only once.
Eigenvalues that float64 can't tell apart are merged: what "can't tell" means is
:func:`eigenvalue_tolerance`, derived there. The count that needs no tolerance is
:mod:`polyfilter.capacity`.

>>> from polyfilter.graphs import Graph
>>> star = Graph.from_edges([(0, 1), (0, 2), (0, 3)])
>>> spectrum(star)
Spectrum(3 distinct of 4 eigenvalues in [-1, 1], smallest gap 1)
>>> filter_dense(star, lambda lam: lam**2, [1.0, 0.0, 0.0, 0.0]).round(12) + 0
array([1., 0., 0., 0.])
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from html import escape
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from polyfilter.blocks import blocks, check_dense, eigenvalues
from polyfilter.errors import FilterError, GraphError, ResponseError, SpectrumError
from polyfilter.graphs import Graph, GraphSet

__all__ = [
    "Eigenbasis",
    "Spectrum",
    "as_points",
    "as_signal",
    "eigenbasis",
    "eigenvalue_tolerance",
    "filter_dense",
    "fourier",
    "inverse_fourier",
    "spectrum",
]

Floats = NDArray[np.float64]


def eigenvalue_tolerance(size: int, eps: float = float(np.finfo(np.float64).eps)) -> float:
    r"""Return how far apart two float64 copies of one eigenvalue of A can be: (3n + 2) eps.

    Each copy errs by at most half of that, in units of :math:`u = \mathrm{eps}/2`:

    1. An entry :math:`w_{ij} / \sqrt{d_i d_j}` carries at most :math:`(n - 1) u` from the two
       degrees, sums of at most n terms whose errors the root halves, and :math:`3u` from the
       product, the root and the quotient. As A has no negative entries, a relative error of
       :math:`\delta` in each moves A by at most :math:`\delta \|A\|_2 \le \delta`, and so does it
       move every eigenvalue (Weyl).
    2. A symmetric eigensolver gives the eigenvalues of :math:`A + E` with
       :math:`\|E\|_2 \le p(n)\, \mathrm{eps} \|A\|_2`, p a "modestly growing function" (LAPACK
       Users' Guide, 4.7), taken here as :math:`p(n) = n`, which is :math:`2n\,u`.

    Together :math:`(3n + 2) u` for one copy, and twice that for two.

    >>> eigenvalue_tolerance(100) < 1e-13
    True
    """
    return (3 * size + 2) * eps


@dataclass(frozen=True, eq=False, repr=False)
class Spectrum:
    """The distinct eigenvalues of a graph or graph set, as found in float64.

    It can be passed wherever an array of eigenvalues is expected.

    Attributes
    ----------
    values
        The distinct eigenvalues, ascending, each the mean of the copies merged into it.
    multiplicities
        How many eigenvalues, over all graphs, each one stands for.
    tolerance
        Neighbours no further apart than this were merged.

    Examples
    --------
    >>> triangle = spectrum(Graph.from_edges([(0, 1), (1, 2), (2, 0)]))
    >>> np.round(triangle, 12), triangle.multiplicities, triangle.num_nodes
    (array([-0.5,  1. ]), array([2, 1]), 3)
    """

    values: Floats
    multiplicities: NDArray[np.int64]
    tolerance: float
    name: str = ""

    def __post_init__(self) -> None:
        self.values.flags.writeable = False
        self.multiplicities.flags.writeable = False

    @property
    def num_nodes(self) -> int:
        """Number of eigenvalues counted with multiplicity, which is the number of nodes."""
        return int(self.multiplicities.sum())

    @property
    def min_gap(self) -> float:
        """Smallest distance between two distinct eigenvalues; infinite if there is only one."""
        return float(np.diff(self.values).min(initial=np.inf))

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.values, dtype=dtype, copy=copy)

    def __len__(self) -> int:
        return len(self.values)

    def __iter__(self) -> Iterator[float]:
        return iter(self.values.tolist())

    def __repr__(self) -> str:
        name = f"{self.name!r}, " if self.name else ""
        count = f"{len(self):,} distinct of {self.num_nodes:,} eigenvalues"
        return f"Spectrum({name}{count} in [-1, 1], smallest gap {self.min_gap:.3g})"

    def _repr_html_(self) -> str:
        return f"<p>{escape(repr(self))}</p>{_histogram(self.values, self.multiplicities)}"


class Eigenbasis(NamedTuple):
    r"""Eigenvalues :math:`\lambda`, ascending, and the orthogonal matrix U of eigenvectors."""

    values: Floats
    vectors: Floats


def spectrum(graphs: Graph | GraphSet, tolerance: float | None = None) -> Spectrum:
    r"""Return the distinct eigenvalues S(A) of a graph, or of all graphs of a set together.

    Parameters
    ----------
    graphs
        One graph or a set; graphs of a set may differ in size.
    tolerance
        Neighbouring eigenvalues no further apart than this are merged;
        :func:`eigenvalue_tolerance` of the largest component by default.

    Examples
    --------
    >>> path = Graph.from_edges([(0, 1), (1, 2)])
    >>> edge = Graph.from_edges([(0, 1)])
    >>> both = spectrum(GraphSet([path, edge]))
    >>> both.values.round(12) + 0, both.multiplicities
    (array([-1.,  0.,  1.]), array([2, 1, 2]))
    """
    if not isinstance(graphs, Graph | GraphSet):
        raise GraphError(f"spectrum takes a Graph or a GraphSet, not {type(graphs).__name__}")
    if tolerance is not None and not 0 <= tolerance < np.inf:
        raise SpectrumError(f"the tolerance should be a number of at least 0, not {tolerance!r}")
    values, largest = eigenvalues(graphs if isinstance(graphs, Graph) else graphs.union())
    if tolerance is None:
        tolerance = eigenvalue_tolerance(largest)
    values.sort()
    starts = np.flatnonzero(np.append(True, np.diff(values) > tolerance))
    counts = np.diff(starts, append=len(values))
    means = np.add.reduceat(values, starts) / counts
    return Spectrum(np.clip(means, -1.0, 1.0), counts, float(tolerance), graphs.name)


def eigenbasis(graph: Graph) -> Eigenbasis:
    r"""Return :math:`\lambda` ascending and U with :math:`A = U \mathrm{diag}(\lambda) U^\top`.

    Every eigenvector lives on one connected component.

    Examples
    --------
    >>> lam, U = eigenbasis(Graph.from_edges([(0, 1)], num_nodes=3))
    >>> lam
    array([-1.,  0.,  1.])
    """
    check_dense(graph.num_nodes, "the graph")
    # an isolated node is its own eigenvector, of eigenvalue 0
    values, vectors = np.zeros(graph.num_nodes), np.eye(graph.num_nodes)
    for nodes, block in blocks(graph):
        values[nodes], vectors[np.ix_(nodes, nodes)] = np.linalg.eigh(block)
    order = np.argsort(values, kind="stable")
    return Eigenbasis(np.clip(values[order], -1.0, 1.0), vectors[:, order])


def fourier(graph: Graph | Eigenbasis, x: ArrayLike) -> Floats:
    r"""Return the graph Fourier transform :math:`U^\top x` of a signal, one row a frequency.

    Pass an :class:`Eigenbasis` in place of the graph to decompose once and transform often.

    Examples
    --------
    >>> s = fourier(Graph.from_edges([(0, 1)]), [3.0, 3.0])
    >>> abs(s).round(12)
    array([0.        , 4.24264069])
    """
    basis = _as_basis(graph)
    spectral: Floats = basis.vectors.T @ _on_nodes(x, len(basis.values))
    return spectral


def inverse_fourier(graph: Graph | Eigenbasis, s: ArrayLike) -> Floats:
    r"""Return the signal :math:`U s` whose graph Fourier transform is ``s``.

    Examples
    --------
    >>> edge = Graph.from_edges([(0, 1)])
    >>> inverse_fourier(edge, fourier(edge, [1.0, 2.0])).round(12)
    array([1., 2.])
    """
    basis = _as_basis(graph)
    signal: Floats = basis.vectors @ _on_nodes(s, len(basis.values))
    return signal


def filter_dense(
    graph: Graph | Eigenbasis, response: Callable[[Floats], ArrayLike], x: ArrayLike
) -> Floats:
    r"""Return :math:`U h(\Lambda) U^\top x`, the truth that every stack is compared with.

    Parameters
    ----------
    graph
        The graph, or its :class:`Eigenbasis`.
    response
        :math:`h`, called once with all eigenvalues of A.
    x
        Signal of shape (N,) or (N, channels).

    Examples
    --------
    >>> filter_dense(Graph.from_edges([(0, 1)]), lambda lam: 1 + lam, [1.0, 0.0]).round(12)
    array([1., 1.])
    """
    basis = _as_basis(graph)
    h = np.asarray(response(basis.values.copy()), dtype=np.float64)
    if h.shape != basis.values.shape:
        raise ResponseError(
            f"the response returned shape {h.shape} for {len(basis.values)} eigenvalues"
        )
    if not np.all(finite := np.isfinite(h)):
        k = int(np.argmin(finite))
        raise ResponseError(f"the response is {h[k]} at eigenvalue {basis.values[k]:.6g}")
    return inverse_fourier(basis, (h * fourier(basis, x).T).T)


def as_points(
    points: Spectrum | Graph | GraphSet | ArrayLike | None = None, *, size: int = 1025
) -> Floats:
    r"""Return eigenvalues to work on as a checked array in [-1, 1], in the order given.

    A graph or graph set stands for its spectrum. ``None`` stands for the interval, sampled at
    ``size`` Chebyshev points :math:`-\cos(\pi k / (\mathrm{size} - 1))`: the maximum of a
    polynomial of degree K over them is at least :math:`\cos(\pi K / (2\,\mathrm{size} - 2))` times
    that over the interval (Ehlich and Zeller, 1964), so 4K + 1 points lose 8 %.

    Values that lie outside by no more than the rounding of an eigensolver are moved to the border.

    Examples
    --------
    >>> as_points([0.5, 1.0000000000000002])
    array([0.5, 1. ])
    >>> as_points(size=3) + 0
    array([-1.,  0.,  1.])
    """
    if points is None:
        # the sine is odd, so that the points are symmetric to the last bit
        grid: Floats = np.sin(np.pi * np.arange(1 - size, size, 2) / (2 * size - 2))
        return grid
    if isinstance(points, Graph | GraphSet):
        points = spectrum(points)
    try:
        values = np.asarray(points)
    except ValueError as error:
        raise SpectrumError(f"the spectrum is not an array of numbers: {error}") from error
    if values.ndim != 1 or values.size == 0:
        raise SpectrumError(f"a spectrum is a list of eigenvalues, not of shape {values.shape}")
    if values.dtype.kind not in "fiu":
        raise SpectrumError(f"eigenvalues should be real numbers, not of type {values.dtype}")
    values = values.astype(np.float64)
    inside = np.abs(values) <= 1 + eigenvalue_tolerance(len(values))
    if not np.all(inside):
        k = int(np.argmin(inside))
        hint = ""
        if np.all((values >= 0) & (values <= 2)):
            hint = "; if these are eigenvalues of the Laplacian I - A, pass 1 - values"
        raise SpectrumError(
            f"eigenvalue {k} is {values[k]:g}, but those of a normalized adjacency lie in "
            f"[-1, 1]{hint}"
        )
    inside_values: Floats = np.clip(values, -1.0, 1.0)
    return inside_values


def as_signal(x: Any) -> NDArray[Any]:
    """Return a checked copy of a signal: float32 stays, all else becomes float64.

    Examples
    --------
    >>> as_signal([1, 2]).dtype, as_signal(np.ones(2, dtype=np.float32)).dtype
    (dtype('float64'), dtype('float32'))
    """
    try:
        signal = np.asarray(x)
    except ValueError as error:
        raise FilterError(f"the signal is not an array of numbers: {error}") from error
    if signal.dtype.kind not in "fiub":
        raise FilterError(f"a signal holds real numbers, not {signal.dtype}")
    if signal.ndim not in (1, 2):
        raise FilterError(f"a signal has shape (N,) or (N, channels), not {signal.shape}")
    if not np.isfinite(signal).all():
        node = int(np.argwhere(~np.isfinite(signal))[0, 0])
        raise FilterError(f"the signal is not finite at node {node}")
    single = signal.dtype.kind == "f" and signal.dtype.itemsize == 4
    return np.array(signal, dtype=np.float32 if single else np.float64, order="C")


# ------------------------------------------------------------------------------ the machinery


def _as_basis(graph: Graph | Eigenbasis) -> Eigenbasis:
    return graph if isinstance(graph, Eigenbasis) else eigenbasis(graph)


def _on_nodes(x: ArrayLike, num_nodes: int) -> Floats:
    signal = as_signal(x)
    if signal.shape[0] != num_nodes:
        raise FilterError(
            f"a signal on {num_nodes} nodes has shape ({num_nodes},) or ({num_nodes}, channels), "
            f"not {signal.shape}"
        )
    return signal.astype(np.float64)


def _histogram(values: Floats, counts: NDArray[np.int64], bins: int = 64) -> str:
    """Draw how many eigenvalues lie where in [-1, 1], as inline SVG."""
    heights, _ = np.histogram(values, bins=bins, range=(-1.0, 1.0), weights=counts)
    heights = 60.0 * heights / heights.max()
    bars = "".join(
        f'<rect x="{5 * k + 4}" y="{64 - h:.1f}" width="4" height="{h:.1f}"/>'
        for k, h in enumerate(heights)
        if h > 0
    )
    labels = "".join(
        f'<text x="{x}" y="78" font-size="10" text-anchor="middle">{label}</text>'
        for x, label in ((8, "-1"), (164, "0"), (320, "1"))
    )
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" width="328" height="82" role="img" '
        'aria-label="histogram of eigenvalues"><g fill="#4878a8">'
        f'{bars}</g><path d="M4 64.5H324" stroke="#888"/>{labels}</svg>'
    )
