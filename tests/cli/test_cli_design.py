"""``polyfilter design``: the response that was asked for, by three methods."""

from pathlib import Path

import numpy as np
import pytest
from material import CYCLE, edge_file

import polyfilter as pf
from polyfilter import responses
from polyfilter.helptext import RESPONSES


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
