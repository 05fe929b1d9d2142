"""Every model that the paper compares, in one shell for each of its data sets.

:func:`build` makes a network for a task, :func:`width_for` finds the width that a budget buys, and
:data:`MODELS` says what there is. :data:`ABSENT` says which systems that the paper names are not
built, and why. Layers of PyTorch Geometric are imported when a model asks for them.

>>> from gcn.data.dataset import Task
>>> from gcn.zoo import build, width_for
>>> zinc = Task("zinc", "ZINC", "mae", "sum", in_channels=(28,), out_channels=1)
>>> width_for("sogcn", zinc, layers=16, budget=500_000, gru=True)
94
>>> build("sogcn", zinc, layers=16, width=94, gru=True)
SoGCN(1, 94, 1, num_layers=16): 490,445 parameters
"""

from gcn.zoo.building import build, depth_for, width_for
from gcn.zoo.facts import ABSENT, PRINTED, RELEASED
from gcn.zoo.models import MODELS, Model
from gcn.zoo.plan import SHELLS, Shell, shell_of

__all__ = [
    "ABSENT",
    "MODELS",
    "PRINTED",
    "RELEASED",
    "SHELLS",
    "Model",
    "Shell",
    "build",
    "depth_for",
    "shell_of",
    "width_for",
]
