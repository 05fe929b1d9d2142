r"""The claims that there are, and the verdicts on record.

The maps are ``package -> claims``, by looking into it, and ``package <-> verdicts``, a JSON file
beside the claims.

Assumptions: a claim's module is named like the claim and defines it as ``CLAIM``; modules whose
names begin with an underscore are helpers.

>>> recorded().keys() <= {claim.name for claim in discover()}
True
"""

import importlib
import json
import pkgutil
import traceback
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import Any

from polyfilter.claim import Claim, ClaimError, Outcome, Setting, Verdict
from polyfilter.files import atomic_write

__all__ = [
    "LAST",
    "PACKAGE",
    "discover",
    "durations",
    "find",
    "one_line",
    "put_on_record",
    "recorded",
    "select",
]

PACKAGE = "polyfilter.claims"
RECORD = "verdicts.json"
VERSION = 1
LAST = 1_000_000
"""Where a module that can't even be imported stands in the ledger."""


def discover(package: str = PACKAGE) -> tuple[Claim, ...]:
    """Find the claims of a package, in the order of their numbers.

    A module that can't be imported stands at the end, as a claim whose check raises.

    Examples
    --------
    >>> all(claim.statement for claim in discover())
    True
    """
    folder = importlib.import_module(package).__path__
    names = [module.name for module in pkgutil.iter_modules(folder) if module.name[0] != "_"]
    claims = []
    for name in names:
        try:
            claims.append(find(name, package))
        except Exception as error:
            claims.append(Claim(name, LAST, "", "", "", partial(_refuse, one_line(error))))
    return tuple(sorted(claims, key=lambda claim: (claim.number, claim.name)))


def find(name: str, package: str = PACKAGE) -> Claim:
    """Import the claim of this name.

    Examples
    --------
    >>> find("lemma_1").where[:7]
    'Lemma 1'
    """
    module = importlib.import_module(f"{package}.{name}")
    claim = getattr(module, "CLAIM", None)
    if not isinstance(claim, Claim):
        raise ClaimError(f"the module {name} of {package} defines no CLAIM")
    if claim.name != name:
        raise ClaimError(f"the claim of the module {name} calls itself {claim.name}")
    return claim


def _refuse(reason: str, setting: Setting) -> Outcome:
    raise ClaimError(reason)


def select(claims: Sequence[Claim], names: Sequence[str]) -> list[Claim]:
    """Keep the claims of these names, or all if there are none.

    Examples
    --------
    >>> select(discover(), ["lema_1"])
    Traceback (most recent call last):
    polyfilter.claim.ClaimError: there is no claim lema_1; did you mean lemma_1?
    """
    known = {claim.name: claim for claim in claims}
    for name in names:
        if name not in known:
            near = get_close_matches(name, known, n=1)
            hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(known)}"
            raise ClaimError(f"there is no claim {name}; {hint}")
    return [claim for claim in claims if not names or claim.name in names]


def one_line(error: Exception) -> str:
    """Say what was raised, its first line, and the line of code that raised it.

    Examples
    --------
    >>> one_line(KeyError("x"))
    "KeyError: 'x'"
    """
    first, *_ = str(error).strip().splitlines() or [""]
    frames = traceback.extract_tb(error.__traceback__)
    place = f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if frames else ""
    return f"{type(error).__name__}{': ' * bool(first)}{first}{place}"


def recorded(package: str = PACKAGE) -> dict[str, Verdict]:
    """Read the verdicts on record, by the name of the claim.

    Examples
    --------
    >>> recorded()["lemma_1"]
    <Verdict.HOLDS: 'holds'>
    """
    verdicts: dict[str, str] = _record(package).get("verdicts", {})
    return {name: Verdict(words) for name, words in verdicts.items()}


def durations(package: str = PACKAGE) -> dict[str, float]:
    """Read how many seconds each claim took when it was recorded, to begin with the longest.

    Examples
    --------
    >>> durations().keys() == recorded().keys()
    True
    """
    return dict(_record(package).get("seconds", {}))


def _record(package: str) -> dict[str, Any]:
    source = files(package) / RECORD
    if not source.is_file():
        return {}
    document: dict[str, Any] = json.loads(source.read_text("utf-8"))
    if document.get("version") != VERSION:
        raise ClaimError(f"{RECORD} of {package} is not of version {VERSION}")
    return document


def put_on_record(
    verdicts: Mapping[str, Verdict], seconds: Mapping[str, float], package: str = PACKAGE
) -> None:
    """Record verdicts and times beside those that are there; claims that are gone go too.

    Examples
    --------
    >>> put_on_record({"lemma_1": Verdict.HOLDS}, {"lemma_1": 2.0})  # doctest: +SKIP
    """
    verdicts = recorded(package) | dict(verdicts)
    seconds = durations(package) | dict(seconds)
    names = [claim.name for claim in discover(package) if claim.name in verdicts]
    document = {
        "version": VERSION,
        "verdicts": {name: verdicts[name].value for name in names},
        "seconds": {name: round(seconds[name]) for name in names if name in seconds},
    }
    with atomic_write(str(files(package) / RECORD)) as stream:
        stream.write(json.dumps(document, indent=2).encode() + b"\n")
