"""What README and docs show: examples that run, tables that are what the results say."""

import re

import pytest

from experiments import tables

PAGES = {str(page.relative_to(tables.ROOT)): page for page in tables.pages()}


@pytest.mark.parametrize("name", PAGES)
def test_tables_are_those_of_the_committed_results(name):
    text = PAGES[name].read_text()
    assert tables.render(text) == text, "run python -m experiments.tables"


def test_every_marked_table_is_filled():
    for page in PAGES.values():
        for match in tables.MARK.finditer(page.read_text()):
            assert match["name"] in tables.TABLES
            assert "|" in match[0] or "python -m" in match[0]


def test_the_examples_of_the_readme_run(capsys):
    blocks = re.findall(r"```python\n(.*?)```", PAGES["README.md"].read_text(), re.DOTALL)
    assert len(blocks) >= 2
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, "README.md", "exec"), names)
    assert "Certificate" in capsys.readouterr().out


def test_links_between_pages_lead_somewhere():
    for page in PAGES.values():
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"
