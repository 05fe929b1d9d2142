"""Files against the libraries that wrote them, and spoiled files against one clear error."""

import contextlib
import json
import zipfile

import networkx as nx
import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from strategies import graph_sets, graphs

from polyfilter.archive import read_npy, read_npz
from polyfilter.errors import FileFormatError, GraphError
from polyfilter.formats import decode_graph6
from polyfilter.graphs import Graph, GraphSet
from polyfilter.reading import read_graph, read_graphs, write_graph, write_graphs


def same(graph, other):
    return graph.num_nodes == other.num_nodes and (graph.adjacency != other.adjacency).nnz == 0


@pytest.fixture
def graph():
    """Give a weighted graph whose largest node has an edge, as edge lists need it."""
    random = np.random.default_rng(0)
    other = nx.gnp_random_graph(12, 0.4, seed=3)
    for _, _, attributes in other.edges(data=True):
        attributes["weight"] = float(random.integers(1, 9)) / 4
    return Graph.from_networkx(other, name="sample")


# ------------------------------------------------------------------------------ what is right


@given(graphs(self_loops=True), st.text(st.characters(exclude_characters="\0"), max_size=4))
def test_a_graph_comes_back_as_it_was(tmp_path_factory, graph, name):
    path = tmp_path_factory.mktemp("files") / "g.npz"
    write_graph(path, Graph.trusted(graph.adjacency, name))
    again = read_graph(path, self_loops=True)
    assert same(again, graph)
    assert again.name == (name or "g")


@given(graph_sets(self_loops=True))
def test_a_set_comes_back_as_it_was(tmp_path_factory, graphs):
    path = tmp_path_factory.mktemp("files") / "s.npz"
    write_graphs(path, GraphSet(graphs, "some"))
    again = read_graphs(path, self_loops=True)
    assert again.name == "some"
    assert [g.name for g in again] == [g.name for g in graphs]
    assert all(same(a, b) for a, b in zip(again, graphs, strict=True))


TEXTS = {
    "plain.txt": "0 1\n1 2\n",
    "no_end.txt": "0 1\n1 2",
    "windows.edges": "0 1\r\n1 2\r\n",
    "mark.edgelist": "\ufeff0 1\n1 2\n",
    "tabs.tsv": "0\t1\n1\t2\n",
    "commas.csv": "0,1\n1,2\n",
    "spaced.csv": "0, 1\n1, 2\n",
    "header.csv": "source,target\n0,1\n1,2\n",
    "header.tsv": "from\tto\n0\t1\n1\t2\n",
    "hash.txt": "# two edges\n0 1 # the first\n\n1 2\n",
    "percent.txt": "% two edges\n0 1\n1 2\n",
    "both.txt": "# two edges\n% again\n0 1\n1 2\n",
    "floats.txt": "0.0 1.0\n1e0 2\n",
    "both_ways.txt": "0 1\n1 0\n1 2\n2 1\n",
    "UPPER.TXT": "0 1\n1 2\n",
}


@pytest.mark.parametrize("name", TEXTS)
def test_edge_lists(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(TEXTS[name].encode())
    found = read_graph(path)
    assert same(found, Graph.from_edges([(0, 1), (1, 2)]))
    assert found.name == path.stem


@pytest.mark.parametrize("text", ["0 1 2.5\n1 2 4\n", "0,1,2.5\n1,2,4\n", "0 1.0 2.5\n1 2 4e0\n"])
def test_weighted_edge_lists(tmp_path, text):
    path = tmp_path / "g.csv"
    path.write_text(text)
    assert same(read_graph(path), Graph.from_edges([(0, 1), (1, 2)], weights=[2.5, 4]))


def test_edge_lists_of_networkx(tmp_path, graph):
    nx.write_weighted_edgelist(graph.to_networkx(), tmp_path / "g.edgelist")
    assert same(read_graph(tmp_path / "g.edgelist"), graph)


@given(graphs(self_loops=True), st.sampled_from(["general", "symmetric"]), st.booleans())
def test_matrix_market_of_scipy(tmp_path_factory, graph, symmetry, full):
    path = tmp_path_factory.mktemp("files") / "g.mtx"
    matrix = graph.adjacency.toarray() if full else graph.adjacency
    scipy.io.mmwrite(path, matrix, symmetry=symmetry, comment="two\nlines", precision=17)
    assert same(read_graph(path, self_loops=True), graph)


def test_matrix_market_patterns_and_zeros(tmp_path):
    path = tmp_path / "g.mtx"
    path.write_text("%%MatrixMarket matrix coordinate PATTERN symmetric\n% a\n\n4 4 2\n2 1\n3 2\n")
    assert same(read_graph(path), Graph.from_edges([(0, 1), (1, 2)], num_nodes=4))
    path.write_text("%%MatrixMarket matrix coordinate integer symmetric\n3 3 2\n2 1 5\n3 2 0\n")
    assert same(read_graph(path), Graph.from_edges([(0, 1)], 3, [5]))
    path.write_text("%%MatrixMarket matrix coordinate integer symmetric\n3 3 0\n")
    assert same(read_graph(path), Graph.from_edges([], 3))


@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
@pytest.mark.parametrize("kind", [sp.csr_array, sp.csr_matrix])
def test_npz_of_scipy(tmp_path, graph, form, kind):
    sp.save_npz(tmp_path / "g.npz", kind(graph.adjacency).asformat(form))
    assert same(read_graph(tmp_path / "g.npz"), graph)


def test_npz_of_edges_with_splits_and_other_arrays(tmp_path):
    path = tmp_path / "sets.npz"
    np.savez(
        path,
        train_edges=np.array([[0, 1], [0, 2], [0, 1]], dtype=np.uint8),
        train_num_edges=np.array([2, 1], dtype=np.uint8),
        train_num_nodes=np.array([3, 4], dtype=np.uint8),
        train_y=np.zeros(2),
        test_edges=np.array([[0, 1]]),
        test_num_edges=np.array([1]),
    )
    train = read_graphs(path, split="train")
    assert same(train[0], Graph.from_edges([(0, 1), (0, 2)]))
    assert same(train[1], Graph.from_edges([(0, 1)], num_nodes=4))
    assert train.name == "sets train"
    assert same(read_graph(path, split="test"), Graph.from_edges([(0, 1)]))
    with pytest.raises(FileFormatError, match=r"choose split= one of train, test"):
        read_graphs(path)
    with pytest.raises(FileFormatError, match=r"no split 'val'; its splits are train, test"):
        read_graphs(path, split="val")
    with pytest.raises(FileFormatError, match="holds 2 graphs; read them with read_graphs"):
        read_graph(path, split="train")


def test_json_of_networkx(tmp_path, graph):
    labelled = nx.relabel_nodes(graph.to_networkx(), {k: f"node {k}" for k in range(12)})
    for number, data in enumerate(
        (
            nx.node_link_data(labelled, edges="links"),
            nx.node_link_data(labelled, edges="edges"),
            nx.adjacency_data(labelled),
        )
    ):
        path = tmp_path / f"{number}.json"
        path.write_text(json.dumps(data))
        assert same(read_graph(path), graph)


@given(graphs(max_nodes=16, weighted=False))
def test_graph6_of_networkx(graph):
    assert same(decode_graph6(nx.to_graph6_bytes(graph.to_networkx()).strip()), graph)


@pytest.mark.parametrize("size", [1, 2, 62, 63, 64, 200])
def test_graph6_files(tmp_path, size):
    other = nx.gnp_random_graph(size, 0.2, seed=size)
    path = tmp_path / "g.g6"
    path.write_bytes(nx.to_graph6_bytes(other) + nx.to_graph6_bytes(other, header=False))
    found = read_graphs(path)
    assert len(found) == 2
    assert all(same(graph, Graph.from_networkx(other)) for graph in found)


@pytest.mark.parametrize(
    ("file", "split", "num_graphs", "num_nodes", "num_edges"),
    [
        ("planetoid/cora.npz", None, 1, 2708, 5278),
        ("planetoid/citeseer.npz", None, 1, 3327, 4552),
        ("planetoid/pubmed_no_features.npz", None, 1, 19717, 44324),
        ("pygsp_graphs/minnesota.npz", None, 1, 2642, 3303),
        ("pygsp_graphs/logo.npz", None, 1, 1130, 3131),
        ("pygsp_graphs/airfoil.npz", None, 1, 4253, 12289),
        ("zinc12k/zinc12k.npz", "train", 10000, 231664, 249279),
        ("zinc12k/zinc12k.npz", "test", 1000, 23117, 24860),
        ("ogbg_molhiv/molhiv.npz", None, 41127, 1049163, 1129688),
    ],
)
def test_data_sets(data_folder, file, split, num_graphs, num_nodes, num_edges):
    found = read_graphs(data_folder / file, split=split)
    assert (len(found), found.num_nodes, found.num_edges) == (num_graphs, num_nodes, num_edges)


# ------------------------------------------------------------------------------ what is wrong

BANNER = "%%MatrixMarket matrix coordinate "


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.txt", "", "is empty"),
        ("a.txt", "# nothing\n\n", "is empty"),
        ("a.csv", "from,to\n", "is empty"),
        ("a.txt", "from to\n0 1\n", "line 1 of .*a.txt holds 'from', which is not a number"),
        ("a.txt", "# a\n0 1\n\n1 x\n", "line 4 of .*a.txt holds 'x'"),
        ("a.txt", "0 1\n1\n", "line 2 of .*a.txt has 1 columns, where others have 2"),
        ("a.txt", "0 1\n1 2 3\n", "line 2 of .*a.txt has 3 columns"),
        ("a.txt", "0 1 2 3\n", "line 1 of .*a.txt has 4 columns"),
        ("a.csv", "0,1\n1 2\n", "line 2 of .*a.csv has no commas"),
        ("a.txt", "# a\n0 1\n2 2\n", "a.txt: line 3 joins node 2 to itself"),
        ("a.txt", "0 1\n0 -1\n", "a.txt: line 2 names node -1"),
        ("a.txt", "0 1\n0 1.5\n", "a.txt: line 2 names node 1.5"),
        ("a.txt", "0 1\n0 nan\n", "a.txt: line 2 names node nan"),
        ("a.txt", "0 1\n0 99999999999999999999\n", "a.txt: line 2 names node"),
        ("a.txt", "0 999999999999\n", "a.txt: line 1 names node 999999999999, beyond"),
        ("a.txt", "0 1 2\n\n1 2 -3\n", "a.txt: line 3 has weight -3"),
        ("a.txt", "0 1 2\n1 0 3\n", "line 1 has weight 2 and line 2, the same edge, has 3"),
        ("a.mtx", "", "no banner"),
        ("a.mtx", "0 1\n", "no banner"),
        ("a.mtx", BANNER + "complex symmetric\n1 1 0\n", "says coordinate complex"),
        ("a.mtx", BANNER + "real skew-symmetric\n1 1 0\n", "says skew-symmetric"),
        ("a.mtx", BANNER + "real symmetric\n", "is empty"),
        ("a.mtx", BANNER + "real symmetric\n3 3\n", "line 2 should give the size"),
        ("a.mtx", BANNER + "real symmetric\n3 3 x\n", "line 2 should give the size"),
        ("a.mtx", BANNER + "real general\n3 2 1\n1 1 1\n", r"square, .* \(3, 2\)"),
        ("a.mtx", BANNER + "real symmetric\n0 0 0\n", "at least one node"),
        ("a.mtx", BANNER + "real symmetric\n3 3 -1\n", "truncated"),
        ("a.mtx", BANNER + "real symmetric\n999999999999 999999999999 1\n", "more than"),
        ("a.mtx", BANNER + "real symmetric\n9 9 999999999999\n1 2 1\n", "truncated"),
        ("a.mtx", BANNER + "real symmetric\n3 3 2\n2 1 1\n", "declares 2 entries but has 1"),
        ("a.mtx", BANNER + "real symmetric\n3 3 1\n2 1\n", "line 3 is not an entry of a real"),
        ("a.mtx", BANNER + "real symmetric\n3 3 1\n2 x 1\n", "line 3 of .* holds 'x'"),
        (
            "a.mtx",
            BANNER + "real symmetric\n3 3 1\n4 1 1\n",
            "line 3 names an entry outside 1 to 3",
        ),
        ("a.mtx", BANNER + "real symmetric\n3 3 1\n0 1 1\n", "line 3 names an entry outside"),
        ("a.mtx", BANNER + "real symmetric\n3 3 1\n1 1 1\n", "line 3 joins node 0 to itself"),
        ("a.mtx", BANNER + "real symmetric\n3 3 1\n2 1 nan\n", "line 3 has weight nan"),
        ("a.mtx", BANNER + "pattern general\n2 2 1\n1 2\n", r"counting from 0, .* directed"),
        ("a.mtx", BANNER + "pattern general\n2 2 2\n1 2\n1 2\n", "lists an entry twice"),
        # scipy.io.mmread 1.17 dies of a segmentation fault on this one
        ("a.mtx", BANNER + "pattern symmetric\n3 3 2\n2 1\n3 2%", None),
        ("a.mtx", "%%MatrixMarket matrix array real general\n2 2\n0\n1\n1\n", "truncated|entries"),
        ("a.json", "", "not JSON"),
        ("a.json", "{", "not JSON"),
        ("a.json", "[" * 100_000, "not JSON"),
        ("a.json", "[]", "neither node-link nor adjacency data"),
        ("a.json", "{}", "neither node-link nor adjacency data"),
        ("a.json", '{"nodes": [{"id": []}], "links": []}', "neither node-link"),
        ("a.json", '{"directed": true, "nodes": [], "links": []}', "directed"),
        ("a.json", '{"multigraph": true, "nodes": [], "links": []}', "multigraph"),
        ("a.json", '{"nodes": [], "links": []}', "at least one node"),
        ("a.json", '{"nodes": [{"id": 1}, {"id": 1}], "links": []}', "lists a node twice"),
        ("a.json", '{"nodes": [{"id": 1}], "adjacency": []}', "neighbours"),
        (
            "a.json",
            '{"nodes": [{"id": 1}], "links": [{"source": 1, "target": 2}]}',
            r"edge \(1, 2\) names a node that is not listed",
        ),
        (
            "a.json",
            '{"nodes": [{"id": 1}], "adjacency": [[{"id": 1, "weight": NaN}]]}',
            r"edge \(1, 1\) joins node 0 to itself",
        ),
        ("a.g6", "", "at least one graph"),
        ("a.g6", "A_\nB\n", "graph 2: 3 nodes take 1 bytes of edges, not 0"),
        ("a.g6", "A_\n!\n", "graph 2: it is not graph6"),
        ("a.g6", "?", "at least one node"),
        ("a.g6", "~", "at least one node"),
        ("a.g6", ">>graph6<<", "graph 1: it is empty"),
        ("a.g6", "~~~~~~~~", "more than"),
        ("a.xyz", "0 1\n", r"ends in .xyz, and the known endings are .npz .txt"),
        ("a", "0 1\n", "ends in nothing"),
    ],
)
def test_bad_texts(tmp_path, name, text, message):
    path = tmp_path / name
    path.write_text(text)
    if message is None:
        assert read_graph(path).num_edges == 2
        return
    with pytest.raises(FileFormatError, match=message) as caught:
        read_graphs(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["a.txt", "a.mtx", "a.json", "a.g6", "a.npz"])
def test_binary_missing_and_folder(tmp_path, name):
    path = tmp_path / name
    with pytest.raises(FileFormatError, match=f"can't read .*{name}: No such file"):
        read_graphs(path)
    path.mkdir()
    with pytest.raises(FileFormatError, match=f"can't read .*{name}: it is not a file"):
        read_graphs(path)
    path.rmdir()
    path.write_bytes(bytes(range(256)))
    with pytest.raises(FileFormatError, match=name):
        read_graphs(path)


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({}, "holds no edges; its arrays are none"),
        ({"x": np.zeros(3), "num_edges": [1]}, "holds no edges; its arrays are x, num_edges"),
        ({"edges": np.array([{}], dtype=object)}, "holds Python objects, which are not read"),
        ({"edges": np.zeros((3, 3), int)}, "shape"),
        ({"edges": np.array([["a", "b"]])}, "integers"),
        ({"edges": [[0, 1]], "num_nodes": [1, 2]}, "there is no num_edges"),
        ({"edges": [[0, 1]], "num_nodes": 1}, "names node 1, but the graph has 1 nodes"),
        ({"edges": [[0, 1]], "num_nodes": 2.5}, "num_nodes should be an integer"),
        ({"edges": [[0, 1]], "num_nodes": "2"}, "num_nodes should be an integer"),
        ({"edges": [[0, 1]], "num_edges": [2]}, "num_edges add up to 2"),
        ({"edges": [[0, 1]], "num_edges": [2**62, 2**62]}, "out of range"),
        ({"edges": [[0, 1]], "weights": [0.0]}, r"edge 0 \(0, 1\) has weight 0"),
        ({"edges": [[0, 1]], "weights": [1.0, 2.0]}, "1 edges need 1 weights"),
    ],
)
def test_bad_npz_contents(tmp_path, arrays, message):
    path = tmp_path / "a.npz"
    np.savez(path, **arrays)
    with pytest.raises(FileFormatError, match=message) as caught:
        read_graphs(path)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"indices": [1, 10**9]}, "can't be used"),
        ({"indices": [1, -1]}, "can't be used"),
        ({"indices": [1.0, 0.0]}, "indices should be integers"),
        ({"indptr": [0, 1, 9]}, "can't be used"),
        ({"indptr": [0, 2, 1]}, "can't be used"),
        ({"indptr": [0, 2]}, "can't be used"),
        ({"shape": [2, 2, 2]}, "can't be used"),
        ({"shape": [2]}, "can't be used"),
        ({"data": [1.0, 2.0]}, "directed"),
        ({"data": ["a", "b"]}, "can't be used|real numbers"),
        ({"format": b"dia"}, "save it as csr, csc or coo"),
        ({"format": b"coo"}, "can't be used"),
        ({"format": b"coo", "row": [0, 1], "col": [1, 9]}, "can't be used"),
        ({"format": b"coo", "row": [0, 1], "col": [1, 0], "shape": [2**40, 2**40]}, "more than"),
    ],
)
def test_bad_sparse_npz(tmp_path, changes, message):
    good = {"format": b"csr", "shape": [2, 2], "data": [1.0, 1.0], "indices": [1, 0]}
    path = tmp_path / "a.npz"
    np.savez(path, **{**good, "indptr": [0, 1, 2], **changes})
    with pytest.raises(FileFormatError, match=message):
        read_graphs(path)


def write_member(path, name, content, method=zipfile.ZIP_DEFLATED):
    with zipfile.ZipFile(path, "w", method) as archive:
        archive.writestr(name, content)


def header(shape, kind="<i8"):
    text = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "can't be read"),
        (b"foreign", "can't be read"),
        (header((10**15, 2)), "declares 16000000000000000 bytes, but the file holds 0"),
        (header((-1, -2)) + b"0" * 16, "declares 16 bytes"),
        (header((1, 2)) + b"0" * 15, "declares 16 bytes, but the file holds 15"),
        (header((1, 2), "|O") + b"0" * 16, "Python objects"),
        (header("oops"), "can't be read"),
    ],
)
def test_bad_npz_members(tmp_path, content, message):
    path = tmp_path / "a.npz"
    write_member(path, "edges.npy", content)
    with pytest.raises(FileFormatError, match=message):
        read_graphs(path)


def test_a_zip_bomb_is_refused_before_it_unfolds(tmp_path):
    path = tmp_path / "bomb.npz"
    rows = 1 << 20
    write_member(path, "edges.npy", header((rows, 2)) + bytes(16 * rows))
    assert path.stat().st_size < 20_000
    with pytest.raises(
        FileFormatError, match="takes 16777216 bytes, more than the 1000000 allowed"
    ):
        read_graphs(path, max_bytes=1_000_000)
    # the limit is on all arrays together
    np.savez(tmp_path / "two.npz", a=np.zeros(60), b=np.zeros(60))
    with pytest.raises(FileFormatError, match="array b takes 480 bytes, more than the 120 allowed"):
        read_npz(tmp_path / "two.npz", ["a", "b"], max_bytes=600)


def test_other_ways_to_compress_are_refused(tmp_path):
    path = tmp_path / "a.npz"
    write_member(path, "edges.npy", header((1, 2)) + bytes(16), zipfile.ZIP_LZMA)
    with pytest.raises(FileFormatError, match="compressed in a way that numpy does not use"):
        read_graphs(path)


def test_every_truncation_and_every_flipped_byte_is_one_error_or_a_graph(tmp_path, graph):
    write_graph(tmp_path / "g.npz", graph)
    scipy.io.mmwrite(tmp_path / "g.mtx", graph.adjacency)
    (tmp_path / "g.json").write_text(json.dumps(nx.adjacency_data(graph.to_networkx())))
    (tmp_path / "g.g6").write_bytes(nx.to_graph6_bytes(graph.to_networkx()))
    nx.write_weighted_edgelist(graph.to_networkx(), tmp_path / "g.txt")
    random = np.random.default_rng(0)
    for ending in (".npz", ".mtx", ".json", ".g6", ".txt"):
        content = (tmp_path / f"g{ending}").read_bytes()
        spoiled = tmp_path / f"spoiled{ending}"
        for _ in range(150):
            cut = bytearray(content[: random.integers(1, len(content) + 1)])
            cut[random.integers(len(cut))] = random.choice([*b"0 -.,\n%#xe", *range(256)])
            spoiled.write_bytes(cut)
            with contextlib.suppress(FileFormatError):
                read_graphs(spoiled)


# ------------------------------------------------------------------------------ writing, arrays


def test_nothing_is_left_half_written(tmp_path, graph, monkeypatch):
    with pytest.raises(FileFormatError, match=r"written to .npz files"):
        write_graph(tmp_path / "g.txt", graph)
    with pytest.raises(FileFormatError, match="can't write"):
        write_graph(tmp_path / "missing" / "g.npz", graph)
    with pytest.raises(GraphError, match="takes a Graph, not GraphSet"):
        write_graph(tmp_path / "g.npz", GraphSet([graph]))
    with pytest.raises(GraphError, match="takes a GraphSet, not Graph"):
        write_graphs(tmp_path / "g.npz", graph)
    write_graph(tmp_path / "g.npz", graph)

    def fail(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(np, "savez_compressed", fail)
    with pytest.raises(KeyboardInterrupt):
        write_graph(tmp_path / "g.npz", Graph.from_edges([(0, 1)]))
    assert [path.name for path in tmp_path.iterdir()] == ["g.npz"]
    assert same(read_graph(tmp_path / "g.npz"), graph)


def test_arrays(tmp_path):
    path = tmp_path / "x.npy"
    for array in (
        np.eye(3),
        np.asfortranarray(np.arange(6).reshape(2, 3)),
        np.float32(2),
        np.zeros(0),
    ):
        np.save(path, array)
        assert np.array_equal(read_npy(path), array)
    np.save(path, np.array([{}]), allow_pickle=True)
    with pytest.raises(FileFormatError, match="Python objects"):
        read_npy(path)
    np.save(path, np.eye(3))
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(FileFormatError, match="declares 72 bytes, but the file holds 71"):
        read_npy(path)
    path.write_bytes(b"")
    with pytest.raises(FileFormatError, match=r"x.npy can't be read"):
        read_npy(path)
