"""The ledger: what is found, run, compared, recorded and written."""

import argparse
import json
import math
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from ledgers import BODIES, write_claims

from polyfilter import ledgerfile, verify
from polyfilter.arguments import build_parser
from polyfilter.claim import Claim, ClaimError, Setting, Verdict
from polyfilter.cli import main
from polyfilter.docket import PACKAGE, RECORD, discover, recorded, select
from polyfilter.errors import FileFormatError
from polyfilter.ledger import Entry, Ledger, Watcher, record
from polyfilter.ledger import verify as run_ledger
from polyfilter.provenance import commit
from polyfilter.workers import Died, Finished, Idle, apart


class Diary(Watcher):
    """A watcher that notes what it is told."""

    def __init__(self) -> None:
        self.notes: list[tuple[str, str]] = []

    def started(self, claim: Claim) -> None:
        self.notes.append(("started", claim.name))

    def finished(self, entry: Entry) -> None:
        self.notes.append(("finished", entry.name))


@pytest.fixture(scope="module")
def zoo(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A package with a claim of every kind, and modules that are none."""
    folder = tmp_path_factory.mktemp("zoo")
    write_claims(folder, "zoo_of_claims", *BODIES)
    home = folder / "zoo_of_claims"
    (home / "_helper.py").write_text("raise ImportError('nobody imports a helper')")
    (home / "broken.py").write_text("import no_such_module")
    (home / "empty.py").write_text("x = 1")
    (home / RECORD).write_text(
        json.dumps(
            {
                "version": 1,
                "verdicts": {"sound": "holds", "mended": "holds", "gone": "false as printed"},
            }
        )
    )
    sys.path.insert(0, str(folder))
    yield "zoo_of_claims"
    sys.path.remove(str(folder))


@pytest.fixture(scope="module")
def diary() -> Diary:
    return Diary()


@pytest.fixture(scope="module")
def ledger(zoo: str, diary: Diary) -> Ledger:
    return run_ledger(setting=Setting(seed=3), jobs=2, watcher=diary, package=zoo)


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A package of three claims that settle, with nothing on record."""
    name = f"claims_{abs(hash(tmp_path))}"
    write_claims(tmp_path, name, "sound", "mended", "wrong")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    return name


def command(package: str, *words: str) -> int:
    parser = argparse.ArgumentParser()
    verify.add_arguments(parser)
    return verify.run(parser.parse_args(words), package)


# ----------------------------------------------------------------------------------- running


def test_claims_are_found_in_order_and_helpers_are_not(zoo: str) -> None:
    assert [claim.name for claim in discover(zoo)] == [*BODIES, "broken", "empty"]


def test_verdicts_come_from_the_checks(ledger: Ledger) -> None:
    verdicts = {entry.name: entry.verdict for entry in ledger.entries if entry.verdict}
    assert verdicts == {
        "sound": Verdict.HOLDS,
        "mended": Verdict.CORRECTED,
        "wrong": Verdict.FALSE,
    }
    assert ledger.summary.startswith(
        "1 holds, 1 holds with a correction, 1 is false as printed, 6 have no verdict"
    )


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("raising", "ArithmeticError: the sum is off (raising.py, line "),
        ("dying", "the process that checked it ended with exit code 7"),
        ("untrue", "ClaimError: our own statement is not true: b is $c$ (claim.py, line "),
        ("speechless", "the check returned NoneType, not an Outcome"),
        ("broken", "ModuleNotFoundError: No module named 'no_such_module' (broken.py, line 1)"),
        ("empty", "ClaimError: the module empty of zoo_of_claims defines no CLAIM"),
    ],
)
def test_a_failure_is_no_verdict_and_says_why_in_one_line(
    ledger: Ledger, name: str, reason: str
) -> None:
    entry = next(entry for entry in ledger.entries if entry.name == name)
    assert entry.verdict is None
    assert not entry.agrees
    assert entry.failure.startswith(reason)
    assert "\n" not in entry.failure


def test_the_record_is_compared(ledger: Ledger) -> None:
    complaints = {entry.name: entry.complaint for entry in ledger.entries}
    assert complaints["sound"] == ""
    assert complaints["mended"] == "on record: holds"
    assert complaints["wrong"] == "not on record"
    assert complaints["raising"] == "no verdict"
    assert ledger.lost == ("gone",)
    assert not ledger.agrees


def test_a_watcher_hears_of_every_claim_twice(ledger: Ledger, diary: Diary) -> None:
    names = [entry.name for entry in ledger.entries]
    assert sorted(diary.notes) == sorted(
        [(what, name) for what in ("started", "finished") for name in names]
    )


def test_a_seed_gives_evidence_of_its_own_and_again(zoo: str, ledger: Ledger) -> None:
    same, other = (
        run_ledger(["sound"], Setting(seed=seed), jobs=1, package=zoo).entries[0].evidence
        for seed in (3, 4)
    )
    assert same == ledger.entries[0].evidence
    assert other != same


def test_an_unknown_name_is_refused_with_a_suggestion(zoo: str) -> None:
    with pytest.raises(ClaimError, match="there is no claim sond; did you mean sound"):
        select(discover(zoo), ["sond"])


def test_the_command_that_reruns_a_claim_names_its_setting(ledger: Ledger) -> None:
    assert ledger.command(ledger.entries[0]) == "polyfilter verify --claim sound --seed 3"


# ------------------------------------------------------------------------------- as a command


def test_exit_codes_follow_the_record(small: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert command(small, "--jobs", "2") == 1  # nothing is on record
    assert "wrong: not on record" in capsys.readouterr().out
    assert command(small, "--record") == 0
    assert recorded(small) == {
        "sound": Verdict.HOLDS,
        "mended": Verdict.CORRECTED,
        "wrong": Verdict.FALSE,
    }
    assert command(small, "--claim", "sound", "mended", "--quiet") == 0
    document = json.loads(Path(small, RECORD).read_text())
    document["verdicts"]["sound"] = "false as printed"
    Path(small, RECORD).write_text(json.dumps(document))
    capsys.readouterr()
    assert command(small, "--claim", "sound", "--quiet") == 1
    assert "sound: on record: false as printed" in capsys.readouterr().out
    assert Path("ledger.html").read_text("utf-8").startswith("<!DOCTYPE html>")
    assert ledgerfile.read("ledger.json").agrees


def test_a_claim_that_raises_fails_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write_claims(tmp_path, "claims_that_raise", "raising")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert command("claims_that_raise", "--json") == 1
    told = capsys.readouterr()
    assert json.loads(told.out)["agrees"] is False
    assert "the sum is off" in told.err
    with pytest.raises(ClaimError, match="raising has no verdict"):
        command("claims_that_raise", "--record")
    assert not Path("claims_that_raise", RECORD).exists()


def test_one_claim_writes_no_files_that_were_not_asked_for(small: str) -> None:
    command(small, "--claim", "wrong", "--html", "one.html")
    assert [path.name for path in Path().glob("*.[hj]*")] == ["one.html"]


def test_recording_some_leaves_the_others(small: str) -> None:
    Path(small, RECORD).write_text('{"version": 1, "verdicts": {"wrong": "holds", "old": "holds"}}')
    done = record(run_ledger(["sound"], jobs=1, package=small), small)
    assert done.agrees
    assert recorded(small) == {"sound": Verdict.HOLDS, "wrong": Verdict.HOLDS}


@pytest.mark.parametrize(
    "words", [["--data", "nowhere"], ["--json", "no/where.json"], ["--html", "no/where.html"]]
)
def test_what_cannot_work_is_refused_at_once(small: str, words: list[str]) -> None:
    with pytest.raises(FileFormatError, match=r"there is no folder (nowhere|no)"):
        command(small, *words)


@pytest.mark.parametrize("words", [["--jobs", "0"], ["--seed", "-1"], ["--jobs", "two"]])
def test_words_that_make_no_sense(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        command("nothing", *words)
    assert "whole number" in capsys.readouterr().err


# ------------------------------------------------------------------------------------- as JSON


def test_json_comes_back_as_it_was(ledger: Ledger) -> None:
    text = ledgerfile.dumps(ledger)
    back = ledgerfile.loads(text)
    assert ledgerfile.dumps(back) == text
    assert back.agrees == ledger.agrees
    sound = back.entries[0].outcome
    assert sound is not None
    assert math.isnan(sound.figures[0].curves[0].y[2])
    mended = back.entries[1].outcome
    assert mended is not None
    heavy = mended.drawings[1].graph
    assert heavy.adjacency.toarray().tolist() == [[0.0, 0.5], [0.5, 2.0]]


def test_json_is_strict(ledger: Ledger) -> None:
    def refuse(word: str) -> None:
        raise AssertionError(f"{word} is not JSON")

    json.loads(ledgerfile.dumps(ledger), parse_constant=refuse)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("{", "not JSON"),
        ("[]", "not a ledger of version 1"),
        ('{"kind": "polyfilter ledger", "version": 99}', "not a ledger of version 1"),
        ('{"kind": "polyfilter ledger", "version": 1}', "damaged"),
    ],
)
def test_what_is_no_ledger_is_refused(tmp_path: Path, text: str, complaint: str) -> None:
    (tmp_path / "ledger.json").write_text(text)
    with pytest.raises(FileFormatError, match=complaint):
        ledgerfile.read(tmp_path / "ledger.json")


# ------------------------------------------------------------------------- what it stands upon


def test_a_process_that_dies_takes_nothing_with_it() -> None:
    before = dict(os.environ)
    events = [event for event in apart(os._exit, [(5,), (6,)], jobs=1) if event != Idle()]
    assert [event.code for event in events if isinstance(event, Died)] == [5, 6]
    assert dict(os.environ) == before


def test_each_process_runs_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    events = apart(os.getenv, [("OMP_NUM_THREADS",)], jobs=1)
    assert [event.value for event in events if isinstance(event, Finished)] == ["1"]


def test_a_listener_who_leaves_ends_what_runs() -> None:
    listening = apart(os.system, [("sleep 60",)], jobs=1)
    next(listening)
    listening.close()  # returns at once


def test_a_commit_is_that_of_the_files_and_not_of_the_repository_around(tmp_path: Path) -> None:
    def git(*words: str) -> None:
        identity = ["-c", "user.name=n", "-c", "user.email=e@example.org"]
        subprocess.run(["git", "-C", str(tmp_path), *identity, *words], check=True)

    git("init", "-q")
    (tmp_path / "ours").mkdir()
    (tmp_path / "ours" / "a.py").write_text("1")
    (tmp_path / "installed").mkdir()
    (tmp_path / "installed" / "b.py").write_text("1")
    git("add", "ours")
    git("commit", "-q", "-m", "one")
    assert len(commit(tmp_path / "ours")) >= 7
    assert commit(tmp_path / "installed") == ""
    (tmp_path / "ours" / "a.py").write_text("2")
    assert commit(tmp_path / "ours").endswith(" with changes")


# ------------------------------------------------------------------------- the paper's claims


def test_every_claim_of_the_paper_is_on_record() -> None:
    claims = discover(PACKAGE)
    assert [claim.name for claim in claims] == list(recorded(PACKAGE))
    assert all(claim.where and claim.statement and claim.reading for claim in claims)


def test_the_command_line_knows_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", "--help"]) == 0
    examples = re.findall(
        "^  polyfilter (verify.*?)(?:  |$)", capsys.readouterr().out, re.MULTILINE
    )
    assert len(examples) == 4
    for example in examples:
        assert build_parser().parse_args(example.split()).command == "verify"
    assert main(["verify", "--claim", "lema_1"]) == 1
    assert "did you mean lemma_1?" in capsys.readouterr().err
    assert main(["verify", "--jobs", "0"]) == 2
