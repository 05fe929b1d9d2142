"""The tables of docs/benchmarks.md, as :mod:`experiments.tables` asks for them.

The map is ``name -> Markdown``, from the records, ``sizes.json``, ``capacity.json`` and
``molecule.json`` of ``experiments/results``.

>>> sorted(PAGES)[:3]
['ablation', 'capacity', 'cifar']
"""

import json
from collections.abc import Callable, Sequence
from functools import partial

from experiments.benchmarks import capacity as depths
from experiments.benchmarks import molecule as spectra
from experiments.benchmarks import sizes, tables, verdicts
from experiments.benchmarks.runs import STORE
from experiments.cells import Cell, Table
from experiments.record import IMAGES, RESULTS
from experiments.runs import records

__all__ = ["PAGES"]


def _found() -> list[Cell]:
    return tables.gathered(records(STORE))


def _of_cells(make: Callable[[list[Cell]], Table]) -> str:
    return make(_found()).markdown()


def _of_dataset(dataset: str) -> str:
    make = tables.ogb if dataset in ("molhiv", "proteins") else tables.detail
    return make(_found(), sizes.known(), dataset).markdown()


def _capacity() -> str:
    return depths.table(depths.known()).markdown()


def _molecule() -> str:
    path = RESULTS / f"{spectra.NAME}.json"
    if not path.exists():
        return "Not run yet: `python -m experiments molecule`."
    return spectra.table(json.loads(path.read_text())).markdown()


def _pictures(names: Sequence[str]) -> str:
    """Link the pictures that were drawn, and say by what."""
    words = {
        "benchmark_cost": "Test metric against seconds an epoch and against parameters",
        "benchmark_curves": "Validation loss by epoch",
        spectra.NAME: "Activations of the last layer on the eigenvectors of a molecule",
    }
    links = [
        f"![{words[name]}](images/{name}.png)"
        for name in names
        if (IMAGES / f"{name}.png").exists()
    ]
    return "\n\n".join(
        [*links, "Drawn by `python -m experiments report`, as far as there are runs."]
    )


PAGES: dict[str, Callable[[], str]] = {
    "ablation": partial(_of_cells, tables.ablation),
    "capacity": _capacity,
    "cifar": partial(_of_dataset, "cifar10-jpeg"),
    "citation": lambda: tables.planetoid(_found(), sizes.known()).markdown(),
    "cluster": partial(_of_dataset, "cluster"),
    "mnist": partial(_of_dataset, "mnist"),
    "molecule": _molecule,
    "molecule_picture": partial(_pictures, (spectra.NAME,)),
    "molhiv": partial(_of_dataset, "molhiv"),
    "pattern": partial(_of_dataset, "pattern"),
    "pictures": partial(_pictures, ("benchmark_curves", "benchmark_cost")),
    "proteins": partial(_of_dataset, "proteins"),
    "provenance": lambda: tables.provenance(list(records(STORE))),
    "systems": lambda: tables.systems(_found(), sizes.known()).markdown(),
    "table": partial(_of_cells, tables.table3),
    "verdicts": partial(_of_cells, verdicts.table),
    "zinc": partial(_of_dataset, "zinc"),
}
"""By name, without ``benchmark_``."""
