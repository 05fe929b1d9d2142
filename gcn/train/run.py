r"""What came of a run.

The map is ``epochs -> Run``: the history, the epoch with the lowest validation loss, the test
metric of its weights, and whether the run has converged or just ended.

Assumptions: none.

>>> history = (Epoch(1, 0.5, 0.4, 0.001, 0.25), Epoch(2, 0.3, 0.35, 0.001, 0.25))
>>> print(Run(history, 2, 0.36, 0.36, "MAE", False, "all 2 epochs were run"))
2 epochs in 0.5 s: all 2 epochs were run (not converged)
  best epoch         2
  training loss      0.3
  validation loss    0.35
  test MAE           0.36
  learning rate      0.001
"""

from dataclasses import asdict, dataclass
from html import escape

import numpy as np

from polyfilter.svg import line_plot

__all__ = ["Epoch", "Run", "Score"]


@dataclass(frozen=True)
class Epoch:
    """One pass over the training graphs.

    ``train_loss`` is the mean over all samples as each step met them, ``valid_loss`` that of the
    weights at the end, ``lr`` the rate that was used.
    """

    epoch: int
    train_loss: float
    valid_loss: float
    lr: float
    seconds: float


@dataclass(frozen=True)
class Score:
    """Loss and metric of a network on a split, over all samples.

    >>> print(Score(0.5, 0.75, "accuracy", 40))
    loss 0.5, accuracy 0.75 (40 samples)
    """

    loss: float
    metric: float
    metric_name: str
    samples: int

    def __str__(self) -> str:
        return (
            f"loss {self.loss:.6g}, {self.metric_name} {self.metric:.6g} ({self.samples:,} samples)"
        )


@dataclass(frozen=True, repr=False)
class Run:
    """A finished run.

    Attributes
    ----------
    history
        Every epoch, also those before a resume.
    best_epoch
        The one with the lowest validation loss.
    test_loss, test_metric
        Of the weights of that epoch; None without test graphs.
    metric_name
        What the metric is.
    converged
        Whether the learning rate fell below its minimum, rather than the epochs running out.
    why
        Why the run ended, in words.

    Examples
    --------
    >>> run = Run((Epoch(1, 0.5, 0.4, 0.001, 0.25),), 1, None, None, "MAE", False, "stopped")
    >>> run
    Run(1 epoch, validation loss 0.4 in epoch 1, not converged)
    >>> run.best
    Epoch(epoch=1, train_loss=0.5, valid_loss=0.4, lr=0.001, seconds=0.25)
    """

    history: tuple[Epoch, ...]
    best_epoch: int
    test_loss: float | None
    test_metric: float | None
    metric_name: str
    converged: bool
    why: str

    @property
    def best(self) -> Epoch:
        """The best epoch."""
        return self.history[self.best_epoch - 1]

    @property
    def seconds(self) -> float:
        """Wall time of all epochs."""
        return sum(epoch.seconds for epoch in self.history)

    def to_dict(self) -> dict[str, object]:
        """Return everything but the history, for a JSON file.

        Examples
        --------
        >>> run = Run((Epoch(1, 0.5, 0.4, 0.001, 0.25),), 1, None, None, "MAE", False, "stopped")
        >>> run.to_dict()["epochs"], run.to_dict()["valid_loss"]
        (1, 0.4)
        """
        summary = {name: value for name, value in asdict(self).items() if name != "history"}
        return summary | {
            "epochs": len(self.history),
            "train_loss": self.best.train_loss,
            "valid_loss": self.best.valid_loss,
            "lr": self.history[-1].lr,
            "seconds": self.seconds,
        }

    def __str__(self) -> str:
        rows = [
            ("best epoch", f"{self.best_epoch}"),
            ("training loss", f"{self.best.train_loss:.6g}"),
            ("validation loss", f"{self.best.valid_loss:.6g}"),
        ]
        if self.test_metric is not None:
            rows.append((f"test {self.metric_name}", f"{self.test_metric:.6g}"))
        rows.append(("learning rate", f"{self.history[-1].lr:.6g}"))
        lines = [f"{self._epochs} in {self.seconds:.1f} s: {self.why} ({self._state})"]
        return "\n".join(lines + [f"  {name:<18} {value}" for name, value in rows])

    def __repr__(self) -> str:
        words = [
            self._epochs,
            f"validation loss {self.best.valid_loss:.6g} in epoch {self.best_epoch}",
        ]
        if self.test_metric is not None:
            words.append(f"test {self.metric_name} {self.test_metric:.6g}")
        return f"Run({', '.join([*words, self._state])})"

    def _repr_html_(self) -> str:
        epochs = np.arange(1.0, len(self.history) + 1)
        curves = {
            "training": (epochs, np.array([epoch.train_loss for epoch in self.history])),
            "validation": (epochs, np.array([epoch.valid_loss for epoch in self.history])),
        }
        return line_plot(curves, "loss", log=True) + f"<pre>{escape(str(self))}</pre>"

    @property
    def _epochs(self) -> str:
        return f"{len(self.history)} epoch{'' if len(self.history) == 1 else 's'}"

    @property
    def _state(self) -> str:
        return "converged" if self.converged else "not converged"
