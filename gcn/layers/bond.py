r"""The layer of order K on graphs whose edges have features, as molecules do.

>>> layer = BondConv(8, 8, K=2, cardinalities=(5, 6, 2))
>>> sum(p.numel() for p in layer.parameters())          # 3 · 64 + 8, and 13 edge embeddings of 8
304
"""

from typing import NoReturn

import torch
from torch import Tensor

from gcn.encoders import CategoryEncoder
from gcn.layers.base import check_features
from gcn.layers.korder import KOrderConv
from gcn.propagate import Prepared, as_prepared
from polyfilter.errors import FilterError, GraphError

__all__ = ["BondConv"]


class BondConv(KOrderConv):
    r"""The layer of order K whose hops add an embedding of the edge to what travels along it.

    .. math::  Y = \sum_{k=0}^{K} H_k \Theta_k + \mathbf 1 b^T, \qquad H_0 = X, \quad
               (H_{k+1})_i = \sum_j A_{ij} \operatorname{ReLU}\bigl((H_k)_j + e_{ij}\bigr) .

    The ReLU is OGB's; with it the layer is no longer a filter.

    Parameters
    ----------
    in_channels, out_channels, K, bias, operator
        As in :class:`~gcn.layers.korder.KOrderConv`.
    cardinalities : tuple of int
        How many values each feature of an edge can have.

    Shapes
    ------
    x : (nodes, in_channels)
    edges : a prepared batch, or (2, edges)
    edge_attr : (edges, features), integers, in the order of the ``edge_index`` that was prepared
    output : (nodes, out_channels)

    Examples
    --------
    >>> layer = BondConv(4, 4, K=2, cardinalities=(3,))
    >>> edge, kind = torch.tensor([[0, 1], [1, 0]]), torch.tensor([[2], [2]])
    >>> layer(torch.ones(2, 4), edge, edge_attr=kind).shape
    torch.Size([2, 4])
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        K: int,
        cardinalities: tuple[int, ...],
        *,
        bias: bool = True,
        operator: str = "symmetric",
    ) -> None:
        super().__init__(in_channels, out_channels, K, bias=bias, operator=operator)
        self.bond = CategoryEncoder(cardinalities, in_channels)

    def forward(
        self,
        x: Tensor,
        edges: Tensor | Prepared,
        edge_weight: Tensor | None = None,
        edge_attr: Tensor | None = None,
    ) -> Tensor:
        """Return the layer's value."""
        A = as_prepared(x, edges, edge_weight, self.operator)
        A.check(x)
        check_features(x, self.in_channels, self.weight, type(self).__name__)
        if edge_attr is None:
            raise GraphError("this layer embeds the features of edges: give it edge_attr")
        if edge_attr.shape[0] != A.num_edges:
            raise GraphError(f"edge_attr has {edge_attr.shape[0]} rows for {A.num_edges} edges")
        e = self.bond(edge_attr)[A.order]
        y = x @ self.weight[0] if self.bias is None else torch.addmm(self.bias, x, self.weight[0])
        for theta in self.weight[1:]:
            x = A.aggregate(torch.relu(x[A.cols] + e))
            y = torch.addmm(y, x, theta)
        return y

    def matrix_polynomial(self) -> NoReturn:
        """Refuse: the ReLU inside a hop makes it no polynomial in A."""
        raise FilterError(
            "a layer that embeds edges is no polynomial in A: measure what it does with "
            "gcn.probe.response at a signal"
        )
