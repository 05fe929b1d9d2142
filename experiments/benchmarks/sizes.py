r"""How large every network is on every data set, run or not.

The map is ``data set, network -> width, parameters``, at the depth and budget of the paper's table.
It takes no data and no training, but it builds a few hundred networks, so it is kept.

Writes ``results/sizes.json``.

>>> size("zinc", "sogcn")["parameters"] <= 500_000
True
>>> networks("zinc")[:3]
['vanilla', 'vanilla-mean', 'gin']
"""

import argparse
import json
import time
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from experiments.benchmarks.case import Case
from experiments.record import RESULTS, write
from gcn import zoo
from gcn.data.benchmarks import HOMES, NAMES
from gcn.data.dataset import Task
from polyfilter.usage import Parser

__all__ = ["case_of", "known", "networks", "run", "size", "task_of"]

NAME = "sizes"
GRU = "-gru"
GATED = ("vanilla", "vanilla-mean", "sogcn", "order-4", "order-6")
"""Networks that are counted with a GRU too: those of the paper's ablation."""


def run(words: Sequence[str]) -> int:
    """Count all networks, and say how many there are."""
    parser = Parser(
        prog="python -m experiments sizes",
        description="Count the parameters of every network on every data set.",
    )
    parser.add_argument("--json", action="store_true", help="print the counts as one JSON object")
    arguments: argparse.Namespace = parser.parse_args(words)
    start = time.perf_counter()
    sizes = {dataset: {n: size(dataset, n) for n in networks(dataset)} for dataset in NAMES}
    path = write(NAME, {"sizes": sizes}, seed=0, seconds=time.perf_counter() - start)
    told = f"{sum(map(len, sizes.values()))} networks counted; written: {path}"
    print(json.dumps(sizes) if arguments.json else told)
    return 0


def known() -> dict[str, dict[str, dict[str, Any]]]:
    """Return the sizes that were counted."""
    path = RESULTS / f"{NAME}.json"
    if not path.exists():
        return {}
    sizes: dict[str, dict[str, dict[str, Any]]] = json.loads(path.read_text())["sizes"]
    return sizes


def networks(dataset: str) -> list[str]:
    """Return the names of all networks that can be built for a data set, with and without GRU."""
    plain = [name for name, model in zoo.MODELS.items() if dataset not in model.unfit]
    gated = [f"{name}{GRU}" for name in GATED if name in plain]
    return plain if dataset in ("molhiv", "proteins") else plain + gated


def case_of(dataset: str, network: str, seed: int = 0) -> Case:
    """Return the case of a network by its whole name.

    Examples
    --------
    >>> case_of("mnist", "order-4-gru").gru
    True
    """
    return Case(dataset, network.removesuffix(GRU), gru=network.endswith(GRU), seed=seed)


def size(dataset: str, network: str) -> dict[str, int]:
    """Return depth, width and parameters of a network at the size of the paper's table."""
    case, task = case_of(dataset, network), task_of(dataset)
    net = case.network(task)
    return {
        "layers": case.layers,
        "width": case.channels(task),
        "parameters": sum(weight.numel() for weight in net.parameters()),
    }


def task_of(dataset: str) -> Task:
    """Return what a data set asks, without its data.

    Examples
    --------
    >>> task_of("cluster").out_channels
    6
    """
    module = import_module(f"gcn.data.{HOMES[dataset][0]}")
    task: Task = module.TASKS[dataset] if hasattr(module, "TASKS") else module.TASK
    return task
