"""Counts of real roots against certified isolation of all complex roots, and by construction."""

import pytest
from flint import fmpq, fmpq_poly, fmpz_poly
from hypothesis import example, given
from hypothesis import strategies as st

from polyfilter.errors import FilterError
from polyfilter.realroots import count_real_roots, is_real_rooted

small = st.integers(-6, 6)
polynomials = st.lists(st.integers(-50, 50), min_size=1, max_size=12).filter(any).map(fmpz_poly)


def isolated(p):
    """Count by isolating all complex roots: another algorithm, in ball arithmetic."""
    return sum(1 for root, _ in p.complex_roots() if root.imag == 0) if p.degree() > 0 else 0


@given(polynomials)
@example(fmpz_poly([0, 1]))
@example(fmpz_poly([0, -1, 0, 1]))  # roots at all the cuts: -1, 0, 1
@example(fmpz_poly([-1, 2]) * fmpz_poly([-1, 4]) * fmpz_poly([-3, 4]))  # and at 1/2, 1/4, 3/4
@example(fmpz_poly([5]))
def test_count_equals_isolation(p):
    assert count_real_roots(p) == isolated(p)


@given(polynomials, polynomials)
def test_roots_of_a_product_are_those_of_its_factors(p, q):
    common = count_real_roots(p.gcd(q))
    assert count_real_roots(p * q) == count_real_roots(p) + count_real_roots(q) - common
    assert is_real_rooted(p * q) == (is_real_rooted(p) and is_real_rooted(q))


@given(st.lists(st.tuples(small, st.integers(1, 6), st.integers(1, 3)), max_size=6), small)
def test_real_rooted_by_construction(roots, scale):
    p = fmpq_poly([scale or 1])
    for top, bottom, times in roots:
        p *= fmpq_poly([fmpq(-top, bottom), 1]) ** times
    assert is_real_rooted(p)
    assert count_real_roots(p) == len({fmpq(top, bottom) for top, bottom, _ in roots})
    assert not is_real_rooted(p * fmpq_poly([1, 1, 1]))


def test_neighbours_are_told_apart():
    """Two roots at a distance of 2^-300, and two that just fail to be real."""
    tiny = fmpq(1, 2**300)
    close = fmpq_poly([fmpq(-1, 3), 1]) * fmpq_poly([fmpq(-1, 3) - tiny, 1])
    assert count_real_roots(close) == 2
    assert count_real_roots(fmpq_poly([fmpq(-1, 3), 1]) ** 2 + tiny * tiny) == 0


def test_the_zero_polynomial():
    assert is_real_rooted(fmpz_poly([]))
    with pytest.raises(FilterError, match="zero polynomial"):
        count_real_roots(fmpz_poly([]))
