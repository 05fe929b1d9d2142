"""BatchNorm is torch's, alone or over processes."""

import datetime
from multiprocessing import get_context
from pathlib import Path

import pytest
import torch
from torch import Tensor, distributed

from gcn.norm import BatchNorm, shared
from polyfilter.errors import GraphError

ROWS, CHANNELS = 11, 3
CASES = ((0.1, 4), (None, ROWS))
"""Momentum, and how many rows the first of two processes has."""


def case(norm: torch.nn.BatchNorm1d, x: Tensor, push: Tensor) -> dict[str, Tensor]:
    """Two steps of training: values, gradients, running statistics."""
    with torch.random.fork_rng([]), torch.no_grad():
        torch.manual_seed(4)
        norm.weight.copy_(torch.rand_like(norm.weight))
        norm.bias.copy_(torch.rand_like(norm.bias))
    for _ in range(2):
        x = x.detach().requires_grad_()
        y = norm(x)
        y.backward(push)
    assert x.grad is not None
    assert norm.weight.grad is not None
    return {
        "y": y.detach(),
        "grad": x.grad,
        "weight.grad": norm.weight.grad,
        **{name: tensor.detach() for name, tensor in norm.state_dict().items()},
    }


def inputs() -> tuple[Tensor, Tensor]:
    generator = torch.Generator().manual_seed(0)
    x, push = torch.randn(2, ROWS, CHANNELS, dtype=torch.float64, generator=generator)
    return 5 * x + 40, push  # far from zero, where a sum of squares would cancel


def test_alone_it_is_torchs_to_the_bit(device: torch.device):
    x, push = (tensor.to(device) for tensor in inputs())
    ours, theirs = BatchNorm(CHANNELS).double(), torch.nn.BatchNorm1d(CHANNELS).double()
    mine, its = (case(norm.to(device), x, push) for norm in (ours, theirs))
    assert mine.keys() == its.keys()
    assert all(torch.equal(mine[name], its[name]) for name in mine)
    assert torch.equal(ours.eval()(x), theirs.eval()(x))


def process(rank: int, size: int, folder: str) -> None:
    """Hold some of the rows, or none."""
    torch.set_num_threads(1)
    distributed.init_process_group(
        "gloo",
        init_method=f"file://{folder}/store",
        rank=rank,
        world_size=size,
        timeout=datetime.timedelta(seconds=60),  # a message that never comes fails the test
    )
    x, push = inputs()
    for momentum, cut in CASES:
        mine = slice(0, cut) if rank == 0 else slice(cut, ROWS)
        norm = BatchNorm(CHANNELS, momentum=momentum).double()
        with shared(norm):
            torch.save(case(norm, x[mine], push[mine]), Path(folder) / f"{momentum} {rank}.pt")
    with shared(norm):
        with pytest.raises(GraphError, match="one row"):
            norm(x[: 1 if rank == 0 else 0])
        with pytest.raises(GraphError, match="3 dimensions"):
            norm(x[None])
    distributed.destroy_process_group()


def rounding(x: Tensor) -> float:
    """How far two ways to normalize x may be apart, in float64.

    x - mean loses |x| / sd units, a sum of ROWS terms one a term, and it passes through two sums
    and six products or quotients on its way, forward and back.
    """
    return 8 * (float(x.abs().max() / x.std()) + ROWS) * torch.finfo(torch.float64).eps


def test_over_processes_it_is_that_of_all_rows(tmp_path: Path):
    size = 2
    context = get_context("spawn")
    workers = [
        context.Process(target=process, args=(rank, size, str(tmp_path))) for rank in range(size)
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0] * size
    x, push = inputs()
    for momentum, _ in CASES:
        parts = [
            torch.load(tmp_path / f"{momentum} {rank}.pt", weights_only=True)
            for rank in range(size)
        ]
        whole = case(torch.nn.BatchNorm1d(CHANNELS, momentum=momentum).double(), x, push)
        joined = {name: torch.cat([part[name] for part in parts]) for name in ("y", "grad")}
        joined["weight.grad"] = torch.stack([part["weight.grad"] for part in parts]).sum(0)
        for name in ("running_mean", "running_var", "num_batches_tracked"):
            joined[name] = parts[0][name]
            assert all(torch.equal(part[name], joined[name]) for part in parts)
        for name, tensor in joined.items():
            scale = max(1.0, float(whole[name].abs().max()))
            assert float((tensor - whole[name]).abs().max()) <= rounding(x) * scale, name
