r"""Factorization against the dense truth and against the usual tools.

The map is ``seed -> figures``:

* **accuracy**: the paper's three responses, interpolated, factored and applied as a stack to a
  white signal on a random graph of 1,500 nodes; relative error against
  :math:`U h(\Lambda) U^\top x` with ``h`` the interpolant as it came, before trimming. Beside it
  ``numpy.roots`` on power coefficients with ``scipy.signal.zpk2sos``, and ``chebroots`` with
  ``zpk2sos``: better roots, the same order.
* **needed**: the same with transitions so steep that no coefficient is at rounding level and the
  whole degree is needed, and once with trimming switched off.
* **speed**: ``factorize`` against ``chebroots`` alone, on the same coefficients, in turns.

>>> LIMITS["float32"][1024], LIMITS["float64"][4096]
(1e-05, 1e-10)
"""

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.polynomial import Chebyshev
from numpy.typing import NDArray
from scipy.signal import zpk2sos

import polyfilter as pf
from polyfilter.factor import grid, noise_gain
from polyfilter.spectrum import Eigenbasis

__all__ = ["LIMITS", "run"]

DEGREES = (32, 128, 512, 1024, 4096)
PEER_DEGREE = 1024
"""Above it the O(K^3) of the usual tools would take most of the run."""
LIMITS = {
    "float32": {32: 1e-5, 128: 1e-5, 512: 1e-5, 1024: 1e-5, 4096: 1e-4},
    "float64": {32: 1e-11, 128: 1e-11, 512: 1e-11, 1024: 1e-11, 4096: 1e-10},
    "speedup": 5.0,
    "deep_seconds": 300.0,
}
"""What must hold."""

RESPONSES = {
    "high-pass": pf.responses.high_pass,
    "low-pass": pf.responses.low_pass,
    "band-pass": pf.responses.band_pass,
}
FULL_DEGREE = {"high-pass": 256, "low-pass": 256, "band-pass": 512}
"""The paper's sharpness, times K over this, needs all of degree K."""


class Truth:
    """A random graph with its eigenbasis, and a white signal on it."""

    def __init__(self, seed: int, nodes: int = 1500, edges: int = 4500) -> None:
        rng = np.random.default_rng(seed)
        pairs = rng.integers(0, nodes, size=(edges, 2))
        self.graph = pf.Graph.from_edges(pairs[pairs[:, 0] != pairs[:, 1]], num_nodes=nodes)
        self.basis: Eigenbasis = pf.eigenbasis(self.graph)
        self.signal = rng.standard_normal(nodes)

    def error(self, output: NDArray[Any], h: Chebyshev) -> float:
        """Return the relative error of an output, in the Euclidean norm."""
        wanted = pf.filter_dense(self.basis, h, self.signal)
        return float(np.linalg.norm(output - wanted) / np.linalg.norm(wanted))


def run(seed: int = 0, say: Callable[[str], None] = print) -> dict[str, Any]:
    """Return every figure of this benchmark, as plain numbers."""
    truth = Truth(seed)
    accuracy, needed = [], []
    for name, response in RESPONSES.items():
        for degree in DEGREES:
            h = pf.design.interpolate(response, degree)
            row = {"response": name, "degree": degree, **_ours(truth, h)}
            row |= _peers(truth, h) if degree <= PEER_DEGREE else {}
            accuracy.append(row)
            say(f"  {name} {degree}: {row['float64']:.1e}, float32 {row['float32']:.1e}")
    for name, response in RESPONSES.items():
        for degree in (1024, 4096):
            sharpness = response.sharpness * degree / FULL_DEGREE[name]
            h = pf.design.interpolate(response.with_(sharpness=sharpness), degree)
            row = {"response": f"{name}, sharpness {sharpness:g}", "degree": degree}
            needed.append({**row, **_ours(truth, h)})
            say(f"  {row['response']} {degree}: float32 {needed[-1]['float32']:.1e}")
        h = pf.design.interpolate(response, 1024)
        row = {"response": f"{name}, untrimmed", "degree": 1024, **_ours(truth, h, trim=0.0)}
        needed.append(row)
    return {"accuracy": accuracy, "needed": needed, "speed": _speed(say)}


def _ours(truth: Truth, h: Chebyshev, trim: float | None = None) -> dict[str, Any]:
    options = {} if trim is None else {"trim": trim}
    start = time.perf_counter()
    stack = pf.factorize(h, **options)
    seconds = time.perf_counter() - start
    single = stack.astype("float32")
    x32 = truth.signal.astype(np.float32)
    middle = -stack.theta[:, 1] / np.where(stack.theta[:, 2] == 0, 1.0, 2 * stack.theta[:, 2])
    by_root = stack.theta[np.argsort(middle)]
    return {
        "kept_degree": stack.degree,
        "layers": len(stack),
        "seconds": seconds,
        "noise_gain": stack.noise_gain,
        "noise_gain_by_root": noise_gain(by_root, grid(stack.degree)),
        "condition": stack.condition,
        "float64": truth.error(stack.apply(truth.graph, truth.signal), h),
        "float64_predicted": stack.predicted_error,
        "float32": truth.error(stack.apply(truth.graph, x32), h),
        "float32_power_form": truth.error(_power_form(truth, stack.theta, x32), h),
        "float32_theta": truth.error(single.apply(truth.graph, x32), h),
        "float32_predicted": single.predicted_error,
    }


def _power_form(truth: Truth, theta: NDArray[Any], x: NDArray[Any]) -> NDArray[Any]:
    """Apply layers as theta_0 x + theta_1 A x + theta_2 A^2 x, in the precision of x."""
    A = truth.graph.normalized_adjacency(x.dtype)
    for zero, one, two in theta.astype(x.dtype):
        hop = A @ x
        x = zero * x + one * hop + two * (A @ hop)
    return x


def _peers(truth: Truth, h: Chebyshev) -> dict[str, Any]:
    """What the usual tools give: float64 error of the cascade, or why there is none."""
    with np.errstate(all="ignore"):
        power = h.convert(kind=np.polynomial.Polynomial).coef
        result: dict[str, Any] = {"numpy_roots_zpk2sos": None, "chebroots_zpk2sos": None}
        if np.isfinite(power).all():
            found = np.roots(power[::-1])
            result["numpy_roots_zpk2sos"] = _sections(truth, h, found, power[-1])
        found = np.polynomial.chebyshev.chebroots(pf.as_filter(h).chebyshev)
        c = pf.as_filter(h).chebyshev
        lead = c[-1] * 2.0 ** (len(c) - 2)
        result["chebroots_zpk2sos"] = _sections(truth, h, found, lead)
    return result


def _sections(truth: Truth, h: Chebyshev, zeros: NDArray[Any], gain: float) -> float | None:
    """Apply scipy's second-order sections of the zeros as layers; None when not finite."""
    if not np.isfinite(gain) or not np.isfinite(zeros).all():
        return None
    # a computed pair that is not quite conjugate would be refused: join halves as we do ourselves
    real = zeros[np.abs(zeros.imag) < 1e-12].real
    upper = zeros[zeros.imag >= 1e-12]
    zeros = np.concatenate([real, upper, upper.conj()])
    sections = zpk2sos(zeros, np.zeros(len(zeros)), gain)
    # a section is b0 z^2 + b1 z + b2, in powers of the shift z = A
    error = truth.error(_power_form(truth, sections[:, 2::-1], truth.signal), h)
    return error if np.isfinite(error) else None


def _speed(say: Callable[[str], None]) -> dict[str, Any]:
    figures: dict[str, Any] = {}
    band = pf.responses.band_pass
    steep = band.with_(sharpness=band.sharpness * 2048 / FULL_DEGREE["band-pass"])
    for name, response in (("paper", band), ("steep", steep)):
        h = pf.design.interpolate(response, 2048)
        pairs = []
        for _ in range(3):
            pairs.append((_seconds(lambda h=h: pf.factorize(h)), _seconds(lambda h=h: h.roots())))
        ours, theirs = (min(column) for column in zip(*pairs, strict=True))
        figures[name] = {
            "kept_degree": pf.as_filter(h).degree,
            "factorize_seconds": ours,
            "chebroots_seconds": theirs,
            "speedup": theirs / ours,
        }
        say(f"  degree 2048, {name}: {theirs / ours:.1f} times faster than chebroots alone")
    deep = band.with_(sharpness=band.sharpness * 8192 / FULL_DEGREE["band-pass"])
    h = pf.design.interpolate(deep, 8192)
    figures["deep"] = {
        "kept_degree": pf.as_filter(h).degree,
        "seconds": _seconds(lambda: pf.factorize(h)),
    }
    say(f"  degree 8192: {figures['deep']['seconds']:.1f} s")
    return figures


def _seconds(action: Callable[[], object]) -> float:
    start = time.perf_counter()
    action()
    return time.perf_counter() - start
