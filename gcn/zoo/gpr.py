r"""The walk with learned weights of its steps: GPR-GNN's propagation.

>>> walk = GPRWalk(K=2, alpha=0.1)
>>> walk.gamma.detach()
tensor([0.1000, 0.0900, 0.8100])
"""

import torch
from torch import Tensor, nn

from gcn.encoders import CategoryEncoder
from gcn.zoo.wired import Wiring

__all__ = ["GPRWalk"]


class GPRWalk(nn.Module):
    r"""A polynomial filter of degree K with K + 1 numbers, the same for all channels.

    .. math::  Y = \sum_{k=0}^{K} \gamma_k A^k X .

    It begins as the walk of APPNP, :math:`\gamma_k = \alpha (1 - \alpha)^k` and
    :math:`\gamma_K = (1 - \alpha)^K`. A is that of the paper; Chien et al. (2021) add loops to the
    graph. With features of edges a hop is that of :class:`~gcn.layers.bond.BondConv`.

    Parameters
    ----------
    K : int
        Steps.
    alpha : float
        Where it begins.
    bond : CategoryEncoder, optional
        Embeds the features of edges.

    Shapes
    ------
    x, output : (nodes, channels)

    Examples
    --------
    >>> from gcn.propagate import prepare
    >>> from gcn.zoo.wired import wired
    >>> edge = wired(prepare(torch.tensor([[0, 1], [1, 0]]), 2))
    >>> GPRWalk(K=1, alpha=0.25)(torch.tensor([[1.0], [0.0]]), edge).detach().T
    tensor([[0.2500, 0.7500]])
    """

    def __init__(self, K: int, alpha: float, bond: CategoryEncoder | None = None) -> None:
        super().__init__()
        self.K = K
        self.alpha = alpha
        self.bond = bond
        self.gamma = nn.Parameter(torch.empty(K + 1))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Begin as APPNP."""
        steps = (1 - self.alpha) ** torch.arange(self.K + 1, dtype=torch.float64)
        with torch.no_grad():
            self.gamma.copy_(steps)
            self.gamma[:-1] *= self.alpha

    def forward(self, x: Tensor, wiring: Wiring) -> Tensor:
        """Return the filtered signal."""
        A = wiring.prepared
        e = None if self.bond is None else self.bond(wiring.features())
        y = self.gamma[0] * x
        for gamma in self.gamma[1:]:
            if e is None:
                x = A.propagate(x)
            else:
                x = A.aggregate(torch.relu(x[wiring.edge_index[0]] + e))
            y = y + gamma * x
        return y
