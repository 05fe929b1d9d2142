r"""A graph set as few small blocks that have the same distinct eigenvalues.

The map is

.. math::
    \{G_1, \dots, G_s\} \;\mapsto\; \{C_1, \dots, C_b\} \cup \{\mu_1, \dots, \mu_t\},
    \qquad C = D^{-1} (W K + L),

with :math:`\bigcup_i \mathcal S(G_i) = \bigcup_j \mathcal S(C_j) \cup \{\mu_k\}`. A normalized
adjacency is similar to the rational matrix :math:`B = D^{-1} A`, whose diagonal blocks are the
connected components. Each :math:`C` is such a component in which twins stand as one node: ``W`` are
the weights between representatives, ``K`` the sizes of the twin classes, ``L`` the weight from a
class to itself, and ``D`` the row sums of ``W K + L``, which are the degrees. Of isomorphic blocks
one is kept (:mod:`polyfilter.isomorphism`).

Twins. Let :math:`T` be a class of :math:`k` nodes of one component.

* *Open twins* have equal rows of weights and no loops, so equal degrees :math:`d`. Functions on
  :math:`T` that add up to zero are sent to zero by every row: eigenvalue 0, :math:`k - 1` times.
* *Closed twins* have unit weights and equal rows once each is its own neighbour. On functions on
  :math:`T` that add up to zero, :math:`B` is :math:`-1/d`, :math:`k - 1` times.

Both spaces are invariant, and orthogonal, in the inner product :math:`x^T D y` in which :math:`B`
is self-adjoint, to the invariant space of functions that are constant on :math:`T`. So the spectrum
of :math:`B` is that of its restriction to the latter, which is :math:`C`, with 0 and :math:`-1/d`.
A node can't have twins of both kinds: if :math:`t` is an open twin of :math:`s` and a closed twin
of :math:`u`, then :math:`u` is a neighbour of :math:`s`, hence :math:`s` of :math:`t`.

>>> from polyfilter.graphs import Graph
>>> star = Graph.from_edges([(0, 1), (0, 2), (0, 3)])
>>> blocks, values = collapse(stack([star]))
>>> blocks.num_nodes, blocks.multiplicity.tolist(), values
(2, [1, 3], {Fraction(0, 1)})
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from polyfilter.graphs import Graph

__all__ = ["Blocks", "collapse", "mix", "ranges", "row_sums", "stack"]

Ints = NDArray[np.int64]
Words = NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class Blocks:
    """Block-diagonal ``D^-1 (W K + L)``; ``W`` in CSR form, blocks in order of falling size.

    Attributes
    ----------
    indptr, indices, weights
        ``W``, symmetric, without diagonal, each row sorted; weights are exact.
    multiplicity
        The diagonal of ``K``: how many twins a node stands for.
    loops
        The diagonal of ``L``.
    offsets
        Block ``b`` owns the nodes ``offsets[b]`` to ``offsets[b + 1] - 1``.
    """

    indptr: Ints
    indices: Ints
    weights: NDArray[np.float64]
    multiplicity: Ints
    loops: NDArray[np.float64]
    offsets: Ints

    @property
    def num_nodes(self) -> int:
        """Number of nodes of all blocks."""
        return len(self.multiplicity)

    @property
    def num_blocks(self) -> int:
        """Number of blocks."""
        return len(self.offsets) - 1

    @property
    def sizes(self) -> Ints:
        """Number of nodes of each block."""
        return np.diff(self.offsets)

    @property
    def owner(self) -> Ints:
        """The block of each node."""
        return np.repeat(np.arange(self.num_blocks), self.sizes)

    def select(self, nodes: Ints, sizes: Ints) -> Blocks:
        """Return the blocks on ``nodes``, renumbered in that order, ``sizes`` of them at a time.

        Edges to other nodes are dropped.
        """
        lengths = np.diff(self.indptr)[nodes]
        entries = ranges(self.indptr[nodes], lengths)
        position = np.full(self.num_nodes, -1, dtype=np.int64)
        position[nodes] = np.arange(len(nodes))
        columns = position[self.indices[entries]]
        rows = np.repeat(np.arange(len(nodes)), lengths)
        kept = columns >= 0
        rows, columns, entries = rows[kept], columns[kept], entries[kept]
        if np.any((rows[1:] == rows[:-1]) & (columns[1:] < columns[:-1])):
            order = np.lexsort((columns, rows))
            columns, entries = columns[order], entries[order]
        return Blocks(
            indptr=_starts(np.bincount(rows, minlength=len(nodes))),
            indices=columns,
            weights=self.weights[entries],
            multiplicity=self.multiplicity[nodes],
            loops=self.loops[nodes],
            offsets=_starts(sizes),
        )

    def pick(self, blocks: Ints) -> Blocks:
        """Return some of the blocks, in the order given.

        >>> triangle_and_edge = stack([Graph.from_edges([(0, 1), (1, 2), (2, 0), (3, 4)])])
        >>> triangle_and_edge.pick(np.array([1])).indices.tolist()
        [1, 0]
        """
        sizes = self.sizes[blocks]
        return self.select(ranges(self.offsets[blocks], sizes), sizes)

    def upper_bound(self, values: Iterable[Fraction]) -> int:
        r"""Return a proven upper bound on the number of distinct eigenvalues, ``values`` included.

        A block of ``n`` nodes has at most ``n``. One of them is 1 if it has an edge. If it is
        bipartite with parts of ``a`` and ``b`` nodes, another is -1, and 0 is one at least
        :math:`|a - b|` times. Values that blocks are known to have in common count once.
        """
        n = self.num_nodes
        rows = np.repeat(np.arange(n), np.diff(self.indptr))
        looped = np.flatnonzero(self.loops)
        # bipartite blocks, and only they, have two sheets in the double cover
        i = np.concatenate((rows, looped))
        j = np.concatenate((self.indices, looped)) + n
        cover = csr_array((np.ones(len(i), dtype=np.int8), (i, j)), shape=(2 * n, 2 * n))
        _, sheet = connected_components(cover, directed=False)
        starts = self.offsets[:-1]
        bare = (np.diff(self.indptr)[starts] == 0) & (self.loops[starts] == 0)
        bipartite = (sheet[starts] != sheet[starts + n]) & ~bare
        beside_first = sheet[:n] == sheet[starts][self.owner]
        one_part = np.add.reduceat(beside_first.astype(np.int64), starts)
        kernel = np.where(bipartite, np.abs(2 * one_part - self.sizes), bare)
        known = set(values)
        known |= {Fraction(1)} if not bare.all() else set()
        known |= {Fraction(-1)} if bipartite.any() else set()
        known |= {Fraction(0)} if kernel.any() else set()
        unknown = self.sizes - ~bare - bipartite - kernel
        return len(known) + int(unknown.sum())


def stack(graphs: Sequence[Graph]) -> Blocks:
    """Return the connected components of all graphs as blocks; equal matrices are stacked once.

    So are isolated nodes. Weights that are all equal within a component are replaced by one,
    which leaves ``B`` as it is.

    >>> stack([Graph.from_edges([(0, 2)], num_nodes=3, weights=[0.3])] * 2).sizes.tolist()
    [2, 1]
    """
    seen: dict[tuple[int, bytes, bytes], list[csr_array]] = {}
    matrices: list[csr_array] = []
    for graph in graphs:
        A = graph.adjacency
        twins = seen.setdefault((graph.num_nodes, A.indptr.tobytes(), A.indices.tobytes()), [])
        if not any(np.array_equal(A.data, B.data) for B in twins):
            twins.append(A)
            matrices.append(A)
    nodes = np.array([A.shape[0] for A in matrices])
    entries = np.array([A.nnz for A in matrices])
    lengths = np.concatenate([np.diff(A.indptr) for A in matrices]).astype(np.int64)
    indices = np.concatenate([A.indices for A in matrices]).astype(np.int64)
    indices += np.repeat(_starts(nodes)[:-1], entries)
    weights = np.concatenate([A.data for A in matrices])
    total = len(lengths)
    W = csr_array((weights, indices, _starts(lengths)), shape=(total, total))
    count, found = connected_components(W, directed=False)
    label: Ints = found.astype(np.int64)
    rows = np.repeat(np.arange(total), lengths)
    _flatten(weights, label[rows], count)
    loop = rows == indices
    loops = np.zeros(total)
    loops[rows[loop]] = weights[loop]
    whole = Blocks(
        indptr=_starts(np.bincount(rows[~loop], minlength=total)),
        indices=indices[~loop],
        weights=weights[~loop],
        multiplicity=np.ones(total, dtype=np.int64),
        loops=loops,
        offsets=np.array([0, total]),
    )
    sizes = np.bincount(label, minlength=count)
    bare = np.flatnonzero(lengths == 0)
    sizes[label[bare[1:]]] = 0  # one isolated node stands for all
    order = np.lexsort((label, -sizes[label]))[: int(sizes.sum())]
    return whole.select(order, -np.sort(-sizes[sizes > 0]))


def collapse(blocks: Blocks) -> tuple[Blocks, set[Fraction]]:
    """Return blocks in which every twin class is one node, and the eigenvalues that this split off.

    Hashes of neighbourhoods only propose twins. Each one is then compared with the first of its
    class entry by entry, so that a collision costs time and no truth.

    >>> complete = Graph.from_edges([(i, j) for i in range(5) for j in range(i)])
    >>> blocks, values = collapse(stack([complete]))
    >>> blocks.sizes.tolist(), values
    ([1], {Fraction(-1, 4)})
    """
    n = blocks.num_nodes
    label = mix(np.arange(n, dtype=np.uint64))
    degree = np.diff(blocks.indptr)
    bits = blocks.weights.view(np.uint64)
    around = row_sums(mix(label[blocks.indices] ^ bits), blocks.indptr)
    plain = (degree > 0) & (blocks.loops == 0)
    unit = plain & (row_sums((blocks.weights != 1).astype(np.uint64), blocks.indptr) == 0)
    with_self = around + mix(label ^ np.float64(1).view(np.uint64))
    first = np.arange(n)
    values: set[Fraction] = set()
    loops = blocks.loops.copy()
    for key, allowed, closed in ((around, plain, False), (with_self, unit, True)):
        node, leader = _proposals(key, np.flatnonzero(allowed))
        true = _same_row(blocks, node, leader)
        node, leader = node[true], leader[true]
        first[node] = leader
        if closed:
            np.add.at(loops, leader, 1.0)
            values |= {Fraction(-1, int(d)) for d in np.unique(degree[leader])}
        elif len(node):
            values.add(Fraction(0))
    kept = np.flatnonzero(first == np.arange(n))
    if len(kept) == n:
        return blocks, values
    merged = Blocks(
        blocks.indptr,
        blocks.indices,
        blocks.weights,
        np.bincount(first, minlength=n),
        loops,
        blocks.offsets,
    )
    sizes = np.bincount(blocks.owner[kept], minlength=blocks.num_blocks)
    collapsed = merged.select(kept, sizes)
    return collapsed.pick(np.argsort(-sizes, kind="stable")), values


def mix(words: Words) -> Words:
    """Return a well mixed image of each 64-bit word (the finalizer of splitmix64).

    Examples
    --------
    >>> mix(np.array([0, 1], dtype=np.uint64))
    array([                   0, 6238072747940578789], dtype=uint64)
    """
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(31))


def row_sums(words: Words, indptr: Ints) -> Words:
    """Return the sums of ``words`` over CSR rows, modulo 2^64; an empty row gives 0.

    Examples
    --------
    >>> row_sums(np.array([1, 2, 3], dtype=np.uint64), np.array([0, 2, 2, 3]))
    array([3, 0, 3], dtype=uint64)
    """
    total = np.zeros(len(words) + 1, dtype=np.uint64)
    np.cumsum(words, out=total[1:])
    return total[indptr[1:]] - total[indptr[:-1]]


def ranges(starts: Ints, lengths: Ints) -> Ints:
    """Return the concatenation of ``range(s, s + n)``.

    >>> ranges(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    shift = starts - (np.cumsum(lengths) - lengths)
    return np.repeat(shift, lengths) + np.arange(int(lengths.sum()))


def _starts(lengths: Ints) -> Ints:
    return np.concatenate(([0], np.cumsum(lengths, dtype=np.int64)))


def _flatten(weights: NDArray[np.float64], label: Ints, count: int) -> None:
    """Set the weights of each component to one where they are all equal."""
    low, high = np.full(count, np.inf), np.zeros(count)
    np.minimum.at(low, label, weights)
    np.maximum.at(high, label, weights)
    weights[(low == high)[label]] = 1.0


def _proposals(key: Words, nodes: Ints) -> tuple[Ints, Ints]:
    """Return nodes whose key an earlier node has, and for each the first such node."""
    order = nodes[np.argsort(key[nodes], kind="stable")]
    new = np.append(True, key[order][1:] != key[order][:-1])[: len(order)]
    leader = order[new][np.cumsum(new) - 1] if len(order) else order
    return order[~new], leader[~new]


def _same_row(blocks: Blocks, node: Ints, leader: Ints) -> NDArray[np.bool_]:
    """Say which nodes are twins of their leaders.

    That is so if the row of the node, with the leader in it (if it is) replaced by the node, is the
    row of the leader; this holds for open and closed twins alike.
    """
    degree = np.diff(blocks.indptr)
    same: NDArray[np.bool_] = degree[node] == degree[leader]
    lengths = np.where(same, degree[node], 0)
    pair = np.repeat(np.arange(len(node)), lengths)
    mine = ranges(blocks.indptr[node], lengths)
    theirs = ranges(blocks.indptr[leader], lengths)
    columns = blocks.indices[mine]
    columns = np.where(columns == leader[pair], node[pair], columns)
    order = np.lexsort((columns, pair))
    differs = (columns[order] != blocks.indices[theirs]) | (
        blocks.weights[mine][order] != blocks.weights[theirs]
    )
    same[pair[differs]] = False
    return same
