r"""Higher orders against second order: what reduces, what vanishes, what it costs.

*Statements* (Section 3.2, "Higher-order vs. second-order", and Table 1). Higher-order GCs are those
of degree larger than three, :math:`K \ge 3`; they have the expressive power of SoGCs, as they
reduce to them; a decomposition into second-order polynomials has at most one zero coefficient;
the numerical rank of :math:`A^k` falls with :math:`k`; vanilla GCN and SoGCN cost :math:`O(ms)`,
multi-hop GCs :math:`O(Kms)`.

*What is true.* By unique factorization, :math:`M` layers of order :math:`K` make exactly the
polynomials of degree at most :math:`MK` with at most :math:`M \lfloor K/2 \rfloor` pairs of complex
roots. So they reduce to :math:`\lceil MK/2 \rceil` second-order layers, and even orders are level
with second order at equal hops. Odd orders are weaker: a layer of odd degree has a real root, and
:math:`(x^2+1)(x^2+2)(x^2+3)` is three second-order layers but not two third-order ones, for the
same six hops. In the worst case a third-order layer does no more than a second-order one.

*Zero coefficients.* :math:`\prod_j (x^2 + j)` has one in every layer, and no other decomposition.
What is true is that at most one layer lacks its second-order term.

*Rank.* :math:`\operatorname{rank} A^k = \operatorname{rank} A`. What floats see never grows and
falls to the number of eigenvalues :math:`\pm 1`, unless there are no others but 0: then
:math:`A^3 = A`, as on a single edge, and every component is complete bipartite or a single node.

>>> zero_coefficients(x**2 + 1), zero_coefficients((x**2 + 1) * (x**2 + 4)), zero_coefficients(x)
(1, 2, 2)
"""

from math import prod

from flint import fmpq_poly

from polyfilter.capacity import spectrum_capacity
from polyfilter.claim import (
    Claim,
    ClaimError,
    Curve,
    Drawing,
    Figure,
    Finding,
    Outcome,
    Setting,
    Table,
    settle,
)
from polyfilter.claims._common import describe, small_graphs
from polyfilter.claims._orders import (
    complete_depth,
    fits,
    packs,
    reduces,
    weaker,
    work,
    zero_coefficients,
    zero_leading,
)
from polyfilter.claims._powers import (
    POWERS,
    SINGLE,
    exact_ranks,
    lasting,
    lasting_exactly,
    measured_graphs,
    seen_ranks,
)
from polyfilter.claims._rational import power_ranks, random_polynomial, rational_adjacency, show, x
from polyfilter.graphs import Graph


def smallest_sparse() -> tuple[Graph, fmpq_poly]:
    """The first graph on which a filter has one decomposition only, with two zeros.

    One layer on three eigenvalues is unique, as I, A and A^2 are then independent.
    """
    for n in range(1, 5):
        for graph in small_graphs(n):
            if power_ranks([rational_adjacency(graph)], 3) == [1, 2, 3, 3]:
                return graph, next(x**k for k in range(3) if zero_coefficients(x**k) > 1)
    raise AssertionError("no graph of four nodes has three eigenvalues")


def check(setting: Setting) -> Outcome:
    """Each sentence of the paragraph."""
    rng = setting.rng(12)
    orders = [(K, M) for K in range(3, 9) for M in range(1, 5 if setting.full else 4)]
    reducible = all(reduces(rng, K, M) for K, M in orders)
    order, depth = weaker()
    missed = prod((x**2 + j for j in range(1, order * depth // 2 + 1)), start=fmpq_poly([1]))
    gamma = order * depth + 1
    host = Graph.from_edges([(k, k + 1) for k in range(gamma - 2)], gamma)
    if spectrum_capacity(host, "algebraic").value != gamma:
        raise ClaimError(f"{describe(host)} should have {gamma} eigenvalues")
    sparse, monomial = smallest_sparse()
    drawn = [random_polynomial(rng, int(n)) for n in rng.integers(1, 12, size=40)]
    leading = max(zero_leading(h) for h in [*drawn, missed, x, x**2, x**3, (x - 1) ** 5])
    small = [graph for n in range(2, 6) for graph in small_graphs(n) if graph.num_edges]
    steady = [g for g in small if (B := rational_adjacency(g)) ** 3 == B]
    measured = measured_graphs(setting)
    falls = {graph: seen_ranks(graph) for graph in measured}
    one, two = (work(measured[0], K, K, 16) for K in (1, 2))
    many = {K: work(measured[0], K, K, 16) for K in range(3, 9)}
    same = {K: work(measured[0], K, 24, 16)[0] for K in (1, 2, 3, 4, 6, 8, 12)}
    thirds = {D: (complete_depth(2, D), complete_depth(3, D)) for D in range(2, 13)}
    reduction = Finding(
        r"$M$ layers of order $K$ can be reduced to $\lceil MK/2 \rceil$ SoGCs",
        reducible,
        f"{len(orders)} random products of orders 3 to 8, proven to 64 bits",
    )
    cost = Finding(
        r"per layer: vanilla GCN and SoGCN $O(ms)$, multi-hop $O(Kms)$",
        two[1] == 2 * one[1] and all(adds == K * one[1] for K, (_, adds) in many.items()),
        f"{one[1]:,} multiply-adds for one hop in 16 channels, {two[1] // one[1]} times that for "
        f"SoGC, K times that for order K",
    )
    return settle(
        f"reduction holds; odd orders are weaker (first: two layers of order {order}), zero "
        "coefficients have no bound, ranks fall in floats only, and equal filters cost the same",
        printed=[
            reduction,
            cost,
            Finding(
                r"higher-order GCs have the same expressive power as SoGCs at the same hops",
                fits(0, order * depth // 2, order, depth),
                f"${show(missed)}$ has no real root: {order * depth // 2} second-order layers, but "
                f"not {depth} of order {order}; and it is of degree Γ - 1 on {describe(host)}",
            ),
            Finding(
                "decomposition into second-order polynomials has at most one zero coefficient",
                zero_coefficients(missed) <= 1 and zero_coefficients(monomial) <= 1,
                f"{zero_coefficients(missed)} for ${show(missed)}$; {zero_coefficients(monomial)} "
                f"for ${show(monomial)}$ on {describe(sparse)}, where one layer is all there is",
            ),
            Finding(
                r"degree larger than three is $K \ge 3$",
                all((K > 3) == (K >= 3) for K in range(1, 9)),
                "not at $K = 3$, which Table 2 counts among them",
            ),
            Finding(
                r"the numerical rank of $A^k$ falls with $k$",
                not steady,
                f"$A^3 = A$ on {describe(steady[0])}" if steady else "",
            ),
        ],
        repaired=[
            reduction,
            cost,
            Finding(
                r"$M$ layers of order $K$ make all polynomials of degree up to $MK$ with at most "
                r"$M \lfloor K/2 \rfloor$ complex pairs; so even orders are level with the second",
                all(
                    packs(r, c, K, M) == fits(r, c, K, M)
                    and (K % 2 or fits(r, c, K, M) == fits(r, c, 2, K * M // 2))
                    for K in range(1, 9)
                    for M in range(1, 5)
                    for c in range(K * M // 2 + 2)
                    for r in range(K * M - 2 * c + 2)
                ),
                "every pattern of roots for orders up to 8, depths up to 4",
            ),
            Finding(
                "for every polynomial of a degree, third order needs as many layers as second, or "
                "one less if the degree is odd",
                all(second - third == D % 2 for D, (second, third) in thirds.items()),
                ", ".join(f"{D}: {a} and {b}" for D, (a, b) in thirds.items()),
            ),
            Finding(
                "at most one layer of a decomposition lacks its second-order term",
                leading <= 1,
                f"{len(drawn) + 5} filters",
            ),
            Finding(
                "higher order is degree larger than two",
                all((K > 2) == (K >= 3) for K in range(9)),
            ),
            Finding(
                r"$\mathrm{rank}\,A^k = \mathrm{rank}\,A$ for $k \ge 1$, and as many eigenvalues "
                "stay of modulus one as there are components with an edge, plus bipartite ones",
                all(
                    len(set(exact_ranks(g, 3))) == 1 and lasting(g) == lasting_exactly(g)
                    for g in small
                ),
                f"all {len(small)} graphs of 2 to 5 nodes with an edge",
            ),
            Finding(
                r"what single precision sees of $A^k$ never grows, and falls unless $A^3 = A$",
                all(
                    sorted(ranks, reverse=True) == ranks and lasting(g) <= ranks[-1] < ranks[0]
                    for g, ranks in falls.items()
                ),
                "; ".join(
                    f"{g.name or 'random'}: {r[0]} to {r[-1]}, at last {lasting(g)}"
                    for g, r in falls.items()
                ),
                exact=False,
            ),
            Finding(
                "the same filter costs the same hops in every order",
                len(set(same.values())) == 1,
                f"{same[2]} hops for degree 24 in orders {', '.join(map(str, same))}",
            ),
        ],
        tables=[
            Table(
                f"Rank in single precision: tolerance N times {SINGLE:.1e}",
                ("k", *(f"{g.name or 'random'}: $A^k$, $T_k(A)$" for g in measured)),
                tuple(
                    (k, *(f"{falls[g][i]}, {seen_ranks(g, chebyshev=True)[i]}" for g in measured))
                    for i, k in enumerate(POWERS)
                ),
            )
        ],
        figures=[
            Figure(
                "What single precision sees of the powers of A",
                tuple(
                    Curve(
                        g.name or "random", tuple(map(float, POWERS)), tuple(map(float, falls[g]))
                    )
                    for g in measured
                ),
                "k",
                "numerical rank",
                log_x=True,
            )
        ],
        drawings=[
            Drawing(f"Γ = {gamma}: two layers of order {order} are not complete", host),
            Drawing(f"the filter ${show(monomial)}$ has two zero coefficients", sparse),
            *(Drawing("no power has a smaller rank", graph) for graph in steady[:1]),
        ],
    )


CLAIM = Claim(
    name="higher_orders",
    number=12,
    where="Section 3.2 (sec:higher_vs_sogc) and Table 1 (tbl:comparison)",
    statement=(
        r"Higher-order GCs refer to degree larger than three (i.e. $\mathcal{F}_K, K \ge 3$). They "
        "have equivalent expressive power, since they can be reduced to SoGCs. Decomposition into "
        "second-order polynomials results in at most one zero coefficient. Eigenvalues diminish "
        r"when powered: a decreasing numerical rank of $A^k$. SoGC matches the time complexity of "
        r"vanilla GCN, $O(ms)$; multi-hop takes $O(Kms)$."
    ),
    reading=(
        r"Products of layers are compared at equal hops, as sets of real polynomials; zeros are "
        "counted in proven layers; ranks are exact over the rationals, and numerical with numpy's "
        "tolerance in single precision; multiply-adds are counted in a run of Algorithm 1."
    ),
    check=check,
    conjectures=(5,),
)
