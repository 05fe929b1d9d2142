"""Claim 11, the number of real roots: verdict, mathematics broken on purpose, other truths."""

import numpy as np
import pytest
from flint import arb
from scipy.integrate import quad

from polyfilter.claim import ClaimError, Setting, Verdict
from polyfilter.claims import _ensembles, _kac, real_roots
from polyfilter.claims._ensembles import real_share
from polyfilter.claims._kac import bounds, expected_real_roots, kac_constant


@pytest.mark.parametrize("seed", [0, 1])
def test_verdict(seed):
    outcome = real_roots.CLAIM.check(Setting(seed))
    assert outcome.verdict is Verdict.CORRECTED
    assert [finding.holds for finding in outcome.printed] == [True, False, True]


# ------------------------------------------------------------------- mathematics broken on purpose


def refuses(words):
    """The claim must not come through."""
    with pytest.raises(ClaimError, match=words):
        real_roots.CLAIM.check(Setting(0))


def test_a_root_too_many(monkeypatch):
    count = _ensembles.count_real_roots
    monkeypatch.setattr(_ensembles, "count_real_roots", lambda p: min(p.degree(), count(p) + 1))
    refuses("certified counts")


def test_a_wrong_constant(monkeypatch):
    monkeypatch.setattr(real_roots, "kac_constant", lambda: kac_constant() + arb("1e-9"))
    refuses("frac")


def test_log_to_the_base_two_would_be_found(monkeypatch):
    right = expected_real_roots
    monkeypatch.setattr(real_roots, "expected_real_roots", lambda K: right(K) / arb(2).log())
    refuses("frac")


def test_half_the_integral(monkeypatch):
    """Roots on the positive half line only: what is printed fails as well."""
    right = expected_real_roots
    outcomes = []
    monkeypatch.setattr(real_roots, "expected_real_roots", lambda K: right(K) / 2)
    monkeypatch.setattr(real_roots, "settle", lambda summary, **lists: outcomes.append(lists))
    real_roots.CLAIM.check(Setting(0))
    assert not outcomes[0]["printed"][0].holds


def test_roots_missed_at_sign_changes(monkeypatch):
    monkeypatch.setattr(_ensembles, "count_real_roots", lambda p: p.degree() % 2)
    refuses("certified counts")


# ------------------------------------------------------------------------------------ other truths


@pytest.mark.parametrize("K", [1, 2, 3, 10, 50])
def test_expectation_against_kac_as_he_wrote_it(K):
    n = K + 1

    def density(t):
        inner = 1 / (1 - t * t) ** 2 - n * n * t ** (2 * n - 2) / (1 - t ** (2 * n)) ** 2
        return np.sqrt(max(inner, 0.0))

    value, error = quad(density, 0, 1 - 1e-7, limit=500)
    assert float(expected_real_roots(K)) == pytest.approx(4 / np.pi * value, abs=1e-5 + 2 * error)


def test_expectation_at_small_degrees_in_closed_form():
    """A line has one root; Edelman and Kostlan tabulate 1.29702 and 1.49276 at two and three."""
    assert expected_real_roots(1).contains(1)
    assert float(expected_real_roots(2)) == pytest.approx(1.29702, abs=5e-6)
    assert float(expected_real_roots(3)) == pytest.approx(1.49276, abs=5e-6)
    assert kac_constant().rad() < 1e-15


@pytest.mark.parametrize("K", [1, 7, 1000, 10**6])
def test_bounds_hold(K):
    low, high = bounds(K)
    assert low < expected_real_roots(K) < high


def test_density_near_zero_agrees_with_itself():
    """The series and the formula are one function: compare where both are good."""
    v = _kac.acb(1.49)
    sinh = v.sinh()
    assert abs(_kac._g(v) - (1 / (v * v) - 1 / (sinh * sinh))) < 1e-12


def test_share_of_quadratics_by_counting():
    rng = np.random.default_rng(0)
    a, b, c = rng.standard_normal((3, 400_000))
    counted = np.mean(b * b > 4 * a * c)
    share, error = real_share(rng, 2, 100_000)
    assert share == pytest.approx(counted, abs=5 * (error + 0.5 / np.sqrt(a.size)))
    assert float(expected_real_roots(2)) / 2 == pytest.approx(counted, abs=2.5 / np.sqrt(a.size))


@pytest.mark.parametrize("K", [2, 5, 9])
def test_chebyshev_expectation_by_sampling_values(K):
    """Sign changes on a fine grid of [-1, 1] and beyond, in floats."""
    rng = np.random.default_rng(K)
    t = np.linspace(0, np.pi, 4000)
    inside = np.cos(np.outer(np.arange(K + 1), t))
    s = np.linspace(0, 1, 4000)[1:-1]
    k = np.arange(K + 1)[:, None]
    outside = (s ** (K - k) + s ** (K + k)) / 2  # T_k(x) / (2 x)^K up to a positive factor
    c = rng.standard_normal((1500, K + 1))
    signs = (-1.0) ** np.arange(K + 1)
    found = np.zeros(len(c))
    for values in (c @ inside, c @ outside, (c * signs) @ outside):
        found += np.count_nonzero(np.diff(np.sign(values), axis=1), axis=1)
    error = found.std() / np.sqrt(len(c))
    assert _ensembles.chebyshev_expectation(K) == pytest.approx(found.mean(), abs=5 * error)
