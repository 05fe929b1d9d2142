r"""Contracts that a graph filter keeps, for anybody's property-based tests.

A contract takes a numpy function ``f(graph, x)`` or a torch module ``layer(x, edge_index)`` and
says whether

* :func:`assert_shift_invariant`: :math:`f(A x) = A f(x)` (Definition 1),
* :func:`assert_polynomial_filter`: one polynomial h of degree K has :math:`f(x) = h(A) x` on all
  graphs at once (Equation 1); that polynomial is returned,
* :func:`assert_same_response`: :math:`f(x) = U h(\Lambda) U^\top x` for a given response h,
* :func:`assert_permutation_equivariant`: :math:`f(P G, P x) = P f(G, x)`.

A is the normalized adjacency :math:`D^{-1/2} W D^{-1/2}`, without self-loops. Without graphs of
your own the contracts run over :data:`FAMILY`, ordered by size, so that the first graph that fails
is the smallest of it; ``search=100`` has Hypothesis look at a hundred more and shrink what fails.
The strategies of :mod:`polyfilter.strategies` are to be had from here. Neither pytest nor torch is
imported.

>>> def self_looped(graph, x):                                      # as a GCN does
...     W = graph.adjacency.toarray() + np.eye(graph.num_nodes)
...     return Graph(W, self_loops=True).normalized_adjacency() @ x
>>> assert_permutation_equivariant(self_looped)
>>> assert_shift_invariant(self_looped)
Traceback (most recent call last):
...
polyfilter.counterexample.ContractError: f does not commute with A on 'path on 3',
3 nodes, edges 0-1 1-2:
    it turns the eigenvector of λ = 1 partly into one of λ = -1
    expected 0, found 0.0833333 (tolerance 3e-14)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.polynomial import Chebyshev
from numpy.polynomial.chebyshev import chebpts2, chebvander
from numpy.typing import DTypeLike, NDArray

from polyfilter.counterexample import ContractError, deviation, mixture
from polyfilter.graphs import Graph
from polyfilter.polynomial import FilterPolynomial, as_filter
from polyfilter.probe import call, matrix, precision
from polyfilter.spectrum import eigenbasis
from polyfilter.strategies import (
    FAMILY,
    Kind,
    filters,
    graph_sets,
    graphs,
    graphs_with_capacity,
)

# after the strategies, which ask for hypothesis by name when it is missing
from hypothesis import HealthCheck, given, settings  # isort: skip

__all__ = [
    "FAMILY",
    "ContractError",
    "Kind",
    "assert_permutation_equivariant",
    "assert_polynomial_filter",
    "assert_same_response",
    "assert_shift_invariant",
    "filter_tolerance",
    "filters",
    "graph_sets",
    "graphs",
    "graphs_with_capacity",
]

Floats = NDArray[np.float64]
Filter = Callable[..., Any]

SAMPLES = 65
"""Points at which a response is looked at for its size; the ends of [-1, 1] are among them."""


def filter_tolerance(degree: int, size: int, eps: float) -> float:
    r"""Return the error of h(A), N columns, relative to ``max |h|``, in Frobenius' norm.

    :math:`(K + 1)^2 (N + 2) \sqrt N\, \mathrm{eps}`, from two sources, with u = eps/2:

    1. An entry of A carries at most :math:`(N + 2) u` from its degrees, product, root and quotient
       (see :func:`polyfilter.spectrum.eigenvalue_tolerance`), which moves A by as much in norm and
       :math:`h(A)` by at most :math:`\max |h'|` times that; :math:`\max |h'| \le K^2 \max |h|`
       (Markov).
    2. Each of K products with A and sums adds at most :math:`(N + 1) u`.

    Both together are below :math:`(K^2 + K)(N + 2) u` for a column and :math:`\sqrt N` times that
    for N columns; the contracts compare two such results, hence eps for u. Not covered:
    coefficients that cancel, :math:`\sum |\theta_k| \gg \max |h|`; the contracts take that ratio
    as ``amplification``.

    Examples
    --------
    >>> filter_tolerance(degree=3, size=4, eps=2**-52) == 16 * 6 * 2 * 2**-52
    True
    """
    return (degree + 1) ** 2 * (size + 2) * float(np.sqrt(size)) * eps


def _search(check: Callable[[Graph], object], examples: int) -> None:
    """Run ``check`` over graphs that Hypothesis draws; the smallest failure is the one raised."""
    if not examples:
        return

    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        derandomize=True,
        suppress_health_check=list(HealthCheck),
    )
    @given(graph=graphs())
    def run(graph: Graph) -> None:
        check(graph)

    run()


def _ordered(given: Graph | Iterable[Graph] | None) -> list[Graph]:
    members = [given] if isinstance(given, Graph) else FAMILY if given is None else given
    return sorted(members, key=lambda graph: (graph.num_nodes, graph.num_edges))


def _norm(F: Floats) -> float:
    """Return the largest response ``|h|`` in F; what is not finite is told of elsewhere."""
    return float(np.linalg.norm(F, 2)) if np.all(np.isfinite(F)) else 0.0


def _scale(f: Filter, members: Iterable[Graph], kind: np.dtype[Any], amplification: float) -> float:
    """Return what errors are relative to: the largest response of f on all graphs.

    One graph would not do, since f may vanish on the whole of its spectrum.
    """
    return amplification * max(_norm(matrix(f, graph, kind)) for graph in members)


def _linear(f: Filter, graph: Graph, kind: np.dtype[Any], scale: float) -> Floats:
    """Return the matrix of f, having checked that f is linear and finite."""
    F = matrix(f, graph, kind)
    n = graph.num_nodes
    if not np.all(np.isfinite(F)):
        i, j = np.argwhere(~np.isfinite(F))[0]
        where = f"node {i} of f applied to the unit signal of node {j}"
        raise ContractError("f is not finite", graph, where, 0.0, float(F[i, j]), 0.0)
    x = np.cos(np.arange(1.0, n + 1.0)).astype(kind)  # any signal without a pattern of its own
    for signal, name in ((np.zeros(n, kind), "zero"), (x, "cos(1), cos(2), ...")):
        expected, found = F @ signal.astype(np.float64), call(f, graph, signal)
        allowed = filter_tolerance(n - 1, n, float(np.finfo(kind).eps))
        allowed *= max(scale, _norm(F)) * float(np.linalg.norm(signal))
        k = int(np.argmax(np.abs(found - expected)))
        if not abs(found[k] - expected[k]) <= allowed:
            where = f"node {k} of f applied to the signal {name}, against its unit signals' sum"
            raise ContractError("f is not linear", graph, where, expected[k], found[k], allowed)
    return F


def assert_shift_invariant(
    f: Filter,
    graphs: Graph | Iterable[Graph] | None = None,
    *,
    dtype: DTypeLike | None = None,
    search: int = 0,
    amplification: float = 1.0,
) -> None:
    r"""Assert that f is linear and commutes with A (Definition 1).

    Parameters
    ----------
    f
        Numpy function ``f(graph, x)`` or torch module ``layer(x, edge_index)``, of one channel.
    graphs
        Where to look; :data:`FAMILY` by default.
    dtype
        float32 or float64; by default that of the module's parameters, or float64.
    search
        How many more graphs Hypothesis may draw.
    amplification
        How much larger than its result a sum inside f gets; see :func:`filter_tolerance`.

    Examples
    --------
    >>> assert_shift_invariant(lambda graph, x: 2 * x - graph.normalized_adjacency() @ x)
    """
    kind, members = precision(f, dtype), _ordered(graphs)
    scale = _scale(f, members, kind, amplification)

    def check(graph: Graph) -> None:
        F, A = _linear(f, graph, kind, scale), graph.normalized_adjacency().toarray()
        n = graph.num_nodes
        # On N nodes a function of A is a polynomial of degree N - 1; and F A - A F errs twice.
        allowed = 2 * filter_tolerance(n - 1, n, float(np.finfo(kind).eps))
        allowed *= max(scale, _norm(F))
        if not np.linalg.norm(F @ A - A @ F) <= allowed:
            lam, U = eigenbasis(graph)
            lam, mixing = lam.round(12) + 0.0, U.T @ F @ U
            i, j = np.unravel_index(
                int(np.argmax(np.abs(mixing * np.subtract.outer(lam, lam)))), F.shape
            )
            what, found = "f does not commute with A", float(mixing[i, j])
            raise mixture(what, graph, float(lam[j]), float(lam[i]), found, allowed)

    for graph in members:
        check(graph)
    _search(check, search)


def assert_polynomial_filter(
    f: Filter,
    degree: int,
    graphs: Graph | Iterable[Graph] | None = None,
    *,
    dtype: DTypeLike | None = None,
    search: int = 0,
    amplification: float = 1.0,
) -> Chebyshev:
    r"""Assert that one polynomial of at most ``degree`` is f on every graph, and return it.

    The polynomial is the least squares fit of :math:`\sum_k c_k T_k(A)` to the matrices of f on all
    graphs. Were f a polynomial filter, its own polynomial would miss f by rounding only, and the
    fit misses it by no more: the bound of :func:`filter_tolerance` needs no condition number.
    Graphs are added by size, and the first one that no polynomial can fit together with the smaller
    ones is the counterexample. Parameters are those of :func:`assert_shift_invariant`.

    Examples
    --------
    >>> def second_order(graph, x):
    ...     A = graph.normalized_adjacency()
    ...     return x - 3 * (A @ x) + 2 * (A @ (A @ x))
    >>> h = assert_polynomial_filter(second_order, 2)
    >>> h.convert(kind=np.polynomial.Polynomial).coef.round(9)
    array([ 1., -3.,  2.])
    >>> assert_polynomial_filter(second_order, 1)
    Traceback (most recent call last):
    ...
    polyfilter.counterexample.ContractError: f is no polynomial of degree 1 in A on 'edge',
    2 nodes, edges 0-1:
        its response at the eigenvalue λ = 1, next to the best polynomial's here and on the smaller
        graphs
        expected -0.666667, found 0 (tolerance 3e-14)
    """
    kind, members = precision(f, dtype), _ordered(graphs)
    scale = _scale(f, members, kind, amplification)
    seen: list[tuple[Graph, Floats, Floats]] = []

    def fit(graph: Graph, keep: bool = False) -> Chebyshev:
        known = [*seen, (graph, _linear(f, graph, kind, scale), _powers(graph, degree))]
        design = np.concatenate([T.reshape(-1, degree + 1) for _, _, T in known])
        target = np.concatenate([F.ravel() for _, F, _ in known])
        c = np.linalg.lstsq(design, target)[0]
        eps = float(np.finfo(kind).eps)
        bounds = [filter_tolerance(degree, g.num_nodes, eps) for g, _, _ in known]
        allowed = max(scale, _norm(known[-1][1])) * float(np.linalg.norm(bounds))
        if not np.linalg.norm(design @ c - target) <= allowed:
            _, F, T = known[-1]
            what = f"f is no polynomial of degree {degree} in A"
            against = "next to the best polynomial's here and on the smaller graphs"
            raise deviation(what, graph, F, T @ c, allowed, against)
        if keep:
            seen[:] = known
        return Chebyshev(c)

    h = Chebyshev(np.zeros(degree + 1))
    for graph in members:
        h = fit(graph, keep=True)
    _search(fit, search)
    return h


def _powers(graph: Graph, degree: int) -> Floats:
    """Return T_0(A), ..., T_K(A) along the last axis."""
    lam, U = eigenbasis(graph)
    T: Floats = np.einsum("ik,kd,jk->ijd", U, chebvander(lam, degree), U)
    return T


def assert_same_response(
    f: Filter,
    h: Any,
    graphs: Graph | Iterable[Graph] | None = None,
    *,
    dtype: DTypeLike | None = None,
    search: int = 0,
    amplification: float = 1.0,
) -> None:
    r"""Assert that f is the filter of the response h: :math:`f(x) = U h(\Lambda) U^\top x`.

    Parameters
    ----------
    f, graphs, dtype, search, amplification
        As in :func:`assert_shift_invariant`.
    h
        A function on [-1, 1], called with arrays of eigenvalues of A, or anything that
        :func:`polyfilter.as_filter` takes, such as the power coefficients
        :math:`\theta_0, \theta_1, \dots`.

    Examples
    --------
    >>> assert_same_response(lambda graph, x: x - graph.normalized_adjacency() @ x, [1, -1])
    >>> assert_same_response(lambda graph, x: x, lambda lam: np.cos(lam))
    Traceback (most recent call last):
    ...
    polyfilter.counterexample.ContractError: f has another response than h on 'edge', 2 nodes,
    edges 0-1:
        its response at the eigenvalue λ = -1
        expected 0.540302, found 1 (tolerance 5e-15)
    """
    kind, members = precision(f, dtype), _ordered(graphs)
    is_polynomial = not callable(h) or hasattr(h, "coef") or isinstance(h, FilterPolynomial)
    response = as_filter(h, trim=0.0) if is_polynomial else h
    largest = float(np.abs(response(chebpts2(SAMPLES))).max())
    scale = max(_scale(f, members, kind, amplification), largest * amplification)

    def check(graph: Graph) -> None:
        F, (lam, U) = _linear(f, graph, kind, scale), eigenbasis(graph)
        n = graph.num_nodes
        H = (U * np.asarray(response(lam), dtype=np.float64)) @ U.T
        degree = response.degree if isinstance(response, FilterPolynomial) else n - 1
        allowed = filter_tolerance(degree, n, float(np.finfo(kind).eps)) * max(scale, _norm(F))
        if not np.linalg.norm(F - H) <= allowed:
            raise deviation("f has another response than h", graph, F, H, allowed)

    for graph in members:
        check(graph)
    _search(check, search)


def assert_permutation_equivariant(
    f: Filter,
    graphs: Graph | Iterable[Graph] | None = None,
    *,
    channels: int = 1,
    dtype: DTypeLike | None = None,
    search: int = 0,
    amplification: float = 1.0,
) -> None:
    r"""Assert that renaming the nodes renames the result: :math:`f(P G, P x) = P f(G, x)`.

    Unlike the others, this contract does not ask f to be linear, and takes layers of more than one
    channel, as many in as out. Other parameters are those of :func:`assert_shift_invariant`.

    Examples
    --------
    >>> assert_permutation_equivariant(lambda graph, x: np.tanh(graph.adjacency @ x))
    >>> assert_permutation_equivariant(lambda graph, x: np.cumsum(x))
    Traceback (most recent call last):
    ...
    polyfilter.counterexample.ContractError: f depends on the names of the nodes on 'edge', 2 nodes,
    edges 0-1:
        node 0 becomes node 1 when the nodes are listed as 1 0
        expected 0.189053, found -0.333695 (tolerance 3e-15)
    """
    kind = precision(f, dtype)

    def check(graph: Graph) -> None:
        n = graph.num_nodes
        shape = (n,) if channels == 1 else (n, channels)
        rng = np.random.default_rng(n)
        x = rng.standard_normal(shape).astype(kind)
        y = call(f, graph, x)
        bound = filter_tolerance(n - 1, n, float(np.finfo(kind).eps)) * amplification
        allowed = bound * max(float(np.abs(y).max()), float(np.linalg.norm(x)))
        for order in (np.arange(n)[::-1], np.roll(np.arange(n), 1), rng.permutation(n)):
            expected, found = y[order], call(f, graph.permute(order), x[order])
            wrong = np.abs(found - expected).reshape(n, -1).max(axis=1)
            if not np.all(wrong <= allowed):
                k = int(np.argmax(wrong))
                worst = int(np.argmax(np.abs(found - expected).reshape(n, -1)[k]))
                names = " ".join(map(str, order))
                raise ContractError(
                    "f depends on the names of the nodes",
                    graph,
                    f"node {order[k]} becomes node {k} when the nodes are listed as {names}",
                    float(expected.reshape(n, -1)[k, worst]),
                    float(found.reshape(n, -1)[k, worst]),
                    allowed,
                )

    for graph in _ordered(graphs):
        check(graph)
    _search(check, search)
