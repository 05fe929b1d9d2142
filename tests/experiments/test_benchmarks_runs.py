"""Cases on real data and their runs: named, sized, trained, taken further, tested as they stand."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from small_benchmarks import dataset, made, record

from experiments.benchmarks.case import Case
from experiments.benchmarks.runs import first, is_done, keep, load, record_of, so_far, train
from experiments.benchmarks.sizes import case_of, known, networks, size, task_of
from gcn import zoo
from gcn.data.benchmarks import NAMES
from gcn.train import evaluate, load_weights
from polyfilter.errors import FileFormatError, FilterError

__all__ = ["made"]

SMALL: dict[str, Any] = {"layers": 2, "width": 8}


def outcome(record: dict[str, Any]) -> dict[str, Any]:
    """All of a record but times and how far it was asked to go."""
    run = {name: value for name, value in record["run"].items() if name not in ("seconds", "why")}
    return record | {"run": run, "provenance": None, "case": record["case"] | {"epochs": 0}}


def test_the_protocol_is_the_papers():
    zinc, mnist, cluster = (Case(name, "sogcn") for name in ("zinc", "mnist", "cluster"))
    assert [case.layers for case in (zinc, mnist, cluster)] == [16, 4, 4]
    assert [case.budget for case in (zinc, mnist, cluster)] == [500_000, 100_000, 100_000]
    settings = zinc.settings("mae")
    assert (settings.lr, settings.factor, settings.min_lr, settings.batch_size) == (
        1e-3,
        0.5,
        1e-5,
        128,
    )
    assert (settings.patience, settings.weight_decay, settings.stop_at_min_lr) == (10, 0, True)
    assert cluster.settings("balanced_cross_entropy").patience == 5
    molhiv, proteins = Case("molhiv", "sogcn"), Case("proteins", "sogcn")
    assert (molhiv.layers, molhiv.width, proteins.layers, proteins.width) == (5, 300, 3, 200)
    assert Case("proteins", "vanilla").width == 256
    assert Case("zinc", "3wlgnn").layers == 3


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("network", ["vanilla", "sogcn-gru", "gat", "order-6"])
def test_networks_keep_their_budget_and_no_wider_one_would(name: str, network: str):
    case, task = case_of(name, network), task_of(name)
    width, multiple = case.channels(task), zoo.MODELS[case.model].multiple
    if case.budget is None:
        assert width % multiple == 0
        return
    here, wider = (
        zoo.build(case.model, task, layers=case.layers, width=w, gru=case.gru).num_parameters
        for w in (width, width + multiple)
    )
    assert here <= case.budget < wider


def test_names_tell_cases_apart_and_epochs_do_not():
    cases = [
        Case("zinc", "sogcn"),
        Case("zinc", "sogcn", gru=True),
        Case("zinc", "sogcn", seed=1),
        Case("zinc", "sogcn", layers=4),
        Case("zinc", "sogcn", width=8),
        Case("zinc", "sogcn", budget=1000),
        Case("zinc", "sogcn", limit=10),
        Case("mnist", "sogcn"),
    ]
    assert len({case.name for case in cases}) == len(cases)
    assert Case("zinc", "sogcn", epochs=3).name == "zinc/sogcn/seed-0"
    assert all(Case(**json.loads(json.dumps(case.to_dict()))) == case for case in cases)


def test_cases_that_are_none():
    with pytest.raises(FilterError, match="unknown data set 'mutag'"):
        Case("mutag", "sogcn")
    with pytest.raises(FilterError, match="unknown network 'sogcm'"):
        Case("zinc", "sogcm")


def test_weights_are_those_of_the_seed():
    task = task_of("zinc")
    one, again, other = (Case("zinc", "sogcn", seed=s, **SMALL).network(task) for s in (0, 0, 1))
    weights = [next(iter(net.layers[0].parameters())) for net in (one, again, other)]
    assert (weights[0] == weights[1]).all()
    assert not (weights[0] == weights[2]).all()


@pytest.mark.parametrize("name", ["zinc", "mnist", "cluster", "molhiv", "cora"])
@pytest.mark.parametrize("model", ["sogcn", "gin"])
def test_a_cell_trains_on_every_kind_of_task(name: str, model: str, made: Any, tmp_path: Path):
    case = Case(name, model, epochs=2, **SMALL)
    found = train(case, tmp_path / "runs", tmp_path / "store", progress=False)
    assert record_of(case, tmp_path / "store") == json.loads(json.dumps(found))
    assert found["graphs"] == [12, 6, 6]
    assert found["source"] == "made for a test"
    assert found["width"] == 8
    assert found["run"]["epochs"] == len(found["valid_loss"]) == len(found["train_loss"]) == 2
    assert found["run"]["converged"] is False
    net = case.network(task_of(name))
    load_weights(tmp_path / "runs" / case.name / "best.pt", net)
    test = dataset(name).test.collection(operator=zoo.MODELS[model].operator)
    score = evaluate(net, test, task_of(name).loss)
    assert found["run"]["test_metric"] == pytest.approx(score.metric, rel=1e-6)
    assert found["parameters"] == sum(weight.numel() for weight in net.parameters())


def test_what_is_done_is_not_trained_again_and_more_epochs_go_on(made: Any, tmp_path: Path):
    runs, store = tmp_path / "runs", tmp_path / "store"
    short, long = (Case("zinc", "sogcn", epochs=epochs, **SMALL) for epochs in (3, 6))
    train(short, runs, store, progress=False)
    assert is_done(short, store)
    assert not is_done(long, store)
    loaded = len(made)
    assert train(short, Path("nowhere"), store)["run"]["epochs"] == 3
    assert len(made) == loaded
    further = train(long, runs, store, progress=False)
    assert outcome(record_of(short, store) or {}) == outcome(json.loads(json.dumps(further)))
    straight = train(long, tmp_path / "other", tmp_path / "straight", progress=False)
    assert outcome(further) == outcome(straight)


def test_a_run_that_converged_is_done_whatever_is_asked(tmp_path: Path):
    case = Case("zinc", "sogcn")
    keep(case, record(case, 0.2, epochs=40), tmp_path)
    assert is_done(case, tmp_path)
    other = Case("zinc", "gin")
    keep(other, record(other, 0.2, epochs=40, converged=False), tmp_path)
    assert not is_done(other, tmp_path)


def test_a_run_is_tested_as_it_stands_and_left_alone(made: Any, tmp_path: Path):
    runs, store = tmp_path / "runs", tmp_path / "store"
    case = Case("cluster", "gin", epochs=4, **SMALL)
    assert so_far(case, runs, store) is None
    ended = train(case, runs, tmp_path / "ended", progress=False)
    before = {path.name: path.read_bytes() for path in (runs / case.name).iterdir()}
    found = so_far(case, runs, store)
    assert {path.name: path.read_bytes() for path in (runs / case.name).iterdir()} == before
    assert found is not None
    assert outcome(found) == outcome(ended)
    assert found["run"]["converged"] is False
    assert "after 4 epochs" in found["run"]["why"]


def test_a_run_that_converged_replaces_one_that_did_not(tmp_path: Path):
    case = Case("zinc", "sogcn")
    for converged in (False, True, False):
        keep(case, record(case, 0.2, converged=converged), tmp_path)
    found = record_of(case, tmp_path)
    assert found is not None
    assert found["run"]["converged"] is True


def test_a_checkpoint_that_converged_is_told_as_such(
    made: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    case = Case("zinc", "gin", epochs=100, **SMALL)
    impatient = replace(case.settings("mae"), patience=0, lr=0.1, min_lr=0.09)
    monkeypatch.setattr(Case, "settings", lambda self, loss: impatient)
    ended = train(case, tmp_path / "runs", tmp_path / "ended", progress=False)
    assert ended["run"]["converged"] is True
    found = so_far(case, tmp_path / "runs", tmp_path / "store")
    assert found is not None
    assert outcome(found) == outcome(ended)


def test_a_record_that_is_no_json_says_what_to_do(tmp_path: Path):
    case = Case("zinc", "sogcn")
    path = tmp_path / f"{case.name}.json"
    path.parent.mkdir(parents=True)
    path.write_text("{")
    with pytest.raises(FileFormatError, match="delete it"):
        record_of(case, tmp_path)


@pytest.mark.parametrize("name", ["zinc", "cluster", "molhiv"])
@pytest.mark.parametrize("count", [1, 5, 100])
def test_the_first_graphs_of_a_part(name: str, count: int, made: Any):
    whole = dataset(name).train
    part = first(whole, count)
    graphs = min(count, 12)
    assert part.num_graphs == graphs
    for ours, theirs in zip(part.graphs(), whole.graphs(), strict=False):
        assert np.array_equal(
            ours.normalized_adjacency().toarray(), theirs.normalized_adjacency().toarray()
        )
    assert np.array_equal(part.x, whole.x[: len(part.x)])
    assert np.array_equal(part.y, whole.y[: len(part.y)])
    limited = load(Case(name, "sogcn", limit=count), None)
    assert [p.num_graphs for p in (limited.train, limited.valid, limited.test)] == [
        graphs,
        min(count, 6),
        min(count, 6),
    ]


def test_sizes_that_were_counted_are_those_of_the_networks():
    kept = known()
    assert set(kept) == set(NAMES)
    for dataset_name, network in (("zinc", "sogcn-gru"), ("molhiv", "gin"), ("cora", "vanilla")):
        assert kept[dataset_name][network] == size(dataset_name, network)
    assert all(set(networks(name)) == set(kept[name]) for name in NAMES)
