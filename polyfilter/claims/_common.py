"""What claims share: small graphs, one of each kind, and graph sets to try a statement on.

The maps are ``n -> all graphs with n nodes`` up to isomorphism, which is where smallest
counterexamples are looked for, and ``setting -> a few graph sets`` of every sort that has broken
something before: sizes that differ, isolated nodes, repeated eigenvalues, weights, no edge at all,
and molecules if there is a data folder.

>>> [len(small_graphs(n)) for n in range(1, 6)]
[1, 2, 4, 11, 34]
>>> [describe(graph) for graph in small_graphs(3)]
['3 K_1', 'K_2 + K_1', 'P_3', 'K_3']
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import combinations, permutations
from typing import TypeVar

import numpy as np

from polyfilter.claim import ClaimError, Setting
from polyfilter.graphs import Graph, GraphSet
from polyfilter.reading import read_graphs

__all__ = [
    "describe",
    "first",
    "graph_sets",
    "modest",
    "molecules",
    "names",
    "origin",
    "random_graph",
    "small_graphs",
    "small_sets",
    "title",
]

T = TypeVar("T")


# ------------------------------------------------------------------------------- smallest first


def small_graphs(num_nodes: int) -> tuple[Graph, ...]:
    """All graphs with ``num_nodes`` nodes up to isomorphism, by number of edges.

    >>> [graph.num_edges for graph in small_graphs(4)]
    [0, 1, 2, 2, 3, 3, 3, 4, 4, 5, 6]
    """
    pairs = _pairs(num_nodes)
    graphs = (
        Graph.from_edges([pair for k, pair in enumerate(pairs) if code >> k & 1], num_nodes)
        for code in _codes(num_nodes)
    )
    return tuple(sorted(graphs, key=lambda graph: graph.num_edges))


@cache
def _codes(num_nodes: int) -> tuple[int, ...]:
    """One adjacency of each isomorphism class as a number whose bits are pairs of nodes.

    Every graph is one with a node less and a new node joined to some of the others. Of all ways
    to number its nodes, the one with the least code stands for it.
    """
    if num_nodes == 1:
        return (0,)
    before = np.array(_codes(num_nodes - 1), dtype=np.int64)
    joined = np.arange(1 << (num_nodes - 1), dtype=np.int64) << len(_pairs(num_nodes - 1))
    codes = (before[:, None] + joined).ravel()
    place = {pair: k for k, pair in enumerate(_pairs(num_nodes))}
    least = codes.copy()
    for order in permutations(range(num_nodes)):
        renamed = np.zeros_like(codes)
        for (i, j), k in place.items():
            a, b = sorted((order[i], order[j]))
            renamed |= (codes >> k & 1) << place[a, b]
        np.minimum(least, renamed, out=least)
    return tuple(np.unique(least).tolist())


def _pairs(num_nodes: int) -> list[tuple[int, int]]:
    """Pairs of nodes, such that the pairs of fewer nodes come first."""
    return [(i, j) for j in range(num_nodes) for i in range(j)]


def small_sets(num_nodes: int, num_graphs: int = 2) -> list[tuple[Graph, ...]]:
    """All sets of up to ``num_graphs`` different graphs with up to ``num_nodes`` nodes each.

    They come by nodes in all, then by number of graphs, then by edges.

    >>> [names(graphs) for graphs in small_sets(2)]
    ['K_1', '2 K_1', 'K_2', 'K_1 and 2 K_1', 'K_1 and K_2', '2 K_1 and K_2']
    """
    atlas = [graph for n in range(1, num_nodes + 1) for graph in small_graphs(n)]
    sets = [chosen for k in range(1, num_graphs + 1) for chosen in combinations(atlas, k)]
    return sorted(sets, key=_size)


def _size(graphs: Sequence[Graph]) -> tuple[int, int, int]:
    nodes = sum(graph.num_nodes for graph in graphs)
    return nodes, len(graphs), sum(graph.num_edges for graph in graphs)


def names(graphs: Sequence[Graph]) -> str:
    """Name the graphs of a set; see :func:`describe`."""
    return " and ".join(describe(graph) for graph in graphs)


def title(graphs: Sequence[Graph]) -> str:
    """What a table calls a set: its own name if it has one, else :func:`names`."""
    own = graphs.name if isinstance(graphs, GraphSet) else ""
    return own or names(graphs)


def first(candidates: Iterable[T], what: str) -> T:
    """Return the first of the candidates; a check that finds none has failed.

    >>> first((graph for graph in small_graphs(3) if graph.num_edges), "graph with an edge")
    Graph(3 nodes, 1 edge)
    """
    for candidate in candidates:
        return candidate
    raise ClaimError(f"the search found no {what}")


def describe(graph: Graph) -> str:
    """Name a graph by its components: K complete, P path, C cycle, S star, else what it counts.

    >>> describe(Graph.from_edges([(0, 1), (0, 2), (0, 3), (4, 5), (6, 7)], num_nodes=9))
    'S_4 + 2 K_2 + K_1'
    """
    counts = Counter(_component(graph.subgraph(nodes)) for nodes in graph.components())
    return " + ".join(f"{k} {name}" if k > 1 else name for name, k in counts.items())


def _component(graph: Graph) -> str:
    n, m = graph.num_nodes, graph.num_edges
    degrees = sorted(np.diff(graph.adjacency.indptr).tolist())
    shapes = {
        "K": [n - 1] * n,
        "P": [1, 1] + [2] * (n - 2),
        "C": [2] * n,
        "S": [1] * (n - 1) + [n - 1],
    }
    found = (f"{name}_{n}" for name, expected in shapes.items() if degrees == expected)
    return next(found, f"({n} nodes, {m} edges)")


# ------------------------------------------------------------------------------------ larger ones


def random_graph(rng: np.random.Generator, num_nodes: int, density: float) -> Graph:
    """Draw a graph in which each pair of nodes is an edge with probability ``density``.

    >>> random_graph(np.random.default_rng(0), 5, 1.0).num_edges
    10
    """
    upper = np.triu(rng.random((num_nodes, num_nodes)) < density, 1)
    return Graph.from_edges(np.argwhere(upper), num_nodes)


def molecules(setting: Setting, count: int, *key: int) -> tuple[Graph, ...]:
    """Draw molecules of ZINC from the data folder; none if there is no folder, or no ZINC in it.

    >>> molecules(Setting(), 3)
    ()
    """
    paths = [] if setting.data is None else sorted(setting.data.rglob("zinc12k.npz"))
    if not paths:
        return ()
    graphs = read_graphs(paths[0], split="val")
    chosen = setting.rng(*key).choice(len(graphs), size=min(count, len(graphs)), replace=False)
    return tuple(graphs[int(k)] for k in chosen)


def graph_sets(setting: Setting, *key: int) -> tuple[GraphSet, ...]:
    """Draw small graph sets of every sort; the full setting draws five of each.

    >>> [family.name for family in graph_sets(Setting())]
    ['one size', 'sizes vary', 'isolated nodes', 'structured', 'weighted', 'no edges']
    """
    rng = setting.rng(*key)
    sets = []
    for repeat in range(5 if setting.full else 1):
        sizes = rng.integers(3, 9, size=4).tolist()
        n, m = int(rng.integers(6, 9)), int(rng.integers(3, 6))
        sparse = [random_graph(rng, size, 0.25).edges()[0] for size in sizes[:3]]
        ring = Graph.from_edges([(i, (i + 1) % n) for i in range(n)])
        path = Graph.from_edges([(i, i + 1) for i in range(n - 1)])
        star = Graph.from_edges([(0, i) for i in range(1, m)])
        drawn = {
            "one size": [random_graph(rng, n, 0.5) for _ in range(3)],
            "sizes vary": [random_graph(rng, size, 0.5) for size in sizes],
            "isolated nodes": [
                Graph.from_edges(edges, size + 1)
                for edges, size in zip(sparse, sizes, strict=False)
            ],
            "structured": [ring, path, star, random_graph(rng, m, 1.0)],
            "weighted": [_weigh(rng, random_graph(rng, size, 0.6)) for size in sizes[:2]],
            "no edges": [random_graph(rng, size, 0.0) for size in sizes[:2]],
            "molecules": molecules(setting, 3, *key, repeat),
        }
        sets += [GraphSet(graphs, name) for name, graphs in drawn.items() if graphs]
    return tuple(sets)


def modest(graphs: GraphSet) -> GraphSet:
    """The set, or its first graph if it has too many nodes for long sums over the rationals.

    >>> modest(GraphSet([small_graphs(2)[1]] * 25, "edges"))
    GraphSet('first of the edges', 1 graph, 2 nodes, 1 edge)
    """
    return graphs if graphs.num_nodes <= 40 else GraphSet(graphs[:1], f"first of the {graphs.name}")


def _weigh(rng: np.random.Generator, graph: Graph) -> Graph:
    """Give the edges weights of a few bits, so that exact arithmetic on them stays cheap."""
    pairs, ones = graph.edges()
    return Graph.from_edges(pairs, graph.num_nodes, rng.integers(1, 9, size=len(ones)) / 4)


def origin(sets: Sequence[GraphSet]) -> str:
    """Say what a statement was tried on, and whether real graphs were among it.

    >>> origin(graph_sets(Setting()))
    '6 graph sets (generated only: no data folder)'
    """
    real = sum(len(family) for family in sets if family.name == "molecules")
    among = f"with {real} molecules of ZINC" if real else "generated only: no data folder"
    return f"{len(sets)} graph sets ({among})"
