r"""A graph, and the one normalized adjacency.

The map is

.. math:: (V, E, w) \;\mapsto\; A = D^{-1/2} W D^{-1/2}, \qquad D = \mathrm{diag}(W 1),

from an undirected graph with positive weights :math:`w` (one each if none are given) to the
matrix whose spectrum every filter of this package acts on. :math:`A` is symmetric, its
eigenvalues lie in :math:`[-1, 1]`, and the row of an isolated node is zero.

Assumptions, checked once when a graph is built and never again: at least one node, no direction,
finite positive weights, and no self-loops unless they are asked for.

>>> path = Graph.from_edges([(0, 1), (1, 2)], num_nodes=4, name="path and a hermit")
>>> path
Graph('path and a hermit', 4 nodes, 2 edges)
>>> path.normalized_adjacency().toarray().round(3)
array([[0.   , 0.707, 0.   , 0.   ],
       [0.707, 0.   , 0.707, 0.   ],
       [0.   , 0.707, 0.   , 0.   ],
       [0.   , 0.   , 0.   , 0.   ]])
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import InitVar, dataclass
from functools import cached_property
from html import escape
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from polyfilter import foreign
from polyfilter.adjacency import assemble, freeze, normalize, symmetric
from polyfilter.edges import as_nodes, as_pairs, as_weights, check_loops, node_count
from polyfilter.errors import GraphError

__all__ = ["Graph"]


@dataclass(frozen=True, eq=False, repr=False)
class Graph:
    r"""An undirected graph with positive weights; immutable.

    Parameters
    ----------
    adjacency
        Symmetric matrix :math:`W` of weights, sparse or dense; an entry of zero is no edge.
        Kept as a canonical float64 ``csr_array`` (sorted, no duplicates, no explicit zeros) whose
        arrays are read-only.
    name
        What messages and tables call the graph.
    self_loops
        Whether diagonal entries are wanted. They are refused unless this is true.

    Examples
    --------
    >>> Graph(np.ones((3, 3)) - np.eye(3), name="triangle")
    Graph('triangle', 3 nodes, 3 edges)
    """

    adjacency: csr_array
    name: str = ""
    self_loops: InitVar[bool] = False

    def __post_init__(self, self_loops: bool) -> None:
        object.__setattr__(self, "adjacency", freeze(symmetric(self.adjacency, self_loops)))

    # ------------------------------------------------------------------ where graphs come from

    @classmethod
    def from_edges(
        cls,
        edges: ArrayLike | Iterable[tuple[int, int]],
        num_nodes: int | None = None,
        weights: ArrayLike | None = None,
        *,
        self_loops: bool = False,
        name: str = "",
        describe: Callable[[int], str] | None = None,
    ) -> Graph:
        """Build a graph from pairs of nodes.

        ``(i, j)`` and ``(j, i)`` are the same edge. An edge given twice with the same weight is
        one edge; with two weights it is an error.

        Parameters
        ----------
        edges
            Pairs of node ids 0, 1, ...: an array of shape (M, 2) or any iterable of pairs.
        num_nodes
            Number of nodes; the largest id plus one by default.
        weights
            M positive numbers; one each by default.
        self_loops
            Whether an edge may join a node to itself. It then enters the diagonal of W once.
        describe
            Says where edge ``k`` came from in error messages, such as a line of a file.

        Examples
        --------
        >>> Graph.from_edges([(0, 1), (1, 2), (2, 1)], weights=[0.5, 2, 2]).adjacency.toarray()
        array([[0. , 0.5, 0. ],
               [0.5, 0. , 2. ],
               [0. , 2. , 0. ]])
        """
        pairs = as_pairs(edges, describe or "edge {}".format)
        where = describe or (lambda k: f"edge {k} ({pairs[k, 0]}, {pairs[k, 1]})")
        size = node_count(pairs, num_nodes, where)
        if not self_loops:
            check_loops(pairs, where)
        if weights is not None:
            weights = as_weights(weights, len(pairs), where)
        return cls.trusted(assemble(pairs, size, weights, where), name)

    @classmethod
    def from_scipy(cls, matrix: Any, *, self_loops: bool = False, name: str = "") -> Graph:
        """Build a graph from a symmetric scipy sparse matrix or array of weights.

        Examples
        --------
        >>> from scipy.sparse import coo_array
        >>> Graph.from_scipy(coo_array(([1.0, 1.0], ([0, 1], [1, 0])), shape=(2, 2)))
        Graph(2 nodes, 1 edge)
        """
        return cls(matrix, name, self_loops)

    @classmethod
    def from_networkx(
        cls, graph: Any, weight: str | None = "weight", *, self_loops: bool = False, name: str = ""
    ) -> Graph:
        """Build a graph from an undirected networkx graph; node ``k`` is its ``k``-th node.

        As in networkx, an edge without the attribute ``weight`` weighs one, and ``weight=None``
        ignores weights. Parallel edges of a multigraph are refused, since networkx itself adds
        them in one function and drops them in another.

        Examples
        --------
        >>> import networkx
        >>> Graph.from_networkx(networkx.petersen_graph())
        Graph('Petersen Graph', 10 nodes, 15 edges)
        """
        pairs, size, weights, where = foreign.from_networkx(graph, weight)
        title = name or str(getattr(graph, "name", ""))
        return cls.from_edges(
            pairs, size, weights, self_loops=self_loops, name=title, describe=where
        )

    @classmethod
    def from_pyg(cls, data: Any, *, self_loops: bool = False, name: str = "") -> Graph:
        """Build a graph from a PyTorch Geometric ``Data``, or anything with an ``edge_index``.

        Weights are taken from ``edge_weight``, else from a one-dimensional ``edge_attr``. As PyG
        stores each edge in both directions, an edge without its reverse is a directed one and is
        refused.

        Examples
        --------
        >>> from types import SimpleNamespace
        >>> Graph.from_pyg(SimpleNamespace(edge_index=np.array([[0, 1], [1, 0]]), num_nodes=3))
        Graph(3 nodes, 1 edge)
        """
        pairs, size, weights, where = foreign.from_pyg(data)
        return cls.from_edges(
            pairs, size, weights, self_loops=self_loops, name=name, describe=where
        )

    @classmethod
    def trusted(cls, adjacency: csr_array, name: str) -> Graph:
        """Wrap a matrix that is known to be a canonical adjacency, without checking it again.

        Examples
        --------
        >>> Graph.trusted(Graph.from_edges([(0, 1)]).adjacency, "edge")
        Graph('edge', 2 nodes, 1 edge)
        """
        graph = object.__new__(cls)
        object.__setattr__(graph, "adjacency", freeze(adjacency))
        object.__setattr__(graph, "name", name)
        return graph

    def __reduce__(self) -> tuple[Any, ...]:
        # arrays come out of a pickle writable, and the cached matrix need not travel
        return Graph.trusted, (self.adjacency, self.name)

    # ------------------------------------------------------------------------ what a graph knows

    @property
    def num_nodes(self) -> int:
        """Number of nodes N."""
        return int(self.adjacency.shape[0])

    @cached_property
    def num_edges(self) -> int:
        """Number of undirected edges; a self-loop counts one."""
        loops = int(np.count_nonzero(self.adjacency.diagonal()))
        return (int(self.adjacency.nnz) + loops) // 2

    @cached_property
    def degrees(self) -> NDArray[np.float64]:
        """Weighted degrees, the diagonal of D."""
        d = np.asarray(self.adjacency.sum(axis=1), dtype=np.float64)
        d.flags.writeable = False
        return d

    @cached_property
    def is_weighted(self) -> bool:
        """Whether some weight is not one."""
        return bool(np.any(self.adjacency.data != 1.0))

    @cached_property
    def _normalized(self) -> csr_array:
        return normalize(self.adjacency)

    def normalized_adjacency(self, dtype: DTypeLike = np.float64) -> csr_array:
        r"""Return :math:`A = D^{-1/2} W D^{-1/2}` (Section 3.1); computed once, read-only.

        Isolated nodes have a zero row, and so the eigenvalue 0. Entries (i, j) and (j, i) are equal
        to the last bit.

        Examples
        --------
        >>> Graph.from_edges([(0, 1)]).normalized_adjacency("float32").toarray()
        array([[0., 1.],
               [1., 0.]], dtype=float32)
        """
        A = self._normalized
        return A if np.dtype(dtype) == A.dtype else freeze(A.astype(np.dtype(dtype)))

    def edges(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the edges (i, j), i <= j, in row order, as an (M, 2) array, and their M weights.

        Examples
        --------
        >>> Graph.from_edges([(1, 2), (1, 0)]).edges()
        (array([[0, 1],
               [1, 2]]), array([1., 1.]))
        """
        W = self.adjacency
        rows = np.repeat(np.arange(self.num_nodes, dtype=np.int64), np.diff(W.indptr))
        upper = rows <= W.indices
        return np.column_stack((rows[upper], W.indices[upper])), W.data[upper]

    def components(self) -> list[NDArray[np.int64]]:
        """Return the nodes of each connected component, ascending, in order of their first node.

        Examples
        --------
        >>> Graph.from_edges([(0, 3), (1, 2)], num_nodes=5).components()
        [array([0, 3]), array([1, 2]), array([4])]
        """
        count, label = connected_components(self.adjacency, directed=False)
        nodes = np.argsort(label, kind="stable")
        starts = np.searchsorted(label[nodes], np.arange(1, count))
        return sorted(np.split(nodes, starts), key=lambda component: int(component[0]))

    # ------------------------------------------------------------------- what becomes of a graph

    def subgraph(self, nodes: ArrayLike) -> Graph:
        """Return the graph induced on ``nodes`` (distinct ids), numbered in the order given.

        Examples
        --------
        >>> Graph.from_edges([(0, 1), (1, 2), (2, 3)]).subgraph([3, 2, 0])
        Graph(3 nodes, 1 edge)
        """
        chosen = as_nodes(nodes, self.num_nodes)
        W = csr_array(self.adjacency[chosen][:, chosen])
        W.sum_duplicates()
        return Graph.trusted(W, self.name)

    def permute(self, order: ArrayLike) -> Graph:
        """Return the same graph with node ``order[k]`` renamed to ``k``.

        Examples
        --------
        >>> Graph.from_edges([(0, 1), (1, 2)]).permute([1, 0, 2]).edges()[0].tolist()
        [[0, 1], [0, 2]]
        """
        if np.shape(order) != (self.num_nodes,):
            raise GraphError(f"an order of {self.num_nodes} nodes lists each of them once")
        return self.subgraph(order)

    def to_scipy(self) -> csr_array:
        """Return a writable copy of W.

        Examples
        --------
        >>> Graph.from_edges([(0, 1)]).to_scipy().toarray()
        array([[0., 1.],
               [1., 0.]])
        """
        return self.adjacency.copy()

    def to_networkx(self) -> Any:
        """Return a ``networkx.Graph`` whose edges carry ``weight`` if the graph is weighted.

        Examples
        --------
        >>> print(Graph.from_edges([(0, 1)], num_nodes=3).to_networkx())
        Graph with 3 nodes and 1 edges
        """
        pairs, weights = self.edges()
        return foreign.to_networkx(
            pairs, self.num_nodes, weights if self.is_weighted else None, self.name
        )

    def to_pyg(self) -> Any:
        """Return a PyTorch Geometric ``Data``: each edge in both directions, sorted by its ends.

        It carries ``edge_weight``, in float64, if the graph is weighted. This asks for torch and
        torch_geometric; nothing else in this package does.

        Examples
        --------
        >>> Graph.from_edges([(0, 1)], num_nodes=3).to_pyg()  # doctest: +SKIP
        Data(edge_index=[2, 2], num_nodes=3)
        """
        return foreign.to_pyg(self.adjacency, self.is_weighted)

    def __repr__(self) -> str:
        name = f"{self.name!r}, " if self.name else ""
        kind = ", weighted" if self.is_weighted else ""
        return (
            f"Graph({name}{count(self.num_nodes, 'node')}, {count(self.num_edges, 'edge')}{kind})"
        )

    def _repr_html_(self) -> str:
        low, high = self.degrees.min(), self.degrees.max()
        return table(
            self.name or "Graph",
            nodes=f"{self.num_nodes:,}",
            edges=f"{self.num_edges:,}{' (weighted)' if self.is_weighted else ''}",
            degrees=f"{low:g} to {high:g}",
        )


def count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def table(title: str, **rows: str) -> str:
    body = "".join(
        f"<tr><th>{key}</th><td>{escape(value)}</td></tr>" for key, value in rows.items()
    )
    return f"<table><caption>{escape(title)}</caption>{body}</table>"
