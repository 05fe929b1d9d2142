"""tools/try-as-newcomer: a fresh clone in an empty home, and nothing left behind."""

import shutil
import subprocess
from pathlib import Path

import pytest

from experiments import newcomer

ROOT = Path(__file__).resolve().parent.parent
TOOL = ROOT / "tools" / "try-as-newcomer"

pytestmark = pytest.mark.skipif(
    shutil.which("git") is None or shutil.which("bash") is None or not (ROOT / ".git").exists(),
    reason="this is no checkout, or there is no git or bash",
)


def test_a_dry_run_shows_what_it_would_do_and_leaves_nothing():
    results = ROOT / "experiments" / "results" / "newcomer.json"
    before = results.stat().st_mtime if results.exists() else None
    done = subprocess.run([TOOL, "--dry-run"], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    first, *rest = done.stdout.splitlines()
    assert rest == ["$ make verify", "$ make test", "nothing was run, nothing was written"]
    place = Path(first.rpartition(" in ")[2])
    assert place.name == "polyfilter"
    assert not place.parent.exists()
    assert (results.stat().st_mtime if results.exists() else None) == before


def test_words_that_make_no_sense():
    done = subprocess.run([TOOL, "--fast"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "try-as-newcomer: unknown option --fast\n"


def test_the_table_tells_what_was_measured_and_where():
    about = {"machine": "x86_64, Linux, 2 cores", "python": "3.11.2", "commit": "8dcc21f"}
    steps = [{"command": "make verify", "seconds": 95.4}, {"command": "make test", "seconds": 1260}]
    text = newcomer.table({"provenance": about, "who": "a new user", "steps": steps})
    assert "| `make verify` | 95 s |" in text
    assert "| `make test` | 21 min |" in text
    assert text.endswith("2 cores, Python 3.11.2, commit 8dcc21f.")
