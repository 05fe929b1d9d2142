r"""Cora and Citeseer: papers, and which field they belong to (Yang et al., 2016).

The map is ``paper -> field``, one answer a node. Nodes are papers with the words that occur in
them, edges are citations without direction; 20 papers of each field are to train on, 500 to
validate and 1,000 to test. All three parts are the same graph: a network sees every paper, and is
asked only about those of the part; all others have class -1. Fifteen papers of Citeseer have
neither words nor a field; they are nodes without edges.

Features are row-normalized, :math:`x_{iw} = 1 / \#\{\text{words of } i\}`, as in Kipf and Welling
(2017) and in all who compare with them since: a long abstract is no stronger signal than a short
one. A paper without words keeps a row of zeros.

The file is ``planetoid/cora.npz`` or ``planetoid/citeseer.npz`` with the arrays ``edges``,
``label``, ``train_idx``, ``val_idx``, ``test_idx``, ``num_nodes``, and the words as a sparse matrix
in ``feat_indptr``, ``feat_indices``, ``feat_data``, ``feat_dim``. Its content, in the order of the
node numbers that everybody uses, is known by one SHA-256 each.

>>> TASKS["cora"].in_channels, TASKS["cora"].out_channels
(1433, 7)
"""

import tempfile
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from gcn.data.dataset import Array, DataError, Dataset, Part, Task
from gcn.data.fetch import obtain, official, undirected
from gcn.data.store import blamed, identity, read, unpack, write
from polyfilter.errors import GraphError

__all__ = ["TASKS", "convert", "load", "read_parts"]

TASKS: Mapping[str, Task] = MappingProxyType(
    {
        "cora": Task("cora", "Cora", "cross_entropy", "node", 1_433, 7),
        "citeseer": Task("citeseer", "Citeseer", "cross_entropy", "node", 3_703, 6),
    }
)
KNOWN = {"cora": "c1670a8d4932eff3", "citeseer": "0c5f67b978c1a223"}
"""What :func:`~gcn.data.store.identity` gives for the parts."""
SPLITS = {"train": "train_idx", "valid": "val_idx", "test": "test_idx"}
COLUMNS = {
    "edges": ("integers", 2),
    "label": ("integers", 1),
    **dict.fromkeys(SPLITS.values(), ("integers", 1)),
    "num_nodes": ("integers", 0),
    "feat_indptr": ("integers", 1),
    "feat_indices": ("integers", 1),
    "feat_data": ("floats", 1),
    "feat_dim": ("integers", 0),
}
MAX_ENTRIES = 1 << 28
"""A table of features that is larger is no citation graph, and is not made."""


def load(folder: Path | None, *, name: str, download: bool = False) -> Dataset:
    """Return Cora or Citeseer from its file in a folder.

    Parameters
    ----------
    folder
        The data folder.
    name
        "cora" or "citeseer".
    download
        Fetch the file through ``torch_geometric`` first, if it is missing or damaged.

    Examples
    --------
    >>> load(Path("nowhere"), name="cora")
    Traceback (most recent call last):
    ...
    gcn.data.dataset.DataError: can't use nowhere/planetoid/cora.npz: No such file or directory;
    get it with ...
    """
    task = TASKS[name]
    if folder is None:
        raise DataError.nowhere(task)
    path = folder / "planetoid" / f"{name}.npz"
    return obtain(path, partial(read_dataset, task=task), partial(fetch, task=task), download)


def read_dataset(path: Path, task: Task) -> Dataset:
    """Return the data set from its file, after checking that it is that data set."""
    parts = read_parts(path, task.name)
    with blamed(path, task.name):
        if (code := identity(parts)) != KNOWN[task.name]:
            raise GraphError(f"it is not {task.title} as published")
        source = f"{task.title} (Planetoid, Yang et al., 2016), features row-normalized"
        return Dataset(task, **parts, source=f"{source}, SHA-256 {code}")


def read_parts(path: Path, name: str) -> dict[str, Part]:
    """Return the three parts of a file of this format, whatever graph it holds.

    Examples
    --------
    >>> papers = {"edges": np.array([[0, 1], [1, 2]]), "label": np.array([4, 5, 6]),
    ...           "train_idx": np.array([0]), "val_idx": np.array([1]), "test_idx": np.array([2]),
    ...           "num_nodes": np.array(3), "feat_indptr": np.array([0, 1, 3, 3]),
    ...           "feat_indices": np.array([0, 0, 1]), "feat_data": np.ones(3),
    ...           "feat_dim": np.array(2)}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "papers.npz"
    ...     _ = write(path, papers)
    ...     valid = read_parts(path, "cora")["valid"]
    >>> valid.x, valid.y.ravel()
    (array([[1. , 0. ],
           [0.5, 0.5],
           [0. , 0. ]], dtype=float32), array([-1,  5, -1]))
    """
    found = read(path, COLUMNS, name)
    with blamed(path, name):
        nodes = int(found["num_nodes"])
        stored = unpack(found["num_nodes"][None], np.array([len(found["edges"])]), found["edges"])
        if len(found["label"]) != nodes:
            raise GraphError(f"there are {len(found['label'])} labels for {nodes} nodes")
        x, seen = _features(found, nodes), np.zeros(nodes, dtype=bool)
        parts = {}
        for part, column in SPLITS.items():
            chosen = found[column].astype(np.int64)
            if len(chosen) == 0 or not 0 <= chosen.min() <= chosen.max() < nodes:
                raise GraphError(f"{column} names other nodes than the {nodes} that there are")
            if seen[chosen].any() or len(np.unique(chosen)) != len(chosen):
                raise GraphError(f"{column} names a node that was named before")
            seen[chosen] = True
            y = np.full((nodes, 1), -1, dtype=np.int64)
            y[chosen, 0] = found["label"][chosen]
            if y[chosen].min() < 0:
                raise GraphError(f"{column} names a node without a label")
            parts[part] = Part(x, y, stored.node_ptr, stored.edge_index)
        return parts


def _features(found: Mapping[str, Array], nodes: int) -> Array:
    """Return the words of each paper as a table of rows that add up to 1."""
    ptr, words = found["feat_indptr"].astype(np.int64), found["feat_indices"].astype(np.int64)
    width, values = int(found["feat_dim"]), found["feat_data"].astype(np.float32)
    if not 0 < nodes * width <= MAX_ENTRIES:
        raise GraphError(f"features of shape ({nodes}, {width}) are not made")
    ends = (ptr[0], ptr[-1]) if len(ptr) == nodes + 1 else None
    if ends != (0, len(words)) or len(values) != len(words) or (np.diff(ptr) < 0).any():
        raise GraphError("feat_indptr, feat_indices and feat_data are no sparse matrix")
    if len(words) and not 0 <= words.min() <= words.max() < width:
        raise GraphError(f"feat_indices names other words than the {width} that there are")
    if not (np.isfinite(values).all() and (values > 0).all()):
        raise GraphError("feat_data holds numbers that are not positive")
    x = np.zeros((nodes, width), dtype=np.float32)
    x[np.repeat(np.arange(nodes), np.diff(ptr)), words] = values
    total = x.sum(axis=1, keepdims=True)
    return x / np.where(total > 0, total, np.float32(1))


def fetch(path: Path, task: Task) -> None:
    """Download the data set from its official source and write it as one file of ours."""
    with official(task, path), tempfile.TemporaryDirectory() as folder:
        from torch_geometric.datasets import Planetoid

        found = Planetoid(folder, task.title, split="public")[0]
        write(path, convert(found))


def convert(data: Any) -> dict[str, Array]:
    """Return the arrays of our file from PyG's ``Data`` object.

    A paper without words has no label: torch_geometric gives it class 0.

    Examples
    --------
    >>> import torch
    >>> from torch_geometric.data import Data
    >>> mask = torch.eye(3, dtype=torch.bool)
    >>> data = Data(x=torch.eye(3), edge_index=torch.tensor([[0, 1], [1, 0]]), y=torch.arange(3),
    ...             train_mask=mask[0], val_mask=mask[1], test_mask=mask[2])
    >>> convert(data)["edges"]
    array([[0, 1]], dtype=int32)
    """
    x, index = data.x.numpy(), data.edge_index.numpy()
    edges, _ = undirected(index, np.zeros((index.shape[1], 0)), "the graph")
    rows, words = np.nonzero(x)
    masks = (data.train_mask, data.val_mask, data.test_mask)
    return {
        "edges": edges.astype(np.int32),
        "label": np.where(x.any(axis=1), data.y.numpy(), -1).astype(np.int8),
        "num_nodes": np.array(len(x), dtype=np.int32),
        "feat_indptr": np.searchsorted(rows, np.arange(len(x) + 1)).astype(np.int32),
        "feat_indices": words.astype(np.int16),
        "feat_data": x[rows, words].astype(np.float32),
        "feat_dim": np.array(x.shape[1], dtype=np.int32),
    } | {
        column: np.flatnonzero(mask.numpy()).astype(np.int32)
        for column, mask in zip(SPLITS.values(), masks, strict=True)
    }
