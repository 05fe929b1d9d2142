"""``python -m experiments``: what it trains, prints, writes and returns."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from inspect import signature
from pathlib import Path
from typing import Any

import pytest
from fake_records import record
from matplotlib.figure import Figure
from sweep_tasks import SECONDS, wait_for

from experiments import command
from experiments.benchmarks import capacity, molecule, sizes
from experiments.command import main
from experiments.sgs import analytic, lss, spectra, table2
from experiments.sgs.case import Case
from experiments.sgs.runs import keep
from experiments.sweep import Engine

SMALL = {"layers": 2, "channels": 4, "epochs": 1, "graphs": (6, 2, 2)}


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Let everything be written below a folder that is thrown away."""
    monkeypatch.setattr(command, "STORE", tmp_path / "store")
    monkeypatch.setattr(command, "RESULTS", tmp_path / "results")
    monkeypatch.setattr(command, "IMAGES", tmp_path / "images")
    return tmp_path


def in_threads(name: str, jobs: int, scheduler: str | None) -> Engine:
    """An engine that imports nothing again."""
    return partial(ThreadPoolExecutor, 1)


def small(quick: bool, seeds: Sequence[int]) -> list[Case]:
    kinds = ("vanilla", "sogcn")
    return [
        Case(kind, "band-pass", "published", seed=seed, **SMALL) for kind in kinds for seed in seeds
    ]


def test_quick_trains_writes_and_prints(
    folders: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setattr(table2, "cases", small)
    monkeypatch.setattr(command, "open_engine", in_threads)
    words = ["table2", "--quick", "--runs", str(folders / "runs"), "--jobs", "1"]
    assert main([*words, "--seeds", "0", "1"]) == 0
    out, err = capsys.readouterr()
    assert "4 finished, 0 there already" in err
    assert "vanilla GCN" in out
    assert "[2: 1] †" in out
    quick = folders / "runs" / "quick"
    assert (quick / "table2.png").read_bytes().startswith(b"\x89PNG")
    figures = json.loads((quick / "table2.json").read_text())
    assert figures["provenance"]["seed"] == 0
    assert [cell["seeds"] for cell in figures["cells"]] == [[0, 1], [0, 1]]
    assert not (folders / "results").exists()  # quick numbers are never among the others
    assert main([*words, "--json"]) == 0
    out, err = capsys.readouterr()
    assert "0 finished, 2 there already" in err
    assert [cell["seeds"] for cell in json.loads(out)["cells"]] == [[0], [0]]


def test_collecting_uses_what_is_there(folders: Path, capsys: pytest.CaptureFixture[str]):
    case = Case("gin", "low-pass", "text")
    keep(case, record(case, 0.0961, converged=False), folders / "store")
    assert main(["table2", "--collect-only", "--runs", str(folders / "runs")]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert "0.0961 [1: 100] †" in out
    assert "not run" in out
    assert (folders / "results" / "table2.json").exists()
    assert (folders / "images" / "table2.png").exists()
    assert not (folders / "runs").exists()


@pytest.mark.parametrize("experiment", ["depth", "hops", "warm"])
def test_every_experiment_collects(
    experiment: str, folders: Path, capsys: pytest.CaptureFixture[str]
):
    words = ["--collect-only", "--targets", "low-pass", "--runs", str(folders / "runs")]
    assert main([experiment, *words]) == 0
    assert "not run" in capsys.readouterr().out
    assert (folders / "images" / f"{experiment}.png").exists()


@pytest.mark.parametrize("module", [analytic, spectra, lss])
def test_experiments_that_train_nothing_are_told_what_they_ask_for(
    module: Any, folders: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    asked = {}

    def collect(runs: Path, seeds: Sequence[int], another: int = 0) -> dict[str, Any]:
        asked.update(runs=runs, seeds=seeds)
        return {"found": 1}

    assert "runs" in signature(module.collect).parameters
    monkeypatch.setattr(module, "collect", collect)
    monkeypatch.setattr(module, "draw", lambda figures: Figure())
    monkeypatch.setattr(module, "table", lambda figures: "the table", raising=False)
    name = module.__name__.rpartition(".")[2]
    assert main([name, "--runs", str(folders / "runs"), "--seeds", "3"]) == 0
    assert asked == {"runs": folders / "runs", "seeds": [3]}
    assert (folders / "results" / f"{name}.json").exists()
    assert (folders / "images" / f"{name}.png").exists()
    assert f"{name}.png" in capsys.readouterr().out


def test_a_training_that_fails_is_told_and_the_status_is_1(
    folders: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    wrong = Case("sogcn", "band-pass", "published", start="middle", **SMALL)
    monkeypatch.setattr(table2, "cases", lambda quick, seeds: [*small(quick, seeds), wrong])
    monkeypatch.setattr(command, "open_engine", in_threads)
    assert main(["table2", "--quick", "--runs", str(folders / "runs"), "--jobs", "1"]) == 1
    out, err = capsys.readouterr()
    assert "2 finished, 0 there already, 1 failed" in err
    assert "unknown start 'middle'" in err
    assert "vanilla GCN" in out


@pytest.mark.parametrize(
    ("words", "status", "complaint"),
    [
        ([], 2, "required: EXPERIMENT"),
        (["table3"], 2, "invalid choice: 'table3'"),
        (["table2", "--seeds", "-1"], 2, "seeds are whole numbers"),
        (["table2", "--seeds", "x"], 2, "invalid int value: 'x'"),
        (["table2", "--engine", "abacus"], 2, "invalid choice: 'abacus'"),
        (["table2", "--engine", "dask"], 1, "needs --scheduler"),
        (["table2", "--scheduler", "tcp://there"], 1, "goes with --engine dask"),
        (["table2", "--jobs", "0"], 1, "give --jobs at least 1"),
        (["table2", "--collect-only", "--quick", "--runs", __file__], 1, "Not a directory"),
        (["lss", "--quick"], 2, "nothing of it is quicker"),
    ],
)
def test_mistakes_are_one_line_on_stderr(
    words: list[str],
    status: int,
    complaint: str,
    folders: Path,
    capsys: pytest.CaptureFixture[str],
):
    assert main(words) == status
    out, err = capsys.readouterr()
    assert out == ""
    assert complaint in err
    assert err.startswith("experiments: error: ")
    assert err.count("\n") == 1


def test_help_has_examples(capsys: pytest.CaptureFixture[str]):
    assert main(["--help"]) == 0
    assert "python -m experiments table2 --quick" in capsys.readouterr().out


def test_ctrl_c_is_quiet_and_leaves_checkpoints(tmp_path: Path):
    words = f"table2 --quick --jobs 1 --targets band-pass --runs {tmp_path}"
    process = subprocess.Popen(
        [sys.executable, "-m", "experiments", *words.split()],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,  # a terminal sends Ctrl-C to the whole group
    )
    first = table2.cases(True, [0])[0]
    wait_for(tmp_path / first.name / "last.pt", ending=b"")
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=SECONDS)
    assert (process.returncode, out, err) == (130, "", "")


@pytest.mark.parametrize(
    ("module", "words", "replaced", "printed"),
    [
        (
            sizes,
            ["sizes"],
            {"NAMES": ["zinc"], "networks": lambda _: ["gin"], "size": lambda *_: {"width": 7}},
            {"zinc": {"gin": {"width": 7}}},
        ),
        (
            capacity,
            ["capacity", "--dataset", "zinc"],
            {"row_of": lambda *_: {}, "known": lambda: {"zinc": {"capacity": 3}}},
            {"zinc": {"capacity": 3}},
        ),
        (
            molecule,
            ["molecule"],
            {"collect": lambda *_, **__: {"networks": {"gin": "not run"}}},
            {"networks": {"gin": "not run"}},
        ),
    ],
    ids=["sizes", "capacity", "molecule"],
)
def test_json_is_one_object_on_stdout(
    module: Any,
    words: list[str],
    replaced: dict[str, Any],
    printed: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):
    for name, value in {**replaced, "write": lambda *_, **__: Path("nowhere")}.items():
        monkeypatch.setattr(module, name, value)
    assert main([*words, "--json"]) == 0
    out, err = capsys.readouterr()
    assert (json.loads(out), err) == (printed, "")
