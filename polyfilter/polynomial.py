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

import math
import numbers
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any

import flint
import numpy as np
from numpy.polynomial import Chebyshev, Polynomial
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
"""Rounding level, relative to ``max |h|``: an interpolated coefficient is a mean of values that are
each wrong by an ulp or two, and shows up to 1.3 eps of noise at degree 4096 (the paper's
high-pass)."""

TOO_LARGE = "the polynomial is larger than float64 can hold; scale the filter down"


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
        """``max |h|`` on [-1, 1], to a percent: four samples a degree."""
        return float(np.abs(sample(self.chebyshev, 4 * self.degree + 4)[1]).max())

    def __call__(self, x: Any) -> Any:
        """Evaluate by Clenshaw's recurrence."""
        return np.polynomial.chebyshev.chebval(x, self.chebyshev)

    def derivative(self, x: Any) -> Any:
        """Evaluate h'."""
        return np.polynomial.chebyshev.chebval(x, np.polynomial.chebyshev.chebder(self.chebyshev))

    def to_numpy(self, basis: str = "chebyshev") -> Chebyshev | Polynomial:
        """Return it as a numpy polynomial in Chebyshev polynomials, or in powers ("power").

        Power coefficients are rounded once from exact ones. They are for reading: at degree 64 a
        band-pass has lost all digits in them.

        Examples
        --------
        >>> as_filter([0.0, 0.0, 2.0]).to_numpy("power").coef.tolist()
        [0.0, 0.0, 2.0]
        """
        if basis == "chebyshev":
            return Chebyshev(self.chebyshev)
        if basis != "power":
            raise FilterError(f"there is no basis {basis!r}: choose chebyshev or power")
        try:
            return Polynomial([float(a) for a in self._power])
        except OverflowError:
            raise FilterError(TOO_LARGE) from None

    def to_sympy(self, variable: Any = "x") -> Any:
        """Return it as a ``sympy.Poly`` over the rationals: exactly, since floats are fractions.

        Examples
        --------
        >>> as_filter([Fraction(1, 3), 0, 1]).to_sympy()
        Poly(x**2 + 1/3, x, domain='QQ')
        """
        import sympy  # half a second: only for those who use it

        coefficients = [sympy.Rational(a.numerator, a.denominator) for a in reversed(self._power)]
        return sympy.Poly(coefficients, sympy.sympify(variable), domain="QQ")

    @property
    def _power(self) -> Sequence[Fraction]:
        """The power coefficients, exactly."""
        if self.exact is not None:
            return self.exact
        return power_from_chebyshev([Fraction(c) for c in self.chebyshev.tolist()])

    def __mul__(self, other: "FilterPolynomial") -> "FilterPolynomial":
        """Multiply: the filter of one stack after the other (Lemma 2)."""
        if self.exact is not None and other.exact is not None:
            exact = _fractions(_fmpq_poly(self.exact) * _fmpq_poly(other.exact))
            return _from_power(exact, is_exact=True, trim=0.0)
        product = np.zeros(self.degree + other.degree + 1)
        values = np.polynomial.chebyshev.chebmul(self.chebyshev, other.chebyshev)
        product[: len(values)] = values  # numpy drops what has underflowed; we report it
        return _trimmed(_finite(product), None, 0.0)

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
        Trailing Chebyshev coefficients up to ``trim`` times ``max |h|`` are dropped. 0 keeps all
        but exact zeros. Exact input is trimmed of exact zeros only.

    Examples
    --------
    >>> as_filter([0, 0, 2]).chebyshev.tolist()            # 2 x^2 = T_0 + T_2
    [1.0, 0.0, 1.0]
    >>> as_filter([1.0, float("nan")])
    Traceback (most recent call last):
    ...
    polyfilter.errors.FilterError: coefficient 1 of the polynomial is nan; it has to be finite
    """
    if not trim >= 0:
        raise FilterError(f"trim is {trim}; it has to be a number of at least 0")
    if isinstance(h, FilterPolynomial):
        return h
    if type(h).__module__.split(".")[0] == "sympy":
        h = _sympy_coefficients(h)
    elif isinstance(h, np.poly1d):
        h = h.coef[::-1]  # the one numpy polynomial that descends
    elif hasattr(h, "convert") and hasattr(h, "coef"):
        return _from_numpy(h, trim)
    return _from_power(*_numbers(_as_list(h)), trim)


def _as_list(h: Any) -> list[Any]:
    if isinstance(h, str | bytes | Mapping | Set) or not isinstance(h, Iterable):
        raise FilterError(
            f"a {type(h).__name__} is not a polynomial; give a numpy polynomial, a sequence of "
            "power coefficients (ascending), or a sympy Poly"
        )
    if isinstance(h, np.ndarray) and h.ndim != 1:
        raise FilterError(f"coefficients have to be one row of numbers, not of shape {h.shape}")
    values: list[Any] = h.tolist() if isinstance(h, np.ndarray) else list(h)
    if not values:
        raise FilterError("a polynomial needs at least one coefficient; this one has none")
    return values


def _numbers(values: Sequence[Any]) -> tuple[list[Fraction], bool]:
    """Return the coefficients as fractions, and whether they came as such."""
    found: list[Fraction] = []
    is_exact = True
    for k, value in enumerate(values):
        if isinstance(value, numbers.Rational):  # as Python's own integers: numpy's are narrow
            found.append(Fraction(int(value.numerator), int(value.denominator)))
        elif isinstance(value, Decimal) and value.is_finite():
            found.append(Fraction(value))
        else:
            found.append(Fraction(_float(k, value)))
            is_exact = False
    return found, is_exact


def _float(k: int, value: Any) -> float:
    """Return coefficient k as a float, if it is a finite real number."""
    is_complex = isinstance(value, numbers.Complex) and not isinstance(value, numbers.Real)
    try:
        if is_complex or isinstance(value, str | bytes | np.ndarray):
            raise TypeError
        number = float(value)
    except (TypeError, ValueError, OverflowError) as error:
        raise FilterError(f"coefficient {k} is {value!r}; it has to be a real number") from error
    if not math.isfinite(number):
        raise FilterError(f"coefficient {k} of the polynomial is {number}; it has to be finite")
    return number


def _finite(c: Any) -> Real:
    return np.array([_float(k, value) for k, value in enumerate(c)])


def _from_power(a: Sequence[Fraction], is_exact: bool, trim: float) -> FilterPolynomial:
    try:
        c = np.array([float(ck) for ck in chebyshev_from_power(a)])
    except OverflowError:
        raise FilterError(TOO_LARGE) from None
    return _trimmed(c, tuple(a) if is_exact else None, trim)


def _from_numpy(h: Any, trim: float) -> FilterPolynomial:
    """Take a series of any kind to [-1, 1]; power series exactly, whatever their domain."""
    (d0, d1), (w0, w1) = ([Fraction(v) for v in _finite(pair)] for pair in (h.domain, h.window))
    if d0 == d1:
        raise FilterError(f"the domain of the polynomial is the single point {float(d0)}")
    scale = (w1 - w0) / (d1 - d0)
    shift = w0 - scale * d0
    if isinstance(h, Polynomial):
        a, is_exact = _numbers(_as_list(h.coef))
        moved = _fmpq_poly(a)(_fmpq_poly([shift, scale]))
        return _from_power(_padded(_fractions(moved), len(a)), is_exact, trim)
    c = _finite(_as_list(h.coef))
    if not isinstance(h, Chebyshev) or shift != 0 or scale != 1:
        with np.errstate(over="ignore", invalid="ignore"):
            c = _finite(h.convert(kind=Chebyshev, domain=[-1, 1], window=[-1, 1]).coef)
    return _trimmed(c, None, trim)


def _sympy_coefficients(h: Any) -> list[Any]:
    import sympy  # half a second: only for those who use it

    if not isinstance(h, sympy.Poly | sympy.Expr):
        raise FilterError(f"a sympy {type(h).__name__} is not a polynomial")
    if not isinstance(h, sympy.Poly) or len(h.gens) > 1 or not h.gen.is_Symbol:
        # sympy takes sqrt(2), pi or exp(x) for variables unless it is told which one to take
        expression = h.as_expr()
        symbols = sorted(expression.free_symbols, key=str) or [sympy.Symbol("x")]
        if len(symbols) > 1:
            names = ", ".join(map(str, symbols))
            raise FilterError(f"the sympy polynomial has the variables {names}; it needs one")
        try:
            h = sympy.Poly(expression, *symbols)
        except sympy.PolynomialError as error:
            raise FilterError(f"{expression} is not a polynomial in {symbols[0]}") from error
    return [
        Fraction(int(a.p), int(a.q)) if a.is_Rational else _float(k, a)
        for k, a in enumerate(reversed(h.all_coeffs()))
    ]


def _trimmed(c: Real, exact: tuple[Fraction, ...] | None, trim: float) -> FilterPolynomial:
    top = float(np.abs(c).max()) or 1.0
    height = float(np.abs(sample(c / top, 4 * len(c))[1]).max()) * top
    if not math.isfinite(height):
        raise FilterError(TOO_LARGE)
    if exact is not None:
        degree = max((k for k, a in enumerate(exact) if a), default=0)
        exact, kept = exact[: degree + 1], degree + 1
        if degree and c[degree] == 0:
            raise FilterError(
                f"the coefficient of degree {degree} is too small for float64; scale the filter up"
            )
    else:
        kept = int(np.flatnonzero(np.abs(c) > trim * height).max(initial=0)) + 1
    dropped = c[kept:]
    c = c[:kept].copy()
    c.setflags(write=False)
    return FilterPolynomial(c, exact, len(dropped), float(np.abs(dropped).sum()))


def _fmpq_poly(a: Sequence[Fraction]) -> flint.fmpq_poly:
    return flint.fmpq_poly([flint.fmpq(b.numerator, b.denominator) for b in a])


def _fractions(p: flint.fmpq_poly) -> list[Fraction]:
    return [Fraction(int(a.p), int(a.q)) for a in p.coeffs()] or [Fraction(0)]


def _padded(a: list[Fraction], length: int) -> list[Fraction]:
    return a + [Fraction(0)] * (length - len(a))


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
    return _padded(_fractions(h), len(c))
