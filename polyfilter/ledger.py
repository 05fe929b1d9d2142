r"""Every claim of the paper, run and compared with the record.

The map is

.. math:: (\text{claims}, \text{setting}) \mapsto \text{ledger}, \qquad
          \text{claim} \mapsto \text{verdict with evidence, or a failure with its reason}

Each claim is checked in a process of its own. A check that raises, dies or returns something else
is a failure, never a verdict. The verdicts are compared with those on record
(:mod:`polyfilter.docket`): a ledger *agrees* when every claim has the verdict that is recorded for
it, and no record lacks its claim.

Assumptions: a check depends on its setting alone, so that a ledger can be made again.

>>> ledger = verify(["lemma_1"], jobs=1)
>>> ledger
Ledger(1 holds; as recorded)
>>> ledger.command(ledger.entries[0])
'polyfilter verify --claim lemma_1 --seed 0'
"""

import math
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace

from polyfilter.claim import Claim, ClaimError, Outcome, Setting, Verdict
from polyfilter.docket import (
    PACKAGE,
    discover,
    durations,
    find,
    one_line,
    put_on_record,
    recorded,
    select,
)
from polyfilter.provenance import Provenance, cores, provenance
from polyfilter.workers import Died, Finished, Idle, Started, apart

__all__ = ["Entry", "Ledger", "Watcher", "record", "verify"]


@dataclass(frozen=True)
class Entry:
    """What became of one claim.

    Attributes
    ----------
    name, number, where, statement, reading, conjectures
        As in :class:`polyfilter.claim.Claim`.
    outcome : Outcome or None
        The verdict and its evidence; None for a failure.
    failure : str
        Why there is no verdict, in one line; empty if there is one.
    seconds : float
        What the check took.
    recorded : Verdict or None
        The verdict that the repository has on record.

    Examples
    --------
    >>> Entry("lemma_1", 3, "Lemma 1", "", "", (), None, "it broke", 0.5, None).failure
    'it broke'
    """

    name: str
    number: int
    where: str
    statement: str
    reading: str
    conjectures: tuple[int, ...]
    outcome: Outcome | None
    failure: str
    seconds: float
    recorded: Verdict | None

    @property
    def verdict(self) -> Verdict | None:
        """The verdict, if there is one."""
        return self.outcome.verdict if self.outcome else None

    @property
    def agrees(self) -> bool:
        """Whether there is a verdict and it is the recorded one."""
        return self.verdict is not None and self.verdict is self.recorded

    @property
    def complaint(self) -> str:
        """What is wrong with this entry, in a few words; empty if it agrees."""
        if self.verdict is None:
            return "no verdict"
        if self.recorded is None:
            return "not on record"
        return "" if self.agrees else f"on record: {self.recorded.value}"

    @property
    def evidence(self) -> str:
        """The summary of the outcome, or the reason of the failure."""
        return self.outcome.summary if self.outcome else self.failure


@dataclass(frozen=True, repr=False)
class Ledger:
    """All entries of one run, and where they come from.

    Attributes
    ----------
    entries : tuple of Entry
        In the order of their numbers.
    lost : tuple of str
        Names on record for which there is no claim.
    seed, full, data
        The setting; ``data`` is the name of the folder with real graphs, or empty.
    seconds : float
        What the whole run took.
    provenance : Provenance
        What made it.
    """

    entries: tuple[Entry, ...]
    lost: tuple[str, ...]
    seed: int
    full: bool
    data: str
    seconds: float
    provenance: Provenance

    @property
    def agrees(self) -> bool:
        """Whether every verdict is the recorded one."""
        return not self.lost and all(entry.agrees for entry in self.entries)

    def count(self, verdict: Verdict | None) -> int:
        """How many entries have this verdict; None counts the failures."""
        return sum(entry.verdict is verdict for entry in self.entries)

    @property
    def summary(self) -> str:
        """The counts, in words."""
        words = {
            Verdict.HOLDS: ("holds", "hold"),
            Verdict.CORRECTED: ("holds with a correction", "hold with a correction"),
            Verdict.FALSE: ("is false as printed", "are false as printed"),
            None: ("has no verdict", "have no verdict"),
        }
        counts = {verdict: self.count(verdict) for verdict in words}
        listed = [f"{n} {words[verdict][n != 1]}" for verdict, n in counts.items() if n]
        return ", ".join(listed) or "no claims"

    def command(self, entry: Entry) -> str:
        """The command that runs one entry again, with the same evidence."""
        words = ["polyfilter verify --claim", entry.name, f"--seed {self.seed}"]
        words += ["--full"] * self.full + [f"--data {self.data}"] * bool(self.data)
        return " ".join(words)

    def __repr__(self) -> str:
        return f"Ledger({self.summary}; {'' if self.agrees else 'not '}as recorded)"


class Watcher:
    """Somebody who is told how a run goes; this one does not mind.

    Examples
    --------
    >>> Watcher().idle()
    """

    def started(self, claim: Claim) -> None:
        """A check has begun."""

    def finished(self, entry: Entry) -> None:
        """A check has ended."""

    def idle(self) -> None:
        """Nothing happened for a moment."""


# ------------------------------------------------------------------------------------- the run


def verify(
    names: Sequence[str] = (),
    setting: Setting | None = None,
    *,
    jobs: int | None = None,
    watcher: Watcher | None = None,
    package: str = PACKAGE,
) -> Ledger:
    """Check claims in parallel and compare them with the record.

    Parameters
    ----------
    names : sequence of str
        Which claims; all of them if empty.
    setting : Setting, optional
        Seed, size and data; seed 0 at the default size by default.
    jobs : int, optional
        Processes; as many as there are cores by default.
    watcher : Watcher, optional
        Told how it goes, from this thread.
    package : str
        Where the claims and their record live.

    Examples
    --------
    >>> verify(["lemma_1"], Setting(seed=1), jobs=1).agrees
    True
    """
    setting, watcher = setting or Setting(), watcher or Watcher()
    begin = time.perf_counter()
    on_record, took = recorded(package), durations(package)
    # the longest first, so that none is left to run alone at the end
    claims = sorted(
        select(discover(package), names), key=lambda claim: -took.get(claim.name, math.inf)
    )
    entries: list[Entry] = []
    began: dict[int, float] = {}
    calls = [(package, claim.name, setting) for claim in claims]
    with closing(apart(_check, calls, jobs or cores())) as events:
        for event in events:
            if isinstance(event, Idle):
                watcher.idle()
                continue
            claim = claims[event.item]
            if isinstance(event, Started):
                began[event.item] = time.perf_counter()
                watcher.started(claim)
                continue
            if isinstance(event, Finished):
                outcome, seconds = event.value
            else:
                outcome, seconds = _obituary(event), time.perf_counter() - began[event.item]
            entries.append(_entry(claim, outcome, seconds, on_record.get(claim.name)))
            watcher.finished(entries[-1])
    return Ledger(
        entries=tuple(sorted(entries, key=lambda entry: (entry.number, entry.name))),
        lost=() if names else tuple(sorted(on_record.keys() - {claim.name for claim in claims})),
        seed=setting.seed,
        full=setting.full,
        data=setting.data.name if setting.data else "",
        seconds=time.perf_counter() - begin,
        provenance=provenance(),
    )


def _check(package: str, name: str, setting: Setting) -> tuple[Outcome | str, float]:
    """Run one claim, in a process of its own; the outcome, or one line that says why not."""
    begin = time.perf_counter()
    try:
        claim = find(name, package)
        begin = time.perf_counter()
        outcome: object = claim.check(setting)
        if isinstance(outcome, Outcome):
            return outcome, time.perf_counter() - begin
        reason = f"the check returned {type(outcome).__name__}, not an Outcome"
    except Exception as error:
        reason = one_line(error)
    return reason, time.perf_counter() - begin


def _obituary(event: Died) -> str:
    how = f"by signal {-event.code}" if event.code < 0 else f"with exit code {event.code}"
    return f"the process that checked it ended {how}"


def _entry(
    claim: Claim, outcome: Outcome | str, seconds: float, on_record: Verdict | None
) -> Entry:
    return Entry(
        name=claim.name,
        number=claim.number,
        where=claim.where,
        statement=claim.statement,
        reading=claim.reading,
        conjectures=claim.conjectures,
        outcome=None if isinstance(outcome, str) else outcome,
        failure=outcome if isinstance(outcome, str) else "",
        seconds=seconds,
        recorded=on_record,
    )


def record(ledger: Ledger, package: str = PACKAGE) -> Ledger:
    """Put the verdicts of a ledger on record, and return the ledger that agrees with it.

    Verdicts of claims that were not run stay as they are; those of claims that are gone go too.

    Examples
    --------
    >>> record(verify())  # doctest: +SKIP
    Ledger(9 hold, 4 hold with a correction, 2 are false as printed; as recorded)
    """
    for entry in ledger.entries:
        if entry.verdict is None:
            raise ClaimError(f"{entry.name} has no verdict, so there is nothing to record")
    put_on_record(
        {entry.name: entry.verdict for entry in ledger.entries if entry.verdict},
        {entry.name: entry.seconds for entry in ledger.entries},
        package,
    )
    agreed = tuple(replace(entry, recorded=entry.verdict) for entry in ledger.entries)
    return replace(ledger, entries=agreed, lost=())
