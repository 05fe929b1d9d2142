"""Files of arrays: what is written is read, and what was changed on the way is refused."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gcn.data.dataset import DataError, Part
from gcn.data.store import (
    SUM,
    Sizes,
    blamed,
    checksum,
    expect,
    identity,
    origin,
    read,
    unpack,
    write,
)
from polyfilter.errors import GraphError

ARRAYS = {"a": np.arange(6).reshape(2, 3), "b": np.array([0.5, -1.0], dtype=np.float32)}
COLUMNS = {"a": ("integers", 2), "b": ("floats", 1)}


def one_node() -> Part:
    one = np.ones((1, 1), dtype=np.float32)
    return Part(one, one, np.array([0, 1]), np.zeros((2, 0), dtype=np.int64))


def test_what_is_written_is_read(tmp_path: Path):
    path = tmp_path / "new" / "set" / "made.npz"
    total = write(path, ARRAYS)
    found = read(path, COLUMNS, "made")
    assert total == checksum(found) == checksum(ARRAYS)
    assert all(np.array_equal(found[name], ARRAYS[name]) for name in ARRAYS)


def test_an_array_that_nobody_asked_for_is_not_given_but_counts(tmp_path: Path):
    path = tmp_path / "set" / "made.npz"
    write(path, ARRAYS)
    assert list(read(path, {"b": ("floats", 1)}, "made")) == ["b"]
    with np.load(path) as stored:
        changed = {name: stored[name] for name in stored.files}
    np.savez(path, **(changed | {"a": changed["a"] + 1}))
    with pytest.raises(DataError, match="it was altered: its content is not what its checksum"):
        read(path, {"b": ("floats", 1)}, "made")


@pytest.mark.parametrize("change", ["dtype", "shape", "name", "value"])
def test_the_checksum_knows_types_shapes_and_names(change: str):
    other = {
        "dtype": {"a": ARRAYS["a"].astype(np.int32), "b": ARRAYS["b"]},
        "shape": {"a": ARRAYS["a"].reshape(3, 2), "b": ARRAYS["b"]},
        "name": {"a": ARRAYS["a"], "c": ARRAYS["b"]},
        "value": {"a": ARRAYS["a"] + 1, "b": ARRAYS["b"]},
    }[change]
    assert checksum(other) != checksum(ARRAYS)


def test_the_checksum_knows_no_byte_order():
    turned = {name: array.astype(array.dtype.newbyteorder(">")) for name, array in ARRAYS.items()}
    assert checksum(turned) == checksum(ARRAYS)


def test_a_place_that_can_not_be_written_to_is_named(tmp_path: Path):
    (tmp_path / "set").write_text("a file where a folder should be")
    with pytest.raises(DataError, match=r"can't write .*made.npz: .*; give a folder"):
        write(tmp_path / "set" / "made.npz", ARRAYS)


def test_pickles_are_not_opened(tmp_path: Path):
    path = tmp_path / "set" / "made.npz"
    path.parent.mkdir()
    np.savez(path, **(ARRAYS | {"b": np.array([{}], dtype=object)}))
    with pytest.raises(DataError, match="holds Python objects"):
        read(path, COLUMNS, "made")


def test_one_sentence_names_the_file_once(tmp_path: Path):
    path = tmp_path / "set" / "made.npz"
    path.parent.mkdir()
    path.write_bytes(b"no archive")
    for reason in ("no archive", "nothing"):
        with pytest.raises(DataError) as raised:
            read(path, COLUMNS, "made")
        assert str(raised.value).count(str(path)) == 1, reason
        path.unlink(missing_ok=True)


def test_an_error_that_names_its_file_stays_as_it_is():
    with pytest.raises(DataError, match=r"^mine$"), blamed(Path("x"), "made"):
        raise DataError("mine")


def test_a_file_without_a_checksum_has_to_be_the_known_one(tmp_path: Path):
    parts = {"train": one_node()}
    path = tmp_path / "made.npz"
    np.savez(path, **ARRAYS)
    assert origin(path, parts, identity(parts), "by hand").startswith("by hand, SHA-256 ")
    with pytest.raises(GraphError, match="has no checksum and is not the copy that we know"):
        origin(path, parts, "0" * 16, "by hand")
    write(path, ARRAYS)
    assert origin(path, parts, "0" * 16, "by hand").startswith("from the official download")
    with np.load(path) as stored:
        assert SUM in stored.files


@given(st.lists(st.integers(1, 5), min_size=1, max_size=5), st.integers(0, 99))
def test_unpack_is_a_block_diagonal_matrix(sizes: list[int], seed: int):
    random = np.random.default_rng(seed)
    blocks = [np.triu(random.random((n, n)) < 0.6, 1) for n in sizes]
    edges = np.concatenate([np.argwhere(block) for block in blocks])
    counts = np.array([block.sum() for block in blocks])
    stored = unpack(np.array(sizes, dtype=np.uint8), counts, edges.astype(np.uint8))
    dense = np.zeros((sum(sizes), sum(sizes)), dtype=int)
    np.add.at(dense, tuple(stored.edge_index), 1)
    truth = np.zeros_like(dense)
    for block, p in zip(blocks, stored.node_ptr, strict=False):
        truth[p : p + len(block), p : p + len(block)] = block + block.T
    assert np.array_equal(dense, truth)
    assert stored.node_ptr.tolist() == [0, *np.cumsum(sizes)]
    # directions follow each other
    assert np.array_equal(stored.edge_index[:, ::2], stored.edge_index[::-1, 1::2])


def test_sizes_are_told():
    with pytest.raises(GraphError, match="train has 1 graphs, 1 nodes and 0 edges, and should"):
        expect({"train": one_node()}, {"train": Sizes(1, 1_000, 0)})
    expect({"train": one_node()}, {"train": Sizes(1, 1, 0)})
