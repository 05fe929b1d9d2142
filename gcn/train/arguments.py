"""How the command is spelled.

The map is ``words -> arguments``, by argparse, and from there to :class:`~gcn.train.Settings`.

Assumptions: none. A word that makes no sense is one line that names it.

>>> arguments = parse(["--network", "GIN", "--target", "low", "--epochs", "3"])
>>> arguments.network, arguments.target, settings(arguments).epochs
('GIN', 'low', 3)
"""

import argparse
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path

from gcn.train.settings import PRECISIONS, Settings
from polyfilter.usage import EXIT_STATUS, Parser

__all__ = ["parse", "settings"]

NETWORKS = ("SoGCN", "VanillaGCN", "GIN", "KOrderGCN")
TARGETS = ("high", "low", "band")

DESCRIPTION = """\
Train one of the paper's networks on the Synthetic Graph Spectrum data (Table 2): find the filter
that maps the signals x to the targets y.
"""
EXAMPLES = f"""\
examples:
  a row of Table 2, in a folder that can be resumed
    python -m gcn.train --network SoGCN --target band --epochs 1000 --folder runs/band
    python -m gcn.train --network SoGCN --target band --epochs 1000 --folder runs/band --resume
  a quick look, on few graphs
    python -m gcn.train --target high --layers 4 --epochs 20 --sizes 100 50 50
  the same steps, by two processes
    torchrun --nproc-per-node 2 -m gcn.train --target high --epochs 100 --folder runs/two

The folder gets last.pt and best.pt (checkpoints), log.jsonl (a line an epoch) and run.json (what
came of it). A run with the same words gives the same bits on the same CPU. A bar shows how far it
is, at a terminal only.

{EXIT_STATUS}"""


def parse(argv: Sequence[str] | None = None) -> argparse.Namespace:
    """Return the arguments, or raise a :class:`~polyfilter.usage.UsageError`.

    Examples
    --------
    >>> parse(["--target", "middle"])
    Traceback (most recent call last):
    ...
    polyfilter.usage.UsageError: argument --target: invalid choice: 'middle' ...
    """
    return _parser().parse_args(argv)


def settings(arguments: argparse.Namespace) -> Settings:
    """Return the settings that the arguments ask for.

    Examples
    --------
    >>> settings(parse(["--target", "low", "--epochs", "3", "--keep-going"])).stop_at_min_lr
    False
    """
    names = {field.name for field in fields(Settings)}
    return Settings(**{name: value for name, value in vars(arguments).items() if name in names})


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="python -m gcn.train",
        description=DESCRIPTION,
        epilog=EXAMPLES,
    )
    defaults = {field.name: field.default for field in fields(Settings)}

    group = parser.add_argument_group("network")
    group.add_argument("--network", choices=NETWORKS, default="SoGCN", help="default SoGCN")
    group.add_argument("--order", type=int, metavar="K", help="of the layers of KOrderGCN")
    group.add_argument("--layers", type=int, default=16, metavar="L", help="default 16")
    group.add_argument("--width", type=int, default=16, metavar="F", help="channels, default 16")
    group.add_argument("--activation", choices=("relu", "tanh"), help="default none, a linear net")
    group.add_argument("--gru", action="store_true", help="gate the layers by a shared GRU")
    group.add_argument("--dropout", type=float, default=0.0, metavar="P", help="default 0")

    group = parser.add_argument_group("data")
    group.add_argument("--target", choices=TARGETS, required=True, help="which filter to find")
    group.add_argument("--data", type=Path, metavar="DIR", help="keep and find data files here")
    group.add_argument("--data-seed", type=int, default=0, metavar="N", help="default 0")
    group.add_argument(
        "--sizes",
        type=int,
        nargs=3,
        default=(1000, 1000, 2000),
        metavar=("TRAIN", "VALID", "TEST"),
        help="graphs of each split, default 1000 1000 2000",
    )

    group = parser.add_argument_group("training")
    group.add_argument("--epochs", type=int, default=1000, metavar="N", help="default 1000")
    for name, kind, text in (
        ("batch_size", int, "graphs a step"),
        ("lr", float, "learning rate at the start"),
        ("factor", float, "of the rate on a plateau"),
        ("patience", int, "epochs that make a plateau"),
        ("min_lr", float, "the run has converged below this rate"),
        ("weight_decay", float, "of Adam"),
        ("seed", int, "of weights, shuffling and dropout"),
    ):
        group.add_argument(
            f"--{name.replace('_', '-')}",
            type=kind,
            default=defaults[name],
            metavar="N" if kind is int else "X",
            help=f"{text}, default {defaults[name]}",
        )
    group.add_argument(
        "--keep-going",
        dest="stop_at_min_lr",
        action="store_false",
        help="stay at the lowest rate until the epochs are over",
    )
    group.add_argument("--precision", choices=PRECISIONS, default="full", help="default full")
    group.add_argument(
        "--device", default="auto", help="auto, cpu, cuda, cuda:1, ...; default auto"
    )

    group = parser.add_argument_group("files")
    group.add_argument("--folder", type=Path, metavar="RUN", help="where the run is kept")
    group.add_argument("--resume", action="store_true", help="go on with the run in the folder")
    group.add_argument("--tensorboard", action="store_true", help="write TensorBoard's files too")
    group.add_argument("--json", action="store_true", help="print the result as one JSON object")
    return parser
