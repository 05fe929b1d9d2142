"""Parts of data sets: what a network is given is what the arrays say, and nothing else passes."""

import re
import shlex

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from gcn.data.benchmarks import HOMES, NAMES, load
from gcn.data.dataset import DataError, Dataset, Part, Task
from polyfilter.errors import GraphError

EPS = float(np.finfo(np.float64).eps)


def make(sizes: list[int], seed: int, directed: bool = False) -> Part:
    """Random graphs with a bond type on each edge, edges in random order."""
    random = np.random.default_rng(seed)
    ptr = np.cumsum([0, *sizes])
    pairs = [
        (p + i, p + j)
        for p, n in zip(ptr, sizes, strict=False)
        for i in range(n)
        for j in range(i)
        if random.random() < 0.5
    ]
    index = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    if not directed:
        index = np.hstack([index, index[::-1]])
    index = index[:, random.permutation(index.shape[1])]
    kinds = random.integers(0, 4, (index.shape[1], 1))
    return Part(
        x=random.integers(0, 5, (ptr[-1], 2)),
        y=random.standard_normal((len(sizes), 1)).astype(np.float32),
        node_ptr=ptr,
        edge_index=index,
        edge_attr=kinds,
    )


def fields(part: Part) -> dict[str, np.ndarray]:
    names = ("x", "y", "node_ptr", "edge_index", "edge_attr")
    return {name: getattr(part, name) for name in names}


MOLECULES = Task("made", "MADE", "mae", "sum", (5, 5), 1, (4,))


@given(st.lists(st.integers(1, 6), min_size=1, max_size=5), st.integers(0, 99), st.booleans())
def test_graphs_are_the_edges_without_direction(sizes: list[int], seed: int, directed: bool):
    part = make(sizes, seed, directed)
    graphs = part.graphs()
    assert [graph.num_nodes for graph in graphs] == sizes
    dense = np.zeros((len(part.x), len(part.x)))
    dense[tuple(part.edge_index)] = 1
    dense = np.maximum(dense, dense.T)
    assert np.array_equal(graphs.union().adjacency.toarray(), dense)


@given(st.lists(st.integers(1, 6), min_size=1, max_size=5), st.integers(0, 99))
def test_a_collection_is_the_same_graphs_and_numbers(sizes: list[int], seed: int):
    part = make(sizes, seed)
    found = part.collection(operator="symmetric", dtype=torch.float64)
    A = part.graphs().union().normalized_adjacency().toarray()
    hop = found.prepared.propagate(torch.eye(len(part.x), dtype=torch.float64)).numpy()
    assert np.abs(hop - A).max() <= 4 * EPS
    assert found.x.dtype == torch.int64
    assert found.y.dtype == torch.float64
    assert np.array_equal(found.x.numpy(), part.x)
    assert np.array_equal(found.y.numpy().astype(np.float32), part.y)
    # an edge keeps its feature: the prepared edges name the one they came from
    order = found.prepared.order.numpy()
    rows = np.repeat(np.arange(len(part.x)), np.diff(found.prepared.rowptr.numpy()))
    assert np.array_equal(rows, part.edge_index[1, order])
    assert np.array_equal(found.prepared.cols.numpy(), part.edge_index[0, order])
    assert np.array_equal(found.edge_attr.numpy(), part.edge_attr)


def test_messages_flow_from_row_0_to_row_1():
    one = np.array([[1.0], [2.0]], dtype=np.float32)
    part = Part(one, one, np.array([0, 2]), np.array([[0], [1]]))
    hop = part.collection(operator="sum").prepared.propagate(torch.tensor(one))
    assert hop.ravel().tolist() == [0.0, 1.0]


def test_a_node_may_be_its_own_neighbour():
    one = np.ones((2, 1), dtype=np.float32)
    part = Part(one, one, np.array([0, 2]), np.array([[0, 0, 1], [0, 1, 0]]))
    A = part.graphs().union().normalized_adjacency().toarray()
    hop = part.collection(dtype=torch.float64).prepared.propagate(torch.eye(2, dtype=torch.float64))
    assert A[0, 0] > 0
    assert np.abs(hop.numpy() - A).max() <= 4 * EPS


def test_a_part_can_not_be_changed_but_what_it_was_made_from_can():
    part = make([3, 4], 0)
    with pytest.raises(ValueError, match="read-only"):
        part.x[0, 0] = 9
    x = np.ones((1, 1), dtype=np.float32)
    Part(x, x, np.array([0, 1]), np.zeros((2, 0), dtype=np.int64))
    x[0, 0] = 2.0


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"x": np.ones((7, 2))}, "table of float32 or int64, not float64"),
        ({"x": np.ones(7, dtype=np.int64)}, r"not int64 of shape \(7,\)"),
        ({"x": np.ones((6, 2), dtype=np.int64)}, "x has 6 rows for 7 nodes"),
        ({"x": np.full((7, 2), np.nan, dtype=np.float32)}, "x holds numbers that are not finite"),
        ({"y": np.ones((3, 1), dtype=np.int64)}, "y has 3 rows for 7 nodes and 2 graphs"),
        ({"node_ptr": np.array([0, 3, 3, 7])}, "every graph has a node"),
        ({"node_ptr": np.array([0.0, 7.0])}, "as int64, not float64"),
        ({"edge_index": np.array([[0, 7], [1, 0]])}, "join nodes 0 to 7, but there are 7"),
        ({"edge_index": np.array([[0, -1], [1, 0]])}, "join nodes -1 to 1"),
        ({"edge_index": np.array([[0, 2], [1, 3]])}, "edge 1 joins nodes of two graphs"),
        ({"edge_index": np.array([[0, 1]])}, r"of shape \(2, edges\)"),
        ({"edge_attr": np.ones((1, 1), dtype=np.int64)}, "edge_attr has 1 rows for 2 edges"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(change: dict[str, np.ndarray], words: str):
    part = make([3, 4], 0)
    two = {"edge_index": np.array([[0, 1], [1, 0]]), "edge_attr": np.ones((2, 1), dtype=np.int64)}
    with pytest.raises(GraphError, match=words):
        Part(**(fields(part) | two | change))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"in_channels": (5,)}, "train's x is int64 of width 2, not int64 1"),
        ({"in_channels": 2}, "not float32 2"),
        ({"in_channels": (5, 4)}, r"categories 0 to 4 in feature 1, not 0 to 3"),
        ({"edge_channels": None}, "don't agree whether edges have features"),
        ({"edge_channels": (2,)}, "edge_attr has categories 0 to 3"),
        ({"readout": "node"}, r"y is float32 of shape \(3, 1\), not float32 of \(18, 1\)"),
        ({"loss": "cross_entropy"}, "not int64 of"),
        ({"loss": "bce"}, "other answers than 0, 1 and nan"),
    ],
)
def test_a_part_has_to_fit_its_task(change: dict[str, object], words: str):
    part = make([6, 6, 6], 1)
    Dataset(MOLECULES, part, part, part, "made")
    task = Task(**(vars(MOLECULES) | change))
    with pytest.raises(GraphError, match=words):
        Dataset(task, part, part, part, "made")


def test_classes_may_be_hidden_but_not_unknown():
    part = make([2, 2, 2], 0)
    task = Task(**(vars(MOLECULES) | {"loss": "cross_entropy", "out_channels": 2}))
    for top in (1, 2):
        y = np.array([[-1], [0], [top]])
        classes = Part(**(fields(part) | {"y": y}))
        if top == 1:
            Dataset(task, classes, classes, classes, "made")
        else:
            with pytest.raises(GraphError, match="classes -1 to 2, not -1 to 1"):
                Dataset(task, classes, classes, classes, "made")


def test_a_number_that_is_not_one_is_no_target_of_a_regression():
    part = make([2], 0)
    spoiled = Part(**(fields(part) | {"y": np.array([[np.nan]], dtype=np.float32)}))
    with pytest.raises(GraphError, match="valid's y holds numbers that are not finite"):
        Dataset(MOLECULES, part, spoiled, part, "made")
    answers = Task(**(vars(MOLECULES) | {"loss": "bce"}))
    Dataset(answers, spoiled, spoiled, spoiled, "made")


def test_the_error_gives_a_command_that_a_shell_understands():
    error = DataError.about("my data/zinc12k/zinc12k.npz", "gone", "zinc")
    found = re.search("`(.*)`", str(error))
    assert found is not None
    assert shlex.split(found[1])[-2:] == ["--data", "my data"]


def test_every_benchmark_has_a_home():
    assert set(NAMES) == set(HOMES)
    with pytest.raises(DataError, match="there is no data set 'x'"):
        load("x", None)
