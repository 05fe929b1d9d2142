"""What `make verify` shows until the ledger of claims exists: the whole way, on graphs, checked.

    python -m experiments.demo [--seed N] [--data FOLDER]

Each statement is put to the test against a truth that does not come from the code under
test, and printed with the figure that decides it. The exit code is 0 only if all hold. With a data
folder (``minnesota.npz``, ``zinc12k.npz`` somewhere below it) the same is done on real graphs too.
"""

import argparse
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import polyfilter as pf
from experiments import record
from experiments.bench.capacity import erdos_renyi_set
from polyfilter.certify import eigenvalue_balls

Finding = tuple[str, str, bool]
"""A statement, the figure that decides it, and whether it holds."""


def capacity_is_exact(seed: int) -> Iterator[Finding]:
    """Γ of a thousand graphs, modulo primes and over the rationals; floats for comparison."""
    graphs = erdos_renyi_set(seed)
    modular = pf.spectrum_capacity(graphs, progress=False)
    algebraic = pf.spectrum_capacity(graphs, method="algebraic", progress=False)
    counts = [len(pf.spectrum(graphs, tolerance=t)) for t in (1e-6, 1e-8, 1e-10)]
    yield (
        "1,000 random graphs: capacity modulo primes equals the proof over the rationals",
        f"Γ = {modular.value:,}; floats with gaps 1e-6, 1e-8, 1e-10 count "
        + ", ".join(f"{c:,}" for c in counts),
        modular.value == algebraic.value,
    )


def theorem_one(seed: int) -> Iterator[Finding]:
    """An arbitrary rational filter of the ambient space, factored, proven on the exact spectrum."""
    rng = np.random.default_rng(seed)
    graphs = []
    while len(graphs) < 3:
        upper = np.triu(rng.random((7, 7)) < 0.45, 1)
        graphs.append(pf.Graph.from_edges(np.argwhere(upper), num_nodes=7))
    family = pf.GraphSet(graphs)
    capacity = pf.spectrum_capacity(family, method="algebraic").value
    h = pf.as_filter([int(a) for a in rng.integers(-9, 10, size=capacity - 1)] + [1])
    stack = pf.factorize(h, family, method="certified")
    certificate = stack.certify(family)
    depth = -(-(capacity - 1) // 2)
    yield (
        f"Theorem 1: a random filter of degree Γ - 1 = {capacity - 1} is {depth} layers",
        f"{len(stack)} layers, proven within {certificate.relative:.1e} of the filter on "
        f"{len(eigenvalue_balls(family))} exact eigenvalues",
        len(stack) == depth and certificate.relative < 1e-9,
    )


def deep_stacks(seed: int, graph: pf.Graph) -> Iterator[Finding]:
    """The paper's responses at degree 512, in both precisions, against dense eigenvectors."""
    x = np.random.default_rng(seed).standard_normal(graph.num_nodes)
    basis = pf.eigenbasis(graph)
    for name in ("high_pass", "low_pass", "band_pass"):
        h = pf.design.interpolate(getattr(pf.responses, name), 512)
        stack = pf.factorize(h)
        wanted = pf.filter_dense(basis, h, x)
        norm = np.linalg.norm(wanted)
        double = float(np.linalg.norm(stack.apply(graph, x) - wanted) / norm)
        single = float(np.linalg.norm(stack.apply(graph, x.astype(np.float32)) - wanted) / norm)
        yield (
            f"{name.replace('_', '-')} of degree 512 on {graph.num_nodes:,} nodes, as a stack",
            f"{len(stack)} layers, noise gain {stack.noise_gain:.3g}: error {double:.1e} in "
            f"float64, {single:.1e} in float32",
            double <= 1e-11 and single <= 1e-5,
        )


def certified(seed: int) -> Iterator[Finding]:
    """The proven bound against the largest difference found on random points."""
    h = pf.design.interpolate(pf.responses.band_pass, 128)
    stack = pf.factorize(h)
    certificate = stack.certify()
    x = np.random.default_rng(seed).uniform(-1, 1, 20_000)
    seen = float(np.abs(stack.response(x) - h(x)).max())
    yield (
        "band-pass of degree 128: the certificate encloses what is seen",
        f"seen {seen:.1e}, proven {certificate.bound:.1e} over all of [-1, 1]",
        certificate.bound < 1e-12 and seen <= certificate.bound + 1e-14,
    )


def usual_tools() -> Iterator[Finding]:
    """The power basis on the same filter, so that a reader sees why this exists."""
    h = pf.design.interpolate(pf.responses.band_pass, 64)
    x = np.linspace(-1, 1, 2001)
    power = h.convert(kind=np.polynomial.Polynomial).coef
    found = np.roots(power[::-1])
    values = power[-1] * np.prod(x[:, None] - found, axis=1).real
    theirs = float(np.abs(values - h(x)).max())
    ours = float(np.abs(pf.factorize(h).response(x) - h(x)).max())
    yield (
        "band-pass of degree 64: Chebyshev roots work where numpy.roots has nothing left",
        f"error {ours:.1e} against {theirs:.1e}",
        ours < 1e-12 < theirs,
    )


def predicted(seed: int, graph: pf.Graph) -> Iterator[Finding]:
    """The error that a stack predicts on a graph's own spectrum, against the error that it has."""
    x = np.random.default_rng(seed).standard_normal(graph.num_nodes).astype(np.float32)
    basis = pf.eigenbasis(graph)
    h = pf.design.interpolate(pf.responses.low_pass, 512)
    stack = pf.factorize(h, basis.values, dtype="float32")
    wanted = pf.filter_dense(basis, h, x)
    error = float(np.linalg.norm(stack.apply(graph, x) - wanted) / np.linalg.norm(wanted))
    yield (
        f"low-pass of degree 512 on {graph.num_nodes:,} nodes of {graph.name}: error as predicted",
        f"float32 error {error:.1e}, predicted {stack.predicted_error:.1e}",
        stack.predicted_error / 3 < error < 3 * stack.predicted_error,
    )


def real_graphs(seed: int, data: Path) -> Iterator[Finding]:
    """A road network and the molecules of ZINC, if they are there."""
    for path in sorted(data.rglob("minnesota.npz")):
        yield from predicted(seed, pf.read_graph(path))
    for path in sorted(data.rglob("zinc12k.npz")):
        molecules = pf.read_graphs(path, split="train")
        capacity = pf.spectrum_capacity(molecules, progress=False)
        depth = -(-(capacity.value - 1) // 2)
        yield (
            f"ZINC, {len(molecules):,} molecules: exact capacity",
            f"Γ = {capacity.value:,}, so Theorem 1 asks for {depth:,} layers",
            capacity.value > 0,
        )


def main() -> int:
    """Run all and print the verdicts."""
    parser = argparse.ArgumentParser(prog="python -m experiments.demo", description=__doc__)
    parser.add_argument("--seed", type=int, default=0, help="for graphs, filters and signals")
    parser.add_argument("--data", type=Path, help="a folder with real data sets")
    options = parser.parse_args()
    rng = np.random.default_rng(options.seed)
    pairs = rng.integers(0, 1500, size=(4500, 2))
    graph = pf.Graph.from_edges(pairs[pairs[:, 0] != pairs[:, 1]], num_nodes=1500)
    sources = [
        capacity_is_exact(options.seed),
        theorem_one(options.seed),
        deep_stacks(options.seed, graph),
        certified(options.seed),
        usual_tools(),
    ]
    if options.data is not None:
        sources.append(real_graphs(options.seed, options.data))
    findings: list[dict[str, object]] = []
    start = time.perf_counter()
    for source in sources:
        for statement, figure, holds in source:
            print(f"{'holds ' if holds else 'FAILS '} {statement}\n       {figure}", flush=True)
            findings.append({"statement": statement, "figure": figure, "holds": holds})
    seconds = time.perf_counter() - start
    good = sum(bool(f["holds"]) for f in findings)
    path = record.write("demo", {"findings": findings}, options.seed, seconds)
    print(f"\n{good} of {len(findings)} hold, {seconds:.0f} s, written to {path.name}")
    return int(good < len(findings))


if __name__ == "__main__":
    sys.exit(main())
