"""The contracts pass what is a filter, name what is not, and find what PyG's layers compute."""

import subprocess
import sys
from fractions import Fraction

import flint
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import polyfilter as pf
from polyfilter import Graph, testing
from polyfilter.errors import FilterError
from polyfilter.testing import (
    FAMILY,
    ContractError,
    assert_permutation_equivariant,
    assert_polynomial_filter,
    assert_same_response,
    assert_shift_invariant,
)

LINEAR_CONTRACTS = [
    assert_shift_invariant,
    lambda f, **options: assert_polynomial_filter(f, 3, **options),
    lambda f, **options: assert_same_response(f, [1, 2], **options),
]


def horner(coefficients):
    """Give the function that evaluates power coefficients in the precision of its signal."""

    def f(graph, x):
        A = graph.normalized_adjacency(x.dtype)
        y = np.zeros_like(x)
        for theta in reversed(coefficients):
            y = A @ y + x.dtype.type(theta) * x
        return y

    return f


def with_loops(graph):
    """Give the graph with a self-loop at every node, which GCN normalizes."""
    return Graph(graph.adjacency.toarray() + np.eye(graph.num_nodes), graph.name, self_loops=True)


# ------------------------------------------------------------------------------- the strategies


@pytest.mark.parametrize("count", range(1, 9))
def test_graphs_have_the_capacity_asked_for(count):
    @settings(max_examples=12)
    @given(testing.graphs_with_capacity(count))
    def check(graph):
        assert pf.spectrum_capacity(graph).value == count

    check()


def test_the_family_is_in_order_and_rich_enough():
    sizes = [(graph.num_nodes, graph.num_edges) for graph in FAMILY]
    assert sizes == sorted(sizes)
    assert pf.spectrum_capacity(pf.GraphSet(FAMILY)).value == 19


@given(testing.graph_sets(max_graphs=3, max_nodes=5, weighted=True))
@settings(max_examples=25)
def test_graph_sets_stay_within_their_bounds(graphs):
    assert 1 <= len(graphs) <= 3
    assert all(1 <= graph.num_nodes <= 5 for graph in graphs)


def integer_factors(h):
    """Factor h over the rationals, from its exact coefficients."""
    scale = int(np.lcm.reduce([a.denominator for a in h.exact], dtype=object))
    return flint.fmpz_poly([int(a * scale) for a in h.exact]).factor()[1]


@given(testing.filters("smooth"))
@settings(max_examples=40)
def test_smooth_filters_have_falling_coefficients(h):
    assert 1 <= h.degree <= 12
    assert np.all(np.abs(h.chebyshev) <= 1.2 ** -np.arange(h.degree + 1.0) * (1 + 1e-15))


@given(testing.filters("real_rooted"))
@settings(max_examples=40)
def test_real_rooted_filters_split_into_linear_factors(h):
    factors = integer_factors(h)
    assert all(factor.degree() == 1 for factor, _ in factors)
    assert sum(multiplicity for _, multiplicity in factors) == h.degree >= 1


@given(testing.filters("irreducible"))
@settings(max_examples=40)
def test_irreducible_filters_have_one_factor_and_no_real_root(h):
    ((factor, multiplicity),) = integer_factors(h)
    assert (factor.degree(), multiplicity) == (h.degree, 1)
    assert h.degree % 2 == 0
    assert all(not root.imag.contains(0) for root, _ in factor.complex_roots())


@given(testing.filters("ill_conditioned"))
@settings(max_examples=40)
def test_ill_conditioned_filters_have_crowded_roots(h):
    roots = sorted(-Fraction(int(factor[0]), int(factor[1])) for factor, _ in integer_factors(h))
    assert len(roots) == h.degree >= 3
    assert roots[-1] - roots[0] <= Fraction(h.degree - 1, 2**8)


@given(testing.filters("exact"), st.fractions(-1, 1, max_denominator=9))
@settings(max_examples=40)
def test_exact_filters_carry_what_they_evaluate_to(h, x):
    value = sum(a * x**k for k, a in enumerate(h.exact))
    size = sum(map(abs, h.exact))
    assert abs(h(float(x)) - float(value)) <= 100 * (h.degree + 1) * 2.0**-52 * float(size)


# -------------------------------------------------------------------------------- the contracts


@given(testing.filters("exact", max_degree=6), st.sampled_from(["float32", "float64"]))
@settings(max_examples=10)
def test_polynomial_filters_pass_in_both_precisions(h, dtype):
    f = horner([float(a) for a in h.exact])
    noise = {"dtype": dtype, "amplification": float(sum(map(abs, h.exact))) / h.maximum}
    graphs = FAMILY[:9]
    assert_shift_invariant(f, graphs, **noise)
    assert_permutation_equivariant(f, graphs, **noise)
    assert_same_response(f, h, graphs, **noise)
    assert_polynomial_filter(f, h.degree, graphs, **noise)


def test_our_own_stack_passes():
    h = pf.design.interpolate(pf.responses.low_pass, 8)
    assert_same_response(pf.factorize(h).apply, h, search=10)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_filter_that_vanishes_on_a_spectrum_is_judged_by_the_others(dtype):
    f = horner([0, -0.3, 0, 0.3])  # zero on a path of three nodes, but for rounding
    assert_shift_invariant(f, dtype=dtype)
    assert_polynomial_filter(f, 3, dtype=dtype)
    assert_same_response(f, [0, -0.3, 0, 0.3], dtype=dtype)


@pytest.mark.parametrize("degree", [0, 1, 2, 5])
def test_the_polynomial_found_is_the_one_computed_and_none_lower(degree):
    theta = np.cos(np.arange(degree + 1.0)) + 1.0
    found = assert_polynomial_filter(horner(theta), degree, search=10)
    power = np.polynomial.chebyshev.cheb2poly(found.coef)
    np.testing.assert_allclose(power, theta, atol=1e-12)
    if degree:
        with pytest.raises(ContractError, match=f"no polynomial of degree {degree - 1} in A"):
            assert_polynomial_filter(horner(theta), degree - 1)


def test_one_polynomial_has_to_serve_all_graphs():
    def resized(graph, x):
        return graph.num_nodes * x

    assert_shift_invariant(resized)
    with pytest.raises(ContractError, match="no polynomial of degree 9") as caught:
        assert_polynomial_filter(resized, 9)
    # 0 is an eigenvalue of one node and of an edge and a hermit: 1 there, 3 here
    assert caught.value.graph.name == "edge and a hermit"
    assert caught.value.eigenvalue == 0.0


def test_commuting_is_not_enough_to_be_a_polynomial():
    def reflect(graph, x):  # an automorphism commutes with A and is no function of it
        return x[[1, 0, 2]] if graph.name == "triangle" else x

    assert_shift_invariant(reflect)
    with pytest.raises(ContractError) as caught:
        assert_polynomial_filter(reflect, 9)
    assert caught.value.graph.name == "triangle"


def test_the_smallest_graph_of_the_family_is_told_and_drawn():
    def unnormalized(graph, x):
        return graph.adjacency @ x

    with pytest.raises(ContractError) as caught:
        assert_same_response(unnormalized, [0, 1], reversed(FAMILY))
    assert caught.value.graph.name == "path on 3"
    message = str(caught.value)
    assert "'path on 3', 3 nodes, edges 0-1 1-2" in message
    assert caught.value.eigenvalue in (-1.0, 1.0)
    assert f"λ = {caught.value.eigenvalue:g}" in message
    assert abs(caught.value.found) == pytest.approx(2**0.5)


def test_the_search_goes_beyond_the_family_and_shrinks():
    def wrong_from_six(graph, x):
        return (1 + (graph.num_nodes == 6)) * x

    assert_same_response(wrong_from_six, [1])
    with pytest.raises(ContractError) as caught:
        assert_same_response(wrong_from_six, [1], search=200)
    assert (caught.value.graph.num_nodes, caught.value.graph.num_edges) == (6, 0)
    with pytest.raises(ContractError):
        assert_polynomial_filter(wrong_from_six, 2, search=200)


@pytest.mark.parametrize("contract", LINEAR_CONTRACTS)
@pytest.mark.parametrize(
    ("f", "complaint"),
    [
        (lambda graph, x: np.abs(x), "not linear"),
        (lambda graph, x: x + 1, "not linear"),
        (lambda graph, x: np.nan * x, "not finite"),
    ],
)
def test_what_is_no_linear_map_is_said_to_be_none(contract, f, complaint):
    with pytest.raises(ContractError, match=complaint):
        contract(f)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_tolerance_is_of_the_order_of_rounding(dtype):
    f = horner([1, 2])
    eps = float(np.finfo(dtype).eps)
    for size in (1e3, 1e5):
        slip = size * eps
        with pytest.raises(ContractError):
            assert_same_response(
                lambda graph, x, slip=slip: f(graph, x) + x.dtype.type(slip) * x,
                [1, 2],
                dtype=dtype,
            )


def test_names_of_nodes_must_not_matter():
    assert_permutation_equivariant(lambda graph, x: np.maximum(graph.adjacency @ x, 0), channels=3)
    with pytest.raises(ContractError, match="names of the nodes on 'edge'"):
        assert_permutation_equivariant(lambda graph, x: (np.arange(len(x)) * x.T).T, channels=2)


def test_mistakes_of_the_caller_are_no_broken_contracts():
    with pytest.raises(FilterError, match="float32 or float64"):
        assert_shift_invariant(horner([1]), dtype="float16")
    with pytest.raises(FilterError, match="shape"):
        assert_shift_invariant(lambda graph, x: x[:-1])


# ------------------------------------------------------------------------------ what it imports


def run_without(module, statement):
    blocked = f"import sys; sys.modules[{module!r}] = None; {statement}"
    return subprocess.run([sys.executable, "-c", blocked], capture_output=True, text=True)


def test_hypothesis_is_asked_for_by_name():
    done = run_without("hypothesis", "import polyfilter.testing")
    assert done.returncode == 1
    last = done.stderr.strip().splitlines()[-1]
    assert "polyfilter.testing needs hypothesis" in last
    assert "pip install 'polyfilter[testing]'" in last


def test_it_needs_neither_pytest_nor_torch():
    done = run_without("pytest", "import polyfilter.testing; assert 'torch' not in sys.modules")
    assert done.returncode == 0, done.stderr


# ------------------------------------------------------------------- layers that we did not write


@pytest.fixture(scope="module")
def pyg():
    """Give PyG's layers, with torch seeded."""
    reason = "PyTorch Geometric is not installed: make .venv/gcn.stamp"
    torch = pytest.importorskip("torch", reason=reason)
    layers = pytest.importorskip("torch_geometric.nn", reason=reason)
    torch.manual_seed(0)
    return layers


def weights_of(layer):
    return np.array([float(p.detach().reshape(-1)[0]) for p in layer.parameters()])


def precise(layer, dtype):
    return layer.double() if dtype == "float64" else layer.float()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_tagconv_is_a_polynomial_in_the_adjacency(pyg, dtype):
    layer = precise(pyg.TAGConv(1, 1, K=3, bias=False), dtype)
    assert_permutation_equivariant(layer, search=5)
    assert_shift_invariant(layer, search=5)
    assert_same_response(layer, weights_of(layer).tolist(), search=5)
    assert_polynomial_filter(layer, 3)
    with pytest.raises(ContractError, match="no polynomial of degree 2"):
        assert_polynomial_filter(layer, 2)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_chebconv_is_chebyshev_in_minus_the_adjacency(pyg, dtype):
    layer = precise(pyg.ChebConv(1, 1, K=4, bias=False), dtype)
    found = assert_polynomial_filter(layer, 3, search=5)
    signs = np.array([1, -1, 1, -1])  # T_k(-λ) = (-1)^k T_k(λ)
    np.testing.assert_allclose(found.coef, signs * weights_of(layer), atol=1e-5)
    assert_same_response(layer, np.polynomial.Chebyshev(signs * weights_of(layer)))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_appnp_is_a_polynomial_once_it_adds_no_self_loops(pyg, dtype):
    with pytest.raises(ContractError, match="'path on 3'"):
        assert_shift_invariant(pyg.APPNP(K=4, alpha=0.1), dtype=dtype)
    plain = pyg.APPNP(K=4, alpha=0.1, add_self_loops=False)
    geometric = [0.1, 0.09, 0.081, 0.0729, 0.6561]  # α(1-α)^k, and (1-α)^K last
    assert_same_response(plain, geometric, dtype=dtype)


@pytest.mark.parametrize(("name", "order"), [("GCNConv", 1), ("SGConv", 2)])
def test_gcn_and_sgc_are_powers_of_another_matrix(pyg, name, order):
    options = {"K": order} if name == "SGConv" else {}
    layer = getattr(pyg, name)(1, 1, bias=False, **options).double()
    (weight,) = weights_of(layer)
    assert_permutation_equivariant(layer)
    # They add self-loops first, so on a graph of unequal degrees they do not commute with A ...
    with pytest.raises(ContractError, match="does not commute with A on 'path on 3'"):
        assert_shift_invariant(layer)
    # ... on graphs of one degree d they are the filter w ((1 + dλ) / (1 + d))^K ...
    for d, names in ((1, ("edge", "two edges")), (2, ("triangle", "cycle on 7"))):
        regular = [graph for graph in FAMILY if graph.name in names]
        assert_same_response(
            layer, lambda t, d=d: weight * ((1 + d * t) / (1 + d)) ** order, regular
        )
    # ... and what they are a polynomial in, on every graph, is the self-looped adjacency.
    looped = [with_loops(graph) for graph in FAMILY]
    assert_same_response(layer, [0.0] * order + [weight], looped)


def test_a_layer_is_left_in_the_mode_it_came_in(pyg):
    layer = pyg.APPNP(K=2, alpha=0.5, dropout=0.5, add_self_loops=False)
    assert layer.training
    assert_polynomial_filter(layer, 2)  # dropout would make it random
    assert layer.training


def test_a_bias_is_not_linear(pyg):
    layer = pyg.TAGConv(1, 1, K=1)
    layer.bias.data.fill_(1.0)
    with pytest.raises(ContractError, match="not linear on 'one node'"):
        assert_shift_invariant(layer)


def test_weighted_graphs_hand_on_their_weights(pyg):
    layer = pyg.TAGConv(1, 1, K=2, bias=False).double()
    weighted = Graph.from_edges([(0, 1), (1, 2), (2, 0)], weights=[1.0, 2.0, 0.5])
    assert_same_response(layer, weights_of(layer).tolist(), weighted)
