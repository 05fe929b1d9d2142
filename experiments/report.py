r"""The command ``python -m experiments report``: every table and picture, from the result files.

The map is ``experiments/results/**.json -> docs/images/*.png, tables in README and docs``. Nothing
is trained, no weights are read and no data are loaded, so that what a page shows is what was kept.
An experiment without a result file is left as it is: its table says that it was not run.

>>> from experiments.arguments import EXPERIMENTS
>>> set(BENCHMARKS) & set(EXPERIMENTS)
set()
"""

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from experiments import tables
from experiments.arguments import EXPERIMENTS
from experiments.benchmarks import molecule, pictures
from experiments.benchmarks.runs import STORE
from experiments.record import IMAGES, RESULTS
from experiments.runs import records
from polyfilter.files import atomic_write
from polyfilter.usage import Parser

__all__ = ["BENCHMARKS", "images", "run"]

BENCHMARKS: dict[str, Callable[[Sequence[dict[str, Any]]], Figure]] = {
    "benchmark_curves": pictures.draw_curves,
    "benchmark_cost": pictures.draw_cost,
}
"""Pictures of all records."""


def run(words: Sequence[str]) -> int:
    """Draw all pictures, rewrite all tables, and say what was written."""
    parser = Parser(
        prog="python -m experiments report",
        description="Rebuild every table and picture from the result files.",
    )
    parser.add_argument("--json", action="store_true", help="print what was written as JSON")
    arguments = parser.parse_args(words)
    drawn, rewritten = [], []
    for path, picture in images():
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_write(path) as stream:
            picture.savefig(stream, format="png")
        drawn.append(path.name)
        print(f"drawn: {path.name}", file=sys.stderr)
    for page in tables.rewrite():
        rewritten.append(page.name)
        print(f"rewritten: {page.name}", file=sys.stderr)
    if arguments.json:
        print(json.dumps({"drawn": drawn, "rewritten": rewritten}))
    return 0


def images() -> Iterator[tuple[Path, Figure]]:
    """Yield every picture that there are results for, and where it belongs."""
    for name in EXPERIMENTS:
        module = import_module(f"experiments.sgs.{name}")
        if (RESULTS / f"{name}.json").exists():
            yield IMAGES / f"{name}.png", module.draw(tables.load(name))
    kept = list(records(STORE))
    for name, draw in BENCHMARKS.items():
        if kept:
            yield IMAGES / f"{name}.png", draw(kept)
    if (RESULTS / f"{molecule.NAME}.json").exists():
        yield IMAGES / f"{molecule.NAME}.png", molecule.draw(tables.load(molecule.NAME))
