"""The command ``polyfilter``: what it computes, how it complains, and what it leaves behind."""

import json
import os
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.polynomial import Chebyshev, Polynomial

import polyfilter as pf
from polyfilter import responses, spaces
from polyfilter.arguments import ARCHITECTURES, RESPONSES, build_parser
from polyfilter.cli import main

CYCLE = [(i, (i + 1) % 12) for i in range(12)]
COMPLETE = [(i, j) for j in range(5) for i in range(j)]
STAR = [(0, i) for i in range(1, 6)]
CUBE = [(i, i ^ (1 << b)) for i in range(16) for b in range(4) if i < i ^ (1 << b)]
PETERSEN = [(i, (i + 1) % 5) for i in range(5)] + [(i, i + 5) for i in range(5)]
PETERSEN += [(5 + i, 5 + (i + 2) % 5) for i in range(5)]


def edge_file(path: Path, edges) -> str:
    path.write_text("".join(f"{i} {j}\n" for i, j in edges))
    return str(path)


def dense_adjacency(edges, num_nodes: int) -> np.ndarray:
    """D^-1/2 A D^-1/2 from its definition."""
    A = np.zeros((num_nodes, num_nodes))
    for i, j in edges:
        A[i, j] = A[j, i] = 1.0
    root = np.sqrt(A.sum(axis=0))
    return A / np.outer(root, root)


def apply_dense(edges, num_nodes: int, h, x: np.ndarray) -> np.ndarray:
    lam, U = np.linalg.eigh(dense_adjacency(edges, num_nodes))
    return U @ (h(lam)[:, None] * (U.T @ x.reshape(num_nodes, -1)))


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    """An empty folder that the command runs in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def run(capsys):
    """Run the command here; give its exit status, its stdout and its stderr."""

    def runner(*argv: object) -> tuple[int, str, str]:
        status = main([str(word) for word in argv])
        return status, *capsys.readouterr()

    return runner


@pytest.fixture
def run_json(run):
    """Run with ``--json``; give the one object it prints."""

    def runner(*argv: object) -> dict:
        status, out, err = run(*argv, "--json")
        assert (status, err) == (0, "")
        assert out.count("\n") == 1
        return json.loads(out, parse_constant=pytest.fail)

    return runner


# ----------------------------------------------------------------------------------- analyze


def test_analyze_answers_one_question(folder, run, run_json):
    graphs = edge_file(folder / "ring.txt", CYCLE)
    words = ("analyze", graphs, "--architecture", "sogc", "--depth", 2, "--response", "heat")
    found = run_json(*words)
    assert (found["capacity"], found["dimension"], found["complete_depth"]) == (7, 5, 3)
    assert 0 < found["error_lower"] <= found["error"] < 0.01
    status, out, err = run(*words)
    assert (status, err) == (0, "")
    assert "dimension 5 of 7 (proven)" in out
    assert run(*words, "--quiet")[1] == "5\n"
    assert run_json(*words[:-2])["error"] is None


def test_analyze_knows_every_architecture(folder, run_json):
    graphs = edge_file(folder / "ring.txt", CYCLE)
    for name in ARCHITECTURES.replace(":K", ":3").split():
        found = run_json("analyze", graphs, "--architecture", name, "--depth", 2, "--width", 2)
        assert found["dimension_proven"]
    assert {name.partition(":")[0] for name in ARCHITECTURES.split()} == set(spaces.ARCHITECTURES)


# ---------------------------------------------------------------------------------- capacity


@pytest.mark.parametrize("method", ["modular", "algebraic", "float"])
@pytest.mark.parametrize(
    ("edges", "gamma"), [(CYCLE, 7), (COMPLETE, 2), (STAR, 3), (CUBE, 5), (PETERSEN, 3)]
)
def test_capacity_of_known_graphs(folder, run_json, edges, gamma, method):
    found = run_json("capacity", edge_file(folder / "g.txt", edges), "--method", method)
    assert found["capacity"] == found["ambient_dimension"] == gamma
    assert found["depth"] == -(-(gamma - 1) // 2)
    assert found["proven"] is (method == "algebraic" or found["lower"] == found["upper"])
    assert (found["gaps"] is None) is (method != "float")


def test_capacity_takes_all_files_as_one_set(folder, run):
    cycle, complete = edge_file(folder / "a.txt", CYCLE), edge_file(folder / "b.csv", COMPLETE)
    # seven cosines, and -1/4 of the complete graph, whose other eigenvalue 1 is shared
    status, out, _ = run("capacity", cycle, complete)
    assert status == 0
    assert out.startswith("Γ = 8 distinct eigenvalues\n")
    assert "2, with 17 eigenvalues in all" in out
    assert "4 second-order layers" in out
    assert "Γ ≥ 8 is proven" in " ".join(out.split())


def test_capacity_agrees_with_eigenvalues_of_random_graphs(folder, run_json):
    rng = np.random.default_rng(3)
    pairs = [(i, j) for j in range(14) for i in range(j) if rng.random() < 0.3]
    lam = np.linalg.eigvalsh(dense_adjacency([*pairs, *((i, i + 1) for i in range(13))], 14))
    path = edge_file(folder / "g.txt", {*pairs, *((i, i + 1) for i in range(13))})
    assert run_json("capacity", path)["capacity"] == 1 + np.sum(np.diff(lam) > 1e-9)


def test_capacity_prints_the_table_of_tolerances(folder, run):
    _, out, _ = run("capacity", edge_file(folder / "g.txt", CYCLE), "--method", "float")
    header, counts = out.rstrip().split("\n")[-2:]
    assert header.split() == ["tolerance", "1e-04", "1e-06", "1e-08", "1e-10", "1e-12", "1e-14"]
    assert counts.split()[:5] == ["eigenvalues", "7", "7", "7", "7"]
    assert len(header) == len(counts)


def test_capacity_of_a_split_on_two_processes(folder, run):
    edges = np.array([*CYCLE, *COMPLETE])
    np.savez(folder / "s.npz", train_edges=edges, train_num_edges=[12, 10], test_edges=[[0, 1]])
    assert run("capacity", "s.npz", "--split", "train", "--jobs", 2, "-q") == (0, "8\n", "")
    assert run("capacity", "s.npz", "--split", "test", "-q") == (0, "2\n", "")


def test_capacity_depends_on_the_seed_only_in_its_primes(folder, run_json):
    path = edge_file(folder / "g.txt", CUBE)
    first, second = (run_json("capacity", path, "--seed", seed) for seed in (1, 2))
    assert first["primes"] != second["primes"]
    assert first["capacity"] == second["capacity"] == 5


# ------------------------------------------------------------------------------------ design


def test_design_interpolates_the_response(folder, run_json):
    found = run_json("design", "--response", "band-pass", "--degree", 64, "-o", "s.json")
    stack = pf.SoGCStack.load("s.json")
    # at its 65 points an interpolating polynomial is the response of the paper itself
    lam = np.cos(np.pi * (np.arange(65) + 0.5) / 65)
    sigma = [1 / (1 + np.exp(-100 * ((1 - lam) - beta))) for beta in (0.95, 1.05)]
    assert np.abs(stack.response(lam) - (sigma[0] - sigma[1])).max() < 1e-13
    assert (found["degree"], found["layers"], found["dtype"]) == (64, 32, "float64")
    assert found["parameters"] == {"sharpness": 100.0, "lower": 0.95, "upper": 1.05}
    assert found["noise_gain"] == pytest.approx(stack.noise_gain)
    grid = np.linspace(-1, 1, 5001)
    measured = np.abs(stack.response(grid) - responses.band_pass(grid)).max()
    assert found["design_error"] == pytest.approx(measured, rel=0.01)


def test_design_by_minimax_is_better_than_interpolation(folder, run_json):
    words = ["--response", "low-pass", "--degree", 32, "-o", "s.json"]
    error = run_json("design", *words)["design_error"]
    assert run_json("design", *words, "--method", "minimax")["design_error"] < error / 2


def test_design_by_least_squares_is_right_on_the_spectrum(folder, run_json):
    path = edge_file(folder / "g.txt", CYCLE)
    words = ["--response", "heat", "--degree", 6, "--param", "time=2", "--spectrum", path]
    found = run_json("design", *words, "--method", "least-squares", "-o", "s.json")
    lam = np.cos(2 * np.pi * np.arange(7) / 12)  # all eigenvalues, and as many coefficients
    stack = pf.SoGCStack.load("s.json")
    assert np.allclose(stack.response(lam), np.exp(-2 * (1 - lam)), atol=1e-13)
    assert found["design_error"] < 1e-13
    assert found["spectrum_size"] == 7


def test_design_in_single_precision(folder, run):
    words = ["--response", "gaussian", "--degree", "20", "--dtype", "float32", "-o", "s.json"]
    status, out, _ = run("design", *words, "--param", "width=0.5", "--plot", "s.svg")
    assert status == 0
    assert pf.SoGCStack.load("s.json").theta.dtype == np.float32
    assert Path("s.svg").read_text().startswith("<?xml")
    assert "gaussian (centre 1, width 0.5), by interpolate" in out
    assert out.rstrip().endswith("s.svg")


def test_help_knows_every_response_and_its_parameters():
    assert list(RESPONSES) == list(responses.NAMES)
    for name, words in RESPONSES.items():
        shown = dict(word.split("=") for word in words.split())
        assert {key: float(value) for key, value in shown.items()} == vars(responses.by_name(name))


# ------------------------------------------------------------------------------------ factor


def multiplied(rows) -> list[Fraction]:
    product = [Fraction(1)]
    for row in rows:
        result = [Fraction(0)] * (len(product) + 2)
        for i, a in enumerate(product):
            for j, b in enumerate(row):
                result[i + j] += a * Fraction(b)
        product = result
    while len(product) > 1 and product[-1] == 0:
        product.pop()
    return product


def test_factor_of_fractions_is_exact(folder, run_json):
    found = run_json("factor", "-1/6", "1/6", "1", "-o", "s.json")  # (x + 1/2)(x - 1/3)
    assert found["exact"] is True
    rows = json.loads(Path("s.json").read_text())["exact"]
    assert multiplied(rows) == [Fraction(-1, 6), Fraction(1, 6), Fraction(1)]


def test_decimals_are_floats_unless_they_are_asked_to_be_exact(folder, run_json):
    words = ["factor", "-.06", "1e-1", "1", "-o", "s.json"]  # (x + 0.3)(x - 0.2)
    assert run_json(*words)["exact"] is False
    assert run_json(*words, "--exact")["exact"] is True
    rows = json.loads(Path("s.json").read_text())["exact"]
    assert multiplied(rows) == [Fraction(-3, 50), Fraction(1, 10), Fraction(1)]


def test_factor_in_the_chebyshev_basis(folder, run_json):
    assert run_json("factor", "0", "0", "1", "--basis", "chebyshev", "-o", "s.json")["exact"]
    assert pf.SoGCStack.load("s.json").theta.tolist() == [[-1.0, 0.0, 2.0]]  # T_2 = 2x² - 1
    c = np.random.default_rng(0).standard_normal(31)
    np.save("c.npy", c)
    found = run_json("factor", "c.npy", "--basis", "chebyshev", "-o", "s.json")
    assert (found["degree"], found["layers"]) == (30, 15)
    x = np.linspace(-1, 1, 201)
    assert np.allclose(pf.SoGCStack.load("s.json").response(x), Chebyshev(c)(x), atol=1e-12)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("h.txt", "# lowest first\n1 -1/2\n3/10\n"),
        ("h.csv", "1,-1/2,3/10\n"),
        ("h.csv", "1,\n-1/2,\n3/10\n"),
        ("h.tsv", "1\t-1/2\t3/10"),
        ("h.json", '[1, "-1/2", "3/10"]'),
    ],
)
def test_coefficients_from_files_are_those_typed(folder, run, name, content):
    Path(name).write_text(content)
    assert run("factor", name, "-o", "file.json", "-q") == (0, "", "")
    assert run("factor", "1", "-1/2", "3/10", "-o", "typed.json", "-q") == (0, "", "")
    assert Path("file.json").read_bytes() == Path("typed.json").read_bytes()
    assert json.loads(Path("typed.json").read_text())["power"] == ["1", "-1/2", "3/10"]


def test_whole_numbers_in_an_array_are_exact(folder, run_json):
    np.save("h.npy", np.array([-1, 0, 0, 0, 1]))
    assert run_json("factor", "h.npy", "-o", "s.json")["exact"] is True
    np.save("h.npy", np.array([-1.0, 0, 0, 0, 1]))
    assert run_json("factor", "h.npy", "-o", "s.json")["exact"] is False
    assert run_json("factor", "h.npy", "--exact", "-o", "s.json")["exact"] is True


@pytest.mark.parametrize("words", [["0"], ["0", "0/5", "0"], ["0.0", "0e5"], ["7/2"]])
def test_zero_and_constants_get_the_right_stack(folder, run, words):
    assert run("factor", *words, "-o", "s.json")[0] == 0
    assert pf.SoGCStack.load("s.json").theta.tolist() == [[float(Fraction(words[0])), 0.0, 0.0]]
    assert run("show", "s.json", "--certify")[0] == 0


def test_trimming_is_told(folder, run):
    _, out, _ = run("factor", "1", "0.5", "1e-300", "-o", "s.json")
    assert "1 coefficient at rounding level" in out


# ------------------------------------------------------------------------------------- apply


@pytest.fixture
def band_pass(folder) -> Chebyshev:
    h = pf.design.interpolate(pf.responses.band_pass, 40)
    pf.factorize(h).save("stack.json")
    return h


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


# -------------------------------------------------------------------------------------- show


def test_show_tells_each_layer(folder, band_pass, run_json):
    found = run_json("show", "stack.json", "--certify")
    stack = pf.SoGCStack.load("stack.json")
    assert np.array_equal(found["theta"], stack.theta)
    x = np.cos(np.linspace(0, np.pi, 4001))
    product = np.ones_like(x)
    for l, row in enumerate(found["theta"]):  # noqa: E741 (the paper's letter)
        q = Polynomial(row)
        product *= q(x)
        roots = [complex(*root) for root in found["roots"][l]]
        assert np.allclose(np.sort_complex(roots), np.sort_complex(q.roots()), atol=1e-9)
        assert found["factor_max"][l] == pytest.approx(np.abs(q(x)).max(), rel=0.02)
        assert found["partial_max"][l] == pytest.approx(np.abs(product).max(), rel=0.05)
    assert found["certificate"]["bound"] == stack.certify().bound
    assert found["certificate"]["bound"] >= np.abs(stack.response(x) - band_pass(x)).max() / 4
    assert found["status"] == "SUCCESS"


def test_show_certifies_where_the_stack_is_to_be_used(folder, run_json):
    lam = [-1.0, 0.25, 0.5]
    pf.factorize([1.0, 0.3, 0.7, 0.1], lam).save("s.json")
    certificate = run_json("show", "s.json", "--certify")["certificate"]
    assert certificate["over"] == "3 given points"
    assert certificate["bound"] < 1e-15


def test_show_prints_a_table_and_a_picture(folder, band_pass, run):
    status, out, err = run("show", "stack.json", "--layers", 5)
    assert (status, err) == (0, "")
    assert out.startswith("20 second-order layers of degree 40 in float64\n  noise gain ")
    rows = [line for line in out.split("\n") if line.strip()[:1].isdigit() and "┤" not in line]
    assert [row.split()[0] for row in rows[1:6]] == ["1", "2", "3", "19", "20"]
    assert len({len(row) for row in rows[1:6]}) == 1  # aligned
    assert "… 15 more" in out
    assert "⡀" in out
    assert all(len(line) <= 80 for line in out.split("\n"))
    assert run("show", "stack.json", "--layers", 0, "--no-plot")[1].count("\n") < 8


def test_show_of_complex_and_real_roots(folder, run):
    run("factor", "1", "0", "0", "0", "-1", "-o", "s.json")
    _, out, _ = run("show", "s.json", "--no-plot")
    assert "0.00000 ± 1i" in out
    assert "-1.00000, 1.00000" in out
    run("factor", "1", "2", "-o", "s.json")
    assert " -0.50000 " in run("show", "s.json", "--no-plot")[1]


@pytest.mark.parametrize(
    ("name", "start"), [("h.png", b"\x89PNG"), ("h.svg", b"<?xml"), ("h.PDF", b"%PDF")]
)
def test_show_draws_files(folder, band_pass, run, name, start):
    status, out, _ = run("show", "stack.json", "--plot", name)
    assert status == 0
    assert Path(name).read_bytes().startswith(start)
    assert "┤" not in out  # not in the terminal as well


# --------------------------------------------------------------------------------- bad input


@pytest.fixture
def material(folder) -> Path:
    """Files of every kind, right and wrong."""
    edge_file(folder / "g.txt", CYCLE)
    pf.factorize([1.0, 0.5, 0.25]).save("stack.json")
    whole = Path("stack.json").read_text()
    np.save("x.npy", np.ones(12))
    x = np.ones(12)
    for name, value in (("nan", np.nan), ("inf", np.inf)):
        x[7] = value
        np.save(f"{name}.npy", x)
        Path(f"{name}.txt").write_text("\n".join(map(str, x)))
    np.save("short.npy", np.ones(11))
    np.save("cube.npy", np.ones((12, 2, 2)))
    np.save("complex.npy", np.ones(12) * 1j)
    np.save("words.npy", np.array(["a"] * 12))
    np.save("huge.npy", np.full(12, 1e300))
    Path("pickle.npy").write_bytes(Path("x.npy").read_bytes()[:80])
    np.savez("several.npz", a=x, b=x)
    texts = {
        "empty.txt": "",
        "comment.txt": "# nothing\n",
        "empty.g6": "",
        "words.txt": "1\nthree\n2\n",
        "ragged.txt": "1 2\n3\n",
        "loop.txt": "0 1\n2 2\n",
        "negative.txt": "0 1 1\n1 2 -1\n",
        "nan-weight.txt": "0 1 nan\n",
        "directed.mtx": "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 1.0\n",
        "far.mtx": "%%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n3 1\n",
        "far.json": '{"nodes": [{"id": 0}], "edges": [{"source": 0, "target": 1}]}',
        "directed.json": '{"directed": true, "nodes": [], "edges": []}',
        "foreign.txt": "Dear reader,\nthis is no graph.\n",
        "foreign.json": '{"hello": "world"}',
        "truncated.json": whole[: len(whole) // 2],
        "later.json": whole.replace('"version": 1', '"version": 9'),
        "nan.json": whole.replace('"trim_bound": 0.0', '"trim_bound": NaN'),
        "list.json": "[1, [2]]",
        "half.json": "[1, 2",
        "zero.json": '["1/0"]',
        "graph.xyz": "0 1\n",
    }
    for name, text in texts.items():
        Path(name).write_text(text)
    Path("truncated.npz").write_bytes(Path("several.npz").read_bytes()[:200])
    np.savez("far.npz", edges=[[0, 5]], num_nodes=3)
    np.savez("splits.npz", a_edges=[[0, 1]], b_edges=[[0, 1]])
    Path("binary.txt").write_bytes(b"\xff\xfe\x00\x81")
    Path("sub").mkdir()
    return folder


APPLY = "apply stack.json g.txt"
DESIGN = "design --degree 8 -o out.json --response"

BAD = [
    # the words themselves
    ("", 2, "COMMAND"),
    ("polish", 2, "invalid choice: 'polish'"),
    ("capacity", 2, "FILE"),
    ("capacity g.txt --method magic", 2, "magic"),
    ("capacity g.txt --jobs 0", 2, "from 1 on, not 0"),
    ("capacity g.txt --seed -1", 2, "from 0 on, not -1"),
    ("capacity g.txt --no-such-option", 2, "--no-such-option"),
    ("design --response heat -o out.json", 2, "--degree"),
    ("design --response heat --degree two -o out.json", 2, "not two"),
    ("design --response heat --degree -1 -o out.json", 2, "not -1"),
    ("factor 1 2", 2, "-o/--output"),
    ("show stack.json --layers many", 2, "not many"),
    # graphs
    ("capacity missing.txt", 1, "can't read missing.txt"),
    ("capacity sub", 1, "not a file"),
    ("capacity empty.txt", 1, "empty.txt is empty"),
    ("capacity comment.txt", 1, "comment.txt is empty"),
    ("capacity empty.g6", 1, "empty.g6"),
    ("capacity loop.txt", 1, "line 2"),
    ("capacity negative.txt", 1, "line 2"),
    ("capacity nan-weight.txt", 1, "line 1"),
    ("capacity directed.mtx", 1, "directed.mtx"),
    ("capacity directed.json", 1, "directed"),
    ("capacity far.mtx", 1, "far.mtx"),
    ("capacity far.npz", 1, "node 5"),
    ("capacity far.json", 1, "not listed"),
    ("capacity foreign.txt", 1, "line 1 of foreign.txt"),
    ("capacity foreign.json", 1, "neither node-link nor adjacency"),
    ("capacity truncated.npz", 1, "truncated"),
    ("capacity half.json", 1, "not JSON"),
    ("capacity binary.txt", 1, "not a text file"),
    ("capacity graph.xyz", 1, "known endings"),
    ("capacity splits.npz", 1, "a, b"),
    ("capacity splits.npz --split c", 1, "no split 'c'"),
    ("capacity g.txt --split c", 1, "no splits"),
    ("capacity g.txt loop.txt", 1, "loop.txt"),
    # analyses
    ("analyze g.txt --architecture sogc", 2, "--depth"),
    ("analyze g.txt --depth 2", 2, "--architecture"),
    ("analyze g.txt --architecture sogc --depth 0", 2, "from 1 on, not 0"),
    ("analyze g.txt --architecture sogc --depth 2 --width 0", 2, "from 1 on, not 0"),
    ("analyze g.txt --architecture gat --depth 2", 1, "no architecture is called 'gat'"),
    ("analyze g.txt --architecture k-order --depth 2", 1, "write k-order:3"),
    ("analyze g.txt --architecture sogc --depth 2 --response heath", 1, "there are high-pass"),
    ("analyze g.txt --architecture sogc --depth 2 --response heat --tolerance 0", 1, "positive"),
    ("analyze g.txt --architecture sogc --depth 9999999", 1, "from 1 to 1,000,000"),
    ("analyze missing.txt --architecture sogc --depth 2", 1, "can't read missing.txt"),
    # designs
    (f"{DESIGN} bandpass", 1, "no response is called 'bandpass'; there are high-pass"),
    (f"{DESIGN} heat --param speed=2", 1, "has no parameter 'speed'; it has time"),
    (f"{DESIGN} heat --param time", 1, "name=number"),
    (f"{DESIGN} heat --param time=soon", 1, "name=number"),
    (f"{DESIGN} heat --param time=nan", 1, "finite"),
    (f"{DESIGN} gaussian --param width=0", 1, "positive"),
    (f"{DESIGN} band-pass --param lower=3", 1, "lower < upper"),
    (f"{DESIGN} heat --method least-squares", 1, "--spectrum"),
    (f"{DESIGN} heat --method least-squares --spectrum g.txt", 1, "7 distinct eigenvalues"),
    (f"{DESIGN} heat --spectrum missing.txt", 1, "missing.txt"),
    (f"{DESIGN} heat --plot out.bmp", 1, ".png .svg .pdf"),
    (f"{DESIGN} heat --plot out.json", 1, ".png .svg .pdf"),
    ("design --degree 99999999 --response heat -o out.json", 1, "10,000,000"),
    # coefficients
    ("factor missing.txt -o out.json", 1, "neither a number nor a file"),
    ("factor 1 two -o out.json", 1, "coefficient 1: 'two' is not a number"),
    ("factor 1 1/0 -o out.json", 1, "coefficient 1: '1/0' divides by zero"),
    ("factor nan 1 -o out.json", 1, "coefficient 0: 'nan'"),
    ("factor 1 1e999 -o out.json", 1, "coefficient 1: '1e999'"),
    ("factor 1 1e99999 --exact -o out.json", 1, "coefficient 1: '1e99999'"),
    ("factor 1 0x10 -o out.json", 1, "'0x10' is not a number"),
    (f"factor 1{'0' * 400} -o out.json", 1, "float64"),
    (f"factor {'9' * 5000} -o out.json", 1, "too many digits"),
    ("factor nan.npy -o out.json", 1, "coefficient 7 of nan.npy is nan"),
    ("factor complex.npy -o out.json", 1, "real numbers"),
    ("factor words.npy -o out.json", 1, "real numbers"),
    ("factor cube.npy -o out.json", 1, "one row"),
    ("factor pickle.npy -o out.json", 1, "pickle.npy"),
    ("factor words.txt -o out.json", 1, "line 2 of words.txt: 'three'"),
    ("factor empty.txt -o out.json", 1, "empty.txt is empty"),
    ("factor list.json -o out.json", 1, "list of numbers"),
    ("factor half.json -o out.json", 1, "truncated"),
    ("factor zero.json -o out.json", 1, "divides by zero"),
    ("factor stack.json -o out.json", 1, "list of numbers"),
    ("factor graph.xyz -o out.json", 1, ".npy .json .txt .csv .tsv"),
    # signals
    (f"{APPLY} nan.npy -o out.npy", 1, "not finite at node 7"),
    (f"{APPLY} inf.npy -o out.npy", 1, "not finite at node 7"),
    (f"{APPLY} nan.txt -o out.npy", 1, "not finite at node 7"),
    (f"{APPLY} inf.txt -o out.npy", 1, "not finite at node 7"),
    (f"{APPLY} short.npy -o out.npy", 1, "12 nodes"),
    (f"{APPLY} cube.npy -o out.npy", 1, "(12, 2, 2)"),
    (f"{APPLY} complex.npy -o out.npy", 1, "real numbers"),
    (f"{APPLY} words.npy -o out.npy", 1, "real numbers"),
    (f"{APPLY} pickle.npy -o out.npy", 1, "pickle.npy"),
    (f"{APPLY} huge.npy --dtype float32 -o out.npy", 1, "too large for float32 at node 0"),
    (f"{APPLY} words.txt -o out.npy", 1, "line 2 of words.txt holds 'three'"),
    (f"{APPLY} foreign.txt -o out.npy", 1, "line 2 of foreign.txt"),
    (f"{APPLY} ragged.txt -o out.npy", 1, "line 2 of ragged.txt has 1 columns"),
    (f"{APPLY} empty.txt -o out.npy", 1, "empty.txt is empty"),
    (f"{APPLY} binary.txt -o out.npy", 1, "not a text file"),
    (f"{APPLY} several.npz -o out.npy", 1, "a, b"),
    (f"{APPLY} several.npz --array c -o out.npy", 1, "a, b"),
    (f"{APPLY} x.npy --array c -o out.npy", 1, "no arrays"),
    (f"{APPLY} truncated.npz -o out.npy", 1, "truncated"),
    (f"{APPLY} missing.npy -o out.npy", 1, "missing.npy"),
    (f"{APPLY} foreign.json -o out.npy", 1, ".npy .npz .txt"),
    (f"{APPLY} x.npy -o out.xlsx", 1, ".npy .txt .csv .tsv"),
    # stacks
    ("show missing.json", 1, "missing.json"),
    ("show truncated.json", 1, "truncated"),
    ("show foreign.json", 1, "not a stack file"),
    ("show later.json", 1, "version"),
    ("show nan.json", 1, "nan.json"),
    ("show x.npy", 1, "not a stack file"),
    ("show stack.json --plot out.gif", 1, ".png .svg .pdf"),
    ("apply g.txt g.txt x.npy -o out.npy", 1, "not a stack file"),
    ("apply stack.json stack.json x.npy -o out.npy", 1, "node-link"),
    # outputs
    ("factor 1 2 -o sub", 1, "not a file"),
    ("factor 1 2 -o none/out.json", 1, "no folder 'none'"),
    ("factor 1 2 -o g.txt/out.json", 1, "no folder 'g.txt'"),
    ("factor 1 2 -o out.svg --plot ./out.svg", 1, "two results"),
    (f"{DESIGN} heat --plot none/out.png", 1, "no folder 'none'"),
    ("factor zero.json -o ./zero.json", 1, "also an input"),
    ("factor 1 2 --spectrum g.txt -o sub/../g.txt", 1, "also an input"),
    ("apply stack.json g.txt x.npy -o x.npy", 1, "also an input"),
    ("apply stack.json g.txt nan.txt -o g.txt", 1, "also an input"),
]


@pytest.mark.parametrize(("words", "status", "fragment"), BAD, ids=[words for words, _, _ in BAD])
def test_mistakes_are_told_in_one_line_and_leave_nothing(material, run, words, status, fragment):
    before = {path: path.read_bytes() for path in material.iterdir() if path.is_file()}
    code, out, err = run(*words.split())
    assert err.startswith("polyfilter: error: ")
    assert err.count("\n") == 1
    assert fragment in err
    assert (code, out) == (status, "")
    assert {path: path.read_bytes() for path in material.iterdir() if path.is_file()} == before


def test_mistakes_under_json_leave_stdout_empty(material, run):
    status, out, err = run("show", "truncated.json", "--json")
    assert (status, out, err.count("\n")) == (1, "", 1)


def test_a_result_that_overflows_is_not_written(folder, run):
    edge_file(folder / "g.txt", CYCLE)
    np.save("x.npy", np.full(12, 1e38, dtype=np.float32))
    run("factor", "1e10", "-o", "s.json")
    status, _, err = run("apply", "s.json", "g.txt", "x.npy", "-o", "y.npy")
    assert (status, Path("y.npy").exists()) == (1, False)
    assert "too large for float32" in err


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_folder_is_told(folder, run):
    (folder / "locked").mkdir(mode=0o500)
    assert "read-only" in run("factor", "1", "-o", "locked/s.json")[2]


def test_devices_are_not_renamed_over(folder, run):
    assert run("factor", "1", "-o", os.devnull)[0] == 1
    assert not Path(os.devnull).is_file()
    with pytest.raises(pf.PolyfilterError, match="not a file"):
        pf.factorize([1]).save(os.devnull)


def test_no_prefix_of_a_stack_file_is_taken_for_a_stack(folder, run):
    pf.factorize([1, Fraction(1, 3), 2]).save("stack.json")
    whole = Path("stack.json").read_bytes()
    for length in [*range(0, len(whole), 5), len(whole.rstrip()) - 1]:
        Path("part.json").write_bytes(whole[:length])
        status, out, err = run("show", "part.json")
        assert (status, out, err.count("\n")) == (1, "", 1)


@settings(max_examples=60)
@given(
    place=st.floats(0, 1, exclude_max=True),
    insert=st.sampled_from(["", "0", "9", "-", "e9", "1e308", "NaN", "null", "[]", '"', "\\", "é"]),
    remove=st.integers(0, 3),
)
def test_no_damage_to_a_stack_file_is_a_traceback(tmp_path_factory, place, insert, remove):
    folder = tmp_path_factory.getbasetemp()
    pf.factorize([1.0, 0.5, 0.25, 0.5]).save(folder / "s.json")
    text = (folder / "s.json").read_text()
    k = int(place * len(text))
    (folder / "s.json").write_text(text[:k] + insert + text[k + remove :])
    assert main(["show", str(folder / "s.json"), "--certify", "-q"]) in (0, 1)


WORDS = st.one_of(
    st.text(max_size=8).filter(lambda word: "\0" not in word),
    st.floats().map(str),
    st.fractions().map(str),
    st.sampled_from(["1e308", "5e-324", "-1e308", "1/3", "-", "1_0", "٣", "1e5000", ".", "0"]),
)


@settings(max_examples=80)
@given(words=st.lists(WORDS, min_size=2, max_size=5), exact=st.booleans(), chebyshev=st.booleans())
def test_no_coefficients_are_a_traceback(tmp_path_factory, words, exact, chebyshev):
    output = tmp_path_factory.getbasetemp() / "fuzzed.json"
    options = ["-q", *["--exact"] * exact, *["--basis", "chebyshev"] * chebyshev]
    assert main(["factor", "-o", str(output), *options, "--", *words]) in (0, 1)


# ------------------------------------------------------------------------------- the process


def python(*words: str, **options) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-W", "error", *words]
    return subprocess.run(
        command, capture_output=True, text=True, encoding="utf-8", timeout=60, **options
    )


@pytest.fixture(autouse=True)
def importable(monkeypatch):
    """Let processes that tests start find the package, whether it is installed or not."""
    here = str(Path(__file__).resolve().parent.parent)
    rest = os.environ.get("PYTHONPATH")
    monkeypatch.setenv("PYTHONPATH", f"{here}{os.pathsep}{rest}" if rest else here)
    monkeypatch.setenv("PYTHONIOENCODING", "utf-8")


def test_version_and_help_come_without_numpy():
    code = "import sys; from polyfilter.cli import main\n"
    for words in (["--version"], ["--help"], *([name, "--help"] for name in COMMANDS)):
        code += f"assert main({words!r}) == 0\n"
    done = python("-c", code + "print('numpy' in sys.modules, 'scipy' in sys.modules)")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"polyfilter {pf.__version__}\nusage: polyfilter ")
    assert done.stdout.endswith("False False\n")


def test_python_m_polyfilter(folder):
    words = ["-m", "polyfilter", "factor", "-1", "0", "1", "-o", "s.json"]
    done = python(*words)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("1 second-order layer of degree 2")
    done = python("-m", "polyfilter", "show", "none.json")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "polyfilter: error: can't read none.json: No such file or directory\n"


def test_a_terminal_without_greek_letters(folder, monkeypatch):
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    edge_file(folder / "g.txt", CYCLE)
    done = python("-m", "polyfilter", "capacity", "g.txt")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("? = 7 distinct eigenvalues")
    assert python("-m", "polyfilter", "capacity", "--help").returncode == 0


def test_a_reader_that_goes_away(folder):
    pf.factorize([1, 0, 1]).save("s.json")
    for words in (["show", "s.json"], ["--help"]):
        command = [sys.executable, "-m", "polyfilter", *words]
        with subprocess.Popen(command, stdout=-1, stderr=-1) as process:
            process.stdout.close()
            assert process.stderr.read() == b""
            assert process.wait() == 141


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_a_full_disk(folder):
    with open("/dev/full", "w") as full:
        command = [sys.executable, "-m", "polyfilter", "--version"]
        done = subprocess.run(command, stdout=full, stderr=-1, text=True)
    assert done.returncode == 1
    assert done.stderr == "polyfilter: error: No space left on device\n"


INTERRUPTED = """
import os, signal, sys, time
from polyfilter.cli import main
import polyfilter.commands.capacity as capacity

def slow(graphs, method, executor, **options):
    executor.submit(os.getpid).result()
    executor.submit(time.sleep, 60)
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(60)

capacity.spectrum_capacity = slow
sys.exit(main(["capacity", "g.txt", "--jobs", "2"]))
"""


def test_an_interrupt_ends_the_workers_too(folder):
    edge_file(folder / "g.txt", CYCLE)
    done = python("-c", INTERRUPTED)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


def test_an_interrupt_while_writing_leaves_nothing(folder, run, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupted)
    assert run("factor", "1", "2", "-o", "s.json") == (130, "", "")
    assert list(folder.iterdir()) == []


def test_running_out_of_memory_is_one_line(folder, run, monkeypatch):
    def exhausted(*_):
        raise MemoryError

    monkeypatch.setattr(pf.SoGCStack, "save", exhausted)
    assert run("factor", "1", "-o", "s.json") == (
        1,
        "",
        "polyfilter: error: there is not enough memory for this\n",
    )


class Terminal:
    """A stdout that says it is a terminal."""

    encoding = "utf-8"

    def __init__(self) -> None:
        self.text = ""

    def write(self, text: str) -> None:
        self.text += text

    def flush(self) -> None:
        pass

    def isatty(self) -> bool:
        return True


def test_colour_only_at_a_terminal_that_wants_it(folder, monkeypatch):
    pf.factorize([1, 0, 1]).save("s.json")
    for settings_, painted in (({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)):
        with monkeypatch.context() as patch:
            patch.delenv("NO_COLOR", raising=False)
            patch.setenv("TERM", "xterm")
            for name, value in settings_.items():
                patch.setenv(name, value)
            patch.setattr(sys, "stdout", terminal := Terminal())
            assert main(["show", "s.json"]) == 0
        assert terminal.text.startswith("\x1b[1m") is painted


COMMANDS = ("analyze", "capacity", "design", "factor", "apply", "show")


def test_every_command_has_an_example_that_parses_and_tells_its_keys(material, run_json, run):
    runs = {
        "analyze": "analyze g.txt --architecture gin --depth 3 --response heat",
        "capacity": "capacity g.txt",
        "design": f"{DESIGN} heat",
        "factor": "factor 1 2 -o out.json",
        "apply": f"{APPLY} x.npy -o out.npy",
        "show": "show stack.json",
    }
    parser = build_parser()
    for name in COMMANDS:
        text = run(name, "--help")[1]
        _, _, after = text.partition("\nexample")
        example = next(line for line in after.split("\n") if line.startswith("  polyfilter "))
        assert parser.parse_args(example.split()[1:]).command == name
        _, _, keys = text.partition("\nwith --json:\n")
        assert list(run_json(*runs[name].split())) == keys.split()
