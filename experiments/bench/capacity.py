r"""Spectrum capacity against dense eigenvalues, and on one large sparse graph.

The map is ``seed -> figures``. Two things are measured, each in a process of its own that runs on
one thread, so that neither the number of cores nor what this process holds in memory matters:

* exact capacity of 1,000 Erdős-Rényi graphs (80 to 120 nodes, p = 0.02), as a multiple of the time
  that dense ``numpy.linalg.eigvalsh`` takes on the same graphs, best of three turns each;
* exact capacity of one random graph of 20,000 nodes and 60,000 edges: seconds, and peak memory.

>>> sorted(LIMITS)
['large_megabytes', 'large_seconds', 'ratio']
"""

import json
import resource
import sys
import time
from typing import Any

import numpy as np

from experiments.bench.timing import apart
from experiments.bench.timing import seconds as seconds_of
from polyfilter.capacity import spectrum_capacity
from polyfilter.graphs import Graph, GraphSet

__all__ = ["LIMITS", "erdos_renyi_set", "large_sparse_graph", "run"]

LIMITS = {"ratio": 6.0, "large_seconds": 180.0, "large_megabytes": 1000.0}
"""What must hold."""

TURNS = 3
MODULE = "experiments.bench.capacity"


def erdos_renyi_set(seed: int = 0, count: int = 1000) -> GraphSet:
    """Return graphs of 80 to 120 nodes in which each pair is an edge with probability 0.02."""
    rng = np.random.default_rng(seed)
    graphs = []
    for _ in range(count):
        n = int(rng.integers(80, 121))
        upper = np.triu(rng.random((n, n)) < 0.02, 1)
        graphs.append(Graph.from_edges(np.argwhere(upper), num_nodes=n))
    return GraphSet(graphs, name="Erdős-Rényi")


def large_sparse_graph(seed: int = 0, nodes: int = 20_000, edges: int = 60_000) -> Graph:
    """Return a graph with exactly so many edges, drawn without replacement."""
    rng = np.random.default_rng(seed)
    pairs = np.sort(rng.integers(0, nodes, size=(2 * edges, 2)), axis=1)
    pairs = np.unique(pairs[pairs[:, 0] < pairs[:, 1]], axis=0)
    return Graph.from_edges(rng.permutation(pairs)[:edges], num_nodes=nodes)


def measure_ratio(seed: int) -> dict[str, Any]:
    """Time exact capacity and dense eigenvalues in turns, in this process."""
    graphs = erdos_renyi_set(seed)
    matrices = [graph.normalized_adjacency().toarray() for graph in graphs]

    def dense() -> None:
        for matrix in matrices:
            np.linalg.eigvalsh(matrix)

    def exact() -> None:
        spectrum_capacity(graphs, progress=False)

    pairs = [(seconds_of(dense), seconds_of(exact)) for _ in range(TURNS)]
    eigvalsh, modular = (min(column) for column in zip(*pairs, strict=True))
    start = time.perf_counter()
    proven = spectrum_capacity(graphs, "algebraic", progress=False).value
    algebraic = time.perf_counter() - start
    return {
        "eigenvalues": graphs.num_nodes,
        "capacity": spectrum_capacity(graphs, progress=False).value,
        "capacity_proven": proven,
        "eigvalsh_seconds": eigvalsh,
        "modular_seconds": modular,
        "algebraic_seconds": algebraic,
        "ratio": modular / eigvalsh,
        "ratio_algebraic": algebraic / eigvalsh,
    }


def measure_large(seed: int) -> dict[str, Any]:
    """Time the exact capacity of the large graph, and read the peak memory of this process."""
    graph = large_sparse_graph(seed)
    start = time.perf_counter()
    result = spectrum_capacity(graph, progress=False)
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # bytes on macOS, else kilobytes
    return {
        "large_capacity": result.value,
        "large_proven": result.proven,
        "large_seconds": seconds,
        "large_megabytes": peak / (1e6 if sys.platform == "darwin" else 1e3),
    }


def run(seed: int = 0) -> dict[str, Any]:
    """Return every figure of this benchmark, as plain numbers."""
    return {**apart(MODULE, "ratio", seed), **apart(MODULE, "large", seed)}


if __name__ == "__main__":
    if len(sys.argv) == 1:
        print(json.dumps(run(), indent=2))
    else:
        measure = {"ratio": measure_ratio, "large": measure_large}[sys.argv[1]]
        print(json.dumps(measure(int(sys.argv[2]))))
