r"""Edge lists as text, one edge a line.

The map is ``path -> (pairs, weights, where)``: two columns of node ids from 0 on, and a third of
weights if there is one, separated by white space or commas. ``#`` and ``%`` start a comment, and a
table (``.csv``, ``.tsv``) may begin with a line of column names. ``where(k)`` is the line of edge
``k``, found only when a message needs it, so that reading stays as fast as numpy's parser.

>>> import tempfile, pathlib
>>> with tempfile.TemporaryDirectory() as folder:
...     path = pathlib.Path(folder) / "roads.txt"
...     _ = path.write_text("# from to km\n0 1 2.5\n1 2 4\n")
...     pairs, weights, where = read_edge_list(path)
...     print(pairs.tolist(), weights, where(1))
[[0.0, 1.0], [1.0, 2.0]] [2.5 4. ] line 3
"""

from collections.abc import Callable, Iterator
from itertools import islice
from os import PathLike
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyfilter.errors import FileFormatError
from polyfilter.files import check_size

__all__ = ["EdgeList", "read_edge_list"]

ENCODING = "utf-8-sig"
COMMENTS = "#%"


class EdgeList(NamedTuple):
    """Node ids as parsed, weights if there is a third column, and the line of edge k."""

    pairs: NDArray[np.float64]
    weights: NDArray[np.float64] | None
    where: Callable[[int], str]


def read_edge_list(path: str | PathLike[str]) -> EdgeList:
    """Read an edge list; an error names the first line that is wrong."""
    source = check_size(path)
    try:
        return _read(source)
    except UnicodeDecodeError as error:
        raise FileFormatError(f"{source} is not a text file, so it is no edge list") from error
    except OSError as error:
        raise FileFormatError(f"can't read {source}: {error.strerror}") from error


def _read(source: Path) -> EdgeList:
    first = next(_lines(source), None)
    if first is None:
        raise FileFormatError(f"{source} is empty: it lists no edges")
    skip = 0
    if source.suffix.lower() in (".csv", ".tsv") and not any(map(_is_number, first[1])):
        skip = first[0]
        first = next(_lines(source, skip), None)
        if first is None:
            raise FileFormatError(f"{source} has column names but lists no edges")
    columns = len(first[1])
    try:
        table = np.loadtxt(
            source,
            dtype=np.float64,
            comments=_comments(source),
            delimiter="," if first[2] else None,
            skiprows=skip,
            ndmin=2,
            encoding=ENCODING,
        )
    except ValueError as error:
        if isinstance(error, UnicodeDecodeError):
            raise
        raise FileFormatError(_complaint(source, skip, columns) or f"{source}: {error}") from error
    if columns not in (2, 3):
        raise FileFormatError(_complaint(source, skip, columns))

    def where(k: int) -> str:
        return f"line {next(islice(_lines(source, skip), k, None))[0]}"

    return EdgeList(table[:, :2], table[:, 2] if columns == 3 else None, where)


def _lines(source: Path, skip: int = 0) -> Iterator[tuple[int, list[str], bool]]:
    """Yield each line that holds an edge: its number, its fields, whether commas part them."""
    with source.open(encoding=ENCODING) as stream:
        for number, line in enumerate(stream, start=1):
            for comment in COMMENTS:
                line = line.partition(comment)[0]
            if number > skip and line.strip():
                commas = "," in line
                yield number, line.split("," if commas else None), commas


def _comments(source: Path) -> str | list[str] | None:
    """Return the comment signs that occur, since numpy parses fast with at most one of them."""
    found: set[str] = set()
    with source.open("rb") as stream:
        while chunk := stream.read(1 << 20):
            found.update(sign for sign in COMMENTS if sign.encode() in chunk)
    return None if not found else found.pop() if len(found) == 1 else sorted(found)


def _complaint(source: Path, skip: int, columns: int) -> str:
    """Say which line is the first that is no edge, and why."""
    for number, fields, _ in _lines(source, skip):
        place = f"line {number} of {source}"
        if len(fields) not in (2, 3):
            return f"{place} has {len(fields)} columns; an edge is two node ids and maybe a weight"
        if len(fields) != columns:
            return f"{place} has {len(fields)} columns, but the lines before it have {columns}"
        for field in fields:
            if not _is_number(field):
                return f"{place} holds {field.strip()!r:.40}, which is not a number"
    return ""


def _is_number(field: str) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True
