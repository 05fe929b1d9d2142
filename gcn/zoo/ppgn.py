r"""Graphs as dense tensors that are multiplied: PPGN, which tables call 3WLGNN.

>>> tower = PPGN(4, 8, blocks=3)
>>> from gcn.propagate import prepare
>>> from gcn.zoo.wired import wired
>>> tower(torch.ones(2, 4), wired(prepare(torch.tensor([[0, 1], [1, 0]]), 2))).shape
torch.Size([2, 8])
"""

from collections.abc import Iterator

import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from gcn.encoders import CategoryEncoder
from gcn.zoo.wired import Wiring

__all__ = ["PPGN", "Block", "groups"]

NUMBERS = 2**21
"""Numbers of the largest tensor of some graphs, 8 MB; twenty or so are alive at once."""


class Block(nn.Module):
    r"""One block of PPGN, on tensors of shape (graphs, channels, nodes, nodes).

    .. math::  X \mapsto [X, \; m_1(X) \, m_2(X)] \, W + b ,

    with a matrix product in each channel and networks :math:`m_1, m_2` of two layers that act on
    each pair of nodes.

    Examples
    --------
    >>> Block(3, 8)(torch.ones(2, 3, 5, 5), torch.ones(2, 1, 5, 5)).shape
    torch.Size([2, 8, 5, 5])
    """

    def __init__(self, in_channels: int, out_channels: int) -> None:
        super().__init__()
        self.left = _pairwise(in_channels, out_channels)
        self.right = _pairwise(in_channels, out_channels)
        self.join = nn.Conv2d(in_channels + out_channels, out_channels, kernel_size=1)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw all weights by Glorot's rule, as published."""
        for module in self.modules():
            if isinstance(module, nn.Conv2d):
                nn.init.xavier_uniform_(module.weight)
                assert module.bias is not None
                nn.init.zeros_(module.bias)

    def forward(self, X: Tensor, mask: Tensor) -> Tensor:
        """Return the block's value; pairs outside the mask are no pairs."""
        product = (self.left(X) * mask) @ self.right(X)
        return self.join(torch.cat((X, product), dim=1)) * mask  # type: ignore[no-any-return]


class PPGN(nn.Module):
    r"""Blocks on the adjacency matrix, from nodes to nodes.

    .. math::  X_0 = \bigl[W, \; \operatorname{diag}(x_1), \dots, \operatorname{diag}(x_F)\bigr],
               \qquad X_l = \operatorname{Block}_l(X_{l-1}), \qquad
               y_i = \sum_l \Bigl[(X_l)_{ii}, \; \sum_{j \ne i} (X_l)_{ij}\Bigr] V_l + b ,

    with the number of edges between two nodes in W. Features of edges are added to
    :math:`X_0` at their ends. Published networks for graphs take a maximum over nodes, one for the
    diagonal and one for the rest; here the readout is the task's.

    Graphs of like size are computed together, padded to the largest, with at most ``NUMBERS``
    numbers a tensor: what a group has computed is forgotten, and computed again for the gradient.

    Parameters
    ----------
    in_channels, out_channels : int
        Widths outside.
    blocks : int
        How many; inside, their width is out_channels.
    bonds : tuple of int, optional
        How many values each feature of an edge can have.

    Shapes
    ------
    x : (nodes, in_channels)
    wiring : with graph, if there are several, and edge_attr if there are bonds
    output : (nodes, out_channels)
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        blocks: int,
        bonds: tuple[int, ...] | None = None,
    ) -> None:
        super().__init__()
        widths = [1 + in_channels] + [out_channels] * (blocks - 1)
        self.width = max(widths) + out_channels  # of what a block joins
        self.blocks = nn.ModuleList(Block(width, out_channels) for width in widths)
        self.bond = None if bonds is None else CategoryEncoder(bonds, in_channels)
        self.read = nn.Linear(2 * out_channels * blocks, out_channels)

    def forward(self, x: Tensor, wiring: Wiring) -> Tensor:
        """Return one row for each node."""
        graph = wiring.graph
        if graph is None:
            graph = torch.zeros(len(x), dtype=torch.int64, device=x.device)
        sizes = torch.bincount(graph)
        by_graph = torch.argsort(graph, stable=True)
        place = torch.empty_like(by_graph)
        place[by_graph] = torch.arange(len(x), device=x.device)
        place = place - (sizes.cumsum(0) - sizes)[graph]
        e = None if self.bond is None else self.bond(wiring.features())
        y = x.new_zeros(len(x), self.read.in_features)
        for chosen in groups(sizes.tolist(), NUMBERS // self.width):
            number = torch.full_like(sizes, -1)
            number[chosen] = torch.arange(len(chosen), device=x.device)
            nodes = (number[graph] >= 0).nonzero()[:, 0]
            edges = (number[graph[wiring.edge_index[1]]] >= 0).nonzero()[:, 0]
            source, target = wiring.edge_index[:, edges]
            where = number[graph], place, int(sizes[chosen].max())
            features = None if e is None else e[edges]
            rows = checkpoint(
                self._group, x, features, nodes, source, target, where, use_reentrant=False
            )
            y = y.index_copy(0, nodes, rows)
        return self.read(y)  # type: ignore[no-any-return]

    def _group(
        self,
        x: Tensor,
        e: Tensor | None,
        nodes: Tensor,
        source: Tensor,
        target: Tensor,
        where: tuple[Tensor, Tensor, int],
    ) -> Tensor:
        """Return diagonals and sums of rows after all blocks, for the nodes of some graphs."""
        number, place, n = where
        own, at = number[nodes], place[nodes]
        graphs = int(own.max()) + 1
        real = x.new_zeros(graphs, n).index_put((own, at), x.new_ones(()))
        mask = (real[:, None, :, None] * real[:, None, None, :]).contiguous()
        W = x.new_zeros(graphs, n, n, 1 + x.shape[1])
        between = number[target], place[target], place[source]
        sent = x.new_zeros(len(source), x.shape[1]) if e is None else e
        one = x.new_ones(len(source), 1)
        W = W.index_put(between, torch.cat((one, sent), dim=1), accumulate=True)
        seen = torch.cat((x.new_zeros(len(nodes), 1), x[nodes]), dim=1)
        X = W.index_put((own, at, at), seen, accumulate=True).permute(0, 3, 1, 2)
        rows = []
        for block in self.blocks:
            X = block(X, mask)
            diagonal = X.diagonal(dim1=2, dim2=3)
            rows += [diagonal, X.sum(3) - diagonal]
        return torch.cat(rows, dim=1)[own, :, at]


def groups(sizes: list[int], most: int) -> Iterator[list[int]]:
    """Yield graphs of like size that have at most so many pairs of nodes, padded.

    A graph that alone has more is a group of its own.

    Examples
    --------
    >>> list(groups([3, 30, 2, 20], 1_000))                      # 2 · 30² would be too many
    [[2, 0], [3], [1]]
    """
    chosen: list[int] = []
    for graph in sorted(range(len(sizes)), key=sizes.__getitem__):
        if chosen and (len(chosen) + 1) * sizes[graph] ** 2 > most:
            yield chosen
            chosen = []
        if sizes[graph]:
            chosen.append(graph)
    if chosen:
        yield chosen


def _pairwise(in_channels: int, out_channels: int) -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(in_channels, out_channels, kernel_size=1),
        nn.ReLU(),
        nn.Conv2d(out_channels, out_channels, kernel_size=1),
        nn.ReLU(),
    )
