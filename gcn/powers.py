r"""Sums over powers of A: what a layer computes, and its derivative, without a copy.

The map is

.. math::  (X, \Theta) \mapsto Y = \sum_{k=0}^{K} (A - s)^k X \Theta_k + \mathbf 1 b^T

(Equation 1, with channels; Algorithm 1). Hops are reused, and no power of A is formed. If Y is
narrower than X the sum is taken by Horner's rule, so that hops carry the narrower of both:
:math:`Y = X \Theta_0 + A (X \Theta_1 + A (X \Theta_2 + \cdots))`.

The derivative hops as often. With :math:`G_k = (A^T - s)^k G` for the gradient G of Y,

.. math::  \bar\Theta_k = X^T G_k, \qquad \bar X = \sum_k G_k \Theta_k^T, \qquad
           \bar b = G^T \mathbf 1,

which needs X and none of its hops: a layer keeps as much as a linear map does, where one that is
composed of hops keeps K + 1 times that. All sums are taken in place. If X is so much narrower than
Y that this pays, as in the first layer of a network, its hops are computed again instead:
:math:`\bar\Theta_k = (A^k X)^T G`, and :math:`\bar X` by Horner's rule.

Where torch has to look inside (second derivatives, edge weights that learn, autocast,
:func:`torch.compile`) the same sum is composed of differentiable steps instead.

>>> from gcn.propagate import prepare
>>> A = prepare(torch.tensor([[0, 1], [1, 0]]), 2)                      # A² = I
>>> theta = torch.tensor([1.0, 10.0, 100.0]).view(3, 1, 1)
>>> power_sum(torch.tensor([[1.0], [0.0]]), A, theta).T
tensor([[101.,  10.]])
"""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from gcn.kernels import Matrix, product
from gcn.propagate import Prepared

__all__ = ["composed", "differentiable", "is_plain", "power_sum", "pull_back", "push"]


def power_sum(
    x: Tensor, A: Prepared, theta: Tensor, bias: Tensor | None = None, shift: Tensor | None = None
) -> Tensor:
    """Return Σ (A - s)^k x Θ_k + b.

    Parameters
    ----------
    x : Tensor of shape (nodes, in)
    A : Prepared
    theta : Tensor of shape (K + 1, in, out)
    bias : Tensor of shape (out,), optional
    shift : Tensor of one number, optional
        The point s; no gradient flows to it.

    Examples
    --------
    >>> from gcn.propagate import prepare
    >>> A = prepare(torch.tensor([[0, 1], [1, 0]]), 2)
    >>> theta = torch.tensor([0.0, 0.0, 1.0]).view(3, 1, 1)
    >>> power_sum(torch.tensor([[1.0], [0.0]]), A, theta, shift=torch.tensor(1.0)).T
    tensor([[ 2., -2.]])
    """
    if not is_plain(x, A):
        return composed(x, A, theta, bias, shift)
    y: Tensor = _PowerSum.apply(x, theta, bias, shift, A)  # type: ignore[no-untyped-call]
    return y


def is_plain(x: Tensor, A: Prepared) -> bool:
    """Return whether torch need not look inside, so that the sum may have a derivative of its own.

    Examples
    --------
    >>> from gcn.propagate import prepare
    >>> is_plain(torch.ones(2, 1), prepare(torch.tensor([[0, 1], [1, 0]]), 2))
    True
    """
    return not (
        A.weight.requires_grad
        or torch.compiler.is_compiling()
        or torch.is_autocast_enabled(x.device.type)
    )


def composed(
    x: Tensor,
    A: Prepared,
    theta: Tensor,
    bias: Tensor | None = None,
    shift: Tensor | None = None,
) -> Tensor:
    """The sum as torch's own steps, each differentiable as often as one likes.

    Examples
    --------
    >>> from gcn.propagate import prepare
    >>> A = prepare(torch.tensor([[0, 1], [1, 0]]), 2)
    >>> composed(torch.tensor([[1.0], [0.0]]), A, torch.ones(2, 1, 1)).T
    tensor([[1., 1.]])
    """

    def hop(z: Tensor) -> Tensor:
        hopped = A.propagate(z)
        return hopped if shift is None else hopped - shift * z

    if theta.shape[2] < theta.shape[1]:
        y = x @ theta[-1]
        for k in range(len(theta) - 2, -1, -1):
            y = hop(y) + x @ theta[k]
    else:
        y = x @ theta[0]
        for coefficient in theta[1:]:
            x = hop(x)
            y = y + x @ coefficient
    return y if bias is None else y + bias


class _PowerSum(torch.autograd.Function):
    """The sum with its own derivative, in place throughout."""

    # With a setup_context of its own torch would look up this signature at every call, which takes
    # as long as a hop on a small batch.
    @staticmethod
    def forward(
        ctx: Any, x: Tensor, theta: Tensor, bias: Tensor | None, shift: Tensor | None, A: Prepared
    ) -> Tensor:
        ctx.save_for_backward(x, theta, bias, shift)
        ctx.A = A
        return push(x, A, theta, bias, shift)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        x, theta, bias, shift = ctx.saved_tensors
        A: Prepared = ctx.A
        (g,) = gradients
        wants_x, wants_theta, wants_bias = ctx.needs_input_grad[:3]
        if torch.is_grad_enabled():  # somebody will differentiate this again
            y = composed(x, A, theta, bias, shift)
            return *differentiable(y, (x, theta, bias), ctx.needs_input_grad, g), None, None
        of_x, of_theta = pull_back(x, A, theta, g, shift, wants_x, wants_theta)
        return of_x, of_theta, g.sum(0) if wants_bias else None, None, None


def differentiable(
    y: Tensor, inputs: Sequence[Tensor | None], wanted: Sequence[bool], g: Tensor
) -> list[Tensor | None]:
    """Return gradients that can be differentiated again, None where they are not wanted.

    Examples
    --------
    >>> x = torch.tensor([3.0], requires_grad=True)
    >>> (of_x,) = differentiable(x**3, [x], [True], torch.ones(1))
    >>> torch.autograd.grad(of_x, x)
    (tensor([18.]),)
    """
    chosen = [x for x, asked in zip(inputs, wanted, strict=False) if asked and x is not None]
    found = iter(torch.autograd.grad(y, chosen, g, create_graph=True))
    return [next(found) if asked else None for _, asked in zip(inputs, wanted, strict=False)]


def push(
    x: Tensor,
    A: Prepared,
    theta: Tensor,
    bias: Tensor | None = None,
    shift: Tensor | None = None,
) -> Tensor:
    """Return the sum in a tensor of its own, without a derivative, for those who know it.

    Examples
    --------
    >>> from gcn.propagate import prepare
    >>> push(torch.ones(2, 1), prepare(torch.tensor([[0, 1], [1, 0]]), 2), torch.ones(2, 1, 1)).T
    tensor([[2., 2.]])
    """
    rows = (A.rowptr, A.cols, A.weight)
    return _sum(x.detach(), theta.detach(), bias, shift, rows, A.kernel)


def pull_back(
    x: Tensor,
    A: Prepared,
    theta: Tensor,
    g: Tensor,
    shift: Tensor | None = None,
    wants_x: bool = True,
    wants_theta: bool = True,
    also: Tensor | None = None,
) -> tuple[Tensor | None, Tensor | None]:
    """Return the gradients of x and Θ, those that are wanted, for a gradient g of the sum.

    Parameters
    ----------
    also
        What reaches x by another way; it is added.

    Examples
    --------
    >>> from gcn.propagate import prepare
    >>> A = prepare(torch.tensor([[0, 1], [1, 0]]), 2)
    >>> x, theta = torch.tensor([[1.0], [2.0]]), torch.tensor([3.0, 4.0]).view(2, 1, 1)
    >>> of_x, of_theta = pull_back(x, A, theta, torch.tensor([[1.0], [0.0]]))
    >>> of_x.T, of_theta.flatten()
    (tensor([[3., 4.]]), tensor([1., 2.]))
    """
    columns = (A.colptr, A.rows, A.transposed_weight)
    of_theta = torch.empty_like(theta) if wants_theta else None
    of_x = None
    narrow, wide = theta.shape[1:]
    if narrow * (wants_x + wants_theta) < wide:  # hop X again rather than G
        if wants_x:
            of_x = _sum(g, theta.mT, None, shift, columns, A.kernel)
            of_x = of_x if also is None else of_x.add_(also)
        if of_theta is not None:
            for k in range(len(theta)):
                x = _hop(x, (A.rowptr, A.cols, A.weight), A.kernel, shift) if k else x
                torch.mm(x.T, g, out=of_theta[k])
        return of_x, of_theta
    if wants_x:
        back = theta[0].T
        of_x = torch.mm(g, back) if also is None else torch.addmm(also, g, back)
    for k in range(len(theta)):
        if k > 0:
            g = _hop(g.contiguous(), columns, A.kernel, shift)
            if of_x is not None:
                of_x.addmm_(g, theta[k].T)
        if of_theta is not None:
            torch.mm(x.T, g, out=of_theta[k])
    return of_x, of_theta


def _sum(
    x: Tensor,
    theta: Tensor,
    bias: Tensor | None,
    shift: Tensor | None,
    matrix: Matrix,
    kernel: str,
) -> Tensor:
    """Return Σ (A - s)^k x Θ_k + b; hops carry the narrower side."""
    if theta.shape[2] < theta.shape[1]:
        y = x @ theta[-1]
        for k in range(len(theta) - 2, -1, -1):
            y = _hop(y, matrix, kernel, shift).addmm_(x, theta[k])
        return y if bias is None else y.add_(bias)
    y = x @ theta[0] if bias is None else torch.addmm(bias, x, theta[0])
    for coefficient in theta[1:]:
        x = _hop(x, matrix, kernel, shift)
        y.addmm_(x, coefficient)
    return y


def _hop(x: Tensor, matrix: Matrix, kernel: str, shift: Tensor | None) -> Tensor:
    """Return (A - s) x, in a tensor of its own."""
    y = product(x, matrix, kernel)
    return y if shift is None else y.addcmul_(x, shift, value=-1)
