"""The analytic rows, against linear programming and dense eigendecompositions."""

import json

import numpy as np
import pytest
from numpy.polynomial import Chebyshev
from numpy.polynomial.chebyshev import chebvander
from scipy.optimize import linprog

from experiments.sgs import analytic
from gcn.data import sgs

GRAPHS = (12, 4, 5)


def dense_features(split, degree):
    """T_k(A) x for all k, by eigendecomposition; one column a degree."""
    rows = []
    for graph, low, high in zip(split.graphs, split.node_ptr[:-1], split.node_ptr[1:], strict=True):
        lam, U = np.linalg.eigh(graph.normalized_adjacency().toarray())
        spectral = U.T @ split.x[low:high]
        rows.append(U @ (chebvander(np.clip(lam, -1, 1), degree) * spectral[:, None]))
    return np.concatenate(rows)


def dense_mae(split, coefficients):
    features = dense_features(split, len(coefficients) - 1)
    return np.abs(features @ coefficients - split.y).mean()


@pytest.fixture(scope="module")
def parts():
    return [
        sgs.generate("band-pass", part, count=count)
        for part, count in zip(sgs.PARTS, GRAPHS, strict=True)
    ]


@pytest.fixture(scope="module")
def figures():
    return analytic.collect(None, graphs=GRAPHS, degrees=(2,), targets=("band-pass",))


def test_a_floor_is_what_linear_programming_finds(parts, figures):
    train, _, test = parts
    X, n, p = dense_features(train, 2), len(train.y), 3
    # minimise the sum of e with -e ≤ X c - y ≤ e
    programme = linprog(
        np.append(np.zeros(p), np.ones(n) / n),
        A_ub=np.block([[X, -np.eye(n)], [-X, -np.eye(n)]]),
        b_ub=np.append(train.y, -train.y),
        bounds=[(None, None)] * p + [(0, None)] * n,
    )
    floor = figures["targets"]["band-pass"]["floors"]["2"]
    assert floor["train"] == pytest.approx(programme.fun, rel=1e-7)
    assert floor["train_at_least"] <= programme.fun * (1 + 1e-7)
    assert floor["test"] == pytest.approx(dense_mae(test, programme.x[:p]), rel=1e-4)


def test_networks_have_the_error_of_their_polynomial(parts, figures):
    found = figures["targets"]["band-pass"]
    truth = dense_mae(parts[2], np.array(found["coefficients"]))
    fitted, first, vanilla = found["networks"][1:4]
    assert [row["layers"] for row in (fitted, first, vanilla)] == [16, 32, 32]
    assert [row["channels"] for row in (fitted, first, vanilla)] == [1, 2, 2]
    for row in (fitted, first, vanilla):
        assert row["test"]["float64"] == pytest.approx(truth, rel=1e-9)
        assert row["test"]["float32"] == pytest.approx(truth, rel=1e-3)
    assert fitted["parameters"] == 48
    assert found["zero"] == pytest.approx(dense_mae(parts[2], np.zeros(1)), rel=1e-12)


def test_gin_is_there_where_all_roots_are_real(parts, figures):
    found = figures["targets"]["band-pass"]
    there = {row["layers"]: row for row in found["networks"][4:]}
    absent = {row["layers"]: row for row in found["no_network"]}
    assert sorted([*there, *absent]) == [16, 32]
    for degree in (16, 32):
        h = analytic.fitted(parts[0], degree).polynomial
        real = np.abs(h.roots().imag).max() < 1e-9
        assert real == (degree in there)
        if real:
            assert there[degree]["parameters"] == 2 * degree + 4  # W and ε; embedding and head
            truth = dense_mae(parts[2], h.coef)
            assert there[degree]["test"]["float64"] == pytest.approx(truth, rel=1e-9)
        else:
            assert "not real" in absent[degree]["reason"]


def test_gin_can_not_have_a_step():
    figures = analytic.collect(None, graphs=(6, 1, 1), degrees=(), targets=("high-pass",))
    reasons = [row["reason"] for row in figures["targets"]["high-pass"]["no_network"]]
    assert len(reasons) == 2
    assert all("roots that are not real" in reason for reason in reasons)
    assert "none" in str(analytic.table(figures))


def test_the_design_is_chosen_without_the_test_graphs(figures):
    found = figures["targets"]["band-pass"]
    best = min(found["designs"], key=lambda name: found["designs"][name]["valid"])
    assert found["chosen"] == best
    assert found["networks"][0]["test"]["float32"] == found["designs"][best]["test"]


def test_designs_are_what_they_are_called():
    lam = np.linspace(-1, 1, 2001)
    f = sgs.TARGETS["band-pass"]
    designs = {name: make(f, 32) for name, make in analytic.DESIGNS.items()}
    errors = {name: np.abs(h(lam) - f(lam)) for name, h in designs.items()}
    assert min(errors, key=lambda name: errors[name].max()) == "minimax"
    assert min(errors, key=lambda name: np.mean(errors[name] ** 2)) == "least squares"
    series = Chebyshev.interpolate(f, 2000)  # resolves f to rounding
    cut = designs["Chebyshev least squares"].coef
    assert np.abs(cut - series.coef[:33]).max() < 1e-12


def test_the_picture_is_drawn_from_the_file_alone(figures):
    picture = analytic.draw(json.loads(json.dumps(figures)))
    assert [axes.get_title(loc="left") for axes in picture.axes] == ["band-pass"]
    labels = [text.get_text() for text in picture.legends[0].get_texts()]
    assert "SoGCN, 48 numbers computed from the response" in labels
    assert "SoGCN, trained (paper)" in labels
