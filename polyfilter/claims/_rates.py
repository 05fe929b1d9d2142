r"""How fast the best polynomial closes in on a response, and how fast it should.

The maps are ``response -> (degree, best error, what theory allows)`` for

* responses with simple poles (the paper's sigmoids): errors fall like :math:`\rho^{-K}`, between
  bounds from the poles (:mod:`polyfilter.depth`);
* a kink, :math:`|x|`: :math:`K E_K \to \beta = 0.2801694990\ldots` (Bernstein 1914; the digits are
  Varga's and Carpenter's, 1985), with a remainder in even powers of :math:`1/K`;
* a jump of height 1 at :math:`\cos\varphi`: the largest error is 1/2 at every degree, since a
  polynomial is continuous; in the mean square with Chebyshev's weight it is
  :math:`\bigl(\frac{2}{\pi^2} \sum_{k>K} \sin^2(k\varphi) / k^2\bigr)^{1/2}
  \approx \frac{1}{\pi\sqrt K}`.

>>> from polyfilter.responses import low_pass
>>> rate = geometric(low_pass, 3)
>>> rate.inside, abs(rate.slope - rate.log_rho) <= rate.tolerance
(True, True)
"""

from dataclasses import dataclass
from itertools import pairwise
from math import log

import numpy as np
from scipy.fft import dct

from polyfilter.depth import error_bounds, pole_coefficients, poles, rho
from polyfilter.design import minimax_with_proof
from polyfilter.responses import BandPass, HighPass, LowPass

__all__ = ["BERNSTEIN", "Kink", "Rate", "geometric", "jump_mean_square", "kink"]

BERNSTEIN = 0.2801694990238691
FIRST_DEGREE, LAST_DEGREE = 16, 200
SMALLEST = 1e-11
"""Best errors below this drown in the rounding of float64."""
SAMPLES = 1 << 20
EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class Rate:
    """Best errors against bounds from poles.

    Attributes
    ----------
    degrees, errors, lower, upper : tuples
        The best errors, and between what they should lie.
    inside : bool
        Whether they do.
    slope : float
        Natural logarithms of error lost for each degree.
    log_rho : float
        What the nearest pole says.
    tolerance : float
        How far they may be apart: the logarithm of the widest gap between the bounds, once for
        either end, over the distance of the degrees.
    """

    name: str
    degrees: tuple[int, ...]
    errors: tuple[float, ...]
    lower: tuple[float, ...]
    upper: tuple[float, ...]
    inside: bool
    slope: float
    log_rho: float
    tolerance: float


def geometric(response: LowPass | HighPass | BandPass, count: int) -> Rate:
    """Compare best errors at ``count`` degrees with the bounds."""
    z, residues = poles(response)
    log_rho = log(min(rho(pole) for pole in z))
    last = min(LAST_DEGREE, int(-log(SMALLEST) / log_rho))
    degrees = [int(K) for K in np.linspace(FIRST_DEGREE, last, count)]
    c = pole_coefficients(z, residues, last + int(-log(EPS) / log_rho))
    found = [minimax_with_proof(response, K) for K in degrees]
    bounds = [error_bounds(c, K) for K in degrees]
    inside = all(
        low <= best.error + best.rounding and best.lower_bound - best.rounding <= high
        for best, (low, high) in zip(found, bounds, strict=True)
    )
    gap = max(high / low for low, high in bounds)
    distance = degrees[-1] - degrees[0]
    return Rate(
        f"{response} of sharpness {response.sharpness:.3g}",
        tuple(degrees),
        tuple(best.error for best in found),
        tuple(low for low, _ in bounds),
        tuple(high for _, high in bounds),
        inside,
        log(found[0].error / found[-1].error) / distance,
        log_rho,
        2 * log(gap) / distance,
    )


@dataclass(frozen=True)
class Kink:
    """K E_K for ``|x|``, and its limit by extrapolation.

    The uncertainty is the distance of the last two extrapolations, and twice the relative gap of
    sqrt(eps) at which an exchange has converged.
    """

    degrees: tuple[int, ...]
    scaled: tuple[float, ...]
    limit: float
    uncertainty: float


def kink(degrees: tuple[int, ...]) -> Kink:
    """Extrapolate K E_K of ``|x|`` from degrees that double.

    >>> found = kink((8, 16, 32))
    >>> abs(found.limit - BERNSTEIN) <= found.uncertainty
    True
    """
    scaled = tuple(K * minimax_with_proof(np.abs, K).error for K in degrees)
    limits = [(4 * fine - coarse) / 3 for coarse, fine in pairwise(scaled)]
    gap = 2 * EPS**0.5 * limits[-1]
    return Kink(degrees, scaled, limits[-1], abs(limits[-1] - limits[-2]) + gap)


def jump_mean_square(angle: float, degree: int) -> tuple[float, float, float]:
    r"""Return :math:`\pi \sqrt K` times the mean square error for a jump, and bounds on it.

    Measured on :data:`SAMPLES` Chebyshev points, by a cosine transform. The bounds come from
    :math:`\sin^2 = (1 - \cos 2k\varphi)/2` and Abel's summation, and allow for one sample on the
    wrong side.

    >>> found, low, high = jump_mean_square(1.0, 64)
    >>> bool(low <= found <= high)
    True
    """
    theta = np.pi * (np.arange(SAMPLES) + 0.5) / SAMPLES
    c = dct((theta < angle).astype(np.float64), type=2, norm="ortho")
    square = float((c[degree + 1 :] ** 2).sum()) / SAMPLES
    wave = 1 / (degree * abs(np.sin(angle)))
    sample = np.pi**2 * degree / SAMPLES
    low = max(0.0, degree / (degree + 1) - wave - sample)
    return float(np.pi * np.sqrt(degree * square)), low**0.5, (1 + wave + sample) ** 0.5
