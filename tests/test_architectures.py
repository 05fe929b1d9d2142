"""Networks in the vertex domain, as their papers write them, against the dense spectral truth."""

from fractions import Fraction
from math import comb

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import eval_chebyt, eval_jacobi
from strategies import graphs

import polyfilter as pf
import polyfilter.architectures
from polyfilter import spaces

NAMES = [f"{name}:3" if name in ("k-order", "chebnet") else name for name in spaces.ARCHITECTURES]


def matrix_function(function, A):
    """f(A) of a symmetric matrix by its eigenvectors."""
    lam, U = np.linalg.eigh(A)
    return (U * function(lam)) @ U.T


def power(A, k):
    return np.linalg.matrix_power(A, k)


def one_number(found, A, x):
    """SGC and APPNP: hops, then one weight."""
    P, z = (A + np.eye(len(A))) / 2, x
    for _ in range(found.depth):
        z = 2 * P @ z if found.architecture.name == "sgc" else 0.9 * P @ z + 0.1 * x
    return found.weights[0]["theta"][0, 0] * z


def gpr_gnn(found, A, x):
    P = (A + np.eye(len(A))) / 2
    return sum(g * power(P, k) @ x for k, g in enumerate(found.weights[0]["gamma"].ravel()))


def chebnetii(found, A, x):
    """Equation 8 of its paper: coefficients from values, then Chebyshev polynomials of L - I."""
    gamma = found.weights[0]["gamma"].ravel()
    nodes = np.cos(np.pi * (np.arange(len(gamma)) + 0.5) / len(gamma))
    total = np.zeros_like(x)
    for k in range(len(gamma)):
        c = 2 / len(gamma) * gamma @ eval_chebyt(k, nodes)
        term = matrix_function(lambda lam, k=k: eval_chebyt(k, lam), -A) @ x
        total += (c / 2 if k == 0 else c) * term
    return total


def jacobiconv(found, A, x):
    gamma = found.weights[0]["gamma"].ravel()
    return (
        matrix_function(
            lambda lam: sum(g * eval_jacobi(k, 1, 1, lam) for k, g in enumerate(gamma)), A
        )
        @ x
    )


def bernnet(found, A, x):
    theta, L = found.weights[0]["theta"].ravel(), np.eye(len(A)) - A
    K, two = len(theta) - 1, 2 * np.eye(len(A))
    terms = (
        comb(K, k) / 2**K * t * power(two - L, K - k) @ power(L, k) @ x for k, t in enumerate(theta)
    )
    return sum(terms)


def arma(found, A, x):
    """The recursion X <- a A X + b X₀, run until it stands still."""
    total = np.zeros_like(x)
    for stack in found.weights:
        for a, b in zip(stack["a"].ravel(), stack["b"].ravel(), strict=True):
            X = np.zeros_like(x)
            for _ in range(2000):
                X = a * A @ X + b * x
            total += X
    return total


def layered(found, A, x):
    """All networks of layers; features are (nodes, channels), so weights act from the right."""
    name, weights = found.architecture.name.partition(":")[0], found.weights
    eye = np.eye(len(A))
    H0 = x[:, None] @ weights[0]["embed"].T
    H, kept = H0, [H0]
    for layer in weights[1:-1]:
        if name in ("vanilla", "jknet"):
            H = (A + eye) @ H @ layer["W"].T
        elif name == "vanilla+residual":
            H = H + (A + eye) @ H @ layer["W"].T
        elif name == "gcnii":
            H = (0.9 * (A + eye) / 2 @ H + 0.1 * H0) @ layer["M"].T
        elif name == "gin":
            H = (layer["theta"][0].item() * H + layer["theta"][1].item() * A @ H) @ layer["W"].T
        elif name == "chebnet":
            T = [matrix_function(lambda lam, k=k: eval_chebyt(k, lam), -A) for k in range(4)]
            H = sum(T[k] @ H @ theta.T for k, theta in enumerate(layer["theta"]))
        else:
            H = sum(power(A, k) @ H @ theta.T for k, theta in enumerate(layer["theta"]))
        kept.append(H)
    readout = weights[-1]["readout"]
    if name == "jknet":
        return sum(H @ v[0] for H, v in zip(kept, readout, strict=True))
    return H @ readout[0]


NETWORKS = {
    "sgc": one_number,
    "appnp": one_number,
    "gpr-gnn": gpr_gnn,
    "chebnetii": chebnetii,
    "jacobiconv": jacobiconv,
    "bernnet": bernnet,
    "arma": arma,
}

GRAPHS = {
    "Petersen": nx.petersen_graph(),  # Γ = 3
    "path": nx.path_graph(5),  # bipartite, Γ = 5
    "two triangles": nx.barbell_graph(3, 1),
    "wheel": nx.wheel_graph(7),
}


def some_filter(name):
    """A filter that the architecture has at some depth, the hardest that is easy to name."""
    one = {
        "vanilla": [Fraction(3, 2), 3, Fraction(3, 2)],
        "sgc": [Fraction(-1, 2), Fraction(-1, 2)],
        "appnp": [Fraction(3) * c for c in (Fraction(11, 20), Fraction(9, 20))],
        "bernnet": [1, Fraction(1, 3), Fraction(1, 2)],
    }
    if name in one:
        return one[name]
    return [Fraction(3, 2), Fraction(1, 3), Fraction(5, 4)]  # no real root


@pytest.mark.parametrize("graph", GRAPHS.values(), ids=GRAPHS)
@pytest.mark.parametrize("width", [1, 2, 3])
@pytest.mark.parametrize("name", NAMES)
def test_realised_weights_filter_signals(name, width, graph):
    graph = pf.Graph.from_networkx(graph)
    h = some_filter(name)
    found = spaces.realise(name, h, graph, width=width)
    assert found, found.reason
    A = graph.normalized_adjacency().toarray()
    x = np.random.default_rng(0).standard_normal(len(A))
    network = NETWORKS.get(name, layered)
    truth = pf.filter_dense(graph, pf.as_filter(h), x)
    assert np.allclose(network(found, A, x), truth, atol=1e-9), str(found)
    shapes = [{key: array.shape for key, array in layer.items()} for layer in found.weights]
    assert shapes == [dict(layer) for layer in found.architecture.shapes(found.depth, width)]


@settings(max_examples=40)
@given(
    graphs(max_nodes=6, weighted=False),
    st.sampled_from([n for n in NAMES if n not in ("vanilla", "sgc", "appnp", "bernnet")]),
    st.integers(2, 3),
    st.lists(st.integers(-9, 9), min_size=1, max_size=6),
)
def test_random_filters_on_random_graphs(graph, name, width, numbers):
    h = [Fraction(a, 4) for a in numbers]
    found = spaces.realise(name, h, graph, width=width)
    if not found:
        assert name == "gin"
        return
    A = graph.normalized_adjacency().toarray()
    x = np.random.default_rng(0).standard_normal(len(A))
    truth = pf.filter_dense(graph, pf.as_filter(h), x)
    got = NETWORKS.get(name, layered)(found, A, x)
    assert np.abs(got - truth).max() <= 1e-7 * max(1, np.abs(truth).max()), str(found)


@pytest.mark.parametrize("name", NAMES)
def test_the_reference_evaluator_agrees_in_all_its_numbers(name):
    """Floats and fractions: one code, two kinds of numbers."""
    kind, rng = spaces.architecture(name), np.random.default_rng(5)
    points = np.array([-1.0, -0.25, 0.5, 1.0])
    for depth, width in ((1, 1), (3, 2)):
        floats, exact = [], []
        for layer in kind.shapes(depth, width):
            arrays = {key: rng.integers(-8, 9, shape) / 16 for key, shape in layer.items()}
            floats.append(arrays)
            exact.append({key: to_fractions(array) for key, array in arrays.items()})
        slow = kind.evaluate(tuple(exact), points, depth)
        assert all(isinstance(value, Fraction) for value in slow)
        fast = kind.evaluate(tuple(floats), points, depth)
        assert np.allclose(fast, slow.astype(float), rtol=1e-12, atol=1e-12)


def to_fractions(array):
    return np.vectorize(lambda a: Fraction(float(a)), otypes=[object])(array)


def test_the_table_of_names_is_complete():
    assert set(spaces.ARCHITECTURES) == {
        "vanilla", "vanilla+residual", "sgc", "gin", "first-order", "sogc", "k-order", "chebnet",
        "appnp", "gcnii", "gpr-gnn", "bernnet", "chebnetii", "jacobiconv", "arma", "jknet",
    }  # fmt: skip
    for name in spaces.ARCHITECTURES:
        assert f"\n{name}" in polyfilter.architectures.__doc__
