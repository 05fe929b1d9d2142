r"""The layer of order K: all polynomials of degree K in A, one hop after the other (Algorithm 1).

>>> layer = KOrderConv(1, 1, K=3, bias=False)
>>> layer
KOrderConv(1, 1, K=3)
>>> sum(p.numel() for p in layer.parameters())
4
"""

from operator import index

import torch
from torch import Tensor, nn

from gcn.layers.base import Convolution
from gcn.powers import power_sum
from gcn.propagate import Prepared
from polyfilter.errors import GraphError

__all__ = ["KOrderConv"]


class KOrderConv(Convolution):
    r"""The layer of order K (Equation 1).

    .. math::  Y = \sum_{k=0}^{K} (A - s)^k X \Theta_k + \mathbf 1 b^T .

    Hops are reused, and no power of A is ever formed (:func:`gcn.powers.power_sum`).

    Parameters
    ----------
    in_channels, out_channels : int
        Widths.
    K : int
        Order: the number of hops. Layers of order 0 do not propagate.
    bias : bool
        Whether a vector is added to every node.
    operator : str
        Which A.
    shift : float, optional
        The point s about which the polynomial is written. It changes no filter that the layer can
        express, only how it is rounded: about its dip, a factor whose roots lie close to the
        spectrum loses nothing in float32. It is a buffer, not a parameter.

    Shapes
    ------
    x : (nodes, in_channels)
    edges : a prepared batch, or (2, edges) with ``edge_weight`` (edges,)
    output : (nodes, out_channels)

    Examples
    --------
    >>> layer = KOrderConv(2, 3, K=4)
    >>> layer(torch.ones(2, 2), torch.tensor([[0, 1], [1, 0]])).shape
    torch.Size([2, 3])
    """

    shift: Tensor | None

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        K: int,
        *,
        bias: bool = True,
        operator: str = "symmetric",
        shift: float | None = None,
    ) -> None:
        super().__init__(in_channels, out_channels, bias=bias, operator=operator)
        self.K = index(K)
        if self.K < 0:
            raise GraphError(f"a layer can't have order {K}: K is 0 or more")
        self.weight = nn.Parameter(torch.empty(self.K + 1, in_channels, out_channels))
        self.register_buffer("shift", None if shift is None else torch.tensor(float(shift)))
        self.reset_parameters()

    def evaluate(self, x: Tensor, A: Prepared) -> Tensor:
        """Return the layer's value on a prepared batch."""
        return power_sum(x, A, self.weight, self.bias, self.shift)

    def matrix_polynomial(self) -> Tensor:
        """Return Θ_0, ..., Θ_K in powers of A, of shape (K + 1, in, out)."""
        if self.shift is None:
            return self.weight
        theta = list(self.weight)
        for low in range(self.K):  # the Taylor shift, by Horner's rule
            for k in range(self.K - 1, low - 1, -1):
                theta[k] = theta[k] - self.shift * theta[k + 1]
        return torch.stack(theta)

    def extra_repr(self) -> str:
        """Say the order."""
        return f", K={self.K}"
