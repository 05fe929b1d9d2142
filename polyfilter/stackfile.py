"""A stack as a JSON file that a person can read and a program can trust.

The map is ``fields of a stack <-> bytes``: numbers are written with the shortest decimals that read
back as the same floats, exact numbers as fractions in quotes, and nothing is ever executed on
reading. Every field is checked before it is used, and against the others where they overlap; a file
that is truncated, of another format or of a later version is refused with the reason.

>>> from polyfilter.polynomial import as_filter
>>> fields = StackFields(np.array([[1.0, 0.0, 0.5]]), as_filter([1.0, 0.0, 0.5]))
>>> print(encode(fields).decode())
{
  "format": "polyfilter.stack",
  "version": 1,
  "dtype": "float64",
  "theta": [
    [1.0, 0.0, 0.5]
  ],
  "chebyshev": [1.25, 0.0, 0.25],
  ...
>>> decode(encode(fields), "here").theta
array([[1. , 0. , 0.5]])
"""

import json
import math
import re
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, NamedTuple

import flint
import numpy as np
from numpy.polynomial import Chebyshev
from numpy.typing import NDArray

from polyfilter.clenshaw import Real
from polyfilter.errors import FileFormatError, FilterError, SpectrumError
from polyfilter.factor import ExactFactor
from polyfilter.polynomial import FilterPolynomial, as_filter, chebyshev_from_power
from polyfilter.rounding import single
from polyfilter.spectrum import as_points

__all__ = ["MAX_STACK_BYTES", "StackFields", "decode", "encode"]

FORMAT, VERSION = "polyfilter.stack", 1
MAX_STACK_BYTES = 1 << 28
FIELDS = (
    *("format", "version", "dtype", "theta", "chebyshev", "power", "exact", "spectrum"),
    *("trimmed", "trim_bound", "root_residual"),
)
FRACTION = re.compile(r"(-?[0-9]+)(?:/([0-9]+))?")


class StackFields(NamedTuple):
    """What a stack is made of, in the order of its attributes."""

    theta: NDArray[Any]
    filter: FilterPolynomial
    points: Real | None = None
    exact: tuple[ExactFactor, ...] | None = None
    root_residual: float = 0.0


# ----------------------------------------------------------------------------------- writing


def encode(fields: StackFields) -> bytes:
    """Return the file's bytes: one line a field, one line a layer."""
    theta, h, points, exact, root_residual = fields
    lines = {
        "format": json.dumps(FORMAT),
        "version": str(VERSION),
        "dtype": json.dumps(theta.dtype.name),
        "theta": _rows([[_shortest(t) for t in row] for row in theta]),
        "chebyshev": json.dumps(h.chebyshev.tolist()),
        "power": json.dumps(None if h.exact is None else [_text(a) for a in h.exact]),
        "exact": "null" if exact is None else _rows([[_text(a) for a in row] for row in exact]),
        "spectrum": json.dumps(None if points is None else points.tolist()),
        "trimmed": str(h.trimmed),
        "trim_bound": json.dumps(h.trim_bound),
        "root_residual": json.dumps(root_residual),
    }
    body = ",\n".join(f'  "{name}": {line}' for name, line in lines.items())
    return f"{{\n{body}\n}}\n".encode()


def _rows(rows: Sequence[Sequence[Any]]) -> str:
    return "[\n" + ",\n".join(f"    {json.dumps(row)}" for row in rows) + "\n  ]"


def _shortest(t: Any) -> float:
    """The float64 of fewest digits that rounds to t: 0.1 for the float32 0.10000000149."""
    short = float(str(t))
    return short if type(t)(short) == t else float(t)


def _text(a: Fraction) -> str:
    numerator = str(flint.fmpz(a.numerator))  # Python's own str refuses 4,300 digits
    return numerator if a.denominator == 1 else f"{numerator}/{flint.fmpz(a.denominator)}"


# ----------------------------------------------------------------------------------- reading


def decode(data: bytes, source: str) -> StackFields:
    """Return the checked fields.

    Raises
    ------
    FileFormatError
        If the bytes are not a stack, with the field that is wrong.
    """
    try:
        return _fields(_document(data))
    except _Refused as reason:
        raise FileFormatError(f"{source} is not a stack file: {reason}") from reason.__cause__


class _Refused(Exception):
    """What is wrong with the file, in words."""


def _document(data: bytes) -> dict[str, Any]:
    def no_constant(name: str) -> float:
        raise _Refused(f"it holds the number {name}")

    try:
        document = json.loads(data, parse_constant=no_constant)
    except json.JSONDecodeError as error:
        raise _Refused(f"line {error.lineno} can't be read, so it may be truncated") from error
    except (ValueError, RecursionError) as error:  # not text, an integer of 4,300 digits, [[[[...
        raise _Refused("it is not JSON text of ours") from error
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise _Refused(f'it has no "format": "{FORMAT}"')
    if document.get("version") != VERSION:
        raise _Refused(f"its version is {document.get('version')!r:.40}, and we read {VERSION}")
    for name in document:
        if name not in FIELDS:  # a word that is spelt wrong would be lost without a word
            raise _Refused(f"it has a field {name!r:.40} that we do not know")
    return document


def _fields(document: dict[str, Any]) -> StackFields:
    name = document.get("dtype")
    if name not in ("float32", "float64"):
        raise _Refused(f'"dtype" is {name!r:.40}, not "float32" or "float64"')
    h = _filter(document)
    layers = max(1, math.ceil(h.degree / 2))
    theta: NDArray[Any] = _matrix(document.get("theta"), layers)
    try:
        theta = single(theta) if name == "float32" else theta
        points = None
        if document.get("spectrum") is not None:
            points = as_points(_vector(document, "spectrum"))
    except (FilterError, SpectrumError) as error:
        raise _Refused(str(error)) from error
    exact = None
    if document.get("exact") is not None:
        exact = _exact(document["exact"], layers, h)
    return StackFields(theta, h, points, exact, _size(document, "root_residual"))


def _filter(document: dict[str, Any]) -> FilterPolynomial:
    c = _vector(document, "chebyshev")
    if len(c) > 1 and c[-1] == 0:
        raise _Refused('"chebyshev" ends with a zero')
    try:
        h = as_filter(Chebyshev(c), trim=0.0)
    except FilterError as error:
        raise _Refused(str(error)) from error
    exact = None
    if document.get("power") is not None:
        exact = _fractions(document["power"], len(c))
        if exact is None:
            raise _Refused(
                f'"power" has to be {len(c)} fractions in quotes, as many as "chebyshev"'
            )
        if [_float(a) for a in chebyshev_from_power(exact)] != c.tolist():
            raise _Refused('"power" and "chebyshev" are not the same polynomial')
    trimmed = document.get("trimmed", 0)
    if not _is_number(trimmed) or trimmed < 0 or trimmed != int(trimmed):
        raise _Refused('"trimmed" has to be a whole number of at least 0')
    bound = _size(document, "trim_bound")
    return replace(h, exact=exact, trimmed=int(trimmed), trim_bound=bound)


def _exact(value: Any, layers: int, h: FilterPolynomial) -> tuple[ExactFactor, ...]:
    if not isinstance(value, list) or len(value) != layers:
        raise _Refused(f'"exact" has to be {layers} rows of three fractions in quotes')
    rows: list[ExactFactor] = []
    product = flint.fmpq_poly([1])
    for number, texts in enumerate(value, start=1):
        row = _fractions(texts, 3)
        if row is None:
            raise _Refused(f'row {number} of "exact" is not three fractions in quotes')
        rows.append((row[0], row[1], row[2]))
        product *= flint.fmpq_poly([flint.fmpq(a.numerator, a.denominator) for a in row])
    wanted = [flint.fmpq(a.numerator, a.denominator) for a in h.exact or ()]
    if product != flint.fmpq_poly(wanted):
        raise _Refused('the product of the rows of "exact" is not the polynomial of "power"')
    return tuple(rows)


def _is_number(value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return math.isfinite(_float(value))


def _float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf


def _size(document: dict[str, Any], name: str) -> float:
    value = document.get(name, 0.0)
    if not _is_number(value) or value < 0:
        raise _Refused(f'"{name}" has to be a finite number of at least 0')
    return float(value)


def _vector(document: dict[str, Any], name: str) -> Real:
    value = document.get(name)
    if not isinstance(value, list) or not value or not all(map(_is_number, value)):
        raise _Refused(f'"{name}" has to be a list of finite numbers, at least one')
    return np.array(value, dtype=np.float64)


def _matrix(value: Any, layers: int) -> Real:
    if not isinstance(value, list) or len(value) != layers:
        raise _Refused(f'"theta" has to be {layers} rows, since its filter needs as many layers')
    for number, row in enumerate(value, start=1):
        if not isinstance(row, list) or len(row) != 3 or not all(map(_is_number, row)):
            raise _Refused(f'row {number} of "theta" is not three finite numbers')
    return np.array(value, dtype=np.float64)


def _fractions(value: Any, count: int) -> tuple[Fraction, ...] | None:
    """The texts as fractions; no exponents, which ask for a billion zeros in ten characters."""
    if not isinstance(value, list) or len(value) != count:
        return None
    found = []
    for text in value:
        match = FRACTION.fullmatch(text) if isinstance(text, str) else None
        if match is None:
            return None
        denominator = int(flint.fmpz(match[2] or "1"))  # Python's own int refuses 4,300 digits
        if denominator == 0:
            return None
        found.append(Fraction(int(flint.fmpz(match[1])), denominator))
    return tuple(found)
