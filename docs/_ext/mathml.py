"""Mathematics of the site as MathML, by :mod:`polyfilter.typeset`: no script, no font, no network.

The map is ``formula of a page or docstring -> <math> element``. What we can't typeset is a warning,
and the build makes an error of it.
"""

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.typing import ExtensionMetadata
from sphinx.writers.html5 import HTML5Translator

from polyfilter.latex import TypesetError
from polyfilter.typeset import mathml

LOG = logging.getLogger(__name__)


def typeset(node: nodes.math | nodes.math_block, display: bool) -> str:
    """Return a formula as HTML, or its source if we can't read it."""
    try:
        return mathml(node.astext(), display)
    except TypesetError as error:
        LOG.warning("%s", error, location=node)
        return f"<code>{nodes.Text(node.astext())}</code>"


def visit_math(self: HTML5Translator, node: nodes.math) -> None:
    """Put a formula into its line."""
    self.body.append(f'<span class="math">{typeset(node, display=False)}</span>')
    raise nodes.SkipNode


def visit_math_block(self: HTML5Translator, node: nodes.math_block) -> None:
    """Put a formula on a line of its own, which scrolls where a screen is narrow."""
    self.body.append(f'<div class="math" tabindex="0">{typeset(node, display=True)}</div>')
    raise nodes.SkipNode


def setup(app: Sphinx) -> ExtensionMetadata:
    """Offer the renderer under the name that ``html_math_renderer`` asks for."""
    app.add_html_math_renderer("mathml", (visit_math, None), (visit_math_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
