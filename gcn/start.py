r"""A network that starts as a filter: training begins at the analytic floor and not at noise.

The map is :math:`(\text{net}, q_1, \dots, q_L) \mapsto \text{net}` with the factors of a stack
written into the network's layers, so that its output is :math:`q_L(A) \cdots q_1(A) X`.

A signal travels through a wide network in a few columns :math:`Z`, the signal itself or what a
recurrence needs to know (:mod:`gcn.routes`), for each channel that the network is given:

1. :math:`Z = H R` is the difference of two groups of carriers, :math:`R = (I, -I, 0)^T`. Without
   ReLU one group is enough, :math:`R = (I, 0)^T`.
2. A layer is to turn :math:`Z` into :math:`Q(A) Z`. It writes that to the first group and its
   negative to the second. ReLU leaves the positive and the negative part, and their difference is
   the new :math:`Z`.
3. With a residual connection it writes :math:`(Q(A) - 1) Z`, since :math:`Z` stays where it is.
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
from gcn.layers.base import check_features
from gcn.nets import GraphNetwork
from gcn.propagate import Prepared, as_prepared
from gcn.routes import Route, product, recurrence
from polyfilter.clenshaw import Real
from polyfilter.errors import FilterError
from polyfilter.stack import SoGCStack

__all__ = ["Data", "initialise"]

Net = TypeVar("Net", bound=GraphNetwork)
ROUTES = ("product", "recurrence")
OPERATORS = ("symmetric", "mean")
"""Those whose spectrum is in [-1, 1]."""


class Data(Protocol):
    """What a batch of data has: a ``Batch`` and a ``Collection`` of :mod:`gcn.data` do.

    Examples
    --------
    >>> from gcn.data.sgs import splits
    >>> graphs: Data = splits("band-pass", sizes=(3, 1, 1)).train
    >>> graphs.x.shape
    torch.Size([328, 1])
    """

    @property
    def x(self) -> Tensor:
        """Features."""

    @property
    def prepared(self) -> Prepared:
        """The graphs."""


Pair = tuple[Tensor, Tensor | Prepared]
"""Features and edges."""


def initialise(
    net: Net,
    stack: SoGCStack,
    batch: Data | Pair | None = None,
    generator: torch.Generator | None = None,
    *,
    route: str | None = None,
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
      layer errs by as much as means and deviations of the two differ. In the network of Table 2,
      calibrated by all training graphs, batches of 128 put the output 2 to 4 % off the filter
      (by the product it would be 10 % for the band-pass and 100 % for the other two).

    A start at the floor is soon left if steps are large: Adam's first one moves every weight by the
    learning rate, whatever its gradient. Begin with a small one. (Free channels of a network that
    is very deep and not normalized can outgrow float32, as in any network that starts at random.)

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
    route : {"product", "recurrence"}, optional
        How the signal travels (:mod:`gcn.routes`). By default it takes Chebyshev's recurrence if
        the network is wide enough, three channels for each of the signal's and six with ReLU, and
        else the product of the stack's layers. Both are the same filter; training bears the first
        one better.

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
    _check(net, stack, convs)
    if batch is None and _is_normed(net):
        raise FilterError(
            "this network normalizes by its batches, so where it starts depends on data: give "
            "initialise a batch"
        )
    signed = any(block.activation is not None for block in net.blocks)
    way = _route(net, stack, convs, signed, route)
    data = None if batch is None else _data(net, batch)
    channels, columns = net.in_channels, net.in_channels * way.columns
    enter, leave = _spread(way.enter[None], channels), _spread(way.leave[:, None], channels)
    carriers: list[Tensor] = []
    with torch.no_grad(), _evaluating(net):
        if generator is not None:
            _draw(net, generator)
        read = enter  # without embedding, the channels are the signal itself
        if isinstance(net.embedding, nn.Linear):
            read = _reading(net.hidden_channels, columns, signed)
            _put(net.embedding, (enter @ _reading(len(read), columns, False).T).T, read.any(dim=1))
        for block, conv, M, shift in zip(net.blocks, convs, way.layers, way.shifts, strict=True):
            width = conv.out_channels
            if conv is convs[-1] and net.head is None:
                write, following = leave, torch.eye(width, dtype=torch.float64)
            else:
                # without ReLU of its own, a layer has no use for the second group
                write = _reading(width, columns, block.activation is not None).T
                following = _reading(width, columns, signed)
            Q = torch.stack([_spread(matrix, channels) for matrix in M])
            if block.residual:
                Q[0] -= torch.eye(columns)
            carriers.append(following.any(dim=1))
            _write(conv, read @ Q @ write, float(shift), carriers[-1])
            read = following
        if isinstance(net.head, nn.Linear):
            _put(net.head, (read @ leave).T, torch.ones(channels, dtype=torch.bool))
        if data is not None:
            _calibrate(net, *data, carriers)
    return net


# -------------------------------------------------------------------------------- the carriers


def _route(
    net: GraphNetwork, stack: SoGCStack, convs: list[KOrderConv], signed: bool, name: str | None
) -> Route:
    """Return the route that was asked for, or the one that suits the network."""
    channels = net.in_channels * (2 if signed else 1)
    within = [conv.out_channels for conv in (convs[:-1] if net.head is None else convs)]
    within += [] if net.embedding is None else [net.hidden_channels]
    narrowest = min(within, default=channels)
    if name is None:
        name = "recurrence" if narrowest >= 3 * channels else "product"
    if name not in ROUTES:
        raise FilterError(f"there is no route {name!r}: choose from {', '.join(ROUTES)}")
    if name == "recurrence":
        way = recurrence(stack)
    else:
        way = product(
            stack,
            narrow=convs[0].weight.dtype == torch.float32,
            about_dips=all(conv.shift is not None for conv in convs),
        )
    if narrowest < channels * way.columns:
        twice = ", once for either sign" if signed else ""
        raise FilterError(
            f"the {name} needs {channels * way.columns} channels to carry a signal of "
            f"{net.in_channels}{twice}, but the network is {narrowest} wide: make it wider"
        )
    return way.extended(len(convs))


def _spread(matrix: Real, channels: int) -> Tensor:
    """Return a matrix that does to each channel what the given one does to one."""
    return torch.from_numpy(np.kron(matrix, np.eye(channels)))


def _reading(width: int, columns: int, signed: bool) -> Tensor:
    """Return R of shape (width, columns), with which Z is H R.

    >>> _reading(5, 2, signed=True).T.tolist()
    [[1.0, 0.0, -1.0, 0.0, 0.0], [0.0, 1.0, 0.0, -1.0, 0.0]]
    """
    R = torch.zeros(width, columns, dtype=torch.float64)
    R[:columns] = torch.eye(columns)
    if signed:
        R[columns : 2 * columns] -= torch.eye(columns)
    return R


def _put(module: nn.Linear, weight: Tensor, carriers: Tensor) -> None:
    """Write those rows of a linear map that give the carriers, without bias."""
    mask = carriers.to(module.weight.device)
    module.weight[mask] = weight.to(module.weight)[mask]
    if module.bias is not None:
        module.bias[mask] = 0


def _write(conv: KOrderConv, theta: Tensor, shift: float, carriers: Tensor) -> None:
    """Write those columns of a layer that give the carriers; powers beyond theta's are zero."""
    mask = carriers.to(conv.weight.device)
    full = torch.zeros_like(conv.weight)
    full[: len(theta)] = theta.to(full)
    conv.weight[:, :, mask] = full[:, :, mask]
    if conv.bias is not None:
        conv.bias[mask] = 0
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


def _is_normed(net: GraphNetwork) -> bool:
    return any(block.norm is not None for block in net.blocks)


def _data(net: GraphNetwork, batch: Data | Pair) -> tuple[Tensor, Prepared]:
    """Return features and graphs that the network can be called with."""
    x, edges = batch if isinstance(batch, tuple) else (batch.x, batch.prepared)
    if len(x) == 0:
        raise FilterError("the batch has no nodes, so there is nothing to calibrate by: give data")
    check_features(x, net.in_channels, next(net.parameters()), type(net).__name__)
    assert net.operator is not None
    A = as_prepared(x, edges, None, net.operator)
    A.check(x)
    return x, A


def _calibrate(net: GraphNetwork, x: Tensor, A: Prepared, carriers: list[Tensor]) -> None:
    """Let each normalization take the batch's statistics, and undo itself on the carriers."""
    h = net.embed(x)
    for block, mask in zip(net.blocks, carriers, strict=True):
        if block.norm is not None:
            _undo(block.norm, block.conv(h, A), mask.to(h.device))
        h = block(h, A)


def _undo(norm: nn.BatchNorm1d, y: Tensor, carriers: Tensor) -> None:
    assert norm.running_mean is not None
    assert norm.running_var is not None
    wide = y.double()
    norm.running_mean.copy_(wide.mean(0))
    norm.running_var.copy_(wide.var(0, correction=0))  # what training mode divides by
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


def _check(net: GraphNetwork, stack: SoGCStack, convs: list[KOrderConv]) -> None:
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
