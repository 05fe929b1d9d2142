r"""The vanilla GCN layer on graphs whose edges have features, as OGB's example code has it.

>>> layer = BondVanilla(8, 8, bonds=(5, 6, 2))
>>> sum(p.numel() for p in layer.parameters())      # 64 + 8, 13 edge embeddings and one root of 8
184
"""

import torch
from torch import Tensor, nn

from gcn.encoders import CategoryEncoder
from gcn.zoo.wired import Wiring

__all__ = ["BondVanilla"]


class BondVanilla(nn.Module):
    r"""The vanilla layer whose messages carry an embedding of the edge.

    .. math::  y_i = \frac{\operatorname{ReLU}(h_i + r)}{d_i + 1} + \sum_{j \to i}
               \frac{\operatorname{ReLU}(h_j + e_{ij})}{\sqrt{(d_i + 1)(d_j + 1)}},
               \qquad h = x \Theta + \mathbf 1 b^T ,

    with degrees :math:`d` and one vector :math:`r` for the edge from a node to itself.

    Parameters
    ----------
    in_channels, out_channels : int
        Widths.
    bonds : tuple of int
        How many values each feature of an edge can have.

    Shapes
    ------
    x : (nodes, in_channels)
    wiring : with edge_attr, (edges, features), integers
    output : (nodes, out_channels)

    Examples
    --------
    >>> from gcn.propagate import prepare
    >>> from gcn.zoo.wired import wired
    >>> batch = wired(prepare(torch.tensor([[0, 1], [1, 0]]), 2), torch.tensor([[2], [2]]))
    >>> BondVanilla(4, 3, bonds=(3,))(torch.ones(2, 4), batch).shape
    torch.Size([2, 3])
    """

    def __init__(self, in_channels: int, out_channels: int, bonds: tuple[int, ...]) -> None:
        super().__init__()
        self.linear = nn.Linear(in_channels, out_channels)
        self.bond = CategoryEncoder(bonds, out_channels)
        self.root = nn.Parameter(torch.empty(out_channels))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the root from the standard normal distribution; the rest draws itself."""
        nn.init.normal_(self.root)

    def forward(self, x: Tensor, wiring: Wiring) -> Tensor:
        """Return the layer's value."""
        h = self.linear(x)
        e = self.bond(wiring.features())
        scale = (wiring.degrees + 1).to(h.dtype).rsqrt()
        source, target = wiring.edge_index
        own = torch.relu(h + self.root) * scale.square()[:, None]
        return own + wiring.gather(torch.relu(h[source] + e), scale[source] * scale[target])
