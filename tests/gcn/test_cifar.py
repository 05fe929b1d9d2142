"""CIFAR-10 from official and from lossy files; superpixels with the counts that are published."""

from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gcn.data import cifar
from gcn.data.cifar import read_batch, read_binary, read_jpeg
from gcn.data.dataset import DataError
from polyfilter.errors import FileFormatError


@pytest.fixture(scope="module")
def batch() -> bytes:
    """Give three records as the official description has them: class, then planes by rows."""
    rng = np.random.default_rng(0)
    images = rng.integers(0, 256, (3, 32, 32, 3))
    records = []
    for label, image in zip((6, 9, 0), images, strict=True):
        planes = [int(image[row, column, channel])
                  for channel in range(3) for row in range(32) for column in range(32)]  # fmt: skip
        records.append(bytes([label, *planes]))
    return b"".join(records)


def test_records_are_read_as_they_are_described(batch: bytes, tmp_path: Path) -> None:
    (tmp_path / "batch.bin").write_bytes(batch)
    images, labels = read_batch(tmp_path / "batch.bin")
    assert labels.tolist() == [6, 9, 0]
    assert np.array_equal(images, np.random.default_rng(0).integers(0, 256, (3, 32, 32, 3)))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda data: data[:-1], "truncated"),
        (lambda data: b"", "truncated"),
        (lambda data: bytes([10]) + data[1:], "class 10"),
    ],
)
def test_other_files_are_refused(
    batch: bytes, tmp_path: Path, change: object, message: str
) -> None:
    assert callable(change)
    (tmp_path / "batch.bin").write_bytes(change(batch))
    with pytest.raises(FileFormatError, match=message):
        read_batch(tmp_path / "batch.bin")


def test_all_official_files_are_joined(
    batch: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cifar, "RECORDS", 3)
    (tmp_path / "cifar10").mkdir()
    for name in cifar.BATCHES["train"]:
        (tmp_path / "cifar10" / name).write_bytes(batch)
    images, labels = read_binary(tmp_path, "train")
    assert images.shape == (15, 32, 32, 3)
    assert labels.tolist() == [6, 9, 0] * 5
    (tmp_path / "cifar10" / "data_batch_4.bin").write_bytes(batch[:3073])
    with pytest.raises(DataError, match=r"data_batch_4.bin: it holds 1 images and not 3; get it"):
        read_binary(tmp_path, "train")


# ------------------------------------------------------------------------------ the lossy copy


def jpegs(count: int) -> tuple[list[bytes], np.ndarray]:
    """Make files of one colour each, which JPEG keeps but for rounding."""
    image = pytest.importorskip("PIL.Image", reason="JPEG is decoded by Pillow")
    colours = np.random.default_rng(1).integers(0, 256, (count, 3)).astype(np.uint8)
    files = []
    for colour in colours:
        stream = BytesIO()
        pixels = np.broadcast_to(colour, (32, 32, 3))
        image.fromarray(np.ascontiguousarray(pixels)).save(stream, "JPEG", quality=95)
        files.append(stream.getvalue())
    return files, colours


def write_jpegs(folder: Path, files: list[bytes], labels: list[int]) -> Path:
    path = folder / cifar.JPEG
    path.parent.mkdir(exist_ok=True)
    np.savez(
        path,
        test_jpeg_bytes=np.frombuffer(b"".join(files), dtype=np.uint8),
        test_length=np.array([len(file) for file in files], dtype=np.uint16),
        test_label=np.array(labels, dtype=np.uint8),
    )
    return path


@pytest.fixture
def twenty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cifar, "SIZES", {"test": 20})


@pytest.mark.usefixtures("twenty")
def test_images_are_decoded_and_mixed_with_their_classes(tmp_path: Path) -> None:
    files, colours = jpegs(20)
    labels = [k // 2 for k in range(20)]
    write_jpegs(tmp_path, files, labels)
    images, found = read_jpeg(tmp_path, "test")
    assert sorted(found) == labels
    assert found.tolist() != labels
    for image, label in zip(images, found, strict=True):
        near = [abs(image.astype(int) - colours[k]).max() for k in (2 * label, 2 * label + 1)]
        assert min(near) <= 3
    again, _ = read_jpeg(tmp_path, "test")
    assert np.array_equal(images, again)


@pytest.mark.usefixtures("twenty")
@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda files, labels: (files[:-1], labels[:-1]), "19 test images"),
        (lambda files, labels: (files, [0, *labels[:-1]]), "equally frequent"),
        (lambda files, labels: ([files[0][:100], *files[1:]], labels), "image 0 is damaged"),
        (lambda files, labels: ([b"\x89PNG" + files[0], *files[1:]], labels), "image 0 is damaged"),
    ],
)
def test_a_damaged_copy_is_refused(tmp_path: Path, damage: object, message: str) -> None:
    assert callable(damage)
    files, _ = jpegs(20)
    write_jpegs(tmp_path, *damage(files, [k // 2 for k in range(20)]))
    with pytest.raises(DataError, match=message) as caught:
        read_jpeg(tmp_path, "test")
    assert str(tmp_path / cifar.JPEG) in str(caught.value)


@settings(max_examples=40)
@given(data=st.data())
def test_bytes_that_nobody_vouches_for_are_refused_or_decoded(data: st.DataObject) -> None:
    files, _ = jpegs(1)
    file = bytearray(files[0])
    for place in data.draw(st.lists(st.integers(0, len(file) - 1), min_size=1, max_size=8)):
        file[place] = data.draw(st.integers(0, 255))
    try:
        assert cifar._decoded(bytes(file), 0).shape == (32, 32, 3)
    except cifar.GraphError as error:
        assert str(error).startswith("image 0 is damaged")  # noqa: PT017


@pytest.fixture(scope="module")
def copy(data_folder: Path) -> tuple[np.ndarray, np.ndarray]:
    """Give the test images of the real copy."""
    if not (data_folder / cifar.JPEG).exists():
        pytest.skip(f"{data_folder} has no copy of CIFAR-10")
    pytest.importorskip("PIL.Image", reason="JPEG is decoded by Pillow")
    return read_jpeg(data_folder, "test")


def test_the_copy_is_mixed(copy: tuple[np.ndarray, np.ndarray]) -> None:
    """It is class by class: without mixing, the first 5,000 to train on would be airplanes."""
    images, labels = copy
    assert images.shape == (10_000, 32, 32, 3)
    assert abs(np.bincount(labels[:1000]) - 100).max() < 50


# ------------------------------------------------------------------------------ superpixels


def test_the_grid_is_that_of_scikit_image() -> None:
    util = pytest.importorskip("skimage.util", reason="superpixels are cut by scikit-image")
    for n in range(20, 201):
        assert cifar._grid(n) == np.zeros((1, 32, 32))[util.regular_grid((1, 32, 32), n)].size


def test_counts_are_near_the_published_ones(copy: tuple[np.ndarray, np.ndarray]) -> None:
    """117.63 ± 4.29 on lossless images; the copy gives a little more, by any version."""
    pytest.importorskip("skimage", reason="superpixels are cut by scikit-image")
    images, labels = copy
    cut = cifar.cut_images(images[:80], labels[:80], None, "test", 1)
    counts = cut.num_segments.astype(float)
    assert 117 < counts.mean() < 120
    assert 3 < counts.std() < 5
    assert counts.max() <= 150


def test_superpixels_are_numbered_without_gaps() -> None:
    pytest.importorskip("skimage", reason="superpixels are cut by scikit-image")
    images = np.random.default_rng(0).integers(0, 256, (3, 32, 32, 3)).astype(np.uint8)
    cut = cifar.cut_images(images, np.zeros(3, np.uint8), None, "noise", 1)
    for segments, n in zip(cut.segments, cut.num_segments, strict=True):
        assert np.array_equal(np.unique(segments), np.arange(n))
        assert n <= 150
