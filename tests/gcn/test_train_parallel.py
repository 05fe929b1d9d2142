"""Two processes take the steps of one."""

import subprocess
import sys
from pathlib import Path

import pytest
import small_training as small
import torch

from gcn.norm import BatchNorm
from gcn.train.loop import _share
from gcn.train.parallel import World

EPOCHS = 6
STEPS = 5  # an epoch of 33 graphs in batches of 8; the last has one graph for two processes


def rows(run: small.Run) -> torch.Tensor:
    losses = [[epoch.train_loss, epoch.valid_loss, epoch.lr] for epoch in run.history]
    return torch.tensor(losses, dtype=torch.float64)


def torchrun(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run two processes of the worker, on a port that is free."""
    launcher = [sys.executable, "-m", "torch.distributed.run", "--standalone"]
    command = [*launcher, "--nproc-per-node", "2", small.__file__, str(folder), *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


def test_two_processes_have_the_losses_of_one(tmp_path: Path):
    done = torchrun(tmp_path / "two", str(EPOCHS))
    assert done.returncode == 0, done.stderr
    two = torch.load(tmp_path / "two" / "result.pt", weights_only=True)
    net = small.network()
    one = small.train(net, None, EPOCHS, torch.float64)
    lr = float(small.SETTINGS["lr"])
    bound = small.tolerance(STEPS * EPOCHS, lr, torch.float64)
    assert two["history"].shape == (EPOCHS, 3)
    assert float((two["history"] - rows(one)).abs().max()) <= bound
    assert one.test_metric is not None
    assert abs(two["test"] - one.test_metric) <= bound
    assert len((tmp_path / "two" / "log.jsonl").read_text().splitlines()) == EPOCHS
    # The bound has teeth: had each process normalized its own graphs, it would not hold.
    halves = small.train(small.network(norm=Halves), None, EPOCHS, torch.float64)
    assert float((rows(halves) - rows(one)).abs().max()) > 1000 * bound


class Halves(BatchNorm):
    """Normalize two halves of the rows apart, as two processes without messages would."""

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        if not self.training:
            return super().forward(input)
        return torch.cat([super(Halves, self).forward(half) for half in input.chunk(2)])


@pytest.mark.parametrize("size", [1, 2, 3])
@pytest.mark.parametrize("graphs", [1, 2, 3, 8])
def test_shares_make_up_the_batch(graphs: int, size: int):
    shares = [_share(torch.arange(graphs), World(rank, size)) for rank in range(size)]
    weight = torch.zeros(graphs, dtype=torch.float64)
    for mine, counts in shares:
        assert len(mine) > 0
        weight[mine] += counts
    assert torch.allclose(weight, torch.ones_like(weight), rtol=0, atol=size * 2**-53)
