r"""The command ``polyfilter``.

The map is ``words -> exit status``: 0 for success, 1 for a mistake in the input (or, of ``verify``,
for a verdict that is not the one on record), 2 for one in the words themselves, 130 for Ctrl-C, 141
for a reader that has gone away. Every mistake is one line on stderr, ``polyfilter: error: …``; a
traceback always means a bug of ours. Results go to stdout, for a person or with ``--json`` as one
object for a program; progress goes to stderr, and only to a terminal.

Assumptions: none. Nothing heavy is imported before the words are understood.

>>> main(["--version"])
polyfilter 0.1.0
0
"""

import os
import sys
from argparse import Namespace
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING

from polyfilter import verify
from polyfilter.arguments import build_parser, printable
from polyfilter.errors import PolyfilterError
from polyfilter.usage import UsageError

if TYPE_CHECKING:
    from polyfilter.commands.report import Report

__all__ = ["main"]

SUCCESS, MISTAKE, MISUSE, INTERRUPTED, BROKEN_PIPE = 0, 1, 2, 130, 141


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status; ``argv`` is that of the process by default.

    Examples
    --------
    >>> import contextlib, io
    >>> with contextlib.redirect_stderr(io.StringIO()) as complaint:
    ...     main(["factor", "1", "1/0", "-o", "stack.json"])
    1
    >>> print(complaint.getvalue(), end="")
    polyfilter: error: coefficient 1: '1/0' divides by zero
    """
    try:
        status = _run(argv)
        sys.stdout.flush()
    except UsageError as error:
        return _complain(error, MISUSE)
    except PolyfilterError as error:
        return _complain(error, MISTAKE)
    except MemoryError:
        return _complain("there is not enough memory for this", MISTAKE)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _discard_stdout()
        return BROKEN_PIPE
    except OSError as error:
        _discard_stdout()
        place = f"{error.filename}: " if error.filename else ""
        return _complain(f"{place}{error.strerror or error}", MISTAKE)
    return status


def _run(argv: Sequence[str] | None) -> int:
    try:
        arguments = build_parser().parse_args(argv)
    except SystemExit:  # --help and --version have printed what they had to
        return SUCCESS
    if arguments.command == "verify":  # tells as it goes, and its status is a verdict
        return verify.run(arguments)
    command = import_module(f"polyfilter.commands.{arguments.command}")
    from numpy import errstate  # by now it is there

    # Numbers near 1e308 overflow on the way to a result whose status says so, and numpy's warning
    # about a line of ours would tell a user nothing.
    with errstate(over="ignore", divide="ignore", invalid="ignore"):
        report: Report = command.run(arguments)
    text = _text(report, arguments)
    if text:
        print(text)
    return SUCCESS


def _text(report: "Report", arguments: Namespace) -> str:
    if arguments.json:
        return report.to_json()
    if arguments.quiet:
        return report.brief
    return f"{_bold(printable(report.title))}\n{printable(report.body)}"


def _bold(text: str) -> str:
    plain = not sys.stdout.isatty() or "NO_COLOR" in os.environ or os.environ.get("TERM") == "dumb"
    return text if plain else f"\x1b[1m{text}\x1b[0m"


def _complain(message: object, status: int) -> int:
    print(f"polyfilter: error: {' '.join(str(message).split())}", file=sys.stderr)
    return status


def _discard_stdout() -> None:
    """Send what is left in the buffer nowhere, or Python would try again when it exits."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):
        return  # stdout is no file, so nothing is left
