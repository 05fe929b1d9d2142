r"""Powers of A: their rank in exact arithmetic, and the rank that floats see.

The map is ``(graph, k) -> rank of A^k``. Exactly, :math:`\operatorname{rank} A^k =
\operatorname{rank} A`, as :math:`A` is symmetric. A float of precision :math:`\varepsilon` sees the
eigenvalues with :math:`|\lambda|^k > N \varepsilon` (numpy's and MATLAB's rule, since the largest
singular value is 1). Those with :math:`|\lambda| = 1` never go: one for each component that has an
edge, and one more if it is bipartite.

>>> square = Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 0)])
>>> exact_ranks(square, 3), lasting(square), lasting_exactly(square)
([2, 2, 2], 2, 2)
"""

import numpy as np
from flint import fmpq
from numpy.typing import NDArray

from polyfilter.claim import Setting
from polyfilter.claims._common import random_graph
from polyfilter.claims._rational import powers, rational_adjacency
from polyfilter.graphs import Graph
from polyfilter.reading import read_graph
from polyfilter.spectrum import eigenbasis

__all__ = [
    "POWERS",
    "SINGLE",
    "exact_ranks",
    "lasting",
    "lasting_exactly",
    "measured_graphs",
    "numerical_rank",
    "rank_tolerance",
    "seen_ranks",
]

POWERS = (1, 2, 4, 8, 16, 32, 64)
SINGLE = float(np.finfo(np.float32).eps)


def rank_tolerance(size: int, eps: float) -> float:
    """Below this share of the largest singular value a float can't tell one from zero: N eps."""
    return size * eps


def numerical_rank(singular: NDArray[np.float64], size: int, eps: float) -> int:
    """How many singular values a float of this precision sees, of a matrix of norm one.

    >>> numerical_rank(np.array([1.0, 1e-9]), 2, 2.0**-23)
    1
    """
    return int(np.count_nonzero(np.abs(singular) > rank_tolerance(size, eps)))


def exact_ranks(graph: Graph, highest: int) -> list[int]:
    """Rank of A, A^2, ..., A^highest over the rationals, on D^-1 W."""
    return [int(power.rank()) for power in powers(rational_adjacency(graph), highest)[1:]]


def lasting(graph: Graph) -> int:
    """Count eigenvalues of modulus one by looking at components: a proof needs no numbers."""
    total = 0
    for nodes in graph.components():
        part = graph.subgraph(nodes)
        if part.num_edges:
            total += 1 + _is_bipartite(part)
    return total


def _is_bipartite(graph: Graph) -> bool:
    """Colour a connected graph from its first node."""
    W = graph.adjacency
    colour = {0: 0}
    todo = [0]
    while todo:
        node = todo.pop()
        for other in W.indices[W.indptr[node] : W.indptr[node + 1]].tolist():
            if other not in colour:
                colour[other] = 1 - colour[node]
                todo.append(other)
            elif colour[other] == colour[node]:
                return False
    return True


def lasting_exactly(graph: Graph) -> int:
    """Count eigenvalues of modulus one in the characteristic polynomial.

    >>> lasting_exactly(Graph.from_edges([(0, 1), (1, 2), (2, 0)]))
    1
    """
    characteristic = rational_adjacency(graph).charpoly()
    return sum(
        int(times)
        for factor, times in characteristic.factor()[1]
        if factor.degree() == 1 and abs(-factor[0] / factor[1]) == fmpq(1)
    )


def measured_graphs(setting: Setting) -> list[Graph]:
    """A random graph, and real ones if there are data.

    >>> measured_graphs(Setting())[0].num_nodes
    200
    """
    graphs = [random_graph(setting.rng(12, 1), 200, 0.02)]
    names = ("logo", "minnesota", "cora") if setting.full else ("logo",)
    if setting.data is not None:
        paths = [path for name in names for path in sorted(setting.data.rglob(f"{name}.npz"))]
        graphs += [read_graph(path) for path in paths]
    return graphs


def seen_ranks(graph: Graph, chebyshev: bool = False) -> list[int]:
    """The rank of A^k, or of T_k(A), that single precision sees, for k of POWERS.

    >>> seen_ranks(Graph.from_edges([(0, 1)]))
    [2, 2, 2, 2, 2, 2, 2]
    """
    lam = eigenbasis(graph).values
    of = [np.cos(k * np.arccos(lam)) if chebyshev else lam**k for k in POWERS]
    return [numerical_rank(values, graph.num_nodes, SINGLE) for values in of]
