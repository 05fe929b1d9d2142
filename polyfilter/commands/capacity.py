r"""``polyfilter capacity``: how many different eigenvalues the graphs of some files have.

The map is ``files -> Γ``, with the dimension of the ambient filter space, which is Γ (Lemma 1), and
the depth :math:`\lceil (\Gamma - 1) / 2 \rceil` at which second-order layers fill it (Theorem 1).

Assumptions: all files together are one graph set.
"""

import signal
from argparse import Namespace
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import active_children, get_context

from polyfilter.capacity import SpectrumCapacity, spectrum_capacity
from polyfilter.commands.inputs import read_set
from polyfilter.commands.report import Report, columns, pairs, plural

__all__ = ["run"]


def run(arguments: Namespace) -> Report:
    """Count, and tell what the number means and what proves it."""
    graphs = read_set(arguments.files, split=arguments.split, self_loops=arguments.self_loops)
    with _workers(arguments.jobs) as executor:
        result = spectrum_capacity(
            graphs,
            arguments.method,
            executor,
            seed=arguments.seed,
            progress=False if arguments.quiet else None,
        )
    gamma = result.value
    depth = gamma // 2  # ⌈(Γ - 1) / 2⌉
    document = {
        "files": arguments.files,
        "graphs": result.graphs,
        "eigenvalues": result.eigenvalues,
        "capacity": gamma,
        "ambient_dimension": gamma,
        "depth": depth,
        "method": result.method,
        "proven": result.proven,
        "lower": result.lower,
        "upper": result.upper,
        "proof": result.proof,
        "primes": result.primes,
        "unlucky": result.unlucky,
        "gaps": _gaps(result),
    }
    known = "proven" if result.proven else f"proven: at least {result.lower:,}"
    rows = [
        ("graphs", f"{result.graphs:,}, with {plural(result.eigenvalues, 'eigenvalue')} in all"),
        (
            "ambient dimension",
            f"{gamma:,}: degree {gamma - 1:,} gives every filter (Lemma 1)",
        ),
        ("depth", f"{plural(depth, 'second-order layer')} for any of them (Theorem 1)"),
        ("method", f"{result.method} ({known})"),
        ("proof", result.proof),
    ]
    body = pairs(rows)
    if result.gaps is not None:
        header = ["tolerance", *(f"{tolerance:.0e}" for tolerance, _ in result.gaps.table)]
        counts = ["eigenvalues", *(f"{count:,}" for _, count in result.gaps.table)]
        body += f"\n\n{columns(header, [counts])}"
    return Report(document, f"Γ = {gamma:,} {_noun(gamma)}", body, brief=str(gamma))


def _noun(gamma: int) -> str:
    return "distinct eigenvalue" if gamma == 1 else "distinct eigenvalues"


def _gaps(result: SpectrumCapacity) -> dict[str, object] | None:
    if result.gaps is None:
        return None
    return {
        "tolerance": result.gaps.tolerance,
        "smallest_above": result.gaps.above,
        "largest_below": result.gaps.below,
        "table": [{"tolerance": t, "count": count} for t, count in result.gaps.table],
    }


@contextmanager
def _workers(jobs: int) -> Iterator[Executor | None]:
    """Give processes to spread the work over; an error or an interrupt ends them at once."""
    if jobs == 1:
        yield None
        return
    others = set(active_children())
    # spawned, since a fork would copy the threads of BLAS in whatever state they are in
    executor = ProcessPoolExecutor(jobs, get_context("spawn"), initializer=_die_quietly)
    try:
        yield executor
    except BaseException:
        executor.shutdown(wait=False, cancel_futures=True)
        for child in set(active_children()) - others:
            child.terminate()
        raise
    executor.shutdown()


def _die_quietly() -> None:
    """Let Ctrl-C end a worker without a traceback."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
