"""``python -m gcn.train``: what it does, prints and returns."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from gcn.train.__main__ import main

QUICK = ["--layers", "2", "--width", "4", "--sizes", "6", "3", "3", "--batch-size", "4"]
QUICK += ["--device", "cpu"]


def test_a_run_leaves_its_files_and_tells_what_came_of_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    words = [*QUICK, "--target", "high", "--folder", str(tmp_path / "run")]
    assert main([*words, "--epochs", "2", "--data", str(tmp_path / "data")]) == 0
    out, err = capsys.readouterr()
    assert "SoGCN(1, 4, 1, num_layers=2)" in out
    assert "test MAE" in out
    assert err == ""
    run = tmp_path / "run"
    names = {"last.pt", "best.pt", "log.jsonl", "run.json"}
    assert {path.name for path in run.iterdir()} == names
    assert json.loads((run / "run.json").read_text())["epochs"] == 2
    assert main([*words, "--epochs", "3", "--resume", "--json"]) == 0
    again = json.loads(capsys.readouterr().out)
    assert (again["epochs"], again["converged"]) == (3, False)
    assert len((run / "log.jsonl").read_text().splitlines()) == 3


@pytest.mark.parametrize(
    "words",
    [
        ["--network", "GIN"],
        ["--network", "VanillaGCN", "--activation", "relu"],
        ["--network", "KOrderGCN", "--order", "3", "--gru"],
        ["--precision", "mixed", "--keep-going", "--dropout", "0.1"],
    ],
)
def test_networks_and_switches(words: list[str], capsys: pytest.CaptureFixture[str]):
    assert main([*QUICK, "--target", "band", "--epochs", "1", *words]) == 0
    assert "1 epoch " in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "status", "complaint"),
    [
        (["--target", "middle"], 2, "invalid choice: 'middle'"),
        ([], 2, "required: --target"),
        (["--target", "low", "--order", "3"], 2, "goes with --network KOrderGCN"),
        (["--target", "low", "--network", "KOrderGCN"], 2, "goes with --network KOrderGCN"),
        (["--target", "low", "--epochs", "0"], 1, "epochs is 0"),
        (["--target", "low", "--resume"], 1, "without a folder"),
        (["--target", "low", "--device", "abacus"], 1, "no device 'abacus'"),
        (["--target", "low", "--folder", __file__], 1, "can't write"),
        (["--target", "low", "--layers", "0"], 1, "at least one layer"),
    ],
)
def test_mistakes_are_one_line_on_stderr(
    words: list[str], status: int, complaint: str, capsys: pytest.CaptureFixture[str]
):
    assert main([*QUICK, *words]) == status
    out, err = capsys.readouterr()
    assert out == ""
    assert complaint in err
    assert err.startswith("gcn.train: error: ")
    assert err.count("\n") == 1


def test_help_has_examples(capsys: pytest.CaptureFixture[str]):
    assert main(["--help"]) == 0
    assert "torchrun --nproc-per-node 2 -m gcn.train" in capsys.readouterr().out


def test_torchrun_runs_the_command(tmp_path: Path):
    launcher = [sys.executable, "-m", "torch.distributed.run", "--standalone"]
    words = [*QUICK, "--target", "low", "--epochs", "2", "--data", str(tmp_path / "data")]
    folder = ["--folder", str(tmp_path / "run"), "--json"]
    two = subprocess.run(
        [*launcher, "--nproc-per-node", "2", "-m", "gcn.train", *words, *folder],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert two.returncode == 0, two.stderr
    told = json.loads(two.stdout)
    assert (told["processes"], told["epochs"]) == (2, 2)
