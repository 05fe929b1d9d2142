"""Tables of README and docs, rendered from result files and never typed.

    python -m experiments.tables            rewrite every table between its markers
    python -m experiments.tables --check    exit 1 if a page does not show its results

A page holds ``<!-- table: NAME -->`` and ``<!-- end -->``; what stands between them is replaced by
what the function NAME of this file makes of the committed results.

>>> sorted(TABLES)
['accuracy', 'architectures', 'benchmark_ablation', ..., 'epochs', 'hops', 'layers', 'limits',
 'needed', 'network_limits', 'network_provenance', 'newcomer', 'orders', 'peers', 'provenance',
 'scaling', 'sgs_analytic', 'sgs_depth', 'sgs_hops', 'sgs_lss', 'sgs_spectra', 'sgs_table',
 'sgs_warm', 'verdicts']
"""

import argparse
import json
import re
import sys
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from experiments import newcomer, theory
from experiments.bench import rows, scaling
from experiments.bench.edges import size_name
from experiments.record import RESULTS
from polyfilter.files import atomic_write

__all__ = ["TABLES", "load", "pages", "render", "rewrite"]

ROOT = RESULTS.parents[1]
MARK = re.compile(r"(<!-- table: (?P<name>[a-z_]+) -->\n).*?(<!-- end -->)", re.DOTALL)


def load(name: str) -> dict[str, Any]:
    """Read one result file."""
    document: dict[str, Any] = json.loads((RESULTS / f"{name}.json").read_text())
    return document


def markdown(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def short(value: float | str | None) -> str:
    """Two digits, and words for what is not a number."""
    if value is None:
        return "overflow"
    return value if isinstance(value, str) else f"{value:.1e}"


def limits() -> str:
    """Everything that must hold of filters, with what was measured."""
    return _held(
        [
            *rows.factorization_rows(load("bench_accuracy")),
            *rows.capacity_rows(load("bench_capacity")),
            *rows.apply_rows(load("bench_apply")),
        ]
    )


def network_limits() -> str:
    """Everything that must hold of networks, with what was measured."""
    return _held(
        [
            *rows.bridge_rows(load("bench_bridge")),
            *rows.hop_rows(load("bench_hop")),
            *rows.layers_rows(load("bench_layers")),
            *rows.epoch_rows(load("bench_epoch")),
            *rows.scaling_rows(load("bench_scaling")),
        ]
    )


def _held(held: Sequence[rows.Row]) -> str:
    body = [[what, value, limit, "yes" if ok else "**no**"] for what, value, limit, ok, _ in held]
    return markdown(["what", "measured", "limit", "holds"], body)


def accuracy() -> str:
    """Error of the paper's responses in both precisions, and what was predicted."""
    header = [
        "response",
        "K",
        "layers",
        "noise gain",
        "sorted by root",
        "float64",
        "float32",
        "predicted",
        "in power form",
    ]
    body = [
        [
            row["response"],
            str(row["degree"]),
            str(row["layers"]),
            f"{row['noise_gain']:.3g}",
            short(row["noise_gain_by_root"]),
            *(short(row[name]) for name in ("float64", "float32", "float32_predicted")),
            short(row["float32_power_form"]),
        ]
        for row in load("bench_accuracy")["accuracy"]
    ]
    return markdown(header, body)


def needed() -> str:
    """The same where every coefficient is needed."""
    header = ["response", "K", "kept", "noise gain", "condition", "float64", "float32"]
    body = [
        [
            row["response"],
            str(row["degree"]),
            str(row["kept_degree"]),
            short(row["noise_gain"]),
            f"{row['condition']:.3g}",
            short(row["float64"]),
            short(row["float32"]),
        ]
        for row in load("bench_accuracy")["needed"]
    ]
    return markdown(header, body)


def peers() -> str:
    """Our float64 error beside that of the usual tools."""
    header = [
        "response",
        "K",
        "`factorize`",
        "`numpy.roots` + `zpk2sos`",
        "`chebroots` + `zpk2sos`",
    ]
    body = [
        [
            row["response"],
            str(row["degree"]),
            short(row["float64"]),
            short(row["numpy_roots_zpk2sos"]),
            short(row["chebroots_zpk2sos"]),
        ]
        for row in load("bench_accuracy")["accuracy"]
        if "chebroots_zpk2sos" in row
    ]
    return markdown(header, body)


def hops() -> str:
    """One hop by each kernel."""
    figures = load("bench_hop")
    threads = rows.on_threads(figures["threads"])
    header = ["nodes, edges, channels", f"`fused`, ms on {threads}", "`spmm`", "`scatter`"]
    body = [
        [
            size_name(row["nodes"], row["edges"], row["channels"]),
            milliseconds(row["seconds"]["fused"]),
            *(f"{row['ratio'][name]:.1f} times that" for name in ("spmm", "scatter")),
        ]
        for row in figures["rows"]
    ]
    return markdown(header, body)


def layers() -> str:
    """One second-order layer beside PyG's."""
    header = [
        "size",
        "threads",
        "`SoGConv`, ms",
        "`TAGConv`, edges",
        "`TAGConv`, CSR",
        "memory, MB",
        "edges",
        "CSR",
        "apart",
    ]
    body = [
        [
            size_name(row["nodes"], row["edges"], row["channels"]),
            str(run["threads"]),
            milliseconds(row["seconds"]["ours"]),
            *(f"{row['speedup'][name]:.1f} times" for name in ("edges", "csr")),
            f"{row['bytes']['ours'] / 1e6:.3g}",
            *(f"{1 / row['memory'][name]:.1f} times" for name in ("edges", "csr")),
            short(row["difference"]),
        ]
        for run in load("bench_layers")["runs"]
        for row in run["rows"]
    ]
    return markdown(header, body)


def epochs() -> str:
    """One training epoch beside PyG's."""
    header = ["what", "threads", "ours, s", "PyG, s", "times faster"]
    kinds = (
        ("whole epoch: `gcn.train.fit` against `DataLoader` and loop", "epoch", "written"),
        ("whole epoch, PyG given normalized edges", "epoch", "edges"),
        ("steps alone, batches made before, PyG with edges", "steps", "edges"),
        ("steps alone, batches made before, PyG with CSR", "steps", "csr"),
    )
    body = []
    for run in load("bench_epoch")["runs"]:
        for what, kind, side in kinds:
            mine, other = run["seconds"][f"{kind}_ours"], run["seconds"][f"{kind}_{side}"]
            numbers = [f"{mine:.3f}", f"{other:.3f}", f"{other / mine:.1f}"]
            body.append([what, str(run["threads"]), *numbers])
        without, other = run["seconds"]["steps_without"], run["seconds"]["steps_edges"]
        numbers = [f"{without:.3f}", f"{other:.3f}", f"{other / without:.1f}"]
        body.append(["steps alone, ours without a single edge", str(run["threads"]), *numbers])
    return markdown(header, body)


def scaling_table() -> str:
    """Cost of one layer by edges."""
    figures = load("bench_scaling")
    body = [
        [f"{edges:,}", milliseconds(seconds), f"{1e9 * seconds / edges:.0f}"]
        for edges, seconds in zip(figures["edges"], figures["seconds"], strict=True)
    ]
    return markdown(["edges", "ms", "ns an edge"], body)


def orders() -> str:
    """Time by order, beside hops and the paper's."""
    figures = load("bench_scaling")
    layer, network, paper = figures["orders"], figures["networks"], scaling.PAPER
    expected = {name: scaling.channel_hops(*case) for name, case in scaling.NETWORKS.items()}
    header = [
        "",
        "hops",
        "one layer, measured",
        "hops times channels, Table 3's networks",
        "one step, measured",
        "paper, Time / Ep.",
    ]
    body = [
        [
            name,
            str(hops),
            *(
                f"{times[name] / times['vanilla']:.2f}"
                for times in (layer, expected, network, paper)
            ),
        ]
        for name, hops in scaling.ORDERS.items()
    ]
    return markdown(header, body)


def milliseconds(seconds: float) -> str:
    """Three digits.

    >>> milliseconds(0.0012345)
    '1.23'
    """
    return f"{1e3 * seconds:.3g}" if seconds < 1 else f"{1e3 * seconds:,.0f}"


def provenance() -> str:
    """What was run for the filters, where, and for how long."""
    return _origin(("accuracy", "capacity", "apply"), ("numpy",))


def network_provenance() -> str:
    """What was run for the networks, where, and for how long."""
    return _origin(("bridge", "hop", "layers", "epoch", "scaling"), ("torch", "torch_geometric"))


def _origin(parts: Sequence[str], packages: Sequence[str]) -> str:
    lines = []
    for part in parts:
        p = load(f"bench_{part}")["provenance"]
        known = {name: p["versions"][name] for name in packages if name in p["versions"]}
        versions = "".join(f", {name} {number}" for name, number in known.items())
        lines.append(
            f"- `python -m experiments.bench {part} --seed {p['seed']}`: {p['seconds']:.0f} s on "
            f"{p['machine']}, Python {p['python']}{versions}, commit {p['commit']}"
        )
    return "\n".join(lines)


def theoretical(name: str) -> str:
    """A table that rests on no run."""
    return markdown(*getattr(theory, name)())


def sgs(name: str) -> str:
    """The table of an experiment on SGS, and how it was made."""
    if not (RESULTS / f"{name}.json").exists():
        return f"Not run yet: `python -m experiments {name}`."
    figures = load(name)
    module = import_module(f"experiments.sgs.{name}")  # torch is needed for these alone
    p = figures["provenance"]
    seconds, commits = figures.get("run_seconds"), figures.get("run_commits", [p["commit"]])
    trained = "" if seconds is None else f"{seconds / 3600:.1f} hours of training, "
    return (
        f"{module.table(figures).markdown()}\n\n"
        f"`python -m experiments {name}`: {trained}{p['machine']}, Python {p['python']}, torch "
        f"{p['versions'].get('torch', 'unknown')}, commit {', '.join(commits) or p['commit']}"
    )


def benchmark(name: str) -> str:
    """A table of the benchmarks, from the records of their runs."""
    page = import_module("experiments.benchmarks.pages")  # torch is needed for these alone
    text: str = page.PAGES[name]()
    return text


TABLES: dict[str, Callable[[], str]] = {
    "accuracy": accuracy,
    "architectures": partial(theoretical, "architectures"),
    "benchmark_ablation": partial(benchmark, "ablation"),
    "benchmark_capacity": partial(benchmark, "capacity"),
    "benchmark_cifar": partial(benchmark, "cifar"),
    "benchmark_citation": partial(benchmark, "citation"),
    "benchmark_cluster": partial(benchmark, "cluster"),
    "benchmark_mnist": partial(benchmark, "mnist"),
    "benchmark_molecule": partial(benchmark, "molecule"),
    "benchmark_molecule_picture": partial(benchmark, "molecule_picture"),
    "benchmark_molhiv": partial(benchmark, "molhiv"),
    "benchmark_pattern": partial(benchmark, "pattern"),
    "benchmark_pictures": partial(benchmark, "pictures"),
    "benchmark_proteins": partial(benchmark, "proteins"),
    "benchmark_provenance": partial(benchmark, "provenance"),
    "benchmark_systems": partial(benchmark, "systems"),
    "benchmark_table": partial(benchmark, "table"),
    "benchmark_verdicts": partial(benchmark, "verdicts"),
    "benchmark_zinc": partial(benchmark, "zinc"),
    "epochs": epochs,
    "hops": hops,
    "layers": layers,
    "limits": limits,
    "needed": needed,
    "network_limits": network_limits,
    "network_provenance": network_provenance,
    "newcomer": newcomer.table,
    "orders": orders,
    "peers": peers,
    "provenance": provenance,
    "scaling": scaling_table,
    "sgs_analytic": partial(sgs, "analytic"),
    "sgs_depth": partial(sgs, "depth"),
    "sgs_hops": partial(sgs, "hops"),
    "sgs_lss": partial(sgs, "lss"),
    "sgs_spectra": partial(sgs, "spectra"),
    "sgs_table": partial(sgs, "table2"),
    "sgs_warm": partial(sgs, "warm"),
    "verdicts": partial(theoretical, "verdicts"),
}


def render(text: str) -> str:
    """Return the page with every table as the results have it."""
    return MARK.sub(lambda m: f"{m[1]}{TABLES[m['name']]()}\n{m[3]}", text)


def pages() -> list[Path]:
    """Every page that may hold tables."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def rewrite(check: bool = False) -> list[Path]:
    """Rewrite every page that does not show its results, or only say which those are."""
    stale = []
    for page in pages():
        before = page.read_text()
        after = render(before)
        if after != before:
            stale.append(page)
            if not check:
                with atomic_write(page) as stream:
                    stream.write(after.encode())
    return stale


def main() -> int:
    """Rewrite or check all pages."""
    parser = argparse.ArgumentParser(prog="python -m experiments.tables", description=__doc__)
    parser.add_argument("--check", action="store_true", help="change nothing, exit 1 if stale")
    options = parser.parse_args()
    stale = rewrite(options.check)
    for page in stale:
        print(f"{'stale' if options.check else 'rewritten'}: {page.relative_to(ROOT)}")
    return int(options.check and bool(stale))


if __name__ == "__main__":
    sys.exit(main())
