"""Records as trainings leave them, without a training."""

from typing import Any

from experiments.sgs.case import Case


def record(
    case: Case, test: float = 0.05, *, epochs: int = 100, converged: bool = True
) -> dict[str, Any]:
    """What a training of this case might have left."""
    made = {
        "provenance": {"commit": "abc1234"},
        "case": case.to_dict() | {"graphs": list(case.graphs)},  # as JSON has it
        "parameters": case.network().num_parameters,
        "run": {"test_metric": test, "epochs": epochs, "converged": converged, "seconds": 2.0},
        "valid_loss": [0.5, 0.2, test],
    }
    return made | ({"start_metric": 0.029} if case.start != "random" else {})
