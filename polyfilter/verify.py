r"""The command ``polyfilter verify``: run the ledger, show it, write it, compare it.

The map is ``words -> exit status``: 0 if every verdict is the recorded one, 1 if not. The table
goes to stdout while it fills; ``ledger.json`` and ``ledger.html`` are written when it is done.

Assumptions: none. Nothing heavy is imported before the words are understood.

>>> import argparse
>>> parser = argparse.ArgumentParser()
>>> add_arguments(parser)
>>> parser.parse_args(["--claim", "lemma_1", "lemma_2"]).claim
['lemma_1', 'lemma_2']
"""

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from polyfilter.errors import FileFormatError

if TYPE_CHECKING:
    from polyfilter.ledger import Ledger

__all__ = ["DESCRIPTION", "EXAMPLE", "SUMMARY", "add_arguments", "run"]

SUMMARY = "settle every claim of the paper by computation"
DESCRIPTION = """\
Settle every claim of the paper by computation: it holds, it holds with a correction, or it is false
as printed. Prints a table, and writes the ledger as JSON and as one HTML page that needs no
network. The exit status is 0 only if every verdict is the one that the repository has on record.
"""
EXAMPLE = """\
examples:
  polyfilter verify                                  all claims; ledger.json and ledger.html
  polyfilter verify --claim lemma_1 --seed 7         one claim, with evidence of its own
  polyfilter verify --full --data DIR --html out.html
  polyfilter verify --json -                         the ledger on stdout, the table on stderr
"""
JSON, HTML = "ledger.json", "ledger.html"
STDOUT = "-"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command to its parser."""
    parser.add_argument("--full", action="store_true", help="the long version, of minutes")
    parser.add_argument(
        "--claim",
        action="extend",
        nargs="+",
        default=[],
        metavar="NAME",
        help="only these claims; then files are written only where they are asked for",
    )
    parser.add_argument(
        "--seed", type=_whole, default=0, metavar="N", help="of all chance (default 0)"
    )
    parser.add_argument(
        "--jobs", type=_positive, metavar="N", help="processes (default: one a core)"
    )
    parser.add_argument("--data", type=Path, metavar="DIR", help="a folder with real graph sets")
    parser.add_argument(
        "--json",
        metavar="FILE",
        nargs="?",
        const=STDOUT,
        help=f"where the ledger goes (default {JSON}); alone or as - it is stdout",
    )
    parser.add_argument("--html", metavar="FILE", help=f"where the page goes (default {HTML})")
    parser.add_argument(
        "--record", action="store_true", help="put the verdicts of this run on record"
    )
    parser.add_argument("-q", "--quiet", action="store_true", help="print only what is wrong")


def _whole(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"it has to be a whole number from 0 on, not {text}")
    return int(text)


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"it has to be a whole number from 1 on, not {text}")
    return int(text)


def run(options: argparse.Namespace, package: str | None = None) -> int:
    """Run the ledger and return the exit status.

    Parameters
    ----------
    options : argparse.Namespace
        What :func:`add_arguments` asks for.
    package : str, optional
        Where the claims live; this package's own by default.
    """
    from polyfilter import docket, ledger, report
    from polyfilter.claim import Setting

    _check_paths(options)
    where = package or docket.PACKAGE
    stream = sys.stderr if options.json == STDOUT else sys.stdout
    claims = docket.select(docket.discover(where), options.claim)
    done = ledger.verify(
        options.claim,
        Setting(seed=options.seed, full=options.full, data=options.data),
        jobs=options.jobs,
        watcher=None if options.quiet else report.watcher(claims, stream),
        package=where,
    )
    if options.record:
        done = ledger.record(done, where)
    if not (options.quiet and done.agrees):
        report.say(report.closing(done), stream)
    for name in _write(done, options):
        if not options.quiet:
            report.say(f"written: {name}", stream)
    return 0 if done.agrees else 1


def _check_paths(options: argparse.Namespace) -> None:
    """Refuse what can't work before the minute that the claims take."""
    if options.data is not None and not options.data.is_dir():
        raise FileFormatError(f"there is no folder {options.data} to take data from")
    for name in (options.json, options.html):
        if name not in (None, STDOUT) and not Path(name).resolve().parent.is_dir():
            raise FileFormatError(f"can't write {name}: there is no folder {Path(name).parent}")


def _write(done: "Ledger", options: argparse.Namespace) -> list[str]:
    """Write the files that were asked for, or the usual two after a run of all claims."""
    from polyfilter import ledgerfile
    from polyfilter.files import atomic_write
    from polyfilter.page import page

    default = not options.claim
    as_json = options.json or (JSON if default else None)
    as_html = options.html or (HTML if default else None)
    written = []
    if as_json == STDOUT:
        print(ledgerfile.dumps(done), end="")
    elif as_json:
        ledgerfile.write(done, as_json)
        written.append(as_json)
    if as_html:
        with atomic_write(as_html) as stream:
            stream.write(page(done).encode())
        written.append(as_html)
    return written
