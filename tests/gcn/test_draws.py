"""Random numbers by name: the same for ever, exact at their ends, and uniform."""

import numpy as np
import pytest

from gcn.data.draws import Draws


class Words:
    """A bit generator that says what it is told to."""

    def __init__(self, words: list[int]) -> None:
        self.words = np.array(words, dtype=np.uint64)

    def random_raw(self, size: int) -> np.ndarray:
        return np.resize(self.words, size)


def test_uniform_numbers_are_pinned_to_the_bit() -> None:
    # If this fails, every data set made from a seed has changed: raise the version of the files.
    found = [float(u).hex() for u in Draws("pinned").uniform(3)]
    assert found == ["0x1.a259630e6677ap-2", "0x1.d913bee264ed2p-2", "0x1.8f0b1f5a6a84cp-3"]


@pytest.mark.parametrize(("word", "u"), [(0, 2.0**-53), (2**64 - 1, 1 - 2.0**-53)])
def test_ends_are_open(monkeypatch: pytest.MonkeyPatch, word: int, u: float) -> None:
    draws = Draws("any")
    monkeypatch.setattr(draws, "_words", Words([word]))
    assert draws.uniform(1)[0] == u
    assert np.isfinite(draws.normal(1)).all()
    assert draws.integers(-2, 7, 1)[0] == (-2 if word == 0 else 7)


def test_integers_are_uniform_between_their_ends() -> None:
    count, kinds = 60_000, 6
    values = Draws("dice").integers(1, kinds, count)
    found = np.bincount(values, minlength=kinds + 1)[1:]
    # a count is binomial; six standard deviations are missed once in 10^9
    deviation = np.sqrt(count / kinds * (1 - 1 / kinds))
    assert np.all(abs(found - count / kinds) < 6 * deviation)


def test_each_integer_can_have_ends_of_its_own() -> None:
    values = Draws("own").integers([0, 10, 20], [0, 10, 29], 3)
    assert values[0] == 0
    assert values[1] == 10
    assert 20 <= values[2] <= 29


def test_normal_numbers_have_the_moments_of_normal_numbers() -> None:
    count = 100_000
    z = Draws("bell").normal(count)
    # the k-th moment of a sample has the variance (m_2k - m_k^2) / count
    for power, moment, variance in ((1, 0, 1), (2, 1, 2), (3, 0, 15), (4, 3, 96)):
        assert abs(np.mean(z**power) - moment) < 6 * np.sqrt(variance / count)


def test_streams_go_on_and_names_part_them() -> None:
    draws = Draws("a")
    both = np.concatenate([draws.uniform(5), draws.uniform(7)])
    assert np.array_equal(both, Draws("a").uniform(12))
    assert not np.intersect1d(both, Draws("A").uniform(12)).size
