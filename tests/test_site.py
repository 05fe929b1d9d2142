"""The site: its extensions, and the examples of its pages. ``make docs`` builds the whole."""

import re
import sys
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import pytest

pytest.importorskip("sphinx", reason="the docs extra is not installed")

from docutils import nodes
from docutils.utils import new_document
from sphinx.errors import ExtensionError

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
WITH_CODE = ("index.md", "architectures.md")


@pytest.fixture
def extension(monkeypatch):
    """Import an extension of the site by its name."""
    monkeypatch.syspath_prepend(str(DOCS / "_ext"))
    yield import_module
    for name in ("gallery", "layers", "mathml", "reference"):
        sys.modules.pop(name, None)


@pytest.mark.parametrize("name", WITH_CODE)
def test_the_examples_of_a_page_run(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # one of them writes a file
    blocks = re.findall(r"```python\n(.*?)```", (DOCS / name).read_text(), re.DOTALL)
    assert blocks
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, name, "exec"), names)


def test_every_page_is_in_the_table_of_contents_of_another():
    listed = set()
    for page in DOCS.glob("*.md"):
        for tree in re.findall(r"```{toctree}\n(.*?)```", page.read_text(), re.DOTALL):
            listed |= {line.strip() for line in tree.splitlines() if not line.startswith(":")}
    pages = {page.stem for page in DOCS.glob("*.md")} - {"index"}
    scripts = {f"gallery/{script.stem}" for script in (DOCS / "gallery").glob("*.py")}
    assert pages | scripts <= listed


def test_every_claim_is_linked_from_the_theory():
    text = (DOCS / "theory.md").read_text().split("<!-- end -->")[1]
    for path in (ROOT / "polyfilter" / "claims").glob("[a-z]*.py"):
        assert f"{{mod}}`polyfilter.claims.{path.stem}`" in text


# -------------------------------------------------------------------------------------- formulas


def rendered(mathml, behind):
    """Return a line with the formula x, as the site shows it."""
    page = new_document("page")
    page += nodes.paragraph("", "", nodes.math("", "x"), nodes.Text(behind))
    mathml.tie(None, page, "page")
    written = SimpleNamespace(body=[])
    with pytest.raises(nodes.SkipNode):
        mathml.visit_math(written, page[0][0])
    return "".join(written.body) + page[0][1].astext()


def test_a_formula_is_tied_to_the_comma_behind_it(extension):
    formula = "<math><mi>x</mi></math>"
    assert rendered(extension("mathml"), "), and y") == (
        f'<span class="math"><span class="tied">{formula}),</span></span> and y'
    )
    assert rendered(extension("mathml"), " and y").endswith(f"{formula}</span></span> and y")


def test_a_formula_that_we_cannot_typeset_is_a_warning(extension, monkeypatch):
    mathml = extension("mathml")
    told = []
    monkeypatch.setattr(mathml.LOG, "warning", lambda *words, **rest: told.append(words))
    assert mathml.typeset(nodes.math("", r"a < \frobnicate"), display=True) == (
        r"<code>a &lt; \frobnicate</code>"
    )
    assert len(told) == 1


# ---------------------------------------------------------------------------------- the reference


def test_a_module_shows_what_it_exports_and_constants_with_a_docstring(extension):
    defined = extension("reference").defined("polyfilter.spaces")
    assert defined["dimension"]
    assert defined["MAX_WORK"]
    assert not defined["_judged"]
    assert "ARCHITECTURES" not in defined  # it is imported


def test_names_are_followed_to_where_they_are_defined(extension):
    home = extension("reference").home
    assert home("polyfilter", "Graph") == "polyfilter.graph.Graph"
    assert home("polyfilter.spaces", "ARCHITECTURES") == "polyfilter.architectures.ARCHITECTURES"
    assert home("gcn", "SoGConv") == "gcn.layers.sogc.SoGConv"
    assert home("polyfilter", "no_such_name") == ""


def test_signatures_are_as_written(extension):
    reference = extension("reference")
    stack = import_module("polyfilter.stack")
    signature, returns = reference.written(
        None, "method", "", stack.SoGCStack.apply, None, "(self, ...)", ""
    )
    assert (signature, returns) == ("(graph: Graph | GraphSet | Any, x: Any)", "Any")


# ------------------------------------------------------------------------------------ the gallery


def test_a_script_becomes_a_page_with_its_picture_output_and_code(extension, tmp_path):
    script = tmp_path / "dots.py"
    script.write_text(
        '"""Two dots.\n\nAs it says.\n"""\n\nimport sys\n\nprint("drawn")\n'
        'open(sys.argv[1], "w").close()\n'
    )
    gallery = extension("gallery")
    gallery.make(script, tmp_path, changed=0.0)
    text = (tmp_path / "dots.md").read_text()
    assert text.startswith("# Two dots\n")
    assert "As it says." in text
    assert "```text\ndrawn\n```" in text
    assert ":lines: 6-" in text
    assert (tmp_path / "dots.png").exists()


def test_a_script_is_run_again_only_if_something_has_changed(extension, tmp_path):
    script = tmp_path / "once.py"
    script.write_text(
        '"""Once.\n\nNo more.\n"""\n\nimport sys\nopen(sys.argv[1], "a").write("x")\n'
    )
    gallery = extension("gallery")
    for changed in (0.0, 0.0, 4e9):
        gallery.make(script, tmp_path, changed)
    assert (tmp_path / "once.png").read_text() == "xx"


@pytest.mark.parametrize("code", ["", "import warnings\nwarnings.warn('no')\n", "1 / 0\n"])
def test_a_script_that_draws_nothing_or_warns_ends_the_build(extension, tmp_path, code):
    script = tmp_path / "bad.py"
    script.write_text(f'"""Bad.\n\nIt is.\n"""\n\n{code or "pass"}\n')
    with pytest.raises(ExtensionError, match=r"bad\.py did not draw its picture"):
        extension("gallery").run(script, tmp_path / "bad.png")


def test_there_are_six_scripts_and_all_say_what_they_show():
    scripts = sorted((DOCS / "gallery").glob("*.py"))
    assert len(scripts) == 6
    for script in scripts:
        assert script.read_text().startswith(('r"""', '"""'))
        assert len(script.read_text().splitlines()) < 100


# ----------------------------------------------------------------------------------- the drawings


def test_layers_are_those_of_the_contracts(extension, tmp_path):
    layers = extension("layers")
    (tmp_path / "polyfilter.errors.md").touch()
    shown = layers.drawing("rows", tmp_path)
    assert shown.count("<li>") == len(layers.contract("rows")[1])
    assert '<a href="api/polyfilter.errors.html">errors</a>' in shown
    assert "<b>stack</b>" in shown  # no page in this folder


def test_packages_have_no_container(extension):
    assert extension("layers").contract("packages") == (
        "",
        [["experiments"], ["gcn"], ["polyfilter"]],
    )
