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

import sys
from argparse import Namespace
from collections.abc import Sequence
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING

from polyfilter import claims, completion, helptext, verify
from polyfilter.arguments import build_parser
from polyfilter.usage import SUCCESS, colourful, exit_status, printable

if TYPE_CHECKING:
    from polyfilter.commands.report import Report

__all__ = ["main"]


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
    return exit_status("polyfilter", lambda: _run(argv))


def _run(argv: Sequence[str] | None) -> int:
    parser = build_parser()
    arguments = parser.parse_args(argv)
    if arguments.command == "verify":  # tells as it goes, and its status is a verdict
        return verify.run(arguments)
    if arguments.command == "completion":
        print(completion.script(parser, arguments.shell, _known_words()), end="")
        return SUCCESS
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


def _known_words() -> dict[str, Sequence[str]]:
    """What may follow options for which argparse has no list, since they are checked elsewhere."""
    found = (module.name for module in iter_modules(claims.__path__))
    return {
        "response": tuple(helptext.RESPONSES),
        "architecture": helptext.ARCHITECTURES.replace(":K", ":3").split(),
        "claim": [name for name in found if not name.startswith("_")],
    }


def _text(report: "Report", arguments: Namespace) -> str:
    if arguments.json:
        return report.to_json()
    if arguments.quiet:
        return report.brief
    title = printable(report.title)
    if colourful(sys.stdout):
        title = f"\x1b[1m{title}\x1b[0m"
    return f"{title}\n{printable(report.body)}"
