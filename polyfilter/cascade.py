r"""Layer by layer through the graph: two sparse products and a few passes over the signal each.

The map is

.. math::  (\theta, A, x) \mapsto \prod_{l=L}^{1} \bigl(\theta_{l0} I + \theta_{l1} A
           + \theta_{l2} A^2\bigr)\, x.

A layer with its dip in or near the spectrum runs as a completed square, :math:`u = (A - s) x`,
:math:`y = c\,((A - s) u + e x)` (:mod:`polyfilter.squares`), all others as they
are written above. Sums are made in place by BLAS, so that the products are the bulk of the time.

Assumptions: :math:`A` is symmetric with spectrum in [-1, 1]; the signal is ours to overwrite.

>>> from scipy.sparse import csr_array
>>> swap = csr_array(np.array([[0.0, 1.0], [1.0, 0.0]]))
>>> cascade(np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 1.0]]), swap, np.array([1.0, 3.0]))
array([6., 2.])
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.blas import daxpy, saxpy
from scipy.sparse import csr_array, issparse

from polyfilter.clenshaw import Real
from polyfilter.errors import FilterError
from polyfilter.graphs import Graph
from polyfilter.squares import completed_squares

__all__ = ["as_matrix", "cascade"]


def as_matrix(graph: Any, dtype: np.dtype[Any]) -> csr_array:
    """Return the normalized adjacency of a graph; a sparse matrix is taken as that itself.

    Examples
    --------
    >>> as_matrix(Graph.from_edges([(0, 1)]), np.dtype(np.float32)).toarray().tolist()
    [[0.0, 1.0], [1.0, 0.0]]
    """
    if isinstance(graph, Graph):
        return graph.normalized_adjacency(dtype)
    if not issparse(graph):
        raise FilterError(
            f"a stack is applied to a Graph, a GraphSet or a sparse matrix, not to a "
            f"{type(graph).__name__}"
        )
    matrix: Any = graph
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise FilterError(f"a normalized adjacency is square, not of shape {matrix.shape}")
    if matrix.dtype.kind not in "fiub":
        raise FilterError(f"a normalized adjacency holds real numbers, not {matrix.dtype}")
    A = csr_array(matrix, dtype=dtype)
    if not np.isfinite(A.data).all():
        raise FilterError("the normalized adjacency holds a number that is not finite")
    return A


def cascade(theta: Real, A: csr_array, x: NDArray[Any]) -> NDArray[Any]:
    """Run the layers in the precision of ``x``, which is overwritten.

    Examples
    --------
    >>> cascade(np.array([[2.0, 0.0, 0.0]]), csr_array((2, 2)), np.ones(2))
    array([2., 2.])
    """
    if x.shape[0] != A.shape[0]:
        n = A.shape[0]
        raise FilterError(
            f"a signal on {n} nodes has shape ({n},) or ({n}, channels), not {x.shape}"
        )
    if x.size == 0:
        return x
    axpy = saxpy if x.dtype == np.float32 else daxpy

    def add(a: float, source: NDArray[Any], target: NDArray[Any]) -> None:
        axpy(source.reshape(-1), target.reshape(-1), a=a)  # in place: both are contiguous

    for row, square in zip(theta.tolist(), completed_squares(theta).tolist(), strict=True):
        (zero, one, two), (c, s, e) = row, square
        if not math.isnan(c):
            u = A @ x
            add(-s, x, u)
            y = A @ u
            add(-s, u, y)
            y *= c
            add(c * e, x, y)
        elif one == 0 and two == 0:
            y = x
            y *= zero
        else:
            hop = A @ x
            if two == 0:
                y = hop
                y *= one
            else:
                y = A @ hop
                y *= two
                add(one, hop, y)
            add(zero, x, y)
        x = y
    return x
