r"""Theorem 1 at scale: the training set of SGS, its exact Γ, and a smooth filter on all of it.

*Statement.* Appendix E: 1,000 Erdős-Rényi graphs with :math:`p = 0.02`, 80 to 120 nodes and 80 to
350 edges each; Theorem 1: :math:`\lceil (\Gamma - 1)/2 \rceil` second-order layers realise every
filter on them.

*Reading.* The set is drawn as described, its Γ counted without a tolerance, and the paper's own
band-pass run through every graph as one stack; the truth is :math:`U h(\Lambda) U^\top x` from a
dense eigendecomposition of each graph.

*How close is close.* :mod:`polyfilter.claims._rounding` bounds what rounding in the layers can do.
To that come the roots, rounded to float64 (``residual_goal`` of :mod:`polyfilter.roots`; that the
layers are so close to the filter is proven, over all of [-1, 1]), and the truth's own error:
eigenvalues off by :func:`~polyfilter.spectrum.eigenvalue_tolerance` times :math:`|h'|`, and two
dense products with rows of norm one, :math:`n^{3/2}` roundings each.

*The edges.* A graph of 80 nodes has 63 edges on average, so "80 to 350" leaves out a quarter of
the graphs. Counted in both directions, as sparse matrices and data loaders do, it fits.

>>> round(share(1), 2), round(share(2), 4)       # how many graphs have as many edges as stated
(0.75, 0.9998)
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr

from polyfilter.capacity import spectrum_capacity
from polyfilter.claim import Claim, Finding, Outcome, Setting, Table, settle
from polyfilter.claims._rounding import rounding_factor
from polyfilter.design import interpolate
from polyfilter.factor import grid
from polyfilter.graphs import Graph, GraphSet
from polyfilter.responses import band_pass, high_pass, low_pass
from polyfilter.roots import residual_goal
from polyfilter.spectrum import Eigenbasis, eigenvalue_tolerance
from polyfilter.stack import SoGCStack, factorize

GRAPHS, NODES, DENSITY, EDGES = 1000, (80, 120), 0.02, (80, 350)
"""Appendix E of the paper."""
EPS = float(np.finfo(np.float64).eps)

Floats = NDArray[np.float64]


def training_set(rng: np.random.Generator) -> GraphSet:
    """Draw the graphs of the SGS training set."""
    sizes = rng.integers(NODES[0], NODES[1] + 1, size=GRAPHS).tolist()
    pairs = [np.argwhere(np.triu(rng.random((n, n)) < DENSITY, 1)) for n in sizes]
    counts = [len(some) for some in pairs]
    return GraphSet.from_edges(np.concatenate(pairs), counts, sizes, name="SGS")


def dense(graph: Graph) -> Eigenbasis:
    """Decompose the whole matrix at once, knowing nothing of components."""
    return Eigenbasis(*np.linalg.eigh(graph.normalized_adjacency().toarray()))


def errors(stack: SoGCStack, family: GraphSet, bases: Sequence[Eigenbasis], x: Floats) -> Floats:
    """Return ‖y - truth‖ over max|h| ‖x‖ for each graph, y in the precision of x."""
    cuts = np.cumsum([graph.num_nodes for graph in family])[:-1]
    found = np.split(stack.apply(family.union(), x), cuts)
    wanted = np.split(stack.filter(np.concatenate([basis.values for basis in bases])), cuts)
    result = []
    for basis, signal, y, h in zip(bases, np.split(x, cuts), found, wanted, strict=True):
        truth = basis.vectors @ (h * (basis.vectors.T @ signal))
        result.append(np.linalg.norm(y - truth) / np.linalg.norm(signal))
    return np.array(result) / stack.filter.maximum


def tolerance(stack: SoGCStack, family: GraphSet) -> float:
    """Return what rounding alone may make of an error, relative to max|h| ‖x‖."""
    n = max(graph.num_nodes for graph in family)
    width = max(int(np.diff(graph.adjacency.indptr).max()) for graph in family)
    layers = EPS * rounding_factor(stack.theta, grid(stack.degree), width) / stack.filter.maximum
    truth = stack.condition * eigenvalue_tolerance(n) + 2 * n**1.5 * EPS
    return float(residual_goal(stack.degree) + layers + truth)


def share(times: int) -> float:
    """Return the chance that ``times`` the number of edges is as the paper says."""
    low, high = -(-EDGES[0] // times), EDGES[1] // times
    sizes = np.arange(NODES[0], NODES[1] + 1)
    pairs = sizes * (sizes - 1) // 2
    return float(np.mean(bdtr(high, pairs, DENSITY) - bdtr(low - 1, pairs, DENSITY)))


def seen(family: GraphSet, times: int) -> float:
    """Return the share of graphs in which ``times`` the number of edges is as the paper says."""
    edges = times * np.array([graph.num_edges for graph in family])
    return float(np.mean((edges >= EDGES[0]) & (edges <= EDGES[1])))


def check(setting: Setting) -> Outcome:
    """Draw the set, count its eigenvalues, run filters through it."""
    rng = setting.rng(7)
    family = training_set(rng)
    capacity = spectrum_capacity(family, "algebraic" if setting.full else "modular", progress=False)
    asked = -(-(capacity.value - 1) // 2)
    degree = 512 if setting.full else 256
    bases = [dense(graph) for graph in family]
    x = rng.standard_normal(family.num_nodes)
    rows, proven = [], []
    for response in (band_pass, high_pass, low_pass) if setting.full else (band_pass,):
        stack = factorize(interpolate(response, degree))
        double = float(errors(stack, family, bases, x).max())
        single = float(errors(stack, family, bases, x.astype(np.float32)).max())
        off = float(np.abs(stack.filter(grid(2048)) - response(grid(2048))).max())
        rows.append((str(response), len(stack), off, double, tolerance(stack, family), single))
        proven.append(stack.certify(progress=False).relative <= residual_goal(stack.degree))
    low, high = min(g.num_edges for g in family), max(g.num_edges for g in family)
    once, twice, chance = seen(family, 1), seen(family, 2), share(2)
    realised = Finding(
        r"smooth filters are realised on every graph, by no more than "
        r"$\lceil (\Gamma-1)/2 \rceil$ layers",
        all(proven) and all(n <= asked and error <= most for _, n, _, error, most, _ in rows),
        f"{len(stack)} layers of {asked:,} asked for; worst relative error over {GRAPHS:,} graphs "
        f"{max(row[3] for row in rows):.1e}, where rounding may make {max(r[4] for r in rows):.1e}",
        exact=False,
    )
    return settle(
        f"Γ = {capacity.value:,} of {family.num_nodes:,} eigenvalues, so {asked:,} layers are "
        f"asked for; {len(stack)} do the paper's band-pass on every graph, to {rows[0][3]:.0e}",
        printed=[
            realised,
            Finding(
                "each graph has 80 to 350 edges",
                once == 1,
                f"{low} to {high} edges; {1 - once:.0%} of the graphs have fewer than 80 or more "
                f"than 350, and {1 - share(1):.0%} of all such graphs do",
            ),
        ],
        repaired=[
            realised,
            Finding(
                "counting each edge in both directions, graphs have 80 to 350 but for rare chance",
                abs(twice - chance) <= 4 * np.sqrt(chance * (1 - chance) / GRAPHS) + 1 / GRAPHS,
                f"{2 * low} to {2 * high}; {twice:.1%} seen, {chance:.2%} expected",
                exact=False,
            ),
            Finding(
                r"$\Gamma$ is below the number of eigenvalues, and is counted without a tolerance",
                capacity.lower == capacity.value < family.num_nodes,
                capacity.proof,
            ),
        ],
        tables=[
            Table(
                f"Filters of degree {degree} on {GRAPHS:,} graphs; errors over max|h| ‖x‖",
                ("response", "layers", "h off by", "float64", "rounding may make", "float32"),
                tuple((r[0], r[1], *(f"{v:.1e}" for v in r[2:])) for r in rows),
            )
        ],
    )


CLAIM = Claim(
    name="theorem_1_at_scale",
    number=7,
    where="Theorem 1 (thm:2nd_order) and Appendix E (supp:sgs_dataset)",
    statement=(
        r"SGS: 1k undirected Erdős-Rényi graphs, $p = 0.02$, 80~120 nodes and 80~350 edges each; "
        r"$\lceil (\Gamma-1)/2 \rceil$-layer SoGCs attain full representation power."
    ),
    reading=(
        r"On 1,000 graphs drawn so, with $\Gamma$ counted exactly, a stack of the paper's "
        "band-pass (all three filters in the long version) agrees with the dense truth on every "
        "graph, to what rounding explains; and the graphs have as many edges as stated."
    ),
    check=check,
)
