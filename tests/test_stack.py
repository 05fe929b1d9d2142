"""Stacks against the dense truth U h(Λ) Uᵀ, against numpy's products, and against fractions."""

import html
import math
import pickle
import re
import xml.etree.ElementTree as ET
from dataclasses import FrozenInstanceError
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.polynomial import Chebyshev, Polynomial
from strategies import graphs, signals

from polyfilter import design, factor
from polyfilter.errors import FilterError, SpectrumError
from polyfilter.graphs import Graph, GraphSet
from polyfilter.polynomial import as_filter
from polyfilter.responses import band_pass, high_pass, low_pass
from polyfilter.spectrum import eigenbasis, eigenvalue_tolerance, filter_dense, spectrum
from polyfilter.squares import completed_square
from polyfilter.stack import SoGCStack, Status, factorize

EPS = {"float32": float(np.finfo(np.float32).eps), "float64": float(np.finfo(np.float64).eps)}
TINY = float(np.finfo(np.float64).tiny)
"""Below it floats have no relative accuracy, and may vanish."""
INTERVAL = np.linspace(-1, 1, 1001)
PATH = Graph.from_edges([(0, 1), (1, 2), (2, 3)])
STAR = Graph.from_edges([(0, 1), (0, 2), (0, 3), (0, 4)])

coefficients = st.lists(st.floats(-1, 1), min_size=1, max_size=16)
fractions = st.fractions(-3, 3, max_denominator=12)


def random_graph(size, rng, probability=0.1):
    edges = np.argwhere(np.triu(rng.random((size, size)) < probability, 1))
    return Graph.from_edges(edges, num_nodes=size)


def layer_values(theta, x):
    return np.array([row[0] + x * (row[1] + x * row[2]) for row in theta.astype(np.float64)])


def product_tolerance(h):
    """Return how far the product of the factors may be from h, anywhere on [-1, 1].

    Eigenvalues of the colleague matrix are those of a series whose coefficients are off by
    p(K) eps Σ|c|, p the usual modest polynomial, taken as K². (Noferini and Pérez, 2017, have K^2
    in their bound too.) The leading coefficient may be smaller than the sum, which balancing cures
    in practice; Hypothesis would find where it does not.
    """
    return 16 * EPS["float64"] * (h.degree + 1) ** 2 * float(np.abs(h.chebyshev).sum())


def cascade_tolerance(stack, num_nodes, eps):
    """Return the worst case of rounding: what each layer adds, times all that is still to come.

    A layer rounds its coefficients and two sparse products of rows of at most N entries, each of
    which is 1 in norm: (2N + 8) eps relative to |θ0| + |θ1| + |θ2|, or to the same of a completed
    square. The layers before it have made at most max|P|, those after it multiply by max|R|; both
    maxima are those of a polynomial on a grid that misses at most a factor of sqrt(2).
    """
    values = np.abs(layer_values(stack.theta, factor.grid(stack.degree)))
    total = 0.0
    for l, row in enumerate(stack.theta.astype(np.float64)):  # noqa: E741 (the paper's letter)
        square = completed_square(row)
        size = float(np.abs(row).sum())
        if square is not None:
            c, s, e = square
            size = abs(c) * ((1 + abs(s)) ** 2 + abs(e))
        before, after = values[:l].prod(axis=0).max(), values[l + 1 :].prod(axis=0).max()
        total += 2 * float(before * after) * size
    return (2 * num_nodes + 8) * eps * total


def truth_tolerance(h, num_nodes):
    """Return the error of U h(Λ) Uᵀ itself: A moved by n eps moves h(A) by max|h'| times that."""
    x = factor.grid(h.degree)
    size = np.abs(h.derivative(x)).max() + 3 * np.abs(h(x)).max()
    return 2 * eigenvalue_tolerance(num_nodes) * float(size)


# ------------------------------------------------------------------------ the factorization


@given(coefficients)
@example([0.0, 1e-7])
@example([0.0, 0.0, 0.0, 0.0, 1.0])
def test_product_of_the_layers_is_the_filter(c):
    h = Chebyshev(c)
    stack = factorize(h)
    wanted, found = h(INTERVAL), layer_values(stack.theta, INTERVAL).prod(axis=0)
    tolerance = product_tolerance(stack.filter) + stack.filter.trim_bound
    assert np.abs(found - wanted).max() <= tolerance + TINY
    assert np.abs(stack.response(INTERVAL) - found).max() <= tolerance + TINY


@given(coefficients)
def test_layers_are_half_the_degree_and_at_most_one_is_first_order(c):
    stack = factorize(Chebyshev(c))
    assert len(stack) == len(stack.theta) == max(1, math.ceil(stack.degree / 2))
    first_order = np.count_nonzero(stack.theta[:, 2] == 0)
    assert first_order == (stack.degree % 2 if stack.degree else 1)


@given(coefficients, graphs(), st.data())
@settings(max_examples=60)
def test_apply_is_the_dense_truth(c, graph, data):
    x = data.draw(signals(graph.num_nodes, channels=2))
    stack = factorize(Chebyshev(c))
    wanted = filter_dense(graph, stack.filter, x)
    for dtype, eps in EPS.items():
        signal = x.astype(dtype)
        found = stack.apply(graph, signal)
        assert found.dtype == dtype
        tolerance = (
            cascade_tolerance(stack, graph.num_nodes, eps)
            + product_tolerance(stack.filter)
            + truth_tolerance(stack.filter, graph.num_nodes)
            + eps * np.abs(c).sum()  # the signal itself was rounded
        )
        vanished = graph.num_nodes * len(stack) * float(np.finfo(dtype).tiny)
        assert np.linalg.norm(found - wanted) <= tolerance * np.linalg.norm(x) + vanished


@pytest.mark.parametrize("response", [high_pass, low_pass, band_pass], ids=str)
@pytest.mark.parametrize("degree", [9, 64, 127])
def test_the_predicted_error_is_the_error(response, degree):
    """In float32, where the dense truth is exact beside it; in float64 it is no more than both."""
    rng = np.random.default_rng(degree)
    graph = random_graph(200, rng, 0.03)
    lam, U = eigenbasis(graph)
    x = rng.standard_normal((200, 4))
    h = design.interpolate(response, degree)
    stack = factorize(h, spectrum=lam)
    for name, eps in EPS.items():
        signal = x.astype(name).astype(np.float64)
        wanted = U @ (stack.filter(lam)[:, None] * (U.T @ signal))
        norm = np.linalg.norm(wanted)
        layers = stack.astype(name)
        error = np.linalg.norm(layers.apply(graph, x.astype(name)) - wanted) / norm
        dense = truth_tolerance(stack.filter, 200) * np.linalg.norm(x) / norm
        assert error <= 4 * layers.predicted_error + dense
        if name == "float32":
            assert error >= layers.predicted_error / 8
        assert layers.predicted_error <= eps * 2_000


def test_a_constant_has_one_layer_and_so_has_zero():
    for value in (2.5, -1, Fraction(1, 3), 0, 0.0, 1e-300, 1e280):
        for dtype in ("float64", "float32"):
            if (dtype == "float32" and 0 < abs(value) < 1e-38) or abs(value) > 1e38:
                continue
            stack = factorize([value], dtype=dtype)
            assert stack.theta.tolist() == [[np.dtype(dtype).type(value), 0, 0]]
            assert stack.status is Status.SUCCESS
            assert stack.apply(PATH, np.ones(4)) == pytest.approx(np.full(4, float(value)))
    zero = factorize([0, 0, 0])
    assert (zero.degree, zero.predicted_error, zero.condition) == (0, 0, 0)
    assert zero.certify().bound == zero.certify().relative == 0


@pytest.mark.parametrize("scale", [1e-250, 1e-30, 1e30, 1e250])
def test_the_size_of_a_filter_changes_no_digit(scale):
    h = design.interpolate(band_pass, 24)
    plain, large = factorize(h), factorize(h * scale)
    assert np.allclose(large.response(INTERVAL) / scale, plain.response(INTERVAL), atol=1e-14)
    assert large.predicted_error <= 10 * plain.predicted_error
    assert large.status is Status.SUCCESS


def test_a_filter_that_may_overflow_is_refused():
    for h in ([1e300, 1.0], [Fraction(10) ** 300], Chebyshev([0.0, 1e291])):
        with pytest.raises(FilterError, match=r"reaches 1e\+\d+, and has to stay below 1e\+290"):
            factorize(h)


def test_what_does_not_fit_float32_is_refused():
    for value, word in ((1e39, "large"), (1e-60, "small")):
        with pytest.raises(FilterError, match=f"layer 1 of the stack is too {word} for float32"):
            factorize([value], dtype="float32")
        with pytest.raises(FilterError, match=f"too {word} for float32"):
            factorize([Fraction(value)], dtype="float32")


def test_trimming_is_reported():
    stack = factorize(Chebyshev([1.0, 0.5, 0.25, 1e-20, -2e-20]))
    assert (stack.degree, stack.filter.trimmed) == (2, 2)
    assert stack.filter.trim_bound == pytest.approx(3e-20)
    assert "2 coefficients trimmed" in repr(stack)
    assert factorize(Chebyshev([1.0, 0.5, 0.25, 1e-20]), trim=0).degree == 3
    assert factorize(Chebyshev([1.0, 0.5, 0.25]), trim=0.2).degree == 1


@pytest.mark.parametrize("method", ["auto", "colleague", "aberth", "certified"])
def test_every_root_finder_gives_the_same_filter(method):
    h = design.interpolate(band_pass, 40)
    stack = factorize(h, method=method)
    assert stack.certify().relative <= 1e3 * product_tolerance(stack.filter)
    assert stack.status is Status.SUCCESS


@pytest.mark.parametrize("h", [[1], [0], [1, 2], [0.5, 1.0, 2.0]])
def test_an_unknown_root_finder_is_refused_whatever_the_filter(h):
    with pytest.raises(FilterError, match="no root finder 'newton'; choose from auto"):
        factorize(h, method="newton")


@pytest.mark.parametrize("dtype", ["float16", "int32", "nonsense", complex])
def test_other_precisions_are_refused(dtype):
    for make in (lambda: factorize([1.0], dtype=dtype), lambda: factorize([1.0]).astype(dtype)):
        with pytest.raises(FilterError, match="dtype float32 or float64, not"):
            make()


# ------------------------------------------------------------------------------ exactness


def multiplied(rows):
    product = [Fraction(1)]
    for row in rows:
        product = [
            sum(
                (product[i] * row[k - i] for i in range(len(product)) if 0 <= k - i < 3),
                Fraction(0),
            )
            for k in range(len(product) + 2)
        ]
    while len(product) > 1 and product[-1] == 0:
        product.pop()
    return product


@given(st.lists(fractions, min_size=0, max_size=7), st.booleans(), fractions.filter(bool))
@example([Fraction(0), Fraction(0)], False, Fraction(1))
def test_rational_factors_are_exact(roots, with_pair, lead):
    rows = [[-r, Fraction(1), Fraction(0)] for r in roots]
    rows += [[Fraction(2), Fraction(1), Fraction(1)]] if with_pair else []
    h = multiplied([[lead, Fraction(0), Fraction(0)], *rows])
    for dtype in ("float64", "float32"):
        stack = factorize(h, dtype=dtype)
        assert multiplied(stack.exact) == h
        wanted = np.array([[float(a) for a in row] for row in stack.exact])
        assert stack.theta.tolist() == wanted.astype(dtype).tolist()
        assert len(stack) == max(1, math.ceil((len(h) - 1) / 2))


def test_factors_that_no_fraction_can_hold_are_floats_of_a_small_certificate():
    stack = factorize([1, 1, 0, 0, 0, 1])  # x^5 + x + 1 = (x^2 + x + 1)(x^3 - x^2 + 1)
    assert stack.exact is None
    assert stack.filter.exact is not None
    assert 0 < stack.certify().relative <= product_tolerance(stack.filter)


def test_dyadic_factors_are_certified_to_be_exact():
    h = multiplied([[Fraction(-r, 8), Fraction(1), Fraction(0)] for r in (-7, -3, 2, 5, 6)])
    stack = factorize(h)
    assert stack.certify().bound == 0
    assert "exact" in repr(stack)


def test_sympy_polynomials_are_exact():
    sympy = pytest.importorskip("sympy")
    x = sympy.Symbol("x")
    stack = factorize(sympy.Poly((x - 1) * (x + sympy.Rational(1, 3)), x))
    assert multiplied(stack.exact) == [Fraction(-1, 3), Fraction(-2, 3), Fraction(1)]


# ----------------------------------------------------------------------------- composition


@given(coefficients, coefficients)
@example([0.0, 1.0], [0.0, 0.5])
@example([1.0, 0.0, 0.0, 1.0], [0.5, 1.0])
@example([0.0], [1.0, 1.0])
@example([2.0], [3.0])
@example([2.0], [0.5, 0.25, 1.0])
@example([1.0], [0.0, 2.2250738585e-313])
@example([0.0, 0.5], [2.2250738585e-313])
def test_compose_is_multiplication(a, b):
    first, second = factorize(Chebyshev(a)), factorize(Chebyshev(b))
    both = first.compose(second)
    wanted = np.polynomial.chebyshev.chebmul(first.filter.chebyshev, second.filter.chebyshev)
    size = np.abs(first.filter.chebyshev).sum() * np.abs(second.filter.chebyshev).sum()
    assert both.degree == len(wanted) - 1
    assert both.filter.chebyshev == pytest.approx(wanted, abs=4 * EPS["float64"] * size)
    assert len(both) == max(1, math.ceil(both.degree / 2))
    assert np.count_nonzero(both.theta[:, 2] == 0) <= 1
    values = np.polynomial.chebyshev.chebval(INTERVAL, wanted)
    tolerance = 32 * EPS["float64"] * len(wanted) ** 2 * size + TINY
    assert np.abs(both.response(INTERVAL) - values).max() <= tolerance


@given(coefficients, coefficients, coefficients)
@settings(max_examples=40)
def test_compose_is_associative_and_commutes(a, b, c):
    x, y, z = (factorize(Chebyshev(coefs)) for coefs in (a, b, c))
    left, right = x.compose(y).compose(z), z.compose(y.compose(x))
    size = math.prod(np.abs(s.filter.chebyshev).sum() for s in (x, y, z))
    tolerance = 64 * EPS["float64"] * (left.degree + 1) ** 2 * size + TINY
    assert np.abs(left.response(INTERVAL) - right.response(INTERVAL)).max() <= tolerance
    assert len(left) == len(right)


def test_compose_is_one_filter_after_the_other():
    rng = np.random.default_rng(5)
    graph, x = random_graph(60, rng), rng.standard_normal(60)
    a, b = (factorize(design.interpolate(f, 31)) for f in (low_pass, high_pass))
    both = a.compose(b)
    for one, other in ((a, b), (b, a)):
        twice = one.apply(graph, other.apply(graph, x))
        truth = filter_dense(graph, lambda lam: a.filter(lam) * b.filter(lam), x)
        tolerance = 1e3 * EPS["float64"] * np.linalg.norm(x)
        assert np.linalg.norm(twice - truth) <= tolerance
        assert np.linalg.norm(both.apply(graph, x) - truth) <= tolerance


def test_exact_composes_to_exact():
    a, b = factorize([Fraction(1, 3), 1]), factorize([2, 0, Fraction(1, 7)])
    both = a.compose(b)
    assert multiplied(both.exact) == multiplied([*a.exact, *b.exact])
    assert both.filter.exact == tuple(multiplied(both.exact))
    assert a.compose(factorize([0])).exact == ((0, 0, 0),)
    assert a.compose(factorize([0.5])).exact is None


def test_double_roots_of_a_square_are_not_searched_again():
    a = factorize([1, 1, 0, 0, 0, 1])  # exact, with an irreducible cubic factor
    square = a.compose(a)
    assert square.exact is None
    assert square.filter.exact is not None
    assert square.certify().relative <= 4 * product_tolerance(a.filter)


def test_composition_costs_no_digit():
    """Layers are only moved, and multiplied by powers of two."""
    a, b = (factorize(design.interpolate(f, 63)) for f in (low_pass, high_pass))
    both = a.compose(b)
    together = a.certify().relative + b.certify().relative
    assert both.certify().relative * both.filter.maximum <= 1.1 * together + 100 * EPS["float64"]
    before, after = (_up_to_powers_of_two(s) for s in ([*a.theta, *b.theta], both.theta))
    assert len(after - before) == 1  # the two first-order layers became one


def _up_to_powers_of_two(rows):
    return {tuple(np.ldexp(row, -np.frexp(np.abs(row).max())[1]).tolist()) for row in rows}


def test_compose_keeps_the_spectrum_that_both_share():
    h = [0.5, 1.0, 0.25]
    on = factorize(h, spectrum=[-0.5, 0.5])
    also = factorize(h, spectrum=[0.25, 0.5])
    everywhere = factorize(h)
    assert on.compose(also).points.tolist() == [-0.5, 0.25, 0.5]
    assert on.compose(everywhere).points is None
    assert everywhere.compose(on).points is None


def test_compose_takes_the_wider_precision():
    single, double = factorize([0.1, 1.0], dtype="float32"), factorize([0.2, 1.0])
    assert single.compose(single).dtype == np.float32
    assert single.compose(double).dtype == double.compose(single).dtype == np.float64


def test_compose_takes_stacks_only():
    with pytest.raises(FilterError, match="composes with a stack, not with a list"):
        factorize([1.0]).compose([1.0])


# ----------------------------------------------------------------------------------- apply


@given(graphs(), st.data())
@settings(max_examples=40)
def test_apply_is_linear_and_equivariant(graph, data):
    n = graph.num_nodes
    x, y = data.draw(signals(n)), data.draw(signals(n))
    order = np.array(data.draw(st.permutations(range(n))))
    stack = factorize([0.25, -0.5, 0.125, 1.0, 0.5])
    tolerance = 2 * cascade_tolerance(stack, n, EPS["float64"])
    size = np.linalg.norm(x) + 2 * np.linalg.norm(y)
    sum_first = stack.apply(graph, x + 2 * y)
    sum_last = stack.apply(graph, x) + 2 * stack.apply(graph, y)
    assert np.linalg.norm(sum_first - sum_last) <= tolerance * size
    permuted = Graph.from_scipy(graph.adjacency[order][:, order])
    moved = stack.apply(permuted, x[order]) - stack.apply(graph, x)[order]
    assert np.linalg.norm(moved) <= tolerance * size


def test_apply_takes_signals_of_every_kind_and_leaves_them_alone():
    stack = factorize([0.0, 0.5, 1.0])
    x = np.array([[1, 2], [3, 4], [5, 6], [7, 8]])
    wanted = filter_dense(PATH, stack.filter, x)
    kinds = [x, x.astype(np.int8), x.astype(np.uint64), x.astype(float), np.asfortranarray(x * 1.0)]
    kinds += [x.tolist(), x.astype(np.float16), x.astype(">f8"), np.repeat(x * 1.0, 2, axis=0)[::2]]
    for signal in kinds:
        before = np.array(signal)
        found = stack.apply(PATH, signal)
        assert found.dtype == np.float64
        assert found == pytest.approx(wanted, abs=1e-14)
        assert (np.array(signal) == before).all()
    for signal in (x.astype(np.float32), x.astype(">f4")):
        found = stack.apply(PATH, signal)
        assert found.dtype == np.float32
        assert found == pytest.approx(wanted, abs=1e-5)
    for column in range(2):
        assert stack.apply(PATH, x[:, column]) == pytest.approx(wanted[:, column], abs=1e-14)
    assert stack.apply(PATH, x > 4) == pytest.approx(stack.apply(PATH, (x > 4) * 1.0))
    assert stack.apply(PATH, np.zeros((4, 0))).shape == (4, 0)


@pytest.mark.parametrize("h", [[0.0, 0.0, 1.0], [0.5, 1.0], [3.0], [100.0, 8.0, 1.0], [0.0]])
def test_a_read_only_signal_is_read_only(h):
    x = np.ones(4)
    x.setflags(write=False)
    assert factorize(h).apply(PATH, x) is not x
    assert (x == 1).all()


def test_apply_takes_a_sparse_matrix_as_the_normalized_adjacency():
    stack, x = factorize([0.1, 0.2, 0.3, 0.4]), np.arange(4.0)
    A = PATH.normalized_adjacency()
    wanted = stack.apply(PATH, x)
    for kind in (A, scipy.sparse.coo_matrix(A), scipy.sparse.csc_array(A), A.astype(np.float32)):
        assert stack.apply(kind, x) == pytest.approx(wanted, abs=1e-7)
    assert stack.apply(A, x.astype(np.float32)).dtype == np.float32


def test_apply_takes_a_set_of_graphs():
    stack, rng = factorize([0.1, 0.2, 0.3, 0.4]), np.random.default_rng(0)
    x, y = rng.standard_normal(4), rng.standard_normal((5, 2)).astype(np.float32)
    found = stack.apply(GraphSet([PATH, STAR]), [x, y])
    assert (found[0] == stack.apply(PATH, x)).all()
    assert (found[1] == stack.apply(STAR, y)).all()
    assert found[1].dtype == np.float32
    assert len(stack.apply(GraphSet([PATH, STAR]), iter([x, y]))) == 2


@pytest.mark.parametrize(
    ("graph", "x", "message"),
    [
        (PATH, np.ones(3), r"on 4 nodes has shape \(4,\) or \(4, channels\), not \(3,\)"),
        (PATH, np.ones((4, 1, 1)), r"\(N,\) or \(N, channels\), not \(4, 1, 1\)"),
        (PATH, 1.0, r"not \(\)"),
        (PATH, [1.0, 2.0, np.nan, 4.0], "not finite at node 2"),
        (PATH, [1.0, np.inf, 0.0, 0.0], "not finite at node 1"),
        (PATH, np.ones(4) * 1j, "real numbers, not complex128"),
        (PATH, ["a", "b", "c", "d"], "real numbers, not <U1"),
        (PATH, [[1], [2, 3], [4], [5]], "not an array of numbers"),
        (PATH, None, "real numbers, not object"),
        (GraphSet([PATH, STAR]), [np.ones(4)], "2 graphs need as many signals, not 1"),
        (GraphSet([PATH, STAR]), None, "2 graphs need as many signals, not 1"),
        (GraphSet([PATH]), [np.ones(5)], r"on 4 nodes .* not \(5,\)"),
        (np.eye(4), np.ones(4), "a sparse matrix, not to a ndarray"),
        ("path", np.ones(4), "not to a str"),
        (scipy.sparse.csr_array((4, 3)), np.ones(4), r"square, not of shape \(4, 3\)"),
        (scipy.sparse.csr_array(np.eye(2) * 1j), np.ones(2), "real numbers, not complex128"),
        (scipy.sparse.csr_array(np.eye(2) * np.nan), np.ones(2), "a number that is not finite"),
        (scipy.sparse.coo_array(np.ones(4)), np.ones(4), r"square, not of shape \(4,\)"),
    ],
)
def test_wrong_arguments_of_apply_get_one_sentence(graph, x, message):
    with pytest.raises(FilterError, match=message) as caught:
        factorize([0.5, 1.0, 0.25]).apply(graph, x)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("lam", ["x", [[1], [1, 2]], [1j], np.array([1j]), None])
def test_a_response_is_taken_at_real_numbers(lam):
    with pytest.raises(FilterError, match="taken at real numbers, not at"):
        factorize([0.5, 1.0]).response(lam)


def test_a_response_has_the_shape_of_its_eigenvalues():
    stack = factorize([0.5, 1.0, 0.25])
    assert stack.response(0.5).shape == ()
    assert stack.response(np.zeros((2, 3))).shape == (2, 3)
    assert stack.response(spectrum(PATH)).shape == (4,)


# -------------------------------------------------------------------------- what it reports


def test_a_filter_with_random_values_at_irregular_eigenvalues_says_what_it_is():
    """Numerics.md: at 20 irregular eigenvalues a float64 stack means nothing."""
    rng = np.random.default_rng(2)
    lam = np.sort(rng.uniform(-1, 1, 20))
    exact = [Fraction(v) for v in lam.tolist()]
    values = [Fraction(v) for v in rng.uniform(-1, 1, 20).tolist()]
    h = Polynomial([0.0])
    power = [Fraction(0)] * 20
    for i, value in enumerate(values):
        basis, scale = [Fraction(1)], value
        for j, other in enumerate(exact):
            if i != j:
                basis = [
                    (basis[k - 1] if k else 0) - other * (basis[k] if k < len(basis) else 0)
                    for k in range(len(basis) + 1)
                ]
                scale /= exact[i] - other
        power = [p + scale * b for p, b in zip(power, basis, strict=True)]
    h = as_filter([float(p) for p in power])
    stack = factorize(h, spectrum=lam)
    wanted = h(lam)
    error = np.abs(stack.response(lam) - wanted).max() / np.abs(wanted).max()
    assert stack.condition > 1e3
    assert stack.predicted_error > error / 8
    single = stack.astype("float32")
    assert single.status is not Status.SUCCESS
    assert single.predicted_error > math.sqrt(EPS["float32"])
    assert single.status.name in repr(single)


def test_ordering_for_a_spectrum_pays_there():
    rng = np.random.default_rng(3)
    lam = np.sort(np.concatenate([rng.uniform(-1, -0.7, 20), rng.uniform(0.6, 1, 20)]))
    for degree in (40, 81):
        h = design.interpolate(high_pass, degree)
        there, everywhere = factorize(h, spectrum=lam), factorize(h)
        for eps in EPS.values():
            elsewhere = factor.predicted_error(everywhere.theta, everywhere.filter, lam, eps)
            assert factor.predicted_error(there.theta, there.filter, lam, eps) <= 1.1 * elsewhere
        assert there.points.tolist() == lam.tolist()
        assert np.abs(there.response(lam) - h(lam)).max() <= 1e-12
    assert "on 40 eigenvalues" in repr(there)


def test_a_spectrum_is_an_array_a_graph_or_a_set():
    h = [0.5, 0.25, 1.0, 0.0, 0.5]
    values = spectrum(PATH).values
    for given_spectrum in (values, spectrum(PATH), PATH, GraphSet([PATH]), values.tolist()):
        assert factorize(h, spectrum=given_spectrum).points.tolist() == values.tolist()
    for wrong in ([2.0], [], [np.nan], "x", [[0.1]]):
        with pytest.raises(SpectrumError):
            factorize(h, spectrum=wrong)


@pytest.mark.parametrize("multiplicity", [1, 2, 5])
def test_a_filter_that_vanishes_on_its_spectrum_is_still_that_filter(multiplicity):
    roots = [0.5] * multiplicity + [-0.25]
    h = 3 * Polynomial.fromroots(roots)
    for points in ([0.5], [0.5, -0.25]):
        for dtype, eps in EPS.items():
            stack = factorize(h, spectrum=points, dtype=dtype)
            error = np.abs(stack.response(INTERVAL) - h(INTERVAL)).max()
            assert error <= 100 * eps * np.abs(h(INTERVAL)).max()
            assert stack.status is not Status.SUCCESS
    exact = factorize([Fraction(-1, 2), 1], spectrum=[0.5])
    assert exact.theta.tolist() == [[-0.5, 1.0, 0.0]]


def test_every_status_is_a_sentence():
    assert all(status.value.endswith(".") for status in Status)
    clean = factorize(design.interpolate(high_pass, 30))
    assert clean.status is Status.SUCCESS
    lost = SoGCStack(clean.theta, clean.filter, root_residual=0.5)
    assert lost.status is Status.UNRESOLVED
    noisy = SoGCStack(clean.theta[::-1] * 1.001, clean.filter)
    assert noisy.status is Status.NOISY
    assert "NOISY" in repr(noisy)


def test_a_stack_is_a_value():
    stack = factorize([0.5, 0.25, 1.0], spectrum=[0.0, 0.5])
    for array in (stack.theta, stack.points, stack.filter.chebyshev):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
    with pytest.raises(FrozenInstanceError):
        stack.theta = None
    twin = pickle.loads(pickle.dumps(stack))
    assert (twin.theta == stack.theta).all()
    single = stack.astype("float32")
    assert single.astype("float32") is single
    assert single.astype("float64").theta.tolist() == single.theta.tolist()


def test_the_given_spectrum_is_copied():
    lam = np.array([0.0, 0.5])
    stack = factorize([0.5, 0.25, 1.0], spectrum=lam)
    lam[0] = 1
    assert stack.points.tolist() == [0.0, 0.5]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    "h",
    [[0], [0.0], [1], [-2.5], [0, 1], [0.1, 1.0, 0.3], np.ones(6), np.ones(9), [1e-30, 1e-30]],
    ids=str,
)
def test_notebooks_show_it(h, dtype):
    stack = factorize(h, dtype=dtype)
    page = stack._repr_html_()
    ET.fromstring(f"<div>{page}</div>")
    assert re.search(r"\b(nan|inf)\b", page) is None
    assert html.escape(repr(stack)) in page
    assert html.escape(stack.status.value) in page
    on = factorize(h, spectrum=[0.25], dtype=dtype)._repr_html_()
    ET.fromstring(f"<div>{on}</div>")


def test_a_notebook_shows_partial_products_that_leave_the_floats():
    rng = np.random.default_rng(0)
    theta = np.column_stack([rng.uniform(1, 2, (800, 2)), np.full(800, 1e3)])
    stack = SoGCStack(theta, as_filter(np.ones(3)), np.array([-0.5, 0.5]))
    ET.fromstring(f"<div>{stack._repr_html_()}</div>")


def test_printing_a_deep_stack_takes_little_memory():
    import tracemalloc

    theta = np.tile([0.1, 0.2, 0.7], (1024, 1))
    c = np.zeros(2049)
    c[-1] = 1
    stack = SoGCStack(theta, as_filter(Chebyshev(c)))
    tracemalloc.start()
    try:
        assert "1024 layers" in repr(stack)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    # a few dozen vectors of 4K numbers, where all logarithms together would be 1,024 of them
    assert peak <= 64 * 8 * len(factor.grid(2048))
