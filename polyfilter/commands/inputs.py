r"""What a user hands to a command: graphs, signals, coefficients.

The maps are ``paths -> GraphSet``, ``path -> signal`` and ``words -> coefficients``. Whole numbers
and fractions such as ``-1/2`` are exact; decimals such as ``3e-1`` are floats, unless they are
asked to be the rational numbers that they spell.

Assumptions: none. Whatever can't be used raises one error that names the file and the line.

>>> coefficients(["1", "-1/2", "3/10"])
[Fraction(1, 1), Fraction(-1, 2), Fraction(3, 10)]
>>> coefficients(["1", "-1/2", "3e-1"])[2], coefficients(["3e-1"], exact=True)[0]
(0.3, Fraction(3, 10))
"""

import json
import re
from array import array
from collections.abc import Iterator, Sequence
from fractions import Fraction
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from polyfilter.archive import array_names, read_npy, read_npz
from polyfilter.errors import FileFormatError, FilterError, ResponseError
from polyfilter.files import check_size
from polyfilter.graphs import Graph, GraphSet
from polyfilter.reading import read_graphs

__all__ = [
    "coefficients",
    "parse_number",
    "read_coefficients",
    "read_set",
    "read_signal",
    "read_union",
    "response_parameters",
]

Number: TypeAlias = Fraction | float

RATIO = re.compile(r"[+-]?[0-9]+(/[0-9]+)?")
DECIMAL = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]{1,4})?", re.IGNORECASE)
"""An exponent of more digits would fill the memory as a fraction."""
COMMENT = "#"
MAX_COEFFICIENT_BYTES = 64 << 20
"""Parsed numbers take some ten times the space of their text."""


def read_set(
    paths: Sequence[str], *, split: str | None = None, self_loops: bool = False
) -> GraphSet:
    """Return the graphs of all files as one set."""
    sets = [read_graphs(path, split=split, self_loops=self_loops) for path in paths]
    if len(sets) == 1:
        return sets[0]
    return GraphSet((graph for graphs in sets for graph in graphs), " + ".join(map(str, paths)))


def read_union(path: str, *, split: str | None = None, self_loops: bool = False) -> Graph:
    """Return the graph of a file; several become one, side by side in their order."""
    graphs = read_set([path], split=split, self_loops=self_loops)
    return graphs[0] if len(graphs) == 1 else graphs.union()


# ------------------------------------------------------------------------------------- numbers


def response_parameters(words: Sequence[str]) -> dict[str, float]:
    """Return the parameters of a response, each written name=number.

    >>> response_parameters(["sharpness=80", "cutoff = 1.1"])
    {'sharpness': 80.0, 'cutoff': 1.1}
    """
    parameters = {}
    for word in words:
        name, equals, value = word.partition("=")
        name = name.strip().replace("-", "_")
        try:
            if not equals:
                raise ValueError
            parameters[name] = float(value)
        except ValueError:
            raise ResponseError(
                f"a parameter is written name=number, such as sharpness=80, not {word!r}"
            ) from None
    return parameters


def parse_number(text: str, exact: bool = False) -> Number:
    """Return a number as it is spelled; a ``ValueError`` says what is wrong with it.

    >>> parse_number("-1/2"), parse_number("0.1"), parse_number("0.1", exact=True)
    (Fraction(-1, 2), 0.1, Fraction(1, 10))
    """
    word = text.strip()
    if RATIO.fullmatch(word) or (exact and DECIMAL.fullmatch(word)):
        try:
            return Fraction(word)
        except ZeroDivisionError:
            raise ValueError(f"{word!r:.40} divides by zero") from None
        except ValueError:
            raise ValueError(f"{word!r:.40} has too many digits") from None
    try:
        value = float(word)
    except ValueError:
        raise ValueError(f"{word!r:.40} is not a number") from None
    if not np.isfinite(value):
        raise ValueError(f"{word!r:.40} is not a finite float")
    if exact:
        raise ValueError(f"{word!r:.40} can't be taken exactly")
    return value


def coefficients(words: Sequence[str], exact: bool = False) -> list[Number]:
    """Return the coefficients that were typed, or that the one file named in their place holds."""
    if len(words) == 1 and not _is_number(words[0]):
        if not Path(words[0]).exists():
            raise FilterError(f"{words[0]!r} is neither a number nor a file")
        return read_coefficients(words[0], exact)
    numbers = []
    for k, word in enumerate(words):
        try:
            numbers.append(parse_number(word, exact))
        except ValueError as error:
            raise FilterError(f"coefficient {k}: {error}") from error
    return numbers


def _is_number(word: str) -> bool:
    try:
        parse_number(word)
    except ValueError as error:
        return "is not a number" not in str(error)
    return True


def read_coefficients(path: str | PathLike[str], exact: bool = False) -> list[Number]:
    r"""Read coefficients, lowest first, from a .npy, .json, .txt, .csv or .tsv file.

    Text holds numbers parted by white space, commas or new lines; JSON a list of numbers, or of
    fractions in quotes.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "h.txt"
    ...     _ = path.write_text("# x² - 1/4\n-1/4 0 1\n")
    ...     read_coefficients(path)
    [Fraction(-1, 4), Fraction(0, 1), Fraction(1, 1)]
    """
    source = check_size(path)
    ending = source.suffix.lower()
    if ending == ".npy":
        return _from_array(read_npy(source), source, exact)
    if ending == ".json":
        return _from_json(check_size(source, MAX_COEFFICIENT_BYTES), exact)
    if ending not in (".txt", ".csv", ".tsv"):
        raise FileFormatError(
            f"{source} ends in {ending or 'nothing'}, and coefficients are read from .npy .json "
            ".txt .csv .tsv"
        )
    numbers = []
    for number, line in _lines(check_size(source, MAX_COEFFICIENT_BYTES)):
        for word in line.replace(",", " ").split():
            try:
                numbers.append(parse_number(word, exact))
            except ValueError as error:
                raise FileFormatError(f"line {number} of {source}: {error}") from error
    if not numbers:
        raise FileFormatError(f"{source} is empty: it lists no coefficients")
    return numbers


def _from_array(values: NDArray[Any], source: Path, exact: bool) -> list[Number]:
    if values.dtype.kind not in "fiu" or values.ndim != 1 or not values.size:
        raise FileFormatError(
            f"{source} holds an array of {values.dtype} of shape {values.shape}; coefficients are "
            "one row of real numbers"
        )
    whole = values.dtype.kind in "iu"
    numbers: list[Number] = []
    for k, value in enumerate(values.tolist()):
        if not np.isfinite(value):
            raise FileFormatError(f"coefficient {k} of {source} is {value}; it has to be finite")
        numbers.append(Fraction(value) if whole or exact else float(value))
    return numbers


def _from_json(source: Path, exact: bool) -> list[Number]:
    """Read a list; ``json`` hands each number over as the text that it is."""
    keep: dict[str, Any] = dict.fromkeys(("parse_int", "parse_float", "parse_constant"), str)
    try:
        words = json.loads(source.read_bytes(), **keep)
    except (ValueError, RecursionError) as error:
        raise FileFormatError(f"{source} is not JSON, so it may be truncated ({error})") from error
    if not isinstance(words, list) or not words or not all(isinstance(w, str) for w in words):
        raise FileFormatError(
            f"{source} has to be a list of numbers, or of fractions in quotes, and nothing else"
        )
    numbers = []
    for k, word in enumerate(words):
        try:
            numbers.append(parse_number(word, exact))
        except ValueError as error:
            raise FileFormatError(f"coefficient {k} of {source}: {error}") from error
    return numbers


# ------------------------------------------------------------------------------------- signals


def read_signal(path: str | PathLike[str], name: str | None = None) -> NDArray[Any]:
    r"""Read a signal from a .npy, .npz, .txt, .csv or .tsv file.

    Text has a line a node, and on it a number a channel; a first line of names is skipped. An .npz
    file has one array, or the one called ``name``.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "x.csv"
    ...     _ = path.write_text("heat,flow\n1,2\n3,4\n")
    ...     read_signal(path)
    array([[1., 2.],
           [3., 4.]])
    """
    source = check_size(path)
    ending = source.suffix.lower()
    if name is not None and ending != ".npz":
        raise FileFormatError(f"{source} has no arrays to choose from, so there is no {name!r}")
    if ending == ".npy":
        return read_npy(source)
    if ending == ".npz":
        names = array_names(source)
        chosen = name if name is not None else names[0] if len(names) == 1 else None
        if chosen not in names:
            listed = ", ".join(names) or "none"
            raise FileFormatError(f"{source}: choose an array with --array; there are {listed}")
        return read_npz(source, [chosen])[chosen]
    if ending not in (".txt", ".csv", ".tsv"):
        raise FileFormatError(
            f"{source} ends in {ending or 'nothing'}, and signals are read from .npy .npz .txt "
            ".csv .tsv"
        )
    return _table(source)


def _table(source: Path) -> NDArray[np.float64]:
    values, width, nodes = array("d"), 0, 0
    for position, (number, line) in enumerate(_lines(source)):
        words = [word.strip() for word in (line.split(",") if "," in line else line.split())]
        numbers = [_as_float(word) for word in words]
        if position == 0 and not any(value is not None for value in numbers):
            continue  # the names of the channels
        width = width or len(words)
        if len(words) != width:
            raise FileFormatError(
                f"line {number} of {source} has {len(words)} columns, where others have {width}"
            )
        for word, value in zip(words, numbers, strict=True):
            if value is None:
                raise FileFormatError(
                    f"line {number} of {source} holds {word!r:.40}, which is not a number"
                )
            values.append(value)
        nodes += 1
    if not nodes:
        raise FileFormatError(f"{source} is empty: it holds no signal")
    table = np.frombuffer(values, dtype=np.float64).reshape(nodes, width)
    return table[:, 0] if width == 1 else table


def _as_float(word: str) -> float | None:
    try:
        return float(word)
    except ValueError:
        return None


def _lines(source: Path) -> Iterator[tuple[int, str]]:
    """Yield each line that holds more than a comment, with its number."""
    try:
        with source.open(encoding="utf-8-sig") as stream:
            for number, line in enumerate(stream, start=1):
                text = line.partition(COMMENT)[0].strip()
                if text:
                    yield number, text
    except UnicodeDecodeError as error:
        raise FileFormatError(f"{source} is not a text file") from error
    except OSError as error:
        raise FileFormatError(f"can't read {source}: {error.strerror}") from error
