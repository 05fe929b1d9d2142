r"""The GIN layer with a linear map for its MLP: a node counts itself 1 + ε times.

>>> layer = GINConv(16, 16)
>>> layer, sum(p.numel() for p in layer.parameters())
(GINConv(16, 16), 273)
"""

import torch
from torch import Tensor, nn

from gcn.layers.one_weight import OneWeight
from gcn.propagate import Prepared

__all__ = ["GINConv"]


class GINConv(OneWeight):
    r"""The GIN layer.

    .. math::  Y = \bigl((1 + \varepsilon) X + A X\bigr) \Theta + \mathbf 1 b^T .

    Parameters
    ----------
    in_channels, out_channels : int
        Widths.
    bias : bool
        Whether a vector is added to every node.
    operator : str
        Which A: normalized in the paper's analysis, ``"sum"`` in GIN as published and in the
        authors' experiments.
    epsilon : float
        Where the learnable ε begins.

    Shapes
    ------
    x : (nodes, in_channels)
    edges : a prepared batch, or (2, edges) with ``edge_weight`` (edges,)
    output : (nodes, out_channels)

    Examples
    --------
    >>> GINConv(2, 3, operator="sum")(torch.ones(2, 2), torch.tensor([[0, 1], [1, 0]])).shape
    torch.Size([2, 3])
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        *,
        bias: bool = True,
        operator: str = "symmetric",
        epsilon: float = 0.0,
    ) -> None:
        super().__init__(in_channels, out_channels, bias=bias, operator=operator)
        self.epsilon = nn.Parameter(torch.empty(1))
        self._start = float(epsilon)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw weights as all layers do; ε begins where it was told to."""
        super().reset_parameters()
        nn.init.constant_(self.epsilon, self._start)

    def hop(self, x: Tensor, A: Prepared) -> Tensor:
        """Return (1 + ε) x + A x."""
        return torch.addcmul(A.propagate(x), x, 1 + self.epsilon)

    def matrix_polynomial(self) -> Tensor:
        """Return (1 + ε)Θ and Θ, of shape (2, in, out)."""
        return torch.stack(((1 + self.epsilon) * self.weight, self.weight))
