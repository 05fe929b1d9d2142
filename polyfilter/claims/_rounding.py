r"""How far rounding can carry a stack from its filter: a bound that holds before anything is run.

The map is :math:`(\theta, w) \mapsto C` with
:math:`\lVert y - h(A) x \rVert \le u\,C\,\lVert x \rVert` to first order in the unit roundoff
:math:`u`, for a cascade in which every entry of :math:`A`, every weight and every result is
rounded.

A hop makes at most :math:`w` roundings an entry, :math:`w` the longest row of :math:`A`, and one
more for the entries; scaling and adding make one each. With :math:`\kappa_l` the sum of all
intermediate terms of layer :math:`l` in absolute value, each times the roundings that it has seen,
and as :math:`\lVert\,|A|\,\rVert_2 \le 1`, the layer adds at most
:math:`u\,\kappa_l \lVert P_{l-1} x \rVert`, and what follows multiplies that by at most
:math:`\max|R_l|`:

.. math::  C = \sum_l \kappa_l \max|P_{l-1}| \max|R_l|.

>>> rounding_factor(np.array([[0.0, 1.0, 0.0]]), np.array([-1.0, 1.0]), width=3)     # one hop
8.0
"""

import numpy as np

from polyfilter.clenshaw import Real
from polyfilter.factor import completed_square

__all__ = ["rounding_factor"]


def rounding_factor(theta: Real, points: Real, width: int) -> float:
    """Return C of the module's docstring; maxima over the points, ``width`` the longest row of A.

    On :func:`polyfilter.factor.grid` in place of a spectrum, C is short by no more than 2: the
    maxima of P and of R by sqrt(2) each.
    """
    x = points
    values = [row[0] + x * (row[1] + x * row[2]) for row in theta]
    after = [np.ones_like(x)]  # R_L, R_{L-1}, ..., R_1
    for value in reversed(values[1:]):
        after.append(after[-1] * value)
    before, total = np.ones_like(x), 0.0
    for row, value, rest in zip(theta, values, reversed(after), strict=True):
        total += float(np.abs(before).max() * np.abs(rest).max()) * _roundings(row, width + 1)
        before = before * value
    return total


def _roundings(row: Real, hop: int) -> float:
    """κ of one layer, in the form in which it is applied; ``hop`` is what one hop makes."""
    square = completed_square(row)
    if square is None:
        zero, one, two = np.abs(row)
        return float(two * (2 * hop + 4) + one * (hop + 4) + zero * 3)
    c, s, e = np.abs(square)
    first = hop + 1 + 2 * s  # u = (A - s) x
    second = (1 + s) * (first + hop + s + 3 * (1 + s)) + 3 * e  # c ((A - s) u + e x)
    weights = (1 + s) ** 2 + 2 * s * (1 + s) + 4 * s**2 + 4 * e  # c, s and e are rounded
    return float(c * (second + weights))
