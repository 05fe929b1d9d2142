r"""Depth that is asked for, and depth that is needed.

*Statements.* Theorem 1 asks for :math:`\lceil (\Gamma-1)/2 \rceil` layers. Appendix B: "Even if the
graph set goes extremely large, the distribution of spectrum provides the upper bound of Γ".
Section 3.1: GCNs built on SoGC "could utilize depth to raise fitting accuracy".

*No bound.* All spectra lie in [-1, 1], and that bounds nothing: the cycles :math:`C_3, \dots, C_n`
have the eigenvalues :math:`\cos 2\pi r` for all fractions :math:`r \in [0, 1/2]` with a denominator
up to :math:`n`, so :math:`\Gamma = 2 + \frac12 \sum_{d=3}^n \varphi(d) \sim 3n^2/2\pi^2`. On real
sets Γ is in the tens of thousands, and so is the depth that the theorem asks for.

*What is needed* depends on the response and the tolerance, and not on Γ: a polynomial that is close
on [-1, 1] is close on all graphs. How the best error :math:`E_K` falls with the degree
:math:`K = 2L` is a matter of smoothness:

=============== ================================================================================
analytic        :math:`E_K \asymp \rho^{-K}`, the Bernstein ellipse through the nearest pole; for
                the paper's sigmoids that is :math:`\pi/\alpha` from the cutoff
kink            :math:`E_K \approx 0.28017 / K` for :math:`|x|` (Bernstein's constant)
jump            :math:`E_K = 1/2` for ever; in the mean square :math:`1/(\pi\sqrt K)`
=============== ================================================================================

>>> cycles_capacity(6)                        # cosines of 0, 1/6, 1/5, 1/4, 1/3, 2/5, 1/2 turns
7
"""

from collections.abc import Sequence
from math import gcd

import numpy as np

from polyfilter.capacity import spectrum_capacity
from polyfilter.claim import Claim, Curve, Figure, Finding, Outcome, Setting, Table, settle
from polyfilter.claims._common import molecules, random_graph
from polyfilter.claims._rates import BERNSTEIN, Rate, geometric, jump_mean_square, kink
from polyfilter.depth import NeededDegree, needed_degree
from polyfilter.design import minimax, minimax_with_proof
from polyfilter.graphs import Graph, GraphSet
from polyfilter.reading import read_graph, read_graphs
from polyfilter.remez import level_tolerance
from polyfilter.responses import BandPass, LowPass, band_pass, ideal, low_pass
from polyfilter.spectrum import spectrum

WANTED = ((low_pass, 1e-2), (low_pass, 1e-3), (band_pass, 1e-2))
"""Responses and tolerances of the table."""
SLACK = float(np.sqrt(np.finfo(np.float64).eps))
"""The relative gap at which a minimax polynomial is taken as found."""


def cycles_capacity(largest: int) -> int:
    """Γ of the cycles C_3, ..., C_n, by counting fractions; -1 comes in with C_4."""
    totients = [sum(gcd(k, d) == 1 for k in range(1, d)) for d in range(3, largest + 1)]
    return 2 + sum(totients) // 2 if largest > 3 else 2


def cycles(largest: int) -> GraphSet:
    """The cycles of 3 to ``largest`` nodes."""
    return GraphSet(
        Graph.from_edges([(i, (i + 1) % n) for i in range(n)]) for n in range(3, largest + 1)
    )


def asked(gamma: int) -> int:
    """The depth that Theorem 1 asks for."""
    return max(1, -(-(gamma - 1) // 2))


def graph_sets(setting: Setting) -> list[GraphSet]:
    """Random graphs as in SGS, a few and many, and real sets if there are data."""
    rng = setting.rng(15)
    count = 1000 if setting.full else 100
    drawn = [random_graph(rng, int(n), 0.02) for n in rng.integers(80, 121, size=count)]
    sets = [GraphSet(drawn[:10], "SGS, 10 graphs"), GraphSet(drawn, f"SGS, {count} graphs")]
    if setting.data is None:
        return sets
    if not setting.full:
        some = molecules(setting, 100, 15)
        return [*sets, GraphSet(some, f"ZINC, {len(some)} molecules")] if some else sets
    for path in sorted(setting.data.rglob("zinc12k.npz")):
        sets.append(GraphSet(read_graphs(path, split="train"), "ZINC, training set"))
    for name in ("cora", "minnesota"):
        for path in sorted(setting.data.rglob(f"{name}.npz")):
            sets.append(GraphSet([read_graph(path)], name.capitalize()))
    return sets


def rates(setting: Setting) -> list[Rate]:
    """The paper's responses, and others of random sharpness and place."""
    rng = setting.rng(15, 1)
    low = LowPass(sharpness=float(rng.uniform(10, 40)), cutoff=float(rng.uniform(0.5, 1.5)))
    edges = np.sort(rng.uniform(0.5, 1.5, size=2))
    band = BandPass(float(rng.uniform(20, 60)), float(edges[0]), float(edges[1]))
    return [geometric(response, 5) for response in (low_pass, band_pass, low, band)]


def row(
    name: str, gamma: int | str, layers: int | str, needed: Sequence[NeededDegree]
) -> tuple[str | int, ...]:
    """A row of the table: layers, with a lower bound where the two differ."""
    cells = [
        str(n.layers) if n.layers_at_least == n.layers else f"{n.layers_at_least} to {n.layers}"
        for n in needed
    ]
    return (name, gamma, layers, *cells)


def check(setting: Setting) -> Outcome:
    """Count what is asked for, measure what is needed, compare rates with theory."""
    largest = 40 if setting.full else 16
    exact = {n: spectrum_capacity(cycles(n), "algebraic").value for n in range(3, largest + 1)}
    anywhere = [needed_degree(response, tolerance) for response, tolerance in WANTED]
    best = [minimax(f, a.degree) for (f, _), a in zip(WANTED, anywhere, strict=True)]
    table, within, gammas = [row("any graphs", "any", "-", anywhere)], [], []
    for family in graph_sets(setting):
        gamma = spectrum_capacity(family, progress=False).value
        eigenvalues = spectrum(family)
        needed = [needed_degree(f, tolerance, eigenvalues) for f, tolerance in WANTED]
        table.append(row(family.name, gamma, asked(gamma), needed))
        lam = eigenvalues.values
        off = [np.abs(h(lam) - f(lam)).max() for h, (f, _) in zip(best, WANTED, strict=True)]
        within += [o <= a.error * (1 + SLACK) for o, a in zip(off, anywhere, strict=True)]
        within += [a.at_least <= b.degree for a, b in zip(needed, anywhere, strict=True)]
        gammas.append((family.name, gamma))
    found = rates(setting)
    corner = kink((16, 32, 64, 128))
    jump = float(setting.rng(15, 2).uniform(0.6, 1.4))
    steps = [minimax_with_proof(ideal(0.0, jump), K) for K in (4, 16, 64)]
    means = [jump_mean_square(float(np.arccos(1 - jump)), K) for K in (16, 64, 256)]
    deeper = Finding(
        "depth raises accuracy: the best error of the paper's responses falls with every step",
        all(np.all(np.diff(rate.errors) < 0) for rate in found),
        f"low-pass: {', '.join(f'{e:.1e}' for e in found[0].errors)} with "
        f"{', '.join(str(-(-K // 2)) for K in found[0].degrees)} layers",
        exact=False,
    )
    name, gamma = max(gammas, key=lambda pair: pair[1])
    return settle(
        f"Γ = {gamma:,} ({name}), so {asked(gamma):,} layers are asked for; the paper's low-pass "
        f"needs {anywhere[0].layers} to one percent and {anywhere[1].layers} to a tenth of that, "
        "on any graphs",
        printed=[
            deeper,
            Finding(
                r"the distribution of the spectrum bounds $\Gamma$, however large the graph set",
                len(set(exact.values())) < len(exact),
                f"cycles of up to {largest} nodes: Γ = {exact[largest]}, growing with each of them",
            ),
        ],
        repaired=[
            deeper,
            Finding(
                r"the cycles $C_3, \dots, C_n$, $n \ge 4$, have "
                r"$\Gamma = 2 + \frac12 \sum_{d=3}^n \varphi(d)$",
                all(exact[n] == cycles_capacity(n) for n in exact),
                f"n up to {largest}, exactly",
            ),
            Finding(
                r"depth that is needed is bounded by response and tolerance, whatever $\Gamma$",
                all(within),
                f"{', '.join(str(n) for n in anywhere)}, on {len(gammas)} graph sets no more",
                exact=False,
            ),
            Finding(
                r"responses with poles: $E_K$ lies between the bounds that the poles give, and "
                r"falls like $\rho^{-K}$",
                all(r.inside and abs(r.slope - r.log_rho) <= r.tolerance for r in found),
                "; ".join(
                    f"{r.name}: {r.slope:.4f} a degree, $\\log\\rho$ = {r.log_rho:.4f} ± "
                    f"{r.tolerance:.4f}"
                    for r in found
                ),
                exact=False,
            ),
            Finding(
                r"a kink: $K E_K(|x|)$ tends to Bernstein's constant $0.2801694990$",
                abs(corner.limit - BERNSTEIN) <= corner.uncertainty,
                f"{corner.limit:.10f} ± {corner.uncertainty:.0e} from degrees up to 128",
                exact=False,
            ),
            Finding(
                r"a jump: $E_K = 1/2$ at every degree; in the mean square $1/(\pi\sqrt K)$",
                all(
                    abs(s.error - 0.5) <= level_tolerance(0.5, s.rounding, s.polynomial.degree())
                    for s in steps
                )
                and all(low <= mean <= high for mean, low, high in means),
                f"E = {', '.join(f'{s.error:.6f}' for s in steps)}; $\\pi\\sqrt K$ times the mean: "
                f"{', '.join(f'{mean:.3f}' for mean, _, _ in means)}",
                exact=False,
            ),
        ],
        tables=[
            Table(
                "Second-order layers",
                ("graphs", "Γ", "asked for", *(f"{f}, {tolerance:g}" for f, tolerance in WANTED)),
                tuple(table),
            )
        ],
        figures=[
            Figure(
                "Best error against degree",
                (
                    *(Curve(r.name, tuple(map(float, r.degrees)), r.errors) for r in found),
                    Curve(
                        "|x|",
                        tuple(map(float, corner.degrees)),
                        tuple(v / K for v, K in zip(corner.scaled, corner.degrees, strict=True)),
                    ),
                    Curve("a jump", (4.0, 16.0, 64.0), tuple(s.error for s in steps)),
                ),
                "degree",
                "largest error",
                log_y=True,
            )
        ],
    )


CLAIM = Claim(
    name="depth_asked_and_needed",
    number=15,
    where="Theorem 1 (thm:2nd_order), the remark after it, and Appendix B (supp:dev_ring_iso)",
    statement=(
        r"$\lceil (\Gamma-1)/2 \rceil$ layers attain full power. Even if the graph set goes "
        r"extremely large, the distribution of spectrum provides the upper bound of $\Gamma$. "
        "SoGC could utilize depth to raise fitting accuracy."
    ),
    reading=(
        r"Whether spectra in $[-1, 1]$ bound $\Gamma$; which depth a response and tolerance need, "
        "by best uniform approximation on [-1, 1] and on the eigenvalues; and whether best errors "
        "fall with depth as the smoothness of the response says."
    ),
    check=check,
)
