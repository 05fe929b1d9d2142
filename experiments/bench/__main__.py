"""Measure everything that must hold, print it beside its limit, and keep it as a result file.

    python -m experiments.bench [accuracy] [capacity] [apply] [--seed N]

Timings are ratios of one run. The exit code is 1 if an error bound is missed; a missed time is
printed as missed but is no failure, since machines differ and are noisy.
"""

import argparse
import sys
import time
from collections.abc import Iterator
from typing import Any

from experiments import record
from experiments.bench import applying, capacity, factorization

Row = tuple[str, str, str, bool, bool]
"""What, measured, limit, holds, and whether it is an error bound."""

PARTS = ("accuracy", "capacity", "apply")


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


def peer_table(figures: dict[str, Any]) -> Iterator[str]:
    """The errors beside those of the usual tools."""
    yield (
        f"{'response':10} {'K':>5} {'kept':>5} {'gain':>8} {'float64':>8} {'float32':>8} "
        f"{'numpy.roots + zpk2sos':>22} {'chebroots + zpk2sos':>20}"
    )
    for row in figures["accuracy"]:
        peers = []
        for name in ("numpy_roots_zpk2sos", "chebroots_zpk2sos"):
            value = row.get(name, "not run")
            peers.append("overflow" if value is None else value)
        shown = [p if isinstance(p, str) else f"{p:.1e}" for p in peers]
        yield (
            f"{row['response']:10} {row['degree']:>5} {row['kept_degree']:>5} "
            f"{row['noise_gain']:>8.1e} {row['float64']:>8.1e} {row['float32']:>8.1e} "
            f"{shown[0]:>22} {shown[1]:>20}"
        )


def main() -> int:
    """Run the parts that were asked for."""
    parser = argparse.ArgumentParser(prog="python -m experiments.bench", description=__doc__)
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], help="default: all")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    rows: list[Row] = []
    for part in options.parts or PARTS:
        print(f"{part} ...", flush=True)
        start = time.perf_counter()
        if part == "accuracy":
            figures = factorization.run(options.seed)
            print(*peer_table(figures), sep="\n")
            rows += factorization_rows(figures)
        elif part == "capacity":
            figures = capacity.run(options.seed)
            rows += capacity_rows(figures)
        else:
            figures = applying.run(options.seed)
            rows += apply_rows(figures)
        seconds = time.perf_counter() - start
        path = record.write(f"bench_{part}", figures, options.seed, seconds)
        print(f"  {seconds:.0f} s, {path.name}", flush=True)
    print()
    for what, value, limit, holds, _ in rows:
        print(f"{'holds ' if holds else 'MISSED'} {what:66} {value:>9}  (limit {limit})")
    return int(any(bound and not holds for _, _, _, holds, bound in rows))


if __name__ == "__main__":
    sys.exit(main())
