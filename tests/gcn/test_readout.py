"""From nodes to graphs: sums, means and maxima of each graph's own nodes."""

from typing import Any

import pytest
import torch
from dense_truth import signal
from hypothesis import given
from hypothesis import strategies as st
from torch.autograd import gradcheck

from gcn.readout import HEADS, READOUTS, head_of, pool
from polyfilter.errors import GraphError

HOW = {
    "sum": lambda rows: rows.sum(0),
    "mean": lambda rows: rows.mean(0),
    "max": lambda rows: rows.amax(0),
}


@pytest.mark.parametrize("how", HOW)
@given(graph=st.lists(st.integers(0, 4), max_size=20), extra=st.integers(0, 2))
def test_graph_by_graph(how: str, graph: list[int], extra: int) -> None:
    """In any order of the nodes; a graph without nodes has zeros."""
    x, numbers = signal(len(graph), 3), torch.tensor(graph, dtype=torch.int64)
    count = max(graph, default=-1) + 1 + extra
    found = pool(x, numbers, how, count)
    assert found.shape == (count, 3)
    eps = torch.finfo(x.dtype).eps
    for g in range(count):
        rows = x[numbers == g]
        truth = HOW[how](rows) if len(rows) else torch.zeros(3, dtype=x.dtype)
        assert bool(
            ((found[g] - truth).abs() <= 2 * (len(rows) + 1) * eps * rows.abs().sum(0)).all()
        )
    if not extra:
        assert torch.equal(pool(x, numbers, how), found)


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float32], ids=str)
def test_half_precision_counts_past_256(how: str, dtype: torch.dtype, device: torch.device) -> None:
    """A mean over 1,000 nodes was once a sum over 1,000 and a division by 256."""
    x = torch.ones(1000, 2, dtype=dtype, device=device)
    y = pool(x, torch.zeros(1000, dtype=torch.int64, device=device), how)
    assert y.dtype == dtype
    assert y.tolist() == [[1000.0 if how == "sum" else 1.0] * 2]


@pytest.mark.parametrize("how", HOW)
def test_gradients(how: str) -> None:
    graph = torch.tensor([1, 0, 1, 2])
    assert gradcheck(lambda x: pool(x, graph, how, 4), (signal(4, 2).requires_grad_(),))


@pytest.mark.parametrize("kind", HEADS)
def test_heads(kind: str) -> None:
    head = head_of(kind, 16, 3)
    if head is None:
        assert kind == "none"
        return
    assert head(torch.ones(2, 16)).shape == (2, 3)
    count = {"linear": 17 * 3, "mlp": 17 * 8 + 9 * 4 + 5 * 3}
    assert sum(p.numel() for p in head.parameters()) == count[kind]


@pytest.mark.parametrize(
    ("graph", "how", "count", "words"),
    [
        (None, "sum", None, "needs to know each node's: give it graph"),
        (torch.tensor([0, 0]), "sum", None, "graph has shape (2,) for 3 nodes"),
        (torch.tensor([[0, 0, 0]]), "sum", None, "graph has shape (1, 3) for 3 nodes"),
        (torch.zeros(3), "mean", None, "numbers of graphs as int64, not torch.float32"),
        (
            torch.tensor([0, -1, 1]),
            "max",
            None,
            "node 1 is in graph -1, but graphs are numbered 0 to 1",
        ),
        (torch.tensor([0, 0, 7]), "max", 2, "node 2 is in graph 7, but graphs are numbered 0 to 1"),
        (torch.tensor([0, 0, 0]), "node", 1, "unknown readout 'node': choose from sum, mean, max"),
        (
            torch.tensor([0, 0, 0]),
            "median",
            1,
            "unknown readout 'median': choose from sum, mean, max",
        ),
    ],
)
def test_what_is_refused(graph: Any, how: str, count: int | None, words: str) -> None:
    with pytest.raises(GraphError) as caught:
        pool(torch.ones(3, 1), graph, how, count)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_heads_that_are_refused() -> None:
    with pytest.raises(GraphError, match="unknown head 'big': choose from none, linear, mlp"):
        head_of("big", 16, 1)
    with pytest.raises(
        GraphError, match="an MLP head halves 3 channels twice: it needs at least 4"
    ):
        head_of("mlp", 3, 1)
    assert READOUTS[0] == "node"
