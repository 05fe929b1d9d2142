r"""Batch normalization whose batch may be spread over processes.

The map is, for the rows :math:`x_1, \dots, x_N` of all processes together,

.. math::  y_i = \gamma \frac{x_i - \mu}{\sqrt{\sigma^2 + \varepsilon}} + \beta, \qquad
           \mu = \frac1N \sum_i x_i, \quad \sigma^2 = \frac1N \sum_i (x_i - \mu)^2 .

:class:`BatchNorm` is :class:`torch.nn.BatchNorm1d` with the same parameters and the same state, and
computes exactly what that computes, until :func:`shared` says that a batch is spread over the
processes of the default group. Then each process sends its number of rows :math:`n`, their mean
:math:`m` and their sum of squares about it :math:`M`, and (Chan, Golub and LeVeque, 1983)

.. math::  N \sigma^2 = \sum_r M_r + n_r (m_r - \mu)^2,

in which nothing cancels. The gradient needs two sums over all rows, so one message each way.
(torch's own SyncBatchNorm does this on CUDA only.)

Assumptions: inside :func:`shared` every process calls the same layers in the same order. A process
may have no rows.

>>> norm = BatchNorm(2)
>>> norm(torch.tensor([[1.0, 0.0], [3.0, 0.0]])).detach().round(decimals=3).tolist()
[[-1.0, 0.0], [1.0, 0.0]]
>>> list(norm.state_dict()) == list(torch.nn.BatchNorm1d(2).state_dict())
True
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, distributed
from torch.autograd.function import once_differentiable

from polyfilter.errors import GraphError

__all__ = ["BatchNorm", "shared"]


class BatchNorm(torch.nn.BatchNorm1d):
    r""":class:`torch.nn.BatchNorm1d`, over the rows of all processes inside :func:`shared`.

    Shapes
    ------
    input, output : (rows, channels)

    Examples
    --------
    >>> norm = BatchNorm(16)
    >>> with shared(norm):
    ...     norm.across
    True
    >>> norm.across
    False
    """

    across = False
    """Whether statistics are summed over processes: a switch of :func:`shared`, never saved."""

    def forward(self, input: Tensor) -> Tensor:
        """Normalize each channel, and in training update the running statistics."""
        if not (self.across and self.training):
            return super().forward(input)
        if input.dim() != 2:
            raise GraphError(
                f"batch normalization over processes takes rows by channels, but got "
                f"{input.dim()} dimensions; reshape the features"
            )
        wide = input.to(torch.promote_types(input.dtype, torch.float32))
        unit: Tensor
        unit, mean, variance, rows = _Standardize.apply(wide, self.eps)  # type: ignore[no-untyped-call]
        if self.running_mean is not None:
            self.track(mean, variance, rows)
        if self.weight is not None:
            unit = unit * self.weight + self.bias
        return unit.to(input.dtype)

    @torch.no_grad()
    def track(self, mean: Tensor, variance: Tensor, rows: int) -> None:
        """Move the running statistics towards those of the batch, as torch does.

        Examples
        --------
        >>> norm = BatchNorm(1)
        >>> norm.track(torch.tensor([10.0]), torch.tensor([1.0]), 2)
        >>> norm.running_mean, norm.running_var
        (tensor([1.]), tensor([1.1000]))
        """
        assert self.running_mean is not None
        assert self.running_var is not None
        assert self.num_batches_tracked is not None
        self.num_batches_tracked += 1
        step = 1 / float(self.num_batches_tracked) if self.momentum is None else self.momentum
        unbiased = variance * (rows / (rows - 1))
        self.running_mean.lerp_(mean.to(self.running_mean.dtype), step)
        self.running_var.lerp_(unbiased.to(self.running_var.dtype), step)


@contextmanager
def shared(net: torch.nn.Module) -> Iterator[None]:
    """Let every :class:`BatchNorm` of a network see the rows of all processes inside the block.

    Examples
    --------
    >>> with shared(torch.nn.Sequential(BatchNorm(4))):
    ...     pass
    """
    norms = [module for module in net.modules() if isinstance(module, BatchNorm)]
    before = [norm.across for norm in norms]
    try:
        for norm in norms:
            norm.across = True
        yield
    finally:
        for norm, value in zip(norms, before, strict=True):
            norm.across = value


class _Standardize(torch.autograd.Function):
    """Rows minus their mean, over their deviation; mean and variance are of all processes."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, eps: float) -> tuple[Tensor, Tensor, Tensor, int]:
        own = x.sum(0) / max(len(x), 1)
        local = torch.stack([own, (x - own).square().sum(0), torch.full_like(own, len(x))]).double()
        every = [torch.empty_like(local) for _ in range(distributed.get_world_size())]
        distributed.all_gather(every, local)
        means, squares, counts = torch.stack(every, 1)
        rows = round(float(counts[:, 0].sum()))
        if rows < 2:
            raise GraphError("batch normalization has no variance in a batch of one row; add rows")
        mean = (counts * means).sum(0) / rows
        variance = ((squares + counts * (means - mean).square()).sum(0) / rows).to(x.dtype)
        mean = mean.to(x.dtype)
        scale = torch.rsqrt(variance + eps)
        unit = (x - mean) * scale
        ctx.save_for_backward(unit, scale)
        ctx.rows = rows
        ctx.mark_non_differentiable(mean, variance)
        return unit, mean, variance, rows

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor, *_: object) -> tuple[Tensor, None]:
        unit, scale = ctx.saved_tensors
        sums = torch.stack([grad.sum(0), (grad * unit).sum(0)])
        distributed.all_reduce(sums)
        along_one, along_unit = sums / ctx.rows
        return scale * (grad - along_one - unit * along_unit), None
