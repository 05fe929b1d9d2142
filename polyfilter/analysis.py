r"""What can this network express on my graphs, and how deep must it be: the answers on one page.

The map is

.. math:: (\text{graphs}, \text{architecture}, L, w, f) \;\mapsto\; \Gamma,\ \dim \mathcal F^L,\
    L_{\text{complete}},\ \inf_{h \in \mathcal F^L} \max_{\lambda} |f(\lambda) - h(\lambda)|,

from a graph set to its spectrum capacity, the dimension of the layer spanning space, the depth at
which it is everything (:mod:`polyfilter.spaces`), and the smallest error with which the network can
follow a wanted response on the eigenvalues of these graphs. :math:`L_{\text{complete}}` grows with
the data set, into the tens of thousands, and no one needs it: a smooth response is followed to a
given tolerance at a depth that does not depend on the graphs at all. That *effective depth* is told
beside it.

How the error is found:

* where the space is linear, or dense in a linear one, by a linear programme on the eigenvalues,
  with a lower bound (:mod:`polyfilter.approximation`); for BernNet's cone likewise;
* where only real roots or real poles are in reach, between two bounds: no less than in the linear
  space around it, no more than what a local search from some random starts has found.

>>> from polyfilter.graphs import Graph
>>> from polyfilter.responses import heat
>>> ring = Graph.from_edges([(i, (i + 1) % 30) for i in range(30)], name="ring")
>>> print(analyze(ring, "sogc", depth=3, response=heat(2.0)))
sogc on ring, depth 3, width 1
  layer         Θ₂ A² + Θ₁ A + Θ₀
  spectrum      Γ = 16 distinct eigenvalues (proven), the ambient dimension
  space         dimension 7 of 16 (proven)
  complete      at depth 8: layers of order 2 give every polynomial of degree 2 × depth, ...
  error         largest 5.8e-05, root mean square 4.3e-05: the best of a linear space, ...
  effective     depth 2: a polynomial of degree 4 is within 0.01 of heat.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.optimize import least_squares

from polyfilter.ambient import Ambient, SpectrumLike, ambient
from polyfilter.approximation import Closest, closest
from polyfilter.architectures.base import Family
from polyfilter.capacity import SpectrumCapacity
from polyfilter.clenshaw import Real
from polyfilter.design import interpolate
from polyfilter.errors import FilterError
from polyfilter.response import Response, ResponseLike, evaluate
from polyfilter.spaces import Architecture, Dimension, Need, architecture, complete, dimension

__all__ = ["Analysis", "Reach", "analyze", "effective_depth", "reach"]

MAX_ENTRIES = 10**7
"""Entries of a basis on the eigenvalues: 80 MB, and some ten seconds."""
STARTS, EVALUATIONS, SEARCH_POINTS, SEARCH_PARAMETERS = 8, 50, 512, 64
"""How often, how long for each parameter, on how many eigenvalues, how many parameters at most."""
MAX_DEGREE = 1 << 14
"""A response that this degree does not follow has a jump."""


@dataclass(frozen=True)
class Reach:
    """How closely a network can follow a response on a spectrum.

    Attributes
    ----------
    largest
        The largest deviation of the best network that is known, or that is approached.
    lower
        No network of this kind has a smaller one.
    mean
        The root mean square deviation over eigenvalues, as small as is known.
    method
        How it was found, as half a sentence.
    """

    largest: float
    lower: float
    mean: float
    method: str

    def __str__(self) -> str:
        if self.largest == 0:
            return f"0: {self.method}"
        is_known = self.lower == 0 or self.lower > 0.999 * self.largest
        between = "" if is_known else f" (no less than {self.lower:.2g})"
        return (
            f"largest {self.largest:.2g}{between}, root mean square {self.mean:.2g}: {self.method}"
        )


@dataclass(frozen=True, repr=False)
class Analysis:
    """What a network can do on some graphs.

    Attributes
    ----------
    dimension
        Of its layer spanning space, with Γ.
    complete
        The depth at which it expresses every filter.
    response
        The wanted response, by name; None if none was asked about.
    reach
        How closely the response is followed; None if that was not computed.
    effective
        A depth that follows the response to ``tolerance``; None if that was not computed.
    note
        Why something was not computed.
    capacity
        How Γ was counted, and what is proven about it; None if no graphs were given.
    """

    name: str
    dimension: Dimension
    complete: Need
    response: str | None = None
    reach: Reach | None = None
    effective: Need | None = None
    tolerance: float = 0.01
    note: str = ""
    capacity: SpectrumCapacity | None = None

    @property
    def architecture(self) -> Architecture:
        """The architecture."""
        return self.dimension.architecture

    @property
    def capacity_proven(self) -> bool | None:
        """Whether Γ is proven and not only its lower bound; None if it was given."""
        return None if self.capacity is None else self.capacity.proven

    def rows(self) -> Iterator[tuple[str, str]]:
        """The findings, as pairs of a word and a sentence."""
        found = self.dimension
        how = "proven" if found.proven else "by formula" if found.prime is None else "generic rank"
        where = (
            "at no depth" if self.complete.depth is None else f"at depth {self.complete.depth:,}"
        )
        yield "layer", self.architecture.layer
        sure = {None: "", True: " (proven)", False: " (proven: no less)"}[self.capacity_proven]
        yield "spectrum", f"Γ = {found.gamma:,} distinct eigenvalues{sure}, the ambient dimension"
        yield "space", f"dimension {found.value:,} of {found.gamma:,} ({how})"
        yield "complete", f"{where}: {self.complete.reason}"
        if self.reach is not None:
            yield "error", str(self.reach)
        if self.effective is not None:
            yield "effective", str(self.effective)
        if self.note:
            yield "not computed", self.note

    @property
    def title(self) -> str:
        """What was analysed, in a line."""
        found = self.dimension
        where = f" on {self.name}" if self.name else ""
        return f"{found.architecture}{where}, depth {found.depth:,}, width {found.width:,}"

    def as_dict(self) -> dict[str, Any]:
        """The findings for a program."""
        found, reached = self.dimension, self.reach
        return {
            "architecture": found.architecture.name,
            "layer": found.architecture.layer,
            "depth": found.depth,
            "width": found.width,
            "capacity": found.gamma,
            "capacity_proven": self.capacity_proven,
            "ambient_dimension": found.gamma,
            "dimension": found.value,
            "dimension_proven": found.proven,
            "dimension_reason": found.reason,
            "complete_depth": self.complete.depth,
            "complete_reason": self.complete.reason,
            "response": self.response,
            "error": None if reached is None else reached.largest,
            "error_lower": None if reached is None else reached.lower,
            "error_mean_square": None if reached is None else reached.mean,
            "error_method": None if reached is None else reached.method,
            "tolerance": self.tolerance,
            "effective_depth": None if self.effective is None else self.effective.depth,
            "effective_reason": None if self.effective is None else self.effective.reason,
            "not_computed": self.note or None,
        }

    def __repr__(self) -> str:
        lines = [f"  {word:<13} {sentence}" for word, sentence in self.rows()]
        return "\n".join([self.title, *lines])


def analyze(
    spectrum: SpectrumLike,
    kind: str | Architecture,
    depth: int,
    width: int = 1,
    *,
    response: ResponseLike | None = None,
    tolerance: float = 0.01,
) -> Analysis:
    """Return what a network can express on given graphs, and how deep it must be.

    Parameters
    ----------
    spectrum
        Graphs, eigenvalues, or Γ as an integer.
    kind, depth, width
        The network, as in :func:`polyfilter.spaces.dimension`.
    response
        A wanted response; graphs or eigenvalues are needed for it.
    tolerance
        The largest deviation that the effective depth may leave.

    Examples
    --------
    >>> found = analyze(1000, "vanilla", depth=16)
    >>> found.dimension.value, found.complete.depth
    (1, None)
    """
    space = ambient(spectrum)
    found = Analysis(
        name=getattr(space.graphs, "name", "") or "",
        dimension=dimension(kind, depth, space, width),
        complete=complete(kind, space, width),
        tolerance=tolerance,
        capacity=space.capacity,
    )
    if response is None:
        return found
    name = str(response) if isinstance(response, Response) else "the response"
    effective = effective_depth(kind, response, space, tolerance, width)
    found = replace(found, response=name, effective=effective)
    try:
        return replace(found, reach=reach(kind, depth, response, space, width))
    except FilterError as error:
        return replace(found, note=str(error))


def reach(
    kind: str | Architecture,
    depth: int,
    response: ResponseLike,
    spectrum: SpectrumLike,
    width: int = 1,
    *,
    seed: int | np.random.Generator = 0,
) -> Reach:
    """Return the smallest error with which a network can follow a response on a spectrum.

    Parameters
    ----------
    kind, depth, width
        The network.
    response
        A function of λ.
    spectrum
        Graphs, or eigenvalues.
    seed
        Where the starts of a search come from.

    Examples
    --------
    >>> lam = np.linspace(-1, 1, 101)
    >>> for name in ("vanilla", "gin", "sogc"):
    ...     print(f"{name:<8}{reach(name, 4, np.abs, lam)}")
    vanilla largest 1, root mean square 0.41: the best of a linear space, which is all it has.
    gin     largest 0.11 (no less than 0.068), root mean square 0.073: real roots or poles only, ...
    sogc    largest 0.035, root mean square 0.016: the best of a linear space, which is all it has.
    """
    network, space = architecture(kind), ambient(spectrum)
    points, target, weights = _sampled(response, space)
    enough = network.complete(space, width).depth
    if enough is not None and depth >= enough:
        return Reach(0.0, 0.0, 0.0, "every filter on this spectrum is in reach.")
    size = space.gamma * min(dimension(network, depth, space, width).upper, space.gamma)
    if size > MAX_ENTRIES:
        raise FilterError(
            f"the best error at depth {depth:,} on {space.gamma:,} eigenvalues would take too long"
        )
    hull = network.hull(points, depth, width)
    around = Closest(np.inf, 0.0, np.inf)
    if hull.outer is not None:
        around = closest(hull.outer, target, weights, nonnegative=hull.nonnegative)
    if hull.tight:
        what = "cone" if hull.nonnegative else "linear space"
        method = f"the best of a {what}, which is all it has."
        return Reach(around.largest, around.lower, around.mean, method)
    candidates = [] if hull.inner is None else [closest(hull.inner, target, weights)]
    method = "the best of a linear space inside it; the lower bound is that of the polynomials."
    if hull.family is not None and hull.family.parameters <= SEARCH_PARAMETERS:
        rng = np.random.default_rng(seed)
        candidates += _search(hull.family, points, target, weights, rng)
        bound = "there is no lower bound." if hull.outer is None else method.partition("; ")[2]
        method = f"real roots or poles only, by a local search; {bound}"
    best = min(candidates, key=lambda c: c.largest)
    return Reach(best.largest, around.lower, min(c.mean for c in candidates), method)


def _sampled(response: ResponseLike, space: Ambient) -> tuple[Real, Real, Real]:
    found = space.spectrum
    if found is None:
        raise FilterError("a response is followed on eigenvalues: give an array of them, or graphs")
    weights = found.multiplicities.astype(np.float64)
    return found.values, evaluate(response, found.values), weights


def _search(
    family: Family, points: Real, target: Real, weights: Real, rng: np.random.Generator
) -> Iterator[Closest]:
    """Local least squares over the parameters that are not linear, from random starts."""
    some = np.unique(np.linspace(0, len(target) - 1, SEARCH_POINTS).round().astype(int))
    if len(some) < family.parameters:
        return
    root, x, f = np.sqrt(weights[some]), points[some], target[some]

    def residual(parameters: Real) -> Real:
        columns = root[:, None] * family.columns(parameters, x)
        coefficients = np.linalg.lstsq(columns, root * f, rcond=None)[0]
        return np.asarray(root * f - columns @ coefficients)

    for _ in range(STARTS):
        start = rng.uniform(-np.pi / 2, np.pi / 2, size=family.parameters)
        found = least_squares(
            residual, start, method="lm", max_nfev=EVALUATIONS * family.parameters
        )
        yield closest(family.columns(found.x, points), target, weights)


def effective_depth(
    kind: str | Architecture,
    response: ResponseLike,
    spectrum: SpectrumLike,
    tolerance: float,
    width: int = 1,
) -> Need | None:
    """Return a depth at which a network follows a response to a tolerance on a spectrum.

    The degree is found by doubling and bisection, as one at which interpolation on Chebyshev points
    is that close on the eigenvalues; the best polynomial may have a little less. None if neither a
    polynomial nor completeness gives a depth.

    Examples
    --------
    >>> from polyfilter.responses import low_pass
    >>> lam = np.linspace(-1, 1, 2001)
    >>> [effective_depth("sogc", low_pass, lam, tol).depth for tol in (0.1, 0.01, 0.001)]
    [14, 33, 52]
    """
    network, space = architecture(kind), ambient(spectrum)
    points, target, _ = _sampled(response, space)
    if not tolerance > 0:
        raise FilterError(f"the tolerance has to be positive, not {tolerance}")

    def follows(degree: int) -> bool:
        return bool(np.abs(interpolate(response, degree)(points) - target).max() <= tolerance)

    low, high = -1, 0
    while not follows(high):
        low, high = high, 2 * high + 1
        if high >= min(space.gamma, MAX_DEGREE):
            break
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if follows(middle) else (middle, high)
    depth = network.depth_of_degree(high, width) if follows(high) else None
    most = network.complete(space, width).depth
    if depth is not None and (most is None or depth < most):
        name = str(response) if isinstance(response, Response) else "the response"
        return Need(depth, f"a polynomial of degree {high} is within {tolerance:g} of {name}.")
    if most is None:
        return None
    return Need(most, "the only one that we know to do, since every filter is in it.")
