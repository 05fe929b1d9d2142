"""``polyfilter apply``: the dense filter, from files to files."""

from pathlib import Path

import numpy as np
import pytest
from material import CUBE, PETERSEN, apply_dense, edge_file

import polyfilter as pf


@pytest.mark.parametrize("ending", [".npy", ".csv", ".txt", ".tsv"])
@pytest.mark.parametrize("channels", [(), (3,)])
def test_apply_is_the_dense_filter(folder, band_pass, run_json, ending, channels):
    graph = edge_file(folder / "g.txt", PETERSEN)
    x = np.random.default_rng(1).standard_normal((10, *channels))
    np.save("x.npy", x)
    found = run_json("apply", "stack.json", graph, "x.npy", "-o", f"y{ending}")
    separator = {".csv": ",", ".tsv": "\t"}.get(ending)
    y = np.load("y.npy") if ending == ".npy" else np.loadtxt(f"y{ending}", delimiter=separator)
    assert y.shape == x.shape == tuple(found["shape"])
    assert np.allclose(y.reshape(10, -1), apply_dense(PETERSEN, 10, band_pass, x), atol=1e-13)
    assert found["dtype"] == "float64"
    # what was read as text is filtered to the same bits as what was read as an array
    np.savetxt("x.csv", x, fmt="%.17g", delimiter=",", header="a, b, c", comments="")
    run_json("apply", "stack.json", graph, "x.csv", "-o", "again.npy")
    assert np.array_equal(np.load("again.npy"), y)


def test_apply_is_what_the_library_does(folder, band_pass, run):
    graph = edge_file(folder / "g.txt", CUBE)
    x = np.random.default_rng(2).standard_normal((16, 2)).astype(np.float32)
    np.savez("x.npz", x=x, other=np.zeros(3))
    assert run("apply", "stack.json", graph, "x.npz", "--array", "x", "-o", "y.npy")[0] == 0
    expected = pf.SoGCStack.load("stack.json").apply(pf.read_graph(graph), x)
    y = np.load("y.npy")
    assert y.dtype == np.float32
    assert np.array_equal(y, expected)
    words = ["apply", "stack.json", graph, "x.npz", "--array", "x", "-o", "y.txt"]
    assert run(*words, "--dtype", "float64")[0] == 0
    assert np.allclose(np.loadtxt("y.txt"), apply_dense(CUBE, 16, band_pass, x), atol=1e-13)


def test_apply_over_several_graphs(folder, band_pass, run):
    Path("two.g6").write_text("A_\nBw\n")  # an edge and a triangle
    x = np.arange(5.0)
    np.save("x.npy", x)
    assert run("apply", "stack.json", "two.g6", "x.npy", "-o", "y.npy", "-q") == (0, "", "")
    edge = apply_dense([(0, 1)], 2, band_pass, x[:2])[:, 0]
    triangle = apply_dense([(0, 1), (1, 2), (0, 2)], 3, band_pass, x[2:])[:, 0]
    assert np.allclose(np.load("y.npy"), [*edge, *triangle], atol=1e-13)


def test_apply_with_self_loops(folder, run):
    Path("g.txt").write_text("0 0\n0 1\n")
    Path("x.txt").write_text("1\n0\n")
    run("factor", "0", "1", "-o", "s.json")  # h(A) = A
    words = ["apply", "s.json", "g.txt", "x.txt", "-o", "y.txt"]
    assert run(*words)[0] == 1
    assert run(*words, "--self-loops")[0] == 0
    assert np.allclose(np.loadtxt("y.txt"), [1 / 2, 1 / np.sqrt(2)], atol=1e-15)
