r"""Distinct roots of many polynomials modulo primes, and what they prove over the rationals.

The map is

.. math::
    \{g_1, \dots, g_b\} \subset \mathbb F_p[x] \;\mapsto\;
    \deg \operatorname{lcm}(g_1, \dots, g_b),

applied to minimal polynomials of the blocks of a graph set (:mod:`polyfilter.wiedemann`).

*What it proves.* Over the rationals, :math:`\Gamma = \deg \operatorname{lcm}(m_1, \dots, m_b)` with
:math:`m_i` the minimal polynomials. If :math:`p` divides no degree, the reduction of
:math:`\operatorname{lcm}(m_i)` modulo :math:`p` keeps its degree and is a multiple of every
:math:`g_i`. So every prime gives a proven lower bound, and one that is *lucky* gives
:math:`\Gamma`.

*One tree instead of many gcds.* Let :math:`P = \prod g_i`. The part of :math:`g_i` that it shares
with others is :math:`s_i = \gcd(g_i, P')`: a factor that :math:`P` has :math:`E` times and
:math:`g_i` has :math:`e` times is in :math:`P'` exactly :math:`E - 1` times (:math:`p` exceeds the
degree of :math:`P`), so in :math:`s_i` it is :math:`\min(e, E - 1)` times, which is :math:`e` if it
is shared and :math:`e - 1` if it is not. Hence

.. math::
    \deg \operatorname{lcm}(g_i) = \sum_i (\deg g_i - \deg s_i) + \deg \operatorname{lcm}(s_i).

All :math:`P' \bmod g_i` come from one product tree and one scaled remainder tree (Bernstein,
*Scaled remainder trees*, 2004): below the root there are only multiplications, and the gcds that
remain are small. The usual tree of least common multiples takes a gcd at every node; it is twice as
slow.

*Another prime is cheaper.* For any polynomial :math:`h`, the degree of the least common multiple is
at most :math:`\deg h + \sum_i (\deg g_i - \deg \gcd(g_i, h))`. With :math:`h` the shared part,
found from a few *witnesses*, this says without a tree that the second prime finds no more than the
first.

>>> count_roots([np.array([0, 100, 0, 1]), np.array([100, 0, 1])], 101).value  # x^3 - x, x^2 - 1
3
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from math import ceil, log

import numpy as np
from flint import fmpz, nmod_poly

from polyfilter.progress import bar, cancel, spread
from polyfilter.quotient import Blocks, Words
from polyfilter.wiedemann import MAX_PRIME, UnluckyPrimeError, minimal_polynomials

__all__ = ["ModularCount", "RootCount", "bound_roots", "count_roots", "modular_count", "risk"]

RISK = 1e-6
"""Primes are drawn until the chance that all of them were unlucky is estimated below this."""

CONFIRM_DEGREE = 1000
"""Largest degree of the shared part h for which :func:`bound_roots` is cheaper than a tree.

A gcd of :math:`g_i` with h takes :math:`\\deg h` operations for each degree of :math:`g_i`; a tree
takes some thousands."""

BATCH = 1 << 17
"""Blocks are worked on together while their nodes, padded to the largest, are no more than this."""


TREE_STEPS = 500
"""A tree takes about as long as this many Krylov steps; only the progress bar wants to know."""


@dataclass(frozen=True)
class RootCount:
    """Number of distinct roots, and the polynomials that together show every coincidence twice.

    Examples
    --------
    >>> RootCount(3, witnesses=(0, 2)).value
    3
    """

    value: int
    witnesses: tuple[int, ...] | None


@dataclass(frozen=True)
class ModularCount:
    """What a few primes say about the number of distinct eigenvalues.

    ``value`` is a proven lower bound. ``primes`` agree on it; ``unlucky`` ones gave less or could
    not be used. ``chance`` estimates the probability that all were unlucky.
    """

    value: int
    primes: tuple[int, ...]
    unlucky: tuple[int, ...]
    chance: float


def modular_count(
    blocks: Blocks,
    values: Sequence[Fraction],
    upper: int,
    rng: np.random.Generator,
    *,
    executor: Executor | None = None,
    progress: bool | None = None,
    primes: Sequence[int] = (),
) -> ModularCount:
    """Count the distinct eigenvalues of blocks, together with ``values``, modulo random primes.

    Parameters
    ----------
    blocks, values
        A graph set after :func:`polyfilter.quotient.collapse`.
    upper
        A proven upper bound. When a prime reaches it, no second one is needed.
    rng
        Where primes and vectors come from.
    executor, progress
        As in :func:`polyfilter.capacity.spectrum_capacity`.
    primes
        Primes to try before random ones; for tests.

    Examples
    --------
    >>> from polyfilter.graphs import Graph
    >>> from polyfilter.quotient import collapse, stack
    >>> path = Graph.from_edges([(0, 1), (1, 2), (2, 3)])
    >>> blocks, values = collapse(stack([path]))
    >>> modular_count(blocks, sorted(values), 4, np.random.default_rng(0)).value
    4
    """
    candidates = chain(primes, random_primes(rng))
    pieces = list(batches(blocks, BATCH if executor is None else BATCH // 8))
    best, agreeing, unlucky, chance = RootCount(0, None), list[int](), list[int](), 1.0

    with bar(_expected_work(blocks), "eigenvalues modulo primes", progress) as update:

        def start(prime: int) -> Iterator[list[Words]]:
            seeds = rng.integers(1 << 62, size=len(pieces)).tolist()
            items = [(piece, prime, seed) for piece, seed in zip(pieces, seeds, strict=True)]
            if executor is None:
                return (_krylov(*item, tick=update) for item in items)
            return spread(_krylov, items, executor)

        running = [(prime, start(prime)) for prime in (next(candidates), next(candidates))]
        while best.value < upper and (len(agreeing) < 2 or chance > RISK):
            prime, results = running.pop(0) if running else (p := next(candidates), start(p))
            try:
                polynomials = [_linear(value, prime) for value in values]
                for piece, found in zip(pieces, results, strict=True):
                    polynomials += found
                    update(0 if executor is None else _krylov_work(piece))
                count = _compare(polynomials, prime, best)
                update(TREE_STEPS * blocks.num_nodes)
            except UnluckyPrimeError:
                unlucky.append(prime)
                continue
            chance *= risk(count.value, len(polynomials), prime)
            if count.value > best.value:
                unlucky += agreeing
                best, agreeing = count, [prime]
            else:
                (agreeing if count.value == best.value else unlucky).append(prime)
        for _, results in running:
            cancel(results)
    return ModularCount(best.value, tuple(agreeing), tuple(unlucky), chance)


def risk(value: int, polynomials: int, prime: int) -> float:
    r"""Estimate the chance that a random prime gives less than :math:`\Gamma`.

    Each of the ``value`` eigenvalues is missing from a random vector with probability at most
    :math:`1/p`; that is proven. A random polynomial modulo :math:`p` has a double root, and two
    of them a common one, with probability :math:`1/p`; that primes divide discriminants and
    resultants of graphs no more often than that is taken for granted.

    >>> print(f"{risk(70_000, 1_000, 2**31 - 1):.0e}")
    3e-04
    """
    return min(0.5, (value + polynomials * (polynomials + 1) / 2) / prime)


def count_roots(polynomials: Sequence[Words], prime: int) -> RootCount:
    """Return the degree of the least common multiple of monic polynomials modulo ``prime``.

    Parameters
    ----------
    polynomials
        Coefficients, lowest first.
    prime
        A prime, larger than the sum of the degrees.
    """
    index = {g.tobytes(): i for i, g in enumerate(polynomials)}
    family = [(nmod_poly(polynomials[i].tolist(), prime), i) for i in index.values()]
    family.sort(key=lambda pair: pair[0].degree())  # so that products have factors of one size
    if sum(g.degree() for g, _ in family) >= prime:
        raise UnluckyPrimeError(f"{prime} is smaller than the number of eigenvalues")
    shared = _shared_parts([g for g, _ in family])
    h = _lcm(shared, prime)
    value = h.degree() + sum(
        g.degree() - s.degree() for (g, _), s in zip(family, shared, strict=True)
    )
    if h.degree() > CONFIRM_DEGREE:
        return RootCount(value, None)
    chosen = _witnesses(shared, h)
    return RootCount(value, tuple(family[k][1] for k in chosen))


def bound_roots(polynomials: Sequence[Words], prime: int, witnesses: Sequence[int]) -> int:
    """Return an upper bound on :func:`count_roots`; it is reached if ``witnesses`` say it all.

    >>> family = [np.array([0, 100, 0, 1]), np.array([100, 0, 1])]
    >>> bound_roots(family, 101, ()), bound_roots(family, 101, (0, 1))
    (5, 3)
    """
    index = {g.tobytes(): i for i, g in enumerate(polynomials)}
    family = {i: nmod_poly(polynomials[i].tolist(), prime) for i in index.values()}
    chosen = {index[polynomials[i].tobytes()] for i in witnesses}
    h = _lcm(_shared_parts([family[i] for i in sorted(chosen)]), prime)
    return h.degree() + sum(g.degree() - g.gcd(h).degree() for g in family.values())


def random_primes(rng: np.random.Generator) -> Iterator[int]:
    """Yield different random primes between 2^30 and 2^31."""
    drawn: set[int] = set()
    while True:
        candidate = int(rng.integers(MAX_PRIME >> 1, MAX_PRIME))
        if candidate not in drawn and fmpz(candidate).is_prime():
            drawn.add(candidate)
            yield candidate


def batches(blocks: Blocks, limit: int) -> Iterator[Blocks]:
    """Split blocks into runs of which each, padded to its first block, has ``limit`` nodes or less.

    >>> from polyfilter.graphs import Graph
    >>> from polyfilter.quotient import stack
    >>> path_and_edges = stack([Graph.from_edges([(0, 1), (1, 2), (3, 4), (5, 6)])])
    >>> [piece.sizes.tolist() for piece in batches(path_and_edges, 5)]
    [[3], [2, 2]]
    """
    start = 0
    while start < blocks.num_blocks:
        count = max(1, limit // int(blocks.sizes[start]))
        end = min(start + count, blocks.num_blocks)
        yield blocks.pick(np.arange(start, end))
        start = end


def _krylov_work(blocks: Blocks) -> float:
    """Return the number of steps of each block, times its nodes."""
    return float((blocks.sizes.astype(np.float64) ** 2).sum())


def _expected_work(blocks: Blocks) -> float:
    """Return what the usual number of primes will take, in nodes times steps."""
    chance = risk(blocks.num_nodes, blocks.num_blocks, MAX_PRIME)
    primes = max(2, ceil(log(RISK) / log(chance)))
    return primes * (_krylov_work(blocks) + TREE_STEPS * blocks.num_nodes)


def _krylov(
    blocks: Blocks, prime: int, seed: int, tick: Callable[[float], object] | None = None
) -> list[Words]:
    rng = np.random.default_rng(seed)
    return minimal_polynomials(blocks, prime, rng, tick or (lambda nodes: None))


def _compare(polynomials: list[Words], prime: int, best: RootCount) -> RootCount:
    """Return the count of this prime, or a bound on it if that is no more than the best so far."""
    if best.witnesses is not None:
        bound = bound_roots(polynomials, prime, best.witnesses)
        if bound <= best.value:
            return RootCount(bound, None)
    return count_roots(polynomials, prime)


def _linear(value: Fraction, prime: int) -> Words:
    """Return x - value modulo a prime."""
    if value.denominator % prime == 0:
        raise UnluckyPrimeError(f"{prime} divides a degree")
    root = value.numerator * pow(value.denominator, -1, prime) % prime
    return np.array([-root % prime, 1], dtype=np.uint64)


def _shared_parts(family: list[nmod_poly]) -> list[nmod_poly]:
    """Return gcd(g, P') for each g, where P is the product of all."""
    if len(family) < 2:
        return [g.gcd(g.derivative()) for g in family]
    levels = [family]
    while len(levels[-1]) > 1:
        level = levels[-1]
        products = [a * b for a, b in zip(level[::2], level[1::2], strict=False)]
        levels.append(products + level[len(level) & ~1 :])
    (product,) = levels.pop()
    n = product.degree()
    # f is the fractional part of P' / g, a series in 1/x: its first deg g terms, times x^deg g
    inverse = product.reverse(n).inverse_series_trunc(n)
    fractions = [product.derivative().reverse(n - 1).mul_low(inverse, n).reverse(n - 1)]
    for level in reversed(levels):
        below: list[nmod_poly] = []
        for f, a, b in zip(fractions, level[::2], level[1::2], strict=False):
            # P' / a = (P' / ab) b; what is kept of the product does not feel the cut
            n = a.degree() + b.degree()
            below.append((f * b).truncate(n).right_shift(b.degree()))
            below.append((f * a).truncate(n).right_shift(a.degree()))
        fractions = below + fractions[len(level) // 2 :]
    return [g.gcd((f * g).right_shift(g.degree())) for f, g in zip(fractions, family, strict=True)]


def _lcm(polynomials: list[nmod_poly], prime: int) -> nmod_poly:
    """Return the least common multiple by a balanced tree; that of none is 1."""
    distinct = {g.str(): g for g in polynomials if g.degree() > 0}
    level = sorted(distinct.values(), key=lambda g: g.degree()) or [nmod_poly([1], prime)]
    while len(level) > 1:
        pairs = zip(level[::2], level[1::2], strict=False)
        level = [a * (b // a.gcd(b)) for a, b in pairs] + level[len(level) & ~1 :]
    return level[0]


def _witnesses(shared: list[nmod_poly], h: nmod_poly) -> list[int]:
    """Choose polynomials among which every root of h is shared, most of them small."""
    once = twice = nmod_poly([1], h.modulus())
    chosen = []
    for i, s in enumerate(shared):
        if twice.degree() == h.degree():
            break
        new = s // s.gcd(twice)
        if new.degree() > 0:
            again = new.gcd(once)
            once, twice = once * (new // again), twice * again
            chosen.append(i)
    return chosen
