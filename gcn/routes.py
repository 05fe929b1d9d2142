r"""Two ways by which a signal can travel through second-order layers and leave as a filter.

The map is :math:`h \mapsto (e, M^{(1)}, \dots, M^{(L)}, r)`: what enters is :math:`Z_0 = x e`, a
layer is

.. math::  Z_l = \sum_{k=0}^{2} (A - s_l)^k Z_{l-1} M^{(l)}_k ,

and what leaves is :math:`Z_L r = h(A) x`, with small matrices :math:`M_k` that mix the columns of
:math:`Z`.

* :func:`product`: one column, multiplied by one factor of a stack after the other.
* :func:`recurrence`: three columns, :math:`Z_l = (T_{2l}(A) x,\ T_{2l-1}(A) x,\ y_l)`, two
  Chebyshev polynomials and the sum :math:`y_l = \sum_{k \le 2l} c_k T_k(A) x` so far.

Both take the same number of layers. The product is what the paper builds, and needs no width. The
recurrence needs three columns, and forgives more. Chebyshev polynomials stay below one, so that an
error in one of them grows no faster than linearly with the layers that follow. Factors of a stack
are as large as the others need them to be, and multiply every error that is not theirs. Neither
matters to a network that stays as it is, but it does to one that trains: after one step of Adam at
a rate of 1e-4, the paper's high-pass in 16 layers has a mean absolute error of 0.2 by the
recurrence and of 6 by the product, from 0.015.

Assumptions: the layers have order two or more.

>>> from polyfilter import factorize
>>> route = recurrence(factorize([0, 0, 1]))                           # x² = (T_0 + T_2) / 2
>>> route.enter, route.layers[0][:, 0, 2]
(array([1. , 0. , 0.5]), array([-0.5,  0. ,  1. ]))
"""

from dataclasses import dataclass

import numpy as np

from polyfilter.clenshaw import Real
from polyfilter.rounding import single
from polyfilter.squares import completed_squares
from polyfilter.stack import SoGCStack

__all__ = ["Route", "product", "recurrence"]


@dataclass(frozen=True, eq=False)
class Route:
    """A way through second-order layers.

    Attributes
    ----------
    enter : array (g,)
        What the signal is multiplied by to give the columns of Z.
    layers : array (L, 3, g, g)
        The matrices M.
    shifts : array (L,)
        The points s that the layers are written about.
    leave : array (g,)
        How the columns give the filtered signal.
    """

    enter: Real
    layers: Real
    shifts: Real
    leave: Real

    @property
    def columns(self) -> int:
        """How many columns Z has."""
        return len(self.enter)

    def extended(self, depth: int) -> "Route":
        """Return the same route with layers that do nothing added at its end.

        Examples
        --------
        >>> from polyfilter import factorize
        >>> product(factorize([0, 1])).extended(2).layers[:, :, 0, 0].tolist()
        [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]
        """
        idle = np.zeros((depth - len(self.layers), 3, self.columns, self.columns))
        idle[:, 0] = np.eye(self.columns)
        layers = np.concatenate([self.layers, idle])
        shifts = np.append(self.shifts, np.zeros(len(idle)))
        return Route(self.enter, layers, shifts, self.leave)


def product(stack: SoGCStack, *, narrow: bool = False, about_dips: bool = False) -> Route:
    """Return the route of a stack's factors, one a layer (Theorem 1).

    Parameters
    ----------
    stack : SoGCStack
        The factors.
    narrow : bool
        Whether the weights will be float32: then they are chosen to lose least by that.
    about_dips : bool
        Whether layers may be written about points other than zero.

    Examples
    --------
    >>> from polyfilter import factorize
    >>> product(factorize([1, 2, 3])).layers[0, :, 0, 0].tolist()
    [1.0, 2.0, 3.0]
    """
    theta = stack.theta.astype(np.float64)
    shifts = np.zeros(len(theta))
    if about_dips:
        shifts, theta = _about_dips(theta, np.float32 if narrow else np.float64)
    elif narrow:
        theta = stack.astype(np.float32).theta.astype(np.float64)
    if narrow:
        single(theta)  # which says so if a layer is too large or too small
    return Route(np.ones(1), theta[:, :, None, None], shifts, np.ones(1))


def _about_dips(theta: Real, kind: type[np.floating]) -> tuple[Real, Real]:
    """Write factors as a + b (x - s) + c (x - s)², s the nearest float to the dip of each.

    >>> s, rows = _about_dips(np.array([[0.5, -1.0, 1.0], [3.0, 1.0, 0.0]]), np.float32)
    >>> s.tolist(), rows.tolist()
    ([0.5, 0.0], [[0.25, 0.0, 1.0], [3.0, 1.0, 0.0]])
    """
    c, dip, height = completed_squares(theta).T
    alone = np.isnan(c)  # nothing to gain: such a layer stays in powers
    s = np.where(alone, 0.0, dip).astype(kind).astype(np.float64)
    d = dip - s
    rows = np.stack([c * (d * d + height), -2 * c * d + 0.0, c], axis=1)
    return s, np.where(alone[:, None], theta, rows)


def recurrence(stack: SoGCStack) -> Route:
    r"""Return the route of Chebyshev's recurrence, two degrees a layer.

    With :math:`T_{n+1} = 2 A T_n - T_{n-1}` twice, and :math:`T_{-1} = T_1` at the start,

    .. math::  T_{n+2} = (4 A^2 - 1) T_n - 2 A T_{n-1}, \qquad
               y' = y + c_{n+1} T_{n+1} + c_{n+2} T_{n+2} .

    Examples
    --------
    >>> from polyfilter import factorize
    >>> recurrence(factorize([0, 1, 0, 2])).layers.shape
    (2, 3, 3, 3)
    """
    depth = len(stack)
    c = np.zeros(2 * depth + 1)
    c[: stack.degree + 1] = stack.filter.chebyshev
    layers = np.zeros((depth, 3, 3, 3))  # layer, power of A, from column, to column
    layers[:, 0, 0, 0], layers[:, 2, 0, 0], layers[:, 1, 1, 0] = -1, 4, -2
    layers[:, 1, 0, 1], layers[:, 0, 1, 1] = 2, -1
    layers[0, :, :, :2] = 0  # there is no T_{-1} to begin with: T_2 = 2 A² - 1 and T_1 = A
    layers[0, 0, 0, 0], layers[0, 2, 0, 0], layers[0, 1, 0, 1] = -1, 2, 1
    layers[:, 0, 2, 2] = 1
    even, odd = c[2::2, None, None], c[1::2, None, None]
    layers[..., 2] += even * layers[..., 0] + odd * layers[..., 1]
    return Route(np.array([1.0, 0.0, c[0]]), layers, np.zeros(depth), np.array([0.0, 0.0, 1.0]))
