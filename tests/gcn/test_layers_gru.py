"""The gate: the formula of the appendix, written out."""

import pytest
import torch
from dense_truth import signal

from gcn.layers import GRU
from polyfilter.errors import FilterError, GraphError

EPS = torch.finfo(torch.float64).eps


@pytest.mark.parametrize("hidden", ["before", "after"])
def test_by_hand(hidden: str) -> None:
    r"""Reset and update gates, a candidate, and their mixture (Cho et al., 2014)."""
    gate = GRU(3, hidden).double()
    after, before = signal(7, 3), signal(7, 3, seed=1)
    v, h = (after, before) if hidden == "before" else (before, after)
    W_r, W_z, W_n = gate.cell.weight_ih.chunk(3)
    U_r, U_z, U_n = gate.cell.weight_hh.chunk(3)
    b_r, b_z, b_n = gate.cell.bias_ih.chunk(3)
    c_r, c_z, c_n = gate.cell.bias_hh.chunk(3)
    r = torch.sigmoid(v @ W_r.T + b_r + h @ U_r.T + c_r)
    z = torch.sigmoid(v @ W_z.T + b_z + h @ U_z.T + c_z)
    n = torch.tanh(v @ W_n.T + b_n + r * (h @ U_n.T + c_n))
    truth = (1 - z) * n + z * h
    # three products of 3 terms, a gate and a mixture: all sums and slopes are at most of order 10
    assert (gate(after, before) - truth).abs().max() <= 10 * (3 + 3 + 8) * EPS


def test_it_counts_three_gates() -> None:
    for h in (1, 16, 300):
        assert sum(p.numel() for p in GRU(h).parameters()) == 3 * (2 * h * h + 2 * h)


def test_state_and_repr() -> None:
    gate, other = GRU(4, "after"), GRU(4, "after")
    other.load_state_dict(gate.state_dict())
    x, y = signal(2, 4, dtype=torch.float32), signal(2, 4, seed=1, dtype=torch.float32)
    assert torch.equal(gate(x, y), other(x, y))
    gate.reset_parameters()
    assert not torch.equal(gate(x, y), other(x, y))
    assert repr(gate) == "GRU(4, hidden='after')"


def test_what_is_refused() -> None:
    with pytest.raises(FilterError, match="a GRU is no polynomial in A: measure what it does"):
        GRU(2).matrix_polynomial()
    with pytest.raises(GraphError, match="hidden state is 'before' or 'after' a layer, not 'mid'"):
        GRU(2, "mid")
    with pytest.raises(GraphError, match=r"x has shape \(2, 3\), but this GRU takes \(nodes, 2\)"):
        GRU(2)(torch.ones(2, 2), torch.ones(2, 3))
    with pytest.raises(GraphError, match=r"x is torch.float64 and this GRU torch.float32"):
        GRU(2)(torch.ones(2, 2).double(), torch.ones(2, 2).double())
