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
    multiple
        What its width has to be a multiple of, as with attention heads.
    unfit
        By name of a task, why it can't be run there.
    note
        What it is and where it departs from what was published.
    """

    name: str
    title: str
    family: str
    make: Maker = field(repr=False)
    operator: str = "symmetric"
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

MODELS: dict[str, Model] = {model.name: model for model in OURS}
