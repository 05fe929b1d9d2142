r"""How many real roots a polynomial has: counted, not computed.

The map is :math:`p \in \mathbb Q[x] \mapsto \#\{r \in \mathbb R : p(r) = 0\}`, in integer
arithmetic, by bisection and Descartes' rule of signs (Vincent 1836, Collins and Akritas 1976): the
number of sign changes among the coefficients of

.. math:: (1 + x)^n \, p\Bigl(\frac{1}{1 + x}\Bigr)

is at least the number of roots of :math:`p` in (0, 1), counted with multiplicity, and differs from
it by an even number. So no change means no root, one change means one, and an interval with more
is cut in two. The positive roots are those of :math:`p` in (0, 1), the root 1, and those of the
reversed polynomial in (0, 1).

Assumptions: none. A double root would be cut around for ever, so the polynomial is divided by the
greatest common divisor with its derivative first; after that the bisection ends (Vincent's
theorem). At degree 64 with 40-bit coefficients a count takes a millisecond, a twentieth of what
isolating all complex roots takes.

>>> from flint import fmpz_poly
>>> count_real_roots(fmpz_poly([-2, 0, 1]) * fmpz_poly([1, 0, 1]))  # (x^2 - 2)(x^2 + 1)
2
"""

from itertools import pairwise

from flint import fmpq_poly, fmpz, fmpz_poly

from polyfilter.errors import FilterError

__all__ = ["count_real_roots", "is_real_rooted"]

SHIFT = fmpz_poly([1, 1])
"""The substitution x -> x + 1."""


def count_real_roots(p: fmpz_poly | fmpq_poly) -> int:
    """Return the number of different real roots of a polynomial that is not zero.

    >>> count_real_roots(fmpz_poly([0, 0, 1, 1]))  # x^2 (x + 1)
    2
    """
    return _count(_square_free(p))


def is_real_rooted(p: fmpz_poly | fmpq_poly) -> bool:
    """Say whether p is a product of real polynomials of degree at most one.

    Nonzero constants are; so is the zero polynomial, since 0 is such a factor.

    >>> is_real_rooted(fmpz_poly([1, -2, 1])), is_real_rooted(fmpz_poly([1, 0, 1]))
    (True, False)
    """
    if p.degree() < 1:
        return True
    q = _square_free(p)
    return _count(q) == q.degree()


def _square_free(p: fmpz_poly | fmpq_poly) -> fmpz_poly:
    q = p.numer() if isinstance(p, fmpq_poly) else p
    if q.degree() < 0:
        raise FilterError("the zero polynomial vanishes everywhere, so its roots can't be counted")
    common = q.gcd(q.derivative())
    return q // common if common.degree() > 0 else q


def _count(p: fmpz_poly) -> int:
    """Count the real roots of a polynomial without double roots."""
    at_zero = int(p[0] == 0)
    p = p.right_shift(at_zero)
    mirrored = fmpz_poly([-c if k % 2 else c for k, c in enumerate(p.coeffs())])
    positive = (_in_unit(q) + int(q(1) == 0) + _in_unit(_reversed(q)) for q in (p, mirrored))
    return at_zero + sum(positive)


def _in_unit(p: fmpz_poly) -> int:
    """Count the roots in the open interval (0, 1); p has no double root and none at 0."""
    found, waiting = 0, [p]
    while waiting:
        p = waiting.pop()
        changes = _sign_changes(_reversed(p)(SHIFT).coeffs())
        if changes <= 1:
            found += changes
            continue
        n = p.degree()
        left = fmpz_poly([c << (n - k) for k, c in enumerate(p.coeffs())])  # 2^n p(x / 2)
        right = left(SHIFT)
        middle = int(right[0] == 0)
        found += middle
        waiting += [left, right.right_shift(middle)]
    return found


def _reversed(p: fmpz_poly) -> fmpz_poly:
    return fmpz_poly(p.coeffs()[::-1])


def _sign_changes(coefficients: list[fmpz]) -> int:
    return sum(a != b for a, b in pairwise(c > 0 for c in coefficients if c != 0))
