r"""Sums over processes.

The map is ``one tensor a process -> their sum, on each``. A run that ``torchrun`` has started in
:math:`R` processes gives to process r the graphs :math:`r, r + R, r + 2R, \dots` of each batch, and
then, with :func:`summed` here and :func:`gcn.norm.shared` in the network, takes the steps that one
process would take. Without a process group there is one process and every function is the identity.

The sums of two processes round otherwise than those of one. In float64 that moved losses of the SGS
network by 1e-12 in 16 steps; in float32 it moved training losses by 1e-6 but validation losses by
1e-3, as far as float32 was from float64 in one process. The reason is Adam, and not the processes:
the gradient of a bias in front of batch normalization is zero but for rounding, and Adam takes the
same step whatever the size of a gradient. Running statistics follow such steps late.

Assumptions: all processes call the same functions in the same order, and see the same folders.

>>> world()
World(rank=0, size=1)
>>> summed(torch.tensor(3.0))
tensor(3.)
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import torch
from torch import Tensor, distributed

from gcn.norm import BatchNorm
from gcn.train.settings import TrainingError, choose_device

__all__ = ["World", "align", "barrier", "gathered", "launched", "sum_gradients", "summed", "world"]


class World(NamedTuple):
    """Which of how many processes this is."""

    rank: int
    size: int


def world() -> World:
    """Return this process's place in the default group; alone if there is none.

    Examples
    --------
    >>> world().size
    1
    """
    if distributed.is_available() and distributed.is_initialized():
        return World(distributed.get_rank(), distributed.get_world_size())
    return World(0, 1)


@contextmanager
def launched(device: str) -> Iterator[World]:
    """Join the group that torchrun describes in the environment, if it does.

    Examples
    --------
    >>> with launched("cpu") as here:
    ...     here
    World(rank=0, size=1)
    """
    if "RANK" not in os.environ or "WORLD_SIZE" not in os.environ:
        yield world()
        return
    chosen = choose_device(device)
    if chosen.type == "cuda":
        torch.cuda.set_device(chosen)
    distributed.init_process_group("nccl" if chosen.type == "cuda" else "gloo")
    try:
        yield world()
    finally:
        distributed.destroy_process_group()


def summed(tensor: Tensor) -> Tensor:
    """Return the sum over processes; gradients don't flow through it.

    Examples
    --------
    >>> summed(torch.ones(2))
    tensor([1., 1.])
    """
    if world().size == 1:
        return tensor
    total = tensor.detach().clone()
    distributed.all_reduce(total)
    return total


def gathered(rows: Tensor) -> Tensor:
    """Return the rows of all processes, one process after the other.

    Examples
    --------
    >>> gathered(torch.ones(2, 3)).shape
    torch.Size([2, 3])
    """
    size = world().size
    if size == 1:
        return rows
    count = torch.tensor([len(rows)], device=rows.device)
    counts = [torch.empty_like(count) for _ in range(size)]
    distributed.all_gather(counts, count)
    longest = max(int(each) for each in counts)
    padded = rows.new_zeros((longest, *rows.shape[1:]))  # messages have to be of one length
    padded[: len(rows)] = rows
    every = [torch.empty_like(padded) for _ in range(size)]
    distributed.all_gather(every, padded)
    return torch.cat([part[: int(each)] for part, each in zip(every, counts, strict=True)])


def sum_gradients(net: torch.nn.Module) -> None:
    """Replace each gradient by its sum over processes, in one message.

    Examples
    --------
    >>> sum_gradients(torch.nn.Linear(1, 1))
    """
    if world().size == 1:
        return
    learning = [p for p in net.parameters() if p.requires_grad]
    grads = [torch.zeros_like(p) if p.grad is None else p.grad for p in learning]
    flat = torch.cat([grad.flatten() for grad in grads])
    distributed.all_reduce(flat)
    parts = torch.split(flat, [p.numel() for p in learning])
    for parameter, part in zip(learning, parts, strict=True):
        parameter.grad = part.view_as(parameter)


def align(net: torch.nn.Module) -> None:
    """Give all processes the weights of the first, if batches can be spread over this network.

    Examples
    --------
    >>> align(torch.nn.Linear(1, 1))
    """
    if world().size == 1:
        return
    for name, module in net.named_modules():
        if isinstance(module, torch.nn.BatchNorm1d) and not isinstance(module, BatchNorm):
            raise TrainingError(
                f"{name} is torch's BatchNorm1d, which sees the graphs of one process only: use "
                "gcn.norm.BatchNorm, which has the same parameters"
            )
    with torch.no_grad():
        for tensor in (*net.parameters(), *net.buffers()):
            distributed.broadcast(tensor, 0)


def barrier() -> None:
    """Wait until all processes are here.

    Examples
    --------
    >>> barrier()
    """
    if world().size > 1:
        distributed.barrier()
