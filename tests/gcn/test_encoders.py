"""Categories: one embedding for each feature, added up."""

import math

import pytest
import torch

from gcn.encoders import (
    ATOM_FEATURES,
    ATOM_FEATURES_OF_THE_PAPER,
    BOND_FEATURES,
    CategoryEncoder,
)
from polyfilter.errors import GraphError


def test_the_sum_of_torchs_embeddings(device: torch.device) -> None:
    encoder = CategoryEncoder((3, 2, 5), 4).double().to(device)
    x = torch.tensor([[2, 1, 4], [0, 0, 0], [1, 1, 3]], device=device)
    tables = torch.split(encoder.weight, [3, 2, 5])
    truth = sum(table[column] for table, column in zip(tables, x.T, strict=True))
    assert isinstance(truth, torch.Tensor)
    # two additions of numbers below √6
    assert (encoder(x) - truth).abs().max() <= 4 * math.sqrt(6) * torch.finfo(torch.float64).eps
    (grad,) = torch.autograd.grad(encoder(x).sum(), encoder.weight)
    assert grad[:, 0].tolist() == [1, 1, 1, 1, 2, 1, 0, 0, 1, 1]


@pytest.mark.parametrize("dtype", [torch.int64, torch.int32, torch.uint8])
def test_any_integers_and_no_rows(dtype: torch.dtype) -> None:
    encoder = CategoryEncoder((3, 2), 4)
    x = torch.tensor([[2, 0]])
    assert torch.equal(encoder(x.to(dtype)), encoder(x))
    assert encoder(torch.zeros(0, 2, dtype=dtype)).shape == (0, 4)
    one = CategoryEncoder((28,), 4)
    assert torch.equal(one(torch.tensor([3, 7])), one(torch.tensor([[3], [7]])))


def test_each_table_is_drawn_by_its_own_size() -> None:
    encoder = CategoryEncoder((100, 2), 50)
    before = encoder.weight.clone()
    encoder.reset_parameters()
    assert not torch.equal(before, encoder.weight)
    for table in torch.split(encoder.weight, [100, 2]):
        bound = math.sqrt(6 / (len(table) + 50))
        assert 0.8 * bound < table.abs().max() <= bound


def test_the_lists_of_ogb() -> None:
    assert (sum(ATOM_FEATURES), sum(ATOM_FEATURES_OF_THE_PAPER), sum(BOND_FEATURES)) == (
        174,
        173,
        13,
    )
    assert len(ATOM_FEATURES) == 9
    assert CategoryEncoder(ATOM_FEATURES, 300).weight.shape == (174, 300)


def test_state_and_repr() -> None:
    encoder = CategoryEncoder((3, 2), 4)
    assert list(encoder.state_dict()) == ["weight"]
    assert repr(encoder) == "CategoryEncoder((3, 2), 4)"


@pytest.mark.parametrize(
    ("x", "words"),
    [
        (torch.tensor([[0, 2]]), "row 0 has category 2 in feature 1, which has 2"),
        (torch.tensor([[0, 0], [-1, 0]]), "row 1 has category -1 in feature 0, which has 3"),
        (torch.ones(1, 2), "categories have to be integers of shape (rows, 2), not torch.float32"),
        (torch.tensor([[0, 0, 0]]), "of shape (rows, 2), not torch.int64 of shape (1, 3)"),
        (torch.tensor([0, 1]), "of shape (rows, 2), not torch.int64 of shape (2, 1)"),
    ],
)
def test_what_is_refused(x: torch.Tensor, words: str) -> None:
    with pytest.raises(GraphError) as caught:
        CategoryEncoder((3, 2), 4)(x)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)
