r"""Who multiplies: three ways to sum over the rows of a sparse matrix, forward and backward.

The map is

.. math::  (x, A) \mapsto A x, \qquad
           (A x)_i = \sum_{k = \mathtt{rowptr}_i}^{\mathtt{rowptr}_{i+1} - 1}
                     \mathtt{weight}_k \, x_{\mathtt{cols}_k}.

All are sums over the rows of a compressed sparse matrix, and differ in who does them:

* ``"fused"``: :func:`torch.nn.functional.embedding_bag` with one weight for each index. It gathers,
  multiplies and sums in registers. The default on the CPU, except in float64, for which torch has
  no fast path.
* ``"spmm"``: a product with a :mod:`torch.sparse` matrix. The default for float64 on the CPU.
* ``"scatter"``: torch-scatter's ``segment_csr``. It writes a message for every edge to memory, but
  sums on CUDA in a fixed order, without atomics: the default there.

The backward of a hop is a hop with the transposed matrix. If A is symmetric that is the same
matrix, which is found out once, in :func:`gcn.propagate.prepare`.

All can be compiled: :func:`torch.compile` sees a hop as one operator, ``gcn::hop``. With ``fused``
an exported program has torch's own operators, and if it is called with an ``edge_index`` it runs
without this package. With the others, or with a prepared batch, it needs ``import gcn.propagate``.

>>> rows = torch.tensor([0, 1, 3]), torch.tensor([1, 0, 1]), torch.tensor([2.0, 1.0, 1.0])
>>> columns = torch.tensor([0, 1, 3]), torch.tensor([1, 0, 1]), torch.tensor([1.0, 2.0, 1.0])
>>> hop(torch.tensor([[1.0], [10.0]]), rows, columns, "fused").T
tensor([[20., 11.]])
"""

import warnings
from functools import cache
from importlib.util import find_spec
from typing import Any, TypeAlias

import torch
from torch import Tensor

from polyfilter.errors import GraphError

__all__ = ["KERNELS", "Matrix", "chosen", "hop", "product"]

KERNELS = ("fused", "spmm", "scatter")

Matrix: TypeAlias = tuple[Tensor, Tensor, Tensor]
"""rowptr, cols, weight."""


def chosen(kernel: str, weight: Tensor) -> str:
    """Return the kernel's name, with "auto" decided for weights of this type and device.

    Examples
    --------
    >>> chosen("auto", torch.ones(1)), chosen("auto", torch.ones(1, dtype=torch.float64))
    ('fused', 'spmm')
    """
    if kernel == "auto":
        if weight.is_cuda:
            kernel = "scatter" if find_spec("torch_scatter") else "spmm"
        else:
            kernel = "spmm" if weight.dtype == torch.float64 else "fused"
    if kernel not in KERNELS:
        raise GraphError(f"unknown kernel {kernel!r}: choose from auto, {', '.join(KERNELS)}")
    if kernel == "scatter" and not find_spec("torch_scatter"):
        raise GraphError(
            "the scatter kernel needs torch-scatter: pip install polyfilter[gcn], or "
            "choose kernel='fused'"
        )
    return kernel


@cache
def _hear_out_the_warning() -> None:
    """Let torch say, once in a process and to nobody, that its CSR matrices are in beta."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        none = torch.zeros(0, dtype=torch.int64)
        torch.sparse_csr_tensor(none.new_zeros(1), none, none, (0, 0), check_invariants=False)


def product(x: Tensor, matrix: Matrix, kernel: str) -> Tensor:
    """Return A x without a derivative, for those who know it.

    Examples
    --------
    >>> swap = torch.tensor([0, 1, 2]), torch.tensor([1, 0]), torch.ones(2)
    >>> product(torch.tensor([[1.0], [2.0]]), swap, "fused").T
    tensor([[2., 1.]])
    """
    # embedding_bag prepares for its own derivative, at three times the cost, unless x is detached
    return _PRODUCTS[kernel](x.detach(), *matrix)


def hop(x: Tensor, forward: Matrix, backward: Matrix, kernel: str) -> Tensor:
    """Multiply, by the way that fits: eager, compiled or exported.

    The compiler can look neither into torch-scatter nor into sparse matrices, so it gets one opaque
    operator. An exported program should run where this package is not: it gets torch's own.
    """
    if not torch.compiler.is_compiling():
        product: Tensor = _Hop.apply(x, *forward, *backward, kernel)  # type: ignore[no-untyped-call]
        return product
    if torch.compiler.is_exporting() and kernel == "fused":
        return _fused(x, *forward)
    opaque: Tensor = _opaque(x, *forward, *backward, kernel)
    return opaque


class _Hop(torch.autograd.Function):
    """A x, whose derivatives are hops again: so the second derivative is right as well."""

    @staticmethod
    def forward(
        x: Tensor,
        rowptr: Tensor,
        cols: Tensor,
        weight: Tensor,
        colptr: Tensor,
        rows: Tensor,
        transposed_weight: Tensor,
        kernel: str,
    ) -> Tensor:
        return product(x, (rowptr, cols, weight), kernel)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
        x, *matrices, kernel = inputs
        learns = ctx.needs_input_grad[3]
        ctx.save_for_backward(x if learns else None, *matrices)
        ctx.kernel = kernel

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        (grad,) = gradients
        x, rowptr, cols, weight, colptr, rows, transposed_weight = ctx.saved_tensors
        grad_x = grad_weight = None
        if ctx.needs_input_grad[0]:
            grad_x = hop(
                grad.contiguous(),
                (colptr, rows, transposed_weight),
                (rowptr, cols, weight),
                ctx.kernel,
            )
        if ctx.needs_input_grad[3]:
            targets = torch.repeat_interleave(rowptr.diff().long(), output_size=cols.shape[0])
            grad_weight = (grad[targets] * x[cols.long()]).sum(1)
        return grad_x, None, None, grad_weight, None, None, None, None


def _fused(x: Tensor, rowptr: Tensor, cols: Tensor, weight: Tensor) -> Tensor:
    if x.stride(1) != 1:  # columns that lie apart are ten times slower than a copy
        x = x.contiguous()
    if torch.compiler.is_compiling():
        return torch.nn.functional.embedding_bag(
            cols, x, rowptr, mode="sum", per_sample_weights=weight, include_last_offset=True
        )
    # the same without its checks, which `prepare` has made once for all hops
    total: Tensor = torch.embedding_bag(x, cols, rowptr, False, 0, False, weight, True)[0]
    return total


def _spmm(x: Tensor, rowptr: Tensor, cols: Tensor, weight: Tensor) -> Tensor:
    _hear_out_the_warning()
    shape = (rowptr.numel() - 1, x.shape[0])
    # the CPU's library has no half precision, and autocast would turn float32 into it
    wide = x.dtype if x.is_cuda else torch.promote_types(x.dtype, torch.float32)
    with torch.autocast(x.device.type, enabled=False):
        A = torch.sparse_csr_tensor(rowptr, cols, weight.to(wide), shape, check_invariants=False)
        return (A @ x.to(wide)).to(x.dtype)


def _scatter(x: Tensor, rowptr: Tensor, cols: Tensor, weight: Tensor) -> Tensor:
    from torch_scatter import segment_csr  # a C++ extension: only who asks for it needs it

    product: Tensor = segment_csr(x[cols] * weight[:, None], rowptr)
    return product


_PRODUCTS = {"fused": _fused, "spmm": _spmm, "scatter": _scatter}


@torch.library.custom_op("gcn::hop", mutates_args=())
def _opaque(
    x: Tensor,
    rowptr: Tensor,
    cols: Tensor,
    weight: Tensor,
    colptr: Tensor,
    rows: Tensor,
    transposed_weight: Tensor,
    kernel: str,
) -> Tensor:
    """Return A x, as one operator that torch.compile does not look into."""
    return product(x, (rowptr, cols, weight), kernel)


@_opaque.register_fake
def _shape(x: Tensor, rowptr: Tensor, *rest: object) -> Tensor:
    return x.new_empty((rowptr.shape[0] - 1, x.shape[1]))


def _opaque_backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
    return _Hop.backward(ctx, grad)


_opaque.register_autograd(_opaque_backward, setup_context=_Hop.setup_context)
