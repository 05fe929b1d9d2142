"""Trainings of cases: kept, found again, and the same after a kill."""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from experiments.sgs.case import Case
from experiments.sgs.runs import keep, record_of, train
from gcn.train import TrainingError
from polyfilter.errors import FilterError

SMALL = {"layers": 2, "channels": 4, "graphs": (6, 2, 2)}
SECONDS = 60.0

SCRIPT = """
import json, sys
from pathlib import Path
from experiments.sgs.case import Case
from experiments.sgs.runs import train
import experiments.runs as runs
from functools import partial

runs.fit = partial(runs.fit, save_seconds=0.0)
train(Case(**json.loads(sys.argv[1])), *map(Path, sys.argv[2:]), progress=False)
"""


def outcome(record: dict[str, Any]) -> dict[str, Any]:
    """All of a record but times."""
    run = {name: value for name, value in record["run"].items() if name != "seconds"}
    return record | {"run": run, "provenance": None}


def test_a_training_that_was_killed_ends_as_if_it_was_not(tmp_path: Path):
    case = Case("sogcn", "low-pass", "text", epochs=100, **SMALL)
    data = tmp_path / "data"
    whole = train(case, tmp_path / "a", tmp_path / "whole", data, progress=False)
    words = [json.dumps(case.to_dict()), str(tmp_path / "b"), str(tmp_path / "killed"), str(data)]
    process = subprocess.Popen([sys.executable, "-c", SCRIPT, *words])
    log = tmp_path / "b" / case.name / "log.jsonl"
    end = time.monotonic() + SECONDS
    while not (log.exists() and log.read_text().count("\n") >= 10):
        assert process.poll() is None
        assert time.monotonic() < end
        time.sleep(0.005)
    os.kill(process.pid, signal.SIGKILL)
    assert process.wait(SECONDS) == -signal.SIGKILL
    assert record_of(case, tmp_path / "killed") is None
    assert (log.parent / "last.pt").exists()
    resumed = train(case, tmp_path / "b", tmp_path / "killed", data, progress=False)
    assert outcome(resumed) == outcome(whole)
    assert len(whole["valid_loss"]) == whole["run"]["epochs"] > 10


def test_what_is_done_is_not_trained_again(tmp_path: Path):
    case = Case("gin", "low-pass", "published", epochs=1, **SMALL)
    first = train(case, tmp_path / "runs", tmp_path / "store", progress=False)
    assert record_of(case, tmp_path / "store") == json.loads(json.dumps(first))
    again = train(case, Path("nowhere"), tmp_path / "store", Path("nowhere"), progress=False)
    assert again["run"] == first["run"]
    keep(case, {"another": "record"}, tmp_path / "store")
    assert record_of(case, tmp_path / "store") == again


@pytest.mark.parametrize("protocol", ["text", "published"])
def test_an_analytic_start_is_the_floor_and_training_begins_there(protocol: str, tmp_path: Path):
    sizes = {"layers": 3, "channels": 6, "graphs": (40, 4, 10), "epochs": 1}
    warm = Case("sogcn", "low-pass", protocol, start="analytic", **sizes)
    cold = Case("sogcn", "low-pass", protocol, **sizes)
    store = tmp_path / "store"
    begun = train(warm, tmp_path / "runs", store, progress=False)
    random = train(cold, tmp_path / "runs", store, progress=False)
    assert begun["case"]["start"] == "analytic"
    assert replace(warm, start="gentle").settings().lr == 1e-4
    assert "start_metric" not in random
    assert begun["start_metric"] < 0.5 * random["run"]["test_metric"]


def test_starts_that_are_none(tmp_path: Path):
    case = Case("sogcn", "low-pass", "text", start="middle", epochs=1, **SMALL)
    with pytest.raises(FilterError, match="unknown start 'middle'"):
        train(case, tmp_path, tmp_path, progress=False)
    vanilla = Case("vanilla", "low-pass", "text", start="analytic", epochs=1, **SMALL)
    with pytest.raises(FilterError, match="order two or more"):
        train(vanilla, tmp_path, tmp_path, progress=False)


def test_a_folder_that_holds_another_training_is_refused(tmp_path: Path):
    case = Case("sogcn", "low-pass", "text", epochs=1, **SMALL)
    train(case, tmp_path / "runs", tmp_path / "one", progress=False)
    other = Case("sogcn", "low-pass", "text", epochs=1, layers=3, channels=4, graphs=(6, 2, 2))
    (tmp_path / "runs" / case.name).rename(tmp_path / "away")
    (tmp_path / "runs" / other.name).parent.mkdir(parents=True)
    (tmp_path / "away").rename(tmp_path / "runs" / other.name)
    with pytest.raises((TrainingError, FilterError, ValueError), match=r"last\.pt"):
        train(other, tmp_path / "runs", tmp_path / "two", progress=False)
