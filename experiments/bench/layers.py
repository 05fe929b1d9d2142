r"""One second-order layer, forward and backward, against PyTorch Geometric's.

The map is ``seed -> figures``. ``TAGConv(K=2)`` computes what ``SoGConv`` computes,
:math:`\sum_{k \le 2} A^k x \Theta_k + b`. Both get the same weights, the same x and the same
gradient, and both sides are normalized beforehand. PyG is measured twice: with edges and their
weights, as it is commonly used, and with a ``torch.sparse`` CSR matrix, its best case on the CPU.

Time is that of one forward and backward, in turns, the best of them. Memory is what torch has
allocated at most during one call. Outputs and all gradients are compared: the largest difference,
relative to the largest entry, has to be rounding.

    python -m experiments.bench layers

>>> LIMITS
{'speedup': 4.0, 'memory': 1.0}
"""

import json
import sys
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch import Tensor

from experiments.bench.edges import SIZES, random_edges, weights_of
from experiments.bench.timing import apart, in_turns, peak_bytes
from gcn.layers import SoGConv
from gcn.propagate import Prepared, prepare

__all__ = ["LIMITS", "difference", "rounding", "run", "same_weights", "sparse_matrix"]

LIMITS = {"speedup": 4.0, "memory": 1.0}
"""What must hold, against edges with weights: so many times faster, with less memory."""

CASES = ((SIZES[0], 30), (SIZES[2], 5))
"""Sizes, and how many turns."""


def run(seed: int = 0, threads: int | None = None) -> dict[str, Any]:
    """Return every figure: on one thread, and on as many as torch takes by itself."""
    several = threads or torch.get_num_threads()
    return {
        "runs": [apart("experiments.bench.layers", seed, threads=n) for n in sorted({1, several})]
    }


def measure(seed: int) -> dict[str, Any]:
    """Time the three layers in this process."""
    rows = [_case(seed, *size, turns) for size, turns in CASES]
    return {"threads": torch.get_num_threads(), "rows": rows}


def _case(seed: int, nodes: int, edges: int, channels: int, turns: int) -> dict[str, Any]:
    from torch_geometric.nn import TAGConv

    edge_index = random_edges(nodes, edges, seed)
    A = prepare(edge_index, nodes)
    torch.manual_seed(seed)
    ours = SoGConv(channels, channels)
    theirs = TAGConv(channels, channels, K=2, normalize=False)
    same_weights(ours, theirs)
    x = torch.randn(nodes, channels, requires_grad=True)
    g = torch.randn(nodes, channels)
    calls: dict[str, Callable[[], Tensor]] = {
        "ours": partial(ours, x, A),
        "edges": partial(theirs, x, edge_index, weights_of(A)),
        "csr": partial(theirs, x, sparse_matrix(A)),
    }

    def both_ways(name: str) -> list[Tensor]:
        layer = ours if name == "ours" else theirs
        for tensor in (x, *layer.parameters()):
            tensor.grad = None
        y = calls[name]()
        y.backward(g)
        return [y.detach(), *_gradients(x, layer)]

    actions = {name: partial(both_ways, name) for name in calls}
    wanted = actions["ours"]()
    found = {name: action() for name, action in actions.items()}
    times = in_turns(actions, turns)
    peaks = {name: peak_bytes(action) for name, action in actions.items()}
    peers = ("edges", "csr")
    return {
        "nodes": nodes,
        "edges": edges,
        "channels": channels,
        "seconds": times,
        "bytes": peaks,
        "speedup": {name: times[name] / times["ours"] for name in peers},
        "memory": {name: peaks["ours"] / peaks[name] for name in peers},
        "difference": max(difference(found[name], wanted) for name in peers),
        "rounding": rounding(nodes, edges, channels),
    }


def same_weights(ours: torch.nn.Module, theirs: torch.nn.Module) -> None:
    """Give a TAGConv the weights of a KOrderConv."""
    with torch.no_grad():
        for theta, linear in zip(ours.weight, theirs.lins, strict=True):
            linear.weight.copy_(theta.T)
        theirs.bias.copy_(ours.bias)


def _gradients(x: Tensor, layer: torch.nn.Module) -> list[Tensor]:
    """Gradients of x, Θ and b, in our shapes."""
    if isinstance(layer, SoGConv):
        theta = layer.weight.grad
    else:
        theta = torch.stack([linear.weight.grad.T for linear in layer.lins])
    return [x.grad, theta, layer.bias.grad]


def sparse_matrix(A: Prepared) -> Tensor:
    """Return A as a ``torch.sparse`` CSR matrix, with the index type that PyG's users have."""
    shape = (A.num_nodes, A.num_nodes)
    with warnings.catch_warnings():  # torch says once that these matrices are in beta
        warnings.simplefilter("ignore", UserWarning)
        return torch.sparse_csr_tensor(A.rowptr.long(), A.cols.long(), A.weight, shape)


def difference(found: list[Tensor], wanted: list[Tensor]) -> float:
    """Return the largest difference, each tensor's relative to its largest entry.

    >>> difference([torch.tensor([1.0, 4.0])], [torch.tensor([1.0, 8.0])])
    0.5
    """
    return max(
        round(float((f - w).abs().max() / w.abs().max()), 12)
        for f, w in zip(found, wanted, strict=True)
    )


def rounding(nodes: int, edges: int, channels: int) -> float:
    """Return what float32 may do to sums of so many terms.

    The longest sum is over all nodes, in the gradient of Θ; before it come two hops over a row each
    and a product over the channels. Rounding errors are independent, so each sum of n terms adds
    eps times the root of n.

    >>> rounding(10_000, 40_000, 16) < 1e-4
    True
    """
    terms = (nodes, edges / nodes, edges / nodes, channels)
    return float(torch.finfo(torch.float32).eps * sum(n**0.5 for n in terms))


if __name__ == "__main__":
    print(json.dumps(measure(int(sys.argv[1]))))
