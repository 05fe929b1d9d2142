r"""The command ``python -m gcn.train``.

The map is ``words -> exit status``: 0 for a finished run, 1 for a mistake in the input, 2 for one
in the words themselves, 130 for Ctrl-C, 141 for a reader that has gone away. Every mistake is one
line on stderr; a traceback always means a bug of ours. Under torchrun the first process speaks for
all.

Assumptions: none.

>>> words = "--target low --layers 2 --width 4 --epochs 1 --sizes 4 2 2 --device cpu --json"
>>> main(words.split())
{"best_epoch": 1, ... "epochs": 1, ...}
0
"""

import json
import os
import sys
from argparse import Namespace
from collections.abc import Sequence

import torch

from gcn import nets
from gcn.data import sgs
from gcn.train.arguments import parse, settings
from gcn.train.loop import fit
from gcn.train.parallel import barrier, launched, world
from gcn.train.run import Run
from polyfilter.files import atomic_write
from polyfilter.usage import SUCCESS, UsageError, exit_status, printable

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status; ``argv`` is that of the process by default.

    Examples
    --------
    >>> import contextlib, io
    >>> with contextlib.redirect_stderr(io.StringIO()) as complaint:
    ...     main(["--target", "low", "--layers", "0", "--sizes", "1", "1", "1"])
    1
    """
    return exit_status("gcn.train", lambda: _work(argv), speaks=os.environ.get("RANK", "0") == "0")


def _work(argv: Sequence[str] | None) -> int:
    arguments = parse(argv)
    with launched(arguments.device):
        _run(arguments)
    return SUCCESS


def _run(arguments: Namespace) -> None:
    asked = settings(arguments)
    net = _network(arguments)
    if world().rank > 0:
        barrier()  # the first process makes the data files, if there are none
    splits = sgs.splits(
        f"{arguments.target}-pass",
        seed=arguments.data_seed,
        folder=arguments.data,
        sizes=tuple(arguments.sizes),
        operator=net.operator or "symmetric",
    )
    if world().rank == 0:
        barrier()
    run = fit(
        net,
        splits.train,
        splits.valid,
        asked,
        test=splits.test,
        folder=arguments.folder,
        resume=arguments.resume,
        tensorboard=arguments.tensorboard,
    )
    if world().rank == 0:
        _tell(arguments, net, run)


def _network(arguments: Namespace) -> nets.GraphNetwork:
    """Make the network; its weights are a function of the seed."""
    options = {
        "activation": arguments.activation,
        "gru": arguments.gru,
        "dropout": arguments.dropout,
    }
    if (arguments.network == "KOrderGCN") != (arguments.order is not None):
        raise UsageError("--order K goes with --network KOrderGCN, and only with that")
    if arguments.order is not None:
        options["K"] = arguments.order
    with torch.random.fork_rng([]):
        torch.manual_seed(arguments.seed)
        kind = getattr(nets, arguments.network)
        net: nets.GraphNetwork = kind(1, arguments.width, 1, arguments.layers, **options)
    return net


def _tell(arguments: Namespace, net: nets.GraphNetwork, run: Run) -> None:
    about = {
        "network": str(net),
        "target": arguments.target,
        "seed": arguments.seed,
        "processes": world().size,
        "torch": torch.__version__,
    }
    text = json.dumps(run.to_dict() | about)
    if arguments.folder is not None:
        with atomic_write(arguments.folder / "run.json") as stream:
            stream.write(text.encode() + b"\n")
    told = f"{net} on SGS {arguments.target}-pass\n{run}"
    print(text if arguments.json else printable(told))


if __name__ == "__main__":
    sys.exit(main())
