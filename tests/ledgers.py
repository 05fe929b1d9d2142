"""Claims that are not the paper's, for the tests of the ledger."""

from pathlib import Path

from polyfilter.claim import Curve, Drawing, Figure, Finding, Table, settle
from polyfilter.graphs import Graph
from polyfilter.ledger import Entry, Ledger
from polyfilter.provenance import provenance

HEAD = """
import os
from polyfilter.claim import *
from polyfilter.graphs import Graph

def check(setting):
{body}

CLAIM = Claim("{name}", {number}, {where!r}, {statement!r}, "a *reading* of $x_{name}$", check)
"""

BODIES = {
    "sound": """
    x = float(setting.rng().random())
    curve = Curve("$x^k$ < 1", (1.0, 2.0, 4.0), (x, x**2, float("nan")))
    return settle(
        f"x = {x!r} & more",
        printed=[Finding("$x < 1$", x < 1, f"x = {x:.3f}", exact=False)],
        tables=[Table("powers of $x$", ("k", "$x^k$"), ((1, x), (2, "1e-3"), (3, float("inf"))))],
        figures=[Figure("decay", (curve,), "$k$", r"$|x|^k$", log_y=True)],
    )""",
    "mended": """
    return settle(
        "off by one",
        printed=[Finding("$2 = 3$", False, "2 - 3 = -1")],
        repaired=[Finding("$2 + 1 = 3$", True)],
        drawings=[
            Drawing("smallest", Graph.from_edges([(0, 1), (1, 2)], name="P_3")),
            Drawing("heavy", Graph.from_edges([(0, 1), (1, 1)], weights=[0.5, 2], self_loops=True)),
        ],
    )""",
    "wrong": """
    return settle(
        "never", printed=[Finding("$1 < 0$", False)], instead=[Finding(r"$0 \\\\le 1$", True)]
    )""",
    "raising": """
    raise ArithmeticError("the sum is off\\nby a lot")""",
    "dying": """
    os._exit(7)""",
    "untrue": """
    return settle(
        "hm", printed=[Finding("a", False)], repaired=[Finding("b is $c$", False)]
    )""",
    "speechless": """
    return None""",
}


def write_claims(folder: Path, package: str, *names: str) -> None:
    """Make a package of these claims, numbered in this order."""
    home = folder / package
    home.mkdir()
    (home / "__init__.py").touch()
    for number, name in enumerate(names, 1):
        source = HEAD.format(
            body=BODIES[name],
            name=name,
            number=number,
            where=f"Lemma {number} (lem:{name})",
            statement=r"<b> & $\mathcal{F}_K \simeq \frac{1}{2}$",
        )
        (home / f"{name}.py").write_text(source, "utf-8")


def sample_ledger(*, agrees: bool = True, failure: bool = False) -> Ledger:
    """A ledger with a claim of each verdict, and with one that failed if asked for."""
    curve = Curve("$x^k$ <", (1.0, 2.0), (0.5, 0.25))
    outcomes = [
        settle(
            "all & good",
            printed=[Finding("$x < 1$", True, "x = 0.5", exact=False)],
            tables=[Table("powers <of> $x$", ("k", "value"), ((1, 0.5), (2, "1e-3")))],
            figures=[Figure("decay", (curve,), "k", "$x^k$", log_y=True)] * 2,
        ),
        settle(
            "off by one",
            printed=[Finding("$1 = 2$", False)],
            repaired=[Finding("$1 + 1 = 2$", True)],
            drawings=[Drawing("a path", Graph.from_edges([(0, 1), (1, 2)]))],
        ),
        settle("never", printed=[Finding("<i>", False)], instead=[Finding("$0 = 0$", True)]),
    ]
    statement = r"<script>alert(1)</script> & $\mathcal{F}_K$"
    entries = [
        Entry(
            name=f"claim_{k}",
            number=k,
            where=f"Lemma {k} (lem:it, Appendix A)",
            statement=statement,
            reading="what we read",
            conjectures=(k,),
            outcome=outcome,
            failure="",
            seconds=k / 10,
            recorded=outcome.verdict if agrees else None,
        )
        for k, outcome in enumerate(outcomes, 1)
    ]
    if failure:
        broken = Entry("claim_4", 4, "Lemma 4", "x", "y", (), None, "KeyError: <b>", 0.1, None)
        entries.append(broken)
    return Ledger(tuple(entries), (), 5, True, "sgs", 12.3, provenance())
