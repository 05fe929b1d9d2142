r"""Graph convolutional networks on :mod:`polyfilter`: layers, networks, and the bridge to filters.

>>> import torch
>>> import gcn
>>> net = gcn.SoGCN(1, 16, 1, num_layers=16)                # Table 2's network
>>> net
SoGCN(1, 16, 1, num_layers=16): 12,323 parameters
>>> ring = torch.tensor([[i, (i + 1) % 30] for i in range(30)]).T
>>> batch = gcn.prepare(torch.cat((ring, ring.flip(0)), dim=1), num_nodes=30)
>>> net(torch.ones(30, 1), batch).shape
torch.Size([30, 1])

:mod:`gcn.bridge` turns a stack into a network, :mod:`gcn.probe` a network into its response,
:mod:`gcn.train` trains, and :mod:`gcn.portable` writes a network for machines without this package.
"""

try:
    import torch as _torch  # noqa: F401
except ImportError as _error:
    # with its name, `python -m gcn.train` says it in one line
    _words = "gcn stands on torch: pip install 'polyfilter[gcn]'"
    raise ImportError(_words, name="gcn") from _error

from gcn.layers import (
    GRU,
    BondConv,
    FirstOrderConv,
    GINConv,
    KOrderConv,
    SoGConv,
    VanillaConv,
)
from gcn.nets import GIN, GraphNetwork, KOrderGCN, SoGCN, VanillaGCN
from gcn.propagate import Prepared, prepare, prepare_graphs

__all__ = [
    "GIN",
    "GRU",
    "BondConv",
    "FirstOrderConv",
    "GINConv",
    "GraphNetwork",
    "KOrderConv",
    "KOrderGCN",
    "Prepared",
    "SoGCN",
    "SoGConv",
    "VanillaConv",
    "VanillaGCN",
    "prepare",
    "prepare_graphs",
]
