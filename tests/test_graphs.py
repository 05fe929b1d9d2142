"""Graphs against dense numpy and networkx, and every mistake against its one sentence."""

import pickle
import sys
from types import SimpleNamespace

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import example, given
from hypothesis import strategies as st
from strategies import edge_lists, graph_sets, graphs

from polyfilter.errors import GraphError
from polyfilter.graphs import Graph, GraphSet


def dense(edges, num_nodes, weights=None):
    """Build W entry by entry, as the definition says."""
    W = np.zeros((num_nodes, num_nodes))
    for k, (i, j) in enumerate(edges):
        W[i, j] = W[j, i] = 1.0 if weights is None else weights[k]
    return W


def dense_normalized(W):
    d = W.sum(axis=1)
    scale = np.divide(1.0, np.sqrt(d), out=np.zeros_like(d), where=d > 0)
    return scale[:, None] * W * scale


# ------------------------------------------------------------------------------ what is right


@given(edge_lists(self_loops=True))
@example(([], 1, None))
@example(([(0, 0)], 1, [2.5]))
def test_from_edges_is_the_definition(case):
    edges, num_nodes, weights = case
    graph = Graph.from_edges(edges, num_nodes, weights, self_loops=True)
    W = dense(edges, num_nodes, weights)
    assert np.array_equal(graph.adjacency.toarray(), W)
    assert graph.num_nodes == num_nodes
    assert graph.num_edges == len(edges)
    assert np.allclose(graph.degrees, W.sum(axis=1), rtol=1e-14, atol=0)
    assert graph.is_weighted == bool(np.any(W[W > 0] != 1))


@given(graphs(self_loops=True))
def test_normalized_adjacency_is_exactly_symmetric_and_right(graph):
    A = graph.normalized_adjacency()
    assert (A != A.T).nnz == 0
    truth = dense_normalized(graph.adjacency.toarray())
    assert np.allclose(A.toarray(), truth, rtol=8 * np.finfo(float).eps, atol=0)
    assert np.abs(np.linalg.eigvalsh(A.toarray())).max() <= 1 + 1e-14


@given(graphs(self_loops=True))
def test_matrices_are_canonical_and_read_only(graph):
    for matrix in (graph.adjacency, graph.normalized_adjacency()):
        assert matrix.has_canonical_format
        assert not np.any(matrix.data == 0)
        for array in (matrix.data, matrix.indices, matrix.indptr):
            with pytest.raises(ValueError, match="read-only"):
                array[...] = 0
    assert graph.normalized_adjacency() is graph.normalized_adjacency()
    assert graph.normalized_adjacency(np.float32).dtype == np.float32


def test_normalized_entries_of_regular_graphs_are_rounded_once():
    for degree in range(1, 40):
        graph = Graph.from_networkx(nx.complete_graph(degree + 1))
        assert np.all(graph.normalized_adjacency().data == 1 / degree)


@pytest.mark.parametrize("scale", [1e-320, 1e-200, 1.0, 1e200, 4e307])
def test_normalization_neither_overflows_nor_underflows(scale):
    graph = Graph.from_edges([(0, 1), (1, 2)], weights=[scale, scale])
    root = np.sqrt(0.5)
    tolerance = 1e-2 if scale < 1e-300 else 1e-15  # a subnormal weight has few digits
    assert graph.normalized_adjacency().data == pytest.approx([root] * 4, rel=tolerance)


@given(edge_lists(), st.randoms())
def test_an_edge_given_twice_is_one_edge(case, random):
    edges, num_nodes, weights = case
    again = [(j, i) for i, j in edges] + edges
    order = random.sample(range(len(again)), len(again))
    twice = Graph.from_edges(
        [again[k] for k in order],
        num_nodes,
        None if weights is None else [weights[k % len(edges)] for k in order],
    )
    once = Graph.from_edges(edges, num_nodes, weights)
    assert (twice.adjacency != once.adjacency).nnz == 0


@pytest.mark.parametrize(
    "edges",
    [
        [(0, 1), (1, 2)],
        ((0, 1), (1, 2)),
        {(0, 1), (1, 2)},
        [[0, 1], [1, 2]],
        iter([(0, 1), (1, 2)]),
        np.array([[0, 1], [1, 2]], dtype=np.uint8),
        np.array([[0.0, 1.0], [1.0, 2.0]]),
        np.array([[0, 1], [1, 2]], order="F"),
    ],
)
def test_edges_may_come_in_any_form(edges):
    assert np.array_equal(Graph.from_edges(edges).edges()[0], [[0, 1], [1, 2]])


def test_small_integer_types_do_not_wrap():
    graph = Graph.from_edges(np.array([[0, 255], [254, 255]], dtype=np.uint8))
    assert graph.num_nodes == 256


@given(graphs(self_loops=True))
def test_edges_and_scipy_round_trip(graph):
    pairs, weights = graph.edges()
    again = Graph.from_edges(pairs, graph.num_nodes, weights, self_loops=True)
    assert (again.adjacency != graph.adjacency).nnz == 0
    matrix = graph.to_scipy()
    for form in (matrix, matrix.tocoo(), matrix.tocsc(), matrix.todok(), matrix.toarray()):
        again = Graph.from_scipy(form, self_loops=True)
        assert (again.adjacency != graph.adjacency).nnz == 0
    matrix.data[:] = 7  # a copy: the graph does not move
    assert (again.adjacency != graph.adjacency).nnz == 0


@given(graphs(self_loops=True))
def test_networkx_round_trip(graph):
    other = graph.to_networkx()
    assert np.array_equal(nx.to_numpy_array(other), graph.adjacency.toarray())
    again = Graph.from_networkx(other, self_loops=True)
    assert (again.adjacency != graph.adjacency).nnz == 0


def test_from_networkx_takes_labels_names_and_weights():
    other = nx.Graph(name="rivers")
    other.add_edge("Rhine", "Main", weight=2.5)
    other.add_edge("Main", "Tauber")
    graph = Graph.from_networkx(other)
    assert graph.name == "rivers"
    assert graph.adjacency.toarray().tolist() == [[0, 2.5, 0], [2.5, 0, 1], [0, 1, 0]]
    assert not Graph.from_networkx(other, weight=None).is_weighted
    assert Graph.from_networkx(nx.MultiGraph([(0, 1), (1, 2)])).num_edges == 2


class Tensor:
    """Looks enough like a torch tensor on some device."""

    def __init__(self, values):
        self.values = np.asarray(values)

    def detach(self):
        return self

    def cpu(self):
        return self

    def numpy(self):
        return self.values


def test_from_pyg_needs_no_torch():
    data = SimpleNamespace(
        edge_index=Tensor([[0, 1, 1, 2], [1, 0, 2, 1]]),
        edge_weight=None,
        edge_attr=Tensor([0.5, 0.5, 2.0, 2.0]),
        num_nodes=4,
    )
    W = Graph.from_pyg(data).adjacency.toarray()
    assert np.array_equal(W, dense([(0, 1), (1, 2)], 4, [0.5, 2.0]))
    data.edge_attr = Tensor(np.ones((4, 3)))  # features, not weights
    assert not Graph.from_pyg(data).is_weighted
    data.edge_index = Tensor(np.empty((2, 0)))
    assert Graph.from_pyg(data).num_edges == 0


def test_from_pyg_takes_a_real_data_object():
    torch = pytest.importorskip("torch", reason="torch is not installed")
    data_type = pytest.importorskip("torch_geometric.data", reason="no torch_geometric").Data
    edges = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
    weights = torch.tensor([0.5, 0.5, 2.0, 2.0])
    graph = Graph.from_pyg(data_type(edge_index=edges, edge_attr=weights, num_nodes=4))
    assert np.array_equal(graph.adjacency.toarray(), dense([(0, 1), (1, 2)], 4, [0.5, 2.0]))
    with pytest.raises(GraphError, match="direct"):
        Graph.from_pyg(data_type(edge_index=edges[:, :1], num_nodes=4))


@given(graphs(self_loops=True))
def test_components_are_those_of_networkx(graph):
    components = [component.tolist() for component in graph.components()]
    truth = sorted(sorted(c) for c in nx.connected_components(graph.to_networkx()))
    assert components == truth


@given(graphs(self_loops=True), st.data())
def test_subgraph_and_permute_index_the_matrix(graph, data):
    W = graph.adjacency.toarray()
    order = data.draw(st.permutations(range(graph.num_nodes)))
    assert np.array_equal(graph.permute(order).adjacency.toarray(), W[np.ix_(order, order)])
    nodes = order[: data.draw(st.integers(1, graph.num_nodes))]
    part = graph.subgraph(nodes)
    assert np.array_equal(part.adjacency.toarray(), W[np.ix_(nodes, nodes)])
    assert part.adjacency.has_canonical_format


@given(graphs(self_loops=True))
def test_pickle_keeps_the_graph_and_its_lock(graph):
    again = pickle.loads(pickle.dumps(graph))
    assert (again.adjacency != graph.adjacency).nnz == 0
    assert not again.adjacency.data.flags.writeable


def test_ten_million_edges_have_no_loop_over_them():
    # a tenth of that here: a loop in Python would take a minute, sorting takes a moment
    pairs = np.random.default_rng(0).integers(0, 100_000, (1_000_000, 2))
    graph = Graph.from_edges(pairs[pairs[:, 0] != pairs[:, 1]])
    assert graph.adjacency.nnz == 2 * graph.num_edges


# ------------------------------------------------------------------------------ sets of graphs


def test_graph_set_is_an_immutable_sequence():
    first, second = Graph.from_edges([(0, 1)]), Graph.from_edges([(0, 1), (1, 2)])
    graphs = GraphSet([first, second], name="two")
    assert (len(graphs), graphs.num_graphs, graphs.num_nodes, graphs.num_edges) == (2, 2, 5, 3)
    assert list(graphs) == [first, second]
    assert graphs[-1] is second
    assert isinstance(graphs[:1], GraphSet)
    assert second in graphs
    with pytest.raises(AttributeError):
        graphs.graphs = ()
    with pytest.raises(AttributeError):
        first.name = "other"


@given(graph_sets(self_loops=True))
def test_concatenated_edges_give_the_same_set(graphs):
    pairs, weights = zip(*(graph.edges() for graph in graphs), strict=True)
    again = GraphSet.from_edges(
        np.concatenate(pairs),
        [len(p) for p in pairs],
        [graph.num_nodes for graph in graphs],
        np.concatenate(weights),
        self_loops=True,
    )
    for graph, other in zip(graphs, again, strict=True):
        assert (graph.adjacency != other.adjacency).nnz == 0
        assert other.adjacency.has_canonical_format


@given(graph_sets(self_loops=True))
def test_union_is_block_diagonal(graphs):
    truth = sp.block_diag([graph.adjacency for graph in graphs]).toarray()
    assert np.array_equal(graphs.union().adjacency.toarray(), truth)


def test_printing():
    graph = Graph.from_edges([(0, 1)], weights=[2], name="<b>")
    assert repr(graph) == "Graph('<b>', 2 nodes, 1 edge, weighted)"
    assert "&lt;b&gt;" in graph._repr_html_()
    assert repr(GraphSet([graph])) == "GraphSet(1 graph, 2 nodes, 1 edge)"
    assert "<table>" in GraphSet([graph])._repr_html_()


# ------------------------------------------------------------------------------ what is wrong

nan, inf = float("nan"), float("inf")


@pytest.mark.parametrize(
    ("edges", "options", "message"),
    [
        ([(0, 1), (2, 2)], {}, r"edge 1 \(2, 2\) joins node 2 to itself; pass self_loops=True"),
        ([(0, 1), (1, 7)], {"num_nodes": 5}, r"edge 1 \(1, 7\) names node 7, .* 5 nodes, 0 to 4"),
        ([(0, -1)], {}, r"edge 0 \(0, -1\) names node -1, but ids start at 0"),
        ([(0, 1), (1.5, 2)], {}, "edge 1 names node 1.5, which is no whole id"),
        ([(0, nan)], {}, "edge 0 names node nan"),
        ([("a", "b")], {}, "node ids should be integers"),
        ([(True, False)], {}, "node ids should be integers"),
        ([(0, 2**60)], {}, "edge 0 .* names node 1152921504606846976, beyond"),
        (np.array([[0, 2**64 - 1]], dtype=np.uint64), {}, "out of range"),
        ([(0, 2**70)], {}, "integer"),
        ([(0, 1, 2)], {}, r"shape \(M, 2\), but have shape \(1, 3\)"),
        (np.zeros((2, 9), int), {}, "pass its transpose"),
        ([(0, 1), (2,)], {}, r"edge 1 is \(2,\), not a pair"),
        ([0, 1], {}, "shape"),
        (7, {}, "edges should be pairs"),
        ([], {}, "at least one node"),
        ([], {"num_nodes": 0}, "at least one node"),
        ([], {"num_nodes": -3}, "at least one node"),
        ([], {"num_nodes": 2.5}, "num_nodes should be an integer, not 2.5"),
        ([], {"num_nodes": 10**12}, "1000000000000 nodes are more than"),
        ([(0, 1)], {"weights": [0]}, r"edge 0 \(0, 1\) has weight 0; .* positive"),
        ([(0, 1)], {"weights": [-2]}, "edge 0 .* has weight -2"),
        ([(0, 1), (1, 2)], {"weights": [1, nan]}, "edge 1 .* has weight nan"),
        ([(0, 1)], {"weights": [inf]}, "edge 0 .* has weight inf"),
        ([(0, 1)], {"weights": [1, 2]}, r"1 edges need 1 weights, not shape \(2,\)"),
        ([(0, 1)], {"weights": ["x"]}, "weights should be real numbers"),
        ([(0, 1)], {"weights": [1j]}, "weights should be real numbers"),
        ([(0, 1), (1, 2)], {"weights": [1e308, 1e308]}, "add up to infinity"),
        (
            [(0, 1), (1, 2), (1, 0)],
            {"weights": [2, 1, 3]},
            r"edge 0 \(0, 1\) has weight 2 and edge 2 \(1, 0\), the same edge, has 3",
        ),
    ],
)
def test_bad_edges(edges, options, message):
    with pytest.raises(GraphError, match=message):
        Graph.from_edges(edges, **options)


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        ([[0, 1], [0, 0]], r"directed: entry \(0, 1\) is 1 but \(1, 0\) is 0"),
        ([[0, 1], [2, 0]], r"entry \(0, 1\) is 1 but \(1, 0\) is 2"),
        ([[0, -1], [-1, 0]], r"entry \(0, 1\) is -1; weights are finite and positive"),
        ([[0, nan], [nan, 0]], r"entry \(0, 1\) is nan"),
        ([[0, inf], [inf, 0]], r"entry \(0, 1\) is inf"),
        ([[0, 0], [0, 1]], r"entry \(1, 1\) joins node 1 to itself"),
        ([[0, 1j], [1j, 0]], "real numbers"),
        ([[0, 1, 0], [1, 0, 0]], r"square, but this one has shape \(2, 3\)"),
        ([0, 1], "square"),
        ([[0, 1], [1]], "not a matrix"),
        (np.zeros((0, 0)), "at least one node"),
        (sp.coo_array((10**12, 10**12)), "more than"),
        ([[0, 1e308, 1e308], [1e308, 0, 0], [1e308, 0, 0]], "add up to infinity"),
    ],
)
def test_bad_matrices(matrix, message):
    with pytest.raises(GraphError, match=message):
        Graph.from_scipy(matrix)


def test_bad_networkx():
    with pytest.raises(GraphError, match="directed"):
        Graph.from_networkx(nx.DiGraph([(0, 1)]))
    with pytest.raises(GraphError, match="nodes 'a' and 'b' are joined by parallel edges"):
        Graph.from_networkx(nx.MultiGraph([("a", "b"), ("b", "a")]))
    with pytest.raises(GraphError, match=r"edge \('a', 'a'\) joins node 0 to itself"):
        Graph.from_networkx(nx.Graph([("a", "a")]))
    with pytest.raises(GraphError, match=r"edge \('a', 'b'\) has weight -1"):
        Graph.from_networkx(nx.Graph([("a", "b", {"weight": -1})]))
    with pytest.raises(GraphError, match="at least one node"):
        Graph.from_networkx(nx.Graph())
    with pytest.raises(GraphError, match="takes a networkx graph, not dict"):
        Graph.from_networkx({})


def test_missing_networkx_is_said(monkeypatch):
    monkeypatch.setitem(sys.modules, "networkx", None)
    with pytest.raises(GraphError, match="pip install networkx"):
        Graph.from_edges([(0, 1)]).to_networkx()


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ({}, "edge_index"),
        ({"edge_index": np.zeros((3, 2), int)}, r"\(2, edges\), but has shape \(3, 2\)"),
        ({"edge_index": [[0, 1, 1], [1, 0, 2]]}, r"has \(1, 2\) but not \(2, 1\)"),
        ({"edge_index": [[0, 9], [9, 0]], "num_nodes": 3}, "column 0 of edge_index"),
        ({"edge_index": [[0, 1], [1, 0]], "edge_weight": [1.0, 2.0]}, "the same edge"),
    ],
)
def test_bad_pyg(attributes, message):
    with pytest.raises(GraphError, match=message):
        Graph.from_pyg(SimpleNamespace(**attributes))


@pytest.mark.parametrize(
    ("nodes", "message"),
    [
        ([], "at least one node"),
        ([0, 3], "node 3 does not exist: the graph has 3 nodes"),
        ([-1], "node -1 does not exist"),
        ([1, 2, 1], "node 1 is listed twice"),
        ([0.5], "integer ids"),
        (0, "integer ids"),
    ],
)
def test_bad_subgraphs(nodes, message):
    graph = Graph.from_edges([(0, 1), (1, 2)])
    with pytest.raises(GraphError, match=message):
        graph.subgraph(nodes)
    with pytest.raises(GraphError):
        graph.permute(nodes)


@pytest.mark.parametrize(
    ("graphs", "message"),
    [
        ([], "at least one graph"),
        (3, "takes a list of graphs"),
        (Graph.from_edges([(0, 1)]), r"GraphSet\(\[g\]\)"),
        ([Graph.from_edges([(0, 1)]), 3], "item 1 of the graph set is no Graph: 3"),
    ],
)
def test_bad_sets(graphs, message):
    with pytest.raises(GraphError, match=message):
        GraphSet(graphs)


@pytest.mark.parametrize(
    ("edges", "num_edges", "num_nodes", "message"),
    [
        ([(0, 1)], [2], None, "num_edges add up to 2, but there are 1 edges"),
        ([(0, 1)], [1, 0], None, "graph 1 has no nodes"),
        ([(0, 1), (0, 3)], [1, 1], [2, 3], "edge 0 of graph 1 names node 3, .* 3 nodes"),
        ([(0, 1), (1, 1)], [1, 1], [2, 2], "edge 0 of graph 1 joins node 1 to itself"),
        ([(0, 1), (-1, 1)], [1, 1], [2, 2], "edge 0 of graph 1 names node -1"),
        ([(0, 1)], [1], [2, 2], "num_nodes lists 2 graphs, but num_edges 1"),
        ([(0, 1)], [-1, 2], None, "num_edges of graph 0 is -1"),
        ([(0, 1)], [1.0], None, "num_edges should be a list of integers"),
        ([(0, 1)], [1], [10**12], "more than"),
        ([], np.array([], int), None, "at least one"),
    ],
)
def test_bad_concatenated_edges(edges, num_edges, num_nodes, message):
    with pytest.raises(GraphError, match=message):
        GraphSet.from_edges(edges, num_edges, num_nodes)
