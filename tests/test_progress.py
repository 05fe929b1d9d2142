"""A bar appears on stderr when asked for, and an executor gets every item."""

import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from polyfilter import progress
from polyfilter.progress import bar, cancel, spread


def test_quick_work_shows_nothing(capsys):
    with bar(10, "work", show=True) as update:
        update(10)
    assert capsys.readouterr() == ("", "")


def test_nothing_is_shown_where_nobody_watches(capsys, monkeypatch):
    monkeypatch.setattr(progress, "DELAY", 0.0)
    with bar(10, "work") as update:
        update(10)
    assert capsys.readouterr() == ("", "")


def test_long_work_shows_on_stderr_when_asked(capsys, monkeypatch):
    monkeypatch.setattr(progress, "DELAY", 0.01)
    with bar(2, "long work", show=True) as update:
        time.sleep(0.2)
        update(1)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "long work  50%" in captured.err


def test_spread_keeps_the_order():
    items = [(n, 7) for n in range(20)]
    expected = [divmod(*item) for item in items]
    assert list(spread(divmod, items)) == expected
    with ThreadPoolExecutor(3) as executor:
        assert list(spread(divmod, items, executor)) == expected


class Recording:
    """An executor that remembers what was submitted; ``submit`` is all that spread asks for."""

    def __init__(self, executor):
        self.executor, self.futures = executor, []

    def submit(self, *call):
        self.futures.append(self.executor.submit(*call))
        return self.futures[-1]


def test_a_failure_cancels_the_rest():
    with ThreadPoolExecutor(1) as pool:
        executor = Recording(pool)
        with pytest.raises(ZeroDivisionError):
            list(spread(_slow_division, [(1, 0)] + [(1, 1)] * 50, executor))
        assert sum(future.cancelled() for future in executor.futures) > 40


def test_results_that_nobody_wants_are_cancelled():
    with ThreadPoolExecutor(1) as pool:
        executor = Recording(pool)
        results = spread(_slow_division, [(1, 1)] * 50, executor)
        assert next(results) == 1
        cancel(results)
        assert sum(future.cancelled() for future in executor.futures) > 40


def _slow_division(a, b):
    time.sleep(0.01)
    return a / b
