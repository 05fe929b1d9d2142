r"""Arrays from ``.npy`` and ``.npz`` files that nobody vouches for.

The map is ``path -> {name: array}``. Assumptions: none about the file. No pickle is ever opened;
what an array will take is read from its header and checked, against what the file holds and against
a limit, before memory is taken; and whatever is wrong raises one
:class:`~polyfilter.errors.FileFormatError`.

>>> import tempfile, pathlib
>>> with tempfile.TemporaryDirectory() as folder:
...     path = pathlib.Path(folder) / "two.npz"
...     np.savez(path, a=np.arange(3), b=np.eye(2))
...     array_names(path), read_npz(path, ["a"])
(['a', 'b'], {'a': array([0, 1, 2])})
"""

import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import prod
from os import PathLike
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from polyfilter.errors import FileFormatError
from polyfilter.files import check_size

__all__ = ["MAX_ARRAY_BYTES", "array_names", "read_npy", "read_npz"]

MAX_ARRAY_BYTES = 2 << 30
"""Arrays read from one file take at most this much memory together, unless the caller says more."""


def array_names(path: str | PathLike[str]) -> list[str]:
    """Return the names of the arrays in an ``.npz`` file, in the order of the file."""
    with _open_zip(check_size(path)) as archive:
        names = (Path(info.filename) for info in archive.infolist())
        return [name.stem for name in names if name.suffix == ".npy"]


def read_npz(
    path: str | PathLike[str], names: Sequence[str], max_bytes: int = MAX_ARRAY_BYTES
) -> dict[str, NDArray[Any]]:
    """Return the named arrays of an ``.npz`` file; the others are not looked at."""
    source = check_size(path)
    arrays = {}
    with _open_zip(source) as archive:
        for name in names:
            info = archive.getinfo(f"{name}.npy")
            if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise ValueError(f"array {name} is compressed in a way that numpy does not use")
            with archive.open(info) as stream:
                arrays[name] = _read(stream, info.file_size, max_bytes, f"array {name}")
                stream.read(1)  # the end of the file is where its checksum is compared
            max_bytes -= arrays[name].nbytes
    return arrays


def read_npy(path: str | PathLike[str], max_bytes: int = MAX_ARRAY_BYTES) -> NDArray[Any]:
    """Return the array of an ``.npy`` file.

    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "x.npy"
    ...     np.save(path, np.eye(2))
    ...     read_npy(path)
    array([[1., 0.],
           [0., 1.]])
    """
    source = check_size(path)
    with _one_error(source, "a .npy file"), source.open("rb") as stream:
        return _read(stream, source.stat().st_size, max_bytes, "the array")


def _read(stream: IO[bytes], size: int, max_bytes: int, what: str) -> NDArray[Any]:
    """Read one array from a stream of ``size`` bytes."""
    version = npy.read_magic(stream)
    if version not in ((1, 0), (2, 0)):
        raise ValueError(f"{what} has a header of version {version}")
    read_header = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
    shape, column_major, dtype = read_header(stream)
    if dtype.hasobject:
        raise ValueError(f"{what} holds Python objects, which are not read")
    declared, held = prod(shape) * dtype.itemsize, size - stream.tell()
    if declared != held or min(shape, default=0) < 0:
        raise ValueError(f"{what} declares {declared} bytes, but the file holds {held}")
    if declared > max_bytes:
        raise ValueError(f"{what} takes {declared} bytes, more than the {max_bytes} allowed")
    data = np.frombuffer(stream.read(declared), dtype=dtype, count=prod(shape))
    return data.reshape(shape, order="F" if column_major else "C")


@contextmanager
def _open_zip(source: Path) -> Iterator[zipfile.ZipFile]:
    with _one_error(source, "an .npz file"), zipfile.ZipFile(source) as archive:
        yield archive


@contextmanager
def _one_error(source: Path, kind: str) -> Iterator[None]:
    """Turn what the readers raise on bad bytes into one sentence about the file."""
    try:
        yield
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise FileFormatError(f"{source} is truncated or not {kind}: {error}") from error
    except (OSError, KeyError, ValueError, SyntaxError, OverflowError) as error:
        if isinstance(error, FileFormatError):
            raise
        raise FileFormatError(f"{source} can't be read: {error}") from error
