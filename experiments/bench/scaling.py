r"""How the cost of a layer grows: with edges, and with its order.

The map is ``seed -> figures``:

* **edges**: one ``SoGConv`` forward and backward on random graphs of 10 thousand to 10 million
  edges, ten for each node; the slope of log time over log edges. Proportional growth has slope 1.
* **orders**: a layer of order K hops K times (a vanilla layer once), at a density like that of
  ogb-proteins, about 600 edges a node, where hops outweigh the products with :math:`\Theta_k`.
* **networks**: one step of the paper's three-layer networks for ogb-proteins on the same graph
  (Table 3), forward, backward and Adam. A hop costs in proportion to the channels it carries, and
  each layer hops on its narrower side, so what to expect is the number of hops times their
  channels: :func:`channel_hops`.

    python -m experiments.bench scaling
    python -m experiments.bench.scaling picture        draw docs/images/bench_scaling.png

>>> {name: channel_hops(*case) / channel_hops(*NETWORKS["vanilla"])
...     for name, case in NETWORKS.items()}
{'vanilla': 1.0, 'SoGCN': 1.702..., '4th order': 3.404..., '6th order': 5.106...}
"""

import json
import sys
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from experiments.bench.edges import random_edges
from experiments.bench.timing import apart, in_turns, slope
from experiments.record import RESULTS
from gcn.layers import KOrderConv, SoGConv, VanillaConv
from gcn.nets import KOrderGCN, VanillaGCN
from gcn.propagate import Prepared, prepare

__all__ = ["LIMITS", "NETWORKS", "PAPER", "PICTURE", "channel_hops", "draw", "run"]

LIMITS = {"slope": (0.85, 1.15), "order": 0.25}
"""What must hold: the slope, and how far time ratios may be from those of the hops.

A slope above 1 is the memory's doing: ten million edges gather from tens of megabytes, ten
thousand from a cache. A factor of two an edge over three decades is 0.1.
"""

EDGES = (10_000, 31_600, 100_000, 316_000, 1_000_000, 3_160_000, 10_000_000)
DEGREE, CHANNELS = 10, 16
DENSE = (3_313, 1_978_000)
"""Nodes and edges: a fortieth of ogb-proteins' 132,534 and 79,122,504, and so its density."""
ORDERS = {"vanilla": 1, "SoGCN": 2, "4th order": 4, "6th order": 6}
"""Hops a layer."""
NETWORKS = {
    name: (hops, (8, 256, 256, 112) if name == "vanilla" else (8, 200, 200, 112))
    for name, hops in ORDERS.items()
}
"""Hops a layer and widths of the networks of Table 3."""
PAPER = {"vanilla": 3.47, "SoGCN": 4.88, "4th order": 8.89, "6th order": 9.76}
"""Seconds an epoch, from Table 3."""
PICTURE = Path(__file__).resolve().parents[2] / "docs" / "images" / "bench_scaling.png"


def run(seed: int = 0, threads: int | None = None) -> dict[str, Any]:
    """Return every figure of this benchmark, as plain numbers."""
    return apart("experiments.bench.scaling", seed, threads=threads or torch.get_num_threads())


def channel_hops(hops: int, widths: tuple[int, ...]) -> int:
    """Return how many hops a network takes, each counted as often as it carries channels.

    >>> channel_hops(2, (8, 200, 200, 112))
    640
    """
    return sum(hops * min(pair) for pair in pairwise(widths))


def measure(seed: int) -> dict[str, Any]:
    """Time everything in this process."""
    grown = [_layer_on(edges, seed) for edges in EDGES]
    nodes, edges = DENSE
    A = prepare(random_edges(nodes, edges, seed), nodes)
    return {
        "threads": torch.get_num_threads(),
        "degree": DEGREE,
        "channels": CHANNELS,
        "edges": list(EDGES),
        "seconds": grown,
        "slope": slope(EDGES, grown),
        "dense": {"nodes": nodes, "edges": edges, "channels": CHANNELS},
        "orders": _orders(A, seed),
        "networks": _networks(A, seed),
    }


def _layer_on(edges: int, seed: int) -> float:
    """Seconds of one layer, forward and backward."""
    A = prepare(random_edges(edges // DEGREE, edges, seed), edges // DEGREE)
    action = _both_ways(SoGConv(CHANNELS, CHANNELS), A)
    # small ones are over at once, and their best is hidden in more noise
    return in_turns({"layer": action}, max(3, min(50, 5_000_000 // edges)))["layer"]


def _both_ways(layer: nn.Module, A: Prepared) -> Any:
    x = torch.randn(A.num_nodes, CHANNELS, requires_grad=True)
    g = torch.ones(A.num_nodes, CHANNELS)

    def action() -> None:
        x.grad = None
        layer.zero_grad()
        layer(x, A).backward(g)

    return action


def _orders(A: Prepared, seed: int) -> dict[str, float]:
    torch.manual_seed(seed)
    layers: dict[str, nn.Module] = {
        name: VanillaConv(CHANNELS, CHANNELS)
        if name == "vanilla"
        else KOrderConv(CHANNELS, CHANNELS, K=hops)
        for name, hops in ORDERS.items()
    }
    return in_turns({name: _both_ways(layer, A) for name, layer in layers.items()}, 15)


def _networks(A: Prepared, seed: int) -> dict[str, float]:
    torch.manual_seed(seed)
    options: dict[str, Any] = {"embedding": "none", "batch_norm": False, "activation": "relu"}
    actions = {}
    x, y = torch.randn(A.num_nodes, 8), torch.rand(A.num_nodes, 112).round()
    for name, (hops, widths) in NETWORKS.items():
        shape = (widths[0], widths[1], widths[-1], len(widths) - 1)
        if name == "vanilla":
            net: nn.Module = VanillaGCN(*shape, **options)
        else:
            net = KOrderGCN(*shape, K=hops, **options)
        actions[name] = partial(_step, net, torch.optim.Adam(net.parameters(), fused=True), A, x, y)
    return in_turns(actions, 3)


def _step(
    net: nn.Module, optimizer: torch.optim.Optimizer, A: Prepared, x: Tensor, y: Tensor
) -> None:
    optimizer.zero_grad()
    nn.functional.binary_cross_entropy_with_logits(net(x, A), y).backward()
    optimizer.step()


def draw(figures: dict[str, Any], path: Path = PICTURE) -> None:
    """Draw seconds over edges, with the line of slope 1 through the middle."""
    from matplotlib.figure import Figure

    edges, times = figures["edges"], figures["seconds"]
    middle = len(edges) // 2
    picture = Figure(figsize=(6, 3.6), layout="constrained")
    axes = picture.add_subplot()
    line = [times[middle] * n / edges[middle] for n in edges]
    axes.loglog(edges, line, color="#555555", linewidth=1, linestyle="--", label="slope 1")
    label = f"SoGConv, slope {figures['slope']:.2f}"
    axes.loglog(edges, times, color="#0072B2", marker="o", label=label)
    axes.set(
        xlabel="edges",
        ylabel="seconds, forward and backward",
        title=f"One layer of {figures['channels']} channels, {figures['degree']} edges a node",
    )
    axes.grid(True, color="#e8e8e8")
    axes.legend(frameon=False)
    picture.savefig(path, dpi=150)


if __name__ == "__main__":
    if sys.argv[1] == "picture":
        draw(json.loads((RESULTS / "bench_scaling.json").read_text()))
    else:
        print(json.dumps(measure(int(sys.argv[1]))))
