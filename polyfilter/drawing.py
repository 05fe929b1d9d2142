r"""Small graphs as pictures: a layout by stress, and its SVG.

The maps are ``graph -> positions`` and ``graph -> <svg>``. Positions :math:`X` minimise the stress

.. math:: \sum_{i<j} d_{ij}^{-2} \bigl(\|X_i - X_j\| - d_{ij}\bigr)^2

with :math:`d_{ij}` the hops between two nodes, by majorization (Gansner, Koren and North, 2004),
from a circle and from classical scaling, whichever ends lower. So cycles come out as polygons,
paths as lines and trees without crossings. Components are laid out one by one and set side by side.

Assumptions: none; a graph too large for a dense matrix of distances is drawn on a circle. Nothing
is drawn at random: the same graph gives the same picture. Colours are left to the page's classes.

>>> from polyfilter.graph import Graph
>>> square = layout(Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 0)]))
>>> np.linalg.norm(square - np.roll(square, 1, axis=0), axis=1).round(2)    # four equal sides
array([1.08, 1.08, 1.08, 1.08])
"""

from html import escape

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import shortest_path

from polyfilter.graph import Graph

__all__ = ["describe", "draw", "layout"]

Positions = NDArray[np.float64]

LARGEST = 400
"""Nodes of a component above which it is drawn on a circle."""
ITERATIONS = 300
CONVERGED = 1e-7
"""Relative decrease of the stress below which a layout is done; a pixel is 1e-3."""
GAP = 0.9
"""Between two components, in edges."""

EDGE = 62
"""Pixels of an edge, if the picture has room."""
ROOM = 440, 320
LABELLED = 30
"""Nodes up to which they carry their numbers."""
WEIGHTED = 24
"""Edges up to which they carry their weights."""


def layout(graph: Graph) -> Positions:
    """Return positions of the nodes, as an (N, 2) array; an edge is about one long.

    Examples
    --------
    >>> layout(Graph.from_edges([(0, 1)], num_nodes=3)).shape
    (3, 2)
    """
    placed = np.zeros((graph.num_nodes, 2))
    parts = sorted(graph.components(), key=len, reverse=True)
    corner, shelf, width = np.zeros(2), 0.0, 0.0
    for i, nodes in enumerate(parts):
        X = _component(graph.subgraph(nodes))
        X -= X.min(axis=0)
        size = X.max(axis=0)
        if i and corner[0] + size[0] > max(width, 6.0):  # the next shelf
            corner = np.array([0.0, shelf + GAP])
        placed[nodes] = X + corner
        shelf = max(shelf, corner[1] + size[1])
        corner = corner + np.array([size[0] + GAP, 0.0])
        width = max(width, corner[0] - GAP)
    return placed


def _component(graph: Graph) -> Positions:
    n = graph.num_nodes
    angles = 2 * np.pi * np.arange(n) / max(n, 1) - np.pi / 2
    circle = np.column_stack((np.cos(angles), np.sin(angles))) / (2 * np.sin(np.pi / max(n, 2)))
    if n <= 2 or n > LARGEST:
        return np.asarray(circle[:, ::-1] if n == 2 else circle)
    hops = shortest_path(graph.adjacency, method="D", unweighted=True)
    ends = [_majorize(start, hops) for start in (circle, _scaling(hops))]
    X, _ = min(ends, key=lambda end: round(end[1], 6))
    return _upright(X)


def _scaling(hops: NDArray[np.float64]) -> Positions:
    """Classical scaling: the plane in which squared distances are best as inner products."""
    centred = hops**2 - (hops**2).mean(axis=0)
    values, vectors = np.linalg.eigh(-0.5 * (centred - centred.mean(axis=1, keepdims=True)))
    plane = vectors[:, -2:] * np.sqrt(np.maximum(values[-2:], 0.0))
    # nodes that coincide would never part: move each by its number
    turn = np.arange(len(hops))
    return np.asarray(plane + 1e-3 * np.column_stack((np.cos(turn), np.sin(turn))))


def _majorize(X: Positions, hops: NDArray[np.float64]) -> tuple[Positions, float]:
    apart = ~np.eye(len(hops), dtype=bool)
    weights = np.zeros_like(hops)
    weights[apart] = hops[apart] ** -2.0
    inverse = np.linalg.pinv(np.diag(weights.sum(axis=1)) - weights)
    stress = np.inf
    for _ in range(ITERATIONS):
        distances = np.linalg.norm(X[:, None] - X[None], axis=2)
        before, stress = stress, float((weights * (distances - hops) ** 2).sum() / 2)
        if before < np.inf and before - stress <= CONVERGED * before:
            break
        pull = np.zeros_like(hops)
        np.divide(weights * hops, distances, out=pull, where=distances > 0)
        X = inverse @ (np.diag(pull.sum(axis=1)) - pull) @ X
    return X, stress


def _upright(X: Positions) -> Positions:
    """Turn a picture so that it is wide rather than high, if it has a long side at all."""
    X = X - X.mean(axis=0)
    _, sizes, axes = np.linalg.svd(X, full_matrices=False)
    if sizes[1] > 0.95 * sizes[0]:
        return X
    turned = X @ axes.T
    # a reflection is free: the first node stands to the left and above
    return np.asarray(turned * np.where(turned[0] > 1e-9, -1.0, 1.0))


def describe(graph: Graph) -> str:
    """Say a graph in words, for those who can't see it.

    Examples
    --------
    >>> describe(Graph.from_edges([(0, 1), (1, 2)]))
    'a graph of 3 nodes and the edges 0-1, 1-2'
    """
    pairs, weights = graph.edges()
    nodes = f"{graph.num_nodes} node{'s' * (graph.num_nodes != 1)}"
    if len(pairs) == 0:
        return f"a graph of {nodes} and no edges"
    if len(pairs) > WEIGHTED:
        return f"a graph of {nodes} and {len(pairs)} edges"
    shown = [f" of weight {w:g}" if graph.is_weighted else "" for w in weights]
    listed = ", ".join(f"{i}-{j}{w}" for (i, j), w in zip(pairs.tolist(), shown, strict=True))
    return f"a graph of {nodes} and the edge{'s' * (len(pairs) != 1)} {listed}"


def draw(graph: Graph) -> str:
    """Return a graph as an SVG element.

    Examples
    --------
    >>> picture = draw(Graph.from_edges([(0, 1), (1, 2)]))
    >>> picture.count("<circle"), picture.count("<line")
    (3, 2)
    """
    X = layout(graph)
    labelled = graph.num_nodes <= LABELLED
    radius = 12.0 if labelled else 4.0
    size = np.ptp(X, axis=0)
    scale = min(
        EDGE, *(room / side if side else EDGE for room, side in zip(ROOM, size, strict=True))
    )
    margin = radius + (22 if graph.adjacency.diagonal().any() else 3)
    X = (X - X.min(axis=0)) * scale + margin
    width, height = size * scale + 2 * margin
    parts = [
        f'<svg class="graph" role="img" aria-label="{escape(describe(graph))}" '
        f'width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.1f} {height:.1f}">'
    ]
    pairs, weights = graph.edges()
    wide = 1 + 2.5 * weights / weights.max() if graph.is_weighted else np.full(len(pairs), 1.8)
    for (i, j), stroke in zip(pairs.tolist(), wide, strict=True):
        parts.append(_edge(X[i], X[j], i == j, stroke, radius))
    if graph.is_weighted and len(pairs) <= WEIGHTED:
        for (i, j), weight in zip(pairs.tolist(), weights, strict=True):
            x, y = (X[i] + X[j]) / 2 - (0, 30 if i == j else 0)
            parts.append(f'<text class="weight" x="{x:.1f}" y="{y + 4:.1f}">{weight:g}</text>')
    for node, (x, y) in enumerate(X):
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:g}"></circle>')
        if labelled:
            parts.append(f'<text x="{x:.1f}" y="{y + 4.5:.1f}">{node}</text>')
    return "".join(parts) + "</svg>"


def _edge(a: Positions, b: Positions, loop: bool, stroke: float, radius: float) -> str:
    if loop:
        x, y, r = a[0], a[1] - radius - 5, 9.0
        return f'<circle class="loop" cx="{x:.1f}" cy="{y:.1f}" r="{r}"></circle>'
    ends = f'x1="{a[0]:.1f}" y1="{a[1]:.1f}" x2="{b[0]:.1f}" y2="{b[1]:.1f}"'
    return f'<line {ends} stroke-width="{stroke:.1f}"></line>'
