"""Layers, one file each; all are called ``layer(x, edge_index)`` or ``layer(x, prepared)``."""

from gcn.layers.base import Convolution
from gcn.layers.bond import BondConv
from gcn.layers.first_order import FirstOrderConv
from gcn.layers.gin import GINConv
from gcn.layers.gru import GRU
from gcn.layers.korder import KOrderConv
from gcn.layers.sogc import SoGConv
from gcn.layers.vanilla import VanillaConv

__all__ = [
    "GRU",
    "BondConv",
    "Convolution",
    "FirstOrderConv",
    "GINConv",
    "KOrderConv",
    "SoGConv",
    "VanillaConv",
]
