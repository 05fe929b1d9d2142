r"""Does the ordering that the paper claims hold here? Computed from the records.

The map is ``cells -> verdicts``. A claim says that one network is better than another on a data
set, or that it is not better. With two seeds or more on both sides the gap is measured in standard
errors of the difference,

.. math::  z = \frac{|m_1 - m_2|}{\sqrt{s_1^2 / n_1 + s_2^2 / n_2}},

and is decided from z = 2 on. With one seed there is no spread, and the paper's is the yardstick,
where it prints one: a gap of less than twice that can't be told from chance. What was not run, or
did not converge, is not decided.

>>> claim = Claim("zinc", "sogcn", "vanilla")
>>> decide(claim, None, None)
'not yet decided: SoGCN and Vanilla GCN not run'
>>> one = {"mean": 0.24, "spread": None, "seeds": [0], "converged": [True]}
>>> decide(claim, one, one | {"mean": 0.36})
"holds on one seed: 0.240 against 0.360, 5.9 of the paper's standard deviations"
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from experiments.benchmarks.paper import printed
from experiments.benchmarks.sizes import task_of
from experiments.benchmarks.tables import find, lower_is_better, number, title
from experiments.cells import Cell, Table
from gcn.data.benchmarks import NAMES

__all__ = ["CLAIMS", "Claim", "decide", "table"]

CERTAIN = 2.0
"""Standard errors from which on a gap is no chance."""


@dataclass(frozen=True)
class Claim:
    """That the network ``one`` is better than the ``other``; or, not ``above``, that it is not."""

    dataset: str
    one: str
    other: str
    above: bool = True

    def __str__(self) -> str:
        return f"{title(self.one)} {'over' if self.above else 'not over'} {title(self.other)}"


def _claims() -> tuple[Claim, ...]:
    five = ("zinc", "mnist", "cifar10-jpeg", "cluster", "pattern")
    three = five[:3]
    made = [Claim(d, "sogcn", other) for d in five for other in ("vanilla", "vanilla-mean")]
    made += [Claim(d, "sogcn", other) for d in three for other in ("order-4", "order-6")]
    made += [Claim(d, "sogcn-gru", f"{o}-gru") for d in three for o in ("order-4", "order-6")]
    made += [Claim(d, f"{name}-gru", name) for d in three for name in ("sogcn", "vanilla")]
    made += [Claim(d, "sogcn-gru", "sogcn", above=False) for d in five[3:]]
    made += [Claim("molhiv", "sogcn", other) for other in ("vanilla", "gin", "order-4", "order-6")]
    return tuple(sorted(made, key=lambda claim: NAMES.index(claim.dataset)))


CLAIMS = _claims()
"""SoGCN over vanilla and over higher order; GRU helps, but not on CLUSTER and PATTERN."""


def decide(claim: Claim, one: Cell | None, other: Cell | None) -> str:
    """Say whether a claim holds, and by how much.

    Parameters
    ----------
    claim
        What is claimed.
    one, other
        The cells of the two networks, if they were run.
    """
    pairs = ((claim.one, one), (claim.other, other))
    missing = [title(name) for name, cell in pairs if cell is None]
    if one is None or other is None:
        return f"not yet decided: {' and '.join(missing)} not run"
    for name, cell in pairs:
        if cell is not None and cell["mean"] is None:
            return f"not yet decided: {title(name)} diverged"
    sign = -1 if lower_is_better(claim.dataset) else 1
    gap = sign * (one["mean"] - other["mean"])
    against = f"{number(one['mean'], claim.dataset)} against {number(other['mean'], claim.dataset)}"
    holds = "holds" if (gap > 0) is claim.above else "does not hold"
    running = [title(n) for n, cell in pairs if cell is not None and not all(cell["converged"])]
    if running:
        words = f"{' and '.join(running)} did not converge"
        return f"not yet decided: {words}; so far it {holds}, {against}"
    if one["spread"] is None or other["spread"] is None:
        return _one_seed(claim, gap, holds, against)
    error = math.hypot(*(c["spread"] / math.sqrt(len(c["seeds"])) for c in (one, other)))
    z = abs(gap) / error if error else math.inf
    words = f"{against}, {z:.1f} standard errors"
    if z < CERTAIN:
        return f"{'holds' if not claim.above else 'not decided'}: no difference, {words}"
    return f"{holds}: {words}"


def _one_seed(claim: Claim, gap: float, holds: str, against: str) -> str:
    spreads = [printed(claim.dataset, name) for name in (claim.one, claim.other)]
    known = [p.spread for p in spreads if p is not None]
    if len(known) < 2 or not any(known):
        return f"{holds} on one seed: {against}, spread not known"
    scale = 1 if lower_is_better(claim.dataset) else 100
    z = scale * abs(gap) / math.hypot(*known)
    words = f"{against}, {z:.1f} of the paper's standard deviations"
    if z < CERTAIN:
        return f"not yet decided: one seed can't tell, {words}"
    return f"{holds} on one seed: {words}"


def table(found: Sequence[Cell]) -> Table:
    """Return a row for each claim."""
    rows = []
    for claim in CLAIMS:
        theirs = [printed(claim.dataset, name) for name in (claim.one, claim.other)]
        paper = " and ".join(f"{p.mean:.{p.digits}f}" for p in theirs if p is not None)
        one, other = (find(found, claim.dataset, name) for name in (claim.one, claim.other))
        rows.append([task_of(claim.dataset).title, str(claim), paper, decide(claim, one, other)])
    return Table(
        ["data", "claim", "paper", "here"],
        rows,
        f"A gap counts from {CERTAIN:g} standard errors of the difference on. CIFAR10-JPEG is not "
        "the paper's CIFAR10, so that no printed numbers stand beside it.",
    )
