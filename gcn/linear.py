r"""The polynomial that a linear network computes.

The map is

.. math::  \text{net} \mapsto (P, \beta), \qquad
           \text{net}(X, A)_{\cdot o} = \sum_i P_{io}(A)\, X_{\cdot i} + \beta_o(A)\, \mathbf 1,

from a network without activations to the polynomials between its channels, and those by which its
biases reach the output. The second part is no filter: it is there without a signal. Layers are
multiplied as matrix polynomials, in one of two ways:

* by their values at Chebyshev points, in float64, where the network itself is run on the matrix
  :math:`\operatorname{diag}(\lambda)` (:mod:`gcn.spectral`). No digit is lost at degree 512;
* with ``exact=True`` in rational numbers, weights being taken as the numbers that they are. Then
  roots can be counted and proven.

Assumptions: batch normalization is folded at its running statistics, with
:math:`\gamma / \sqrt{\sigma^2 + \varepsilon}` rounded to float64; dropout takes no part.

>>> from gcn.nets import SoGCN
>>> net = SoGCN(2, 8, 3, num_layers=4, bias=False, embedding="none", batch_norm=False)
>>> found = polynomial(net)
>>> found
NetworkPolynomial(degree 8, 2 channels to 3)
>>> found([0.0, 0.5]).shape
(2, 2, 3)
"""

from copy import deepcopy
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import flint
import numpy as np
import torch
from flint import fmpq, fmpq_poly
from numpy.polynomial import chebyshev
from numpy.typing import ArrayLike, NDArray
from scipy.fft import dct
from torch import Tensor, nn

from gcn.layers import BondConv, Convolution, GINConv, KOrderConv
from gcn.nets import GraphNetwork
from gcn.spectral import diagonal
from polyfilter.clenshaw import Real
from polyfilter.errors import FilterError
from polyfilter.polynomial import FilterPolynomial, as_filter, chebyshev_from_power, sample

__all__ = ["NetworkPolynomial", "polynomial"]

Exact = NDArray[np.object_]
"""A matrix of polynomials with rational coefficients."""


@dataclass(frozen=True, eq=False, repr=False)
class NetworkPolynomial:
    """The matrix polynomial of a linear network.

    Attributes
    ----------
    chebyshev : array (degree + 1, in, out)
        Chebyshev coefficients of P.
    offset : array (degree + 1, out)
        Chebyshev coefficients of β.
    operator : str
        Which A it is a polynomial in.
    exact : array (in + 1, out) of fmpq_poly, or None
        The rational polynomials P, and β in the last row, if they were asked for.
    """

    chebyshev: Real
    offset: Real
    operator: str
    exact: Exact | None = None

    @property
    def degree(self) -> int:
        """The largest degree that the layers can have together."""
        return len(self.chebyshev) - 1

    @property
    def offset_bound(self) -> float:
        """``max |β|`` over [-1, 1]: what biases add at a node is, in the mean square, no larger."""
        return max(
            float(np.abs(sample(column, 4 * len(column))[1]).max()) for column in self.offset.T
        )

    def __call__(self, lam: ArrayLike) -> Real:
        """Return P at eigenvalues, of shape (..., in, out)."""
        x = np.asarray(lam, dtype=np.float64)
        values = np.asarray(chebyshev.chebval(x, self.chebyshev), dtype=np.float64)
        return np.moveaxis(values, (0, 1), (-2, -1))  # from (in, out, ...)

    def filter(self, input: int = 0, output: int = 0) -> FilterPolynomial:
        """Return the filter from one channel to another.

        Examples
        --------
        >>> from gcn.layers import VanillaConv
        >>> layer = VanillaConv(1, 1, bias=False)
        >>> _ = layer.weight.data.fill_(0.5)
        >>> polynomial(layer, exact=True).filter().exact
        (Fraction(1, 2), Fraction(1, 2))
        """
        if self.exact is not None:
            return as_filter(_fractions(self.exact[input, output]))
        return as_filter(np.polynomial.Chebyshev(self.chebyshev[:, input, output]))

    def __repr__(self) -> str:
        _, inputs, outputs = self.chebyshev.shape
        words = f"degree {self.degree}, {inputs} channel{'s' * (inputs > 1)} to {outputs}"
        words += ", exact" if self.exact is not None else ""
        if self.offset.any():
            words += f", and an offset of up to {self.offset_bound:.3g}"
        return f"NetworkPolynomial({words})"


def polynomial(net: nn.Module, *, exact: bool = False) -> NetworkPolynomial:
    """Return the polynomial that a linear network computes (Equation 5).

    Parameters
    ----------
    net : GraphNetwork or Convolution
        Of our layers, without activation or GRU. An embedding and a head may be linear.
    exact : bool
        Multiply rational numbers: 16 layers of 16 channels take a second or two.

    Raises
    ------
    FilterError
        If the network is no polynomial in A; :func:`gcn.probe.response` measures all others.

    Examples
    --------
    >>> layer = KOrderConv(1, 1, K=3, bias=False)
    >>> _ = layer.weight.data.copy_(torch.tensor([2.0, 0.0, 3.0, 1.0])[:, None, None])
    >>> polynomial(layer).filter()
    FilterPolynomial(degree=3, max=6)
    """
    _check(net)
    twin: Any = deepcopy(net).double().cpu().eval().requires_grad_(False)
    operator: str = twin.operator
    if exact:
        return _exactly(twin, operator)
    count = sum(len(conv.matrix_polynomial()) - 1 for conv in _convolutions(twin)) + 1
    points = torch.from_numpy(chebyshev.chebpts1(count))
    x = torch.zeros(count, twin.in_channels, dtype=torch.float64, requires_grad=True)
    y: Tensor = twin(x, diagonal(points, operator))
    # a node of diag(λ) has no neighbours, so the slope of a sum is the slope of each
    slopes = [torch.autograd.grad(column.sum(), x, retain_graph=True)[0] for column in y.T]
    values = torch.stack(slopes, dim=2).numpy()
    return NetworkPolynomial(_series(values), _series(y.detach().numpy()), operator)


def _series(values: Real) -> Real:
    """Return the Chebyshev coefficients of values at the points of ``chebpts1``."""
    # those points ascend, and the transform wants them descending
    c: Real = dct(values[::-1], type=2, axis=0) / len(values)
    c[0] /= 2
    return c


# ------------------------------------------------------------------------------------ exactly


def _exactly(net: Any, operator: str) -> NetworkPolynomial:
    """Multiply in rational numbers; the last row is what biases add."""
    inputs = net.in_channels
    H = _constants(torch.cat((torch.eye(inputs), torch.zeros(1, inputs))))
    if isinstance(net, Convolution):
        H = _after_conv(H, net)
    else:
        H = _after_linear(H, net.embedding)
        for block in net.blocks:
            before, H = H, _after_conv(H, block.conv)
            if block.norm is not None:
                H = _after_norm(H, block.norm)
            if block.residual:
                H = H + before
        H = _after_linear(H, net.head)
    polynomials: list[fmpq_poly] = H.ravel().tolist()
    floats = np.zeros((max(0, *(p.degree() for p in polynomials)) + 1, *H.shape))
    for place, p in np.ndenumerate(H):
        c = chebyshev_from_power(_fractions(p))
        floats[: len(c), *place] = [float(value) for value in c]
    return NetworkPolynomial(floats[:, :-1], floats[:, -1], operator, H)


def _after_linear(H: Exact, module: nn.Linear | None) -> Exact:
    if module is None:
        return H
    return _shifted(H @ _constants(module.weight.T), module.bias)


def _after_conv(H: Exact, conv: Convolution) -> Exact:
    x = fmpq_poly([0, 1])
    if isinstance(conv, GINConv):  # 1 + ε times Θ would be rounded
        hop = _times(H, x + 1 + _rational(conv.epsilon.item()))
        return _shifted(hop @ _constants(conv.weight), conv.bias)
    theta = conv.matrix_polynomial()
    if isinstance(conv, KOrderConv) and conv.shift is not None:
        x, theta = x - _rational(conv.shift.item()), conv.weight
    total = H @ _constants(theta[0])
    for matrix in theta[1:]:
        H = _times(H, x)
        total = total + H @ _constants(matrix)
    return _shifted(total, conv.bias)


def _after_norm(H: Exact, norm: nn.BatchNorm1d) -> Exact:
    assert norm.running_mean is not None
    assert norm.running_var is not None
    scale = norm.weight / (norm.running_var + norm.eps).sqrt()
    centred = _shifted(H, -norm.running_mean)
    return _shifted(centred * _constants(scale[None]), norm.bias)


def _times(H: Exact, p: fmpq_poly) -> Exact:
    """Multiply each entry; numpy would take a polynomial for a list of coefficients."""
    product: Exact = np.frompyfunc(lambda entry: entry * p, 1, 1)(H)
    return product


def _shifted(H: Exact, bias: Tensor | None) -> Exact:
    if bias is None:
        return H
    return np.concatenate((H[:-1], H[-1:] + _constants(bias[None])))


def _constants(matrix: Tensor) -> Exact:
    """Return a matrix of constant polynomials."""
    found = np.empty(matrix.shape, dtype=object)
    for place, value in np.ndenumerate(matrix.numpy()):
        found[place] = fmpq_poly([_rational(float(value))])
    return found


def _rational(value: float) -> fmpq:
    return flint.fmpq(*value.as_integer_ratio())


def _fractions(p: fmpq_poly) -> list[Fraction]:
    return [Fraction(int(a.p), int(a.q)) for a in p.coeffs()] or [Fraction(0)]


# ------------------------------------------------------------------------------ what is refused


def _convolutions(net: nn.Module) -> list[Any]:
    return [net] if isinstance(net, Convolution) else [b.conv for b in net.blocks]  # type: ignore[union-attr]


def _check(net: nn.Module) -> None:
    """Raise if a network is no polynomial in A, with what to do instead."""
    if isinstance(net, GraphNetwork):
        reason = _nonlinear(net)
    elif isinstance(net, BondConv) or not isinstance(net, Convolution):
        reason = f"a {type(net).__name__} does not say which polynomial it is"
    else:
        reason = ""
    if reason:
        raise FilterError(f"{reason}: measure it on a graph with gcn.probe.response(net, graph)")


def _nonlinear(net: GraphNetwork) -> str:
    """Return why a network is no polynomial in A; nothing if it is one."""
    for number, block in enumerate(net.blocks, 1):
        if block.activation is not None:
            return f"layer {number} is followed by {type(block.activation).__name__}"
        if not isinstance(block.conv, Convolution) or isinstance(block.conv, BondConv):
            return f"layer {number}, {block.conv!r}, does not say which polynomial it is"
    if net.gru is not None:
        return "the layers are gated by a GRU"
    for name, module in (("embedding", net.embedding), ("head", net.head)):
        if module is not None and not isinstance(module, nn.Linear):
            return f"the {name} is a {type(module).__name__}"
    return "" if net.readout == "node" else "the network reads out graphs"
