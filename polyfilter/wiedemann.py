r"""Minimal polynomials of sparse blocks modulo a prime, without a dense matrix.

The map is

.. math:: (C, p) \;\mapsto\; \text{the monic } g \text{ of least degree with }
    g(C)\, z = 0 \pmod p, \qquad z \text{ random},

for every block :math:`C = M (W + T)` of a block-diagonal matrix at once, with
:math:`M = K D^{-1}` and :math:`T = K^{-1} L` diagonal (the quotients of :mod:`polyfilter.quotient`,
seen in the variable :math:`z = K x`). It is Wiedemann's method: only products of the sparse matrix
with vectors. But :math:`C` is self-adjoint in the inner product
:math:`\langle x, y \rangle = x^T M^{-1} y`, so that Lanczos' three-term recurrence, here over
:math:`\mathbb F_p`, takes the place of the Berlekamp-Massey algorithm and halves the number of
products:

.. math::
    z_{k+1} = C z_k - \alpha_k z_k - \gamma_k z_{k-1}, \quad
    \alpha_k = \frac{\langle z_k, C z_k \rangle}{\langle z_k, z_k \rangle}, \quad
    \gamma_k = \frac{\langle z_k, z_k \rangle}{\langle z_{k-1}, z_{k-1} \rangle},

and :math:`g_{k+1}(x) = (x - \alpha_k) g_k(x) - \gamma_k g_{k-1}(x)`, so that
:math:`z_k = g_k(C) z_0`.

*Why* :math:`g_m` *with* :math:`z_m = 0` *is right.* The vectors before it are orthogonal and none
has norm zero, so they are independent; hence no polynomial of lower degree annihilates
:math:`z_0`, and :math:`g_m` divides the minimal polynomial of :math:`C` modulo :math:`p`. It equals
it unless :math:`z_0` lacks some eigenvalue, with probability at most :math:`1/p` for each. Modulo
:math:`p` a vector that is not zero may have norm zero, about once in :math:`p` steps; the block
then starts again with another :math:`z_0`.

*Why nothing overflows.* Residues are below :math:`p < 2^{31}` in unsigned 64-bit words. A sum of
three products is below :math:`3 \cdot 2^{62}`. A row of ``W z`` is below (row sum)
:math:`\cdot\, p`. Where that could pass :math:`2^{63}`, weights are reduced modulo :math:`p` and
split into digits of so few bits that a row of each is below :math:`2^{63}`; digits are put together
by Horner's rule, where :math:`2^{\text{shift}} y < 2^{63}` joins (:class:`SparseOperator`).

>>> from polyfilter.graphs import Graph
>>> from polyfilter.quotient import stack
>>> path = stack([Graph.from_edges([(0, 1), (1, 2)])])
>>> [g.tolist() for g in minimal_polynomials(path, 101, np.random.default_rng(0))]  # x^3 - x
[[0, 100, 0, 1]]
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from polyfilter.quotient import Blocks, Ints, Words, row_sums

__all__ = ["MAX_PRIME", "SparseOperator", "UnluckyPrimeError", "inverses", "minimal_polynomials"]

MAX_PRIME = 1 << 31
"""Primes lie below this, so that three products of residues fit into 64 bits."""

RESTARTS = 8
"""A norm vanishes about once in p steps; a prime for which it does so eight times is refused."""


class UnluckyPrimeError(ArithmeticError):
    """A prime that divides a degree or a multiplicity, or is far too small; draw another.

    Examples
    --------
    >>> issubclass(UnluckyPrimeError, ArithmeticError)
    True
    """


@dataclass(frozen=True, eq=False)
class SparseOperator:
    """``W + T`` and ``M`` modulo p, for :func:`minimal_polynomials`.

    Attributes
    ----------
    digits, shift
        ``W`` is the sum of ``digits[i] 2^(shift i)``; small integers are one digit.
    scale, scale_inverse
        The diagonals of ``M`` and of its inverse.
    looped, loops
        The nodes where ``T`` is not zero, and its values there.

    Examples
    --------
    >>> from polyfilter.graphs import Graph
    >>> from polyfilter.quotient import stack
    >>> path = stack([Graph.from_edges([(0, 1), (1, 2), (2, 3)])])
    >>> SparseOperator.of(path, 10007).prime
    10007
    """

    prime: int
    digits: tuple[csr_array, ...]
    shift: np.uint64
    scale: Words
    scale_inverse: Words
    looped: Ints
    loops: Words

    @classmethod
    def of(cls, blocks: Blocks, prime: int) -> SparseOperator:
        """Reduce blocks modulo ``prime``, which may divide no degree and no multiplicity."""
        n, p, lengths = blocks.num_nodes, np.uint64(prime), np.diff(blocks.indptr)
        shift = 32 - int(lengths.max()).bit_length()
        rows = np.repeat(np.arange(n), lengths)
        heaviest = np.bincount(rows, blocks.weights, minlength=1).max()
        if np.all(blocks.weights == np.rint(blocks.weights)) and heaviest * prime < 2.0**63:
            digits = [blocks.weights.astype(np.uint64)]
        else:
            weights = residues(blocks.weights, prime)
            mask = np.uint64((1 << shift) - 1)
            digits = [(weights >> np.uint64(i)) & mask for i in range(0, 31, shift)]
        k = blocks.multiplicity.astype(np.uint64) % p
        loops = residues(blocks.loops, prime)
        weighted = residues(blocks.weights, prime) * k[blocks.indices] % p
        degrees = (row_sums(weighted, blocks.indptr) + loops) % p
        degrees[(lengths == 0) & (blocks.loops == 0)] = 1  # the row of an isolated node is zero
        if not (degrees.all() and k.all()):
            raise UnluckyPrimeError(f"{prime} divides a degree or a multiplicity")
        inverse = inverses(np.concatenate((degrees, k)), prime)
        looped = np.flatnonzero(loops)
        return cls(
            prime,
            tuple(csr_array((d, blocks.indices, blocks.indptr), shape=(n, n)) for d in digits),
            np.uint64(shift),
            scale=k * inverse[:n] % p,
            scale_inverse=degrees * inverse[n:] % p,
            looped=looped,
            loops=(loops * inverse[n:] % p)[looped],
        )

    def head(self, nodes: int) -> SparseOperator:
        """Return the operator on the first ``nodes`` nodes, which end with a block."""
        indices, indptr = self.digits[0].indices, self.digits[0].indptr[: nodes + 1]
        parts = [(d.data[: indptr[-1]], indices[: indptr[-1]], indptr) for d in self.digits]
        loops = int(np.searchsorted(self.looped, nodes))
        return SparseOperator(
            self.prime,
            tuple(csr_array(part, shape=(nodes, nodes)) for part in parts),
            self.shift,
            self.scale[:nodes],
            self.scale_inverse[:nodes],
            self.looped[:loops],
            self.loops[:loops],
        )

    def __matmul__(self, z: Words) -> Words:
        """Return ``(W + T) z``, reduced."""
        p = np.uint64(self.prime)
        y: Words = reduce(self.digits[-1] @ z, p)
        for digit in self.digits[-2::-1]:
            y = reduce((y << self.shift) + digit @ z, p)
        if len(self.looped):
            y[self.looped] = (y[self.looped] + self.loops * z[self.looped]) % p
        return y


def minimal_polynomials(
    blocks: Blocks,
    prime: int,
    rng: np.random.Generator,
    tick: Callable[[int], object] = lambda nodes: None,
) -> list[Words]:
    """Return for each block the minimal polynomial of a random vector, lowest coefficient first.

    Parameters
    ----------
    blocks
        Blocks in order of falling size.
    prime
        A prime below 2^31.
    rng
        Where the random vectors come from.
    tick
        Called with the number of nodes that each step has worked on.

    Raises
    ------
    UnluckyPrimeError
        If the prime divides a degree, or is so small that norms keep vanishing.
    """
    if not 2 < prime < MAX_PRIME:
        raise UnluckyPrimeError(f"{prime} is not between 3 and 2^31")
    operator = SparseOperator.of(blocks, prime)
    found = _lanczos(blocks.offsets, operator, rng, tick)
    for _ in range(RESTARTS):
        failed = np.flatnonzero([g is None for g in found])
        if not len(failed):
            break
        again = blocks.pick(failed)
        repaired = _lanczos(again.offsets, SparseOperator.of(again, prime), rng, tick)
        for b, g in zip(failed, repaired, strict=True):
            found[b] = g
    polynomials = [g for g in found if g is not None]
    if len(polynomials) < len(found):
        raise UnluckyPrimeError(f"norms vanish modulo {prime} again and again")
    return polynomials


def _lanczos(
    offsets: Ints,
    operator: SparseOperator,
    rng: np.random.Generator,
    tick: Callable[[int], object],
) -> list[Words | None]:
    """Run the recurrence of the module docstring on all blocks; None where a norm vanished."""
    p, sizes = np.uint64(operator.prime), np.diff(offsets)
    found: list[Words | None] = [None] * len(sizes)
    lost = np.zeros(len(sizes), dtype=bool)  # blocks that are through, well or badly
    z = rng.integers(0, operator.prime, size=int(offsets[-1]), dtype=np.uint64)
    z_before = np.zeros_like(z)
    norm = _block_sums(reduce(reduce(operator.scale_inverse * z, p) * z, p), offsets, p)
    inverse_before = np.zeros_like(norm)
    # g and g_before hold the coefficients of g_k and g_{k-1}, one row for each block
    g = np.zeros((len(sizes), int(sizes[0]) + 1), dtype=np.uint64)
    g_before = np.zeros_like(g)
    g[:, 0] = 1
    _finish(found, lost, norm == 0, z, offsets, g[:, :1])
    for k in range(int(sizes[0])):
        if lost.all():
            break
        going = int(np.searchsorted(-sizes, -k))  # the blocks with more than k nodes
        nodes = int(offsets[going])
        if nodes < 0.9 * len(z):
            operator, offsets = operator.head(nodes), offsets[: going + 1]
            z, z_before, g, g_before = z[:nodes], z_before[:nodes], g[:going], g_before[:going]
            norm, inverse_before, sizes = norm[:going], inverse_before[:going], sizes[:going]
        y = operator @ z
        inverse = inverses(norm, operator.prime)
        minus_alpha = (p - _block_sums(reduce(z * y, p), offsets, p)) * inverse % p
        minus_gamma = (p - norm) * inverse_before % p
        owned = np.diff(offsets)
        z_next = operator.scale * y
        z_next += np.repeat(minus_alpha, owned) * z
        z_next += np.repeat(minus_gamma, owned) * z_before
        z, z_before = reduce(z_next, p), z
        # C z_k is z_{k+1} plus vectors that z_{k+1} is orthogonal to, and M^-1 C z_k is y
        norm, inverse_before = _block_sums(reduce(z * y, p), offsets, p), inverse
        g_next = g_before[:, : k + 2]
        g_next *= minus_gamma[:, None]
        g_next[:, : k + 1] += minus_alpha[:, None] * g[:, : k + 1]
        g_next[:, 1:] += g[:, : k + 1]
        reduce(g_next, p)
        g, g_before = g_before, g
        _finish(found, lost, norm == 0, z, offsets, g[:, : k + 2])
        tick(len(z))
    return found


def _finish(
    found: list[Words | None],
    lost: NDArray[np.bool_],
    vanished: NDArray[np.bool_],
    z: Words,
    offsets: Ints,
    g: Words,
) -> None:
    """Store the polynomials of blocks whose vector has just become zero."""
    for b in np.flatnonzero(vanished & ~lost[: len(vanished)]):
        lost[b] = True
        if not z[offsets[b] : offsets[b + 1]].any():
            found[b] = g[b].copy()


def residues(values: NDArray[np.float64], prime: int) -> Words:
    """Return float64 numbers modulo an odd prime, exactly: each is an integer times 2^e.

    >>> residues(np.array([0.5, 3.0, 102.0]), 101).tolist()
    [51, 3, 1]
    """
    mantissa, exponent = np.frexp(values)
    integer = np.ldexp(mantissa, 53).astype(np.uint64) % np.uint64(prime)
    powers, which = np.unique(exponent, return_inverse=True)
    table = np.array([pow(2, int(e) - 53, prime) for e in powers], dtype=np.uint64)
    return integer * table[which] % np.uint64(prime)


def inverses(x: Words, prime: int) -> Words:
    """Return the inverses modulo p; that of 0 is 0.

    One inverse of a product gives both of its factors' (Montgomery), so a tree of products needs
    a single one.

    >>> inverses(np.array([2, 0, 3], dtype=np.uint64), 101).tolist()
    [51, 0, 34]
    """
    zero = x == 0
    result = _tree_inverses(np.where(zero, np.uint64(1), x), prime)
    result[zero] = 0
    return result


def _tree_inverses(x: Words, prime: int) -> Words:
    if len(x) <= 4:
        return np.array([pow(int(v), -1, prime) for v in x], dtype=np.uint64)
    p, half = np.uint64(prime), len(x) // 2
    a, b, rest = x[:half], x[half : 2 * half], x[2 * half :]
    inverse = _tree_inverses(np.concatenate((reduce(a * b, p), rest)), prime)
    both = np.concatenate((inverse[:half] * b, inverse[:half] * a, inverse[half:]))
    return reduce(both, p)


def reduce(x: Words, p: np.uint64) -> Words:
    """Reduce ``x`` modulo p in place, and return it.

    numpy divides by a scalar several times faster than it takes a remainder.
    """
    quotient = x // p
    quotient *= p
    x -= quotient
    return x


def _block_sums(x: Words, offsets: Ints, p: np.uint64) -> Words:
    return np.add.reduceat(x, offsets[:-1]) % p
