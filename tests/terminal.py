"""Commands at a terminal that is none: a pseudo-terminal, with what appears on it."""

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ESCAPE = re.compile(r"\x1b(\[[0-9;?]*[A-Za-z]|[=>()][A-Z0-9]?|\][^\x07]*\x07)")


def environment(**more: str) -> dict[str, str]:
    """The environment of a user with a plain terminal, who finds the package."""
    known = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "TERM")}
    rest = known.get("PYTHONPATH")
    path = f"{ROOT}{os.pathsep}{rest}" if rest else str(ROOT)
    return known | {"TERM": "xterm", "PYTHONPATH": path, "PYTHONIOENCODING": "utf-8"} | more


class Terminal:
    """A process on a pseudo-terminal of 40 lines and 120 columns."""

    def __init__(
        self,
        command: Sequence[str],
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        stdout: int | None = None,
    ) -> None:
        self.ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
        self.process = subprocess.Popen(
            command,
            stdin=theirs,
            stdout=theirs if stdout is None else stdout,
            stderr=theirs,
            env=dict(env or environment()),
            cwd=cwd,
            start_new_session=True,
            close_fds=True,
        )
        os.close(theirs)
        self.shown = ""

    def read(self, until: str = "", seconds: float = 60) -> str:
        """Return what appeared since, up to a text or, without one, to the end of the process."""
        begin, new = time.monotonic(), ""
        while not (until and until in ESCAPE.sub("", new)):
            left = begin + seconds - time.monotonic()
            assert left > 0, f"waited for {until!r}, but got {new!r}"
            if not select.select([self.ours], [], [], min(left, 0.5))[0]:
                continue
            try:
                part = os.read(self.ours, 65536)
            except OSError:  # the other end is closed
                part = b""
            if not part:
                break
            new += part.decode("utf-8", "replace")
        self.shown += new
        return new

    def type(self, keys: str) -> None:
        """Press keys."""
        os.write(self.ours, keys.encode())

    def close(self) -> int:
        """Wait for the process and return its status."""
        try:
            return self.process.wait(60)
        finally:
            os.close(self.ours)


def run_at_terminal(
    command: Sequence[str],
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    stdout: int | None = None,
) -> tuple[int, str]:
    """Run a command and return its status and all that appeared."""
    terminal = Terminal(command, env, cwd, stdout)
    terminal.read()
    return terminal.close(), terminal.shown
