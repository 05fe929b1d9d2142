"""All three commands at a terminal, in a pipe, and where torch is not."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from terminal import environment, run_at_terminal

import polyfilter as pf
from polyfilter import cli
from polyfilter.usage import EXIT_STATUS

POLYFILTER = [sys.executable, "-m", "polyfilter"]
TRAIN = "--target low --layers 1 --width 2 --epochs 3 --sizes 3 2 2 --device cpu"
PAINT = re.compile(r"\x1b\[[0-9;]*m")


@pytest.fixture
def stack(folder) -> str:
    pf.factorize([1, 0, 1]).save("s.json")
    return "s.json"


@pytest.mark.parametrize(
    ("settings", "painted"),
    [({}, True), ({"NO_COLOR": ""}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)],
)
def test_colour_is_for_terminals_that_want_it(stack, folder, settings, painted):
    """An empty NO_COLOR asks for nothing, as no-color.org has it."""
    words = [*POLYFILTER, "show", stack, "--no-plot"]
    status, shown = run_at_terminal(words, environment(**settings), folder)
    assert status == 0
    assert shown.startswith("\x1b[1m1 second-order layer") is painted
    assert bool(PAINT.search(shown)) is painted
    piped = subprocess.run(words, capture_output=True, text=True, env=environment(**settings))
    assert piped.stdout.split() == PAINT.sub("", shown).split()  # in lines of another width
    assert piped.stderr == ""


CLAIMS = ["verify", "--claim", "lemma_2", "vanilla_gcn", "--jobs", "1"]


def test_verify_fills_a_table_at_a_terminal_and_prints_lines_elsewhere(folder):
    status, shown = run_at_terminal([*POLYFILTER, *CLAIMS], cwd=folder)
    assert status == 0
    assert "⠋ running" in shown or "waiting" in shown
    assert "\x1b[2K" in shown
    assert PAINT.search(shown)
    piped = subprocess.run([*POLYFILTER, *CLAIMS], capture_output=True, text=True, check=True)
    assert piped.stderr == ""
    assert "\x1b" not in piped.stdout
    assert [line.split()[1] for line in piped.stdout.splitlines()[:2]] == ["lemma_2", "vanilla_gcn"]


def test_results_in_a_pipe_and_the_rest_at_the_terminal(folder):
    """``polyfilter verify --json > file``: the table is still seen, and the file is clean."""
    ours, theirs = os.pipe()
    words = [*POLYFILTER, *CLAIMS[:3], "--json"]
    status, shown = run_at_terminal(words, environment(NO_COLOR="1"), folder, theirs)
    os.close(theirs)
    with open(ours, encoding="utf-8") as stream:
        assert json.load(stream)["agrees"] is True
    assert status == 0
    assert "lemma_2" in shown
    assert "\x1b[2K" in shown  # drawn again and again, but not in colour
    assert not PAINT.search(shown)


def piped(command: list[str], reader: str = "head -1") -> tuple[list[int], str, str]:
    """Run ``command | reader``; give both statuses, what was read, and what was complained."""
    line = f'"$@" | {reader}; echo "${{PIPESTATUS[@]}}"'
    done = subprocess.run(
        ["bash", "-c", line, "bash", *command], capture_output=True, text=True, env=environment()
    )
    *read, statuses = done.stdout.splitlines()
    return list(map(int, statuses.split())), "\n".join(read), done.stderr


def test_a_reader_that_has_seen_enough_ends_verify(folder):
    statuses, read, complaint = piped([*POLYFILTER, *CLAIMS])
    assert statuses == [141, 0]
    assert "lemma_2" in read
    assert complaint == ""


@pytest.mark.parametrize(
    "words", [["polyfilter", "--help"], ["polyfilter", "completion", "zsh"], ["experiments", "-h"]]
)
def test_a_reader_that_leaves_at_once_is_no_traceback(folder, words):
    statuses, _, complaint = piped([sys.executable, "-m", *words], "true")
    assert statuses in ([141, 0], [0, 0])  # a short text may have gone before the reader has
    assert complaint == ""


WITH_BAR = """
import sys
from polyfilter import progress
progress.DELAY = 0.0
from gcn.train.__main__ import main
sys.exit(main())
"""


def test_training_shows_a_bar_at_a_terminal_only(folder):
    command = [sys.executable, "-c", WITH_BAR, *TRAIN.split()]
    status, shown = run_at_terminal(command, cwd=folder)
    assert status == 0
    assert "training" in shown
    assert "test MAE" in shown


NO_TORCH = """
from importlib.machinery import PathFinder

find = PathFinder.find_spec

def without_torch(name, path=None, target=None):
    return None if name.partition(".")[0] == "torch" else find(name, path, target)

PathFinder.find_spec = without_torch
"""


@pytest.mark.parametrize("module", ["experiments", "gcn.train"])
def test_without_torch_one_line_says_what_to_install(folder, module):
    Path("sitecustomize.py").write_text(NO_TORCH)
    path = f"{folder}{os.pathsep}{environment()['PYTHONPATH']}"
    command = [sys.executable, "-m", module, "--help"]
    env = environment(PYTHONPATH=path)
    done = subprocess.run(command, capture_output=True, text=True, env=env)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.count("\n") == 1
    assert "pip install 'polyfilter[gcn]'" in done.stderr


def test_every_help_tells_the_exit_status_and_shows_examples(capsys):
    from experiments.command import main as experiments  # torch: only for this test
    from gcn.train.__main__ import main as train

    for main, words in ((cli.main, []), (experiments, []), (experiments, ["sizes"]), (train, [])):
        assert main([*words, "--help"]) == 0
        told = capsys.readouterr().out
        assert told.startswith("usage: ")
        if not words:
            assert EXIT_STATUS in told
            assert re.search(r"\nexamples?:.*\n  ", told)
