r"""What is minimized, and what is reported.

The map is, for outputs :math:`\hat y_i` and targets :math:`y_i` of all samples :math:`i` (the nodes
or the graphs of a whole split),

.. math::  \mathcal L = \frac{\sum_i w_i \, \ell(\hat y_i, y_i)}{\sum_i w_i} .

A :class:`Objective` gives numerator and denominator, so that batches add up to the split they came
from: a mean of the means of batches would count the samples of a small last batch more.

===========================  ==================================  ===================================
name                         loss :math:`\ell`                   metric
===========================  ==================================  ===================================
``mae``                      absolute error                      the same
``cross_entropy``            of classes                          accuracy
``balanced_cross_entropy``   the same, class :math:`c` with      mean over classes of the accuracy
                             weight :math:`1 - n_c / n`          in each
``bce``                      of yes-or-no tasks                  mean over tasks of the area under
                                                                 the ROC curve
===========================  ==================================  ===================================

Assumptions: y has a column a target; for classes one column of whole numbers. Some samples may not
be asked, as nodes of another split: class -1, and in ``bce`` a target that is nan, count nowhere.
Class frequencies are those of the training graphs: the authors' release takes those of each batch,
by which the loss of a graph depends on its company.

>>> total, weight = Objective("mae")(torch.tensor([[1.0], [5.0]]), torch.tensor([[0.0], [3.0]]))
>>> total, weight
(tensor(3.), tensor(2.))
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

import torch
from torch import Tensor
from torch.nn import functional

from polyfilter.errors import GraphError

__all__ = ["METRICS", "LossName", "Objective", "class_weights", "objective", "roc_auc"]

LossName: TypeAlias = Literal["mae", "cross_entropy", "balanced_cross_entropy", "bce"]

NOT_ASKED = -1
"""The class of a sample that counts nowhere."""


@dataclass(frozen=True, eq=False)
class Objective:
    """A loss as a weighted sum and the sum of its weights, and the metric that goes with it.

    Parameters
    ----------
    name
        A line of the table.
    weight
        For ``balanced_cross_entropy``, of each class.
    """

    name: LossName
    weight: Tensor | None = None

    def __call__(self, output: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        """Return numerator and denominator, as two tensors without dimensions."""
        output = output.to(torch.promote_types(output.dtype, torch.float32))
        check(self.name, output, y)
        if self.name == "mae":
            return (output - y).abs().sum(), output.new_full((), y.numel())
        if self.name == "bce":
            known = (~y.isnan()).to(output.dtype)
            total = functional.binary_cross_entropy_with_logits(
                output, y.nan_to_num(), known, reduction="sum"
            )
            return total, known.sum()
        classes, weight = y[:, 0], self.weight
        if weight is not None:  # classes that no training graph has, but the network, weigh nothing
            weight = functional.pad(weight.to(output), (0, output.shape[1] - len(weight)))
        total = functional.cross_entropy(
            output, classes, weight, ignore_index=NOT_ASKED, reduction="sum"
        )
        asked = (classes != NOT_ASKED).to(output.dtype)
        if weight is not None:
            asked = asked * weight[classes.clamp(min=0)]
        return total, asked.sum()

    def mean(self, output: Tensor, y: Tensor) -> float:
        """Return the loss of a whole split.

        Examples
        --------
        >>> Objective("mae").mean(torch.tensor([[1.0], [5.0]]), torch.tensor([[0.0], [3.0]]))
        1.5
        """
        total, weight = self(output.double(), y)
        return float(total / weight)

    def metric(self, output: Tensor, y: Tensor) -> float:
        """Return the metric of a whole split.

        Examples
        --------
        >>> Objective("cross_entropy").metric(torch.eye(2), torch.tensor([[0], [0]]))
        0.5
        """
        return METRICS[self.name][1](output.double(), y)

    def samples(self, y: Tensor) -> int:
        """Return how many rows of y are asked.

        Examples
        --------
        >>> Objective("cross_entropy").samples(torch.tensor([[0], [-1], [2]]))
        2
        """
        if self.name == "mae":
            return len(y)
        asked = ~y.isnan() if self.name == "bce" else y != NOT_ASKED
        return int(asked.any(1).sum())

    @property
    def metric_name(self) -> str:
        """What :meth:`metric` is called.

        Examples
        --------
        >>> Objective("bce").metric_name
        'ROC-AUC'
        """
        return METRICS[self.name][0]


def objective(name: LossName, y: Tensor, classes: int | None = None) -> Objective:
    """Return the objective of that name for training targets y.

    Examples
    --------
    >>> objective("balanced_cross_entropy", torch.tensor([[0], [0], [0], [1]]), 2).weight
    tensor([0.2500, 0.7500])
    """
    if name == "balanced_cross_entropy":
        return Objective(name, class_weights(y, classes))
    return Objective(name)


def class_weights(y: Tensor, classes: int | None = None) -> Tensor:
    """Return 1 - n_c / n for each class c, and 0 for a class that is absent; -1 is none.

    Examples
    --------
    >>> class_weights(torch.tensor([[0], [0], [2], [2]]))
    tensor([0.5000, 0.0000, 0.5000])
    """
    counts = torch.bincount(y[y != NOT_ASKED], minlength=classes or 0).float()
    return torch.where(counts > 0, 1 - counts / counts.sum(), 0.0)


def roc_auc(output: Tensor, y: Tensor) -> float:
    r"""Return the area under the ROC curve, the mean over tasks that have both answers.

    It is the probability that a random yes scores above a random no, ties counting half:
    :math:`(R - p (p + 1) / 2) / (p q)` with R the sum of the ranks of the p yeses among all p + q.

    Examples
    --------
    >>> roc_auc(torch.tensor([[0.1], [0.4], [0.35], [0.8]]), torch.tensor([[0.0], [0], [1], [1]]))
    0.75
    """
    areas = []
    for scores, answers in zip(output.T, y.T, strict=True):
        known = ~answers.isnan()
        scores, yes = scores[known], answers[known] > 0.5
        p, q = int(yes.sum()), int((~yes).sum())
        if p and q:
            _, place, ties = torch.unique(scores, return_inverse=True, return_counts=True)
            rank = (ties.cumsum(0) - (ties - 1) / 2)[place]  # of equal scores, the mean
            areas.append((float(rank[yes].double().sum()) - p * (p + 1) / 2) / (p * q))
    return sum(areas) / len(areas) if areas else float("nan")


def _mae(output: Tensor, y: Tensor) -> float:
    return float((output - y).abs().mean())


def _accuracy(output: Tensor, y: Tensor) -> float:
    right, _ = _asked(output, y)
    return float(right.mean())


def _balanced_accuracy(output: Tensor, y: Tensor) -> float:
    right, classes = _asked(output, y)
    counts = torch.bincount(classes)
    hits = torch.bincount(classes, right)
    return float((hits[counts > 0] / counts[counts > 0]).mean())


def _asked(output: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    """Whether the network is right, 1 or 0, and the class, of each sample that is asked."""
    asked = y[:, 0] != NOT_ASKED
    classes = y[asked, 0]
    return (output[asked].argmax(1) == classes).double(), classes


METRICS: dict[str, tuple[str, Callable[[Tensor, Tensor], float]]] = {
    "mae": ("MAE", _mae),
    "cross_entropy": ("accuracy", _accuracy),
    "balanced_cross_entropy": ("balanced accuracy", _balanced_accuracy),
    "bce": ("ROC-AUC", roc_auc),
}
"""Name and function for each loss."""


def check(name: str, output: Tensor, y: Tensor) -> None:
    """Raise a :class:`~polyfilter.errors.GraphError` if outputs and targets don't fit.

    Examples
    --------
    >>> check("mae", torch.ones(3, 1), torch.ones(3, 2))
    Traceback (most recent call last):
    ...
    polyfilter.errors.GraphError: the network gives (3, 1) and the targets are (3, 2): mae compares
    equal shapes
    """
    if name in ("mae", "bce"):
        if output.shape != y.shape:
            raise GraphError(
                f"the network gives {tuple(output.shape)} and the targets are {tuple(y.shape)}: "
                f"{name} compares equal shapes"
            )
    elif y.dtype != torch.int64 or y.shape != (len(output), 1):
        raise GraphError(
            f"the targets are {y.dtype} of shape {tuple(y.shape)}: {name} takes one int64 class "
            f"for each of the {len(output)} rows that the network gives"
        )
