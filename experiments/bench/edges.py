"""Random graphs for benchmarks of networks.

The map is ``nodes, edges, seed -> edge_index``: pairs drawn at random, each listed in both
directions, no self-loops. A random graph has no locality, which is the worst case for caches.

>>> random_edges(10, 40, seed=0).shape
torch.Size([2, 40])
"""

import torch
from torch import Tensor

from gcn.propagate import Prepared

__all__ = ["SIZES", "random_edges", "size_name", "weights_of"]

SIZES = (
    (12_800, 51_200, 16),
    (12_800, 51_200, 96),
    (100_000, 1_000_000, 64),
    (1_000_000, 10_000_000, 16),
)
"""Nodes, edges (both directions counted) and channels of the usual four cases."""


def random_edges(nodes: int, edges: int, seed: int) -> Tensor:
    """Return exactly so many directed edges; an undirected one may come twice."""
    generator = torch.Generator().manual_seed(seed)
    source = torch.randint(nodes, (edges // 2,), generator=generator)
    step = torch.randint(1, nodes, (edges // 2,), generator=generator)
    pairs = torch.stack([source, (source + step) % nodes])
    return torch.cat([pairs, pairs.flip(0)], 1)


def weights_of(prepared: Prepared) -> Tensor:
    """Return the normalized weight of each edge, in the order of the ``edge_index`` it came from.

    >>> from gcn.propagate import prepare
    >>> weights_of(prepare(torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]), 3)).square()
    tensor([0.5000, 0.5000, 0.5000, 0.5000])
    """
    weights = torch.empty_like(prepared.weight)
    weights[prepared.order] = prepared.weight
    return weights


def size_name(nodes: int, edges: int, channels: int) -> str:
    """Return a size in words.

    >>> size_name(12_800, 51_200, 16)
    '12,800 nodes, 51,200 edges, 16 channels'
    """
    return f"{nodes:,} nodes, {edges:,} edges, {channels} channels"
