r"""``polyfilter analyze``: what a network can express on the graphs of some files.

The map is ``(files, architecture, depth, width, response) -> Γ, dimension, depths, error``, by
:func:`polyfilter.analysis.analyze`.

Assumptions: all files together are one graph set; activations are removed.
"""

from argparse import Namespace

from polyfilter import responses
from polyfilter.analysis import analyze
from polyfilter.commands.inputs import read_set, response_parameters
from polyfilter.commands.report import Report, pairs

__all__ = ["run"]


def run(arguments: Namespace) -> Report:
    """Analyse, and tell."""
    response = None
    if arguments.response is not None:
        parameters = response_parameters(arguments.param)
        response = responses.by_name(arguments.response, **parameters)
    graphs = read_set(arguments.files, split=arguments.split, self_loops=arguments.self_loops)
    found = analyze(
        graphs,
        arguments.architecture,
        arguments.depth,
        arguments.width,
        response=response,
        tolerance=arguments.tolerance,
    )
    document = {"files": arguments.files, "graphs": len(graphs), **found.as_dict()}
    body = pairs(list(found.rows()))
    return Report(document, found.title, body, brief=str(found.dimension.value))
