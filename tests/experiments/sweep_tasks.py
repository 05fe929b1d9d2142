"""Small tasks that processes can import: they leave a trace, fail, wait, or kill themselves."""

import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path

SECONDS = 60.0
"""No task waits longer."""


@dataclass(frozen=True)
class Task:
    """What to do, and where to leave a trace of it."""

    name: str
    folder: Path
    deed: str = "work"

    @property
    def trace(self) -> Path:
        """One line for each time that the task was begun: the process that did."""
        return self.folder / f"{self.name}.begun"

    @property
    def begun(self) -> list[int]:
        """The processes that began it."""
        return [int(line) for line in self.trace.read_text().split()]


class Stubborn(Exception):
    """An exception that pickle can't bring back."""

    def __init__(self, one: int, two: int) -> None:
        super().__init__("of two")


def do(task: Task) -> str:
    """Do what the task says and return its name in capitals."""
    with task.trace.open("a") as stream:
        stream.write(f"{os.getpid()}\n")
    if task.deed == "fail":
        raise ValueError("it was asked to fail")
    if task.deed == "fail stubbornly":
        raise Stubborn(1, 2)
    if task.deed == "die" or (task.deed == "die once" and len(task.begun) == 1):
        os.kill(os.getpid(), signal.SIGKILL)
    if task.deed == "wait once" and len(task.begun) == 1:
        time.sleep(SECONDS)
    return task.name.upper()


def wait_for(path: Path, ending: bytes = b"\n") -> None:
    """Wait until a file is there and has a whole line, or any other ending."""
    end = time.monotonic() + SECONDS
    while not (path.exists() and path.read_bytes().endswith(ending)):
        assert time.monotonic() < end, f"{path} did not appear"
        time.sleep(0.02)
