r"""One training run on SGS: what is trained, on what, and how.

The map is ``Case -> Run``. Every table and figure of this folder is a set of cases, and a case that
two of them share is trained once.

Three protocols (they differ in more than the paper says, so all are run and printed):

* ``published``: as the authors' released code does it. Vanilla GCN averages neighbours (D^{-1} W,
  no self-loop), GIN sums them (W), layers of order K use A, the matrix that the targets are made
  with. Batch normalization, residual connections, Adam from 0.001.
* ``text``: as the paper says. The same A for all, vanilla with its self-loop, Adam from 0.01. Batch
  normalization stays on, since the printed parameter counts contain it, and so do residual
  connections, which the text doesn't mention.
* ``plain``: the text to the letter, without residual connections.
* ``strict``: the layer spanning space itself. The same A, no bias, no normalization, no residual.
  Weights begin near the identity, since what begins as a product of 16 random matrices stays at
  the zero function; Adam from 0.003.

No network has an activation. A run ends when the learning rate, halved after 10 epochs without a
better validation loss, falls below 1e-5 (converged), or when its epochs run out (not converged).

>>> case = Case("sogcn", "band-pass", "published")
>>> case.name
'published/sogcn-16x16/band-pass/seed-0'
>>> case.network()
SoGCN(1, 16, 1, num_layers=16): 12,323 parameters
>>> case.settings().lr
0.001
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import torch
from torch import nn

from gcn.layers import Convolution, KOrderConv
from gcn.nets import GIN, GraphNetwork, KOrderGCN, SoGCN, VanillaGCN
from gcn.train import Settings
from polyfilter.errors import FilterError

__all__ = ["KINDS", "PROTOCOLS", "Case"]

PROTOCOLS = ("published", "text", "plain", "strict")
KINDS = ("vanilla", "gin", "sogcn", "order-1", "order-3", "order-4", "order-6")
LR = {"published": 1e-3, "text": 1e-2, "plain": 1e-2, "strict": 3e-3}
EPOCHS = 300
GENTLE = 1e-4
NOISE = 0.1
"""How far from the identity strict networks begin, in units of the usual draw."""


@dataclass(frozen=True)
class Case:
    """What is trained, on what, and how.

    Attributes
    ----------
    kind
        The layer: "vanilla", "gin", "sogcn", or "order-K" for layers of order K.
    target
        "high-pass", "low-pass" or "band-pass".
    protocol
        "published", "text", "plain" or "strict".
    layers, channels
        Size of the network.
    seed
        Of the weights and of the shuffling. The data have seed 0 always, as the paper's are fixed.
    start
        "random", or "analytic" for a network that begins at the best polynomial; "gentle" is
        "analytic" with Adam from 1e-4, since its first steps are as long as the rate.
    epochs
        At most this many.
    graphs
        How many to train on, to validate and to test.
    """

    kind: str
    target: str
    protocol: str
    layers: int = 16
    channels: int = 16
    seed: int = 0
    start: str = "random"
    epochs: int = EPOCHS
    graphs: tuple[int, int, int] = (1000, 1000, 2000)

    def __post_init__(self) -> None:
        object.__setattr__(self, "graphs", tuple(self.graphs))  # JSON has lists
        if self.kind not in KINDS:
            raise FilterError(f"unknown network {self.kind!r}: choose from {', '.join(KINDS)}")
        if self.protocol not in PROTOCOLS:
            raise FilterError(
                f"unknown protocol {self.protocol!r}: choose from {', '.join(PROTOCOLS)}"
            )

    @property
    def name(self) -> str:
        """A path that tells cases apart.

        Examples
        --------
        >>> Case("gin", "low-pass", "text", layers=4, seed=2, epochs=10).name
        'text/gin-4x16/low-pass/seed-2-epochs-10'
        """
        words = [f"seed-{self.seed}"]
        if self.start != "random":
            words.append(self.start)
        if self.epochs != EPOCHS:
            words.append(f"epochs-{self.epochs}")
        if self.graphs != (1000, 1000, 2000):
            words.append("graphs-" + "-".join(map(str, self.graphs)))
        size = f"{self.kind}-{self.layers}x{self.channels}"
        return f"{self.protocol}/{size}/{self.target}/{'-'.join(words)}"

    @property
    def order(self) -> int:
        """Hops of one layer.

        Examples
        --------
        >>> Case("order-4", "low-pass", "text").order
        4
        """
        named = {"vanilla": 1, "gin": 1, "sogcn": 2}
        return named.get(self.kind) or int(self.kind.removeprefix("order-"))

    @property
    def hops(self) -> int:
        """Hops of the whole network: the degree of the polynomials that it can express."""
        return self.order * self.layers

    def network(self) -> GraphNetwork:
        """Return the network, with weights drawn from the seed."""
        strict = self.protocol == "strict"
        options: dict[str, Any] = {
            "batch_norm": not strict,
            "bias": not strict,
            "residual": self.protocol in ("published", "text"),
        }
        if self.protocol == "published":
            if self.kind == "vanilla":
                options |= {"operator": "mean", "self_loop": False}
            elif self.kind == "gin":
                options |= {"operator": "sum"}
        sizes = (1, self.channels, 1, self.layers)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(self.seed)
            options["embedding"] = nn.Linear(1, self.channels, bias=not strict)
            if self.kind == "vanilla":
                net: GraphNetwork = VanillaGCN(*sizes, **options)
            elif self.kind == "gin":
                net = GIN(*sizes, **options)
            elif self.kind == "sogcn":
                net = SoGCN(*sizes, **options)
            else:
                net = KOrderGCN(*sizes, K=self.order, **options)
        if strict:
            _approach_identity(net)
        return net

    def settings(self) -> Settings:
        """Return how it is trained."""
        lr = GENTLE if self.start == "gentle" else LR[self.protocol]
        return Settings(epochs=self.epochs, lr=lr, seed=self.seed, device="cpu")

    def to_dict(self) -> dict[str, Any]:
        """Return the case for a JSON file; ``Case(**case.to_dict())`` is the same case.

        Examples
        --------
        >>> case = Case("gin", "low-pass", "text")
        >>> Case(**case.to_dict()) == case
        True
        """
        return asdict(self)


@torch.no_grad()
def _approach_identity(net: GraphNetwork) -> None:
    """Move the weights of all layers that keep their width close to the identity.

    Layers of A + I begin at I / √2, so that they do not let the signal grow.
    """
    for block in net.blocks:
        conv = block.conv
        if not isinstance(conv, Convolution) or conv.in_channels != conv.out_channels:
            continue
        weight = conv.get_parameter("weight").mul_(NOISE)
        if isinstance(conv, KOrderConv):
            weight[0].diagonal().add_(1)
        else:
            weight.diagonal().add_(2**-0.5)
