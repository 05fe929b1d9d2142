r"""Layers rounded to float32 so that the filter hardly moves.

The map is

.. math::  \theta \in \mathrm{float64}^{L \times 3} \mapsto
           \theta' \in \mathrm{float32}^{L \times 3}.

A factor whose roots are at distance :math:`d` from the spectrum has a dip of depth :math:`d^2`, and
rounding its coefficients moves the filter there by :math:`u / d^2`. But the scale of a factor is
free as long as the product of all scales is one. So:

1. What a change :math:`\delta` of row :math:`l` does to :math:`h` in the mean square is the
   quadratic form :math:`\delta^\top M_l \delta`,
   :math:`M_l = \operatorname{mean}_x (h / q_l)^2 \varphi \varphi^\top`,
   :math:`\varphi = (1, x, x^2)`: one steep direction, the value at the dip.
2. Among :data:`SCALES` scales within a factor of :math:`\sqrt 2`, take the one whose rounded row
   has the smallest form; the scales that were taken are paid back by the next rows, so that partial
   products stay near 1.
3. The row that is least sensitive carries the product of all scales.

The steep direction falls by about the number of scales tried.

>>> theta = np.array([[0.1, -0.3, 0.7], [0.3, 0.1, 0.9]])
>>> rounded(theta, np.linspace(-1, 1, 33)).dtype
dtype('float32')
"""

import numpy as np
from numpy.typing import NDArray

from polyfilter.clenshaw import Real
from polyfilter.errors import FilterError

__all__ = ["rounded", "single"]

SCALES = 4096
FAR = 300.0
"""Quotients beyond e^FAR are taken as that, so that their squares stay finite."""


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


def rounded(theta: Real, points: Real) -> NDArray[np.float32]:
    """Return theta in float32, each row rescaled so that rounding moves the product least.

    Examples
    --------
    >>> rounded(np.array([[0.25, 0.5, 0.0]]), np.array([0.0, 1.0]))
    array([[0.25, 0.5 , 0.  ]], dtype=float32)
    """
    result = single(theta)
    forms = _forms(theta, points)
    inexact = (result != theta).any(axis=1)
    harm = np.einsum("li,lij,lj->l", np.abs(theta), np.abs(forms), np.abs(theta))
    carrier = int(np.argmin(harm))
    exponents = np.linspace(-0.5, 0.5, SCALES)
    exponents = exponents[np.argsort(np.abs(exponents))]  # of equals the one nearest to none
    taken = 0.0  # the binary logarithm of the product of the scales so far
    for row in range(len(theta)):
        if row == carrier or not inexact[row]:
            continue
        scales = np.exp2(exponents - np.clip(taken, -0.5, 0.5))
        candidates = (scales[:, None] * theta[row]).astype(np.float32)
        delta = candidates / scales[:, None] - theta[row]
        best = int(np.argmin(np.einsum("si,ij,sj->s", delta, forms[row], delta)))
        result[row] = candidates[best]
        taken += float(np.log2(scales[best]))
    result[carrier] = single(theta[carrier : carrier + 1] * np.exp2(-taken))[0]
    return result


def _forms(theta: Real, points: Real) -> Real:
    """The matrices M_l of step 1, by logarithms: at a root of q_l, h / q_l is not 0 / 0."""
    powers = points ** np.arange(3)[:, None]

    def log(row: Real) -> tuple[Real, NDArray[np.bool_]]:
        value = np.abs(row @ powers)
        return np.log(np.where(value > 0, value, 1.0)), value == 0

    total, zeros = np.zeros(len(points)), np.zeros(len(points), dtype=np.int64)
    for row in theta:
        size, zero = log(row)
        total += size
        zeros += zero
    forms = np.empty((len(theta), 3, 3))
    for form, row in zip(forms, theta, strict=True):
        size, zero = log(row)
        weight = np.where(zeros > zero, 0.0, np.exp(2 * np.minimum(total - size, FAR)))
        form[:] = (weight * powers) @ powers.T / len(points)
    return forms
