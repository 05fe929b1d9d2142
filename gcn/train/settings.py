r"""What is asked of a run.

The map is ``names -> Settings``. The defaults are those of the authors' release: Adam, batches of
128 graphs, a learning rate that halves when the validation loss has stagnated for 10 epochs, and
an end when the rate falls below ``min_lr``. (The paper's text starts at 0.01; that is ``lr=0.01``.)

Assumptions: none; a value that makes no sense is refused with its name.

>>> Settings(epochs=200, seed=3)
Settings(epochs=200, batch_size=128, lr=0.001, factor=0.5, patience=10, min_lr=1e-05,
stop_at_min_lr=True, weight_decay=0.0, loss='mae', seed=3, precision='full', device='auto')
"""

import math
import os
from dataclasses import dataclass
from typing import get_args

import torch

from gcn.train.objective import LossName
from polyfilter.errors import PolyfilterError

__all__ = ["Settings", "TrainingError", "choose_device"]

PRECISIONS = ("full", "mixed")


class TrainingError(PolyfilterError):
    """A run that can't be started, continued or finished as asked."""


@dataclass(frozen=True)
class Settings:
    """How to train.

    Parameters
    ----------
    epochs
        At most this many passes over the training graphs.
    batch_size
        Graphs a step.
    lr, factor, patience, min_lr
        Adam's rate, multiplied by ``factor`` after ``patience`` epochs without a better
        validation loss (:class:`torch.optim.lr_scheduler.ReduceLROnPlateau`).
    stop_at_min_lr
        Whether the run has converged, and ends, when the rate falls below ``min_lr``; otherwise
        the rate stays at ``min_lr``.
    weight_decay
        Adam's.
    loss : {"mae", "cross_entropy", "balanced_cross_entropy", "bce"}
        See :mod:`gcn.train.objective`.
    seed
        Of the shuffling and of dropout; the network has its weights already.
    precision : {"full", "mixed"}
        Mixed computes products in bfloat16 and keeps weights and sums in float32. That pays where
        the processor multiplies bfloat16; on a CPU that does not, it was ten times slower.
    device
        A name that torch knows, or ``"auto"``: CUDA where there is one, else the CPU.

    Examples
    --------
    >>> Settings(epochs=10, factor=2.0)
    Traceback (most recent call last):
    ...
    gcn.train.settings.TrainingError: factor is 2.0: it has to be above 0 and below 1
    """

    epochs: int
    batch_size: int = 128
    lr: float = 0.001
    factor: float = 0.5
    patience: int = 10
    min_lr: float = 1e-5
    stop_at_min_lr: bool = True
    weight_decay: float = 0.0
    loss: LossName = "mae"
    seed: int = 0
    precision: str = "full"
    device: str = "auto"

    def __post_init__(self) -> None:
        for name, low in (("epochs", 1), ("batch_size", 1), ("patience", 0), ("seed", 0)):
            value = getattr(self, name)
            if not isinstance(value, int) or value < low:
                raise TrainingError(f"{name} is {value}: it has to be a whole number from {low} up")
        for name in ("lr", "min_lr", "weight_decay"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value >= 0) or (name == "lr" and value == 0):
                raise TrainingError(f"{name} is {value}: it has to be positive")
        if not 0 < self.factor < 1:
            raise TrainingError(f"factor is {self.factor}: it has to be above 0 and below 1")
        for name, choices in (("loss", get_args(LossName)), ("precision", PRECISIONS)):
            if getattr(self, name) not in choices:
                raise TrainingError(
                    f"{name} is {getattr(self, name)!r}: choose from {', '.join(choices)}"
                )


def choose_device(name: str) -> torch.device:
    """Return the device of that name; with torchrun, each process on CUDA gets its own.

    Examples
    --------
    >>> choose_device("cpu")
    device(type='cpu')
    >>> choose_device("abacus")
    Traceback (most recent call last):
    ...
    gcn.train.settings.TrainingError: there is no device 'abacus' here: choose auto, cpu, or cuda
    where it is installed
    """
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    if name == "cuda":
        name = f"cuda:{os.environ.get('LOCAL_RANK', '0')}"
    try:
        device = torch.device(name)
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        raise TrainingError(
            f"there is no device {name!r} here: choose auto, cpu, or cuda where it is installed"
        ) from error
    return device
