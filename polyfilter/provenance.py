"""Where figures come from: the commit, the versions and the machine that made them.

The map is ``() -> Provenance``. A result that carries one can be made again.

>>> here = provenance()
>>> dict(here.versions)["numpy"].count(".") >= 1 and here.cores >= 1
True
"""

import os
import platform
import subprocess
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

__all__ = ["Provenance", "commit", "cores", "provenance"]

PACKAGES = ("polyfilter", "numpy", "scipy", "python-flint", "sympy")
PATIENCE = 5.0
"""Seconds that git may take to answer."""


@dataclass(frozen=True)
class Provenance:
    """What made a result.

    Attributes
    ----------
    commit : str
        The commit of a checkout, "with changes" if it had any; empty for an installed package.
    python : str
        Version of the interpreter.
    versions : tuple of (str, str)
        Packages that the figures depend on.
    machine : str
        Kind of processor and system.
    cores : int
        Cores that this process may use.
    when : str
        Date and time, UTC, ISO 8601.
    """

    commit: str
    python: str
    versions: tuple[tuple[str, str], ...]
    machine: str
    cores: int
    when: str


def provenance() -> Provenance:
    """Say what runs here and now.

    Examples
    --------
    >>> provenance().python == platform.python_version()
    True
    """
    return Provenance(
        commit=commit(),
        python=platform.python_version(),
        versions=tuple((name, found) for name in PACKAGES if (found := _version(name))),
        machine=f"{platform.machine()}, {platform.system()}",
        cores=cores(),
        when=datetime.now(UTC).isoformat(timespec="seconds"),
    )


def cores() -> int:
    """Return how many cores this process may use, which a container limits.

    Examples
    --------
    >>> cores() >= 1
    True
    """
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def commit(folder: Path | None = None) -> str:
    """Return the commit that the files of a folder are checked out from, or nothing.

    Parameters
    ----------
    folder : Path, optional
        By default this package's own. That it lies inside a repository is not enough (a virtual
        environment often does): the repository has to know its files.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as empty:
    ...     commit(Path(empty))
    ''
    """
    place = Path(__file__).resolve().parent if folder is None else folder
    try:
        if not _git(place, "ls-files"):
            return ""
        head = _git(place, "rev-parse", "--short", "HEAD")
        changed = _git(place, "status", "--porcelain", "--untracked-files=no", "--", ".")
    except (OSError, subprocess.SubprocessError):
        return ""
    return f"{head} with changes" if changed else head


def _git(folder: Path, *words: str) -> str:
    asked = ["git", "-C", str(folder), *words]
    done = subprocess.run(asked, capture_output=True, text=True, check=True, timeout=PATIENCE)
    return done.stdout.strip()


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
