r"""The paper's own networks, planned: vanilla GCN, GIN, and layers of order one, two, four and six.

They are those of :mod:`gcn.nets` with the shell of their task. On molhiv the layers embed edges:
those of order K as :class:`~gcn.layers.bond.BondConv` does, vanilla and GIN as OGB's example code
does, which the paper adopts.

>>> from gcn.data.dataset import Task
>>> task = Task("zinc", "ZINC", "mae", "sum", in_channels=(28,), out_channels=1)
>>> korder(2)(Plan(task, layers=16, width=95, gru=True))
SoGCN(1, 95, 1, num_layers=16): 500,780 parameters
"""

from collections.abc import Callable
from functools import partial

from gcn.nets import GIN, GraphNetwork, KOrderGCN, SoGCN, VanillaGCN
from gcn.zoo.bond_gin import BondGIN
from gcn.zoo.bond_vanilla import BondVanilla
from gcn.zoo.plan import Plan
from gcn.zoo.wired import WiredNetwork

__all__ = ["Maker", "gin", "korder", "vanilla"]

Maker = Callable[[Plan], GraphNetwork]


def vanilla(plan: Plan) -> GraphNetwork:
    """Return a network of vanilla layers.

    Examples
    --------
    >>> from gcn.data.dataset import Task
    >>> task = Task("mnist", "MNIST", "cross_entropy", "mean", in_channels=3, out_channels=10)
    >>> vanilla(Plan(task, layers=4, width=146))
    VanillaGCN(3, 146, 10, num_layers=4): 101,365 parameters
    """
    if plan.bonds is not None:
        return WiredNetwork(partial(BondVanilla, bonds=plan.bonds), **plan.options())
    return VanillaGCN(**plan.options())


def gin(plan: Plan) -> GraphNetwork:
    """Return a network of GIN layers, which sum over neighbours, as GIN is published.

    Examples
    --------
    >>> from gcn.data.dataset import Task
    >>> task = Task("mnist", "MNIST", "cross_entropy", "mean", in_channels=3, out_channels=10)
    >>> gin(Plan(task, layers=4, width=146)).operator
    'sum'
    """
    if plan.bonds is not None:
        return WiredNetwork(partial(BondGIN, bonds=plan.bonds), operator="sum", **plan.options())
    return GIN(operator="sum", **plan.options())


def korder(K: int) -> Maker:
    """Return what makes networks of layers of order K.

    Examples
    --------
    >>> from gcn.data.dataset import Task
    >>> task = Task("mnist", "MNIST", "cross_entropy", "mean", in_channels=3, out_channels=10)
    >>> korder(4)(Plan(task, layers=4, width=70))
    KOrderGCN(3, 70, 10, num_layers=4, K=4): 102,397 parameters
    """

    def make(plan: Plan) -> GraphNetwork:
        if K == 2 and plan.bonds is None:
            return SoGCN(**plan.options())
        return KOrderGCN(K=K, bonds=plan.bonds, **plan.options())

    return make
