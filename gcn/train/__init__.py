r"""Train a network on graphs: one loop, with checkpoints, on one process or on many.

The map is

.. math::  w \mapsto \operatorname{arg\,min}_{e} \mathcal L_{\mathrm{valid}}(w_e), \qquad
           w_{e+1} = \mathrm{Adam}(w_e;\, \nabla \mathcal L_{\mathrm{train}})

from weights to those of the epoch with the lowest validation loss, with a learning rate that halves
on a plateau, as in the paper's experiments.

>>> import torch
>>> from gcn.data.collection import Collection
>>> from gcn.nets import SoGCN
>>> from gcn.propagate import prepare
>>> path = prepare(torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]), 3)
>>> graphs = Collection(
...     x=torch.tensor([[1.0], [0.0], [0.0]]),
...     y=torch.tensor([[0.0], [1.0], [0.0]]),
...     node_ptr=torch.tensor([0, 3]),
...     prepared=path,
... )
>>> run = fit(SoGCN(1, 4, 1, 2), graphs, graphs, Settings(epochs=5, device="cpu"))
>>> len(run.history)
5

``python -m gcn.train`` trains on the SGS data, ``torchrun --nproc-per-node 2 -m gcn.train`` does so
with two processes.
"""

from gcn.train.checkpoint import load_weights
from gcn.train.loop import evaluate, fit
from gcn.train.run import Epoch, Run, Score
from gcn.train.settings import Settings, TrainingError

__all__ = [
    "Epoch",
    "Run",
    "Score",
    "Settings",
    "TrainingError",
    "evaluate",
    "fit",
    "load_weights",
]
