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

>>> from polyfilter.polynomial import as_filter
>>> theta = np.array([[0.1, -0.3, 0.7], [0.3, 0.1, 0.9]])
>>> h = as_filter(np.polynomial.polynomial.polymul(*theta))
>>> rounded(theta, h, np.linspace(-1, 1, 33)).dtype
dtype('float32')
"""

import numpy as np
from numpy.typing import NDArray

from polyfilter.clenshaw import Real
from polyfilter.polynomial import FilterPolynomial

__all__ = ["rounded"]

SCALES = 4096


def rounded(theta: Real, h: FilterPolynomial, points: Real) -> NDArray[np.float32]:
    """Return theta in float32, each row rescaled so that rounding moves ``h`` least.

    Examples
    --------
    >>> from polyfilter.polynomial import as_filter
    >>> rounded(np.array([[0.25, 0.5, 0.0]]), as_filter([0.25, 0.5]), np.array([0.0, 1.0]))
    array([[0.25, 0.5 , 0.  ]], dtype=float32)
    """
    forms = np.array([_form(row, h(points), points) for row in theta])
    plain = theta.astype(np.float32).astype(np.float64) - theta
    harm = np.einsum("li,lij,lj->l", np.abs(theta), np.abs(forms), np.abs(theta))
    carrier = int(np.argmin(harm))
    result = theta.astype(np.float32)
    exponents = np.linspace(-0.5, 0.5, SCALES)
    taken = 0.0  # the binary logarithm of the product of the scales so far
    for row in range(len(theta)):
        if row == carrier or not plain[row].any():
            continue
        scales = np.exp2(exponents - np.clip(taken, -0.5, 0.5))
        candidates = (scales[:, None] * theta[row]).astype(np.float32)
        delta = candidates / scales[:, None] - theta[row]
        best = int(np.argmin(np.einsum("si,ij,sj->s", delta, forms[row], delta)))
        result[row] = candidates[best]
        taken += float(np.log2(scales[best]))
    result[carrier] = (theta[carrier] * np.exp2(-taken)).astype(np.float32)
    return result


def _form(row: Real, target: Real, x: Real) -> Real:
    """The matrix M_l of step 1; points where the factor vanishes say nothing about the quotient."""
    value = row[0] + x * (row[1] + x * row[2])
    weight = np.divide(target, value, out=np.zeros_like(value), where=value != 0) ** 2
    powers = x ** np.arange(3)[:, None]
    return np.asarray((weight * powers) @ powers.T / len(x))
