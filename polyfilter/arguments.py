"""How the commands are spelled.

The map is ``words -> arguments``, by argparse. What the help says is in
:mod:`polyfilter.helptext`.

Assumptions: none. Nothing is imported here that takes time, since help should not.

>>> build_parser().parse_args(["factor", "1", "-1/2", "-o", "s.json"]).coefficients
['1', '-1/2']
"""

import argparse
import re
from typing import Any, NoReturn

from polyfilter import __version__, helptext, verify
from polyfilter.completion import SHELLS
from polyfilter.usage import Parser

__all__ = ["build_parser"]


class _Parser(Parser):
    """A parser that takes -1/2 and -3e-1 as numbers."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        # argparse knows -1 and -1.5 as numbers, and takes other words with a dash for options
        self._negative_number_matcher = re.compile(r"-\.?\d")


class _Version(argparse.Action):
    """Print the version; argparse's own would keep quiet about a disk that is full."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> NoReturn:
        print(f"polyfilter {__version__}")
        parser.exit()


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of the whole command.

    Examples
    --------
    >>> build_parser().parse_args(["factor", "1", "-1/2", "-o", "s.json"]).coefficients
    ['1', '-1/2']
    """
    parser = _Parser(prog="polyfilter", description=helptext.DESCRIPTION, epilog=helptext.EXAMPLE)
    parser.add_argument("--version", action=_Version, nargs=0, help="show the version and exit")
    commands = parser.add_subparsers(
        title="commands", dest="command", metavar="COMMAND", required=True
    )

    def command(name: str, description: str, epilog: str) -> argparse.ArgumentParser:
        summary = helptext.SUMMARY[name]
        return commands.add_parser(name, help=summary, description=description, epilog=epilog)

    _add_analyze(command("analyze", helptext.ANALYZE, helptext.ANALYZE_MORE))
    _add_capacity(command("capacity", helptext.CAPACITY, helptext.CAPACITY_MORE))
    _add_design(command("design", helptext.DESIGN, helptext.DESIGN_MORE))
    _add_factor(command("factor", helptext.FACTOR, helptext.FACTOR_MORE))
    _add_apply(command("apply", helptext.APPLY, helptext.APPLY_MORE))
    _add_show(command("show", helptext.SHOW, helptext.SHOW_MORE))
    verify.add_arguments(command("verify", verify.DESCRIPTION, verify.EXAMPLE))
    _add_completion(command("completion", helptext.COMPLETION, helptext.COMPLETION_MORE))
    return parser


def _add_analyze(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", nargs="+", metavar="FILE", help="graphs; all are one set")
    parser.add_argument("--architecture", required=True, metavar="NAME", help="one of those below")
    parser.add_argument(
        "--depth", required=True, type=_positive, metavar="L", help="layers, or hops or stacks"
    )
    parser.add_argument(
        "--width", type=_positive, default=1, metavar="W", help="channels of a layer (default 1)"
    )
    parser.add_argument("--response", metavar="NAME", help="a response that should be followed")
    _add_parameters(parser)
    parser.add_argument(
        "--tolerance",
        type=float,
        default=0.01,
        metavar="EPS",
        help="largest error that the effective depth may leave (default 0.01)",
    )
    _add_graph_options(parser)
    _add_common(parser)


def _add_capacity(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", nargs="+", metavar="FILE", help="graphs; all are one set")
    parser.add_argument(
        "--method",
        choices=("modular", "algebraic", "float"),
        default="modular",
        help="modulo random primes (default), over the rationals, or by gaps between floats",
    )
    _add_graph_options(parser)
    parser.add_argument("--seed", type=_count, default=0, metavar="N", help="of the random primes")
    parser.add_argument(
        "--jobs", type=_positive, default=1, metavar="N", help="processes to use (default 1)"
    )
    _add_common(parser)


def _add_design(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--response", required=True, metavar="NAME", help="one of those below")
    parser.add_argument(
        "--degree", required=True, type=_count, metavar="K", help="degree of the polynomial"
    )
    parser.add_argument(
        "--method",
        choices=("interpolate", "least-squares", "minimax"),
        default="interpolate",
        help="at Chebyshev points (default), closest on the eigenvalues of --spectrum, or with the "
        "smallest largest error on [-1, 1]",
    )
    _add_parameters(parser)
    _add_stack_options(parser)
    _add_common(parser)


def _add_factor(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("coefficients", nargs="+", metavar="COEFFS", help="numbers, or a file")
    parser.add_argument(
        "--basis",
        choices=("power", "chebyshev"),
        default="power",
        help="what the coefficients belong to: powers (default), or Chebyshev polynomials",
    )
    parser.add_argument(
        "--exact",
        action="store_true",
        help="take decimals as the rational numbers that they spell",
    )
    parser.add_argument(
        "--roots",
        choices=("auto", "colleague", "aberth", "certified"),
        default="auto",
        help="how roots are found where factors are not rational",
    )
    _add_stack_options(parser)
    _add_common(parser)


def _add_apply(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("stack", metavar="STACK", help="a stack that design or factor wrote")
    parser.add_argument("graph", metavar="GRAPH", help="a graph file")
    parser.add_argument("signal", metavar="SIGNAL", help="numbers on its nodes")
    parser.add_argument(
        "-o",
        "--output",
        required=True,
        metavar="FILE",
        help="where the filtered signal goes: .npy .txt .csv .tsv",
    )
    parser.add_argument(
        "--dtype", choices=("float64", "float32"), help="precision (default: that of the signal)"
    )
    parser.add_argument("--array", metavar="NAME", help="which array of an .npz signal")
    _add_graph_options(parser)
    _add_common(parser)


def _add_show(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("stack", metavar="STACK", help="a stack that design or factor wrote")
    parser.add_argument(
        "--plot", metavar="FILE", help="draw to .png .svg .pdf instead of the terminal"
    )
    parser.add_argument("--no-plot", action="store_true", help="draw nothing")
    parser.add_argument(
        "--certify",
        action="store_true",
        help="prove a bound on the error, on the stack's eigenvalues or [-1, 1]",
    )
    parser.add_argument(
        "--layers",
        type=_count,
        default=16,
        metavar="N",
        help="rows of the table: the first and the last layers (default 16)",
    )
    _add_common(parser)


def _add_completion(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=SHELLS, metavar="SHELL", help=f"{', '.join(SHELLS)}")


def _add_stack_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-o", "--output", required=True, metavar="FILE", help="where the stack goes, as JSON"
    )
    parser.add_argument("--plot", metavar="FILE", help="draw the stack to .png .svg .pdf")
    parser.add_argument(
        "--spectrum",
        metavar="GRAPHS",
        help="a graph file; layers are made for its eigenvalues instead of [-1, 1]",
    )
    _add_graph_options(parser)
    parser.add_argument(
        "--dtype",
        choices=("float64", "float32"),
        default="float64",
        help="precision of the layers (default float64)",
    )


def _add_parameters(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--param",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a parameter of the response; may be repeated",
    )


def _add_graph_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--split", metavar="NAME", help="which set of an .npz graph file")
    parser.add_argument("--self-loops", action="store_true", help="let edges join a node to itself")


def _add_common(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument(
        "-q", "--quiet", action="store_true", help="print the bare result, if there is one"
    )


def _count(text: str) -> int:
    return _whole(text, 0)


def _positive(text: str) -> int:
    return _whole(text, 1)


def _whole(text: str, least: int) -> int:
    try:
        value = int(text)
    except ValueError:
        value = least - 1
    if value < least:
        raise argparse.ArgumentTypeError(f"it has to be a whole number from {least} on, not {text}")
    return value
