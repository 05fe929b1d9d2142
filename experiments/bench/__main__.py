"""Measure everything that must hold, print it beside its limit, and keep it as a result file.

    python -m experiments.bench [PART ...] [--seed N]

Parts are accuracy, capacity, apply (of filters) and bridge, hop, layers, epoch, scaling (of
networks); all by default.

Timings are ratios of one run. The exit code is 1 if an error bound is missed; a missed time is
printed as missed but is no failure, since machines differ and are noisy.
"""

import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

from experiments import record
from experiments.bench import (
    applying,
    bridged,
    capacity,
    epoch,
    factorization,
    hop,
    layers,
    rows,
    scaling,
)
from polyfilter.usage import EXIT_STATUS, Parser, exit_status

Part = tuple[Callable[[int], dict[str, Any]], Callable[[dict[str, Any]], Iterator[rows.Row]]]
PARTS: dict[str, Part] = {
    "accuracy": (factorization.run, rows.factorization_rows),
    "capacity": (capacity.run, rows.capacity_rows),
    "apply": (applying.run, rows.apply_rows),
    "bridge": (bridged.run, rows.bridge_rows),
    "hop": (hop.run, rows.hop_rows),
    "layers": (layers.run, rows.layers_rows),
    "epoch": (epoch.run, rows.epoch_rows),
    "scaling": (scaling.run, rows.scaling_rows),
}
"""What to run, and what to say about it."""


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
    """Run the parts that were asked for, and return 1 if an error bound is missed."""
    return exit_status("experiments.bench", _run)


def _run() -> int:
    parser = Parser(prog="python -m experiments.bench", description=__doc__, epilog=EXIT_STATUS)
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], help="default: all")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    held: list[rows.Row] = []
    for part in options.parts or PARTS:
        print(f"{part} ...", flush=True)
        start = time.perf_counter()
        run, rows_of = PARTS[part]
        figures = run(options.seed)
        if part == "accuracy":
            print(*peer_table(figures), sep="\n")
        held += rows_of(figures)
        seconds = time.perf_counter() - start
        path = record.write(f"bench_{part}", figures, options.seed, seconds)
        print(f"  {seconds:.0f} s, {path.name}", flush=True)
        if part == "scaling":
            scaling.draw(figures)
    print()
    for what, value, limit, holds, _ in held:
        print(f"{'holds ' if holds else 'MISSED'} {what:80} {value:>9}  (limit {limit})")
    return int(any(bound and not holds for _, _, _, holds, bound in held))


if __name__ == "__main__":
    sys.exit(main())
