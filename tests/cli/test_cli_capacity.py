"""``polyfilter capacity``: known counts, on sets, splits and processes."""

import numpy as np
import pytest
from material import COMPLETE, CUBE, CYCLE, PETERSEN, STAR, dense_adjacency, edge_file


@pytest.mark.parametrize("method", ["modular", "algebraic", "float"])
@pytest.mark.parametrize(
    ("edges", "gamma"), [(CYCLE, 7), (COMPLETE, 2), (STAR, 3), (CUBE, 5), (PETERSEN, 3)]
)
def test_capacity_of_known_graphs(folder, run_json, edges, gamma, method):
    found = run_json("capacity", edge_file(folder / "g.txt", edges), "--method", method)
    assert found["capacity"] == found["ambient_dimension"] == gamma
    assert found["depth"] == -(-(gamma - 1) // 2)
    assert found["proven"] is (method == "algebraic" or found["lower"] == found["upper"])
    assert (found["gaps"] is None) is (method != "float")


def test_capacity_takes_all_files_as_one_set(folder, run):
    cycle, complete = edge_file(folder / "a.txt", CYCLE), edge_file(folder / "b.csv", COMPLETE)
    # seven cosines, and -1/4 of the complete graph, whose other eigenvalue 1 is shared
    status, out, _ = run("capacity", cycle, complete)
    assert status == 0
    assert out.startswith("Γ = 8 distinct eigenvalues\n")
    assert "2, with 17 eigenvalues in all" in out
    assert "4 second-order layers" in out
    assert "Γ ≥ 8 is proven" in " ".join(out.split())


def test_capacity_agrees_with_eigenvalues_of_random_graphs(folder, run_json):
    rng = np.random.default_rng(3)
    pairs = [(i, j) for j in range(14) for i in range(j) if rng.random() < 0.3]
    lam = np.linalg.eigvalsh(dense_adjacency([*pairs, *((i, i + 1) for i in range(13))], 14))
    path = edge_file(folder / "g.txt", {*pairs, *((i, i + 1) for i in range(13))})
    assert run_json("capacity", path)["capacity"] == 1 + np.sum(np.diff(lam) > 1e-9)


def test_capacity_prints_the_table_of_tolerances(folder, run):
    _, out, _ = run("capacity", edge_file(folder / "g.txt", CYCLE), "--method", "float")
    header, counts = out.rstrip().split("\n")[-2:]
    assert header.split() == ["tolerance", "1e-04", "1e-06", "1e-08", "1e-10", "1e-12", "1e-14"]
    assert counts.split()[:5] == ["eigenvalues", "7", "7", "7", "7"]
    assert len(header) == len(counts)


def test_capacity_of_a_split_on_two_processes(folder, run):
    edges = np.array([*CYCLE, *COMPLETE])
    np.savez(folder / "s.npz", train_edges=edges, train_num_edges=[12, 10], test_edges=[[0, 1]])
    assert run("capacity", "s.npz", "--split", "train", "--jobs", 2, "-q") == (0, "8\n", "")
    assert run("capacity", "s.npz", "--split", "test", "-q") == (0, "2\n", "")


def test_capacity_depends_on_the_seed_only_in_its_primes(folder, run_json):
    path = edge_file(folder / "g.txt", CUBE)
    first, second = (run_json("capacity", path, "--seed", seed) for seed in (1, 2))
    assert first["primes"] != second["primes"]
    assert first["capacity"] == second["capacity"] == 5
