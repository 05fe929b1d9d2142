r"""A stack as a network, in float32, against the dense truth.

The map is ``seed -> figures``: the paper's three responses at several degrees, factored, made a
network by :func:`gcn.bridge.network`, and applied to a white signal on a random graph of 1,500
nodes. Beside it the same layers in powers of A, without the shift to their dips.

>>> LIMITS["float32"]
{512: 1e-05}
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

import polyfilter as pf
from experiments.bench.factorization import RESPONSES, Truth
from gcn import bridge, prepare_graphs
from gcn.layers import KOrderConv
from gcn.nets import GraphNetwork

__all__ = ["LIMITS", "run"]

DEGREES = (32, 128, 512)
LIMITS = {"float32": {512: 1e-5}}
"""What must hold."""


def run(seed: int = 0, say: Callable[[str], None] = print) -> dict[str, Any]:
    """Return every figure of this benchmark, as plain numbers."""
    truth = Truth(seed)
    A = prepare_graphs(truth.graph)
    x = torch.from_numpy(truth.signal.astype(np.float32))[:, None]
    rows = []
    for name, response in RESPONSES.items():
        for degree in DEGREES:
            h = pf.design.interpolate(response, degree)
            net = bridge.network(pf.factorize(h))
            with torch.no_grad():
                shifted = truth.error(net(x, A)[:, 0].numpy(), h)
                powers = truth.error(_in_powers(net)(x, A)[:, 0].numpy(), h)
            rows.append(
                {
                    "response": name,
                    "degree": degree,
                    "layers": net.num_layers,
                    "float32": shifted,
                    "float32_power_form": powers,
                }
            )
            say(f"  {name} {degree}: {shifted:.1e}, in powers of A {powers:.1e}")
    return {"bridge": rows}


@torch.no_grad()
def _in_powers(net: GraphNetwork) -> GraphNetwork:
    """Return the network with its layers expanded in powers of A, in float64, and rounded."""
    for block in net.blocks:
        assert isinstance(block.conv, KOrderConv)
        theta = block.conv.double().matrix_polynomial()
        block.conv.shift = None
        block.conv.weight.copy_(theta)
        block.conv.float()
    return net
