"""Chebyshev series in ball arithmetic: the independent truth of the tests of evaluation and roots.

Every number that a float holds enters exactly. A step of a recurrence multiplies radii by up to
2|z| + 1, less than four times more than the values on [-1, 1]; two bits a degree pay for that, and
200 bits are left, far more than anything that float64 can show.
"""

import flint
import numpy as np

__all__ = ["BITS", "ball", "midpoint", "series", "series_floats"]

BITS = 200


def ball(z):
    """Return a float or complex as an acb that holds it exactly."""
    z = complex(z)
    return flint.acb(flint.arb(z.real), flint.arb(z.imag))


def midpoint(z):
    """Return the middle of an acb, rounded to complex."""
    return complex(float(z.real.mid()), float(z.imag.mid()))


def series(c, z):
    """Return balls that hold h(z) and h'(z) of h = sum c_k T_k, by the three-term recurrences."""
    with flint.ctx.workprec(BITS + 2 * len(c)):
        z = z if isinstance(z, flint.acb) else ball(z)
        before, here = flint.acb(1), z  # T_0, T_1
        slope_before, slope = flint.acb(0), flint.acb(1)
        value = ball(c[0])
        derivative = flint.acb(0)
        for ck in c[1:]:
            value += ball(ck) * here
            derivative += ball(ck) * slope
            slope_before, slope = slope, 2 * here + 2 * z * slope - slope_before
            before, here = here, 2 * z * here - before
        return value, derivative


def series_floats(c, z):
    """Return h and h' at many points, correctly rounded or nearly so."""
    pairs = [[midpoint(part) for part in series(c, point)] for point in z]
    value, slope = np.array(pairs).T
    return value, slope
