"""Sweeps: nothing finished is lost, whatever is killed. Workers here are really killed."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from threading import Thread

import pytest
from sweep_tasks import SECONDS, Task, do, wait_for

from experiments.engines import EngineError, local, open_engine
from experiments.sweep import Engine, sweep


@pytest.fixture(scope="module")
def cluster() -> Iterator[str]:
    """Give the address of a dask cluster of two processes; only this file pays for dask."""
    from distributed import LocalCluster

    with LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        processes=True,
        dashboard_address="127.0.0.1:0",
        host="127.0.0.1",
        silence_logs=50,
    ) as made:
        yield made.scheduler_address


def pool() -> ProcessPoolExecutor:
    """What the standard library has: all of it breaks when one process dies."""
    return ProcessPoolExecutor(2, mp_context=get_context("spawn"))


@pytest.fixture(params=["local", "pool", "dask"])
def engine(request: pytest.FixtureRequest) -> Engine:
    if request.param == "dask":
        return open_engine("dask", 1, request.getfixturevalue("cluster"))
    return local(2) if request.param == "local" else pool


def tasks(folder: Path, **deeds: str) -> list[Task]:
    return [Task(name, folder, deed) for name, deed in deeds.items()]


def names(results: dict[Task, str]) -> set[str]:
    return set(results.values())


def test_a_killed_worker_loses_nothing(engine: Engine, tmp_path: Path):
    asked = tasks(tmp_path, a="work", b="die once", c="work", d="work")
    kept: dict[Task, str] = {}
    outcome = sweep(asked, do, engine, keep=kept.__setitem__)
    assert names(outcome.finished) == {"A", "B", "C", "D"}
    assert kept == outcome.finished
    assert outcome.failed == {}
    assert len(asked[1].begun) == 2


def test_a_worker_killed_from_outside_in_the_middle(engine: Engine, tmp_path: Path):
    asked = tasks(tmp_path, a="work", b="wait once", c="work")

    def kill() -> None:
        wait_for(asked[1].trace)
        os.kill(asked[1].begun[0], signal.SIGKILL)

    killer = Thread(target=kill)
    killer.start()
    outcome = sweep(asked, do, engine)
    killer.join()
    assert names(outcome.finished) == {"A", "B", "C"}
    assert len(asked[1].begun) == 2


def test_one_that_kills_its_worker_every_time_is_reported_and_stops_no_other(tmp_path: Path):
    asked = tasks(tmp_path, a="die", b="work", c="work")
    outcome = sweep(asked, do, local(1), attempts=1)
    assert names(outcome.finished) == {"B", "C"}
    assert outcome.failed == {asked[0]: "its worker died again and again"}
    assert [len(task.begun) for task in asked] == [2, 1, 1]


def test_dask_gives_up_on_it_too(cluster: str, tmp_path: Path):
    asked = tasks(tmp_path, a="die", b="work")
    outcome = sweep(asked, do, open_engine("dask", 1, cluster))
    assert names(outcome.finished) == {"B"}
    assert "KilledWorker" in outcome.failed[asked[0]]


def test_a_failure_is_told_and_not_tried_again(
    engine: Engine, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    asked = tasks(tmp_path, a="fail", b="work")
    outcome = sweep(asked, do, engine)
    assert names(outcome.finished) == {"B"}
    assert outcome.failed == {asked[0]: "ValueError: it was asked to fail"}
    assert len(asked[0].begun) == 1
    assert "a failed: ValueError: it was asked to fail" in capsys.readouterr().err


def test_an_exception_that_cannot_travel_is_told_in_words(tmp_path: Path):
    asked = tasks(tmp_path, a="fail stubbornly")
    assert sweep(asked, do, local(1)).failed == {asked[0]: "RuntimeError: Stubborn: of two"}


def test_what_is_done_is_not_begun(tmp_path: Path):
    asked = tasks(tmp_path, a="work", b="work")
    outcome = sweep([*asked, asked[1]], do, ThreadPoolExecutor, done=lambda task: task == asked[0])
    assert outcome.skipped == (asked[0],)
    assert outcome.finished == {asked[1]: "B"}
    assert not asked[0].trace.exists()
    assert len(asked[1].begun) == 1
    assert str(outcome) == "1 finished, 1 there already"


def test_the_bar_has_names(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    sweep(tasks(tmp_path, first="work"), do, ThreadPoolExecutor, show=True)
    assert "first" in capsys.readouterr().err


def test_local_processes_have_one_thread_and_the_environment_is_as_before(
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    outcome = sweep(["OMP_NUM_THREADS"], os.getenv, local(2))
    assert outcome.finished == {"OMP_NUM_THREADS": "1"}
    assert "OMP_NUM_THREADS" not in os.environ


def test_ctrl_c_stops_what_runs(tmp_path: Path):
    """In a process of its own: the first task waits for a minute, the second never begins."""
    script = (
        "import sys; from pathlib import Path; from experiments.engines import local;"
        "from experiments.sweep import sweep; from sweep_tasks import Task, do;"
        "folder = Path(sys.argv[1]);"
        "sweep([Task('a', folder, 'wait once'), Task('b', folder)], do, local(1))"
    )
    here = os.pathsep.join([str(Path(__file__).parent), *sys.path])
    process = subprocess.Popen(
        [sys.executable, "-c", script, str(tmp_path)],
        env=os.environ | {"PYTHONPATH": here},
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,  # a terminal sends Ctrl-C to the whole group
    )
    first, second = tasks(tmp_path, a="wait once", b="work")
    wait_for(first.trace)
    start = time.monotonic()
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=SECONDS)
    assert time.monotonic() - start < SECONDS / 2
    assert err.count("Traceback") == 1  # ours, of the interruption that was raised again
    assert err.rstrip().endswith("KeyboardInterrupt")
    assert not second.trace.exists()
    with pytest.raises(ProcessLookupError):
        os.kill(first.begun[0], 0)


def test_a_full_disk_stops_the_sweep(tmp_path: Path):
    def keep(task: Task, result: str) -> None:
        raise OSError("no space left")

    with pytest.raises(OSError, match="no space left"):
        sweep(tasks(tmp_path, a="work", b="wait once"), do, local(2), keep=keep)


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("local", 0, None), "give --jobs at least 1"),
        (("local", 1, "tcp://there"), "only with that"),
        (("dask", 1, None), "needs --scheduler"),
    ],
)
def test_engines_that_make_no_sense(words: tuple[str, int, str | None], complaint: str):
    with pytest.raises(EngineError, match=complaint):
        open_engine(*words)


def test_a_scheduler_that_is_not_there(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("experiments.engines.CONNECT_SECONDS", 0.5)
    for address in ("tcp://127.0.0.1:9", "nonsense://there"):
        with (
            pytest.raises(EngineError, match="there is no dask scheduler at"),
            open_engine("dask", 1, address)(),
        ):
            pass


def test_dask_that_is_not_installed(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(EngineError, match="pip install distributed"):
        open_engine("dask", 1, "tcp://127.0.0.1:8786")


def test_dask_workers_of_many_threads_are_refused():
    from distributed import LocalCluster

    with (
        LocalCluster(
            n_workers=1,
            threads_per_worker=2,
            processes=False,
            dashboard_address="127.0.0.1:0",
        ) as made,
        pytest.raises(EngineError, match=r"has 2 threads, .* --nthreads 1"),
        open_engine("dask", 1, made.scheduler_address)(),
    ):
        pass


def test_dask_is_not_imported_unless_asked_for():
    code = "import sys, experiments.engines; sys.exit('distributed' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], timeout=SECONDS).returncode == 0


def test_functions_with_settings_travel(tmp_path: Path):
    assert sweep([2.5], partial(round, ndigits=0), local(1)).finished == {2.5: 2.0}
