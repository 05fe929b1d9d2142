"""Calls in processes of their own, so that one which dies takes nothing with it.

The map is ``function, items -> events``: :func:`apart` calls a picklable function on each item in
one of several processes and tells what happens as it happens: a call has :class:`Started`, it has
:class:`Finished` with its value, it :class:`Died` because its process did, or nothing happened for
a moment (:class:`Idle`), when a display may want to move.

Assumptions: the function is found by name in a module, since processes are spawned (the same on
every system, and no lock or thread of ours is copied into them); it catches its own exceptions.
Numerical libraries run one thread a process unless the environment says otherwise, so that times
mean something and results don't depend on the number of cores.

>>> events = list(apart(divmod, [(7, 2), (9, 4)], jobs=2))
>>> sorted((event.item, event.value) for event in events if isinstance(event, Finished))
[(0, (3, 1)), (1, (2, 1))]
"""

import os
import signal
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import Any, TypeAlias

__all__ = ["Died", "Event", "Finished", "Idle", "Started", "apart"]

MOMENT = 0.1
"""Seconds without news before an :class:`Idle`."""
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")


@dataclass(frozen=True)
class Started:
    """A call has begun."""

    item: int


@dataclass(frozen=True)
class Finished:
    """A call has returned."""

    item: int
    value: Any


@dataclass(frozen=True)
class Died:
    """The process of a call ended before the call did; a negative code is a signal."""

    item: int
    code: int


@dataclass(frozen=True)
class Idle:
    """Nothing happened."""


Event: TypeAlias = Started | Finished | Died | Idle


def apart(
    function: Callable[..., Any], items: Sequence[tuple[object, ...]], jobs: int
) -> Generator[Event]:
    """Call ``function(*item)`` for each item, at most ``jobs`` at a time, and tell what happens.

    Items are begun in order. When the caller stops listening, what still runs is ended.

    Examples
    --------
    >>> [type(event).__name__ for event in apart(os._exit, [(3,)], jobs=1) if event != Idle()]
    ['Started', 'Died']
    """
    waiting = deque(range(len(items)))
    workers = [_Worker(function) for _ in range(min(jobs, len(items)))]
    try:
        while True:
            for worker in workers:
                if worker.item is None and waiting:
                    worker.begin(waiting[0], items[waiting[0]])
                    yield Started(waiting.popleft())
            busy = {worker.answers: worker for worker in workers if worker.item is not None}
            if not busy:
                return
            ready = wait(list(busy), MOMENT)
            if not ready:
                yield Idle()
            for answers in ready:
                assert isinstance(answers, Connection)
                yield busy[answers].collect()
    finally:
        for worker in workers:
            worker.stop()


class _Worker:
    """A process that answers one call after another, and is replaced when it dies."""

    process: SpawnProcess
    answers: "Connection[Any, Any]"

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self.item: int | None = None
        self._start()

    def _start(self) -> None:
        context = get_context("spawn")
        self.answers, theirs = context.Pipe()
        self.process = context.Process(target=_answer, args=(self._function, theirs))
        with _single_threaded():
            self.process.start()
        theirs.close()  # so that its death is the end of the line

    def begin(self, item: int, arguments: tuple[object, ...]) -> None:
        self.item = item
        self.answers.send(arguments)

    def collect(self) -> Finished | Died:
        assert self.item is not None
        item, self.item = self.item, None
        try:
            return Finished(item, self.answers.recv())
        except (EOFError, ConnectionError):
            self.process.join()
            code = self.process.exitcode or 0
            self._start()
            return Died(item, code)

    def stop(self) -> None:
        if self.item is not None:
            self.process.terminate()
        self.answers.close()  # which an idle one takes for goodbye
        self.process.join()


def _answer(function: Callable[..., Any], questions: "Connection[Any, Any]") -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides what an interruption means
    while True:
        try:
            arguments = questions.recv()
        except EOFError:
            return
        questions.send(function(*arguments))


@contextmanager
def _single_threaded() -> Iterator[None]:
    """Spawned processes inherit the environment of the moment: change it for that moment."""
    missing = [name for name in THREADS if name not in os.environ]
    os.environ.update(dict.fromkeys(missing, "1"))
    try:
        yield
    finally:
        for name in missing:
            del os.environ[name]
