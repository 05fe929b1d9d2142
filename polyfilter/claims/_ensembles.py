r"""Random polynomials of several kinds, with integer coefficients so that roots can be counted.

The map is ``(rng, K) -> p``, by kind:

``power``
    independent normal coefficients of :math:`1, x, \dots, x^K`;
``binomial``
    the same with variances :math:`\binom Kk`: :math:`\sqrt K` real roots on average, exactly;
``chebyshev``
    independent normal coefficients of :math:`T_0, \dots, T_K`;
``values``
    independent normal values at given eigenvalues: the ambient space in the coordinates that
    filters are used in.

Normal numbers are rounded to multiples of :math:`2^{-24}`, and so are eigenvalues.

*Values at will.* Between two neighbouring eigenvalues where the filter has different signs there is
a root. Neighbours differ in sign with probability one half, so that a random filter on Γ
eigenvalues has at least :math:`(\Gamma - 1)/2` real roots on average; and with probability
:math:`2^{1-\Gamma}` all signs alternate and all roots are real.

>>> rng = np.random.default_rng(0)
>>> power(rng, 3).degree(), chebyshev(rng, 3).degree()
(3, 3)
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import comb, factorial, gamma, pi, sqrt

import numpy as np
from flint import fmpq, fmpq_poly, fmpz_poly
from numpy.typing import NDArray

from polyfilter.graphs import Graph
from polyfilter.realroots import count_real_roots

__all__ = [
    "Sample",
    "at_eigenvalues",
    "binomial",
    "chebyshev",
    "chebyshev_expectation",
    "interpolants",
    "power",
    "real_share",
    "rounded",
    "sample",
    "through",
]

FRACTION_BITS = 24
SIGMAS = 5
"""Standard errors that a mean may be off: by chance once in two million, if it is normal."""


def rounded(numbers: NDArray[np.float64]) -> list[int]:
    """Multiples of 2^-24, as whole numbers.

    >>> rounded(np.array([1.0, -0.5])) == [2**24, -(2**23)]
    True
    """
    scaled: list[float] = np.rint(numbers * 2.0**FRACTION_BITS).tolist()
    return [int(number) for number in scaled]


def power(rng: np.random.Generator, K: int) -> fmpz_poly:
    """Draw with normal coefficients in the power basis."""
    return fmpz_poly(rounded(rng.standard_normal(K + 1)))


def binomial(rng: np.random.Generator, K: int) -> fmpz_poly:
    """Draw with normal coefficients in the power basis, of variance binom(K, k)."""
    deviations = np.sqrt([float(comb(K, k)) for k in range(K + 1)])
    return fmpz_poly(rounded(deviations * rng.standard_normal(K + 1)))


def chebyshev(rng: np.random.Generator, K: int) -> fmpz_poly:
    """Draw with normal coefficients in the Chebyshev basis."""
    p = fmpz_poly([0])
    for k, c in enumerate(rounded(rng.standard_normal(K + 1))):
        p += c * fmpz_poly.chebyshev_t(k)
    return p


def interpolants(points: Sequence[int]) -> list[fmpq_poly]:
    """Return the Lagrange polynomials at points in units of 2^-24.

    >>> [[ell(0), ell(1)] for ell in interpolants([0, 2**24])]
    [[1, 0], [0, 1]]
    """
    nodes = [fmpq(point, 2**FRACTION_BITS) for point in points]
    found = []
    for i, xi in enumerate(nodes):
        ell = fmpq_poly([1])
        for other in nodes[:i] + nodes[i + 1 :]:
            ell *= fmpq_poly([-other, 1]) / (xi - other)
        found.append(ell)
    return found


def through(ells: Sequence[fmpq_poly], values: Sequence[int]) -> fmpz_poly:
    """Return a multiple of the polynomial that takes these values at the points.

    >>> through(interpolants([0, 2**24]), [0, 3])
    3*x
    """
    return sum(
        (ell * value for ell, value in zip(ells, values, strict=True)), fmpq_poly([])
    ).numer()


# ------------------------------------------------------------------------------- certified counts


@dataclass(frozen=True)
class Sample:
    """Certified counts of real roots of polynomials of degree K.

    >>> coin = Sample(1, (0, 1) * 50)
    >>> coin.mean, coin.error, coin.share, coin.agrees(0.74), coin.agrees(0.76)
    (0.5, 0.05, 0.5, True, False)
    """

    K: int
    counts: tuple[int, ...]

    @property
    def mean(self) -> float:
        """Mean number of real roots."""
        return float(np.mean(self.counts))

    @property
    def error(self) -> float:
        """Standard error of the mean, at least as if one count differed by one."""
        spread = max(float(np.std(self.counts)), 1 / sqrt(len(self.counts)))
        return spread / sqrt(len(self.counts))

    @property
    def share(self) -> float:
        """Share of polynomials with real roots only."""
        return sum(count == self.K for count in self.counts) / len(self.counts)

    def agrees(self, expected: float) -> bool:
        """Whether the mean is within five standard errors."""
        return abs(self.mean - expected) <= SIGMAS * self.error

    def share_agrees(self, expected: float) -> bool:
        """Whether the share is within five standard errors of a binomial one, or one draw."""
        n = len(self.counts)
        return abs(self.share - expected) <= SIGMAS * sqrt(expected * (1 - expected) / n) + 1 / n


Draw = Callable[[np.random.Generator, int], fmpz_poly]


def sample(draw: Draw, K: int, draws: int, rng: np.random.Generator) -> Sample:
    """Draw polynomials of degree K and count the real roots of each.

    >>> sample(power, 1, 3, np.random.default_rng(0))
    Sample(K=1, counts=(1, 1, 1))
    """
    return Sample(K, tuple(count_real_roots(draw(rng, K)) for _ in range(draws)))


def at_eigenvalues(graph: Graph, draws: int, rng: np.random.Generator) -> tuple[Sample, bool, bool]:
    """Draw values at the eigenvalues of a graph.

    Returns the counts, whether each is at least the number of sign changes, and whether a filter
    with alternating signs has real roots only.

    >>> triangle = Graph.from_edges([(0, 1), (1, 2), (2, 0)])
    >>> at_eigenvalues(triangle, 2, np.random.default_rng(0))  # two eigenvalues: lines
    (Sample(K=1, counts=(1, 1)), True, True)
    """
    eigenvalues = np.linalg.eigvalsh(graph.normalized_adjacency().toarray())
    points = sorted(set(rounded(eigenvalues)))
    ells, K = interpolants(points), len(points) - 1
    counts, enough = [], True
    for _ in range(draws):
        values = rounded(rng.standard_normal(K + 1))
        count = count_real_roots(through(ells, values))
        counts.append(count)
        enough &= count >= int(np.count_nonzero(np.diff(np.sign(values))))
    alternating = [(-1) ** k * value for k, value in enumerate(rng.integers(1, 1000, size=K + 1))]
    all_real = count_real_roots(through(ells, [int(v) for v in alternating])) == K
    return Sample(K, tuple(counts)), enough, all_real


# ------------------------------------------------------------------------------------- expectations


def real_share(rng: np.random.Generator, K: int, draws: int) -> tuple[float, float]:
    r"""Estimate the probability that all roots are real (``power``), and its standard error.

    With :math:`p = a \prod (x - x_i)` in place of the coefficients and a integrated out, it is

    .. math:: \frac{\Gamma(\frac{K+1}2)}{\pi^{(K+1)/2} K!} \int_{\mathbb R^K}
              \frac{\prod_{i<j} |x_i - x_j|}{\|e(x)\|^{K+1}} \, dx

    with e the coefficients of :math:`\prod (x - x_i)`. The :math:`x_i` are drawn from Cauchy's
    distribution, so that events of probability 1e-12 are seen without waiting for one.

    >>> share, error = real_share(np.random.default_rng(0), 1, 10)
    >>> round(share, 12), round(error, 12)
    (1.0, 0.0)
    """
    roots = np.tan(rng.uniform(-pi / 2, pi / 2, size=(K, draws)))
    e = np.zeros((K + 1, draws))
    e[0] = 1
    weight = np.full(draws, gamma((K + 1) / 2) / pi ** ((K + 1) / 2) / factorial(K))
    for i, root in enumerate(roots):
        e[1:] -= root * e[:-1]
        weight *= pi * (1 + root**2) * np.abs(root - roots[:i]).prod(axis=0)
    weight /= np.linalg.norm(e, axis=0) ** (K + 1)
    return float(weight.mean()), float(weight.std() / np.sqrt(draws))


def chebyshev_expectation(K: int) -> float:
    r"""Integrate Kac's and Rice's density for ``chebyshev``, in floats.

    With :math:`x = \cos t` or :math:`\pm\cosh t` and the terms :math:`c_k = T_k(x)`, the density
    is :math:`\frac1\pi \sqrt{\sum_{i<k} (c_i c_k' - c_k c_i')^2} / \sum c_k^2`. Inside [-1, 1] the
    integral is about :math:`K/\sqrt3`, outside it grows like log K.

    >>> round(chebyshev_expectation(1), 9)  # a line
    1.0
    """
    k = np.arange(K + 1)
    nodes, weights = np.polynomial.legendre.leggauss(40 + 8 * K)

    def density(c: NDArray[np.float64], slope: NDArray[np.float64]) -> NDArray[np.float64]:
        squares = (c * c).sum(axis=1)
        crossed = c[:, :, None] * slope[:, None, :]
        crossed -= crossed.transpose(0, 2, 1)
        result: NDArray[np.float64] = np.sqrt((crossed**2).sum(axis=(1, 2)) / 2) / squares / pi
        return result

    t = (nodes + 1) * pi / 2
    inside = (weights * pi / 2) @ density(np.cos(np.outer(t, k)), k * np.sin(np.outer(t, k)))
    s = (nodes + 1) / 2  # cosh t from e^-t = s
    up, down = s[:, None] ** (K - k), s[:, None] ** (K + k)
    outside = (weights / 2 / s) @ density((up + down) / 2, k * (up - down) / 2)
    return float(inside + 2 * outside)
