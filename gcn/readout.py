r"""From nodes to graphs, and from features to answers.

The map is :math:`(X, g) \mapsto \bigl(\operatorname{pool}_{i : g_i = j} X_i\bigr)_j` with a sum, a
mean or a maximum over the nodes of each graph; a head then maps it to the answer.

>>> pool(torch.tensor([[1.0], [2.0], [5.0]]), torch.tensor([0, 0, 1]), "mean").T
tensor([[1.5000, 5.0000]])
"""

import torch
from torch import Tensor, nn

from polyfilter.errors import GraphError

__all__ = ["HEADS", "READOUTS", "head_of", "pool"]

READOUTS = ("node", "sum", "mean", "max")
HEADS = ("none", "linear", "mlp")


def pool(x: Tensor, graph: Tensor | None, how: str, num_graphs: int | None = None) -> Tensor:
    """Return one row for each graph.

    Parameters
    ----------
    x : Tensor of shape (nodes, channels)
    graph : Tensor of shape (nodes,)
        The number of each node's graph.
    how : {"sum", "mean", "max"}
    num_graphs : int, optional
        By default one more than the largest number.

    Examples
    --------
    >>> pool(torch.tensor([[1.0], [2.0], [5.0]]), torch.tensor([0, 0, 1]), "max").T
    tensor([[2., 5.]])
    """
    if how not in READOUTS[1:]:
        raise GraphError(f"unknown readout {how!r}: choose from {', '.join(READOUTS[1:])}")
    if graph is None:
        raise GraphError("a network that reads out graphs needs to know each node's: give it graph")
    if graph.shape != x.shape[:1]:
        raise GraphError(f"graph has shape {tuple(graph.shape)} for {len(x)} nodes")
    if graph.dtype != torch.int64:
        raise GraphError(f"graph has to hold numbers of graphs as int64, not {graph.dtype}")
    if num_graphs is None:
        num_graphs = int(graph.max()) + 1 if len(graph) else 0
    # looking at values waits for a GPU and can't be compiled whole
    if x.device.type == "cpu" and not torch.compiler.is_compiling():
        _check_numbers(graph, num_graphs)
    if how == "max":
        rows = graph[:, None].expand_as(x)
        return x.new_zeros(num_graphs, x.shape[1]).scatter_reduce(
            0, rows, x, "amax", include_self=False
        )
    # half precision can't count past 256: sums and sizes are taken in float32 at least
    wide = x.to(torch.promote_types(x.dtype, torch.float32))
    total = wide.new_zeros(num_graphs, x.shape[1]).index_add(0, graph, wide)
    if how == "mean":
        sizes = wide.new_zeros(num_graphs).index_add(0, graph, wide.new_ones(len(graph)))
        total = total / sizes.clamp(min=1)[:, None]
    return total.to(x.dtype)


def _check_numbers(graph: Tensor, num_graphs: int) -> None:
    wrong = ((graph < 0) | (graph >= num_graphs)).nonzero()
    if len(wrong):
        node = int(wrong[0])
        raise GraphError(
            f"node {node} is in graph {int(graph[node])}, but graphs are numbered 0 to "
            f"{num_graphs - 1}"
        )


def head_of(kind: str, channels: int, out_channels: int) -> nn.Module | None:
    """Return the module that maps features to answers.

    Examples
    --------
    >>> head_of("mlp", 16, 1)
    Sequential(
      (0): Linear(in_features=16, out_features=8, bias=True)
      (1): ReLU()
      (2): Linear(in_features=8, out_features=4, bias=True)
      (3): ReLU()
      (4): Linear(in_features=4, out_features=1, bias=True)
    )
    """
    if kind not in HEADS:
        raise GraphError(f"unknown head {kind!r}: choose from {', '.join(HEADS)}")
    if kind == "none":
        return None
    if kind == "linear":
        return nn.Linear(channels, out_channels)
    half, quarter = channels // 2, channels // 4
    if not quarter:
        raise GraphError(f"an MLP head halves {channels} channels twice: it needs at least 4")
    return nn.Sequential(
        nn.Linear(channels, half),
        nn.ReLU(),
        nn.Linear(half, quarter),
        nn.ReLU(),
        nn.Linear(quarter, out_channels),
    )
