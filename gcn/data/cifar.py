r"""CIFAR-10: images of things, and superpixels that are cut here.

The map is ``folder -> images, superpixels, classes``, from either of

* ``cifar10/data_batch_1.bin`` to ``data_batch_5.bin`` and ``test_batch.bin``, the *binary version*
  of the official files (the other version is Python's pickle, which runs what it is told to);
* ``cifar10_jpeg/cifar10_jpeg.npz``, a lossy copy of the same images as JPEG files, class by class.
  The order of CIFAR is lost with it, so images are shuffled here by a stream of our own. Results
  on it are called CIFAR10-JPEG and are not results on CIFAR10.

Superpixels are those of the benchmark: SLIC with compactness 10, asked for 200 and then for one
fewer until at most 150 come out. SLIC begins with a grid, and only 163 and fewer have one of
11 × 11; 164 to 200 have 16 × 16, of which hardly ever 150 are left. Of these 164 leaves the fewest
(it has the largest minimal size), so it is tried first, and the others only if it is promising.

What a version of scikit-image gives on random test images of the JPEG copy (0.15 on 400 of them, as
told by who made the copy; 0.26 on 1,000):

===================================== ============== ==================
version                               superpixels    standard deviation
===================================== ============== ==================
0.15, asked for 150                   118.7          3.8
0.26, asked for 150                   111.7          5.0
0.26, as it is done here              118.9          3.7
published, on the lossless images     117.63         4.29
===================================== ============== ==================

0.26 takes limits of size relative to the grid, and 0.15 relative to the number asked for; we scale
them back. One difference stays: 0.26 stretches contrast to [0, 1] first.

Assumptions: none about the files; scikit-image and Pillow come with ``polyfilter[benchmarks]``.

>>> [_grid(n) for n in (200, 164, 163, 150)]
[256, 256, 121, 121]
"""

import os
from importlib.metadata import PackageNotFoundError, version
from io import BytesIO
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gcn.data.cache import cached, refused
from gcn.data.dataset import DataError
from gcn.data.draws import Draws
from gcn.data.regions import Cut
from gcn.data.store import blamed, read
from polyfilter.errors import FileFormatError, GraphError
from polyfilter.files import check_size
from polyfilter.progress import bar
from polyfilter.workers import Died, Finished, apart

__all__ = ["cut_images", "read_batch", "read_binary", "read_jpeg", "superpixels"]

Images = NDArray[np.uint8]

SIDE, CHANNELS, CLASSES = 32, 3, 10
BATCHES = {"train": tuple(f"data_batch_{k}.bin" for k in range(1, 6)), "test": ("test_batch.bin",)}
RECORDS = 10_000
"""Images in each of the official files."""
SIZES = {"train": 50_000, "test": 10_000}
JPEG = Path("cifar10_jpeg") / "cifar10_jpeg.npz"
MOST, ASKED, COMPACTNESS = 150, 200, 10.0
SMALLEST, LARGEST = 0.5, 3.0
"""Limits of a superpixel's size, relative to the average of those asked for."""
CHUNK = 1000
"""Images that one file holds, and one process cuts before it tells."""
EXTRA = "pip install 'polyfilter[benchmarks]'"


def read_binary(folder: Path, half: str) -> tuple[Images, NDArray[np.uint8]]:
    """Return images and classes of "train" or "test" from the official files, in their order.

    Raises
    ------
    DataError
        If a file is missing or damaged.

    Examples
    --------
    >>> read_binary(Path("nowhere"), "test")
    Traceback (most recent call last):
    ...
    gcn.data.dataset.DataError: can't use nowhere/cifar10/test_batch.bin: No such file or directory;
    get it with `python -m experiments benchmarks --dataset cifar10 --download --data nowhere`
    """
    images, labels = [], []
    for name in BATCHES[half]:
        path = folder / "cifar10" / name
        with blamed(path, "cifar10"):
            batch, classes = read_batch(path)
            if len(batch) != RECORDS:
                raise GraphError(f"it holds {len(batch)} images and not {RECORDS}")
        images.append(batch)
        labels.append(classes)
    return np.concatenate(images), np.concatenate(labels)


def read_batch(path: Path) -> tuple[Images, NDArray[np.uint8]]:
    """Return images (G, 32, 32, 3) and classes of one official file.

    A record is one byte for the class, then 1,024 each for red, green and blue, row by row.

    Raises
    ------
    FileFormatError
        If the file can't be read, or is no such file.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as there:
    ...     path = Path(there) / "one.bin"
    ...     _ = path.write_bytes(bytes([7]) + bytes(2048) + bytes([255] * 1024))
    ...     images, labels = read_batch(path)
    >>> images[0, 0, 0], labels
    (array([  0,   0, 255], dtype=uint8), array([7], dtype=uint8))
    """
    try:
        data = np.frombuffer(check_size(path).read_bytes(), dtype=np.uint8)
    except OSError as error:
        raise FileFormatError(f"can't read {path}: {error.strerror}") from error
    record = 1 + CHANNELS * SIDE * SIDE
    if not len(data) or len(data) % record:
        raise FileFormatError(f"{path} is truncated: {len(data)} bytes are no records of {record}")
    table = data.reshape(-1, record)
    if table[:, 0].max() >= CLASSES:
        raise FileFormatError(f"{path} has class {table[:, 0].max()}, and classes are 0 to 9")
    images = table[:, 1:].reshape(-1, CHANNELS, SIDE, SIDE).transpose(0, 2, 3, 1)
    return np.ascontiguousarray(images), table[:, 0].copy()


def read_jpeg(folder: Path, half: str) -> tuple[Images, NDArray[np.uint8]]:
    """Return images and classes of "train" or "test" from the lossy copy, shuffled.

    Raises
    ------
    DataError
        If the file is missing or damaged, or Pillow is.

    Examples
    --------
    >>> read_jpeg(Path("nowhere"), "test")
    Traceback (most recent call last):
    ...
    gcn.data.dataset.DataError: can't use nowhere/cifar10_jpeg/cifar10_jpeg.npz: ...
    """
    path = folder / JPEG
    names = [f"{half}_{field}" for field in ("jpeg_bytes", "length", "label")]
    found = read(path, {name: ("integers", 1) for name in names}, "cifar10-jpeg")
    data, length, label = (found[name] for name in names)
    with blamed(path, "cifar10-jpeg"):
        ends = np.cumsum(length, dtype=np.int64)
        if len(length) != SIZES[half] or len(label) != len(length):
            raise GraphError(f"it has {len(length)} {half} images with {len(label)} classes")
        if int(ends[-1]) != len(data):
            raise GraphError(f"its {half} images take {ends[-1]} bytes, and it holds {len(data)}")
        if (np.bincount(label, minlength=CLASSES) != len(label) // CLASSES).any():
            raise GraphError("its classes are not equally frequent")
        files = data.astype(np.uint8).tobytes()
        images = np.empty((len(length), SIDE, SIDE, CHANNELS), dtype=np.uint8)
        for k, (start, end) in enumerate(zip(ends - length, ends, strict=True)):
            images[k] = _decoded(files[start:end], k)
    order = np.argsort(Draws(f"CIFAR10-JPEG, {half}").uniform(len(images)), kind="stable")
    return images[order], label[order].astype(np.uint8)


def _decoded(file: bytes, number: int) -> Images:
    """Return the image in a JPEG file."""
    try:
        from PIL import Image
    except ImportError as error:
        raise DataError(f"images are decoded by Pillow: {EXTRA}") from error
    try:
        with Image.open(BytesIO(file), formats=["JPEG"]) as image:
            if image.size != (SIDE, SIDE):  # before memory is taken for it
                raise ValueError(f"it has {image.size} pixels")
            return np.asarray(image.convert("RGB"))
    except (OSError, ValueError, SyntaxError) as error:
        raise GraphError(f"image {number} is damaged: {error}") from error


def cut_images(
    images: Images, labels: NDArray[np.uint8], folder: Path | None, name: str, jobs: int | None
) -> Cut:
    """Return images with their superpixels.

    Parameters
    ----------
    images, labels
        What :func:`read_binary` or :func:`read_jpeg` gives.
    folder
        Where superpixels are kept, a file for each 1,000 images, so that work that was interrupted
        goes on where it was; None keeps nothing.
    name
        What files begin with.
    jobs
        How many processes; by default as many as there are cores.

    Examples
    --------
    >>> black = np.zeros((2, 32, 32, 3), dtype=np.uint8)
    >>> cut = cut_images(black, np.array([7, 8], dtype=np.uint8), None, "black", jobs=1)
    >>> cut.segments.shape, cut.num_segments, cut.labels
    ((2, 32, 32), array([121, 121], dtype=uint8), array([7, 8], dtype=uint8))
    """
    about = {"superpixels": name, "scikit-image": _version()}
    starts = range(0, len(images), CHUNK)
    paths = [folder and folder / f"{name}-{k:05}.npz" for k in starts]
    done: dict[int, NDArray[np.uint8]] = {}
    items = [k for k, path in enumerate(paths) if path is None or not path.exists()]
    chunks = [(images[starts[k] : starts[k] + CHUNK],) for k in items]
    with bar(len(items), f"superpixels of {name}") as update:
        if len(items) == 1:  # not worth a process
            events: Any = (Finished(0, _cut(*chunks[0])),)
        else:
            events = apart(_cut, chunks, jobs or os.cpu_count() or 1)
        for event in events:
            if isinstance(event, Died):
                raise DataError(
                    f"a process that cut images ended with code {event.code}; start again, and "
                    "what is done is not done again"
                )
            if isinstance(event, Finished):
                k = items[event.item]
                made = {"segments": event.value}
                done[k] = cached(paths[k], about | {"first": starts[k]}, made.copy)["segments"]
                update(1)
    for k, path in enumerate(paths):
        if k not in done:
            done[k] = cached(path, about | {"first": starts[k]}, dict).get("segments", np.empty(0))
            if done[k].shape != images[starts[k] : starts[k] + CHUNK].shape[:3]:
                raise refused(path, "it does not hold superpixels of these images")
    segments = np.concatenate([done[k] for k in range(len(paths))])
    return Cut(images, segments, segments.max(axis=(1, 2)) + np.uint8(1), labels)


def _cut(images: Images) -> NDArray[np.uint8]:
    return np.stack([superpixels(image) for image in images])


def superpixels(image: Images) -> NDArray[np.uint8]:
    """Return the superpixel of each pixel, numbered from 0: at most 150.

    Parameters
    ----------
    image
        Of shape (32, 32, 3).

    Examples
    --------
    >>> image = np.zeros((32, 32, 3), dtype=np.uint8)
    >>> image[:, 16:] = 255
    >>> pieces = superpixels(image)
    >>> np.intersect1d(pieces[:, :16], pieces[:, 16:]).size          # none has both colours
    0
    """
    lowest = next(n for n in range(ASKED, 0, -1) if _grid(n - 1) != _grid(ASKED))
    if _count(_slic(image, lowest)) <= MOST:
        lowest = ASKED + 1
    for n in range(lowest - 1, 0, -1):
        segments = _slic(image, n)
        if _count(segments) <= MOST:
            return segments.astype(np.uint8)
    raise GraphError(f"SLIC gives more than {MOST} superpixels whatever it is asked for")


def _count(segments: NDArray[Any]) -> int:
    return int(segments.max()) + 1


def _slic(image: Images, n: int) -> NDArray[Any]:
    from skimage.segmentation import slic

    scale = _grid(n) / n
    found: NDArray[Any] = slic(
        (image / 255.0).astype(np.float32).astype(np.float64),
        n_segments=n,
        compactness=COMPACTNESS,
        channel_axis=-1,
        start_label=0,
        min_size_factor=SMALLEST * scale,
        max_size_factor=LARGEST * scale,
    )
    return found


def _grid(n: int) -> int:
    """Return how many superpixels SLIC begins with if it is asked for n."""
    step = SIDE / sqrt(n)
    return len(range(int(step // 2), SIDE, round(step))) ** 2


def _version() -> str:
    try:
        return version("scikit-image")
    except PackageNotFoundError as error:
        raise DataError(f"images are cut into superpixels by scikit-image: {EXTRA}") from error
