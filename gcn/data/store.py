r"""Files that hold graphs as plain arrays.

The map is ``file <-> {name: array}``, and from there ``arrays -> Part``. A file is one ``.npz``
without pickle, written whole or not at all. What we write carries the SHA-256 of its content, and
content that does not have it is refused; a file without one has to be the copy that we know
(:func:`origin`). Many graphs are stored as their sizes and one list of undirected edges, with node
numbers that start at 0 in each graph; :func:`unpack` counts nodes through all graphs and lists both
directions.

Assumptions: none about a file that is read; whatever is wrong with it raises one
:class:`~gcn.data.dataset.DataError` with the command that gets the file.

>>> import tempfile
>>> with tempfile.TemporaryDirectory() as folder:
...     path = Path(folder) / "made" / "made.npz"
...     _ = write(path, {"edges": np.array([[0, 1]])})
...     read(path, {"edges": ("integers", 2)}, "made")
{'edges': array([[0, 1]])}
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gcn.data.dataset import Array, DataError, Part
from polyfilter.archive import array_names, read_npz
from polyfilter.errors import FileFormatError, GraphError, PolyfilterError
from polyfilter.files import atomic_write

__all__ = [
    "Sizes",
    "Stored",
    "blamed",
    "checksum",
    "expect",
    "identity",
    "origin",
    "read",
    "unpack",
    "write",
]

SUM = "sha256"
"""The array that holds the checksum of the others."""
KINDS = {"integers": "iu", "floats": "f"}


class Sizes(NamedTuple):
    """How large a part is, by which a file is known."""

    graphs: int
    nodes: int
    directed_edges: int

    def __str__(self) -> str:
        return f"{self.graphs:,} graphs, {self.nodes:,} nodes and {self.directed_edges:,} edges"


class Stored(NamedTuple):
    """Where edges of many graphs lie after :func:`unpack`."""

    node_ptr: NDArray[np.int64]
    edge_index: NDArray[np.int64]


def checksum(arrays: Mapping[str, Array]) -> str:
    """Return the SHA-256 of named arrays; the order of names does not matter, types do.

    Examples
    --------
    >>> a, b = np.zeros(1), np.ones(1)
    >>> checksum({"a": a, "b": b}) == checksum({"b": b, "a": a})
    True
    """
    digest = sha256()
    for name in sorted(arrays):
        array = np.asarray(arrays[name])
        array = array.astype(array.dtype.newbyteorder("<"), copy=False)
        digest.update(f"{name} {array.dtype.str} {array.shape}".encode())
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def write(path: Path, arrays: Mapping[str, Array]) -> str:
    """Write arrays with their checksum, and return that; folders are made.

    Raises
    ------
    DataError
        If the place can't be written to.
    """
    total = checksum(arrays)
    text = np.frombuffer(total.encode(), dtype=np.uint8)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_write(path) as stream:
            np.savez_compressed(stream, **{SUM: text}, **arrays)  # type: ignore[arg-type]
    except (OSError, FileFormatError) as error:
        raise DataError(f"can't write {path}: {error}; give a folder that is writable") from error
    return total


def read(path: Path, columns: Mapping[str, tuple[str, int]], dataset: str) -> dict[str, Array]:
    """Return the arrays of a file, after checking that they are what they should be.

    Parameters
    ----------
    path
        The file.
    columns
        What has to be in it: "integers" or "floats", and how many dimensions.
    dataset
        The name of the data set, for the error.
    """
    with blamed(path, dataset):
        names = array_names(path)
        if missing := [name for name in columns if name not in names]:
            raise FileFormatError(f"it has no array {missing[0]!r}")
        sealed = SUM in names  # then all of it is needed to know that it is whole
        everything = read_npz(path, names if sealed else list(columns))
        found = {name: everything[name] for name in columns}
        for name, (kind, dimensions) in columns.items():
            array = found[name]
            if array.dtype.kind not in KINDS[kind] or array.ndim != dimensions:
                raise FileFormatError(
                    f"{name} has to hold {kind} in {dimensions} dimensions, not {array.dtype} of "
                    f"shape {array.shape}"
                )
        if sealed and everything.pop(SUM).tobytes() != checksum(everything).encode():
            raise FileFormatError("it was altered: its content is not what its checksum says")
    return found


@contextmanager
def blamed(path: Path, dataset: str) -> Iterator[None]:
    """Turn what is found wrong with a file into one error that says how to get it.

    Examples
    --------
    >>> with blamed(Path("data/zinc12k/zinc12k.npz"), "zinc"):
    ...     raise GraphError("it has no molecules")
    Traceback (most recent call last):
    ...
    gcn.data.dataset.DataError: can't use data/zinc12k/zinc12k.npz: it has no molecules; get it with
    `python -m experiments benchmarks --dataset zinc --download --data data`
    """
    try:
        yield
    except DataError:
        raise
    except PolyfilterError as error:
        why = str(error).removeprefix(f"can't read {path}: ").removeprefix(f"{path} ")
        raise DataError.about(path, why, dataset) from error


def origin(path: Path, parts: Mapping[str, Part], copy: str, made: str) -> str:
    """Return where a file came from: it is the copy that we know, or was converted by us.

    Parameters
    ----------
    path
        The file.
    parts
        What was read from it.
    copy
        The :func:`identity` of the copy that we know.
    made
        How that copy was made.

    Raises
    ------
    GraphError
        If it is neither.

    Examples
    --------
    >>> import tempfile
    >>> one = np.ones((1, 1), dtype=np.float32)
    >>> parts = {"train": Part(one, one, np.array([0, 1]), np.zeros((2, 0), dtype=np.int64))}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "made.npz"
    ...     _ = write(path, {"x": one})
    ...     for copy in ("7e616d148fa826b4", "of another"):
    ...         origin(path, parts, copy, "rebuilt from SMILES")
    'rebuilt from SMILES, SHA-256 7e616d148fa826b4'
    'from the official download, SHA-256 7e616d148fa826b4'
    """
    code = identity(parts)
    if code != copy and SUM not in array_names(path):
        raise GraphError("it was altered: it has no checksum and is not the copy that we know")
    return f"{made if code == copy else 'from the official download'}, SHA-256 {code}"


def unpack(num_nodes: Array, num_edges: Array, edges: Array) -> Stored:
    """Return where the nodes of each graph lie, and its edges in both directions.

    Directions of an edge follow each other, so that features of undirected edges are repeated
    twice to fit.

    Examples
    --------
    >>> unpack(np.array([2, 2]), np.array([1, 1]), np.array([[0, 1], [0, 1]])).edge_index
    array([[0, 1, 2, 3],
           [1, 0, 3, 2]])
    """
    sizes, counts = num_nodes.astype(np.int64), num_edges.astype(np.int64)
    pairs = edges.astype(np.int64)
    if len(sizes) != len(counts) or not len(sizes):
        raise GraphError(f"there are {len(sizes)} sizes for {len(counts)} numbers of edges")
    if pairs.shape[1] != 2:
        raise GraphError(f"edges have shape {pairs.shape}, not (edges, 2)")
    if counts.min() < 0 or counts.max() > len(pairs) or counts.sum() != len(pairs):
        raise GraphError(f"its numbers of edges don't add up to the {len(pairs)} that are listed")
    if not 1 <= sizes.min() <= sizes.max() < 2**31:
        raise GraphError(f"graphs have {sizes.min()} to {sizes.max()} nodes")
    limit = np.repeat(sizes, counts)[:, None]
    if (wrong := ((pairs < 0) | (pairs >= limit)).any(axis=1)).any():
        k = int(np.argmax(wrong))
        raise GraphError(f"edge {k} joins {pairs[k].tolist()} in a graph of {limit[k, 0]} nodes")
    ptr = np.concatenate([[0], np.cumsum(sizes)])
    pairs = pairs + np.repeat(ptr[:-1], counts)[:, None]
    both = np.stack([pairs, pairs[:, ::-1]], axis=1).reshape(-1, 2)
    return Stored(ptr, np.ascontiguousarray(both.T))


def expect(parts: Mapping[str, Part], sizes: Mapping[str, Sizes]) -> None:
    """Refuse parts that don't have the published sizes.

    Examples
    --------
    >>> one = np.ones((1, 1), dtype=np.float32)
    >>> part = Part(one, one, np.array([0, 1]), np.zeros((2, 0), dtype=np.int64))
    >>> expect({"train": part}, {"train": Sizes(2, 1, 0)})
    Traceback (most recent call last):
    ...
    polyfilter.errors.GraphError: train has 1 graphs, 1 nodes and 0 edges, and should have
    2 graphs, 1 nodes and 0 edges
    """
    for name, wanted in sizes.items():
        part = parts[name]
        found = Sizes(part.num_graphs, len(part.x), part.edge_index.shape[1])
        if found != wanted:
            raise GraphError(f"{name} has {found}, and should have {wanted}")


def identity(parts: Mapping[str, Part]) -> str:
    """Return 16 digits of the SHA-256 of all that the parts hold; a result says it.

    Examples
    --------
    >>> one = np.ones((1, 1), dtype=np.float32)
    >>> part = Part(one, one, np.array([0, 1]), np.zeros((2, 0), dtype=np.int64))
    >>> identity({"train": part})
    '7e616d148fa826b4'
    """
    arrays = {
        f"{name} {field}": values
        for name, part in parts.items()
        for field, values in vars(part).items()
        if values is not None
    }
    return checksum(arrays)[:16]
