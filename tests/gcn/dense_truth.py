"""The operator as a dense float64 matrix, graphs to try it on, and how far rounding may go."""

from dataclasses import dataclass

import numpy as np
import torch
from hypothesis import strategies as st
from torch import Tensor

from polyfilter.graphs import Graph

DTYPES = (torch.float32, torch.float64, torch.bfloat16)


@dataclass(frozen=True)
class Arcs:
    """Directed edges: what ``prepare`` takes."""

    index: Tensor
    num_nodes: int
    weight: Tensor | None = None

    def matrix(self, operator: str = "symmetric") -> Tensor:
        """Return the operator, entry by entry in float64, as its definition says."""
        n = self.num_nodes
        W = torch.zeros(n, n, dtype=torch.float64)
        weights = [1.0] * self.index.shape[1] if self.weight is None else self.weight.tolist()
        for source, target, w in zip(*self.index.tolist(), weights, strict=True):
            W[target, source] += w
        degree = W.sum(1)
        inverse = torch.where(degree > 0, 1 / degree, 0)
        if operator == "symmetric":
            return inverse.sqrt()[:, None] * W * inverse.sqrt()
        return inverse[:, None] * W if operator == "mean" else W

    def weights(self, dtype: torch.dtype, device: torch.device) -> Tensor | None:
        return None if self.weight is None else self.weight.to(device, dtype)


def undirected(pairs: list[tuple[int, int]], n: int, weights: list[float] | None = None) -> Arcs:
    """List each edge in both directions, and a loop once."""
    ways = [(i, j, k) for k, (i, j) in enumerate(pairs)]
    ways += [(j, i, k) for i, j, k in ways if i != j]
    index = torch.tensor([(i, j) for i, j, _ in ways], dtype=torch.int64).reshape(-1, 2).T
    if weights is None:
        return Arcs(index, n)
    return Arcs(index, n, torch.tensor([weights[k] for *_, k in ways], dtype=torch.float64))


def random_graph(n: int, p: float, seed: int = 0) -> Arcs:
    draws = np.random.default_rng(seed).random((n, n))
    return undirected([(i, j) for i in range(n) for j in range(i) if draws[i, j] < p], n)


CASES = {
    "path": undirected([(0, 1), (1, 2)], 3),
    "one node": undirected([], 1),
    "no edges": undirected([], 4),
    "isolated nodes": undirected([(1, 3), (3, 4)], 6),
    "self-loops": undirected([(0, 0), (0, 1), (2, 2)], 3),
    "multi-edges": undirected([(0, 1), (0, 1), (1, 2)], 3),
    # multiples of 1/8, so that they are the same numbers in half precision
    "weighted": undirected([(0, 1), (1, 2), (0, 2), (2, 3)], 5, [0.125, 3.0, 2.5, 1.75]),
    "weight zero": undirected([(0, 1), (1, 2)], 4, [0.0, 2.0]),
    "hub": undirected([(0, i) for i in range(1, 600)], 600),
    "random": random_graph(40, 0.1),
}
DIRECTED = {
    "one way": Arcs(torch.tensor([[0, 1, 2, 0], [1, 2, 0, 2]]), 4),
    "weights differ": Arcs(
        torch.tensor([[0, 1, 1, 2, 1], [1, 0, 2, 1, 0]]),
        3,
        torch.tensor([1.0, 2.0, 0.5, 0.5, 0.25], dtype=torch.float64),
    ),
}


@st.composite
def arcs(draw: st.DrawFn, max_nodes: int = 6, weighted: bool | None = None) -> Arcs:
    """Draw directed edges, some of them several times, with or without weights."""
    n = draw(st.integers(1, max_nodes))
    node = st.integers(0, n - 1)
    pairs = draw(st.lists(st.tuples(node, node), max_size=12))
    index = torch.tensor(pairs, dtype=torch.int64).reshape(-1, 2).T
    if not (draw(st.booleans()) if weighted is None else weighted):
        return Arcs(index, n)
    values = st.floats(2**-10, 2**10)
    weights = draw(st.lists(values, min_size=len(pairs), max_size=len(pairs)))
    return Arcs(index, n, torch.tensor(weights, dtype=torch.float64))


def of_graph(graph: Graph) -> Arcs:
    pairs, weights = graph.edges()
    return undirected([(int(i), int(j)) for i, j in pairs], graph.num_nodes, weights.tolist())


def signal(n: int, channels: int, seed: int = 0, dtype: torch.dtype = torch.float64) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(n, channels, generator=generator, dtype=torch.float64).to(dtype)


def hop_tolerance(case: Arcs, A: Tensor, x: Tensor) -> Tensor:
    """Bound the rounding of each entry of A x by that of its sum, (d + O(1)) eps |A| |x|.

    A degree is a sum of d terms; its power, two products and the sum of d products follow: in all
    2 d roundings and eight more. Half precision only stores: an entry of A, a product and the
    result are rounded, and sums are taken in float32.
    """
    d = int(
        torch.stack([torch.bincount(ends, minlength=case.num_nodes) for ends in case.index]).max()
    )
    eps = torch.finfo(torch.promote_types(x.dtype, torch.float32)).eps
    relative = (2 * d + 8) * eps
    if x.dtype == torch.bfloat16:
        relative += 3 * torch.finfo(x.dtype).eps
    return relative * (A.abs() @ x.double().abs())


def polynomial_scale(A: Tensor, x: Tensor, theta: Tensor) -> float:
    """Return Σ_k ‖A‖^k ‖x‖ ‖Θ_k‖, which bounds the norm of Σ_k A^k x Θ_k and of all its parts."""
    norm = float(torch.linalg.matrix_norm(A, 2)) if A.numel() else 0.0
    return float(sum(norm**k * x.norm() * t.norm() for k, t in enumerate(theta)))


def polynomial_tolerance(A: Tensor, x: Tensor, theta: Tensor, dtype: torch.dtype) -> float:
    """Bound the rounding of a layer and of its truth.

    Each of K hops has rows of at most n entries, each product with Θ_k has `in` terms, and the
    eigendecomposition is backward stable: (K + 1)(4 n + in + 8) eps in all.
    """
    degree, width, n = len(theta) - 1, theta.shape[1], len(A)
    eps = torch.finfo(dtype).eps
    return (degree + 1) * (4 * n + width + 8) * eps * (1 + polynomial_scale(A, x, theta))


def spectral(A: Tensor, x: Tensor, theta: Tensor) -> Tensor:
    """Return U p(Λ) Uᵀ x, that is Σ_k U Λ^k Uᵀ x Θ_k, for a symmetric A."""
    values, U = torch.linalg.eigh(A)
    parts = [U @ (values[:, None] ** k * (U.T @ x)) @ t for k, t in enumerate(theta)]
    return torch.stack(parts).sum(0)
