r"""A claim of the paper: what it says, how we read it, and what settles it.

The map is ``(claim, setting) -> verdict with evidence``. A claim's check gathers
:class:`Finding` objects in three lists and :func:`settle` draws the verdict from them, so that no
verdict is ever written by hand:

``printed``
    What the paper says, to the letter. If all of these are true, the claim **holds**.
``repaired``
    The same statement with its small print mended (a wrong index, a missing case). If something
    printed is false and all of these are true, it **holds with a correction**.
``instead``
    What is true in place of a statement that can't be mended. If something printed is false and
    there is no repair, it is **false as printed**.

A finding in ``repaired`` or ``instead`` that is not true, or a check that raises, is a failure of
ours and no verdict: the ledger then fails.

Assumptions: a check draws all chance from the setting's generator, so that a seed reproduces it and
another seed gives evidence of its own.

>>> outcome = settle(
...     "a path of three nodes breaks it",
...     printed=[Finding("Γ = (N - 1)|G|", False, "Γ = 3 where the formula gives 2")],
...     repaired=[Finding("Γ = (N - 1)|G| + 1 if all graphs share 1 and nothing else", True)],
... )
>>> outcome.verdict
<Verdict.CORRECTED: 'holds with a correction'>
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path

import numpy as np

from polyfilter.errors import PolyfilterError
from polyfilter.graphs import Graph

__all__ = [
    "Claim",
    "ClaimError",
    "Curve",
    "Drawing",
    "Figure",
    "Finding",
    "Outcome",
    "Setting",
    "Table",
    "Verdict",
    "settle",
]


class ClaimError(PolyfilterError):
    """A check whose own correction is not true: the ledger is wrong, not the paper.

    Examples
    --------
    >>> settle("", printed=[Finding("1 = 2", False)], repaired=[Finding("1 = 3", False)])
    Traceback (most recent call last):
    ...
    polyfilter.claim.ClaimError: our own statement is not true: 1 = 3
    """


class Verdict(Enum):
    """What became of a claim."""

    HOLDS = "holds"
    CORRECTED = "holds with a correction"
    FALSE = "false as printed"


@dataclass(frozen=True)
class Setting:
    """What a check may depend on.

    Attributes
    ----------
    seed : int
        All chance comes from here.
    full : bool
        Whether the long version is asked for.
    data : Path or None
        A folder with real data sets; checks that use one say so when it is missing.

    Examples
    --------
    >>> bool(Setting(seed=7).rng(1).integers(10) == Setting(seed=7).rng(1).integers(10))
    True
    """

    seed: int = 0
    full: bool = False
    data: Path | None = None

    def rng(self, *key: int) -> np.random.Generator:
        """A generator of this seed, and of a key where a check needs several."""
        return np.random.default_rng([self.seed, *key])


@dataclass(frozen=True)
class Finding:
    """A statement that was decided, and by what.

    Attributes
    ----------
    statement : str
        In words and inline LaTeX between dollars.
    holds : bool
        What the computation said.
    because : str
        The figure or the object that decides it, from this run.
    exact : bool
        Whether the decision is a proof (exact or ball arithmetic) or a measurement.
    """

    statement: str
    holds: bool
    because: str = ""
    exact: bool = True


@dataclass(frozen=True)
class Table:
    """Rows of evidence; cells are printed as they are.

    Examples
    --------
    >>> Table("Cycles", ("n", "Γ"), ((3, 2), (4, 3))).rows[1]
    (4, 3)
    """

    caption: str
    header: tuple[str, ...]
    rows: tuple[tuple[str | int | float, ...], ...]


@dataclass(frozen=True)
class Curve:
    """One curve of a figure."""

    name: str
    x: tuple[float, ...]
    y: tuple[float, ...]


@dataclass(frozen=True)
class Figure:
    """A plot, as data: the page draws it.

    Examples
    --------
    >>> Figure("A line", (Curve("x", (0.0, 1.0), (0.0, 1.0)),), "x", "y").curves[0].name
    'x'
    """

    caption: str
    curves: tuple[Curve, ...]
    x_label: str
    y_label: str
    log_x: bool = False
    log_y: bool = False


@dataclass(frozen=True)
class Drawing:
    """A graph that is shown: a counterexample, or the smallest one that does something.

    Examples
    --------
    >>> Drawing("An edge", Graph.from_edges([(0, 1)])).graph.num_edges
    1
    """

    caption: str
    graph: Graph


@dataclass(frozen=True)
class Outcome:
    """A verdict and what it rests on."""

    verdict: Verdict
    summary: str
    printed: tuple[Finding, ...]
    repaired: tuple[Finding, ...] = ()
    instead: tuple[Finding, ...] = ()
    tables: tuple[Table, ...] = ()
    figures: tuple[Figure, ...] = ()
    drawings: tuple[Drawing, ...] = ()


@dataclass(frozen=True)
class Claim:
    """One claim; every file of :mod:`polyfilter.claims` defines one as ``CLAIM``.

    Attributes
    ----------
    name : str
        What ``polyfilter verify --claim`` takes; the name of the file.
    number : int
        Its place in the ledger.
    where : str
        Where the paper says it, with the label: "Lemma 1 (lem:dim)".
    statement : str
        The paper's words, shortened, with LaTeX between dollars.
    reading : str
        What exactly we test.
    check : callable
        From a setting to an outcome.
    conjectures : tuple of int
        The points of our own list of findings that it settles.

    Examples
    --------
    >>> check = lambda setting: settle("it is", printed=[Finding("1 = 1", True)])
    >>> claim = Claim("one", 1, "Section 1", "One is one.", "As it stands.", check)
    >>> claim.check(Setting()).verdict.value
    'holds'
    """

    name: str
    number: int
    where: str
    statement: str
    reading: str
    check: Callable[[Setting], Outcome] = field(repr=False)
    conjectures: tuple[int, ...] = ()


def settle(
    summary: str,
    *,
    printed: Sequence[Finding],
    repaired: Sequence[Finding] = (),
    instead: Sequence[Finding] = (),
    tables: Sequence[Table] = (),
    figures: Sequence[Figure] = (),
    drawings: Sequence[Drawing] = (),
) -> Outcome:
    """Draw the verdict from the findings; see the module's docstring.

    Examples
    --------
    >>> settle("all good", printed=[Finding("1 = 1", True)]).verdict.value
    'holds'
    """
    if not printed:
        raise ClaimError("a check has to test what is printed")
    for finding in (*repaired, *instead):
        if not finding.holds:
            raise ClaimError(f"our own statement is not true: {finding.statement}")
    if all(finding.holds for finding in printed):
        verdict = Verdict.HOLDS
    elif repaired:
        verdict = Verdict.CORRECTED
    else:
        verdict = Verdict.FALSE
    return Outcome(
        verdict,
        summary,
        tuple(printed),
        tuple(repaired),
        tuple(instead),
        tuple(tables),
        tuple(figures),
        tuple(drawings),
    )
