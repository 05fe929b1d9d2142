"""Stack files: bit for bit there and back, and one sentence for every file that is none."""

import json
import struct
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.polynomial import Chebyshev

from polyfilter import design
from polyfilter.errors import FileFormatError
from polyfilter.polynomial import as_filter
from polyfilter.responses import band_pass, high_pass
from polyfilter.stack import SoGCStack, factorize
from polyfilter.stackfile import StackFields, decode, encode

STACKS = {
    "float64": factorize(design.interpolate(high_pass, 20)),
    "float32": factorize(design.interpolate(band_pass, 21), dtype="float32"),
    "on a spectrum": factorize([0.1, 0.2, 0.7], spectrum=[-0.5, 0.1, 1.0]),
    "exact": factorize([Fraction(1, 3), -2, Fraction(1, 7)]),
    "exact in float32": factorize([Fraction(1, 3), 0, 1, 0, 5], dtype="float32"),
    "exact, not in rational factors": factorize([1, 1, 0, 0, 0, 1]),
    "zero": factorize([0]),
    "a constant": factorize([0.1], dtype="float32"),
    "trimmed": factorize(Chebyshev([1.0, 0.1, 1e-18, 1e-19])),
    "thousands of digits": factorize([Fraction(1, 7**6000), 1]),
}


def plain(stack):
    h = stack.filter
    points = None if stack.points is None else stack.points.tolist()
    own = stack.theta.tolist(), stack.dtype, points, stack.exact, stack.root_residual
    return own, (h.chebyshev.tolist(), h.exact, h.trimmed, h.trim_bound)


def fields_of(stack):
    return StackFields(stack.theta, stack.filter, stack.points, stack.exact, stack.root_residual)


def decoded(data):
    """Return what was read, or why it was refused; any other error is one of ours."""
    try:
        return decode(data, "here"), None
    except FileFormatError as error:
        return None, str(error)


def bits(array):
    return [struct.pack("d", float(value)) for value in array.ravel()]


@pytest.mark.parametrize("name", STACKS)
def test_there_and_back(name, tmp_path):
    stack, path = STACKS[name], tmp_path / "stack.json"
    stack.save(path)
    twin = SoGCStack.load(path)
    assert plain(twin) == plain(stack)
    assert bits(twin.theta) == bits(stack.theta)
    assert bits(twin.filter.chebyshev) == bits(stack.filter.chebyshev)
    assert repr(twin) == repr(stack)
    assert twin.certify() == stack.certify()
    for array in (twin.theta, twin.filter.chebyshev):
        assert not array.flags.writeable
    twin.save(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == path.read_bytes()


def float_bits(width):
    kind, code = (np.uint32, np.float32) if width == 32 else (np.uint64, np.float64)
    numbers = st.integers(0, 2**width - 1).map(lambda k: kind(k).view(code))
    return numbers.filter(np.isfinite)


@given(st.sampled_from([32, 64]).flatmap(lambda width: st.lists(float_bits(width), min_size=3)))
@example([np.float32(0.1), np.float32(1e-45), np.float32(-0.0)])
@example([np.float32(3.4028235e38), np.float32(7.038531e-26), np.float32(1.1754944e-38)])
@example([np.float64(5e-324), np.float64(-0.0), np.float64(1.7976931348623157e308)])
@settings(max_examples=200)
def test_every_float_comes_back_with_all_its_bits(numbers):
    theta = np.array(numbers[: len(numbers) // 3 * 3]).reshape(-1, 3)
    c = np.zeros(2 * len(theta) + 1)
    c[-1] = 1
    found = decode(encode(StackFields(theta, as_filter(Chebyshev(c)))), "here").theta
    assert found.dtype == theta.dtype
    assert found.tobytes() == theta.tobytes()


def test_a_person_can_read_it(tmp_path):
    path = tmp_path / "stack.json"
    factorize([Fraction(1, 10), 0, 1], dtype="float32").save(path)
    assert path.read_text() == (
        '{\n  "format": "polyfilter.stack",\n  "version": 1,\n  "dtype": "float32",\n'
        '  "theta": [\n    [0.1, 0.0, 1.0]\n  ],\n  "chebyshev": [0.6, 0.0, 0.5],\n'
        '  "power": ["1/10", "0", "1"],\n  "exact": [\n    ["1/10", "0", "1"]\n  ],\n'
        '  "spectrum": null,\n  "trimmed": 0,\n  "trim_bound": 0.0,\n  "root_residual": 0.0\n}\n'
    )


def test_what_a_person_writes_by_hand_is_enough():
    text = b"""{"format": "polyfilter.stack", "version": 1, "dtype": "float64",
               "theta": [[1, 0, 2]], "chebyshev": [2, 0, 1]}"""
    found = decode(text, "here")
    assert found.theta.tolist() == [[1, 0, 2]]
    assert found[2:] == (None, None, 0.0)


# ----------------------------------------------------------------------------- spoiled files


@pytest.mark.parametrize("name", ["exact", "on a spectrum"])
def test_truncation_at_every_byte_is_noticed(name, tmp_path):
    path = tmp_path / "stack.json"
    STACKS[name].save(path)
    data = path.read_bytes()
    decode(data[:-1], "here")  # only the last line's end is missing: nothing is lost
    for length in range(len(data) - 1):
        with pytest.raises(FileFormatError, match="here is not a stack file: ") as caught:
            decode(data[:length], "here")
        assert "\n" not in str(caught.value)


@given(st.data())
@settings(max_examples=150)
def test_a_spoiled_byte_is_refused_or_harmless(data):
    text = bytearray(encode(fields_of(STACKS["on a spectrum"])))
    text[data.draw(st.integers(0, len(text) - 1))] = data.draw(st.integers(0, 255))
    found, refusal = decoded(bytes(text))
    if refusal is None:
        assert np.isfinite(found.theta).all()
        assert np.abs(found.points).max() <= 1
    else:
        assert refusal.startswith("here is not a stack file: ")


@given(st.binary(max_size=60))
@example(b"")
@example(b"\xff\xfe")
@example(b"\x00" * 40)
@example(b"[" * 100_000)
@example(b'{"a":' * 100_000)
@example(b"9" * 5_000)
@example(b"NaN")
@example(b"\x89PNG\r\n\x1a\n")
def test_junk_is_refused(data):
    with pytest.raises(FileFormatError, match="here is not a stack file: "):
        decode(data, "here")


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)


@given(st.sampled_from(sorted(json.loads(encode(fields_of(STACKS["exact"]))))), json_values)
@settings(max_examples=200)
def test_a_foreign_value_in_any_field_is_refused_or_harmless(name, value):
    document = json.loads(encode(fields_of(STACKS["exact"])))
    document[name] = value
    refusal = decoded(json.dumps(document).encode())[1]
    assert refusal is None or refusal.startswith("here is not a stack file: ")


HUGE = "1" + "0" * 5_000


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": "other"}, 'it has no "format": "polyfilter.stack"'),
        ({"version": 2}, "its version is 2, and we read 1"),
        ({"version": None}, "its version is None"),
        ({"dtype": "float16"}, "\"dtype\" is 'float16', not"),
        ({"dtype": ["float64"]}, '"dtype" is'),
        ({"theta": []}, '"theta" has to be 1 rows'),
        ({"theta": [[1, 0, 2], [1, 0, 2]]}, '"theta" has to be 1 rows'),
        ({"theta": [[1, 0]]}, 'row 1 of "theta" is not three finite numbers'),
        ({"theta": [[1, 0, "2"]]}, 'row 1 of "theta"'),
        ({"theta": [[1, 0, True]]}, 'row 1 of "theta"'),
        ({"theta": [[1, 0, [2]]]}, 'row 1 of "theta"'),
        ({"theta": [[1, 0, None]]}, 'row 1 of "theta"'),
        ({"theta": {"0": [1, 0, 2]}}, '"theta" has to be 1 rows'),
        ({"theta": [[1, 0, 10**400]]}, 'row 1 of "theta"'),
        ({"dtype": "float32", "theta": [[1e39, 0, 2]]}, "layer 1 of the stack is too large"),
        ({"chebyshev": []}, '"chebyshev" has to be a list of finite numbers'),
        ({"chebyshev": 3}, '"chebyshev" has to be a list'),
        ({"chebyshev": [2, 0, 0]}, '"chebyshev" ends with a zero'),
        ({"chebyshev": [2, [0], 1]}, '"chebyshev" has to be a list'),
        ({"chebyshev": [1e308, 1e308, 1e308]}, "larger than float64 can hold"),
        ({"spektrum": [0.5]}, "it has a field 'spektrum' that we do not know"),
        ({"spectrum": []}, '"spectrum" has to be a list'),
        ({"spectrum": [0.5, 3.0]}, "eigenvalue 1 is 3, but those of a normalized adjacency"),
        ({"spectrum": "all"}, '"spectrum" has to be a list'),
        ({"power": ["1", "0"]}, '"power" has to be 3 fractions in quotes'),
        ({"power": [1, 0, 2]}, '"power" has to be 3 fractions'),
        ({"power": ["1", "0", "1e999999999"]}, '"power" has to be 3 fractions'),
        ({"power": ["1", "0", "2/0"]}, '"power" has to be 3 fractions'),
        ({"power": ["1", "0", "٣"]}, '"power" has to be 3 fractions'),
        ({"power": ["1", "0", "3"]}, '"power" and "chebyshev" are not the same polynomial'),
        ({"power": ["1", "0", HUGE]}, '"power" and "chebyshev" are not the same polynomial'),
        ({"exact": [["1", "0", "2"]]}, 'the product of the rows of "exact" is not'),
        ({"power": ["1", "0", "2"], "exact": [["1", "0", "3"]]}, 'product of the rows of "exact"'),
        ({"power": ["1", "0", "2"], "exact": []}, '"exact" has to be 1 rows of three fractions'),
        ({"power": ["1", "0", "2"], "exact": [["1", "0"]]}, 'row 1 of "exact" is not three'),
        ({"power": ["1", "0", "2"], "exact": [[1, 0, 2]]}, 'row 1 of "exact" is not three'),
        ({"trimmed": -1}, '"trimmed" has to be a whole number'),
        ({"trimmed": 0.5}, '"trimmed" has to be a whole number'),
        ({"trimmed": 10**400}, '"trimmed" has to be a whole number'),
        ({"trim_bound": "x"}, '"trim_bound" has to be a finite number'),
        ({"root_residual": -1.0}, '"root_residual" has to be a finite number'),
    ],
    ids=str,
)
def test_every_wrong_field_is_named(changes, message):
    document = {"format": "polyfilter.stack", "version": 1, "dtype": "float64"}
    document |= {"theta": [[1, 0, 2]], "chebyshev": [2, 0, 1]}
    decode(json.dumps(document).encode(), "here")
    with pytest.raises(FileFormatError) as caught:
        decode(json.dumps(document | changes).encode(), "here")
    assert str(caught.value).startswith("here is not a stack file: ")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity"])
def test_numbers_that_are_none_are_named(number):
    text = encode(fields_of(STACKS["a constant"])).replace(b"0.1", number.encode(), 1)
    with pytest.raises(FileFormatError, match=f"it holds the number {number}"):
        decode(text, "here")


@pytest.mark.parametrize("number", ["1e999", HUGE])
def test_numbers_beyond_floats_are_refused(number):
    text = encode(fields_of(STACKS["a constant"])).replace(b"0.1", number.encode(), 1)
    with pytest.raises(FileFormatError, match="here is not a stack file"):
        decode(text, "here")


# ------------------------------------------------------------------------------------- paths


def test_a_missing_file_and_a_folder_are_named(tmp_path):
    with pytest.raises(FileFormatError, match=r"can't read .*none\.json: No such file"):
        SoGCStack.load(tmp_path / "none.json")
    with pytest.raises(FileFormatError, match="it is not a file"):
        SoGCStack.load(tmp_path)
    (tmp_path / "junk.json").write_bytes(b"\x93NUMPY\x01\x00")
    with pytest.raises(FileFormatError, match=r"junk\.json is not a stack file"):
        SoGCStack.load(tmp_path / "junk.json")


def test_a_file_beyond_the_limit_is_refused_before_it_is_read(tmp_path, monkeypatch):
    monkeypatch.setattr("polyfilter.stack.MAX_STACK_BYTES", 100)
    STACKS["float64"].save(tmp_path / "stack.json")
    with pytest.raises(FileFormatError, match="exceed our limit of 100"):
        SoGCStack.load(tmp_path / "stack.json")


def test_where_nothing_can_be_written_nothing_is(tmp_path):
    (tmp_path / "file").write_text("not a folder")
    (tmp_path / "folder").mkdir()
    for path in (tmp_path / "none" / "stack.json", tmp_path / "file" / "x", tmp_path / "folder"):
        with pytest.raises(FileFormatError, match="can't write"):
            STACKS["float64"].save(path)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["file", "folder"]
    assert not list((tmp_path / "folder").iterdir())


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError, OSError(28, "No space left")])
def test_an_interrupted_save_leaves_the_old_file(error, tmp_path, monkeypatch):
    path = tmp_path / "stack.json"
    STACKS["float64"].save(path)
    old = path.read_bytes()

    def fail(_):
        raise error

    monkeypatch.setattr("os.fsync", fail)
    with pytest.raises((KeyboardInterrupt, MemoryError, FileFormatError)) as caught:
        STACKS["exact"].save(path)
    assert not isinstance(error, OSError) or "No space left" in str(caught.value)
    monkeypatch.undo()
    assert path.read_bytes() == old
    assert [p.name for p in tmp_path.iterdir()] == ["stack.json"]
