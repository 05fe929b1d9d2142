r"""Networks of first order that are a filter on given graphs, from the theory of their spaces.

The map is :math:`(\text{architecture}, h, S(A)) \mapsto \text{net}` with
:math:`\text{net}(x, A) = h(A)\, x` on every graph whose eigenvalues are in the spectrum. The
weights are those of :func:`polyfilter.spaces.realise`, put into our layers; what each
architecture can express, and why, is told in :mod:`polyfilter.architectures`:

================== ============================== =================================================
architecture       layer                          how
================== ============================== =================================================
first-order        ``FirstOrderConv``             two channels are a complex number, so that a layer
                                                  multiplies by :math:`x - r` for any :math:`r`
vanilla+residual   ``VanillaConv``, residual      the same with :math:`1 + w(x + 1)`
gin                ``GINConv``                    a lift :math:`t m + h` that has real roots only
sogc, k-order:K    ``SoGConv``, ``KOrderConv``    the roots themselves, dealt out to layers
================== ============================== =================================================

Assumptions: as there; one channel in, one out, an embedding and a readout around the layers.

>>> found = realise("first-order", [1, 0, 1], [-1.0, 0.0, 1.0])         # x² + 1 on a path of three
>>> found.network, found.error < 1e-14
(GraphNetwork(1, 2, 1, num_layers=2): 23 parameters, True)
>>> path = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
>>> found.network(torch.eye(3, dtype=torch.float64)[:, :1], path).T.detach().round(decimals=12)
tensor([[1.5000, 0.0000, 0.5000]], dtype=torch.float64)
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from gcn.layers import Convolution, FirstOrderConv, GINConv, KOrderConv, SoGConv, VanillaConv
from gcn.nets import GraphNetwork
from gcn.spectral import cosines, dense
from polyfilter import spaces
from polyfilter.ambient import Ambient, Element, SpectrumLike, ambient
from polyfilter.architectures import architecture as architecture_of
from polyfilter.architectures.base import FLOAT_BITS, Architecture
from polyfilter.architectures.products import Product
from polyfilter.architectures.residual import Residual
from polyfilter.errors import FilterError
from polyfilter.factor import grid

__all__ = ["Realised", "realise"]

MOST = 512
"""Eigenvalues that an error is measured on at once: the matrix is dense."""


@dataclass(frozen=True, eq=False, repr=False)
class Realised:
    """A network that is a filter, and how well.

    Attributes
    ----------
    network
        The network.
    realisation
        Where its weights come from, to as many bits as were asked for.
    error
        What the network's own precision makes of it: the largest deviation from the filter on a
        dense matrix with this spectrum, relative to the filter's largest value. The GIN lift is
        an exact filter in exact arithmetic, but its weights grow by two bits an eigenvalue: an
        error of one or more says that none of its digits are left.
    """

    network: GraphNetwork
    realisation: spaces.Realisation
    error: float

    def __repr__(self) -> str:
        found = self.realisation
        dtype = next(self.network.parameters()).dtype
        return (
            f"Realised({found.architecture}, depth {found.depth}, width {found.width}: "
            f"error {self.error:.0e} in {dtype})"
        )


def realise(
    architecture: str | Architecture,
    filter: Any,
    spectrum: SpectrumLike,
    *,
    depth: int | None = None,
    width: int | None = None,
    bits: int = FLOAT_BITS,
    dtype: torch.dtype = torch.float64,
) -> Realised:
    """Return a network of an architecture that is the filter on a spectrum.

    Parameters
    ----------
    architecture
        "first-order", "vanilla+residual", "gin", "sogc" or "k-order:K".
    filter
        A polynomial, or a function of λ that is interpolated on the eigenvalues.
    spectrum
        Graphs, or eigenvalues. (Γ as a number gives networks for all spectra, where there are.)
    depth
        The smallest that does, by default.
    width
        Channels; two by default where that spares a lift, else one.
    bits
        Of the weights before they are rounded to ``dtype``.
    dtype
        Precision of the network.

    Raises
    ------
    FilterError
        If there is no such network; the sentence says why.

    Examples
    --------
    >>> realise("gin", [1, 0, 1], [-1.0, 0.0, 1.0]).network
    GraphNetwork(1, 1, 1, num_layers=3): 10 parameters
    >>> realise("gin", [1, 0, 1], [-1.0, 0.0, 1.0], depth=2)
    Traceback (most recent call last):
    ...
    polyfilter.errors.FilterError: no gin network of depth 2 is this filter: the filter has degree \
2 and 1 pair of roots that are not real, of which a layer of order 1 holds 0; from depth \
⌈Γ/1⌉ = 3 on, t·m + h is the same filter and has real roots only.
    """
    kind = architecture_of(architecture)
    width = _default_width(kind) if width is None else width
    space = ambient(spectrum)
    h = space.element(filter)
    make = _layer(kind)
    found = spaces.realise(kind, h, space, depth=depth, width=width, bits=bits)
    if found.weights is None or found.depth is None:
        deep = "" if depth is None else f" of depth {depth}"
        raise FilterError(f"no {kind} network{deep} is this filter: {found.reason}")
    net = GraphNetwork(
        partial(make, bias=False),
        1,
        found.width,
        1,
        num_layers=found.depth,
        batch_norm=False,
        residual=isinstance(kind, Residual),
        head="linear",
    ).to(dtype)
    embed, *layers, readout = found.weights
    with torch.no_grad():
        for module, matrix in ((net.embedding, embed["embed"]), (net.head, readout["readout"])):
            assert isinstance(module, nn.Linear)
            module.weight.copy_(_tensor(matrix))
            module.bias.zero_()
        for number, (block, weights) in enumerate(zip(net.blocks, layers, strict=True), 1):
            _fill(block.conv, weights, number)
    return Realised(net, found, _error(net, space, h, dtype))


def _default_width(kind: Architecture) -> int:
    """Two where a complex number does what a real one can't."""
    odd = isinstance(kind, Product) and kind.mixing and kind.order % 2 == 1
    return 2 if odd or isinstance(kind, Residual) else 1


def _layer(kind: Architecture) -> Callable[..., Convolution]:
    """Return the layer of ours that is an architecture's."""
    if isinstance(kind, Residual):
        return VanillaConv
    if isinstance(kind, Product) and not kind.chebyshev:
        if not kind.mixing:
            return GINConv
        known = {1: FirstOrderConv, 2: SoGConv}
        return known.get(kind.order) or partial(KOrderConv, K=kind.order)
    raise FilterError(
        f"there is no network of {kind} layers here: choose first-order, vanilla+residual, gin, "
        "sogc or k-order:K"
    )


def _fill(conv: nn.Module, weights: dict[str, NDArray[Any]], number: int) -> None:
    """Put the weights of a layer in; theirs act from the left, ours from the right."""
    if isinstance(conv, KOrderConv):
        conv.weight.copy_(_tensor(weights["theta"]).transpose(1, 2))
    elif isinstance(conv, VanillaConv):
        conv.weight.copy_(_tensor(weights["W"]).T)
    elif isinstance(conv, GINConv):
        own, neighbours = (Fraction(value) for value in weights["theta"][:, 0, 0].tolist())
        if neighbours == 0:
            raise FilterError(
                f"layer {number} of this network is a number and no hop, which GIN's "
                "(1 + ε) X + A X can't be: ask for the smallest depth, or for first-order"
            )
        conv.weight.copy_(_tensor(weights["W"]).T * float(neighbours))
        conv.epsilon.fill_(float(own / neighbours - 1))


def _tensor(array: NDArray[Any]) -> Tensor:
    """Return numbers, fractions as well, in float64."""
    return torch.from_numpy(array.astype(np.float64))


def _error(net: GraphNetwork, space: Ambient, h: Element, dtype: torch.dtype) -> float:
    """Return how far a network is from a filter on a dense matrix with the spectrum."""
    points = grid(max(h.degree, 1)) if space.points is None else space.points
    if len(points) > MOST:
        points = points[np.linspace(0, len(points) - 1, MOST).round().astype(int)]
    C = cosines(len(points))
    A = dense(torch.from_numpy(C @ (points[:, None] * C.T)).to(dtype))
    x = torch.from_numpy(C.sum(axis=1, keepdims=True)).to(dtype)  # of every frequency, one
    with torch.no_grad():
        y = net(x, A)
    wanted = h(points)
    off = np.abs(C.T @ y[:, 0].double().numpy() - wanted).max()
    return float(off / (np.abs(wanted).max() or 1.0))
