"""Each experiment's cases, figures, table and picture, on records that are made up."""

import json
import math
import re
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from fake_records import record

from experiments import cells, tables
from experiments.sgs import depth, floor, hops, table2, warm
from experiments.sgs.case import Case

MODULES = (table2, depth, hops, warm)
FLOORS = {str(degree): {"test": 0.5 / degree} for degree in (2, 4, 8, 16, 32, 64)}
NETWORK = {"how": "fitted", "architecture": "sogc", "layers": 16, "parameters": 48}
ANALYTIC = {
    "targets": {
        target: {"floors": FLOORS, "networks": [NETWORK | {"test": {"float32": 0.0071}}]}
        for target in table2.TARGETS
    }
}


@pytest.fixture
def analytic(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the analytic rows be these and not what the repository holds."""
    for module in MODULES:
        monkeypatch.setattr(module, "analytic", lambda: ANALYTIC)


def everything(module: ModuleType, seeds: tuple[int, ...] = (0,)) -> list[dict[str, Any]]:
    return [record(case, 0.01 * (i % 7 + 1)) for i, case in enumerate(module.cases(False, seeds))]


@pytest.mark.parametrize("module", MODULES)
def test_cases_come_once_and_seeds_multiply_them(module: ModuleType):
    one, two = module.cases(False, [0]), module.cases(False, [0, 5])
    assert len({case.name for case in two}) == len(two) == 2 * len(one)
    assert {case.seed for case in two} == {0, 5}
    assert {case.target for case in one} == set(table2.TARGETS)


@pytest.mark.parametrize("module", MODULES)
def test_quick_cases_are_no_full_ones(module: ModuleType):
    full = {case.name for case in module.cases(False, range(3))}
    quick = module.cases(True, [0])
    assert quick
    assert not full & {case.name for case in quick}
    assert all(case.graphs != (1000, 1000, 2000) for case in quick)


def test_experiments_share_what_they_can():
    of_table = set(table2.cases(False, [0]))
    assert sum(case in of_table for case in depth.cases(False, [0])) == 15  # all of 16 layers
    assert sum(case in of_table for case in warm.cases(False, [0])) == 6  # all that begin at random
    assert any(case in of_table for case in hops.cases(False, [0]))


@pytest.mark.usefixtures("analytic")
@pytest.mark.parametrize("module", MODULES)
def test_everything_that_was_run_is_in_table_and_picture(module: ModuleType):
    records = everything(module, (0, 1))
    figures = json.loads(json.dumps(module.collect(records)))  # as a file has it
    assert figures["run_commits"] == ["abc1234"]
    assert figures["run_seconds"] == pytest.approx(2.0 * len(records))
    text = str(module.table(figures))
    assert "not run" not in text
    assert "[2: 100]" in text
    assert "†" not in text.replace(cells.LEGEND, "")
    assert all(axes.lines for axes in module.draw(figures).axes)


@pytest.mark.usefixtures("analytic")
@pytest.mark.parametrize("module", MODULES)
def test_what_was_not_run_is_no_number(module: ModuleType):
    figures = module.collect([])
    table = module.table(figures)
    assert "not run" in str(table)
    assert not re.search(r"\[\d", str(table))
    picture = module.draw(figures)
    picture.canvas.draw()
    words = [text.get_text() for axes in picture.axes for text in axes.texts]
    assert "not run" in words


@pytest.mark.parametrize("module", MODULES)
def test_without_floors_pictures_are_drawn(module: ModuleType, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(module, "analytic", lambda: {})
    figures = module.collect(everything(module))
    module.draw(figures).canvas.draw()
    assert module.table(figures).rows


@pytest.mark.usefixtures("analytic")
def test_a_quick_table_shows_no_numbers_of_full_data():
    quick = [record(case) for case in table2.cases(True, [0])]
    text = str(table2.table(table2.collect(quick)))
    assert "computed" not in text
    assert "500 + 100 + 200" in text
    full = str(table2.table(table2.collect(everything(table2))))
    assert "0.0071" in full
    assert "1,000 + 1,000 + 2,000" in full


def test_the_paper_stands_beside():
    rows = {tuple(row[:2]): row for row in table2.table({"cells": []}).rows}
    assert rows["published", "GIN"][2:] == [
        "4,627",
        *("not run", "0.344", "not run", "0.096", "not run", "0.274"),
    ]
    assert rows["strict", "fourth order"][-1] == "0.049"


def test_a_cell_is_mean_and_deviation_over_seeds():
    case = {"kind": "gin", "target": "low-pass", "protocol": "text"}
    runs = [(0, 0.1, 80, True), (2, 0.3, 300, False), (1, 0.2, 90, True)]
    records = [
        record(Case(**case, seed=seed), test, epochs=epochs, converged=converged)
        for seed, test, epochs, converged in runs
    ]
    (cell,) = cells.cells(records)
    assert (cell["mean"], cell["spread"]) == (pytest.approx(0.2), pytest.approx(0.1))
    assert (cell["seeds"], cell["test"]) == ([0, 1, 2], [0.1, 0.2, 0.3])
    assert cells.shown(cell) == "0.2000 ± 0.1000 [3: 80-300] †"
    assert cells.shown(cells.cells(records[:1])[0]) == "0.1000 [1: 80]"


def test_a_run_that_diverged_is_no_number():
    (cell,) = cells.cells([record(Case("gin", "low-pass", "text"), math.nan)])
    assert cells.shown(cell) == "diverged"
    assert json.loads(json.dumps(cell, allow_nan=False))["mean"] is None
    depth.draw({"cells": [cell | {"protocol": "published"}]}).canvas.draw()


def test_hops_are_equal_up_to_half_a_layer_and_parameters_up_to_seven_percent():
    for order, total, layers, _ in hops._networks("channels"):
        assert abs(order * layers - total) <= order / 2
    for order, total, layers, channels in hops._networks("parameters"):
        case = Case(hops.KIND[order], "low-pass", "text", layers, channels)
        count = case.network().num_parameters
        assert count == hops.parameters(order, layers, channels)
        assert count == pytest.approx(hops.parameters(2, total // 2, 16), rel=0.07)
        assert case.hops == order * layers


def test_warm_tables_have_the_start(analytic: None):
    table = warm.table(warm.collect(everything(warm)))
    before = [row for row in table.rows if "before training" in row[0]]
    assert [row[2:] for row in before] == [["0.0290"] * 3] * 2
    assert table.rows[0] == ["best polynomial", "", *[f"{0.5 / 32:.4f}"] * 3]


def test_floors_fall_with_the_degree():
    found = floor.floors("low-pass", ANALYTIC)
    assert list(found) == [2, 4, 8, 16, 32, 64]
    assert all(a > b for a, b in pairwise(found.values()))


def test_floors_are_read_from_their_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(floor, "RESULTS", tmp_path)
    assert floor.analytic() == {}
    (tmp_path / "analytic.json").write_text(json.dumps(ANALYTIC))
    assert floor.analytic() == ANALYTIC


def test_markdown():
    text = cells.Table(["a", "b"], [["1", "2"]], "A caption.").markdown()
    assert text.splitlines() == ["| a | b |", "| --- | --- |", "| 1 | 2 |", "", "A caption."]


@pytest.mark.usefixtures("analytic")
def test_a_page_says_what_was_run_and_what_was_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(tables, "RESULTS", tmp_path)
    assert tables.TABLES["sgs_table"]() == "Not run yet: `python -m experiments table2`."
    origin = {"machine": "a PC", "python": "3.11", "versions": {"torch": "2.13"}, "commit": "def"}
    figures = {"provenance": origin} | table2.collect(everything(table2))
    (tmp_path / "table2.json").write_text(json.dumps(figures))
    page = tables.render("<!-- table: sgs_table -->\n<!-- end -->")
    assert "| published | GIN | 4,627 |" in page
    assert "hours of training, a PC, Python 3.11, torch 2.13, commit abc1234" in page
