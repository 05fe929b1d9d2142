r"""From checked edges or a matrix to the adjacency, and from that to the normalized one.

Two maps, which :mod:`polyfilter.graph` wraps into an object:

.. math:: (i_k, j_k, w_k)_k \mapsto W, \qquad W \mapsto A = D^{-1/2} W D^{-1/2}.

Every :math:`W` that leaves this module is symmetric and positive on its pattern, and canonical:
sorted column indices, no duplicates, no explicit zeros. Whatever is wrong with the input raises
one :class:`~polyfilter.errors.GraphError` that names the first place where it is wrong.

>>> assemble(np.array([(0, 1), (1, 2)]), 3, None, str).toarray()
array([[0., 1., 0.],
       [1., 0., 1.],
       [0., 1., 0.]])
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse

from polyfilter.edges import Where, check_size, check_total
from polyfilter.errors import GraphError

__all__ = ["assemble", "freeze", "join", "normalize", "split", "symmetric"]


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
    check_size(matrix.shape[0])
    if matrix.dtype.kind not in "fiub":
        raise GraphError(f"weights should be real numbers, but the matrix has type {matrix.dtype}")
    W = _canonical(csr_array(matrix, dtype=np.float64, copy=True))
    if not np.all(good := (W.data > 0) & (W.data < np.inf)):
        (i, j), value = _entry(W, int(np.argmin(good))), W.data[np.argmin(good)]
        raise GraphError(f"entry ({i}, {j}) is {value:g}; weights are finite and positive")
    check_total(W.data)
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


def split(W: csr_array, sizes: NDArray[np.int64]) -> list[csr_array]:
    """Return the diagonal blocks of a block diagonal ``W``, each with a copy of its own arrays.

    >>> W = assemble(np.array([(0, 1), (2, 3)]), 4, None, str)
    >>> [block.toarray().tolist() for block in split(W, np.array([2, 2]))]
    [[[0.0, 1.0], [1.0, 0.0]], [[0.0, 1.0], [1.0, 0.0]]]
    """
    blocks, end = [], 0
    for size in sizes.tolist():
        start, end = end, end + size
        indptr = W.indptr[start : end + 1]
        entries = slice(indptr[0], indptr[-1])
        arrays = W.data[entries].copy(), W.indices[entries] - start, indptr - indptr[0]
        blocks.append(csr_array(arrays, shape=(size, size)))
    return blocks


def join(blocks: Sequence[csr_array]) -> csr_array:
    """Return the block diagonal matrix of ``blocks``, the inverse of :func:`split`.

    >>> W = assemble(np.array([(0, 1), (2, 3)]), 4, None, str)
    >>> (join(split(W, np.array([2, 2]))) != W).nnz
    0
    """
    sizes = np.array([W.shape[0] for W in blocks])
    entries = np.array([W.nnz for W in blocks])
    shift = np.repeat(np.cumsum(sizes) - sizes, entries)
    counts = np.concatenate([np.diff(W.indptr) for W in blocks])
    arrays = (
        np.concatenate([W.data for W in blocks]),
        np.concatenate([W.indices for W in blocks]) + shift,
        np.append(0, np.cumsum(counts, dtype=np.int64)),
    )
    return csr_array(arrays, shape=(len(counts), len(counts)))


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
    """Make the arrays of ``W`` read-only, so that a graph can share them.

    Examples
    --------
    >>> W = freeze(csr_array([[0.0, 1.0], [1.0, 0.0]]))
    >>> W.data.flags.writeable
    False
    """
    W.has_canonical_format  # noqa: B018 -- looked up once, while it is still allowed to write
    for array in (W.data, W.indices, W.indptr):
        array.flags.writeable = False
    return W


def _canonical(W: csr_array) -> csr_array:
    W.sum_duplicates()
    W.eliminate_zeros()
    return W


def _entry(W: csr_array, position: int) -> tuple[int, int]:
    """Row and column of the stored entry at ``position``."""
    return int(np.searchsorted(W.indptr, position, side="right")) - 1, int(W.indices[position])
