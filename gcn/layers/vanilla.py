r"""The vanilla GCN layer: one weight for a node and its neighbours alike (Equation 2).

>>> layer = VanillaConv(16, 16)
>>> layer, sum(p.numel() for p in layer.parameters())
(VanillaConv(16, 16), 272)
"""

import torch
from torch import Tensor

from gcn.layers.one_weight import OneWeight
from gcn.propagate import Prepared

__all__ = ["VanillaConv"]


class VanillaConv(OneWeight):
    r"""The vanilla layer, as the paper writes it.

    .. math::  Y = (A + I) X \Theta + \mathbf 1 b^T .

    Parameters
    ----------
    in_channels, out_channels : int
        Widths.
    bias : bool
        Whether a vector is added to every node.
    operator : str
        Which A.
    self_loop : bool
        Whether a node counts itself. The released SGS experiment has it off and averages
        neighbours: ``operator="mean", self_loop=False``.

    Shapes
    ------
    x : (nodes, in_channels)
    edges : a prepared batch, or (2, edges) with ``edge_weight`` (edges,)
    output : (nodes, out_channels)

    Examples
    --------
    >>> VanillaConv(2, 3)(torch.ones(2, 2), torch.tensor([[0, 1], [1, 0]])).shape
    torch.Size([2, 3])
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        *,
        bias: bool = True,
        operator: str = "symmetric",
        self_loop: bool = True,
    ) -> None:
        super().__init__(in_channels, out_channels, bias=bias, operator=operator)
        self.self_loop = self_loop
        self.reset_parameters()

    def hop(self, x: Tensor, A: Prepared) -> Tensor:
        """Return x + A x, or A x without the self-loop."""
        y = A.propagate(x)
        return x + y if self.self_loop else y

    def matrix_polynomial(self) -> Tensor:
        """Return Θ_0 and Θ_1, of shape (2, in, out): equal, or 0 and Θ without the self-loop."""
        own = self.weight if self.self_loop else torch.zeros_like(self.weight)
        return torch.stack((own, self.weight))
