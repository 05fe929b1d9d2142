r"""A layer and the batch normalization behind it, as one step with one derivative.

The map is, for the :math:`N` rows of a batch,

.. math::  (X, \Theta, \gamma, \beta) \mapsto Y = \gamma \odot \frac{H - \mu}{\sigma} + \beta
           \; [\, + X \,], \qquad H = \sum_k (A - s)^k X \Theta_k + \mathbf 1 b^T,

with the mean :math:`\mu` and the deviation :math:`\sigma` of each column of :math:`H`. For a
gradient G of Y, and with :math:`\hat H = (H - \mu) / \sigma`,

.. math::  \bar\beta = G^T \mathbf 1, \qquad \bar\gamma = (G \odot \hat H)^T \mathbf 1, \qquad
           \bar H = \frac{\gamma}{\sigma} \odot
           \Bigl(G - \frac{\bar\beta}{N} - \hat H \odot \frac{\bar\gamma}{N}\Bigr),

and :mod:`gcn.powers` takes :math:`\bar H` to X and :math:`\Theta`. Against one step after the other
this saves passes over memory, which on narrow networks cost more than the hops: the bias is never
added, since :math:`\mu` takes it away again (its gradient is zero, not nearly zero), and the
residual connection is added in passing, forward and backward.

That is in training, where mean and deviation are the batch's. In a network that answers they are
fixed, and the whole is a sum over powers of A again (:func:`folded`):

.. math::  \Theta_k' = \Theta_k \operatorname{diag}(\gamma / \sigma) \; [\, + I, \; k = 0 \,],
           \qquad b' = \beta + \frac{\gamma}{\sigma} \odot (b - \mu) .

Assumptions: in training at least two rows, in one process.

>>> from gcn.propagate import prepare
>>> A, norm = prepare(torch.tensor([[0, 1], [1, 0]]), 2), BatchNorm(1)
>>> theta = torch.tensor([1.0, 3.0]).view(2, 1, 1)
>>> normed_power_sum(torch.tensor([[1.0], [0.0]]), A, theta, norm).detach().round(decimals=3).T
tensor([[-1.,  1.]])
"""

from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from gcn.norm import BatchNorm
from gcn.powers import composed, differentiable, is_plain, pull_back, push
from gcn.propagate import Prepared

__all__ = ["fits", "folded", "normed_power_sum"]


def fits(x: Tensor, A: Prepared, norm: BatchNorm) -> bool:
    """Return whether both steps can be taken as one.

    Examples
    --------
    >>> from gcn.propagate import prepare
    >>> A, x = prepare(torch.tensor([[0, 1], [1, 0]]), 2), torch.ones(2, 1)
    >>> fits(x, A, BatchNorm(1)), fits(x, A, BatchNorm(1).eval())
    (True, False)
    """
    return (
        norm.training
        and norm.affine
        and not norm.across
        and len(x) > 1
        and x.dtype in (torch.float32, torch.float64)
        and is_plain(x, A)
    )


def normed_power_sum(
    x: Tensor,
    A: Prepared,
    theta: Tensor,
    norm: BatchNorm,
    bias: Tensor | None = None,
    shift: Tensor | None = None,
    residual: bool = False,
) -> Tensor:
    """Return the normalized sum, and update the running statistics.

    Parameters
    ----------
    x, A, theta, bias, shift
        As in :func:`gcn.powers.power_sum`.
    norm : BatchNorm
        Scale, offset and running statistics.
    residual : bool
        Whether x is added; it is as wide as the result then.

    Examples
    --------
    >>> from gcn.propagate import prepare
    >>> A, norm = prepare(torch.tensor([[0, 1], [1, 0]]), 2), BatchNorm(1)
    >>> y = normed_power_sum(torch.ones(2, 1), A, torch.ones(2, 1, 1), norm, residual=True)
    >>> y.detach().T, norm.running_mean
    (tensor([[1., 1.]]), tensor([0.2000]))
    """
    y: Tensor
    y, mean, variance = _Normed.apply(  # type: ignore[no-untyped-call]
        x, theta, norm.weight, norm.bias, bias, shift, A, norm.eps, residual
    )
    if norm.track_running_stats:
        norm.track(mean if bias is None else mean + bias.detach(), variance, len(x))
    return y


def folded(
    theta: Tensor, bias: Tensor | None, norm: BatchNorm, residual: bool = False
) -> tuple[Tensor, Tensor]:
    """Return Θ' and b' of a layer with the normalization of a network that answers.

    Examples
    --------
    >>> norm = BatchNorm(1, eps=0.0).eval()
    >>> norm.running_mean.fill_(2.0), norm.running_var.fill_(4.0)
    (tensor([2.]), tensor([4.]))
    >>> theta, bias = folded(torch.ones(2, 1, 1), None, norm, residual=True)
    >>> theta.flatten().tolist(), bias.tolist()
    ([1.5, 0.5], [-1.0])
    """
    assert norm.running_mean is not None
    assert norm.running_var is not None
    scale = norm.weight * torch.rsqrt(norm.running_var + norm.eps)
    mean = norm.running_mean if bias is None else norm.running_mean - bias
    theta = theta * scale
    if residual:
        first = theta[0] + torch.eye(len(scale), dtype=theta.dtype, device=theta.device)
        theta = torch.cat((first[None], theta[1:]))
    return theta, norm.bias - mean * scale


class _Normed(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        x: Tensor,
        theta: Tensor,
        gamma: Tensor,
        beta: Tensor,
        bias: Tensor | None,
        shift: Tensor | None,
        A: Prepared,
        eps: float,
        residual: bool,
    ) -> tuple[Tensor, Tensor, Tensor]:
        centred = push(x, A, theta, None, shift)
        mean = centred.sum(0).div_(len(x))
        centred.sub_(mean)  # before squares are taken, so that nothing cancels
        variance = centred.square().sum(0).div_(len(x))
        rate = torch.rsqrt(variance + eps)
        ctx.save_for_backward(x, theta, gamma, beta, bias, shift, centred, rate)
        ctx.A, ctx.eps, ctx.residual = A, eps, residual
        ctx.mark_non_differentiable(mean, variance)
        scale = gamma * rate
        if residual:
            return torch.addcmul(x, centred, scale).add_(beta), mean, variance
        return torch.addcmul(beta, centred, scale), mean, variance

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        g = gradients[0]
        x, theta, gamma, beta, bias, shift, centred, rate = ctx.saved_tensors
        A: Prepared = ctx.A
        wants_x, wants_theta, _, _, wants_bias = ctx.needs_input_grad[:5]
        if torch.is_grad_enabled():  # somebody will differentiate this again
            y = functional.batch_norm(
                composed(x, A, theta, None, shift), None, None, gamma, beta, True, 0.0, ctx.eps
            )
            y = y + x if ctx.residual else y
            of_x, of_theta, of_gamma, of_beta = differentiable(
                y, (x, theta, gamma, beta), ctx.needs_input_grad, g
            )
        else:
            of_beta = g.sum(0)
            along = (g * centred).sum(0)
            scale = gamma * rate
            of_gamma = along * rate
            of_sum = torch.mul(g, scale)
            of_sum.addcmul_(centred, along.mul_(scale).mul_(rate.square()).div_(-len(x)))
            of_sum.sub_(of_beta * scale / len(x))
            also = g if ctx.residual else None
            of_x, of_theta = pull_back(x, A, theta, of_sum, shift, wants_x, wants_theta, also)
        of_bias = torch.zeros_like(bias) if wants_bias else None
        return of_x, of_theta, of_gamma, of_beta, of_bias, None, None, None, None
