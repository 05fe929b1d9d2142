r"""Layers of PyTorch Geometric, called as layers of a wired network are.

The map is the layer's own. Where edges have features, an embedding of the edge travels with what
the layer sends along it,

.. math::  x_j \;\mapsto\; \operatorname{ReLU}(x_j + e_{ij}),

as OGB's example code and the paper have it on molhiv. That needs no second copy of a layer:
PyTorch Geometric lets one look at messages before they are sent.

>>> from gcn.propagate import prepare
>>> from gcn.zoo.wired import wired
>>> batch = wired(prepare(torch.tensor([[0, 1], [1, 0]]), 2), torch.tensor([[2], [0]]))
>>> layer = Foreign(geometric().SAGEConv(4, 8), CategoryEncoder((3,), 4))
>>> layer(torch.ones(2, 4), batch).shape
torch.Size([2, 8])

Assumptions: with features of edges, no edge leads from a node to itself. Loops that a layer adds
have no features: nothing is added to what they carry, and it goes through the ReLU.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn

from gcn.encoders import CategoryEncoder
from gcn.zoo.wired import Wiring
from polyfilter.errors import GraphError

__all__ = ["Attributed", "Foreign", "Growing", "Initial", "Predict", "Pseudo", "geometric"]


def geometric() -> Any:
    """Return ``torch_geometric.nn``, or say how to get it.

    Examples
    --------
    >>> geometric().TAGConv(2, 3, K=2)
    TAGConv(2, 3, K=2)
    """
    try:
        import torch_geometric.nn
    except ImportError as error:
        raise ImportError(
            "this model takes its layers from PyTorch Geometric: pip install 'polyfilter[gcn]'"
        ) from error
    return torch_geometric.nn


class Foreign(nn.Module):
    """A layer that is called ``layer(x, edge_index)``.

    Parameters
    ----------
    layer : nn.Module
        The layer.
    bond : CategoryEncoder, optional
        Embeds the features of edges, as wide as what the layer sends.

    Shapes
    ------
    x : (nodes, in_channels)
    wiring : with edge_attr if there is a bond
    output : (nodes, out_channels)
    """

    def __init__(self, layer: nn.Module, bond: CategoryEncoder | None = None) -> None:
        super().__init__()
        self.layer = layer
        self.bond = bond

    def forward(self, x: Tensor, wiring: Wiring) -> Tensor:
        """Return the layer's value."""
        if self.bond is None:
            return self.call(x, wiring)
        with carrying(self.layer, self.bond(wiring.features()), wiring.edge_index):
            return self.call(x, wiring)

    def call(self, x: Tensor, wiring: Wiring) -> Tensor:
        """Call the layer."""
        y: Tensor = self.layer(x, wiring.edge_index)
        return y


class Initial(Foreign):
    """A layer that is told the first signal too, ``layer(x, start, edge_index)``, as GCNII's is.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from gcn.propagate import prepare
    >>> from gcn.zoo.wired import wired
    >>> pair = wired(prepare(torch.tensor([[0, 1], [1, 0]]), 2))
    >>> layer = Initial(geometric().GCN2Conv(3, alpha=1.0))          # of the first signal only
    >>> begun = replace(pair, start=torch.ones(2, 3))
    >>> torch.equal(layer(torch.zeros(2, 3), begun), layer(torch.ones(2, 3), pair))
    True
    """

    def call(self, x: Tensor, wiring: Wiring) -> Tensor:
        """Call the layer; the first one begins with what it is given."""
        start = x if wiring.start is None else wiring.start
        y: Tensor = self.layer(x, start, wiring.edge_index)
        return y


class Growing(Foreign):
    """A layer of all signals so far, side by side, as Snowball's is.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from gcn.propagate import prepare
    >>> from gcn.zoo.wired import wired
    >>> pair = wired(prepare(torch.tensor([[0, 1], [1, 0]]), 2))
    >>> layer = Growing(geometric().GCNConv(2 + 3, 4))
    >>> layer(torch.ones(2, 3), replace(pair, earlier=(torch.ones(2, 2),))).shape
    torch.Size([2, 4])
    """

    def call(self, x: Tensor, wiring: Wiring) -> Tensor:
        """Call the layer."""
        y: Tensor = self.layer(torch.cat((*wiring.earlier, x), dim=1), wiring.edge_index)
        return y


class Attributed(Foreign):
    """A layer that takes features of edges itself, ``layer(x, edge_index, edge_attr)``.

    Examples
    --------
    >>> from gcn.propagate import prepare
    >>> from gcn.zoo.wired import wired
    >>> pair = wired(prepare(torch.tensor([[0, 1], [1, 0]]), 2), torch.tensor([[2], [0]]))
    >>> gated = geometric().ResGatedGraphConv(4, 8, edge_dim=5)
    >>> layer = Attributed(gated, CategoryEncoder((3,), 5))
    >>> layer(torch.ones(2, 4), pair).shape
    torch.Size([2, 8])
    """

    def forward(self, x: Tensor, wiring: Wiring) -> Tensor:
        """Return the layer's value."""
        if self.bond is None:
            return self.call(x, wiring)
        y: Tensor = self.layer(x, wiring.edge_index, self.bond(wiring.features()))
        return y


class Pseudo(Foreign):
    r"""MoNet's layer: edges have coordinates, made of the degrees of their ends.

    .. math::  u_{ij} = \tanh\bigl(W (1 / \sqrt{d_i + 1}, \; 1 / \sqrt{d_j + 1})^T + b\bigr),

    as the benchmark has them.

    Examples
    --------
    >>> from gcn.propagate import prepare
    >>> from gcn.zoo.wired import wired
    >>> pair = wired(prepare(torch.tensor([[0, 1], [1, 0]]), 2))
    >>> layer = Pseudo(geometric().GMMConv(4, 8, dim=2, kernel_size=3), dim=2)
    >>> layer(torch.ones(2, 4), pair).shape
    torch.Size([2, 8])
    """

    def __init__(self, layer: nn.Module, dim: int, bond: CategoryEncoder | None = None) -> None:
        super().__init__(layer, bond)
        self.coordinates = nn.Linear(2, dim)

    def call(self, x: Tensor, wiring: Wiring) -> Tensor:
        """Call the layer."""
        scale = (wiring.degrees + 1).to(x.dtype).rsqrt()
        ends = scale[wiring.edge_index].flip(0).T
        y: Tensor = self.layer(x, wiring.edge_index, torch.tanh(self.coordinates(ends)))
        return y


class Predict(nn.Module):
    """A linear map, and then a walk if there is one: how APPNP and GPR predict and propagate.

    Examples
    --------
    >>> from gcn.propagate import prepare
    >>> from gcn.zoo.wired import wired
    >>> pair = wired(prepare(torch.tensor([[0, 1], [1, 0]]), 2))
    >>> layer = Predict(4, 3, walk=Foreign(geometric().APPNP(K=10, alpha=0.0)))
    >>> y = layer(torch.eye(2, 4), pair)                             # walks until both are the same
    >>> torch.allclose(y[0], y[1])
    True
    """

    def __init__(self, in_channels: int, out_channels: int, walk: nn.Module | None = None) -> None:
        super().__init__()
        self.linear = nn.Linear(in_channels, out_channels)
        self.walk = walk

    def forward(self, x: Tensor, wiring: Wiring) -> Tensor:
        """Return the layer's value."""
        y: Tensor = self.linear(x)
        return y if self.walk is None else self.walk(y, wiring)


@contextmanager
def carrying(layer: Any, e: Tensor, edge_index: Tensor) -> Iterator[None]:
    """Let the layer's messages carry e, one row for each edge."""
    if bool((edge_index[0] == edge_index[1]).any()):
        raise GraphError("a graph whose edges have features can't have loops: drop them")

    def hook(_: nn.Module, inputs: tuple[dict[str, Any]]) -> dict[str, Any]:
        arguments = inputs[0]
        x = arguments["x_j"]
        loops = x.shape[-2] - len(e)  # a layer lists the loops that it adds after the edges
        carried = torch.relu(x + nn.functional.pad(e, (0, 0, 0, loops)))
        return {**arguments, "x_j": carried}

    handle = layer.register_message_forward_pre_hook(hook)
    try:
        yield
    finally:
        handle.remove()
