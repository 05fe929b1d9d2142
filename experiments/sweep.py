r"""Many cases through any engine: what is finished is kept, and what fails stops nothing else.

The map is ``cases, work -> Outcome``. A case is whatever ``work`` takes; ``done`` says which cases
are finished already, and those are skipped. An engine opens an executor, as
:class:`concurrent.futures.ProcessPoolExecutor` does when it is called, or those of
:mod:`experiments.engines`.

1. Each round opens the engine and hands it every case that is left. What comes back is kept as it
   comes.
2. A case that raises has failed: it is reported, and not tried again.
3. A case whose worker died, or was lost with its scheduler, has shown nothing. It waits for the
   next round, and so behind all that run well. When nothing was finished in ``attempts`` rounds in
   a row, what is left has failed.
4. Ctrl-C cancels what waits, stops what runs (as far as the engine can), and is raised again.

Assumptions: cases are hashable; ``work`` and the cases are picklable if the engine uses processes.

>>> from concurrent.futures import ThreadPoolExecutor
>>> outcome = sweep([1, 2, 0], (12).__truediv__, ThreadPoolExecutor, done=lambda case: case == 1)
>>> outcome.finished, outcome.skipped
({2: 6.0}, (1,))
>>> print(outcome)
1 finished, 1 there already, 1 failed
  0: ZeroDivisionError: division by zero
"""

import sys
from collections.abc import Callable, Hashable, Iterable
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    wait,
)
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Generic, Never, TypeAlias, TypeVar

from tqdm import tqdm

__all__ = ["Engine", "Outcome", "sweep"]

Case = TypeVar("Case", bound=Hashable)
Result = TypeVar("Result")

Engine: TypeAlias = Callable[[], AbstractContextManager[Executor]]
"""Opens an executor; called again when one is broken."""

ATTEMPTS = 3
MOMENT = 0.5
"""Seconds without news before the bar is drawn again."""
SHOWN = 3
"""Names that a bar shows."""


@dataclass
class Outcome(Generic[Case, Result]):
    """What came of a sweep.

    Attributes
    ----------
    finished
        What each case gave that was worked on now.
    skipped
        Cases that were done before.
    failed
        What went wrong with the others, in words.
    """

    finished: dict[Case, Result] = field(default_factory=dict)
    skipped: tuple[Case, ...] = ()
    failed: dict[Case, str] = field(default_factory=dict)

    def __str__(self) -> str:
        counts = [(len(self.finished), "finished"), (len(self.skipped), "there already")]
        counts += [(len(self.failed), "failed")] if self.failed else []
        lines = [", ".join(f"{count} {word}" for count, word in counts)]
        return "\n".join(lines + [f"  {_name(case)}: {why}" for case, why in self.failed.items()])


def sweep(
    cases: Iterable[Case],
    work: Callable[[Case], Result],
    engine: Engine,
    *,
    done: Callable[[Case], bool] = lambda case: False,
    keep: Callable[[Case, Result], object] = lambda case, result: None,
    attempts: int = ATTEMPTS,
    show: bool | None = None,
) -> Outcome[Case, Result]:
    """Work on all cases that are not done, and say what came of them.

    Parameters
    ----------
    cases
        What to work on, in this order. Their ``name``, if they have one, is shown.
    work
        Called with a case, in the engine.
    engine
        Opens an executor.
    done
        Whether a case is finished already.
    keep
        Called here with each case and its result as soon as it comes, for results that were made
        on another machine.
    attempts
        Rounds in a row without a finished case before the sweep gives up.
    show
        Whether to show a bar; by default if stderr is a terminal.

    Examples
    --------
    >>> from concurrent.futures import ThreadPoolExecutor
    >>> sweep(["a", "b"], str.upper, ThreadPoolExecutor).finished
    {'a': 'A', 'b': 'B'}
    """
    wanted = list(dict.fromkeys(cases))
    skipped = tuple(case for case in wanted if done(case))
    left = [case for case in wanted if case not in set(skipped)]
    outcome = Outcome[Case, Result](skipped=skipped)
    idle = 0
    hidden = None if show is None else not show  # None is tqdm's word for "unless a terminal"
    with tqdm(total=len(left), unit="case", file=sys.stderr, disable=hidden, leave=False) as bar:
        while left and idle < attempts:
            before = len(outcome.finished) + len(outcome.failed)
            with engine() as executor:
                left = _round(executor, left, work, outcome, keep, bar)
            idle = 0 if len(outcome.finished) + len(outcome.failed) > before else idle + 1
    outcome.failed |= dict.fromkeys(left, "its worker died again and again")
    return outcome


def _round(
    executor: Executor,
    cases: list[Case],
    work: Callable[[Case], Result],
    outcome: Outcome[Case, Result],
    keep: Callable[[Case, Result], object],
    bar: "tqdm[Never]",
) -> list[Case]:
    """Hand all cases to an executor and return those that were lost."""
    lost: list[Case] = []
    pending: dict[Future[Result], Case] = {}
    try:
        for case in cases:
            try:
                pending[executor.submit(work, case)] = case
            except BrokenExecutor:
                lost.append(case)
        while pending:
            _name_running(bar, pending)
            for future in wait(pending, MOMENT, FIRST_COMPLETED).done:
                case = pending.pop(future)
                try:
                    result = future.result()
                except (BrokenExecutor, CancelledError):
                    lost.append(case)
                    continue
                except Exception as error:
                    outcome.failed[case] = f"{type(error).__name__}: {error}"
                    tqdm.write(f"{_name(case)} failed: {outcome.failed[case]}", file=sys.stderr)
                else:
                    keep(case, result)
                    outcome.finished[case] = result
                bar.update(1)
    except BaseException:  # Ctrl-C, or a full disk below `keep`
        for future in pending:
            future.cancel()
        executor.shutdown(wait=False)
        raise
    return lost


def _name_running(bar: "tqdm[Never]", pending: dict[Future[Result], Case]) -> None:
    """Show what runs; engines that can't tell show what is next."""
    running = [case for future, case in pending.items() if future.running()]
    names = [_name(case) for case in (running or list(pending.values()))[:SHOWN]]
    bar.set_postfix_str(", ".join(names), refresh=True)


def _name(case: object) -> str:
    return str(getattr(case, "name", case))
