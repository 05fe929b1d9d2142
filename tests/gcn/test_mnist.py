"""Files of MNIST are known by what they hold, and what is wrong with one is told in a sentence."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gcn.data import mnist
from gcn.data.dataset import DataError
from gcn.data.mnist import Known, original


@pytest.fixture(scope="module")
def known() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    n = np.array([12, 14], dtype=np.uint8)
    return {
        "x_test": rng.integers(0, 256, (2, 28, 28)).astype(np.uint8),
        "y_test": np.array([3, 4], dtype=np.uint8),
        "seg_test": np.stack([np.arange(784).reshape(28, 28) % k for k in n]).astype(np.uint8),
        "n_test": n,
    }


@pytest.fixture(autouse=True)
def small(known: dict[str, np.ndarray], monkeypatch: pytest.MonkeyPatch) -> None:
    half = Known(original(known["x_test"]), original(known["y_test"]), 26, 144 + 196)
    monkeypatch.setattr(mnist, "HALVES", {"test": half})


def write(folder: Path, arrays: dict[str, np.ndarray]) -> None:
    for path, names in (
        (mnist.IMAGES, ("x_test", "y_test")),
        (mnist.SEGMENTS, ("seg_test", "n_test")),
    ):
        (folder / path).parent.mkdir(exist_ok=True)
        np.savez(folder / path, **{name: arrays[name] for name in names if name in arrays})


def test_it_is_read(known: dict[str, np.ndarray], tmp_path: Path) -> None:
    write(tmp_path, known)
    cut = mnist.read(tmp_path, "test")
    assert cut.images.shape == (2, 28, 28, 1)
    assert np.array_equal(cut.images[..., 0], known["x_test"])
    assert cut.labels.tolist() == [3, 4]
    assert np.array_equal(cut.segments, known["seg_test"])


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("x_test", lambda a: a ^ 1, "images are not those of MNIST"),
        ("y_test", lambda a: a[::-1], "labels are not those of MNIST"),
        ("x_test", lambda a: a[:, 0], "3 dimensions"),
        ("n_test", lambda a: a + 1, "not what is published"),
        ("seg_test", lambda a: a[:1], "seg_test has shape"),
        ("seg_test", lambda a: a.astype(float), "has to hold integers"),
        ("n_test", None, "no array 'n_test'"),
    ],
)
def test_other_content_is_refused(
    known: dict[str, np.ndarray], tmp_path: Path, name: str, change: object, message: str
) -> None:
    arrays = dict(known)
    value = arrays.pop(name)
    if callable(change):
        arrays[name] = change(value)
    write(tmp_path, arrays)
    with pytest.raises(DataError, match=message) as caught:
        mnist.read(tmp_path, "test")
    assert "--dataset mnist --download" in str(caught.value)


@settings(max_examples=40)
@given(which=st.sampled_from([mnist.IMAGES, mnist.SEGMENTS]), cut=st.floats(0, 1, exclude_max=True))
def test_a_truncated_file_is_refused(
    known: dict[str, np.ndarray],
    tmp_path_factory: pytest.TempPathFactory,
    which: Path,
    cut: float,
) -> None:
    folder = tmp_path_factory.mktemp("data")
    write(folder, known)
    data = (folder / which).read_bytes()
    (folder / which).write_bytes(data[: int(cut * len(data))])
    with pytest.raises(DataError, match="can't use"):
        mnist.read(folder, "test")
