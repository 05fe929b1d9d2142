r"""Filters as exact matrices: the rational twin of the normalized adjacency.

The map is :math:`A = D^{-1/2} W D^{-1/2} \mapsto B = D^{-1} W = D^{-1/2} A D^{1/2}` (with
:math:`D_{ii} = 1` at isolated nodes), entry by entry a rational number. Conjugation by
:math:`D^{1/2}` is linear, multiplicative and one to one, and maps :math:`h(A)` to :math:`h(B)` for
every polynomial :math:`h`. So whatever is said about sums, products, ranks, commutation and
eigenvalues of filters can be decided on :math:`B`, in exact arithmetic.

A filter on a graph set is a tuple of matrices, one a graph: its *blocks*.

>>> path = rational_adjacency(Graph.from_edges([(0, 1), (1, 2)]))
>>> path
[  0, 1,   0]
[1/2, 0, 1/2]
[  0, 1,   0]
>>> minimal_polynomial([path])
x^3 + (-1)*x
"""

from collections.abc import Iterable, Sequence
from fractions import Fraction

import numpy as np
from flint import fmpq, fmpq_mat, fmpq_poly

from polyfilter.claim import Drawing
from polyfilter.claims._common import describe
from polyfilter.graphs import Graph

__all__ = [
    "Blocks",
    "block_diagonal",
    "compose",
    "draw",
    "evaluate",
    "flatten",
    "identity",
    "least_common_multiple",
    "make",
    "minimal_polynomial",
    "power_ranks",
    "powers",
    "random_polynomial",
    "rational_adjacency",
    "show",
    "spectrum_text",
    "x",
]

Blocks = Sequence[fmpq_mat]
"""A filter on a graph set, or the set itself: one matrix a graph."""

x = fmpq_poly([0, 1])
"""The polynomial variable."""


def rational_adjacency(graph: Graph) -> fmpq_mat:
    """Return B = D^-1 W, with weights taken as the rational numbers that they are.

    >>> rational_adjacency(Graph.from_edges([(0, 1)], num_nodes=3, weights=[0.1]))
    [0, 1, 0]
    [1, 0, 0]
    [0, 0, 0]
    """
    n, W = graph.num_nodes, graph.adjacency
    B = fmpq_mat(n, n)
    for i in range(n):
        row = slice(W.indptr[i], W.indptr[i + 1])
        weights = [Fraction(float(w)) for w in W.data[row]]
        total = sum(weights, Fraction(0))
        for j, w in zip(W.indices[row], weights, strict=True):
            share = w / total
            B[i, int(j)] = fmpq(share.numerator, share.denominator)
    return B


def identity(n: int) -> fmpq_mat:
    """The identity matrix.

    >>> identity(2)
    [1, 0]
    [0, 1]
    """
    return fmpq_mat(n, n, [int(i == j) for i in range(n) for j in range(n)])


def block_diagonal(blocks: Blocks) -> fmpq_mat:
    """The matrix T of Appendix B, with the blocks on its diagonal; their sizes may differ.

    >>> block_diagonal([identity(1), 2 * identity(2)])
    [1, 0, 0]
    [0, 2, 0]
    [0, 0, 2]
    """
    total = sum(block.nrows() for block in blocks)
    T, start = fmpq_mat(total, total), 0
    for block in blocks:
        n = block.nrows()
        for i in range(n):
            for j in range(n):
                T[start + i, start + j] = block[i, j]
        start += n
    return T


def evaluate(h: fmpq_poly, B: fmpq_mat) -> fmpq_mat:
    """Return h(B), by Horner's rule.

    >>> evaluate(x**2 - 1, rational_adjacency(Graph.from_edges([(0, 1)])))
    [0, 0]
    [0, 0]
    """
    one = identity(B.nrows())
    value = 0 * one
    for c in reversed(h.coeffs()):
        value = value * B + c * one
    return value


def make(h: fmpq_poly, blocks: Blocks) -> list[fmpq_mat]:
    """Return the filter h(A), graph by graph.

    >>> make(x + 1, [identity(1), 2 * identity(1)])
    [[2], [3]]
    """
    return [evaluate(h, B) for B in blocks]


def compose(f: Blocks, g: Blocks) -> list[fmpq_mat]:
    """Return f ∘ g, graph by graph.

    >>> compose([2 * identity(1)], [3 * identity(1)])
    [[6]]
    """
    return [a * b for a, b in zip(f, g, strict=True)]


def powers(B: fmpq_mat, degree: int) -> list[fmpq_mat]:
    """Return I, B, ..., B^degree.

    >>> powers(2 * identity(1), 3)
    [[1], [2], [4], [8]]
    """
    found = [identity(B.nrows())]
    for _ in range(degree):
        found.append(found[-1] * B)
    return found


def flatten(blocks: Iterable[fmpq_mat]) -> list[fmpq]:
    """All entries of all blocks, as one vector.

    >>> flatten([identity(1), identity(2)])
    [1, 1, 0, 0, 1]
    """
    return [entry for block in blocks for entry in block.entries()]


def power_ranks(blocks: Blocks, degree: int) -> list[int]:
    r"""Return dim F_K for K = 0, ..., degree: the ranks of I, ..., B^K over the rationals.

    One elimination gives all: the powers are columns, and a column has a pivot if and only if it
    is no combination of those before it.

    >>> power_ranks([rational_adjacency(Graph.from_edges([(0, 1), (1, 2)]))], 4)
    [1, 2, 3, 3, 3]
    """
    stacks = zip(*(powers(block, degree) for block in blocks), strict=True)
    rows = fmpq_mat([flatten(stack) for stack in stacks])
    reduced, rank = rows.transpose().rref()
    pivots = [next(j for j in range(degree + 1) if reduced[i, j] != 0) for i in range(rank)]
    return [sum(pivot <= K for pivot in pivots) for K in range(degree + 1)]


def minimal_polynomial(blocks: Iterable[fmpq_mat]) -> fmpq_poly:
    """Return the monic m of least degree with m(B) = 0 for every block: that of T.

    >>> minimal_polynomial([identity(2), 2 * identity(1)])
    x^2 + (-3)*x + 2
    """
    return least_common_multiple(block.minpoly() for block in blocks)


def least_common_multiple(polynomials: Iterable[fmpq_poly]) -> fmpq_poly:
    """Return the monic polynomial of least degree that all divide.

    >>> least_common_multiple([x - 1, x**2 - 1, 2 * x])
    x^3 + (-1)*x
    """
    multiple = fmpq_poly([1])
    for p in polynomials:
        multiple *= p / multiple.gcd(p)
    return multiple / multiple.leading_coefficient()


def random_polynomial(rng: np.random.Generator, degree: int) -> fmpq_poly:
    """Draw a polynomial of exactly this degree with small rational coefficients.

    >>> random_polynomial(np.random.default_rng(0), 3).degree()
    3
    """
    tops = rng.integers(-9, 10, size=degree + 1).tolist()
    tops[-1] = tops[-1] or 1
    bottoms = rng.integers(1, 5, size=degree + 1).tolist()
    return fmpq_poly([fmpq(a, b) for a, b in zip(tops, bottoms, strict=True)])


# --------------------------------------------------------------------------------------- for eyes


def show(h: fmpq_poly) -> str:
    r"""Write a polynomial as LaTeX does, highest power first.

    >>> show(fmpq_poly([fmpq(-1, 2), 0, 1, -3]))
    '-3x^{3} + x^{2} - 1/2'
    """
    terms = []
    for k, c in reversed(list(enumerate(h.coeffs()))):
        if c != 0:
            power = "" if k == 0 else "x" if k == 1 else f"x^{{{k}}}"
            size = str(abs(c)) if abs(c) != 1 or k == 0 else ""
            terms.append(("- " if c < 0 else "+ ") + size + power)
    text = " ".join(terms) or "+ 0"
    return text[2:] if text[0] == "+" else "-" + text[2:]


def spectrum_text(B: fmpq_mat) -> str:
    """Eigenvalues with their multiplicities; fractions as they are, others to three digits.

    >>> spectrum_text(rational_adjacency(Graph.from_edges([(0, 1), (1, 2), (2, 0)])))
    '-1/2 (twice), 1'
    >>> spectrum_text(rational_adjacency(Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 4)])))
    '-1, -0.707, 0, 0.707, 1'
    """
    found: list[tuple[float, str]] = []
    for factor, times in B.charpoly().factor()[1]:
        often = {1: "", 2: " (twice)"}.get(times, f" ({times} times)")
        if factor.degree() == 1:
            root = -factor[0] / factor[1]
            found.append((int(root.p) / int(root.q), f"{root}{often}"))
        else:
            roots = np.polynomial.Polynomial([float(c) for c in factor.numer().coeffs()]).roots()
            found += [(value, f"{value:.3f}{often}") for value in roots.real.tolist()]
    return ", ".join(text for _, text in sorted(found))


def draw(caption: str, graph: Graph) -> Drawing:
    """Show a graph, with its name and its eigenvalues under it.

    >>> draw("Smallest", Graph.from_edges([(0, 1)])).caption
    'Smallest: K_2, eigenvalues -1, 1'
    """
    text = spectrum_text(rational_adjacency(graph))
    return Drawing(f"{caption}: {describe(graph)}, eigenvalues {text}", graph)
