r"""A filter as a polynomial on [-1, 1]: Chebyshev inside, power basis at the border.

The map :math:`\tau` of the paper (Equation 6) takes a filter :math:`\sum_k \theta_k A^k` to the
polynomial

.. math::  h(x) = \sum_{k=0}^{K} \theta_k x^k = \sum_{k=0}^{K} c_k T_k(x).

Inside the package a filter is its Chebyshev coefficients :math:`c`, because the power basis loses
all digits of a band-pass at degree 64. Whoever comes with power coefficients is converted once, in
exact rational arithmetic, so that the border costs one rounding per coefficient and no more. Exact
input (integers, fractions, a sympy ``Poly`` over the rationals) keeps an exact twin.

Assumptions: the variable is the eigenvalue of the normalized adjacency matrix, in [-1, 1].
Trailing coefficients at rounding level, :math:`|c_k| \le 4 \varepsilon \max |h|`, are trimmed and
the trimming is reported: they carry no information of a float64 design, only noise roots.

>>> from fractions import Fraction
>>> as_filter([Fraction(1, 3), 0, 1])                               # 1/3 + x^2, exactly
FilterPolynomial(degree=2, max=1.33333, exact)
>>> as_filter(np.polynomial.Chebyshev([1.0, 0.5, 1e-30])).trimmed
1
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from numbers import Rational
from typing import Any

import flint
import numpy as np
from numpy.polynomial import Chebyshev
from scipy.fft import dct

from polyfilter.clenshaw import Real
from polyfilter.errors import FilterError

__all__ = [
    "TRIM",
    "FilterPolynomial",
    "as_filter",
    "chebyshev_from_power",
    "power_from_chebyshev",
    "sample",
]

EPS = float(np.finfo(np.float64).eps)

TRIM = 4 * EPS
"""Rounding level, relative to max |h|: an interpolated coefficient is a mean of values that are
each wrong by an ulp or two, and shows up to 1.3 eps of noise at degree 4096 (the paper's
high-pass)."""


def sample(c: Real, count: int) -> tuple[Real, Real]:
    """Return the points cos(pi j / count), j = 0..count, and the series there, in O(n log n).

    Examples
    --------
    >>> x, h = sample(np.array([0.0, 1.0]), 4)
    >>> np.allclose(x, h), len(x)
    (True, 5)
    """
    if count < len(c):
        raise ValueError(f"{count} intervals can't carry degree {len(c) - 1}")
    padded = np.zeros(count + 1)
    padded[: len(c)] = c
    padded[1:-1] /= 2
    return np.cos(np.pi * np.arange(count + 1) / count), dct(padded, type=1)


@dataclass(frozen=True, eq=False)
class FilterPolynomial:
    """A real polynomial on [-1, 1] by its Chebyshev coefficients.

    Attributes
    ----------
    chebyshev : array (degree + 1,)
        Coefficients, the last one not zero unless the filter is zero.
    exact : tuple of Fraction or None
        Power coefficients, ascending, when the input was exact.
    trimmed : int
        How many trailing coefficients were dropped.
    trim_bound : float
        The sum of their absolute values: at most so much was changed anywhere on [-1, 1].
    """

    chebyshev: Real
    exact: tuple[Fraction, ...] | None = None
    trimmed: int = 0
    trim_bound: float = 0.0

    @property
    def degree(self) -> int:
        """The degree; zero for a constant and for the zero filter."""
        return len(self.chebyshev) - 1

    @property
    def is_zero(self) -> bool:
        """Whether this is the zero filter."""
        return not self.chebyshev.any()

    @cached_property
    def maximum(self) -> float:
        """max |h| on [-1, 1], to a percent: four samples a degree."""
        return float(np.abs(sample(self.chebyshev, 4 * self.degree + 4)[1]).max())

    def __call__(self, x: Any) -> Any:
        """Evaluate by Clenshaw's recurrence."""
        return np.polynomial.chebyshev.chebval(x, self.chebyshev)

    def derivative(self, x: Any) -> Any:
        """Evaluate h'."""
        return np.polynomial.chebyshev.chebval(x, np.polynomial.chebyshev.chebder(self.chebyshev))

    def to_numpy(self) -> Chebyshev:
        """Return it as a ``numpy.polynomial.Chebyshev`` on [-1, 1]."""
        return Chebyshev(self.chebyshev)

    def __mul__(self, other: "FilterPolynomial") -> "FilterPolynomial":
        """Multiply: the filter of one stack after the other (Lemma 2)."""
        exact = None
        if self.exact is not None and other.exact is not None:
            exact = tuple(_fractions(_fmpq_poly(self.exact) * _fmpq_poly(other.exact)))
        product = np.polynomial.chebyshev.chebmul(self.chebyshev, other.chebyshev)
        return _trimmed(_finite(product), exact, 0.0)

    def __repr__(self) -> str:
        words = [f"degree={self.degree}", f"max={self.maximum:.6g}"]
        words += ["exact"] if self.exact is not None else []
        words += [f"trimmed={self.trimmed}"] if self.trimmed else []
        return f"FilterPolynomial({', '.join(words)})"


def as_filter(h: Any, trim: float = TRIM) -> FilterPolynomial:
    """Return ``h`` as a :class:`FilterPolynomial`.

    Parameters
    ----------
    h : numpy polynomial, sequence of coefficients, sympy Poly or expression, FilterPolynomial
        A plain sequence holds power coefficients, ascending: theta_0, theta_1, ... (Equation 1).
        Integers and fractions are exact; floats are converted exactly and rounded once.
    trim : float
        Trailing Chebyshev coefficients up to ``trim`` times max |h| are dropped. 0 keeps all but
        exact zeros. Exact input is trimmed of exact zeros only.

    Examples
    --------
    >>> as_filter([0, 0, 2]).chebyshev.tolist()            # 2 x^2 = T_0 + T_2
    [1.0, 0.0, 1.0]
    >>> as_filter([1.0, float("nan")])
    Traceback (most recent call last):
    ...
    polyfilter.errors.FilterError: coefficient 1 of the polynomial is nan; it has to be finite
    """
    if isinstance(h, FilterPolynomial):
        return h
    if type(h).__module__.split(".")[0] == "sympy":
        h = _from_sympy(h)
    if isinstance(h, np.polynomial.Polynomial):
        unit = h.convert(domain=[-1, 1], window=[-1, 1])
        return as_filter(_finite(unit.coef), trim)
    if hasattr(h, "convert") and hasattr(h, "coef"):  # the other numpy series
        series = h.convert(kind=Chebyshev, domain=[-1, 1], window=[-1, 1])
        return _trimmed(_finite(series.coef), None, trim)
    values = _as_list(h)
    if all(isinstance(a, Rational) for a in values):
        exact = [Fraction(a) for a in values]
        chebyshev = np.array([float(a) for a in chebyshev_from_power(exact)])
        return _trimmed(_finite(chebyshev), tuple(exact), 0.0)
    numbers = _finite(_as_floats(values))
    exact = [Fraction(a) for a in numbers.tolist()]
    return _trimmed(np.array([float(a) for a in chebyshev_from_power(exact)]), None, trim)


def _as_list(h: Any) -> list[Any]:
    if isinstance(h, str | bytes) or not isinstance(h, Iterable):
        raise FilterError(
            f"a {type(h).__name__} is not a polynomial; give a numpy polynomial, a sequence of "
            "power coefficients (ascending), or a sympy Poly"
        )
    if isinstance(h, np.ndarray) and h.ndim != 1:
        raise FilterError(f"coefficients have to be one row of numbers, not of shape {h.shape}")
    values = h.tolist() if isinstance(h, np.ndarray) else list(h)
    if not values:
        raise FilterError("a polynomial needs at least one coefficient; this one has none")
    return values


def _as_floats(values: Sequence[Any]) -> Real:
    numbers = np.empty(len(values))
    for k, value in enumerate(values):
        try:
            numbers[k] = value
        except (TypeError, ValueError) as error:
            raise FilterError(
                f"coefficient {k} is {value!r}; it has to be a real number"
            ) from error
    return numbers


def _finite(c: Any) -> Real:
    if np.iscomplexobj(c):
        raise FilterError("the coefficients are complex; a filter has to be real")
    numbers: Real = np.atleast_1d(np.asarray(c, dtype=np.float64))
    bad = np.flatnonzero(~np.isfinite(numbers))
    if len(bad):
        raise FilterError(
            f"coefficient {bad[0]} of the polynomial is {numbers[bad[0]]}; it has to be finite"
        )
    return numbers


def _from_sympy(h: Any) -> list[Any]:
    import sympy  # half a second: only for those who use it

    try:
        poly = h if isinstance(h, sympy.Poly) else sympy.Poly(h)
    except sympy.GeneratorsNeeded:
        poly = sympy.Poly(h, sympy.Symbol("x"))
    if len(poly.gens) != 1:
        raise FilterError(f"the sympy polynomial has {len(poly.gens)} variables; it needs one")
    values = []
    for k, a in enumerate(reversed(poly.all_coeffs())):
        if not a.is_real:
            raise FilterError(f"coefficient {k} is {a}; it has to be a real number")
        values.append(Fraction(int(a.p), int(a.q)) if a.is_Rational else float(a))
    return values


def _trimmed(c: Real, exact: tuple[Fraction, ...] | None, trim: float) -> FilterPolynomial:
    if not trim >= 0:
        raise FilterError(f"trim is {trim}; it has to be a number of at least 0")
    if exact is not None:
        degree = max((k for k, a in enumerate(exact) if a), default=0)
        exact, kept = exact[: degree + 1], degree + 1
        if degree and c[degree] == 0:
            raise FilterError(
                f"the leading coefficient {exact[-1]} is too small for float64; scale the filter up"
            )
    else:
        level = trim * float(np.abs(sample(c, 4 * len(c))[1]).max()) if trim else 0.0
        kept = int(np.flatnonzero(np.abs(c) > level).max(initial=0)) + 1
    dropped = c[kept:]
    c = c[:kept].copy()
    c.setflags(write=False)
    return FilterPolynomial(c, exact, len(dropped), float(np.abs(dropped).sum()))


def _fmpq_poly(a: Sequence[Fraction]) -> flint.fmpq_poly:
    return flint.fmpq_poly([flint.fmpq(b.numerator, b.denominator) for b in a])


def _fractions(p: flint.fmpq_poly) -> list[Fraction]:
    return [Fraction(int(a.p), int(a.q)) for a in p.coeffs()] or [Fraction(0)]


def chebyshev_from_power(a: Sequence[Fraction]) -> list[Fraction]:
    r"""Return the Chebyshev coefficients of sum a_k x^k, exactly.

    With :math:`x = (w + 1/w)/2`, :math:`w^K h = \sum_k a_k ((w^2+1)/2)^k w^{K-k}` is a palindrome
    whose coefficient at :math:`w^{K+k}` is :math:`c_k / 2` (:math:`c_0` at :math:`w^K`).

    Examples
    --------
    >>> chebyshev_from_power([Fraction(0), Fraction(0), Fraction(1)])
    [Fraction(1, 2), Fraction(0, 1), Fraction(1, 2)]
    """
    top = len(a) - 1
    step = flint.fmpq_poly([flint.fmpq(1, 2), 0, flint.fmpq(1, 2)])
    palindrome = flint.fmpq_poly([0])
    for k in range(top, -1, -1):
        monomial = flint.fmpq_poly([0] * (top - k) + [1])
        palindrome = palindrome * step + monomial * flint.fmpq(a[k].numerator, a[k].denominator)
    values = [palindrome[top + k] for k in range(top + 1)]
    return [Fraction(int(v.p), int(v.q)) * (2 if k else 1) for k, v in enumerate(values)]


def power_from_chebyshev(c: Sequence[Fraction]) -> list[Fraction]:
    """Return the power coefficients of sum c_k T_k, exactly, by Clenshaw on polynomials.

    Examples
    --------
    >>> power_from_chebyshev([Fraction(1, 2), Fraction(0), Fraction(1, 2)])
    [Fraction(0, 1), Fraction(0, 1), Fraction(1, 1)]
    """
    x = flint.fmpq_poly([0, 1])
    b1, b2 = flint.fmpq_poly([0]), flint.fmpq_poly([0])
    for ck in reversed(c[1:]):
        b1, b2 = 2 * x * b1 - b2 + flint.fmpq(ck.numerator, ck.denominator), b1
    h = x * b1 - b2 + flint.fmpq(c[0].numerator, c[0].denominator)
    values = _fractions(h)
    return values + [Fraction(0)] * (len(c) - len(values))
