"""Results as files: what was measured, with which seed, on which commit, and how long it took.

The map is ``name, figures -> experiments/results/name.json``. README and docs read these files and
nothing else, so that every number they print was written by a command.

>>> sorted(provenance(seed=0, seconds=1.0))
['commit', 'machine', 'python', 'seconds', 'seed', 'versions']
"""

import json
import os
import platform
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from polyfilter.files import atomic_write

__all__ = ["RESULTS", "provenance", "write"]

RESULTS = Path(__file__).resolve().parent / "results"
PACKAGES = ("numpy", "scipy", "python-flint", "sympy", "matplotlib", "torch", "torch-scatter")


def provenance(seed: int, seconds: float) -> dict[str, Any]:
    """Say where figures come from."""
    versions = {}
    for package in PACKAGES:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            continue
    return {
        "seed": seed,
        "seconds": round(seconds, 1),
        "commit": _commit(),
        "python": platform.python_version(),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "versions": versions,
    }


def write(name: str, figures: dict[str, Any], seed: int, seconds: float) -> Path:
    """Write the figures with their provenance; the file appears whole or not at all."""
    path = RESULTS / f"{name}.json"
    document = {"provenance": provenance(seed, seconds), **figures}
    RESULTS.mkdir(exist_ok=True)
    with atomic_write(path) as stream:
        stream.write(json.dumps(document, indent=1, ensure_ascii=False).encode() + b"\n")
    return path


def _commit() -> str:
    """The commit that ran, marked when the tree had changes on top of it."""
    root = Path(__file__).resolve().parents[1]
    ask = ["git", "-C", str(root)]
    try:
        head = subprocess.run(
            [*ask, "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=True
        ).stdout.strip()
        ignored = f":!{RESULTS.relative_to(root).as_posix()}"
        dirty = subprocess.run(
            [*ask, "status", "--porcelain", "--untracked-files=no", "--", ".", ignored],
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return f"{head} with changes" if dirty else head


if __name__ == "__main__":
    json.dump(provenance(seed=0, seconds=0.0), sys.stdout, indent=1)
