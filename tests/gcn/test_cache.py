"""What is kept comes back, and a file that is not what it was is refused in one sentence."""

from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gcn.data.cache import cached, may_write
from gcn.data.dataset import DataError

ABOUT = {"of": "numbers", "seed": 0}
ARRAYS = {"a": np.arange(40, dtype=np.uint8), "b": np.linspace(0, 1, 7, dtype=np.float32)}


def never() -> dict:
    raise AssertionError("it was made again")


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("data") / "set" / "file.npz"
    cached(path, ABOUT, lambda: ARRAYS)
    return path.read_bytes()


def test_it_comes_back_whole(tmp_path: Path) -> None:
    path = tmp_path / "set" / "file.npz"
    assert cached(path, ABOUT, lambda: ARRAYS) == ARRAYS
    read = cached(path, ABOUT, never)
    assert read.keys() == ARRAYS.keys()
    for name, array in ARRAYS.items():
        assert read[name].dtype == array.dtype
        assert np.array_equal(read[name], array)


def test_a_file_about_something_else_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "set" / "file.npz"
    cached(path, ABOUT, lambda: ARRAYS)
    with pytest.raises(DataError, match=r"it holds .*instead of.*move it away"):
        cached(path, ABOUT | {"seed": 1}, never)


def test_arrays_without_a_checksum_are_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "file.npz", **ARRAYS)
    with pytest.raises(DataError, match="checksum"):
        cached(tmp_path / "file.npz", ABOUT, never)


def test_a_read_only_folder_is_left_alone(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir(mode=0o555)
    assert not may_write(folder)
    assert not may_write(folder / "set")
    assert cached(folder / "set" / "file.npz", ABOUT, lambda: ARRAYS) == ARRAYS
    assert list(folder.iterdir()) == []


@given(data=st.data())
def test_damage_is_one_error_or_does_no_harm(
    kept: bytes, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    """A flipped byte may hit what nobody reads, such as the date of a file in the archive."""
    place = data.draw(st.integers(0, len(kept) - 1), label="place")
    bits = data.draw(st.integers(1, 255), label="flipped bits")
    damaged = kept[:place] + bytes([kept[place] ^ bits]) + kept[place + 1 :]
    path = tmp_path_factory.mktemp("damaged") / "file.npz"
    path.write_bytes(damaged)
    with suppress(DataError):
        read = cached(path, ABOUT, never)
        assert all(np.array_equal(read[name], ARRAYS[name]) for name in ARRAYS)


@given(cut=st.floats(0, 1, exclude_max=True))
def test_a_truncated_file_is_refused(
    kept: bytes, tmp_path_factory: pytest.TempPathFactory, cut: float
) -> None:
    path = tmp_path_factory.mktemp("cut") / "file.npz"
    path.write_bytes(kept[: int(cut * len(kept))])
    with pytest.raises(DataError, match="move it away"):
        cached(path, ABOUT, never)
