r"""The graphs and signals of one split, and the one file that holds them.

The map is ``(graphs, s, x, y) <-> file``. Signals are whole multiples of a power of two
(:mod:`gcn.data.synthesis`) and the file holds the whole numbers, so nothing is lost either way.
Inside are plain arrays and one line of JSON, no pickle; the line carries the SHA-256 of everything
else, and a file that does not have the sum it claims is refused. Files appear whole or not at all.

Assumptions: none about a file that is read.

>>> import tempfile
>>> path = GraphSet.from_edges([(0, 1), (1, 2)], num_edges=[2])
>>> s, x, y = np.array([[1.0, 0.0, 0.5], [0.25, 0.5, 0.25], [0.5, 0.0, 0.0]])
>>> split = Split("low-pass", "test", 0, Recipe(), path, s, x, y)
>>> split
Split('low-pass', 'test', seed 0, 1 graph, 3 nodes, 2 edges)
>>> with tempfile.TemporaryDirectory() as folder:
...     split.save(Path(folder) / "one.npz")
...     load(Path(folder) / "one.npz").y
array([0.5, 0. , 0. ])
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import torch
from numpy.typing import NDArray

from gcn.data.collection import Collection
from gcn.data.recipe import Recipe
from gcn.data.synthesis import SIGNAL_BITS, TARGET_BITS
from gcn.propagate import prepare_graphs
from polyfilter.archive import read_npz
from polyfilter.errors import FileFormatError, FilterError, PolyfilterError
from polyfilter.files import atomic_write
from polyfilter.graphs import GraphSet

__all__ = ["Split", "load"]

Floats: TypeAlias = NDArray[np.float64]

FORMAT, VERSION = "gcn.sgs", 1
BITS = {"spectrum": SIGNAL_BITS, "x": SIGNAL_BITS, "y": TARGET_BITS}
ARRAYS = ("num_nodes", "num_edges", "edges", *BITS)
"""What the file holds beside its header, in the order in which the checksum takes it."""
NUMBER = np.dtype("<i4")
"""Of all arrays: little-endian whatever the machine is."""
MAX_COUNT = 2**31 - 1


@dataclass(frozen=True, eq=False, repr=False)
class Split:
    """The graphs of one split with their spectra, signals and targets; immutable.

    Attributes
    ----------
    target
        The filter: "high-pass", "low-pass" or "band-pass".
    part
        "train", "valid" or "test".
    seed, recipe
        What it was made from.
    graphs
        The graphs, G of them, N nodes in all.
    spectrum
        The clean spectra s, of shape (N,), those of graph 0 first, each in the order of L's
        eigenvalues: from low to high frequency.
    x, y
        The noisy signals and the filtered ones, of shape (N,), in float64. They can go to
        :func:`polyfilter.design.fit` as they are.
    """

    target: str
    part: str
    seed: int
    recipe: Recipe
    graphs: GraphSet
    spectrum: Floats
    x: Floats
    y: Floats

    def __post_init__(self) -> None:
        for name, value, kind in (
            ("target", self.target, str),
            ("part", self.part, str),
            ("seed", self.seed, int),
        ):
            if type(value) is not kind:
                raise FilterError(
                    f"the {name} has to be of type {kind.__name__}, not {value!r:.40}"
                )
        for name, bits in BITS.items():
            signal = np.array(getattr(self, name), dtype=np.float64)
            if signal.shape != (self.graphs.num_nodes,):
                raise FilterError(
                    f"{name} has shape {signal.shape} for {self.graphs.num_nodes} nodes; it has "
                    "one number a node"
                )
            counts = np.ldexp(signal, bits)
            if not np.array_equal(counts, np.rint(counts).clip(-MAX_COUNT, MAX_COUNT)):
                raise FilterError(
                    f"{name} has to hold multiples of 2^-{bits} below {MAX_COUNT >> bits:,}; "
                    "gcn.data.synthesis.on_grid rounds to them"
                )
            signal.flags.writeable = False
            object.__setattr__(self, name, signal)

    @cached_property
    def node_ptr(self) -> NDArray[np.int64]:
        """Nodes of graph i are node_ptr[i], ..., node_ptr[i + 1] - 1; of shape (G + 1,)."""
        return np.cumsum([0, *(graph.num_nodes for graph in self.graphs)])

    def edge_index(self) -> NDArray[np.int64]:
        """Return the edges of all graphs, both directions, as PyG lists them: shape (2, E).

        Examples
        --------
        >>> zero = np.zeros(4)
        >>> pair = GraphSet.from_edges([(0, 1), (0, 1)], num_edges=[1, 1])
        >>> Split("low-pass", "test", 0, Recipe(), pair, zero, zero, zero).edge_index()
        array([[0, 1, 2, 3],
               [1, 0, 3, 2]])
        """
        W = self.graphs.union().adjacency.tocoo()
        return np.stack([W.row, W.col]).astype(np.int64)

    def collection(
        self,
        *,
        operator: str = "symmetric",
        kernel: str = "auto",
        dtype: torch.dtype = torch.float32,
    ) -> Collection:
        """Return what a network trains on: x and y of shape (N, 1), and the operator prepared.

        Examples
        --------
        >>> one = np.ones(2)
        >>> edge = GraphSet.from_edges([(0, 1)], num_edges=[1])
        >>> Split("low-pass", "test", 0, Recipe(), edge, one, one, one).collection()
        Collection(1 graph, 2 nodes, 1 feature, y a node)
        """
        # normalized in this dtype: weights of float32 would stay so in float64
        prepared = prepare_graphs(self.graphs, kernel, operator=operator, dtype=dtype)
        return Collection(
            x=torch.tensor(self.x[:, None], dtype=dtype),
            y=torch.tensor(self.y[:, None], dtype=dtype),
            node_ptr=torch.tensor(self.node_ptr),
            prepared=prepared,
        )

    @cached_property
    def checksum(self) -> str:
        """The SHA-256 of all that the split is; the same on every machine."""
        return _checksum(self._header(), self._arrays())

    def save(self, path: str | PathLike[str]) -> None:
        """Write the split to one ``.npz`` file."""
        header = self._header() | {"sha256": self.checksum}
        text = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
        with atomic_write(path) as stream:
            np.savez(stream, header=text, **self._arrays())  # type: ignore[arg-type]

    def _header(self) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "version": VERSION,
            "target": self.target,
            "part": self.part,
            "seed": self.seed,
            "recipe": self.recipe.to_dict(),
        }

    def _arrays(self) -> dict[str, NDArray[np.int32]]:
        arrays: dict[str, Any] = {
            "num_nodes": [graph.num_nodes for graph in self.graphs],
            "num_edges": [graph.num_edges for graph in self.graphs],
            "edges": np.concatenate([graph.edges()[0] for graph in self.graphs]),
        }
        for name, bits in BITS.items():
            arrays[name] = np.ldexp(getattr(self, name), bits)
        return {name: np.asarray(array).astype(NUMBER) for name, array in arrays.items()}

    def __repr__(self) -> str:
        sizes = repr(self.graphs).removeprefix("GraphSet(")
        return f"Split({self.target!r}, {self.part!r}, seed {self.seed}, {sizes}"


def load(path: str | PathLike[str]) -> Split:
    """Return the split in a file, after checking that the file is what was written.

    Raises
    ------
    FileFormatError
        If it is truncated, altered, or no file of ours.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     load(Path(folder) / "none.npz")
    Traceback (most recent call last):
    ...
    polyfilter.errors.FileFormatError: can't read ...none.npz: No such file or directory
    """
    source = Path(path)
    found = read_npz(source, ["header", *ARRAYS])
    header = _read_header(source, found.pop("header"))
    claimed = header.pop("sha256", None)
    if _checksum(header, found) != claimed:
        raise FileFormatError(f"{source} was altered: its content is not what its checksum says")
    for name, array in found.items():
        if array.dtype != NUMBER:
            raise FileFormatError(f"{source} holds no SGS data: {name} is of type {array.dtype}")
    try:
        return Split(
            target=header["target"],
            part=header["part"],
            seed=header["seed"],
            recipe=Recipe.from_dict(header["recipe"]),
            graphs=GraphSet.from_edges(found["edges"], found["num_edges"], found["num_nodes"]),
            **{name: np.ldexp(found[name].astype(np.float64), -b) for name, b in BITS.items()},
        )
    except (KeyError, TypeError, ValueError, PolyfilterError) as error:
        raise FileFormatError(f"{source} holds no SGS data: {error}") from error


def _read_header(source: Path, data: NDArray[Any]) -> dict[str, Any]:
    try:
        header = json.loads(data.tobytes())
    except (ValueError, RecursionError) as error:
        raise FileFormatError(f"{source} was altered: its header is no JSON") from error
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise FileFormatError(f'{source} holds no SGS data: it has no "format": "{FORMAT}"')
    if header.get("version") != VERSION:
        raise FileFormatError(
            f"{source} has version {header.get('version')!r:.40}, and we read {VERSION}; make it "
            "again"
        )
    return header


def _checksum(header: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> str:
    digest = sha256(json.dumps(header, sort_keys=True).encode())
    for name in ARRAYS:
        array = arrays[name]
        digest.update(f"{name} {array.dtype.str} {array.shape}".encode())
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()
