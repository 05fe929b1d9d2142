"""The layers of the code, drawn from the contracts that the import linter checks.

The map is ``{layers} ID -> one line of boxes for each row`` of the contract ID of pyproject.toml. A
box is a module and leads to its page. So the drawing can't be out of date.
"""

import re
import tomllib
from html import escape
from pathlib import Path
from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import Directive
from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata

ROOT = Path(__file__).resolve().parents[2]
NAME = re.compile(r"\w+")


def contract(name: str) -> tuple[str, list[list[str]]]:
    """Return what the modules of a contract are in, and its rows from the top."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    found = next(one for one in settings["contracts"] if one["id"] == name)
    prefix = f"{found['containers'][0]}." if "containers" in found else ""
    return prefix, [NAME.findall(row) for row in found["layers"]]


def drawing(name: str, pages: Path) -> str:
    """Return the rows as HTML; a module that has a page is a link."""
    prefix, rows = contract(name)
    lines = []
    for row in rows:
        boxes = []
        for module in row:
            page, text = f"{prefix}{module}", escape(module)
            linked = (pages / f"{page}.md").exists()
            boxes.append(f'<a href="api/{page}.html">{text}</a>' if linked else f"<b>{text}</b>")
        lines.append(f"<li>{''.join(boxes)}</li>")
    return f'<ol class="layers">{"".join(lines)}</ol>'


class Layers(Directive):
    """Draw a contract."""

    required_arguments = 1
    option_spec: ClassVar = {}

    def run(self) -> list[nodes.Node]:
        """Return the drawing."""
        environment = self.state.document.settings.env
        environment.note_dependency(str(ROOT / "pyproject.toml"))
        shown = drawing(self.arguments[0], Path(environment.srcdir) / "api")
        return [nodes.raw("", shown, format="html")]


def setup(app: Sphinx) -> ExtensionMetadata:
    """Offer the directive."""
    app.add_directive("layers", Layers)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
