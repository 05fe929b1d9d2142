"""Networks in files: they run in a process that can't import this package, and give the same."""

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
import torch
from dense_truth import random_graph, signal

import polyfilter as pf
from gcn import bridge, portable
from gcn.nets import GraphNetwork, SoGCN
from polyfilter.errors import FileFormatError, FilterError

needs_onnx = pytest.mark.skipif(
    find_spec("onnxruntime") is None or find_spec("onnxscript") is None,
    reason="there is no onnxruntime and onnxscript here: pip install 'polyfilter[onnx]'",
)

GRAPHS = [random_graph(n, 0.3, seed=n) for n in (4, 13, 31)]
BLOCKED = 'import sys\nfor name in ("gcn", "polyfilter"): sys.modules[name] = None\n'
"""After this, `import gcn` is an ImportError, wherever the package lies."""
ELSEWHERE = {
    ".pt2": """
import torch
run = torch.export.load("net.pt2").module()
ask = lambda x, edges: run(torch.from_numpy(x), torch.from_numpy(edges)).detach().numpy()
""",
    ".onnx": """
sys.modules["torch"] = None
import onnxruntime
run = onnxruntime.InferenceSession("net.onnx", providers=["CPUExecutionProvider"])
ask = lambda x, edges: run.run(None, {"x": x, "edges": edges})[0]
""",
}
ANSWER = """
import numpy
asked = numpy.load("asked.npz")
count = len(asked.files) // 2
found = {f"y{k}": ask(asked[f"x{k}"], asked[f"edges{k}"]) for k in range(count)}
numpy.savez("found.npz", **found)
"""


@pytest.fixture(scope="module")
def stack() -> pf.SoGCStack:
    return pf.factorize(pf.design.interpolate(pf.responses.band_pass, 6))


def answers(net: GraphNetwork, ending: str, folder: Path) -> list[np.ndarray]:
    """What the file gives on all graphs, in a fresh process without this package."""
    portable.save(net, folder / f"net{ending}")
    asked = {}
    for k, case in enumerate(GRAPHS):
        asked[f"x{k}"] = signal(case.num_nodes, net.in_channels, dtype=torch.float32).numpy()
        asked[f"edges{k}"] = case.index.numpy()
    np.savez(folder / "asked.npz", **asked)
    code = BLOCKED + ELSEWHERE[ending] + ANSWER
    subprocess.run([sys.executable, "-I", "-c", code], check=True, cwd=folder)
    with np.load(folder / "found.npz") as found:
        return [found[f"y{k}"] for k in range(len(GRAPHS))]


@pytest.mark.parametrize("ending", [".pt2", pytest.param(".onnx", marks=needs_onnx)])
def test_a_bridged_network_runs_where_this_package_is_not(ending, stack, tmp_path):
    """Against the dense filter, and not only against the network that was saved."""
    net = bridge.network(stack).eval()
    for case, y in zip(GRAPHS, answers(net, ending, tmp_path), strict=True):
        x = signal(case.num_nodes, 1, dtype=torch.float32)
        assert np.abs(y - net(x, case.index).detach().numpy()).max() < 1e-5
        ends = case.index.T.numpy()
        graph = pf.Graph.from_edges(ends, num_nodes=case.num_nodes)
        truth = pf.filter_dense(graph, stack.filter.to_numpy(), x.double().numpy())
        assert np.abs(y - truth).max() < 1e-4


@needs_onnx
def test_a_wide_network_as_onnx(tmp_path):
    net = SoGCN(3, 4, 2, num_layers=2, activation="relu").eval()
    for case, y in zip(GRAPHS, answers(net, ".onnx", tmp_path), strict=True):
        x = signal(case.num_nodes, 3, dtype=torch.float32)
        assert np.abs(y - net(x, case.index).detach().numpy()).max() < 1e-5


def test_what_is_not_portable_is_refused(stack, tmp_path):
    net = bridge.network(stack)
    with pytest.raises(FilterError, match=r"net\.eval\(\)"):
        portable.program(net.train())
    with pytest.raises(FilterError, match="float32"):
        portable.program(bridge.network(stack, dtype=torch.float64).eval())
    with pytest.raises(FileFormatError, match=r"\.pt2 or \.onnx"):
        portable.save(net.eval(), tmp_path / "net.pkl")
    assert list(tmp_path.iterdir()) == []


def test_graphs_through_pyg_and_back():
    from hypothesis import given

    from polyfilter.strategies import graphs

    @given(graphs(weighted=True))
    def law(g: pf.Graph) -> None:
        data = g.to_pyg()
        data.validate()
        assert data.is_undirected()
        assert (data.num_nodes, data.num_edges) == (g.num_nodes, g.adjacency.nnz)
        again = pf.Graph.from_pyg(data)
        assert np.array_equal(again.adjacency.toarray(), g.adjacency.toarray())
        assert again.is_weighted is g.is_weighted

    law()
