"""Results as files: what was measured, with which seed, on which commit, and how long it took.

The map is ``name, figures -> experiments/results/name.json``. README and docs read these files and
nothing else, so that every number they print was written by a command.

>>> sorted(origin(seed=0, seconds=1.0))
['commit', 'machine', 'python', 'seconds', 'seed', 'versions']
"""

import json
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from polyfilter.files import atomic_write
from polyfilter.provenance import provenance

__all__ = ["IMAGES", "RESULTS", "origin", "write"]

RESULTS = Path(__file__).resolve().parent / "results"
IMAGES = RESULTS.parents[1] / "docs" / "images"
NETWORKS = ("torch", "torch-scatter", "torch_geometric")
"""Packages that networks run on; polyfilter's own provenance knows nothing of them."""


def origin(seed: int, seconds: float) -> dict[str, Any]:
    """Say where figures come from."""
    here = provenance()
    return {
        "seed": seed,
        "seconds": round(seconds, 1),
        "commit": here.commit or "unknown",
        "python": here.python,
        "machine": f"{here.machine}, {here.cores} cores",
        "versions": {**dict(here.versions), **_versions(NETWORKS)},
    }


def _versions(names: tuple[str, ...]) -> dict[str, str]:
    found = {}
    for name in names:
        with suppress(PackageNotFoundError):
            found[name] = version(name)
    return found


def write(name: str, figures: dict[str, Any], seed: int, seconds: float) -> Path:
    """Write the figures with their provenance; the file appears whole or not at all."""
    path = RESULTS / f"{name}.json"
    document = {"provenance": origin(seed, seconds), **figures}
    RESULTS.mkdir(exist_ok=True)
    with atomic_write(path) as stream:
        stream.write(json.dumps(document, indent=1, ensure_ascii=False).encode() + b"\n")
    return path
