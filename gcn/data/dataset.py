r"""What a benchmark is: a task, and the graphs to train on, to choose by and to report.

The map is ``arrays -> graphs that a network takes``: a :class:`Part` holds all graphs of a split
side by side, as plain numpy arrays,

.. math:: x, \; y, \; (0 = p_0 < p_1 < \dots < p_G = N), \; (s_k, t_k)_{k = 1, \dots, E},

and checks once that they fit together; :meth:`Part.collection` prepares it for training and
:meth:`Part.graphs` for exact spectra. A :class:`Dataset` adds what is asked and checks that too.

Assumptions: none about the arrays; whatever does not fit raises one
:class:`~polyfilter.errors.GraphError`. A file that is missing or damaged is a :class:`DataError`,
which says how to get it.

>>> part = Part(
...     x=np.array([[0], [1], [0], [2]]), y=np.array([[0.5], [1.0]], dtype=np.float32),
...     node_ptr=np.array([0, 2, 4]), edge_index=np.array([[0, 1, 2, 3], [1, 0, 3, 2]]),
... )
>>> part
Part(2 graphs, 4 nodes, 4 directed edges)
>>> task = Task("pairs", "Pairs", "mae", "sum", in_channels=(3,), out_channels=1)
>>> Dataset(task, part, part, part, source="made here").train.collection()
Collection(2 graphs, 4 nodes, 1 feature, y a graph)
"""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from shlex import quote
from typing import Any, TypeAlias

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from gcn.data.collection import Collection
from gcn.propagate import prepare
from polyfilter.errors import GraphError, PolyfilterError
from polyfilter.graph import count
from polyfilter.graphs import GraphSet

__all__ = ["DataError", "Dataset", "Part", "Task"]

Array: TypeAlias = NDArray[Any]

KINDS = {np.dtype(np.float32): "float32", np.dtype(np.int64): "int64"}


class DataError(PolyfilterError):
    """A data file that is missing or damaged, or data that can't be had."""

    @classmethod
    def about(cls, path: str | PathLike[str], why: object, dataset: str) -> DataError:
        """Return the error that names a file of the data folder and how to get it.

        Parameters
        ----------
        path
            The file, which lies in a folder of its own in the data folder.
        why
            What is wrong with it.
        dataset
            The name by which ``experiments benchmarks`` knows the data set.

        Examples
        --------
        >>> print(DataError.about("data/zinc12k/zinc12k.npz", "it was altered", "zinc"))
        can't use data/zinc12k/zinc12k.npz: it was altered; get it with `python -m experiments
        benchmarks --dataset zinc --download --data data`
        """
        folder = quote(str(Path(path).parent.parent))
        return cls(f"can't use {path}: {why}; get it with `{command(dataset, folder)}`")

    @classmethod
    def nowhere(cls, task: Task) -> DataError:
        """Return the error about data that are read from files when no folder is given.

        Examples
        --------
        >>> print(DataError.nowhere(Task("zinc", "ZINC", "mae", "sum", (28,), 1)))
        ZINC is read from files: say where with --data FOLDER, or get it with `python -m experiments
        benchmarks --dataset zinc --download --data FOLDER`
        """
        return cls(
            f"{task.title} is read from files: say where with --data FOLDER, or get it with "
            f"`{command(task.name)}`"
        )


def command(dataset: str, folder: str = "FOLDER") -> str:
    """Return the command that fetches a data set.

    Examples
    --------
    >>> command("zinc")
    'python -m experiments benchmarks --dataset zinc --download --data FOLDER'
    """
    return f"python -m experiments benchmarks --dataset {dataset} --download --data {folder}"


@dataclass(frozen=True)
class Task:
    """What a data set asks of a network.

    Attributes
    ----------
    name, title
        As commands and as tables call it.
    loss
        A name of :mod:`gcn.train.objective`.
    readout
        "node" if each node is answered for; "sum" or "mean" if each graph is, from its nodes.
    in_channels
        The width of features, or how many values each categorical one has.
    out_channels
        How many numbers, or classes, the network gives.
    edge_channels
        The same as ``in_channels`` for features of edges; None without.
    """

    name: str
    title: str
    loss: str
    readout: str
    in_channels: int | tuple[int, ...]
    out_channels: int
    edge_channels: int | tuple[int, ...] | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Part:
    """One split of a data set, all graphs concatenated; immutable.

    Parameters
    ----------
    x
        Features of nodes, of shape (N, F): float32, or int64 categories.
    y
        Targets, of shape (N, T), or (G, T) if they belong to graphs: float32, or int64 classes.
        Class -1 is not asked, as at nodes of another split, and so is a float that is nan.
    node_ptr
        Nodes of graph i are node_ptr[i], ..., node_ptr[i + 1] - 1; of shape (G + 1,), int64.
    edge_index
        From row 0 to row 1, nodes counted through all graphs; of shape (2, E), int64. An
        undirected edge is listed in both directions.
    edge_attr
        Features of edges, of shape (E, F'): float32 or int64.
    """

    x: Array
    y: Array
    node_ptr: NDArray[np.int64]
    edge_index: NDArray[np.int64]
    edge_attr: Array | None = None

    def __post_init__(self) -> None:
        for name in ("x", "y", "edge_attr"):
            values = getattr(self, name)
            if values is None and name == "edge_attr":
                continue
            if values.ndim != 2 or values.dtype not in KINDS:
                raise GraphError(
                    f"{name} has to be a table of {' or '.join(KINDS.values())}, not "
                    f"{values.dtype} of shape {values.shape}"
                )
            if name != "y" and not np.isfinite(values).all():
                raise GraphError(f"{name} holds numbers that are not finite")
        ptr, edges = self.node_ptr, self.edge_index
        if ptr.ndim != 1 or len(ptr) < 2 or ptr.dtype != np.int64:
            raise GraphError(
                f"node_ptr has to hold the G + 1 borders of G graphs as int64, not {ptr.dtype} of "
                f"shape {ptr.shape}"
            )
        if ptr[0] != 0 or (np.diff(ptr) <= 0).any():
            raise GraphError("node_ptr has to start at 0 and to grow: every graph has a node")
        if edges.ndim != 2 or len(edges) != 2 or edges.dtype != np.int64:
            raise GraphError(
                f"edge_index has to be int64 of shape (2, edges), not {edges.dtype} of shape "
                f"{edges.shape}"
            )
        nodes, graphs = int(ptr[-1]), len(ptr) - 1
        if len(self.x) != nodes:
            raise GraphError(f"x has {len(self.x)} rows for {nodes} nodes")
        if len(self.y) not in (nodes, graphs):
            raise GraphError(f"y has {len(self.y)} rows for {nodes} nodes and {graphs} graphs")
        if self.edge_attr is not None and len(self.edge_attr) != edges.shape[1]:
            raise GraphError(f"edge_attr has {len(self.edge_attr)} rows for {edges.shape[1]} edges")
        if edges.size and not 0 <= int(edges.min()) <= int(edges.max()) < nodes:
            raise GraphError(
                f"edges join nodes {edges.min()} to {edges.max()}, but there are {nodes} nodes"
            )
        if graphs > 1:
            owner = np.repeat(np.arange(graphs, dtype=np.int32), np.diff(ptr))
            if (apart := owner[edges[0]] != owner[edges[1]]).any():
                raise GraphError(f"edge {int(np.argmax(apart))} joins nodes of two graphs")
        for name in ("x", "y", "node_ptr", "edge_index", "edge_attr"):
            if (values := getattr(self, name)) is not None:
                frozen = values.view()  # parts of one graph share their arrays
                frozen.flags.writeable = False
                object.__setattr__(self, name, frozen)

    @property
    def num_graphs(self) -> int:
        """Number of graphs G."""
        return len(self.node_ptr) - 1

    def collection(
        self,
        *,
        operator: str = "symmetric",
        kernel: str = "auto",
        dtype: torch.dtype = torch.float32,
    ) -> Collection:
        """Return what a network trains on; categories and classes stay whole numbers.

        Parameters
        ----------
        operator, kernel
            As for :func:`gcn.propagate.prepare`.
        dtype
            Of features, targets and the operator.

        Examples
        --------
        >>> one = np.ones((2, 1), dtype=np.float32)
        >>> Part(one, one, np.array([0, 2]), np.array([[0, 1], [1, 0]])).collection()
        Collection(1 graph, 2 nodes, 1 feature, y a node)
        """

        def tensor(values: Array) -> Tensor:
            return torch.tensor(values, dtype=dtype if values.dtype.kind == "f" else torch.int64)

        prepared = prepare(
            torch.tensor(self.edge_index), len(self.x), None, kernel, operator=operator, dtype=dtype
        )
        return Collection(
            x=tensor(self.x),
            y=tensor(self.y),
            node_ptr=torch.tensor(self.node_ptr),
            prepared=prepared,
            edge_attr=None if self.edge_attr is None else tensor(self.edge_attr),
        )

    def graphs(self) -> GraphSet:
        """Return the graphs, undirected and unweighted: an edge where either direction is listed.

        Examples
        --------
        >>> one = np.ones((3, 1), dtype=np.float32)
        >>> Part(one, one, np.array([0, 2, 3]), np.array([[1], [0]])).graphs()
        GraphSet(2 graphs, 3 nodes, 1 edge)
        """
        low, high = self.edge_index.min(axis=0), self.edge_index.max(axis=0)
        # sorted by the lower end, edges are sorted by graph
        low, high = np.divmod(np.unique(low * len(self.x) + high), len(self.x))
        owner = np.searchsorted(self.node_ptr, low, side="right") - 1
        return GraphSet.from_edges(
            np.column_stack([low, high]) - self.node_ptr[owner, None],
            np.bincount(owner, minlength=self.num_graphs),
            np.diff(self.node_ptr),
            self_loops=True,
        )

    def __repr__(self) -> str:
        sizes = f"{count(self.num_graphs, 'graph')}, {count(len(self.x), 'node')}"
        return f"Part({sizes}, {count(self.edge_index.shape[1], 'directed edge')})"


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """A task with its three splits.

    Attributes
    ----------
    task
        What is asked.
    train, valid, test
        What to train on, what to choose by, and what to report.
    source
        One line: where the data came from. It is said with every result.
    """

    task: Task
    train: Part
    valid: Part
    test: Part
    source: str

    def __post_init__(self) -> None:
        for name in ("train", "valid", "test"):
            part = getattr(self, name)
            _check_features(f"{name}'s x", part.x, self.task.in_channels)
            if (part.edge_attr is None) != (self.task.edge_channels is None):
                raise GraphError(f"{name} and its task don't agree whether edges have features")
            if part.edge_attr is not None and self.task.edge_channels is not None:
                _check_features(f"{name}'s edge_attr", part.edge_attr, self.task.edge_channels)
            _check_targets(f"{name}'s y", part, self.task)

    def __repr__(self) -> str:
        sizes = f"{self.train.num_graphs}/{self.valid.num_graphs}/{self.test.num_graphs} graphs"
        return f"Dataset({self.task.title}, {sizes}, {self.source})"


def _check_features(name: str, values: Array, channels: int | tuple[int, ...]) -> None:
    """Refuse features that are not as wide, or not such categories, as the task says."""
    width, kind = (channels, "float32") if isinstance(channels, int) else (len(channels), "int64")
    if values.shape[1] != width or values.dtype != kind:
        raise GraphError(f"{name} is {values.dtype} of width {values.shape[1]}, not {kind} {width}")
    if kind == "int64" and len(values):
        wrong = (values.min(axis=0) < 0) | (values.max(axis=0) >= np.asarray(channels))
        if wrong.any():
            k = int(np.argmax(wrong))
            raise GraphError(
                f"{name} has categories {values[:, k].min()} to {values[:, k].max()} in feature "
                f"{k}, not 0 to {np.asarray(channels)[k] - 1}"
            )


def _check_targets(name: str, part: Part, task: Task) -> None:
    """Refuse targets that the task's loss does not take."""
    y, rows = part.y, len(part.x) if task.readout == "node" else part.num_graphs
    classes = task.loss in ("cross_entropy", "balanced_cross_entropy")
    kind, width = ("int64", 1) if classes else ("float32", task.out_channels)
    if y.shape != (rows, width) or y.dtype != kind:
        raise GraphError(f"{name} is {y.dtype} of shape {y.shape}, not {kind} of ({rows}, {width})")
    if classes and not -1 <= int(y.min()) <= int(y.max()) < task.out_channels:
        raise GraphError(
            f"{name} has classes {y.min()} to {y.max()}, not -1 to {task.out_channels - 1}"
        )
    if task.loss == "mae" and not np.isfinite(y).all():
        raise GraphError(f"{name} holds numbers that are not finite")
    if task.loss == "bce" and not np.isin(y[~np.isnan(y)], (0, 1)).all():
        raise GraphError(f"{name} holds other answers than 0, 1 and nan")
