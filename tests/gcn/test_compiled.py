"""Compiled and exported networks: one program for all sizes, which gives the same numbers."""

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from dense_truth import DIRECTED, random_graph, signal
from torch import Tensor, nn
from torch._dynamo.testing import CompileCounterWithBackend

from gcn.layers import GINConv, KOrderConv, SoGConv
from gcn.nets import SoGCN
from gcn.propagate import KERNELS, prepare

ANY = torch.export.Dim.AUTO
GRAPHS = [random_graph(n, 0.3, seed=n) for n in (10, 13, 20, 31)]


@pytest.fixture(autouse=True)
def _forget_programs() -> None:
    torch._dynamo.reset()


def gradients(net: nn.Module, y: Tensor, x: Tensor) -> list[Tensor]:
    return list(torch.autograd.grad(y.square().sum(), [x, *net.parameters()]))


def reordering(eps: float, net: nn.Module, values: Tensor) -> float:
    """Bound what another order of the same sums may change, for values of this size."""
    terms = sum(parameter.numel() for parameter in net.parameters())
    return terms * eps * float(1 + values.detach().abs().max())


def assert_same(net: nn.Module, compiled: Any, x: Tensor, *edges: Any) -> None:
    x = x.clone().requires_grad_()
    truth, found = net(x, *edges), compiled(x, *edges)
    pairs = [(truth, found)]
    pairs += zip(gradients(net, truth, x), gradients(net, found, x), strict=True)
    for a, b in pairs:
        assert (a - b).abs().max() <= reordering(torch.finfo(x.dtype).eps, net, a)


@pytest.mark.parametrize(
    ("kernel", "form"), [*((kernel, "prepared") for kernel in KERNELS), ("fused", "edge_index")]
)
def test_one_program_serves_all_sizes(kernel: str, form: str) -> None:
    """The first size has its own program, the second makes one for all.

    The number of nodes was once turned into an integer, and every batch compiled again.
    """
    net = KOrderConv(3, 4, K=2)
    counter = CompileCounterWithBackend("aot_eager")
    compiled = torch.compile(net, backend=counter, fullgraph=True)
    for case in GRAPHS:
        edges = case.index
        A = prepare(edges, case.num_nodes, kernel=kernel) if form == "prepared" else edges
        assert_same(net, compiled, signal(case.num_nodes, 3, dtype=torch.float32), A)
    assert counter.frame_count <= 2


@pytest.mark.parametrize(
    "layer",
    [SoGConv(3, 2, shift=0.5), GINConv(2, 3)],
    ids=str,
)
def test_layers_compile_whole(layer: nn.Module) -> None:
    case = DIRECTED["one way"]
    compiled = torch.compile(layer, backend="aot_eager", fullgraph=True)
    x = signal(4, layer.in_channels, dtype=torch.float32)  # type: ignore[arg-type]
    assert_same(layer, compiled, x, case.index)
    assert_same(layer, compiled, x, case.index, torch.tensor([1.0, 2.0, 0.5, 3.0]))


def test_sparse_matrices_do_not_warn() -> None:
    """They are in beta and say so, once in a process; a compiled program let it through."""
    code = """if True:
        import torch
        from gcn.kernels import product
        swap = torch.tensor([0, 1, 2]), torch.tensor([1, 0]), torch.ones(2)
        product(torch.ones(2, 1), swap, "spmm")
    """
    subprocess.run([sys.executable, "-W", "error::UserWarning", "-c", code], check=True)


def test_gradients_reach_weights_of_edges() -> None:
    case = DIRECTED["weights differ"]
    assert case.weight is not None
    weight = case.weight.float().requires_grad_()
    layer = SoGConv(2, 2)
    compiled = torch.compile(layer, backend="aot_eager", fullgraph=True)
    x = signal(3, 2, dtype=torch.float32)
    grads = [
        torch.autograd.grad(f(x, case.index, weight).square().sum(), weight)[0]
        for f in (layer, compiled)
    ]
    eps = torch.finfo(torch.float32).eps
    assert (grads[0] - grads[1]).abs().max() <= reordering(eps, layer, grads[0])


def test_a_whole_network_compiles() -> None:
    net = SoGCN(3, 4, 2, num_layers=2, activation="relu", readout="mean", gru=True)
    compiled = torch.compile(net, backend="aot_eager", fullgraph=True)
    case = GRAPHS[0]
    graph = torch.tensor([0] * 4 + [1] * 6)
    x = signal(10, 3, dtype=torch.float32)
    A = prepare(case.index, 10)
    eps = torch.finfo(torch.float32).eps
    net.eval()
    truth, found = net(x, A, graph), compiled(x, A, graph, num_graphs=2)
    assert (truth - found).abs().max() <= reordering(eps, net, truth)


@pytest.mark.skipif(shutil.which("c++") is None, reason="inductor needs a C++ compiler")
@pytest.mark.filterwarnings("ignore:`torch.jit.script_method` is deprecated:DeprecationWarning")
def test_inductor() -> None:
    layer = SoGConv(2, 3)
    case = GRAPHS[0]
    compiled = torch.compile(layer, fullgraph=True)
    assert_same(layer, compiled, signal(10, 2, dtype=torch.float32), prepare(case.index, 10))


# exported


def exported(kernel: str, form: str) -> tuple[SoGCN, torch.export.ExportedProgram]:
    net = SoGCN(3, 4, 2, num_layers=2, activation="relu").eval()
    case = GRAPHS[0]
    x = signal(10, 3, dtype=torch.float32)
    if form == "edge_index":
        shapes: Any = {"x": {0: ANY}, "edges": {1: ANY}}
        return net, torch.export.export(net, (x, case.index), dynamic_shapes=shapes)
    A = prepare(case.index, 10, kernel=kernel)
    shapes = {"x": {0: ANY}, "edges": [{0: ANY}] * 7 + [None, None]}
    return net, torch.export.export(net, (x, A), dynamic_shapes=shapes)


def assert_program(net: SoGCN, program: Any, kernel: str, form: str) -> None:
    for case in GRAPHS:
        x = signal(case.num_nodes, 3, dtype=torch.float32)
        prepared = prepare(case.index, case.num_nodes, kernel=kernel)
        edges = prepared if form == "prepared" else case.index
        truth, found = net(x, edges), program(x, edges)
        assert (truth - found).abs().max() <= reordering(torch.finfo(x.dtype).eps, net, truth)


@pytest.mark.parametrize("kernel", ["fused", "scatter"])
def test_exported_for_a_prepared_batch(kernel: str) -> None:
    net, program = exported(kernel, "prepared")
    assert_program(net, program.module(), kernel, "prepared")


def test_exported_for_edges() -> None:
    net, program = exported("fused", "edge_index")
    assert_program(net, program.module(), "fused", "edge_index")


def test_saved_and_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The example inputs are trusted by name: torch once fell back to unpickling them."""
    net, program = exported("fused", "prepared")
    torch.export.save(program, tmp_path / "net.pt2")
    load = torch.load

    def careful(*args: Any, **options: Any) -> Any:
        assert options.get("weights_only", True)
        return load(*args, **options)

    monkeypatch.setattr(torch, "load", careful)
    loaded = torch.export.load(tmp_path / "net.pt2").module()
    assert_program(net, loaded, "fused", "prepared")


def test_runs_where_this_package_is_not(tmp_path: Path) -> None:
    net, program = exported("fused", "edge_index")
    torch.export.save(program, tmp_path / "net.pt2")
    case = GRAPHS[2]
    x = signal(case.num_nodes, 3, dtype=torch.float32)
    torch.save({"x": x, "edges": case.index, "y": net(x, case.index).detach()}, tmp_path / "truth")
    bound = reordering(torch.finfo(torch.float32).eps, net, net(x, case.index))
    code = f"""if True:
        import sys
        import torch
        program = torch.export.load("net.pt2").module()
        truth = torch.load("truth", weights_only=True)
        y = program(truth["x"], truth["edges"])
        assert (y - truth["y"]).abs().max() <= {bound}
        assert "gcn" not in sys.modules and "torch_scatter" not in sys.modules
    """
    subprocess.run([sys.executable, "-I", "-c", code], check=True, cwd=tmp_path)
