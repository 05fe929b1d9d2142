r"""``polyfilter apply``: filter a signal.

The map is ``(stack, graph, signal) -> signal``, layer by layer (:mod:`polyfilter.cascade`) in the
precision of the signal.

Assumptions: if a file holds several graphs, the signal runs over the nodes of the first, then of
the second, and so on.
"""

from argparse import Namespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyfilter.cascade import as_matrix, cascade
from polyfilter.commands.inputs import read_signal, read_union
from polyfilter.commands.outputs import check_array_name, check_outputs, write_array
from polyfilter.commands.report import Report, pairs, plural
from polyfilter.errors import FilterError
from polyfilter.progress import bar
from polyfilter.spectrum import as_signal
from polyfilter.stack import SoGCStack

__all__ = ["run"]


def run(arguments: Namespace) -> Report:
    """Read, run the layers one by one, write."""
    check_array_name(arguments.output)
    check_outputs([arguments.output], [arguments.stack, arguments.graph, arguments.signal])
    stack = SoGCStack.load(arguments.stack)
    graph = read_union(arguments.graph, split=arguments.split, self_loops=arguments.self_loops)
    x = _cast(as_signal(read_signal(arguments.signal, arguments.array)), arguments.dtype)
    A = as_matrix(graph, x.dtype)
    with (
        bar(len(stack), "filtering", False if arguments.quiet else None) as update,
        np.errstate(over="ignore", invalid="ignore"),
    ):
        for row in stack.theta.astype(np.float64):
            x = cascade(row[None], A, x)
            update(1)
    if not np.isfinite(x).all():
        raise FilterError(f"the filtered signal is too large for {x.dtype}")
    write_array(arguments.output, x)
    document = {
        "stack": arguments.stack,
        "graph": arguments.graph,
        "signal": arguments.signal,
        "nodes": graph.num_nodes,
        "edges": graph.num_edges,
        "shape": list(x.shape),
        "dtype": x.dtype.name,
        "layers": len(stack),
        "predicted_error": stack.astype(x.dtype).predicted_error,
        "output": arguments.output,
    }
    rows = [
        ("graph", f"{plural(graph.num_nodes, 'node')}, {plural(graph.num_edges, 'edge')}"),
        ("signal", f"{' × '.join(map(str, x.shape))} in {x.dtype}"),
        ("predicted error", f"{document['predicted_error']:.1e} of the output"),
        ("output", arguments.output),
    ]
    return Report(document, f"Filtered by {plural(len(stack), 'second-order layer')}", pairs(rows))


def _cast(x: NDArray[Any], dtype: str | None) -> NDArray[Any]:
    if dtype is None:
        return x
    with np.errstate(over="ignore"):
        cast = x.astype(dtype)
    if not np.isfinite(cast).all():
        node = int(np.argwhere(~np.isfinite(cast))[0, 0])
        raise FilterError(f"the signal is too large for {dtype} at node {node}")
    return cast
