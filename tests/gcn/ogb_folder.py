"""The Open Graph Benchmark's package, and folders like those that its archives unpack to."""

import gzip
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest


def ogb(module: str) -> Any:
    """Import a module of ogb, or skip the test."""
    # It would ask PyPI for its newest version in a thread of its own; without this it does not.
    sys.modules.setdefault("outdated", None)  # type: ignore[arg-type]
    return pytest.importorskip(f"ogb.{module}", reason="pip install 'polyfilter[benchmarks]'")


def lay(folder: Path, tables: Mapping[str, Sequence[Sequence[object]]]) -> None:
    """Write tables as OGB does, gzipped csv without a header, and the files that mark a release."""
    for name, rows in tables.items():
        path = folder / f"{name}.csv.gz"
        path.parent.mkdir(parents=True, exist_ok=True)
        text = "".join(",".join(map(str, row)) + "\n" for row in rows)
        path.write_bytes(gzip.compress(text.encode()))
    (folder / "processed").mkdir(exist_ok=True)
    (folder / "RELEASE_v1.txt").write_text("")
