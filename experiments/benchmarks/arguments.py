"""How ``python -m experiments benchmarks`` is spelled.

The map is ``words -> arguments``, by argparse.

Assumptions: none. A word that makes no sense is one line that names it.

>>> arguments = parse(["--dataset", "zinc", "--model", "sogcn", "vanilla", "--gru", "--seeds", "2"])
>>> [case.name for case in arguments.cases]
['zinc/sogcn-gru/seed-0', 'zinc/vanilla-gru/seed-0', 'zinc/sogcn-gru/seed-1',
 'zinc/vanilla-gru/seed-1']
"""

import argparse
from collections.abc import Iterable, Sequence
from itertools import product
from textwrap import fill

from experiments.arguments import add_engine, add_folders
from experiments.benchmarks.case import EPOCHS, Case
from gcn import zoo
from gcn.data.benchmarks import NAMES
from polyfilter.usage import EXIT_STATUS, Parser, UsageError

__all__ = ["QUICK_EPOCHS", "QUICK_LIMIT", "parse"]

QUICK_EPOCHS, QUICK_LIMIT = 5, 256
GRU = "-gru"

EXAMPLES = f"""\
examples:
  one cell of Table 3, to convergence; go on by the same words if it is interrupted
    python -m experiments benchmarks --dataset zinc --model sogcn --gru --seed 0 --data DIR
  a look in a minute: few graphs, few epochs
    python -m experiments benchmarks --dataset zinc --model sogcn vanilla --data DIR --quick
  many cells, three seeds each, two trainings at a time
    python -m experiments benchmarks --dataset zinc mnist --model sogcn sogcn-gru vanilla \\
        --seeds 3 --data DIR --jobs 2
  the same on a dask cluster
    python -m experiments benchmarks --dataset zinc --model sogcn --seeds 3 --data DIR \\
        --engine dask --scheduler tcp://127.0.0.1:8786
  no more than 30 epochs, marked as not converged; later take it further
    python -m experiments benchmarks --dataset pattern --model gin --epochs 30
  test runs as they stand, while they go on or after they were stopped
    python -m experiments benchmarks --dataset zinc --model sogcn gin --so-far --data DIR
  fetch data from the official source, with a checksum
    python -m experiments benchmarks --dataset zinc --download --data DIR
  every table and picture of what has been run
    python -m experiments report

A run is kept in experiments/results/benchmarks and not repeated; its checkpoints are in --runs.
Quick runs stay below --runs.

{EXIT_STATUS}"""


def parse(argv: Sequence[str]) -> argparse.Namespace:
    """Return the arguments with their ``cases``, or raise a UsageError.

    Examples
    --------
    >>> parse(["--dataset", "zinc"])
    Traceback (most recent call last):
    ...
    polyfilter.usage.UsageError: name a network with --model, or fetch data with --download
    """
    arguments = _parser().parse_args(argv)
    if not arguments.model and not arguments.download:
        raise UsageError("name a network with --model, or fetch data with --download")
    if arguments.seeds is not None and arguments.seeds < 1:
        raise UsageError(f"--seeds is how many, so at least 1, not {arguments.seeds}")
    for name in ("epochs", "limit", "layers", "width", "budget"):
        if (value := getattr(arguments, name)) is not None and value < 1:
            raise UsageError(f"--{name} is a whole number from 1 up, not {value}")
    seeds = arguments.seed if arguments.seeds is None else list(range(arguments.seeds))
    if min(seeds) < 0:
        raise UsageError(f"seeds are whole numbers from 0 up, not {min(seeds)}")
    arguments.cases = [
        _case(arguments, dataset, model, seed)
        for seed, dataset, model in product(seeds, arguments.dataset, arguments.model or ())
    ]
    return arguments


def _case(arguments: argparse.Namespace, dataset: str, word: str, seed: int) -> Case:
    model = word.removesuffix(GRU)
    if model not in zoo.MODELS:
        names = ", ".join(zoo.MODELS)
        raise UsageError(f"unknown network {word!r}: choose from {names}, each also with {GRU}")
    return Case(
        dataset,
        model,
        gru=arguments.gru or word.endswith(GRU),
        seed=seed,
        layers=arguments.layers or 0,
        width=arguments.width,
        budget=arguments.budget,
        limit=arguments.limit or (QUICK_LIMIT if arguments.quick else None),
        epochs=arguments.epochs or (QUICK_EPOCHS if arguments.quick else EPOCHS),
    )


def _listed(names: Iterable[str]) -> str:
    return fill(", ".join(names), width=80, subsequent_indent=" " * 13)


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="python -m experiments benchmarks",
        description="Train networks on the paper's benchmarks and keep what comes of it.\n\n"
        f"  data sets  {_listed(NAMES)}\n  networks   {_listed(zoo.MODELS)}",
        epilog=EXAMPLES,
    )
    parser.add_argument(
        "--dataset", nargs="+", choices=NAMES, required=True, metavar="D", help="see above"
    )
    parser.add_argument("--model", nargs="+", metavar="M", help="see above; sogcn-gru has a GRU")
    parser.add_argument("--gru", action="store_true", help="all networks with a GRU")
    parser.add_argument("--seed", type=int, nargs="+", default=[0], metavar="N", help="default: 0")
    parser.add_argument("--seeds", type=int, metavar="N", help="seeds 0, ..., N - 1")
    parser.add_argument(
        "--epochs", type=int, metavar="N", help=f"at most; default: {EPOCHS}, to convergence"
    )
    parser.add_argument("--quick", action="store_true", help="few graphs and epochs, in a minute")
    parser.add_argument("--so-far", action="store_true", help="train nothing, test checkpoints")
    parser.add_argument("--download", action="store_true", help="fetch the data first")
    parser.add_argument("--json", action="store_true", help="print the records as one JSON list")

    group = parser.add_argument_group("size, by default that of the paper's table")
    group.add_argument("--layers", type=int, metavar="N", help="depth")
    group.add_argument("--width", type=int, metavar="N", help="channels")
    group.add_argument("--budget", type=int, metavar="N", help="parameters at most")
    group.add_argument("--limit", type=int, metavar="N", help="graphs of each split; default: all")

    add_engine(parser)
    add_folders(parser, "data sets")
    return parser
