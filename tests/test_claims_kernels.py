"""Claims 8 to 10, vanilla GCN, GIN and width: verdicts, broken mathematics, other truths."""

from fractions import Fraction

import numpy as np
import pytest
from flint import arb, fmpq, fmpq_poly
from hypothesis import given, settings
from hypothesis import strategies as st

from polyfilter.claim import ClaimError, Setting, Verdict
from polyfilter.claims import _channels, _lift, _lift_cost, _residual, gin, vanilla_gcn
from polyfilter.claims import width_buys_order as width
from polyfilter.claims._channels import run
from polyfilter.realroots import is_real_rooted

x = fmpq_poly([0, 1])
one = fmpq_poly([1])
rationals = st.fractions(min_value=-9, max_value=9, max_denominator=8)
polynomials = st.lists(rationals, min_size=1, max_size=8).map(
    lambda cs: fmpq_poly([fmpq(c.numerator, c.denominator) for c in cs])
)


@pytest.fixture(scope="module")
def outcomes():
    """Run each check once a seed: they take seconds."""
    found = {}

    def outcome(module, seed):
        key = module.CLAIM.name, seed
        if key not in found:
            found[key] = module.CLAIM.check(Setting(seed))
        return found[key]

    return outcome


VERDICTS = [(vanilla_gcn, Verdict.CORRECTED), (gin, Verdict.FALSE), (width, Verdict.FALSE)]


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize(("module", "verdict"), VERDICTS)
def test_verdicts(outcomes, module, verdict, seed):
    assert outcomes(module, seed).verdict is verdict


@pytest.mark.parametrize(("module", "verdict"), VERDICTS)
def test_evidence_is_of_the_seed(outcomes, module, verdict):
    first, second = (outcomes(module, seed) for seed in (0, 1))
    assert first.tables[0].rows != second.tables[0].rows or first.summary != second.summary


def test_smallest_counterexamples(outcomes):
    node, edge = (drawing.graph for drawing in outcomes(vanilla_gcn, 0).drawings)
    assert (node.num_nodes, node.num_edges) == (1, 0)
    assert (edge.num_nodes, edge.num_edges) == (2, 1)
    complete, lacking = (drawing.graph for drawing in outcomes(gin, 0).drawings)
    assert (complete.num_nodes, complete.num_edges) == (2, 1)
    assert (lacking.num_nodes, lacking.num_edges) == (3, 1)  # an edge and a node: -1, 0, 1


def test_real_graphs_where_there_are_any(data_folder):
    for module, verdict in VERDICTS:
        outcome = module.CLAIM.check(Setting(1, data=data_folder))
        assert outcome.verdict is verdict
        if list(data_folder.rglob("zinc12k.npz")):
            assert "molecule" in str(outcome)


# ------------------------------------------------------------------- mathematics broken on purpose


def refuses(module, words):
    """The claim must not come through."""
    with pytest.raises(ClaimError, match=words):
        module.CLAIM.check(Setting(0))


def test_vanilla_with_the_printed_binomial(monkeypatch):
    monkeypatch.setattr(vanilla_gcn, "right_binomial", vanilla_gcn.printed_binomial)
    refuses(vanilla_gcn, r"binom\{L\}\{l\}")


def test_vanilla_printed_right_would_be_found_right(monkeypatch, outcomes):
    monkeypatch.setattr(vanilla_gcn, "printed_binomial", lambda k, L: -2 * vanilla_gcn.comb(L, k))
    monkeypatch.setattr(vanilla_gcn, "misprint", lambda graph, rng: 1)
    assert vanilla_gcn.CLAIM.check(Setting(0)).printed[0].holds
    assert not outcomes(vanilla_gcn, 0).printed[0].holds


def test_vanilla_without_a_layer(monkeypatch):
    full = _residual.newton_layers
    monkeypatch.setattr(_residual, "newton_layers", lambda h: (full(h)[0][:-1], full(h)[1]))
    refuses(vanilla_gcn, "every polynomial of degree")


def test_vanilla_with_half_a_residual(monkeypatch):
    def half(W):
        return tuple(
            tuple(w + fmpq(int(i == j), 2) for j, w in enumerate(row)) for i, row in enumerate(W)
        ), W

    monkeypatch.setattr(_residual, "residual", half)
    refuses(vanilla_gcn, "read-out times the read-in")


def test_gin_without_the_lift(monkeypatch):
    monkeypatch.setattr(_lift_cost, "lift", lambda h, m, exponent: h)
    refuses(gin, "not real")


def test_gin_with_too_small_a_lift(monkeypatch):
    monkeypatch.setattr(_lift_cost, "proven_exponent", lambda h, m, gaps: -4)
    monkeypatch.setattr(_lift_cost, "least_exponent", lambda h, m, start: start)
    refuses(gin, "not real")


def test_gin_with_a_lift_by_something_else(monkeypatch):
    """Real roots are not enough: on the spectrum it has to be the filter."""
    right = _lift_cost.lift
    monkeypatch.setattr(_lift_cost, "lift", lambda h, m, k: right(h, m * fmpq(3, 2) + m[0] / 9, k))
    refuses(gin, "real factors|not real")


def test_gin_if_everything_split(monkeypatch):
    monkeypatch.setattr(gin, "is_real_rooted", lambda p: True)
    refuses(gin, "subsetneq")


def test_gin_if_bits_were_twice_the_eigenvalues(monkeypatch):
    monkeypatch.setattr(gin, "floor_exponent", lambda gamma: 2.0 * gamma)
    refuses(gin, "at least")


def test_width_without_a_layer(monkeypatch):
    full = width.horner_layers
    monkeypatch.setattr(width, "horner_layers", lambda a: (full(a)[0][:-1], full(a)[1]))
    refuses(width, "Horner")


def test_width_with_roots_on_one_side(monkeypatch):
    full = _channels.rotation_layers
    monkeypatch.setattr(width, "rotation_layers", lambda r: full([(a, abs(b)) for a, b in r]))
    refuses(width, "rotation")


def test_width_with_unequal_rotations(monkeypatch):
    monkeypatch.setattr(_channels, "rotation", lambda a, b: ((a, b), (b, a)))
    refuses(width, "rotation")


# ------------------------------------------------------------------------------------ other truths


@given(polynomials, rationals)
def test_newton_horner_and_clenshaw_against_plain_evaluation(h, at):
    point = fmpq(at.numerator, at.denominator)
    layers, read_in = _residual.newton_layers(h)
    assert run(layers, point, fmpq(1), read_in, (1, 0)) == h(point)
    assert len(layers) == max(1, h.degree())
    coefficients = [h[k] for k in range(max(h.degree(), 0) + 1)]
    layers, read_in = _channels.horner_layers(coefficients)
    assert run(layers, point, fmpq(1), read_in, (1, 0)) == h(point)
    layers, read_in = _channels.clenshaw_layers(coefficients)
    series = sum((c * fmpq_chebyshev(k, point) for k, c in enumerate(coefficients)), fmpq(0))
    assert run(layers, point, fmpq(1), read_in, (1, 0, 0)) == series


def fmpq_chebyshev(k, point):
    before, now = point, fmpq(1)
    for _ in range(k):
        before, now = now, 2 * point * now - before
    return now


@given(st.lists(st.tuples(rationals, rationals), min_size=1, max_size=5))
def test_rotations_against_complex_numbers(pairs):
    roots = [root for a, b in pairs for root in ((a, b), (a, -b))]
    exact = [(fmpq(a.numerator, a.denominator), fmpq(b.numerator, b.denominator)) for a, b in roots]
    h = _channels.from_roots(exact)
    assert run(_channels.rotation_layers(exact), x, one, (1, 0), (1, 0)) == h
    at = Fraction(3, 7)
    product = np.prod([complex(at - a, -b) for a, b in roots])
    value = h(fmpq(3, 7))
    assert int(value.p) / int(value.q) == pytest.approx(product.real, rel=1e-9, abs=1e-6)
    if all((a, b) != (-1, 0) for a, b in roots):
        layers = _residual.residual_rotations(exact)
        assert run(layers, x, one, (h(-1), 0), (1, 0)) == h


@settings(max_examples=40)
@given(st.sets(st.integers(-16, 16), min_size=2, max_size=7), st.data())
def test_lifts_split_and_change_nothing(eigenvalues, data):
    nodes = sorted(eigenvalues)
    m = one
    for node in nodes:
        m *= x - fmpq(node, 16)
    coefficients = data.draw(st.lists(st.integers(-9, 9), min_size=len(nodes), max_size=len(nodes)))
    h = fmpq_poly(coefficients)
    k = _lift.proven_exponent(h, m, _lift.gaps([arb(node) / 16 for node in nodes]))
    for exponent in (k, k + 1, k + 7):
        p = _lift.lift(h, m, exponent)
        assert is_real_rooted(p)
        assert all(p(fmpq(node, 16)) == h(fmpq(node, 16)) for node in nodes)


def test_least_lift_against_numpy():
    """On eigenvalues -1, 0, 1 the filter x^2 + 1 splits from t = 3.3302 on: between 2 and 4."""
    low, high = 2.0, 4.0
    for _ in range(50):
        middle = (low + high) / 2
        real = np.abs(np.roots([middle, 1, -middle, 1]).imag).max() < 1e-7
        low, high = (low, middle) if real else (middle, high)
    assert 2 < high < 4
    assert _lift.least_exponent(x**2 + 1, x**3 - x, 8) == 2


@pytest.mark.parametrize("gamma", [3, 5, 8, 13])
def test_floor_is_met_by_no_spectrum(gamma):
    """Chebyshev's own nodes, stretched to [-1, 1], are the best there is."""
    scale = np.cos(np.pi / (2 * gamma))
    nodes = np.cos(np.pi * (np.arange(gamma) + 0.5) / gamma) / scale
    depths = []
    for roots in (nodes, np.linspace(-1, 1, gamma)):
        m = np.polynomial.Polynomial.fromroots(roots)
        depths.append(np.abs(m(m.deriv().roots().real)).min())
    assert -np.log2(depths[0]) == pytest.approx(_lift.floor_exponent(gamma), abs=1e-6)
    assert -np.log2(depths[1]) >= _lift.floor_exponent(gamma) - 1e-9
