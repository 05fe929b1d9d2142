r"""Signals on the graphs of a set, as one signal on their union.

The maps are

.. math:: (x_1, \dots, x_m) \mapsto x, \qquad
          (A, x) \mapsto \big( T_0(A) x, \; T_1(A) x, \; \dots, \; T_K(A) x \big)

with :math:`A = A_1 \oplus \dots \oplus A_m` and the three-term recurrence
:math:`T_{k+1}(A) x = 2 A T_k(A) x - T_{k-1}(A) x`: one sparse product a degree for all graphs
together.

Assumptions: every node of every graph carries the same number of channels.

>>> from polyfilter.graphs import Graph
>>> graphs = GraphSet([Graph.from_edges([(0, 1)]), Graph.from_edges([(0, 1), (1, 2)])])
>>> stack_signals(graphs, [[1, 2], [3, 4, 5]], "x").ravel()
array([1., 2., 3., 4., 5.])
"""

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import block_diag, csr_array

from polyfilter.errors import FilterError
from polyfilter.graphs import GraphSet

__all__ = ["Signals", "chebyshev_features", "stack_signals", "union_adjacency"]

FloatArray: TypeAlias = NDArray[np.float64]
Signals: TypeAlias = ArrayLike | Sequence["Signals"]
"""One signal a graph, or one array over the nodes of all graphs, those of graph 0 first."""


def union_adjacency(graphs: GraphSet) -> csr_array:
    """Return the normalized adjacency of all graphs side by side, block diagonal.

    Examples
    --------
    >>> from polyfilter.graphs import Graph
    >>> edge = Graph.from_edges([(0, 1)])
    >>> union_adjacency(GraphSet([edge, edge])).toarray()[2:]
    array([[0., 0., 0., 1.],
           [0., 0., 1., 0.]])
    """
    blocks = [graph.normalized_adjacency() for graph in graphs]
    return blocks[0] if len(blocks) == 1 else csr_array(block_diag(blocks, format="csr"))


def stack_signals(graphs: GraphSet, signals: Signals, name: str) -> FloatArray:
    """Return signals on all graphs as one array of shape (nodes, channels), checked.

    Parameters
    ----------
    graphs
        The graph set, with N nodes in all.
    signals
        A list with an array of shape (N_i,) or (N_i, C) for each graph, or one array of shape
        (N,) or (N, C).
    name
        What error messages call the signals, such as "x".

    Examples
    --------
    >>> edge = GraphSet.from_edges([(0, 1)], num_edges=[1])
    >>> stack_signals(edge, [[1.0, np.nan]], "x")
    Traceback (most recent call last):
    ...
    polyfilter.errors.FilterError: x is nan at node 1 of graph 0; signals have to be finite
    """
    sizes = [graph.num_nodes for graph in graphs]
    if isinstance(signals, np.ndarray) and signals.dtype != object:
        total = sum(sizes)
        if signals.ndim not in (1, 2) or len(signals) != total:
            raise FilterError(
                f"{name} has shape {signals.shape}, but the graphs have {total} nodes in all; "
                f"give ({total},), ({total}, channels) or a list with one array a graph"
            )
        parts = np.split(signals, np.cumsum(sizes)[:-1])
    else:
        try:
            parts = list(signals)  # type: ignore[arg-type]
        except TypeError:
            raise FilterError(f"{name} has to hold one signal a graph, not {signals!r}") from None
        if len(parts) != len(sizes):
            raise FilterError(f"{name} has {len(parts)} signals for {len(sizes)} graphs")
    columns = [_checked(parts[k], k, size, name) for k, size in enumerate(sizes)]
    for k, column in enumerate(columns):
        if column.shape[1] != columns[0].shape[1]:
            raise FilterError(
                f"{name} has {column.shape[1]} channels on graph {k}, but {columns[0].shape[1]} "
                "on graph 0"
            )
    return np.concatenate(columns)


def _checked(signal: ArrayLike, k: int, size: int, name: str) -> FloatArray:
    """Return the signal on graph k as a finite array of shape (nodes, channels)."""
    try:
        array = np.asarray(signal)
        values = array.real.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise FilterError(f"{name} on graph {k} is no array of real numbers: {error}") from error
    if np.iscomplexobj(array):
        raise FilterError(f"{name} on graph {k} is complex; signals have to be real")
    if values.ndim not in (1, 2) or len(values) != size:
        raise FilterError(
            f"{name} has shape {values.shape} on graph {k}, which has {size} nodes; give ({size},) "
            f"or ({size}, channels)"
        )
    values = values.reshape(size, -1)
    if values.shape[1] == 0:
        raise FilterError(f"{name} has no channels on graph {k}")
    bad = np.argwhere(~np.isfinite(values))
    if bad.size:
        raise FilterError(
            f"{name} is {values[tuple(bad[0])]} at node {bad[0][0]} of graph {k}; signals have to "
            "be finite"
        )
    return values


def chebyshev_features(A: csr_array, x: FloatArray, degree: int) -> FloatArray:
    """Return the matrix of shape (N C, K + 1) whose column k is T_k(A) x, flattened.

    Examples
    --------
    >>> A = csr_array([[0.0, 1.0], [1.0, 0.0]])
    >>> chebyshev_features(A, np.array([[1.0], [0.0]]), 3)
    array([[1., 0., 1., 0.],
           [0., 1., 0., 1.]])
    """
    T = np.empty((degree + 1, *x.shape))
    T[0] = x
    if degree > 0:
        T[1] = A @ x
    for k in range(2, degree + 1):
        T[k] = 2 * (A @ T[k - 1]) - T[k - 2]
    return T.reshape(degree + 1, -1).T
