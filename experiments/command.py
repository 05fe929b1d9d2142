r"""The command ``python -m experiments``.

The map is ``words -> exit status``: 0 if all is well, 1 for a mistake in the input or a training
that failed, 2 for a mistake in the words, 130 for Ctrl-C, 141 for a reader that has gone away.
Every mistake is one line on stderr; a traceback always means a bug of ours.

``benchmarks`` has a command line of its own, in :mod:`experiments.benchmarks`. Every other
experiment is a module of :mod:`experiments.sgs`. If it has ``cases``, those are trained by a
sweep. Its ``collect`` makes figures of what is there, naming what it wants to know (``records``,
``runs``, ``seeds``, ...), its ``table`` prints them, if it has one, and its ``draw`` draws them.

Assumptions: none.

>>> main(["--help"])
usage: python -m experiments ...
0
"""

import json
import sys
import time
from argparse import Namespace
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from inspect import signature
from pathlib import Path
from types import ModuleType
from typing import Any

from experiments.arguments import COMMANDS, parse
from experiments.engines import open_engine
from experiments.record import IMAGES, RESULTS, origin
from experiments.sgs.case import Case
from experiments.sgs.runs import RUNS, STORE, keep, record_of, train
from experiments.sweep import sweep
from polyfilter.files import atomic_write
from polyfilter.usage import MISTAKE, SUCCESS, UsageError, exit_status, printable

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status; ``argv`` is that of the process by default."""
    words = list(sys.argv[1:] if argv is None else argv)
    # at a Ctrl-C, what is finished is kept, and what is not has its checkpoint
    return exit_status("experiments", lambda: _dispatch(words))


def _dispatch(words: list[str]) -> int:
    if words and words[0] in COMMANDS:
        status: int = import_module(COMMANDS[words[0]]).run(words[1:])
        return status
    return _run(parse(words))


def _run(arguments: Namespace) -> int:
    start = time.perf_counter()
    name = arguments.experiment
    module = import_module(f"experiments.sgs.{name}")
    runs = (arguments.runs or RUNS).resolve()
    folder = runs / "quick" if arguments.quick else None
    store = STORE if folder is None else folder
    data = (arguments.data or runs / "data").resolve()
    cases = _cases(module, arguments)
    work = partial(train, runs=runs, store=store, data=data, progress=False)
    failed = 0 if arguments.collect_only else _train(cases, work, store, arguments)
    known = {
        "records": [record for case in cases if (record := record_of(case, store)) is not None],
        "runs": runs,
        "store": store,
        "data": data,
        "seeds": arguments.seeds,
        "seed": arguments.seeds[0],
    }
    if arguments.targets:
        known["targets"] = arguments.targets
    wanted = signature(module.collect).parameters
    figures = module.collect(**{word: known[word] for word in wanted if word in known})
    seconds = figures.get("run_seconds", time.perf_counter() - start)
    document = {"provenance": origin(arguments.seeds[0], seconds), **figures}
    text = json.dumps(document, indent=1, ensure_ascii=False)
    paths = [(folder or RESULTS) / f"{name}.json", (folder or IMAGES) / f"{name}.png"]
    for path in paths:
        path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(paths[0]) as stream:
        stream.write(text.encode() + b"\n")
    with atomic_write(paths[1]) as stream:
        module.draw(figures).savefig(stream, format="png")
    if arguments.json:
        print(printable(text))
    else:
        _tell(module, figures, paths)
    return MISTAKE if failed else SUCCESS


def _cases(module: ModuleType, arguments: Namespace) -> list[Case]:
    """Return what is to be trained; experiments that look at others' trainings have none."""
    if not hasattr(module, "cases"):
        if arguments.quick:
            raise UsageError(f"{arguments.experiment} trains nothing, so nothing of it is quicker")
        return []
    cases: list[Case] = module.cases(arguments.quick, arguments.seeds)
    wanted = arguments.targets
    return [case for case in cases if wanted is None or case.target in wanted]


def _train(
    cases: list[Case], work: Callable[[Case], dict[str, Any]], store: Path, arguments: Namespace
) -> int:
    """Train what is not trained yet and return how many trainings failed."""
    engine = open_engine(arguments.engine, arguments.jobs, arguments.scheduler)
    if not cases:
        return 0
    outcome = sweep(
        cases,
        work,
        engine,
        done=lambda case: record_of(case, store) is not None,
        keep=partial(keep, store=store),
    )
    print(outcome, file=sys.stderr)
    return len(outcome.failed)


def _tell(module: ModuleType, figures: dict[str, Any], paths: Sequence[Path]) -> None:
    if hasattr(module, "table"):
        print(printable(module.table(figures)))
    print(f"\nwritten: {', '.join(map(str, paths))}")
