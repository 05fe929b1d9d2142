r"""How deep a stack must be for a response and a tolerance: what smoothness asks for.

The map is

.. math::  (f, \varepsilon) \mapsto K = \min \Bigl\{ K : \min_{\deg h \le K} \max_\lambda
           |f(\lambda) - h(\lambda)| \le \varepsilon \Bigr\}, \qquad L = \lceil K/2 \rceil,

over [-1, 1], so for all graphs at once, or over the eigenvalues of given graphs. Theorem 1 asks for
:math:`\lceil (\Gamma - 1)/2 \rceil` layers, which grows with every graph; what a person needs does
not.

*On the interval* the minimax polynomial says it (:mod:`polyfilter.remez`), *on eigenvalues* the
same exchange on finitely many points (:mod:`polyfilter.exchange`). Both give bounds from both
sides.

*Before any computation*, for a response that is analytic but for simple poles :math:`z_j` with
residues :math:`r_j`: its Chebyshev coefficients are (Elliott, 1964)

.. math::  c_k = -2 \sum_j \frac{r_j}{\sqrt{z_j^2 - 1}}\, w_j^{-k},
           \qquad w_j = z_j + \sqrt{z_j^2 - 1}, \quad |w_j| > 1,

and the best error lies between :math:`(\frac12 \sum_{k>K} c_k^2)^{1/2}` and
:math:`\sum_{k>K} |c_k|`: both fall like :math:`\rho^{-K}` with :math:`\rho = \min_j |w_j|`, the
Bernstein ellipse through the nearest pole. The paper's sigmoids have poles at distance
:math:`\pi/\alpha` from the cutoff.

>>> from polyfilter.responses import low_pass
>>> print(needed_degree(low_pass, 0.01))
low-pass to 0.01: degree 57, 29 layers
>>> round(rho(1j * np.pi / 50), 4)
1.0648
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import ArrayLike

from polyfilter.clenshaw import Complex, Real
from polyfilter.design import minimax_with_proof
from polyfilter.errors import FilterError
from polyfilter.exchange import best_on_points
from polyfilter.graphs import Graph, GraphSet
from polyfilter.response import Response, ResponseLike, evaluate
from polyfilter.responses import BandPass, HighPass, LowPass
from polyfilter.spectrum import Spectrum, as_points

__all__ = [
    "NeededDegree",
    "error_bounds",
    "needed_degree",
    "pole_coefficients",
    "poles",
    "rho",
]

MAX_DEGREE = 4096
"""A response that no polynomial of this degree follows has a jump, or nearly so."""
POLES = 400
"""Poles of a sigmoid on each side; the farthest contribute less than 1e-16 from degree 16 on."""


def rho(pole: complex) -> float:
    """Return the sum of the half axes of the ellipse with foci -1 and 1 through a point.

    Examples
    --------
    >>> rho(1.25), round(rho(-0.75j), 12)
    (2.0, 2.0)
    """
    return float(np.abs(_outer(np.array([pole], dtype=complex)))[0])


def _outer(z: Complex) -> Complex:
    """w = z + sqrt(z^2 - 1) with the root for which |w| > 1."""
    root = np.sqrt(z - 1) * np.sqrt(z + 1)
    w: Complex = z + root
    return w


def poles(response: LowPass | HighPass | BandPass, count: int = POLES) -> tuple[Complex, Complex]:
    """Return the poles of one of the paper's responses that are nearest, and their residues.

    Examples
    --------
    >>> from polyfilter.responses import high_pass
    >>> z, r = poles(high_pass, count=1)
    >>> (z.imag / np.pi * 50).round(12).tolist(), (r.real * 50).tolist()
    ([-1.0, 1.0], [-1.0, -1.0])
    """
    steps = 1j * np.pi * (2 * np.arange(-count, count) + 1) / response.sharpness
    one = np.full(len(steps), 1 / response.sharpness, dtype=complex)
    if isinstance(response, BandPass):
        low, high = 1 - response.upper, 1 - response.lower
        return np.append(low + steps, high + steps), np.append(one, -one)
    sign = 1 if isinstance(response, LowPass) else -1
    return np.asarray((1 - response.cutoff) + steps), np.asarray(sign * one)


def pole_coefficients(z: Complex, residues: Complex, count: int) -> Real:
    """Return the Chebyshev coefficients c_1, ..., c_count of a function with these poles.

    Examples
    --------
    >>> c = pole_coefficients(np.array([1.25]), np.array([1.0]), 3)     # 1 / (x - 5/4), w = 2
    >>> (c / c[0]).tolist()
    [1.0, 0.5, 0.25]
    """
    w = _outer(np.asarray(z, dtype=complex))
    weights = -2 * residues / ((w - 1 / w) / 2)  # sqrt(z^2 - 1), of the same branch as w
    found = np.empty(count)
    power = weights / w
    for k in range(count):
        found[k] = power.sum().real
        power = power / w
    return found


def error_bounds(c: Real, degree: int) -> tuple[float, float]:
    """Return bounds on the best uniform error of degree K, from coefficients c_1, c_2, ...

    The coefficients have to go on until they no longer matter.

    Examples
    --------
    >>> error_bounds(np.array([0.0, 0.0, 1.0]), 2)                         # T_3: the error is 1
    (0.7071067811865476, 1.0)
    """
    tail = c[degree:]
    return float(np.sqrt((tail**2).sum() / 2)), float(np.abs(tail).sum())


@dataclass(frozen=True)
class NeededDegree:
    """The degree that a response needs, on an interval or on a spectrum.

    Attributes
    ----------
    degree : int
        A polynomial of this degree is close enough.
    at_least : int
        None of a degree below this is.
    error : float
        What the polynomial of ``degree`` leaves.
    tolerance : float
        What was asked for.
    name : str
        The response.
    """

    degree: int
    at_least: int
    error: float
    tolerance: float
    name: str

    @property
    def layers(self) -> int:
        """Second-order layers that are enough."""
        return max(1, -(-self.degree // 2))

    @property
    def layers_at_least(self) -> int:
        """Second-order layers that it takes."""
        return max(1, -(-self.at_least // 2))

    def __str__(self) -> str:
        short = "" if self.at_least == self.degree else f" (at least {self.at_least})"
        degree = f"degree {self.degree}{short}"
        return f"{self.name} to {self.tolerance:g}: {degree}, {self.layers} layers"


def needed_degree(
    response: ResponseLike,
    tolerance: float,
    spectrum: Spectrum | Graph | GraphSet | ArrayLike | None = None,
) -> NeededDegree:
    """Return the smallest degree that follows a response to a tolerance, proven both ways.

    Parameters
    ----------
    response
        f, continuous on [-1, 1].
    tolerance
        The largest error allowed.
    spectrum
        Where a lower degree might do: eigenvalues, or graphs. Default: all of [-1, 1].

    Raises
    ------
    FilterError
        If no polynomial of degree up to 4,096 is close enough: there is a jump.

    Examples
    --------
    >>> needed_degree(np.abs, 0.13).degree                   # 1/8 + x^2 is 1/8 off
    2
    """
    if not tolerance > 0:
        raise FilterError(f"the tolerance has to be positive, not {tolerance}")
    name = str(response) if isinstance(response, Response) else "the response"
    on_interval = _on_interval(response)
    degree, below, error = _smallest(on_interval, 0, MAX_DEGREE, tolerance)
    if error > tolerance:
        raise FilterError(
            f"no polynomial of degree up to {MAX_DEGREE:,} is within {tolerance:g} of {name}; it "
            "has a jump, or nearly so"
        )
    if spectrum is not None:
        points = np.unique(as_points(spectrum))
        on_points = _on_points(points, evaluate(response, points), tolerance)
        found, below, reached = _smallest(on_points, degree // 2, degree, tolerance)
        degree, error = (found, reached) if reached <= tolerance else (degree, error)
    return NeededDegree(degree, below, error, tolerance, name)


Bounds = Callable[[int], tuple[float, float]]
"""Bounds on the best error of a degree, from below and from above."""


def _on_interval(response: ResponseLike) -> Bounds:
    def bounds(degree: int) -> tuple[float, float]:
        found = minimax_with_proof(response, degree)
        return found.lower_bound, found.error

    return cache(bounds)


def _on_points(points: Real, values: Real, tolerance: float) -> Bounds:
    def bounds(degree: int) -> tuple[float, float]:
        found = best_on_points(points, values, degree, tolerance)
        return found.lower_bound, found.error

    return cache(bounds)


def _smallest(best: Bounds, guess: int, top: int, tolerance: float) -> tuple[int, int, float]:
    """By doubling and bisection: a degree that will do, one below which none will, and the error.

    If nothing up to ``top`` will do, the error that is returned says so.
    """
    low, high = -1, guess
    while high < top and best(high)[1] > tolerance:
        low, high = high, min(2 * high + 1, top)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if best(middle)[1] <= tolerance else (middle, high)
    for step in (1 << k for k in range(high.bit_length())):
        if best(high - step)[0] > tolerance:
            return high, high - step + 1, best(high)[1]
    return high, 0, best(high)[1]
