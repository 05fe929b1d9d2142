r"""What a picture of a stack shows: curves over the eigenvalues, and what is left of them to draw.

The maps are ``stack -> curves``, over the eigenvalues that the stack was made for or over [-1, 1],
sampled so densely that no extremum is missed, and ``curve -> envelope``: hundreds of roots make
hundreds of dips, and a person wants to see how high a curve reaches between them.

Assumptions: none on the stack. Curves are computed in numpy's ``longdouble``, so that the error is
that of the coefficients and not of drawing it (where that is no more than a double, it is both).

>>> import polyfilter as pf
>>> stack = pf.factorize(pf.design.interpolate(pf.responses.band_pass, 64))
>>> drawn = curves(stack)
>>> list(drawn.partial), bool(drawn.error.max() < 1e-14)
([8, 16, 24, 32], True)
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from polyfilter.spectrum import as_points
from polyfilter.stack import SoGCStack

__all__ = ["Curves", "binned_maximum", "curves", "upper_envelope"]

SAMPLES_PER_DEGREE = 8
"""A polynomial of degree K has up to K extrema; eight samples for each show their height."""
MIN_SAMPLES, MAX_SAMPLES = 2001, 65537
FEW = 100
"""Up to so many eigenvalues are drawn one by one."""
ROUNDING = 4 * float(np.finfo(np.longdouble).eps)
"""Errors up to this part of the maximum come from drawing, and count as zero."""
BINS = 240
"""Rounding noise is drawn by its largest value in each of these, five pixels wide."""
DIP = np.log(1.1)
"""A curve that falls by a tenth between two maxima has a dip."""
WIDE, NARROW = 0.5, 0.05
"""A dip wider than the first is left to be seen; one below the second is clutter."""


@dataclass(frozen=True, eq=False)
class Curves:
    """What is drawn.

    Attributes
    ----------
    lam
        Eigenvalues, ascending.
    response
        ``|h|`` there.
    partial
        ``|P_l|`` by the number of layers l.
    error
        ``|P_L - h|``, zero where it can't be told from rounding.
    """

    lam: NDArray[np.float64]
    response: NDArray[np.float64]
    partial: Mapping[int, NDArray[np.float64]]
    error: NDArray[np.float64]

    @property
    def sparse(self) -> bool:
        """Whether there are so few eigenvalues that each can be seen."""
        return len(self.lam) <= FEW


def curves(stack: SoGCStack) -> Curves:
    """Return the curves of a stack.

    Examples
    --------
    >>> from polyfilter.stack import factorize
    >>> float(curves(factorize([0, 0, 1])).response.max())
    1.0
    """
    if stack.points is None:
        wanted = SAMPLES_PER_DEGREE * stack.degree + 1
        lam = as_points(size=min(max(wanted, MIN_SAMPLES), MAX_SAMPLES)).astype(np.longdouble)
    else:  # between the eigenvalues a filter may do as it likes, and it often does
        lam = np.unique(stack.points).astype(np.longdouble)
    L = len(stack)
    stages = {max(1, L * k // 4) for k in (1, 2, 3, 4)}
    partial = {}
    product = np.ones_like(lam)
    target = stack.filter(lam)
    with np.errstate(over="ignore", invalid="ignore"):
        for number, row in enumerate(stack.theta.astype(np.longdouble), start=1):
            product = product * (row[0] + lam * (row[1] + lam * row[2]))
            if number in stages:
                partial[number] = np.abs(product).astype(np.float64)
        error = np.abs(product - target).astype(np.float64)
    response = np.abs(target).astype(np.float64)
    error[error <= ROUNDING * response.max()] = 0.0
    return Curves(lam.astype(np.float64), response, partial, error)


def upper_envelope(
    x: NDArray[np.float64], y: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return a positive curve without its dips, for a logarithmic axis.

    A product of factors dips to zero at each root; what tells one from another is how high they
    rise between. So each dip between neighbouring maxima is replaced by the upper hull of the
    logarithm, and in a second pass those that are too narrow to be seen as more than clutter. Where
    a curve goes from one level to another without a dip it is left as it is.

    Examples
    --------
    >>> t = np.linspace(-1, 1, 1001)
    >>> bool(upper_envelope(t, np.abs(np.sin(20 * t)))[1].min() > 0.9)
    True
    """
    # a root next to a border is a dip as well: go level from the border to what is highest near it
    start = int(np.argmax(y[x <= x[0] + NARROW / 2]))
    near = int(np.searchsorted(x, x[-1] - NARROW / 2))
    stop = near + int(np.argmax(y[near:])) + 1
    x = np.concatenate([x[:1], x[start:stop], x[-1:]])
    y = np.concatenate([y[start : start + 1], y[start:stop], y[stop - 1 : stop]])
    for widest in (WIDE, NARROW):
        with np.errstate(divide="ignore"):
            log = np.log(y)
        inner = log[1:-1]
        peaks = np.flatnonzero((inner >= log[:-2]) & (inner > log[2:])) + 1
        kept = [0]
        for first, last in pairwise([0, *peaks.tolist(), len(y) - 1]):
            lower_end = min(log[first], log[last])
            below = first + np.flatnonzero(log[first : last + 1] < lower_end - DIP)
            bridged = len(below) and x[below[-1]] - x[below[0]] <= widest
            kept += _hull(x, log, first, last) if bridged else range(first + 1, last + 1)
        x, y = x[kept], y[kept]
    return x, y


def _hull(x: NDArray[np.float64], y: NDArray[np.float64], first: int, last: int) -> list[int]:
    """Return the corners after ``first`` of the upper hull of a piece (Andrew's chain)."""
    chain = [first]
    for k in range(first + 1, last + 1):
        while len(chain) > 1:
            a, b = chain[-2], chain[-1]
            if (y[b] - y[a]) * (x[k] - x[a]) > (y[k] - y[a]) * (x[b] - x[a]):
                break
            chain.pop()
        chain.append(k)
    return chain[1:]


def binned_maximum(
    x: NDArray[np.float64], y: NDArray[np.float64], bins: int = BINS
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the largest value in each of many bins, where it is taken: noise without its holes.

    Examples
    --------
    >>> binned_maximum(np.array([0.0, 0.1, 0.9, 1.0]), np.array([1.0, 3.0, 2.0, 0.0]), bins=2)
    (array([0.1, 0.9]), array([3., 2.]))
    """
    cell = np.minimum((x - x[0]) / (x[-1] - x[0]) * bins, bins - 1).astype(int)
    order = np.lexsort((y, cell))
    largest = order[np.append(np.diff(cell[order]) > 0, True)]
    return x[largest], y[largest]
