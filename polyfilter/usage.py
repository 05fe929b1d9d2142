r"""What all our commands share: how they complain, what they return, when they are in colour.

The maps are ``words -> arguments``, as argparse has it, but with a sentence raised as a
:class:`UsageError` for what makes no sense; and ``work -> exit status`` (:func:`exit_status`), in
which every mistake is one line on stderr and a traceback always means a bug of ours.

Assumptions: none.

>>> parser = Parser(prog="tool")
>>> _ = parser.add_argument("--degree", type=int)
>>> parser.parse_args(["--degree", "many"])
Traceback (most recent call last):
...
polyfilter.usage.UsageError: argument --degree: invalid int value: 'many' (see tool --help)
"""

import argparse
import os
import sys
from collections.abc import Callable
from typing import Any, NoReturn, TextIO

from polyfilter.errors import PolyfilterError

__all__ = [
    "EXIT_STATUS",
    "MISTAKE",
    "SUCCESS",
    "Parser",
    "UsageError",
    "colourful",
    "exit_status",
    "printable",
]

SUCCESS, MISTAKE, MISUSE, INTERRUPTED, BROKEN_PIPE = 0, 1, 2, 130, 141

EXIT_STATUS = """\
exit status:
  0    all is well
  1    a mistake in the input, or what was asked for did not come out
  2    a mistake in the words
  130  Ctrl-C
  141  the reader of a pipe has gone away
"""
"""For the help of every command."""


class UsageError(PolyfilterError):
    """Words on the command line that make no sense together."""


class Parser(argparse.ArgumentParser):
    """A parser that complains in one line, and whose help has the lines that it was given."""

    def __init__(self, **options: Any) -> None:
        options.setdefault("formatter_class", argparse.RawDescriptionHelpFormatter)
        super().__init__(allow_abbrev=False, **options)

    def error(self, message: str) -> NoReturn:
        """Raise instead of printing two lines."""
        raise UsageError(f"{message} (see {self.prog} --help)")

    def print_help(self, file: Any = None) -> None:
        """Print the help in letters that the terminal has."""
        print(printable(self.format_help()), end="", file=file)


def printable(text: object) -> str:
    """Return a text with question marks for what stdout can't encode, such as Γ in ASCII.

    Examples
    --------
    >>> printable("plain")
    'plain'
    """
    encoding = sys.stdout.encoding or "utf-8"
    return str(text).encode(encoding, "replace").decode(encoding)


def colourful(stream: TextIO) -> bool:
    """Whether a stream is a terminal that shows colours, and nobody has said NO_COLOR.

    Examples
    --------
    >>> import io
    >>> colourful(io.StringIO())
    False
    """
    unwanted = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return not unwanted and stream.isatty()


def exit_status(name: str, work: Callable[[], int], *, speaks: bool = True) -> int:
    """Do a command's work and return its exit status, after one line on stderr if it failed.

    Parameters
    ----------
    name : str
        Who complains.
    work : callable
        Returns a status, raises an error, or leaves by ``SystemExit`` when it has printed its help.
    speaks : bool
        Whether to complain at all; one of many processes speaks for the others.

    Examples
    --------
    >>> exit_status("tool", lambda: 0)
    0
    """

    def complain(message: object, status: int) -> int:
        if speaks:
            print(f"{name}: error: {' '.join(str(message).split())}", file=sys.stderr)
        return status

    try:
        try:
            status = work()
        except SystemExit:  # --help and --version have printed what they had to
            status = SUCCESS
        sys.stdout.flush()
    except UsageError as error:
        return complain(error, MISUSE)
    except PolyfilterError as error:
        return complain(error, MISTAKE)
    except MemoryError:
        return complain("there is not enough memory for this", MISTAKE)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _discard_stdout()
        return BROKEN_PIPE
    except OSError as error:
        _discard_stdout()
        place = f"{error.filename}: " if error.filename else ""
        return complain(f"{place}{error.strerror or error}", MISTAKE)
    return status


def _discard_stdout() -> None:
    """Send what is left in the buffer nowhere, or Python would try again when it exits."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):
        return  # stdout is no file, so nothing is left
