"""Parameters: those that the paper prints, and the widths that a budget buys."""

import pytest

from gcn.data.dataset import Task
from gcn.encoders import ATOM_FEATURES_OF_THE_PAPER, BOND_FEATURES
from gcn.zoo import MODELS, build, width_for
from polyfilter.errors import GraphError

ZINC = Task("zinc", "ZINC", "mae", "sum", (28,), 1, (4,))
MNIST = Task("mnist", "MNIST", "cross_entropy", "mean", 3, 10, 1)
CIFAR = Task("cifar10", "CIFAR10", "cross_entropy", "mean", 5, 10, 1)
CLUSTER = Task("cluster", "CLUSTER", "balanced_cross_entropy", "node", (7,), 6)
PATTERN = Task("pattern", "PATTERN", "balanced_cross_entropy", "node", (3,), 2)
MOLHIV = Task("molhiv", "ogbg-molhiv", "bce", "mean", ATOM_FEATURES_OF_THE_PAPER, 1, BOND_FEATURES)
PROTEINS = Task("proteins", "ogbn-proteins", "bce", "node", 8, 112)


@pytest.mark.parametrize(
    ("model", "count"),
    [
        ("vanilla", 527_701),
        ("gin", 980_706),
        ("sogcn", 1_426_201),
        ("order-4", 2_326_201),
        ("order-6", 3_226_201),
    ],
)
def test_the_table_of_molhiv(model: str, count: int) -> None:
    """The paper's table of ogbg-molhiv: five layers of 300."""
    assert build(model, MOLHIV, layers=5, width=300).num_parameters == count


@pytest.mark.parametrize(
    ("model", "width", "count"),
    [
        ("vanilla", 256, 96_880),
        ("first-order", 200, 128_512),  # the row GIN: two weights, as the release has it
        ("sogcn", 200, 192_512),
        ("order-4", 200, 320_512),
        ("order-6", 200, 448_512),
    ],
)
def test_the_table_of_proteins(model: str, width: int, count: int) -> None:
    """The paper's table of ogbn-proteins: three layers, and widths as the release runs them."""
    assert build(model, PROTEINS, layers=3, width=width).num_parameters == count


def benchmark_count(task: Task, layers: int, w: int, K: int, gru: bool) -> int:
    """Count by hand: embedding, layers of order K with norms, a GRU, a head that halves twice."""
    channels = task.in_channels
    embedding = sum(channels) * w if isinstance(channels, tuple) else channels * w + w
    layer = (K + 1) * w * w + w + 2 * w
    gate = 3 * (2 * w * w + 2 * w) if gru else 0
    half, quarter, out = w // 2, w // 4, task.out_channels
    head = w * half + half + half * quarter + quarter + quarter * out + out
    return embedding + layers * layer + gate + head


@pytest.mark.parametrize(
    ("task", "layers", "width", "gru"),
    [
        (ZINC, 16, 95, True),
        (MNIST, 4, 90, False),
        (MNIST, 4, 75, True),
        (CIFAR, 4, 90, False),
        (CIFAR, 4, 75, True),
        (CLUSTER, 4, 90, False),
        (CLUSTER, 4, 75, True),
        (PATTERN, 4, 90, False),
        (PATTERN, 4, 75, True),
    ],
    ids=lambda value: value.name if isinstance(value, Task) else str(value),
)
def test_the_sizes_of_the_release(task: Task, layers: int, width: int, gru: bool) -> None:
    """Depth and width of the released configurations are within 8% of the budget, above it."""
    count = build("sogcn", task, layers=layers, width=width, gru=gru).num_parameters
    assert count == benchmark_count(task, layers, width, 2, gru)
    budget = 500_000 if task is ZINC else 100_000
    assert budget < count < 1.08 * budget


@pytest.mark.parametrize("gru", [False, True])
@pytest.mark.parametrize("model", MODELS)
def test_the_largest_width_within_a_budget(model: str, gru: bool) -> None:
    for task, layers, budget in ((ZINC, 16, 500_000), (CLUSTER, 4, 100_000)):
        width = width_for(model, task, layers, budget, gru)
        step = MODELS[model].multiple
        here, there = (
            build(model, task, layers=layers, width=w, gru=gru).num_parameters
            for w in (width, width + step)
        )
        assert here <= budget < there
        assert width % step == 0


def test_a_budget_that_buys_nothing() -> None:
    with pytest.raises(GraphError, match="no sogcn of 16 layers on zinc has at most 100 parameter"):
        width_for("sogcn", ZINC, 16, 100)
