"""Capacity of data sets, and spectra of what networks read out, against dense linear algebra."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from scipy.optimize import linprog
from small_benchmarks import dataset, made, record

from experiments.benchmarks import capacity, molecule, runs
from experiments.benchmarks.case import Case
from experiments.benchmarks.sizes import case_of, task_of
from gcn import zoo
from gcn.nets import GraphNetwork
from gcn.readout import pool
from gcn.train.checkpoint import write
from polyfilter.graphs import Graph, GraphSet
from polyfilter.responses import by_name, low_pass
from polyfilter.spectrum import eigenbasis

__all__ = ["made"]


def best_error(points: np.ndarray, values: np.ndarray, degree: int) -> float:
    """The smallest maximal error of a polynomial, as a linear programme."""
    basis = np.polynomial.chebyshev.chebvander(points, degree)
    one = np.ones((len(points), 1))
    bound = linprog(
        np.append(np.zeros(degree + 1), 1.0),
        A_ub=np.block([[basis, -one], [-basis, -one]]),
        b_ub=np.append(values, -values),
        bounds=[(None, None)] * (degree + 1) + [(0, None)],
    )
    return float(bound.fun)


def trees(seed: int, count: int, nodes: int) -> GraphSet:
    rng = np.random.default_rng(seed)
    return GraphSet(
        [
            Graph.from_edges([(int(rng.integers(k)), k) for k in range(1, nodes)], num_nodes=nodes)
            for _ in range(count)
        ]
    )


def test_depths_against_dense_eigenvalues_and_a_linear_programme():
    layers, graphs = 3, trees(seed=2, count=6, nodes=15)
    row = capacity.measured(graphs, layers)
    matrices = [graph.normalized_adjacency().toarray() for graph in graphs]
    values = np.sort(np.concatenate([np.linalg.eigvalsh(matrix) for matrix in matrices]))
    points = values[np.append(True, np.diff(values) > 1e-9)]
    assert row["capacity"] == len(points)
    assert row["theorem_layers"] == int(np.ceil((len(points) - 1) / 2))
    for name, found in row["effective"].items():
        wanted = by_name(name)(points)
        scale = by_name(name)(np.linspace(-1, 1, 4001)).max()
        assert found["error_used"] * scale == pytest.approx(
            best_error(points, wanted, 2 * layers), abs=1e-6
        )
        for tolerance in ("0.01", "0.001"):
            depth = found[tolerance]
            limit = float(tolerance) * scale
            assert best_error(points, wanted, 2 * depth["layers"]) <= limit * (1 + 1e-6)
            if depth["at_least"] == depth["layers"] > 1:
                assert best_error(points, wanted, 2 * (depth["layers"] - 1)) > limit * (1 - 1e-6)


def test_rows_are_of_the_first_graphs_and_say_so(
    made: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setattr(capacity, "RESULTS", tmp_path)
    monkeypatch.setattr(capacity, "RESPONSES", (low_pass,))
    written = []

    def write_here(name: str, figures: dict[str, Any], seed: int, seconds: float) -> None:
        written.append(name)
        (tmp_path / f"{name}.json").write_text(json.dumps(figures))

    monkeypatch.setattr(capacity, "write", write_here)
    assert capacity.known() == {}
    assert capacity.run(["--dataset", "zinc", "cluster", "--nodes", "20"]) == 0
    out = capsys.readouterr().out
    assert written == ["capacity", "capacity"]
    rows = capacity.known()
    assert set(rows) == {"zinc", "cluster"}
    sizes = np.diff(dataset("zinc").train.node_ptr)
    fitting = int((sizes.cumsum() <= 20).sum())
    assert rows["zinc"]["graphs"] == fitting < 12
    assert f"{fitting} of 12" in out
    assert "of 10,000" in out  # CLUSTER, of which no more was made
    assert "not measured" in out
    whole = capacity.row_of("zinc", None)
    assert (whole["graphs"], whole["used_layers"]) == (12, 16)
    rings = {int(size) for size in sizes}
    eigenvalues = {round(np.cos(2 * np.pi * k / n), 9) for n in rings for k in range(n)}
    assert whole["capacity"] == len(eigenvalues)


def network(name: str) -> tuple[GraphNetwork, Case]:
    case = case_of("zinc", name)
    small = Case("zinc", case.model, gru=case.gru, layers=3, width=8)
    net = small.network(task_of("zinc"))
    assert isinstance(net, GraphNetwork)
    return net.eval(), small


@pytest.mark.parametrize("name", molecule.NETWORKS)
def test_activations_are_what_is_read_out(name: str):
    net, case = network(name)
    part = dataset("zinc").test
    batch = part.collection(operator=zoo.MODELS[case.model].operator).batch(torch.arange(6))
    signal = molecule.activations(net, batch)
    assert signal.shape == (len(part.x), 8)
    with torch.no_grad():
        whole = net(batch.x, batch.prepared, batch.graph)
        assert net.head is not None
        again = net.head(pool(torch.tensor(signal).float(), batch.graph, "sum"))
    assert torch.allclose(whole, again, rtol=1e-5, atol=1e-6)
    assert not net.layers[-1]._forward_hooks


def test_shares_of_energy_against_dense_eigenvectors():
    (graph,) = trees(seed=3, count=1, nodes=12)
    x = np.random.default_rng(0).standard_normal((12, 5))
    values, vectors = np.linalg.eigh(graph.normalized_adjacency().toarray())
    energy = ((vectors.T @ x) ** 2).sum(axis=1)
    constant, high = molecule.shares(eigenbasis(graph), x)
    assert constant == pytest.approx(energy[values > 1 - 1e-9].sum() / energy.sum())
    assert high == pytest.approx(energy[values < -1e-9].sum() / energy.sum())
    assert molecule.shares(eigenbasis(graph), 0 * x) == (0.0, 0.0)


def test_the_picture_shows_what_has_weights(
    made: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    def small(dataset: str, name: str, seed: int = 0) -> Case:
        return network(name)[1]

    monkeypatch.setattr(molecule, "case_of", small)
    for name in ("sogcn", "vanilla-gru"):
        net, case = network(name)
        runs.keep(case, record(case, 0.25, converged=False), tmp_path / "store")
        folder = tmp_path / "runs" / case.name
        folder.mkdir(parents=True)
        write(folder / "best.pt", {"weights": net.state_dict()})
    figures = molecule.collect(tmp_path / "runs", tmp_path / "store", None, graph=2)
    found = figures["networks"]
    assert found["vanilla"] == found["sogcn-gru"] == "not run"
    nodes = figures["graph"]["nodes"]
    assert np.shape(found["sogcn"]["levels"]) == (8, nodes)
    assert len(figures["eigenvalues"]) == nodes
    assert figures["eigenvalues"] == sorted(figures["eigenvalues"], reverse=True)
    assert 0 <= found["sogcn"]["high"] <= 1
    drawn = molecule.draw(json.loads(json.dumps(figures)))
    assert [len(axes.lines) for axes in drawn.axes] == [0, 9, 9, 0]
    drawn.canvas.draw()
    text = str(molecule.table(figures))
    assert "40 †" in text
    assert "not run" in text
