"""Losses and metrics against the definitions, written out."""

from itertools import product

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn import functional

from gcn.train.objective import Objective, class_weights, objective, roc_auc
from polyfilter.errors import GraphError

EPS = torch.finfo(torch.float64).eps
LOSSES = ("mae", "cross_entropy", "balanced_cross_entropy", "bce")


def sample(name: str, rows: int, seed: int) -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(seed)
    output = torch.randn(rows, 3, dtype=torch.float64, generator=generator)
    if name == "mae":
        return output, torch.randn(rows, 3, dtype=torch.float64, generator=generator)
    if name == "bce":
        y = torch.randint(0, 2, (rows, 3), generator=generator).double()
        return output, y.where(torch.rand(rows, 3, generator=generator) < 0.8, torch.nan)
    return output, torch.randint(0, 3, (rows, 1), generator=generator)


@given(st.sampled_from(LOSSES), st.integers(2, 40), st.integers(1, 39), st.integers(0, 99))
def test_parts_add_up_to_the_whole(name: str, rows: int, cut: int, seed: int):
    output, y = sample(name, rows, seed)
    goal = objective(name, y, classes=3)
    cut = min(cut, rows)
    total, weight = goal(output, y)
    parts = [goal(output[part], y[part]) for part in (slice(cut), slice(cut, None))]
    bound = 3 * rows * EPS
    assert abs(float(sum(part[0] for part in parts) - total)) <= bound * max(1.0, float(total))
    assert abs(float(sum(part[1] for part in parts) - weight)) <= bound * max(1.0, float(weight))


def test_losses_are_torchs():
    for name in LOSSES:
        output, y = sample(name, 30, 0)
        goal = objective(name, y, classes=3)
        known = ~y.isnan() if name == "bce" else None
        expected = {
            "mae": lambda o=output, y=y: functional.l1_loss(o, y),
            "cross_entropy": lambda o=output, y=y: functional.cross_entropy(o, y[:, 0]),
            "balanced_cross_entropy": lambda o=output, y=y: functional.cross_entropy(
                o, y[:, 0], class_weights(y).double()
            ),
            "bce": lambda o=output, y=y, k=known: functional.binary_cross_entropy_with_logits(
                o[k], y[k]
            ),
        }[name]()
        assert abs(goal.mean(output, y) - float(expected)) <= 90 * EPS * max(1, float(expected))


@given(st.lists(st.tuples(st.integers(0, 4), st.booleans()), min_size=1, max_size=25))
def test_roc_auc_is_the_chance_that_a_yes_beats_a_no(pairs: list[tuple[int, bool]]):
    output = torch.tensor([[float(score)] for score, _ in pairs])
    y = torch.tensor([[float(answer)] for _, answer in pairs])
    duels = [
        1.0 if a > b else 0.5 if a == b else 0.0
        for (a, yes), (b, no) in product(pairs, pairs)
        if yes and not no
    ]
    area = roc_auc(output, y)
    if duels:
        assert abs(area - sum(duels) / len(duels)) <= len(pairs) * EPS
    else:
        assert area != area  # nobody can tell


def test_metrics_by_hand():
    output = torch.tensor([[2.0, 1.0], [0.0, 1.0], [3.0, 0.0], [1.0, 0.0]])
    y = torch.tensor([[0], [0], [0], [1]])
    assert Objective("cross_entropy").metric(output, y) == 0.5
    assert Objective("balanced_cross_entropy").metric(output, y) == pytest.approx(1 / 3, abs=EPS)
    assert Objective("mae").metric(output[:, :1], torch.ones(4, 1)) == 1.0


def test_a_class_that_only_the_network_has_weighs_nothing():
    y = torch.tensor([[0], [1]])
    output = torch.zeros(2, 5)
    total, weight = objective("balanced_cross_entropy", y)(output, y)
    assert float(weight) == 1.0
    assert float(total) == pytest.approx(float(torch.log(torch.tensor(5.0))))


CLASSES = ("cross_entropy", "balanced_cross_entropy")


@given(
    st.sampled_from(CLASSES),
    st.lists(st.booleans(), min_size=1, max_size=30).filter(any),
    st.integers(0, 99),
)
def test_a_sample_that_is_not_asked_counts_nowhere(name: str, asked: list[bool], seed: int):
    output, y = sample(name, len(asked), seed)
    keep = torch.tensor(asked)
    hidden = y.where(keep[:, None], -1)
    goal, alone = objective(name, hidden, classes=3), objective(name, y[keep], classes=3)
    bound = 3 * len(asked) * EPS
    for found, expected in zip(goal(output, hidden), alone(output[keep], y[keep]), strict=True):
        assert abs(float(found - expected)) <= bound * max(1.0, float(expected))
    assert abs(goal.metric(output, hidden) - alone.metric(output[keep], y[keep])) <= bound
    assert goal.samples(hidden) == sum(asked)


@pytest.mark.parametrize("name", CLASSES)
def test_a_sample_that_is_not_asked_moves_no_weight(name: str):
    output, y = sample(name, 6, 0)
    output.requires_grad_()
    y[2:4] = -1
    total, weight = objective(name, y, classes=3)(output, y)
    torch.autograd.backward(total / weight)
    assert output.grad[2:4].abs().max() == 0
    assert output.grad[[0, 1, 4, 5]].abs().amin(1).min() > 0


def test_samples_are_the_rows_that_are_asked():
    nan = torch.nan
    assert Objective("bce").samples(torch.tensor([[nan, 1.0], [nan, nan], [0.0, 1.0]])) == 2
    assert Objective("mae").samples(torch.zeros(3, 2)) == 3


@pytest.mark.parametrize("name", CLASSES)
def test_classes_have_to_be_whole_numbers(name: str):
    with pytest.raises(GraphError, match="one int64 class"):
        Objective(name)(torch.zeros(2, 2), torch.zeros(2, 1))
