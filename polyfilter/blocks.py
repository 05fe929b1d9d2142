r"""The blocks of A over connected components, as dense matrices.

The map is :math:`A \mapsto (A_1, \dots, A_c)` with
:math:`A = A_1 \oplus \dots \oplus A_c \oplus 0`: the eigenvalues of :math:`A` are those of
its blocks, and a zero for every isolated node. Blocks cost :math:`\sum n_k^3` to
decompose where the whole costs :math:`(\sum n_k)^3`.

>>> graph = Graph.from_edges([(0, 2)], num_nodes=3)
>>> [(nodes.tolist(), block.tolist()) for nodes, block in blocks(graph)]
[([0, 2], [[0.0, 1.0], [1.0, 0.0]])]
"""

import hashlib
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from polyfilter.errors import SpectrumError
from polyfilter.graphs import Graph

__all__ = ["blocks", "check_dense", "eigenvalues"]

Floats = NDArray[np.float64]

MAX_DENSE = 20_000
"""Largest component that is decomposed: beyond it one dense matrix takes more than 3.2 GB."""

BATCH_BYTES = 1 << 26
"""Matrices wait until they fill about this much memory, and those of one size go together."""


def blocks(graph: Graph) -> Iterator[tuple[NDArray[np.int64], Floats]]:
    """Yield the nodes of each component that has an edge, and its dense block of A."""
    A = graph.normalized_adjacency()
    components = [
        c for c in graph.components() if len(c) > 1 or A.indptr[c[0]] < A.indptr[c[0] + 1]
    ]
    local = np.empty(graph.num_nodes, dtype=np.int64)
    for nodes in components:
        check_dense(len(nodes), "a connected component")
        local[nodes] = np.arange(len(nodes))
        starts, counts = A.indptr[nodes], A.indptr[nodes + 1] - A.indptr[nodes]
        rows = np.repeat(np.arange(len(nodes)), counts)
        entries = np.arange(len(rows)) + np.repeat(starts - np.cumsum(counts) + counts, counts)
        block = np.zeros((len(nodes), len(nodes)))
        block[rows, local[A.indices[entries]]] = A.data[entries]
        yield nodes, block


def check_dense(size: int, what: str) -> None:
    """Refuse to make a dense matrix that would not fit, before memory is taken for it.

    Examples
    --------
    >>> check_dense(100, "the graph")
    >>> check_dense(10**6, "the graph")
    Traceback (most recent call last):
    ...
    polyfilter.errors.SpectrumError: the graph has 1,000,000 nodes, more than the ...
    """
    if size > MAX_DENSE:
        raise SpectrumError(
            f"{what} has {size:,} nodes, more than the {MAX_DENSE:,} whose dense matrix we "
            "decompose; spectrum_capacity counts distinct eigenvalues without one"
        )


def eigenvalues(graph: Graph) -> tuple[Floats, int]:
    """Return all eigenvalues of a graph, and the size of its largest component.

    Equal blocks are decomposed once, and blocks of one size in stacks, since thousands of
    molecules would otherwise spend their time between calls.

    >>> eigenvalues(Graph.from_edges([(0, 2)], num_nodes=3))
    (array([ 0., -1.,  1.]), 2)
    """
    copies: dict[bytes, int] = {}
    found: dict[bytes, Floats] = {}
    waiting: dict[bytes, Floats] = {}
    num_isolated, num_bytes, largest = graph.num_nodes, 0, 1
    for nodes, block in blocks(graph):
        num_isolated, largest = num_isolated - len(nodes), max(largest, len(nodes))
        key = hashlib.blake2b(block.data, digest_size=16).digest()
        copies[key] = copies.get(key, 0) + 1
        if copies[key] == 1:
            waiting[key] = block
            num_bytes += block.nbytes
            if num_bytes >= BATCH_BYTES:
                found |= _decompose(waiting)
                waiting, num_bytes = {}, 0
    found |= _decompose(waiting)
    values = [np.repeat(found[key], count) for key, count in copies.items()]
    return np.concatenate([np.zeros(num_isolated), *values]), largest


def _decompose(blocks: dict[bytes, Floats]) -> dict[bytes, Floats]:
    """Eigenvalues of each block, one call of LAPACK's driver for all blocks of a size."""
    by_size: dict[int, list[bytes]] = {}
    for key, block in blocks.items():
        by_size.setdefault(len(block), []).append(key)
    return {
        key: values
        for keys in by_size.values()
        for key, values in zip(
            keys, np.linalg.eigvalsh(np.stack([blocks[key] for key in keys])), strict=True
        )
    }
