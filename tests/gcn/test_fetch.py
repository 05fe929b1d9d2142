"""From foreign objects to arrays, and from foreign errors to one of ours."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gcn.data.dataset import DataError, Dataset, Part, Task
from gcn.data.fetch import obtain, official, undirected
from polyfilter.errors import GraphError

TASK = Task("made", "MADE", "mae", "sum", 1, 1)


@given(st.integers(1, 7), st.integers(0, 99))
def test_an_edge_is_listed_once_whatever_the_order(nodes: int, seed: int):
    random = np.random.default_rng(seed)
    upper = np.argwhere(np.triu(random.random((nodes, nodes)) < 0.5, 1))
    kinds = random.integers(0, 4, (len(upper), 2))
    order = random.permutation(2 * len(upper))
    index = np.vstack([upper, upper[:, ::-1]])[order].T
    pairs, found = undirected(index, np.vstack([kinds, kinds])[order], "here")
    assert np.array_equal(pairs, upper)  # argwhere lists by rows, so these are sorted
    assert np.array_equal(found, kinds)


@pytest.mark.parametrize(
    ("index", "features", "words"),
    [
        ([[0, 0], [1, 2]], [1, 1], "here is directed"),
        ([[0, 1], [1, 0]], [1, 2], "here is directed"),
        ([[0, 1, 2], [1, 0, 2]], [1, 1, 1], "here joins a node to itself"),
    ],
)
def test_what_has_a_direction_is_refused(index: list[int], features: list[int], words: str):
    with pytest.raises(GraphError, match=words):
        undirected(np.array(index), np.array(features)[:, None], "here")


@pytest.mark.parametrize("error", [OSError("x"), SystemExit(1), GraphError("x\ny"), KeyError()])
def test_whatever_ends_a_download_is_one_line(error: BaseException):
    with pytest.raises(DataError, match="can't download MADE") as raised, official(TASK, Path("p")):
        raise error
    assert "\n" not in str(raised.value)


def test_who_interrupts_is_obeyed():
    with pytest.raises(KeyboardInterrupt), official(TASK, Path("p")):
        raise KeyboardInterrupt


def test_what_foreign_code_prints_is_no_result(capsys: pytest.CaptureFixture[str]):
    with official(TASK, Path("p")):
        print("Downloading")
    assert capsys.readouterr() == ("", "Downloading\n")


def test_a_file_is_fetched_if_asked_and_needed(tmp_path: Path):
    one = np.ones((1, 1), dtype=np.float32)
    part = Part(one, one, np.array([0, 1]), np.zeros((2, 0), dtype=np.int64))
    path, calls = tmp_path / "file", []

    def read(source: Path) -> Dataset:
        calls.append("read")
        if not source.exists():
            raise DataError("missing")
        return Dataset(TASK, part, part, part, "made")

    def fetch(target: Path) -> None:
        calls.append("fetch")
        target.touch()

    with pytest.raises(DataError, match="missing"):
        obtain(path, read, fetch, download=False)
    obtain(path, read, fetch, download=True)
    obtain(path, read, fetch, download=True)
    assert calls == ["read", "read", "fetch", "read", "read"]
