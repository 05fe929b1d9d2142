"""``polyfilter factor``: exact where it can be, whatever the numbers come in."""

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from numpy.polynomial import Chebyshev

import polyfilter as pf


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
