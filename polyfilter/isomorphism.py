r"""One block of each isomorphism class, as far as that is cheap to see.

The map is :math:`\{C_1, \dots, C_b\} \mapsto \{C_j : j \in J\}`, where every block that is left
out is isomorphic to one that is kept. Isomorphic blocks may both be kept, which costs time and
nothing else: two blocks are identified only when they are equal, entry by entry, in the orders
found.

All blocks are refined together:

1. *Colour.* A node's colour is a hash of its multiplicity and loop, then over and over of its
   colour and of the colours and weights around it (the Weisfeiler-Leman refinement).
2. *Leave.* A block whose multiset of colours no other block has is isomorphic to none of them.
3. *Compare.* A block whose colours are all different has its nodes put in the order of their
   colours, and is kept unless an equal one was.
4. *Choose.* In a block whose colours are no more than a round ago, one node of the smallest
   repeated colour gets a new one. In trees, cycles, cubes and wherever else nodes of a colour are
   images of each other under automorphisms, it does not matter which.
5. Go back to 1. Blocks that are still here after :func:`round_limit` rounds are kept.

>>> from polyfilter.graphs import Graph
>>> from polyfilter.quotient import stack
>>> one = Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)])
>>> other = Graph.from_edges([(3, 1), (1, 2), (2, 0), (0, 3), (3, 2)])
>>> distinct(stack([one, other])).num_blocks
1
"""

import numpy as np
from numpy.typing import NDArray

from polyfilter.quotient import Blocks, mix, row_sums

__all__ = ["distinct", "round_limit"]

Ints = NDArray[np.int64]
Words = NDArray[np.uint64]


def distinct(blocks: Blocks) -> Blocks:
    """Return ``blocks`` without some that are isomorphic to others, in the same order."""
    kept = np.ones(blocks.num_blocks, dtype=bool)
    seen: set[tuple[bytes, ...]] = set()
    active, names = blocks, np.arange(blocks.num_blocks)
    colour = mix(active.multiplicity.astype(np.uint64) ^ mix(active.loops.view(np.uint64)))
    count = np.zeros(blocks.num_blocks, dtype=np.int64)
    rounds = 0
    while active.num_blocks:
        rounds += 1
        colour = _refine(active, colour)
        order, repeated = _sort_colours(active, colour)
        starts, previous = active.offsets[:-1], count
        count = np.add.reduceat((~repeated).astype(np.int64), starts)
        signature = np.add.reduceat(mix(colour), starts)
        _, group, members = np.unique(signature, return_inverse=True, return_counts=True)
        shared = members[group] > 1
        discrete = count == active.sizes
        ready = shared & discrete
        for name, key in zip(names[ready], _keys(active, order, ready), strict=True):
            kept[name] = key not in seen
            seen.add(key)
        going = shared & ~discrete & (rounds < round_limit(active.sizes))
        _individualize(active, colour, order, repeated, going & (count == previous))
        if not going.all():
            colour, chosen = colour[going[active.owner]], np.flatnonzero(going)
            active, names, count = active.pick(chosen), names[chosen], count[chosen]
    return blocks if kept.all() else blocks.pick(np.flatnonzero(kept))


def round_limit(nodes: Ints) -> Ints:
    """Return how many rounds blocks of so many nodes are worth.

    A round sorts, which takes about as long as three Krylov steps. A minimal polynomial takes as
    many of those as there are nodes, for each of two primes. So a third as many rounds as nodes
    cost half of what a merge saves. Small blocks are through after sixteen rounds, or hard.

    >>> round_limit(np.array([10, 300])).tolist()
    [16, 100]
    """
    return np.maximum(16, nodes // 3)


def _refine(blocks: Blocks, colour: Words) -> Words:
    """Return the next colour of each node: a hash of its own and of those around it."""
    around = mix(colour[blocks.indices] + mix(blocks.weights.view(np.uint64)))
    return mix(colour ^ mix(row_sums(around, blocks.indptr)))


def _sort_colours(blocks: Blocks, colour: Words) -> tuple[Ints, NDArray[np.bool_]]:
    """Return each block's nodes in order of colour, and which of them repeat the one before."""
    order = np.lexsort((colour, blocks.owner))
    ranked = colour[order]
    repeated = np.append(False, ranked[1:] == ranked[:-1])
    repeated[blocks.offsets[:-1]] = False
    return order, repeated


def _individualize(
    blocks: Blocks,
    colour: Words,
    order: Ints,
    repeated: NDArray[np.bool_],
    stuck: NDArray[np.bool_],
) -> None:
    """Give one node of the smallest repeated colour of each stuck block a colour of its own."""
    places = np.flatnonzero(repeated & stuck[blocks.owner])
    owner = blocks.owner[places]
    chosen = order[places[np.append(True, owner[1:] != owner[:-1])[: len(owner)]]]
    colour[chosen] = mix(~colour[chosen])


def _keys(blocks: Blocks, order: Ints, which: NDArray[np.bool_]) -> list[tuple[bytes, ...]]:
    """Return for some of the blocks all that they are made of, nodes in the order given."""
    chosen = np.flatnonzero(which)
    ordered = blocks.select(order[which[blocks.owner]], blocks.sizes[chosen])
    bounds = ordered.offsets
    entries = ordered.indptr[bounds]
    degrees = np.diff(ordered.indptr)
    local = ordered.indices - np.repeat(bounds[:-1], np.diff(entries))
    return [
        (
            degrees[a:b].tobytes(),
            ordered.multiplicity[a:b].tobytes(),
            ordered.loops[a:b].tobytes(),
            local[c:d].tobytes(),
            ordered.weights[c:d].tobytes(),
        )
        for a, b, c, d in zip(bounds[:-1], bounds[1:], entries[:-1], entries[1:], strict=True)
    ]
