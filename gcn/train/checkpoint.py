r"""A run on disk.

The map is ``folder <-> state``: ``last.pt`` holds all that a run needs to go on, ``best.pt`` the
weights with the lowest validation loss. Both are torch's zip files of tensors, numbers and strings;
they appear whole or not at all, and are read with ``weights_only=True``, so that a file can't run
code.

No state of a random generator is kept: what is random in epoch e is a function of the seed, e and
the process, so the number of epochs done says it all.

Assumptions: none about a file that is read; whatever is wrong with it is one sentence.

>>> import tempfile, pathlib
>>> with tempfile.TemporaryDirectory() as folder:
...     path = pathlib.Path(folder) / "best.pt"
...     write(path, {"weights": torch.nn.Linear(1, 2).state_dict()})
...     load_weights(path, torch.nn.Linear(1, 2))
...     try:
...         load_weights(path, torch.nn.Linear(1, 3))
...     except FileFormatError as error:
...         print(str(error).replace(folder, "RUN"))
RUN/best.pt is of another network: its weight has shape (2, 1), and here it is (3, 1)
"""

import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from polyfilter.errors import FileFormatError
from polyfilter.files import MAX_BYTES, atomic_write, check_size

__all__ = ["check_same", "check_weights", "load_weights", "read", "write"]

FORMAT = "gcn.train 1"


def write(path: Path, content: Mapping[str, object]) -> None:
    """Write tensors, numbers and strings, atomically.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write(pathlib.Path(folder) / "a.pt", {"epoch": 3})
    ...     read(pathlib.Path(folder) / "a.pt", {"epoch": int})["epoch"]
    3
    """
    with atomic_write(path) as stream:
        torch.save({"format": FORMAT, **content}, stream)


def read(path: Path, kinds: Mapping[str, type]) -> dict[str, Any]:
    """Return what :func:`write` wrote, on the CPU, with at least these entries of these types.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write(pathlib.Path(folder) / "a.pt", {"epoch": 3})
    ...     try:
    ...         read(pathlib.Path(folder) / "a.pt", {"weights": dict})
    ...     except FileFormatError as error:
    ...         print(str(error).replace(folder, "RUN"))
    RUN/a.pt is not a checkpoint of gcn.train: it has no weights
    """
    source = check_size(path)
    try:
        with zipfile.ZipFile(source) as archive:
            size = sum(entry.file_size for entry in archive.infolist())
        if size > MAX_BYTES:
            raise FileFormatError(
                f"can't read {source}: it unpacks to {size} bytes, above our limit of {MAX_BYTES}"
            )
        content = torch.load(source, map_location="cpu", weights_only=True)
    except FileFormatError:
        raise
    except Exception as error:  # whatever torch's reader meets in a damaged file
        raise FileFormatError(
            f"can't read {source}: it is damaged or no checkpoint at all; delete it, or begin in "
            "another folder"
        ) from error
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise FileFormatError(f"{source} is not a checkpoint of gcn.train, or one of a later date")
    for name, kind in kinds.items():
        if not isinstance(content.get(name), kind):
            raise FileFormatError(f"{source} is not a checkpoint of gcn.train: it has no {name}")
    return content


def load_weights(path: Path, net: torch.nn.Module) -> None:
    """Load the weights of a ``best.pt`` or ``last.pt`` into a network that has such weights.

    Examples
    --------
    >>> load_weights(Path("nowhere.pt"), torch.nn.Linear(1, 1))
    Traceback (most recent call last):
    ...
    polyfilter.errors.FileFormatError: can't read nowhere.pt: No such file or directory
    """
    weights = read(path, {"weights": dict})["weights"]
    check_weights(path, weights, net)
    net.load_state_dict(weights)


def check_weights(path: Path, weights: Mapping[str, object], net: torch.nn.Module) -> None:
    """Raise an error that names the first weight which is not as in this network.

    Examples
    --------
    >>> check_weights(Path("a.pt"), {}, torch.nn.Linear(1, 1))
    Traceback (most recent call last):
    ...
    polyfilter.errors.FileFormatError: a.pt is of another network: it has no weight
    """
    other = f"{path} is of another network:"
    own = net.state_dict()
    for name, tensor in own.items():
        saved = weights.get(name)
        if not isinstance(saved, Tensor):
            raise FileFormatError(f"{other} it has no {name}")
        if saved.shape != tensor.shape:
            raise FileFormatError(
                f"{other} its {name} has shape {tuple(saved.shape)}, and here it is "
                f"{tuple(tensor.shape)}"
            )
        if saved.dtype != tensor.dtype:
            raise FileFormatError(
                f"{other} its {name} is {saved.dtype}, and here it is {tensor.dtype}"
            )
    for name in weights:
        if name not in own:
            raise FileFormatError(f"{other} it has {name}, which is not here")


def check_same(
    path: Path, what: str, saved: Mapping[str, object], wanted: Mapping[str, object]
) -> None:
    """Raise an error that names the first entry in which a run differs from the one on disk.

    Examples
    --------
    >>> check_same(Path("a.pt"), "setting", {"lr": 0.1}, {"lr": 0.2})
    Traceback (most recent call last):
    ...
    polyfilter.errors.FileFormatError: a.pt is of another run: its setting lr is 0.1, and here it is
    0.2; resume with the same, or begin in another folder
    """
    for name in (*wanted, *saved):
        there, here = saved.get(name), wanted.get(name)
        if there != here:
            raise FileFormatError(
                f"{path} is of another run: its {what} {name} is {there}, and here it is {here}; "
                "resume with the same, or begin in another folder"
            )
