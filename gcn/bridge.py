r"""From a filter to a network: layers with the weights of a stack, and starts that are one.

The map is

.. math::  (q_1, \dots, q_L) \mapsto \text{net}, \qquad
           \text{net}(X, A) = q_L(A) \cdots q_1(A)\, X ,

from the factors of a :class:`~polyfilter.stack.SoGCStack` to a network that is their product on
every graph. Three ways lead over the bridge:

* :func:`network` makes a linear network of second-order layers;
* :func:`~gcn.start.initialise` writes the factors into a network that is there already, however
  wide, with ReLU, residual connections and batch normalization: training begins at the filter;
* :func:`~gcn.realisation.realise` makes networks of first order: two channels, vanilla with
  residual connections, and the GIN lift.

The way back, from a network to its filter, is :mod:`gcn.probe`.

Assumptions: the stack acts on the normalized adjacency of a graph.

>>> import polyfilter as pf
>>> stack = pf.factorize(pf.design.interpolate(pf.responses.band_pass, 16))
>>> net = network(stack)
>>> net
GraphNetwork(1, 1, 1, num_layers=8): 24 parameters
>>> x, path = torch.tensor([[1.0], [0.0], [2.0]]), torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
>>> truth = stack.apply(pf.Graph.from_edges([(0, 1), (1, 2)]), x.numpy())
>>> bool(abs(net(x, path).detach().numpy() - truth).max() < 1e-6)
True
"""

from functools import partial

import torch

from gcn.layers import SoGConv
from gcn.nets import GraphNetwork
from gcn.realisation import Realised, realise
from gcn.start import initialise
from polyfilter.errors import FilterError
from polyfilter.stack import SoGCStack

__all__ = ["Realised", "initialise", "network", "realise"]


def network(stack: SoGCStack, width: int = 1, dtype: torch.dtype = torch.float32) -> GraphNetwork:
    r"""Return the linear network of second-order layers that is a stack (Theorem 1).

    Its layers have :math:`\Theta_k = \theta_k I`, no bias, and nothing around them. They are
    written about their dips,

    .. math::  q(x) = a + b (x - s) + c (x - s)^2,

    with :math:`s` a float of the network's precision, so that a factor whose roots are close to
    the spectrum keeps its digits there. What that is worth is measured in ``docs/networks.md``.

    Parameters
    ----------
    stack : SoGCStack
        What :func:`polyfilter.stack.factorize` gives.
    width : int
        Channels; the filter acts on each.
    dtype : {torch.float32, torch.float64}
        Precision of the weights.

    Examples
    --------
    >>> from polyfilter import factorize
    >>> edge = torch.tensor([[0, 1], [1, 0]])
    >>> network(factorize([0, 1]), width=2)(torch.tensor([[1.0, 5.0], [2.0, 6.0]]), edge).tolist()
    [[2.0, 6.0], [1.0, 5.0]]
    """
    if not isinstance(stack, SoGCStack):
        raise FilterError(
            f"a network is made of a SoGCStack, not of a {type(stack).__name__}: factorize(...) "
            "gives one"
        )
    if dtype not in (torch.float32, torch.float64):
        raise FilterError(f"a stack becomes a network in float32 or float64, not in {dtype}")
    net = GraphNetwork(
        partial(SoGConv, bias=False, shift=0.0),  # a shift that `initialise` puts in its place
        width,
        width,
        width,
        num_layers=len(stack),
        embedding="none",
        batch_norm=False,
        residual=False,
    )
    return initialise(net.to(dtype), stack)
