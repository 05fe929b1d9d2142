r"""MNIST: images of digits, and the superpixels that the benchmark cuts them into.

The map is ``folder -> images, superpixels, digits``. Two files are read:

* ``mnist/mnist.npz`` with ``x_train``, ``y_train``, ``x_test`` and ``y_test``, known by the MD5
  sums of the original four files, which are rebuilt from them;
* ``mnist_75sp/mnist_75sp_segments.npz`` with ``seg_train`` and ``seg_test``, the superpixel of each
  pixel, and ``n_train`` and ``n_test``, how many an image has: SLIC with compactness 0.25, asked
  for 95 and fewer until at most 75 come out. They are known by the published statistics: 40 to 75
  superpixels, 70.56668571428571 on average with a standard deviation of 6.839718781902528.

Assumptions: none about the files; what is wrong with one raises a
:class:`~gcn.data.dataset.DataError`.

>>> read(Path("nowhere"), "test")
Traceback (most recent call last):
...
gcn.data.dataset.DataError: can't use nowhere/mnist/mnist.npz: No such file or directory; get it
with `python -m experiments benchmarks --dataset mnist --download --data nowhere`
"""

from collections.abc import Mapping
from hashlib import md5
from pathlib import Path
from struct import pack
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from gcn.data import store
from gcn.data.dataset import Array
from gcn.data.regions import Cut
from polyfilter.errors import GraphError

__all__ = ["IMAGES", "SEGMENTS", "read"]

IMAGES = Path("mnist") / "mnist.npz"
SEGMENTS = Path("mnist_75sp") / "mnist_75sp_segments.npz"
SIDE = 28
MAGIC = {1: 2049, 3: 2051}
"""How the original files begin, by the number of dimensions."""


class Known(NamedTuple):
    """What one half of the data is known by."""

    images: str
    labels: str
    superpixels: int
    squares: int


HALVES: Mapping[str, Known] = MappingProxyType(
    {
        "train": Known(
            "6bbc9ace898e44ae57da46a324031adb",
            "a25bea736e30d166cdddb491f175f624",
            4_234_027,
            301_600_001,
        ),
        "test": Known(
            "2646ac647ad5339dbf082846283269ea",
            "27ae3e4e09519cfbb04c329615203637",
            705_641,
            50_250_721,
        ),
    }
)
"""MD5 sums of the original files; sums of n and n^2, which say mean and deviation exactly."""


def read(folder: Path, half: str) -> Cut:
    """Return the images of "train" or "test" with their superpixels, in the original order.

    Raises
    ------
    DataError
        If a file is missing or damaged, or does not hold MNIST.
    """
    known = HALVES[half]
    x, y = _read(folder / IMAGES, {f"x_{half}": 3, f"y_{half}": 1})
    with store.blamed(folder / IMAGES, "mnist"):
        for name, array, wanted in (("images", x, known.images), ("labels", y, known.labels)):
            if original(array) != wanted:
                raise GraphError(f"its {half} {name} are not those of MNIST")
    segments, n = _read(folder / SEGMENTS, {f"seg_{half}": 3, f"n_{half}": 1})
    with store.blamed(folder / SEGMENTS, "mnist"):
        found = n.astype(np.int64)
        if (found.sum(), (found**2).sum()) != (known.superpixels, known.squares):
            raise GraphError(
                f"its {half} images have {found.mean():.6f} ± {found.std():.6f} superpixels, which "
                "is not what is published"
            )
        if segments.shape != x.shape:
            raise GraphError(f"seg_{half} has shape {segments.shape}, not {x.shape}")
    return Cut(x[..., None], segments, n, y)


def original(array: Array) -> str:
    """Return the MD5 sum of the file in which images or labels were first published.

    Examples
    --------
    >>> original(np.zeros(60000, dtype=np.uint8))[:8]
    'ab2020c0'
    """
    header = pack(f">{1 + array.ndim}i", MAGIC[array.ndim], *array.shape)
    return md5(header + array.astype(np.uint8).tobytes(), usedforsecurity=False).hexdigest()


def _read(path: Path, dimensions: Mapping[str, int]) -> tuple[Array, Array]:
    found = store.read(path, {name: ("integers", d) for name, d in dimensions.items()}, "mnist")
    first, second = (found[name] for name in dimensions)
    return first, second
