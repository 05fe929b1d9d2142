r"""The gate between layers: one GRU, shared by all of them (Section 4, and its appendix).

>>> gate = GRU(16)
>>> sum(p.numel() for p in gate.parameters())
1632
"""

from typing import NoReturn

from torch import Tensor, nn

from gcn.layers.base import check_features
from polyfilter.errors import FilterError, GraphError

__all__ = ["GRU"]


class GRU(nn.Module):
    r"""The gate that decides, channel by channel, what a layer may change.

    .. math::  X^{(l+1)} = \operatorname{GRU}\bigl(\sigma(X_{conv}^{(l+1)}),\ X^{(l)};\ \Omega\bigr)

    with the layer's output as input and what the layer was given as hidden state.

    Parameters
    ----------
    channels : int
        Width of all layers that share it.
    hidden : {"before", "after"}
        What is the hidden state: the signal before the layer, as the appendix says, or after it, as
        the authors' released code calls it.

    Shapes
    ------
    after, before, output : (nodes, channels)

    Examples
    --------
    >>> import torch
    >>> GRU(3)(torch.ones(2, 3), torch.zeros(2, 3)).shape
    torch.Size([2, 3])
    """

    def __init__(self, channels: int, hidden: str = "before") -> None:
        super().__init__()
        if hidden not in ("before", "after"):
            raise GraphError(
                f"the GRU's hidden state is 'before' or 'after' a layer, not {hidden!r}"
            )
        self.channels = channels
        self.hidden = hidden
        self.cell = nn.GRUCell(channels, channels)

    def reset_parameters(self) -> None:
        """Draw all weights anew."""
        self.cell.reset_parameters()

    def forward(self, after: Tensor, before: Tensor) -> Tensor:
        """Return the gated signal."""
        for x in (after, before):
            check_features(x, self.channels, self.cell.weight_ih, "this GRU")
        gated: Tensor = (
            self.cell(after, before) if self.hidden == "before" else self.cell(before, after)
        )
        return gated

    def matrix_polynomial(self) -> NoReturn:
        """Refuse: gates multiply signals with each other, and no polynomial in A does that."""
        raise FilterError(
            "a GRU is no polynomial in A: measure what it does with gcn.probe.response at a signal"
        )

    def __repr__(self) -> str:
        return f"GRU({self.channels}, hidden={self.hidden!r})"
