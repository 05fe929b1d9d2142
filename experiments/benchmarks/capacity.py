r"""How deep the data sets ask networks to be: by Theorem 1, and for a tolerance.

The map is, for the graphs of a training split,

.. math::  \Gamma \mapsto \lceil (\Gamma - 1) / 2 \rceil, \qquad
           (f, \varepsilon) \mapsto \min \Bigl\{ L : \min_{\deg h \le 2 L}
           \max_{\lambda} |f(\lambda) - h(\lambda)| \le \varepsilon \|f\| \Bigr\}

over the eigenvalues λ of the split, where ‖f‖ is the maximum over [-1, 1]. The first is what
Theorem 1 asks of second-order layers so that every filter can be had exactly; Γ is the exact
spectrum capacity. The second, the effective depth, is what the paper's three responses need to 1%
and 0.1% on that spectrum. Beside both stands the depth that the paper's networks have, and how far
from the responses any of that depth stays.

Where a split is too large, its first graphs are taken, and the table says how many. Γ of a part is
a lower bound for the whole.

Writes ``results/capacity.json``; data sets that are not asked for keep their rows.

>>> from polyfilter.graphs import Graph, GraphSet
>>> row = measured(GraphSet([Graph.from_edges([(0, 1), (1, 2), (2, 3)])]), layers=2)
>>> row["capacity"], row["theorem_layers"], row["effective"]["low-pass"]["0.01"]["layers"]
(4, 2, 2)
"""

import argparse
import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from experiments.benchmarks.runs import RUNS, first
from experiments.benchmarks.sizes import task_of
from experiments.benchmarks.tables import NO_TIME, REASONS
from experiments.cells import Table
from experiments.record import RESULTS, write
from gcn import zoo
from gcn.data import benchmarks
from gcn.data.dataset import Part
from polyfilter import spectrum_capacity
from polyfilter.depth import needed_degree
from polyfilter.exchange import best_on_points
from polyfilter.graphs import GraphSet
from polyfilter.responses import band_pass, high_pass, low_pass
from polyfilter.spectrum import as_points, spectrum
from polyfilter.usage import Parser, printable

__all__ = ["NODES", "known", "measured", "row_of", "run", "table"]

NODES = 250_000
"""A split with more nodes is cut."""
SMALLEST = 20
"""No graph of a set that is made has fewer nodes, so that it is known how many are enough."""
MADE = {
    "mnist": 55_000,
    "cifar10": 45_000,
    "cifar10-jpeg": 45_000,
    "cluster": 10_000,
    "pattern": 10_000,
}
"""Graphs in the training split of sets that are made, which takes time, and so not made whole."""
TOLERANCES = (0.01, 0.001)
RESPONSES = (high_pass, low_pass, band_pass)
NAME = "capacity"

EXAMPLES = """\
examples:
  python -m experiments capacity --dataset zinc --data DIR
  python -m experiments capacity --dataset mnist cluster --nodes 20000 --data DIR
"""


def run(words: Sequence[str]) -> int:
    """Measure the data sets that the words name, and print the table of all."""
    arguments = _parser().parse_args(words)
    data = (arguments.data or RUNS / "data").resolve()
    for name in arguments.dataset:
        start = time.perf_counter()
        rows = known() | {name: row_of(name, data, arguments.nodes)}
        write(NAME, {"rows": rows}, seed=0, seconds=time.perf_counter() - start)
    print(json.dumps(known()) if arguments.json else printable(table(known())))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="python -m experiments capacity",
        description="Count the eigenvalues of data sets exactly, and say what depth they ask for.",
        epilog=EXAMPLES,
    )
    parser.add_argument(
        "--dataset",
        nargs="+",
        choices=benchmarks.NAMES,
        required=True,
        metavar="D",
        help=", ".join(benchmarks.NAMES),
    )
    parser.add_argument(
        "--nodes", type=int, default=NODES, metavar="N", help=f"at most; default: {NODES:,}"
    )
    parser.add_argument("--data", type=Path, metavar="DIR", help="data sets; default: runs/data")
    parser.add_argument("--json", action="store_true", help="print all rows as one JSON object")
    return parser


def known() -> dict[str, Any]:
    """Return the rows that were measured."""
    path = RESULTS / f"{NAME}.json"
    if not path.exists():
        return {}
    rows: dict[str, Any] = json.loads(path.read_text())["rows"]
    return rows


def row_of(name: str, data: Path | None, nodes: int = NODES) -> dict[str, Any]:
    """Measure the training split of a data set, or its first graphs.

    Parameters
    ----------
    name
        The data set.
    data
        The folder of data sets.
    nodes
        How many nodes the graphs may have together.
    """
    dataset = benchmarks.load(name, data, limit=max(1, nodes // SMALLEST))
    start = time.perf_counter()
    part = _cut(dataset.train, nodes)
    row = measured(part.graphs(), zoo.shell_of(name).layers)
    return row | {
        "title": dataset.task.title,
        "graphs_in_split": MADE.get(name, dataset.train.num_graphs),
        "source": dataset.source,
        "seconds": round(time.perf_counter() - start, 1),
    }


def _cut(part: Part, nodes: int) -> Part:
    """The first graphs with no more nodes than this together, and one at least."""
    graphs = int(np.searchsorted(part.node_ptr[1:], nodes, side="right"))
    return part if graphs == part.num_graphs else first(part, max(1, graphs))


def measured(graphs: GraphSet, layers: int) -> dict[str, Any]:
    """Return capacity and depths of graphs, on which networks have so many layers."""
    capacity = spectrum_capacity(graphs, progress=False)
    points = spectrum(graphs).values
    effective: dict[str, Any] = {}
    for response in RESPONSES:
        values = response(points)
        scale = float(np.abs(response(as_points())).max())
        found = {str(t): needed_degree(response, t * scale, points) for t in TOLERANCES}
        effective[response.name] = {
            t: {"layers": needed.layers, "at_least": needed.layers_at_least}
            for t, needed in found.items()
        }
        used = best_on_points(points, values, 2 * layers)
        effective[response.name]["error_used"] = used.error / scale
    return {
        "graphs": len(graphs),
        "nodes": graphs.num_nodes,
        "capacity": capacity.value,
        "capacity_upper": capacity.upper,
        "proof": capacity.proof,
        "theorem_layers": -(-(capacity.value - 1) // 2),
        "used_layers": layers,
        "effective": effective,
    }


def table(rows: dict[str, Any]) -> Table:
    """Return a row for each data set, in the order of names, also for those not measured."""
    header = ["data", "graphs", "nodes", "Γ", "Theorem 1", "used"]
    header += [f"{r.name} {_percent(t)}" for r in RESPONSES for t in TOLERANCES]
    header += [f"{r.name} at depth used" for r in RESPONSES]
    return Table(
        header,
        [_shown(name, rows.get(name)) for name in benchmarks.NAMES],
        "Second-order layers: what Theorem 1 asks for, what the paper's networks have, and what "
        "the three responses need to 1% and 0.1% of their maximum on the data set's own "
        "eigenvalues; last, the smallest error that any stack of the depth used has. Γ is proven "
        "from below, and more than that with the chance that results/capacity.json states.",
    )


def _percent(tolerance: float) -> str:
    return f"{tolerance:.3g}".replace("0.01", "1%").replace("0.001", "0.1%")


def _shown(name: str, row: dict[str, Any] | None) -> list[str]:
    columns = len(RESPONSES) * (len(TOLERANCES) + 1)
    if row is None:
        why = f"not measured: {REASONS.get(name, NO_TIME)}"
        return [task_of(name).title, why, *[""] * (4 + columns)]
    whole = row["graphs"] == row["graphs_in_split"]
    graphs = f"{row['graphs']:,}" + ("" if whole else f" of {row['graphs_in_split']:,}")
    found = [row["effective"][r.name] for r in RESPONSES]
    return [
        row["title"],
        graphs,
        f"{row['nodes']:,}",
        ("" if whole else "≥ ") + f"{row['capacity']:,}",
        ("" if whole else "≥ ") + f"{row['theorem_layers']:,}",
        str(row["used_layers"]),
        *(_between(each[str(t)]) for each in found for t in TOLERANCES),
        *(f"{each['error_used']:.1%}" for each in found),
    ]


def _between(depth: dict[str, int]) -> str:
    low, high = depth["at_least"], depth["layers"]
    return f"{high}" if low == high else f"{low} to {high}"
