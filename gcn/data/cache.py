r"""Arrays that were made once and are kept.

The map is ``(what they are, how to make them) -> arrays``: :func:`cached` reads a file if there is
one, and otherwise makes the arrays and keeps them if it may. The file (:mod:`gcn.data.store`)
carries one line of JSON that says what it holds and the SHA-256 of everything.

Assumptions: none about a file that is read. One that is damaged, or holds something else, is
refused and not silently made again: it may be somebody's work. A folder without write permission
is left alone, also by who could write to it all the same, and then nothing is kept.

>>> import tempfile
>>> with tempfile.TemporaryDirectory() as folder:
...     path = Path(folder) / "squares" / "three.npz"
...     made = cached(path, {"of": 3}, lambda: {"squares": np.arange(3) ** 2})
...     read = cached(path, {"of": 3}, lambda: {})
>>> read["squares"]
array([0, 1, 4])
"""

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from gcn.data.dataset import Array, DataError
from gcn.data.store import SUM, checksum, write
from polyfilter.archive import array_names, read_npz
from polyfilter.errors import FileFormatError

__all__ = ["cached", "may_write", "refused"]

ABOUT = "about"
"""The array that holds the line of JSON."""
ANY_WRITE = 0o222


def cached(
    path: Path | None, about: Mapping[str, Any], make: Callable[[], Mapping[str, Array]]
) -> dict[str, Array]:
    """Return arrays from their file; make them, and the file if it may be, if there is none.

    Parameters
    ----------
    path
        The file, in a folder of its own in the data folder; None keeps nothing.
    about
        What the arrays are, in types of JSON. A file that says something else is refused.
    make
        Makes the arrays.

    Raises
    ------
    DataError
        If there is a file and it is truncated, altered, or about something else.

    Examples
    --------
    >>> cached(None, {}, lambda: {"one": np.ones(1)})
    {'one': array([1.])}
    """
    if path is not None and path.exists():
        return _read(path, json.dumps(about, sort_keys=True).encode())
    arrays = dict(make())
    if path is not None and may_write(path.parent):
        line = np.frombuffer(json.dumps(about, sort_keys=True).encode(), dtype=np.uint8)
        write(path, arrays | {ABOUT: line})
    return arrays


def may_write(folder: Path) -> bool:
    """Return whether files may go into a folder, or the folder itself into its parent.

    Examples
    --------
    >>> may_write(Path("nowhere") / "data" / "set")
    False
    """
    place = folder if folder.exists() else folder.parent
    # the superuser may write everywhere, but a folder that is marked read-only says not to
    return place.is_dir() and os.access(place, os.W_OK) and bool(place.stat().st_mode & ANY_WRITE)


def refused(path: Path | None, why: object) -> DataError:
    """Return the error about a file of ours that can't be used, and what to do.

    Examples
    --------
    >>> print(refused(Path("data/sbm/cluster.npz"), "it was altered"))
    can't use data/sbm/cluster.npz: it was altered; move it away and it is made again
    """
    return DataError(f"can't use {path}: {why}; move it away and it is made again")


def _read(path: Path, about: bytes) -> dict[str, Array]:
    try:
        arrays = read_npz(path, array_names(path))
    except FileFormatError as error:
        raise refused(path, str(error).removeprefix(f"can't read {path}: ")) from error
    claimed = arrays.pop(SUM, None)
    if claimed is None or claimed.tobytes() != checksum(arrays).encode():
        raise refused(path, "it was altered: its content is not what its checksum says")
    line = arrays.pop(ABOUT, np.zeros(0)).tobytes()
    if line != about:
        raise refused(path, f"it holds {line[:200]!r} instead of {about!r}")
    return arrays
