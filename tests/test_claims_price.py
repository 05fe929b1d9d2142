"""Bits and depth that filters take: verdicts, other truths, broken mathematics."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from flint import acb, arb, arb_mat, arb_poly, ctx
from hypothesis import example, given
from hypothesis import strategies as st

import polyfilter as pf
from polyfilter.claim import ClaimError, Setting, Verdict
from polyfilter.claims import (
    _bits,
    _prices,
    _rates,
    depth_asked_and_needed,
    precision_price,
)
from polyfilter.enclosure import ball_layers
from polyfilter.responses import LowPass

CLAIMS = {precision_price: 14, depth_asked_and_needed: 15}


@cache
def outcome_of(module, seed=0):
    """The outcome of a claim, computed once for all tests that look at it."""
    return module.CLAIM.check(Setting(seed))


@pytest.fixture
def small(monkeypatch):
    """The depth claim on one small graph set and two responses, for tests that break it."""
    graphs = [pf.Graph.from_edges([(i, i + 1) for i in range(20)])]
    monkeypatch.setattr(
        depth_asked_and_needed, "graph_sets", lambda setting: [pf.GraphSet(graphs, "path")]
    )
    monkeypatch.setattr(depth_asked_and_needed, "WANTED", ((pf.responses.low_pass, 0.1),) * 2)
    rates = [_rates.geometric(LowPass(sharpness=20.0), 3)]
    monkeypatch.setattr(depth_asked_and_needed, "rates", lambda setting: rates)
    assert depth_asked_and_needed.check(Setting(0)).verdict is Verdict.CORRECTED


# ------------------------------------------------------------------------------------- verdicts


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("module", CLAIMS, ids=lambda module: module.CLAIM.name)
def test_verdict(module, seed):
    outcome = outcome_of(module, seed)
    assert outcome.verdict is Verdict.CORRECTED
    assert module.CLAIM.number == CLAIMS[module]
    assert [finding.holds for finding in outcome.printed] == [True, False]


@pytest.mark.parametrize("module", CLAIMS, ids=lambda module: module.CLAIM.name)
def test_another_seed_is_other_evidence(module):
    assert outcome_of(module, 0).tables[0].rows != outcome_of(module, 1).tables[0].rows


def test_asked_depth_is_far_above_the_needed():
    any_graphs, *sets = outcome_of(depth_asked_and_needed, 0).tables[0].rows
    assert any_graphs[3:] == ("29", "47", "53")
    assert all(asked > 100 for _, _, asked, *_ in sets)


# --------------------------------------------------------------------------- rounding to b bits


@given(st.floats(-1e30, 1e30, allow_subnormal=False))
@example(1.0 + 2.0**-24)  # a tie: away from zero, where float32 goes to even
@example(0.0)
def test_rounding_to_24_bits_is_float32(value):
    single = float(np.float32(value))
    if 0 < abs(value) < 2.0**-120:  # ours has exponents without end
        return
    found = float(_bits.Rounding(24).weight(arb(value)))
    tie = abs(abs(value - single) - 2.0 ** (np.frexp(single)[1] - 25)) < 1e-300
    assert found == single or tie


@given(st.floats(0.1, 10), st.integers(2, 60))
def test_rounding_is_to_nearest(value, bits):
    with ctx.workprec(200):
        x = arb(value).sqrt().mid()
        rounded = _bits.Rounding(bits).weight(x)
        ulp = arb(2) ** (int(np.frexp(float(rounded))[1]) - bits)
        assert abs(rounded - x) <= ulp / 2
        assert (rounded / ulp).is_integer()


def test_many_bits_give_the_filter():
    rng = np.random.default_rng(0)
    graph = pf.Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 4), (4, 0), (0, 2)])
    coefficients = [3, -1, 2, 5, -4, 1]
    x = rng.standard_normal(5)
    wanted = pf.filter_dense(graph, np.polynomial.Polynomial(coefficients), x)
    with ctx.workprec(200):
        h, A = arb_poly(coefficients), _bits.adjacency_balls(graph)
        column = arb_mat([[v] for v in x.tolist()])
        layers = ball_layers(h, 200)
        roots, constant = _prices.complex_roots(layers)
        found = {
            "layers": _bits.second_order(layers, A, column, 120),
            "width two": _bits.width_two(roots, A, column, 120) * constant,
            "recurrence": _bits.chebyshev_recurrence(_bits.chebyshev_balls(h), A, column, 120),
            "Horner": _bits.horner(h, A, column),
            "perturbed": _bits.on_perturbed(h, A, column, np.ones((5, 5)), 120),
        }
    for name, value in found.items():
        np.testing.assert_allclose(
            [float(v.mid()) for v in value.entries()], wanted, rtol=1e-13, err_msg=name
        )


def test_lift_takes_the_values_of_the_filter():
    graph = _prices.graph_of(7, np.random.default_rng(3))
    lam = np.linalg.eigvalsh(graph.normalized_adjacency().toarray())
    with ctx.workprec(400):
        balls = pf.certify.eigenvalue_balls(graph)
        real, t = _prices.lifted(arb_poly([1, 0, 1]), balls, 400)
    assert len(real) == 7
    roots = np.array([float(r.mid()) for r in real])
    values = float(t) * np.prod(lam[:, None] - roots, axis=1)
    np.testing.assert_allclose(values, 1 + lam**2, rtol=1e-4)  # the roots lost digits as floats


def test_width_two_multiplies_by_complex_numbers():
    with ctx.workprec(100):
        x = _bits.width_two([acb(0, 2), acb(0, -2)], arb_mat([[3]]), arb_mat([[1]]), 60)
    assert float(x[0, 0]) == 13.0  # 3^2 + 4


# -------------------------------------------------------------------- mathematics broken on purpose


def test_price_notices_arithmetic_that_does_not_round(monkeypatch):
    monkeypatch.setattr(_bits.Rounding, "__call__", lambda self, value: value.mid())
    with pytest.raises(ClaimError):
        precision_price.check(Setting(0))


def test_price_notices_a_dropped_layer(monkeypatch):
    monkeypatch.setattr(_prices, "ball_layers", lambda h, bits: ball_layers(h, bits)[1:])
    monkeypatch.setattr(_bits, "bits_needed", lambda *args: 60)
    monkeypatch.setattr(_prices, "bits_needed", lambda *args: 60)
    price = _prices.arbitrary(6, np.random.default_rng(0))
    assert not price.equal


def test_price_notices_layers_in_sorted_order(monkeypatch):
    graph = _prices.random_graph(np.random.default_rng(0), 32, 0.15)
    rng = np.random.default_rng(0)
    best = _prices.smooth(pf.responses.low_pass, 64, graph, rng)
    assert best.bits["SoGC, ordered"] <= best.bound <= precision_price.DOUBLE

    def by_root(h, points):
        stack = pf.factorize(h, points)
        slope, curvature = stack.theta[:, 1], stack.theta[:, 2]
        middle = np.where(curvature == 0, 2.0, -slope / np.where(curvature == 0, 1, 2 * curvature))
        return pf.SoGCStack(stack.theta[np.argsort(middle)], stack.filter, points)

    monkeypatch.setattr(_prices, "factorize", by_root)
    worst = _prices.smooth(pf.responses.low_pass, 64, graph, rng)
    assert worst.bits["SoGC, ordered"] > precision_price.DOUBLE
    assert worst.bound > precision_price.DOUBLE


@pytest.mark.parametrize("wrong", [0.96, 1.04])
@pytest.mark.usefixtures("small")
def test_depth_notices_a_wrong_pole(monkeypatch, wrong):
    monkeypatch.setattr(_rates, "rho", lambda pole: wrong * pf.depth.rho(pole))
    rates = [_rates.geometric(LowPass(sharpness=20.0), 3)]
    monkeypatch.setattr(depth_asked_and_needed, "rates", lambda setting: rates)
    with pytest.raises(ClaimError, match="poles"):
        depth_asked_and_needed.check(Setting(0))


@pytest.mark.usefixtures("small")
def test_depth_notices_polynomials_that_are_not_best(monkeypatch):
    def interpolated(response, degree):
        best = pf.design.minimax_with_proof(response, degree)
        return replace(best, error=1.01 * best.error)

    monkeypatch.setattr(_rates, "minimax_with_proof", interpolated)
    with pytest.raises(ClaimError, match="kink"):
        depth_asked_and_needed.check(Setting(0))


@pytest.mark.usefixtures("small")
def test_depth_notices_a_coarse_count(monkeypatch):
    class Coarse:
        def __init__(self, graphs, *_, **__):
            self.value = len(pf.spectrum(graphs, tolerance=0.05))

    monkeypatch.setattr(depth_asked_and_needed, "spectrum_capacity", Coarse)
    with pytest.raises(ClaimError, match="cycles"):
        depth_asked_and_needed.check(Setting(0))
