r"""The analytic rows of Table 2: filters that no gradient step has touched.

The question is what the architectures *can* do. The map is ``target -> test MAE`` of networks whose
weights are computed:

* *designed*: 16 second-order layers from the response alone. Four designs know [-1, 1] and no
  graph; the one with the lowest MAE on the validation graphs stands in the table, all are kept.
* *fitted*: 16 second-order layers from the training graphs, by least absolute deviations.
* the fitted filter again as first order with two channels and as vanilla with residual, 32 layers
  each: the same polynomial, and so the same MAE up to rounding.
* GIN with one channel, 16 and 32 layers, wherever the best polynomial of that degree has real roots
  only; where it has not, the reason is kept. (On band-pass it has: what stops GIN there is not its
  layer spanning space.)
* *floors*: for each degree, the polynomial that is fitted best. The error on the training graphs is
  proven: no linear network of that many hops, however trained, has less there.

A network is run in float32 and in float64, and the number is that of the network; ``zero`` is the
MAE of one that always says zero. Written to ``results/analytic.json``.

Assumptions: the networks act by the normalized adjacency, as the targets do.

>>> figures = collect(None, graphs=(4, 2, 2), degrees=(2,), targets=("low-pass",))
>>> [row["parameters"] for row in figures["targets"]["low-pass"]["networks"]]
[48, 48, 263, 135]
>>> [row["architecture"] for row in figures["targets"]["low-pass"]["no_network"]]
['gin', 'gin']
>>> sorted(figures["targets"]["low-pass"]["floors"])
['16', '2', '32']
"""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.polynomial import Chebyshev
from numpy.polynomial.chebyshev import chebpts1

from experiments.canvas import BLACK, GREEN, GREY, NETWORKS, WORDS, headline, tidy
from experiments.cells import Table
from experiments.sgs.runs import RUNS
from gcn import bridge
from gcn.data import sgs
from gcn.data.collection import Collection
from gcn.data.split import Split
from gcn.layers import SoGConv
from gcn.nets import GraphNetwork
from gcn.train import evaluate
from polyfilter import design, factorize
from polyfilter.errors import FilterError
from polyfilter.progress import bar
from polyfilter.response import ResponseLike
from polyfilter.signals import chebyshev_features, union_adjacency
from polyfilter.spectrum import spectrum
from polyfilter.stack import SoGCStack

__all__ = ["DESIGNS", "PAPER", "collect", "draw", "fitted", "floors", "table"]

LAYERS = 16
DEGREE = 2 * LAYERS
DEGREES = (2, 4, 8, 16, 32, 64)
POINTS = 4096
"""Where squares are summed: far more points than degrees, so that the sum is an integral."""
PRECISIONS = {"float32": torch.float32, "float64": torch.float64}

DESIGNS: dict[str, Callable[[ResponseLike, int], Chebyshev]] = {
    "interpolation": design.interpolate,
    "minimax": design.minimax,
    "least squares": partial(design.least_squares, spectrum=np.linspace(-1, 1, POINTS + 1)),
    "Chebyshev least squares": partial(design.least_squares, spectrum=chebpts1(POINTS)),
}
"""From the response alone. The last weighs by 1/√(1 - λ²): it cuts the Chebyshev series."""

BOTTOM = 4e-4
"""Of the picture."""

PAPER = {
    "vanilla": (16, 4_611, {"high-pass": 0.308, "low-pass": 0.317, "band-pass": 0.559}),
    "gin": (16, 4_627, {"high-pass": 0.344, "low-pass": 0.096, "band-pass": 0.274}),
    "sogcn": (32, 12_323, {"high-pass": 0.021, "low-pass": 0.023, "band-pass": 0.050}),
    "order-3": (48, 16_179, {"high-pass": 0.021, "low-pass": 0.022, "band-pass": 0.045}),
    "order-4": (64, 20_035, {"high-pass": 0.021, "low-pass": 0.022, "band-pass": 0.049}),
}
"""The paper's Table 2: hops, parameters and test MAE."""


def fitted(train: Split, degree: int = DEGREE) -> design.Fit:
    """Return the polynomial with the least absolute deviation on the training graphs.

    Examples
    --------
    >>> found = fitted(sgs.generate("low-pass", "train", count=3), 4)
    >>> found.polynomial.degree(), found.error - found.lower_bound < 1e-8
    (4, True)
    """
    return design.fit_with_proof(train.graphs, train.x, train.y, degree)


def floors(fits: Mapping[int, design.Fit], test: Split) -> dict[str, dict[str, float]]:
    """Return for each degree the least MAE on the training graphs, and the MAE on the test graphs.

    Examples
    --------
    >>> part = sgs.generate("low-pass", "train", count=3)
    >>> found = floors({degree: fitted(part, degree) for degree in (2, 8)}, part)
    >>> found["2"]["train"] > found["8"]["train"]
    True
    >>> bool(abs(found["8"]["test"] - found["8"]["train"]) < 1e-14)
    True
    """
    features = chebyshev_features(union_adjacency(test.graphs), test.x[:, None], max(fits))
    found = {}
    for degree, best in sorted(fits.items()):
        output = features[:, : degree + 1] @ best.polynomial.coef.astype(np.float64)
        found[str(degree)] = {
            "train": best.error,
            "train_at_least": best.lower_bound,
            "test": float(np.abs(output - test.y).mean()),
        }
    return found


def collect(
    runs: Path | None = RUNS,
    *,
    data: Path | None = None,
    graphs: tuple[int, int, int] = sgs.SIZES,
    degrees: Iterable[int] = DEGREES,
    targets: Iterable[str] = tuple(sgs.TARGETS),
    progress: bool | None = None,
) -> dict[str, Any]:
    """Return every figure of the experiment.

    Parameters
    ----------
    runs
        Folder of runs, of which only the data are used.
    data
        Folder of the SGS files, ``runs/data`` by default; without either they are not kept.
    graphs
        How many to fit on, to choose a design by and to test on.
    degrees
        Of the floors, besides 16 and 32.
    targets
        Which filters.
    progress
        Whether to show a bar.
    """
    names, home = tuple(targets), data or (runs and runs / "data")
    figures: dict[str, Any] = {}
    with bar(len(names), "analytic", progress) as update:
        for name in names:
            train, valid, test = (
                sgs.obtain(home, name, part, count=count, show=False)
                for part, count in zip(sgs.PARTS, graphs, strict=True)
            )
            figures[name] = _one(name, train, valid, test, degrees)
            update(1)
    return {"graphs": list(graphs), "degree": DEGREE, "gradient_steps": 0, "targets": figures}


def _one(
    name: str, train: Split, valid: Split, test: Split, degrees: Iterable[int]
) -> dict[str, Any]:
    """Everything about one target."""
    response = sgs.TARGETS[name]
    tests = {word: test.collection(dtype=dtype) for word, dtype in PRECISIONS.items()}
    validation = valid.collection()
    designs, stacks = {}, {}
    for word, method in DESIGNS.items():
        h = method(response, DEGREE)
        stacks[word] = factorize(h)
        net = bridge.network(stacks[word])
        lam = np.linspace(-1, 1, POINTS + 1)
        designs[word] = {
            "valid": evaluate(net, validation, "mae").metric,
            "test": evaluate(net, tests["float32"], "mae").metric,
            "largest_error": float(np.abs(h(lam) - response(lam)).max()),
            "error_at_0": abs(float(h(0.0) - response(0.0))),
        }
    chosen = min(designs, key=lambda word: designs[word]["valid"])
    fits = {degree: fitted(train, degree) for degree in {*degrees, DEGREE // 2, DEGREE}}
    half, best = (fits[degree].polynomial for degree in (DEGREE // 2, DEGREE))
    eigenvalues = spectrum(train.graphs)
    gamma, zero = len(eigenvalues.values), np.abs(eigenvalues.values) <= eigenvalues.tolerance
    rows = [
        _second_order(f"designed: {chosen}", stacks[chosen], tests),
        _second_order("fitted", factorize(best), tests),
        _realised("first-order", best, gamma, tests),
        _realised("vanilla+residual", best, gamma, tests),
        _realised("gin", half, gamma, tests),
        _realised("gin", best, gamma, tests),
    ]
    return {
        "zero": float(np.abs(test.y).mean()),
        "designs": designs,
        "chosen": chosen,
        "share_of_eigenvalue_0": float(eigenvalues.multiplicities[zero].sum() / len(train.x)),
        "networks": [row for row in rows if "test" in row],
        "no_network": [row for row in rows if "test" not in row],
        "floors": floors(fits, test),
        "coefficients": best.coef.tolist(),
    }


def _second_order(how: str, stack: SoGCStack, tests: dict[str, Collection]) -> dict[str, Any]:
    """The network of a stack: written about the dips of its layers, and in plain powers of A."""
    scores = {
        word: evaluate(bridge.network(stack, dtype=dtype), tests[word], "mae").metric
        for word, dtype in PRECISIONS.items()
    }
    plain = GraphNetwork(
        partial(SoGConv, bias=False),
        1,
        1,
        1,
        num_layers=len(stack),
        embedding="none",
        batch_norm=False,
        residual=False,
    )
    bridge.initialise(plain, stack)
    return {
        "how": how,
        "architecture": "sogc",
        "layers": len(stack),
        "channels": 1,
        "parameters": plain.num_parameters,
        "test": scores,
        "test_in_powers": {"float32": evaluate(plain, tests["float32"], "mae").metric},
    }


def _realised(
    architecture: str, h: Chebyshev, gamma: int, tests: dict[str, Collection]
) -> dict[str, Any]:
    """The same filter by layers of first order, and how well they say they are it.

    They are it on every spectrum of Γ eigenvalues, so on all graphs.
    """
    scores, errors = {}, {}
    row = {"how": "fitted", "architecture": architecture, "layers": h.degree()}
    try:
        for word, dtype in PRECISIONS.items():
            found = bridge.realise(architecture, h, gamma, depth=h.degree(), dtype=dtype)
            scores[word] = evaluate(found.network, tests[word], "mae").metric
            errors[word] = found.error
    except FilterError as error:  # there is no such network, and this is why
        return {**row, "reason": str(error)}
    return {
        **row,
        "channels": found.realisation.width,
        "parameters": found.network.num_parameters,
        "test": scores,
        "relative_error": errors,
        "reason": found.realisation.reason,
    }


# ------------------------------------------------------------------------ table and picture


def table(figures: dict[str, Any]) -> Table:
    """Return a row for each network, and one for each design."""
    targets = figures["targets"]
    rows = [
        [row["how"], row["architecture"], str(row["layers"]), str(row.get("parameters", "")), name]
        + [f"{row['test'][word]:.6f}" if "test" in row else "none" for word in PRECISIONS]
        for name, found in targets.items()
        for row in (*found["networks"], *found["no_network"])
    ]
    rows += [
        [f"designed: {how}", "sogc", str(LAYERS), "48", name, f"{figure['test']:.6f}", ""]
        for name, found in targets.items()
        for how, figure in found["designs"].items()
        if how != found["chosen"]
    ]
    header = ["how", "architecture", "layers", "numbers", "target", *PRECISIONS]
    train, valid, test = figures["graphs"]
    return Table(
        header,
        rows,
        f"MAE on {test:,} test graphs without a gradient step: fitted on {train:,} graphs, or "
        f"designed from the response and chosen by {valid:,} others. None: the filter has roots "
        "that GIN can't have.",
    )


def draw(figures: dict[str, Any]) -> Figure:
    """Draw the floors over the degree, with the networks that were computed and the paper's."""
    picture = Figure(figsize=(11.0, 4.6), dpi=160, layout="constrained")
    panels = picture.subplots(1, len(figures["targets"]), sharey=True, squeeze=False)[0]
    headline(picture, "48 numbers, computed, beat 12,323 that were trained")
    for axes, (name, found) in zip(panels, figures["targets"].items(), strict=True):
        _panel(tidy(axes, name), name, found)
    panels[0].set_ylabel("test MAE", fontsize=11)
    shown: dict[str, Any] = {}
    for axes in panels:  # GIN is computed on one of them only
        handles, labels = axes.get_legend_handles_labels()
        shown |= dict(zip(labels, handles, strict=True))
    picture.legend(
        list(shown.values()), list(shown), loc="outside lower center", ncols=3, frameon=False
    )
    return picture


def _panel(axes: Axes, name: str, found: dict[str, Any]) -> None:
    degrees = sorted(map(int, found["floors"]))
    least = [found["floors"][str(degree)]["test"] for degree in degrees]
    axes.plot(
        degrees, least, color=BLACK, linewidth=2, marker=".", label="best polynomial of that degree"
    )
    axes.fill_between(degrees, least, BOTTOM, color=GREY, alpha=0.1, linewidth=0)
    axes.axhline(found["zero"], color=GREY, linewidth=1.2, linestyle=":")
    axes.annotate(
        "zero, always",
        (degrees[0], found["zero"]),
        (-4, 3),
        textcoords="offset points",
        color=GREY,
        fontsize=9,
    )
    for kind, (hops, _, scores) in PAPER.items():
        axes.plot(
            hops,
            scores[name],
            color=NETWORKS.get(kind, GREY),
            marker="s",
            linestyle="",
            markersize=7,
            label=f"{WORDS[kind]}, trained (paper)",
        )
    designed, fit, *others = found["networks"]
    computed = [
        (designed, "SoGCN, 48 numbers computed from the response", "D", GREEN, "none"),
        (fit, "SoGCN, 48 numbers fitted to the training graphs", "*", GREEN, GREEN),
    ]
    red = NETWORKS["gin"]
    computed += [
        (row, f"GIN, {row['parameters']} numbers fitted to the training graphs", "*", red, red)
        for row in others
        if row["architecture"] == "gin" and row["layers"] < DEGREE
    ]
    for row, words, marker, colour, face in computed:
        axes.plot(
            row["layers"] if row["architecture"] == "gin" else DEGREE,
            row["test"]["float32"],
            color=colour,
            linestyle="",
            marker=marker,
            markersize=12,
            markerfacecolor=face,
            label=words,
            zorder=3,
        )
    ratio = PAPER["sogcn"][2][name] / fit["test"]["float32"]
    axes.annotate(
        f"{ratio:.1f} times\nless error",
        (DEGREE, fit["test"]["float32"]),
        (-12, -6),
        textcoords="offset points",
        ha="right",
        va="top",
        color=GREEN,
        fontsize=10,
    )
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_ylim(BOTTOM, 1.0)
    axes.set_xticks(degrees, [str(degree) for degree in degrees])
    axes.set_xlabel("hops of the network = degree of its filter", fontsize=10)
