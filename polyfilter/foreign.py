r"""What other libraries call a graph, as edges.

The map is ``object -> (pairs, number of nodes, weights, where)``, the arguments of
:meth:`polyfilter.graphs.Graph.from_edges`. Objects are known by what they can do, so that reading
them imports neither networkx nor torch.

>>> from types import SimpleNamespace
>>> from_pyg(SimpleNamespace(edge_index=np.array([[0, 1], [1, 0]]), num_nodes=3)).num_nodes
3
"""

from collections.abc import Callable
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from polyfilter.edges import as_pairs, node_count
from polyfilter.errors import GraphError

__all__ = ["Edges", "from_networkx", "from_pyg", "to_networkx", "to_pyg"]


class Edges(NamedTuple):
    """The arguments of :meth:`polyfilter.graphs.Graph.from_edges`."""

    pairs: NDArray[np.int64]
    num_nodes: int
    weights: Any | None
    where: Callable[[int], str]


def from_networkx(graph: Any, weight: str | None) -> Edges:
    """Read an undirected networkx graph; its ``k``-th node becomes node ``k``.

    >>> import networkx
    >>> from_networkx(networkx.path_graph("abc"), None).pairs.tolist()
    [[0, 1], [1, 2]]
    """
    if not all(hasattr(graph, method) for method in ("is_directed", "is_multigraph", "edges")):
        raise GraphError(f"from_networkx takes a networkx graph, not {type(graph).__name__}")
    if graph.is_directed():
        raise GraphError("the networkx graph is directed; pass graph.to_undirected()")
    position = {node: k for k, node in enumerate(graph)}
    edges = list(graph.edges(data=weight, default=1) if weight else graph.edges())
    if graph.is_multigraph():
        seen: set[frozenset[Any]] = set()
        for u, v, *_ in edges:
            if (ends := frozenset((u, v))) in seen:
                raise GraphError(
                    f"nodes {u!r} and {v!r} are joined by parallel edges; merge them first, with "
                    "networkx.Graph(graph) or by adding their weights"
                )
            seen.add(ends)
    return Edges(
        np.array([(position[e[0]], position[e[1]]) for e in edges], np.int64).reshape(-1, 2),
        len(position),
        [e[2] for e in edges] if weight else None,
        lambda k: f"edge ({edges[k][0]!r}, {edges[k][1]!r})",
    )


def from_pyg(data: Any) -> Edges:
    """Read a PyTorch Geometric ``Data``, in which every edge is stored in both directions."""
    edge_index = getattr(data, "edge_index", None)
    if edge_index is None:
        raise GraphError(f"from_pyg takes an object with an edge_index, not {data!r:.80}")
    rows = to_numpy(edge_index)
    if rows.ndim != 2 or len(rows) != 2:
        raise GraphError(f"edge_index should have shape (2, edges), but has shape {rows.shape}")
    weights = getattr(data, "edge_weight", None)
    if weights is None:
        attributes = getattr(data, "edge_attr", None)
        if attributes is not None and to_numpy(attributes).ndim == 1:
            weights = attributes
    pairs = as_pairs(rows.T)

    def where(k: int) -> str:
        return f"column {k} of edge_index ({pairs[k, 0]}, {pairs[k, 1]})"

    size = node_count(pairs, getattr(data, "num_nodes", None), where)
    forward, backward = pairs @ [size, 1], pairs @ [1, size]
    if (one_way := np.setdiff1d(forward, backward)).size:
        i, j = divmod(int(one_way[0]), size)
        raise GraphError(
            f"edge_index has ({i}, {j}) but not ({j}, {i}), so the graph is directed; "
            "torch_geometric.utils.to_undirected adds the reverse edges"
        )
    return Edges(pairs, size, None if weights is None else to_numpy(weights), where)


def to_networkx(pairs: NDArray[np.int64], num_nodes: int, weights: Any | None, name: str) -> Any:
    """Write a ``networkx.Graph``, the one function here that needs networkx.

    >>> print(to_networkx(as_pairs([(0, 1)]), 3, None, ""))
    Graph with 3 nodes and 1 edges
    """
    try:
        networkx = import_module("networkx")
    except ImportError as error:
        raise GraphError("to_networkx needs networkx: pip install networkx") from error
    graph = networkx.Graph(name=name) if name else networkx.Graph()
    graph.add_nodes_from(range(num_nodes))
    if weights is None:
        graph.add_edges_from(pairs.tolist())
    else:
        graph.add_weighted_edges_from(zip(*pairs.T.tolist(), weights.tolist(), strict=True))
    return graph


def to_pyg(adjacency: csr_array, weighted: bool) -> Any:
    """Write a PyTorch Geometric ``Data``, the one function here that needs torch.

    >>> to_pyg(csr_array([[0.0, 2.0], [2.0, 0.0]]), weighted=True)  # doctest: +SKIP
    Data(edge_index=[2, 2], num_nodes=2, edge_weight=[2])
    """
    try:
        torch, data = import_module("torch"), import_module("torch_geometric.data")
    except ImportError as error:
        raise GraphError("to_pyg needs torch_geometric: pip install 'polyfilter[gcn]'") from error
    rows = np.repeat(np.arange(adjacency.shape[0]), np.diff(adjacency.indptr))
    edges = torch.from_numpy(np.stack((rows, adjacency.indices.astype(np.int64))))
    weights = {"edge_weight": torch.from_numpy(adjacency.data.copy())} if weighted else {}
    return data.Data(edge_index=edges, num_nodes=adjacency.shape[0], **weights)


def to_numpy(values: Any) -> NDArray[Any]:
    """Bring a torch tensor, wherever it lives, or any array to numpy without importing torch."""
    if hasattr(values, "detach"):
        values = values.detach().cpu().numpy()
    return np.asarray(values)
