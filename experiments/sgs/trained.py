"""Networks that were trained: a case, its weights, and what came of the run.

The map is ``Case, folders -> Trained or None``. A case counts only when its run came to its end, so
that no picture shows a network that is still learning.

>>> from pathlib import Path
>>> from experiments.sgs.case import Case
>>> trained(Case("gin", "low-pass", "text", seed=99), Path("nowhere")) is None
True
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from experiments.sgs.case import Case
from experiments.sgs.runs import STORE, record_of
from gcn.nets import GraphNetwork
from gcn.train import load_weights

__all__ = ["NOT_RUN", "Trained", "epochs", "trained"]

NOT_RUN = "not run"
"""What results say of a case without weights."""


@dataclass(frozen=True, eq=False)
class Trained:
    """A network with the weights of its best epoch.

    Attributes
    ----------
    case
        What was trained.
    network
        The network, ready to be evaluated.
    record
        What :func:`experiments.sgs.runs.train` kept.
    """

    case: Case
    network: GraphNetwork
    record: dict[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """Return what every result says of a run: test MAE, epochs, and whether it converged."""
        run = self.record["run"]
        return {
            "name": self.case.name,
            "parameters": self.network.num_parameters,
            "test": run["test_metric"],
            "epochs": run["epochs"],
            "converged": run["converged"],
        }


def trained(case: Case, runs: Path, store: Path = STORE) -> Trained | None:
    """Return the network of a case, or None if it was not run to its end or its weights are gone.

    Parameters
    ----------
    case
        What was trained.
    runs, store
        Folders of weights and of results, as for :func:`experiments.sgs.runs.train`.
    """
    record, weights = record_of(case, store), runs / case.name / "best.pt"
    if record is None or not weights.exists():
        return None
    net = case.network()
    load_weights(weights, net)
    return Trained(case, net.eval(), record)


def epochs(found: dict[str, Any]) -> str:
    """Say how long a run was, with a dagger if it did not converge.

    Examples
    --------
    >>> epochs({"epochs": 300, "converged": False}), epochs({})
    ('300 †', 'none')
    """
    if "epochs" not in found:
        return "none"
    return f"{found['epochs']}{'' if found['converged'] else ' †'}"
