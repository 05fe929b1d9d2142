"""What ``polyfilter --help`` teaches: a text and an example for each command.

The map is ``command -> words``: what it is for, what it needs, and the keys of its JSON.

Assumptions: none. Nothing is imported here that takes time, since help should not.

>>> print(EXAMPLE.splitlines()[1])
  polyfilter design --response band-pass --degree 64 -o stack.json
"""

import textwrap

from polyfilter import verify
from polyfilter.usage import EXIT_STATUS

__all__ = [
    "ANALYZE",
    "ANALYZE_MORE",
    "APPLY",
    "APPLY_MORE",
    "ARCHITECTURES",
    "CAPACITY",
    "CAPACITY_MORE",
    "COMPLETION",
    "COMPLETION_MORE",
    "DESCRIPTION",
    "DESIGN",
    "DESIGN_MORE",
    "EXAMPLE",
    "FACTOR",
    "FACTOR_MORE",
    "RESPONSES",
    "SHOW",
    "SHOW_MORE",
    "SUMMARY",
]

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
    "completion": "let a shell complete these words",
}

DESCRIPTION = "Polynomial graph filters as exact stacks of second-order layers."

EXAMPLE = f"""\
example: from a response to a filtered signal
  polyfilter design --response band-pass --degree 64 -o stack.json
  polyfilter apply stack.json graph.npz signal.npy -o filtered.npy

`polyfilter COMMAND --help` tells the rest. `python -m polyfilter` is the same command.

{EXIT_STATUS}
Colour and bars are for terminals: NO_COLOR=1 takes the colour away, a pipe both.
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

COMPLETION = """\
Print a script that lets a shell complete commands, options, their values and files.
"""
COMPLETION_MORE = """\
examples:
  source <(polyfilter completion bash)          in ~/.bashrc (bash 4 or newer)
  source <(polyfilter completion zsh)           in ~/.zshrc, after compinit
  polyfilter completion fish | source           in ~/.config/fish/config.fish
"""
