r"""The models, by name: what tables call them, which A they want, where they fit and where not.

The map is ``name -> model``.

>>> MODELS["sogcn"].title, MODELS["sogcn"].operator
('SoGCN', 'symmetric')
>>> [name for name, model in MODELS.items() if model.family == "ours"]
['vanilla', 'vanilla-mean', 'gin', 'first-order', 'sogcn', 'order-4', 'order-6']
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from gcn.nets import GraphNetwork, VanillaGCN
from gcn.zoo.geometric import (
    HEADS,
    POWERS,
    appnp_walk,
    gat,
    gated,
    gcnii,
    gin_mlp,
    gpr_walk,
    jknet,
    krylov,
    lanczosnet,
    mixhop,
    monet,
    plain,
    ppgn,
    predicting,
    sgc,
    snowball,
)
from gcn.zoo.ours import Maker, gin, korder, vanilla
from gcn.zoo.plan import Plan

__all__ = ["MODELS", "Model"]


@dataclass(frozen=True)
class Model:
    """A model that can be built.

    Attributes
    ----------
    name, title
        As commands and as the paper's tables call it.
    family
        "ours" for the networks of :mod:`gcn.nets`, "pyg" for layers of PyTorch Geometric, "hand"
        for what it has not.
    make
        From a plan to a network.
    operator
        Which A batches have to be prepared for.
    gates
        Whether it has layers that a GRU could gate.
    depth
        How many layers it is published with, where that is not the number that the task has.
    multiple
        What its width has to be a multiple of, as with attention heads.
    unfit
        By name of a task, why it can't be run there.
    note
        What it is and where it departs from what was published.

    Examples
    --------
    >>> from gcn.data.zinc import TASK
    >>> model = Model("order-3", "3rd-Order GCN", "ours", korder(3), note="Equation 1 with K = 3")
    >>> model.make(Plan(TASK, layers=16, width=87))
    KOrderGCN(1, 87, 1, num_layers=16, K=3): 495,758 parameters
    """

    name: str
    title: str
    family: str
    make: Maker = field(repr=False)
    operator: str = "symmetric"
    gates: bool = True
    depth: int | None = None
    multiple: int = 1
    unfit: Mapping[str, str] = field(default_factory=dict)
    note: str = ""


def _vanilla_mean(plan: Plan) -> GraphNetwork:
    return VanillaGCN(operator="mean", self_loop=False, **plan.options())


OURS = (
    Model("vanilla", "Vanilla GCN", "ours", vanilla, note="(A + I) X Θ, Equation 2"),
    Model(
        "vanilla-mean",
        "Vanilla GCN, as benchmarked",
        "ours",
        _vanilla_mean,
        operator="mean",
        unfit={"molhiv": "OGB's vanilla GCN is the model 'vanilla' there"},
        note="the mean over neighbours without the node itself: what the numbers of the paper's "
        "benchmark table were made with",
    ),
    Model(
        "gin",
        "GIN",
        "ours",
        gin,
        operator="sum",
        note="sums over neighbours; a linear map for its MLP, but on molhiv one of two layers",
    ),
    Model(
        "first-order",
        "First-order GCN",
        "ours",
        korder(1),
        note="two weights and one hop; the paper's row GIN on ogbn-proteins is this layer",
    ),
    Model("sogcn", "SoGCN", "ours", korder(2), note="the paper's layer, Equation 3"),
    Model("order-4", "4th-Order GCN", "ours", korder(4), note="Equation 1 with K = 4"),
    Model("order-6", "6th-Order GCN", "ours", korder(6), note="Equation 1 with K = 6"),
)

DENSE = "its tensors have one entry for each pair of nodes of a graph, {} of them"

GEOMETRIC = (
    Model(
        "gin-mlp",
        "GIN, with an MLP",
        "pyg",
        gin_mlp,
        note="GINConv with an MLP of two layers, as the benchmark has it",
    ),
    Model(
        "gat", "GAT", "pyg", gat, multiple=HEADS, note=f"GATConv with {HEADS} heads side by side"
    ),
    Model(
        "monet",
        "MoNet",
        "pyg",
        monet,
        note="GMMConv, sums, three kernels on two coordinates that are made of degrees",
    ),
    Model("graphsage", "GraphSage", "pyg", plain("SAGEConv"), note="SAGEConv, means"),
    Model(
        "gatedgcn",
        "GatedGCN",
        "pyg",
        gated,
        note="ResGatedGraphConv; the benchmark also divides by the sum of the gates and carries "
        "features along edges",
    ),
    Model(
        "gcnii",
        "GCNII",
        "pyg",
        gcnii(shared=True),
        note="GCN2Conv, α = 0.5 and θ = 1 as in the release; its own residual and no other",
    ),
    Model(
        "gcnii-star",
        "GCNII*",
        "pyg",
        gcnii(shared=False),
        note="GCN2Conv with a weight of its own for the first signal",
    ),
    Model(
        "appnp",
        "APPNP",
        "pyg",
        predicting(appnp_walk),
        gates=False,
        note="three linear maps without batch normalization, then as many steps as layers, α = 0.1",
    ),
    Model(
        "arma",
        "ARMA",
        "pyg",
        plain("ARMAConv", "out", num_stacks=3, num_layers=3),
        note="ARMAConv, three stacks of three, as in the release",
    ),
    Model(
        "chebnet",
        "ChebyNet",
        "pyg",
        plain("ChebConv", K=3),
        note="ChebConv of order 2: the filters of SoGC, written in Chebyshev polynomials",
    ),
    Model(
        "tag",
        "TAGCN",
        "pyg",
        plain("TAGConv", K=3),
        note="TAGConv: the layer of order 3; not in the paper",
    ),
    Model("sgc", "SGC", "pyg", sgc, gates=False, note="SGConv: one weight, as many hops as layers"),
    Model("jknet", "JKNet", "pyg", jknet, note="GCNConv, all signals side by side, a linear map"),
    Model(
        "mixhop",
        "MixHop",
        "pyg",
        mixhop,
        multiple=len(POWERS),
        note="MixHopConv with powers 0, 1 and 2",
    ),
    Model(
        "snowball",
        "Snowball",
        "pyg",
        snowball,
        note="GCNConv of all earlier signals side by side, tanh",
    ),
)

BY_HAND = (
    Model(
        "gpr",
        "GPR-GNN",
        "hand",
        predicting(gpr_walk),
        gates=False,
        note="as APPNP, with learned weights of the steps; not in the paper",
    ),
    Model(
        "krylov",
        "Truncated Krylov",
        "hand",
        krylov,
        note="[X, AX, A²X, A³X] Θ with tanh: our layer of order 3, and no new one",
    ),
    Model(
        "lanczosnet",
        "LanczosNet",
        "hand",
        lanczosnet,
        unfit={"molhiv": "its vectors are of the graph alone and carry no features of edges"},
        note="ten Lanczos steps, begun at the embedded features and not at a random vector",
    ),
    Model(
        "3wlgnn",
        "3WLGNN",
        "hand",
        ppgn,
        gates=False,
        depth=3,
        unfit={
            "proteins": DENSE.format("17 billion"),
            "cora": DENSE.format("7 million"),
            "citeseer": DENSE.format("11 million"),
        },
        note="PPGN; pooled as the task says and not by a maximum",
    ),
)

MODELS: dict[str, Model] = {model.name: model for model in (*OURS, *GEOMETRIC, *BY_HAND)}
