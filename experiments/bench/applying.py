"""A stack on a large graph against its bare sparse products.

The map is ``seed -> figures``: one million nodes, ten million edges, degree 64; the time of
``stack.apply`` over that of the 64 sparse products that it can't avoid, in turns, for both
precisions.

>>> LIMITS
{'ratio': 1.3}
"""

import time
from typing import Any

import numpy as np

import polyfilter as pf

__all__ = ["LIMITS", "run"]

LIMITS = {"ratio": 1.3}
"""What must hold."""


def run(
    seed: int = 0, nodes: int = 1_000_000, edges: int = 10_000_000, turns: int = 3
) -> dict[str, Any]:
    """Return every figure of this benchmark, as plain numbers."""
    rng = np.random.default_rng(seed)
    pairs = rng.integers(0, nodes, size=(edges, 2))
    graph = pf.Graph.from_edges(pairs[pairs[:, 0] != pairs[:, 1]], num_nodes=nodes)
    del pairs
    stack = pf.factorize(pf.design.interpolate(pf.responses.band_pass, 64))
    figures: dict[str, Any] = {
        "nodes": nodes,
        "edges": graph.num_edges,
        "products": stack.degree,
        "layers": len(stack),
    }
    for name in ("float64", "float32"):
        x = rng.standard_normal(nodes).astype(name)
        A = graph.normalized_adjacency(name)
        times = []
        for _ in range(turns):
            start = time.perf_counter()
            y = x
            for _ in range(stack.degree):
                y = A @ y
            middle = time.perf_counter()
            stack.apply(A, x)
            times.append((middle - start, time.perf_counter() - middle))
        bare, applied = (min(column) for column in zip(*times, strict=True))
        figures[name] = {
            "bare_seconds": bare,
            "apply_seconds": applied,
            "ratio": applied / bare,
        }
    return figures
