"""A bar appears on stderr when asked for, and an executor gets every item."""

import time
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from polyfilter import progress
from polyfilter.progress import bar, spread


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


def test_a_failure_cancels_the_rest():
    with ThreadPoolExecutor(1) as executor:
        submitted: list[Future] = []

        class Recording:
            def submit(self, *call):
                submitted.append(executor.submit(*call))
                return submitted[-1]

        with pytest.raises(ZeroDivisionError):
            list(spread(_slow_division, [(1, 0)] + [(1, 1)] * 50, Recording()))
        assert sum(future.cancelled() for future in submitted) > 40


def _slow_division(a, b):
    time.sleep(0.01)
    return a / b
