r"""Graphs from files, and back.

The map is ``path -> Graph`` or ``path -> GraphSet``, by the ending of the name:

==========================================  ======================================================
``.txt .edges .edgelist .csv .tsv``         one edge a line (:mod:`polyfilter.edgelist`)
``.mtx``                                    Matrix Market, symmetric
``.npz``                                    ``scipy.sparse.save_npz``, or edges as told below
``.json``                                   networkx's node-link or adjacency data
``.g6 .graph6``                             graph6, one graph a line
==========================================  ======================================================

Edges in an ``.npz`` file are an array ``edges`` of shape (M, 2) with ``num_nodes`` and, for a set,
``num_edges``, one number a graph; ids start at 0 in each graph. ``weights`` is optional, and so is
``num_nodes``. A file may hold several sets, told apart by a prefix such as ``train_``. Arrays of
other names are left alone.

Assumptions: none about the file. It is checked before memory is taken, no pickle is opened, and
whatever is wrong raises one :class:`~polyfilter.errors.FileFormatError` that names the file and
the place.

>>> import tempfile, pathlib
>>> with tempfile.TemporaryDirectory() as folder:
...     path = pathlib.Path(folder) / "triangle.npz"
...     write_graph(path, Graph.from_edges([(0, 1), (1, 2), (2, 0)], name="triangle"))
...     read_graph(path)
Graph('triangle', 3 nodes, 3 edges)
"""

from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csc_array, csr_array

from polyfilter.archive import MAX_ARRAY_BYTES, array_names, read_npz
from polyfilter.errors import FileFormatError, GraphError
from polyfilter.files import atomic_write, check_size
from polyfilter.formats import READERS
from polyfilter.graphs import Graph, GraphSet

__all__ = ["read_graph", "read_graphs", "write_graph", "write_graphs"]

AnyPath = str | PathLike[str]


def read_graph(
    path: AnyPath,
    *,
    split: str | None = None,
    self_loops: bool = False,
    max_bytes: int = MAX_ARRAY_BYTES,
) -> Graph:
    r"""Read a file that holds one graph.

    Parameters
    ----------
    path
        The file; the table above says which endings are known.
    split
        Which prefix to take in an ``.npz`` file that holds several sets.
    self_loops
        Whether an edge may join a node to itself.
    max_bytes
        Largest memory that arrays of an ``.npz`` file may take.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "path.csv"
    ...     _ = path.write_text("from,to\n0,1\n1,2\n")
    ...     read_graph(path)
    Graph('path', 3 nodes, 2 edges)
    """
    graphs = read_graphs(path, split=split, self_loops=self_loops, max_bytes=max_bytes)
    if len(graphs) > 1:
        raise FileFormatError(f"{path} holds {len(graphs)} graphs; read them with read_graphs")
    return graphs[0]


def read_graphs(
    path: AnyPath,
    *,
    split: str | None = None,
    self_loops: bool = False,
    max_bytes: int = MAX_ARRAY_BYTES,
) -> GraphSet:
    r"""Read a file that holds one graph or many; the arguments are those of :func:`read_graph`.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "small.g6"
    ...     _ = path.write_text("A_\nBw\n")
    ...     read_graphs(path)
    GraphSet('small', 2 graphs, 5 nodes, 4 edges)
    """
    source = check_size(path)
    ending = source.suffix.lower()
    if ending != ".npz" and ending not in READERS:
        raise FileFormatError(
            f"{source} ends in {ending or 'nothing'}, and the known endings are .npz "
            f"{' '.join(READERS)}"
        )
    try:
        if ending == ".npz":
            return _read_npz(source, split, self_loops, max_bytes)
        if split is not None:
            raise GraphError(f"it has no splits, so there is no {split!r} to choose")
        return GraphSet(READERS[ending](source, self_loops), source.stem)
    except GraphError as error:
        raise FileFormatError(f"{source}: {error}") from error
    except OSError as error:
        raise FileFormatError(f"can't read {source}: {error.strerror}") from error


def write_graph(path: AnyPath, graph: Graph) -> None:
    """Write a graph to an ``.npz`` file that :func:`read_graph` reads back.

    The file appears whole or not at all.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "edge.npz"
    ...     write_graph(path, Graph.from_edges([(0, 1)], weights=[2]))
    ...     read_graph(path)
    Graph('edge', 2 nodes, 1 edge, weighted)
    """
    if not isinstance(graph, Graph):
        raise GraphError(f"write_graph takes a Graph, not {type(graph).__name__}")
    pairs, weights = graph.edges()
    arrays: dict[str, Any] = {"num_nodes": np.int64(graph.num_nodes), "name": graph.name}
    _save(path, pairs, weights if graph.is_weighted else None, arrays)


def write_graphs(path: AnyPath, graphs: GraphSet) -> None:
    """Write a graph set to an ``.npz`` file that :func:`read_graphs` reads back.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "edges.npz"
    ...     write_graphs(path, GraphSet([Graph.from_edges([(0, 1)])] * 3))
    ...     read_graphs(path)
    GraphSet('edges', 3 graphs, 6 nodes, 3 edges)
    """
    if not isinstance(graphs, GraphSet):
        raise GraphError(f"write_graphs takes a GraphSet, not {type(graphs).__name__}")
    pairs, weights = zip(*(graph.edges() for graph in graphs), strict=True)
    weighted = any(graph.is_weighted for graph in graphs)
    arrays: dict[str, Any] = {
        "num_nodes": np.array([graph.num_nodes for graph in graphs]),
        "num_edges": np.array([graph.num_edges for graph in graphs]),
        "name": graphs.name,
        "names": np.array([graph.name for graph in graphs]),
    }
    _save(path, np.concatenate(pairs), np.concatenate(weights) if weighted else None, arrays)


def _save(
    path: AnyPath,
    pairs: NDArray[np.int64],
    weights: NDArray[np.float64] | None,
    rest: dict[str, Any],
) -> None:
    if Path(path).suffix.lower() != ".npz":
        raise FileFormatError(f"graphs are written to .npz files, which {path} is not")
    arrays = {"edges": pairs.astype(np.min_scalar_type(pairs.max(initial=0))), **rest}
    if weights is not None:
        arrays["weights"] = weights
    with atomic_write(path) as stream:
        np.savez_compressed(stream, **arrays)


def _read_npz(source: Path, split: str | None, self_loops: bool, max_bytes: int) -> GraphSet:
    names = array_names(source)
    if {"format", "shape", "data"} <= set(names):
        if split is not None:
            raise GraphError(f"it holds one matrix, so there is no split {split!r} to choose")
        wanted = [name for name in names if name in _SPARSE_ARRAYS]
        matrix = _sparse_matrix(read_npz(source, wanted, max_bytes))
        return GraphSet([Graph(matrix, source.stem, self_loops)], source.stem)
    prefix = _choose_prefix(names, split)
    known = ("edges", "num_nodes", "num_edges", "weights", "name", "names")
    wanted = [prefix + name for name in known if prefix + name in names]
    arrays = {
        name.removeprefix(prefix): array
        for name, array in read_npz(source, wanted, max_bytes).items()
    }
    title = f"{source.stem} {prefix}".rstrip(" _")
    if "name" in arrays and arrays["name"].dtype.kind == "U" and arrays["name"].size == 1:
        title = str(arrays["name"].item()) or title
    edges, num_nodes, weights = arrays["edges"], arrays.get("num_nodes"), arrays.get("weights")
    if "num_edges" in arrays:
        graphs = GraphSet.from_edges(
            edges, arrays["num_edges"], num_nodes, weights, self_loops=self_loops, name=title
        )
        return _with_names(graphs, arrays.get("names"))
    size = None
    if num_nodes is not None:
        if num_nodes.size != 1:
            raise GraphError("num_nodes lists several graphs, but there is no num_edges")
        size = num_nodes.item()
    graph = Graph.from_edges(edges, size, weights, self_loops=self_loops, name=title)
    return GraphSet([graph], title)


def _choose_prefix(names: list[str], split: str | None) -> str:
    """Return what stands before ``edges`` in the set that was asked for."""
    prefixes = [
        name.removesuffix("edges")
        for name in names
        if (name == "edges" or name.endswith("_edges")) and not name.endswith("num_edges")
    ]
    splits = ", ".join(prefix.rstrip("_") for prefix in prefixes if prefix)
    if not prefixes:
        raise GraphError(f"it holds no edges; its arrays are {', '.join(names) or 'none'}")
    if split is not None:
        if f"{split}_" not in prefixes:
            raise GraphError(f"it has no split {split!r}; its splits are {splits or 'none'}")
        return f"{split}_"
    if "" in prefixes:
        return ""
    if len(prefixes) > 1:
        raise GraphError(f"it has several splits; choose split= one of {splits}")
    return prefixes[0]


_SPARSE_ARRAYS = {"format", "shape", "data", "indices", "indptr", "row", "col"}


def _sparse_matrix(arrays: dict[str, NDArray[Any]]) -> Any:
    """Build what ``scipy.sparse.save_npz`` saved, trusting none of its indices."""
    layout = str(arrays["format"].astype(str))
    shape = tuple(arrays["shape"].tolist())
    try:
        if any(arrays[key].dtype.kind not in "iu" for key in arrays.keys() - {"format", "data"}):
            raise ValueError("indices should be integers")
        if layout == "coo":
            return coo_array((arrays["data"], (arrays["row"], arrays["col"])), shape=shape)
        if layout not in ("csr", "csc"):
            raise ValueError(f"format {layout!r} is not read; save it as csr, csc or coo")
        kind = csr_array if layout == "csr" else csc_array
        matrix = kind((arrays["data"], arrays["indices"], arrays["indptr"]), shape=shape)
        # without this an index out of range would be followed, outside of the array
        matrix.check_format(full_check=True)
    except (ValueError, TypeError, KeyError, IndexError, OverflowError) as error:
        raise GraphError(f"its sparse matrix can't be used: {error}") from error
    return matrix


def _with_names(graphs: GraphSet, names: NDArray[Any] | None) -> GraphSet:
    if names is None or names.dtype.kind != "U" or names.shape != (len(graphs),):
        return graphs
    named = zip(graphs, names.tolist(), strict=True)
    return GraphSet((Graph.trusted(graph.adjacency, name) for graph, name in named), graphs.name)
