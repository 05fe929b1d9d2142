"""ZINC: the published statistics, a small file made by hand, and files that are damaged."""

import pickle
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from spoiled import check, equal, spoilings
from torch_geometric.data import Data
from torch_geometric.datasets import ZINC

from gcn.data import zinc
from gcn.data.benchmarks import load
from gcn.data.dataset import DataError, Dataset
from gcn.data.store import write


@pytest.fixture(scope="module")
def real(data_folder: Path) -> Dataset:
    """Give the benchmark itself."""
    if not (data_folder / zinc.FILE).exists():
        pytest.skip(f"no {zinc.FILE} in {data_folder}")
    return load("zinc", data_folder)


# ------------------------------------------------------------------------- published statistics


def test_sizes_are_published(real: Dataset):
    parts = (real.train, real.valid, real.test)
    assert [part.num_graphs for part in parts] == [10_000, 1_000, 1_000]
    sizes = np.concatenate([np.diff(part.node_ptr) for part in parts])
    assert round(sizes.mean(), 6) == 23.155333  # printed by benchmarking-gnns
    assert sizes.std() == pytest.approx(4.481075565332749, abs=1e-14)
    edges = sum(part.edge_index.shape[1] for part in parts)
    assert round(edges / 12_000, 1) == 49.8  # the table in torch_geometric's documentation


@pytest.mark.parametrize(
    ("name", "nodes", "edges", "target"),
    [("train", 29, 64, 0.8350), ("valid", 35, 78, 0.6299), ("test", 16, 34, 1.9973)],
)
def test_first_molecules_are_those_of_the_release(
    real: Dataset, name: str, nodes: int, edges: int, target: float
):
    part = getattr(real, name)
    assert part.node_ptr[1] == nodes
    assert np.count_nonzero(part.edge_index[0] < nodes) == edges
    assert round(float(part.y[0, 0]), 4) == target


def test_targets_of_small_molecules_are_published(real: Dataset):
    parts = (real.train, real.valid, real.test)
    sizes = np.concatenate([np.diff(part.node_ptr) for part in parts])
    y = np.concatenate([part.y[:, 0] for part in parts]).astype(np.float64)[sizes < 27]
    assert len(y) == 9423
    assert (round(y.mean(), 4), round(y.std(), 4)) == (-0.1368, 1.9928)


def test_every_edge_goes_both_ways_with_one_bond_type(real: Dataset):
    part = real.valid
    nodes = len(part.x)
    forth = part.edge_index[0] * nodes + part.edge_index[1]
    back = part.edge_index[1] * nodes + part.edge_index[0]
    assert len(np.unique(forth)) == len(forth)
    there, here = np.argsort(forth), np.argsort(back)
    assert np.array_equal(forth[there], back[here])
    assert np.array_equal(part.edge_attr[there], part.edge_attr[here])
    assert set(np.unique(part.edge_attr)) == {1, 2, 3}


def test_it_trains_as_it_is(real: Dataset):
    batch = real.valid.collection().batch(torch.tensor([0, 7]))
    assert batch.y.shape == (2, 1)
    assert batch.edge_attr is not None
    assert batch.edge_attr.shape == (batch.prepared.num_edges, 1)
    assert "rebuilt from SMILES" in real.source or "official" in real.source


# ------------------------------------------------------------------------------ a file by hand


def molecule(atoms: list[int], bonds: list[tuple[int, int, int]], y: float) -> Data:
    """As torch_geometric gives it: directions sorted by the adjacency matrix."""
    both = sorted([(i, j, kind) for i, j, kind in bonds] + [(j, i, kind) for i, j, kind in bonds])
    return Data(
        x=torch.tensor(atoms)[:, None],
        edge_index=torch.tensor([(i, j) for i, j, _ in both], dtype=torch.int64).reshape(-1, 2).T,
        edge_attr=torch.tensor([kind for *_, kind in both], dtype=torch.int64),
        y=torch.tensor([y]),
    )


FORMALDEHYDE = molecule([0, 1], [(0, 1, 2)], 0.25)
CYANIDE = molecule([2, 0, 4], [(1, 0, 3), (2, 1, 1)], -1.5)
METHANE = molecule([0], [], 3.0)
SMALL = {"train": [CYANIDE, METHANE], "val": [FORMALDEHYDE], "test": [FORMALDEHYDE, CYANIDE]}


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a file of four molecules."""
    path = tmp_path_factory.mktemp("data") / zinc.FILE
    write(path, zinc.convert(SMALL))
    return path


def test_conversion_keeps_every_atom_and_bond(small: Path):
    part = zinc.read_parts(small)["train"]
    assert part.x.ravel().tolist() == [2, 0, 4, 0]
    assert part.y.ravel().tolist() == [-1.5, 3.0]
    assert part.node_ptr.tolist() == [0, 3, 4]
    found = zip(*part.edge_index.tolist(), part.edge_attr.ravel().tolist(), strict=True)
    assert sorted(found) == [(0, 1, 3), (1, 0, 3), (1, 2, 1), (2, 1, 1)]


def test_a_file_that_is_no_benchmark_is_refused(small: Path):
    with pytest.raises(DataError, match="train has 2 graphs, 4 nodes and 4 edges, and should have"):
        zinc.load(small.parent.parent)


def test_another_order_of_atoms_is_the_same_molecule_and_another_atom_is_not(tmp_path: Path):
    turned = molecule([4, 0, 2], [(1, 2, 3), (0, 1, 1)], -1.5)
    other = molecule([4, 0, 3], [(1, 2, 3), (0, 1, 1)], -1.5)
    codes = []
    for k, last in enumerate((CYANIDE, turned, other)):
        path = tmp_path / str(k) / zinc.FILE
        write(path, zinc.convert({**SMALL, "test": [FORMALDEHYDE, last]}))
        codes.append(zinc.fingerprint(zinc.read_parts(path)))
    assert codes[0] == codes[1] != codes[2]


@settings(max_examples=60)
@given(st.data())
def test_spoiled_bytes_give_one_error_or_the_same_molecules(small: Path, data: st.DataObject):
    check(zinc.read_parts, small, data.draw(spoilings(small.stat().st_size)))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"val_y": None}, "no array 'val_y'"),
        ({"val_y": np.array([1, 2])}, "y has to hold floats in 1 dimensions, not int64"),
        ({"val_y": np.array([[1.0]])}, r"of shape \(1, 1\)"),
        ({"val_y": np.array([1.0, 2.0, 3.0])}, "y has 3 rows for 2 nodes and 1 graphs"),
        ({"val_y": np.array([1.0, 2.0])}, "there are 2 targets for 1 molecules"),
        ({"val_num_nodes": np.array([3])}, "x has 2 rows for 3 nodes"),
        ({"val_num_nodes": np.array([2, 2])}, "2 sizes for 1 numbers of edges"),
        ({"val_num_nodes": np.array([0])}, "graphs have 0 to 0 nodes"),
        ({"val_num_nodes": np.array([2**62])}, "graphs have 4611686018427387904 to"),
        ({"val_num_edges": np.array([2])}, "don't add up to the 1 that are listed"),
        ({"val_num_edges": np.array([-1])}, "don't add up"),
        ({"val_edges": np.array([[0, 2]])}, r"edge 0 joins \[0, 2\] in a graph of 2 nodes"),
        ({"val_edges": np.array([[0, -1]])}, r"edge 0 joins \[0, -1\]"),
        ({"val_edges": np.array([[0, 1, 1]])}, r"edges have shape \(1, 3\)"),
        ({"val_bond_type": np.array([1, 1])}, "edge_attr has 4 rows for 2 edges"),
        ({"val_atom_type": np.array([0.5, 1.0])}, "atom_type has to hold integers"),
    ],
)
def test_arrays_that_do_not_fit_are_named(
    tmp_path: Path, change: dict[str, np.ndarray | None], words: str
):
    path = tmp_path / zinc.FILE
    arrays = zinc.convert(SMALL) | change
    write(path, {name: array for name, array in arrays.items() if array is not None})
    with pytest.raises(DataError, match=words) as raised:
        zinc.read_parts(path)
    assert f"--dataset zinc --download --data {tmp_path}" in str(raised.value)


ALTERED = {
    "train_y": (9.0, "training targets are .* and should be 0.0153"),
    "test_y": (np.nan, "test's y holds numbers that are not finite"),
    "test_atom_type": (3, "its molecules are not those of the benchmark"),
    "test_edges": (3, "its molecules are not those of the benchmark"),
    "val_bond_type": (9, "valid's edge_attr has categories 1 to 9"),
}


@pytest.mark.parametrize("name", [*ALTERED, "val_y"])
def test_a_benchmark_that_was_altered_is_refused(
    data_folder: Path, real: Dataset, tmp_path: Path, name: str
):
    """Someone saved the file again, with something changed: with our checksum, or without one."""
    with np.load(data_folder / zinc.FILE) as stored:
        arrays = {key: stored[key] for key in stored.files}
    value, words = ALTERED.get(name, (0.0, "it was altered: it has no checksum"))
    arrays[name] = arrays[name].copy()
    arrays[name].flat[5:50] = value
    path = tmp_path / zinc.FILE
    if name in ALTERED:
        write(path, arrays)
    else:
        path.parent.mkdir()
        np.savez(path, **arrays)
    with pytest.raises(DataError, match=words):
        load("zinc", tmp_path)


# ----------------------------------------------------------------------------------- download


def lay(folder: Path) -> None:
    """Write the official source's files: all molecules, and which of them are in the benchmark."""
    for split, chosen in SMALL.items():
        listed = [METHANE, *chosen]
        stored = []
        for data in listed:
            matrix = torch.zeros(len(data.x), len(data.x), dtype=torch.int64)
            matrix[tuple(data.edge_index)] = data.edge_attr
            stored.append(
                {"atom_type": data.x[:, 0], "bond_type": matrix, "logP_SA_cycle_normalized": data.y}
            )
        (folder / f"{split}.pickle").write_bytes(pickle.dumps(stored))
        numbers = ",".join(str(k) for k in range(1, len(listed)))
        (folder / f"{split}.index").write_text(numbers + "\n")


def test_torch_geometric_reads_the_official_files_and_gives_the_same(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(ZINC, "download", lambda self: lay(Path(self.raw_dir)))
    with pytest.raises(DataError, match="train has 2 graphs"):  # four molecules are no benchmark
        load("zinc", tmp_path, download=True)
    assert equal(zinc.read_parts(tmp_path / zinc.FILE), zinc.read_parts(small))


def test_a_download_that_fails_is_one_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def refused(self: ZINC) -> None:
        raise OSError("Name or service not known")

    monkeypatch.setattr(ZINC, "download", refused)
    with pytest.raises(DataError, match=r"can't download ZINC \(OSError: Name or service"):
        load("zinc", tmp_path, download=True)
    assert not (tmp_path / zinc.FILE).exists()


def test_only_a_file_that_is_good_is_not_fetched_again(
    data_folder: Path, real: Dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    def asked(self: ZINC) -> None:
        raise OSError("asked")

    monkeypatch.setattr(ZINC, "download", asked)
    assert load("zinc", data_folder, download=True).source == real.source
    path = tmp_path / zinc.FILE
    path.parent.mkdir()
    path.write_bytes((data_folder / zinc.FILE).read_bytes()[:-9])
    with pytest.raises(DataError, match="asked"):
        load("zinc", tmp_path, download=True)


def test_a_directed_molecule_is_refused():
    broken = METHANE.clone()
    broken.x, broken.edge_index = torch.tensor([[0], [0]]), torch.tensor([[0], [1]])
    broken.edge_attr = torch.tensor([1])
    with pytest.raises(ValueError, match="graph 0 is directed"):
        zinc.convert({"train": [broken]})
