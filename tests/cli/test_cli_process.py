"""The command as a process: its streams, its signals, its exit status."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from material import CYCLE, edge_file

import polyfilter as pf
from polyfilter.arguments import build_parser
from polyfilter.cli import main


def python(*words: str, **options) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-W", "error", *words]
    return subprocess.run(
        command, capture_output=True, text=True, encoding="utf-8", timeout=60, **options
    )


def test_version_and_help_come_without_numpy():
    code = "import sys; from polyfilter.cli import main\n"
    for words in (["--version"], ["--help"], *([name, "--help"] for name in COMMANDS)):
        code += f"assert main({words!r}) == 0\n"
    done = python("-c", code + "print('numpy' in sys.modules, 'scipy' in sys.modules)")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"polyfilter {pf.__version__}\nusage: polyfilter ")
    assert done.stdout.endswith("False False\n")


def test_python_m_polyfilter(folder):
    words = ["-m", "polyfilter", "factor", "-1", "0", "1", "-o", "s.json"]
    done = python(*words)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("1 second-order layer of degree 2")
    done = python("-m", "polyfilter", "show", "none.json")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "polyfilter: error: can't read none.json: No such file or directory\n"


def test_a_terminal_without_greek_letters(folder, monkeypatch):
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    edge_file(folder / "g.txt", CYCLE)
    done = python("-m", "polyfilter", "capacity", "g.txt")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("? = 7 distinct eigenvalues")
    assert python("-m", "polyfilter", "capacity", "--help").returncode == 0


def test_a_reader_that_goes_away(folder):
    pf.factorize([1, 0, 1]).save("s.json")
    for words in (["show", "s.json"], ["--help"]):
        command = [sys.executable, "-m", "polyfilter", *words]
        with subprocess.Popen(command, stdout=-1, stderr=-1) as process:
            process.stdout.close()
            assert process.stderr.read() == b""
            assert process.wait() == 141


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_a_full_disk(folder):
    with open("/dev/full", "w") as full:
        command = [sys.executable, "-m", "polyfilter", "--version"]
        done = subprocess.run(command, stdout=full, stderr=-1, text=True)
    assert done.returncode == 1
    assert done.stderr == "polyfilter: error: No space left on device\n"


INTERRUPTED = """
import os, signal, sys, time
from polyfilter.cli import main
import polyfilter.commands.capacity as capacity

def slow(graphs, method, executor, **options):
    executor.submit(os.getpid).result()
    executor.submit(time.sleep, 60)
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(60)

capacity.spectrum_capacity = slow
sys.exit(main(["capacity", "g.txt", "--jobs", "2"]))
"""


def test_an_interrupt_ends_the_workers_too(folder):
    edge_file(folder / "g.txt", CYCLE)
    done = python("-c", INTERRUPTED)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


def test_an_interrupt_while_writing_leaves_nothing(folder, run, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupted)
    assert run("factor", "1", "2", "-o", "s.json") == (130, "", "")
    assert list(folder.iterdir()) == []


def test_running_out_of_memory_is_one_line(folder, run, monkeypatch):
    def exhausted(*_):
        raise MemoryError

    monkeypatch.setattr(pf.SoGCStack, "save", exhausted)
    assert run("factor", "1", "-o", "s.json") == (
        1,
        "",
        "polyfilter: error: there is not enough memory for this\n",
    )


class Terminal:
    """A stdout that says it is a terminal."""

    encoding = "utf-8"

    def __init__(self) -> None:
        self.text = ""

    def write(self, text: str) -> None:
        self.text += text

    def flush(self) -> None:
        pass

    def isatty(self) -> bool:
        return True


def test_colour_only_at_a_terminal_that_wants_it(folder, monkeypatch):
    pf.factorize([1, 0, 1]).save("s.json")
    for settings_, painted in (({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)):
        with monkeypatch.context() as patch:
            patch.delenv("NO_COLOR", raising=False)
            patch.setenv("TERM", "xterm")
            for name, value in settings_.items():
                patch.setenv(name, value)
            patch.setattr(sys, "stdout", terminal := Terminal())
            assert main(["show", "s.json"]) == 0
        assert terminal.text.startswith("\x1b[1m") is painted


COMMANDS = ("analyze", "capacity", "design", "factor", "apply", "show")


def test_every_command_has_an_example_that_parses_and_tells_its_keys(material, run_json, run):
    runs = {
        "analyze": "analyze g.txt --architecture gin --depth 3 --response heat",
        "capacity": "capacity g.txt",
        "design": "design --degree 8 -o out.json --response heat",
        "factor": "factor 1 2 -o out.json",
        "apply": "apply stack.json g.txt x.npy -o out.npy",
        "show": "show stack.json",
    }
    parser = build_parser()
    for name in COMMANDS:
        text = run(name, "--help")[1]
        _, _, after = text.partition("\nexample")
        example = next(line for line in after.split("\n") if line.startswith("  polyfilter "))
        assert parser.parse_args(example.split()[1:]).command == name
        _, _, keys = text.partition("\nwith --json:\n")
        assert list(run_json(*runs[name].split())) == keys.split()
