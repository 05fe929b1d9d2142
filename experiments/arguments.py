"""How ``python -m experiments`` is spelled.

The map is ``words -> arguments``, by argparse.

Assumptions: none. A word that makes no sense is one line that names it.

>>> arguments = parse(["table2", "--quick", "--seeds", "0", "1"])
>>> arguments.experiment, arguments.quick, arguments.seeds, arguments.engine
('table2', True, [0, 1], 'local')
"""

import argparse
import os
from collections.abc import Sequence
from pathlib import Path

from experiments.engines import ENGINES
from polyfilter.usage import EXIT_STATUS, Parser, UsageError

__all__ = ["COMMANDS", "EXPERIMENTS", "add_engine", "add_folders", "parse"]

EXPERIMENTS = {
    "table2": "vanilla, GIN, SoGCN, third and fourth order on three targets (the paper's Table 2)",
    "analytic": "networks whose weights are computed, and the floor of each degree",
    "warm": "SoGCN begun as the best polynomial, then trained",
    "depth": "test MAE against depth (Figure 3)",
    "spectra": "spectra of signals, and responses of trained networks",
    "lss": "the polynomials of trained networks without anything but their layers",
    "hops": "order of a layer or hops of the network: which one decides",
}
"""Each is a module of this name in experiments/sgs."""
COMMANDS = {
    "benchmarks": "experiments.benchmarks.command",
    "capacity": "experiments.benchmarks.capacity",
    "molecule": "experiments.benchmarks.molecule",
    "sizes": "experiments.benchmarks.sizes",
    "report": "experiments.report",
}
"""Experiments with words of their own, and the modules that ``run`` them."""
OWN_WORDS = {
    "benchmarks": "networks on ZINC, CLUSTER, PATTERN, MNIST, CIFAR10 and more",
    "capacity": "eigenvalues of those data sets, and the depth that they ask for",
    "molecule": "spectra of what trained networks read out of a molecule",
    "sizes": "parameters of every network on every data set",
    "report": "every table and picture again, from what was kept",
}
"""What those are, for the help."""
TARGETS = ("high-pass", "low-pass", "band-pass")

EXAMPLES = f"""\
examples:
  the ordering of Table 2 in a few minutes, on fewer graphs
    python -m experiments table2 --quick
  Table 2 as it is printed, three seeds, two trainings at a time; go on by the same words
    python -m experiments table2 --seeds 0 1 2 --jobs 2
  the same on a dask cluster
    dask scheduler &  dask worker tcp://127.0.0.1:8786 --nworkers 8 --nthreads 1 &
    python -m experiments table2 --engine dask --scheduler tcp://127.0.0.1:8786
  table and picture of what has been run so far
    python -m experiments hops --collect-only

A finished training is kept in experiments/results/sgs and never repeated; one that is interrupted
goes on from its checkpoint in --runs. Quick trainings, their table and their picture stay below
--runs.

{EXIT_STATUS}"""


def parse(argv: Sequence[str] | None = None) -> argparse.Namespace:
    """Return the arguments, or raise a :class:`~polyfilter.usage.UsageError`.

    Examples
    --------
    >>> parse(["table3"])
    Traceback (most recent call last):
    ...
    polyfilter.usage.UsageError: argument EXPERIMENT: invalid choice: 'table3' ...
    """
    arguments = _parser().parse_args(argv)
    if min(arguments.seeds) < 0:
        raise UsageError(f"seeds are whole numbers from 0 up, not {min(arguments.seeds)}")
    return arguments


def _parser() -> argparse.ArgumentParser:
    listed, others = (
        "\n".join(f"  {name:10} {words}" for name, words in group.items())
        for group in (EXPERIMENTS, OWN_WORDS)
    )
    parser = Parser(
        prog="python -m experiments",
        description=f"Run an experiment on the SGS data, print its table, draw it.\n\n{listed}\n\n"
        f"with words of their own, and --help for them:\n\n{others}",
        epilog=EXAMPLES,
    )
    parser.add_argument("experiment", metavar="EXPERIMENT", choices=EXPERIMENTS, help="see above")
    parser.add_argument("--quick", action="store_true", help="a small version, in minutes")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0], metavar="N", help="default: 0")
    parser.add_argument(
        "--targets", nargs="+", choices=TARGETS, metavar="T", help="only these; default: all"
    )
    parser.add_argument(
        "--collect-only", action="store_true", help="train nothing, use what is there"
    )
    parser.add_argument("--json", action="store_true", help="print the figures as one JSON object")

    add_engine(parser)
    add_folders(parser, "SGS files")
    return parser


def add_engine(parser: argparse.ArgumentParser) -> None:
    """Let the words say where trainings run."""
    group = parser.add_argument_group("engine")
    group.add_argument("--engine", choices=ENGINES, default="local", help="default: local")
    group.add_argument(
        "--jobs",
        type=int,
        default=os.cpu_count() or 1,
        metavar="N",
        help="trainings at a time, for the engine local; default: one a core",
    )
    group.add_argument("--scheduler", metavar="ADDRESS", help="for the engine dask")


def add_folders(parser: argparse.ArgumentParser, data: str) -> None:
    """Let the words say where checkpoints and data lie."""
    group = parser.add_argument_group("folders")
    group.add_argument("--runs", type=Path, metavar="DIR", help="checkpoints; default: runs")
    group.add_argument("--data", type=Path, metavar="DIR", help=f"{data}; default: RUNS/data")
