"""How SGS is drawn: against scipy's densities, exact filters and other people's eigenvectors."""

from dataclasses import replace

import flint
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from gcn.data.draws import Draws
from gcn.data.recipe import Recipe
from gcn.data.synthesis import (
    SIGNAL_BITS,
    TARGET_BITS,
    as_basis,
    draw_graph,
    draw_signal,
    draw_spectrum,
    on_grid,
    target_signal,
)
from polyfilter.graphs import Graph
from polyfilter.responses import band_pass, high_pass, low_pass
from polyfilter.spectrum import Eigenbasis, eigenbasis, eigenvalue_tolerance, fourier

QUIET = Recipe(min_noise=0.0, max_noise=0.0)
HALF_SIGNAL, HALF_TARGET = 2.0 ** -(SIGNAL_BITS + 1), 2.0 ** -(TARGET_BITS + 1)
"""How far a number moves at most when it goes to its grid."""
EPS = float(np.finfo(np.float64).eps)


def other_solver(basis: Eigenbasis, rng: np.random.Generator) -> Eigenbasis:
    """Rotate the basis inside each eigenspace, as another LAPACK might."""
    values, vectors = basis
    cuts = np.flatnonzero(np.diff(values) > eigenvalue_tolerance(len(values))) + 1
    turned = []
    for columns in np.split(vectors, cuts, axis=1):
        Q, _ = np.linalg.qr(rng.normal(size=(columns.shape[1],) * 2))
        turned.append(columns @ (Q * rng.choice([-1.0, 1.0], size=len(Q))))
    noise = rng.normal(scale=EPS, size=values.shape)  # and round the eigenvalues differently
    return Eigenbasis(values + noise, np.concatenate(turned, axis=1))


# ------------------------------------------------------------------------------------- graphs


def test_pairs_are_edges_with_the_given_probability() -> None:
    recipe, draws = Recipe(), Draws("graphs")
    graphs = [draw_graph(recipe, draws) for _ in range(400)]
    sizes = np.array([graph.num_nodes for graph in graphs])
    assert (sizes.min(), sizes.max()) == (80, 120)
    pairs = float(np.sum(sizes * (sizes - 1) / 2))
    edges = sum(graph.num_edges for graph in graphs)
    p = recipe.edge_probability
    assert abs(edges - p * pairs) < 6 * np.sqrt(pairs * p * (1 - p))  # binomial
    assert all(not graph.adjacency.diagonal().any() for graph in graphs[:20])


def test_a_graph_may_have_no_edge_at_all() -> None:
    recipe = replace(QUIET, edge_probability=0.0, min_nodes=5, max_nodes=5)
    graph = draw_graph(recipe, Draws("bare"))
    s = draw_spectrum(recipe, 5, Draws("bare"))
    x = draw_signal(recipe, as_basis(recipe, graph), s, Draws("bare"))
    assert graph.num_edges == 0
    assert abs(np.linalg.norm(x) - np.linalg.norm(s)) <= np.sqrt(5) * HALF_SIGNAL + 10 * EPS


# ------------------------------------------------------------------------------------ spectra


def test_released_spectrum_is_the_sum_of_scipys_densities() -> None:
    for N in range(80, 121, 8):
        draws = Draws(f"spectrum {N}")
        a1, a2, b1, b2 = draws.integers(1, 50, 4) / 10
        mu = draws.integers(0, N, 4)
        j = np.arange(1, 5)
        low, high = [[round(N / (9 * (k + shift))) for k in j] for shift in (1, 0)]
        sigma = draws.integers(low, high, 4)
        heights = draws.integers(5, 20, 4) / 10
        inner = np.arange(1, N - 1)
        betas = stats.beta.pdf(inner / N, a1, b1) + stats.beta.pdf(inner / N, a2, b2)
        truth = betas / betas.max()
        for m, w, height in zip(mu, sigma, heights, strict=True):
            truth += height / stats.norm.pdf(m, m, w) * stats.norm.pdf(inner, m, w)
        s = draw_spectrum(Recipe(), N, Draws(f"spectrum {N}"))
        # eight terms below 10, each right to a few ulp and 100 eps in the logarithms
        assert np.abs(s[1:-1] - truth).max() <= HALF_SIGNAL + 8 * 10 * 100 * EPS
        assert (s[0], s[-1]) == (s[1], s[-2])


def test_literal_spectrum_is_the_equation_of_the_text() -> None:
    N, name = 101, "literal"
    draws = Draws(name)
    shapes = 0.1 + 4.9 * draws.uniform(4)
    mu = N * draws.uniform(4)
    low, high = N / (9 * np.arange(2, 6)), N / (9 * np.arange(1, 5))
    sigma = low + (high - low) * draws.uniform(4)
    heights = 0.5 + 1.5 * draws.uniform(4)
    t = np.arange(1, N + 1)
    truth = np.zeros(N)
    truth[:-1] = sum(stats.beta.pdf(t[:-1] / N, shapes[i], shapes[i + 2]) for i in (0, 1))
    truth[-1] = truth[-2]
    for m, w, height in zip(mu, sigma, heights, strict=True):
        f = stats.norm.pdf(t, m, w)
        truth += height * f / f.max()
    s = draw_spectrum(Recipe.text(), N, Draws(name))
    assert np.abs(s - truth).max() <= HALF_SIGNAL + 8 * truth.max() * 100 * EPS


@given(st.integers(4, 300), st.integers(0, 10**6), st.sampled_from([Recipe(), Recipe.text()]))
def test_spectra_are_finite_and_on_the_grid(size: int, seed: int, recipe: Recipe) -> None:
    s = draw_spectrum(recipe, size, Draws(str(seed)))
    assert s.shape == (size,)
    assert np.isfinite(s).all()
    assert s.min() >= 0
    assert np.array_equal(s, on_grid(s, SIGNAL_BITS))
    assert np.array_equal(s, s.astype(np.float32))


# ------------------------------------------------------------------------------------ signals


def test_bytes_do_not_depend_on_who_computed_the_eigenvectors() -> None:
    rng = np.random.default_rng(0)
    for k in range(60):
        draws = Draws(f"robust {k}")
        graph = draw_graph(Recipe(), draws)
        s = draw_spectrum(Recipe(), graph.num_nodes, draws)
        order = rng.permutation(graph.num_nodes)
        values, shuffled = eigenbasis(graph.permute(order))
        vectors = np.empty_like(shuffled)
        vectors[order] = shuffled
        ours = eigenbasis(graph)
        found = set()
        for basis in (ours, other_solver(ours, rng), Eigenbasis(values, vectors)):
            x = draw_signal(Recipe(), basis, s, Draws(f"noise {k}"))
            for response in (high_pass, low_pass, band_pass):
                y = target_signal(basis, response, x)
                found.add((response.name, x.tobytes(), y.tobytes()))
        assert len(found) == 3  # one for each response


def test_the_solvers_basis_does_depend_on_it() -> None:
    recipe = Recipe(basis="solver")
    graph = draw_graph(recipe, Draws("solver"))
    s = draw_spectrum(recipe, graph.num_nodes, Draws("s"))
    ours = eigenbasis(graph)
    theirs = other_solver(ours, np.random.default_rng(0))
    x, other = (draw_signal(recipe, basis, s, Draws("noise")) for basis in (ours, theirs))
    assert not np.array_equal(x, other)
    quiet = draw_signal(replace(QUIET, basis="solver"), ours, s, Draws("noise"))
    assert np.abs(fourier(ours, quiet)[::-1] - s).max() <= np.sqrt(len(s)) * HALF_SIGNAL


def test_the_spectrum_of_a_quiet_signal_has_the_lengths_of_s() -> None:
    graph = draw_graph(QUIET, Draws("lengths"))
    basis = eigenbasis(graph)
    s = draw_spectrum(QUIET, graph.num_nodes, Draws("s"))
    x = draw_signal(QUIET, basis, s, Draws("x"))
    starts = np.flatnonzero(np.append(True, np.diff(basis.values) > eigenvalue_tolerance(len(s))))
    found, wanted = np.sqrt(np.add.reduceat([fourier(basis, x) ** 2, s[::-1] ** 2], starts, axis=1))
    assert np.abs(found - wanted).max() <= np.sqrt(len(s)) * HALF_SIGNAL


def test_low_frequencies_come_first() -> None:
    graph = Graph.from_edges([(k, (k + 1) % 12) for k in range(12)])
    s = np.zeros(12)
    s[0] = 1.0  # the constant vector of a ring has the lowest frequency
    x = draw_signal(QUIET, eigenbasis(graph), s, Draws("ring"))
    assert np.abs(np.abs(x) - 1 / np.sqrt(12)).max() <= HALF_SIGNAL + 12 * EPS
    assert abs(x.sum()) > 1


def test_directions_are_uniform_in_an_eigenspace() -> None:
    empty = eigenbasis(Graph.from_edges(np.empty((0, 2), dtype=int), num_nodes=4))
    draws, count = Draws("sphere"), 4000
    s = np.array([2.0, 0.0, 0.0, 0.0])  # one eigenvalue: any vector of length 2
    x = np.array([draw_signal(QUIET, empty, s, draws) for _ in range(count)])
    assert np.abs(np.linalg.norm(x, axis=1) - 2).max() <= 2 * HALF_SIGNAL + 8 * EPS
    # on a sphere of radius 2 in four dimensions x_i has variance 1, and x_i² variance 1
    assert np.abs(x.mean(axis=0)).max() < 6 / np.sqrt(count)
    assert np.abs((x.T @ x) / count - np.eye(4)).max() < 6 / np.sqrt(count)


def test_noise_has_the_released_standard_deviations() -> None:
    size, count = 100, 500
    bare = eigenbasis(Graph.from_edges(np.empty((0, 2), dtype=int), num_nodes=size))
    draws = Draws("noise")
    x = np.array([draw_signal(Recipe(), bare, np.zeros(size), draws) for _ in range(count)])
    c = x.std(axis=1)
    spread = 1 / np.sqrt(2 * size)  # of an estimated standard deviation, relative
    assert 0.05 * (1 - 6 * spread) < c.min() < 0.06
    assert 0.33 < c.max() < 0.34 * (1 + 6 * spread)
    deviation = np.sqrt((30**2 - 1) / 12) * 0.01  # of one of the 30 values 0.05, ..., 0.34
    assert abs(c.mean() - 0.195) < 6 * deviation / np.sqrt(count)


# ------------------------------------------------------------------------------------ targets


def exact_step(graph: Graph, sharpness: int, shift: flint.fmpq, x: np.ndarray) -> np.ndarray:
    """Return σ(sharpness (shift - A)) x = (I + exp(sharpness (A - shift)))⁻¹ x by balls."""
    N, degrees = graph.num_nodes, graph.degrees
    with flint.ctx.workprec(320):
        entries = [[flint.arb(-sharpness * shift * (i == j)) for j in range(N)] for i in range(N)]
        for i, j in graph.edges()[0].tolist():
            weight = sharpness / flint.arb(int(degrees[i] * degrees[j])).sqrt()
            entries[i][j] = entries[j][i] = weight
        identity = flint.arb_mat(N, N, [int(i == j) for i in range(N) for j in range(N)])
        column = flint.arb_mat(N, 1, x.tolist())
        y = (identity + flint.arb_mat(entries).exp()).solve(column)
        assert all(float(y[i, 0].rad()) < 1e-30 for i in range(N))
        return np.array([float(y[i, 0].mid()) for i in range(N)])


def test_targets_are_the_papers_filters() -> None:
    recipe = Recipe(min_nodes=30, max_nodes=40, edge_probability=0.06)
    graph = draw_graph(recipe, Draws("exact"))
    basis = as_basis(recipe, graph)
    s = draw_spectrum(recipe, graph.num_nodes, Draws("exact"))
    x = draw_signal(recipe, basis, s, Draws("exact"))
    step = {key: exact_step(graph, *key, x) for key in KEYS}
    truth = {
        high_pass: step[50, flint.fmpq(0)],
        low_pass: x - step[50, flint.fmpq(0)],
        band_pass: step[100, flint.fmpq(1, 20)] - step[100, flint.fmpq(-1, 20)],
    }
    # a response of slope 25 at eigenvalues that err by the tolerance, and as much for U
    rounding = 2 * 25 * eigenvalue_tolerance(len(x)) * float(np.linalg.norm(x))
    for response, wanted in truth.items():
        y = target_signal(basis, response, x)
        assert np.abs(y - wanted).max() <= HALF_TARGET + rounding
        assert np.array_equal(y, y.astype(np.float32))


KEYS = ((50, flint.fmpq(0)), (100, flint.fmpq(1, 20)), (100, flint.fmpq(-1, 20)))


@pytest.mark.parametrize(("isolated", "kept"), [("zero", 0.5), ("one", 1.0)])
def test_isolated_nodes_follow_the_recipe(isolated: str, kept: float) -> None:
    recipe = Recipe(isolated=isolated)
    graph = Graph.from_edges([(1, 2), (2, 3)], num_nodes=5)
    basis = as_basis(recipe, graph)
    assert np.all(np.diff(basis.values) >= 0)
    assert np.abs(basis.vectors @ basis.vectors.T - np.eye(5)).max() <= 5 * EPS
    y = target_signal(basis, low_pass, np.array([1.0, 0.0, 0.0, 0.0, -2.0]))
    assert y.tolist() == [kept, 0.0, 0.0, 0.0, -2 * kept]


def test_the_grid_has_no_negative_zero() -> None:
    assert not np.signbit(on_grid(np.array([-0.0, -1e-9]), 12)).any()
