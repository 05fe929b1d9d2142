r"""One training epoch of the paper's SGS network, against the same network in PyTorch Geometric.

The map is ``seed -> figures``: 1,000 SGS graphs, batches of 128, Table 2's SoGCN (16 layers of 16
channels, 12,323 parameters), mean absolute error, Adam. :class:`Written` is that network as one
writes it with PyG's layers, and starts with the same weights; outputs and gradients of both are
compared on the first batch. The optimizer is the same, Adam with its fused kernel. In turns, the
best of them:

* **epoch**: what a user runs. Ours is :func:`gcn.train.fit` with its own batches, the second epoch
  as it tells it itself; PyG's is the loop of its examples with its ``DataLoader``. Both validate on
  one graph. PyG's is run as one writes it, where ``TAGConv`` normalizes the edges in every layer,
  and with edges that were normalized beforehand (``normalize=False``).
* **steps**: batches made beforehand, the same graphs in the same order, and the same loop around
  both networks. PyG has edges with weights here, or a ``torch.sparse`` CSR matrix. Beside them our
  network on the same nodes without any edge: what is left if hops cost nothing, and so the most
  that a better hop could gain (``bound``).

    python -m experiments.bench epoch

>>> LIMITS
{'speedup': 3.0}
"""

import json
import sys
from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor, nn

from experiments.bench.layers import difference, rounding, same_weights, sparse_matrix
from experiments.bench.timing import apart, in_turns
from gcn.data.collection import Batch, Collection
from gcn.data.sgs import generate
from gcn.nets import SoGCN
from gcn.propagate import Prepared, prepare
from gcn.train import Settings, fit

__all__ = ["LIMITS", "Written", "edge_index", "run"]

LIMITS = {"speedup": 3.0}
"""What must hold, for a whole epoch."""

GRAPHS, BATCH, TURNS = 1000, 128, 5
Call = Callable[[], Tensor]


class Written(nn.Module):
    """A SoGCN in PyG's layers: embedding, then convolution, batch norm and residual sixteen times.

    Parameters
    ----------
    net
        The network to start as.
    normalize
        Whether its layers normalize the edges, as they do if one says nothing.
    """

    def __init__(self, net: SoGCN, normalize: bool = False) -> None:
        from torch_geometric.nn import BatchNorm, TAGConv

        super().__init__()
        self.embedding = nn.Linear(net.in_channels, net.hidden_channels)
        self.embedding.load_state_dict(net.embedding.state_dict())
        self.convs, self.norms = nn.ModuleList(), nn.ModuleList()
        for block in net.blocks:
            conv = TAGConv(block.conv.in_channels, block.conv.out_channels, 2, normalize=normalize)
            same_weights(block.conv, conv)
            self.convs.append(conv)
            self.norms.append(BatchNorm(block.conv.out_channels))

    def forward(self, x: Tensor, edges: Tensor, edge_weight: Tensor | None = None) -> Tensor:
        """Return the network's value at each node."""
        h = self.embedding(x)
        for conv, norm in zip(self.convs, self.norms, strict=True):
            y = norm(conv(h, edges, edge_weight))
            h = h + y if h.shape == y.shape else y
        return h


def run(seed: int = 0, threads: int | None = None) -> dict[str, Any]:
    """Return every figure: on one thread, and on as many as torch takes by itself."""
    several = threads or torch.get_num_threads()
    return {
        "graphs": GRAPHS,
        "batch_size": BATCH,
        "runs": [apart("experiments.bench.epoch", seed, threads=n) for n in sorted({1, several})],
    }


def measure(seed: int, graphs: int = GRAPHS, turns: int = TURNS) -> dict[str, Any]:
    """Time epochs in this process."""
    train = generate("band-pass", "train", seed=seed, count=graphs, show=False).collection()
    one = train.batch(torch.tensor([0]))
    valid = Collection(one.x, one.y, torch.tensor([0, len(one.x)]), one.prepared)
    torch.manual_seed(seed)
    ours = SoGCN()
    theirs, as_written = Written(ours), Written(ours, normalize=True)
    batches = list(train.batches(BATCH, torch.Generator().manual_seed(seed)))
    apart_by = _difference(ours, theirs, batches[0])
    settings = Settings(epochs=2, batch_size=BATCH, seed=seed, device="cpu")
    optimizers = {
        name: _adam(net)
        for name, net in (("ours", ours), ("theirs", theirs), ("as_written", as_written))
    }
    loader = _loader(train, seed)
    bare = SoGCN()
    optimizers["bare"] = _adam(bare)
    without = [prepare(torch.empty(2, 0, dtype=torch.int64), len(b.x)) for b in batches]
    ready = [(b.x, edge_index(b.prepared), b.prepared.weight, b.y) for b in batches]
    sparse = [(b.x, sparse_matrix(b.prepared), b.y) for b in batches]

    def steps_ours() -> None:
        for b in batches:
            _step(optimizers["ours"], lambda b=b: ours(b.x, b.prepared), b.y)

    def steps_without() -> None:
        for b, A in zip(batches, without, strict=True):
            _step(optimizers["bare"], lambda b=b, A=A: bare(b.x, A), b.y)

    def steps_edges() -> None:
        for x, edges, weight, y in ready:
            _step(optimizers["theirs"], lambda x=x, e=edges, w=weight: theirs(x, e, w), y)

    def steps_csr() -> None:
        for x, matrix, y in sparse:
            _step(optimizers["theirs"], lambda x=x, m=matrix: theirs(x, m), y)

    times = in_turns(
        {
            # the second of two, since the first carries what a run does once
            "epoch_ours": lambda: (
                fit(ours, train, valid, settings, progress=False).history[1].seconds
            ),
            "epoch_written": lambda: _pyg_epoch(
                as_written, loader, loader.dataset[0], optimizers["as_written"], False
            ),
            "epoch_edges": lambda: _pyg_epoch(
                theirs, loader, loader.dataset[0], optimizers["theirs"], True
            ),
            "steps_ours": steps_ours,
            "steps_without": steps_without,
            "steps_edges": steps_edges,
            "steps_csr": steps_csr,
        },
        turns,
    )
    return {
        "threads": torch.get_num_threads(),
        "nodes": len(train.x),
        "edges": train.prepared.num_edges,
        "parameters": ours.num_parameters,
        "seconds": times,
        "speedup": {
            "epoch": times["epoch_written"] / times["epoch_ours"],
            "epoch_prepared": times["epoch_edges"] / times["epoch_ours"],
            "steps": times["steps_edges"] / times["steps_ours"],
            "steps_csr": times["steps_csr"] / times["steps_ours"],
            "bound": times["steps_edges"] / times["steps_without"],
        },
        **apart_by,
    }


def edge_index(A: Prepared) -> Tensor:
    """Return the edges of a prepared matrix, by rows, as PyG lists them.

    >>> from gcn.propagate import prepare
    >>> edge_index(prepare(torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]), 3))
    tensor([[1, 0, 2, 1],
            [0, 1, 1, 2]])
    """
    return torch.stack([A.cols.long(), torch.repeat_interleave(A.rowptr.diff().long())])


def _adam(net: nn.Module) -> torch.optim.Optimizer:
    return torch.optim.Adam(net.parameters(), 0.001, fused=True)


def _step(optimizer: torch.optim.Optimizer, call: Call, y: Tensor) -> Tensor:
    """One step of any network."""
    optimizer.zero_grad()
    loss = nn.functional.l1_loss(call(), y)
    loss.backward()
    optimizer.step()
    return loss.detach()


def _loader(train: Collection, seed: int) -> Any:
    """The same graphs, as PyG's users hold them."""
    from torch_geometric.data import Data
    from torch_geometric.loader import DataLoader

    data = []
    for g in range(train.num_graphs):
        b = train.batch(torch.tensor([g]))
        weight = b.prepared.weight
        data.append(Data(x=b.x, y=b.y, edge_index=edge_index(b.prepared), edge_weight=weight))
    shuffle = torch.Generator().manual_seed(seed)
    return DataLoader(data, batch_size=BATCH, shuffle=True, generator=shuffle)


def _pyg_epoch(
    net: nn.Module,
    loader: Iterable[Any],
    one: Any,
    optimizer: torch.optim.Optimizer,
    weighted: bool,
) -> str:
    """The loop of PyG's examples, and what ours does as well: sum the loss, validate a graph."""
    net.train()
    total, nodes = 0.0, 0
    for b in loader:
        edges = (b.edge_index, b.edge_weight) if weighted else (b.edge_index,)
        loss = _step(optimizer, lambda b=b, edges=edges: net(b.x, *edges), b.y)
        total += float(loss) * b.num_nodes
        nodes += b.num_nodes
    net.eval()
    with torch.inference_mode():
        edges = (one.edge_index, one.edge_weight) if weighted else (one.edge_index,)
        error = nn.functional.l1_loss(net(one.x, *edges), one.y)
    return f"loss {total / nodes}, validation {float(error)}"


def _difference(ours: SoGCN, theirs: Written, batch: Batch) -> dict[str, float]:
    """How far outputs and gradients of both are apart, and what float32 may do."""
    A = batch.prepared
    outputs = ours(batch.x, A), theirs(batch.x, edge_index(A), A.weight)
    for output in outputs:
        nn.functional.l1_loss(output, batch.y).backward()
    pairs = [(theirs.embedding.weight.grad, ours.embedding.weight.grad)]
    for block, conv in zip(ours.blocks, theirs.convs, strict=True):
        theta = torch.stack([linear.weight.grad.T for linear in conv.lins])
        pairs.append((theta, block.conv.weight.grad))
    found, wanted = (list(column) for column in zip(*pairs, strict=True))
    return {
        "difference": difference([outputs[1].detach()], [outputs[0].detach()]),
        "difference_gradients": difference(found, wanted),
        "rounding": 16 * rounding(len(batch.x), A.num_edges, 16),
    }


if __name__ == "__main__":
    print(json.dumps(measure(int(sys.argv[1]))))
