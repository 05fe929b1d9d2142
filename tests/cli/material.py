"""Graphs, files and dense truths for the tests of the command."""

from pathlib import Path

import numpy as np

CYCLE = [(i, (i + 1) % 12) for i in range(12)]
COMPLETE = [(i, j) for j in range(5) for i in range(j)]
STAR = [(0, i) for i in range(1, 6)]
CUBE = [(i, i ^ (1 << b)) for i in range(16) for b in range(4) if i < i ^ (1 << b)]
PETERSEN = [(i, (i + 1) % 5) for i in range(5)] + [(i, i + 5) for i in range(5)]
PETERSEN += [(5 + i, 5 + (i + 2) % 5) for i in range(5)]


def edge_file(path: Path, edges) -> str:
    path.write_text("".join(f"{i} {j}\n" for i, j in edges))
    return str(path)


def dense_adjacency(edges, num_nodes: int) -> np.ndarray:
    """D^-1/2 A D^-1/2 from its definition."""
    A = np.zeros((num_nodes, num_nodes))
    for i, j in edges:
        A[i, j] = A[j, i] = 1.0
    root = np.sqrt(A.sum(axis=0))
    return A / np.outer(root, root)


def apply_dense(edges, num_nodes: int, h, x: np.ndarray) -> np.ndarray:
    lam, U = np.linalg.eigh(dense_adjacency(edges, num_nodes))
    return U @ (h(lam)[:, None] * (U.T @ x.reshape(num_nodes, -1)))
