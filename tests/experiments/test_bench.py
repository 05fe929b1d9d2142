"""What the benchmarks of networks measure with, and that both sides are the same function."""

import json
import math
import time
from functools import partial

import pytest
import torch

from experiments.bench import epoch, layers, rows, scaling
from experiments.bench.edges import random_edges, weights_of
from experiments.bench.timing import TURN, in_turns, peak_bytes, slope
from gcn.nets import SoGCN
from gcn.propagate import prepare


@pytest.mark.parametrize("power", [0.0, 0.5, 1.0, 2.0])
def test_the_slope_of_a_power_is_its_exponent(power):
    sizes = [10, 31, 100, 2000]
    assert slope(sizes, [3 * n**power for n in sizes]) == pytest.approx(power, abs=1e-9)


def test_the_slope_is_that_of_least_squares():
    # by hand: logs (0, 1, 2) and (0, 0, 3) have the slope 3 / 2
    assert slope([1, math.e, math.e**2], [1, 1, math.e**3]) == pytest.approx(1.5, abs=1e-9)


def test_actions_are_run_in_turns_after_one_that_does_not_count():
    calls = []
    slow = {name: partial(_slowly, calls, name) for name in "ab"}
    in_turns(slow, turns=3)
    assert "".join(calls) == "aabb" + 3 * "ab"  # one warms, one is timed to see how long it takes


def _slowly(calls, name):
    time.sleep(TURN)
    calls.append(name)


def test_a_short_action_is_repeated_and_one_that_tells_its_time_is_believed():
    calls = []
    found = in_turns({"short": lambda: calls.append(1), "told": lambda: 0.25}, turns=1)
    assert len(calls) > 100
    assert found["short"] < TURN / 100
    assert found["told"] == 0.25


def test_the_peak_is_that_of_tensors_alive_at_once():
    def action():
        a = torch.empty(1000)
        b = torch.empty(2000)
        del a
        return b, torch.empty(3000)

    assert peak_bytes(action) == 4 * (2000 + 3000)


def test_random_edges_go_both_ways_and_to_other_nodes():
    edges = random_edges(50, 400, seed=0)
    assert edges.shape == (2, 400)
    assert bool((edges[0] != edges[1]).all())
    there = sorted(map(tuple, edges.T.tolist()))
    assert there == sorted(map(tuple, edges.flip(0).T.tolist()))


def test_the_network_in_pyg_layers_is_ours():
    edges = random_edges(40, 200, seed=1)
    A = prepare(edges, 40)
    torch.manual_seed(0)
    net = SoGCN(1, 4, 1, 3)
    other = epoch.Written(net)
    x = torch.randn(40, 1)
    bound = 3 * layers.rounding(40, 200, 4)
    wanted = net(x, A).detach()
    for value in (
        other(x, edges, weights_of(A)),
        other(x, epoch.edge_index(A), A.weight),
        other(x, layers.sparse_matrix(A)),
    ):
        assert layers.difference([value.detach()], [wanted]) < bound
    assert sum(p.numel() for p in other.parameters()) == net.num_parameters


def test_channel_hops_are_the_papers_networks():
    counted = {name: scaling.channel_hops(*case) for name, case in scaling.NETWORKS.items()}
    assert counted == {"vanilla": 376, "SoGCN": 640, "4th order": 1280, "6th order": 1920}


def test_rows_say_what_holds_and_what_does_not():
    figures = {
        "slope": 1.02,
        "orders": {"vanilla": 1.0, "SoGCN": 2.1, "4th order": 4.4, "6th order": 9.0},
    }
    held = list(rows.scaling_rows(figures))
    assert [ok for _, _, _, ok, _ in held] == [True, True, True, False]
    assert held[-1][1:3] == ("9.0", "6 ± 25%")


def test_the_picture_is_drawn(tmp_path):
    figures = {"edges": [10, 100, 1000], "seconds": [1e-3, 1e-2, 1e-1], "slope": 1.0}
    scaling.draw({**figures, "channels": 16, "degree": 10}, tmp_path / "drawn.png")
    assert (tmp_path / "drawn.png").read_bytes().startswith(b"\x89PNG")


def test_figures_are_plain_numbers():
    figures = epoch.measure(0, graphs=4, turns=1)
    assert json.loads(json.dumps(figures)) == figures
    assert figures["difference"] < figures["rounding"]
    assert figures["difference_gradients"] < figures["rounding"]
