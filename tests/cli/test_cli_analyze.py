"""``polyfilter analyze``: the numbers of one question, for every architecture."""

from material import CYCLE, edge_file

from polyfilter import spaces
from polyfilter.helptext import ARCHITECTURES


def test_analyze_answers_one_question(folder, run, run_json):
    graphs = edge_file(folder / "ring.txt", CYCLE)
    words = ("analyze", graphs, "--architecture", "sogc", "--depth", 2, "--response", "heat")
    found = run_json(*words)
    assert (found["capacity"], found["dimension"], found["complete_depth"]) == (7, 5, 3)
    assert 0 < found["error_lower"] <= found["error"] < 0.01
    status, out, err = run(*words)
    assert (status, err) == (0, "")
    assert "dimension 5 of 7 (proven)" in out
    assert run(*words, "--quiet")[1] == "5\n"
    assert run_json(*words[:-2])["error"] is None


def test_analyze_knows_every_architecture(folder, run_json):
    graphs = edge_file(folder / "ring.txt", CYCLE)
    for name in ARCHITECTURES.replace(":K", ":3").split():
        found = run_json("analyze", graphs, "--architecture", name, "--depth", 2, "--width", 2)
        assert found["dimension_proven"]
    assert {name.partition(":")[0] for name in ARCHITECTURES.split()} == set(spaces.ARCHITECTURES)
