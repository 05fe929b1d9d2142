r"""Layers with one weight for a node and its neighbours alike: what vanilla GCN and GIN share.

Such a layer is :math:`Y = (c I + A) X \Theta + \mathbf 1 b^T` with a number :math:`c`; a subclass
says which. The product with :math:`\Theta` comes first if it makes the signal narrower.
"""

from abc import abstractmethod

import torch
from torch import Tensor, nn

from gcn.layers.base import Convolution
from gcn.propagate import Prepared

__all__ = ["OneWeight"]


class OneWeight(Convolution):
    """A layer whose nodes and neighbours share their weight; the parameters are its base's.

    Examples
    --------
    >>> from gcn.layers import VanillaConv
    >>> issubclass(VanillaConv, OneWeight), VanillaConv(3, 5).weight.shape
    (True, torch.Size([3, 5]))
    """

    def __init__(
        self, in_channels: int, out_channels: int, *, bias: bool = True, operator: str = "symmetric"
    ) -> None:
        super().__init__(in_channels, out_channels, bias=bias, operator=operator)
        self.weight = nn.Parameter(torch.empty(in_channels, out_channels))

    def evaluate(self, x: Tensor, A: Prepared) -> Tensor:
        """Return the layer's value on a prepared batch."""
        if self.out_channels < self.in_channels:  # hops carry the narrower side
            y = self.hop(x @ self.weight, A)
        else:
            y = self.hop(x, A) @ self.weight
        return y if self.bias is None else y + self.bias

    @abstractmethod
    def hop(self, x: Tensor, A: Prepared) -> Tensor:
        """Return c x + A x."""
