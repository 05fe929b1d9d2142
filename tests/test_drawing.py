"""Figures and graphs as SVG."""

from xml.etree import ElementTree

import numpy as np
import pytest

from polyfilter.chart import axis, chart, label, legend, marks
from polyfilter.claim import Curve, Figure
from polyfilter.drawing import describe, draw, layout
from polyfilter.graphs import Graph


def test_ticks_are_round_and_few() -> None:
    rng = np.random.default_rng(0)
    for _ in range(200):
        low, size = rng.normal() * 10 ** rng.uniform(-3, 6), 10 ** rng.uniform(-3, 6)
        found = axis(np.array([low, low + size]))
        assert 2 <= len(found.ticks) <= 8
        assert all(found.low <= tick <= found.high for tick in found.ticks)
        found = axis(10 ** np.array([low / 1e6, low / 1e6 + rng.uniform(0.1, 40)]), log=True)
        assert 1 <= len(found.ticks) <= 9


@pytest.mark.parametrize(
    ("value", "log", "text"),
    [(1e-16, True, "10⁻¹⁶"), (100.0, True, "100"), (-0.5, False, "−0.5"), (2e6, False, "2M")],
)
def test_labels_of_ticks(value: float, log: bool, text: str) -> None:
    assert label(value, log) == text


def test_a_chart_shows_its_curves_and_leaves_out_what_it_cannot() -> None:
    values = (1.0, 0.0, float("inf"), 1e-3)
    figure = Figure(
        "c", (Curve("$a_1$ < b", (1.0, 2.0, 3.0, 4.0), values),), "K", "$|e|$", log_y=True
    )
    root = ElementTree.fromstring(chart(figure))
    assert len(root.findall(".//use")) == 2
    (curve,) = (path for path in root.iter("path") if path.get("class") == "curve")
    assert curve.get("d", "").count("M") == 2  # the gap breaks the line
    assert "a₁ < b from (1, 1)" in root.get("aria-label", "")
    assert "nan" not in chart(figure)
    ElementTree.fromstring(legend(figure))
    ElementTree.fromstring(marks())


def test_a_chart_of_nothing_and_of_one_point() -> None:
    for curves in ((), (Curve("a", (3.0,), (0.0,)),), (Curve("b", (), ()),)):
        for log in (False, True):
            ElementTree.fromstring(chart(Figure("c", curves, "x", "y", log_x=log, log_y=log)))


def test_a_curve_of_many_points_is_thinned() -> None:
    x = tuple(np.linspace(0, 1, 100_000))
    assert len(chart(Figure("c", (Curve("a", x, x),), "x", "y"))) < 50_000


def cycle(n: int) -> Graph:
    return Graph.from_edges([(i, (i + 1) % n) for i in range(n)])


@pytest.mark.parametrize("n", [3, 4, 5, 6, 8, 12])
def test_a_cycle_is_drawn_as_a_regular_polygon(n: int) -> None:
    X = layout(cycle(n))
    sides = np.linalg.norm(X - np.roll(X, 1, axis=0), axis=1)
    radii = np.linalg.norm(X - X.mean(axis=0), axis=1)
    np.testing.assert_allclose(sides, sides[0], rtol=1e-3)
    np.testing.assert_allclose(radii, radii[0], rtol=1e-3)


def test_a_path_is_drawn_as_a_line() -> None:
    X = layout(Graph.from_edges([(i, i + 1) for i in range(5)]))
    assert np.ptp(X[:, 1]) < 0.05 * np.ptp(X[:, 0])
    assert (np.diff(X[:, 0]) > 0).all() or (np.diff(X[:, 0]) < 0).all()


@pytest.mark.parametrize(
    "graph",
    [
        Graph.from_edges([], num_nodes=1),
        Graph.from_edges([], num_nodes=7),
        Graph.from_edges([(0, 1), (2, 3)], num_nodes=5),
        Graph(np.ones((6, 6)) - np.eye(6)),
        Graph.from_edges([(0, i) for i in range(1, 9)]),
        Graph.from_edges([(0, 1), (1, 2)], weights=[0.25, 3]),
        Graph.from_edges([(0, 0), (0, 1)], self_loops=True),
        cycle(60),
        cycle(500),
    ],
    ids=describe,
)
def test_nodes_stand_apart(graph: Graph) -> None:
    X = layout(graph)
    assert np.isfinite(X).all()
    if graph.num_nodes > 1:
        apart = np.linalg.norm(X[:, None] - X[None], axis=2) + 10 * np.eye(graph.num_nodes)
        assert apart.min() > 0.3
    root = ElementTree.fromstring(draw(graph))
    nodes = [circle for circle in root.iter("circle") if circle.get("class") != "loop"]
    assert len(nodes) == graph.num_nodes
    assert root.get("aria-label") == describe(graph)
