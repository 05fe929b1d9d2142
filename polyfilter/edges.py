r"""Lists of edges, checked.

The map is ``what a user passes -> int64 pairs and float64 weights`` that are known to be right:
whole ids from 0 on, below the number of nodes; weights finite and positive. Whatever is wrong
raises one :class:`~polyfilter.errors.GraphError` that names the first place where it is wrong;
``where(k)`` says what to call edge ``k`` there.

>>> as_pairs([(0, 1), (1, 2)])
array([[0, 1],
       [1, 2]])
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from operator import index
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from polyfilter.errors import GraphError

__all__ = [
    "as_counts",
    "as_nodes",
    "as_pairs",
    "as_weights",
    "check_loops",
    "check_size",
    "check_total",
    "node_count",
    "node_counts",
]

MAX_NODES = 1 << 27
"""More nodes than this are taken for a mistyped id, before memory is taken for them.

It also keeps ``i * num_nodes + j`` far inside int64."""

Where = Callable[[int], str]
"""Says where the k-th edge came from: ``edge 3 (0, 7)`` or ``line 4 of roads.txt``."""


def as_pairs(
    edges: ArrayLike | Iterable[tuple[int, int]], where: Where = "edge {}".format
) -> NDArray[np.int64]:
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
            raise GraphError(f"{where(int(k))} names node {edges[k, side]:g}, which is no whole id")
    elif edges.dtype.kind not in "iu":
        raise GraphError(f"node ids should be integers, but edges have type {edges.dtype}")
    elif edges.dtype == np.uint64 and np.any(wrong := edges > np.iinfo(np.int64).max):
        k, side = np.argwhere(wrong)[0]
        raise GraphError(f"{where(int(k))} names node {edges[k, side]}, which is out of range")
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
    _check_negative(pairs, where)
    largest = int(pairs.max(initial=-1))
    if num_nodes is None:
        if largest >= MAX_NODES:
            k = int(np.argmax(pairs.max(axis=1)))
            raise GraphError(f"{where(k)} names node {largest}, beyond the {MAX_NODES} we take")
        size = largest + 1
    else:
        try:
            size = index(num_nodes)
        except TypeError as error:
            raise GraphError(f"num_nodes should be an integer, not {num_nodes!r:.60}") from error
    check_size(size)
    if largest >= size:
        k = int(np.argmax(pairs.max(axis=1) >= size))
        raise GraphError(
            f"{where(k)} names node {pairs[k].max()}, but the graph has {size} nodes, "
            f"0 to {size - 1}"
        )
    return size


def node_counts(
    pairs: NDArray[np.int64],
    owner: NDArray[np.int64],
    num_graphs: int,
    num_nodes: ArrayLike | None,
    where: Where,
) -> NDArray[np.int64]:
    """Return the number of nodes of each graph; edge ``k`` belongs to graph ``owner[k]``.

    >>> node_counts(as_pairs([(0, 1), (2, 4)]), np.array([0, 1]), 2, None, str)
    array([2, 5])
    """
    _check_negative(pairs, where)
    needed = np.zeros(num_graphs, dtype=np.int64)
    np.maximum.at(needed, owner, pairs.max(axis=1, initial=-1) + 1)
    sizes = needed if num_nodes is None else as_counts(num_nodes, "num_nodes")
    if len(sizes) != num_graphs:
        raise GraphError(f"num_nodes lists {len(sizes)} graphs, but num_edges {num_graphs}")
    if np.any(empty := sizes == 0):
        raise GraphError(f"graph {np.argmax(empty)} has no nodes; a graph needs at least one")
    if np.any(short := needed > sizes):
        k = int(np.argmax(short[owner] & (pairs.max(axis=1, initial=-1) >= sizes[owner])))
        raise GraphError(
            f"{where(k)} names node {pairs[k].max()}, but the graph has {sizes[owner[k]]} nodes"
        )
    check_size(float(sizes.sum(dtype=np.float64)))
    return sizes


def as_counts(counts: ArrayLike, what: str) -> NDArray[np.int64]:
    """Return ``counts`` as a list of int64 of at least 0.

    >>> as_counts(np.uint8([3, 250]), "num_edges")
    array([  3, 250])
    """
    values = np.atleast_1d(np.asarray(counts))
    if values.ndim != 1 or values.dtype.kind not in "iu":
        raise GraphError(f"{what} should be a list of integers")
    if np.any(wrong := (values < 0) | (values > np.iinfo(np.int64).max // max(1, len(values)))):
        k = int(np.argmax(wrong))
        raise GraphError(f"{what} of graph {k} is {values[k]}, which is out of range")
    return values.astype(np.int64)


def check_size(size: float) -> None:
    """Refuse a graph without nodes, or with more than we take.

    Examples
    --------
    >>> check_size(0)
    Traceback (most recent call last):
    ...
    polyfilter.errors.GraphError: a graph needs at least one node
    """
    if size < 1:
        raise GraphError("a graph needs at least one node")
    if size > MAX_NODES:
        raise GraphError(f"{size:.0f} nodes are more than the {MAX_NODES} we take")


def _check_negative(pairs: NDArray[np.int64], where: Where) -> None:
    if np.any(negative := pairs < 0):
        k, side = np.argwhere(negative)[0]
        raise GraphError(f"{where(int(k))} names node {pairs[k, side]}, but ids start at 0")


def check_loops(pairs: NDArray[np.int64], where: Where) -> None:
    """Refuse an edge from a node to itself.

    Examples
    --------
    >>> check_loops(np.array([[0, 1], [2, 2]]), "edge {}".format)
    Traceback (most recent call last):
    ...
    polyfilter.errors.GraphError: edge 1 joins node 2 to itself; pass self_loops=True to allow it
    """
    if np.any(loops := pairs[:, 0] == pairs[:, 1]):
        k = int(np.argmax(loops))
        raise GraphError(
            f"{where(k)} joins node {pairs[k, 0]} to itself; pass self_loops=True to allow it"
        )


def as_nodes(nodes: ArrayLike, size: int) -> NDArray[np.int64]:
    """Return distinct ids of nodes below ``size``, in the order given.

    >>> as_nodes([2, 0], 3)
    array([2, 0])
    """
    chosen = np.asarray(nodes)
    if chosen.ndim != 1 or (chosen.dtype.kind not in "iu" and chosen.size):
        raise GraphError("nodes should be a list of integer ids")
    if not chosen.size:
        raise GraphError("a graph needs at least one node")
    if np.any(wrong := (chosen < 0) | (chosen >= size)):
        raise GraphError(f"node {chosen[wrong][0]} does not exist: the graph has {size} nodes")
    ids, counts = np.unique(chosen, return_counts=True)
    if len(ids) < len(chosen):
        raise GraphError(f"node {ids[counts > 1][0]} is listed twice")
    return chosen.astype(np.int64)


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
    check_total(values)
    return values


def check_total(weights: NDArray[np.float64]) -> None:
    """Refuse weights so large that a degree could overflow.

    Examples
    --------
    >>> check_total(np.array([1e308, 1e308]))
    Traceback (most recent call last):
    ...
    polyfilter.errors.GraphError: the weights add up to infinity; divide them by their maximum
    """
    with np.errstate(over="ignore"):
        if not np.isfinite(2 * weights.sum()):
            raise GraphError("the weights add up to infinity; divide them by their maximum")
