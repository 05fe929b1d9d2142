r"""SGS: the paper's Synthetic Graph Spectrum data (Section 5.1 and Appendix E).

The map is ``(target, part, seed) -> graphs with signals x and targets y``,

.. math:: y = U f^*(\Lambda) U^\top x, \qquad f^* \in \{ f_{HP}, f_{LP}, f_{BP} \},

with 1,000 graphs to train on, 1,000 to validate and 2,000 to test. How a graph, its spectrum and
its signal are drawn is :mod:`gcn.data.synthesis`; what the text leaves open is decided in
:class:`~gcn.data.recipe.Recipe`. The target is the filter applied to the *noisy* signal: the
networks learn a filter, not to remove noise.

1. As in the authors' release each target has graphs of its own: three independent data sets.
   Graph k of a part has its own stream of random numbers, named by seed, target, part and k. So
   smaller sets are the beginnings of larger ones, and two recipes see the same graphs.
2. One seed gives the same bytes on every machine, but for a chance that is told in
   :mod:`gcn.data.synthesis`. :attr:`~gcn.data.split.Split.checksum` says whether it did.
3. The paper's "80 to 350 edges" counts both directions. An undirected graph has
   :math:`0.02 N (N - 1) / 2` edges on average, 63 to 143, and so 126 to 286 directed ones.

>>> small = generate("band-pass", "train", seed=0, count=3)
>>> small
Split('band-pass', 'train', seed 0, 3 graphs, 328 nodes, 358 edges)
>>> splits("band-pass", sizes=(3, 1, 2)).train
Collection(3 graphs, 328 nodes, 1 feature, y a node)

On the command line, ``python -m gcn.data.sgs --folder data`` makes all nine files.
"""

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping, Sequence
from hashlib import sha256
from json import dumps
from os import PathLike
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import torch

from gcn.data.collection import Collection
from gcn.data.draws import Draws
from gcn.data.recipe import Recipe
from gcn.data.split import Split, load
from gcn.data.synthesis import as_basis, draw_graph, draw_signal, draw_spectrum, target_signal
from polyfilter.errors import FileFormatError, FilterError, PolyfilterError
from polyfilter.graphs import GraphSet
from polyfilter.progress import bar
from polyfilter.responses import Response, band_pass, high_pass, low_pass

__all__ = ["PARTS", "RELEASED", "TARGETS", "Splits", "generate", "load", "obtain", "splits"]

TARGETS: Mapping[str, Response] = MappingProxyType(
    {response.name: response for response in (high_pass, low_pass, band_pass)}
)
"""The three filters by name (Equation ``sgs_filters``)."""
PARTS = ("train", "valid", "test")
SIZES = (1000, 1000, 2000)
RELEASED = Recipe.released()
MAX_COUNT = 1_000_000


class Splits(NamedTuple):
    """What to train on, what to choose by, and what to report."""

    train: Collection
    valid: Collection
    test: Collection


def generate(
    target: str,
    part: str,
    *,
    seed: int = 0,
    count: int | None = None,
    recipe: Recipe = RELEASED,
    show: bool | None = None,
) -> Split:
    """Return the graphs, signals and targets of one part; 300 graphs a second on one core.

    Parameters
    ----------
    target
        "high-pass", "low-pass" or "band-pass".
    part
        "train", "valid" or "test".
    seed
        Any whole number from 0.
    count
        How many graphs; the paper's 1,000, 1,000 and 2,000 by default.
    recipe
        The choices; those of the authors' release by default.
    show
        Whether to show a progress bar; by default if somebody watches.

    Examples
    --------
    >>> generate("low-pass", "test", seed=1, count=2)
    Split('low-pass', 'test', seed 1, 2 graphs, 172 nodes, 145 edges)
    """
    size = _checked(target, part, seed, count)
    graphs, signals = [], []
    with bar(size, f"SGS {target} {part}", show) as update:
        for k in range(size):
            draws = Draws(f"SGS, seed {seed}, {target}, {part}, graph {k}")
            graph = draw_graph(recipe, draws)
            s = draw_spectrum(recipe, graph.num_nodes, draws)
            basis = as_basis(recipe, graph)
            x = draw_signal(recipe, basis, s, draws)
            graphs.append(graph)
            signals.append((s, x, target_signal(basis, TARGETS[target], x)))
            update(1)
    s, x, y = (np.concatenate(parts) for parts in zip(*signals, strict=True))
    return Split(target, part, seed, recipe, GraphSet(graphs), s, x, y)


def obtain(
    folder: str | PathLike[str] | None,
    target: str,
    part: str,
    *,
    seed: int = 0,
    count: int | None = None,
    recipe: Recipe = RELEASED,
    regenerate: bool = False,
    show: bool | None = None,
) -> Split:
    """Return a part from its file in ``folder``; make the file first if there is none.

    Without a folder the part is generated, and not kept.
    A file that is truncated or altered, or that holds something else than its name says, is
    refused; ``regenerate=True`` makes it again.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     made = obtain(folder, "low-pass", "test", count=1)
    ...     read = obtain(folder, "low-pass", "test", count=1)
    >>> made.checksum == read.checksum
    True
    """
    size = _checked(target, part, seed, count)
    if folder is None:
        return generate(target, part, seed=seed, count=size, recipe=recipe, show=show)
    path = Path(folder) / file_name(target, part, seed, size, recipe)
    if regenerate or not path.exists():
        made = generate(target, part, seed=seed, count=size, recipe=recipe, show=show)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise FileFormatError(f"can't make the folder {folder}: {error.strerror}") from error
        made.save(path)
        return made
    try:
        split = load(path)
    except FileFormatError as error:
        raise FileFormatError(f"{error}; regenerate=True (--regenerate) makes it again") from error
    wanted = (target, part, seed, recipe, size)
    if (split.target, split.part, split.seed, split.recipe, len(split.graphs)) != wanted:
        raise FileFormatError(f"{path} holds {split}, not what its name says; move it away")
    return split


def splits(
    target: str,
    *,
    seed: int = 0,
    folder: str | PathLike[str] | None = None,
    recipe: Recipe = RELEASED,
    sizes: tuple[int, int, int] = SIZES,
    operator: str = "symmetric",
    kernel: str = "auto",
    dtype: torch.dtype = torch.float32,
    regenerate: bool = False,
) -> Splits:
    """Return the three parts, ready for training.

    Parameters
    ----------
    target, seed, recipe
        As for :func:`generate`.
    folder
        Where files are kept (:func:`obtain`); without one nothing is kept.
    sizes
        How many graphs to train on, to validate and to test.
    operator, kernel
        As for :func:`gcn.propagate.prepare`.
    dtype
        Of x, y and the operator.
    regenerate
        Make files again that exist.

    Examples
    --------
    >>> splits("high-pass", sizes=(2, 1, 1), operator="mean").valid.prepared.operator
    'mean'
    """
    parts = (
        obtain(folder, target, part, seed=seed, count=count, recipe=recipe, regenerate=regenerate)
        for part, count in zip(PARTS, sizes, strict=True)
    )
    return Splits(
        *(part.collection(operator=operator, kernel=kernel, dtype=dtype) for part in parts)
    )


def file_name(target: str, part: str, seed: int, count: int, recipe: Recipe = RELEASED) -> str:
    """Return the name of the file of a part; other recipes than the released one add a code.

    Examples
    --------
    >>> file_name("low-pass", "train", 0, 1000)
    'sgs-low-pass-train-seed0-1000.npz'
    """
    code = sha256(dumps(recipe.to_dict(), sort_keys=True).encode()).hexdigest()[:8]
    kind = "" if recipe == RELEASED else f"-{code}"
    return f"sgs-{target}-{part}-seed{seed}-{count}{kind}.npz"


def _checked(target: str, part: str, seed: int, count: int | None) -> int:
    """Return the number of graphs, if all is as it should be."""
    if target not in TARGETS:
        raise FilterError(f"SGS has the targets {', '.join(TARGETS)}, not {target!r:.40}")
    if part not in PARTS:
        raise FilterError(f"SGS has the parts {', '.join(PARTS)}, not {part!r:.40}")
    if type(seed) is not int or seed < 0:
        raise FilterError(f"the seed has to be a whole number from 0, not {seed!r:.40}")
    size = SIZES[PARTS.index(part)] if count is None else count
    if type(size) is not int or not 1 <= size <= MAX_COUNT:
        raise FilterError(f"a part has from 1 to {MAX_COUNT:,} graphs, not {size!r:.40}")
    return size


# ------------------------------------------------------------------------------ the command


def main(argv: Sequence[str] | None = None) -> int:
    """Make the files and print one line for each; return 0, 1 after a mistake, 130 for Ctrl-C.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     main(["--folder", folder, "--target", "low-pass", "--sizes", "1", "1", "1"])
    Split('low-pass', 'train', seed 0, 1 graph, ...) ... sgs-low-pass-train-seed0-1.npz
    ...
    0
    """
    words = _parser().parse_args(argv)
    try:
        _run(words)
    except PolyfilterError as error:
        print(f"gcn.data.sgs: error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:  # files are whole or absent, and those that are there are kept
        return 130
    return 0


def _run(words: Namespace) -> None:
    recipe = Recipe.text() if words.text else RELEASED
    for target in words.target or TARGETS:
        for part, count in zip(PARTS, words.sizes, strict=True):
            split = obtain(
                words.folder,
                target,
                part,
                seed=words.seed,
                count=count,
                recipe=recipe,
                regenerate=words.regenerate,
            )
            name = file_name(target, part, words.seed, count, recipe)
            print(f"{split} sha256 {split.checksum[:16]} {name}")


def _parser() -> ArgumentParser:
    parser = ArgumentParser(
        prog="python -m gcn.data.sgs",
        description="Make the Synthetic Graph Spectrum data: one file for each target and part. "
        "Files that exist are checked and kept.",
    )
    parser.add_argument("--folder", type=Path, required=True, help="where the files go")
    parser.add_argument("--seed", type=int, default=0, help="whole number from 0 (default 0)")
    parser.add_argument(
        "--target",
        action="append",
        choices=tuple(TARGETS),
        help="which filter; may be given again (default: all three)",
    )
    parser.add_argument(
        "--sizes",
        type=int,
        nargs=3,
        default=SIZES,
        metavar=("TRAIN", "VALID", "TEST"),
        help="graphs in each part (default: 1000 1000 2000)",
    )
    parser.add_argument(
        "--text",
        action="store_true",
        help="follow the letter of the paper instead of the authors' generator",
    )
    parser.add_argument(
        "--regenerate", action="store_true", help="make files again, also those that exist"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
