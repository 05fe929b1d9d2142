"""Layer spanning spaces of made-up networks, against their weights and dense matrices."""

import json
from fractions import Fraction

import numpy as np
import pytest
import torch
from flint import fmpq, fmpq_poly
from hypothesis import given, settings
from hypothesis import strategies as st
from made_up import keep, shaken
from numpy.polynomial import Chebyshev
from scipy.optimize import minimize_scalar

from experiments.sgs import lss
from experiments.sgs.case import Case
from gcn.data import sgs

GRAPHS, LAYERS, CHANNELS = (5, 1, 2), 3, 4
ROOTS = st.lists(st.fractions(-3, 3, max_denominator=50).filter(lambda r: r != -1), max_size=5)


def linear(root: Fraction) -> fmpq_poly:
    return fmpq_poly([-fmpq(root.numerator, root.denominator), 1])


@settings(max_examples=50)
@given(ROOTS, st.integers(0, 4), st.booleans())
def test_facts_of_a_product_are_those_of_its_factors(roots, order, pair):
    p = fmpq_poly([fmpq(3, 7)]) * fmpq_poly([1, 1]) ** order
    for root in roots:
        p *= linear(root)
    if pair:
        p *= fmpq_poly([fmpq(1, 10**40), 0, 1])  # ±i / 10^20: floats would call it a double root
    found = lss.facts(p, 2)
    assert found["order_of_minus_one"] == order
    assert found["multiple_of_vanilla"] == (order >= 2)
    assert found["real_rooted"] == (not pair)
    assert found["different_real_roots"] == len({*roots, *[Fraction(-1)] * order})
    assert sum(often for _, _, often in found["roots"]) == found["degree"]
    assert sum(often for _, y, often in found["roots"] if y) == 2 * pair


def test_the_zero_polynomial_is_in_every_space():
    found = lss.facts(fmpq_poly([]), 4)
    assert found["multiple_of_vanilla"]
    assert found["real_rooted"]
    assert found["roots"] == []


def networks():
    """One strict network of each kind, with weights that training could have left."""
    for kind in lss.KINDS:
        case = Case(kind, "low-pass", "strict", LAYERS, CHANNELS, graphs=GRAPHS)
        yield case, shaken(case.network(), seed=1)


@pytest.fixture(scope="module")
def figures(tmp_path_factory):
    runs, store = tmp_path_factory.mktemp("runs"), tmp_path_factory.mktemp("store")
    for case, net in networks():
        keep(case, net, runs, store)
    return lss.collect(
        runs,
        store,
        targets=("low-pass",),
        seeds=(0, 1),
        layers=LAYERS,
        channels=CHANNELS,
        graphs=GRAPHS,
    )


@pytest.fixture(scope="module")
def found(figures):
    return {each["kind"]: each for each in figures["networks"]}


def test_vanilla_is_a_power_of_one_factor(found):
    vanilla = found["vanilla"]
    assert vanilla["degree"] == vanilla["order_of_minus_one"] == LAYERS
    assert vanilla["multiple_of_vanilla"]


def test_gin_has_the_roots_that_its_epsilons_say(found):
    _, net = list(networks())[1]
    wanted = sorted(-1 - block.conv.epsilon.item() for block in net.blocks)
    assert found["gin"]["real_rooted"]
    assert sorted(x for x, _, _ in found["gin"]["roots"]) == pytest.approx(wanted, rel=1e-14)


def test_polynomials_are_what_the_networks_do(found):
    test = sgs.generate("low-pass", "test", count=GRAPHS[2])
    graph, high = test.graphs[0], test.node_ptr[1]
    lam, U = np.linalg.eigh(graph.normalized_adjacency().toarray())
    W = graph.adjacency.tocoo()
    edges = torch.tensor(np.stack((W.row, W.col)), dtype=torch.int64)
    for case, net in networks():
        h = Chebyshev(found[case.kind]["chebyshev"])
        with torch.no_grad():
            y = net.double()(torch.tensor(test.x[:high, None]), edges)[:, 0].numpy()
        truth = U @ (h(lam) * (U.T @ test.x[:high]))
        assert np.abs(y - truth).max() < 1e-12 * np.abs(y).max()
        assert found[case.kind]["output_apart"] < 1e-12 * np.abs(y).max()


def test_distances_from_the_best_are_on_the_spectrum(found):
    test = sgs.generate("low-pass", "test", count=GRAPHS[2])
    lam = np.concatenate(
        [np.linalg.eigvalsh(graph.normalized_adjacency().toarray()) for graph in test.graphs]
    )
    for each in found.values():
        apart = np.abs(
            Chebyshev(each["chebyshev"])(lam) - Chebyshev(each["best"]["chebyshev"])(lam)
        )
        assert each["from_best"]["largest_on_spectrum"] == pytest.approx(apart.max(), rel=1e-9)
        assert each["from_best"]["mean_on_spectrum"] == pytest.approx(apart.mean(), rel=1e-9)
        assert each["best"]["degree"] == (2 if each["kind"] == "sogcn" else 1) * LAYERS


def test_the_best_vanilla_network_is_a_fit_of_one_number(found):
    def output(part, count):
        split = sgs.generate("low-pass", part, count=count)
        A = split.graphs.union().normalized_adjacency().toarray()
        return np.linalg.matrix_power(A + np.eye(len(A)), LAYERS) @ split.x, split.y

    z, y = output("train", GRAPHS[0])
    best = minimize_scalar(lambda c: np.abs(c * z - y).mean(), options={"xtol": 1e-12})
    z, y = output("test", GRAPHS[2])
    truth = np.abs(best.x * z - y).mean()
    assert found["vanilla"]["best_in_space"] == pytest.approx(truth, rel=1e-5)


def test_what_is_missing_is_named(figures):
    assert figures["not_run"] == [
        f"strict/{kind}-{LAYERS}x{CHANNELS}/low-pass/seed-1-graphs-5-1-2" for kind in lss.KINDS
    ]


def test_the_picture_is_drawn_from_the_file_alone(figures):
    drawn = json.loads(json.dumps(figures))
    picture = lss.draw(drawn)  # low-pass, since nothing else was run
    titles = [axes.get_title(loc="left") for axes in picture.axes]
    assert "exactly c (x + 1)^3" in titles
    assert "all 3 roots are real, exactly" in titles
    empty = lss.draw(drawn, "band-pass")
    assert [text.get_text() for axes in empty.axes for text in axes.texts] == ["not run"] * 6


def test_the_table_has_a_row_for_each_network(figures):
    lines = str(lss.table(figures)).splitlines()
    assert "exactly c (x + 1)^3" in lines[1]
    assert "7 †" in lines[1]
    assert "Not run: strict/vanilla-3x4" in lines[-1]
