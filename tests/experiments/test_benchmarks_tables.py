"""Tables, verdicts and pictures of the benchmarks, on records that are made up."""

from pathlib import Path
from typing import Any

import pytest
from small_benchmarks import record

from experiments.benchmarks import pages, paper, pictures, sizes, tables, verdicts
from experiments.benchmarks.case import Case
from experiments.benchmarks.verdicts import Claim, decide
from experiments.tables import TABLES


def cell(*tests: float, converged: bool = True) -> dict[str, Any]:
    (found,) = tables.gathered(
        record(Case("zinc", "sogcn", seed=seed), test, converged=converged)
        for seed, test in enumerate(tests)
    )
    return found


def test_printed_numbers_are_those_of_the_paper(data_folder: Path):
    path = data_folder.parent / "paper" / "sogcn.tex"
    if not path.exists():
        pytest.skip(f"no paper at {path}")
    text = path.read_text().replace(" ", "").replace("$", "")
    for table in (paper.TABLE3, paper.ABLATION):
        for row in table.values():
            for number in row.values():
                assert str(number).replace(" ± ", "\\pm") in text
    for row in (paper.PROTEINS, paper.MOLHIV):
        for number in row.values():
            assert str(number).replace(" ± ", "\\pm") in text
    for seconds in paper.SECONDS.values():
        for number in seconds.values():
            assert f"{number:.2f}\\pm" in text


def test_rows_of_the_paper_are_in_its_order(data_folder: Path):
    path = data_folder.parent / "paper" / "sogcn.tex"
    if not path.exists():
        pytest.skip(f"no paper at {path}")
    text = path.read_text()
    for dataset in ("zinc", "mnist"):
        numbers = [
            f"{row[dataset].mean:.3f}$\\pm${row[dataset].spread:.3f}"
            for row in paper.TABLE3.values()
        ]
        places = [text.index(number) for number in numbers]
        assert places == sorted(places)


def test_only_runs_at_the_size_of_the_table_count():
    usual = record(Case("zinc", "sogcn"), 0.2)
    looks = [
        record(Case("zinc", "sogcn", limit=10), 0.1),
        record(Case("zinc", "sogcn", layers=4), 0.1),
        record(Case("zinc", "sogcn", width=8), 0.1),
    ]
    (found,) = tables.gathered([usual, *looks])
    assert found["mean"] == 0.2
    assert not any(map(tables.is_usual, looks))


def test_a_cell_is_all_seeds_whatever_their_epochs():
    cases = [
        Case("zinc", "sogcn", seed=seed, epochs=epochs) for seed, epochs in ((0, 1000), (1, 7))
    ]
    found = tables.gathered([record(cases[0], 0.2), record(cases[1], 0.3, epochs=7)])
    assert tables.shown(found, "zinc", "sogcn") == "0.250 ± 0.071 [2: 7-40]"
    accuracy = tables.gathered([record(Case("mnist", "gin"), 0.9654, converged=False)])
    assert tables.shown(accuracy, "mnist", "gin") == "96.54 [1: 40] †"
    lost = tables.gathered([record(Case("zinc", "gin"), float("nan"))])
    assert tables.shown(lost, "zinc", "gin") == "diverged"


def test_an_empty_cell_says_why():
    assert "can't be had" in tables.shown([], "proteins", "sogcn")
    assert "JPEG" in tables.shown([], "cifar10", "sogcn")
    assert "entry for each pair" in tables.shown([], "proteins", "3wlgnn")
    assert tables.shown([], "zinc", "sogcn") == "not run: no time"
    assert all(word for row in tables.table3([]).rows for word in row)


def test_nothing_of_the_paper_stands_beside_cifar10_jpeg():
    header = tables.table3([]).header
    place = next(i for i, word in enumerate(header) if word.startswith("CIFAR10-JPEG"))
    assert header[place - 1] == "paper"
    assert header[place + 1] != "paper"
    assert all(paper.printed("cifar10-jpeg", network) is None for network in paper.TABLE3)
    found = tables.gathered([record(Case("cifar10-jpeg", "sogcn"), 0.6)])
    (row,) = [row for row in tables.table3(found).rows if row[0] == "SoGCN"]
    assert row[place] == "60.00 [1: 40]"
    assert "not run" in row[place - 2]
    detail = tables.detail(found, {}, "cifar10-jpeg")
    assert {row[2] for row in detail.rows} == {""}


@pytest.mark.parametrize(
    ("one", "other", "above", "verdict"),
    [
        (cell(0.20), None, True, "not yet decided: Vanilla GCN not run"),
        (cell(0.20, converged=False), cell(0.36), True, "SoGCN did not converge; so far it holds"),
        (cell(0.20), cell(0.36), True, "holds on one seed"),
        (cell(0.36), cell(0.20), True, "does not hold on one seed"),
        (cell(0.36), cell(0.37), True, "one seed can't tell"),
        (cell(0.20, 0.21, 0.19), cell(0.36, 0.37, 0.35), True, "holds: 0.200 against 0.360"),
        (cell(0.36, 0.37), cell(0.20, 0.21), True, "does not hold: 0.365 against 0.205"),
        (cell(0.30, 0.20), cell(0.31, 0.21), True, "not decided: no difference"),
        (cell(0.30, 0.20), cell(0.31, 0.21), False, "holds: no difference"),
        (cell(0.20, 0.21), cell(0.36, 0.37), False, "does not hold: 0.205 against 0.365"),
        (cell(float("nan")), cell(0.36), True, "SoGCN diverged"),
    ],
)
def test_verdicts(one: Any, other: Any, above: bool, verdict: str):
    assert verdict in decide(Claim("zinc", "sogcn", "vanilla", above), one, other)


def test_a_higher_accuracy_is_better():
    high, low = (
        tables.gathered([record(Case("mnist", "sogcn"), value)])[0] for value in (0.97, 0.91)
    )
    claim = Claim("mnist", "sogcn", "vanilla")
    assert decide(claim, high, low).startswith("holds on one seed: 97.00 against 91.00, 24.4 of")
    assert decide(claim, low, high).startswith("does not hold")


def test_standard_errors_by_hand():
    words = decide(Claim("zinc", "sogcn", "vanilla"), cell(0.2, 0.3), cell(0.4, 0.5))
    assert "2.8 standard errors" in words  # 0.2 / sqrt(2 (0.1 / sqrt 2)^2 / 2) = 2.83


def test_claims_that_the_paper_makes_hold_for_its_own_numbers():
    for claim in verdicts.CLAIMS:
        one, other = (paper.printed(claim.dataset, name) for name in (claim.one, claim.other))
        if one is None or other is None:
            assert claim.dataset == "cifar10-jpeg"
            continue
        better = one.mean < other.mean if claim.dataset == "zinc" else one.mean > other.mean
        assert better is claim.above


def test_every_system_has_a_row_with_its_size():
    table = tables.systems([], sizes.known())
    titles = {row[0] for row in table.rows}
    assert {"SoGCN", "SoGCN + GRU", "3WLGNN", "GCNII*", "ARMA", "MoNet"} <= titles
    (row,) = [row for row in table.rows if row[0] == "3WLGNN"]
    assert row[list(table.header).index("ogbn-proteins")] == "does not fit"
    found = tables.gathered([record(Case("zinc", "sogcn"), 0.2)])
    (row,) = [row for row in tables.systems(found, sizes.known()).rows if row[0] == "SoGCN"]
    assert row[1].startswith("**")


def test_pages_are_all_asked_for_and_made(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    assert {f"benchmark_{name}" for name in pages.PAGES} <= set(TABLES)
    monkeypatch.setattr(pages, "STORE", tmp_path)
    for name, make in pages.PAGES.items():
        text = make()
        assert "|" in text or "python -m" in text, name
    found = record(Case("zinc", "sogcn"), 0.2)
    text = tables.provenance([found])
    assert text.startswith("1 run, 0.1 hours of training, on a PC, Python 3.11, torch 2.13, commit")
    assert "- ZINC: made for a test" in text


def records() -> list[dict[str, Any]]:
    made = [
        record(Case("zinc", model, gru=gru, seed=seed), 0.2 + 0.01 * seed, converged=not gru)
        for model in ("vanilla", "sogcn", "gat")
        for gru in (False, True)
        for seed in (0, 1)
    ]
    return [*made, record(Case("cora", "sogcn"), 0.8)]


def test_curves_have_a_panel_a_data_set_and_a_line_a_run():
    picture = pictures.draw_curves([*records(), record(Case("mnist", "gin", limit=5), 0.9)])
    panels = [axes for axes in picture.axes if axes.get_visible()]
    assert [axes.get_title(loc="left") for axes in panels] == ["ZINC", "Cora"]
    long = [line for line in panels[0].lines if len(line.get_xdata()) == 40]
    assert len(long) == 2 * 12
    assert sum(line.get_linestyle() == "--" for line in long) == 12
    assert sum(line.get_alpha() == 0.4 for line in long) == 12
    picture.canvas.draw()


def test_cost_shows_each_cell_twice_and_better_is_up():
    picture = pictures.draw_cost(records())
    assert len(picture.axes) == 4
    left, right = picture.axes[:2]
    assert left.yaxis_inverted()
    assert not picture.axes[2].yaxis_inverted()
    assert len(left.containers) == len(right.containers) == 6
    hollow = [c for c in left.containers if c.lines[0].get_markerfacecolor() == "white"]
    assert len(hollow) == 3
    picture.canvas.draw()
