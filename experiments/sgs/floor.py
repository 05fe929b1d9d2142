"""The floors that trained networks are drawn above: the best polynomial of each degree.

The map is ``target -> {degree: test MAE}``, read from ``results/analytic.json``, which
``python -m experiments analytic`` writes. Before it was run there are none, and pictures show none.

>>> floors("band-pass", {"targets": {"band-pass": {"floors": {"32": {"test": 0.03}}}}})
{32: 0.03}
>>> floors("band-pass", {})
{}
"""

import json
from typing import Any

from experiments.record import RESULTS

__all__ = ["analytic", "floors"]


def analytic() -> dict[str, Any]:
    """Return the figures of the analytic rows, or nothing if they were not computed."""
    path = RESULTS / "analytic.json"
    if not path.exists():
        return {}
    figures: dict[str, Any] = json.loads(path.read_text())
    return figures


def floors(target: str, figures: dict[str, Any]) -> dict[int, float]:
    """Return the test MAE of the best polynomial of each degree, in the order of degrees."""
    found = figures.get("targets", {}).get(target, {}).get("floors", {})
    return {degree: found[str(degree)]["test"] for degree in sorted(map(int, found))}
