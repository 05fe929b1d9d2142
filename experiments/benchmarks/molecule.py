r"""The paper's spectrum picture of a ZINC molecule: what reaches the readout, by frequency.

The question is what trained networks leave of each frequency. The map is
``weights -> spectra of the last layer``: with the eigenvectors U of A on a test molecule and the
activations X that are read out, :math:`S = U^\top X`, a curve for each channel.

1. In an eigenspace of several dimensions a basis is arbitrary, and so is the sign of an
   eigenvector. Drawn is the root mean square over each eigenspace
   (:func:`experiments.sgs.spectra.levels`), relative to the largest of the network.
2. One molecule is an anecdote. Beside it stand two shares of the energy over all test molecules:
   that of the constant component (λ = 1, which the paper calls DC), and that of high frequencies
   (λ < 0). The paper says that second-order layers extract high frequencies and that GRU cancels
   the dominance of DC.

Written to ``results/molecule.json``, with all that the picture shows. Needs the weights of finished
runs in ``--runs``.

>>> print(table({"networks": {"sogcn": "not run"}}))
network  parameters  epochs   test MAE  at λ = 1  at λ < 0
SoGCN    not run     not run  not run   not run   not run
...
"""

import argparse
import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray
from torch import Tensor, nn

from experiments.benchmarks.pictures import colour
from experiments.benchmarks.runs import RUNS, STORE, load, record_of
from experiments.benchmarks.sizes import case_of
from experiments.benchmarks.tables import title
from experiments.canvas import absent, footnote, headline, tidy
from experiments.cells import NOT_RUN, Table
from experiments.record import write
from experiments.sgs.spectra import levels
from experiments.sgs.trained import epochs
from gcn import zoo
from gcn.data.collection import Batch
from gcn.data.dataset import Part
from gcn.nets import GraphNetwork
from gcn.train import load_weights
from polyfilter.spectrum import Eigenbasis, eigenbasis, eigenvalue_tolerance, fourier
from polyfilter.usage import Parser, printable

__all__ = ["NETWORKS", "activations", "collect", "draw", "run", "shares", "table"]

Floats = NDArray[np.float64]

NAME = "molecule"
NETWORKS = ("vanilla", "sogcn", "vanilla-gru", "sogcn-gru")
DIGITS = 4
"""Kept of what is only drawn."""


def run(words: Sequence[str]) -> int:
    """Collect what the picture shows, and print the table."""
    parser = Parser(
        prog="python -m experiments molecule",
        description="Spectra of what trained networks read out of a ZINC molecule.",
        epilog="The picture is drawn by python -m experiments report.",
    )
    parser.add_argument("--data", type=Path, metavar="DIR", help="data sets; default: RUNS/data")
    parser.add_argument("--runs", type=Path, metavar="DIR", help="weights; default: runs")
    parser.add_argument("--graph", type=int, default=0, metavar="N", help="test molecule; 0")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of the runs; default: 0")
    parser.add_argument("--json", action="store_true", help="print the figures as one JSON object")
    arguments: argparse.Namespace = parser.parse_args(words)
    runs = (arguments.runs or RUNS).resolve()
    data = (arguments.data or runs / "data").resolve()
    start = time.perf_counter()
    figures = collect(runs, STORE, data, graph=arguments.graph, seed=arguments.seed)
    write(NAME, figures, arguments.seed, time.perf_counter() - start)
    print(json.dumps(figures) if arguments.json else printable(table(figures)))
    return 0


def collect(
    runs: Path, store: Path, data: Path | None, *, graph: int = 0, seed: int = 0
) -> dict[str, Any]:
    """Return all that the picture shows.

    Parameters
    ----------
    runs, store
        Folders of weights and of results.
    data
        Folder of data sets.
    graph
        The number of the test molecule.
    seed
        Of the runs.
    """
    part = load(case_of("zinc", "sogcn"), data).test
    graphs = part.graphs()
    basis = eigenbasis(graphs[graph])
    networks: dict[str, Any] = {}
    for network in NETWORKS:
        case = case_of("zinc", network, seed)
        record, weights = record_of(case, store), runs / case.name / "best.pt"
        if record is None or not weights.exists():
            networks[network] = NOT_RUN
            continue
        net = case.network(load(case, data).task)
        load_weights(weights, net)
        assert isinstance(net, GraphNetwork)
        signals = _split(part, activations(net, _whole(part, zoo.MODELS[case.model].operator)))
        drawn = np.stack([levels(basis, column) for column in signals[graph].T])
        constant, high = _mean_shares(map(eigenbasis, graphs), signals)
        networks[network] = {
            "parameters": record["parameters"],
            "epochs": record["run"]["epochs"],
            "converged": record["run"]["converged"],
            "test": record["run"]["test_metric"],
            "constant": constant,
            "high": high,
            "levels": [[float(f"{v:.{DIGITS}g}") for v in row] for row in drawn],
        }
    return {
        "graph": {"number": graph, "nodes": graphs[graph].num_nodes},
        "eigenvalues": [float(f"{v:.{DIGITS}g}") for v in basis.values[::-1]],
        "networks": networks,
    }


def _whole(part: Part, operator: str) -> Batch:
    collection = part.collection(operator=operator)
    return collection.batch(torch.arange(collection.num_graphs))


def _split(part: Part, signals: Floats) -> list[Floats]:
    return np.split(signals, part.node_ptr[1:-1])


def activations(net: GraphNetwork, batch: Batch) -> Floats:
    """Return what a network reads out: the signal after its last layer, and its GRU if it has one.

    Parameters
    ----------
    net
        The network, with its weights.
    batch
        Graphs, prepared as it wants them.
    """
    kept: list[Tensor] = []

    def keep(module: nn.Module, inputs: tuple[Any, ...], output: Tensor) -> None:
        kept.append(output)

    last: nn.Module = net.layers[-1] if net.gru is None else net.gru
    handle = last.register_forward_hook(keep)
    try:
        with torch.inference_mode():
            net.eval()(batch.x, batch.prepared, batch.graph, edge_attr=batch.edge_attr)
    finally:
        handle.remove()
    signal: Floats = kept[-1].double().numpy()
    return signal


def shares(basis: Eigenbasis, x: Floats) -> tuple[float, float]:
    """Return how much of the energy of signals lies at λ = 1, and how much at λ < 0.

    Examples
    --------
    >>> from polyfilter.graphs import Graph
    >>> edge = eigenbasis(Graph.from_edges([(0, 1)]))  # eigenvalues -1 and 1
    >>> tuple(round(share, 9) for share in shares(edge, np.array([[3.0], [1.0]])))
    (0.8, 0.2)
    """
    energy = (fourier(basis, x) ** 2).sum(axis=1)
    near = eigenvalue_tolerance(len(basis.values))
    total = float(energy.sum())
    if total == 0:
        return 0.0, 0.0
    at_one, below = basis.values > 1 - near, basis.values < -near
    return float(energy[at_one].sum() / total), float(energy[below].sum() / total)


def _mean_shares(bases: Any, signals: Sequence[Floats]) -> tuple[float, float]:
    pairs = [shares(basis, x) for basis, x in zip(bases, signals, strict=True)]
    constant, high = np.mean(pairs, axis=0)
    return float(constant), float(high)


# ------------------------------------------------------------------------ table and picture


def table(figures: dict[str, Any]) -> Table:
    """Return a row for each network."""
    rows = [
        [title(network), *[NOT_RUN] * 5]
        if found == NOT_RUN
        else [
            title(network),
            f"{found['parameters']:,}",
            epochs(found),
            f"{found['test']:.3f}",
            f"{found['constant']:.1%}",
            f"{found['high']:.1%}",
        ]
        for network, found in figures["networks"].items()
    ]
    return Table(
        ["network", "parameters", "epochs", "test MAE", "at λ = 1", "at λ < 0"],
        rows,
        "ZINC. Shares of the energy that is read out, the mean over all test molecules; † did not "
        "converge.",
    )


def draw(figures: dict[str, Any]) -> Figure:
    """Draw a panel for each network, a curve for each channel."""
    picture = Figure(figsize=(13.0, 3.9), dpi=150, layout="constrained")
    panels = picture.subplots(1, len(figures["networks"]), sharey=True)
    nodes, number = figures["graph"]["nodes"], figures["graph"]["number"]
    headline(picture, f"What is read out of ZINC's test molecule {number}, of {nodes} atoms")
    for axes, (network, found) in zip(panels, figures["networks"].items(), strict=True):
        _panel(tidy(axes), network, found, nodes)
    panels[0].set_ylabel("size in the spectrum, each channel", fontsize=11)
    if any(found != NOT_RUN and not found["converged"] for found in figures["networks"].values()):
        footnote(picture, "† did not converge")
    return picture


def _panel(axes: Axes, network: str, found: Any, nodes: int) -> None:
    words = title(network)
    axes.set_xlim(0, nodes - 1)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_xlabel("low  ←  frequency  →  high", fontsize=10)
    if found == NOT_RUN:
        absent(axes)
    else:
        sizes = np.array(found["levels"])
        sizes /= max(sizes.max(), np.finfo(float).tiny)
        axes.plot(np.arange(nodes), sizes.T, color=colour(network), linewidth=0.6, alpha=0.35)
        rms = np.sqrt((sizes**2).mean(axis=0))
        axes.plot(np.arange(nodes), rms, color="black", linewidth=1.4)
        mark = "" if found["converged"] else " †"
        words += f": MAE {found['test']:.3f}, {found['epochs']} epochs{mark}\n"
        words += f"all molecules: {found['constant']:.0%} at λ = 1, {found['high']:.0%} at λ < 0"
    axes.set_title(words, loc="left", fontsize=10)
