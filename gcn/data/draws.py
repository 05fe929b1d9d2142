r"""Random numbers that are the same on every machine, and will be next year.

The map is ``name -> u_1, u_2, ...``, from any text to a stream of its own. numpy promises to keep
the raw 64-bit words of its bit generators for ever, and no more than that: how a ``Generator``
turns words into integers or normal numbers has changed before and may again. So the words are
taken raw, and the rest is done here in one line each:

.. math:: u = \frac{\lfloor w / 2^{12} \rfloor + 1/2}{2^{52}} \in (0, 1), \qquad
          k = l + \lfloor (h - l + 1) u \rfloor, \qquad z = \Phi^{-1}(u) .

Uniform numbers and integers are exact, so all decisions made with them are too. Normal numbers
carry the rounding of :math:`\Phi^{-1}`, about :math:`10^{-15}`.

>>> Draws("a die").integers(1, 6, 8)
array([1, 2, 6, 1, 6, 6, 2, 3])
"""

from hashlib import sha256
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

__all__ = ["Draws"]

Floats: TypeAlias = NDArray[np.float64]


class Draws:
    """A stream of random numbers that depends on its name alone.

    The name's SHA-256 is the key of a Philox generator, so that streams of two names have nothing
    to do with each other.

    Examples
    --------
    >>> bool(Draws("a").uniform(1) == Draws("b").uniform(1))
    False
    """

    def __init__(self, name: str) -> None:
        key = int.from_bytes(sha256(name.encode()).digest()[:16], "little")
        self._words = np.random.Philox(key=key)

    def uniform(self, size: int) -> Floats:
        """Return numbers uniform in the open interval (0, 1).

        Examples
        --------
        >>> u = Draws("a").uniform(1000)
        >>> bool(0 < u.min() < u.max() < 1)
        True
        """
        words = self._words.random_raw(size)
        return np.asarray(((words >> np.uint64(12)) + 0.5) * 2.0**-52)

    def integers(self, low: ArrayLike, high: ArrayLike, size: int) -> NDArray[np.int64]:
        """Return integers uniform in {low, ..., high}, both ends included.

        No value is likelier than another by more than :math:`2^{-52}`.

        Examples
        --------
        >>> sorted(set(Draws("a").integers(0, 2, 99).tolist()))
        [0, 1, 2]
        """
        first, last = np.asarray(low, dtype=np.int64), np.asarray(high, dtype=np.int64)
        return first + np.floor((last - first + 1) * self.uniform(size)).astype(np.int64)

    def normal(self, size: int) -> Floats:
        """Return standard normal numbers.

        Examples
        --------
        >>> bool(abs(Draws("a").normal(10_000).std() - 1) < 0.05)
        True
        """
        return np.asarray(ndtri(self.uniform(size)))
