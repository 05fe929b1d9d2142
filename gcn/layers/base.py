r"""What all layers share: how they are called, how they begin, and what they say they compute.

A layer without its activation is a matrix polynomial in A (Equation 1, with channels),

.. math::  x \mapsto \sum_{k=0}^{K} A^k x \Theta_k + \mathbf 1 b^T ,

with matrices :math:`\Theta_k` of shape (in, out). :meth:`Convolution.matrix_polynomial` gives them.

>>> from gcn.layers import SoGConv
>>> layer = SoGConv(4, 8)
>>> path = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
>>> layer(torch.ones(3, 4), path).shape, layer.matrix_polynomial().shape
(torch.Size([3, 8]), torch.Size([3, 4, 8]))
"""

import math
from abc import ABC, abstractmethod
from operator import index

import torch
from torch import Tensor, nn

from gcn.propagate import Prepared, as_prepared
from polyfilter.errors import GraphError

__all__ = ["Convolution", "check_features"]


class Convolution(nn.Module, ABC):
    """A layer that is a matrix polynomial in A.

    Parameters
    ----------
    in_channels, out_channels : int
        Widths.
    bias : bool
        Whether a vector is added to every node.
    operator : {"symmetric", "mean", "sum"}
        Which A, as in :func:`gcn.propagate.prepare`.

    Shapes
    ------
    x : (nodes, in_channels)
    edges : a prepared batch, or (2, edges) with ``edge_weight`` (edges,)
    output : (nodes, out_channels)

    Examples
    --------
    >>> from gcn.layers import GINConv, SoGConv
    >>> issubclass(SoGConv, Convolution), issubclass(GINConv, Convolution)
    (True, True)
    >>> SoGConv(3, 5).matrix_polynomial().shape
    torch.Size([3, 3, 5])
    """

    bias: nn.Parameter | None
    weight: nn.Parameter

    def __init__(
        self, in_channels: int, out_channels: int, *, bias: bool = True, operator: str = "symmetric"
    ) -> None:
        super().__init__()
        self.in_channels = _positive(in_channels, "in_channels")
        self.out_channels = _positive(out_channels, "out_channels")
        self.operator = operator
        if bias:
            self.bias = nn.Parameter(torch.empty(out_channels))
        else:
            self.register_parameter("bias", None)

    def reset_parameters(self) -> None:
        """Draw all weights uniformly from ±1/√in, as :class:`torch.nn.Linear` does."""
        bound = 1 / math.sqrt(self.in_channels)
        for parameter in self.parameters(recurse=False):
            nn.init.uniform_(parameter, -bound, bound)

    def forward(
        self, x: Tensor, edges: Tensor | Prepared, edge_weight: Tensor | None = None
    ) -> Tensor:
        """Return the layer's value, from edges or from a prepared batch."""
        A = as_prepared(x, edges, edge_weight, self.operator)
        self.check(x, A)
        return self.evaluate(x, A)

    def check(self, x: Tensor, A: Prepared) -> None:
        """Raise if the layer has no value on a prepared batch."""
        A.check(x)
        check_features(x, self.in_channels, self.weight, type(self).__name__)

    @abstractmethod
    def evaluate(self, x: Tensor, A: Prepared) -> Tensor:
        """Return the layer's value on a prepared batch, unchecked."""

    @abstractmethod
    def matrix_polynomial(self) -> Tensor:
        """Return the coefficients Θ_0, ..., Θ_K, of shape (K + 1, in, out)."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.in_channels}, {self.out_channels}{self.extra_repr()})"


def _positive(value: int, name: str) -> int:
    number = index(value)
    if number < 1:
        raise GraphError(f"{name} is {number}: a layer has at least one channel on either side")
    return number


def check_features(x: Tensor, channels: int, weight: Tensor, who: str) -> None:
    """Raise if x is not as wide as it should be, or does not fit the weights.

    Examples
    --------
    >>> check_features(torch.ones(3, 2), 4, torch.ones(4, 4), "this layer")
    Traceback (most recent call last):
    ...
    polyfilter.errors.GraphError: x has shape (3, 2), but this layer takes (nodes, 4)
    """
    if x.dim() != 2 or x.shape[1] != channels:
        raise GraphError(f"x has shape {tuple(x.shape)}, but {who} takes (nodes, {channels})")
    if x.device != weight.device:
        raise GraphError(f"x is on {x.device} and {who} on {weight.device}: move one with .to(...)")
    if x.dtype != weight.dtype and not torch.is_autocast_enabled(x.device.type):
        raise GraphError(
            f"x is {x.dtype} and {who} {weight.dtype}: convert x with .to({weight.dtype})"
        )
