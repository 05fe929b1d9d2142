r"""Layers rounded so that the filter hardly moves.

The map is

.. math::  (q_1, \dots, q_L) \mapsto \theta \in \mathrm{float}^{L \times 3}, \qquad
           \prod_l \theta_l \approx \prod_l q_l,

from factors known to twice the working precision to floats. A factor whose roots are at distance
:math:`d` from the spectrum has a dip of depth :math:`d^2`, and rounding its coefficients moves the
filter there by :math:`u / d^2`. But the scale of a factor is free as long as the product of all
scales is one. So:

1. What a change :math:`\delta` of row :math:`l` does to :math:`h` in the mean square is the
   quadratic form :math:`\delta^\top M_l \delta`,
   :math:`M_l = \operatorname{mean}_x (h / q_l)^2 \varphi \varphi^\top`,
   :math:`\varphi = (1, x, x^2)`: one steep direction, the value at the dip.
2. Among :data:`SCALES` scales within a factor of :math:`\sqrt 2`, take the smallest one whose
   rounded row moves :math:`h` by less than its share of a rounding error, or else the one that
   moves it least. The scales that were taken are paid back by the next rows, so that partial
   products stay near 1.
3. The row that is least sensitive carries the product of all scales.

The steep direction falls by about the number of scales tried.

>>> theta = np.array([[0.1, -0.3, 0.7], [0.3, 0.1, 0.9]])
>>> rounded(theta, sensitivity(theta, np.linspace(-1, 1, 33))).dtype
dtype('float32')
"""

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from polyfilter.clenshaw import Real
from polyfilter.errors import FilterError
from polyfilter.squares import two_product

__all__ = ["least_sensitive", "rounded", "sensitivity", "single"]

SCALES = {"float32": 4097, "float64": 129}
"""In float64 fewer suffice: then the roots themselves are the least accurate."""
FAR, NEAR = 200.0, 1e-60
"""|h| is taken as at most e^FAR, a factor as in [NEAR, 1/NEAR], so that all squares are finite."""


def single(theta: Real) -> NDArray[np.float32]:
    """Return theta rounded to float32 entry by entry, if its layers can be told there at all.

    Examples
    --------
    >>> single(np.array([[1e39, 0.0, 0.0]]))
    Traceback (most recent call last):
    ...
    polyfilter.errors.FilterError: layer 1 of the stack is too large for float32; scale the filter
    or use float64
    """
    with np.errstate(over="ignore", under="ignore"):
        result = theta.astype(np.float32)
    lost = theta.any(axis=1) & ~result.any(axis=1)
    for bad, word in ((~np.isfinite(result).all(axis=1), "large"), (lost, "small")):
        if bad.any():
            raise FilterError(
                f"layer {int(np.argmax(bad)) + 1} of the stack is too {word} for float32; scale "
                "the filter or use float64"
            )
    return result


def rounded(
    theta: Real, forms: Real, low: Real | None = None, dtype: DTypeLike = np.float32
) -> NDArray[Any]:
    """Return floats of which the product is nearest to that of the factors.

    Parameters
    ----------
    theta : array (L, 3)
        The factors, as floats.
    forms : array (L, 3, 3)
        Their :func:`sensitivity`.
    low : array (L, 3), optional
        What ``theta`` lacks of the factors.
    dtype : {float32, float64}
        What to round to.

    Examples
    --------
    >>> theta = np.array([[0.25, 0.5, 0.0]])
    >>> rounded(theta, sensitivity(theta, np.array([0.0, 1.0])))
    array([[0.25, 0.5 , 0.  ]], dtype=float32)
    """
    kind = np.dtype(dtype)
    low = np.zeros_like(theta) if low is None else low
    result: NDArray[Any] = single(theta) if kind == np.float32 else theta + low
    unit = float(np.finfo(kind).eps) / 2
    allowed = unit**2 / len(theta) * _form(theta, forms)  # theta M theta is the mean of h^2
    harmless = _form((result - theta) - low, forms) <= allowed
    carrier = least_sensitive(theta, forms)
    exponents = np.linspace(-0.5, 0.5, SCALES[kind.name])
    exponents = exponents[np.argsort(np.abs(exponents))]
    taken = 0.0  # the binary logarithm of the product of the scales so far
    for row in range(len(theta)):
        if row == carrier or harmless[row]:
            continue
        scales = np.exp2(exponents - np.clip(taken, -0.5, 0.5))[:, None]
        high, error = two_product(scales, theta[row])
        error += scales * low[row]
        candidates = (high + error).astype(kind)
        delta = ((candidates - high) - error) / scales
        harm = _form(delta, forms[row])
        good = harm <= allowed[row]
        best = int(np.argmax(good)) if good.any() else int(np.argmin(harm))
        result[row] = candidates[best]
        taken += float(np.log2(scales[best, 0]))
    carried = (theta[carrier] + low[carrier])[None] * np.exp2(-taken)
    result[carrier] = (single(carried) if kind == np.float32 else carried)[0]
    return result


def _form(delta: Real, forms: Real) -> Real:
    """The quadratic forms, row by row."""
    return np.asarray(np.einsum("...i,...ij,...j->...", delta, forms, delta))


def sensitivity(theta: Real, points: Real) -> Real:
    """Return the matrices M_l of step 1, as an array (L, 3, 3).

    Examples
    --------
    >>> sensitivity(np.array([[0.0, 1.0, 0.0], [0.0, 2.0, 0.0]]), np.array([0.0, 1.0]))[0].tolist()
    [[2.0, 2.0, 2.0], [2.0, 2.0, 2.0], [2.0, 2.0, 2.0]]
    """
    powers = points ** np.arange(3)[:, None]
    log, zeros = np.zeros(len(points)), np.zeros(len(points), dtype=np.int64)
    for row in theta:
        value = np.abs(row @ powers)
        zeros += value == 0
        log += np.log(np.where(value > 0, value, 1.0))
    square = np.exp(2 * np.minimum(log, FAR))  # of h, without the factors that are zero there
    forms = np.empty((len(theta), 3, 3))
    for form, row in zip(forms, theta, strict=True):
        value = np.abs(row @ powers)
        quotient = square / np.where(value > 0, value.clip(NEAR, 1 / NEAR), 1.0) ** 2
        weight = np.where(zeros > (value == 0), 0.0, quotient)
        form[:] = (weight * powers) @ powers.T / len(points)
    return forms


def least_sensitive(theta: Real, forms: Real) -> int:
    """Return the row of which rounding its coefficients, each by itself, harms the product least.

    Examples
    --------
    >>> theta = np.array([[0.2501, -1.0, 1.0], [1.0, 0.0, 0.5]])         # a deep dip, and none
    >>> least_sensitive(theta, sensitivity(theta, np.linspace(-1, 1, 9)))
    1
    """
    return int(np.argmin(np.einsum("li,lii->l", theta**2, forms)))
