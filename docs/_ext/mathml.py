"""Mathematics of the site as MathML, by :mod:`polyfilter.typeset`: no script, no font, no network.

The map is ``formula of a page or docstring -> <math> element``. What we can't typeset is a warning,
and the build makes an error of it.
"""

import re
from html import escape

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.typing import ExtensionMetadata
from sphinx.writers.html5 import HTML5Translator

from polyfilter.latex import TypesetError
from polyfilter.typeset import mathml

LOG = logging.getLogger(__name__)
TRAILING = re.compile(r"[^\s\w]{1,3}(?=\s|$)")


def typeset(node: nodes.math | nodes.math_block, display: bool) -> str:
    """Return a formula as HTML, or its source if we can't read it."""
    try:
        return mathml(node.astext(), display)
    except TypesetError as error:
        LOG.warning("%s", error, location=node)
        return f"<code>{escape(node.astext())}</code>"


def visit_math(self: HTML5Translator, node: nodes.math) -> None:
    """Put a formula into its line, tied to the comma or bracket that follows it."""
    start, cut, last = typeset(node, display=False).rpartition("<wbr>")
    tied = f'<span class="tied">{last}{escape(node.get("tail", ""))}</span>'
    self.body.append(f'<span class="math">{start}{cut}{tied}</span>')
    raise nodes.SkipNode


def tie(app: Sphinx, page: nodes.document, name: str) -> None:
    """Give every formula of a page what must not be separated from it, from the text behind it."""
    for node in list(page.findall(nodes.math)):
        place = node.parent.index(node) + 1
        after = node.parent[place] if place < len(node.parent) else None
        if isinstance(after, nodes.Text) and (found := TRAILING.match(after.astext())):
            node["tail"] = found[0]
            node.parent[place] = nodes.Text(after.astext()[found.end() :])


def visit_math_block(self: HTML5Translator, node: nodes.math_block) -> None:
    """Put a formula on a line of its own, which scrolls where a screen is narrow."""
    self.body.append(f'<div class="math" tabindex="0">{typeset(node, display=True)}</div>')
    raise nodes.SkipNode


def setup(app: Sphinx) -> ExtensionMetadata:
    """Offer the renderer under the name that ``html_math_renderer`` asks for."""
    app.connect("doctree-resolved", tie)
    app.add_html_math_renderer("mathml", (visit_math, None), (visit_math_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
