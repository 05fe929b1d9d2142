"""A ledger as a file: JSON with a version, that comes back as the ledger it was.

The maps are ``ledger -> JSON -> ledger``. Verdicts are their words, a graph is its edges, numbers
that JSON can't write (infinite ones, and those that are not numbers) are strings.

Assumptions: none on the file; what is not a ledger, or one of another version, is refused with a
sentence.

>>> from polyfilter.ledger import Ledger
>>> from polyfilter.provenance import provenance
>>> empty = Ledger((), (), seed=0, full=False, data="", seconds=0.0, provenance=provenance())
>>> loads(dumps(empty)) == empty
True
"""

import dataclasses
import json
import math
import os
from typing import Any

import numpy as np

from polyfilter.claim import Curve, Drawing, Figure, Finding, Outcome, Table, Verdict
from polyfilter.errors import FileFormatError
from polyfilter.files import atomic_write, check_size
from polyfilter.graphs import Graph
from polyfilter.ledger import Entry, Ledger
from polyfilter.provenance import Provenance

__all__ = ["dumps", "loads", "read", "write"]

KIND = "polyfilter ledger"
VERSION = 1


def write(ledger: Ledger, path: str | os.PathLike[str]) -> None:
    """Write a ledger; the file appears whole or not at all.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from polyfilter.provenance import provenance
    >>> empty = Ledger((), (), seed=0, full=False, data="", seconds=0.0, provenance=provenance())
    >>> with TemporaryDirectory() as folder:
    ...     write(empty, f"{folder}/ledger.json")
    ...     os.listdir(folder)
    ['ledger.json']
    """
    with atomic_write(path) as stream:
        stream.write(dumps(ledger).encode())


def read(path: str | os.PathLike[str]) -> Ledger:
    """Read a ledger that :func:`write` wrote.

    Examples
    --------
    >>> read("nowhere.json")
    Traceback (most recent call last):
    polyfilter.errors.FileFormatError: can't read nowhere.json: No such file or directory
    """
    source = check_size(path)
    try:
        return loads(source.read_text("utf-8"))
    except (FileFormatError, UnicodeDecodeError) as error:
        raise FileFormatError(f"can't read {source}: {error}") from error


def dumps(ledger: Ledger) -> str:
    """Return a ledger as JSON."""
    document = {"kind": KIND, "version": VERSION, "agrees": ledger.agrees, **_json(ledger)}
    return json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def loads(text: str) -> Ledger:
    """Read a ledger from JSON.

    Examples
    --------
    >>> loads("[]")
    Traceback (most recent call last):
    polyfilter.errors.FileFormatError: this is not a ledger of version 1
    """
    try:
        document = json.loads(text)
    except json.JSONDecodeError as error:
        raise FileFormatError(f"this is not JSON: {error}") from error
    try:
        marks = document["kind"], document["version"]
    except (TypeError, KeyError):
        marks = "", 0
    if marks != (KIND, VERSION):
        raise FileFormatError(f"this is not a ledger of version {VERSION}")
    try:
        return _ledger(document)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise FileFormatError(f"this ledger is damaged: {error}") from error


# ------------------------------------------------------------------------------------ to JSON


def _json(value: Any) -> Any:
    if isinstance(value, Verdict):
        return value.value
    if isinstance(value, Graph):
        return _graph_json(value)
    if isinstance(value, np.generic):
        return _json(value.item())
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, tuple | list):
        return [_json(part) for part in value]
    if dataclasses.is_dataclass(value):
        return {f.name: _json(getattr(value, f.name)) for f in dataclasses.fields(value)}
    return value


def _graph_json(graph: Graph) -> dict[str, Any]:
    pairs, weights = graph.edges()
    return {
        "name": graph.name,
        "nodes": graph.num_nodes,
        "edges": pairs.tolist(),
        "weights": weights.tolist() if graph.is_weighted else None,
    }


# ---------------------------------------------------------------------------------- from JSON


def _ledger(document: dict[str, Any]) -> Ledger:
    about = document["provenance"]
    return Ledger(
        entries=tuple(_entry(entry) for entry in document["entries"]),
        lost=tuple(document["lost"]),
        seed=int(document["seed"]),
        full=bool(document["full"]),
        data=str(document["data"]),
        seconds=float(document["seconds"]),
        provenance=Provenance(**about | {"versions": tuple(map(tuple, about["versions"]))}),
    )


def _entry(written: dict[str, Any]) -> Entry:
    outcome, on_record = written["outcome"], written["recorded"]
    return Entry(
        **written
        | {
            "conjectures": tuple(written["conjectures"]),
            "outcome": None if outcome is None else _outcome(outcome),
            "recorded": None if on_record is None else Verdict(on_record),
        }
    )


def _outcome(written: dict[str, Any]) -> Outcome:
    return Outcome(
        verdict=Verdict(written["verdict"]),
        summary=written["summary"],
        printed=tuple(Finding(**finding) for finding in written["printed"]),
        repaired=tuple(Finding(**finding) for finding in written["repaired"]),
        instead=tuple(Finding(**finding) for finding in written["instead"]),
        tables=tuple(_table(table) for table in written["tables"]),
        figures=tuple(_figure(figure) for figure in written["figures"]),
        drawings=tuple(Drawing(d["caption"], _graph(d["graph"])) for d in written["drawings"]),
    )


def _table(written: dict[str, Any]) -> Table:
    rows = tuple(tuple(row) for row in written["rows"])
    return Table(written["caption"], tuple(written["header"]), rows)


def _figure(written: dict[str, Any]) -> Figure:
    curves = tuple(
        Curve(c["name"], tuple(map(float, c["x"])), tuple(map(float, c["y"])))
        for c in written["curves"]
    )
    return Figure(**written | {"curves": curves})


def _graph(written: dict[str, Any]) -> Graph:
    return Graph.from_edges(
        np.array(written["edges"], dtype=np.int64).reshape(-1, 2),
        num_nodes=written["nodes"],
        weights=written["weights"],
        self_loops=True,
        name=written["name"],
    )
