"""Round trips: networkx, scipy.sparse, numpy, sympy and scipy.signal give back what they got."""

import subprocess
import sys
from fractions import Fraction

import networkx
import numpy as np
import pytest
import sympy
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.polynomial import Chebyshev, Polynomial
from scipy import signal, sparse

import polyfilter as pf
from polyfilter.errors import FilterError, GraphError
from polyfilter.sections import from_sos, to_sos
from polyfilter.strategies import graphs

EPS = float(np.finfo(np.float64).eps)
X = np.cos(np.linspace(0, np.pi, 301))
FLOATS = st.floats(-10, 10).map(lambda value: float(np.float32(value)))
COEFFICIENTS = st.lists(FLOATS, min_size=1, max_size=9)
FRACTIONS = st.lists(st.fractions(-9, 9, max_denominator=60), min_size=1, max_size=9)


def same(one: pf.Graph, other: pf.Graph) -> bool:
    """Whether both have the same nodes, edges and weights, to the last bit."""
    a, b = one.adjacency, other.adjacency
    return all(map(np.array_equal, (a.indptr, a.indices, a.data), (b.indptr, b.indices, b.data)))


# -------------------------------------------------------------------------------------- graphs


@given(graphs(weighted=True))
def test_graphs_through_networkx_and_back(g):
    there = g.to_networkx()
    assert same(pf.Graph.from_networkx(there), g)
    truth = networkx.to_scipy_sparse_array(there, nodelist=range(g.num_nodes), dtype=float)
    assert np.array_equal(truth.toarray(), g.adjacency.toarray())


@given(st.integers(1, 12), st.floats(0, 1), st.integers(0, 99))
def test_networkx_through_graphs_and_back(n, p, seed):
    there = networkx.gnp_random_graph(n, p, seed=seed)
    again = pf.Graph.from_networkx(there).to_networkx()
    assert set(map(frozenset, again.edges)) == set(map(frozenset, there.edges))
    assert list(again) == list(there)


@given(graphs(weighted=True), st.sampled_from(["csr", "csc", "coo", "lil", "dok"]))
def test_graphs_through_scipy_and_back(g, form):
    for matrix in (g.to_scipy().asformat(form), sparse.csr_matrix(g.to_scipy()).asformat(form)):
        assert same(pf.Graph.from_scipy(matrix), g)
    copy = g.to_scipy()
    copy.data[:] = 7  # a copy: the graph stays what it is
    assert g.num_edges == 0 or g.adjacency.data is not copy.data


def test_to_pyg_says_what_is_missing():
    code = """if True:
        import sys
        sys.modules["torch"] = None
        import polyfilter as pf
        try:
            pf.Graph.from_edges([(0, 1)]).to_pyg()
        except pf.PolyfilterError as error:
            print(error)
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "to_pyg needs torch_geometric: pip install 'polyfilter[gcn]'\n"
    assert issubclass(GraphError, pf.PolyfilterError)


def test_no_module_of_polyfilter_asks_for_torch():
    code = """if True:
        import importlib, pkgutil, sys
        for name in ("torch", "torch_geometric", "torch_scatter"):
            sys.modules[name] = None
        import polyfilter
        for module in pkgutil.walk_packages(polyfilter.__path__, "polyfilter."):
            importlib.import_module(module.name)
    """
    subprocess.run([sys.executable, "-c", code], check=True)


# --------------------------------------------------------------------------------- polynomials


@given(COEFFICIENTS)
def test_chebyshev_series_through_filters_and_back(c):
    h = pf.as_filter(Chebyshev(c), trim=0)
    again = h.to_numpy()
    assert isinstance(again, Chebyshev)
    assert np.array_equal(again.trim().coef, Chebyshev(c).trim().coef)
    assert np.array_equal(pf.as_filter(again, trim=0).chebyshev, h.chebyshev)


@given(st.lists(st.integers(-(2**40), 2**40), min_size=1, max_size=9))
def test_power_series_of_whole_numbers_through_filters_and_back(a):
    h = pf.as_filter(a)
    assert np.array_equal(h.to_numpy("power").trim().coef, Polynomial(a).trim().coef)


@given(COEFFICIENTS)
@example([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9])
def test_power_series_of_floats_come_back_to_rounding(a):
    """Chebyshev coefficients are rounded once, and each is worth 3^k in powers of x."""
    h = pf.as_filter(Polynomial(a), trim=0)
    again = h.to_numpy("power")
    assert isinstance(again, Polynomial)
    lost = np.zeros(9)
    lost[: len(again.coef)] += again.coef
    lost[: len(a)] -= a
    assert np.abs(lost).max() <= EPS * 3.0 ** len(a) * np.abs(a).max() * 2
    assert np.abs(again(X) - Polynomial(a)(X)).max() <= EPS * 3.0 ** len(a) * np.abs(a).max() * 4


@given(FRACTIONS)
def test_sympy_over_the_rationals_through_filters_and_back(a):
    x = sympy.Symbol("t")
    poly = sympy.Poly([sympy.Rational(b.numerator, b.denominator) for b in reversed(a)], x)
    assert pf.as_filter(poly).to_sympy(x) == poly.to_field()


@given(COEFFICIENTS)
def test_floats_through_sympy_lose_nothing(c):
    h = pf.as_filter(Chebyshev(c), trim=0)
    x = sympy.Symbol("x")
    poly = h.to_sympy()
    assert np.array_equal(pf.as_filter(poly).chebyshev, h.chebyshev)
    truth = sum(sympy.Rational(Fraction(b)) * sympy.chebyshevt_poly(k, x) for k, b in enumerate(c))
    assert sympy.expand(poly.as_expr() - truth) == 0


def test_a_basis_is_one_of_two():
    with pytest.raises(FilterError, match="choose chebyshev or power"):
        pf.as_filter([1]).to_numpy("hermite")


# ------------------------------------------------------------------------------------ sections


def zero_phase(sos: np.ndarray, degree: int, omega: np.ndarray) -> np.ndarray:
    """What scipy.signal says that sections do at frequencies, without their delay."""
    _, H = signal.sosfreqz(sos, worN=omega)
    return H * np.exp(1j * degree * omega)


LAYERS = st.lists(st.tuples(FLOATS, FLOATS, FLOATS), min_size=1, max_size=5)


@given(LAYERS)
@example([(1.0, 0.0, 0.0)])
@example([(0.0, 0.0, 0.0), (1.0, 2.0, 3.0)])
@example([(0.25, -1.0, 1.0)])  # a double root
@example([(5.0, 1.0, 1e-6), (5.0, -6.0, 1e-6), (1.0, 0.0, 1.0)])  # far roots, and imaginary ones
@example([(1.0, 2.0, 1.0), (1.0, -2.0, 1.0), (0.0, 0.0, 3.0), (0.0, 1.0, 1.0)])
def test_sections_have_the_gain_of_the_layers(layers):
    theta = np.array(layers)
    degree = sum(max((k for k in range(3) if row[k]), default=0) for row in layers)
    omega = np.linspace(0, np.pi, 101)
    truth = np.prod([np.polyval(row[::-1], np.cos(omega)) for row in theta], axis=0)
    found = zero_phase(to_sos(theta), degree, omega)
    size = np.prod(np.abs(theta).sum(axis=1)) or 1.0
    assert np.abs(found - truth).max() <= 1e3 * EPS * size


@given(LAYERS)
def test_layers_through_sections_and_back(layers):
    theta = np.array(layers)
    h = from_sos(to_sos(theta))
    truth = np.prod([np.polyval(row[::-1], X) for row in theta], axis=0)
    size = np.prod(np.abs(theta).sum(axis=1)) or 1.0
    assert np.abs(h(X) - truth).max() <= 1e3 * EPS * size


@pytest.mark.parametrize("degree", [5, 16, 64, 128])
def test_stacks_through_sections_and_back(degree):
    stack = pf.factorize(pf.design.interpolate(pf.responses.band_pass, degree))
    sos = stack.to_sos()
    assert sos.shape == (stack.degree, 6)
    assert np.array_equal(sos[:, 3:], np.tile([1.0, 0.0, 0.0], (len(sos), 1)))
    again = pf.SoGCStack.from_sos(sos)
    assert (again.degree, len(again)) == (stack.degree, len(stack))
    assert np.abs(again.response(X) - stack.response(X)).max() < 1e-11


def test_taps_are_chebyshev_coefficients():
    c = np.array([0.5, -0.25, 0.125, 0.75, 0.3])
    sos = pf.factorize(Chebyshev(c)).to_sos()
    taps = signal.sosfilt(sos, np.eye(9)[0])
    assert np.allclose(taps, [*c[:0:-1] / 2, c[0], *c[1:] / 2], atol=1e-14)


def test_on_a_ring_a_stack_and_its_sections_do_the_same():
    """The undirected ring is where graphs and time series meet."""
    n, degree = 40, 12
    stack = pf.factorize(pf.design.interpolate(pf.responses.Heat(time=2.0), degree))
    x = np.random.default_rng(0).standard_normal(n)
    ring = pf.Graph.from_edges([(i, (i + 1) % n) for i in range(n)])
    periods = signal.sosfilt(stack.to_sos(), np.tile(x, 3))
    assert np.allclose(periods[n + degree : 2 * n + degree], stack.apply(ring, x), atol=1e-14)


def test_a_design_of_scipy_signal_becomes_a_graph_filter():
    taps = signal.firwin(33, 0.4)
    stack = pf.SoGCStack.from_sos(signal.tf2sos(taps, [1.0]))
    omega = np.linspace(0, np.pi, 201)
    _, H = signal.freqz(taps, worN=omega)
    truth = (H * np.exp(16j * omega)).real
    assert np.abs(stack.response(np.cos(omega)) - truth).max() < 1e-9  # tf2sos finds roots


@pytest.mark.parametrize(
    ("sos", "reason"),
    [
        ([[1.0, 0, 0, 1, 0.5, 0]], "feedback"),
        ([[1.0, 2.0, 0, 1, 0, 0], [1.0, 0, 0, 1, 0, 0]], "half a sample"),
        ([[1.0, 0.5, 0.25, 1, 0, 0]], "not linear"),
        ([[1.0, 0.0, -1.0, 1, 0, 0]], "not linear"),  # odd, of full degree: sin w
        ([[1.0, 2.0]], "shape"),
        ([], "shape"),
        ("sections", "shape"),
        ([[np.nan, 0, 0, 1, 0, 0]], "finite"),
        ([[1.0, 0, 0, 0, 0, 0]], "begins with no zero"),
        ([[1e200, 0, 1e200, 1, 0, 0]] * 3, "larger than float64"),
    ],
)
def test_sections_that_are_no_graph_filter_are_refused(sos, reason):
    with pytest.raises(FilterError, match=reason):
        pf.SoGCStack.from_sos(sos)
