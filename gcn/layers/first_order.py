r"""The first-order layer with independent weights for a node and for its neighbours.

>>> layer = FirstOrderConv(2, 2)
>>> layer, layer.matrix_polynomial().shape
(FirstOrderConv(2, 2), torch.Size([2, 2, 2]))
"""

from gcn.layers.korder import KOrderConv

__all__ = ["FirstOrderConv"]


class FirstOrderConv(KOrderConv):
    r"""The first-order layer.

    .. math::  Y = X \Theta_0 + A X \Theta_1 + \mathbf 1 b^T .

    With one channel its stacks have real roots only. With two channels they are as expressive as
    second-order layers, since :math:`\mathbb C` sits in the 2 × 2 matrices
    (:mod:`gcn.realisation`).

    Parameters and shapes are those of :class:`~gcn.layers.korder.KOrderConv` with K = 1.

    Examples
    --------
    >>> import torch
    >>> FirstOrderConv(2, 3)(torch.ones(2, 2), torch.tensor([[0, 1], [1, 0]])).shape
    torch.Size([2, 3])
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        *,
        bias: bool = True,
        operator: str = "symmetric",
    ) -> None:
        super().__init__(in_channels, out_channels, K=1, bias=bias, operator=operator)

    def extra_repr(self) -> str:
        """Say nothing more: the order is in the name."""
        return ""
