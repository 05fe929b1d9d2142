r"""Width buys order: first-order layers with two channels make every polynomial.

*Statement.* First-order kernels cannot represent all polynomial filters; in this sense the
second-order kernel is the most localized one with full representation power.

*Reading.* The networks have channels: a first-order layer is
:math:`X \Theta_0 + A X \Theta_1` with matrices, as in the paper's own multi-channel form. Then the
statement is false, twice over:

- *Complex roots.* :math:`\mathbb C` sits in :math:`\mathbb R^{2 \times 2}`: with
  :math:`\Theta_1 = I` and :math:`\Theta_0` the rotation and scaling by -r, the layer multiplies by
  :math:`x - r` for a complex r. K layers are :math:`\prod (x - r_j)`.
- *Horner's rule.* With channels (y, s), the layer :math:`y \leftarrow x y + \theta_k s`,
  :math:`s \leftarrow s` is a step of Horner's rule. Starting from :math:`(\theta_K, 1)` times the
  signal, K layers make :math:`\sum_k \theta_k x^k`. No roots are needed, the weights are the
  coefficients, and only y is propagated: one hop of one channel a layer. With three channels it is
  Clenshaw's rule, :math:`b \leftarrow 2 x b - b' + c_k s`, whose weights are the Chebyshev
  coefficients and do not grow.

*Hops.* L layers have degree at most L, so that a filter whose remainder modulo
:math:`m = \prod (x - \lambda_i)` has degree K needs K hops at any width and any order: Horner's
K first-order layers are as local as the :math:`\lceil K/2 \rceil` second-order ones.

*What width does not buy.* With :math:`\Theta_0 = (1 + \varepsilon) \Theta_1`, as GIN is published,
the response is :math:`c \prod (x + 1 + \varepsilon_l)` at every width: real roots only. It is the
second matrix that counts.

>>> layers, read_in = horner_layers([1, 0, 1])
>>> run(layers, x, one, read_in, (1, 0))
x^2 + 1
>>> run(rotation_layers([(0, 1), (0, -1)]), x, one, (1, 0), (1, 0))
x^2 + 1
"""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from flint import ctx, fmpq, fmpq_mat, fmpq_poly

from polyfilter.claim import Claim, Drawing, Finding, Outcome, Setting, Table, settle
from polyfilter.claims._channels import (
    BITS,
    CLOSED,
    clenshaw_layers,
    filtered,
    from_roots,
    horner_layers,
    on_spectrum,
    random_matrix,
    random_roots,
    root_balls,
    rotation_layers,
    run,
)
from polyfilter.claims._common import describe, graph_sets, origin, small_graphs
from polyfilter.claims._rational import (
    minimal_polynomial,
    random_polynomial,
    rational_adjacency,
    x,
)
from polyfilter.design import interpolate
from polyfilter.graphs import GraphSet
from polyfilter.polynomial import power_from_chebyshev
from polyfilter.realroots import is_real_rooted
from polyfilter.responses import band_pass

one = fmpq_poly([1])
DEGREES = range(1, 10)
SMOOTH = (8, 16, 32, 64)
"""Degrees at which weights of a smooth filter are compared."""


def by_horner(blocks: Sequence[fmpq_mat], h: fmpq_poly) -> bool:
    """Whether Horner's network is h: as a polynomial, and on a signal on each graph."""
    layers, read_in = horner_layers(h.coeffs())
    same = len(layers) == h.degree() and run(layers, x, one, read_in, (1, 0)) == h
    for B in blocks:
        signal = fmpq_mat([[k * k + 1] for k in range(B.nrows())])
        same &= run(layers, B, signal, read_in, (1, 0)) == filtered(h, B, signal)
    return bool(same)


def by_rotation(roots: Sequence[tuple[fmpq, fmpq]]) -> bool:
    """Whether a layer for each root gives the polynomial with these roots, exactly."""
    layers = rotation_layers(roots)
    made = run(layers, x, one, (1, 0), (1, 0)), run(layers, x, one, (1, 0), (0, 1))
    return made == (from_roots(roots), 0 * x)


def enclosed(family: GraphSet, h: fmpq_poly) -> float:
    """Bound the distance of rotations by certified roots from h on the exact spectrum."""
    with ctx.workprec(BITS):
        layers = rotation_layers(root_balls(h))
        return on_spectrum(family, h, layers, (h.leading_coefficient(), 0), (1, 0))


def by_clenshaw(c: Sequence[fmpq]) -> bool:
    """Whether Clenshaw's network is the Chebyshev series."""
    layers, read_in = clenshaw_layers(c)
    before, now, series = x, one, 0 * x  # T_{-1} = T_1
    for coefficient in c:
        series += now * coefficient
        before, now = now, 2 * x * now - before
    return bool(run(layers, x, one, read_in, (1, 0, 0)) == series)


def tied(rng: np.random.Generator, width: int, depth: int) -> bool:
    """Whether layers with Θ_0 = (1 + ε) Θ_1 only make a multiple of Π (x + 1 + ε)."""
    layers, product = [], one
    for _ in range(depth):
        ((shift,),), theta = random_matrix(rng, 1, 1), random_matrix(rng, width, width)
        layers.append((tuple(tuple(shift * t for t in row) for row in theta), theta))
        product *= x + shift
    (u,), (v,) = random_matrix(rng, 1, width), random_matrix(rng, 1, width)
    made = run(layers, x, one, u, v)
    return is_real_rooted(made) and bool(made == product * made[depth])


def compare(degree: int) -> tuple[str | int, ...]:
    """Largest weights, and errors in float64, of two networks for the paper's band-pass."""
    h = interpolate(band_pass, degree)
    power = [float(a) for a in power_from_chebyshev([Fraction(float(c)) for c in h.coef])]
    row: list[str | int] = [degree]
    points = np.linspace(-1, 1, 501)
    truth = np.cos(np.outer(np.arccos(points), np.arange(degree + 1))) @ h.coef
    for weights, (layers, read_in) in (
        (power, horner_layers(power)),
        (h.coef.tolist(), clenshaw_layers(h.coef.tolist())),
    ):
        made = run(layers, points, np.ones_like(points), read_in, [1, 0, 0][: len(read_in)])
        row += [f"{max(map(abs, weights)):.1e}", f"{np.abs(made - truth).max():.0e}"]
    return tuple(row)


def check(setting: Setting) -> Outcome:
    """Build every filter from first-order layers, and see what stops when something is missing."""
    rng, families = setting.rng(10), graph_sets(setting, 10)
    sets = [[rational_adjacency(graph) for graph in family] for family in families]
    minimal = [minimal_polynomial(blocks) for blocks in sets]
    filters = [random_polynomial(rng, m.degree() - 1) for m in minimal]
    horner = [by_horner(blocks, h) for blocks, h in zip(sets, filters, strict=True)]
    hops = [(h % m).degree() for h, m in zip(filters, minimal, strict=True)]
    roots = [random_roots(rng, degree) for degree in DEGREES]
    rotations = [by_rotation(of_h) for of_h in roots]
    errors = [enclosed(family, h) for family, h in zip(families, filters, strict=True)]
    series = [random_polynomial(rng, degree).coeffs() for degree in DEGREES]
    complete = all(horner) and all(rotations)
    gammas = [m.degree() for m in minimal]
    atlas = [graph for n in range(1, 5) for graph in small_graphs(n)]
    first = next(
        graph for graph in atlas if minimal_polynomial([rational_adjacency(graph)]).degree() > 2
    )
    pairs = sum(any(b != 0 for _, b in of_h) for of_h in roots)
    layers = f"{len(filters)} filters of degree Γ - 1 = " + ", ".join(str(g - 1) for g in gammas)
    return settle(
        "false with two channels: K first-order layers of width 2 are any polynomial of degree K, "
        f"by Horner's rule; {layers}, exact",
        printed=[
            Finding(
                "networks of first-order layers cannot represent all polynomial filters",
                not complete,
                f"{layers}: each is a network of width 2",
            ),
            Finding(
                "second order is the least order with full representation power",
                not complete,
                f"first order has it, at {max(hops)} hops where second order has "
                f"{2 * -(-max(hops) // 2)}",
            ),
        ],
        instead=[
            Finding(
                "$K$ first-order layers with two channels are any polynomial of degree $K$, the "
                "weights being its coefficients (Horner)",
                all(horner),
                f"{layers} on {origin(families)}: as polynomials and on signals, exact",
            ),
            Finding(
                r"$\Theta_1 = I$ and $\Theta_0$ a rotation and scaling multiply by $x - r$, with "
                "$r$ complex; $K$ layers are any real polynomial of degree $K$, odd or even",
                all(rotations) and max(errors) < CLOSED,
                f"K = {DEGREES[0]} to {DEGREES[-1]}, {pairs} of them with complex roots, exact; "
                f"certified roots on exact spectra within {max(errors):.0e}",
            ),
            Finding(
                "no network of fewer hops makes them, whatever its width and order",
                all(hop == g - 1 for hop, g in zip(hops, gammas, strict=True)),
                r"the remainder modulo $m$ has degree $\Gamma - 1$ and is unique",
            ),
            Finding(
                r"with one channel and $L \le \Gamma - 1$ the statement is right: $x^2 + 1$",
                not is_real_rooted(x**2 + 1),
                f"first: {describe(first)}, Γ = 3",
            ),
            Finding(
                r"with $\Theta_0 = (1 + \varepsilon) \Theta_1$, as GIN is published, width buys "
                r"nothing: the response is $c \prod (x + 1 + \varepsilon_l)$",
                all(tied(rng, width, depth) for width in (1, 2, 3) for depth in DEGREES),
                f"widths 1 to 3, depths {DEGREES[0]} to {DEGREES[-1]}, exact",
            ),
            Finding(
                "$K$ first-order layers with three channels are Clenshaw's rule, the weights being "
                "Chebyshev coefficients",
                all(map(by_clenshaw, series)),
                f"degrees {DEGREES[0]} to {DEGREES[-1]}, exact",
            ),
        ],
        tables=[
            Table(
                "The paper's band-pass in first-order layers: largest weight, error in float64",
                ("degree", "Horner, width 2", "error", "Clenshaw, width 3", "error"),
                tuple(compare(degree) for degree in SMOOTH),
            )
        ],
        drawings=[
            Drawing(
                "Γ = 3: one channel of first order lacks $x^2 + 1$ at depth 2, two have it", first
            )
        ],
    )


CLAIM = Claim(
    name="width_buys_order",
    number=10,
    where="Sections 1 and 3.2",
    statement="Vanilla GCN and GIN (first-order polynomials in the adjacency matrix) cannot "
    "represent all polynomial filters in general; in this sense, SoGC is the most localized GC "
    "kernel with the full representation power.",
    reading=r"With layers $X \Theta_0 + A X \Theta_1$ of several channels, as the paper's networks "
    "have, there is a polynomial filter that no first-order network makes, so that order two is "
    "the least that makes all.",
    check=check,
    conjectures=(2,),
)
