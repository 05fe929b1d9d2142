"""Results into files: checked before the work begins, whole or not at all.

The maps are ``paths -> nothing, or one error`` and ``array -> file``.

Assumptions: between the check and the writing nobody takes the folder away; if somebody does, it is
one error all the same.

>>> import tempfile, pathlib
>>> with tempfile.TemporaryDirectory() as folder:
...     path = pathlib.Path(folder) / "y.csv"
...     write_array(path, np.array([[0.1, 1.0], [2.0, 3.0]]))
...     print(path.read_text(), end="")
0.1,1.0
2.0,3.0
"""

import os
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyfilter.errors import FileFormatError
from polyfilter.files import atomic_write

__all__ = ["check_array_name", "check_outputs", "write_array"]

SEPARATORS = {".txt": " ", ".csv": ",", ".tsv": "\t"}
"""Between the channels of a node, by the ending of a text file."""
ROWS = 1 << 16
"""Nodes that become text at a time."""


def check_outputs(outputs: Sequence[str | None], inputs: Sequence[str | None] = ()) -> None:
    """Refuse names that can't be written to, or that are also an input or another output.

    >>> check_outputs(["no such folder/stack.json"])
    Traceback (most recent call last):
    ...
    polyfilter.errors.FileFormatError: can't write no such folder/stack.json: there is no folder \
'no such folder'
    """
    targets = [Path(name) for name in outputs if name is not None]
    sources = [Path(name) for name in inputs if name is not None]
    for target in targets:
        if not target.parent.is_dir():
            raise FileFormatError(f"can't write {target}: there is no folder '{target.parent}'")
        if target.exists() and not target.is_file():
            raise FileFormatError(f"can't write {target}: it exists and is not a file")
        if not os.access(target.parent, os.W_OK):
            raise FileFormatError(f"can't write {target}: the folder is read-only")
        for source in sources:
            if target.exists() and source.exists() and target.samefile(source):
                raise FileFormatError(f"can't write {target}: it is also an input")
    for first, second in combinations(targets, 2):
        if first.resolve() == second.resolve():
            raise FileFormatError(f"can't write two results to {second}")


def check_array_name(path: str) -> str:
    """Return the ending of an array's file if it is one that we write.

    >>> check_array_name("y.npy")
    '.npy'
    """
    ending = Path(path).suffix.lower()
    if ending != ".npy" and ending not in SEPARATORS:
        known = " ".join([".npy", *SEPARATORS])
        raise FileFormatError(
            f"{path} ends in {ending or 'nothing'}, and signals are written to {known}"
        )
    return ending


def write_array(path: str | os.PathLike[str], array: NDArray[Any]) -> None:
    """Write a signal; text holds the shortest decimals that read back as the same floats."""
    ending = check_array_name(str(path))
    with atomic_write(path) as stream:
        if ending == ".npy":
            np.save(stream, array, allow_pickle=False)
            return
        table = array.reshape(len(array), -1)
        for start in range(0, len(table), ROWS):
            rows = table[start : start + ROWS].astype(np.str_).tolist()
            stream.write("".join(SEPARATORS[ending].join(row) + "\n" for row in rows).encode())
