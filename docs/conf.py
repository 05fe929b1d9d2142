"""The site: pages in MyST, a reference from docstrings, mathematics without network.

``make docs`` builds it into ``docs/_build/html``, with warnings as errors and with every reference
checked. Names of other packages are not looked up, as their inventories would need a network.
"""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE / "_ext")]

project = "polyfilter"
author = "the polyfilter authors"
copyright = author  # furo shows it below each page
extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "myst_parser",
    "mathml",
    "reference",
    "gallery",
    "layers",
]
exclude_patterns = ["_build"]
root_doc = "index"

myst_enable_extensions = ["dollarmath", "colon_fence", "deflist"]
myst_dmath_allow_labels = False
myst_heading_anchors = 3

autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
napoleon_google_docstring = False
napoleon_use_ivar = True
napoleon_use_param = False
napoleon_use_rtype = False

# Every name of ours has to be found. Types of others, and words of a signature that are no types,
# can't be looked up.
nitpicky = True
nitpick_ignore_regex = [
    ("py:class", r"(?!(polyfilter|gcn)\b).*"),
    ("py:class", r"polyfilter\.responses\.\w+"),  # what low_pass and its like are instances of
    ("py:.*", r"(torch|numpy|scipy|hypothesis|experiments)\b.*"),
]
suppress_warnings = ["ref.python"]  # two classes of one short name, told apart by their module

html_theme = "furo"
html_title = "polyfilter"
html_math_renderer = "mathml"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sphinx = False
html_copy_source = False
