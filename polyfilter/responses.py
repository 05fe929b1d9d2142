r"""Wanted frequency responses: what a filter should do to each eigenvalue.

A response is a function :math:`f : [-1, 1] \to \mathbb{R}` of the eigenvalue :math:`\lambda` of
the normalized adjacency A; the wanted filter is :math:`F^* = U f(\Lambda) U^\top`. The paper
states its three responses in the eigenvalue :math:`s = 1 - \lambda` of the Laplacian
:math:`L = I - A` (Equation ``sgs_filters``), with
:math:`\sigma(\alpha (s - \beta)) = 1 / (1 + e^{-\alpha (s - \beta)})`:

.. math::

    f_{HP} = \sigma(50 (s - 1)), \quad f_{LP} = 1 - f_{HP}, \quad
    f_{BP} = \sigma(100 (s - 0.95)) - \sigma(100 (s - 1.05)).

Parameters are therefore places and widths in s, as in the paper; arguments are :math:`\lambda`.
Low frequencies are small s and large :math:`\lambda`.

Assumptions: none on :math:`\lambda`. Every response is defined at every float and neither
overflows nor warns.

Each response is a frozen value, called like a function, changed by :meth:`Response.with_` and
combined by arithmetic:

>>> band_pass([-1.0, 0.0, 1.0]).round(6)
array([0.      , 0.986614, 0.      ])
>>> high_pass.with_(sharpness=80, cutoff=1.1)
HighPass(sharpness=80, cutoff=1.1)
>>> notch = 1 - 2 * band_pass
>>> print(notch, float(notch(0.5)))
(1 - (2 * band-pass)) 1.0
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar

import numpy as np
from scipy.special import expit

from polyfilter.errors import ResponseError
from polyfilter.response import (
    Constant,
    Custom,
    FloatArray,
    Response,
    ResponseLike,
    check_parameters,
    evaluate,
)

__all__ = [
    "NAMES",
    "Response",
    "ResponseLike",
    "band_pass",
    "by_name",
    "constant",
    "custom",
    "evaluate",
    "exponential_window",
    "gaussian",
    "heat",
    "high_pass",
    "ideal",
    "low_pass",
]


@dataclass(frozen=True)
class HighPass(Response):
    r"""The paper's high-pass :math:`f_{HP}(s) = \sigma(\alpha (s - \beta))`.

    Equation ``sgs_filters``; the paper's sharpness :math:`\alpha` is 50, its cutoff
    :math:`\beta` is 1.

    >>> high_pass([-1.0, 0.0, 1.0]).round(3)
    array([1. , 0.5, 0. ])
    """

    sharpness: float = 50.0
    cutoff: float = 1.0
    name: ClassVar[str] = "high-pass"
    positive: ClassVar[tuple[str, ...]] = ("sharpness",)

    def _values(self, lam: FloatArray) -> FloatArray:
        # s - β = (1 - β) - λ: subtracting the constants first keeps f(λ) + f(-λ) = 1 exact
        return expit(self.sharpness * ((1 - self.cutoff) - lam))


@dataclass(frozen=True)
class LowPass(Response):
    r"""The paper's low-pass :math:`f_{LP}(s) = 1 - \sigma(\alpha (s - \beta))`.

    Equation ``sgs_filters``; the paper's sharpness :math:`\alpha` is 50, its cutoff
    :math:`\beta` is 1.

    >>> low_pass([-1.0, 0.0, 1.0]).round(3)
    array([0. , 0.5, 1. ])
    """

    sharpness: float = 50.0
    cutoff: float = 1.0
    name: ClassVar[str] = "low-pass"
    positive: ClassVar[tuple[str, ...]] = ("sharpness",)

    def _values(self, lam: FloatArray) -> FloatArray:
        return expit(self.sharpness * (lam - (1 - self.cutoff)))


@dataclass(frozen=True)
class BandPass(Response):
    r"""The paper's band-pass :math:`\sigma(\alpha (s - \beta_1)) - \sigma(\alpha (s - \beta_2))`.

    Equation ``sgs_filters``; the paper's sharpness :math:`\alpha` is 100, its lower edge
    :math:`\beta_1` 0.95 and its upper edge :math:`\beta_2` 1.05. With :math:`a > b` for the two
    arguments it is computed as :math:`\sigma(a) \sigma(-b) (1 - e^{b - a})`, which keeps its
    relative accuracy in the tails, where a difference of two numbers near one would not.

    >>> float(band_pass(0.0) - (expit(5.0) - expit(-5.0))) < 1e-15
    True
    >>> band_pass.with_(lower=0.2, upper=0.6)(0.6).round(6)
    np.float64(1.0)
    """

    sharpness: float = 100.0
    lower: float = 0.95
    upper: float = 1.05
    name: ClassVar[str] = "band-pass"
    positive: ClassVar[tuple[str, ...]] = ("sharpness",)

    def _values(self, lam: FloatArray) -> FloatArray:
        rise = expit(self.sharpness * ((1 - self.lower) - lam))
        fall = expit(self.sharpness * (lam - (1 - self.upper)))
        # rise and fall are multiplied first: an even response is then even to the last bit
        return -math.expm1(self.sharpness * (self.lower - self.upper)) * (rise * fall)


@dataclass(frozen=True)
class Heat(Response):
    """Diffusion for some ``time`` t: exp(-t s), one at s = 0 and falling.

    >>> heat(2.0)([1.0, 0.0]).round(4)
    array([1.    , 0.1353])
    """

    time: float = 1.0
    name: ClassVar[str] = "heat"

    def _values(self, lam: FloatArray) -> FloatArray:
        return np.exp(-self.time * (1 - lam))


@dataclass(frozen=True)
class Gaussian(Response):
    """A bell exp(-(s - c)² / 2w²) around ``centre`` c of ``width`` w.

    >>> gaussian(centre=0.5, width=0.1)([0.5, 0.4]).round(4)
    array([1.    , 0.6065])
    """

    centre: float = 1.0
    width: float = 0.1
    name: ClassVar[str] = "gaussian"
    positive: ClassVar[tuple[str, ...]] = ("width",)

    def _values(self, lam: FloatArray) -> FloatArray:
        return np.exp(-0.5 * (((1 - self.centre) - lam) / self.width) ** 2)


@dataclass(frozen=True)
class ExponentialWindow(Response):
    r"""One for low s, zero above the cutoff, and infinitely smooth between.

    With :math:`t = s / \text{cutoff}` and slope a,

    .. math:: f(s) = \frac{e^{-a/(1-t)}}{e^{-a/(1-t)} + e^{-a/t}}
        = \sigma\!\left(\frac{a}{t} - \frac{a}{1-t}\right), \qquad 0 < t < 1,

    one for t ≤ 0 and zero for t ≥ 1. This is PyGSP's ``Expwin`` with ``band_max = cutoff / 2``
    (the largest s is 2).

    >>> exponential_window(cutoff=1.0)([1.0, 0.5, 0.0])
    array([1. , 0.5, 0. ])
    """

    cutoff: float = 0.4
    slope: float = 1.0
    name: ClassVar[str] = "exponential-window"
    positive: ClassVar[tuple[str, ...]] = ("cutoff", "slope")

    def _values(self, lam: FloatArray) -> FloatArray:
        t = np.clip((1 - lam) / self.cutoff, 0, 1)
        return expit(self.slope / t - self.slope / (1 - t))


@dataclass(frozen=True)
class Ideal(Response):
    """One for ``lower`` ≤ s ≤ ``upper`` and zero elsewhere.

    Its jumps lie beyond any polynomial on all of [-1, 1]; on the eigenvalues of a graph, or on
    bands that leave the jumps out, it is a response like any other.

    >>> ideal(0.0, 0.5)([1.0, 0.5, 0.4])
    array([1., 1., 0.])
    """

    lower: float = 0.0
    upper: float = 1.0
    name: ClassVar[str] = "ideal"

    def _values(self, lam: FloatArray) -> FloatArray:
        # compared in λ, where the user's points live: 1 - λ would be rounded
        inside = (lam <= 1 - self.lower) & (lam >= 1 - self.upper)
        return np.where(np.isnan(lam), np.nan, inside.astype(np.float64))


high_pass = HighPass()
low_pass = LowPass()
band_pass = BandPass()
heat = Heat
gaussian = Gaussian
exponential_window = ExponentialWindow
ideal = Ideal
constant = Constant
custom = Custom

NAMES: Mapping[str, type[Response]] = MappingProxyType(
    {
        kind.name: kind
        for kind in (HighPass, LowPass, BandPass, Heat, Gaussian, ExponentialWindow, Ideal)
    }
    | {Constant.name: Constant}
)
"""The responses that :func:`by_name` knows: all those whose parameters are numbers."""


def by_name(name: str, **parameters: float) -> Response:
    """Return the response called ``name``, for a command line or a file.

    Raises
    ------
    ResponseError
        For a name or a parameter that does not exist (the message lists those that do), and for
        a parameter out of range.

    Examples
    --------
    >>> by_name("band-pass") == band_pass
    True
    >>> by_name("heat", time=2.0)
    Heat(time=2.0)
    """
    kind = NAMES.get(name)
    if kind is None:
        raise ResponseError(f"no response is called {name!r}; there are {', '.join(NAMES)}")
    check_parameters(kind, parameters)
    return kind(**parameters)
