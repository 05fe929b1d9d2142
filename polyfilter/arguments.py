"""How the commands are spelled.

The map is ``words -> arguments``, by argparse. Help comes with an example a command and with the
keys of its JSON.

Assumptions: none. Nothing is imported here that takes time, since help should not.

>>> build_parser().parse_args(["factor", "1", "-1/2", "-o", "s.json"]).coefficients
['1', '-1/2']
"""

import argparse
import re
import sys
import textwrap
from typing import Any, NoReturn

from polyfilter import __version__, verify
from polyfilter.usage import Parser

__all__ = ["ARCHITECTURES", "RESPONSES", "build_parser", "printable"]

RESPONSES = {
    "high-pass": "sharpness=50 cutoff=1",
    "low-pass": "sharpness=50 cutoff=1",
    "band-pass": "sharpness=100 lower=0.95 upper=1.05",
    "heat": "time=1",
    "gaussian": "centre=1 width=0.1",
    "exponential-window": "cutoff=0.4 slope=1",
    "ideal": "lower=0 upper=1",
    "constant": "value=1",
}
"""Names and defaults as the help shows them; :mod:`polyfilter.responses` has the functions."""

ARCHITECTURES = (
    "vanilla vanilla+residual sgc gin first-order sogc k-order:K chebnet:K appnp gcnii gpr-gnn "
    "bernnet chebnetii jacobiconv arma jknet"
)
"""Names as the help shows them; :mod:`polyfilter.architectures` tells what they are."""

SUMMARY = {
    "analyze": "what a network can express on graphs, and how deep it must be",
    "capacity": "count the distinct eigenvalues of graphs, exactly",
    "design": "from a wanted response to a stack of layers",
    "factor": "from coefficients to a stack of layers",
    "apply": "filter a signal by a stack",
    "show": "a stack as a table and a picture",
    "verify": verify.SUMMARY,
}

DESCRIPTION = "Polynomial graph filters as exact stacks of second-order layers."

EXAMPLE = """\
example: from a response to a filtered signal
  polyfilter design --response band-pass --degree 64 -o stack.json
  polyfilter apply stack.json graph.npz signal.npy -o filtered.npy

`polyfilter COMMAND --help` tells the rest.
"""

CAPACITY = """\
Print the spectrum capacity Γ (Definition 2): the number of distinct eigenvalues that the normalized
adjacency matrices of all graphs have together. It is the dimension of the ambient filter space, and
⌈(Γ-1)/2⌉ second-order layers fill that space (Theorem 1).
"""
CAPACITY_MORE = """\
example:
  polyfilter capacity train.npz test.npz --jobs 2

Files are edge lists (.txt .edges .edgelist .csv .tsv), .mtx, .npz, networkx .json, or .g6.

with --json:
  files graphs eigenvalues capacity ambient_dimension depth method proven lower upper proof primes
  unlucky gaps
"""

ANALYZE = """\
Print what the filters of a network with activations removed can express on the graphs: the ambient
dimension Γ, the dimension of the network's own space at this depth, the depth that would express
every filter, and for a wanted response the best error within reach and a depth that is enough.
"""
ANALYZE_MORE = f"""\
example:
  polyfilter analyze train.npz --architecture sogc --depth 8 --response low-pass

architectures, K a number:
{textwrap.fill(ARCHITECTURES, 98, initial_indent="  ", subsequent_indent="  ")}

Responses and their parameters are those of `polyfilter design`.

with --json:
  files graphs architecture layer depth width capacity capacity_proven ambient_dimension dimension
  dimension_proven dimension_reason complete_depth complete_reason response error error_lower
  error_mean_square error_method tolerance effective_depth effective_reason not_computed
"""

DESIGN = """\
Find a polynomial close to a wanted response, factor it into second-order layers, and save them.
"""
DESIGN_MORE = f"""\
example:
  polyfilter design --response band-pass --degree 64 --param sharpness=80 -o stack.json --plot h.png

responses and their parameters, in the eigenvalue s = 1 - λ of the Laplacian:
{chr(10).join(f"  {name:<20}{words}" for name, words in RESPONSES.items())}

with --json:
  response parameters method design_error degree layers dtype spectrum_size noise_gain condition
  predicted_error trimmed exact status status_text output plot
"""

FACTOR = """\
Factor a polynomial in the eigenvalue of the normalized adjacency into second-order layers (Theorem
1), and save them. COEFFS are its coefficients, the lowest first, or one file that holds them (.npy
.json .txt .csv .tsv). Whole numbers and fractions are exact; decimals are floats.
"""
FACTOR_MORE = """\
example: 1 - x/2 + 0.3 x²
  polyfilter factor 1 -1/2 3/10 -o stack.json

with --json:
  basis degree layers dtype spectrum_size noise_gain condition predicted_error trimmed exact status
  status_text output plot
"""

APPLY = """\
Filter SIGNAL on GRAPH, layer by layer, in the precision of the signal. SIGNAL is .npy or .npz, or
text (.txt .csv .tsv) with a line a node and a number a channel. If GRAPH holds several graphs, the
signal runs over the nodes of the first, then of the second, and so on.
"""
APPLY_MORE = """\
example:
  polyfilter apply stack.json graph.mtx signal.csv -o filtered.csv

with --json:
  stack graph signal nodes edges shape dtype layers predicted_error output
"""

SHOW = """\
Print what a stack is: a table of its layers with their roots and maxima, how much noise it
amplifies and how many digits it keeps; and draw |h|, the partial products and the error.
"""
SHOW_MORE = """\
example:
  polyfilter show stack.json --certify --plot stack.png

with --json:
  file degree layers dtype spectrum_size noise_gain condition predicted_error trimmed exact status
  status_text theta roots factor_max partial_max certificate plot
"""


def printable(text: str) -> str:
    """Return a text with question marks for what stdout can't encode, such as Γ in ASCII.

    Examples
    --------
    >>> printable("plain")
    'plain'
    """
    encoding = sys.stdout.encoding or "utf-8"
    return text.encode(encoding, "replace").decode(encoding)


class _Parser(Parser):
    """A parser that complains in one line, and takes -1/2 and -3e-1 as numbers."""

    def __init__(self, **options: Any) -> None:
        super().__init__(
            formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False, **options
        )
        # argparse knows -1 and -1.5 as numbers, and takes other words with a dash for options
        self._negative_number_matcher = re.compile(r"-\.?\d")

    def print_help(self, file: Any = None) -> None:
        """Print the help in letters that the terminal has."""
        print(printable(self.format_help()), end="", file=file)


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
    parser = _Parser(prog="polyfilter", description=DESCRIPTION, epilog=EXAMPLE)
    parser.add_argument("--version", action=_Version, nargs=0, help="show the version and exit")
    commands = parser.add_subparsers(
        title="commands", dest="command", metavar="COMMAND", required=True
    )

    def command(name: str, description: str, epilog: str) -> argparse.ArgumentParser:
        return commands.add_parser(name, help=SUMMARY[name], description=description, epilog=epilog)

    _add_analyze(command("analyze", ANALYZE, ANALYZE_MORE))
    _add_capacity(command("capacity", CAPACITY, CAPACITY_MORE))
    _add_design(command("design", DESIGN, DESIGN_MORE))
    _add_factor(command("factor", FACTOR, FACTOR_MORE))
    _add_apply(command("apply", APPLY, APPLY_MORE))
    _add_show(command("show", SHOW, SHOW_MORE))
    verify.add_arguments(command("verify", verify.DESCRIPTION, verify.EXAMPLE))
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
