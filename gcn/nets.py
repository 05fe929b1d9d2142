r"""Networks: embed, convolve, read out (Equations 9 to 11), with the paper's parameter counts.

The map is

.. math::  X^{(0)} = \phi(X), \qquad X^{(l)} = \sigma\bigl(f^{(l)}(X^{(l-1)})\bigr), \qquad
           Y = \psi(X^{(L)}),

and each layer is, in the order of the authors' release: convolution and bias, batch normalization,
activation, residual connection (where widths agree), dropout. The defaults are those of Table 2:

>>> for net in VanillaGCN(), GIN(), SoGCN(), KOrderGCN(K=3), KOrderGCN(K=4):
...     print(net)
VanillaGCN(1, 16, 1, num_layers=16): 4,611 parameters
GIN(1, 16, 1, num_layers=16): 4,627 parameters
SoGCN(1, 16, 1, num_layers=16): 12,323 parameters
KOrderGCN(1, 16, 1, num_layers=16, K=3): 16,179 parameters
KOrderGCN(1, 16, 1, num_layers=16, K=4): 20,035 parameters

A network is called as its layers are, ``net(x, edge_index)`` or ``net(x, prepared)``; one that
reads out graphs takes the graph of every node as well.

>>> import torch
>>> net = SoGCN(3, 32, 10, num_layers=4, activation="relu", readout="mean", gru=True)
>>> edges, graph = torch.tensor([[0, 1, 2, 3], [1, 0, 3, 2]]), torch.tensor([0, 0, 1, 1])
>>> net(torch.ones(4, 3), edges, graph).shape
torch.Size([2, 10])
"""

from collections.abc import Callable, Iterable
from functools import partial
from itertools import pairwise
from operator import index
from typing import Any

from torch import Tensor, nn

from gcn.layers import GRU, BondConv, Convolution, GINConv, KOrderConv, SoGConv, VanillaConv
from gcn.layers.base import check_features
from gcn.norm import BatchNorm
from gcn.normed import fits, folded, normed_power_sum
from gcn.powers import is_plain, power_sum
from gcn.propagate import Prepared, as_prepared
from gcn.readout import READOUTS, head_of, pool
from polyfilter.errors import GraphError

__all__ = ["ACTIVATIONS", "GIN", "Block", "GraphNetwork", "KOrderGCN", "SoGCN", "VanillaGCN"]

ACTIVATIONS: dict[str, Callable[[], nn.Module]] = {"relu": nn.ReLU, "tanh": nn.Tanh}


class Block(nn.Module):
    """One layer with what stands around it.

    Attributes
    ----------
    conv : nn.Module
        The convolution: one of ours, or any module that is called ``conv(x, edge_index)``.
    norm, activation, dropout : nn.Module or None
        What follows, in this order; None where there is nothing.
    residual : bool
        Whether the input is added, before dropout.

    Examples
    --------
    >>> block = next(iter(SoGCN(1, 8, 1, num_layers=2).blocks))
    >>> isinstance(block, Block), block.residual
    (True, True)
    """

    def __init__(
        self,
        conv: nn.Module,
        channels: int,
        *,
        batch_norm: bool,
        activation: nn.Module | None,
        residual: bool,
        dropout: float,
    ) -> None:
        super().__init__()
        self.conv = conv
        self.norm = BatchNorm(channels) if batch_norm else None
        self.activation = activation
        self.residual = residual
        self.dropout = nn.Dropout(dropout) if dropout > 0 else None

    def forward(self, x: Tensor, edges: Tensor | Prepared, *rest: Tensor) -> Tensor:
        """Return the block's value; ``rest`` goes to the convolution."""
        y = self._in_one_step(x, edges)
        added = y is not None and self.activation is None
        if y is None:
            y = self.conv(x, edges, *rest)
            y = y if self.norm is None else self.norm(y)
        if self.activation is not None:
            y = self.activation(y)
        if self.residual and not added:
            y = x + y
        return y if self.dropout is None else self.dropout(y)

    def _in_one_step(self, x: Tensor, edges: Tensor | Prepared) -> Tensor | None:
        """Convolve and normalize together, and add the input if nothing stands between."""
        conv, norm = self.conv, self.norm
        if not isinstance(conv, KOrderConv) or isinstance(conv, BondConv) or norm is None:
            return None
        if not isinstance(edges, Prepared):
            return None
        learns = fits(x, edges, norm)
        known = norm.affine and norm.track_running_stats
        if not learns and (norm.training or not known or not is_plain(x, edges)):
            return None
        conv.check(x, edges)
        residual = self.residual and self.activation is None
        if learns:
            return normed_power_sum(x, edges, conv.weight, norm, conv.bias, conv.shift, residual)
        theta, bias = folded(conv.weight, conv.bias, norm, residual)
        return power_sum(x, edges, theta, bias, conv.shift)


class GraphNetwork(nn.Module):
    """A network of any convolution: the shell that all networks here share.

    Parameters
    ----------
    conv : callable
        ``conv(in_channels, out_channels)`` makes a layer. One that is not a
        :class:`~gcn.layers.base.Convolution`, as those of PyTorch Geometric, is handed on what the
        network is called with.
    in_channels, hidden_channels, out_channels : int
        Widths.
    num_layers : int
        Number of convolutions.
    embedding : "linear", "none" or nn.Module
        What comes first. With "none" the first convolution is from in_channels. A module gets the
        features as they are and returns hidden_channels.
    activation : {None, "relu", "tanh"} or callable
        What follows each layer; a callable makes a module. None leaves a linear network.
    activate_last : bool, optional
        Whether the last layer is activated too; by default if a head follows.
    batch_norm, residual : bool
        Switches; a residual connection is made only where widths agree.
    dropout : float
        Probability.
    gru : bool or {"before", "after"}
        Whether one GRU, shared by all layers from hidden to hidden width, gates them, and what is
        its hidden state: see :class:`~gcn.layers.gru.GRU`. True is "before".
    readout : {"node", "sum", "mean", "max"}
        One row for each node, or for each graph.
    head : {"none", "linear", "mlp"}, optional
        What maps to out_channels after the readout: nothing (the last convolution does), a linear
        map, or two halving layers with ReLU and a linear map. By default "none" for nodes and
        "linear" for graphs.

    Shapes
    ------
    x : (nodes, in_channels)
    edges : a prepared batch, or (2, edges) with ``edge_weight`` (edges,)
    graph : (nodes,), the number of each node's graph
    edge_attr : (edges, features), for layers that embed edges
    output : (nodes, out_channels) or (graphs, out_channels)

    Examples
    --------
    >>> from functools import partial
    >>> GraphNetwork(partial(KOrderConv, K=1), 1, 8, 1, num_layers=2)
    GraphNetwork(1, 8, 1, num_layers=2): 187 parameters
    """

    def __init__(
        self,
        conv: Callable[..., nn.Module],
        in_channels: int = 1,
        hidden_channels: int = 16,
        out_channels: int = 1,
        num_layers: int = 16,
        *,
        embedding: str | nn.Module = "linear",
        activation: str | Callable[[], nn.Module] | None = None,
        activate_last: bool | None = None,
        batch_norm: bool = True,
        residual: bool = True,
        dropout: float = 0.0,
        gru: bool | str = False,
        readout: str = "node",
        head: str | None = None,
    ) -> None:
        super().__init__()
        _check(num_layers, dropout, readout)
        self.in_channels, self.hidden_channels = in_channels, hidden_channels
        self.out_channels, self.num_layers = out_channels, index(num_layers)
        self.readout = readout
        head = ("none" if readout == "node" else "linear") if head is None else head
        self.embedding = _embedding(embedding, in_channels, hidden_channels)
        first = in_channels if self.embedding is None else hidden_channels
        last = out_channels if head == "none" else hidden_channels
        widths = [first, *[hidden_channels] * (num_layers - 1), last]
        activate_last = head != "none" if activate_last is None else activate_last
        self.layers = nn.ModuleList(
            Block(
                conv(width, following),
                following,
                batch_norm=batch_norm,
                activation=_activation(activation, layer + 1 < num_layers or activate_last),
                residual=residual and width == following,
                dropout=dropout,
            )
            for layer, (width, following) in enumerate(pairwise(widths))
        )
        self.gru = GRU(hidden_channels, "before" if gru is True else gru) if gru else None
        self.head = head_of(head, hidden_channels, out_channels)

    @property
    def blocks(self) -> Iterable[Block]:
        """The layers, typed."""
        for block in self.layers:
            assert isinstance(block, Block)
            yield block

    @property
    def operator(self) -> str | None:
        """Which A the layers want; None if they are not ours."""
        operators = {
            block.conv.operator for block in self.blocks if isinstance(block.conv, Convolution)
        }
        if len(operators) > 1:
            raise GraphError(f"the layers disagree about A: {', '.join(sorted(operators))}")
        return operators.pop() if operators else None

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
        operator = self.operator
        if operator is not None:
            edges, edge_weight = as_prepared(h, edges, edge_weight, operator), None
        for block in self.blocks:
            h = self._gated(h, block(h, edges, *_rest(block.conv, edge_weight, edge_attr)))
        return self._read_out(h, graph, num_graphs)

    def _gated(self, before: Tensor, h: Tensor) -> Tensor:
        """Let the GRU, if there is one, decide between a layer's value and what it was given."""
        if self.gru is None or not before.shape[1] == h.shape[1] == self.hidden_channels:
            return h
        gated: Tensor = self.gru(h, before)
        return gated

    def _read_out(self, h: Tensor, graph: Tensor | None, num_graphs: int | None) -> Tensor:
        """Return the answer, for nodes or for graphs, from what the last layer gives."""
        if self.readout != "node":
            h = pool(h, graph, self.readout, num_graphs)
        return h if self.head is None else self.head(h)

    def embed(self, x: Tensor) -> Tensor:
        """Return what the first convolution is given.

        Examples
        --------
        >>> import torch
        >>> SoGCN().embed(torch.ones(5, 1)).shape
        torch.Size([5, 16])
        """
        if self.embedding is None or isinstance(self.embedding, nn.Linear):
            weight = next(self.parameters(), x)
            check_features(x, self.in_channels, weight, type(self).__name__)
        if self.embedding is None:
            return x
        embedded: Tensor = self.embedding(x)
        return embedded

    def reset_parameters(self) -> None:
        """Draw all weights anew."""
        for module in self.modules():
            draw = getattr(module, "reset_parameters", None)
            if module is not self and callable(draw):
                draw()

    @property
    def num_parameters(self) -> int:
        """How many numbers are learned.

        Examples
        --------
        >>> SoGCN().num_parameters
        12323
        """
        return sum(parameter.numel() for parameter in self.parameters())

    def extra_repr(self) -> str:
        """Say what a subclass adds."""
        return ""

    def __repr__(self) -> str:
        widths = f"{self.in_channels}, {self.hidden_channels}, {self.out_channels}"
        return (
            f"{type(self).__name__}({widths}, num_layers={self.num_layers}{self.extra_repr()}): "
            f"{self.num_parameters:,} parameters"
        )


class KOrderGCN(GraphNetwork):
    """A network of layers of order K; the parameters are those of :class:`GraphNetwork`.

    With ``bonds``, the number of values of each edge feature, its layers embed edges too.

    Examples
    --------
    >>> KOrderGCN(8, 200, 112, num_layers=3, K=4, embedding="none", batch_norm=False)
    KOrderGCN(8, 200, 112, num_layers=3, K=4): 320,512 parameters
    """

    def __init__(
        self,
        in_channels: int = 1,
        hidden_channels: int = 16,
        out_channels: int = 1,
        num_layers: int = 16,
        *,
        K: int = 2,
        bias: bool = True,
        operator: str = "symmetric",
        bonds: tuple[int, ...] | None = None,
        **options: Any,
    ) -> None:
        conv: Callable[..., nn.Module] = KOrderConv
        if bonds is not None:
            conv = partial(BondConv, cardinalities=bonds)
        conv = partial(conv, K=K, bias=bias, operator=operator)
        super().__init__(conv, in_channels, hidden_channels, out_channels, num_layers, **options)
        self.K = K

    def extra_repr(self) -> str:
        """Say the order."""
        return f", K={self.K}"


class SoGCN(GraphNetwork):
    """The paper's network, of second-order layers; the parameters are :class:`GraphNetwork`'s.

    Examples
    --------
    >>> SoGCN(8, 200, 112, num_layers=3, embedding="none", batch_norm=False)
    SoGCN(8, 200, 112, num_layers=3): 192,512 parameters
    """

    def __init__(
        self,
        in_channels: int = 1,
        hidden_channels: int = 16,
        out_channels: int = 1,
        num_layers: int = 16,
        *,
        bias: bool = True,
        operator: str = "symmetric",
        **options: Any,
    ) -> None:
        conv = partial(SoGConv, bias=bias, operator=operator)
        super().__init__(conv, in_channels, hidden_channels, out_channels, num_layers, **options)


class VanillaGCN(GraphNetwork):
    """A network of vanilla layers; the parameters are those of :class:`GraphNetwork`.

    Examples
    --------
    >>> VanillaGCN(8, 256, 112, num_layers=3, embedding="none", batch_norm=False)
    VanillaGCN(8, 256, 112, num_layers=3): 96,880 parameters
    """

    def __init__(
        self,
        in_channels: int = 1,
        hidden_channels: int = 16,
        out_channels: int = 1,
        num_layers: int = 16,
        *,
        bias: bool = True,
        operator: str = "symmetric",
        self_loop: bool = True,
        **options: Any,
    ) -> None:
        conv = partial(VanillaConv, bias=bias, operator=operator, self_loop=self_loop)
        super().__init__(conv, in_channels, hidden_channels, out_channels, num_layers, **options)


class GIN(GraphNetwork):
    """A network of GIN layers; the parameters are those of :class:`GraphNetwork`.

    Examples
    --------
    >>> GIN(operator="sum").operator
    'sum'
    """

    def __init__(
        self,
        in_channels: int = 1,
        hidden_channels: int = 16,
        out_channels: int = 1,
        num_layers: int = 16,
        *,
        bias: bool = True,
        operator: str = "symmetric",
        **options: Any,
    ) -> None:
        conv = partial(GINConv, bias=bias, operator=operator)
        super().__init__(conv, in_channels, hidden_channels, out_channels, num_layers, **options)


def _check(num_layers: int, dropout: float, readout: str) -> None:
    if index(num_layers) < 1:
        raise GraphError(f"a network needs at least one layer, not {num_layers}")
    if not 0 <= dropout < 1:
        raise GraphError(f"dropout is a probability below 1, not {dropout}")
    if readout not in READOUTS:
        raise GraphError(f"unknown readout {readout!r}: choose from {', '.join(READOUTS)}")


def _embedding(embedding: str | nn.Module, channels: int, hidden: int) -> nn.Module | None:
    if isinstance(embedding, nn.Module):
        return embedding
    if embedding not in ("linear", "none"):
        raise GraphError(f"embedding is 'linear', 'none' or a module, not {embedding!r}")
    return nn.Linear(channels, hidden) if embedding == "linear" else None


def _activation(activation: str | Callable[[], nn.Module] | None, wanted: bool) -> nn.Module | None:
    if activation is None:
        return None
    make = ACTIVATIONS.get(activation) if isinstance(activation, str) else activation
    if make is None or isinstance(make, nn.Module):
        names = ", ".join(ACTIVATIONS)
        raise GraphError(f"unknown activation {activation!r}: choose from {names}, or give a class")
    return make() if wanted else None


def _rest(conv: nn.Module, edge_weight: Tensor | None, edge_attr: Tensor | None) -> list[Any]:
    """Return what a convolution is given besides features and edges."""
    if isinstance(conv, BondConv):
        return [edge_weight, edge_attr]
    return [] if edge_weight is None else [edge_weight]
