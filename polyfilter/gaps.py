r"""Computed eigenvalues, and how their number depends on the tolerance.

The map is :math:`(\lambda_1 \le \dots \le \lambda_N,\, t) \mapsto 1 + |\{i :
\lambda_{i+1} - \lambda_i > t\}|`, with the eigenvalues of the blocks of
:mod:`polyfilter.quotient` in float64. It never proves a number of distinct eigenvalues; it shows a
person whether there is a wide gap between gaps that are rounding and gaps that are not.

>>> from fractions import Fraction
>>> from polyfilter.graphs import Graph
>>> from polyfilter.quotient import stack
>>> edge = stack([Graph.from_edges([(0, 1)])])
>>> print(measure_gaps(edge, [Fraction(1), Fraction(0)]))
1e-04: 3, 1e-06: 3, 1e-08: 3, 1e-10: 3, 1e-12: 3, 1e-14: 3
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from polyfilter.errors import CapacityError
from polyfilter.progress import bar
from polyfilter.quotient import Blocks

__all__ = ["Gaps", "float_tolerance", "measure_gaps"]

MAX_NODES = 20_000
"""A dense matrix for more nodes than this would take more than 3.2 gigabytes."""

TOLERANCES = (1e-4, 1e-6, 1e-8, 1e-10, 1e-12, 1e-14)
"""What the table of counts shows."""


@dataclass(frozen=True)
class Gaps:
    """Counts of eigenvalues that are more than a tolerance apart.

    Attributes
    ----------
    count, tolerance
        The count at :func:`float_tolerance`.
    above, below
        The smallest gap above the tolerance, and the largest that is not.
    table
        Pairs of a tolerance and the count there.
    """

    count: int
    tolerance: float
    above: float
    below: float
    table: tuple[tuple[float, int], ...]

    def __str__(self) -> str:
        return ", ".join(f"{tolerance:.0e}: {count:,}" for tolerance, count in self.table)

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{tolerance:.0e}</th>" for tolerance, _ in self.table)
        body = "".join(f"<td>{count:,}</td>" for _, count in self.table)
        return (
            f"<table><tr><th>tolerance</th>{head}</tr><tr><th>eigenvalues</th>{body}</tr></table>"
        )


def float_tolerance(nodes: int) -> float:
    r"""Return how far apart two computed copies of one eigenvalue may lie.

    A backward stable solver moves each eigenvalue of :math:`A`, of norm 1, by at most about
    :math:`n \varepsilon` and the entries of :math:`A` were rounded by as much; two copies may move
    apart by twice that.

    >>> float_tolerance(100)
    8.881784197001252e-14
    """
    return 4 * nodes * float(np.finfo(np.float64).eps)


def measure_gaps(
    blocks: Blocks, values: Iterable[Fraction], *, progress: bool | None = None
) -> Gaps:
    """Compute the eigenvalues of blocks, join ``values`` to them, and count at many tolerances.

    Examples
    --------
    >>> from polyfilter.graphs import Graph
    >>> from polyfilter.quotient import stack
    >>> measure_gaps(stack([Graph.from_edges([(0, 1)])]), []).count
    2
    """
    sizes = blocks.sizes
    if sizes[0] > MAX_NODES:
        raise CapacityError(
            f"a component has {sizes[0]} nodes after twins are merged, and method 'float' takes "
            f"dense matrices of up to {MAX_NODES}; use method 'modular'"
        )
    work = sizes.astype(np.float64) ** 3
    parts = [np.array([float(value) for value in values])]
    with bar(float(work.sum()), "eigenvalues", progress) as update:
        for b, cost in enumerate(work):
            parts.append(np.linalg.eigvalsh(_symmetric(blocks.pick(np.array([b])))))
            update(float(cost))
    gaps = np.diff(np.sort(np.concatenate(parts)))
    tolerance = float_tolerance(int(sizes[0]))
    return Gaps(
        count=_count(gaps, tolerance),
        tolerance=tolerance,
        above=float(gaps.min(where=gaps > tolerance, initial=np.inf)),
        below=float(gaps.max(where=gaps <= tolerance, initial=0.0)),
        table=tuple((t, _count(gaps, t)) for t in TOLERANCES),
    )


def _count(gaps: NDArray[np.float64], tolerance: float) -> int:
    return 1 + int(np.count_nonzero(gaps > tolerance))


def _symmetric(block: Blocks) -> NDArray[np.float64]:
    """Return the symmetric matrix that D^-1 (W K + L) is similar to, by the diagonal (D K)^1/2."""
    rows = np.repeat(np.arange(block.num_nodes), np.diff(block.indptr))
    k = block.multiplicity.astype(np.float64)
    degrees = np.bincount(rows, block.weights * k[block.indices], block.num_nodes) + block.loops
    root = np.sqrt(np.where(degrees > 0, degrees, 1.0) / k)
    A = np.zeros((block.num_nodes, block.num_nodes))
    A[rows, block.indices] = block.weights / root[rows] / root[block.indices]
    np.fill_diagonal(A, block.loops / root / root / k)
    return A
