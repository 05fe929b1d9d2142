"""Parameters: those that the paper prints, and the widths that a budget buys."""

import pytest
from zoo_cases import CLUSTER, PROTEINS, TASKS, ZINC

from gcn.data.dataset import Task
from gcn.zoo import MODELS, PRINTED, RELEASED, SHELLS, build, depth_for, width_for
from gcn.zoo.facts import Printed, Released
from polyfilter.errors import GraphError


@pytest.mark.parametrize("row", PRINTED, ids=lambda row: f"{row.task} {row.title}")
def test_the_counts_that_are_printed(row: Printed) -> None:
    """Every row of the paper's tables of ogbg-molhiv and ogbn-proteins."""
    net = build(row.model, TASKS[row.task], layers=row.layers, width=row.width)
    assert net.num_parameters == row.parameters


def benchmark_count(task: Task, layers: int, w: int, K: int, gru: bool) -> int:
    """Count by hand: embedding, layers of order K with norms, a GRU, a head that halves twice."""
    channels = task.in_channels
    embedding = sum(channels) * w if isinstance(channels, tuple) else channels * w + w
    layer = (K + 1) * w * w + w + 2 * w
    gate = 3 * (2 * w * w + 2 * w) if gru else 0
    half, quarter, out = w // 2, w // 4, task.out_channels
    head = w * half + half + half * quarter + quarter + quarter * out + out
    return embedding + layers * layer + gate + head


@pytest.mark.parametrize("row", RELEASED, ids=lambda row: f"{row.task} {row.model} {row.gru}")
def test_the_sizes_of_the_release(row: Released) -> None:
    """All are above the budget that they should keep."""
    task = TASKS[row.task]
    count = build(row.model, task, layers=row.layers, width=row.width, gru=row.gru).num_parameters
    K = 2 if row.model == "sogcn" else 0  # one weight a layer, as with no hop at all
    by_hand = benchmark_count(task, row.layers, row.width, K, row.gru)
    assert count == (by_hand if row.parameters is None else row.parameters) == by_hand
    assert row.layers == depth_for(row.model, task)
    budget = SHELLS[row.task].budget
    assert budget is not None
    assert budget < count < (1.37 if row.model == "vanilla-mean" else 1.09) * budget


@pytest.mark.parametrize(
    ("model", "task"), [*((model, CLUSTER) for model in MODELS), ("sogcn", ZINC), ("3wlgnn", ZINC)]
)
def test_the_largest_width_within_a_budget(model: str, task: Task) -> None:
    step, gru = MODELS[model].multiple, MODELS[model].gates
    layers, budget = depth_for(model, task), SHELLS[task.name].budget
    assert budget is not None
    width = width_for(model, task, layers, budget, gru)
    here, there = (
        build(model, task, layers=layers, width=w, gru=gru).num_parameters
        for w in (width, width + step)
    )
    assert here <= budget < there
    assert width % step == 0


def test_a_budget_that_buys_nothing() -> None:
    with pytest.raises(GraphError, match="no sogcn of 16 layers on zinc has at most 100 parameter"):
        width_for("sogcn", ZINC, 16, 100)


def test_a_width_that_costs_nothing() -> None:
    """On proteins nothing is embedded, and SGC is one layer from features to answers."""
    with pytest.raises(GraphError, match="parameters of sgc on proteins don't grow with its width"):
        width_for("sgc", PROTEINS, 3, 100_000)
