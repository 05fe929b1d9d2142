"""The ledger in a terminal, in a pipe and in its closing lines."""

import io
import re

import pytest
from ledgers import sample_ledger

from polyfilter.claim import Claim, Outcome, Setting
from polyfilter.ledger import Entry
from polyfilter.report import Lines, Screen, closing, table, watcher


def claims() -> list[Claim]:
    def check(setting: Setting) -> Outcome:
        raise NotImplementedError

    return [Claim(e.name, e.number, "", "", "", check) for e in sample_ledger().entries]


class Terminal(io.StringIO):
    """A stream that calls itself a terminal, and what its screen shows in the end."""

    def isatty(self) -> bool:
        return True

    @property
    def screen(self) -> list[str]:
        lines: list[str] = [""]
        row = 0
        for token in re.findall(r"\x1b\[[\d;]*[A-Za-z]|\n|[^\x1b\n]+", self.getvalue()):
            if token == "\n":
                row += 1
                lines += [""] * (row + 1 - len(lines))
            elif token.endswith("F") and token[0] == "\x1b":
                row -= int(token[2:-1])
            elif token == "\x1b[2K":
                lines[row] = ""
            elif token == "\x1b[0J":
                del lines[row + 1 :]
                lines[row] = ""
            elif token[0] != "\x1b":
                lines[row] += token
        return lines[:row]


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "90")
    monkeypatch.setenv("LINES", "30")
    monkeypatch.delenv("NO_COLOR", raising=False)
    return Terminal()


def test_a_screen_fills_in_place(terminal: Terminal) -> None:
    display = watcher(claims(), terminal)
    assert isinstance(display, Screen)
    entries = sample_ledger().entries
    display.started(claims()[0])
    display.started(claims()[1])
    display.finished(entries[1])
    display.idle()
    first, second, third, last = terminal.screen
    assert "running" in first
    assert re.fullmatch(r"  2  claim_2 +✎ corrected +0\.2 s  off by one", second)
    assert "waiting" in third
    assert last.startswith("1 of 3 settled")
    for entry in (entries[0], entries[2]):
        display.finished(entry)
    assert len(terminal.screen) == 3
    assert "✗ false" in terminal.screen[2]
    assert "\x1b[32m✓ holds\x1b[0m" in terminal.getvalue()


def test_lines_of_a_screen_never_wrap(terminal: Terminal) -> None:
    long = Entry("claim_1", 1, "", "", "", (), None, "word " * 100, 0.1, None)
    for width in (20, 40, 80, 120):
        stream = Terminal()
        Screen(claims(), stream, width).finished(long)
        assert all(len(line) <= width for line in stream.screen[:3])


def test_colours_are_left_out_where_they_are_not_wanted(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    watcher(claims(), terminal).finished(sample_ledger().entries[0])
    assert not re.search(r"\x1b\[[\d;]*m", terminal.getvalue())


def test_a_terminal_that_is_too_low_or_dumb_gets_lines(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LINES", "4")
    assert isinstance(watcher(claims(), terminal), Lines)
    monkeypatch.setenv("LINES", "40")
    monkeypatch.setenv("TERM", "dumb")
    assert isinstance(watcher(claims(), terminal), Lines)


def test_a_pipe_gets_whole_lines_with_the_evidence() -> None:
    stream = io.StringIO()
    display = watcher(claims(), stream)
    for entry in sample_ledger(agrees=False, failure=True).entries:
        display.finished(entry)
    told = stream.getvalue()
    assert "\x1b" not in told
    assert told.splitlines() == table(sample_ledger(agrees=False, failure=True)).splitlines()
    assert "[not on record] all & good" in told
    assert "holds with a correction" in told
    assert told.endswith("KeyError: <b>\n")


def test_the_closing_lines_say_what_is_wrong() -> None:
    assert closing(sample_ledger()).endswith("every verdict is the one on record")
    told = closing(sample_ledger(agrees=False, failure=True))
    assert "claim_4: no verdict" in told
    assert "claim_1: not on record" in told
