r"""ogbn-proteins: the functions of 132,534 proteins (Open Graph Benchmark, Hu et al., 2020).

The map is ``protein -> 112 answers``, yes or no for each function. Nodes are proteins of eight
species, edges their 39,561,252 associations; parts are species, and all three are the same graph,
with answers that are not of the part unknown (nan). Proteins have no features of their own. As in
the authors' release, and in OGB's example, a node has the mean of the eight features of its edges,

.. math:: x_i = \frac{1}{d_i} \sum_{j \sim i} e_{ij} \in [0, 1]^8,

and a node without edges zeros; features of edges go no further than that. Networks are compared by
the area under the ROC curve, the mean over functions.

The release adds a self-loop to each node of this graph, for SoGCN too; a part has none, since A is
the paper's :math:`D^{-1/2} W D^{-1/2}`.

Loading goes through the ``ogb`` package, which reads its archive's tables, in ``ogbn_proteins`` of
the data folder, once; the result is kept in ``proteins/proteins.npz``. The official archive could
not be had where this was written, so none of our numbers is on this data set, and the loader is
tested on small tables of the same format. By its size the real one should need some 16 GB of
memory.

>>> TASK.in_channels, TASK.out_channels, TASK.readout
(8, 112, 'node')
"""

import tempfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from gcn.data.dataset import Array, DataError, Dataset, Part, Task
from gcn.data.fetch import obtain, official, undirected
from gcn.data.store import Sizes, blamed, expect, identity, read, unpack, write
from polyfilter.errors import GraphError

__all__ = ["TASK", "convert", "load", "read_parts"]

TASK = Task("proteins", "ogbn-proteins", "bce", "node", 8, 112)
FILE = Path("proteins") / "proteins.npz"
ARCHIVE = Path("ogbn_proteins")
"""Where the ``ogb`` package unpacks its archive."""
TABLES = ARCHIVE / "raw" / "edge.csv.gz"
PARTS = ("train", "valid", "test")
COLUMNS = {
    "x": ("floats", 2),
    "label": ("integers", 2),
    "split": ("integers", 1),
    "edges": ("integers", 2),
}
SIZES = Sizes(1, 132_534, 2 * 39_561_252)
ASKED = {"train": 86_619, "valid": 21_236, "test": 24_679}


def load(folder: Path | None, *, download: bool = False) -> Dataset:
    """Return ogbn-proteins from a folder.

    Parameters
    ----------
    folder
        The data folder. Tables of the ``ogb`` package that lie there are converted.
    download
        Fetch the tables with the ``ogb`` package first, if they are missing.

    Examples
    --------
    >>> load(Path("nowhere"))
    Traceback (most recent call last):
    ...
    gcn.data.dataset.DataError: can't use nowhere/proteins/proteins.npz: No such file or directory;
    get it with ...
    """
    if folder is None:
        raise DataError.nowhere(TASK)
    return obtain(folder / FILE, read_dataset, fetch, download or (folder / TABLES).exists())


def read_dataset(path: Path) -> Dataset:
    """Return the benchmark from its file, after checking that it is the benchmark."""
    parts = read_parts(path)
    with blamed(path, TASK.name):
        expect(parts, dict.fromkeys(PARTS, SIZES))
        for name, part in parts.items():
            asked = int((~np.isnan(part.y)).any(axis=1).sum())
            if asked != ASKED[name]:
                raise GraphError(f"{name} asks about {asked} proteins, not {ASKED[name]}")
        source = f"ogbn-proteins (Hu et al., 2020), SHA-256 {identity(parts)}"
        return Dataset(TASK, **parts, source=source)


def read_parts(path: Path) -> dict[str, Part]:
    """Return the three parts of a file of this format, whatever graph it holds.

    Examples
    --------
    >>> three = {"x": np.zeros((3, 8)), "label": np.array([[0], [1], [1]]),
    ...          "split": np.array([0, 1, 2]), "edges": np.array([[0, 1], [1, 2]])}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "three.npz"
    ...     _ = write(path, three)
    ...     read_parts(path)["valid"].y.ravel()                      # asks about one of them
    array([nan,  1., nan], dtype=float32)
    """
    found = read(path, COLUMNS, TASK.name)
    with blamed(path, TASK.name):
        edges, split, label = (found[name] for name in ("edges", "split", "label"))
        stored = unpack(np.array([len(split)]), np.array([len(edges)]), edges)
        if len(label) != len(split):
            raise GraphError(f"there are {len(label)} rows of labels for {len(split)} nodes")
        if np.unique(split).tolist() != list(range(len(PARTS))):
            raise GraphError(f"it has splits {np.unique(split).tolist()}, not 0, 1 and 2")
        x, nan = found["x"].astype(np.float32), np.float32(np.nan)
        return {
            name: Part(
                x=x,
                y=np.where(split[:, None] == k, label.astype(np.float32), nan),
                node_ptr=stored.node_ptr,
                edge_index=stored.edge_index,
            )
            for k, name in enumerate(PARTS)
        }


def fetch(path: Path) -> None:
    """Read ogbn-proteins with the ``ogb`` package, which downloads it, and write our file."""
    root = path.parent.parent
    with official(TASK, path):
        root.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=root) as place:
            from ogb.nodeproppred import NodePropPredDataset

            if (root / TABLES).exists():
                root = _linked(root / ARCHIVE, Path(place))
            found = NodePropPredDataset(TASK.title, root=str(root))
            graph, label = found[0]
            write(path, convert(graph, label, found.get_idx_split()))


def _linked(archive: Path, place: Path) -> Path:
    """Return a root with the same tables and without the pickle that ogb may have left beside them.

    It would read the pickle back, which torch 2.6 and later refuse.
    """
    (place / ARCHIVE / "processed").mkdir(parents=True)
    for kept in archive.iterdir():
        if kept.name != "processed":
            (place / ARCHIVE / kept.name).symlink_to(kept.resolve())
    return place


def convert(
    graph: Mapping[str, Array], label: Array, split: Mapping[str, Array]
) -> dict[str, Array]:
    """Return the arrays of our file from what the ``ogb`` package gives.

    Examples
    --------
    >>> path = {"edge_index": np.array([[0, 1, 1, 2], [1, 0, 2, 1]]), "num_nodes": 3,
    ...         "edge_feat": np.array([[1.0], [1.0], [0.5], [0.5]])}
    >>> parts = {"train": [0], "valid": [1], "test": [2]}
    >>> convert(path, np.array([[0], [1], [1]]), parts)["x"].ravel()
    array([1.  , 0.75, 0.5 ], dtype=float32)
    """
    pairs, features = undirected(graph["edge_index"], graph["edge_feat"], "the graph")
    nodes = int(graph["num_nodes"])
    degree = np.bincount(pairs.ravel(), minlength=nodes)
    sums = [
        np.bincount(pairs.ravel(), np.repeat(column, 2), minlength=nodes) for column in features.T
    ]
    of_part = np.full(nodes, len(PARTS), dtype=np.uint8)
    for k, name in enumerate(PARTS):
        of_part[np.asarray(split[name])] = k
    return {
        "x": (np.column_stack(sums) / np.maximum(degree, 1)[:, None]).astype(np.float32),
        "label": label.astype(np.uint8),
        "split": of_part,
        "edges": pairs.astype(np.int32),
    }
