"""``polyfilter show``: a table and a picture of each layer."""

from pathlib import Path

import numpy as np
import pytest
from numpy.polynomial import Polynomial

import polyfilter as pf


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
