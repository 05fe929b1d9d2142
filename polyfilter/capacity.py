r"""Spectrum capacity: how many different eigenvalues a set of graphs has (Definition 2).

The map is

.. math:: \{G_1, \dots, G_s\} \;\mapsto\;
    \Gamma = \Bigl|\, \bigcup_i \mathcal S\bigl(A(G_i)\bigr) \Bigr|,
    \qquad A = D^{-1/2} W D^{-1/2},

the number of layers' worth of filters that the set can tell apart: filters of degree
:math:`\Gamma - 1` are all filters (Lemma 1), and :math:`\lceil (\Gamma - 1) / 2 \rceil`
second-order layers make any of them (Theorem 1).

Floats can't count it, for two eigenvalues that differ by 1e-12 may be one or two. But :math:`A` is
similar to :math:`D^{-1} W`, and its weights, floats as they are, are rational numbers. So
:math:`\Gamma` is the degree of a least common multiple of polynomials with rational coefficients,
and needs no tolerance. Each method starts from the few small blocks that have the same eigenvalues
as the set (:mod:`polyfilter.quotient`):

* ``"modular"`` works modulo random primes (:mod:`polyfilter.wiedemann`, :mod:`polyfilter.modular`):
  a proven lower bound, which is :math:`\Gamma` but for a chance that is stated. It takes sparse
  graphs of tens of thousands of nodes.
* ``"algebraic"`` factors characteristic polynomials over the rationals
  (:mod:`polyfilter.algebraic`): a proof.
* ``"float"`` counts gaps between computed eigenvalues, and shows how the count moves with the
  tolerance.

>>> from polyfilter.graphs import Graph, GraphSet
>>> star = Graph.from_edges([(0, 1), (0, 2), (0, 3)])
>>> path = Graph.from_edges([(0, 1), (1, 2), (2, 3)])
>>> spectrum_capacity(GraphSet([star, path])).value  # -1, 0, 1 and -1, -1/2, 1/2, 1
5
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from functools import partial
from html import escape
from typing import Literal

import numpy as np

from polyfilter.algebraic import Factor, algebraic_factors
from polyfilter.errors import CapacityError
from polyfilter.gaps import Gaps, measure_gaps
from polyfilter.graphs import Graph, GraphSet
from polyfilter.isomorphism import distinct
from polyfilter.modular import ModularCount, modular_count
from polyfilter.quotient import collapse, stack

__all__ = ["SpectrumCapacity", "spectrum_capacity"]

Method = Literal["modular", "algebraic", "float"]


@dataclass(frozen=True, repr=False)
class SpectrumCapacity:
    """The spectrum capacity of a graph set, with what is known about it.

    Attributes
    ----------
    value
        The number Γ of distinct eigenvalues.
    method
        How it was found.
    proof
        What is proven, in one or two sentences.
    lower, upper
        Proven bounds on Γ; they are equal if and only if ``value`` is proven.
    graphs, eigenvalues
        Number of graphs, and of their eigenvalues counted with multiplicity.
    distinct_components, distinct_nodes
        Number of connected components, and of nodes in them, that had to be worked on: one of each
        kind that was recognized, with twins merged.
    primes
        The primes that agree on ``value`` (modular).
    unlucky
        Primes that were drawn and gave less, or could not be used (modular).
    factors
        The irreducible polynomials over the integers whose roots are the eigenvalues, as
        coefficients from the lowest (algebraic).
    gaps
        What a person needs to judge the count (float).
    """

    value: int
    method: Method
    proof: str
    lower: int
    upper: int
    graphs: int
    eigenvalues: int
    distinct_components: int
    distinct_nodes: int
    primes: tuple[int, ...] = ()
    unlucky: tuple[int, ...] = ()
    factors: frozenset[Factor] = field(default=frozenset())
    gaps: Gaps | None = None

    @property
    def proven(self) -> bool:
        """Whether nothing is left to chance or rounding."""
        return self.lower == self.upper

    def __int__(self) -> int:
        return self.value

    def __repr__(self) -> str:
        rows = "\n".join(f"  {key:<12}{text}" for key, text in self._rows())
        return f"SpectrumCapacity Γ = {self.value:,}\n{rows}"

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><th>{key}</th><td style='text-align:left'>{escape(text)}</td></tr>"
            for key, text in self._rows()
        )
        table = "" if self.gaps is None else self.gaps._repr_html_()
        return f"<table><caption>Γ = {self.value:,}</caption>{rows}</table>{table}"

    def _rows(self) -> list[tuple[str, str]]:
        known = "proven" if self.proven else f"proven: at least {self.lower:,}"
        rows = [
            ("method", f"{self.method} ({known})"),
            ("graphs", f"{self.graphs:,} with {self.eigenvalues:,} eigenvalues"),
            (
                "components",
                f"{self.distinct_components:,} distinct, {self.distinct_nodes:,} nodes",
            ),
            ("proof", self.proof),
        ]
        if self.gaps is not None:
            rows.insert(3, ("tolerances", str(self.gaps)))
        return rows


def spectrum_capacity(
    s: Graph | GraphSet,
    method: Method = "modular",
    executor: Executor | None = None,
    *,
    seed: int | np.random.Generator = 0,
    progress: bool | None = None,
) -> SpectrumCapacity:
    r"""Return the spectrum capacity :math:`\Gamma` of a graph set (Definition 2).

    Parameters
    ----------
    s
        A graph set, or one graph. Sizes may differ, weights are taken as the exact rational
        numbers that they are, and isolated nodes have the eigenvalue 0.
    method
        ``"modular"``, ``"algebraic"`` or ``"float"``, see :mod:`polyfilter.capacity`.
    executor
        Any :class:`concurrent.futures.Executor`, over whose workers the components are spread.
    seed
        Where random primes and vectors come from (modular).
    progress
        Whether to show a progress bar; by default on long work, if stderr is a terminal.

    Returns
    -------
    SpectrumCapacity
        The number, and what is proven about it.

    Examples
    --------
    >>> hexagon = Graph.from_edges([(i, (i + 1) % 6) for i in range(6)])
    >>> spectrum_capacity(hexagon).value
    4
    >>> spectrum_capacity(hexagon, "algebraic").proven
    True
    """
    return _capacity(s, method, executor, seed, progress, primes=())


def _capacity(
    s: Graph | GraphSet,
    method: Method,
    executor: Executor | None,
    seed: int | np.random.Generator,
    progress: bool | None,
    *,
    primes: Sequence[int],
) -> SpectrumCapacity:
    """Do the work of :func:`spectrum_capacity`, trying ``primes`` before random ones."""
    if method not in ("modular", "algebraic", "float"):
        raise CapacityError(
            f"there is no method {method!r}; choose 'modular', 'algebraic' or 'float'"
        )
    if not isinstance(s, Graph | GraphSet):
        raise CapacityError(f"a Graph or a GraphSet has a spectrum capacity, not {s!r:.60}")
    graphs = [s] if isinstance(s, Graph) else list(s)
    blocks, split = collapse(stack(graphs))
    blocks, values = distinct(blocks), sorted(split)
    upper = blocks.upper_bound(values)
    result = partial(
        SpectrumCapacity,
        method=method,
        graphs=len(graphs),
        eigenvalues=sum(graph.num_nodes for graph in graphs),
        distinct_components=blocks.num_blocks,
        distinct_nodes=blocks.num_nodes,
    )
    if method == "float":
        gaps = measure_gaps(blocks, values, progress=progress)
        return result(gaps.count, proof=_float_proof(gaps), lower=1, upper=upper, gaps=gaps)
    if method == "algebraic":
        factors = frozenset(algebraic_factors(blocks, values, executor=executor, progress=progress))
        gamma = sum(len(factor) - 1 for factor in factors)
        proof = _algebraic_proof(gamma, len(factors))
        return result(gamma, proof=proof, lower=gamma, upper=gamma, factors=factors)
    count = modular_count(
        blocks,
        values,
        upper,
        np.random.default_rng(seed),
        executor=executor,
        progress=progress,
        primes=primes,
    )
    return result(
        count.value,
        proof=_modular_proof(count, upper),
        lower=count.value,
        upper=upper,
        primes=count.primes,
        unlucky=count.unlucky,
    )


def _modular_proof(count: ModularCount, upper: int) -> str:
    gamma, primes = count.value, count.primes
    found = (
        f"the minimal polynomials have {gamma} distinct roots modulo the prime {primes[0]}, hence "
        "at least as many over the rationals"
    )
    if gamma == upper:
        return (
            f"Γ = {gamma} is proven: {found}, and there are no more than that once components, "
            "twins and the parts of bipartite graphs are taken into account."
        )
    return (
        f"Γ ≥ {gamma} is proven: {found}. None of the primes {', '.join(map(str, primes))} finds "
        f"more, so that Γ = {gamma} unless all of them are unlucky, of which the chance is "
        f"estimated as {count.chance:.0e}. Γ ≤ {upper} is proven by counting nodes."
    )


def _algebraic_proof(gamma: int, factors: int) -> str:
    return (
        f"Γ = {gamma} is proven: it is the sum of the degrees of the {factors} different "
        "irreducible factors of the characteristic polynomials over the rationals."
    )


def _float_proof(gaps: Gaps) -> str:
    return (
        f"This is no proof: {gaps.count} groups of computed eigenvalues are more than "
        f"{gaps.tolerance:.1e} apart. The smallest gap above that is {gaps.above:.1e} and the "
        f"largest below is {gaps.below:.1e}; unless they lie far apart, floats can't tell."
    )
