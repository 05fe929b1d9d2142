r"""From pairs or a matrix to a checked adjacency, and from that to the normalized one.

Two maps, which :mod:`polyfilter.graphs` wraps into objects:

.. math:: (i_k, j_k, w_k)_k \mapsto W, \qquad W \mapsto A = D^{-1/2} W D^{-1/2}.

Every :math:`W` that leaves this module is symmetric and positive on its pattern, and canonical:
sorted column indices, no duplicates, no explicit zeros. Whatever is wrong with the input raises
one :class:`~polyfilter.errors.GraphError` that names the first place where it is wrong.

>>> assemble(as_pairs([(0, 1), (1, 2)]), 3, None, str).toarray()
array([[0., 1., 0.],
       [1., 0., 1.],
       [0., 1., 0.]])
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from operator import index
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array, issparse

from polyfilter.errors import GraphError

__all__ = ["as_pairs", "as_weights", "assemble", "freeze", "node_count", "normalize", "symmetric"]

MAX_NODES = 1 << 27
"""More nodes than this are taken for a mistyped id, before memory is taken for them.

It also keeps ``i * num_nodes + j`` far inside int64."""

Where = Callable[[int], str]
"""Says where the k-th edge came from: ``edge 3 (0, 7)`` or ``line 4 of roads.txt``."""


def as_pairs(edges: ArrayLike | Iterable[tuple[int, int]]) -> NDArray[np.int64]:
    """Return ``edges`` as an int64 array of shape (M, 2), or say which one is no pair of ids.

    >>> as_pairs({(2.0, 5)})
    array([[2, 5]])
    """
    if not isinstance(edges, np.ndarray):
        edges = np.asarray(edges) if hasattr(edges, "__array__") else _from_iterable(edges)
    if edges.size == 0 and edges.shape in ((0,), (0, 2), (2, 0)):
        return np.empty((0, 2), dtype=np.int64)
    if edges.ndim != 2 or edges.shape[1] != 2:
        hint = "; pass its transpose" if edges.ndim == 2 and edges.shape[0] == 2 else ""
        raise GraphError(f"edges should have shape (M, 2), but have shape {edges.shape}{hint}")
    if edges.dtype.kind == "f":
        wrong = ~(np.abs(edges) <= 2.0**53) | (edges != np.rint(edges))
        if np.any(wrong):
            k, side = np.argwhere(wrong)[0]
            raise GraphError(f"edge {k} names node {edges[k, side]}, which is not an integer")
    elif edges.dtype.kind not in "iu":
        raise GraphError(f"node ids should be integers, but edges have type {edges.dtype}")
    elif edges.dtype == np.uint64 and np.any(wrong := edges > np.iinfo(np.int64).max):
        k, side = np.argwhere(wrong)[0]
        raise GraphError(f"edge {k} names node {edges[k, side]}, which is out of range")
    return edges.astype(np.int64)


def _from_iterable(edges: Any) -> NDArray[Any]:
    try:
        pairs = list(edges)
    except TypeError as error:
        raise GraphError(f"edges should be pairs of node ids, not {edges!r:.60}") from error
    try:
        return np.array(pairs)
    except (ValueError, OverflowError, TypeError) as error:
        for k, pair in enumerate(pairs):
            if not hasattr(pair, "__len__") or len(pair) != 2:
                raise GraphError(f"edge {k} is {pair!r:.60}, not a pair of node ids") from error
        raise GraphError("edges should be pairs of integer node ids") from error


def node_count(pairs: NDArray[np.int64], num_nodes: int | None, where: Where) -> int:
    """Return the number of nodes, after checking that every id lies below it.

    >>> node_count(as_pairs([(0, 4)]), None, str)
    5
    """
    if np.any(negative := pairs < 0):
        k, side = np.argwhere(negative)[0]
        raise GraphError(f"{where(int(k))} names node {pairs[k, side]}, but ids start at 0")
    largest = int(pairs.max(initial=-1))
    if num_nodes is None:
        if largest >= MAX_NODES:
            k = int(np.argmax(pairs.max(axis=1)))
            raise GraphError(f"{where(k)} names node {largest}: more than {MAX_NODES} nodes")
        size = largest + 1
    else:
        try:
            size = index(num_nodes)
        except TypeError as error:
            raise GraphError(f"num_nodes should be an integer, not {num_nodes!r:.60}") from error
    if size < 1:
        raise GraphError("a graph needs at least one node")
    if size > MAX_NODES:
        raise GraphError(f"num_nodes is {size}, more than the {MAX_NODES} we take")
    if largest >= size:
        k = int(np.argmax(pairs.max(axis=1) >= size))
        raise GraphError(
            f"{where(k)} names node {pairs[k].max()}, but the graph has {size} nodes, "
            f"0 to {size - 1}"
        )
    return size


def as_weights(weights: ArrayLike, num_edges: int, where: Where) -> NDArray[np.float64]:
    """Return ``weights`` as float64, one for each edge, all finite and positive.

    >>> as_weights([1, 2], 2, str)
    array([1., 2.])
    """
    try:
        values = np.asarray(weights)
        if values.dtype.kind not in "fiub" and values.size:
            raise ValueError(f"type {values.dtype}")
        values = values.astype(np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise GraphError(f"weights should be real numbers ({error})") from error
    if values.shape != (num_edges,):
        raise GraphError(f"{num_edges} edges need {num_edges} weights, not shape {values.shape}")
    if not np.all(good := (values > 0) & (values < np.inf)):
        k = int(np.argmin(good))
        raise GraphError(f"{where(k)} has weight {values[k]:g}; weights are finite and positive")
    _check_total(values)
    return values


def assemble(
    pairs: NDArray[np.int64], size: int, weights: NDArray[np.float64] | None, where: Where
) -> csr_array:
    """Return W from checked pairs; a repeated edge counts once, and must repeat its weight.

    Sorting the numbers ``i * size + j`` (i <= j) puts copies side by side and the rest in
    row order, so that the upper triangle is a CSR matrix as it stands: O(M log M) and no loop.
    """
    keys = pairs.min(axis=1) * size + pairs.max(axis=1)
    if weights is None:
        keys.sort()
        first = np.append(True, keys[1:] != keys[:-1])[: len(keys)]
        keys, values = keys[first], np.ones(np.count_nonzero(first))
    else:
        order = np.argsort(keys, kind="stable")
        keys, values = keys[order], weights[order]
        first = np.append(True, keys[1:] != keys[:-1])[: len(keys)]
        clash = np.flatnonzero(~first[1:] & (values[1:] != values[:-1]))
        if clash.size:
            k, m = (int(e) for e in order[clash[0] : clash[0] + 2])
            raise GraphError(
                f"{where(k)} has weight {weights[k]:g} and {where(m)}, the same edge, has "
                f"{weights[m]:g}; give one weight"
            )
        keys, values = keys[first], values[first]
    rows, columns = np.divmod(keys, size)
    start = np.searchsorted(rows, np.arange(size + 1))
    upper = csr_array((values, columns, start), shape=(size, size))
    strictly = csr_array((np.where(rows == columns, 0.0, values), columns, start), (size, size))
    return _canonical(csr_array(upper + strictly.T))


def symmetric(matrix: Any, self_loops: bool) -> csr_array:
    """Return W from any square matrix, sparse or dense, after checking that it is one.

    >>> symmetric([[0, 2], [2, 0]], self_loops=False).toarray()
    array([[0., 2.],
           [2., 0.]])
    """
    if not issparse(matrix):
        try:
            matrix = np.asarray(matrix)
        except ValueError as error:
            raise GraphError(f"the adjacency is not a matrix: {error}") from error
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise GraphError(f"an adjacency is square, but this one has shape {matrix.shape}")
    if matrix.shape[0] == 0:
        raise GraphError("a graph needs at least one node")
    if matrix.shape[0] > MAX_NODES:
        raise GraphError(f"{matrix.shape[0]} nodes are more than the {MAX_NODES} we take")
    if matrix.dtype.kind not in "fiub":
        raise GraphError(f"weights should be real numbers, but the matrix has type {matrix.dtype}")
    W = _canonical(csr_array(matrix, dtype=np.float64, copy=True))
    if not np.all(good := (W.data > 0) & (W.data < np.inf)):
        (i, j), value = _entry(W, int(np.argmin(good))), W.data[np.argmin(good)]
        raise GraphError(f"entry ({i}, {j}) is {value:g}; weights are finite and positive")
    _check_total(W.data)
    if not self_loops and np.any(diagonal := W.diagonal()):
        i = int(np.flatnonzero(diagonal)[0])
        raise GraphError(
            f"entry ({i}, {i}) joins node {i} to itself; pass self_loops=True to allow it"
        )
    if (difference := csr_array(W - W.T)).count_nonzero():
        i, j = _entry(difference, int(np.flatnonzero(difference.data)[0]))
        raise GraphError(
            f"the matrix is not symmetric, so the graph is directed: entry ({i}, {j}) is "
            f"{W[i, j]:g} but ({j}, {i}) is {W[j, i]:g}; (W + W.T) / 2 would be undirected"
        )
    return W


def normalize(W: csr_array) -> csr_array:
    r"""Return :math:`A = D^{-1/2} W D^{-1/2}`, with a zero row where the degree is zero.

    Each degree is split exactly as :math:`d = m 4^k` with :math:`1/4 \le m < 1`, and an entry is
    :math:`w_{ij} 2^{-k_i - k_j} / \sqrt{m_i m_j}`. So nothing overflows whatever the weights; the
    product :math:`m_i m_j` of integer degrees is not rounded, and entries of unweighted graphs
    are the correctly rounded root, inverted; and (i, j) and (j, i) agree to the last bit.

    >>> normalize(symmetric([[0, 3], [3, 0]], self_loops=False)).toarray()
    array([[0., 1.],
           [1., 0.]])
    """
    mantissa, exponent = np.frexp(W.sum(axis=1))
    half = -(-exponent // 2)
    m, s = np.ldexp(mantissa, exponent - 2 * half), np.ldexp(1.0, half)
    row = np.repeat(np.arange(W.shape[0], dtype=W.indices.dtype), np.diff(W.indptr))
    data = W.data / (s[row] * s[W.indices]) / np.sqrt(m[row] * m[W.indices])
    return freeze(csr_array((data, W.indices, W.indptr), shape=W.shape))


def freeze(W: csr_array) -> csr_array:
    """Make the arrays of ``W`` read-only, so that a graph can share them."""
    W.has_canonical_format  # noqa: B018 -- looked up once, while it is still allowed to write
    for array in (W.data, W.indices, W.indptr):
        array.flags.writeable = False
    return W


def _check_total(weights: NDArray[np.float64]) -> None:
    """Refuse weights so large that a degree could overflow."""
    with np.errstate(over="ignore"):
        if not np.isfinite(2 * weights.sum()):
            raise GraphError("the weights add up to infinity; divide them by their maximum")


def _canonical(W: csr_array) -> csr_array:
    W.sum_duplicates()
    W.eliminate_zeros()
    return W


def _entry(W: csr_array, position: int) -> tuple[int, int]:
    """Row and column of the stored entry at ``position``."""
    return int(np.searchsorted(W.indptr, position, side="right")) - 1, int(W.indices[position])
