r"""The paper's spectrum pictures: what goes in, what should come out, and what does.

The question is what a trained network does to each frequency. The map is
``weights -> (spectra of outputs, responses)`` on one test graph:

* the spectrum of the input, and of the three targets;
* the spectra of what vanilla GCN, GIN and SoGCN make of it, trained on band-pass as published,
  beside the truth; and of the 48 numbers that are computed (:mod:`experiments.sgs.analytic`);
* their responses, probed (:mod:`gcn.probe`).

1. In an eigenspace of several dimensions a basis is arbitrary, and so are coefficients. Drawn is
   the root mean square :math:`\| E_\lambda x \| / \sqrt{\dim E_\lambda}`, which is not.
2. The published vanilla GCN and GIN propagate by other matrices than A, and are no filters of it.
   Their response is that of the nearest filter, and the share that no filter has is printed.
3. Batch normalization and biases add something whatever the input is. It is no part of a response
   and is kept as ``offset``.

Written to ``results/spectra.json``, with all that the picture shows.

>>> figures = collect(None, graphs=(4, 2, 2))
>>> figures["networks"]["gin"], figures["networks"]["analytic"]["parameters"]
('not run', 48)
"""

from pathlib import Path
from typing import Any

import numpy as np
import torch
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from experiments.canvas import BLACK, GREY, NETWORKS, WORDS, absent, footnote, headline, tidy
from experiments.cells import Table
from experiments.sgs.analytic import fitted
from experiments.sgs.case import Case
from experiments.sgs.runs import RUNS, STORE
from experiments.sgs.trained import NOT_RUN, epochs, trained
from gcn import bridge
from gcn.data import sgs
from gcn.data.split import Split
from gcn.linear import polynomial
from gcn.nets import GraphNetwork
from gcn.probe import response
from gcn.train import evaluate
from polyfilter import factorize
from polyfilter.spectrum import Eigenbasis, eigenbasis, eigenvalue_tolerance, filter_dense, fourier

__all__ = ["KINDS", "collect", "draw", "levels", "table"]

Floats = NDArray[np.float64]

KINDS = ("vanilla", "gin", "sogcn")
TARGET = "band-pass"
DIGITS = 6
"""Kept of what is only drawn."""
CURVE = np.linspace(-1, 1, 401)
OPERATORS = {"mean": "D⁻¹W", "sum": "W"}
"""What networks propagate by that are no filters of A."""


def levels(basis: Eigenbasis, x: Floats) -> Floats:
    """Return the size of a signal at each frequency, from low to high, of shape (N,).

    It is the root mean square of the coefficients over each eigenspace.

    Examples
    --------
    >>> from polyfilter.graphs import Graph
    >>> star = eigenbasis(Graph.from_edges([(0, 1), (0, 2), (0, 3)]))  # eigenvalues 1, 0, 0, -1
    >>> levels(star, np.array([0.0, 3.0, 0.0, -3.0])).round(9)
    array([0., 3., 3., 0.])
    """
    starts = np.flatnonzero(
        np.append(True, np.diff(basis.values) > eigenvalue_tolerance(len(basis.values)))
    )
    counts = np.diff(starts, append=len(basis.values))
    squares = np.add.reduceat(fourier(basis, x) ** 2, starts) / counts
    sizes: Floats = np.repeat(np.sqrt(squares), counts)[::-1]
    return sizes


def collect(
    runs: Path | None = RUNS,
    store: Path = STORE,
    *,
    data: Path | None = None,
    graph: int = 0,
    seed: int = 0,
    graphs: tuple[int, int, int] = sgs.SIZES,
) -> dict[str, Any]:
    """Return all that the picture shows.

    Parameters
    ----------
    runs
        Folder of weights; None has none.
    store
        Folder of results.
    data
        Folder of the SGS files, ``runs/data`` by default; without either they are not kept.
    graph
        The number of the test graph.
    seed
        Of the runs.
    graphs
        How many the runs were trained, validated and tested on.
    """
    home = data or (runs and runs / "data")
    test = sgs.obtain(home, TARGET, "test", count=graphs[2], show=False)
    train = sgs.obtain(home, TARGET, "train", count=graphs[0], show=False)
    basis = eigenbasis(test.graphs[graph])
    x = test.x[test.node_ptr[graph] : test.node_ptr[graph + 1]]
    networks: dict[str, Any] = {}
    for kind in KINDS:
        case = Case(kind, TARGET, "published", seed=seed, graphs=graphs)
        found = None if runs is None else trained(case, runs, store)
        networks[kind] = (
            NOT_RUN
            if found is None
            else {**found.to_dict(), **_shown(found.network, test, graph, basis)}
        )
    net = bridge.network(factorize(fitted(train).polynomial))
    networks["analytic"] = {
        "parameters": net.num_parameters,
        "test": evaluate(net, test.collection(), "mae").metric,
        **_shown(net, test, graph, basis),
    }
    return {
        "graph": {
            "number": graph,
            "nodes": test.graphs[graph].num_nodes,
            "edges": test.graphs[graph].num_edges,
        },
        "eigenvalues": _short(basis.values[::-1]),
        "input": _short(levels(basis, x)),
        "targets": {
            name: _short(levels(basis, filter_dense(basis, f, x)))
            for name, f in sgs.TARGETS.items()
        },
        "networks": networks,
    }


def _shown(net: GraphNetwork, test: Split, graph: int, basis: Eigenbasis) -> dict[str, Any]:
    """What a network makes of the signal on one graph, and of each frequency."""
    operator = net.operator
    assert operator is not None  # all layers are ours
    batch = test.collection(operator=operator).batch(torch.tensor([graph]))
    with torch.no_grad():
        output = net.eval()(batch.x, batch.prepared)
    probed = response(net, test.graphs[graph], progress=False)
    shown = {
        "operator": operator,
        "here": float((output - batch.y).abs().mean()),
        "output": _short(levels(basis, output[:, 0].double().numpy())),
        "eigenvalues": _short(probed.eigenvalues),
        "response": _short(probed.values),
        "not_filter": probed.not_filter,
        "offset": probed.offset,
    }
    if operator == "symmetric":  # then it is the response on every graph
        shown["curve"] = _short(polynomial(net)(CURVE)[:, 0, 0])
    return shown


def _short(values: Floats) -> list[float]:
    return [float(f"{value:.{DIGITS}g}") for value in values]


# ------------------------------------------------------------------------ table and picture


def table(figures: dict[str, Any]) -> Table:
    """Return a row for each network."""
    rows = [
        [WORDS[kind], *[NOT_RUN] * 6]
        if found == NOT_RUN
        else [
            WORDS[kind],
            f"{found['parameters']:,}",
            epochs(found),
            f"{found['test']:.4f}",
            f"{found['here']:.4f}",
            f"{found['not_filter']:.1e}",
            f"{found['offset']:.1e}",
        ]
        for kind, found in figures["networks"].items()
    ]
    header = ["network", "numbers", "epochs", "test MAE", "here", "no filter", "offset"]
    return Table(
        header,
        rows,
        "Trained on band-pass as published; † did not converge. Here: on the graph that is drawn. "
        "No filter: the share of the network that no filter of A has.",
    )


def draw(figures: dict[str, Any]) -> Figure:
    """Draw three rows: the data, the outputs beside the truth, and the responses."""
    picture = Figure(figsize=(13.0, 8.4), dpi=150, layout="constrained")
    rows = picture.subplots(3, 4)
    headline(picture, f"A signal on {figures['graph']['nodes']} nodes, frequency by frequency")
    for axes, name in zip(rows[0], ("input", *sgs.TARGETS), strict=True):
        _data(axes, name, figures)
    for column, (kind, found) in enumerate(figures["networks"].items()):
        _output(rows[1, column], kind, found, figures)
        _response(rows[2, column], kind, found)
    for row, label in zip(rows, ("size in the spectrum",) * 2 + ("response h(λ)",), strict=True):
        row[0].set_ylabel(label, fontsize=11)
    if any(found != NOT_RUN and "†" in epochs(found) for found in figures["networks"].values()):
        footnote(picture, "† did not converge")
    return picture


def _data(axes: Axes, name: str, figures: dict[str, Any]) -> None:
    tidy(axes, "input" if name == "input" else f"{name} target")
    values = figures["input"]
    numbers = np.arange(len(values))
    axes.fill_between(numbers, values, color=GREY, alpha=0.2, linewidth=0, step="mid")
    shown = values if name == "input" else figures["targets"][name]
    axes.step(numbers, shown, where="mid", color=GREY if name == "input" else BLACK, linewidth=1.5)
    _numbered(axes, figures)


def _output(axes: Axes, kind: str, found: Any, figures: dict[str, Any]) -> None:
    tidy(axes)
    truth = figures["targets"][TARGET]
    numbers = np.arange(len(truth))
    axes.fill_between(numbers, truth, color=BLACK, alpha=0.22, linewidth=0, step="mid")
    _numbered(axes, figures)
    title = WORDS[kind]
    if found == NOT_RUN:
        absent(axes)
    else:
        colour = NETWORKS[kind]
        axes.step(numbers, found["output"], where="mid", color=colour, linewidth=1.8)
        if kind != "analytic":
            title += f": {found['parameters']:,} numbers, {epochs(found)} epochs"
        title += f"\ntest MAE {found['test']:.3f}, here {found['here']:.3f}"
    axes.set_title(title, loc="left", fontsize=11)


def _response(axes: Axes, kind: str, found: Any) -> None:
    tidy(axes)
    axes.fill_between(CURVE, sgs.TARGETS[TARGET](CURVE), color=BLACK, alpha=0.22, linewidth=0)
    axes.set_xlim(1, -1)  # low frequencies at the left, as above
    axes.set_ylim(-0.35, 1.25)
    axes.set_xlabel("eigenvalue λ", fontsize=10)
    if found == NOT_RUN:
        absent(axes)
        return
    colour = NETWORKS[kind]
    if "curve" in found:
        axes.plot(CURVE, found["curve"], color=colour, linewidth=1.6)
    axes.plot(
        found["eigenvalues"], found["response"], color=colour, linestyle="", marker=".", alpha=0.8
    )
    words = "a filter of A"
    if "curve" not in found:
        by = OPERATORS[found["operator"]]
        words = f"propagates by {by}: {found['not_filter']:.0%} of it no filter"
    axes.set_title(words, loc="left", fontsize=10, color=GREY)


def _numbered(axes: Axes, figures: dict[str, Any]) -> None:
    count = len(figures["eigenvalues"])
    axes.set_xlim(0, count - 1)
    axes.set_ylim(0, 1.1 * max(figures["input"]))
    axes.set_xlabel("low  ←  frequency  →  high", fontsize=10)
