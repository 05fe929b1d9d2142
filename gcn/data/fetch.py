r"""From the official sources of data sets to files of ours.

The map is ``torch_geometric's Data objects -> arrays``, and :func:`official` makes one
:class:`~gcn.data.dataset.DataError` of all that can go wrong between a network and a foreign
library. Official files may be pickles, which the libraries open; what we write and read is not.

>>> import torch
>>> from torch_geometric.data import Data
>>> water = Data(x=torch.tensor([[1], [8], [1]]), y=torch.tensor([1.0]),
...              edge_index=torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]),
...              edge_attr=torch.tensor([1, 1, 1, 1]))
>>> molecules([water]).edges
array([[0, 1],
       [1, 2]])
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gcn.data.dataset import Array, DataError, Dataset, Task
from polyfilter.errors import GraphError

__all__ = ["Molecules", "molecules", "obtain", "official"]


class Molecules(NamedTuple):
    """Many small graphs as a file holds them: edges once, node numbers from 0 in each graph.

    Examples
    --------
    >>> water = Molecules(num_nodes=np.array([3]), num_edges=np.array([2]),
    ...                   edges=np.array([[0, 1], [1, 2]]), x=np.array([[1], [8], [1]]),
    ...                   edge_attr=np.array([[1], [1]]), y=np.array([[1.0]]))
    >>> water.x[water.edges].squeeze(-1)                             # which atoms bonds join
    array([[1, 8],
           [8, 1]])
    """

    num_nodes: Array
    num_edges: Array
    edges: Array
    x: Array
    edge_attr: Array
    y: Array


@contextmanager
def official(task: Task, path: Path) -> Iterator[None]:
    """Turn whatever a download and its conversion raise into one error.

    Examples
    --------
    >>> task = Task("zinc", "ZINC", "mae", "sum", (28,), 1)
    >>> with official(task, Path("data/zinc12k/zinc12k.npz")):
    ...     raise OSError("no network")
    Traceback (most recent call last):
    ...
    gcn.data.dataset.DataError: can't download ZINC (OSError: no network); try again with a network,
    or put data/zinc12k/zinc12k.npz there by hand
    """
    try:
        with redirect_stdout(sys.stderr):  # what they tell is no result of ours
            yield
    except DataError:
        raise
    except ImportError as error:
        raise DataError(
            f"{task.title} is downloaded with {error.name}: pip install 'polyfilter[benchmarks]'"
        ) from error
    except (Exception, SystemExit) as error:  # foreign code, and anything can end a download
        why = f"{type(error).__name__}: {error}".splitlines()[0]
        raise DataError(
            f"can't download {task.title} ({why:.300}); try again with a network, or put {path} "
            "there by hand"
        ) from error


def obtain(
    path: Path, read: Callable[[Path], Dataset], fetch: Callable[[Path], None], download: bool
) -> Dataset:
    """Return what ``read`` finds in a file; ``fetch`` it first if that is asked for and needed.

    A file that is there and good is never fetched, and one that is damaged is.

    Examples
    --------
    >>> fetched = set()
    >>> def read(path):
    ...     if path not in fetched:
    ...         raise DataError(f"can't use {path}: it is not there")
    ...     return f"what {path} holds"
    >>> obtain(Path("zinc.npz"), read, fetched.add, download=False)
    Traceback (most recent call last):
    ...
    gcn.data.dataset.DataError: can't use zinc.npz: it is not there
    >>> obtain(Path("zinc.npz"), read, fetched.add, download=True)
    'what zinc.npz holds'
    """
    if download:
        try:
            return read(path)
        except DataError:
            fetch(path)
    return read(path)


def molecules(data: Sequence[Any]) -> Molecules:
    """Return many ``Data`` objects as arrays; each has x, edge_index, edge_attr and y.

    Raises
    ------
    GraphError
        If a graph is directed, or the two directions of an edge have different features.

    Examples
    --------
    >>> import torch
    >>> from torch_geometric.data import Data
    >>> arc = Data(x=torch.tensor([[6], [8]]), y=torch.tensor([1.0]),
    ...            edge_index=torch.tensor([[0], [1]]), edge_attr=torch.tensor([2]))
    >>> molecules([arc])
    Traceback (most recent call last):
    ...
    polyfilter.errors.GraphError: graph 0 is directed: an edge and its reverse are not the same
    """
    rows: dict[str, list[Array]] = {name: [] for name in ("edges", "x", "edge_attr", "y")}
    for k, graph in enumerate(data):
        features = graph.edge_attr.numpy()
        features = features if features.ndim == 2 else features[:, None]
        pairs, features = undirected(graph.edge_index.numpy(), features, f"graph {k}")
        rows["edges"].append(pairs)
        rows["edge_attr"].append(features)
        rows["x"].append(graph.x.numpy())
        rows["y"].append(graph.y.numpy().reshape(1, -1))
    return Molecules(
        num_nodes=np.array([len(x) for x in rows["x"]]),
        num_edges=np.array([len(pairs) for pairs in rows["edges"]]),
        **{name: np.concatenate(arrays) for name, arrays in rows.items()},
    )


def undirected(index: Array, features: Array, where: str) -> tuple[Array, Array]:
    """Return each edge once, lower end first and sorted, with its features.

    Examples
    --------
    >>> undirected(np.array([[2, 0], [0, 2]]), np.array([[7], [7]]), "here")
    (array([[0, 2]]), array([[7]]))
    """
    up, down = index[0] < index[1], index[0] > index[1]
    if not (up | down).all():
        raise GraphError(f"{where} joins a node to itself")
    forth, back = index[:, up], index[::-1, down]
    first, second = np.lexsort(forth[::-1]), np.lexsort(back[::-1])
    pairs, found = forth[:, first].T, features[up][first]
    if not np.array_equal(pairs, back[:, second].T) or not np.array_equal(
        found, features[down][second]
    ):
        raise GraphError(f"{where} is directed: an edge and its reverse are not the same")
    return pairs, found
