"""Names to networks: ours are those of gcn.nets, and what does not fit is refused in a sentence."""

import re
from functools import partial
from typing import Any

import pytest
import torch
from torch import nn
from zoo_cases import CIFAR10, CLUSTER, CORA, MNIST, MOLHIV, PROTEINS, TASKS, ZINC, case_of, small

from gcn.data.dataset import Task
from gcn.encoders import CategoryEncoder
from gcn.nets import GIN, KOrderGCN, SoGCN, VanillaGCN
from gcn.zoo import ABSENT, MODELS, SHELLS, build, depth_for, shell_of, width_for
from polyfilter.errors import GraphError

FLOAT_BONDS = Task("molhiv", "", "bce", "mean", (3,), 1, edge_channels=2)
OURS: dict[str, Any] = {
    "vanilla": VanillaGCN,
    "vanilla-mean": partial(VanillaGCN, operator="mean", self_loop=False),
    "gin": partial(GIN, operator="sum"),
    "first-order": partial(KOrderGCN, K=1),
    "sogcn": SoGCN,
    "order-4": partial(KOrderGCN, K=4),
    "order-6": partial(KOrderGCN, K=6),
    "krylov": partial(KOrderGCN, K=3),
}


@pytest.mark.parametrize("gru", [False, True])
@pytest.mark.parametrize(
    ("model", "task"),
    [
        (model, task)
        for model in OURS
        for task in (ZINC, MNIST, CLUSTER, PROTEINS, MOLHIV)
        # OGB's own layers are tested on their own
        if task is not MOLHIV or model not in ("vanilla", "vanilla-mean", "gin")
    ],
)
def test_ours_are_the_networks_of_nets(model: str, task: Task, gru: bool) -> None:
    """The same weights in a network made by hand give the same bits."""
    activation = "tanh" if model == "krylov" else "relu"
    options: dict[str, Any] = {"activation": activation, "gru": gru, "readout": task.readout}
    by_hand = OURS[model]
    if task.name == "molhiv":
        options |= {"bonds": task.edge_channels, "residual": False, "activate_last": False}
        by_hand = partial(KOrderGCN, K=2) if model == "sogcn" else by_hand
    if task.name == "proteins":
        options |= {"embedding": "none", "batch_norm": False, "residual": False}
    elif isinstance(task.in_channels, tuple):
        options |= {"embedding": CategoryEncoder(task.in_channels, 24)}
    if task.name in ("zinc", "mnist", "cluster"):
        options["head"] = "mlp"
    width = task.in_channels if isinstance(task.in_channels, int) else len(task.in_channels)
    net = small(model, task, gru=gru).eval()
    truth = by_hand(width, 24, task.out_channels, 3, **options).double().eval()
    truth.load_state_dict(net.state_dict())
    case, operator = case_of(task), MODELS[model].operator
    assert torch.equal(case.answer(net, operator), case.answer(truth, operator))
    switches = [(b.residual, b.activation is None, b.norm is None) for b in net.blocks]
    assert switches == [(b.residual, b.activation is None, b.norm is None) for b in truth.blocks]


def test_embeddings_begin_as_published() -> None:
    """Standard normal on the benchmarks, by Glorot's rule on OGB."""
    net = build("sogcn", ZINC, layers=1, width=400)
    assert isinstance(net.embedding, CategoryEncoder)
    assert abs(float(net.embedding.weight.detach().std()) - 1) < 0.05
    ogb = build("sogcn", MOLHIV, layers=1, width=300)
    assert isinstance(ogb.embedding, CategoryEncoder)
    assert float(ogb.embedding.weight.detach().abs().max()) <= (6 / 302) ** 0.5
    assert isinstance(build("sogcn", CIFAR10, layers=1, width=8).embedding, nn.Linear)


def test_dropout_and_the_gate() -> None:
    net = build("sogcn", CORA, layers=2, width=8, dropout=0.5, gru="after")
    assert all(block.dropout is not None and block.dropout.p == 0.5 for block in net.blocks)
    assert net.gru is not None
    assert net.gru.hidden == "after"


# what the paper names

TABLES = """Vanilla GCN, GAT, MoNet, GraphSage, GIN, GatedGCN, 3WLGNN, SoGCN, 4th-Order GCN,
6th-Order GCN, GCNII, GCNII*, APPNP, ARMA"""
RELATED = "ChebyNet, SGC, LanczosNet, Snowball, Truncated Krylov, MixHop, JKNet"


@pytest.mark.parametrize("title", re.split(r",\s+", f"{TABLES}, {RELATED}"))
def test_every_row_of_every_table_is_a_model(title: str) -> None:
    assert title in {model.title for model in MODELS.values()}


def test_who_is_missing_is_said() -> None:
    assert not MODELS.keys() & ABSENT.keys()
    for absent in ABSENT.values():
        assert len(absent.why.split()) > 8
        assert absent.cited


@pytest.mark.parametrize("model", MODELS)
def test_what_does_not_fit_says_why(model: str) -> None:
    entry = MODELS[model]
    assert entry.name == model
    assert entry.note
    for name, why in entry.unfit.items():
        task = TASKS.get(name, CORA if name == "citeseer" else None)
        assert task is not None
        task = Task(name, name, task.loss, task.readout, task.in_channels, task.out_channels)
        with pytest.raises(GraphError) as caught:
            build(model, task, layers=2, width=24)
        assert str(caught.value) == f"{model} does not fit {name}: {why}"


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: build("sogcm", ZINC, layers=2, width=8), "unknown model 'sogcm': choose from van"),
        (lambda: build("gat", ZINC, layers=2, width=12), "width of gat is a multiple of 8, not 12"),
        (lambda: build("sogcn", ZINC, layers=2, width=0), "width of sogcn is a multiple of 1, not"),
        (lambda: build("sgc", ZINC, layers=2, width=8, gru=True), "sgc has no stack of layers"),
        (lambda: build("sogcn", ZINC, layers=0, width=8), "a network needs at least one layer"),
        (lambda: build("3wlgnn", ZINC, layers=0, width=8), "a network needs at least one layer"),
        (lambda: build("appnp", ZINC, layers=0, width=8), "a network needs at least one layer"),
        (lambda: width_for("none", ZINC, 2, 100), "unknown model 'none': choose from vanilla"),
        (
            lambda: build("sogcn", FLOAT_BONDS, layers=2, width=8),
            "networks on molhiv embed categories of edges: its task has to say how many each has",
        ),
    ],
)
def test_what_is_refused(call: Any, words: str) -> None:
    with pytest.raises(GraphError) as caught:
        call()
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_unknown_data_set_is_treated_as_a_benchmark() -> None:
    assert shell_of("my own") == SHELLS["cluster"]
    assert depth_for("sogcn", Task("my own", "", "mae", "node", 3, 1)) == 4
