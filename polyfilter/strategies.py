r"""Hypothesis strategies: graphs and filters to test filters with.

Graphs are small on purpose: isolated nodes, several components and irregular degrees all occur
within eight nodes, and a failing example stays readable. Everything is drawn so that Hypothesis
shrinks it towards fewer nodes, fewer edges and lower degrees.

>>> from hypothesis import given
>>> @given(graphs_with_capacity(3))
... def three_eigenvalues(graph):
...     lam = np.linalg.eigvalsh(graph.normalized_adjacency().toarray())
...     assert len(np.unique(lam.round(9) + 0.0)) == 3
>>> three_eigenvalues()
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from itertools import combinations
from typing import Literal, get_args

import numpy as np

from polyfilter.errors import FilterError, GraphError
from polyfilter.graphs import Graph, GraphSet
from polyfilter.polynomial import FilterPolynomial, as_filter

try:
    from hypothesis import strategies as st
except ModuleNotFoundError as error:
    if error.name != "hypothesis":
        raise
    raise ModuleNotFoundError(
        "polyfilter.testing needs hypothesis: pip install 'polyfilter[testing]'",
        name="hypothesis",
    ) from None

__all__ = ["FAMILY", "Kind", "filters", "graph_sets", "graphs", "graphs_with_capacity"]

Kind = Literal["smooth", "real_rooted", "irreducible", "ill_conditioned", "exact"]
Edges = list[tuple[int, int]]

MAX_CUBE = 6
"""The largest hypercube drawn has 2^6 nodes; a dense decomposition of it takes a millisecond."""


@st.composite
def graphs(
    draw: st.DrawFn, min_nodes: int = 1, max_nodes: int = 8, *, weighted: bool = False
) -> Graph:
    """Draw any graph of so many nodes; ``weighted`` draws weights from 1/1000 to 1000.

    Examples
    --------
    >>> graphs(max_nodes=4).filter(lambda graph: graph.num_edges > 2).validate()
    """
    n = draw(st.integers(min_nodes, max_nodes))
    pairs = list(combinations(range(n), 2))
    edges = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    weight = st.floats(1e-3, 1e3)
    weights = draw(st.lists(weight, min_size=len(edges), max_size=len(edges))) if weighted else None
    return Graph.from_edges(edges, n, weights)


def graph_sets(
    max_graphs: int = 4, min_nodes: int = 1, max_nodes: int = 8, *, weighted: bool = False
) -> st.SearchStrategy[GraphSet]:
    """Draw a set of one to ``max_graphs`` graphs that differ in size.

    Examples
    --------
    >>> graph_sets(max_graphs=2).validate()
    """
    members = graphs(min_nodes, max_nodes, weighted=weighted)
    return st.lists(members, min_size=1, max_size=max_graphs).map(GraphSet)


# ------------------------------------------------------------------------- a fixed family


def _family() -> tuple[Graph, ...]:
    shapes: dict[str, tuple[int, Iterable[tuple[int, int]]]] = {
        "one node": (1, []),
        "edge": (2, [(0, 1)]),
        "edge and a hermit": (3, [(0, 1)]),
        "path on 3": (3, [(0, 1), (1, 2)]),
        "triangle": (3, combinations(range(3), 2)),
        "two edges": (4, [(0, 1), (2, 3)]),
        "path on 4": (4, [(0, 1), (1, 2), (2, 3)]),
        "star of 3 leaves": (4, [(0, 1), (0, 2), (0, 3)]),
        "paw": (4, [(0, 1), (1, 2), (2, 0), (2, 3)]),
        "complete on 4": (4, combinations(range(4), 2)),
        "path on 5": (5, [(k, k + 1) for k in range(4)]),
        "bull": (5, [(0, 1), (1, 2), (2, 0), (0, 3), (1, 4)]),
        "tree": (7, [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (2, 6)]),
        "cycle on 7": (7, [(k, (k + 1) % 7) for k in range(7)]),
        "cube": (8, [(v, v | b) for v in range(8) for b in (1, 2, 4) if not v & b]),
    }
    return tuple(Graph.from_edges(list(e), n, name=name) for name, (n, e) in shapes.items())


FAMILY = _family()
"""The graphs that a contract runs over unless it is given others, by nodes and then edges.

Regular and not, bipartite and not, with a hermit, disconnected, with repeated eigenvalues; together
they have 19 distinct eigenvalues, which tell polynomials of degree 18 apart.
"""


# ------------------------------------------------- a prescribed number of distinct eigenvalues


def graphs_with_capacity(count: int) -> st.SearchStrategy[Graph]:
    r"""Draw a graph whose normalized adjacency has exactly ``count`` distinct eigenvalues.

    That number is the spectrum capacity :math:`\Gamma` of Definition 2. It is known by proof for

    ============================  =====================================  ======================
    graph                         eigenvalues of A                       number
    ============================  =====================================  ======================
    no edges                      0                                      1
    complete on n nodes           1, -1/(n - 1)                          2
    complete bipartite, n > 2     1, 0, -1                               3
    cycle on n nodes              :math:`\cos(2 \pi k / n)`              n // 2 + 1
    path on n nodes               :math:`\cos(\pi k / (n - 1))`          n
    hypercube of dimension d      1 - 2k/d                               d + 1
    union of complete graphs      1, -1/(n - 1) for each size n          number of sizes + 1
    ============================  =====================================  ======================

    and does not change when the nodes are renamed or the graph is put beside a copy of itself.

    Examples
    --------
    >>> graphs_with_capacity(7).validate()
    >>> graphs_with_capacity(0)
    Traceback (most recent call last):
    ...
    polyfilter.errors.GraphError: no graph has 0 distinct eigenvalues; ask for 1 or more
    """
    if count < 1:
        raise GraphError(f"no graph has {count} distinct eigenvalues; ask for 1 or more")
    return _shuffled_copies(st.one_of(_families(count)))


def _families(count: int) -> list[st.SearchStrategy[Graph]]:
    """List the families of the table that have a member with ``count`` eigenvalues."""
    if count == 1:
        return [st.integers(1, 6).map(lambda n: Graph.from_edges([], n, name="no edges"))]
    sizes = st.lists(st.integers(2, count + 3), min_size=count - 1, max_size=count - 1, unique=True)
    families = [st.just(_path(count)), sizes.map(_completes), st.just(_cycle(2 * count - 1))]
    if count == 3:
        parts = st.tuples(st.integers(1, 4), st.integers(2, 4))
        families.append(parts.map(lambda ab: _bipartite(*ab)))
    if count > 2:
        families.append(st.just(_cycle(2 * count - 2)))
    if count - 1 <= MAX_CUBE:
        families.append(st.just(_cube(count - 1)))
    return families


@st.composite
def _shuffled_copies(draw: st.DrawFn, family: st.SearchStrategy[Graph]) -> Graph:
    graph = draw(family)
    pairs, n = graph.edges()[0], graph.num_nodes
    copies = draw(st.integers(1, 2))
    order = np.array(draw(st.permutations(range(copies * n))))
    edges = np.concatenate([order[pairs + k * n] for k in range(copies)])
    name = graph.name if copies == 1 else f"two copies of {graph.name}"
    return Graph.from_edges(edges, copies * n, name=name)


def _path(n: int) -> Graph:
    return Graph.from_edges([(i, i + 1) for i in range(n - 1)], n, name=f"path on {n}")


def _cycle(n: int) -> Graph:
    return Graph.from_edges([(i, (i + 1) % n) for i in range(n)], n, name=f"cycle on {n}")


def _bipartite(a: int, b: int) -> Graph:
    edges = [(i, a + j) for i in range(a) for j in range(b)]
    return Graph.from_edges(edges, name=f"complete bipartite {a} + {b}")


def _cube(d: int) -> Graph:
    edges = [(v, v ^ 1 << k) for v in range(2**d) for k in range(d) if v < v ^ 1 << k]
    return Graph.from_edges(edges, name=f"hypercube of dimension {d}")


def _completes(sizes: Iterable[int]) -> Graph:
    edges: Edges = []
    start = 0
    for n in sizes:
        edges += combinations(range(start, start + n), 2)
        start += n
    return Graph.from_edges(edges, name=f"complete on {' + '.join(map(str, sizes))}")


# ------------------------------------------------------------------------------------- filters


def filters(kind: Kind = "smooth", max_degree: int = 12) -> st.SearchStrategy[FilterPolynomial]:
    r"""Draw a filter polynomial of degree 1 or more (2 or more where the kind asks for it).

    Parameters
    ----------
    kind
        ``"smooth"``
            Chebyshev coefficients that fall like :math:`\rho^{-k}`, as those of a function do that
            is analytic in the Bernstein ellipse of :math:`\rho`.
        ``"real_rooted"``
            All roots rational in [-1, 1]: what first-order layers of one channel realise.
        ``"irreducible"``
            Irreducible over the rationals, by Eisenstein's criterion at 2, and without a real
            root: no layer of first order divides it.
        ``"ill_conditioned"``
            Three or more roots spaced by :math:`2^{-8}` to :math:`2^{-20}`: a change of
            :math:`\epsilon` in m of them moves roots by about :math:`\epsilon^{1/m}`.
        ``"exact"``
            Rational power coefficients.

        All but the smooth ones carry their exact coefficients.
    max_degree
        The largest degree, 3 or more.

    Examples
    --------
    >>> filters("irreducible").validate()
    >>> filters("round")
    Traceback (most recent call last):
    ...
    polyfilter.errors.FilterError: no kind of filter is called 'round'; there are smooth,
    real_rooted, irreducible, ill_conditioned, exact
    """
    if max_degree < 3:
        raise FilterError(f"max_degree is {max_degree}; it has to be 3 or more")
    if kind not in get_args(Kind):
        known = ", ".join(get_args(Kind))
        raise FilterError(f"no kind of filter is called {kind!r}; there are {known}")
    if kind == "smooth":
        return _smooth(max_degree)
    if kind == "real_rooted":
        return _real_rooted(max_degree)
    if kind == "irreducible":
        return _irreducible(max_degree)
    if kind == "ill_conditioned":
        return _ill_conditioned(max_degree)
    return _exact(max_degree)


@st.composite
def _smooth(draw: st.DrawFn, max_degree: int) -> FilterPolynomial:
    rho = draw(st.floats(1.2, 4.0))
    a = draw(st.lists(st.floats(-1.0, 1.0), min_size=1, max_size=max_degree))
    last = draw(st.sampled_from([1.0, -1.0]))  # so that the degree is the one drawn
    c = np.array([*a, last]) * rho ** -np.arange(len(a) + 1.0)
    return as_filter(np.polynomial.Chebyshev(c), trim=0.0)


def _product(roots: Iterable[Fraction], scale: Fraction) -> FilterPolynomial:
    """Multiply out scale · Π (x - r), exactly."""
    a = [scale]
    for r in roots:
        a = [low - r * high for low, high in zip([Fraction(0), *a], [*a, Fraction(0)], strict=True)]
    return as_filter(a)


_UNIT = st.fractions(-1, 1, max_denominator=64)
_SCALE = st.fractions(-4, 4, max_denominator=8).filter(bool)


@st.composite
def _real_rooted(draw: st.DrawFn, max_degree: int) -> FilterPolynomial:
    return _product(draw(st.lists(_UNIT, min_size=1, max_size=max_degree)), draw(_SCALE))


@st.composite
def _ill_conditioned(draw: st.DrawFn, max_degree: int) -> FilterPolynomial:
    centre, size = draw(_UNIT), draw(st.integers(3, max_degree))
    gap = Fraction(1, 2 ** draw(st.integers(8, 20)))
    return _product((centre + k * gap for k in range(size)), draw(_SCALE))


@st.composite
def _irreducible(draw: st.DrawFn, max_degree: int) -> FilterPolynomial:
    degree = 2 * draw(st.integers(1, max_degree // 2))
    middle = [2 * draw(st.integers(-5, 5)) for _ in range(degree - 1)]
    # |Σ m_k x^k| <= Σ|m_k| max(1, x^degree), which the ends outweigh: h > 0 on the whole line.
    weight = sum(map(abs, middle))
    constant = 2 * (2 * (weight // 4 + draw(st.integers(0, 3))) + 1)
    return as_filter([constant, *middle, weight + 1 + 2 * draw(st.integers(0, 3))])


@st.composite
def _exact(draw: st.DrawFn, max_degree: int) -> FilterPolynomial:
    return as_filter([*draw(st.lists(_UNIT, min_size=1, max_size=max_degree)), draw(_SCALE)])
