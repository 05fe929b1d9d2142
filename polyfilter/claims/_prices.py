r"""What each realisation of a filter costs in bits, on random graphs.

The maps are ``Γ -> price`` of a filter with values at will at Γ eigenvalues, ``Γ -> price`` of the
simplest filter against its real-rooted lift, and ``(response, degree) -> price`` of a smooth one.
:mod:`polyfilter.claims._bits` runs them with :math:`b` bits; here the realisations are made, at
hundreds of bits, so that nothing but the :math:`b` bits is to blame.

>>> price = simple(6, np.random.default_rng(0))
>>> price.bits["SoGC"] < price.bits["GIN, lifted"]
True
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import log2

import numpy as np
from flint import acb, arb, arb_mat, arb_poly, ctx
from numpy.typing import NDArray

from polyfilter.capacity import spectrum_capacity
from polyfilter.certify import eigenvalue_balls
from polyfilter.claims._bits import (
    adjacency_balls,
    bits_needed,
    chebyshev_balls,
    chebyshev_recurrence,
    first_order,
    horner,
    norm,
    on_perturbed,
    second_order,
    width_two,
)
from polyfilter.claims._common import random_graph
from polyfilter.claims._rounding import rounding_factor
from polyfilter.design import interpolate
from polyfilter.enclosure import BallLayer, ball_layers, ball_roots, evaluate, interpolant
from polyfilter.graphs import Graph
from polyfilter.ordering import order
from polyfilter.responses import Response
from polyfilter.spectrum import spectrum
from polyfilter.stack import factorize

__all__ = ["GOAL", "Price", "arbitrary", "simple", "smooth"]

GOAL = 1e-6
"""The relative error to reach."""

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Price:
    """Bits for each realisation of one filter.

    Attributes
    ----------
    size : int
        Γ, or the degree.
    bits : dict
        By realisation.
    equal : bool
        Whether exact layers were proven to give the filter.
    bound : float
        Bits that are enough for the ordered stack, by :mod:`polyfilter.claims._rounding`.
    lift : float
        log2 t of the real-rooted lift.
    """

    size: int
    bits: dict[str, int]
    equal: bool = True
    bound: float = 0.0
    lift: float = 0.0


def signal(rng: np.random.Generator, n: int) -> arb_mat:
    """Two channels of signs, which any number of bits holds exactly."""
    return arb_mat(n, 2, rng.choice([-1, 1], size=2 * n).tolist())


def graph_of(gamma: int, rng: np.random.Generator) -> Graph:
    """Draw graphs until one has as many eigenvalues as nodes."""
    while True:
        graph = random_graph(rng, gamma, 0.5)
        if spectrum_capacity(graph, "algebraic").value == gamma:
            return graph


def well_ordered(layers: Sequence[BallLayer], points: Floats) -> tuple[list[int], list[int]]:
    """Return the layers sorted by their roots, and in the order that keeps rounding errors low."""
    theta = np.array([[float(t.mid()) for t in layer] for layer in layers])
    values = theta[:, :1] + points * (theta[:, 1:2] + points * theta[:, 2:])
    q = theta / np.abs(values).max(axis=1)[:, None]
    linear = q[:, 2] == 0
    middle = np.where(linear, -q[:, 0], -q[:, 1] / 2) / np.where(linear, q[:, 1], q[:, 2])
    by_root = np.argsort(middle, kind="stable")
    return by_root.tolist(), by_root[order(q[by_root], points)].tolist()


def complex_roots(layers: Sequence[BallLayer]) -> tuple[list[acb], arb]:
    """Return the roots of the layers one after the other, and the constant in front."""
    roots: list[acb] = []
    constant = arb(1)
    for zero, one, two in layers:
        if two == 0:
            roots.append(acb(-zero / one))
            constant *= one
        else:
            split = acb(one * one - 4 * zero * two).sqrt()
            roots += [(-one + split) / (2 * two), (-one - split) / (2 * two)]
            constant *= two
    return roots, constant


def lifted(h: arb_poly, eigenvalues: Sequence[arb], bits: int) -> tuple[list[arb], arb]:
    """Return the real roots of t m + h, and t.

    In every gap between eigenvalues, and outside, t m is made twice as large as h at some point:
    there t m + h has the signs of m, which alternate, and so has a root in each of Γ intervals.
    """
    m = arb_poly.from_roots(list(eigenvalues))
    places = np.array([float(ball.mid()) for ball in eigenvalues])
    gaps = [np.linspace(a, b, 18)[1:-1] for a, b in pairwise(places)]
    ratios = [
        min((abs(h(arb(x)) / m(arb(x))).abs_upper() for x in gap.tolist()), key=float)
        for gap in [np.array([-2.0]), *gaps, np.array([2.0])]
    ]
    t = arb(2) ** (1 + int(np.ceil(log2(max(map(float, ratios))))))
    real, upper = ball_roots(h + t * m, bits)
    if upper:
        raise ArithmeticError("the lift has complex roots")
    return real, t


def lift_runner(
    h: arb_poly, eigenvalues: Sequence[arb], A: arb_mat, x: arb_mat, bits: int
) -> tuple[Callable[[int], arb_mat], float]:
    """Return how to run the lift at a number of bits, in a good order, and log2 t."""
    real, t = lifted(h, eigenvalues, bits)
    points = np.array([float(ball.mid()) for ball in eigenvalues])
    _, best = well_ordered([(-root, arb(1), arb(0)) for root in real], points)
    return lambda b: first_order([real[k] for k in best], A, x, b) * t, log2(float(t))


def arbitrary(gamma: int, rng: np.random.Generator) -> Price:
    """Price a filter with values at will at the eigenvalues of a random graph."""
    graph, high = graph_of(gamma, rng), 300 + 40 * gamma
    with ctx.workprec(high):
        eigenvalues, A, x = eigenvalue_balls(graph), adjacency_balls(graph), signal(rng, gamma)
        wanted = rng.integers(1, 65, size=gamma) * rng.choice([-1, 1], size=gamma)
        h = interpolant(eigenvalues, [arb(int(v)) / 64 for v in wanted], high)
        layers = ball_layers(h, high)
        gaps = [evaluate(layers, ball) - h(ball) for ball in eigenvalues]
        equal = all(gap.contains(0) and gap.abs_upper() < 2.0**-64 for gap in gaps)
        by_root, best = well_ordered(layers, np.array([float(b.mid()) for b in eigenvalues]))
        ordered = [layers[k] for k in best]
        roots, constant = complex_roots(ordered)
        run_lift, log_t = lift_runner(h, eigenvalues, A, x, high)
        c, noise = chebyshev_balls(h), rng.uniform(-1, 1, size=(gamma, gamma))
        runs: dict[str, Callable[[int], arb_mat]] = {
            "SoGC, ordered": lambda b: second_order(ordered, A, x, b),
            "SoGC, sorted": lambda b: second_order([layers[k] for k in by_root], A, x, b),
            "width two": lambda b: width_two(roots, A, x, b) * constant,
            "Chebyshev": lambda b: chebyshev_recurrence(c, A, x, b),
            "GIN, lifted": run_lift,
            "A off by an ulp": lambda b: on_perturbed(h, A, x, noise, b),
        }
        truth = horner(h, A, x)
        bits = {name: bits_needed(run, truth, GOAL) for name, run in runs.items()}
    return Price(gamma, bits, equal, lift=log_t)


def simple(gamma: int, rng: np.random.Generator) -> Price:
    """Price 1 + x^2, one layer, against its lift."""
    graph, high = graph_of(gamma, rng), 300 + 40 * gamma
    with ctx.workprec(high):
        eigenvalues, A, x = eigenvalue_balls(graph), adjacency_balls(graph), signal(rng, gamma)
        h = arb_poly([1, 0, 1])
        run_lift, log_t = lift_runner(h, eigenvalues, A, x, high)
        truth = horner(h, A, x)
        bits = {
            "SoGC": bits_needed(lambda b: second_order(ball_layers(h, high), A, x, b), truth, GOAL),
            "GIN, lifted": bits_needed(run_lift, truth, GOAL),
        }
    return Price(gamma, bits, lift=log_t)


def smooth(response: Response, degree: int, graph: Graph, rng: np.random.Generator) -> Price:
    """Price a smooth filter of a degree; its float64 layers are taken as the numbers they are."""
    points = spectrum(graph).values
    stack = factorize(interpolate(response, degree), points)
    layers = [(arb(a), arb(b), arb(c)) for a, b, c in stack.theta.tolist()]
    width = int(np.diff(graph.adjacency.indptr).max())
    high = 300 + 4 * degree
    with ctx.workprec(high):
        A, x = adjacency_balls(graph), signal(rng, graph.num_nodes)
        by_root, _ = well_ordered(layers, points)
        roots, constant = complex_roots(layers)
        c = [arb(ck) for ck in stack.filter.chebyshev.tolist()]
        truth = second_order(layers, A, x, high)
        runs: dict[str, Callable[[int], arb_mat]] = {
            "SoGC, ordered": lambda b: second_order(layers, A, x, b),
            "SoGC, sorted": lambda b: second_order([layers[k] for k in by_root], A, x, b),
            "width two": lambda b: width_two(roots, A, x, b) * constant,
            "Chebyshev": lambda b: chebyshev_recurrence(c, A, x, b),
        }
        bits = {name: bits_needed(run, truth, GOAL) for name, run in runs.items()}
        gain = float(norm(x) / norm(truth)) * rounding_factor(stack.theta, points, width)
    return Price(degree, bits, bound=log2(gain / GOAL))  # u is 2 to the minus bits
