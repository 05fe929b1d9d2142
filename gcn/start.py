r"""A network that starts as a filter: training begins at the analytic floor and not at noise.

The map is :math:`(\text{net}, q_1, \dots, q_L) \mapsto \text{net}` with the factors of a stack
written into the network's layers, so that its output is :math:`q_L(A) \cdots q_1(A) X`.

How the signal :math:`S`, of as many channels as the network is given, travels through a wide one:

1. It is the difference of two groups of carriers, :math:`S = H R` with
   :math:`R = (I, -I, 0)^T`. Without ReLU one group is enough, :math:`R = (I, 0)^T`.
2. A layer writes :math:`q(A) S` to the first group and its negative to the second. ReLU leaves the
   positive and the negative part, and their difference is the new signal.
3. With a residual connection it writes :math:`(q(A) - 1) S`, since :math:`S` stays where it is.
   After a ReLU carriers can only grow then, and rounding errors with them.
4. All other channels are free. They keep random weights for what they receive, and reach a carrier
   with weight zero: so the output is the filter, but the gradients of those zeros are not zero.

Assumptions: the stack acts on the network's A, which is the normalized adjacency; with the operator
``"mean"`` it is :math:`D^{-1} W`, of the same spectrum.

>>> import polyfilter as pf
>>> from gcn.nets import SoGCN
>>> stack = pf.factorize(pf.design.interpolate(pf.responses.band_pass, 16))
>>> net = initialise(SoGCN(batch_norm=False, activation="relu"), stack)
>>> x, path = torch.tensor([[1.0], [0.0], [2.0]]), torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
>>> truth = stack.apply(pf.Graph.from_edges([(0, 1), (1, 2)]), x.numpy())
>>> bool(abs(net(x, path).detach().numpy() - truth).max() < 1e-5)
True
"""

from collections.abc import Iterator
from contextlib import contextmanager
from math import sqrt
from typing import Protocol, TypeVar

import numpy as np
import torch
from torch import Tensor, nn

from gcn.layers import BondConv, Convolution, KOrderConv
from gcn.nets import Block, GraphNetwork
from gcn.propagate import Prepared, as_prepared
from polyfilter.clenshaw import Real
from polyfilter.errors import FilterError
from polyfilter.rounding import single
from polyfilter.squares import completed_squares
from polyfilter.stack import SoGCStack

__all__ = ["Data", "initialise"]

Net = TypeVar("Net", bound=GraphNetwork)
OPERATORS = ("symmetric", "mean")
"""Those whose spectrum is in [-1, 1]."""


class Data(Protocol):
    """What a batch of data has: a ``Batch`` and a ``Collection`` of :mod:`gcn.data` do."""

    @property
    def x(self) -> Tensor:
        """Features."""

    @property
    def prepared(self) -> Prepared:
        """The graphs."""


def initialise(
    net: Net,
    stack: SoGCStack,
    batch: Data | tuple[Tensor, Tensor | Prepared] | None = None,
    generator: torch.Generator | None = None,
) -> Net:
    """Write a stack into a network, in place: training then begins at the filter.

    The layers are of order two or more. There may be an embedding, a linear head, residual
    connections, biases, ReLU (after the last layer only if a head follows) and batch
    normalization. Layers that the stack does not need are the identity. In evaluation mode the
    network is the filter, to rounding. In training mode it is, but for two things:

    * Dropout drops what it drops.
    * Batch normalization takes its statistics from the batch at hand. It is calibrated by
      ``batch``: running statistics are that batch's, and scale and shift of the carriers undo the
      normalization, so that training mode is the filter on that batch too. On another one each
      layer errs by as much as the means and deviations of the two differ, about one over the root
      of the number of nodes, and the errors of all layers add up.

    Parameters
    ----------
    net : GraphNetwork
        A :class:`~gcn.nets.SoGCN` or :class:`~gcn.nets.KOrderGCN`, or any with such layers.
    stack : SoGCStack
        At most as many layers as the network has.
    batch : Batch, Collection or (x, edges), optional
        Data to calibrate batch normalization by, the more the better; needed if there is any.
    generator : torch.Generator, optional
        Draws the free weights anew; by default they stay as they are.

    Returns
    -------
    GraphNetwork
        ``net`` itself.

    Examples
    --------
    >>> from gcn.nets import SoGCN
    >>> from polyfilter import factorize
    >>> net = initialise(SoGCN(1, 4, 1, num_layers=3, batch_norm=False), factorize([0, 1]))
    >>> net(torch.tensor([[1.0], [2.0]]), torch.tensor([[0, 1], [1, 0]])).tolist()
    [[2.0], [1.0]]
    """
    convs = _convolutions(net)
    signed = any(block.activation is not None for block in net.blocks)
    _check(net, stack, convs, signed)
    if batch is None and any(block.norm is not None for block in net.blocks):
        raise FilterError(
            "this network normalizes by its batches, so where it starts depends on data: give "
            "initialise a batch"
        )
    channels = net.in_channels
    widths = [convs[0].in_channels, *(conv.out_channels for conv in convs)]
    # where a signal enters or leaves without embedding or head, the channels are the signal
    bare = [net.embedding is None, *[False] * (len(convs) - 1), net.head is None]
    reads = [
        _reading(width, channels, signed and not naked)
        for width, naked in zip(widths, bare, strict=True)
    ]
    with torch.no_grad(), _evaluating(net):
        if generator is not None:
            _draw(net, generator)
        if isinstance(net.embedding, nn.Linear):
            first = _carriers(reads[0])
            net.embedding.weight[first] = torch.eye(int(first.sum()), channels).to(
                net.embedding.weight
            )
            _clear(net.embedding.bias, first)
        for block, conv, factor, read, following in zip(
            net.blocks, convs, _factors(stack, convs), reads, reads[1:], strict=False
        ):
            _write(block, conv, *factor, read, following)
        if isinstance(net.head, nn.Linear):
            net.head.weight.copy_(reads[-1].T)
            _clear(net.head.bias, torch.ones(channels, dtype=torch.bool))
        if batch is not None:
            _calibrate(net, batch, reads[1:])
    return net


# --------------------------------------------------------------------------------- the factors


def _factors(stack: SoGCStack, convs: list[KOrderConv]) -> list[tuple[float, Real]]:
    """Return for each layer the point that its polynomial is written about, and the polynomial."""
    theta = stack.theta.astype(np.float64)
    narrow = convs[0].weight.dtype == torch.float32
    if all(conv.shift is None for conv in convs):
        if narrow:
            theta = stack.astype(np.float32).theta.astype(np.float64)
        shifts = np.zeros(len(theta))
    else:
        shifts, theta = _about_dips(theta, np.float32 if narrow else np.float64)
    if narrow:
        single(theta)  # which says so if a layer is too large or too small
    idle = [(0.0, np.array([1.0, 0.0, 0.0]))] * (len(convs) - len(theta))
    return [*zip(shifts.tolist(), theta, strict=True), *idle]


def _about_dips(theta: Real, kind: type[np.floating]) -> tuple[Real, Real]:
    """Write factors as a + b (x - s) + c (x - s)², s the nearest float to the dip of each.

    >>> s, rows = _about_dips(np.array([[0.5, -1.0, 1.0], [3.0, 1.0, 0.0]]), np.float32)
    >>> s.tolist(), rows.tolist()
    ([0.5, 0.0], [[0.25, 0.0, 1.0], [3.0, 1.0, 0.0]])
    """
    c, dip, height = completed_squares(theta).T
    alone = np.isnan(c)  # nothing to gain: such a layer stays in powers
    s = np.where(alone, 0.0, dip).astype(kind).astype(np.float64)
    d = dip - s
    rows = np.stack([c * (d * d + height), -2 * c * d + 0.0, c], axis=1)
    return s, np.where(alone[:, None], theta, rows)


# -------------------------------------------------------------------------------- the carriers


def _reading(width: int, channels: int, signed: bool) -> Tensor:
    """Return R of shape (width, channels), with which the signal is H R.

    >>> _reading(5, 2, signed=True).T.tolist()
    [[1.0, 0.0, -1.0, 0.0, 0.0], [0.0, 1.0, 0.0, -1.0, 0.0]]
    """
    R = torch.zeros(width, channels, dtype=torch.float64)
    R[:channels] = torch.eye(channels)
    if signed:
        R[channels : 2 * channels] -= torch.eye(channels)
    return R


def _carriers(read: Tensor) -> Tensor:
    """Return which channels are carriers, as a mask."""
    return read.any(dim=1)


def _clear(bias: Tensor | None, carriers: Tensor) -> None:
    if bias is not None:
        bias[carriers.to(bias.device)] = 0


def _write(
    block: Block, conv: KOrderConv, shift: float, row: Real, read: Tensor, following: Tensor
) -> None:
    """Make a layer carry q(A) S, or with a residual connection what S lacks of it."""
    both = block.activation is not None  # ReLU: one group for each sign
    write = following.T if both else torch.eye(*following.T.shape, dtype=torch.float64)
    route = read @ write
    theta = torch.zeros(conv.weight.shape, dtype=torch.float64)
    theta[: len(row)] = torch.from_numpy(row)[:, None, None] * route
    if block.residual:
        theta[0] -= route
    carriers = _carriers(following).to(conv.weight.device)
    conv.weight[:, :, carriers] = theta.to(conv.weight)[:, :, carriers]
    _clear(conv.bias, carriers)
    if conv.shift is not None:
        conv.shift.fill_(shift)


def _draw(net: GraphNetwork, generator: torch.Generator) -> None:
    """Draw weights and biases uniformly from ±1/√in, as all layers here do."""
    for module in net.modules():
        if isinstance(module, nn.Linear | Convolution):
            width = module.in_features if isinstance(module, nn.Linear) else module.in_channels
            for parameter in module.parameters(recurse=False):
                drawn = torch.rand(parameter.shape, generator=generator, device=generator.device)
                parameter.copy_((2 * drawn - 1) / sqrt(width))


# -------------------------------------------------------------------------- batch normalization


def _calibrate(
    net: GraphNetwork, batch: Data | tuple[Tensor, Tensor | Prepared], reads: list[Tensor]
) -> None:
    """Let each normalization take the batch's statistics, and undo itself on the carriers."""
    x, edges = batch if isinstance(batch, tuple) else (batch.x, batch.prepared)
    if len(x) == 0:
        raise FilterError("the batch has no nodes, so there is nothing to calibrate by: give data")
    assert net.operator is not None
    h = net.embed(x)
    A = as_prepared(h, edges, None, net.operator)
    for block, read in zip(net.blocks, reads, strict=True):
        if block.norm is not None:
            _undo(block.norm, block.conv(h, A), _carriers(read))
        h = block(h, A)


def _undo(norm: nn.BatchNorm1d, y: Tensor, carriers: Tensor) -> None:
    assert norm.running_mean is not None
    assert norm.running_var is not None
    wide = y.double()
    norm.running_mean.copy_(wide.mean(0))
    norm.running_var.copy_(wide.var(0, correction=0))  # what training mode divides by
    carriers = carriers.to(y.device)
    scale = (norm.running_var.double() + norm.eps).sqrt()
    norm.weight[carriers] = scale.to(norm.weight)[carriers]
    norm.bias[carriers] = norm.running_mean[carriers].to(norm.bias)


@contextmanager
def _evaluating(net: nn.Module) -> Iterator[None]:
    """Put a network into evaluation mode, and each of its modules back."""
    modes = [(module, module.training) for module in net.modules()]
    net.eval()
    try:
        yield
    finally:
        for module, mode in modes:
            module.training = mode


# ------------------------------------------------------------------------------ what is refused


def _convolutions(net: GraphNetwork) -> list[KOrderConv]:
    """Return the layers, all of order two or more."""
    if not isinstance(net, GraphNetwork):
        raise FilterError(f"a {type(net).__name__} can't start as a stack: give a SoGCN")
    convs: list[KOrderConv] = []
    for number, block in enumerate(net.blocks, 1):
        conv = block.conv
        if not isinstance(conv, KOrderConv) or isinstance(conv, BondConv) or conv.K < 2:
            raise FilterError(
                f"layer {number} is {conv!r}, which is no polynomial of order two or more in A: "
                "stacks start a SoGCN, or a KOrderGCN with K of at least 2"
            )
        convs.append(conv)
    return convs


def _check(net: GraphNetwork, stack: SoGCStack, convs: list[KOrderConv], signed: bool) -> None:
    """Raise, in one sentence, if the network can't be the filter."""
    if not isinstance(stack, SoGCStack):
        raise FilterError(
            f"a network starts as a SoGCStack, not as a {type(stack).__name__}: factorize(...) "
            "gives one"
        )
    if len(convs) < len(stack):
        raise FilterError(
            f"the stack has {len(stack)} layers, but the network only {len(convs)}: make it deeper "
            "or design a filter of lower degree"
        )
    if net.in_channels != net.out_channels:
        raise FilterError(
            f"a filter keeps its channels, but the network maps {net.in_channels} to "
            f"{net.out_channels}: make them equal"
        )
    if net.operator not in OPERATORS:
        raise FilterError(
            f"the network propagates by the {net.operator!r} operator, whose spectrum leaves "
            "[-1, 1], where the stack is a filter: use 'symmetric'"
        )
    _check_around(net)
    need = net.in_channels * (2 if signed else 1)
    for conv in convs[:-1] if net.head is None else convs:
        if conv.out_channels < need:
            why = ", their positive and their negative parts" if signed else ""
            raise FilterError(
                f"{net.in_channels} channels{why} need {need} carriers, but the network is "
                f"{conv.out_channels} wide: set hidden_channels to {need} or more"
            )


def _check_around(net: GraphNetwork) -> None:
    """Raise if anything around the layers can't let a signal pass."""
    blocks = list(net.blocks)
    modules = [("embedding", net.embedding), ("head", net.head)]
    for name, module in modules:
        if module is not None and not isinstance(module, nn.Linear):
            raise FilterError(
                f"the network's {name} is a {type(module).__name__}, through which no signal "
                "passes unchanged: it has to be linear, or none"
            )
    if net.gru is not None:
        raise FilterError("a GRU between layers lets no signal pass unchanged: set gru=False")
    if net.readout != "node":
        raise FilterError(
            f"a filter has a value at each node, but the network reads out the {net.readout} over "
            'graphs: set readout="node"'
        )
    for block in blocks:
        if block.activation is not None and not isinstance(block.activation, nn.ReLU):
            raise FilterError(
                f"a signal passes through ReLU as two parts, but not through "
                f'{type(block.activation).__name__}: set activation="relu" or None'
            )
        if block.norm is not None and not (
            isinstance(block.norm, nn.BatchNorm1d)
            and block.norm.affine
            and block.norm.track_running_stats
        ):
            raise FilterError(
                f"{block.norm!r} can't be undone: use batch normalization with its own scale, "
                "shift and running statistics"
            )
    if blocks[-1].activation is not None and net.head is None:
        raise FilterError(
            "the network's last layer is activated, so that its output is never negative: set "
            "activate_last=False"
        )
