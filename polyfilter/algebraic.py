r"""Irreducible factors of characteristic polynomials over the rationals: a proof.

The map is

.. math:: C = D^{-1} N \;\mapsto\; \chi(x) = \det(x D - N) \in \mathbb Z[x] \;\mapsto\;
    \{\text{irreducible factors of } \chi\},

for the integer matrices :math:`N = W K + L`, :math:`D = \mathrm{diag}(N 1)` of a block of
:mod:`polyfilter.quotient`. Different irreducible primitive polynomials have no root in common and
none has a double root, so that the number of distinct eigenvalues of a family is the sum of the
degrees of the set of all factors. No tolerance, no prime and no chance remains.

*Why the coefficients are exact.* All roots of :math:`\chi` lie in :math:`[-1, 1]` and its leading
coefficient is :math:`\Delta = \prod d_i`, so that its coefficients are at most
:math:`\Delta \binom{n}{\lfloor n/2 \rfloor}` in absolute value. Characteristic polynomials modulo
primes whose product is more than twice that determine them, by the Chinese remainder theorem.

>>> from polyfilter.graphs import Graph
>>> from polyfilter.quotient import stack
>>> cycle = stack([Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 4), (4, 0)])])
>>> characteristic_polynomial(cycle)  # eigenvalues 1 and (-1 +- sqrt(5)) / 4, twice
32*x^5 + (-40)*x^3 + 10*x + (-2)
>>> sorted(irreducible_factors(cycle))  # -1 + x and -1 + 2 x + 4 x^2
[(-1, 1), (-1, 2, 4)]
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import Executor
from fractions import Fraction
from math import comb, lcm, prod

import numpy as np
from flint import fmpz, fmpz_poly, nmod_mat

from polyfilter.errors import CapacityError
from polyfilter.progress import bar, spread
from polyfilter.quotient import Blocks

__all__ = ["Factor", "algebraic_factors", "characteristic_polynomial", "irreducible_factors"]

Factor = tuple[int, ...]
"""Coefficients of a primitive irreducible polynomial, lowest first, the last one positive."""

MAX_NODES = 8192
"""A dense matrix of words for more nodes than this would take more than half a gigabyte."""


def algebraic_factors(
    blocks: Blocks,
    values: Iterable[Fraction],
    *,
    executor: Executor | None = None,
    progress: bool | None = None,
) -> set[Factor]:
    """Return the irreducible factors of all blocks, and those of the rational ``values``.

    Parameters
    ----------
    blocks, values
        A graph set after :func:`polyfilter.quotient.collapse`.
    executor, progress
        As in :func:`polyfilter.capacity.spectrum_capacity`.

    Examples
    --------
    >>> from polyfilter.graphs import Graph
    >>> from polyfilter.quotient import collapse, stack
    >>> path = Graph.from_edges([(0, 1), (1, 2), (2, 3)])           # eigenvalues ±1, ±1/2
    >>> blocks, values = collapse(stack([path]))
    >>> sorted(algebraic_factors(blocks, values))
    [(-1, 1), (-1, 2), (1, 1), (1, 2)]
    """
    sizes = blocks.sizes
    if sizes[0] > MAX_NODES:
        raise CapacityError(
            f"a component has {sizes[0]} nodes after twins are merged, and method 'algebraic' takes"
            f" dense matrices of up to {MAX_NODES}; use method 'modular'"
        )
    factors: set[Factor] = {(-value.numerator, value.denominator) for value in values}
    work = sizes.astype(np.float64) ** 4  # n^3 for each of a number of primes that grows with n
    singles = ((blocks.pick(np.array([b])),) for b in range(len(sizes)))
    with bar(float(work.sum()), "factoring over the rationals", progress) as update:
        found = spread(irreducible_factors, singles, executor)
        for more, cost in zip(found, work, strict=True):
            factors |= more
            update(float(cost))
    return factors


def irreducible_factors(block: Blocks) -> set[Factor]:
    """Return the irreducible factors of the characteristic polynomial of one block."""
    _, factors = characteristic_polynomial(block).factor()
    coefficients = (tuple(int(c) for c in factor.coeffs()) for factor, _ in factors)
    return {tuple(-c for c in f) if f[-1] < 0 else f for f in coefficients}


def characteristic_polynomial(block: Blocks) -> fmpz_poly:
    """Return the integer polynomial det(x D - N) of one block."""
    n = block.num_nodes
    entries, degrees = _integer_matrix(block)
    leading = prod(degrees)
    bound = 2 * leading * comb(n, n // 2)
    modulus, coefficients = 1, [0] * (n + 1)
    for p in _primes(leading):
        inverse = [pow(d, -1, p) for d in degrees]
        C = nmod_mat(n, n, p)
        for i, j, value in entries:
            C[i, j] = value * inverse[i] % p
        monic = C.charpoly().coeffs()
        lift = pow(modulus, -1, p)
        for k, residue in enumerate(monic):
            digit = (int(residue) * leading - coefficients[k]) * lift % p
            coefficients[k] += modulus * digit
        modulus *= p
        if modulus > bound:
            break
    return fmpz_poly([c - modulus if 2 * c > modulus else c for c in coefficients])


def _integer_matrix(block: Blocks) -> tuple[list[tuple[int, int, int]], list[int]]:
    """Return the entries (i, j, value) of N, scaled to integers, and its row sums.

    The row sum of an isolated node is taken as one: its row of N is zero either way.
    """
    rows = np.repeat(np.arange(block.num_nodes), np.diff(block.indptr))
    looped = np.flatnonzero(block.loops)
    triples = [
        (int(i), int(j), Fraction(float(w)) * int(k))
        for i, j, w, k in zip(
            np.concatenate((rows, looped)),
            np.concatenate((block.indices, looped)),
            np.concatenate((block.weights, block.loops[looped])),
            np.concatenate((block.multiplicity[block.indices], np.ones_like(looped))),
            strict=True,
        )
    ]
    scale = lcm(*(value.denominator for _, _, value in triples))
    entries = [(i, j, int(value * scale)) for i, j, value in triples]
    degrees = [0] * block.num_nodes
    for i, _, value in entries:
        degrees[i] += value
    return entries, [d or 1 for d in degrees]


def _primes(leading: int) -> Iterator[int]:
    """Yield the primes below 2^62 that don't divide ``leading``, from the largest down."""
    candidate = (1 << 62) - 1
    while True:
        if leading % candidate and fmpz(candidate).is_prime():
            yield candidate
        candidate -= 2
