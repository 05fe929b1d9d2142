"""The log: a line an epoch, whatever happened before."""

import json
import math
import sys
from pathlib import Path
from types import ModuleType

import pytest

from gcn.train import Epoch, TrainingError
from gcn.train.log import log

FIRST, SECOND = Epoch(1, 0.5, 0.25, 0.001, 0.5), Epoch(2, math.nan, math.inf, 0.001, 0.5)


def test_a_resumed_log_says_what_the_checkpoint_says(tmp_path: Path):
    path = tmp_path / "log.jsonl"
    path.write_text('{"epoch": 1}\n{"epoch": 2}\n{"epo')
    with log(tmp_path, [FIRST]) as tell:
        tell(SECOND)
    first, second = map(json.loads, path.read_text().splitlines())
    assert first == {"epoch": 1, "train_loss": 0.5, "valid_loss": 0.25, "lr": 0.001, "seconds": 0.5}
    assert second["train_loss"] is None  # JSON has no nan


def test_tensorboard_that_is_absent_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", None)
    with pytest.raises(TrainingError, match="pip install tensorboard"), log(tmp_path, [], True):
        pass
    assert not (tmp_path / "log.jsonl").exists()


def test_tensorboard_gets_the_same_numbers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    told: list[object] = []

    class Writer:
        def __init__(self, folder: str, purge_step: int) -> None:
            told.append(purge_step)

        def add_scalar(self, *scalar: object) -> None:
            told.append(scalar)

        def close(self) -> None:
            told.append("closed")

    module = ModuleType("torch.utils.tensorboard")
    module.SummaryWriter = Writer  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", module)
    with log(tmp_path, [FIRST], tensorboard=True) as tell:
        tell(Epoch(2, 0.5, 0.25, 0.001, 0.5))
    names = ("train_loss", "valid_loss", "lr", "seconds")
    values = (0.5, 0.25, 0.001, 0.5)
    assert told == [2, *((n, v, 2) for n, v in zip(names, values, strict=True)), "closed"]
