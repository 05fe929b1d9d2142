r"""From a network to its filter: what it does to each frequency, and what of it is no filter.

The map is

.. math::  (f, G, x_0) \mapsto (h, \rho), \qquad
           h(\lambda) = \frac{\operatorname{tr}(E_\lambda J)}{\operatorname{tr} E_\lambda}, \quad
           \rho = \frac{\| J - \sum_\lambda h(\lambda) E_\lambda \|_F}{\| J \|_F} \in [0, 1],

with :math:`J = f'(x_0)` the network linearised at a signal, and :math:`E_\lambda` the projection
onto the eigenspace of :math:`\lambda` of the normalized adjacency. Among all filters
:math:`\sum_\lambda h(\lambda) E_\lambda` is nearest to :math:`J`; :math:`\rho` is the share that no
filter can have. It is zero for a linear network of our layers, to rounding, and not for ReLU, for
self-loops that change the degrees, or for anything that tells nodes apart.

:func:`response` takes any module that is called ``net(x, edge_index)``, ours or not. It works on a
copy in float64 and in evaluation mode: dropout takes no part, and batch normalization is folded at
its running statistics. Without a graph it gives the polynomial of a linear network
(:func:`~gcn.linear.polynomial`), which is its response on every graph.

Assumptions: the graph fits in memory as a dense matrix; a weighted one is handed on as
``edge_weight=...``.

>>> from gcn.nets import SoGCN
>>> from polyfilter.graphs import Graph
>>> ring = Graph.from_edges([(i, (i + 1) % 6) for i in range(6)])
>>> found = response(SoGCN(1, 8, 1, num_layers=3, bias=False), ring)
>>> found.eigenvalues, found.not_filter < 1e-14
(array([-1. , -0.5,  0.5,  1. ]), True)
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from torch import Tensor, nn

from gcn.linear import NetworkPolynomial, polynomial
from polyfilter.clenshaw import Real
from polyfilter.errors import FilterError
from polyfilter.graphs import Graph
from polyfilter.progress import bar
from polyfilter.spectrum import as_points, eigenbasis, eigenvalue_tolerance
from polyfilter.svg import line_plot

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["NetworkPolynomial", "Response", "polynomial", "response"]


@dataclass(frozen=True, eq=False, repr=False)
class Response:
    """What a network does to each frequency.

    Attributes
    ----------
    eigenvalues, values : array
        λ, ascending and distinct, and h(λ).
    multiplicities : array
        The dimension of each eigenspace; ones if there is no graph.
    not_filter : float
        The share ρ of the linearised network that is no filter, from 0 to 1.
    offset : float
        What the network adds whatever the signal, f(x₀) - J x₀: its root mean square over nodes,
        or without a graph a bound for that on every graph.
    input, output : int
        The channels that were probed.
    polynomial : NetworkPolynomial or None
        The network's polynomial, if no graph was given.
    """

    eigenvalues: Real
    values: Real
    multiplicities: NDArray[np.int64]
    not_filter: float
    offset: float
    input: int
    output: int
    polynomial: NetworkPolynomial | None = None

    def plot(self, ax: Axes | None = None, **options: Any) -> Axes:
        """Draw h over the eigenvalues; ``options`` are those of matplotlib's ``plot``."""
        if ax is None:
            from matplotlib.figure import Figure  # half a second: only for those who draw

            ax = Figure(layout="constrained").add_subplot()
        marker = "." if self.polynomial is None else ""
        ax.plot(self.eigenvalues, self.values, **{"marker": marker, **options})
        ax.set_xlabel("eigenvalue λ of A")
        ax.set_ylabel("h(λ)")
        return ax

    def __repr__(self) -> str:
        low, high = float(self.values.min()), float(self.values.max())
        where = f"{len(self.eigenvalues)} eigenvalues"
        if self.polynomial is not None:
            where = f"a polynomial of degree {self.polynomial.degree}"
        words = [where, f"h from {low:.3g} to {high:.3g}"]
        words += [f"{self.not_filter:.2g} of it no filter"] if self.polynomial is None else []
        words += [f"offset {self.offset:.2g}"] if self.offset else []
        words += [f"channel {self.input} to {self.output}"] if self.input or self.output else []
        return f"Response({', '.join(words)})"

    def _repr_html_(self) -> str:
        picture = line_plot({"h": (self.eigenvalues, self.values)}, "h(λ)")
        return f"<p>{escape(repr(self))}</p>{picture}"


def response(
    net: nn.Module,
    graph: Graph | None = None,
    signal: ArrayLike | Tensor | None = None,
    *,
    input: int = 0,
    output: int = 0,
    progress: bool | None = None,
) -> Response:
    """Return what a network does to each frequency, and the share of it that is no filter.

    Parameters
    ----------
    net : nn.Module
        Anything that is called ``net(x, edge_index)`` and returns a row for each node.
    graph : Graph, optional
        Where to measure. Without one, the network has to be linear and of our layers.
    signal : array (N,) or (N, channels), optional
        Where to linearise; zero by default. A network with ReLU and no biases has its kink there,
        where torch takes the slope for zero: give it a signal.
    input, output : int
        The channels to probe.
    progress : bool, optional
        Show a progress bar; by default on long work at a terminal.

    Examples
    --------
    >>> from gcn.layers import VanillaConv
    >>> layer = VanillaConv(1, 1, bias=False)
    >>> _ = layer.weight.data.fill_(0.5)
    >>> found = response(layer, Graph.from_edges([(0, 1), (1, 2)]))
    >>> found.values.round(12) + 0
    array([0. , 0.5, 1. ])
    >>> bool(found.not_filter < 1e-14)
    True
    """
    if graph is None:
        return _of_polynomial(polynomial(net), input, output)
    if not isinstance(graph, Graph):
        raise FilterError(f"a network is probed on a Graph, not on a {type(graph).__name__}")
    twin = deepcopy(net).double().eval().requires_grad_(False)
    x = _signal(net, graph, signal)
    if not 0 <= input < x.shape[1]:
        raise FilterError(f"there is no input channel {input}: the signal has {x.shape[1]}")
    J, offset = _jacobian(twin, graph, x, input, output, progress)
    lam, U = eigenbasis(graph)
    spectral = U.T @ J @ U
    starts = np.flatnonzero(np.append(True, np.diff(lam) > eigenvalue_tolerance(len(lam))))
    counts = np.diff(starts, append=len(lam))
    h = np.add.reduceat(np.diagonal(spectral), starts) / counts
    rest = float(np.linalg.norm(spectral - np.diag(np.repeat(h, counts))))
    share = min(1.0, rest / (float(np.linalg.norm(J)) or 1.0))
    values = np.add.reduceat(lam, starts) / counts
    return Response(values, h, counts, share, offset, input, output)


def _of_polynomial(found: NetworkPolynomial, input: int, output: int) -> Response:
    _, inputs, outputs = found.chebyshev.shape
    if not (0 <= input < inputs and 0 <= output < outputs):
        raise FilterError(
            f"there is no response from channel {input} to {output}: the network maps {inputs} "
            f"channels to {outputs}"
        )
    lam = as_points(size=8 * found.degree + 9)  # enough to draw every wiggle
    return Response(
        lam,
        found(lam)[:, input, output],
        np.ones(len(lam), dtype=np.int64),
        0.0,
        found.offset_bound,
        input,
        output,
        found,
    )


def _signal(net: nn.Module, graph: Graph, signal: ArrayLike | Tensor | None) -> Tensor:
    """Return where to linearise, as a float64 tensor of shape (N, channels)."""
    device = next((p.device for p in net.parameters()), torch.device("cpu"))
    n = graph.num_nodes
    if signal is None:
        channels = getattr(net, "in_channels", 1)
        channels = channels if isinstance(channels, int) and channels > 0 else 1
        return torch.zeros(n, channels, dtype=torch.float64, device=device)
    x = torch.as_tensor(signal, dtype=torch.float64, device=device).detach().clone()
    if x.dim() not in (1, 2) or len(x) != n:
        raise FilterError(
            f"a signal on {n} nodes has shape ({n},) or ({n}, channels), not {tuple(x.shape)}"
        )
    if not bool(torch.isfinite(x).all()):
        raise FilterError("the signal to linearise at has a value that is not finite")
    return x.reshape(n, -1)


def _jacobian(
    net: nn.Module, graph: Graph, x: Tensor, input: int, output: int, progress: bool | None
) -> tuple[Real, float]:
    """Return the slopes of an output channel by an input channel, and what is left at x = 0.

    Rows are found one by one: any module can be differentiated so, and many only so.
    """
    W = graph.adjacency.tocoo()
    edges = torch.from_numpy(np.stack((W.row, W.col)).astype(np.int64)).to(x.device)
    weights = {}
    if graph.is_weighted:
        weights["edge_weight"] = torch.from_numpy(W.data.astype(np.float64)).to(x.device)
    n = graph.num_nodes
    x.requires_grad_()
    y = net(x, edges, **weights)
    if not isinstance(y, Tensor) or y.dim() not in (1, 2) or len(y) != n:
        shape = tuple(y.shape) if isinstance(y, Tensor) else type(y).__name__
        raise FilterError(
            f"the network returned {shape} for {n} nodes; a filter has a row for each"
        )
    y = y.reshape(n, -1)
    if not 0 <= output < y.shape[1]:
        raise FilterError(f"there is no output channel {output}: the network gives {y.shape[1]}")
    column = y[:, output]
    J, linear = torch.zeros(n, n, dtype=torch.float64), torch.zeros(n, dtype=torch.float64)
    if column.requires_grad:
        with bar(n, "probing", progress) as update:
            for j in range(n):
                (slope,) = torch.autograd.grad(
                    column[j], x, retain_graph=True, allow_unused=True, materialize_grads=True
                )
                J[j], linear[j] = slope[:, input], (slope * x.detach()).sum()
                update(1)
    left = column.detach().double().cpu() - linear
    return J.numpy(), float(left.square().mean().sqrt())
