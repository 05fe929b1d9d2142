r"""Layers as completed squares: the dip of a factor, kept to its last digit.

The map is

.. math::  (\theta_0, \theta_1, \theta_2) \mapsto (c, s, e), \qquad
           \theta_0 + \theta_1 x + \theta_2 x^2 = c\,\bigl((x - s)^2 + e\bigr).

A layer applied as :math:`u = (A - s) x`, :math:`y = c\,((A - s) u + e x)` rounds :math:`u` where it
is small: near the dip of a factor with roots close to the spectrum its noise is three times below
that of the power form. And :math:`e`, the squared distance of the roots from the axis, has full
relative accuracy, where the power form knows it only to a rounding of :math:`\theta_0`.

Assumptions: theta is taken as the exact numbers that it is. :math:`e = q(s) / c` at the rounded
:math:`s` is a difference of two nearly equal numbers, so products are taken with their rounding
errors (Dekker). If the dip is well outside [-1, 1], or so high that the square drowns in it, there
is nothing to gain and the layer stays as it is.

>>> completed_squares(np.array([[0.5, -1.0, 1.0], [3.0, 1.0, 0.0]])).tolist()
[[1.0, 0.5, 0.25], [nan, nan, nan]]
"""

import numpy as np

from polyfilter.clenshaw import Real, _product_error, _split, _sum_error

__all__ = ["completed_square", "completed_squares", "layer", "product", "two_product", "two_sum"]

REACH = 2.0
"""Dips at most this far from 0 are completed: all that can matter on [-1, 1]."""
HEIGHT = 2.0**40
"""Above this the square is below the rounding of what is added to it."""


def two_product(a: Real, b: Real) -> tuple[Real, Real]:
    """Return fl(ab) and what it lacks, exactly (Dekker).

    Examples
    --------
    >>> two_product(np.array([1 + 2.0**-30]), np.array([1 + 2.0**-30]))[1] == 2.0**-60
    array([ True])
    """
    p = a * b
    return p, _product_error(p, *_split(a), *_split(b))


def two_sum(a: Real, b: Real) -> tuple[Real, Real]:
    """Return fl(a + b) and what it lacks, exactly (Knuth).

    Examples
    --------
    >>> two_sum(np.array([1.0]), np.array([2.0**-60]))[1] == 2.0**-60
    array([ True])
    """
    s = a + b
    return s, _sum_error(s, a, b)


def completed_squares(theta: Real) -> Real:
    """Return rows (c, s, e), one a layer; a row of nan for layers that are better left alone.

    Examples
    --------
    >>> completed_squares(np.array([[1.0 + 2.0**-52, -2.0, 1.0]])).tolist()[0][2] == 2.0**-52
    True
    """
    zero, one, two = theta.T.astype(np.float64)
    good = (two != 0) & (np.abs(one) <= 2 * REACH * np.abs(two))
    good &= np.abs(zero) / HEIGHT <= np.abs(two)
    exponent = np.frexp(np.where(good, two, 1.0))[1]  # so that no product leaves the floats
    z, o, t = (np.ldexp(np.where(good, v, 1.0), -exponent) for v in (zero, one, two))
    s = -o / (2 * t)
    ts, ts_error = two_product(t, s)
    tss, tss_error = two_product(ts, s)
    slope = (o / 2 + ts) + ts_error  # half of q'(s): not zero, since s is rounded
    value = (z - tss) - tss_error - ts_error * s + 2 * s * slope
    squares: Real = np.where(good, [two, s, value / t], np.nan).T
    return squares


def completed_square(row: Real) -> tuple[float, float, float] | None:
    """Return (c, s, e) of one layer, or None if it is better left alone.

    Examples
    --------
    >>> completed_square(np.array([0.5, -1.0, 1.0]))
    (1.0, 0.5, 0.25)
    """
    c, s, e = completed_squares(row[None])[0].tolist()
    return None if c != c else (c, s, e)


def layer(row: Real, square: Real, x: Real) -> Real:
    """Return one factor at the points, through its completed square if it has one.

    Examples
    --------
    >>> row = np.array([0.25, -1.0, 1.0])
    >>> layer(row, completed_squares(row[None])[0], np.array([0.5, 1.0])).tolist()
    [0.0, 0.25]
    """
    c, s, e = square
    value: Real = row[0] + x * (row[1] + x * row[2]) if np.isnan(c) else c * ((x - s) ** 2 + e)
    return value


def product(theta: Real, x: Real) -> Real:
    """Return the product of all layers at the points.

    Examples
    --------
    >>> product(np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 1.0]]), np.array([2.0])).tolist()
    [10.0]
    """
    value = np.ones_like(x, dtype=np.float64)
    for row, square in zip(theta, completed_squares(theta), strict=True):
        value = value * layer(row, square, x)
    return value
