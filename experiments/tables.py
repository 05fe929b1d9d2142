"""Tables of README and docs, rendered from result files and never typed.

    python -m experiments.tables            rewrite every table between its markers
    python -m experiments.tables --check    exit 1 if a page does not show its results

A page holds ``<!-- table: NAME -->`` and ``<!-- end -->``; what stands between them is replaced by
what the function NAME of this file makes of the committed results.

>>> sorted(TABLES)
['accuracy', 'limits', 'needed', 'peers', 'provenance']
"""

import argparse
import json
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from experiments.bench.__main__ import apply_rows, capacity_rows, factorization_rows
from experiments.record import RESULTS
from polyfilter.files import atomic_write

__all__ = ["TABLES", "pages", "render"]

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
    """Everything that must hold, with what was measured."""
    rows = [
        *factorization_rows(load("bench_accuracy")),
        *capacity_rows(load("bench_capacity")),
        *apply_rows(load("bench_apply")),
    ]
    body = [[what, value, limit, "yes" if ok else "**no**"] for what, value, limit, ok, _ in rows]
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


def provenance() -> str:
    """What was run, where, and for how long."""
    lines = []
    for part in ("accuracy", "capacity", "apply"):
        p = load(f"bench_{part}")["provenance"]
        lines.append(
            f"- `python -m experiments.bench {part} --seed {p['seed']}`: {p['seconds']:.0f} s on "
            f"{p['machine']}, Python {p['python']}, numpy {p['versions']['numpy']}, commit "
            f"{p['commit']}"
        )
    return "\n".join(lines)


TABLES: dict[str, Callable[[], str]] = {
    "accuracy": accuracy,
    "limits": limits,
    "needed": needed,
    "peers": peers,
    "provenance": provenance,
}


def render(text: str) -> str:
    """Return the page with every table as the results have it."""
    return MARK.sub(lambda m: f"{m[1]}{TABLES[m['name']]()}\n{m[3]}", text)


def pages() -> list[Path]:
    """Every page that may hold tables."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def main() -> int:
    """Rewrite or check all pages."""
    parser = argparse.ArgumentParser(prog="python -m experiments.tables", description=__doc__)
    parser.add_argument("--check", action="store_true", help="change nothing, exit 1 if stale")
    options = parser.parse_args()
    stale = [page for page in pages() if render(page.read_text()) != page.read_text()]
    for page in stale:
        print(f"{'stale' if options.check else 'rewritten'}: {page.relative_to(ROOT)}")
        if not options.check:
            with atomic_write(page) as stream:
                stream.write(render(page.read_text()).encode())
    return int(options.check and bool(stale))


if __name__ == "__main__":
    sys.exit(main())
