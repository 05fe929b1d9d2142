r"""A network whose layers are told more than features and edges.

The map is that of :class:`~gcn.nets.GraphNetwork`, with layers called ``conv(x, wiring)``. A
:class:`Wiring` is made once a forward pass and holds what any of them may ask for: the prepared
matrix, the same edges as PyTorch Geometric lists them, their features in that order, and the
signals that earlier layers were given.

>>> from gcn.propagate import prepare
>>> path = prepare(torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]), 3)
>>> wired(path).edge_index
tensor([[1, 0, 2, 1],
        [0, 1, 1, 2]])

Assumptions: the batch was prepared for the network's operator, as everywhere.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor, nn

from gcn.nets import GraphNetwork
from gcn.propagate import Prepared, as_prepared
from polyfilter.errors import GraphError

__all__ = ["WiredNetwork", "Wiring", "wired"]


@dataclass(frozen=True, eq=False)
class Wiring:
    """What layers find around the signal of a batch.

    Attributes
    ----------
    prepared
        The matrix A.
    edge_index
        Sources and targets of its entries, in their order; of shape (2, E), int64.
    edge_attr
        Features of these edges, in that order, or None.
    graph
        The number of each node's graph, or None if nobody asked for one.
    start
        The first signal of the network's hidden width.
    earlier
        What the layers before this one were given, in their order.
    shared
        What was computed once for all layers, if a network has something to.
    """

    prepared: Prepared
    edge_index: Tensor
    edge_attr: Tensor | None = None
    graph: Tensor | None = None
    start: Tensor | None = None
    earlier: tuple[Tensor, ...] = ()
    shared: Any = None

    @property
    def degrees(self) -> Tensor:
        """How many edges arrive at each node."""
        return self.prepared.rowptr.diff()

    def gather(self, messages: Tensor, weight: Tensor) -> Tensor:
        """Return the weighted sum of the messages that arrive at each node.

        Parameters
        ----------
        messages : Tensor of shape (edges, channels)
        weight : Tensor of shape (edges,)
        """
        return replace(self.prepared, weight=weight).aggregate(messages)

    def features(self) -> Tensor:
        """Return the features of edges, or say that they are missing."""
        if self.edge_attr is None:
            raise GraphError("this network embeds the features of edges: give it edge_attr")
        return self.edge_attr


def wired(
    prepared: Prepared, edge_attr: Tensor | None = None, graph: Tensor | None = None
) -> Wiring:
    """Return the wiring of a prepared batch.

    Parameters
    ----------
    prepared : Prepared
    edge_attr : Tensor of shape (edges, features), optional
        In the order of the ``edge_index`` that was prepared.
    graph : Tensor of shape (nodes,), optional

    Examples
    --------
    >>> from gcn.propagate import prepare
    >>> edges, kinds = torch.tensor([[1, 0], [0, 1]]), torch.tensor([[7], [8]])
    >>> wired(prepare(edges.flip(1), 2), kinds).edge_attr.T             # row 0 comes first
    tensor([[8, 7]])
    """
    if edge_attr is not None and len(edge_attr) != prepared.num_edges:
        raise GraphError(f"edge_attr has {len(edge_attr)} rows for {prepared.num_edges} edges")
    degrees = prepared.rowptr.diff().long()
    targets = torch.repeat_interleave(degrees, output_size=prepared.num_edges)
    edge_index = torch.stack((prepared.cols.long(), targets))
    attr = None if edge_attr is None else edge_attr[prepared.order]
    return Wiring(prepared, edge_index, attr, graph)


class WiredNetwork(GraphNetwork):
    """A network of layers that are called ``conv(x, wiring)``.

    Parameters
    ----------
    conv : callable
        ``conv(in_channels, out_channels)`` makes a layer.
    operator : str
        Which A batches have to be prepared for.
    share : callable, optional
        ``share(wiring, h)`` computes what all layers share, from what the first one is given.
    jump : nn.Module, optional
        What makes one signal of those after all layers, before the readout; without it the last
        one is read out.
    options
        As :class:`~gcn.nets.GraphNetwork` takes them.

    Shapes
    ------
    As in :class:`~gcn.nets.GraphNetwork`.

    Examples
    --------
    >>> from gcn.zoo.foreign import Foreign, geometric
    >>> sizes = {"in_channels": 3, "hidden_channels": 8, "out_channels": 2, "num_layers": 2}
    >>> net = WiredNetwork(lambda i, o: Foreign(geometric().SAGEConv(i, o)), **sizes)
    >>> net
    WiredNetwork(3, 8, 2, num_layers=2, conv=SAGEConv): 222 parameters
    >>> net(torch.ones(2, 3), torch.tensor([[0, 1], [1, 0]])).shape
    torch.Size([2, 2])
    """

    def __init__(
        self,
        conv: Callable[..., nn.Module],
        *,
        operator: str = "symmetric",
        share: Callable[[Wiring, Tensor], Any] | None = None,
        jump: nn.Module | None = None,
        **options: Any,
    ) -> None:
        super().__init__(conv, **options)
        self.share = share
        self.jump = jump
        self._operator = operator

    def extra_repr(self) -> str:
        """Say which layers."""
        conv = next(iter(self.blocks)).conv
        return f", conv={type(getattr(conv, 'layer', conv)).__name__}"

    @property
    def operator(self) -> str:
        """Which A the layers want."""
        return self._operator

    def forward(
        self,
        x: Tensor,
        edges: Tensor | Prepared,
        graph: Tensor | None = None,
        *,
        edge_weight: Tensor | None = None,
        edge_attr: Tensor | None = None,
        num_graphs: int | None = None,
    ) -> Tensor:
        """Return the network's value, for nodes or for graphs."""
        h = self.embed(x)
        prepared = as_prepared(h, edges, edge_weight, self.operator)
        prepared.check(h)
        wiring = wired(prepared, edge_attr, graph)
        if self.share is not None:
            wiring = replace(wiring, shared=self.share(wiring, h))
        signals = []
        for block in self.blocks:
            if wiring.start is None and h.shape[1] == self.hidden_channels:
                wiring = replace(wiring, start=h)
            before, h = h, self._gated(h, block(h, wiring))
            wiring = replace(wiring, earlier=(*wiring.earlier, before))
            signals.append(h)
        if self.jump is not None:
            h = self.jump(signals)
        return self._read_out(h, graph, num_graphs)
