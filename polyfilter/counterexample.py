r"""How a broken contract is told: the graph, the place on its spectrum, expected and found.

The map is ``(graph, F, H) -> ContractError``, where F is the matrix of what was found and H that of
what was expected: of all entries of :math:`U^\top (F - H) U` the largest is told.

>>> edge = Graph.from_edges([(0, 1)])
>>> print(deviation("f is not 2", edge, np.diag([2.0, 2.0]) + 0.25, np.diag([2.0, 2.0]), 1e-15))
f is not 2 on 2 nodes, edges 0-1:
    its response at the eigenvalue λ = 1
    expected 2, found 2.5 (tolerance 1e-15)
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from polyfilter.graphs import Graph
from polyfilter.spectrum import eigenbasis

__all__ = ["ContractError", "deviation", "mixture"]

Floats = NDArray[np.float64]

MAX_EDGES = 24
"""A graph of so many edges is still listed edge by edge."""


class ContractError(AssertionError):
    """A contract that is broken, on which graph, and by how much.

    Attributes
    ----------
    graph
        The graph of the counterexample.
    eigenvalue
        The eigenvalue of A where the deviation is largest; None if the contract has none.
    expected, found
        What the contract asks for there, and what came.
    """

    def __init__(
        self,
        what: str,
        graph: Graph,
        where: str,
        expected: float,
        found: float,
        tolerance: float,
        eigenvalue: float | None = None,
    ) -> None:
        self.graph, self.eigenvalue = graph, eigenvalue
        self.expected, self.found = expected, found
        super().__init__(
            f"{what} on {_picture(graph)}:\n    {where}\n"
            f"    expected {expected:.6g}, found {found:.6g} (tolerance {tolerance:.1g})"
        )


def _picture(graph: Graph) -> str:
    """Describe a graph so that it can be drawn by hand, while it is small enough."""
    pairs, weights = graph.edges()
    shown = [f"{i}-{j}" for i, j in pairs]
    if graph.is_weighted:
        shown = [f"{edge}:{w:g}" for edge, w in zip(shown, weights, strict=True)]
    if len(shown) > MAX_EDGES:
        return repr(graph)
    name = f"'{graph.name}', " if graph.name else ""
    nodes = f"{graph.num_nodes} node{'s' * (graph.num_nodes > 1)}"
    return f"{name}{nodes}, " + (f"edges {' '.join(shown)}" if shown else "no edges")


def deviation(
    what: str, graph: Graph, F: Floats, H: Floats, tolerance: float, against: str = ""
) -> ContractError:
    """Say where on the spectrum F is furthest from H, which ``against`` describes.

    >>> triangle = Graph.from_edges([(0, 1), (1, 2), (2, 0)], name="triangle")
    >>> deviation("f is not 0", triangle, np.ones((3, 3)), np.zeros((3, 3)), 0.0).eigenvalue
    1.0
    """
    lam, U = eigenbasis(graph)
    lam = lam.round(12) + 0.0  # so that -0 and -1e-17 read as 0
    found, expected = U.T @ F @ U, U.T @ H @ U
    i, j = np.unravel_index(int(np.argmax(np.abs(found - expected))), F.shape)
    if i != j:
        return mixture(what, graph, float(lam[j]), float(lam[i]), float(found[i, j]), tolerance)
    at = float(lam[i])
    where = f"its response at the eigenvalue λ = {at:.6g}{against and ', ' + against}"
    return ContractError(
        what, graph, where, float(expected[i, i]), float(found[i, i]), tolerance, at
    )


def mixture(
    what: str, graph: Graph, origin: float, target: float, found: float, tolerance: float
) -> ContractError:
    """Say that a signal of one eigenvalue has got a part of another.

    >>> print(mixture("f does not commute with A", Graph.from_edges([(0, 1)]), 1, -1, 0.5, 0.0))
    f does not commute with A on 2 nodes, edges 0-1:
        it turns the eigenvector of λ = 1 partly into one of λ = -1
        expected 0, found 0.5 (tolerance 0)
    """
    where = f"it turns the eigenvector of λ = {origin:.6g} partly into one of λ = {target:.6g}"
    return ContractError(what, graph, where, 0.0, abs(found), tolerance, origin)
