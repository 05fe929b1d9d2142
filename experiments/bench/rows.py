"""What must hold, beside what was measured: one row each.

The map is ``figures -> rows``, for each part of the benchmark. The command prints these rows, and
the pages show them (:mod:`experiments.tables`).

>>> figures = {"float64": {"ratio": 1.1}, "float32": {"ratio": 1.5}}
>>> [(value, holds) for _, value, _, holds, _ in apply_rows(figures)]
[('1.10', True), ('1.50', False)]
"""

from collections.abc import Iterator
from typing import Any

from experiments.bench import (
    applying,
    bridged,
    capacity,
    epoch,
    factorization,
    hop,
    layers,
    scaling,
)
from experiments.bench.edges import size_name

__all__ = [
    "Row",
    "apply_rows",
    "bridge_rows",
    "capacity_rows",
    "epoch_rows",
    "factorization_rows",
    "hop_rows",
    "layers_rows",
    "on_threads",
    "scaling_rows",
]

Row = tuple[str, str, str, bool, bool]
"""What, measured, limit, holds, and whether it is an error bound."""


def factorization_rows(figures: dict[str, Any]) -> Iterator[Row]:
    """One row a must-hold of the factorization."""
    for name in ("float64", "float32", "float32_theta"):
        limits = factorization.LIMITS[name.removesuffix("_theta")]
        for degree, limit in limits.items():
            worst = max(r[name] for r in figures["accuracy"] if r["degree"] == degree)
            what = {"float32_theta": "float32, theta in float32 too"}.get(name, name)
            yield (
                f"relative error, degree {degree}, worst of 3, {what}",
                f"{worst:.1e}",
                f"{limit:.0e}",
                worst <= limit,
                name != "float32_theta",
            )
    speed, limit = figures["speed"], factorization.LIMITS["speedup"]
    for name in ("paper", "steep"):
        value = speed[name]["speedup"]
        what = f"times faster than chebroots at 2048, {name} band-pass"
        yield what, f"{value:.1f}", f"{limit:g}", value >= limit, False
    seconds = speed["deep"]["seconds"]
    limit = factorization.LIMITS["deep_seconds"]
    yield "degree 8192, seconds", f"{seconds:.1f}", f"{limit:g}", seconds <= limit, False


def capacity_rows(figures: dict[str, Any]) -> Iterator[Row]:
    """One row a must-hold of the capacity."""
    titles = {
        "ratio": "exact capacity of 1,000 graphs, times dense eigvalsh",
        "large_seconds": "exact capacity, 20,000 nodes, seconds",
        "large_megabytes": "exact capacity, 20,000 nodes, megabytes",
    }
    for name, limit in capacity.LIMITS.items():
        value = figures[name]
        yield titles[name], f"{value:.1f}", f"{limit:g}", value <= limit, False


def apply_rows(figures: dict[str, Any]) -> Iterator[Row]:
    """One row a must-hold of applying."""
    for name in ("float64", "float32"):
        value, limit = figures[name]["ratio"], applying.LIMITS["ratio"]
        what = f"apply, degree 64, 10M edges, {name}, times bare products"
        yield what, f"{value:.2f}", f"{limit:g}", value <= limit, False


def bridge_rows(figures: dict[str, Any]) -> Iterator[Row]:
    """One row a must-hold of the bridge."""
    for degree, limit in bridged.LIMITS["float32"].items():
        worst = max(row["float32"] for row in figures["bridge"] if row["degree"] == degree)
        what = f"network of a stack, degree {degree}, float32, relative error"
        yield what, f"{worst:.1e}", f"{limit:.0e}", worst <= limit, True


def hop_rows(figures: dict[str, Any]) -> Iterator[Row]:
    """One row for the default kernel of the CPU."""
    limit = hop.LIMITS["fused_ahead"]
    for name in ("spmm", "scatter"):
        least = min(row["ratio"][name] for row in figures["rows"])
        what = f"one hop, fused times faster than {name}, least of 4 sizes"
        yield what, f"{least:.1f}", f"{limit:g}", least >= limit, False


def layers_rows(figures: dict[str, Any]) -> Iterator[Row]:
    """Rows for the second-order layer."""
    limits = layers.LIMITS
    for run in figures["runs"]:
        for row in run["rows"]:
            where = f"{size_name(row['nodes'], row['edges'], row['channels'])}"
            value = row["speedup"]["edges"]
            what = f"SoGConv times faster than TAGConv, {where}, {on_threads(run['threads'])}"
            yield what, f"{value:.1f}", f"{limits['speedup']:g}", value >= limits["speedup"], False
    for row in figures["runs"][0]["rows"]:  # memory is the same on any number of threads
        where = f"{size_name(row['nodes'], row['edges'], row['channels'])}"
        value = row["memory"]["edges"]
        what = f"peak memory of SoGConv over TAGConv's, {where}"
        yield what, f"{value:.2f}", f"{limits['memory']:g}", value < limits["memory"], False
    worst = max(
        row["difference"] / row["rounding"] for run in figures["runs"] for row in run["rows"]
    )
    yield "SoGConv and TAGConv apart, over float32 rounding", f"{worst:.2f}", "1", worst <= 1, True


def epoch_rows(figures: dict[str, Any]) -> Iterator[Row]:
    """Rows for the training epoch."""
    limit = epoch.LIMITS["speedup"]
    for run in figures["runs"]:
        for name, how in (("epoch", ""), ("epoch_prepared", " given normalized edges")):
            value = run["speedup"][name]
            what = f"SGS training epoch, times faster than PyG{how}, {on_threads(run['threads'])}"
            yield what, f"{value:.1f}", f"{limit:g}", value >= limit, False
    names = ("difference", "difference_gradients")
    worst = max(run[name] / run["rounding"] for run in figures["runs"] for name in names)
    yield (
        "SGS network and PyG's apart, over float32 rounding",
        f"{worst:.2f}",
        "1",
        worst <= 1,
        True,
    )


def scaling_rows(figures: dict[str, Any]) -> Iterator[Row]:
    """Rows for growth with edges and order."""
    low, high = scaling.LIMITS["slope"]
    value = figures["slope"]
    what = "layer, 10k to 10M edges, slope of log time"
    yield what, f"{value:.2f}", f"{low:g} to {high:g}", low <= value <= high, False
    limit, orders = scaling.LIMITS["order"], figures["orders"]
    for name, hops in scaling.ORDERS.items():
        if name != "vanilla":
            ratio = orders[name] / orders["vanilla"]
            off = abs(ratio / hops - 1)
            what = f"layer, {name}, time over vanilla's ({hops} hops)"
            yield what, f"{ratio:.1f}", f"{hops} ± {limit:.0%}", off <= limit, False


def on_threads(threads: int) -> str:
    """Return a number of threads in words.

    >>> on_threads(1), on_threads(2)
    ('1 thread', '2 threads')
    """
    return f"{threads} thread{'' if threads == 1 else 's'}"
