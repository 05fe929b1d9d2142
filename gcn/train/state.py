r"""All that changes during a run, and its files.

The map is ``epoch -> state``: :meth:`State.add` takes the losses of an epoch, moves the learning
rate, keeps the weights if they are the best so far; :meth:`State.ended` says whether that was the
last; :meth:`State.save` and :meth:`State.begin` go to disk and back.

Assumptions: the network, the data and the settings are those of the checkpoint that a run resumes
from, which is checked as far as names, shapes and counts can tell.

>>> net = torch.nn.Linear(1, 1)
>>> state = State(net, Settings(epochs=1), data={}, folder=None)
>>> state.ended()
>>> state.add(Epoch(1, train_loss=0.5, valid_loss=0.4, lr=0.001, seconds=0.1))
>>> state.ended()
'all 1 epochs were run'
"""

import math
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.optim.lr_scheduler import ReduceLROnPlateau

from gcn.train import checkpoint
from gcn.train.run import Epoch
from gcn.train.settings import Settings, TrainingError
from polyfilter.errors import FileFormatError

__all__ = ["State"]

FREE = ("epochs", "device")
"""Settings that may change when a run resumes."""
STATES = ("training", "across", "inplace", "affine", "track_running_stats")
"""Switches of modules that change while they run, or that they show themselves."""
CONTENT = {
    "network": dict,
    "settings": dict,
    "data": dict,
    "weights": dict,
    "best": dict,
    "best_epoch": int,
    "optimizer": dict,
    "schedule": dict,
    "history": Tensor,
}
"""What ``last.pt`` holds."""


class State:
    """Network, optimizer, schedule, history, best weights, and the folder that they are kept in.

    Parameters
    ----------
    net, settings
        What is trained, and how.
    data
        A line about each split, to tell other data by.
    folder
        Where to keep the state, if anywhere.
    """

    def __init__(
        self,
        net: torch.nn.Module,
        settings: Settings,
        data: dict[str, str],
        folder: str | Path | None,
    ) -> None:
        self.net, self.settings, self.data = net, settings, data
        self.folder = None if folder is None else Path(folder)
        # one kernel for all weights; elementwise, so the same bits every time
        fused = next(net.parameters()).device.type in ("cpu", "cuda")
        self.optimizer = torch.optim.Adam(
            net.parameters(), settings.lr, weight_decay=settings.weight_decay, fused=fused
        )
        self.schedule = ReduceLROnPlateau(
            self.optimizer,
            factor=settings.factor,
            patience=settings.patience,
            min_lr=0.0 if settings.stop_at_min_lr else settings.min_lr,
        )
        self.history: list[Epoch] = []
        self.best_epoch = 0
        self.best: dict[str, Tensor] = {}
        self._best_on_disk = 0

    @property
    def converged(self) -> bool:
        """Whether the learning rate fell below its minimum."""
        rate: float = self.optimizer.param_groups[0]["lr"]
        return self.settings.stop_at_min_lr and rate < self.settings.min_lr

    def ended(self) -> str | None:
        """Return why the run is over, if it is."""
        if self.history and not self._finite(self.history[-1]):
            if not self.best:
                raise TrainingError(
                    "the loss was not finite in the first epoch: check the data, or lower lr"
                )
            return f"the loss was not finite in epoch {len(self.history)}"
        if self.converged:
            return f"the learning rate fell below {self.settings.min_lr:g}"
        if len(self.history) >= self.settings.epochs:
            return f"all {self.settings.epochs} epochs were run"
        return None

    @staticmethod
    def _finite(epoch: Epoch) -> bool:
        return math.isfinite(epoch.train_loss) and math.isfinite(epoch.valid_loss)

    def add(self, epoch: Epoch) -> None:
        """Take the losses of an epoch: keep its weights if they are the best, move the rate."""
        self.history.append(epoch)
        if not self._finite(epoch):
            return
        if not self.best or epoch.valid_loss < self.history[self.best_epoch - 1].valid_loss:
            self.best_epoch = epoch.epoch
            self.best = {name: t.detach().clone() for name, t in self.net.state_dict().items()}
        self.schedule.step(epoch.valid_loss)

    def take_best(self) -> None:
        """Give the network the weights of the best epoch."""
        self.net.load_state_dict(self.best)
        self.net.eval()

    def begin(self, resume: bool) -> None:
        """Look at the folder: go on from what is there, or make sure that nothing is."""
        if self.folder is None:
            if resume:
                raise TrainingError("there is nothing to resume without a folder: name one")
            return
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise FileFormatError(f"can't write {self.folder}: {error.strerror}") from error
        last = self.folder / "last.pt"
        if not last.exists():
            return
        if not resume:
            raise TrainingError(f"{self.folder} holds a run already: resume it or name another")
        self._load(last)

    def _load(self, path: Path) -> None:
        saved = checkpoint.read(path, CONTENT)
        checkpoint.check_weights(path, saved["weights"], self.net)
        checkpoint.check_weights(path, saved["best"], self.net)
        checkpoint.check_same(path, "module", saved["network"], described(self.net))
        checkpoint.check_same(path, "setting", saved["settings"], self._fixed())
        checkpoint.check_same(path, "data", saved["data"], self.data)
        try:
            self.net.load_state_dict(saved["weights"])
            self.optimizer.load_state_dict(saved["optimizer"])
            self.schedule.load_state_dict(saved["schedule"])
            self.history = [Epoch(int(row[0]), *row[1:]) for row in saved["history"].tolist()]
        except (ValueError, KeyError, TypeError) as error:
            raise FileFormatError(f"can't resume from {path}: its state is damaged") from error
        device = next(self.net.parameters()).device
        self.best = {name: tensor.to(device) for name, tensor in saved["best"].items()}
        self.best_epoch = saved["best_epoch"]

    def save(self) -> None:
        """Write ``last.pt``, and ``best.pt`` if it has changed."""
        assert self.folder is not None
        common = {"network": described(self.net), "settings": self._fixed(), "data": self.data}
        rows = [list(asdict(epoch).values()) for epoch in self.history]
        state: dict[str, Any] = {
            "weights": self.net.state_dict(),
            "best": self.best,
            "best_epoch": self.best_epoch,
            "optimizer": self.optimizer.state_dict(),
            "schedule": self.schedule.state_dict(),
            "history": torch.tensor(rows, dtype=torch.float64),
        }
        checkpoint.write(self.folder / "last.pt", common | state)
        if self.best_epoch != self._best_on_disk:
            best = {"weights": self.best, "best_epoch": self.best_epoch}
            checkpoint.write(self.folder / "best.pt", common | best)
            self._best_on_disk = self.best_epoch

    def _fixed(self) -> dict[str, object]:
        return {name: v for name, v in asdict(self.settings).items() if name not in FREE}


def described(net: torch.nn.Module) -> dict[str, str]:
    """Return a line for each part of a network, to tell apart what has the same weights.

    Names and switches count; numbers, which a module may count with, only if it shows them itself.

    Examples
    --------
    >>> described(torch.nn.Sequential(torch.nn.Dropout(0.5)))
    {'': 'Sequential()', '0': 'Dropout(p=0.5, inplace=False)'}
    """
    lines = {}
    for name, module in net.named_modules():
        switches = {
            key: value
            for key, value in vars(module).items()
            if isinstance(value, bool | str) and not key.startswith("_") and key not in STATES
        }
        shown = [f"{key}={value}" for key, value in switches.items()]
        lines[name] = f"{type(module).__name__}({', '.join([module.extra_repr(), *shown])})"
    return lines
