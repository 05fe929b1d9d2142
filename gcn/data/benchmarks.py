r"""The paper's benchmarks by name.

The map is ``name -> Dataset``. Each data set has a module of its own, which is imported when the
data set is asked for.

>>> NAMES[:3]
('zinc', 'mnist', 'cifar10')
>>> load("mutag", None)
Traceback (most recent call last):
...
gcn.data.dataset.DataError: there is no data set 'mutag'; there are zinc, mnist, cifar10, ...
"""

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from types import MappingProxyType

from gcn.data.dataset import DataError, Dataset

__all__ = ["NAMES", "load"]

HOMES: Mapping[str, tuple[str, tuple[str, ...]]] = MappingProxyType(
    {
        "zinc": ("zinc", ("download",)),
        "mnist": ("superpixels", ("name", "download", "limit")),
        "cifar10": ("superpixels", ("name", "download", "limit")),
        "cifar10-jpeg": ("superpixels", ("name", "download", "limit")),
        "cluster": ("sbm", ("name", "download", "seed", "limit")),
        "pattern": ("sbm", ("name", "download", "seed", "limit")),
        "molhiv": ("molhiv", ("download",)),
        "proteins": ("proteins", ("download",)),
        "cora": ("planetoid", ("name", "download")),
        "citeseer": ("planetoid", ("name", "download")),
    }
)
"""The module of each data set, and what its ``load`` takes by name beside the folder."""
NAMES = tuple(HOMES)


def load(
    name: str,
    folder: Path | None,
    *,
    download: bool = False,
    seed: int = 0,
    limit: int | None = None,
) -> Dataset:
    """Return a data set from the files in ``folder``.

    Parameters
    ----------
    name
        One of :data:`NAMES`.
    folder
        Where data lie: each set in a folder of its own. Generated sets need none.
    download
        Fetch the files first from the official source, if they are missing or damaged.
    seed
        For data sets that are generated; the others have none.
    limit
        No more than the first so many graphs of each part are needed. Sets that are made, which
        takes minutes, make no more; the others are read whole.

    Raises
    ------
    DataError
        If a file is missing or damaged.

    Examples
    --------
    >>> load("zinc", Path("nowhere"))
    Traceback (most recent call last):
    ...
    gcn.data.dataset.DataError: can't use nowhere/zinc12k/zinc12k.npz: No such file or directory;
    get it with `python -m experiments benchmarks --dataset zinc --download --data nowhere`
    """
    if name not in HOMES:
        raise DataError(f"there is no data set {name!r:.40}; there are {', '.join(NAMES)}")
    home, takes = HOMES[name]
    words = {"name": name, "download": download, "seed": seed, "limit": limit}
    dataset: Dataset = import_module(f"gcn.data.{home}").load(
        folder, **{word: words[word] for word in takes}
    )
    return dataset
