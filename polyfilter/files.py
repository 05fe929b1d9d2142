r"""Files that are either whole or absent.

The map is ``path, bytes -> file``: :func:`atomic_write` writes beside the target and renames over
it, so that a reader sees the old file or the new one and never half of either.

>>> import tempfile, pathlib
>>> with tempfile.TemporaryDirectory() as folder:
...     path = pathlib.Path(folder) / "note.txt"
...     with atomic_write(path) as stream:
...         _ = stream.write(b"whole")
...     path.read_bytes()
b'whole'
"""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from polyfilter.errors import FileFormatError

__all__ = ["atomic_write", "check_size"]

MAX_BYTES = 8 << 30
"""No reader takes a file above this size; it is checked before memory is taken."""


@contextmanager
def atomic_write(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Open ``path`` for writing; it appears whole when the block ends, or not at all."""
    target = Path(path)
    if target.exists() and not target.is_file():  # renaming over /dev/null would take it away
        raise FileFormatError(f"can't write {target}: it exists and is not a file")
    try:
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    except OSError as error:
        raise FileFormatError(f"can't write {target}: {error.strerror}") from error
    try:
        with os.fdopen(handle, "wb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        # mkstemp makes the file private; a result should be as readable as any other new file
        umask = os.umask(0)
        os.umask(umask)
        Path(name).chmod(0o666 & ~umask)
        Path(name).replace(target)
    except BaseException as error:
        Path(name).unlink(missing_ok=True)
        if isinstance(error, OSError):  # a full disk, or a folder of that name
            raise FileFormatError(f"can't write {target}: {error.strerror}") from error
        raise


def check_size(path: str | os.PathLike[str], limit: int = MAX_BYTES) -> Path:
    """Return ``path`` as a :class:`~pathlib.Path` if it is a file of at most ``limit`` bytes.

    Examples
    --------
    >>> check_size("nowhere.npz")
    Traceback (most recent call last):
    ...
    polyfilter.errors.FileFormatError: can't read nowhere.npz: No such file or directory
    """
    source = Path(path)
    try:
        size = source.stat().st_size
    except OSError as error:
        raise FileFormatError(f"can't read {source}: {error.strerror}") from error
    if not source.is_file():
        raise FileFormatError(f"can't read {source}: it is not a file")
    if size > limit:
        raise FileFormatError(f"can't read {source}: its {size} bytes exceed our limit of {limit}")
    return source
