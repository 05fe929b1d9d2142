"""ogbn-proteins: small tables of the archive's format, read by the ogb package as the real ones."""

import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ogb_folder import lay, ogb
from spoiled import check, spoilings

from gcn.data import proteins
from gcn.data.benchmarks import load
from gcn.data.dataset import DataError, Dataset
from gcn.data.store import Sizes, write

NODES, TASKS = 7, 112
PAIRS = [(0, 1), (2, 1), (2, 3), (4, 2), (5, 0)]  # node 6 has no edges
RANDOM = np.random.default_rng(0)
FEATURES = RANDOM.integers(0, 9, (len(PAIRS), 8)) / 8
LABELS = RANDOM.integers(0, 2, (NODES, TASKS))
SPLIT = {"train": [0, 3, 6], "valid": [1, 5], "test": [4, 2]}


@pytest.fixture
def tables(tmp_path: Path) -> Path:
    """Give a data folder that holds what the archive of ogbn-proteins unpacks to."""
    lay(
        tmp_path / proteins.ARCHIVE,
        {
            "raw/edge": PAIRS,
            "raw/edge-feat": FEATURES.tolist(),
            "raw/num-node-list": [[NODES]],
            "raw/num-edge-list": [[len(PAIRS)]],
            "raw/node-label": LABELS.tolist(),
            "raw/node_species": [[3702]] * NODES,
            **{f"split/species/{name}": [[k] for k in SPLIT[name]] for name in SPLIT},
        },
    )
    return tmp_path


@pytest.fixture
def published(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the small tables pass for the benchmark."""
    monkeypatch.setattr(proteins, "SIZES", Sizes(1, NODES, 2 * len(PAIRS)))
    monkeypatch.setattr(proteins, "ASKED", {name: len(nodes) for name, nodes in SPLIT.items()})


def check_all(found: Dataset) -> None:
    assert found.task.out_channels == TASKS
    mean = np.zeros((NODES, 8))
    for node in range(NODES):
        mine = [FEATURES[k] for k, pair in enumerate(PAIRS) if node in pair]
        mean[node] = np.mean(mine, axis=0) if mine else 0
    for name in SPLIT:
        part = getattr(found, name)
        assert np.abs(part.x - mean).max() <= np.finfo(np.float32).eps
        asked = np.flatnonzero(~np.isnan(part.y).all(axis=1))
        assert asked.tolist() == sorted(SPLIT[name])
        assert np.array_equal(part.y[asked], LABELS[asked])
        pairs = sorted(zip(*part.edge_index.tolist(), strict=True))
        assert pairs == sorted([*PAIRS, *((j, i) for i, j in PAIRS)])


@pytest.mark.usefixtures("published")
def test_ogb_reads_its_own_format_and_we_keep_it(tables: Path, monkeypatch: pytest.MonkeyPatch):
    ogb("nodeproppred")
    check_all(load("proteins", tables))
    assert (tables / proteins.FILE).exists()
    monkeypatch.setitem(sys.modules, "ogb.nodeproppred", None)  # from now on it is not needed
    check_all(load("proteins", tables))


@pytest.mark.usefixtures("published")
def test_what_ogb_keeps_for_itself_is_no_hindrance(tables: Path):
    """Somebody used the package in the same folder, and it left a pickle."""
    ogb("nodeproppred").NodePropPredDataset("ogbn-proteins", root=str(tables))
    assert (tables / proteins.ARCHIVE / "processed" / "data_processed").exists()
    before = sorted(tables.rglob("*"))
    check_all(load("proteins", tables))
    assert set(tables.rglob("*")) - set(before) == {tables / "proteins", tables / proteins.FILE}


def test_another_graph_is_refused(tables: Path):
    ogb("nodeproppred")
    words = "train has 1 graphs, 7 nodes and 10 edges, and should have 1 graphs, 132,534 nodes"
    with pytest.raises(DataError, match=words):
        load("proteins", tables)


def test_nothing_there_is_one_error(tmp_path: Path):
    with pytest.raises(DataError, match="--dataset proteins --download") as raised:
        load("proteins", tmp_path)
    assert str(tmp_path / proteins.FILE) in str(raised.value)


def test_without_ogb_the_error_names_the_extra(tables: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "ogb.nodeproppred", None)
    with pytest.raises(DataError, match=r"pip install 'polyfilter\[benchmarks\]'"):
        load("proteins", tables)


def test_a_download_that_fails_is_one_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def refused(url: str) -> bool:
        raise OSError("Name or service not known")

    monkeypatch.setattr(ogb("nodeproppred.dataset"), "decide_download", refused)
    with pytest.raises(DataError, match=r"can't download ogbn-proteins \(OSError: Name or service"):
        load("proteins", tmp_path, download=True)


# ------------------------------------------------------------------------------------ our file


def arrays() -> dict[str, np.ndarray]:
    both = np.array([pair for i, j in PAIRS for pair in ((i, j), (j, i))]).T
    graph = {"edge_index": both, "edge_feat": np.repeat(FEATURES, 2, axis=0), "num_nodes": NODES}
    return proteins.convert(graph, LABELS, SPLIT)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a file of seven proteins."""
    path = tmp_path_factory.mktemp("data") / proteins.FILE
    write(path, arrays())
    return path


@settings(max_examples=60)
@given(st.data())
def test_spoiled_bytes_give_one_error_or_the_same_graph(small: Path, data: st.DataObject):
    check(proteins.read_parts, small, data.draw(spoilings(small.stat().st_size)))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"x": np.full((NODES, 8), np.nan)}, "x holds numbers that are not finite"),
        ({"x": np.zeros((3, 8))}, "x has 3 rows for 7 nodes"),
        ({"label": np.zeros((3, TASKS), dtype=int)}, "3 rows of labels for 7 nodes"),
        ({"split": np.array([0, 1, 2, 3, 0, 0, 0])}, r"it has splits \[0, 1, 2, 3\]"),
        ({"edges": np.array([[0, 7]])}, r"edge 0 joins \[0, 7\] in a graph of 7 nodes"),
    ],
)
def test_arrays_that_do_not_fit_are_named(tmp_path: Path, change: dict[str, object], words: str):
    path = tmp_path / proteins.FILE
    write(path, arrays() | change)
    with pytest.raises(DataError, match=words):
        proteins.read_parts(path)


def test_an_edge_with_two_opinions_is_refused():
    graph = {
        "edge_index": np.array([[0, 1], [1, 0]]),
        "edge_feat": np.array([[1.0], [0.5]]),
        "num_nodes": 2,
    }
    with pytest.raises(ValueError, match="the graph is directed"):
        proteins.convert(graph, np.zeros((2, 1)), {"train": [0], "valid": [1], "test": []})
