"""Responses against the paper's formulas as printed, at every float, and with every mistake."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyfilter import responses
from polyfilter.errors import ResponseError
from polyfilter.responses import band_pass, by_name, evaluate, high_pass, low_pass

EPS = np.finfo(float).eps
ALL = [kind() for kind in responses.NAMES.values()]

eigenvalues = st.floats(-1, 1)


def formula_tolerance(sharpness):
    """Return how far rounding of s moves a logistic curve, whose slope is at most a quarter."""
    return 2 * EPS * (sharpness / 4 + 1)


def zeta(s, alpha, beta):
    """Return the paper's ζ, as printed."""
    return math.exp(-alpha * (s - beta))


# ------------------------------------------------------------------------------ what is right


@given(eigenvalues)
def test_the_papers_equation(lam):
    s = 1 - lam
    high = 1 / (1 + zeta(s, 50, 1))
    band = -1 / (1 + zeta(s, 100, 1.05)) + 1 / (1 + zeta(s, 100, 0.95))
    assert abs(high_pass(lam) - high) <= formula_tolerance(50)
    assert abs(low_pass(lam) - (1 - high)) <= formula_tolerance(50)
    assert abs(band_pass(lam) - band) <= 2 * formula_tolerance(100)


@given(eigenvalues)
def test_symmetries_hold_to_the_last_bit(lam):
    assert high_pass(-lam) == low_pass(lam)
    assert band_pass(-lam) == band_pass(lam)


@given(eigenvalues)
def test_high_and_low_pass_are_complements(lam):
    assert abs((high_pass + low_pass)(lam) - 1) <= EPS


def test_band_pass_keeps_relative_accuracy_in_the_tail():
    # far from the band f is σ(5 - 100λ) up to e^-10: a difference of two ones would be zero
    assert band_pass(-0.9) > 0
    truth = math.exp(-85) * -math.expm1(-10)  # to within e^-85 of itself
    assert abs(band_pass(-0.9) / truth - 1) <= 200 * EPS


@given(st.floats(allow_nan=True, allow_infinity=True), st.sampled_from(ALL))
def test_any_float_gives_a_value_and_no_warning(lam, response):
    value = response(lam)
    assert np.isnan(value) == np.isnan(lam)


@given(st.lists(eigenvalues, max_size=4), st.sampled_from(ALL))
def test_arrays_are_scalars_side_by_side(lam, response):
    values = response(lam)
    assert values.shape == (len(lam),)
    assert values.dtype == np.float64
    assert values.tolist() == [float(response(one)) for one in lam]
    assert response(np.reshape(lam, (1, -1))).shape == (1, len(lam))


@given(eigenvalues)
def test_other_responses_are_their_formulas(lam):
    s = 1 - lam
    assert math.isclose(responses.heat(1.5)(lam), math.exp(-1.5 * s), rel_tol=4 * EPS)
    bell = math.exp(-((s - 0.7) ** 2) / (2 * 0.3**2))
    assert math.isclose(responses.gaussian(0.7, 0.3)(lam), bell, rel_tol=64 * EPS)
    assert responses.ideal(0.5, 1.0)(lam) == (0 <= lam <= 0.5)
    assert responses.constant(3)(lam) == 3


@given(st.floats(0, 2), st.floats(0.1, 5))
def test_exponential_window_is_pygsps(s, slope):
    def f(x):
        return math.exp(-slope / x) if x > 0 else 0.0

    t = s / 0.8
    window = f(1 - t) / (f(1 - t) + f(t))
    value = responses.exponential_window(cutoff=0.8, slope=slope)(1 - s)
    assert abs(value - window) <= 1e3 * EPS


@given(eigenvalues)
def test_arithmetic_is_pointwise(lam):
    heat = responses.heat(1.0)
    assert (heat + low_pass)(lam) == heat(lam) + low_pass(lam)
    assert (heat - low_pass)(lam) == heat(lam) - low_pass(lam)
    assert (heat * low_pass)(lam) == heat(lam) * low_pass(lam)
    assert (1 - 2 * heat + 3)(lam) == 1 - 2 * heat(lam) + 3
    assert (np.float64(0.5) * heat)(lam) == 0.5 * heat(lam)


def test_responses_are_values():
    assert by_name("heat", time=2.0) == responses.heat(2.0)
    assert high_pass.with_(cutoff=1.1).with_(cutoff=1.0) == high_pass
    assert len({by_name(name) for name in responses.NAMES}) == len(responses.NAMES)
    assert [str(by_name(name)) for name in responses.NAMES if name != "constant"] == [
        name for name in responses.NAMES if name != "constant"
    ]
    with pytest.raises(AttributeError):
        high_pass.sharpness = 3


def test_evaluate_accepts_what_a_user_writes():
    points = np.linspace(-1, 1, 5)
    assert evaluate(lambda lam: lam > 0, points).tolist() == [0, 0, 0, 1, 1]
    assert evaluate(np.vectorize(math.exp), points).tolist() == [math.exp(p) for p in points]
    assert evaluate(np.polynomial.Chebyshev([0, 1]), points).tolist() == points.tolist()


def test_evaluate_keeps_its_points():
    points = np.array([0.25, 0.5])

    def in_place(lam):
        lam *= 2
        return lam

    assert evaluate(in_place, points).tolist() == [0.5, 1.0]
    assert points.tolist() == [0.25, 0.5]


# ------------------------------------------------------------------------------ what is wrong


@pytest.mark.parametrize(
    ("response", "message"),
    [
        (lambda lam: lam[:3], r"returned shape \(3,\) for 33 points"),
        (lambda lam: 1.0, r"returned shape \(\) for 33 points"),
        (lambda lam: lam[:, None], r"returned shape \(33, 1\) for 33 points"),
        (lambda lam: np.where(lam == 0.25, np.nan, 0.0), r"is nan at λ = 0\.25;"),
        (lambda lam: np.where(lam > 0.9, np.inf, 0.0), r"is inf at λ = 0\.9375;"),
        (lambda lam: lam * 1j, "complex"),
        (math.exp, r"array of 33 points .* numpy\.vectorize"),
        (lambda lam: 1.0 if lam > 0 else 0.0, r"numpy\.vectorize"),
        (lambda lam: ["a"] * len(lam), "failed on an array"),
    ],
)
def test_evaluate_names_what_is_wrong(response, message):
    with pytest.raises(ResponseError, match=message):
        evaluate(response, np.linspace(-1, 1, 33))


def test_a_bug_in_the_users_function_is_not_hidden():
    with pytest.raises(ZeroDivisionError):
        evaluate(lambda lam: 1 // 0, [0.0])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: by_name("bandpass"), "'bandpass'; there are high-pass, low-pass, band-pass, heat"),
        (lambda: by_name("heat", speed=1.0), "heat response has no parameter 'speed'; it has time"),
        (lambda: by_name("heat", time=math.nan), "time of a heat .* finite number, not nan"),
        (lambda: by_name("heat", time="1"), "time of a heat .* finite number, not '1'"),
        (lambda: high_pass.with_(sharpness=0), "sharpness .* positive number, not 0"),
        (lambda: high_pass.with_(width=2), "no parameter 'width'; it has sharpness, cutoff"),
        (lambda: band_pass.with_(lower=1.2), r"lower < upper, not 1\.2 and 1\.05"),
        (lambda: responses.custom(3), "needs a function of λ, not 3"),
    ],
)
def test_bad_parameters_are_refused(make, message):
    with pytest.raises(ResponseError, match=message):
        make()
