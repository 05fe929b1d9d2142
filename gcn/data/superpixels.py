r"""MNIST and CIFAR10 as graphs of superpixels, and what the images show.

The map is ``(images, superpixels) -> graphs`` (:mod:`gcn.data.regions`), with the classes of the
images as targets. The first 5,000 training images validate: 55,000/5,000/10,000 graphs of MNIST
and 45,000/5,000/10,000 of CIFAR10. Networks read out the mean over nodes.

1. Features are colour, row and column, each in [0, 1]. Edges have one feature, the similarity.
2. The benchmark's graphs are directed, from each node to 8 others. The authors of the paper add
   the reversed edges ("undirected": true in their configurations), so that A is symmetric as in
   their text, and so do we; ``directed=True`` does not.
3. Neighbours are the 8 nearest, as texts say. The published graphs differ in about one of 8
   (:mod:`gcn.data.regions` tells how). They can be downloaded, and are taken if they are there.
4. CIFAR10-JPEG is made from a lossy copy: it is another data set.

Graphs are made once and kept in ``FOLDER/mnist_75sp``, ``cifar10`` or ``cifar10_jpeg``. MNIST takes
a minute, and superpixels of CIFAR10 some minutes a core.

>>> TASKS["mnist"].in_channels, TASKS["cifar10"].in_channels
(3, 5)
>>> load(None, name="mnist")
Traceback (most recent call last):
...
gcn.data.dataset.DataError: MNIST is read from files: say where with --data FOLDER, or get it with
`python -m experiments benchmarks --dataset mnist --download --data FOLDER`
"""

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from gcn.data import cifar, mnist
from gcn.data.cache import cached, may_write, refused
from gcn.data.dataset import Array, DataError, Dataset, Part, Task
from gcn.data.fetch import official
from gcn.data.regions import NEIGHBOURS, Cut, Regions, regions
from polyfilter.errors import GraphError

__all__ = ["TASKS", "convert", "load"]

TASKS: Mapping[str, Task] = MappingProxyType(
    {
        "mnist": Task("mnist", "MNIST", "cross_entropy", "mean", 3, 10, 1),
        "cifar10": Task("cifar10", "CIFAR10", "cross_entropy", "mean", 5, 10, 1),
        "cifar10-jpeg": Task("cifar10-jpeg", "CIFAR10-JPEG", "cross_entropy", "mean", 5, 10, 1),
    }
)
FOLDERS = {"mnist": "mnist_75sp", "cifar10": "cifar10", "cifar10-jpeg": "cifar10_jpeg"}
VALID = 5000
PARTS = {
    "train": ("train", slice(VALID, None)),
    "valid": ("train", slice(0, VALID)),
    "test": ("test", slice(None)),
}
"""Of which published half a part is, and which images."""
FIELDS = ("num_nodes", "x", "neighbours", "similarity", "y")
SIZES = {
    "mnist": {"train": 55_000, "valid": 5_000, "test": 10_000},
    "cifar10": {"train": 45_000, "valid": 5_000, "test": 10_000},
}
NEAREST, OFFICIAL = "nearest", "official"
"""Graphs that were made here, and such that were downloaded."""
SOURCES = {
    "mnist": "MNIST with the superpixels of scikit-image 0.15",
    "cifar10": "CIFAR-10, cut into superpixels here",
    "cifar10-jpeg": "a lossy JPEG copy of CIFAR-10, cut into superpixels here",
}


def load(
    folder: Path | None,
    *,
    name: str,
    download: bool = False,
    directed: bool = False,
    limit: int | None = None,
    jobs: int | None = None,
) -> Dataset:
    """Return a data set of superpixels.

    Parameters
    ----------
    folder
        The data folder.
    name
        "mnist", "cifar10" or "cifar10-jpeg".
    download
        Fetch the benchmark's own graphs first, if they are not there.
    directed
        Only edges from each node to its neighbours; otherwise both directions.
    limit
        At most this many graphs a part, the first ones.
    jobs
        How many processes cut images; by default as many as there are cores.

    Raises
    ------
    DataError
        If a file is missing or damaged.

    Examples
    --------
    >>> load(Path("nowhere"), name="mnist", limit=10)
    Traceback (most recent call last):
    ...
    gcn.data.dataset.DataError: can't use nowhere/mnist/mnist.npz: No such file or directory; ...
    """
    if name not in TASKS:
        raise DataError(f"data sets of superpixels are {', '.join(TASKS)}, not {name!r:.40}")
    if limit is not None and limit < 1:
        raise GraphError(f"a part has at least one graph, not {limit}")
    task = TASKS[name]
    if folder is None:
        raise DataError.nowhere(task)
    place = Path(folder) / FOLDERS[name]
    official_path = place / f"{name}-{OFFICIAL}.npz"
    if download:
        _fetch(official_path, task)
    kind = OFFICIAL if official_path.exists() else NEAREST
    path = place / f"{name}-{kind}.npz"

    def make() -> dict[str, Array]:
        return _make(Path(folder), name, limit, jobs)

    # a limited set is not kept, and cut out of the whole one if that is there
    kept = path if limit is None or path.exists() else None
    arrays = cached(kept, {"dataset": name, "neighbours": kind}, make)
    try:
        parts = {
            part: _part({field: arrays[f"{part}_{field}"] for field in FIELDS}, directed, limit)
            for part in PARTS
        }
        edges = "directed" if directed else "both directions"
        source = f"{SOURCES[name]}; 8 nearest neighbours, {edges}"
        if kind == OFFICIAL:
            source = f"the benchmark's own graphs, by torch_geometric; {edges}"
        return Dataset(task, **parts, source=source)
    except (GraphError, LookupError, ValueError) as error:
        raise refused(path, f"it holds no superpixels ({error})") from error


def _make(folder: Path, name: str, limit: int | None, jobs: int | None) -> dict[str, Array]:
    """Return all superpixels from images."""
    arrays: dict[str, Array] = {}
    segments = folder / FOLDERS[name] / "segments"
    keep = segments if limit is None and may_write(segments.parent) else None
    halves: dict[str, tuple[Array, ...]] = {}
    for part, (half, chosen) in PARTS.items():
        if half not in halves:
            halves[half] = _read(folder, name, half)
        columns = [column[chosen][:limit] for column in halves[half]]
        if name == "mnist":
            cut = Cut(*columns)
        else:
            images, labels = columns
            cut = cifar.cut_images(images, labels, keep, f"{name}-{part}", jobs)
        arrays |= {
            f"{part}_{field}": array
            for field, array in _arrays(regions(*cut[:3]), cut.labels).items()
        }
    return arrays


def _read(folder: Path, name: str, half: str) -> tuple[Array, ...]:
    if name == "mnist":
        return mnist.read(folder, half)
    return (cifar.read_binary if name == "cifar10" else cifar.read_jpeg)(folder, half)


def _arrays(found: Regions, labels: Array) -> dict[str, Array]:
    return {
        "num_nodes": found.num_nodes,
        "x": found.x,
        "neighbours": found.neighbours,
        "similarity": found.similarity,
        "y": labels.astype(np.uint8),
    }


def _part(arrays: Mapping[str, Array], directed: bool, limit: int | None) -> Part:
    *columns, y = (arrays[field] for field in FIELDS)
    found = Regions(*columns)
    if y.shape != found.num_nodes.shape:
        raise GraphError(f"there are {y.shape} classes for {found}")
    found = found[:limit]
    edge_index, edge_attr = found.edges(directed=directed)
    return Part(
        x=found.x.astype(np.float32),
        y=y[:limit, None].astype(np.int64),
        node_ptr=found.node_ptr(),
        edge_index=edge_index,
        edge_attr=edge_attr,
    )


# ------------------------------------------------------------------------------ the benchmark's own


def _fetch(path: Path, task: Task) -> None:
    """Fetch the benchmark's graphs through torch_geometric, if they are not there."""
    if path.exists():
        return
    if task.name == "cifar10-jpeg":
        raise DataError(
            f"{task.title} is a copy that was made by hand and can't be downloaded; cifar10 can"
        )
    with official(task, path), tempfile.TemporaryDirectory() as folder:
        from torch_geometric.datasets import GNNBenchmarkDataset

        arrays: dict[str, Array] = {}
        for part, split in (("train", "train"), ("valid", "val"), ("test", "test")):
            graphs = GNNBenchmarkDataset(folder, task.title, split)
            if len(graphs) != (size := SIZES[task.name][part]):
                raise GraphError(f"the {split} split has {len(graphs)} graphs, not {size}")
            arrays |= {f"{part}_{field}": array for field, array in convert(graphs).items()}
        path.parent.mkdir(parents=True, exist_ok=True)
        cached(path, {"dataset": task.name, "neighbours": OFFICIAL}, arrays.copy)


def convert(graphs: Sequence[Any]) -> dict[str, Array]:
    """Return the benchmark's graphs, as torch_geometric has them, as we keep superpixels.

    Parameters
    ----------
    graphs
        Objects with x (colours), pos, edge_index, edge_attr and y; each node has 8 edges.

    Raises
    ------
    GraphError
        If a node does not have 8.

    Examples
    --------
    >>> import torch
    >>> from torch_geometric.data import Data
    >>> edges = torch.tensor([(i, j) for i in range(9) for j in range(9) if i != j]).T
    >>> nine = Data(x=torch.zeros(9, 1), pos=torch.zeros(9, 2), y=torch.tensor([7]),
    ...             edge_index=edges, edge_attr=edges[1] / 9)
    >>> convert([nine])["neighbours"][0]                             # the most similar first
    array([8, 7, 6, 5, 4, 3, 2, 1], dtype=uint8)
    """
    rows: dict[str, list[Array]] = {field: [] for field in FIELDS}
    for k, graph in enumerate(graphs):
        source, target = graph.edge_index.numpy()
        n = len(graph.x)
        if (np.bincount(source, minlength=n) != NEIGHBOURS).any():
            raise GraphError(f"a node of graph {k} does not have {NEIGHBOURS} neighbours")
        order = np.lexsort([-graph.edge_attr.numpy().ravel(), source])  # nearest first
        rows["num_nodes"].append(np.array([n], dtype=np.uint8))
        rows["x"].append(np.concatenate([graph.x.numpy(), graph.pos.numpy()], axis=1))
        rows["neighbours"].append(target[order].reshape(n, NEIGHBOURS))
        rows["similarity"].append(graph.edge_attr.numpy().ravel()[order].reshape(n, NEIGHBOURS))
        rows["y"].append(graph.y.numpy().ravel())
    kinds = {"x": np.float16, "similarity": np.float16}
    return {
        field: np.concatenate(arrays).astype(kinds.get(field, np.uint8))
        for field, arrays in rows.items()
    }
