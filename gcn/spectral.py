r"""Matrices with a given spectrum, in the form that networks propagate by.

The maps are

.. math::  (\lambda_1, \dots, \lambda_n) \mapsto \operatorname{diag}(\lambda), \qquad
           (\lambda_1, \dots, \lambda_n) \mapsto C \operatorname{diag}(\lambda)\, C^T,

with :math:`C` the matrix of the discrete cosine transform. On the first one a network that is a
matrix polynomial in A computes its values at the numbers given, node by node. The second one is as
dense as can be: rounding errors reach every eigenvalue, as they do on graphs.

Assumptions: networks don't ask whether their A comes from a graph.

>>> from gcn.layers import KOrderConv
>>> square = KOrderConv(1, 1, K=2, bias=False)
>>> _ = square.weight.data.copy_(torch.tensor([0.0, 0.0, 1.0])[:, None, None])
>>> square(torch.ones(3, 1), diagonal(torch.tensor([-1.0, 0.5, 3.0]))).T
tensor([[1.0000, 0.2500, 9.0000]], grad_fn=<PermuteBackward0>)
"""

import numpy as np
import torch
from scipy.fft import dct
from torch import Tensor

from gcn.kernels import chosen
from gcn.propagate import Prepared
from polyfilter.clenshaw import Real

__all__ = ["cosines", "dense", "diagonal"]


def diagonal(values: Tensor, operator: str = "symmetric") -> Prepared:
    """Return diag(values), prepared.

    Examples
    --------
    >>> diagonal(torch.tensor([2.0, 3.0])).propagate(torch.ones(2, 1)).T
    tensor([[2., 3.]])
    """
    return _prepared(torch.arange(len(values), device=values.device)[:, None], values, operator)


def dense(matrix: Tensor, operator: str = "symmetric") -> Prepared:
    """Return a symmetric matrix, prepared, zeros and negative entries included.

    Examples
    --------
    >>> dense(torch.tensor([[0.0, -1.0], [-1.0, 2.0]])).propagate(torch.ones(2, 1)).T
    tensor([[-1.,  1.]])
    """
    columns = torch.arange(len(matrix), device=matrix.device).expand_as(matrix)
    return _prepared(columns, matrix.reshape(-1), operator)


def cosines(size: int) -> Real:
    """Return the orthogonal matrix C.

    Examples
    --------
    >>> C = cosines(5)
    >>> bool(abs(C @ C.T - np.eye(5)).max() < 1e-15)
    True
    """
    C: Real = dct(np.eye(size), norm="ortho")
    return C


def _prepared(columns: Tensor, weight: Tensor, operator: str) -> Prepared:
    """Return the matrix whose row i has its entries in ``columns[i]``; it is symmetric."""
    kernel = chosen("auto", weight)
    kind = torch.int64 if kernel == "scatter" else torch.int32
    rows, each = columns.shape
    start = (torch.arange(rows + 1, device=weight.device) * each).to(kind)
    cols = columns.reshape(-1).to(kind)
    order = torch.arange(len(cols), device=weight.device)
    return Prepared(start, cols, weight, start, cols, weight, order, operator, kernel)
