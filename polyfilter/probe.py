r"""What a function on graphs does, as a matrix.

The map is :math:`(f, G) \mapsto F \in \mathbb{R}^{N \times N}` with :math:`F e_j = f(G, e_j)`, for

* a numpy function ``f(graph, x)`` of a signal x of shape (N,), and
* a torch module ``layer(x, edge_index)`` of a signal of shape (N, 1); a weighted graph adds its
  weights as a third argument, as PyTorch Geometric's layers take them.

torch is never imported here: whoever has a torch module has imported it. The module is put into
evaluation mode while it is called, so that dropout takes no part, and put back afterwards.

>>> edge = Graph.from_edges([(0, 1)])
>>> matrix(lambda graph, x: x + graph.normalized_adjacency() @ x, edge)
array([[1., 1.],
       [1., 1.]])
"""

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from polyfilter.errors import FilterError
from polyfilter.graphs import Graph

__all__ = ["call", "matrix", "precision"]

Floats = NDArray[np.float64]


def _torch_of(f: Any) -> Any | None:
    """Return torch if ``f`` is one of its modules."""
    torch = sys.modules.get("torch")
    return torch if torch is not None and isinstance(f, torch.nn.Module) else None


def precision(f: Callable[..., Any], dtype: DTypeLike | None = None) -> np.dtype[Any]:
    """Return the floating type that ``f`` computes in: ``dtype``, or that of its parameters.

    A numpy function computes in float64, and a module without parameters in torch's default, unless
    ``dtype`` says otherwise.

    >>> precision(lambda graph, x: x)
    dtype('float64')
    """
    if dtype is None and (torch := _torch_of(f)) is not None:
        kinds = [p.dtype for p in f.parameters() if p.dtype.is_floating_point]  # type: ignore[attr-defined]
        dtype = str(kinds[0] if kinds else torch.get_default_dtype()).removeprefix("torch.")
    try:
        kind = np.dtype(np.float64 if dtype is None else dtype)
    except TypeError:
        kind = None
    if kind not in (np.float32, np.float64):
        raise FilterError(f"contracts are checked in float32 or float64, not in {dtype}")
    return kind


def call(f: Callable[..., Any], graph: Graph, x: NDArray[Any]) -> Floats:
    """Return ``f`` of the signal ``x`` on ``graph`` in float64, in the shape of ``x``.

    >>> call(lambda graph, x: 2 * x, Graph.from_edges([(0, 1)]), np.array([1.0, 3.0]))
    array([2., 6.])
    """
    torch = _torch_of(f)
    y = f(graph, x) if torch is None else _call_module(torch, f, graph, x)
    found = np.asarray(y, dtype=np.float64)
    if found.size != x.size:
        raise FilterError(
            f"f returned shape {found.shape} for a signal of shape {x.shape}; a filter keeps it"
        )
    return found.reshape(x.shape)


def _call_module(torch: Any, layer: Any, graph: Graph, x: NDArray[Any]) -> NDArray[Any]:
    device = next((p.device for p in layer.parameters()), None)
    W = graph.adjacency.tocoo()
    arrays = [
        # copies, since torch warns of arrays that it must not write to
        np.array(x.reshape(graph.num_nodes, -1)),
        np.stack((W.row, W.col)).astype(np.int64),
        *([W.data.astype(x.dtype)] if graph.is_weighted else []),
    ]
    modes = [(module, module.training) for module in layer.modules()]
    layer.eval()
    try:
        with torch.no_grad():
            y = layer(*(torch.from_numpy(a).to(device) for a in arrays))
    finally:
        for module, mode in modes:
            module.training = mode
    found: NDArray[Any] = y.cpu().numpy()
    return found


def matrix(f: Callable[..., Any], graph: Graph, dtype: DTypeLike | None = None) -> Floats:
    """Return the matrix F whose columns are ``f`` of the unit signals.

    >>> matrix(lambda graph, x: x[::-1], Graph.from_edges([(0, 1)]), "float32")
    array([[0., 1.],
           [1., 0.]])
    """
    units = np.eye(graph.num_nodes, dtype=precision(f, dtype))
    return np.column_stack([call(f, graph, unit) for unit in units])
