r"""One reader a file format.

The map is ``path -> graphs`` for each ending in :data:`READERS`. A reader raises
:class:`~polyfilter.errors.GraphError` about the place in the file, and
:func:`polyfilter.reading.read_graphs` puts the name of the file before it.

>>> decode_graph6(b"Bw", "triangle")
Graph('triangle', 3 nodes, 3 edges)
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from polyfilter.edgelist import read_edge_list
from polyfilter.edges import check_size as check_nodes
from polyfilter.errors import GraphError
from polyfilter.files import check_size
from polyfilter.graph import Graph
from polyfilter.matrixmarket import read_matrix_market

__all__ = ["READERS", "decode_graph6"]

MAX_PARSED_BYTES = 256 << 20
"""Parsed JSON and unpacked bits take some ten times the space of the file."""


def read_text(source: Path, self_loops: bool) -> list[Graph]:
    """Read one edge a line; the number of nodes is the largest id plus one."""
    pairs, weights, where = read_edge_list(source)
    name = source.stem
    return [
        Graph.from_edges(pairs, weights=weights, self_loops=self_loops, name=name, describe=where)
    ]


def read_json(source: Path, self_loops: bool) -> list[Graph]:
    """Read what networkx's ``node_link_data`` or ``adjacency_data`` gave."""
    check_size(source, MAX_PARSED_BYTES)
    try:
        data = json.loads(source.read_bytes())
    except (ValueError, RecursionError) as error:
        raise GraphError(f"it is not JSON ({error})") from error
    try:
        labels, edges = _json_edges(data)
        position = {label: k for k, label in enumerate(labels)}
        strangers = [k for k, (i, j, _) in enumerate(edges) if not {i, j} <= position.keys()]
    except (KeyError, TypeError, AttributeError) as error:
        raise GraphError("it is neither node-link nor adjacency data of networkx") from error

    def where(k: int) -> str:
        return f"edge ({edges[k][0]!r}, {edges[k][1]!r})"

    if len(position) < len(labels):
        raise GraphError("it lists a node twice")
    if strangers:
        raise GraphError(f"{where(strangers[0])} names a node that is not listed")
    return [
        Graph.from_edges(
            [(position[i], position[j]) for i, j, _ in edges],
            len(labels),
            [weight for _, _, weight in edges],
            self_loops=self_loops,
            name=source.stem,
            describe=where,
        )
    ]


def _json_edges(data: Any) -> tuple[list[Any], list[tuple[Any, Any, Any]]]:
    """Return the nodes of networkx's JSON, and its edges with their weights."""
    if data.get("directed"):
        raise GraphError("its graph is directed")
    if data.get("multigraph"):
        raise GraphError("its graph is a multigraph; merge parallel edges first")
    labels = [node["id"] for node in data["nodes"]]
    if "adjacency" in data:
        if len(data["adjacency"]) != len(labels):
            raise GraphError(f"it lists {len(labels)} nodes but the neighbours of another number")
        ends = [
            (i, e["id"], e) for i, row in zip(labels, data["adjacency"], strict=True) for e in row
        ]
    else:
        links = data["edges"] if "edges" in data else data["links"]
        ends = [(e["source"], e["target"], e) for e in links]
    return labels, [(i, j, attributes.get("weight", 1)) for i, j, attributes in ends]


def read_graph6(source: Path, _: bool) -> list[Graph]:
    """Read graph6, one graph a line; it knows neither weights nor self-loops."""
    lines = check_size(source, MAX_PARSED_BYTES).read_bytes().split()
    graphs = []
    for number, line in enumerate(lines, start=1):
        try:
            graphs.append(decode_graph6(line, f"{source.stem} {number}"))
        except GraphError as error:
            raise GraphError(f"graph {number}: {error}") from error
    return graphs


def decode_graph6(line: bytes, name: str = "") -> Graph:
    """Decode graph6: six bits a byte, first the number of nodes, then the triangle by columns.

    >>> decode_graph6(b"A_").edges()[0]
    array([[0, 1]])
    """
    codes = np.frombuffer(line.removeprefix(b">>graph6<<"), dtype=np.uint8) - np.uint8(63)
    if codes.size == 0:
        raise GraphError("it is empty")
    if codes.max(initial=0) > 63:
        raise GraphError("it is not graph6, whose bytes lie between '?' and '~'")
    if codes[0] < 63:
        digits, body = codes[:1], codes[1:]
    elif len(codes) > 1 and codes[1] < 63:
        digits, body = codes[1:4], codes[4:]
    else:
        digits, body = codes[2:8], codes[8:]
    size = 0
    for digit in digits.tolist():
        size = 64 * size + digit
    check_nodes(size)
    num_pairs = size * (size - 1) // 2
    if len(body) != -(-num_pairs // 6):
        raise GraphError(f"{size} nodes take {-(-num_pairs // 6)} bytes of edges, not {len(body)}")
    edges = np.flatnonzero(np.unpackbits(body[:, None], axis=1)[:, 2:].ravel()[:num_pairs])
    first = np.arange(size) * (np.arange(size) - 1) // 2
    column = np.searchsorted(first, edges, side="right") - 1
    return Graph.from_edges(np.column_stack((edges - first[column], column)), size, name=name)


READERS: dict[str, Callable[[Path, bool], list[Graph]]] = {
    ".txt": read_text,
    ".edges": read_text,
    ".edgelist": read_text,
    ".csv": read_text,
    ".tsv": read_text,
    ".mtx": lambda source, self_loops: [read_matrix_market(source, self_loops)],
    ".json": read_json,
    ".g6": read_graph6,
    ".graph6": read_graph6,
}
"""Which reader takes which ending."""
