r"""Sets of graphs.

The map is ``many graphs -> one object`` that spectra, capacities and designs take in place of a
graph, since the paper asks of a filter that it be right on a whole set at once (Definition 2).
:class:`~polyfilter.graph.Graph` is at home in :mod:`polyfilter.graph`, and both can be had here.

>>> GraphSet([Graph.from_edges([(0, 1)]), Graph.from_edges([(0, 1), (1, 2)])], name="paths")
GraphSet('paths', 2 graphs, 5 nodes, 3 edges)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np
from numpy.typing import ArrayLike

from polyfilter.adjacency import assemble, join, split
from polyfilter.edges import as_counts, as_pairs, as_weights, check_loops, check_size, node_counts
from polyfilter.errors import GraphError
from polyfilter.graph import Graph, count, table

__all__ = ["Graph", "GraphSet"]


@dataclass(frozen=True, eq=False, repr=False)
class GraphSet(Sequence[Graph]):
    """An immutable sequence of at least one graph; sizes may differ.

    Examples
    --------
    >>> graphs = GraphSet([Graph.from_edges([(0, 1)]), Graph.from_edges([(0, 1), (1, 2)])])
    >>> graphs
    GraphSet(2 graphs, 5 nodes, 3 edges)
    >>> graphs[1]
    Graph(3 nodes, 2 edges)
    """

    graphs: tuple[Graph, ...]
    name: str = ""

    def __init__(self, graphs: Iterable[Graph], name: str = "") -> None:
        if isinstance(graphs, Graph) or not isinstance(graphs, Iterable):
            raise GraphError("a graph set takes a list of graphs; one graph g is GraphSet([g])")
        members = tuple(graphs)
        if not members:
            raise GraphError("a graph set needs at least one graph")
        for k, member in enumerate(members):
            if not isinstance(member, Graph):
                raise GraphError(f"item {k} of the graph set is no Graph: {member!r:.60}")
        object.__setattr__(self, "graphs", members)
        object.__setattr__(self, "name", name)

    @classmethod
    def from_edges(
        cls,
        edges: ArrayLike,
        num_edges: ArrayLike,
        num_nodes: ArrayLike | None = None,
        weights: ArrayLike | None = None,
        *,
        self_loops: bool = False,
        name: str = "",
    ) -> GraphSet:
        """Build many graphs from one concatenated list of edges, as data sets ship them.

        Parameters
        ----------
        edges
            Pairs of all graphs, those of graph 0 first; ids start at 0 in each graph.
        num_edges
            How many of the pairs belong to each graph.
        num_nodes
            Number of nodes of each graph; its largest id plus one by default.
        weights, self_loops
            As for :meth:`Graph.from_edges`.

        Examples
        --------
        >>> GraphSet.from_edges([(0, 1), (0, 1), (1, 2)], num_edges=[1, 2])[1]
        Graph('graph 1', 3 nodes, 2 edges)
        """
        pairs = as_pairs(edges)
        counts = as_counts(num_edges, "num_edges")
        if counts.sum() != len(pairs):
            raise GraphError(
                f"num_edges add up to {counts.sum()}, but there are {len(pairs)} edges"
            )
        owner = np.repeat(np.arange(len(counts)), counts)
        first = np.cumsum(counts) - counts

        def where(k: int) -> str:
            return f"edge {k - first[owner[k]]} of graph {owner[k]}"

        sizes = node_counts(pairs, owner, len(counts), num_nodes, where)
        if not self_loops:
            check_loops(pairs, where)
        if weights is not None:
            weights = as_weights(weights, len(pairs), where)
        shift = (np.cumsum(sizes) - sizes)[owner]
        W = assemble(pairs + shift[:, None], int(sizes.sum()), weights, where)
        blocks = enumerate(split(W, sizes))
        return cls((Graph.trusted(block, f"graph {k}") for k, block in blocks), name)

    @property
    def num_graphs(self) -> int:
        """Number of graphs."""
        return len(self.graphs)

    @property
    def num_nodes(self) -> int:
        """Number of nodes of all graphs together."""
        return sum(graph.num_nodes for graph in self.graphs)

    @property
    def num_edges(self) -> int:
        """Number of edges of all graphs together."""
        return sum(graph.num_edges for graph in self.graphs)

    def union(self) -> Graph:
        """Return one graph that has the graphs of the set side by side, in their order.

        Examples
        --------
        >>> GraphSet([Graph.from_edges([(0, 1)]), Graph.from_edges([(0, 1)])]).union().edges()[0]
        array([[0, 1],
               [2, 3]])
        """
        check_size(self.num_nodes)
        return Graph.trusted(join([graph.adjacency for graph in self.graphs]), self.name)

    def __len__(self) -> int:
        return len(self.graphs)

    @overload
    def __getitem__(self, key: int) -> Graph: ...
    @overload
    def __getitem__(self, key: slice) -> GraphSet: ...
    def __getitem__(self, key: int | slice) -> Graph | GraphSet:
        if isinstance(key, slice):
            return GraphSet(self.graphs[key], self.name)
        return self.graphs[key]

    def __iter__(self) -> Iterator[Graph]:
        return iter(self.graphs)

    def __repr__(self) -> str:
        name = f"{self.name!r}, " if self.name else ""
        sizes = f"{count(self.num_nodes, 'node')}, {count(self.num_edges, 'edge')}"
        return f"GraphSet({name}{count(self.num_graphs, 'graph')}, {sizes})"

    def _repr_html_(self) -> str:
        sizes = [graph.num_nodes for graph in self.graphs]
        return table(
            self.name or "GraphSet",
            graphs=f"{self.num_graphs:,}",
            nodes=f"{self.num_nodes:,} ({min(sizes):,} to {max(sizes):,} each)",
            edges=f"{self.num_edges:,}",
        )
