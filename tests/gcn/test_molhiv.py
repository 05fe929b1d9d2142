"""ogbg-molhiv: the published statistics, OGB's evaluator, small files, damage and download."""

import shutil
import sys
from itertools import chain
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from ogb_folder import lay, ogb
from spoiled import check, equal, spoilings
from torch_geometric.data import Data

from gcn.data import molhiv
from gcn.data.benchmarks import load
from gcn.data.dataset import DataError, Dataset
from gcn.data.store import write
from gcn.train.objective import Objective


@pytest.fixture(scope="module")
def real(data_folder: Path) -> Dataset:
    """Give the benchmark itself."""
    if not (data_folder / molhiv.FILE).exists():
        pytest.skip(f"no {molhiv.FILE} in {data_folder}")
    return load("molhiv", data_folder)


# ------------------------------------------------------------------------- published statistics


def test_statistics_are_published(real: Dataset):
    parts = (real.train, real.valid, real.test)
    assert [part.num_graphs for part in parts] == [32_901, 4_113, 4_113]
    graphs = sum(part.num_graphs for part in parts)
    assert graphs == 41_127
    assert sum(int(part.y.sum()) for part in parts) == 1_443
    # OGB's page has 25.5 nodes and 27.5 edges on average
    assert round(sum(len(part.x) for part in parts) / graphs, 1) == 25.5
    assert round(sum(part.edge_index.shape[1] for part in parts) / graphs / 2, 1) == 27.5


def test_bonds_and_hydrogens_add_up_to_the_degree(real: Dataset):
    """Feature 2 of an atom is its degree, feature 4 its hydrogens, which are no nodes."""
    part = real.valid
    bonds = np.bincount(part.edge_index[0], minlength=len(part.x))
    assert np.array_equal(bonds + part.x[:, 4], part.x[:, 2])


# ------------------------------------------------------------------------------ the evaluator


@given(st.data())
def test_the_metric_is_that_of_ogb(data: st.DataObject):
    """Few different scores, so that there are ties; some answers are not known."""
    evaluator = ogb("graphproppred").Evaluator("ogbg-molhiv")
    rows = st.tuples(st.integers(-3, 3), st.sampled_from([0.0, 1.0, np.nan]))
    pairs = data.draw(st.lists(rows, min_size=2, max_size=40))
    output = torch.tensor([[score / 7] for score, _ in pairs])
    y = torch.tensor([[answer] for _, answer in pairs], dtype=torch.float32)
    if not {0.0, 1.0} <= set(y.ravel().tolist()):
        return  # OGB raises
    theirs = evaluator.eval({"y_true": y, "y_pred": output})["rocauc"]
    assert abs(Objective("bce").metric(output, y) - theirs) <= len(pairs) * np.finfo(float).eps


# ------------------------------------------------------------------------------ a file by hand


def molecule(seed: int, nodes: int) -> Data:
    """A path of atoms with random features, as OGB lists it: an edge and its reverse by turns."""
    random = np.random.default_rng(seed)
    pairs = np.array([(i, i + 1) for i in range(nodes - 1)], dtype=np.int64).reshape(-1, 2)
    pairs = np.where(random.random((len(pairs), 1)) < 0.5, pairs, pairs[:, ::-1])
    both = np.stack([pairs, pairs[:, ::-1]], axis=1).reshape(-1, 2)
    kinds = random.integers(0, (5, 6, 2), (len(pairs), 3))
    return Data(
        x=torch.from_numpy(random.integers(0, (119, 5, 12, 12, 10, 6, 6, 2, 2), (nodes, 9))),
        edge_index=torch.from_numpy(both.T.copy()),
        edge_attr=torch.from_numpy(np.repeat(kinds, 2, axis=0)),
        y=torch.tensor([[seed % 2]]),
    )


SMALL = [molecule(seed, nodes) for seed, nodes in enumerate((3, 1, 4, 2, 5))]
SPLIT = {"train": np.array([4, 0]), "valid": np.array([3]), "test": np.array([1, 2])}


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a file of five molecules."""
    path = tmp_path_factory.mktemp("data") / molhiv.FILE
    write(path, molhiv.convert(SMALL, SPLIT))
    return path


def bonds(index: np.ndarray, kinds: np.ndarray) -> list[list[int]]:
    return sorted(np.column_stack([index.T, kinds]).tolist())


def test_conversion_keeps_every_atom_bond_and_answer(small: Path):
    for name, part in molhiv.read_parts(small).items():
        members = [SMALL[k] for k in sorted(SPLIT[name])]
        assert np.array_equal(part.x, np.concatenate([data.x for data in members]))
        assert part.y.ravel().tolist() == [float(data.y) for data in members]
        for k, data in enumerate(members):
            first, last = part.node_ptr[k : k + 2]
            mine = (part.edge_index[0] >= first) & (part.edge_index[0] < last)
            found = bonds(part.edge_index[:, mine] - first, part.edge_attr[mine])
            assert found == bonds(data.edge_index.numpy(), data.edge_attr.numpy())


@settings(max_examples=60)
@given(st.data())
def test_spoiled_bytes_give_one_error_or_the_same_molecules(small: Path, data: st.DataObject):
    check(molhiv.read_parts, small, data.draw(spoilings(small.stat().st_size)))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"split": np.array([0, 0, 1, 1, 1])}, r"it has splits \[0, 1\]"),
        ({"split": np.array([0, 1, 2, 3, 0])}, r"it has splits \[0, 1, 2, 3\]"),
        ({"split": np.array([0, 1, 2])}, "split has 3 rows, not 5"),
        ({"label": np.array([0.0] * 5)}, "label has to hold integers"),
        ({"label": np.array([0])}, "label has 1 rows, not 5"),
        ({"node_feat": np.zeros((3, 9), dtype=int)}, "node_feat has 3 rows, not 15"),
        ({"edge_feat": np.zeros((3, 3), dtype=int)}, "edge_feat has 3 rows, not 10"),
        ({"edges": np.full((10, 2), 9)}, r"edge 0 joins \[9, 9\] in a graph of 3 nodes"),
    ],
)
def test_arrays_that_do_not_fit_are_named(tmp_path: Path, change: dict[str, object], words: str):
    path = tmp_path / molhiv.FILE
    write(path, molhiv.convert(SMALL, SPLIT) | change)
    with pytest.raises(DataError, match=words) as raised:
        molhiv.read_parts(path)
    assert f"--dataset molhiv --download --data {tmp_path}" in str(raised.value)


def test_one_label_more_is_noticed(data_folder: Path, real: Dataset, tmp_path: Path):
    with np.load(data_folder / molhiv.FILE) as stored:
        arrays = {key: stored[key] for key in stored.files}
    arrays["label"] = arrays["label"].copy()
    arrays["label"][np.flatnonzero((arrays["split"] == 1) & (arrays["label"] == 0))[0]] = 1
    write(tmp_path / molhiv.FILE, arrays)
    with pytest.raises(DataError, match="valid has 82 molecules that inhibit HIV, not 81"):
        load("molhiv", tmp_path)


# ----------------------------------------------------------------------------------- download


def test_ogb_reads_its_own_format_and_we_convert_it(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """The package reads a folder like the one that its archive unpacks to."""
    graphs = ogb("graphproppred")
    once = [data.edge_index[:, ::2].T.tolist() for data in SMALL]
    kinds = [data.edge_attr[::2].tolist() for data in SMALL]
    archive = tmp_path / "archive"
    lay(
        archive,
        {
            "raw/edge": list(chain(*once)),
            "raw/edge-feat": list(chain(*kinds)),
            "raw/node-feat": list(chain(*(data.x.tolist() for data in SMALL))),
            "raw/num-node-list": [[len(data.x)] for data in SMALL],
            "raw/num-edge-list": [[len(edges)] for edges in once],
            "raw/graph-label": [[int(data.y)] for data in SMALL],
            **{f"split/scaffold/{name}": [[k] for k in SPLIT[name]] for name in SPLIT},
        },
    )
    theirs = graphs.GraphPropPredDataset

    def fetched(name: str, root: str) -> object:
        shutil.copytree(archive, Path(root) / "ogbg_molhiv")
        return theirs(name, root=root)

    monkeypatch.setattr(graphs, "GraphPropPredDataset", fetched)
    with pytest.raises(DataError, match="train has 2 graphs"):  # five molecules are no benchmark
        load("molhiv", tmp_path / "data", download=True)
    assert equal(molhiv.read_parts(tmp_path / "data" / molhiv.FILE), molhiv.read_parts(small))


def test_a_download_that_fails_is_one_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    graphs = ogb("graphproppred")

    def refused(*args: object, **words: object) -> None:
        raise SystemExit(-1)  # what ogb does if one declines

    monkeypatch.setattr(graphs, "GraphPropPredDataset", refused)
    with pytest.raises(DataError, match=r"can't download ogbg-molhiv \(SystemExit: -1\)"):
        load("molhiv", tmp_path, download=True)


def test_without_ogb_the_error_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "ogb.graphproppred", None)
    with pytest.raises(DataError, match=r"pip install 'polyfilter\[benchmarks\]'"):
        load("molhiv", tmp_path, download=True)
