r"""One hop, :math:`x \mapsto A x`, by each kernel.

The map is ``seed -> figures``: four sizes in float32, forward only, all kernels on the same
prepared edges in turns. Every kernel's result is compared with that of ``fused``.

    python -m experiments.bench hop

>>> LIMITS
{'fused_ahead': 1.0}
"""

import json
import sys
from functools import partial
from typing import Any

import torch

from experiments.bench.edges import SIZES, random_edges
from experiments.bench.timing import apart, in_turns
from gcn.propagate import KERNELS, prepare

__all__ = ["LIMITS", "run"]

LIMITS = {"fused_ahead": 1.0}
"""What must hold: the default on the CPU is the fastest, at every size."""

TURNS = {51_200: 15, 1_000_000: 5, 10_000_000: 3}


def run(seed: int = 0, threads: int | None = None) -> dict[str, Any]:
    """Return every figure of this benchmark, as plain numbers."""
    return apart("experiments.bench.hop", seed, threads=threads or torch.get_num_threads())


def measure(seed: int) -> dict[str, Any]:
    """Time the kernels at all sizes in this process."""
    rows = []
    for nodes, edges, channels in SIZES:
        edge_index = random_edges(nodes, edges, seed)
        x = torch.randn(nodes, channels, generator=torch.Generator().manual_seed(seed))
        matrices = {name: prepare(edge_index, nodes, kernel=name) for name in KERNELS}
        values = {name: A.propagate(x) for name, A in matrices.items()}
        largest = float(values["fused"].abs().max())
        times = in_turns(
            {name: partial(A.propagate, x) for name, A in matrices.items()}, TURNS[edges]
        )
        rows.append(
            {
                "nodes": nodes,
                "edges": edges,
                "channels": channels,
                "seconds": times,
                "ratio": {name: value / times["fused"] for name, value in times.items()},
                "difference": max(
                    float((value - values["fused"]).abs().max()) / largest
                    for value in values.values()
                ),
            }
        )
    return {"threads": torch.get_num_threads(), "rows": rows}


if __name__ == "__main__":
    print(json.dumps(measure(int(sys.argv[1]))))
