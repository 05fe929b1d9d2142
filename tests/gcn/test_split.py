"""The file of a split: what went in comes out, and anything else is refused in one sentence."""

import json
import pickle
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from gcn.data import sgs
from gcn.data.recipe import Recipe
from gcn.data.split import ARRAYS, Split, load
from polyfilter.errors import FileFormatError, FilterError
from polyfilter.signals import union_adjacency


@pytest.fixture(scope="module")
def split() -> Split:
    return sgs.generate("band-pass", "valid", seed=3, count=4)


@pytest.fixture
def path(split: Split, tmp_path: Path) -> Path:
    split.save(tmp_path / "split.npz")
    return tmp_path / "split.npz"


def same(a: Split, b: Split) -> bool:
    meta = [(s.target, s.part, s.seed, s.recipe, len(s.graphs)) for s in (a, b)]
    equal = [np.array_equal(getattr(a, name), getattr(b, name)) for name in ("spectrum", "x", "y")]
    pairs = list(zip(a.graphs, b.graphs, strict=True))
    graphs = [np.array_equal(g.edges()[0], h.edges()[0]) for g, h in pairs]
    sizes = [g.num_nodes == h.num_nodes for g, h in pairs]
    return meta[0] == meta[1] and all(equal + graphs + sizes) and a.checksum == b.checksum


def arrays_of(path: Path) -> dict[str, Any]:
    with np.load(path, allow_pickle=False) as found:
        return {name: found[name] for name in found.files}


def forge(path: Path, header: dict[str, Any] | None = None, **changes: Any) -> None:
    """Write the file with changes and a checksum that fits them."""
    arrays = arrays_of(path)
    text = json.loads(arrays.pop("header").tobytes()) | (header or {})
    arrays |= changes
    text.pop("sha256")
    digest = sha256(json.dumps(text, sort_keys=True).encode())
    for name in ARRAYS:
        digest.update(f"{name} {arrays[name].dtype.str} {arrays[name].shape}".encode())
        digest.update(arrays[name].tobytes())
    line = json.dumps(text | {"sha256": digest.hexdigest()}).encode()
    np.savez(path, header=np.frombuffer(line, dtype=np.uint8), **arrays)


def test_it_comes_back_whole(split: Split, path: Path) -> None:
    assert same(load(path), split)


def test_the_same_split_gives_the_same_bytes(split: Split, path: Path) -> None:
    split.save(path.with_name("again.npz"))
    assert path.with_name("again.npz").read_bytes() == path.read_bytes()
    assert sorted(p.name for p in path.parent.iterdir()) == ["again.npz", "split.npz"]


def test_a_forged_file_that_changes_nothing_is_read(split: Split, path: Path) -> None:
    forge(path)
    assert same(load(path), split)


def test_every_truncation_is_refused(path: Path) -> None:
    data = path.read_bytes()
    for length in {0, 1, 100, len(data) - 1, *range(0, len(data), max(1, len(data) // 40))}:
        path.write_bytes(data[:length])
        with pytest.raises(FileFormatError, match=r"split\.npz"):
            load(path)


def test_no_altered_byte_changes_what_is_read(split: Split, path: Path) -> None:
    data = path.read_bytes()
    refused = []
    places = np.random.default_rng(0).choice(len(data), 300, replace=False)
    for place in places:
        path.write_bytes(data[:place] + bytes([data[place] ^ 0x10]) + data[place + 1 :])
        try:
            found = load(path)
        except FileFormatError as error:
            refused.append(str(error))
        else:
            assert same(found, split)  # a date in the archive, say
    assert all("split.npz" in sentence and "\n" not in sentence for sentence in refused)
    assert len(refused) > 0.9 * len(places)


def test_a_changed_number_is_named_an_alteration(path: Path) -> None:
    arrays = arrays_of(path)
    arrays["y"] = arrays["y"] + np.int32(1)
    np.savez(path, **arrays)  # the archive's own checksums are right
    with pytest.raises(FileFormatError, match="was altered: its content is not what its checksum"):
        load(path)


def test_a_changed_seed_is_an_alteration_too(path: Path) -> None:
    arrays = arrays_of(path)
    header = json.loads(arrays["header"].tobytes()) | {"seed": 4}
    arrays["header"] = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    np.savez(path, **arrays)
    with pytest.raises(FileFormatError, match="was altered"):
        load(path)


@pytest.mark.parametrize(
    ("header", "words"),
    [
        ({"format": "else"}, 'no "format": "gcn.sgs"'),
        ({"version": 99}, "has version 99, and we read 1; make it again"),
        ({"recipe": {"basis": "uniform"}}, "holds no SGS data: a recipe has the choices"),
        ({"recipe": 7}, "holds no SGS data"),
        ({"seed": "zero"}, "holds no SGS data: the seed"),
        ({"target": ["low-pass"]}, "holds no SGS data: the target"),
    ],
)
def test_a_header_that_is_not_ours_is_refused(
    path: Path, header: dict[str, Any], words: str
) -> None:
    forge(path, header)
    with pytest.raises(FileFormatError, match=words):
        load(path)


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("x", np.zeros(3, "<i4"), r"x has shape \(3,\) for"),
        ("y", np.zeros((4, 2), "<i4"), r"y has shape \(4, 2\)"),
        ("spectrum", np.zeros(400, "<f8"), "spectrum is of type float64"),
        ("num_edges", np.array([1, 1, 1, 1], "<i4"), "num_edges add up to 4"),
        ("num_nodes", np.array([-1, 90, 90, 90], "<i4"), "holds no SGS data"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(
    path: Path, name: str, value: np.ndarray, words: str
) -> None:
    forge(path, **{name: value})
    with pytest.raises(FileFormatError, match=words):
        load(path)


def test_no_pickle_is_opened(path: Path, tmp_path: Path) -> None:
    class Trap:
        def __reduce__(self) -> tuple[Any, ...]:
            return (Path.touch, (tmp_path / "sprung",))

    arrays = arrays_of(path) | {"x": np.array([Trap()], dtype=object)}
    np.savez(path, **arrays)
    with pytest.raises(FileFormatError, match="Python objects"):
        load(path)
    path.write_bytes(pickle.dumps(Trap()))
    with pytest.raises(FileFormatError, match=r"not an \.npz file"):
        load(path)
    assert not (tmp_path / "sprung").exists()


def test_missing_arrays_and_odd_headers_are_refused(path: Path) -> None:
    arrays = arrays_of(path)
    np.savez(path, **{name: array for name, array in arrays.items() if name != "edges"})
    with pytest.raises(FileFormatError, match=r"split\.npz"):
        load(path)
    for text in (b"{", b"[1]", b"[" * 100_000, b"\xff"):
        np.savez(path, **arrays | {"header": np.frombuffer(text, dtype=np.uint8)})
        with pytest.raises(FileFormatError, match=r"split\.npz"):
            load(path)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_the_collection_is_the_split(split: Split, dtype: torch.dtype) -> None:
    collection = split.collection(dtype=dtype)
    # float32 holds the signals exactly
    assert np.array_equal(collection.x.double().numpy()[:, 0], split.x)
    assert np.array_equal(collection.y.double().numpy()[:, 0], split.y)
    assert collection.num_graphs == len(split.graphs)
    A = union_adjacency(split.graphs)
    hop = collection.prepared.propagate(collection.x).double().numpy()[:, 0]
    degree = int(max(graph.degrees.max() for graph in split.graphs))
    # three roundings in each entry, and a sum of `degree` products
    tolerance = (degree + 3) * torch.finfo(dtype).eps * degree * float(np.abs(split.x).max())
    assert np.abs(hop - A @ split.x).max() <= tolerance


def test_edges_are_listed_both_ways_and_stay_inside_their_graph(split: Split) -> None:
    source, target = split.edge_index()
    assert len(source) == 2 * split.graphs.num_edges
    assert set(zip(source, target, strict=True)) == set(zip(target, source, strict=True))
    owner = np.repeat(np.arange(len(split.graphs)), np.diff(split.node_ptr))
    assert np.array_equal(owner[source], owner[target])


def test_signals_off_the_grid_are_refused(split: Split) -> None:
    for bad in (np.pi, np.nan, np.inf, 2.0**20):
        with pytest.raises(FilterError, match=r"x has to hold multiples of 2\^-12 below 524,287"):
            replace(split, x=np.full_like(split.x, bad))


def test_signals_are_read_only(split: Split) -> None:
    with pytest.raises(ValueError, match="read-only"):
        split.x[0] = 0.0


def test_it_says_what_it_is() -> None:
    split = sgs.generate("low-pass", "test", count=1, recipe=Recipe.text())
    nodes, edges = split.graphs.num_nodes, split.graphs.num_edges
    assert (
        repr(split) == f"Split('low-pass', 'test', seed 0, 1 graph, {nodes} nodes, {edges} edges)"
    )
