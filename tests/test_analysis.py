"""The one-page answer: on real sets of graphs, against best approximation by other means."""

import json

import networkx as nx
import numpy as np
import pytest

import polyfilter as pf
from polyfilter import spaces
from polyfilter.ambient import ambient
from polyfilter.analysis import analyze, effective_depth, reach
from polyfilter.errors import FilterError
from polyfilter.responses import band_pass, heat, low_pass

NAMES = [f"{name}:3" if name in ("k-order", "chebnet") else name for name in spaces.ARCHITECTURES]


@pytest.fixture(scope="module")
def space():
    """Ten random graphs: some three hundred eigenvalues."""
    members = [nx.gnp_random_graph(30, 0.2, seed=k) for k in range(10)]
    return ambient(pf.GraphSet([pf.Graph.from_networkx(g) for g in members], "random"))


@pytest.mark.parametrize("name", NAMES)
def test_every_architecture_has_an_answer(name, space):
    found = analyze(space, name, 4, response=heat(1.0))
    assert found.dimension.proven
    assert found.reach is not None
    assert 0 <= found.reach.lower <= found.reach.largest * (1 + 1e-9)
    assert found.reach.mean <= found.reach.largest * (1 + 1e-9)
    text = str(found)
    assert text.startswith(f"{name} on random, depth 4, width 1\n  layer")
    assert f"Γ = {space.gamma:,}" in text
    assert json.loads(json.dumps(found.as_dict()))["dimension"] == found.dimension.value


def test_the_best_error_of_a_linear_space_is_that_of_the_best_polynomial(space):
    h = pf.design.least_squares(low_pass, 10, space.spectrum)
    m = space.spectrum.multiplicities
    wanted = np.sqrt(m @ (h(space.points) - low_pass(space.points)) ** 2 / m.sum())
    for name, depth, width in (
        ("sogc", 5, 1),
        ("first-order", 10, 2),
        ("vanilla+residual", 10, 2),
        ("gpr-gnn", 10, 1),
        ("k-order:10", 1, 1),
    ):
        found = reach(name, depth, low_pass, space, width)
        assert found.mean == pytest.approx(wanted, rel=1e-6)
        assert found.lower == pytest.approx(found.largest, rel=1e-5)


def test_real_roots_cost_something_and_the_bounds_enclose(space):
    free = reach("first-order", 6, band_pass, space, width=2)
    bound = reach("gin", 6, band_pass, space)
    assert bound.lower == pytest.approx(free.lower)
    assert bound.largest > free.largest
    # what the search found is a network: better than a line, the largest space that is inside
    line = reach("gpr-gnn", 1, band_pass, space)
    assert bound.largest <= line.largest
    assert bound.mean < line.mean


def test_a_real_rooted_target_is_found_by_the_search(space):
    target = lambda lam: (lam + 1.5) * (lam - 0.3) * (lam - 2)  # noqa: E731
    found = reach("gin", 3, target, space)
    assert found.largest < 1e-6


def test_poles_are_found_by_the_search(space):
    found = reach("arma", 2, lambda lam: 1 / (1 - 0.8 * lam) - 2 / (1 + 0.5 * lam), space)
    assert found.largest < 1e-6
    assert "no lower bound" in found.method


def test_a_cone_is_further_away(space):
    cone, span = reach("bernnet", 6, low_pass, space), reach("gpr-gnn", 6, low_pass, space)
    assert cone.largest > span.largest
    inside = reach("bernnet", 6, lambda lam: (1 + lam) ** 2, space)
    assert inside.largest < 1e-10


def test_complete_depths_leave_no_error():
    star = pf.Graph.from_networkx(nx.star_graph(5))
    found = analyze(star, "sogc", 1, response=band_pass)
    assert found.reach.largest == 0
    assert found.effective.depth == 1
    assert "every filter" in str(found)


def test_effective_depth_follows_the_response(space):
    for name in ("sogc", "gpr-gnn", "gcnii"):
        need = effective_depth(name, low_pass, space, 0.05)
        assert reach(name, need.depth, low_pass, space).largest <= 0.05
        assert reach(name, need.depth // 2, low_pass, space).largest > 0.05
    assert effective_depth("gin", low_pass, space, 0.05).depth == space.gamma
    assert effective_depth("sgc", low_pass, space, 0.05) is None
    # nothing is needed for what is constant
    assert effective_depth("sogc", pf.responses.constant(2.0), space, 1e-9).depth == 1


def test_what_would_take_too_long_is_said():
    lam = np.linspace(-1, 1, 8000)
    found = analyze(lam, "sogc", 2000, response=low_pass)
    assert found.reach is None
    assert "too long" in found.note
    assert "not computed" in str(found)
    assert found.effective.depth < 60


def test_mistakes(space):
    with pytest.raises(FilterError, match="give an array of them, or graphs"):
        analyze(7, "sogc", 1, response=low_pass)
    with pytest.raises(FilterError, match="tolerance has to be positive"):
        effective_depth("sogc", low_pass, space, 0.0)
