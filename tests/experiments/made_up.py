"""Runs that nobody trained: weights and records where trained ones would lie."""

import json
from pathlib import Path

import torch

from experiments.sgs.case import Case
from gcn.nets import GraphNetwork
from gcn.train.checkpoint import write


def shaken(net: GraphNetwork, seed: int = 0) -> GraphNetwork:
    """Move all weights and running statistics a little, as training does."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, value in net.state_dict().items():
            if value.is_floating_point():
                noise = 0.1 * torch.rand(value.shape, generator=generator)
                value.add_(noise if "var" in name else noise - 0.05)
    return net


def keep(case: Case, net: GraphNetwork, runs: Path, store: Path | None) -> None:
    """Write what a run leaves; without a store, what one leaves that was killed."""
    folder = runs / case.name
    folder.mkdir(parents=True)
    write(folder / "best.pt", {"weights": net.state_dict()})
    if store is not None:
        record = store / f"{case.name}.json"
        record.parent.mkdir(parents=True)
        run = {"test_metric": 0.5, "epochs": 7, "converged": False}
        record.write_text(json.dumps({"case": case.to_dict(), "run": run}))
