r"""Command lines that complain in one line.

The map is ``words -> arguments``, as :mod:`argparse` has it, but what makes no sense is raised as a
:class:`UsageError` with one sentence, and not printed with the whole usage above it.

>>> parser = Parser(prog="tool")
>>> _ = parser.add_argument("--degree", type=int)
>>> parser.parse_args(["--degree", "many"])
Traceback (most recent call last):
...
polyfilter.usage.UsageError: argument --degree: invalid int value: 'many' (see tool --help)
"""

import argparse
from typing import NoReturn

from polyfilter.errors import PolyfilterError

__all__ = ["Parser", "UsageError"]


class UsageError(PolyfilterError):
    """Words on the command line that make no sense together."""


class Parser(argparse.ArgumentParser):
    """A parser that complains in one line."""

    def error(self, message: str) -> NoReturn:
        """Raise instead of printing two lines."""
        raise UsageError(f"{message} (see {self.prog} --help)")
