r"""Tables of the benchmarks: ours beside the paper's, and what is not run with its reason.

The map is ``records, sizes -> tables``. A cell prints as

    0.238 ± 0.017 [3: 178-210] †

with the number of seeds and the epochs that were run in brackets, and a dagger if a run did not
converge. Accuracy and ROC-AUC are in percent. A cell that was not run says why.

Assumptions: only runs of the whole data at the size of the paper's table count; others are looks.

>>> print(shown([], "proteins", "sogcn"))
not run: the data can't be had here
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from statistics import fmean
from typing import Any

from experiments.benchmarks.case import Case
from experiments.benchmarks.paper import ABLATION, MOLHIV, PROTEINS, SECONDS, printed
from experiments.benchmarks.sizes import task_of
from experiments.cells import Cell, Table, cells
from gcn import zoo
from gcn.train.objective import METRICS
from gcn.zoo.facts import ABSENT
from polyfilter.graph import count

__all__ = [
    "NO_TIME",
    "REASONS",
    "ablation",
    "detail",
    "find",
    "gathered",
    "is_usual",
    "lower_is_better",
    "metric_name",
    "ogb",
]
__all__ += ["number", "planetoid", "provenance", "shown", "systems", "table3", "title"]

COLUMNS = ("zinc", "mnist", "cifar10", "cifar10-jpeg", "cluster", "pattern")
REASONS = {
    "cifar10": "only a JPEG copy is at hand",
    "proteins": "the data can't be had here",
}
"""Why nothing of a data set was run."""
NO_TIME = "no time"
ROWS = (
    *("vanilla", "vanilla-mean", "vanilla-gru", "vanilla-mean-gru", "gat", "monet", "graphsage"),
    *("gin", "gin-mlp", "gatedgcn", "3wlgnn", "sogcn", "sogcn-gru"),
)
"""Of Table 3. Where a printed row has two readings, both are here."""
ORDERS = ("vanilla", "sogcn", "order-4", "order-6")
LEGEND = "Mean ± standard deviation over seeds [seeds: epochs run]; † a run that did not converge."


def gathered(records: Iterable[dict[str, Any]]) -> list[Cell]:
    """Return a cell for each data set and network, of runs at the size of the paper's table."""
    usual = [record for record in records if is_usual(record)]
    found = cells(usual, apart=("seed", "epochs"))
    for cell in found:
        cell["network"] = f"{cell['model']}-gru" if cell["gru"] else cell["model"]
    return found


def is_usual(record: dict[str, Any]) -> bool:
    """Whether a run was of the whole data, and at the size of the paper's table."""
    case = Case(**record["case"])
    usual = Case(case.dataset, case.model, gru=case.gru, seed=case.seed)
    return replace(case, epochs=usual.epochs) == usual


def find(found: Iterable[Cell], dataset: str, network: str) -> Cell | None:
    """Return the cell of a network on a data set, or None."""
    return next((c for c in found if (c["dataset"], c["network"]) == (dataset, network)), None)


def title(network: str) -> str:
    """Return what tables call a network.

    Examples
    --------
    >>> title("sogcn-gru")
    'SoGCN + GRU'
    """
    words = zoo.MODELS[network.removesuffix("-gru")].title
    return f"{words} + GRU" if network.endswith("-gru") else words


def metric_name(dataset: str) -> str:
    """Return what is compared on a data set.

    Examples
    --------
    >>> metric_name("zinc"), metric_name("cluster")
    ('MAE', 'balanced accuracy, %')
    """
    name = METRICS[task_of(dataset).loss][0]
    return name if name == "MAE" else f"{name}, %"


def lower_is_better(dataset: str) -> bool:
    """Whether the metric of a data set is an error."""
    return metric_name(dataset) == "MAE"


def number(value: float, dataset: str) -> str:
    """Print a metric as the paper does."""
    return f"{value:.3f}" if lower_is_better(dataset) else f"{100 * value:.2f}"


def shown(found: Iterable[Cell], dataset: str, network: str) -> str:
    """Print the cell of a network on a data set, or why there is none."""
    cell = find(found, dataset, network)
    if cell is None:
        model = zoo.MODELS[network.removesuffix("-gru")]
        return f"not run: {model.unfit.get(dataset) or REASONS.get(dataset, NO_TIME)}"
    if cell["mean"] is None:
        return "diverged"
    spread = "" if cell["spread"] is None else f" ± {number(cell['spread'], dataset)}"
    mark = "" if all(cell["converged"]) else " †"
    seeds = len(cell["seeds"])
    return f"{number(cell['mean'], dataset)}{spread} [{seeds}: {_range(cell['run_epochs'])}]{mark}"


def _range(values: Sequence[int]) -> str:
    low, high = min(values), max(values)
    return f"{low}" if low == high else f"{low}-{high}"


def _beside(found: Sequence[Cell], dataset: str, network: str) -> list[str]:
    """Ours and the paper's; CIFAR10-JPEG is other data and has nothing beside it."""
    ours = shown(found, dataset, network)
    return [ours] if dataset == "cifar10-jpeg" else [ours, str(printed(dataset, network) or "")]


def _columns(datasets: Sequence[str]) -> list[str]:
    header = []
    for dataset in datasets:
        header.append(f"{task_of(dataset).title}, {metric_name(dataset)}")
        header += [] if dataset == "cifar10-jpeg" else ["paper"]
    return header


def table3(found: Sequence[Cell]) -> Table:
    """Return Table 3, with a column of its own for CIFAR10-JPEG."""
    rows = [[title(n), *(w for d in COLUMNS for w in _beside(found, d, n))] for n in ROWS]
    return Table(
        ["network", *_columns(COLUMNS)],
        rows,
        f"{LEGEND} ZINC: 16 layers, at most 500,000 parameters; the others: 4 layers, at most "
        "100,000. CIFAR10-JPEG is made of compressed images and can't be compared with CIFAR10.",
    )


def ablation(found: Sequence[Cell]) -> Table:
    """Return the ablation: orders, with and without GRU."""
    columns = ("zinc", "mnist", "cifar10", "cifar10-jpeg")
    networks = [f"{name}{gru}" for gru in ("", "-gru") for name in ORDERS]
    rows = [[title(n), *(w for d in columns for w in _beside(found, d, n))] for n in networks]
    return Table(["network", *_columns(columns)], rows, LEGEND)


def ogb(found: Sequence[Cell], sizes: dict[str, Any], dataset: str) -> Table:
    """Return the table of ogbg-molhiv or of ogbn-proteins."""
    names = list({"molhiv": MOLHIV, "proteins": PROTEINS}[dataset])
    if dataset == "proteins":  # what the release calls GIN there is the layer of first order
        names[names.index("gin")] = "first-order"
    return detail(found, sizes, dataset, names)


def planetoid(found: Sequence[Cell], sizes: dict[str, Any]) -> Table:
    """Return Cora and Citeseer, which the paper has not."""
    names = ("vanilla", "gin", "first-order", "sogcn", "order-4", "order-6", "gat", "gcnii")
    rows = [
        [
            title(name),
            f"{sizes.get('cora', {}).get(name, {}).get('parameters', 0):,}",
            *(shown(found, dataset, name) for dataset in ("cora", "citeseer")),
        ]
        for name in names
    ]
    return Table(
        ["network", "parameters, Cora", "Cora, accuracy, %", "Citeseer, accuracy, %"],
        rows,
        f"{LEGEND} Ours, not the paper's: 2 layers, 64 channels, dropout 0.5.",
    )


def detail(
    found: Sequence[Cell], sizes: dict[str, Any], dataset: str, networks: Sequence[str] = ()
) -> Table:
    """Return all that is known of a data set: a row for each network.

    Parameters
    ----------
    found
        Cells of runs.
    sizes
        What :mod:`experiments.benchmarks.sizes` has counted.
    dataset
        Which.
    networks
        The rows; by default those of Table 3 and the ablation, and what else was run.
    """
    run = [cell["network"] for cell in found if cell["dataset"] == dataset]
    rows = dict.fromkeys([*(networks or (*ROWS, *ABLATION)), *run])
    header = ["network", metric_name(dataset), "paper", "layers × width", "parameters"]
    header += ["s/epoch", "paper, s/epoch", "training, h"]
    if dataset not in SECONDS:
        header.remove("paper, s/epoch")
    body = [_detailed(found, sizes, dataset, name) for name in rows]
    return Table(header, body, f"{LEGEND} Seconds are those of a machine that did other work too.")


def _detailed(
    found: Sequence[Cell], sizes: dict[str, Any], dataset: str, network: str
) -> list[str]:
    cell, size = find(found, dataset, network), sizes.get(dataset, {}).get(network)
    beside = str(printed(dataset, network) or "")
    line = [title(network), shown(found, dataset, network), beside]
    line.append("" if size is None else f"{size['layers']} × {size['width']}")
    weights = cell["parameters"] if cell else None if size is None else size["parameters"]
    line.append("" if weights is None else f"{weights:,}")
    epochs = None if cell is None else sum(cell["run_seconds"]) / sum(cell["run_epochs"])
    line.append("" if epochs is None else f"{epochs:.1f}")
    if dataset in SECONDS:
        name = "gin" if (dataset, network) == ("proteins", "first-order") else network
        theirs = SECONDS[dataset].get(name)
        line.append("" if theirs is None else f"{theirs:.2f}")
    line.append("" if cell is None else f"{fmean(cell['run_seconds']) / 3600:.2f}")
    return line


def systems(found: Sequence[Cell], sizes: dict[str, Any]) -> Table:
    """Return every network with its size on every data set, run or not."""
    names = dict.fromkeys(name for sized in sizes.values() for name in sized)
    rows = [
        [title(name), *(_sized(found, sizes, dataset, name) for dataset in sizes), _note(name)]
        for name in names
    ]
    rows += [
        [f"{absent.title} ({absent.cited})", *[""] * len(sizes), f"not built: {absent.why}"]
        for absent in ABSENT.values()
    ]
    return Table(
        ["network", *(task_of(dataset).title for dataset in sizes), "what it is here"],
        rows,
        "Parameters at the size of the paper's table; bold where it was run.",
    )


def _note(network: str) -> str:
    return "" if network.endswith("-gru") else zoo.MODELS[network].note


def _sized(found: Sequence[Cell], sizes: dict[str, Any], dataset: str, network: str) -> str:
    size = sizes[dataset].get(network)
    if size is None:
        model = zoo.MODELS[network.removesuffix("-gru")]
        return "does not fit" if dataset in model.unfit else ""
    weights = f"{size['parameters']:,}"
    return weights if find(found, dataset, network) is None else f"**{weights}**"


def provenance(records: Sequence[dict[str, Any]]) -> str:
    """Say what was run, where, for how long, and on which data."""
    if not records:
        return "Nothing has been run yet: `python -m experiments benchmarks --help`."
    hours = sum(record["run"]["seconds"] for record in records) / 3600
    made = [record["provenance"] for record in records]
    commits = sorted({each["commit"] for each in made})
    machines = sorted({f"{each['machine']}, Python {each['python']}" for each in made})
    torches = sorted({each["versions"].get("torch", "unknown") for each in made})
    sources = {record["case"]["dataset"]: record["source"] for record in records}
    lines = [
        f"{count(len(records), 'run')}, {hours:.1f} hours of training, on {'; '.join(machines)}, "
        f"torch {', '.join(torches)}, commit {', '.join(commits)}.",
        "",
        *(f"- {task_of(name).title}: {sources[name]}" for name in sorted(sources)),
    ]
    return "\n".join(lines)
