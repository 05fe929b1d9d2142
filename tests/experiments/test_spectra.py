"""Spectrum pictures of made-up networks, against dense matrices."""

import json

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from made_up import keep, shaken

from experiments.sgs import spectra
from experiments.sgs.case import Case
from gcn.data import sgs
from polyfilter.graphs import Graph
from polyfilter.spectrum import Eigenbasis, eigenbasis

GRAPHS = (6, 1, 2)
STAR = Graph.from_edges([(0, 1), (0, 2), (0, 3), (0, 4)])


@given(st.floats(0, 7), st.lists(st.floats(-10, 10), min_size=5, max_size=5))
def test_levels_do_not_depend_on_the_basis(angle, x):
    values, vectors = eigenbasis(STAR)  # -1, three times 0, 1
    turned = vectors.copy()
    c, s = np.cos(angle), np.sin(angle)
    turned[:, 1:3] = vectors[:, 1:3] @ np.array([[c, -s], [s, c]])
    x = np.array(x)
    sizes = spectra.levels(Eigenbasis(values, vectors), x)
    assert spectra.levels(Eigenbasis(values, turned), x) == pytest.approx(sizes, abs=1e-12)
    assert np.sum(sizes**2) == pytest.approx(x @ x, abs=1e-10)


def test_levels_go_from_low_to_high_frequencies():
    smooth = np.sqrt([4.0, 1.0, 1.0, 1.0, 1.0])  # the eigenvector of 1
    assert spectra.levels(eigenbasis(STAR), smooth).argmax() == 0


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """A SoGCN and a GIN that came to their end, and a vanilla network that did not."""
    runs, store = tmp_path_factory.mktemp("runs"), tmp_path_factory.mktemp("store")
    for kind in spectra.KINDS:
        case = Case(kind, "band-pass", "published", graphs=GRAPHS)
        keep(case, shaken(case.network()), runs, None if kind == "vanilla" else store)
    return runs, store


@pytest.fixture(scope="module")
def figures(folders):
    return spectra.collect(*folders, graphs=GRAPHS, graph=1)


@pytest.mark.parametrize("kind", ["gin", "sogcn"])
def test_what_is_drawn_is_what_the_network_does(kind, figures):
    test = sgs.generate("band-pass", "test", count=GRAPHS[2])
    graph, low = test.graphs[1], test.node_ptr[1]
    net = shaken(Case(kind, "band-pass", "published", graphs=GRAPHS).network()).double().eval()
    W = graph.adjacency.tocoo()
    edges = torch.tensor(np.stack((W.row, W.col)), dtype=torch.int64)

    def run(x):
        return net(torch.tensor(x)[:, None], edges)[:, 0].detach().numpy()

    lam, U = np.linalg.eigh(graph.normalized_adjacency().toarray())
    simple = np.flatnonzero(np.diff(lam, prepend=-9) * np.diff(lam, append=9) > 1e-12)
    found = figures["networks"][kind]

    spectrum = np.abs(U.T @ run(test.x[low:]))  # simple eigenvalues have but one coefficient
    drawn = np.array(found["output"])[::-1]
    assert drawn[simple] == pytest.approx(spectrum[simple], abs=1e-4 * spectrum.max())

    offset = run(np.zeros(len(lam)))
    J = np.column_stack([run(e) - offset for e in np.eye(len(lam))])
    responses = np.diagonal(U.T @ J @ U)
    at = [int(np.abs(np.array(found["eigenvalues"]) - lam[k]).argmin()) for k in simple]
    measured = np.array(found["response"])[at]
    assert measured == pytest.approx(responses[simple], abs=1e-4 * np.abs(responses).max())
    commutator = J @ (U * lam) @ U.T - (U * lam) @ U.T @ J  # zero for filters of A
    is_filter = np.abs(commutator).max() < 1e-9 * np.abs(J).max()
    assert is_filter == (kind == "sogcn") == ("curve" in found) == (found["not_filter"] < 1e-9)


def test_a_run_that_did_not_end_is_not_shown(figures):
    assert figures["networks"]["vanilla"] == "not run"
    assert figures["networks"]["sogcn"]["epochs"] == 7


def test_targets_are_filters_of_the_input(figures):
    lam = np.array(figures["eigenvalues"])
    for name, f in sgs.TARGETS.items():
        wanted = f(lam) * np.array(figures["input"])
        assert figures["targets"][name] == pytest.approx(wanted, abs=1e-4)


def test_the_picture_is_drawn_from_the_file_alone(figures):
    picture = spectra.draw(json.loads(json.dumps(figures)))
    words = [text.get_text() for axes in picture.axes for text in axes.texts]
    assert len(picture.axes) == 12
    assert words == ["not run", "not run"]


def test_the_table_says_what_was_not_run(figures):
    lines = str(spectra.table(figures)).splitlines()
    assert lines[1].split() == ["vanilla", "GCN", *["not", "run"] * 6]
    assert lines[3].split()[:4] == ["SoGCN", "12,323", "7", "†"]
