r"""The GIN lift: any filter from first-order layers, and its price in bits.

A GIN layer is $\theta_1 A + \theta_0 I$, so that $L$ of them have real roots only, and $1 + x^2$
has none. But on a graph only the values at its $\Gamma$ eigenvalues count. With $m(x) = \prod_i (x
- \lambda_i)$, the polynomial $t\,m + h$ is $h$ on the spectrum for every $t$, and for $t$ large
enough it has a root in every gap: $\Gamma$ first-order layers are the filter after all. The price
is precision. At every eigenvalue a number of the size of $t$ has to cancel, and $t$ has a bit or
more for each eigenvalue.
"""

import sys

import numpy as np
from matplotlib.figure import Figure

import polyfilter as pf

h = [1, 0, 1]  # 1 + x^2


def path(n: int) -> pf.Graph:
    """A path of n nodes, with n eigenvalues."""
    return pf.Graph.from_edges([(i, i + 1) for i in range(n - 1)])


def dense(n: int, seed: int) -> pf.Graph:
    """A random graph of n nodes, half of all pairs joined."""
    rng = np.random.default_rng(seed)
    return pf.Graph.from_edges(np.argwhere(np.triu(rng.random((n, n)) < 0.5, 1)), n)


def lift(graph: pf.Graph) -> float:
    """log2 of a t for which t m + h has a root in every gap of the spectrum."""
    lam = pf.spectrum(graph).values
    between = np.linspace(lam[:-1], lam[1:], 33)[1:-1]
    m = np.prod(between[..., None] - lam, axis=-1)
    return float(np.log2(np.abs((1 + between**2) / m).min(axis=0).max()))


net = pf.spaces.realise("gin", h, path(9))
print(net)
print("one second-order layer:", pf.factorize(h).theta.tolist())
sizes = np.arange(4, 45, 4)
price = {
    "dense random graphs": [np.median([lift(dense(n, k)) for k in range(9)]) for n in sizes],
    "paths": [lift(path(n)) for n in sizes],
}
print({name: np.round(bits).astype(int).tolist() for name, bits in price.items()})

picture = Figure(figsize=(11.5, 4.5), dpi=110, layout="constrained")
left, right = picture.subplots(1, 2, width_ratios=(1.25, 1))
x = np.linspace(-1, 1, 2001)
lam = pf.spectrum(path(9)).values
left.axhline(0, color="#999999", linewidth=0.8)
left.plot(x, net.response(x), color="#D55E00", linewidth=1.8, label="nine GIN layers, t m + h")
left.plot(x, 1 + x**2, color="#0072B2", linewidth=2, label="1 + x²: one second-order layer")
left.plot(lam, 1 + lam**2, "o", color="black", markersize=6, label="equal at every eigenvalue")
left.set_title("On a path of nine nodes both are one filter", loc="left", fontsize=12)
left.set_xlabel("eigenvalue λ of the normalized adjacency")
left.set_ylim(top=1.55 * net.response(x).max())
left.legend(frameon=False, loc="upper center", fontsize=9)
for (name, bits), colour in zip(price.items(), ("#D55E00", "#E69F00"), strict=True):
    right.plot(sizes, bits, color=colour, marker="o", linewidth=2, label=name)
right.plot(
    sizes,
    sizes - 1 + sizes * np.log2(np.cos(np.pi / 2 / sizes)),
    color="#555555",
    linestyle="dashed",
    label="at least, if t serves all filters",
)
for number, name in ((24, "float32"), (53, "float64")):
    right.axhline(number, color="#999999", linestyle="dotted")
    right.annotate(
        name,
        (sizes[-1], number),
        (0, 3),
        textcoords="offset points",
        ha="right",
        color="#555555",
        fontsize=9,
    )
right.set_title("Bits of t, which cancel", loc="left", fontsize=12)
right.set_xlabel("nodes, nearly all with an eigenvalue of their own")
right.legend(frameon=False, loc="upper left", fontsize=9)
for axes in (left, right):
    axes.spines[["top", "right"]].set_visible(False)
picture.savefig(sys.argv[1] if len(sys.argv) > 1 else "lift.png")
