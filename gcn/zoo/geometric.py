r"""Networks of PyTorch Geometric's layers, planned, and those made by hand.

Each function is a map ``plan -> network``. Numbers that a layer needs are those of the authors'
release where it runs the layer, and of the layer's paper elsewhere.

>>> from gcn.data.dataset import Task
>>> task = Task("cluster", "CLUSTER", "balanced_cross_entropy", "node", (7,), 6)
>>> gat(Plan(task, layers=4, width=152))
WiredNetwork(1, 152, 6, num_layers=4, conv=GATConv): 111,308 parameters
"""

from collections.abc import Callable
from functools import partial
from itertools import count
from typing import Any

from torch import Tensor, nn

from gcn.encoders import CategoryEncoder
from gcn.nets import GraphNetwork, KOrderGCN
from gcn.norm import BatchNorm
from gcn.zoo.foreign import Attributed, Foreign, Growing, Initial, Predict, Pseudo, geometric
from gcn.zoo.gpr import GPRWalk
from gcn.zoo.lanczos import LanczosConv, ritz_pairs
from gcn.zoo.plan import Plan
from gcn.zoo.ppgn import PPGN
from gcn.zoo.wired import WiredNetwork

__all__ = [
    "HEADS",
    "POWERS",
    "Jump",
    "appnp_walk",
    "bond_of",
    "gat",
    "gated",
    "gcnii",
    "gin_mlp",
    "gpr_walk",
    "jknet",
    "krylov",
    "lanczosnet",
    "mixhop",
    "monet",
    "plain",
    "ppgn",
    "predicting",
    "sgc",
    "snowball",
]

HEADS = 8
"""Attention heads of GAT, as in the benchmark."""
POWERS = (0, 1, 2)
"""What MixHop mixes, as published."""


class Jump(nn.Module):
    """One signal of many: side by side (PyTorch Geometric's JumpingKnowledge), and a linear map.

    Examples
    --------
    >>> import torch
    >>> Jump(signals=2, channels=3)([torch.zeros(5, 3), torch.ones(5, 3)]).shape
    torch.Size([5, 3])
    """

    def __init__(self, signals: int, channels: int) -> None:
        super().__init__()
        self.knowledge = geometric().JumpingKnowledge("cat")
        self.linear = nn.Linear(signals * channels, channels)

    def forward(self, signals: list[Tensor]) -> Tensor:
        """Return one signal."""
        y: Tensor = self.linear(self.knowledge(signals))
        return y


def bond_of(plan: Plan, channels: int) -> CategoryEncoder | None:
    """Return what embeds the edges of a task, if its layers do so.

    Examples
    --------
    >>> from gcn.data.dataset import Task
    >>> bond_of(Plan(Task("zinc", "ZINC", "mae", "sum", (28,), 1, (4,)), 16, 95), 95) is None
    True
    """
    return None if plan.bonds is None else CategoryEncoder(plan.bonds, channels)


def plain(name: str, sends: str = "in", **numbers: Any) -> Callable[[Plan], GraphNetwork]:
    """Return what makes networks of a layer that is called ``layer(x, edge_index)``.

    Parameters
    ----------
    name
        The layer's, in ``torch_geometric.nn``.
    sends
        Whether messages are as wide as what comes "in" or what goes "out".
    numbers
        What the layer is made with besides its widths.

    Examples
    --------
    >>> from gcn.data.dataset import Task
    >>> task = Task("mnist", "MNIST", "cross_entropy", "mean", in_channels=3, out_channels=10)
    >>> plain("TAGConv", K=3)(Plan(task, layers=4, width=78))
    WiredNetwork(3, 78, 10, num_layers=4, conv=TAGConv): 102,633 parameters
    """

    def make(plan: Plan) -> GraphNetwork:
        def conv(i: int, o: int) -> nn.Module:
            layer = getattr(geometric(), name)(i, o, **numbers)
            return Foreign(layer, bond_of(plan, i if sends == "in" else o))

        return WiredNetwork(conv, **plan.options())

    return make


def gat(plan: Plan) -> GraphNetwork:
    """Return a network of attention layers; attention looks at edges where they have features.

    Examples
    --------
    >>> from gcn.data.zinc import TASK
    >>> gat(Plan(TASK, layers=16, width=160))
    WiredNetwork(1, 160, 1, num_layers=16, conv=GATConv): 443,041 parameters
    """

    def conv(i: int, o: int) -> nn.Module:
        heads, wide = (HEADS, o // HEADS) if o % HEADS == 0 else (1, o)
        bond = bond_of(plan, i)
        edge_dim = None if bond is None else i
        return Attributed(geometric().GATConv(i, wide, heads, edge_dim=edge_dim), bond)

    return WiredNetwork(conv, **plan.options())


def gated(plan: Plan) -> GraphNetwork:
    """Return a network of GatedGCN layers; gates look at edges where they have features.

    Examples
    --------
    >>> from gcn.data.zinc import TASK
    >>> gated(Plan(TASK, layers=16, width=85))
    WiredNetwork(1, 85, 1, num_layers=16, conv=ResGatedGraphConv): 477,477 parameters
    """

    def conv(i: int, o: int) -> nn.Module:
        bond = bond_of(plan, i)
        edge_dim = None if bond is None else i
        return Attributed(geometric().ResGatedGraphConv(i, o, edge_dim=edge_dim), bond)

    return WiredNetwork(conv, **plan.options())


def monet(plan: Plan) -> GraphNetwork:
    """Return a network of Gaussian mixture layers: three kernels in two coordinates.

    Examples
    --------
    >>> from gcn.data.zinc import TASK
    >>> monet(Plan(TASK, layers=16, width=86))
    WiredNetwork(1, 86, 1, num_layers=16, conv=GMMConv): 484,855 parameters
    """

    def conv(i: int, o: int) -> nn.Module:
        layer = geometric().GMMConv(i, o, dim=2, kernel_size=3, aggr="add")
        # what it sends is three times as wide as what comes out
        return Pseudo(layer, 2, bond_of(plan, 3 * o))

    return WiredNetwork(conv, **plan.options())


def gin_mlp(plan: Plan) -> GraphNetwork:
    """Return a network of GIN layers with an MLP of two layers.

    Examples
    --------
    >>> from gcn.data.zinc import TASK
    >>> gin_mlp(Plan(TASK, layers=16, width=120))
    WiredNetwork(1, 120, 1, num_layers=16, conv=GINConv): 484,817 parameters
    """

    def conv(i: int, o: int) -> nn.Module:
        mlp = nn.Sequential(nn.Linear(i, o), BatchNorm(o), nn.ReLU(), nn.Linear(o, o))
        return Foreign(geometric().GINConv(mlp, train_eps=True), bond_of(plan, i))

    return WiredNetwork(conv, **plan.options())


def gcnii(shared: bool) -> Callable[[Plan], GraphNetwork]:
    """Return what makes networks of GCNII layers, or of GCNII* layers if weights aren't shared.

    Where nothing embeds features, a vanilla layer comes before and another one after.

    Examples
    --------
    >>> from gcn.data.zinc import TASK
    >>> gcnii(shared=False)(Plan(TASK, layers=16, width=122))
    WiredNetwork(1, 122, 1, num_layers=16, conv=GCN2Conv): 493,002 parameters
    """

    def make(plan: Plan) -> GraphNetwork:
        bare = not plan.shell.embedding
        numbers = count(1 - bare)

        def conv(i: int, o: int) -> nn.Module:
            number = next(numbers)
            if not 1 <= number <= plan.layers:
                return Foreign(geometric().GCNConv(i, o))
            bond = bond_of(plan, i)
            layer = geometric().GCN2Conv(
                i, 0.5, theta=1.0, layer=number, shared_weights=shared, add_self_loops=bond is None
            )
            return Initial(layer, bond)

        layers = plan.layers + 2 * bare
        return WiredNetwork(conv, **plan.options(num_layers=layers, residual=False))

    return make


def predicting(walk: Callable[[Plan, int], nn.Module]) -> Callable[[Plan], GraphNetwork]:
    """Return what makes networks of three linear maps and a walk of as many steps as layers.

    Examples
    --------
    >>> from gcn.data.zinc import TASK
    >>> predicting(appnp_walk)(Plan(TASK, layers=16, width=364))
    WiredNetwork(1, 364, 1, num_layers=3, conv=Predict): 491,947 parameters
    """

    def make(plan: Plan) -> GraphNetwork:
        numbers = count(1)

        def conv(i: int, o: int) -> nn.Module:
            return Predict(i, o, walk(plan, o) if next(numbers) == 3 else None)

        changes = {"num_layers": 3, "batch_norm": False, "residual": False, "activate_last": False}
        return WiredNetwork(conv, **plan.options(**changes))

    return make


def appnp_walk(plan: Plan, channels: int) -> nn.Module:
    """Return the walk of APPNP, back to where it began with probability 0.1.

    Examples
    --------
    >>> from gcn.data.zinc import TASK
    >>> appnp_walk(Plan(TASK, layers=16, width=95), 95).layer
    APPNP(K=16, alpha=0.1)
    """
    bond = bond_of(plan, channels)
    layer = geometric().APPNP(plan.layers, 0.1, plan.dropout, add_self_loops=bond is None)
    return Foreign(layer, bond)


def gpr_walk(plan: Plan, channels: int) -> nn.Module:
    """Return the walk of GPR-GNN.

    Examples
    --------
    >>> from gcn.data.zinc import TASK
    >>> gpr_walk(Plan(TASK, layers=16, width=95), 95).K
    16
    """
    return GPRWalk(plan.layers, 0.1, bond_of(plan, channels))


def sgc(plan: Plan) -> GraphNetwork:
    """Return one layer with one weight and as many hops as others have layers.

    Examples
    --------
    >>> from gcn.data.zinc import TASK
    >>> sgc(Plan(TASK, layers=16, width=546))
    WiredNetwork(1, 546, 1, num_layers=1, conv=SGConv): 501,774 parameters
    """

    def conv(i: int, o: int) -> nn.Module:
        bond = bond_of(plan, i)
        return Foreign(geometric().SGConv(i, o, plan.layers, add_self_loops=bond is None), bond)

    changes = {"num_layers": 1, "residual": False, "activate_last": False}
    return WiredNetwork(conv, **plan.options(**changes))


def mixhop(plan: Plan) -> GraphNetwork:
    """Return a network of MixHop layers, a third of the width for each power; a head answers.

    Examples
    --------
    >>> from gcn.data.zinc import TASK
    >>> mixhop(Plan(TASK, layers=16, width=171))
    WiredNetwork(1, 171, 1, num_layers=16, conv=MixHopConv): 499,127 parameters
    """

    def conv(i: int, o: int) -> nn.Module:
        bond = bond_of(plan, i)
        layer = geometric().MixHopConv(
            i, o // len(POWERS), list(POWERS), add_self_loops=bond is None
        )
        return Foreign(layer, bond)

    return WiredNetwork(conv, **plan.options(**_headed(plan)))


def jknet(plan: Plan) -> GraphNetwork:
    """Return a network of vanilla layers whose signals are all read out.

    Examples
    --------
    >>> from gcn.data.zinc import TASK
    >>> jknet(Plan(TASK, layers=16, width=122))
    WiredNetwork(1, 122, 1, num_layers=16, conv=GCNConv): 495,076 parameters
    """

    def conv(i: int, o: int) -> nn.Module:
        return Foreign(geometric().GCNConv(i, o), bond_of(plan, o))

    jump = Jump(plan.layers, plan.width)
    return WiredNetwork(conv, jump=jump, **plan.options(**_headed(plan)))


def snowball(plan: Plan) -> GraphNetwork:
    """Return a network whose layers see what all earlier ones were given, all read out.

    Examples
    --------
    >>> from gcn.data.zinc import TASK
    >>> snowball(Plan(TASK, layers=16, width=56))
    WiredNetwork(1, 56, 1, num_layers=16, conv=GCNConv): 483,001 parameters
    """
    first = plan.width if plan.shell.embedding else plan.in_channels
    widths = count(first, plan.width)

    def conv(_: int, o: int) -> nn.Module:
        return Growing(geometric().GCNConv(next(widths), o), bond_of(plan, o))

    changes = {"residual": False, "activation": "tanh", **_headed(plan)}
    return WiredNetwork(conv, jump=Jump(plan.layers, plan.width), **plan.options(**changes))


def krylov(plan: Plan) -> GraphNetwork:
    """Return a network of truncated block Krylov layers of four blocks: order 3, and tanh.

    Examples
    --------
    >>> from gcn.data.zinc import TASK
    >>> krylov(Plan(TASK, layers=16, width=87))
    KOrderGCN(1, 87, 1, num_layers=16, K=3): 495,758 parameters
    """
    return KOrderGCN(K=3, bonds=plan.bonds, **plan.options(activation="tanh"))


def lanczosnet(plan: Plan) -> GraphNetwork:
    """Return a network of filters on approximate eigenvectors.

    Examples
    --------
    >>> from gcn.data.zinc import TASK
    >>> lanczosnet(Plan(TASK, layers=16, width=58))
    WiredNetwork(1, 58, 1, num_layers=16, conv=LanczosConv): 493,866 parameters
    """
    return WiredNetwork(LanczosConv, share=ritz_pairs, **plan.options())


def ppgn(plan: Plan) -> GraphNetwork:
    """Return a network of dense tensors, one block for each layer.

    Examples
    --------
    >>> from gcn.data.zinc import TASK
    >>> ppgn(Plan(TASK, layers=3, width=141))
    WiredNetwork(1, 141, 1, num_layers=1, conv=PPGN): 496,232 parameters
    """
    conv = partial(PPGN, blocks=plan.layers, bonds=plan.bonds)
    changes = {"num_layers": 1, "batch_norm": False, "residual": False, "activate_last": False}
    return WiredNetwork(conv, **plan.options(**changes))


def _headed(plan: Plan) -> dict[str, Any]:
    """Return what lets a linear head answer where the last layer can't."""
    return {"head": "linear"} if plan.shell.head == "none" else {}
