r"""ZINC: molecules and their constrained solubility (12,000 of them, Section 5.2).

The map is ``molecule -> y``, a regression: atoms are nodes with one of 28 types, bonds are edges
with one of 4 (0 is "none" and does not occur), and

.. math:: y = \log P - \mathrm{SA} - \text{cycles}

in the normalized form of Dwivedi et al., *Benchmarking Graph Neural Networks* (2020), whose split
of 10,000, 1,000 and 1,000 molecules this is. Networks read out the sum over nodes and are
compared by their mean absolute error, as in the authors' release.

The file is ``zinc12k/zinc12k.npz``: for each split s of train, val and test the arrays
``s_num_nodes``, ``s_num_edges``, ``s_atom_type``, ``s_edges`` (undirected, numbers of nodes from 0
in each molecule), ``s_bond_type`` and ``s_y``. A file is known by its sizes, by mean and deviation
of its training targets, and by a SHA-256 of what does not depend on the order of the atoms in a
molecule: for each molecule, how many atoms of each type have how many bonds. So a conversion of
the official download and a reconstruction from SMILES, which order atoms differently, both pass,
and a molecule more, less, or with another atom does not. That sum is known for the molecules to
validate and to test, all of which were compared with the original. A file without a checksum of its
own has to be the known reconstruction to the last bit.

>>> TASK.readout, TASK.in_channels
('sum', (28,))
"""

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from gcn.data.dataset import Array, DataError, Dataset, Part, Task
from gcn.data.fetch import molecules, obtain, official
from gcn.data.store import Sizes, blamed, checksum, expect, origin, read, unpack, write
from polyfilter.errors import GraphError

__all__ = ["TASK", "convert", "load", "read_parts"]

ATOM_TYPES, BOND_TYPES = 28, 4
TASK = Task("zinc", "ZINC", "mae", "sum", (ATOM_TYPES,), 1, (BOND_TYPES,))
FILE = Path("zinc12k") / "zinc12k.npz"
SPLITS = {"train": "train", "valid": "val", "test": "test"}
COLUMNS = {
    "num_nodes": ("integers", 1),
    "num_edges": ("integers", 1),
    "atom_type": ("integers", 1),
    "edges": ("integers", 2),
    "bond_type": ("integers", 1),
    "y": ("floats", 1),
}
SIZES = {
    "train": Sizes(10_000, 231_664, 498_558),
    "valid": Sizes(1_000, 23_083, 49_692),
    "test": Sizes(1_000, 23_117, 49_720),
}
MEAN, DEVIATION, CLOSE = 0.0153, 2.0108, 1e-3
"""Of the training targets, so close that another scale does not pass."""
FINGERPRINT = "f3c681ef28e341e0f0741ea2027482490914eaa8609498dd33d296875ca9c692"
"""The :func:`fingerprint` of what was compared with the original."""
COMPARED = ("valid", "test")
REBUILT = "6ec4a25a52d0c712"
"""What :func:`~gcn.data.store.identity` gives for molecules that were rebuilt from SMILES."""


def load(folder: Path | None, *, download: bool = False) -> Dataset:
    """Return ZINC from ``zinc12k/zinc12k.npz`` in a folder.

    Parameters
    ----------
    folder
        The data folder.
    download
        Fetch the file through ``torch_geometric`` first, if it is missing or damaged.

    Examples
    --------
    >>> load(None)
    Traceback (most recent call last):
    ...
    gcn.data.dataset.DataError: ZINC is read from files: say where with --data FOLDER, or get it
    with `python -m experiments benchmarks --dataset zinc --download --data FOLDER`
    """
    if folder is None:
        raise DataError.nowhere(TASK)
    return obtain(folder / FILE, read_dataset, fetch, download)


def read_dataset(path: Path) -> Dataset:
    """Return the benchmark from its file, after checking that it is the benchmark."""
    parts = read_parts(path)
    with blamed(path, TASK.name):
        expect(parts, SIZES)
        y = parts["train"].y.astype(np.float64)
        if abs(y.mean() - MEAN) > CLOSE or abs(y.std() - DEVIATION) > CLOSE:
            raise GraphError(
                f"training targets are {y.mean():.6f} ± {y.std():.6f}, and should be "
                f"{MEAN} ± {DEVIATION}"
            )
        if fingerprint({name: parts[name] for name in COMPARED}) != FINGERPRINT:
            raise GraphError("its molecules are not those of the benchmark")
        made = origin(path, parts, REBUILT, "rebuilt from SMILES")
        return Dataset(TASK, **parts, source=f"ZINC 12k (Dwivedi et al., 2020), {made}")


def read_parts(path: Path) -> dict[str, Part]:
    """Return the three parts of a file of this format, whatever molecules it holds.

    Examples
    --------
    >>> bond = {"num_nodes": np.array([2]), "num_edges": np.array([1]), "edges": np.array([[0, 1]]),
    ...         "atom_type": np.array([0, 5]), "bond_type": np.array([2]), "y": np.array([0.5])}
    >>> splits = {f"{s}_{name}": array for s in SPLITS.values() for name, array in bond.items()}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "bonds.npz"
    ...     _ = write(path, splits)
    ...     read_parts(path)["valid"]
    Part(1 graph, 2 nodes, 2 directed edges)
    """
    names = {f"{split}_{name}": kind for split in SPLITS.values() for name, kind in COLUMNS.items()}
    found = read(path, names, TASK.name)
    with blamed(path, TASK.name):
        return {
            part: _part({name: found[f"{split}_{name}"] for name in COLUMNS})
            for part, split in SPLITS.items()
        }


def _part(found: Mapping[str, Array]) -> Part:
    stored = unpack(found["num_nodes"], found["num_edges"], found["edges"])
    part = Part(
        x=found["atom_type"].astype(np.int64)[:, None],
        y=found["y"].astype(np.float32)[:, None],
        node_ptr=stored.node_ptr,
        edge_index=stored.edge_index,
        edge_attr=np.repeat(found["bond_type"], 2).astype(np.int64)[:, None],
    )
    if len(part.y) != part.num_graphs:
        raise GraphError(f"there are {len(part.y)} targets for {part.num_graphs} molecules")
    return part


def fingerprint(parts: Mapping[str, Part]) -> str:
    """Return the SHA-256 of how many atoms of each type have how many bonds, molecule by molecule.

    Examples
    --------
    >>> y, ptr = np.ones((1, 1), dtype=np.float32), np.array([0, 2])
    >>> path = np.array([[0, 1], [1, 0]])
    >>> here, there = (Part(np.array([[i], [1 - i]]), y, ptr, path) for i in (0, 1))
    >>> fingerprint({"train": here}) == fingerprint({"train": there})
    True
    """
    counted = {}
    for name, part in parts.items():
        bonds = np.bincount(part.edge_index[0], minlength=len(part.x))
        graph = np.repeat(np.arange(part.num_graphs), np.diff(part.node_ptr))
        order = np.lexsort((bonds, part.x[:, 0], graph))
        counted[name] = np.stack([graph, part.x[:, 0], bonds])[:, order].astype(np.int64)
    return checksum(counted)


def fetch(path: Path) -> None:
    """Download ZINC from its official source and write it as one file of ours."""
    with official(TASK, path), tempfile.TemporaryDirectory() as folder:
        from torch_geometric.datasets import ZINC

        found = {s: list(ZINC(folder, subset=True, split=s)) for s in SPLITS.values()}
        write(path, convert(found))


def convert(splits: Mapping[str, Sequence[Any]]) -> dict[str, Array]:
    """Return the arrays of our file from PyG's ``Data`` objects, split by split.

    Examples
    --------
    >>> import torch
    >>> from torch_geometric.data import Data
    >>> bond = Data(x=torch.tensor([[0], [5]]), edge_index=torch.tensor([[0, 1], [1, 0]]),
    ...             edge_attr=torch.tensor([2, 2]), y=torch.tensor([0.5]))
    >>> convert({"val": [bond]})["val_atom_type"]
    array([0, 5], dtype=uint8)
    """
    arrays: dict[str, Array] = {}
    for split, data in splits.items():
        found = molecules(data)
        arrays |= {
            f"{split}_num_nodes": found.num_nodes.astype(np.uint8),
            f"{split}_num_edges": found.num_edges.astype(np.uint8),
            f"{split}_atom_type": found.x[:, 0].astype(np.uint8),
            f"{split}_edges": found.edges.astype(np.uint8),
            f"{split}_bond_type": found.edge_attr[:, 0].astype(np.uint8),
            f"{split}_y": found.y[:, 0].astype(np.float32),
        }
    return arrays
