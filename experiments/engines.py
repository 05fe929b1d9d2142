r"""Where a sweep's cases are worked on: processes of this machine, or workers of a dask cluster.

The map is ``name -> engine``, and an engine opens an executor (:mod:`experiments.sweep`):

* ``local``: each case in a process of its own, so many at a time. One that is killed takes no other
  with it, where :class:`concurrent.futures.ProcessPoolExecutor` gives up all at once. Numerical
  libraries run one thread a process.
* ``dask``: whatever workers a dask.distributed scheduler has. dask is imported only then. It gives
  the case of a worker that died to another one by itself.

Assumptions: dask's workers have one thread each, since drawing random weights in two threads of a
process would mix them; the engine refuses others.

>>> with local(jobs=2)() as executor:
...     future = executor.submit(divmod, 7, 2)
...     future.result()
(3, 1)
"""

import os
import pickle
import signal
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing, contextmanager
from threading import Event
from typing import Any, ParamSpec, TypeVar

from experiments.sweep import Engine
from polyfilter.errors import PolyfilterError
from polyfilter.workers import THREADS, Died, Finished, apart

__all__ = ["ENGINES", "Apart", "EngineError", "dask", "local", "open_engine"]

P = ParamSpec("P")
Result = TypeVar("Result")

ENGINES = ("local", "dask")
CONNECT_SECONDS = 10


class EngineError(PolyfilterError):
    """An engine that can't be opened."""


class Apart(Executor):
    """Each call in a process of its own; a call whose process dies raises BrokenProcessPool.

    ``shutdown(wait=False)`` ends the calls that are running.

    Examples
    --------
    >>> with Apart(1) as executor:
    ...     executor.submit(os._exit, 3).exception()
    BrokenProcessPool('its process ended with status 3')
    """

    def __init__(self, jobs: int) -> None:
        self._threads = ThreadPoolExecutor(jobs, "apart")
        self._stopped = Event()

    def submit(
        self, fn: Callable[P, Result], /, *args: P.args, **kwargs: P.kwargs
    ) -> Future[Result]:
        """Call a function, found by its name in a module, in a process of its own."""
        return self._threads.submit(self._call, fn, args, kwargs)

    def _call(
        self, fn: Callable[..., Result], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Result:
        with closing(apart(_outcome, [(fn, args, kwargs)], jobs=1)) as events:
            for event in events:  # closing them ends the process
                if self._stopped.is_set():
                    raise BrokenProcessPool("its process was stopped")
                if isinstance(event, Died):
                    raise BrokenProcessPool(f"its process ended with {_status(event.code)}")
                if isinstance(event, Finished):
                    value, error = event.value
                    if error is not None:
                        raise error
                    result: Result = value
                    return result
        raise AssertionError("a call is finished or dead when there is no more news of it")

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Wait for all calls; or, with ``wait=False``, end them."""
        if not wait:
            self._stopped.set()
        self._threads.shutdown(wait=True, cancel_futures=cancel_futures or not wait)


def _outcome(
    fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Any, Exception | None]:
    """Call a function and return its value, or the exception it raised."""
    signal.signal(signal.SIGTERM, _leave)
    try:
        return fn(*args, **kwargs), None
    except Exception as error:
        try:
            pickle.loads(pickle.dumps(error))
        except Exception:  # some exceptions can't travel
            return None, RuntimeError(f"{type(error).__name__}: {error}")
        return None, error


def _leave(number: int, frame: object) -> None:
    """Exit as usual when told to stop, so that semaphores are given back."""
    sys.exit(128 + number)


def _status(code: int) -> str:
    return f"signal {-code}" if code < 0 else f"status {code}"


def local(jobs: int) -> Engine:
    """Return the engine of this machine's processes.

    Examples
    --------
    >>> local(0)
    Traceback (most recent call last):
    ...
    experiments.engines.EngineError: 0 processes do no work: give --jobs at least 1
    """
    if jobs < 1:
        raise EngineError(f"{jobs} processes do no work: give --jobs at least 1")

    @contextmanager
    def opened() -> Iterator[Executor]:
        # here, and not once a process: threads that start processes share one environment
        missing = [name for name in THREADS if name not in os.environ]
        os.environ.update(dict.fromkeys(missing, "1"))
        try:
            with Apart(jobs) as executor:
                yield executor
        finally:
            for name in missing:
                del os.environ[name]

    return opened


def dask(scheduler: str) -> Engine:
    """Return the engine of a dask cluster.

    Parameters
    ----------
    scheduler
        Its address, as ``dask scheduler`` prints it: ``tcp://10.0.0.1:8786``.
    """
    try:
        from distributed import Client
    except ImportError as error:
        raise EngineError(
            "the engine dask needs dask.distributed, which is not installed: pip install "
            "distributed"
        ) from error

    @contextmanager
    def opened() -> Iterator[Executor]:
        try:
            client: Any = Client(scheduler, timeout=CONNECT_SECONDS)  # type: ignore[no-untyped-call]
        except (OSError, ValueError) as error:  # a timeout is an OSError
            raise EngineError(
                f"there is no dask scheduler at {scheduler}: start one with `dask scheduler` and "
                "give the address that it prints"
            ) from error
        with client:
            _check_workers(client.scheduler_info(n_workers=-1)["workers"])
            # not pure: a case that is tried again has to be worked on again
            yield client.get_executor(pure=False)

    return opened


def _check_workers(workers: dict[str, dict[str, Any]]) -> None:
    for address, worker in workers.items():
        if worker["nthreads"] != 1:
            raise EngineError(
                f"the dask worker at {address} has {worker['nthreads']} threads, which would share "
                "one random generator: start workers with --nthreads 1"
            )


def open_engine(name: str, jobs: int, scheduler: str | None) -> Engine:
    """Return the engine that a command line names.

    Examples
    --------
    >>> open_engine("dask", 1, None)
    Traceback (most recent call last):
    ...
    experiments.engines.EngineError: the engine dask needs --scheduler ADDRESS
    """
    if name == "local":
        if scheduler is not None:
            raise EngineError("--scheduler goes with --engine dask, and only with that")
        return local(jobs)
    if scheduler is None:
        raise EngineError("the engine dask needs --scheduler ADDRESS")
    return dask(scheduler)
