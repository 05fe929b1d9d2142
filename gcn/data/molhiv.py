r"""ogbg-molhiv: molecules that do or don't inhibit HIV (Open Graph Benchmark, Hu et al., 2020).

The map is ``molecule -> yes or no``: 41,127 molecules, 1,443 of them yes, with nine categorical
features an atom and three a bond, split by scaffold. Networks read out the mean over nodes, as in
the authors' release, and are compared by the area under the ROC curve
(:func:`gcn.train.objective.roc_auc`), which is what OGB's evaluator computes.

The file is ``ogbg_molhiv/molhiv.npz`` with the arrays ``num_nodes``, ``num_edges``, ``node_feat``,
``edges`` (undirected, numbers of nodes from 0 in each molecule), ``edge_feat``, ``label`` and
``split`` (0 train, 1 valid, 2 test). It is known by the sizes and the number of yeses in each part.

>>> TASK.loss, TASK.readout, len(TASK.in_channels), TASK.edge_channels
('bce', 'mean', 9, (5, 6, 2))
"""

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from gcn.data.dataset import Array, DataError, Dataset, Part, Task
from gcn.data.fetch import molecules, obtain, official
from gcn.data.store import Sizes, blamed, expect, origin, read, unpack, write
from gcn.encoders import ATOM_FEATURES, BOND_FEATURES
from polyfilter.errors import GraphError

__all__ = ["TASK", "convert", "load", "read_parts"]

TASK = Task("molhiv", "ogbg-molhiv", "bce", "mean", ATOM_FEATURES, 1, BOND_FEATURES)
FILE = Path("ogbg_molhiv") / "molhiv.npz"
PARTS = ("train", "valid", "test")
COLUMNS = {
    "num_nodes": ("integers", 1),
    "num_edges": ("integers", 1),
    "node_feat": ("integers", 2),
    "edges": ("integers", 2),
    "edge_feat": ("integers", 2),
    "label": ("integers", 1),
    "split": ("integers", 1),
}
SIZES = {
    "train": Sizes(32_901, 830_936, 1_779_606),
    "valid": Sizes(4_113, 114_300, 251_116),
    "test": Sizes(4_113, 103_927, 228_654),
}
YES = {"train": 1_232, "valid": 81, "test": 130}
REBUILT = "6030fd2f5c507a7d"
"""What :func:`~gcn.data.store.identity` gives for molecules that were rebuilt from SMILES."""


def load(folder: Path | None, *, download: bool = False) -> Dataset:
    """Return ogbg-molhiv from ``ogbg_molhiv/molhiv.npz`` in a folder.

    Parameters
    ----------
    folder
        The data folder.
    download
        Fetch the file through ``ogb`` first, if it is missing or damaged.

    Examples
    --------
    >>> load(Path("nowhere"))
    Traceback (most recent call last):
    ...
    gcn.data.dataset.DataError: can't use nowhere/ogbg_molhiv/molhiv.npz: No such file or directory;
    get it with ...
    """
    if folder is None:
        raise DataError.nowhere(TASK)
    return obtain(folder / FILE, read_dataset, fetch, download)


def read_dataset(path: Path) -> Dataset:
    """Return the benchmark from its file, after checking that it is the benchmark."""
    parts = read_parts(path)
    with blamed(path, TASK.name):
        expect(parts, SIZES)
        for name, part in parts.items():
            if (yes := int(part.y.sum())) != YES[name]:
                raise GraphError(f"{name} has {yes} molecules that inhibit HIV, not {YES[name]}")
        made = origin(path, parts, REBUILT, "rebuilt from SMILES with RDKit")
        return Dataset(TASK, **parts, source=f"ogbg-molhiv (Hu et al., 2020), {made}")


def read_parts(path: Path) -> dict[str, Part]:
    """Return the three parts of a file of this format, whatever molecules it holds.

    Examples
    --------
    >>> three = np.ones(3, dtype=np.int64)
    >>> bonds = {"num_nodes": 2 * three, "num_edges": three, "node_feat": np.zeros((6, 9), int),
    ...          "edges": np.array([[0, 1]] * 3), "edge_feat": np.zeros((3, 3), int),
    ...          "label": np.array([0, 0, 1]), "split": np.array([2, 0, 1])}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "bonds.npz"
    ...     _ = write(path, bonds)
    ...     valid = read_parts(path)["valid"]
    >>> valid, valid.y
    (Part(1 graph, 2 nodes, 2 directed edges), array([[1.]], dtype=float32))
    """
    found = read(path, COLUMNS, TASK.name)
    with blamed(path, TASK.name):
        nodes, edges, split = (found[name] for name in ("num_nodes", "num_edges", "split"))
        whole = unpack(nodes, edges, found["edges"])  # checks that all of it fits
        for name, rows, wanted in (
            ("node_feat", len(found["node_feat"]), int(whole.node_ptr[-1])),
            ("edge_feat", len(found["edge_feat"]), len(found["edges"])),
            ("label", len(found["label"]), len(nodes)),
            ("split", len(split), len(nodes)),
        ):
            if rows != wanted:
                raise GraphError(f"{name} has {rows} rows, not {wanted}")
        if np.unique(split).tolist() != list(range(len(PARTS))):
            raise GraphError(f"it has splits {np.unique(split).tolist()}, not 0, 1 and 2")
        return {name: _part(found, split == k) for k, name in enumerate(PARTS)}


def _part(found: Mapping[str, Array], chosen: Array) -> Part:
    """Take the molecules that are chosen."""
    of_node = np.repeat(chosen, found["num_nodes"].astype(np.int64))
    of_edge = np.repeat(chosen, found["num_edges"].astype(np.int64))
    stored = unpack(found["num_nodes"][chosen], found["num_edges"][chosen], found["edges"][of_edge])
    return Part(
        x=found["node_feat"][of_node].astype(np.int64),
        y=found["label"][chosen].astype(np.float32)[:, None],
        node_ptr=stored.node_ptr,
        edge_index=stored.edge_index,
        edge_attr=np.repeat(found["edge_feat"][of_edge].astype(np.int64), 2, axis=0),
    )


def fetch(path: Path) -> None:
    """Download ogbg-molhiv with the ``ogb`` package and write it as one file of ours."""
    with official(TASK, path), tempfile.TemporaryDirectory() as folder:
        # The package's PyG class reads a pickle back that torch 2.6 and later refuse; its plain
        # one does not.
        from ogb.graphproppred import GraphPropPredDataset
        from torch_geometric.data import Data

        found = GraphPropPredDataset("ogbg-molhiv", root=folder)
        data = [
            Data(
                x=torch.tensor(graph["node_feat"]),
                edge_index=torch.tensor(graph["edge_index"]),
                edge_attr=torch.tensor(graph["edge_feat"]),
                y=torch.tensor(label),
            )
            for graph, label in zip(found.graphs, found.labels, strict=True)
        ]
        write(path, convert(data, found.get_idx_split()))


def convert(data: Sequence[Any], split: Mapping[str, Array]) -> dict[str, Array]:
    """Return the arrays of our file from ``Data`` objects and the numbers of each part.

    Examples
    --------
    >>> from torch_geometric.data import Data
    >>> bond = Data(x=torch.zeros(2, 9, dtype=torch.int64), y=torch.tensor([[1]]),
    ...             edge_index=torch.tensor([[0, 1], [1, 0]]),
    ...             edge_attr=torch.zeros(2, 3, dtype=torch.int64))
    >>> parts = {"train": np.array([1]), "valid": np.array([0]), "test": np.array([2])}
    >>> convert([bond, bond, bond], parts)["split"]
    array([1, 0, 2], dtype=uint8)
    """
    found = molecules(data)
    of_part = np.full(len(data), len(PARTS), dtype=np.uint8)
    for k, name in enumerate(PARTS):
        of_part[np.asarray(split[name])] = k
    return {
        "num_nodes": found.num_nodes.astype(np.uint8),
        "num_edges": found.num_edges.astype(np.uint16),
        "node_feat": found.x.astype(np.uint8),
        "edges": found.edges.astype(np.uint8),
        "edge_feat": found.edge_attr.astype(np.uint8),
        "label": found.y[:, 0].astype(np.uint8),
        "split": of_part,
    }
