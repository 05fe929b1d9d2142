r"""The second-order layer, SoGC (Equation 3): the smallest whose stacks express every filter.

>>> layer = SoGConv(16, 16)
>>> layer, sum(p.numel() for p in layer.parameters())
(SoGConv(16, 16), 784)
"""

from gcn.layers.korder import KOrderConv

__all__ = ["SoGConv"]


class SoGConv(KOrderConv):
    r"""The second-order layer.

    .. math::  Y = X \Theta_0 + A X \Theta_1 + A^2 X \Theta_2 + \mathbf 1 b^T .

    Parameters and shapes are those of :class:`~gcn.layers.korder.KOrderConv` with K = 2.

    Examples
    --------
    >>> import torch
    >>> SoGConv(2, 3)(torch.ones(2, 2), torch.tensor([[0, 1], [1, 0]])).shape
    torch.Size([2, 3])
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        *,
        bias: bool = True,
        operator: str = "symmetric",
        shift: float | None = None,
    ) -> None:
        super().__init__(in_channels, out_channels, K=2, bias=bias, operator=operator, shift=shift)

    def extra_repr(self) -> str:
        """Say nothing more: the order is in the name."""
        return ""
