r"""What a wanted response is, and how it is asked for its values.

A response is a function :math:`f : [-1, 1] \to \mathbb{R}` of the eigenvalue :math:`\lambda` of
the normalized adjacency, called with an array and returning one real number for each entry. Any
such function will do; :func:`evaluate` asks it and checks what it says. A :class:`Response` is
one that is also a value: it can be compared, printed, changed and combined. Those that we have
are in :mod:`polyfilter.responses`.

Assumptions: none on the function; what it returns is checked.

>>> ramp = Custom(lambda lam: (1 + lam) / 2, "ramp")
>>> print(1 - ramp * ramp)
(1 - (ramp * ramp))
>>> evaluate(1 - ramp * ramp, [-1.0, 0.0, 1.0])
array([1.  , 0.75, 0.  ])
"""

import math
import operator
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from polyfilter.errors import ResponseError

__all__ = [
    "Constant",
    "Custom",
    "FloatArray",
    "Response",
    "ResponseLike",
    "check_parameters",
    "evaluate",
]

FloatArray: TypeAlias = NDArray[np.float64]

ResponseLike: TypeAlias = Callable[[FloatArray], ArrayLike]
"""Anything that maps an array of eigenvalues to an array of the same shape."""


class Response(ABC):
    """A wanted response f(λ), as a value: callable, comparable, printable.

    A subclass is a frozen dataclass whose fields are its parameters. It says its ``name``, which
    parameters have to be ``positive``, and how to compute f in ``_values``.
    """

    name: ClassVar[str]
    positive: ClassVar[tuple[str, ...]] = ()
    __array_ufunc__ = None  # so that numpy leaves np.float64(2) * response to us

    def __post_init__(self) -> None:
        """Refuse parameters that are not finite, not positive or not in order."""
        parameters = {name: getattr(self, name) for name in _parameter_names(type(self))}
        for name, value in parameters.items():
            try:
                good = math.isfinite(value) and (name not in self.positive or value > 0)
            except TypeError:
                good = False
            if not good:
                kind = "positive" if name in self.positive else "finite"
                raise ResponseError(
                    f"the {name} of a {self.name} response has to be a {kind} number, not {value!r}"
                )
        if "lower" in parameters and not parameters["lower"] < parameters["upper"]:
            raise ResponseError(
                f"a {self.name} response needs lower < upper, not {parameters['lower']!r} and "
                f"{parameters['upper']!r}"
            )

    @abstractmethod
    def _values(self, lam: FloatArray) -> FloatArray:
        """Return f(λ), free to overflow to infinity on the way."""

    def __call__(self, lam: ArrayLike) -> FloatArray:
        """Return f at the eigenvalues ``lam`` of A, in the same shape.

        Far outside [-1, 1] intermediate values run to infinity and f to its limit, which is
        meant; so numpy is kept from warning about it.
        """
        with np.errstate(over="ignore", under="ignore", invalid="ignore", divide="ignore"):
            return self._values(np.asarray(lam, dtype=np.float64))

    def with_(self, **parameters: Any) -> Self:
        """Return this response with some of its parameters changed.

        >>> Constant(2.0).with_(value=3.0)
        Constant(value=3.0)
        """
        check_parameters(type(self), parameters)
        return replace(self, **parameters)  # type: ignore[type-var]

    def __str__(self) -> str:
        return self.name

    def __add__(self, other: "Response | float") -> "Custom":
        return _combine(operator.add, "+", self, other)

    def __radd__(self, other: float) -> "Custom":
        return _combine(operator.add, "+", other, self)

    def __sub__(self, other: "Response | float") -> "Custom":
        return _combine(operator.sub, "-", self, other)

    def __rsub__(self, other: float) -> "Custom":
        return _combine(operator.sub, "-", other, self)

    def __mul__(self, other: "Response | float") -> "Custom":
        return _combine(operator.mul, "*", self, other)

    def __rmul__(self, other: float) -> "Custom":
        return _combine(operator.mul, "*", other, self)


def _combine(
    operate: Callable[[FloatArray, FloatArray], FloatArray],
    symbol: str,
    left: Response | float,
    right: Response | float,
) -> "Custom":
    """Return the response λ ↦ left(λ) ∘ right(λ); a number stands for a constant."""
    first = left if isinstance(left, Response) else Constant(left)
    second = right if isinstance(right, Response) else Constant(right)
    return Custom(lambda lam: operate(first(lam), second(lam)), f"({first} {symbol} {second})")


def _parameter_names(kind: type[Response]) -> list[str]:
    return [field.name for field in fields(kind)]  # type: ignore[arg-type]


def check_parameters(kind: type[Response], parameters: Mapping[str, object]) -> None:
    """Refuse parameters that ``kind`` does not have.

    Examples
    --------
    >>> from polyfilter.responses import HighPass
    >>> check_parameters(HighPass, {"sharpnes": 50})
    Traceback (most recent call last):
    ...
    polyfilter.errors.ResponseError: a high-pass response has no parameter 'sharpnes'; it has ...
    """
    known = _parameter_names(kind)
    for unknown in parameters.keys() - set(known):
        raise ResponseError(
            f"a {kind.name} response has no parameter {unknown!r}; it has {', '.join(known)}"
        )


@dataclass(frozen=True)
class Constant(Response):
    """The same ``value`` at every eigenvalue.

    >>> Constant(0.5)([-1.0, 1.0])
    array([0.5, 0.5])
    """

    value: float = 1.0
    name: ClassVar[str] = "constant"

    def __str__(self) -> str:
        return f"{self.value:g}"

    def _values(self, lam: FloatArray) -> FloatArray:
        return np.where(np.isnan(lam), np.nan, float(self.value))


@dataclass(frozen=True)
class Custom(Response):
    """A user's own ``function`` of λ under a ``label`` of its own.

    >>> ramp = Custom(lambda lam: (1 + lam) / 2, "ramp")
    >>> print(ramp, ramp([0.0, 1.0]))
    ramp [0.5 1. ]
    """

    function: ResponseLike
    label: str = "custom"
    name: ClassVar[str] = "custom"

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise ResponseError(f"a custom response needs a function of λ, not {self.function!r}")

    def __str__(self) -> str:
        return self.label

    def _values(self, lam: FloatArray) -> FloatArray:
        return np.asarray(self.function(lam), dtype=np.float64)


def evaluate(response: ResponseLike, points: ArrayLike) -> FloatArray:
    """Return ``response`` at a vector of ``points``, checked: one finite real number a point.

    Raises
    ------
    ResponseError
        If the response can't be called on an array, or returns another shape, complex numbers,
        or a value that is not finite (the message names the first such point).

    Examples
    --------
    >>> evaluate(np.cos, [0.0, 1.0]).round(4)
    array([1.    , 0.5403])
    >>> evaluate(lambda lam: lam[:1], [0.0, 0.5, 1.0])
    Traceback (most recent call last):
    ...
    polyfilter.errors.ResponseError: the response returned shape (1,) for 3 points; it has to \
return one value for each
    """
    lam = np.array(points, dtype=np.float64, ndmin=1)
    try:
        # a copy, so that a response that works in place does not move our points
        returned = np.asarray(response(lam.copy()))
        if np.iscomplexobj(returned):
            raise ResponseError("the response returned complex numbers; it has to be real")
        values = returned.astype(np.float64)
    except ResponseError:
        raise
    except (TypeError, ValueError) as error:
        raise ResponseError(
            f"the response failed on an array of {lam.size} points ({error}); a function of one "
            "number at a time can be wrapped in numpy.vectorize"
        ) from error
    if values.shape != lam.shape:
        raise ResponseError(
            f"the response returned shape {values.shape} for {lam.size} points; it has to return "
            "one value for each"
        )
    bad = np.flatnonzero(~np.isfinite(values))
    if bad.size:
        raise ResponseError(
            f"the response is {values[bad[0]]} at λ = {lam[bad[0]]:.17g}; it has to be finite on "
            "the eigenvalues it is asked for"
        )
    return values
