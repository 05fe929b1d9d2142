"""Cora and Citeseer: the published statistics, small files, damage and download."""

import pickle
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from spoiled import check, equal, spoilings
from torch_geometric.data import Data
from torch_geometric.datasets import Planetoid

from gcn.data import planetoid
from gcn.data.benchmarks import load
from gcn.data.dataset import DataError, Dataset
from gcn.data.store import write
from gcn.train.loop import evaluate

NAMES = ("cora", "citeseer")
EPS = float(np.finfo(np.float32).eps)


@pytest.fixture(scope="module", params=NAMES)
def real(request: pytest.FixtureRequest, data_folder: Path) -> Dataset:
    """Give each data set itself."""
    if not (data_folder / "planetoid" / f"{request.param}.npz").exists():
        pytest.skip(f"no planetoid/{request.param}.npz in {data_folder}")
    return load(request.param, data_folder)


# ------------------------------------------------------------------------- published statistics


def test_statistics_are_published(real: Dataset):
    """Nodes, edges, features and classes, as in Yang et al. and torch_geometric's table."""
    nodes, edges, features, classes = {
        "cora": (2_708, 10_556, 1_433, 7),
        "citeseer": (3_327, 9_104, 3_703, 6),
    }[real.task.name]
    for part in (real.train, real.valid, real.test):
        assert part.x.shape == (nodes, features)
        assert part.edge_index.shape == (2, edges)
    asked = [(part.y >= 0).sum() for part in (real.train, real.valid, real.test)]
    assert asked == [20 * classes, 500, 1_000]
    _, counts = np.unique(real.train.y[real.train.y >= 0], return_counts=True)
    assert counts.tolist() == [20] * classes


def test_rows_add_up_to_one_or_are_empty(real: Dataset):
    words = (real.train.x > 0).sum(axis=1)
    total = real.train.x.sum(axis=1, dtype=np.float64)
    assert np.abs(total[words > 0] - 1).max() <= EPS * words.max()
    assert np.count_nonzero(words == 0) == (15 if real.task.name == "citeseer" else 0)


def test_no_node_is_asked_twice(real: Dataset):
    asked = [part.y[:, 0] >= 0 for part in (real.train, real.valid, real.test)]
    assert np.sum(asked, axis=0).max() == 1


def test_parts_share_their_arrays(real: Dataset):
    assert np.shares_memory(real.train.x, real.test.x)
    assert np.shares_memory(real.train.edge_index, real.valid.edge_index)


def test_a_network_is_scored_on_what_is_asked(real: Dataset):
    """Always the same field: right as often as that field occurs among the papers to test."""

    class Always(torch.nn.Module):
        def forward(self, x: torch.Tensor, *rest: object, **words: object) -> torch.Tensor:
            return torch.eye(real.task.out_channels)[[2] * len(x)]

    score = evaluate(Always(), real.test.collection(), "cross_entropy")
    assert score.samples == 1_000
    assert score.metric == np.count_nonzero(real.test.y == 2) / 1_000


# ------------------------------------------------------------------------------ a file by hand


def citations() -> Data:
    """Five papers, of which the last has no words."""
    x = torch.tensor([[1.0, 0, 1], [0, 1, 0], [1, 1, 1], [0, 0, 1], [0, 0, 0]])
    index = torch.tensor([[1, 0, 2, 1, 3, 2], [0, 1, 1, 2, 2, 3]])
    masks = torch.tensor([[1, 0, 0, 0, 0], [0, 1, 0, 0, 0], [0, 0, 1, 1, 0]], dtype=torch.bool)
    return Data(
        x=x,
        edge_index=index,
        y=torch.tensor([1, 0, 1, 0, 0]),
        train_mask=masks[0],
        val_mask=masks[1],
        test_mask=masks[2],
    )


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a file of five papers."""
    path = tmp_path_factory.mktemp("data") / "planetoid" / "cora.npz"
    write(path, planetoid.convert(citations()))
    return path


def test_conversion_keeps_words_citations_and_fields(small: Path):
    parts = planetoid.read_parts(small, "cora")
    x = parts["train"].x
    third = np.float32(1) / np.float32(3)
    assert x.tolist() == [[0.5, 0, 0.5], [0, 1, 0], [third] * 3, [0, 0, 1], [0, 0, 0]]
    assert [part.y.ravel().tolist() for part in parts.values()] == [
        [1, -1, -1, -1, -1],
        [-1, 0, -1, -1, -1],
        [-1, -1, 1, 0, -1],
    ]
    pairs = sorted(zip(*parts["test"].edge_index.tolist(), strict=True))
    assert pairs == [(0, 1), (1, 0), (1, 2), (2, 1), (2, 3), (3, 2)]
    with np.load(small) as stored:
        assert stored["label"].tolist() == [1, 0, 1, 0, -1]


@settings(max_examples=60)
@given(st.data())
def test_spoiled_bytes_give_one_error_or_the_same_graph(small: Path, data: st.DataObject):
    read = partial(planetoid.read_parts, name="cora")
    check(read, small, data.draw(spoilings(small.stat().st_size)))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"edges": np.array([[0, 5]])}, r"edge 0 joins \[0, 5\] in a graph of 5 nodes"),
        ({"label": np.array([0, 1])}, "2 labels for 5 nodes"),
        ({"label": np.array([0, 1, -1, 0, 0])}, "test_idx names a node without a label"),
        ({"num_nodes": np.array(4)}, "5 labels for 4 nodes"),
        ({"num_nodes": np.array([5])}, "num_nodes has to hold integers in 0 dimensions"),
        ({"train_idx": np.array([5])}, "train_idx names other nodes than the 5"),
        ({"train_idx": np.array([], dtype=int)}, "train_idx names other nodes"),
        ({"val_idx": np.array([0])}, "val_idx names a node that was named before"),
        ({"val_idx": np.array([1, 1])}, "val_idx names a node that was named before"),
        ({"feat_dim": np.array(2)}, "feat_indices names other words than the 2"),
        ({"feat_dim": np.array(2**40)}, "are not made"),
        ({"feat_indptr": np.array([0, 7])}, "no sparse matrix"),
        ({"feat_indptr": np.array([0, 3, 2, 6, 7, 7])}, "no sparse matrix"),
        ({"feat_data": np.full(7, np.nan)}, "not positive"),
        ({"feat_data": np.full(6, 1.0)}, "no sparse matrix"),
    ],
)
def test_arrays_that_do_not_fit_are_named(tmp_path: Path, change: dict[str, object], words: str):
    path = tmp_path / "planetoid" / "cora.npz"
    write(path, planetoid.convert(citations()) | change)
    with pytest.raises(DataError, match=words) as raised:
        planetoid.read_parts(path, "cora")
    assert f"--dataset cora --download --data {tmp_path}" in str(raised.value)


def test_another_graph_is_refused(small: Path):
    with pytest.raises(DataError, match="it is not Cora as published"):
        load("cora", small.parent.parent)


# ----------------------------------------------------------------------------------- download


def lay(path: Path, folder: Path, name: str) -> None:
    """Write the eight files of the official source from ours.

    Matrices x and y are of the papers to train on, allx and ally of all but those to test, tx and
    ty of those, in the order of test.index; a paper without a label is in none of them.
    """
    with np.load(path) as stored:
        found = {name: stored[name] for name in stored.files}
    nodes, width = int(found["num_nodes"]), int(found["feat_dim"])
    parts = (found["feat_data"], found["feat_indices"], found["feat_indptr"])
    x, test = csr_matrix(parts, shape=(nodes, width)), found["test_idx"]
    y = np.eye(int(found["label"].max()) + 1, dtype=np.int32)[found["label"]]
    first, train = int(test.min()), len(found["train_idx"])
    both = np.vstack([found["edges"], found["edges"][:, ::-1]])
    graph: dict[int, list[int]] = {node: [] for node in range(nodes)}
    for i, j in both.tolist():
        graph[i].append(j)
    graph[0].append(0)  # the original has loops and repeated edges, too
    graph[0].append(graph[0][0])
    matrices = {"x": x[:train], "y": y[:train], "allx": x[:first], "ally": y[:first]}
    for kind, matrix in {**matrices, "tx": x[test], "ty": y[test], "graph": graph}.items():
        (folder / f"ind.{name}.{kind}").write_bytes(pickle.dumps(matrix))
    (folder / f"ind.{name}.test.index").write_text("\n".join(map(str, test)) + "\n")


def test_torch_geometric_reads_the_official_files_and_gives_the_same(
    real: Dataset, data_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    name = real.task.name

    def download(self: Planetoid) -> None:
        lay(data_folder / "planetoid" / f"{name}.npz", Path(self.raw_dir), name)

    monkeypatch.setattr(Planetoid, "download", download)
    found = load(name, tmp_path, download=True)
    assert found.source == real.source
    parts = [{part: getattr(data, part) for part in planetoid.SPLITS} for data in (found, real)]
    assert equal(*parts)


def test_a_download_that_fails_is_one_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def refused(self: Planetoid) -> None:
        raise OSError("Name or service not known")

    monkeypatch.setattr(Planetoid, "download", refused)
    with pytest.raises(DataError, match=r"can't download Citeseer \(OSError: Name or service"):
        load("citeseer", tmp_path, download=True)
