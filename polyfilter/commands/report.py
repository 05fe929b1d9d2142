"""What a command has to say, for a person and for a program.

The maps are ``rows -> aligned text`` and ``document -> one JSON object``. Numbers for a person
carry the digits that mean something; a program gets all of them, and ``null`` for what is not
finite.

Assumptions: a terminal of at least 40 columns.

>>> print(pairs([("noise gain", "1.62"), ("status", "all is well")]))
  noise gain  1.62
  status      all is well
"""

import json
import math
import shutil
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["Report", "columns", "decimals", "pairs", "plural", "terminal_width"]

FIXED = 5
"""Decimals of a column of numbers of ordinary size."""
SMALLEST, LARGEST = 1e-4, 1e6
"""Columns whose largest number lies outside are written with exponents."""


@dataclass(frozen=True)
class Report:
    """The result of a command.

    Attributes
    ----------
    document
        All of it, as what ``--json`` prints.
    title, body
        What a person reads: a line, and the lines below it.
    brief
        What is left of it under ``--quiet``.
    """

    document: Mapping[str, Any]
    title: str
    body: str
    brief: str = ""

    def to_json(self) -> str:
        """Return the document as one line of strict JSON.

        Examples
        --------
        >>> Report({"gap": math.inf, "values": (1, 0.5)}, "", "").to_json()
        '{"gap": null, "values": [1, 0.5]}'
        """
        return json.dumps(_finite(self.document), allow_nan=False)


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return value


def terminal_width() -> int:
    """Return the number of columns to write, between 40 and 100."""
    return min(max(shutil.get_terminal_size().columns, 40), 100)


def plural(number: int, word: str) -> str:
    """Return a count with its noun.

    >>> plural(1, "layer"), plural(1200, "layer")
    ('1 layer', '1,200 layers')
    """
    return f"{number:,} {word}{'' if number == 1 else 's'}"


def pairs(rows: Sequence[tuple[str, str]]) -> str:
    """Return names and what they stand for, in two columns, long texts wrapped."""
    width = max(len(name) for name, _ in rows) + 4
    lines = []
    for name, text in rows:
        wrapped = textwrap.wrap(
            text,
            terminal_width(),
            initial_indent=f"  {name:<{width - 2}}",
            subsequent_indent=" " * width,
            break_on_hyphens=False,
            break_long_words=False,
        )
        lines += wrapped or [f"  {name}"]
    return "\n".join(lines)


def columns(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table whose columns end flush right.

    >>> print(columns(["layer", "value"], [["1", "-0.5"], ["2", "10.25"]]))
      layer  value
          1   -0.5
          2  10.25
    """
    table = [list(header), *map(list, rows)]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return "\n".join(
        ("  " + "  ".join(f"{cell:>{width}}" for cell, width in zip(row, widths, strict=True)))
        for row in table
    )


def decimals(values: Sequence[float]) -> list[str]:
    """Return numbers as they stand in one column: with common decimals, or all with exponents.

    >>> decimals([0.5, -12.25]), decimals([1e-9, 1.0]), decimals([2e9])
    (['0.50000', '-12.25000'], ['1.0000e-09', '1.0000e+00'], ['2.0000e+09'])
    """
    sizes = [abs(value) for value in values if value and math.isfinite(value)]
    ordinary = not sizes or (min(sizes) >= SMALLEST and max(sizes) < LARGEST)
    return [f"{value:.{FIXED}f}" if ordinary else f"{value:.{FIXED - 1}e}" for value in values]
