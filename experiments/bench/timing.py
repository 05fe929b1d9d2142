r"""Clocks, peaks and slopes: what every benchmark of networks measures with.

The maps are

* ``actions -> seconds``: all actions in turns, so that what disturbs the machine disturbs each of
  them, and for each the best turn (:func:`in_turns`);
* ``action -> bytes``: the most that torch has allocated at once while it ran (:func:`peak_bytes`);
* ``(size, seconds) pairs -> slope`` of the line through their logarithms (:func:`slope`).

Assumptions: an action is measured warm, so it is run once before the clock starts.

>>> slope([10, 100, 1000], [0.02, 0.2, 2.0])
1.0
"""

import gc
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["apart", "in_turns", "peak_bytes", "seconds", "slope"]

Action = Callable[[], object]


def seconds(action: Action) -> float:
    """Return the time of one call, or what the call says itself if it gives a number."""
    start = time.perf_counter()
    told = action()
    return told if isinstance(told, float) else time.perf_counter() - start


TURN = 0.05
"""Seconds that a turn should take: an action that is shorter is repeated, as it is in a network."""


def in_turns(actions: Mapping[str, Action], turns: int) -> dict[str, float]:
    """Run all actions once, then in turns, and return the best time of each.

    Garbage is collected between turns and not within. A short action is called several times in its
    turn, and the mean counts: one call alone would measure how cold the caches are.

    Examples
    --------
    >>> sorted(in_turns({"one": lambda: None, "other": lambda: None}, turns=3))
    ['one', 'other']
    """
    calls = {}
    for name, action in actions.items():
        action()
        calls[name] = max(1, math.ceil(TURN / seconds(action)))
    times: dict[str, list[float]] = {name: [] for name in actions}
    was = gc.isenabled()
    gc.disable()
    try:
        for _ in range(turns):
            gc.collect()
            for name, action in actions.items():
                times[name].append(sum(seconds(action) for _ in range(calls[name])) / calls[name])
    finally:
        if was:
            gc.enable()
    return {name: min(column) for name, column in times.items()}


def peak_bytes(action: Action) -> int:
    """Return how many bytes of tensors one call has alive at most, beyond those before it.

    It is torch's own account, the same on every machine and run. What libraries allocate behind
    torch's back is not in it.

    Examples
    --------
    >>> import torch
    >>> peak_bytes(lambda: (torch.empty(1000), torch.empty(500)))
    6000
    """
    from torch.profiler import ProfilerActivity, profile

    action()
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as profiler:
        action()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trace.json"
        profiler.export_chrome_trace(str(path))
        events = json.loads(path.read_text())["traceEvents"]
    changes = [(e["ts"], e["args"]["Bytes"]) for e in events if e["name"] == "[memory]"]
    alive = np.cumsum([0, *(change for _, change in sorted(changes, key=lambda pair: pair[0]))])
    return int(alive.max())


def slope(sizes: Sequence[float], times: Sequence[float]) -> float:
    """Return the slope of the line through (log size, log time), by least squares.

    1 is growth in proportion, 2 growth with the square.

    Examples
    --------
    >>> slope([1, 2, 4], [3.0, 12.0, 48.0])
    2.0
    """
    x, y = np.log(sizes), np.log(times)
    x = x - x.mean()
    return round(float(x @ (y - y.mean()) / (x @ x)), 12)


def apart(module: str, *words: str | int, threads: int = 1) -> dict[str, Any]:
    """Run a benchmark module as a command in a process with so many threads; it prints JSON."""
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    done = subprocess.run(
        [sys.executable, "-m", module, *map(str, words)],
        env={**os.environ, **dict.fromkeys(names, str(threads))},
        cwd=Path(__file__).resolve().parents[2],
        capture_output=True,  # torch's profiler talks to stderr, also when all is well
        text=True,
    )
    if done.returncode:
        sys.stderr.write(done.stderr)
        done.check_returncode()
    figures: dict[str, Any] = json.loads(done.stdout)
    return figures
