r"""LanczosNet: filters of long range on a few approximate eigenvectors of each graph.

>>> from gcn.propagate import prepare
>>> path = prepare(torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]), 3, dtype=torch.float64)
>>> start = torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64)
>>> values, vectors = ritz(path, start, torch.zeros(3, dtype=torch.int64), K=3)
>>> values.square().round(decimals=6).tolist()              # a path has eigenvalues -1, 0 and 1
[[1.0, 0.0, 1.0]]
"""

import torch
from torch import Tensor, nn

from gcn.propagate import Prepared
from gcn.zoo.wired import Wiring
from polyfilter.errors import GraphError

__all__ = ["LONG", "SHORT", "STEPS", "LanczosConv", "ritz", "ritz_pairs"]

STEPS = 10
"""Lanczos steps: how many approximate eigenvectors a graph has at most."""
SHORT = (1, 2, 3)
"""Powers of A that are taken hop by hop."""
LONG = (5, 7, 10, 20, 30)
"""Powers of the approximate eigenvalues that filters of long range are made of."""


def ritz(A: Prepared, start: Tensor, graph: Tensor, K: int) -> tuple[Tensor, Tensor]:
    r"""Return K approximate eigenvalues and eigenvectors of every graph of a batch.

    Lanczos's algorithm on all graphs at once, with full reorthogonalization:
    :math:`A Q = Q T` on the Krylov space of the start, :math:`T = B R B^T`, :math:`V = Q B`. A
    graph whose space ends earlier goes on with vectors of zeros, which add nothing to
    :math:`V f(R) V^T`.

    Parameters
    ----------
    A : Prepared
        Symmetric, block diagonal.
    start : Tensor of shape (nodes,)
        Where each graph begins; one that is zero begins with ones.
    graph : Tensor of shape (nodes,)
        The number of each node's graph.
    K : int
        Steps.

    Returns
    -------
    values : Tensor of shape (graphs, K)
    vectors : Tensor of shape (nodes, K)
    """
    graphs = int(graph.max()) + 1

    def dot(x: Tensor, y: Tensor) -> Tensor:
        return (x * y).new_zeros(graphs, *x.shape[1:]).index_add(0, graph, x * y)

    # an orthogonal rest this small is rounding: A has norm one at most, and so has every vector
    least = torch.finfo(start.dtype).eps ** 0.5
    size = dot(start, start).sqrt()[graph]
    q = torch.where(size > 0, start / size.where(size > 0, 1), 1)
    q = q / dot(q, q).sqrt()[graph]
    Q = q[:, None]
    T = start.new_zeros(graphs, K, K)
    for k in range(K):
        z = A.propagate(q[:, None])[:, 0]
        T[:, k, k] = dot(q, z)
        if k == K - 1:
            break
        for _ in range(2):  # once is not enough, twice is
            z = z - (Q * dot(Q, z[:, None].expand_as(Q))[graph]).sum(1)
        beta = dot(z, z).sqrt()
        beta = beta.where(beta > least, 0)
        T[:, k, k + 1] = T[:, k + 1, k] = beta
        q = torch.where(beta > 0, 1 / beta.where(beta > 0, 1), 0)[graph] * z
        Q = torch.cat((Q, q[:, None]), dim=1)
    values, B = torch.linalg.eigh(T)
    return values, torch.einsum("nj,njk->nk", Q, B[graph])


def ritz_pairs(wiring: Wiring, h: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return approximate eigenvalues and eigenvectors, and each node's graph, once for all layers.

    Liao et al. (2019) begin at a random vector; here it is the sum of the embedded channels, so
    that a network is a function of its graph. No gradient flows through it.

    Examples
    --------
    >>> from gcn.propagate import prepare
    >>> from gcn.zoo.wired import wired
    >>> pair = wired(prepare(torch.tensor([[0, 1], [1, 0]]), 2))
    >>> [each.shape for each in ritz_pairs(pair, torch.tensor([[1.0], [2.0]]))]
    [torch.Size([1, 10]), torch.Size([2, 10]), torch.Size([2])]
    """
    if wiring.prepared.operator != "symmetric":
        raise GraphError("Lanczos's algorithm needs a symmetric A: prepare(..., 'symmetric')")
    graph = wiring.graph
    if graph is None:
        graph = torch.zeros(len(h), dtype=torch.int64, device=h.device)
    with torch.no_grad():
        return *ritz(wiring.prepared, h.detach().sum(1), graph, STEPS), graph


class LanczosConv(nn.Module):
    r"""The layer of LanczosNet, with filters of its own for short and for long range.

    .. math::  Y = X \Theta_0 + \sum_{s \in S} A^s X \Theta_s
               + \sum_{m} V \hat f_m(R) V^T X \, \Xi_m + \mathbf 1 b^T ,

    with one network :math:`\hat f` from the powers of an approximate eigenvalue that ``LONG`` lists
    to as many filters.

    Parameters
    ----------
    in_channels, out_channels : int
        Widths.

    Shapes
    ------
    x : (nodes, in_channels)
    wiring : with what :func:`ritz_pairs` gives as ``shared``
    output : (nodes, out_channels)

    Examples
    --------
    >>> sum(p.numel() for p in LanczosConv(8, 8).parameters())      # 9 · 64 + 8, and 181 of f
    765
    """

    def __init__(self, in_channels: int, out_channels: int) -> None:
        super().__init__()
        filters = len(LONG)
        self.response = nn.Sequential(nn.Linear(filters, 16), nn.ReLU(), nn.Linear(16, filters))
        self.near = nn.Linear((1 + len(SHORT)) * in_channels, out_channels)
        self.far = nn.Linear(filters * in_channels, out_channels, bias=False)

    def forward(self, x: Tensor, wiring: Wiring) -> Tensor:
        """Return the layer's value."""
        values, V, graph = wiring.shared
        signals, hopped = [x], x
        for power in range(1, max(SHORT) + 1):
            hopped = wiring.prepared.propagate(hopped)
            if power in SHORT:
                signals.append(hopped)
        response = self.response(torch.stack([values**power for power in LONG], dim=2))
        # what a graph's signal has of each of its vectors, (graphs, STEPS, channels)
        parts = V[:, :, None] * x[:, None, :]
        spectrum = parts.new_zeros(len(values), *parts.shape[1:]).index_add(0, graph, parts)
        # filters and weights act on that; one way back to the nodes does for all of them
        far = self.far((response[..., None] * spectrum[:, :, None]).flatten(2))
        y: Tensor = self.near(torch.cat(signals, dim=1))
        return y + torch.einsum("nk,nkc->nc", V, far[graph])
