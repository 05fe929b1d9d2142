"""Data sets of a few rings and paths, and records of runs that nobody made."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from experiments.benchmarks.case import Case
from experiments.benchmarks.sizes import task_of
from gcn.data import benchmarks
from gcn.data.dataset import Dataset, Part


def part(name: str, graphs: int, seed: int) -> Part:
    """Rings of 3 to 7 nodes with random features, asked what the data set asks."""
    rng, task = np.random.default_rng(seed), task_of(name)
    sizes = rng.integers(3, 8, graphs)
    ptr = np.append(0, sizes.cumsum())
    nodes = int(ptr[-1])
    start = np.repeat(ptr[:-1], sizes)
    here = np.arange(nodes)
    ahead = start + (here - start + 1) % np.repeat(sizes, sizes)
    edges = np.concatenate([np.stack([here, ahead]), np.stack([ahead, here])], axis=1)

    def features(channels: int | tuple[int, ...], rows: int) -> np.ndarray:
        if isinstance(channels, int):
            return rng.random((rows, channels), dtype=np.float32)
        return rng.integers(0, channels, (rows, len(channels)))

    rows = nodes if task.readout == "node" else graphs
    if task.loss == "mae":
        y = rng.random((rows, task.out_channels), dtype=np.float32)
    elif task.loss == "bce":
        y = rng.integers(0, 2, (rows, task.out_channels)).astype(np.float32)
    else:
        y = rng.integers(0, task.out_channels, (rows, 1))
    attr = None if task.edge_channels is None else features(task.edge_channels, edges.shape[1])
    return Part(features(task.in_channels, nodes), y, ptr, edges, attr)


def dataset(name: str) -> Dataset:
    """A data set of that name, of twelve, six and six graphs."""
    parts = (part(name, graphs, seed) for seed, graphs in enumerate((12, 6, 6)))
    return Dataset(task_of(name), *parts, source="made for a test")


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, bool]]:
    """Let every data set be a made one; what was asked for, and whether from the network."""
    asked = []

    def load(name: str, folder: Path | None, *, download: bool = False, **_: Any) -> Dataset:
        asked.append((name, download))
        return dataset(name)

    monkeypatch.setattr(benchmarks, "load", load)
    return asked


def record(case: Case, test: float, *, converged: bool = True, epochs: int = 40) -> dict[str, Any]:
    """What a run of a case might have left."""
    return {
        "provenance": {
            "commit": "abc1234",
            "machine": "a PC",
            "python": "3.11",
            "versions": {"torch": "2.13"},
        },
        "case": case.to_dict(),
        "parameters": 499_127,
        "width": 171,
        "graphs": [10_000, 1_000, 1_000],
        "source": "made for a test",
        "run": {
            "test_metric": test,
            "metric_name": "MAE",
            "epochs": epochs,
            "best_epoch": epochs // 2,
            "converged": converged,
            "seconds": 10.0 * epochs,
        },
        "train_loss": [0.9 / (1 + epoch) for epoch in range(epochs)],
        "valid_loss": [1.0 / (1 + epoch) for epoch in range(epochs)],
    }
