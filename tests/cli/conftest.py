"""What the tests of the command share: where it runs, how it is called, what it is given."""

import json
import os
from pathlib import Path

import numpy as np
import pytest
from material import CYCLE, edge_file
from numpy.polynomial import Chebyshev

import polyfilter as pf
from polyfilter.cli import main


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


@pytest.fixture(autouse=True)
def importable(monkeypatch):
    """Let processes that tests start find the package, whether it is installed or not."""
    here = str(Path(__file__).resolve().parents[2])
    rest = os.environ.get("PYTHONPATH")
    monkeypatch.setenv("PYTHONPATH", f"{here}{os.pathsep}{rest}" if rest else here)
    monkeypatch.setenv("PYTHONIOENCODING", "utf-8")


@pytest.fixture
def band_pass(folder) -> Chebyshev:
    h = pf.design.interpolate(pf.responses.band_pass, 40)
    pf.factorize(h).save("stack.json")
    return h


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
