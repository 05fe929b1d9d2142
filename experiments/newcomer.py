"""What a newcomer waits for: the README's two commands, timed by tools/try-as-newcomer.

The map is ``experiments/results/newcomer.json -> table``.

Assumptions: the file is there, or the table says that it was not run.

>>> print(table({}).splitlines()[-1])
| `make test` | not run |
"""

import json
from typing import Any

from experiments.record import RESULTS

__all__ = ["known", "table"]

NAME = "newcomer"
COMMANDS = ("make verify", "make test")


def known() -> dict[str, Any]:
    """Return what was measured; nothing if nothing was.

    Examples
    --------
    >>> set(known()) in (set(), {"provenance", "who", "steps"})
    True
    """
    path = RESULTS / f"{NAME}.json"
    return json.loads(path.read_text()) if path.exists() else {}


def table(found: dict[str, Any] | None = None) -> str:
    """Return the table as Markdown, with where it was measured below it.

    Examples
    --------
    >>> table({}).count("not run")
    2
    """
    found = known() if found is None else found
    seconds = {step["command"]: step["seconds"] for step in found.get("steps", ())}
    rows = [f"| `{name}` | {_time(seconds.get(name))} |" for name in COMMANDS]
    lines = ["| command | from nothing |", "| --- | --- |", *rows]
    if found:
        p = found["provenance"]
        lines += [
            "",
            f"`tools/try-as-newcomer`, as {found['who']} in a fresh clone, installation included: "
            f"{p['machine']}, Python {p['python']}, commit {p['commit']}.",
        ]
    return "\n".join(lines)


def _time(seconds: float | None) -> str:
    if seconds is None:
        return "not run"
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"
