r"""A run as it goes, for people and programs to follow.

The map is ``epoch -> one line``: ``log.jsonl`` in the folder of a run gets an object an epoch. When
a run resumes, the file is first made to say what the checkpoint says, so that no epoch is missing
or there twice. TensorBoard's files are written too if asked for.

Assumptions: one process writes.

>>> import tempfile, pathlib
>>> with tempfile.TemporaryDirectory() as folder:
...     with log(pathlib.Path(folder), []) as tell:
...         tell(Epoch(1, 0.5, 0.25, 0.001, 0.125))
...     print((pathlib.Path(folder) / "log.jsonl").read_text(), end="")
{"epoch": 1, "train_loss": 0.5, "valid_loss": 0.25, "lr": 0.001, "seconds": 0.125}
"""

import json
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from gcn.train.run import Epoch
from gcn.train.settings import TrainingError
from polyfilter.errors import FileFormatError
from polyfilter.files import atomic_write

__all__ = ["log"]


@contextmanager
def log(
    folder: Path, history: Sequence[Epoch], tensorboard: bool = False
) -> Iterator[Callable[[Epoch], None]]:
    """Give a function that logs an epoch, in a file that begins with the epochs done before.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, log(Path(folder), []) as tell:
    ...     pass
    """
    path = folder / "log.jsonl"
    with ExitStack() as stack:
        writer = _tensorboard(folder, len(history) + 1) if tensorboard else None
        if writer is not None:
            stack.callback(writer.close)
        with atomic_write(path) as whole:
            whole.write("".join(map(_line, history)).encode())
        try:
            stream = stack.enter_context(path.open("a", encoding="utf-8"))
        except OSError as error:
            raise FileFormatError(f"can't write {path}: {error.strerror}") from error

        def tell(epoch: Epoch) -> None:
            stream.write(_line(epoch))
            stream.flush()
            if writer is not None:
                for name in ("train_loss", "valid_loss", "lr", "seconds"):
                    writer.add_scalar(name, getattr(epoch, name), epoch.epoch)

        yield tell


def _line(epoch: Epoch) -> str:
    # JSON has no word for a loss that is not finite
    entries = {name: v if math.isfinite(v) else None for name, v in asdict(epoch).items()}
    return json.dumps(entries) + "\n"


def _tensorboard(folder: Path, first: int) -> Any:
    try:
        from torch.utils.tensorboard import SummaryWriter  # an extra that few need
    except ImportError as error:
        raise TrainingError(
            "TensorBoard files need a package that is not here: pip install tensorboard"
        ) from error
    return SummaryWriter(str(folder), purge_step=first)
