"""Examples that are run when the site is built, each with its picture.

The map is ``gallery/NAME.py -> gallery/NAME.md``: the script's docstring as the text of the page,
the picture that it draws, what it prints, and its code. A script is called with the path of its
picture, with warnings as errors; one that fails ends the build. It is not run again as long as
nothing that it could depend on has changed.
"""

import ast
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util.typing import ExtensionMetadata

ROOT = Path(__file__).resolve().parents[2]
TOGETHER = 2
"""How many run at once."""


def newest() -> float:
    """Return when the packages were last changed."""
    files = (path for name in ("polyfilter", "gcn") for path in (ROOT / name).rglob("*.py"))
    return max(path.stat().st_mtime for path in files)


def run(script: Path, picture: Path) -> str:
    """Run a script that draws a picture, and return what it prints."""
    environment = os.environ | {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    words = [sys.executable, "-W", "error", str(script), str(picture)]
    done = subprocess.run(words, env=environment, capture_output=True, text=True)
    if done.returncode or not picture.exists():
        raise ExtensionError(f"{script.name} did not draw its picture:\n{done.stderr}")
    return done.stdout


def page(script: Path, printed: str) -> str:
    """Return the page of a script that has been run."""
    tree = ast.parse(script.read_text())
    title, text = (ast.get_docstring(tree) or script.stem).split("\n", 1)
    paragraphs = [" ".join(some.split()) for some in text.split("\n\n")]  # no "-" begins a line
    picture = f"/_build/gallery/{script.stem}.png"
    code = tree.body[1].lineno  # what follows the docstring
    return "\n".join(
        [
            f"# {title.rstrip('.')}",
            "",
            "\n\n".join(paragraphs),
            "",
            f"![{title.rstrip('.')}]({picture})",
            "",
            f"What it prints:\n\n```text\n{printed.strip()}\n```",
            "",
            f"`python docs/gallery/{script.name}`:",
            "",
            f"```{{literalinclude}} {script.name}\n:language: python\n:lines: {code}-\n```",
            "",
        ]
    )


def make(script: Path, folder: Path, changed: float) -> None:
    """Run a script if its picture is older than what it depends on, and write its page."""
    picture, printed = folder / f"{script.stem}.png", folder / f"{script.stem}.txt"
    due = max(changed, script.stat().st_mtime)
    if not printed.exists() or printed.stat().st_mtime < due:
        printed.write_text(run(script, picture))
    target, text = script.with_suffix(".md"), page(script, printed.read_text())
    if not target.exists() or target.read_text() != text:
        target.write_text(text)


def write(app: Sphinx) -> None:
    """Make all pages before Sphinx looks for any."""
    folder = Path(app.srcdir) / "_build" / "gallery"
    folder.mkdir(parents=True, exist_ok=True)
    scripts, changed = sorted((Path(app.srcdir) / "gallery").glob("*.py")), newest()
    with ThreadPoolExecutor(TOGETHER) as pool:
        list(pool.map(lambda script: make(script, folder, changed), scripts))


def setup(app: Sphinx) -> ExtensionMetadata:
    """Run the scripts first of all."""
    app.connect("builder-inited", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
