"""Files that were damaged on the way, for tests of those who read them."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
from hypothesis import strategies as st

from gcn.data.dataset import DataError, Part


def spoilings(size: int) -> st.SearchStrategy[Callable[[bytes], bytes]]:
    """Give ways to damage a file of some size: cut it, overwrite, insert or remove bytes."""
    place = st.integers(0, size - 1)
    few = st.binary(min_size=1, max_size=4)
    return st.one_of(
        place.map(lambda at: lambda data: data[:at]),
        st.tuples(place, few).map(
            lambda edit: lambda data: data[: edit[0]] + edit[1] + data[edit[0] + len(edit[1]) :]
        ),
        st.tuples(place, few).map(
            lambda edit: lambda data: data[: edit[0]] + edit[1] + data[edit[0] :]
        ),
        st.tuples(place, st.integers(1, 8)).map(
            lambda edit: lambda data: data[: edit[0]] + data[sum(edit) :]
        ),
        few.map(lambda tail: lambda data: data + tail),
    )


def equal(a: dict[str, Part], b: dict[str, Part]) -> bool:
    """Whether two data sets hold the same numbers."""
    return a.keys() == b.keys() and all(
        (one is None and other is None)
        or (
            one.dtype == other.dtype and np.array_equal(one, other, equal_nan=one.dtype.kind == "f")
        )
        for name in a
        for one, other in zip(vars(a[name]).values(), vars(b[name]).values(), strict=True)
    )


def check(
    read: Callable[[Path], dict[str, Part]], path: Path, spoil: Callable[[bytes], bytes]
) -> None:
    """Damage a copy of a file: it reads as before, or there is one error that names it."""
    copy = path.with_name("copy.npz")
    copy.write_bytes(spoil(path.read_bytes()))
    try:
        found = read(copy)
    except DataError as error:
        words = str(error)
    else:
        assert equal(found, read(path))
        return
    assert str(copy) in words
    assert "--download" in words
