r"""Layer spanning spaces, looked for in trained networks (Section 3.3).

The question is whether the networks of the ``strict`` protocol (no bias, no normalization, no
residual, one A for all) lie where the theory says. The map is ``weights -> polynomial -> facts``:

======== ================================================== =====================================
network  the theory                                         what is checked
======== ================================================== =====================================
vanilla  :math:`c (x + 1)^L`, whatever the width            the polynomial divided by
                                                            :math:`(x + 1)^L` leaves no remainder
GIN      real roots only: :math:`c \prod_l (x + 1 + ε_l)`   all roots are counted, and are real
SoGCN    every polynomial of degree 2L                      how far it is from the best one
======== ================================================== =====================================

1. Weights are float32 numbers, and so are rational. They are multiplied as such
   (:func:`gcn.probe.polynomial`), roots are counted by signs (:mod:`polyfilter.realroots`) and
   remainders are zero or not: there is no tolerance anywhere.
2. The best polynomial of a degree is that of least absolute deviation on the training graphs, of
   all polynomials. Whether its roots are real is counted too: on band-pass they are, and then the
   best polynomial of degree L is in GIN's space, whether training finds it or not.
3. For vanilla the best of its own space is a fit of one number, ``best_in_space``.
4. That a network computes its polynomial is measured as well: the largest difference of their
   outputs on the test graphs, in float64.

Written to ``results/lss.json``.

>>> figures = collect(None, graphs=(4, 2, 2), targets=("low-pass",), seeds=(0,))
>>> figures["networks"]
[]
>>> figures["not_run"][0]
'strict/vanilla-16x16/low-pass/seed-0-graphs-4-2-2'
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import torch
from flint import fmpq, fmpq_poly
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.polynomial import Chebyshev
from numpy.typing import NDArray

from experiments.canvas import (
    BLACK,
    GREEN,
    GREY,
    NETWORKS,
    WORDS,
    absent,
    footnote,
    headline,
    tidy,
)
from experiments.cells import Table
from experiments.sgs.analytic import fitted
from experiments.sgs.case import Case
from experiments.sgs.runs import RUNS, STORE
from experiments.sgs.trained import Trained, epochs, trained
from gcn.data import sgs
from gcn.data.split import Split
from gcn.linear import polynomial
from polyfilter.lad import least_absolute_deviations
from polyfilter.polynomial import power_from_chebyshev
from polyfilter.progress import bar
from polyfilter.realroots import count_real_roots, is_real_rooted
from polyfilter.signals import chebyshev_features, union_adjacency
from polyfilter.spectrum import Spectrum, spectrum

__all__ = ["KINDS", "collect", "draw", "facts", "table"]

Floats = NDArray[np.float64]

KINDS = ("vanilla", "gin", "sogcn")
SEEDS = (0, 1, 2)
LAYERS = 16
WIDE, HIGH = 2.0, 0.5
"""Roots further out are not drawn."""
DOT = 0.02
"""Roots closer than this look like one."""
CURVE = np.linspace(-1, 1, 401)


def facts(p: fmpq_poly, layers: int) -> dict[str, Any]:
    r"""Return what is exactly true of a polynomial: its degree, its roots, and how often -1 is one.

    Parameters
    ----------
    p
        The polynomial of a network, in rational numbers.
    layers
        L, for the question whether :math:`(x + 1)^L` divides it.

    Examples
    --------
    >>> found = facts(fmpq_poly([1, 1]) ** 2 * fmpq_poly([1, 0, 1]), 2)       # (x + 1)² (x² + 1)
    >>> found["order_of_minus_one"], found["multiple_of_vanilla"], found["real_rooted"]
    (2, True, False)
    """
    vanilla = fmpq_poly([1, 1])
    order, rest = 0, p
    while rest.degree() > 0 and rest(-1) == 0:
        order, rest = order + 1, rest // vanilla
    # its stub forgets the multiplicities
    roots: Any = p.numer().complex_roots() if p.degree() > 0 else []
    return {
        "degree": p.degree(),
        "real_rooted": is_real_rooted(p),
        "different_real_roots": count_real_roots(p) if p.degree() > 0 else 0,
        "order_of_minus_one": order,
        "multiple_of_vanilla": (p % vanilla**layers).degree() < 0,
        "roots": [
            [float(root.real.mid()), float(root.imag.mid()), multiplicity]
            for root, multiplicity in roots
        ],
    }


@dataclass(frozen=True, eq=False)
class _Data:
    """The graphs of one target, and what is computed from them once."""

    train: Split
    test: Split
    best: dict[int, Chebyshev]

    @cached_property
    def eigenvalues(self) -> Spectrum:
        return spectrum(self.test.graphs)

    def best_of(self, degree: int) -> Chebyshev:
        """The polynomial of this degree that fits the training graphs best."""
        if degree not in self.best:
            self.best[degree] = fitted(self.train, degree).polynomial
        return self.best[degree]

    def output(self, h: Chebyshev) -> Floats:
        """h(A) x on the test graphs."""
        features = chebyshev_features(
            union_adjacency(self.test.graphs), self.test.x[:, None], h.degree()
        )
        return features @ np.asarray(h.coef, dtype=np.float64)

    def mae(self, h: Chebyshev) -> float:
        """Mean absolute error of a filter on the test graphs."""
        return float(np.abs(self.output(h) - self.test.y).mean())

    def best_vanilla(self, layers: int) -> Chebyshev:
        """The best c (x + 1)^L for the training graphs: least absolute deviations with one c."""
        power = Chebyshev([0.5, 0.5]) ** layers  # (x + 1)^L / 2^L, one at x = 1
        coefficients = np.asarray(power.coef, dtype=np.float64)
        A = union_adjacency(self.train.graphs)
        feature = chebyshev_features(A, self.train.x[:, None], layers) @ coefficients
        c = least_absolute_deviations(feature[:, None], self.train.y).coefficients[0]
        return Chebyshev(c * coefficients)


def collect(
    runs: Path | None = RUNS,
    store: Path = STORE,
    *,
    data: Path | None = None,
    targets: Iterable[str] = tuple(sgs.TARGETS),
    seeds: Iterable[int] = SEEDS,
    layers: int = LAYERS,
    channels: int = 16,
    graphs: tuple[int, int, int] = sgs.SIZES,
    progress: bool | None = None,
) -> dict[str, Any]:
    """Return what is true of every strict network that was trained, and which were not.

    Parameters
    ----------
    runs
        Folder of weights; None has none.
    store
        Folder of results.
    data
        Folder of the SGS files, ``runs/data`` by default.
    targets, seeds, layers, channels, graphs
        Which cases.
    progress
        Whether to show a bar.
    """
    seeds = tuple(seeds)
    networks, missing = [], []
    for target in targets:
        signals = None
        cases = [
            Case(kind, target, "strict", layers, channels, seed=seed, graphs=graphs)
            for kind in KINDS
            for seed in seeds
        ]
        with bar(len(cases), f"LSS {target}", progress) as update:
            for case in cases:
                found = None if runs is None else trained(case, runs, store)
                if runs is None or found is None:
                    missing.append(case.name)
                else:
                    signals = signals or _data(data or runs / "data", target, graphs)
                    networks.append(_one(found, signals))
                update(1)
    return {"networks": networks, "not_run": missing}


def _data(folder: Path, target: str, graphs: tuple[int, int, int]) -> _Data:
    train, test = (
        sgs.obtain(folder, target, part, count=count, show=False)
        for part, count in (("train", graphs[0]), ("test", graphs[2]))
    )
    return _Data(train, test, {})


def _summary(h: Chebyshev, layers: int) -> dict[str, Any]:
    """What is exactly true of a polynomial whose Chebyshev coefficients are floats."""
    power = power_from_chebyshev([Fraction(c) for c in h.coef.tolist()])
    p = fmpq_poly([fmpq(c.numerator, c.denominator) for c in power])
    return {**facts(p, layers), "chebyshev": h.coef.tolist()}


def _one(found: Trained, data: _Data) -> dict[str, Any]:
    """Everything about one network."""
    case, net = found.case, found.network
    exact = polynomial(net, exact=True)
    assert exact.exact is not None
    h = Chebyshev(exact.chebyshev[:, 0, 0])
    best = data.best_of(case.hops)
    lam, weights = data.eigenvalues.values, data.eigenvalues.multiplicities
    apart = np.abs(h(lam) - best(lam))
    inputs = data.test.collection(dtype=torch.float64)
    with torch.no_grad():
        output = net.double()(inputs.x, inputs.prepared)[:, 0].numpy()
    report = {
        **found.to_dict(),
        "kind": case.kind,
        "target": case.target,
        "seed": case.seed,
        **facts(exact.exact[0, 0], case.layers),
        "chebyshev": h.coef.tolist(),
        "best": {**_summary(best, case.layers), "test": data.mae(best)},
        "output_apart": float(np.abs(output - data.output(h)).max()),
        "polynomial_test": data.mae(h),
        "from_best": {
            "largest_on_spectrum": float(apart.max()),
            "mean_on_spectrum": float(np.average(apart, weights=weights)),
            "largest_on_interval": float(np.abs(h(CURVE) - best(CURVE)).max()),
        },
    }
    if case.kind == "vanilla":
        report["best_in_space"] = data.mae(data.best_vanilla(case.layers))
    return report


# ------------------------------------------------------------------------ table and picture


def table(figures: dict[str, Any]) -> Table:
    """Return a row for each network."""
    rows = [
        [
            found["target"],
            WORDS[found["kind"]],
            str(found["seed"]),
            epochs(found),
            _words(found),
            f"{found['test']:.4f}",
            f"{found['best']['test']:.4f}",
            _words(found["best"]),
            f"{found['from_best']['largest_on_spectrum']:.3f}",
            f"{found['from_best']['mean_on_spectrum']:.3f}",
        ]
        for found in figures["networks"]
    ]
    header = ["target", "network", "seed", "epochs", "its polynomial", "test MAE", "best MAE"]
    header += ["the best polynomial", "apart, at most", "in the mean"]
    missing = figures["not_run"]
    return Table(
        header,
        rows,
        "Roots are counted in rational numbers. The best polynomial of the same degree is that of "
        "least absolute deviation; how far apart the two are is over the eigenvalues of the test "
        f"graphs. † did not converge. Not run: {', '.join(missing) if missing else 'none'}.",
    )


def draw(figures: dict[str, Any], target: str | None = None, seed: int = 0) -> Figure:
    """Draw a network of each kind: its response above, the roots of its polynomial below.

    By default on high-pass, whose best polynomial has roots that GIN can't have; if other targets
    have more networks, on the first of those.
    """
    if target is None:
        there = [found["target"] for found in figures["networks"] if found["seed"] == seed]
        target = max(sgs.TARGETS, key=there.count)
    picture = Figure(figsize=(12.0, 6.6), dpi=150, layout="constrained")
    rows = picture.subplots(2, len(KINDS), sharey="row")
    headline(picture, f"Trained on {target}: responses, and the roots of their polynomials")
    for kind, (above, below) in zip(KINDS, rows.T, strict=True):
        tidy(above, WORDS[kind])
        tidy(below)
        above.fill_between(CURVE, sgs.TARGETS[target](CURVE), color=BLACK, alpha=0.18, linewidth=0)
        above.set_xlabel("eigenvalue λ", fontsize=10)
        above.set_xlim(-1, 1)
        above.set_xticks(np.linspace(-1, 1, 5))
        below.set_xlabel("real part of a root", fontsize=10)
        below.set_xlim(-WIDE, WIDE)
        same = [
            found
            for found in figures["networks"]
            if (found["kind"], found["target"], found["seed"]) == (kind, target, seed)
        ]
        if same:
            _response(above, kind, same[0])
            _roots(below, kind, same[0])
        else:
            absent(above)
            absent(below)
    rows[0, 0].set_ylabel("response", fontsize=11)
    rows[0, 0].set_ylim(-0.35, 1.45)
    rows[1, 0].set_ylabel("imaginary part", fontsize=11)
    rows[1, 0].set_ylim(-HIGH, HIGH)
    if any("†" in epochs(found) for found in figures["networks"]):
        footnote(picture, "† did not converge")
    return picture


def _response(axes: Axes, kind: str, found: dict[str, Any]) -> None:
    best = Chebyshev(found["best"]["chebyshev"])
    words = f"best of degree {best.degree()}: test MAE {found['best']['test']:.3f}"
    axes.plot(CURVE, best(CURVE), color=GREEN, linewidth=1.6, label=words)
    h = Chebyshev(found["chebyshev"])(CURVE)
    words = f"trained {epochs(found)} epochs: test MAE {found['test']:.3f}"
    axes.plot(CURVE, h, color=NETWORKS[kind], linewidth=2.4, label=words)
    axes.legend(loc="upper right", frameon=False, fontsize=9, borderaxespad=0.0)


def _roots(axes: Axes, kind: str, found: dict[str, Any]) -> None:
    axes.plot([-1, 1], [0, 0], color=BLACK, linewidth=5, alpha=0.2, solid_capstyle="butt")
    x, y, _ = _columns(found["best"])
    axes.scatter(x, y, s=46, facecolor="none", edgecolor=GREEN, linewidth=1.2)
    x, y, often = _columns(found)
    size = 30 * np.sqrt(often)
    axes.scatter(x, y, s=size, color=NETWORKS[kind], edgecolor="white", linewidth=0.6, zorder=3)
    for group in np.split(np.arange(len(x)), 1 + np.flatnonzero(np.diff(x) > DOT)):
        count = int(often[group].sum())
        if count > len(x) // 2:
            at = (float(x[group].mean()), 0.0)
            axes.annotate(
                f"{count} roots",
                at,
                (-16, 0),
                textcoords="offset points",
                ha="right",
                va="center",
                color=NETWORKS[kind],
            )
    axes.set_title(_words(found), loc="left", fontsize=10, color=GREY)


def _columns(found: dict[str, Any]) -> tuple[Floats, Floats, Floats]:
    """Roots that are within the picture: real and imaginary parts and multiplicities, by x."""
    x, y, often = np.array(sorted(found["roots"]), dtype=np.float64).reshape(-1, 3).T
    inside = (np.abs(x) <= WIDE) & (np.abs(y) <= HIGH)
    return x[inside], y[inside], often[inside]


def _words(found: dict[str, Any]) -> str:
    """Say what is true of the roots."""
    if found["multiple_of_vanilla"]:
        return f"exactly c (x + 1)^{found['order_of_minus_one']}"
    if found["real_rooted"]:
        return f"all {found['degree']} roots are real, exactly"
    # real roots have imaginary part zero and not just a small one: they are isolated on the line
    off = sum(often for _, imaginary, often in found["roots"] if imaginary != 0)
    return f"{off} of {found['degree']} roots are not real"
