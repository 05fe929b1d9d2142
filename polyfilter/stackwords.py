"""A stack in words and pictures: how a factorization ended, and what a notebook shows of it.

The maps are ``stack -> line`` and ``stack -> HTML``.

Assumptions: none. A stack is known here by what it can do, since it is made of these words itself.

>>> Status.SUCCESS.value
'The stack reproduces its filter with at least half of the digits of its precision.'
"""

from enum import Enum
from html import escape
from typing import TYPE_CHECKING

import numpy as np

from polyfilter.squares import product
from polyfilter.svg import line_plot

if TYPE_CHECKING:
    from polyfilter.stack import SoGCStack

__all__ = ["Status", "pictures", "words"]


class Status(Enum):
    """How a factorization ended; the value is the whole story in a sentence."""

    SUCCESS = "The stack reproduces its filter with at least half of the digits of its precision."
    NOISY = (
        "Rounding errors are amplified to more than half of the digits: use float64, or factor for "
        "the spectrum of your graphs instead of [-1, 1]."
    )
    ILL_CONDITIONED = (
        "The filter changes so fast that every algorithm in this precision loses more than half of "
        "the digits: use a smoother filter, float64, or exact arithmetic."
    )
    UNRESOLVED = (
        "The roots were not found to rounding level, so the product differs from the filter; use "
        'method="certified".'
    )


def words(stack: "SoGCStack") -> str:
    """Return what a stack is, in a line.

    Examples
    --------
    >>> from polyfilter.stack import factorize
    >>> words(factorize([-1, 0, 1])).partition(", noise")[0]
    'SoGCStack(1 layers, degree 2, float64'
    """
    where = "[-1, 1]" if stack.points is None else f"{len(stack.points)} eigenvalues"
    told = [
        f"{len(stack)} layers",
        f"degree {stack.degree}",
        stack.dtype.name,
        f"noise gain {stack.noise_gain:.3g} on {where}",
        f"predicted error {stack.predicted_error:.1e}",
    ]
    told += [f"{stack.filter.trimmed} coefficients trimmed"] if stack.filter.trimmed else []
    told += ["exact"] if stack.exact is not None else []
    told += [stack.status.name] if stack.status is not Status.SUCCESS else []
    return f"SoGCStack({', '.join(told)})"


def pictures(stack: "SoGCStack") -> str:
    """Return what a notebook shows: ``|h|``, the partial products and the error.

    Examples
    --------
    >>> from polyfilter.stack import factorize
    >>> pictures(factorize([-1, 0, 1])).count("|error|") > 0
    True
    """
    x = np.linspace(-1, 1, 401) if stack.points is None else np.unique(stack.points)
    target = stack.filter(x)
    theta = stack.theta.astype(np.float64)
    shown = {len(stack) * k // 4 for k in (1, 2, 3, 4)} - {0}
    with np.errstate(over="ignore", invalid="ignore"):  # far from the spectrum, all may happen
        partial = {
            f"after layer {depth}": (x, np.abs(product(theta[:depth], x)))
            for depth in sorted(shown)
        }
        error = np.abs(stack.response(x) - target)
    plots = [
        line_plot({"h": (x, np.abs(target))}, "|h|"),
        line_plot(partial, "|partial products|", log=True),
        line_plot({"error": (x, error)}, "|error|", log=True),
    ]
    return f"<p>{escape(repr(stack))}</p><p>{escape(stack.status.value)}</p>{''.join(plots)}"
