"""The ambient space: its polynomial against numpy's, its elements against their definition."""

from fractions import Fraction

import networkx as nx
import numpy as np
import pytest
from flint import fmpq_poly
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import graph_sets, graphs

import polyfilter as pf
from polyfilter.ambient import EXACT_GAMMA, EXACT_VALUES, ambient, has_minus_one
from polyfilter.errors import FilterError, SpectrumError
from polyfilter.spectrum import spectrum


@settings(max_examples=60)
@given(graph_sets(max_graphs=3, max_nodes=6, self_loops=True))
def test_modulus_is_zero_on_the_spectrum_and_nowhere_else(members):
    space = ambient(members)
    m = [float(Fraction(int(c.p), int(c.q))) for c in space.modulus.coeffs()]
    assert len(m) == space.gamma + 1
    assert m[-1] == 1
    lam = spectrum(members).values
    wanted = np.polynomial.polynomial.polyfromroots(lam)
    assert np.allclose(m, wanted, atol=1e-9 * np.abs(wanted).max())


@settings(max_examples=60)
@given(graphs(max_nodes=7, self_loops=True))
def test_minus_one_is_an_eigenvalue_of_bipartite_components(graph):
    lam = np.linalg.eigvalsh(graph.normalized_adjacency().toarray())
    # exact: a root of the exact characteristic polynomial
    assert has_minus_one(graph) == (ambient(graph).modulus(-1) == 0)
    if lam.min() > -1 + 1e-9:
        assert not has_minus_one(graph)


def test_minus_one_in_arrays_and_in_general_position():
    assert ambient([-1.0, 0.5]).minus_one
    assert not ambient([-0.999, 0.5]).minus_one
    assert not ambient(5).minus_one
    # isolated nodes are bipartite and have the eigenvalue 0
    assert not ambient(pf.Graph.from_edges([(0, 1), (1, 2), (2, 0)], num_nodes=5)).minus_one


@settings(max_examples=60)
@given(
    st.lists(st.integers(-64, 64), min_size=1, max_size=8, unique=True),
    st.lists(st.fractions(-4, 4, max_denominator=9), min_size=1, max_size=15),
)
def test_an_element_agrees_with_its_filter_on_the_spectrum(places, coefficients):
    points = np.array(places) / 64
    element = ambient(points).element(coefficients)
    assert element.degree < len(places)
    assert element.exact
    for x in sorted(Fraction(place, 64) for place in places):
        wanted = sum(a * x**k for k, a in enumerate(coefficients))
        assert element.fractions(np.array([float(x)]))[0] == wanted


def test_a_response_is_interpolated_exactly():
    points = np.linspace(-1, 1, 40)
    element = ambient(points).element(pf.responses.low_pass)
    assert not element.exact
    assert np.array_equal(element(points), pf.responses.low_pass(points))
    assert element.degree == 39


def test_kinds_of_filters():
    space = ambient([-1.0, 0.0, 1.0])
    wanted = fmpq_poly([1, 0, 2])
    for h in (
        [1, 0, 2],
        np.polynomial.Polynomial([1, 0, 2]),
        np.polynomial.Chebyshev([2, 0, 1]),
        np.poly1d([2, 0, 1]),
        pf.as_filter([1, 0, 2]),
        lambda lam: 1 + 2 * lam**2,
        lambda lam: 1 + 2 * np.abs(lam),
        space.element([1, 0, 2]),
    ):
        assert space.element(h).polynomial == wanted


def test_spectra_in_all_forms():
    path = pf.Graph.from_networkx(nx.path_graph(4))
    lam = pf.spectrum(path)
    assert ambient(path).gamma == ambient(lam).gamma == ambient(np.array(lam)).gamma == 4
    assert ambient(np.int64(4)).gamma == 4
    assert ambient(ambient(4)).gamma == 4
    assert np.array_equal(ambient([0.5, -0.5, 0.5]).spectrum.multiplicities, [1, 2])
    assert str(ambient(path)) == "Ambient(Γ = 4 distinct eigenvalues)"


def test_what_is_missing_is_said():
    with pytest.raises(FilterError, match="points in general position have none"):
        ambient(3).require_modulus()
    many = ambient(np.linspace(-1, 1, EXACT_GAMMA + 1))
    with pytest.raises(FilterError, match="takes too long"):
        many.require_modulus()
    assert many.element([1, 2, 3]).degree == 2
    with pytest.raises(FilterError, match=f"up to {EXACT_VALUES} eigenvalues"):
        many.element(np.cos)
    with pytest.raises(SpectrumError, match=r"lie in \[-1, 1\]"):
        ambient([0.0, 3.0])
