"""MNIST's superpixels are the published ones to the digit; data sets of them fit their tasks."""

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch_geometric.data import Data

from gcn.data import benchmarks, cifar, mnist, superpixels
from gcn.data.dataset import DataError, Dataset
from polyfilter.errors import GraphError


@pytest.fixture(scope="module")
def digits(data_folder: Path) -> dict[str, Any]:
    if not (data_folder / mnist.SEGMENTS).exists():
        pytest.skip(f"{data_folder} has no superpixels of MNIST")
    return {half: mnist.read(data_folder, half) for half in ("train", "test")}


def test_the_published_statistics_of_mnist_to_the_digit(digits: dict[str, Any]) -> None:
    """As printed in the benchmark's notebooks, over all 70,000 images."""
    train, test = (digits[half].num_segments.astype(np.float64) for half in ("train", "test"))
    n = np.concatenate([train, test])
    assert len(n) == 70_000
    assert n.mean() == 70.56668571428571
    assert n.std() == 6.839718781902528
    assert (n.min(), n.max()) == (40, 75)
    assert (test.min(), test.max()) == (42, 75)


def test_the_first_graphs_of_mnist_are_the_published_ones(digits: dict, data_folder: Path) -> None:
    dataset = superpixels.load(data_folder, name="mnist", limit=3)
    first = [
        (int(part.node_ptr[1]), int(part.y[0, 0]))
        for part in (dataset.train, dataset.valid, dataset.test)
    ]
    assert first == [(69, 7), (71, 5), (74, 7)]


def test_graphs_of_mnist_fit_the_task(digits: dict, data_folder: Path) -> None:
    dataset = superpixels.load(data_folder, name="mnist", limit=50)
    part = dataset.train
    assert (part.num_graphs, part.x.shape[1]) == (50, 3)
    assert part.x.min() >= 0
    assert part.x.max() <= 1
    # ink is in the middle: colour is the first feature, and row and column are centred
    assert abs(part.x[:, 1:].mean(axis=0) - 0.5).max() < 0.05
    assert part.x[:, 0].mean() < 0.4
    index = torch.tensor(part.edge_index)
    assert part.collection().prepared.is_symmetric
    assert 8 < index.shape[1] / len(part.x) < 10
    directed = superpixels.load(data_folder, name="mnist", limit=50, directed=True)
    counts = np.bincount(directed.train.edge_index[0])
    assert (counts == 8).all()


# ------------------------------------------------------------------------------ made data


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Give a data folder with a small CIFAR10 of made images: 4 to train on, 3 and 2."""
    pytest.importorskip("skimage", reason="superpixels of CIFAR10 are cut by scikit-image")
    rng = np.random.default_rng(0)
    (tmp_path / "cifar10").mkdir()
    monkeypatch.setattr(cifar, "RECORDS", 7)
    monkeypatch.setattr(cifar, "BATCHES", {"train": ("data_batch_1.bin",), "test": ("test.bin",)})
    monkeypatch.setattr(superpixels, "PARTS", {
        "train": ("train", slice(3, None)), "valid": ("train", slice(0, 3)),
        "test": ("test", slice(0, 2)),
    })  # fmt: skip
    for name in ("data_batch_1.bin", "test.bin"):
        records = np.column_stack([rng.integers(0, 10, 7), rng.integers(0, 256, (7, 3072))])
        (tmp_path / "cifar10" / name).write_bytes(records.astype(np.uint8).tobytes())
    return tmp_path


def equal(a: Dataset, b: Dataset) -> bool:
    return all(
        np.array_equal(getattr(getattr(a, part), name), getattr(getattr(b, part), name))
        for part in ("train", "valid", "test")
        for name in ("x", "y", "node_ptr", "edge_index", "edge_attr")
    )


def test_cifar10_is_made_kept_and_cut_short(small: Path) -> None:
    made = superpixels.load(small, name="cifar10")
    assert [p.num_graphs for p in (made.train, made.valid, made.test)] == [4, 3, 2]
    assert made.train.x.shape[1] == 5
    kept = sorted(path.name for path in (small / "cifar10").glob("**/*.npz"))
    assert kept == [
        "cifar10-nearest.npz",
        "cifar10-test-00000.npz",
        "cifar10-train-00000.npz",
        "cifar10-valid-00000.npz",
    ]
    assert equal(made, superpixels.load(small, name="cifar10"))
    assert equal(made, benchmarks.load("cifar10", small))
    short = superpixels.load(small, name="cifar10", limit=1)
    assert short.test.num_graphs == 1
    assert np.array_equal(short.train.x, made.train.x[: made.train.node_ptr[1]])


def test_interrupted_work_goes_on(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cifar, "CHUNK", 3)  # so that there are two for processes of their own
    made = superpixels.load(small, name="cifar10", jobs=1)
    (small / "cifar10" / "cifar10-nearest.npz").unlink()
    monkeypatch.setattr(cifar, "_cut", lambda *_: pytest.fail("it was cut again"))
    assert equal(made, superpixels.load(small, name="cifar10"))
    (small / "cifar10" / "cifar10-nearest.npz").unlink()
    shutil.copy(
        small / "cifar10" / "segments" / "cifar10-train-00000.npz",
        small / "cifar10" / "segments" / "cifar10-train-00003.npz",
    )
    with pytest.raises(DataError, match="move it away"):
        superpixels.load(small, name="cifar10")


def test_a_limit_cuts_only_what_it_needs_and_keeps_nothing(small: Path) -> None:
    few = superpixels.load(small, name="cifar10", limit=2)
    assert [p.num_graphs for p in (few.train, few.valid, few.test)] == [2, 2, 2]
    assert list((small / "cifar10").glob("**/*.npz")) == []
    whole = superpixels.load(small, name="cifar10")
    assert np.array_equal(few.train.x, whole.train.x[: whole.train.node_ptr[2]])


def test_a_kept_file_of_another_kind_is_refused(small: Path) -> None:
    superpixels.load(small, name="cifar10")
    folder = small / "cifar10"
    (folder / "cifar10-nearest.npz").rename(folder / "cifar10-official.npz")
    with pytest.raises(DataError, match=r"nearest.*instead of.*official.*move it away"):
        superpixels.load(small, name="cifar10")


# ------------------------------------------------------------------------------ downloads


def graph(n: int, seed: int) -> Data:
    rng = np.random.default_rng(seed)
    target = np.stack([rng.permutation(np.delete(np.arange(n), i))[:8] for i in range(n)])
    return Data(
        x=torch.rand(n, 1),
        pos=torch.rand(n, 2),
        edge_index=torch.tensor(np.stack([np.repeat(np.arange(n), 8), target.ravel()])),
        edge_attr=torch.rand(8 * n, 1),
        y=torch.tensor([seed]),
    )


def test_downloaded_graphs_keep_their_edges() -> None:
    graphs = [graph(12, 0), graph(15, 1)]
    arrays = superpixels.convert(graphs)
    part = superpixels._part(arrays, directed=True, limit=None)
    first = 0
    for one in graphs:
        n = len(one.x)
        wanted = {
            (int(i), int(j)): float(a)
            for (i, j), a in zip(one.edge_index.T, one.edge_attr[:, 0], strict=True)
        }
        mine = (part.edge_index[0] >= first) & (part.edge_index[0] < first + n)
        found = dict(zip(map(tuple, part.edge_index[:, mine].T - first),
                         part.edge_attr[mine, 0], strict=True))  # fmt: skip
        assert found.keys() == wanted.keys()
        assert all(abs(found[edge] - wanted[edge]) < 1e-3 for edge in wanted)
        assert np.allclose(part.x[first : first + n], torch.cat([one.x, one.pos], 1), atol=1e-3)
        first += n
    assert part.y.ravel().tolist() == [0, 1]


def test_a_graph_with_other_degrees_is_refused() -> None:
    bad = graph(12, 0)
    bad.edge_index = bad.edge_index.flip(0)
    with pytest.raises(GraphError, match="does not have 8 neighbours"):
        superpixels.convert([bad])


class Official:
    """Stands for torch_geometric's class, whose files are elsewhere."""

    def __new__(cls, root: str, name: str, split: str) -> list[Data]:
        assert name == "MNIST"
        return [graph(10 + k, k) for k in range({"train": 3, "val": 2, "test": 1}[split])]


def test_official_graphs_are_preferred_and_fetched_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("torch_geometric.datasets.GNNBenchmarkDataset", Official)
    monkeypatch.setitem(superpixels.SIZES, "mnist", {"train": 3, "valid": 2, "test": 1})
    got = superpixels.load(tmp_path, name="mnist", download=True)
    assert "benchmark's own" in got.source
    monkeypatch.delattr("torch_geometric.datasets.GNNBenchmarkDataset")
    assert equal(got, superpixels.load(tmp_path, name="mnist"))
    assert equal(got, superpixels.load(tmp_path, name="mnist", download=True))


def test_a_download_of_another_size_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("torch_geometric.datasets.GNNBenchmarkDataset", Official)
    with pytest.raises(DataError, match="3 graphs, not 55000"):
        superpixels.load(tmp_path, name="mnist", download=True)


# ------------------------------------------------------------------------------ mistakes


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"name": "svhn"}, "mnist, cifar10, cifar10-jpeg"),
        ({"name": "mnist", "limit": 0}, "at least one graph"),
        ({"name": "cifar10-jpeg", "download": True}, "can't be downloaded"),
        ({"name": "cifar10"}, "--dataset cifar10 --download"),
    ],
)
def test_mistakes_are_told(tmp_path: Path, words: dict[str, Any], message: str) -> None:
    with pytest.raises((DataError, GraphError), match=message):
        superpixels.load(tmp_path, **words)


@pytest.mark.parametrize("name", superpixels.TASKS)
def test_without_a_folder_it_says_so(name: str) -> None:
    with pytest.raises(DataError, match="say where with --data"):
        benchmarks.load(name, None)
