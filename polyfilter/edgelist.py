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
[[0, 1], [1, 2]] [2.5 4. ] line 3
"""

import warnings
from collections.abc import Callable, Iterator
from itertools import islice
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from polyfilter.errors import FileFormatError
from polyfilter.files import check_size

__all__ = ["EdgeList", "first_line", "read_edge_list", "read_numbers", "read_table"]

ENCODING = "utf-8-sig"
COMMENTS = "#%"


class EdgeList(NamedTuple):
    """Node ids, whole or not; weights if there is a third column; and the line of edge k."""

    pairs: NDArray[Any]
    weights: NDArray[np.float64] | None
    where: Callable[[int], str]


class Line(NamedTuple):
    """A line that holds more than a comment."""

    number: int
    fields: list[str]
    commas: bool


def read_edge_list(path: str | PathLike[str]) -> EdgeList:
    """Read an edge list; an error names the first line that is wrong."""
    source = check_size(path)
    skip, first = 0, first_line(source)
    if source.suffix.lower() in (".csv", ".tsv") and not any(map(_is_number, first.fields)):
        skip, first = first.number, first_line(source, first.number)
    if len(first.fields) not in (2, 3):
        raise FileFormatError(
            f"line {first.number} of {source} has {len(first.fields)} columns; an edge has two "
            "node ids and maybe a weight"
        )
    return read_table(source, first, skip)


def first_line(source: Path, skip: int = 0) -> Line:
    """Return the first line after ``skip`` lines that holds something."""
    line = next(_lines(source, skip), None)
    if line is None:
        raise FileFormatError(f"{source} is empty: it lists no edges")
    return line


def read_table(source: Path, first: Line, skip: int) -> EdgeList:
    r"""Read a table shaped like its ``first`` line: two ids, and a number if there is more.

    Ids are parsed as integers, which numpy does five times faster than floats, and only where that
    fails as floats, so that ``1.0`` is an id and ``1.5`` can be quoted in a message.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     source = Path(folder) / "edges.txt"
    ...     _ = source.write_text("0 1 0.5\n1 2 2.0\n")
    ...     first = first_line(source)
    ...     found = read_table(source, first, skip=0)
    >>> first.fields, found.pairs.tolist(), found.weights
    (['0', '1', '0.5'], [[0, 1], [1, 2]], array([0.5, 2. ]))
    """
    columns = len(first.fields)
    kind = np.dtype("i8,i8,f8" if columns == 3 else np.int64)
    try:
        table = _parse(source, kind, first.commas, skip)
    except (ValueError, DeprecationWarning):
        try:
            table = _parse(source, np.dtype(np.float64), first.commas, skip)
        except ValueError as error:
            fault = _fault(source, skip, first) or f"{source} is no table of numbers: {error}"
            raise FileFormatError(fault) from error

    def where(k: int) -> str:
        return f"line {next(islice(_lines(source, skip), k, None)).number}"

    if table.dtype.names is not None:
        ids = np.column_stack((table["f0"], table["f1"])).reshape(-1, 2)
        return EdgeList(ids, table["f2"].ravel(), where)
    return EdgeList(table[:, :2], table[:, 2] if columns == 3 else None, where)


def read_numbers(source: Path, skip: int) -> NDArray[np.float64]:
    r"""Read a table of one column.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     source = Path(folder) / "signal.txt"
    ...     _ = source.write_text("1\n2.5\n")
    ...     read_numbers(source, skip=0)
    array([1. , 2.5])
    """
    first = first_line(source, skip)
    try:
        table = _parse(source, np.dtype(np.float64), first.commas, skip)
    except ValueError as error:
        fault = _fault(source, skip, first) or f"{source} is no list of numbers: {error}"
        raise FileFormatError(fault) from error
    return table.ravel()


def _parse(source: Path, kind: np.dtype[Any], commas: bool, skip: int) -> NDArray[Any]:
    with warnings.catch_warnings():
        # an id like 1.0 is parsed as a whole number with this warning, and 1.5 as well
        warnings.simplefilter("error", DeprecationWarning)
        return np.loadtxt(
            source,
            dtype=kind,
            comments=_comments(source),
            delimiter="," if commas else None,
            skiprows=skip,
            ndmin=2,
            encoding=ENCODING,
        )


def _lines(source: Path, skip: int = 0) -> Iterator[Line]:
    """Yield each line that holds an edge: its number, its fields, whether commas part them."""
    try:
        with source.open(encoding=ENCODING) as stream:
            for number, line in enumerate(stream, start=1):
                for comment in COMMENTS:
                    line = line.partition(comment)[0]
                if number > skip and line.strip():
                    commas = "," in line
                    yield Line(number, line.split("," if commas else None), commas)
    except UnicodeDecodeError as error:
        raise FileFormatError(f"{source} is not a text file") from error
    except OSError as error:
        raise FileFormatError(f"can't read {source}: {error.strerror}") from error


def _comments(source: Path) -> str | list[str] | None:
    """Return the comment signs that occur, since numpy parses fast with at most one of them."""
    found: set[str] = set()
    with source.open("rb") as stream:
        while chunk := stream.read(1 << 20):
            found.update(sign for sign in COMMENTS if sign.encode() in chunk)
    return None if not found else found.pop() if len(found) == 1 else sorted(found)


def _fault(source: Path, skip: int, first: Line) -> str:
    """Say which line is the first that is not like the others, and how."""
    for number, fields, commas in _lines(source, skip):
        place = f"line {number} of {source}"
        if commas != first.commas:
            return f"{place} has {'no ' * first.commas}commas, unlike the lines before it"
        if len(fields) != len(first.fields):
            return f"{place} has {len(fields)} columns, where others have {len(first.fields)}"
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
