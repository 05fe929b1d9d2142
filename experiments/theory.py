"""Tables about the theory: verdicts on the paper's claims, and what architectures can express.

The maps are ``ledger -> (header, rows)`` and ``architectures -> (header, rows)``. Nothing is
measured: verdicts are those on record, and dimensions and depths are computed here.

>>> header, rows = verdicts()
>>> rows[2]
['Lemma 1: the filters of degree K on a graph set form a space of dimension min{K + 1, Γ}.',
 'holds', '{mod}`~polyfilter.claims.lemma_1`']
"""

from importlib import import_module

from polyfilter.docket import PACKAGE, discover, recorded
from polyfilter.graphs import Graph
from polyfilter.spaces import ARCHITECTURES, architecture, complete, dimension

__all__ = ["architectures", "verdicts"]

Rows = tuple[list[str], list[list[str]]]
ODD = Graph.from_edges([(i, (i + 1) % 19) for i in range(19)])
"""A cycle with Γ = 10 that has no eigenvalue -1."""
PATH = Graph.from_edges([(i, i + 1) for i in range(9)])
"""A path with Γ = 10 that has it."""


def verdicts() -> Rows:
    """What became of each claim of the paper, as the ledger has it on record."""
    found, body = recorded(), []
    for claim in discover():
        if claim.name in found:
            name = f"{PACKAGE}.{claim.name}"
            what = (import_module(name).__doc__ or "").partition("\n")[0]
            body.append([what, found[claim.name].value, f"{{mod}}`~{name}`"])
    return ["what is claimed, and what is true", "the paper's words", "settled by"], body


def architectures() -> Rows:
    """Dimension and complete depth of every architecture, computed on two small graphs.

    >>> architectures()[1][5][2:]
    ['3, 5, 9', '5', '5', '5', '5']
    """
    header = ["", "a layer", "dimension at depth 1, 2, 4", "every filter at depth"]
    header += ["with two channels", "if -1 is an eigenvalue", "and two channels"]
    body = []
    for name in ARCHITECTURES:
        kind = architecture(f"{name}:3" if name in ("k-order", "chebnet") else name)
        sizes = [dimension(kind, depth, ODD).value for depth in (1, 2, 4)]
        depths = [complete(kind, graph, width).depth for graph in (ODD, PATH) for width in (1, 2)]
        cells = ["never" if depth is None else str(depth) for depth in depths]
        layer = kind.layer.replace("|", "\\|")
        body.append([str(kind), layer, ", ".join(map(str, sizes)), *cells])
    return header, body
