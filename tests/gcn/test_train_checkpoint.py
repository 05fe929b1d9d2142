"""Checkpoints: what is written comes back, and nothing else comes in."""

import zipfile
from pathlib import Path

import pytest
import torch
from torch.serialization import safe_globals

from gcn.train import checkpoint, load_weights
from polyfilter.errors import FileFormatError


class Trap:
    """Code in a file, that a careless reader would run."""

    def __reduce__(self) -> tuple[object, ...]:
        return Path.touch, (Path("sprung"),)


def test_weights_come_back_to_the_bit(tmp_path: Path):
    net, other = torch.nn.Linear(3, 4), torch.nn.Linear(3, 4)
    checkpoint.write(tmp_path / "a.pt", {"weights": net.state_dict()})
    load_weights(tmp_path / "a.pt", other)
    assert torch.equal(net.weight, other.weight)
    assert list(tmp_path.iterdir()) == [tmp_path / "a.pt"]


def test_a_file_that_would_run_code_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    torch.save({"format": checkpoint.FORMAT, "weights": Trap()}, tmp_path / "a.pt")
    with pytest.raises(FileFormatError, match="damaged or no checkpoint"):
        checkpoint.read(tmp_path / "a.pt", {})
    assert not (tmp_path / "sprung").exists()


@pytest.mark.parametrize("keep", [0, 1, 10, 100, -100, -1])
def test_every_truncation_is_one_error(tmp_path: Path, keep: int):
    path = tmp_path / "a.pt"
    checkpoint.write(path, {"weights": torch.nn.Linear(3, 4).state_dict()})
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(FileFormatError, match=r"a\.pt"):
        load_weights(path, torch.nn.Linear(3, 4))


def test_size_is_checked_before_memory_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    path = tmp_path / "bomb.pt"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("archive/data.pkl", bytes(1 << 20))
    assert path.stat().st_size < 1 << 12
    monkeypatch.setattr(checkpoint, "MAX_BYTES", 1 << 16)
    with pytest.raises(FileFormatError, match="unpacks to 1048576 bytes"):
        checkpoint.read(path, {})


@pytest.mark.parametrize("content", [[1], {"format": "gcn.train 99"}, {}])
def test_other_torch_files_are_no_checkpoints(tmp_path: Path, content: object):
    torch.save(content, tmp_path / "a.pt")
    with pytest.raises(FileFormatError, match="not a checkpoint"):
        checkpoint.read(tmp_path / "a.pt", {})


def test_only_tensors_numbers_and_strings_are_written(tmp_path: Path):
    """A run's own files need no exception from ``weights_only``."""
    import small_training as small

    small.train(small.network(), tmp_path, 1, torch.float32)
    with safe_globals([]):
        for name in ("last.pt", "best.pt"):
            content = torch.load(tmp_path / name, weights_only=True)
            assert content["format"] == checkpoint.FORMAT
