"""``python -m experiments benchmarks`` and ``report``: what they train, print, write and return."""

import json
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from small_benchmarks import made, record

from experiments import report, tables
from experiments.benchmarks import command, pages
from experiments.benchmarks.case import Case
from experiments.benchmarks.runs import keep, record_of
from experiments.command import main
from experiments.sweep import Engine
from gcn.data import benchmarks
from gcn.data.dataset import DataError

__all__ = ["made"]

SMALL = ["--layers", "2", "--width", "8", "--epochs", "2"]


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, made: Any) -> Path:
    """Let everything be written below a folder that is thrown away, of data that were made."""
    monkeypatch.setattr(command, "STORE", tmp_path / "store")
    return tmp_path


def words(folders: Path, *others: str) -> list[str]:
    return ["benchmarks", *others, *SMALL, "--runs", str(folders / "runs")]


def test_one_cell(folders: Path, capsys: pytest.CaptureFixture[str]):
    asked = words(folders, "--dataset", "zinc", "--model", "sogcn", "--gru", "--seed", "3")
    assert main(asked) == 0
    out, err = capsys.readouterr()
    assert err == ""  # no bar where nobody watches
    assert "sogcn-gru" in out
    assert "2 †" in out
    (path,) = (folders / "store").rglob("*.json")
    assert path == folders / "store/zinc/sogcn-gru/seed-3-layers-2-width-8.json"
    assert (folders / "runs/zinc/sogcn-gru/seed-3-layers-2-width-8/last.pt").exists()
    assert main([*asked, "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)
    assert found == json.loads(path.read_text())


def test_many_cells_on_an_engine(
    folders: Path,
    made: list[tuple[str, bool]],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):
    opened = []

    def in_threads(name: str, jobs: int, scheduler: str | None) -> Engine:
        opened.append((name, jobs))
        return partial(ThreadPoolExecutor, 1)

    monkeypatch.setattr(command, "open_engine", in_threads)
    nets = ["--model", "sogcn", "vanilla-gru", "--seeds", "2", "--jobs", "2"]
    assert main(words(folders, "--dataset", "zinc", "cluster", *nets)) == 0
    out, err = capsys.readouterr()
    assert "8 finished, 0 there already" in err
    assert opened == [("local", 2)]
    assert len(list((folders / "store").rglob("*.json"))) == 8
    assert out.count("balanced accuracy") == 4
    assert main(words(folders, "--dataset", "zinc", *nets)) == 0
    assert "0 finished, 4 there already" in capsys.readouterr().err


def test_quick_is_small_and_stays_apart(folders: Path, capsys: pytest.CaptureFixture[str]):
    asked = ["--dataset", "mnist", "--model", "gin", "--quick", "--width", "8"]
    assert main(["benchmarks", *asked, "--runs", str(folders / "runs")]) == 0
    assert not (folders / "store").exists()
    (path,) = (folders / "runs" / "quick").rglob("*.json")
    found = json.loads(path.read_text())
    assert (found["case"]["limit"], found["run"]["epochs"]) == (256, 5)
    assert "accuracy" in capsys.readouterr().out


def test_runs_are_tested_as_they_stand(folders: Path, capsys: pytest.CaptureFixture[str]):
    asked = words(folders, "--dataset", "zinc", "--model", "gin", "sogcn")
    assert main([*asked[:4], "gin", *SMALL, "--runs", str(folders / "runs")]) == 0
    (path,) = (folders / "store").rglob("*.json")
    before = json.loads(path.read_text())["run"]["test_metric"]
    path.unlink()
    capsys.readouterr()
    assert main([*asked, "--so-far"]) == 0
    out = capsys.readouterr().out
    assert json.loads(path.read_text())["run"]["test_metric"] == pytest.approx(before)
    assert "not run" in out


def test_download_alone_trains_nothing(
    folders: Path, made: list[tuple[str, bool]], capsys: pytest.CaptureFixture[str]
):
    assert main(["benchmarks", "--dataset", "zinc", "mnist", "--download"]) == 0
    out, err = capsys.readouterr()
    assert made == [("zinc", True), ("mnist", True)]
    assert out == ""
    assert "made for a test" in err
    assert not (folders / "store").exists()


def test_a_missing_file_is_one_line_with_the_command_that_gets_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    asked = ["--dataset", "zinc", "--model", "sogcn", "--data", str(tmp_path)]
    assert main(["benchmarks", *asked, "--quick", "--runs", str(tmp_path)]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert "zinc12k.npz" in err
    assert "--download" in err


def test_a_training_that_fails_is_told_and_others_go_on(
    folders: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    whole = benchmarks.load

    def load(name: str, folder: Path | None, **options: Any) -> Any:
        if name == "mnist":
            raise DataError("mnist is damaged")
        return whole(name, folder, **options)

    monkeypatch.setattr(benchmarks, "load", load)
    monkeypatch.setattr(command, "open_engine", lambda *_: partial(ThreadPoolExecutor, 1))
    assert main(words(folders, "--dataset", "mnist", "zinc", "--model", "gin")) == 1
    err = capsys.readouterr().err
    assert "1 finished, 0 there already, 1 failed" in err
    assert "mnist is damaged" in err


@pytest.mark.parametrize(
    ("asked", "status", "complaint"),
    [
        ([], 2, "required: --dataset"),
        (["--dataset", "mutag", "--model", "gin"], 2, "invalid choice: 'mutag'"),
        (["--dataset", "zinc"], 2, "name a network with --model"),
        (["--dataset", "zinc", "--model", "sogcm"], 2, "unknown network 'sogcm'"),
        (["--dataset", "zinc", "--model", "gin", "--seeds", "0"], 2, "at least 1"),
        (["--dataset", "zinc", "--model", "gin", "--seed", "-1"], 2, "from 0 up"),
        (["--dataset", "zinc", "--model", "gin", "--epochs", "0"], 2, "--epochs is a whole number"),
        (["--dataset", "zinc", "--model", "gin", "--engine", "dask"], 1, "needs --scheduler"),
        (["--dataset", "cora", "--model", "3wlgnn"], 1, "does not fit cora"),
    ],
)
def test_mistakes_are_one_line_on_stderr(
    asked: list[str],
    status: int,
    complaint: str,
    folders: Path,
    capsys: pytest.CaptureFixture[str],
):
    assert main(["benchmarks", *asked]) == status
    out, err = capsys.readouterr()
    assert out == ""
    assert complaint in err
    assert err.startswith("experiments: error: ")
    assert err.count("\n") == 1


def test_help_has_examples_and_names(capsys: pytest.CaptureFixture[str]):
    assert main(["benchmarks", "--help"]) == 0
    out = capsys.readouterr().out
    assert "python -m experiments benchmarks --dataset zinc --model sogcn --gru --seed 0" in out
    assert "cifar10-jpeg" in out
    assert "graphsage" in out


def test_report_draws_and_writes_what_was_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    page = tmp_path / "page.md"
    page.write_text("<!-- table: benchmark_zinc -->\n<!-- end -->\n")
    monkeypatch.setattr(tables, "pages", lambda: [page])
    monkeypatch.setattr(report, "IMAGES", tmp_path / "images")
    monkeypatch.setattr(report, "STORE", tmp_path / "store")
    monkeypatch.setattr(pages, "STORE", tmp_path / "store")
    for module in (report, tables):
        monkeypatch.setattr(module, "RESULTS", tmp_path / "results")
    case = Case("zinc", "sogcn")
    keep(case, record(case, 0.21), tmp_path / "store")
    figures = {"networks": {"sogcn": "not run", "vanilla": "not run"}}
    figures |= {"graph": {"number": 0, "nodes": 5}, "eigenvalues": [1, 0, 0, 0, -1]}
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "molecule.json").write_text(json.dumps(figures))
    assert main(["report", "--json"]) == 0
    drawn = {path.name for path in (tmp_path / "images").iterdir()}
    assert drawn == {"benchmark_curves.png", "benchmark_cost.png", "molecule.png"}
    assert "| SoGCN | 0.210 [1: 40] | 0.238 ± 0.017 |" in page.read_text()
    out, err = capsys.readouterr()
    assert "rewritten: page.md" in err
    assert json.loads(out) == {"drawn": json.loads(out)["drawn"], "rewritten": ["page.md"]}
    assert set(json.loads(out)["drawn"]) == drawn
    assert record_of(case, tmp_path / "store") is not None
