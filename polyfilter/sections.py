r"""Second-order sections: a graph filter as a filter of time series, and back.

The map is :math:`x = \cos\omega = (z + z^{-1})/2`, the one under which a graph filter *is* a filter
in time: the normalized adjacency of a ring has eigenvalues :math:`\cos\omega`, so

.. math::  z^{-K} h\!\left(\frac{z + z^{-1}}{2}\right)
           = \prod_s \bigl(b_{s0} + b_{s1} z^{-1} + b_{s2} z^{-2}\bigr), \qquad K = \deg h,

has at frequency :math:`\omega` the gain that the graph filter has at the eigenvalue
:math:`\lambda = \cos\omega`, with a delay of K samples and no other phase. Low-pass stays low-pass.
The coefficients are those of :mod:`scipy.signal`'s ``sos``, with all poles at zero.

1. A layer of degree two is a palindrome of degree four in :math:`z`, and so two sections. A real
   root r gives :math:`(1 - 2 r z^{-1} + z^{-2})/2`; a pair of complex ones gives the sections of
   :math:`\zeta, \bar\zeta` and of their reciprocals, with :math:`(\zeta + \zeta^{-1})/2 = r`. A
   layer of degree one is one section. Their order is that of the layers.
2. The other candidate, :math:`x = z^{-1}`, copies theta into sections, one each. It is right on a
   *directed* ring, but on the unit circle, where :mod:`scipy.signal` looks, it shows values of h at
   complex numbers that no undirected graph has for eigenvalues.
3. The way back is defined for sections without feedback whose product is symmetric about a whole
   sample (linear phase, type I); everything else is no polynomial in :math:`\cos\omega`.

Assumptions: none on the layers; sections are finite.

>>> from scipy import signal
>>> sos = to_sos(np.array([[0.0, 0.0, 1.0]]))                         # x^2 = (1 + cos 2w) / 2
>>> signal.sosfilt(sos, [1.0, 0, 0, 0, 0]).tolist()
[0.25, 0.0, 0.5, 0.0, 0.25]
>>> from_sos(sos).coef.round(15).tolist()                             # T_0 / 2 + T_2 / 2
[0.5, 0.0, 0.5]
"""

import cmath
import math
from typing import Any

import numpy as np
from numpy.polynomial import Chebyshev
from scipy.fft import dct

from polyfilter.clenshaw import Real
from polyfilter.errors import FilterError
from polyfilter.squares import completed_squares

__all__ = ["from_sos", "to_sos"]

SYMMETRY = float(np.sqrt(np.finfo(np.float64).eps))
"""How far from linear phase sections may be, relative to their largest gain: half of the digits."""


def to_sos(theta: Real) -> Real:
    """Return the layers as sections, an array (number of sections, 6) for :mod:`scipy.signal`.

    Examples
    --------
    >>> to_sos(np.array([[0.5, 0.25, 0.0]])).tolist()                 # 1/2 + x/4: one section
    [[0.125, 0.5, 0.125, 1.0, 0.0, 0.0]]
    """
    squares = completed_squares(theta)
    pairs = zip(theta.tolist(), squares.tolist(), strict=True)
    rows = [row for layer, square in pairs for row in _sections(*layer, *square)]
    return np.array([[*row, 1.0, 0.0, 0.0] for row in rows])


def _sections(t0: float, t1: float, t2: float, c: float, s: float, e: float) -> list[list[float]]:
    """The numerators of a layer, whose completed square is c ((x - s)^2 + e) if c is a number."""
    if t2 == 0:
        return [[t1 / 2, t0, t1 / 2]] if t1 else [[t0, 0.0, 0.0]]
    discriminant = t1 * t1 - 4 * t0 * t2 if math.isnan(c) else -e
    if discriminant < 0:
        half = math.sqrt(-discriminant)
        root = complex(-t1, half) / (2 * t2) if math.isnan(c) else complex(s, half)
        return _conjugate(root, t2)
    if math.isnan(c):
        q = -(t1 + math.copysign(math.sqrt(discriminant), t1)) / 2  # of the larger root, times t2
        return [[t2 / 2, -q, t2 / 2], [0.5, -t0 / q if q else 0.0, 0.5]]
    half = math.sqrt(discriminant)
    return [[c / 2, -c * (s + half), c / 2], [0.5, half - s, 0.5]]


def _conjugate(root: complex, t2: float) -> list[list[float]]:
    """The sections of t2 (x - r)(x - conj r): zeros within the unit circle, and their mirrors."""
    w = cmath.sqrt(root - 1) * cmath.sqrt(root + 1)
    zeta = 1 / max(root + w, root - w, key=abs)
    inner, square = -2 * zeta.real, abs(zeta) ** 2
    gain = t2 / (4 * square)
    return [[gain, gain * inner, gain * square], [square, inner, 1.0]]


def from_sos(sos: Any) -> Chebyshev:
    """Return the polynomial h for which the sections have the gain h(cos w), whatever their delay.

    It is read off the values of their product at Chebyshev points, never off its expanded
    coefficients, and so keeps its digits at any degree.

    Examples
    --------
    >>> from_sos([[0.0, 1.0, 0.0, 1.0, 0.0, 0.0]]).coef.tolist()      # a delay: all passes
    [1.0]
    >>> from_sos([[1.0, 1.0, 0.0, 1.0, 0.0, 0.0]])
    Traceback (most recent call last):
    ...
    polyfilter.errors.FilterError: the sections delay by half a sample, ...
    """
    numerators = _numerators(sos)
    if not numerators.any(axis=1).all():
        return Chebyshev([0.0])
    first = (numerators != 0).argmax(axis=1)
    last = 2 - (numerators != 0)[:, ::-1].argmax(axis=1)
    span = int((last - first).sum())
    if span % 2:
        raise FilterError(
            "the sections delay by half a sample, so that their gain is no polynomial in cos w; "
            "use an odd number of taps"
        )
    degree = span // 2
    count = 2 * degree + 2  # with degree + 1 points, an odd part of full degree would go unseen
    omega = np.pi * np.arange(count + 1) / count
    values = np.ones(count + 1, dtype=np.complex128)
    with np.errstate(over="ignore", invalid="ignore"):
        for b, middle in zip(numerators, (first + last) / 2, strict=True):
            values *= np.exp(1j * np.outer(omega, middle - np.arange(3))) @ b
    if not np.isfinite(values).all():
        raise FilterError("the product of the sections is larger than float64 can hold")
    if np.abs(values.imag).max() > SYMMETRY * np.abs(values.real).max():
        raise FilterError(
            "the sections have a phase that is not linear, so that they are no filter on an "
            "undirected graph; their taps have to be symmetric"
        )
    c = dct(values.real, type=1) / count
    c[0] /= 2
    return Chebyshev(c[: degree + 1])


def _numerators(sos: Any) -> Real:
    """The numerators, for denominators of one."""
    try:
        sections = np.asarray(sos, dtype=np.float64)
    except (TypeError, ValueError):
        sections = np.empty(0)
    if sections.ndim != 2 or sections.shape[1] != 6 or not len(sections):
        raise FilterError("second-order sections are an array of shape (sections, 6)")
    if not np.isfinite(sections).all() or not sections[:, 3].all():
        raise FilterError("sections have to be finite, with a denominator that begins with no zero")
    if sections[:, 4:].any():
        raise FilterError(
            "a section has feedback (poles), which no polynomial in the adjacency has; design it "
            "as an FIR filter"
        )
    return sections[:, :3] / sections[:, 3:4]
