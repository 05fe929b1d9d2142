"""A stack as a JSON file that a person can read and a program can trust.

The map is ``document <-> bytes``: numbers are written with the shortest decimals that read back as
the same floats, exact factors as fractions in quotes, and nothing is ever executed on reading.
Every field is checked before it is used; a file that is truncated, of another format or of a later
version is refused with the reason.

>>> document = {"theta": [[1.0, 0.0, 0.5]], "dtype": "float64", "chebyshev": [1.25, 0.0, 0.25]}
>>> decode(encode(document), "here")["theta"]
array([[1. , 0. , 0.5]])
"""

import json
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from polyfilter.errors import FileFormatError

__all__ = ["MAX_STACK_BYTES", "decode", "encode"]

FORMAT, VERSION = "polyfilter.stack", 1
MAX_STACK_BYTES = 1 << 28
ROW_FIELDS = ("theta", "exact")


def encode(document: Mapping[str, Any]) -> bytes:
    """Return the file's bytes: one line a field, one line a layer."""
    lines = [f'  "format": "{FORMAT}"', f'  "version": {VERSION}']
    for name, value in document.items():
        if name in ROW_FIELDS and value is not None:
            rows = ",\n".join(f"    {json.dumps(row)}" for row in value)
            lines.append(f'  "{name}": [\n{rows}\n  ]')
        else:
            lines.append(f'  "{name}": {json.dumps(value)}')
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode()


def decode(data: bytes, source: str) -> dict[str, Any]:
    """Return the checked fields: arrays as numpy arrays, fractions as fractions.

    Raises
    ------
    FileFormatError
        If the bytes are not a stack, with the field that is wrong.
    """

    def refuse(reason: str) -> FileFormatError:
        return FileFormatError(f"{source} is not a stack file: {reason}")

    def no_constant(name: str) -> float:
        raise refuse(f"it holds the number {name}")

    try:
        document = json.loads(data, parse_constant=no_constant)
    except (UnicodeDecodeError, RecursionError) as error:
        raise refuse("it is not JSON text") from error
    except json.JSONDecodeError as error:
        raise refuse(f"line {error.lineno} can't be read, so it may be truncated") from error
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise refuse(f'it has no "format": "{FORMAT}"')
    if document.get("version") != VERSION:
        raise refuse(f"its version is {document.get('version')!r}, and we read {VERSION}")
    if document.get("dtype") not in ("float32", "float64"):
        raise refuse(f'"dtype" is {document.get("dtype")!r}, not "float32" or "float64"')
    fields: dict[str, Any] = {"dtype": document["dtype"]}
    for name, shape, required in (
        ("theta", (-1, 3), True),
        ("chebyshev", (-1,), True),
        ("spectrum", (-1,), False),
    ):
        fields[name] = _numbers(document.get(name), shape)
        if fields[name] is None and (required or document.get(name) is not None):
            what = "rows of three numbers" if name == "theta" else "a list of numbers"
            raise refuse(f'"{name}" has to be {what}, all finite, at least one')
    fields["exact"] = _fractions(document.get("exact"), len(fields["theta"]))
    if fields["exact"] is None and document.get("exact") is not None:
        raise refuse('"exact" has to be as many rows of three fractions as there are layers')
    return fields


def _numbers(value: Any, shape: tuple[int, ...]) -> Any:
    """The list as a float array of that rank and width, or None."""
    if not isinstance(value, list) or not value:
        return None
    rows = value if len(shape) == 2 else [value]
    for row in rows:
        if not isinstance(row, list) or (len(shape) == 2 and len(row) != shape[1]):
            return None
        if any(isinstance(a, bool) or not isinstance(a, int | float) for a in row):
            return None
    try:
        array = np.array(value, dtype=np.float64)
    except OverflowError:
        return None
    return array if np.isfinite(array).all() else None


def _fractions(value: Any, count: int) -> tuple[tuple[Fraction, ...], ...] | None:
    if not isinstance(value, list) or len(value) != count:
        return None
    try:
        rows = tuple(tuple(Fraction(a) for a in row if isinstance(a, str)) for row in value)
    except (TypeError, ValueError, ZeroDivisionError):
        return None
    return rows if all(len(row) == 3 for row in rows) else None
