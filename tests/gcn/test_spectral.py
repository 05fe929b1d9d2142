"""Matrices with a given spectrum, as networks propagate by them."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from gcn.layers import FirstOrderConv, GINConv, KOrderConv, SoGConv, VanillaConv
from gcn.spectral import cosines, dense, diagonal

numbers = st.lists(st.floats(-3, 3, width=32), min_size=1, max_size=7)


@given(numbers)
def test_diagonal_multiplies(values):
    A = diagonal(torch.tensor(values, dtype=torch.float64))
    assert A.propagate(torch.ones(len(values), 1, dtype=torch.float64))[:, 0].tolist() == values
    assert A.is_symmetric


@given(numbers)
def test_dense_has_the_spectrum(values):
    C = cosines(len(values))
    matrix = C @ np.diag(values) @ C.T
    A = dense(torch.from_numpy(matrix))
    x = np.random.default_rng(0).standard_normal((len(values), 2))
    # a sum of n products, each of size at most |A| |x|
    allowed = len(values) ** 2 * np.finfo(float).eps * np.abs(matrix).max() * np.abs(x).max() * 2
    assert np.abs(A.propagate(torch.from_numpy(x)).numpy() - matrix @ x).max() <= allowed


@pytest.mark.parametrize("operator", ["symmetric", "mean", "sum"])
@pytest.mark.parametrize(
    "make", [FirstOrderConv, GINConv, SoGConv, VanillaConv, lambda *w, **k: KOrderConv(*w, 4, **k)]
)
def test_layers_take_their_values(make, operator):
    layer = make(2, 3, bias=False, operator=operator).double()
    lam = torch.linspace(-1, 1, 5, dtype=torch.float64)
    y = layer(torch.ones(5, 2, dtype=torch.float64), diagonal(lam, operator))
    theta = layer.matrix_polynomial().sum(dim=1)  # of both channels
    wanted = sum(lam[:, None] ** k * row for k, row in enumerate(theta))
    assert torch.allclose(y, wanted, rtol=0, atol=32 * torch.finfo(torch.float64).eps)
