r"""A ledger in the terminal: a table that fills while the claims run.

The map is ``ledger -> text`` (:func:`table`), and, while it is being made, ``events -> screen``: on
a terminal that is high enough, :class:`Screen` draws the whole table again whenever something
happens; elsewhere, :class:`Lines` prints a line for each claim that is settled.

Assumptions: the terminal understands ANSI escapes unless ``TERM`` is ``dumb``; colours are left out
where ``NO_COLOR`` is set.

>>> import sys
>>> lines = Lines(sys.stdout, width=80)
>>> lines.finished(Entry("lemma_1", 3, "Lemma 1", "", "", (), None, "it broke", 0.5, None))
  3  lemma_1          ! failed       0.5 s  it broke
"""

import os
import shutil
import time
from collections.abc import Sequence
from typing import TextIO

from polyfilter.claim import Claim, Verdict
from polyfilter.docket import LAST
from polyfilter.ledger import Entry, Ledger, Watcher
from polyfilter.typeset import plain
from polyfilter.usage import colourful

__all__ = ["Lines", "Screen", "closing", "say", "table", "watcher"]

NAME, VERDICT, SHORT = 16, 26, 12
"""Widths of the columns: the least of the name, and two of the verdict."""
WIDE = 100
"""Columns from which on a verdict is written out."""
EVIDENCE = 12
"""Least room for which evidence is begun."""
SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
SIGNS: dict[Verdict | None, tuple[str, str, str]] = {
    Verdict.HOLDS: ("✓ holds", "✓ holds", "32"),
    Verdict.CORRECTED: ("✎ holds with a correction", "✎ corrected", "33"),
    Verdict.FALSE: ("✗ false as printed", "✗ false", "31"),
    None: ("! no verdict", "! failed", "1;35"),
}
"""Of each verdict: its words, the same in short, and its colour."""


def watcher(claims: Sequence[Claim], stream: TextIO) -> Watcher:
    """Return the display that suits a stream: a screen for a terminal, lines for the rest.

    Examples
    --------
    >>> import io
    >>> type(watcher((), io.StringIO())).__name__
    'Lines'
    """
    size = shutil.get_terminal_size()
    names = max((len(claim.name) for claim in claims), default=NAME)
    if stream.isatty() and os.environ.get("TERM") != "dumb":
        if len(claims) + 3 <= size.lines:
            return Screen(claims, stream, size.columns, names)
        return Lines(stream, size.columns, names, colour=colourful(stream))
    return Lines(stream, None, names)


def table(ledger: Ledger, width: int | None = None) -> str:
    """Return all entries as lines of text, in the order of their numbers.

    Examples
    --------
    >>> from polyfilter.provenance import provenance
    >>> entry = Entry("lemma_1", 3, "Lemma 1", "", "", (), None, "it broke", 0.5, None)
    >>> print(table(Ledger((entry,), (), 0, False, "", 0.5, provenance()), width=80))
      3  lemma_1          ! failed       0.5 s  it broke
    """
    names = max((len(entry.name) for entry in ledger.entries), default=NAME)
    return "\n".join(_line(entry, width, names, colour=False) for entry in ledger.entries)


def closing(ledger: Ledger) -> str:
    """Return what a run ends with: the counts, and what is not as recorded.

    Examples
    --------
    >>> from polyfilter.provenance import provenance
    >>> print(closing(Ledger((), ("lemma_9",), 0, False, "", 2.0, provenance())))
    no claims, in 2.0 s
    lemma_9: on record, but there is no such claim
    if these verdicts are right, `polyfilter verify --record` puts them on record
    """
    told = [f"{ledger.summary}, in {ledger.seconds:.1f} s"]
    told += [f"{e.name}: {e.complaint}" for e in ledger.entries if not e.agrees]
    told += [f"{name}: on record, but there is no such claim" for name in ledger.lost]
    if ledger.agrees:
        told.append("every verdict is the one on record")
    elif all(entry.verdict for entry in ledger.entries):
        told.append("if these verdicts are right, `polyfilter verify --record` puts them on record")
    return "\n".join(told)


def say(text: str, stream: TextIO, end: str = "\n") -> None:
    r"""Print a text at once, with question marks for what the stream can't encode.

    Examples
    --------
    >>> import io
    >>> ascii = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    >>> say("Γ = 3", ascii)
    >>> ascii.buffer.getvalue()
    b'? = 3\n'
    """
    encoding = stream.encoding or "utf-8"
    print(text.encode(encoding, "replace").decode(encoding), file=stream, end=end, flush=True)


class Lines(Watcher):
    """A display that prints each claim when it is settled.

    Parameters
    ----------
    stream : file
        Where to.
    width : int or None
        Columns that a line may take; None for as many as it needs, in a file or a pipe.
    names : int
        Width of the longest name.
    colour : bool
        Whether the stream shows colours.
    """

    def __init__(
        self, stream: TextIO, width: int | None = None, names: int = NAME, *, colour: bool = False
    ) -> None:
        self._stream, self._width, self._names, self._colour = stream, width, names, colour

    def finished(self, entry: Entry) -> None:
        """Print the line of an entry."""
        say(_line(entry, self._width, self._names, self._colour), self._stream)


class Screen(Watcher):
    """A display that draws the whole table again when something happens.

    Parameters
    ----------
    claims : sequence of Claim
        All that will be run, in order.
    stream : file
        A terminal.
    width : int
        Its columns.
    names : int
        Width of the longest name.

    Examples
    --------
    >>> import io
    >>> Screen((), io.StringIO(), width=80).idle()
    """

    def __init__(
        self, claims: Sequence[Claim], stream: TextIO, width: int, names: int = NAME
    ) -> None:
        self._claims, self._stream, self._width = claims, stream, width
        self._names, self._colour = max(names, NAME), colourful(stream)
        self._began: dict[str, float] = {}
        self._entries: dict[str, Entry] = {}
        self._drawn = 0
        self._begin = time.perf_counter()

    def started(self, claim: Claim) -> None:
        """Begin the clock of a claim."""
        self._began[claim.name] = time.perf_counter()
        self._draw()

    def finished(self, entry: Entry) -> None:
        """Fill the line of a claim."""
        self._entries[entry.name] = entry
        self._draw()

    def idle(self) -> None:
        """Let the clocks go on."""
        self._draw()

    def _draw(self) -> None:
        now = time.perf_counter()
        turn = SPINNER[int(10 * (now - self._begin)) % len(SPINNER)]
        lines = [self._row(claim, now, turn) for claim in self._claims]
        done, all_of_them = len(self._entries), len(self._claims)
        if done < all_of_them:
            lines.append(f"{done} of {all_of_them} settled, {now - self._begin:.0f} s")
        back = f"\x1b[{self._drawn}F" if self._drawn else ""
        body = "".join(f"\x1b[2K{line}\n" for line in lines)
        # the last escape clears what is left of the old last line
        say(f"{back}{body}\x1b[0J", self._stream, end="")
        self._drawn = len(lines)

    def _row(self, claim: Claim, now: float, turn: str) -> str:
        if entry := self._entries.get(claim.name):
            return _line(entry, self._width, self._names, self._colour)
        seconds, words = "", "  waiting"
        if claim.name in self._began:
            seconds, words = f"{now - self._began[claim.name]:.1f} s", f"{turn} running"
        head = _head(claim.number, claim.name, words, seconds, self._width, self._names)
        return _painted(head[: self._width], "2", self._colour)


def _head(number: int, name: str, verdict: str, seconds: str, width: int | None, names: int) -> str:
    shown = "" if number == LAST else str(number)
    room = VERDICT if width is None or width >= WIDE else SHORT
    return f"{shown:>3}  {name:<{max(names, NAME)}} {verdict:<{room}} {seconds:>7}"


def _line(entry: Entry, width: int | None, names: int, colour: bool) -> str:
    words, short, paint = SIGNS[entry.verdict]
    verdict = words if width is None or width >= WIDE else short
    head = _head(entry.number, entry.name, verdict, f"{entry.seconds:.1f} s", width, names)
    evidence = " ".join(plain(entry.evidence).split())
    if entry.complaint and entry.verdict is not None:
        evidence = f"[{entry.complaint}] {evidence}"
    if width is not None:
        room = width - len(head) - 2
        if room < EVIDENCE:
            head, evidence = head[:width], ""
        elif len(evidence) > room:
            evidence = evidence[: room - 1].rstrip() + "…"
    painted = head.replace(verdict, _painted(verdict, paint, colour), 1)
    return f"{painted}  {evidence}".rstrip()


def _painted(text: str, paint: str, colour: bool) -> str:
    return f"\x1b[{paint}m{text}\x1b[0m" if colour else text
