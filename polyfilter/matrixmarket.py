r"""Matrix Market files.

The map is ``path -> symmetric matrix as a graph``, for ``coordinate`` and ``array`` files that are
``real``, ``integer`` or ``pattern``, and ``symmetric``, or ``general`` with symmetric entries. An
entry of zero is no edge. Nodes, which start at 1 in the file, start at 0 in the graph.

The parser is our own since ``scipy.io.mmread`` (1.17) reads past its buffer, and takes the process
down with it, when a file is cut in the wrong place.

>>> import tempfile
>>> with tempfile.TemporaryDirectory() as folder:
...     path = Path(folder) / "path.mtx"
...     banner = "%%MatrixMarket matrix coordinate pattern symmetric"
...     _ = path.write_text(banner + "\n3 3 2\n2 1\n3 2\n")
...     read_matrix_market(path)
Graph('path', 3 nodes, 2 edges)
"""

from pathlib import Path

import numpy as np
from scipy.sparse import coo_array

from polyfilter.edgelist import first_line, read_numbers, read_table
from polyfilter.edges import as_pairs, check_size
from polyfilter.errors import GraphError
from polyfilter.graph import Graph

__all__ = ["read_matrix_market"]


def read_matrix_market(source: Path, self_loops: bool = False) -> Graph:
    """Read a graph; the sizes that the file declares are checked before its body is read."""
    layout, field, symmetry = _banner(source)
    head = first_line(source, 1)
    try:
        rows, columns, *rest = (int(number) for number in head.fields)
        dense = rows * (rows + 1) // 2 if symmetry == "symmetric" else rows * rows
        (entries,) = rest if layout == "coordinate" else (*rest, dense)
    except ValueError as error:
        raise GraphError(f"line {head.number} should give the size of the matrix") from error
    if rows != columns:
        raise GraphError(f"an adjacency is square, but this matrix has shape ({rows}, {columns})")
    check_size(rows)
    # a line is at least "1 1" long, or "1" in a dense matrix, with its end
    if not 0 <= entries * (4 if layout == "coordinate" else 2) <= source.stat().st_size:
        raise GraphError(f"it is truncated: it can't hold the {entries} entries it declares")
    if entries == 0:
        return Graph.from_edges([], rows, name=source.stem)
    if layout == "array":
        return _from_array(source, head.number, rows, entries, symmetry, self_loops)
    return _from_entries(source, head.number, rows, entries, field, symmetry, self_loops)


def _banner(source: Path) -> tuple[str, str, str]:
    """Return layout, field and symmetry from the first line."""
    with source.open("rb") as stream:
        words = stream.readline(256).decode("latin-1").lower().split()
    if words[:2] != ["%%matrixmarket", "matrix"] or len(words) != 5:
        raise GraphError("it is not a Matrix Market file: its first line is no banner")
    layout, field, symmetry = words[2:]
    fields = ("real", "integer", "double") + ("pattern",) * (layout == "coordinate")
    if layout not in ("coordinate", "array") or field not in fields:
        raise GraphError(f"its banner says {layout} {field}, which is not read")
    if symmetry not in ("symmetric", "general"):
        raise GraphError(f"its banner says {symmetry}, but an adjacency is symmetric")
    return layout, field, symmetry


def _from_entries(
    source: Path,
    skip: int,
    size: int,
    entries: int,
    field: str,
    symmetry: str,
    self_loops: bool,
) -> Graph:
    body = first_line(source, skip)
    if body.commas or len(body.fields) != (2 if field == "pattern" else 3):
        raise GraphError(f"line {body.number} is not an entry of a {field} matrix")
    table = read_table(source, body, skip)
    if len(table.pairs) != entries:
        raise GraphError(f"it declares {entries} entries but has {len(table.pairs)}")
    pairs = as_pairs(table.pairs, table.where)
    if np.any(wrong := np.any((pairs < 1) | (pairs > size), axis=1)):
        k = int(np.argmax(wrong))
        raise GraphError(f"{table.where(k)} names an entry outside 1 to {size}")
    weights = np.ones(entries) if table.weights is None else table.weights
    edges = np.flatnonzero(weights)
    pairs, weights = pairs[edges] - 1, weights[edges]
    if symmetry == "symmetric":
        return Graph.from_edges(
            pairs,
            size,
            weights,
            self_loops=self_loops,
            name=source.stem,
            describe=lambda k: table.where(int(edges[k])),
        )
    keys = pairs @ [size, 1]
    if len(np.unique(keys)) < len(keys):
        raise GraphError("it lists an entry twice")
    matrix = coo_array((weights, tuple(pairs.T)), shape=(size, size))
    try:
        return Graph.from_scipy(matrix, self_loops=self_loops, name=source.stem)
    except GraphError as error:
        raise GraphError(f"counting from 0, {error}") from error


def _from_array(
    source: Path, skip: int, size: int, entries: int, symmetry: str, self_loops: bool
) -> Graph:
    """Read a dense matrix, stored by columns: the whole, or its lower triangle."""
    values = read_numbers(source, skip)
    if len(values) != entries:
        raise GraphError(f"it has {len(values)} entries, where its shape takes {entries}")
    if symmetry == "symmetric":
        W = np.zeros((size, size))
        W[np.triu_indices(size)] = values
        W += np.triu(W, 1).T
    else:
        W = values.reshape((size, size), order="F")
    return Graph.from_scipy(W, self_loops=self_loops, name=source.stem)
