"""Mistakes: each is one line that names it, and leaves nothing behind."""

import os
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from material import CYCLE, edge_file

import polyfilter as pf
from polyfilter.cli import main

APPLY = "apply stack.json g.txt"
DESIGN = "design --degree 8 -o out.json --response"

BAD = [
    # the words themselves
    ("", 2, "COMMAND"),
    ("polish", 2, "invalid choice: 'polish'"),
    ("capacity", 2, "FILE"),
    ("capacity g.txt --method magic", 2, "magic"),
    ("capacity g.txt --jobs 0", 2, "from 1 on, not 0"),
    ("capacity g.txt --seed -1", 2, "from 0 on, not -1"),
    ("capacity g.txt --no-such-option", 2, "--no-such-option"),
    ("design --response heat -o out.json", 2, "--degree"),
    ("design --response heat --degree two -o out.json", 2, "not two"),
    ("design --response heat --degree -1 -o out.json", 2, "not -1"),
    ("factor 1 2", 2, "-o/--output"),
    ("show stack.json --layers many", 2, "not many"),
    # graphs
    ("capacity missing.txt", 1, "can't read missing.txt"),
    ("capacity sub", 1, "not a file"),
    ("capacity empty.txt", 1, "empty.txt is empty"),
    ("capacity comment.txt", 1, "comment.txt is empty"),
    ("capacity empty.g6", 1, "empty.g6"),
    ("capacity loop.txt", 1, "line 2"),
    ("capacity negative.txt", 1, "line 2"),
    ("capacity nan-weight.txt", 1, "line 1"),
    ("capacity directed.mtx", 1, "directed.mtx"),
    ("capacity directed.json", 1, "directed"),
    ("capacity far.mtx", 1, "far.mtx"),
    ("capacity far.npz", 1, "node 5"),
    ("capacity far.json", 1, "not listed"),
    ("capacity foreign.txt", 1, "line 1 of foreign.txt"),
    ("capacity foreign.json", 1, "neither node-link nor adjacency"),
    ("capacity truncated.npz", 1, "truncated"),
    ("capacity half.json", 1, "not JSON"),
    ("capacity binary.txt", 1, "not a text file"),
    ("capacity graph.xyz", 1, "known endings"),
    ("capacity splits.npz", 1, "a, b"),
    ("capacity splits.npz --split c", 1, "no split 'c'"),
    ("capacity g.txt --split c", 1, "no splits"),
    ("capacity g.txt loop.txt", 1, "loop.txt"),
    # analyses
    ("analyze g.txt --architecture sogc", 2, "--depth"),
    ("analyze g.txt --depth 2", 2, "--architecture"),
    ("analyze g.txt --architecture sogc --depth 0", 2, "from 1 on, not 0"),
    ("analyze g.txt --architecture sogc --depth 2 --width 0", 2, "from 1 on, not 0"),
    ("analyze g.txt --architecture gat --depth 2", 1, "no architecture is called 'gat'"),
    ("analyze g.txt --architecture k-order --depth 2", 1, "write k-order:3"),
    ("analyze g.txt --architecture sogc --depth 2 --response heath", 1, "there are high-pass"),
    ("analyze g.txt --architecture sogc --depth 2 --response heat --tolerance 0", 1, "positive"),
    ("analyze g.txt --architecture sogc --depth 9999999", 1, "from 1 to 1,000,000"),
    ("analyze missing.txt --architecture sogc --depth 2", 1, "can't read missing.txt"),
    # designs
    (f"{DESIGN} bandpass", 1, "no response is called 'bandpass'; there are high-pass"),
    (f"{DESIGN} heat --param speed=2", 1, "has no parameter 'speed'; it has time"),
    (f"{DESIGN} heat --param time", 1, "name=number"),
    (f"{DESIGN} heat --param time=soon", 1, "name=number"),
    (f"{DESIGN} heat --param time=nan", 1, "finite"),
    (f"{DESIGN} gaussian --param width=0", 1, "positive"),
    (f"{DESIGN} band-pass --param lower=3", 1, "lower < upper"),
    (f"{DESIGN} heat --method least-squares", 1, "--spectrum"),
    (f"{DESIGN} heat --method least-squares --spectrum g.txt", 1, "7 distinct eigenvalues"),
    (f"{DESIGN} heat --spectrum missing.txt", 1, "missing.txt"),
    (f"{DESIGN} heat --plot out.bmp", 1, ".png .svg .pdf"),
    (f"{DESIGN} heat --plot out.json", 1, ".png .svg .pdf"),
    ("design --degree 99999999 --response heat -o out.json", 1, "10,000,000"),
    # coefficients
    ("factor missing.txt -o out.json", 1, "neither a number nor a file"),
    ("factor 1 two -o out.json", 1, "coefficient 1: 'two' is not a number"),
    ("factor 1 1/0 -o out.json", 1, "coefficient 1: '1/0' divides by zero"),
    ("factor nan 1 -o out.json", 1, "coefficient 0: 'nan'"),
    ("factor 1 1e999 -o out.json", 1, "coefficient 1: '1e999'"),
    ("factor 1 1e99999 --exact -o out.json", 1, "coefficient 1: '1e99999'"),
    ("factor 1 0x10 -o out.json", 1, "'0x10' is not a number"),
    (f"factor 1{'0' * 400} -o out.json", 1, "float64"),
    (f"factor {'9' * 5000} -o out.json", 1, "too many digits"),
    ("factor nan.npy -o out.json", 1, "coefficient 7 of nan.npy is nan"),
    ("factor complex.npy -o out.json", 1, "real numbers"),
    ("factor words.npy -o out.json", 1, "real numbers"),
    ("factor cube.npy -o out.json", 1, "one row"),
    ("factor pickle.npy -o out.json", 1, "pickle.npy"),
    ("factor words.txt -o out.json", 1, "line 2 of words.txt: 'three'"),
    ("factor empty.txt -o out.json", 1, "empty.txt is empty"),
    ("factor list.json -o out.json", 1, "list of numbers"),
    ("factor half.json -o out.json", 1, "truncated"),
    ("factor zero.json -o out.json", 1, "divides by zero"),
    ("factor stack.json -o out.json", 1, "list of numbers"),
    ("factor graph.xyz -o out.json", 1, ".npy .json .txt .csv .tsv"),
    # signals
    (f"{APPLY} nan.npy -o out.npy", 1, "not finite at node 7"),
    (f"{APPLY} inf.npy -o out.npy", 1, "not finite at node 7"),
    (f"{APPLY} nan.txt -o out.npy", 1, "not finite at node 7"),
    (f"{APPLY} inf.txt -o out.npy", 1, "not finite at node 7"),
    (f"{APPLY} short.npy -o out.npy", 1, "12 nodes"),
    (f"{APPLY} cube.npy -o out.npy", 1, "(12, 2, 2)"),
    (f"{APPLY} complex.npy -o out.npy", 1, "real numbers"),
    (f"{APPLY} words.npy -o out.npy", 1, "real numbers"),
    (f"{APPLY} pickle.npy -o out.npy", 1, "pickle.npy"),
    (f"{APPLY} huge.npy --dtype float32 -o out.npy", 1, "too large for float32 at node 0"),
    (f"{APPLY} words.txt -o out.npy", 1, "line 2 of words.txt holds 'three'"),
    (f"{APPLY} foreign.txt -o out.npy", 1, "line 2 of foreign.txt"),
    (f"{APPLY} ragged.txt -o out.npy", 1, "line 2 of ragged.txt has 1 columns"),
    (f"{APPLY} empty.txt -o out.npy", 1, "empty.txt is empty"),
    (f"{APPLY} binary.txt -o out.npy", 1, "not a text file"),
    (f"{APPLY} several.npz -o out.npy", 1, "a, b"),
    (f"{APPLY} several.npz --array c -o out.npy", 1, "a, b"),
    (f"{APPLY} x.npy --array c -o out.npy", 1, "no arrays"),
    (f"{APPLY} truncated.npz -o out.npy", 1, "truncated"),
    (f"{APPLY} missing.npy -o out.npy", 1, "missing.npy"),
    (f"{APPLY} foreign.json -o out.npy", 1, ".npy .npz .txt"),
    (f"{APPLY} x.npy -o out.xlsx", 1, ".npy .txt .csv .tsv"),
    # stacks
    ("show missing.json", 1, "missing.json"),
    ("show truncated.json", 1, "truncated"),
    ("show foreign.json", 1, "not a stack file"),
    ("show later.json", 1, "version"),
    ("show nan.json", 1, "nan.json"),
    ("show x.npy", 1, "not a stack file"),
    ("show stack.json --plot out.gif", 1, ".png .svg .pdf"),
    ("apply g.txt g.txt x.npy -o out.npy", 1, "not a stack file"),
    ("apply stack.json stack.json x.npy -o out.npy", 1, "node-link"),
    # outputs
    ("factor 1 2 -o sub", 1, "not a file"),
    ("factor 1 2 -o none/out.json", 1, "no folder 'none'"),
    ("factor 1 2 -o g.txt/out.json", 1, "no folder 'g.txt'"),
    ("factor 1 2 -o out.svg --plot ./out.svg", 1, "two results"),
    (f"{DESIGN} heat --plot none/out.png", 1, "no folder 'none'"),
    ("factor zero.json -o ./zero.json", 1, "also an input"),
    ("factor 1 2 --spectrum g.txt -o sub/../g.txt", 1, "also an input"),
    ("apply stack.json g.txt x.npy -o x.npy", 1, "also an input"),
    ("apply stack.json g.txt nan.txt -o g.txt", 1, "also an input"),
]


@pytest.mark.parametrize(("words", "status", "fragment"), BAD, ids=[words for words, _, _ in BAD])
def test_mistakes_are_told_in_one_line_and_leave_nothing(material, run, words, status, fragment):
    before = {path: path.read_bytes() for path in material.iterdir() if path.is_file()}
    code, out, err = run(*words.split())
    assert err.startswith("polyfilter: error: ")
    assert err.count("\n") == 1
    assert fragment in err
    assert (code, out) == (status, "")
    assert {path: path.read_bytes() for path in material.iterdir() if path.is_file()} == before


def test_mistakes_under_json_leave_stdout_empty(material, run):
    status, out, err = run("show", "truncated.json", "--json")
    assert (status, out, err.count("\n")) == (1, "", 1)


def test_a_result_that_overflows_is_not_written(folder, run):
    edge_file(folder / "g.txt", CYCLE)
    np.save("x.npy", np.full(12, 1e38, dtype=np.float32))
    run("factor", "1e10", "-o", "s.json")
    status, _, err = run("apply", "s.json", "g.txt", "x.npy", "-o", "y.npy")
    assert (status, Path("y.npy").exists()) == (1, False)
    assert "too large for float32" in err


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_folder_is_told(folder, run):
    (folder / "locked").mkdir(mode=0o500)
    assert "read-only" in run("factor", "1", "-o", "locked/s.json")[2]


def test_devices_are_not_renamed_over(folder, run):
    assert run("factor", "1", "-o", os.devnull)[0] == 1
    assert not Path(os.devnull).is_file()
    with pytest.raises(pf.PolyfilterError, match="not a file"):
        pf.factorize([1]).save(os.devnull)


def test_no_prefix_of_a_stack_file_is_taken_for_a_stack(folder, run):
    pf.factorize([1, Fraction(1, 3), 2]).save("stack.json")
    whole = Path("stack.json").read_bytes()
    for length in [*range(0, len(whole), 5), len(whole.rstrip()) - 1]:
        Path("part.json").write_bytes(whole[:length])
        status, out, err = run("show", "part.json")
        assert (status, out, err.count("\n")) == (1, "", 1)


@settings(max_examples=60)
@given(
    place=st.floats(0, 1, exclude_max=True),
    insert=st.sampled_from(["", "0", "9", "-", "e9", "1e308", "NaN", "null", "[]", '"', "\\", "é"]),
    remove=st.integers(0, 3),
)
def test_no_damage_to_a_stack_file_is_a_traceback(tmp_path_factory, place, insert, remove):
    folder = tmp_path_factory.getbasetemp()
    pf.factorize([1.0, 0.5, 0.25, 0.5]).save(folder / "s.json")
    text = (folder / "s.json").read_text()
    k = int(place * len(text))
    (folder / "s.json").write_text(text[:k] + insert + text[k + remove :])
    assert main(["show", str(folder / "s.json"), "--certify", "-q"]) in (0, 1)


WORDS = st.one_of(
    st.text(max_size=8).filter(lambda word: "\0" not in word),
    st.floats().map(str),
    st.fractions().map(str),
    st.sampled_from(["1e308", "5e-324", "-1e308", "1/3", "-", "1_0", "٣", "1e5000", ".", "0"]),
)


@settings(max_examples=80)
@given(words=st.lists(WORDS, min_size=2, max_size=5), exact=st.booleans(), chebyshev=st.booleans())
def test_no_coefficients_are_a_traceback(tmp_path_factory, words, exact, chebyshev):
    output = tmp_path_factory.getbasetemp() / "fuzzed.json"
    options = ["-q", *["--exact"] * exact, *["--basis", "chebyshev"] * chebyshev]
    assert main(["factor", "-o", str(output), *options, "--", *words]) in (0, 1)
