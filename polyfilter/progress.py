"""Long work: a bar that shows it, an executor that spreads it.

The first map is ``total -> update``: :func:`bar` hands out a function to call with each piece of
work done, and draws on stderr only if the work takes longer than a second and somebody watches.
The second is ``function, items -> results``: :func:`spread` calls a function on each item, here or
on whatever :class:`concurrent.futures.Executor` it is given, and keeps the order.

>>> with bar(3, "counting") as update:
...     for _ in range(3):
...         update(1)
>>> list(spread(divmod, [(7, 2), (9, 4)]))
[(3, 1), (2, 1)]
"""

import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from typing import TypeVar

from tqdm import tqdm

__all__ = ["bar", "cancel", "spread"]

Result = TypeVar("Result")

DELAY = 1.0
"""Seconds of work before a bar appears."""


@contextmanager
def bar(total: float, title: str, show: bool | None = None) -> Iterator[Callable[[float], object]]:
    """Give a function that advances a progress bar, which is gone when the block ends.

    Parameters
    ----------
    total
        The amount of work, in any unit.
    title
        What is being done.
    show
        True or False to show or hide the bar; by default it shows if stderr is a terminal.
    """
    hidden = None if show is None else not show  # None is tqdm's word for "unless a terminal"
    with tqdm(
        total=total,
        desc=title,
        file=sys.stderr,
        disable=hidden,
        delay=DELAY,
        leave=False,
        bar_format="{desc} {percentage:3.0f}%|{bar}| {elapsed}<{remaining}",
    ) as drawn:
        yield drawn.update


def spread(
    function: Callable[..., Result],
    items: Iterable[tuple[object, ...]],
    executor: Executor | None = None,
) -> Iterator[Result]:
    """Return an iterator over ``function(*item)`` in order.

    With an executor all items are submitted at once, and what is left is cancelled when an item
    fails; the function and its items have to be picklable for executors that use processes.
    Without one, each item is computed when it is asked for.
    """
    if executor is None:
        return (function(*item) for item in items)
    return _Ordered([executor.submit(function, *item) for item in items])


def cancel(results: Iterator[object]) -> None:
    """Cancel what :func:`spread` has submitted and nobody wants any more.

    >>> cancel(spread(divmod, [(7, 2)]))
    """
    if isinstance(results, _Ordered):
        results.cancel()


class _Ordered(Iterator[Result]):
    """The results of futures, in order."""

    def __init__(self, futures: list[Future[Result]]) -> None:
        self._futures = deque(futures)

    def __next__(self) -> Result:
        if not self._futures:
            raise StopIteration
        try:
            return self._futures.popleft().result()
        except BaseException:
            self.cancel()
            raise

    def cancel(self) -> None:
        for future in self._futures:
            future.cancel()
