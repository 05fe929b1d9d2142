r"""How a graph and its signal are drawn for the Synthetic Graph Spectrum data (Appendix E).

For one sample the map is ``random numbers -> (graph, s, x)``: an Erdős–Rényi graph, then a
spectrum (Equation ``sgs_sig_gen``)

.. math::
    s_t = \sum_{i=1}^{2} g[t/N; a_i, b_i] + \sum_{j=1}^{4} c_j f[t; \mu_j, \sigma_j],

with g the density of a beta and f that of a normal distribution, and last a noisy signal
:math:`x = U s + \epsilon`, with U the eigenvectors of :math:`L = I - A`, ascending. What the text
leaves open is a named choice of :class:`Recipe`.

**Eigenvectors that do not depend on who computed them.** U is not determined by A: each column
has two signs, and an eigenvalue of multiplicity m a whole :math:`O(m)` of bases. On these graphs a
quarter of all eigenvalues are repeated (0 above all: isolated nodes, and leaves that share a
neighbour), so :math:`U s` differs from one LAPACK to the next. We let U be *uniformly random* in
what A leaves open. Then the part of :math:`U s` in the eigenspace of λ, with projection
:math:`P_\lambda`, is a vector of known length and uniform direction:

.. math:: U s = \sum_\lambda \lVert s_\lambda \rVert \,
                \frac{P_\lambda z}{\lVert P_\lambda z \rVert}, \qquad z \sim N(0, I_N),

with :math:`s_\lambda` the entries of s at the positions of λ. The right side knows no basis, only
projections, and one z serves all λ since projections of it on orthogonal spaces are independent.
For a simple eigenvalue it is :math:`\pm s_t u_t` with a fair coin.

**Numbers that survive rounding.** s, x and y are whole multiples of :math:`2^{-12}`,
:math:`2^{-12}` and :math:`2^{-18}`, each computed from the *rounded* one before it. So all three
are float32 numbers exactly, and what a network trains on is what an analytic fit sees. The noise
is 200 times coarser than the grid of x, and that of y moves a mean absolute error by at most
:math:`10^{-6}`. Two machines differ where a number lies within their rounding of the border
between two multiples: no computation in floats can exclude it, and a coarse grid makes it rare.
Decomposing 1,500 graphs a second time with their nodes in another order moved x by 2e-14 and y by
1.5e-15 on average, which gives one such number with probability 0.0005 in the 1.2 million nodes of
the three data sets together; with OpenBLAS's kernels for a processor of 2004 in place of today's,
which change the bits of most eigenvectors, all nine files were the same. Which eigenvalues
are equal is no matter of chance: in a thousand graphs no gap lay between 1e-14 and 1e-5.

>>> draws = Draws("an example")
>>> graph = draw_graph(Recipe(), draws)
>>> s = draw_spectrum(Recipe(), graph.num_nodes, draws)
>>> graph, s.shape
(Graph(94 nodes, 91 edges), (94,))
"""

from functools import lru_cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaln

from gcn.data.draws import Draws
from gcn.data.recipe import Recipe
from polyfilter.graphs import Graph
from polyfilter.response import ResponseLike
from polyfilter.spectrum import Eigenbasis, eigenbasis, eigenvalue_tolerance, filter_dense

__all__ = [
    "SIGNAL_BITS",
    "TARGET_BITS",
    "as_basis",
    "draw_graph",
    "draw_signal",
    "draw_spectrum",
    "on_grid",
    "target_signal",
]

Floats: TypeAlias = NDArray[np.float64]

NUM_BETAS, NUM_GAUSSIANS = 2, 4
SHAPES, PEAKS = (0.1, 5.0), (0.5, 2.0)
"""The ranges of a_i and b_i, and of the heights of the Gaussians."""
SIGNAL_BITS, TARGET_BITS = 12, 18
"""s and x are whole multiples of 2^-12, y of 2^-18."""


def on_grid(values: Floats, bits: int) -> Floats:
    """Return the nearest multiples of 2^-bits; zero has no sign.

    Examples
    --------
    >>> on_grid(np.array([0.3, -0.01]), 2)
    array([0.25, 0.  ])
    """
    return np.ldexp(np.rint(np.ldexp(values, bits)), -bits) + 0.0


def as_basis(recipe: Recipe, graph: Graph) -> Eigenbasis:
    """Return the eigenvalues of A, ascending, and eigenvectors, with the recipe's isolated nodes.

    Examples
    --------
    >>> as_basis(Recipe(isolated="one"), Graph.from_edges([(0, 1)], num_nodes=3)).values
    array([-1.,  1.,  1.])
    """
    values, vectors = eigenbasis(graph)
    if recipe.isolated == "one":
        # eigenbasis gives an isolated node itself as its eigenvector
        values = np.where((vectors**2).T @ (graph.degrees == 0) == 1, 1.0, values)
        order = np.argsort(values, kind="stable")
        values, vectors = values[order], vectors[:, order]
    return Eigenbasis(values, vectors)


@lru_cache(maxsize=64)
def _pairs(num_nodes: int) -> NDArray[np.int64]:
    return np.column_stack(np.triu_indices(num_nodes, 1)).astype(np.int64)


def draw_graph(recipe: Recipe, draws: Draws) -> Graph:
    """Return an Erdős–Rényi graph: N nodes, and each pair an edge with probability p.

    Examples
    --------
    >>> draw_graph(Recipe(min_nodes=10, max_nodes=10, edge_probability=1.0), Draws("a"))
    Graph(10 nodes, 45 edges)
    """
    size = int(draws.integers(recipe.min_nodes, recipe.max_nodes, 1)[0])
    pairs = _pairs(size)
    chosen = draws.uniform(len(pairs)) < recipe.edge_probability
    return Graph.from_edges(pairs[chosen], num_nodes=size)


def draw_spectrum(recipe: Recipe, num_nodes: int, draws: Draws) -> Floats:
    """Return s of shape (N,), nonnegative, on a grid of 2^-12 (Equation ``sgs_sig_gen``).

    Examples
    --------
    >>> s = draw_spectrum(Recipe(), 100, Draws("a"))
    >>> bool(s.min() >= 0), bool(s[0] == s[1]), bool(s[-1] == s[-2])
    (True, True, True)
    """
    N = num_nodes
    copied = recipe.ends == "copied"
    t = np.arange(N) if copied else np.arange(1, N + 1)
    a, b = _between(recipe, *SHAPES, 10, draws, 2 * NUM_BETAS).reshape(2, NUM_BETAS, 1)
    betas = np.zeros(N)
    inside = slice(1, N - 1) if copied else slice(0, N - 1)
    u = t[inside] / N
    log_density = (a - 1) * np.log(u) + (b - 1) * np.log1p(-u) - betaln(a, b)
    betas[inside] = np.exp(log_density).sum(axis=0)
    if not copied:
        betas[-1] = betas[-2]
    if recipe.beta_sum == "unit":
        betas /= betas.max()
    j = np.arange(1, NUM_GAUSSIANS + 1)
    narrow, wide = N / (9 * (j + 1)), N / (9 * j)
    if recipe.parameters == "grid":
        mu = draws.integers(0, N, NUM_GAUSSIANS).astype(np.float64)
        least, most = np.maximum(np.rint(narrow), 1), np.maximum(np.rint(wide), 1)
        sigma = draws.integers(least, most, NUM_GAUSSIANS).astype(np.float64)
    else:
        mu = N * draws.uniform(NUM_GAUSSIANS)
        sigma = narrow + (wide - narrow) * draws.uniform(NUM_GAUSSIANS)
    bells = np.exp(-0.5 * ((t - mu[:, None]) / sigma[:, None]) ** 2)  # one at the centre
    if recipe.gaussian_peak == "index":
        bells /= bells.max(axis=1, keepdims=True)
    s = betas + _between(recipe, *PEAKS, 10, draws, NUM_GAUSSIANS) @ bells
    if copied:
        s[0], s[-1] = s[1], s[-2]
    return on_grid(s, SIGNAL_BITS)


def _between(
    recipe: Recipe, low: float, high: float, steps: int, draws: Draws, size: int
) -> Floats:
    """Uniform numbers from low to high: continuous, or whole multiples of 1/steps."""
    if recipe.parameters == "grid":
        return draws.integers(round(low * steps), round(high * steps), size) / steps
    return low + (high - low) * draws.uniform(size)


def draw_signal(recipe: Recipe, basis: Eigenbasis, s: Floats, draws: Draws) -> Floats:
    r"""Return :math:`x = U s + \epsilon` on a grid of 2^-12.

    Parameters
    ----------
    basis
        Eigenvalues of A and any orthonormal eigenvectors (:func:`as_basis`); unless the recipe
        says "solver", which ones does not matter.
    s
        The spectrum, in the order of L's eigenvalues: those of A *descending*.

    Examples
    --------
    >>> edge = eigenbasis(Graph.from_edges([(0, 1)]))
    >>> quiet = Recipe(min_noise=0.0, max_noise=0.0, parameters="continuous")
    >>> abs(draw_signal(quiet, edge, np.array([1.0, 0.0]), Draws("a"))).round(3)
    array([0.707, 0.707])
    """
    values, vectors = basis
    z = draws.normal(len(s))
    ascending = s[::-1]  # as the basis is in A, not in L
    if recipe.basis == "uniform":
        starts = np.flatnonzero(
            np.append(True, np.diff(values) > eigenvalue_tolerance(len(values)))
        )
        coordinates = vectors.T @ z
        lengths = np.sqrt(np.add.reduceat([ascending**2, coordinates**2], starts, axis=1))
        scale = np.repeat(lengths[0] / lengths[1], np.diff(starts, append=len(values)))
        ascending = scale * coordinates
    if recipe.parameters == "grid":  # the top of the range is left out, as released
        low, high = round(100 * recipe.min_noise), round(100 * recipe.max_noise)
        c = draws.integers(low, max(low, high - 1), 1) / 100
    else:
        c = recipe.min_noise + (recipe.max_noise - recipe.min_noise) * draws.uniform(1)
    return on_grid(vectors @ ascending + c * draws.normal(len(s)), SIGNAL_BITS)


def target_signal(basis: Eigenbasis, response: ResponseLike, x: Floats) -> Floats:
    r"""Return :math:`y = U f(\Lambda) U^\top x` on a grid of 2^-18 (Equation ``sgs_filters``).

    Examples
    --------
    >>> edge = eigenbasis(Graph.from_edges([(0, 1)]))
    >>> target_signal(edge, lambda lam: 1 + lam, np.array([1.0, 0.0]))
    array([1., 1.])
    """
    return on_grid(filter_dense(basis, response, x), TARGET_BITS)
