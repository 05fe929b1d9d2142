r"""The edges of a batch: checked, and normalized.

The map is :math:`(i, j, w_{ij}) \mapsto a_{ij}`, from the weight of an edge to the entry of

* ``"symmetric"``: :math:`D^{-1/2} W D^{-1/2}`, the paper's A,
* ``"mean"``: :math:`D^{-1} W`,
* ``"sum"``: :math:`W`,

with :math:`D_{ii}` the sum of what arrives at node i. A node at which nothing arrives has a row of
zeros, as in :meth:`polyfilter.graphs.Graph.normalized_adjacency`.

>>> triangle = torch.tensor([[0, 0, 1, 1, 2, 2], [1, 2, 0, 2, 0, 1]])
>>> normalized(triangle, 3, None, "symmetric", None)
tensor([0.5000, 0.5000, 0.5000, 0.5000, 0.5000, 0.5000])
"""

from operator import index as as_integer

import torch
from torch import Tensor

from polyfilter.errors import GraphError

__all__ = ["OPERATORS", "check_edges", "normalized"]

OPERATORS = ("symmetric", "mean", "sum")

INTEGERS = (torch.int64, torch.int32, torch.int16, torch.uint8, torch.int8)


def check_edges(
    edge_index: Tensor, num_nodes: int, edge_weight: Tensor | None
) -> tuple[Tensor, int]:
    """Return the edges as int64 and the number of nodes, or say what is wrong with them.

    Examples
    --------
    >>> check_edges(torch.tensor([[0, 1], [1, 7]]), 3, None)
    Traceback (most recent call last):
    ...
    polyfilter.errors.GraphError: edge 1 is (1, 7), but nodes are numbered 0 to 2
    """
    # a compiled program has a symbol here, and an integer would be one program for each size
    nodes = num_nodes if torch.compiler.is_compiling() else as_integer(num_nodes)
    if nodes < 0:
        raise GraphError(f"a batch can't have {nodes} nodes")
    if not isinstance(edge_index, Tensor) or edge_index.dtype not in INTEGERS:
        kind = edge_index.dtype if isinstance(edge_index, Tensor) else type(edge_index).__name__
        raise GraphError(f"edge_index has to be a tensor of integers, not of {kind}")
    if edge_index.dim() != 2 or edge_index.shape[0] != 2:
        raise GraphError(f"edge_index has shape {tuple(edge_index.shape)}: it has to be (2, edges)")
    index = edge_index.long()
    if edge_weight is not None:
        _check_weights(index, edge_weight)
    # looking at values waits for a GPU, and can't be compiled whole: skipped there, where a
    # program has run before
    if index.numel() and not torch.compiler.is_compiling():
        wrong = ((index < 0) | (index >= nodes)).any(0)
        if bool(wrong.any()):
            edge = int(wrong.nonzero()[0, 0])
            pair = tuple(index[:, edge].tolist())
            known = f"nodes are numbered 0 to {nodes - 1}" if nodes else "the batch has no nodes"
            raise GraphError(f"edge {edge} is {pair}, but {known}")
    return index, nodes


def _check_weights(index: Tensor, edge_weight: Tensor) -> None:
    edges = index.shape[1]
    if not isinstance(edge_weight, Tensor):
        raise GraphError(f"edge_weight has to be a tensor, not {type(edge_weight).__name__}")
    if edge_weight.shape != (edges,):
        raise GraphError(
            f"edge_weight has shape {tuple(edge_weight.shape)} for {edges} edges: it has to be "
            f"({edges},)"
        )
    if not edge_weight.dtype.is_floating_point:
        raise GraphError(f"edge_weight has to be floating point, not {edge_weight.dtype}")
    if edge_weight.device != index.device:
        raise GraphError(f"edge_weight is on {edge_weight.device}, edge_index on {index.device}")
    if not torch.compiler.is_compiling():
        wrong = ~(edge_weight.detach() >= 0) | edge_weight.detach().isinf()
        if bool(wrong.any()):
            edge = int(wrong.nonzero()[0, 0])
            raise GraphError(
                f"edge {edge} has weight {edge_weight[edge].item()}: weights are finite and not "
                "negative, or degrees have no square root"
            )


def normalized(
    index: Tensor,
    num_nodes: int,
    edge_weight: Tensor | None,
    operator: str,
    dtype: torch.dtype | None,
) -> Tensor:
    """Return the entries of the operator, in the order of the edges; gradients flow through.

    Examples
    --------
    >>> normalized(torch.tensor([[0, 1], [1, 0]]), 2, torch.tensor([3.0, 3.0]), "mean", None)
    tensor([1., 1.])
    """
    source, target = index[0], index[1]
    if edge_weight is None:
        kind = dtype or torch.get_default_dtype()
        weight = torch.ones(index.shape[1], dtype=kind, device=index.device)
    else:
        weight = edge_weight
    if operator == "sum":
        return weight if dtype is None else weight.to(dtype)
    # half precision can't count past 256: degrees and their roots are taken in float32 at least,
    # and in the type of the result if that is wider than the weights'
    result = weight.dtype if dtype is None else dtype
    wide = torch.promote_types(torch.promote_types(weight.dtype, result), torch.float32)
    exact = weight.to(wide)
    degree = exact.new_zeros(num_nodes).index_add(0, target, exact)
    power = -0.5 if operator == "symmetric" else -1.0
    positive = degree > 0
    # the inner `where` keeps 0 out of the power, whose slope there would turn gradients into nan
    scale = torch.where(positive, torch.where(positive, degree, 1).pow(power), 0)
    # the product of the two scales first: so the matrix is symmetric to the last bit
    factor = scale[target] * scale[source] if operator == "symmetric" else scale[target]
    return (exact * factor).to(result)
