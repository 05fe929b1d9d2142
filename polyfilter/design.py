r"""From a wanted response to a polynomial.

The map is :math:`f \mapsto h`, from a response on the eigenvalues of A to a polynomial of degree
K in the Chebyshev basis, so that :math:`h(A) x \approx U f(\Lambda) U^\top x`. What "close" means
is the choice:

================== ========================================== =================================
function           closest in the sense of                    knows about the graphs
================== ========================================== =================================
`interpolate`      nothing is best, all is near best          nothing
`minimax`          the largest error on [-1, 1]               nothing
`least_squares`    the mean square over eigenvalues           their spectrum
`fit`              the mean absolute (or square) deviation    their signals, wanted outputs and
                   of outputs                                 no response at all
================== ========================================== =================================

Interpolation at Chebyshev's points is within a factor of
:math:`2 + \tfrac{2}{\pi} \log(K + 1)` of minimax, and costs O(K log K).

Assumptions: the variable is the eigenvalue of the normalized adjacency, in [-1, 1].

>>> from polyfilter.responses import low_pass
>>> lam = np.linspace(-1, 1, 1001)
>>> for design in (interpolate, minimax):
...     h = design(low_pass, 64)
...     print(f"{design.__name__}: {abs(h(lam) - low_pass(lam)).max():.4f}")
interpolate: 0.0190
minimax: 0.0061
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from operator import index
from typing import TypeAlias

import numpy as np
from numpy.polynomial import Chebyshev
from numpy.polynomial.chebyshev import chebvander
from numpy.typing import ArrayLike, NDArray
from scipy.fft import dct

from polyfilter.errors import FilterError
from polyfilter.graphs import Graph, GraphSet
from polyfilter.lad import LeastAbsoluteStatus, least_absolute_deviations, rank_tolerance
from polyfilter.remez import WHOLE, Minimax, RemezStatus, remez
from polyfilter.response import ResponseLike, evaluate
from polyfilter.signals import Signals, chebyshev_features, stack_signals, union_adjacency
from polyfilter.spectrum import Spectrum, as_points, eigenvalue_tolerance, spectrum

__all__ = [
    "Fit",
    "Minimax",
    "fit",
    "fit_with_proof",
    "interpolate",
    "least_squares",
    "minimax",
    "minimax_with_proof",
]

FloatArray: TypeAlias = NDArray[np.float64]

MAX_DEGREE = 10_000_000
"""Beyond it the coefficients alone are an accident and not a filter."""
MAX_MINIMAX_DEGREE = 10_000
"""An exchange solves a dense system of K + 2 unknowns: 800 MB here."""
ACCEPTED_GAP = 0.01
"""A filter proven to be within one percent of the best is one; anything less gets an error."""


def _check_degree(degree: int) -> int:
    try:
        checked = index(degree)
    except TypeError:
        raise FilterError(f"the degree has to be a whole number, not {degree!r}") from None
    if not 0 <= checked <= MAX_DEGREE:
        raise FilterError(f"the degree has to be from 0 to {MAX_DEGREE:,}, not {checked}")
    return checked


def interpolate(response: ResponseLike, degree: int) -> Chebyshev:
    r"""Return the polynomial through the response at K + 1 Chebyshev points.

    The points are :math:`\lambda_j = \cos(\pi (j + 1/2) / (K + 1))`, and the coefficients come
    from a discrete cosine transform in O(K log K).

    Parameters
    ----------
    response
        f, called once with an array of points in [-1, 1].
    degree
        K ≥ 0.

    Examples
    --------
    >>> interpolate(lambda lam: 4 * lam**3, 3).coef.round(12) + 0  # 3 T₁ + T₃
    array([0., 3., 0., 1.])
    """
    count = _check_degree(degree) + 1
    # the sine is odd, so that the points lie symmetric to the last bit
    points = np.sin(np.pi * np.arange(count - 1, -count, -2) / (2 * count))
    coefficients = dct(evaluate(response, points), type=2) / count
    coefficients[0] /= 2
    return Chebyshev(coefficients)


def least_squares(
    response: ResponseLike,
    degree: int,
    spectrum: Spectrum | Graph | GraphSet | ArrayLike,
) -> Chebyshev:
    r"""Return the polynomial closest to the response on the eigenvalues of given graphs.

    It minimises :math:`\sum_j m_j (h(\lambda_j) - f(\lambda_j))^2`, which is the squared
    Frobenius distance of :math:`h(A)` from :math:`U f(\Lambda) U^\top`, summed over the graphs.

    Parameters
    ----------
    response
        f, called once with all points.
    degree
        K, below the number of distinct eigenvalues Γ: Γ coefficients already give every filter
        on them (Theorem 1), and more are not determined.
    spectrum
        The λ_j. A :class:`~polyfilter.spectrum.Spectrum`, a graph or a graph set brings its
        multiplicities m_j; in an array each entry counts once.

    Raises
    ------
    FilterError
        If the spectrum can't carry the degree.

    Notes
    -----
    1. Spectra have gaps, and in a gap h is free: Chebyshev polynomials restricted to a spectrum
       are nearly dependent once the degree is high. Combinations of them that float64 can't tell
       from zero on the spectrum are left out, by a singular value decomposition, and of all
       polynomials that remain equally close the one with the smallest coefficients is taken.
    2. A basis that is orthogonal on the spectrum (Vandermonde with Arnoldi) needs no such cut,
       but its polynomials may be astronomical in the gaps: on the 300 eigenvalues of a random
       graph at degree 75 it gave coefficients of 1e40, and with them an error of 1e26 where
       the method here leaves 0.1.

    Examples
    --------
    >>> star = Graph.from_edges([(0, 1), (0, 2), (0, 3)])  # eigenvalues -1, 0, 0, 1
    >>> least_squares(lambda lam: lam**4, 2, star).coef.round(12) + 0  # λ² on these three
    array([0.5, 0. , 0.5])
    """
    degree = _check_degree(degree)
    points, multiplicities = _points(spectrum)
    ordered = np.sort(points)
    distinct = 1 + int(np.sum(np.diff(ordered) > eigenvalue_tolerance(points.size)))
    if degree >= distinct:
        raise FilterError(
            f"degree {degree} is more than the spectrum can carry: it has {distinct} distinct "
            f"eigenvalues, which determine polynomials up to degree {distinct - 1}"
        )
    root = np.sqrt(multiplicities)
    V = root[:, None] * chebvander(points, degree)
    target = root * evaluate(response, points)
    coefficients = np.linalg.lstsq(V, target, rcond=rank_tolerance(*V.shape))[0]
    return Chebyshev(coefficients)


def _points(given: Spectrum | Graph | GraphSet | ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Return eigenvalues and how often each counts."""
    if isinstance(given, Graph | GraphSet):
        given = spectrum(given)
    points = as_points(given)
    if isinstance(given, Spectrum):
        return points, given.multiplicities.astype(np.float64)
    return points, np.ones(points.size)


def minimax(
    response: ResponseLike,
    degree: int,
    *,
    bands: Iterable[tuple[float, float]] = WHOLE,
    weight: ResponseLike | None = None,
) -> Chebyshev:
    """Return the polynomial whose largest error on [-1, 1] is smallest.

    :func:`minimax_with_proof` does the same and says how large the error is, and how close to
    the smallest possible.

    Parameters
    ----------
    response
        f, continuous on the bands.
    degree
        K, from 0 to 10,000.
    bands
        Where the error counts: disjoint ascending intervals in [-1, 1]. Leaving a narrow gap
        around a jump makes an ideal filter possible.
    weight
        How much it counts, as a positive function of λ.

    Raises
    ------
    FilterError
        If no polynomial was found whose error is proven to be within one percent of the best.

    Examples
    --------
    >>> minimax(lambda lam: lam**3, 2).coef.round(9) + 0  # 3/4 λ
    array([0.  , 0.75, 0.  ])
    """
    result = minimax_with_proof(response, degree, bands=bands, weight=weight)
    settled = result.status in (RemezStatus.CONVERGED, RemezStatus.ROUNDING)
    if not settled and result.error > (1 + ACCEPTED_GAP) * result.lower_bound:
        raise FilterError(
            f"no minimax polynomial of degree {degree} was found: the error is {result.error:.3g} "
            f"and could be as low as {result.lower_bound:.3g}. {result.status.value} A lower "
            "degree or wider bands help"
        )
    return result.polynomial


def minimax_with_proof(
    response: ResponseLike,
    degree: int,
    *,
    bands: Iterable[tuple[float, float]] = WHOLE,
    weight: ResponseLike | None = None,
) -> Minimax:
    """Return the :func:`minimax` polynomial with its error and a lower bound for any error.

    It never refuses a result; look at its ``status``.

    Examples
    --------
    >>> print(minimax_with_proof(np.exp, 5))
    degree 5: error 4.52055e-05 on [-1, 1], no polynomial has less than 4.52055e-05
    The error equioscillates: no polynomial of this degree does better.
    """
    degree = _check_degree(degree)
    if degree > MAX_MINIMAX_DEGREE:
        raise FilterError(
            f"minimax goes up to degree {MAX_MINIMAX_DEGREE:,}, not {degree}; interpolate has no "
            "such limit and is nearly as good"
        )
    return remez(response, degree, bands=bands, weight=weight)


@dataclass(frozen=True)
class Fit:
    """A polynomial fitted to signals, with the proof of how good it is.

    Attributes
    ----------
    polynomial
        h, in the Chebyshev basis.
    loss
        "mae" or "mse".
    error
        The mean absolute (or squared) deviation over all nodes, channels and graphs.
    lower_bound
        No polynomial of this degree has a smaller error on these data.
    rank
        How many of the K + 1 directions the data carry; along the others h is not determined by
        the data, and has no component.
    observations
        How many numbers were fitted.
    """

    polynomial: Chebyshev = field(repr=False)
    loss: str
    error: float
    lower_bound: float
    rank: int
    observations: int
    status: LeastAbsoluteStatus

    def __str__(self) -> str:
        return (
            f"degree {self.polynomial.degree()} fitted to {self.observations:,} numbers: "
            f"{self.loss} {self.error:.6g}, no polynomial has less than {self.lower_bound:.6g}; "
            f"the data carry {self.rank} of {self.polynomial.degree() + 1} directions"
        )


def fit(
    graphs: Graph | GraphSet | Sequence[Graph],
    x: Signals,
    y: Signals,
    degree: int,
    loss: str = "mae",
) -> Chebyshev:
    r"""Return the one polynomial that best maps the signals x to the signals y on all graphs.

    It minimises :math:`\sum_i \lVert h(A_i) x_i - y_i \rVert_1` for the loss "mae" (least
    absolute deviations, what SGS measures), or the sum of squares for "mse", over all polynomials
    h of degree K. This is the floor that no network of linear layers of the same degree can train
    below. :func:`fit_with_proof` does the same and says how low that is.

    Parameters
    ----------
    graphs
        A graph or several.
    x, y
        Inputs and wanted outputs: for one graph an array of shape (N,) or (N, C); for several
        a list of such arrays, or one array with the nodes of graph 0 first.
    degree
        K ≥ 0, with fewer coefficients than there are numbers in y.
    loss
        "mae" or "mse".

    Notes
    -----
    Directions of h that the data do not carry (a spectrum with gaps, signals without some
    frequencies, a degree beyond the number of distinct eigenvalues) can't be fitted. They are
    left out, and the smallest coefficients with the same fit are returned.

    Examples
    --------
    >>> path = Graph.from_edges([(0, 1), (1, 2), (2, 3)])
    >>> A = path.normalized_adjacency()
    >>> x = np.array([1.0, 0.0, 2.0, 0.0])
    >>> fit(path, x, x + 3 * A @ x, degree=1).coef.round(9)
    array([1., 3.])
    """
    result = fit_with_proof(graphs, x, y, degree, loss)
    settled = result.status in (LeastAbsoluteStatus.OPTIMAL, LeastAbsoluteStatus.EXACT)
    if not settled and result.error - result.lower_bound > ACCEPTED_GAP * result.error:
        raise FilterError(
            f"no fit of degree {degree} was found: the {result.loss} is {result.error:.3g} and "
            f"could be as low as {result.lower_bound:.3g}. {result.status.value} A lower degree "
            "helps"
        )
    return result.polynomial


def fit_with_proof(
    graphs: Graph | GraphSet | Sequence[Graph],
    x: Signals,
    y: Signals,
    degree: int,
    loss: str = "mae",
) -> Fit:
    """Return the polynomial of :func:`fit` with its error and a lower bound for any error.

    The bound is proven by a dual solution (:mod:`polyfilter.lad`), or for squares by the normal
    equations.

    Examples
    --------
    >>> edge = Graph.from_edges([(0, 1)])
    >>> print(fit_with_proof(edge, [1.0, 0.0], [2.0, 1.0], degree=0))
    degree 0 fitted to 2 numbers: mae 0.5, no polynomial has less than 0.5; the data carry 1 of 1 \
directions
    """
    degree = _check_degree(degree)
    if loss not in ("mae", "mse"):
        raise FilterError(f"the loss is 'mae' or 'mse', not {loss!r}")
    single = isinstance(graphs, Graph)
    members = GraphSet([graphs]) if isinstance(graphs, Graph) else GraphSet(graphs)
    inputs = stack_signals(members, [x] if single else x, "x")
    outputs = stack_signals(members, [y] if single else y, "y")
    if inputs.shape != outputs.shape:
        raise FilterError(
            f"x has {inputs.shape[1]} channels and y has {outputs.shape[1]}; a filter keeps them"
        )
    if degree >= outputs.size:
        raise FilterError(
            f"degree {degree} has {degree + 1} coefficients, but y has only {outputs.size} numbers "
            "to fit them to"
        )
    if not np.any(inputs):
        raise FilterError("x is zero on every graph, so every filter fits alike")
    features = chebyshev_features(union_adjacency(members), inputs, degree)
    target = outputs.ravel()
    if loss == "mse":
        cut = rank_tolerance(*features.shape)
        solution, _, rank, _ = np.linalg.lstsq(features, target, rcond=cut)
        error = float(np.mean((features @ solution - target) ** 2))
        status = LeastAbsoluteStatus.OPTIMAL
        return Fit(Chebyshev(solution), loss, error, error, int(rank), target.size, status)
    result = least_absolute_deviations(features, target)
    exact = result.status is LeastAbsoluteStatus.EXACT
    error = result.objective / target.size
    lower = error if exact else result.lower_bound / target.size
    polynomial = Chebyshev(result.coefficients)
    return Fit(polynomial, loss, error, lower, result.rank, target.size, result.status)
