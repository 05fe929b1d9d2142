"""Pages of the reference, one for each module, made when the site is built.

The maps are ``package -> api/MODULE.md``, a page that shows what the module defines and exports,
and ``packages -> api/index.md``, which lists them under the first sentence of each. Modules whose
name begins with an underscore have no page, but for what claims rest on, and neither has what
stands behind the shell.

Signatures are shown as they are written: ``x: ArrayLike``, and not what that stands for. Names are
looked up as Python does, through the imports of the module that says them.
"""

import ast
import inspect
import pkgutil
from collections.abc import Iterator
from dataclasses import is_dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.typing import ExtensionMetadata

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = {
    "polyfilter": "Mathematics: graphs, spectra, filters, stacks. No torch is needed.",
    "polyfilter.architectures": "What each kind of network can express.",
    "polyfilter.claims": "A module for each claim of the paper; `polyfilter verify` runs them.",
    "gcn": "Networks, on torch.",
    "gcn.layers": "Layers.",
    "gcn.data": "Data sets.",
    "gcn.train": "Training.",
    "gcn.zoo": "Every model that the paper compares.",
}
"""Sections of the index."""
SHELL = ("polyfilter.arguments", "polyfilter.cli", "polyfilter.completion", "polyfilter.helptext")
CLAIMS = "polyfilter.claims"


def modules(package: str) -> Iterator[str]:
    """Yield a package and the modules right below it that have a page."""
    yield package
    for found in pkgutil.iter_modules(import_module(package).__path__, f"{package}."):
        private = found.name.rpartition(".")[2].startswith("_") and package != CLAIMS
        if not found.ispkg and not private and found.name not in SHELL:
            yield found.name


def source(name: str) -> Path:
    """Return the file of a module."""
    path = ROOT.joinpath(*name.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


@cache
def tree(name: str) -> ast.Module:
    """Parse a module, without importing it."""
    return ast.parse(source(name).read_text())


def defined(name: str) -> dict[str, bool]:
    """Return what a module defines, in the order of its lines, and whether it has a place there.

    That is what it exports, and constants with a docstring.
    """
    exported: set[str] = set()
    found: list[str] = []
    explained: set[str] = set()
    body = tree(name).body
    for node, after in zip(body, [*body[1:], None], strict=True):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.append(node.name)
        for target in _targets(node):
            if target == "__all__":
                exported |= set(ast.literal_eval(node.value))  # type: ignore[attr-defined]
            else:
                found.append(target)
            if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant):
                explained.add(target)
    return {one: one in exported | explained and one[0] != "_" for one in found}


def _targets(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.Assign):
        some = node.targets
    else:
        some = [node.target] if isinstance(node, ast.AnnAssign | ast.AugAssign) else []
    return [target.id for target in some if isinstance(target, ast.Name)]


@cache
def home(module: str, name: str) -> str:
    """Return the full name of what a module of ours calls so, or nothing."""
    if not source(module).exists():
        return ""
    if name in defined(module):
        return f"{module}.{name}"
    for node in ast.walk(tree(module)):
        if isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            for alias in node.names:
                if (alias.asname or alias.name) == name:
                    whole = f"{node.module}.{alias.name}"
                    return whole if source(whole).exists() else home(node.module, alias.name)
    return ""


def elsewhere(name: str) -> list[str]:
    """Return the full names of what a module exports though it is defined elsewhere."""
    shown = getattr(import_module(name), "__all__", ())
    return [home(name, one) for one in shown if one not in defined(name)]


def page(name: str) -> str:
    """Return the page of a module."""
    members = ", ".join(one for one, shown in defined(name).items() if shown)
    lines = ["---", "orphan: true", "---", "", "[API](index.md)", "", f"# {name}", ""]
    lines += ["```{eval-rst}", f".. automodule:: {name}"]
    lines += [f"   :members: {members}"] if members else []
    lines += ["```", ""]
    if others := elsewhere(name):
        lines += ["Exported from here, and described where they are defined:", ""]
        lines += [f"- {{py:obj}}`{one}`" for one in others] + [""]
    if name.startswith(f"{CLAIMS}."):
        path = Path("../..") / source(name).relative_to(ROOT)
        lines += ["## Source", "", f"```{{literalinclude}} {path}", ":language: python", "```", ""]
    return "\n".join(lines)


def index() -> str:
    """Return the page that lists all others."""
    lines = [
        "# API",
        "",
        "Every module says first which map it computes and what it assumes. Every public name has",
        "an example that runs: all of them are part of `make test`.",
        "",
    ]
    for package, words in PACKAGES.items():
        lines += [f"## {package}", "", words, "", "| module | what is in it |", "| --- | --- |"]
        for name in modules(package):
            docstring = ast.get_docstring(tree(name)) or ""
            first = docstring.split("\n\n")[0].replace("\n", " ").replace("|", "\\|")
            lines.append(f"| [{name}]({name}.md) | {first} |")
        lines.append("")
    return "\n".join(lines)


def write(app: Sphinx) -> None:
    """Write every page that has changed, and remove those of modules that are gone."""
    folder = Path(app.srcdir) / "api"
    folder.mkdir(exist_ok=True)
    names = [name for package in PACKAGES for name in modules(package)]
    pages = {"index.md": index()} | {f"{name}.md": page(name) for name in names}
    for path in folder.glob("*.md"):
        if path.name not in pages:
            path.unlink()
    for name, text in pages.items():
        path = folder / name
        if not path.exists() or path.read_text() != text:
            path.write_text(text)


# -------------------------------------------------------------------------------------- signatures


@cache
def functions(name: str) -> dict[str, ast.FunctionDef]:
    """Return all functions and methods of a module by their qualified names."""
    found = {}
    for node in tree(name).body:
        inside = node.body if isinstance(node, ast.ClassDef) else []
        prefix = f"{node.name}." if isinstance(node, ast.ClassDef) else ""
        for one in (node, *inside):
            if isinstance(one, ast.FunctionDef):
                found[f"{prefix if one is not node else ''}{one.name}"] = one
    return found


def written(
    app: Sphinx, what: str, name: str, value: Any, options: Any, signature: str, returns: str
) -> tuple[str, str] | None:
    """Return a signature as it is written in the source."""
    if what == "class":
        if is_dataclass(value) and signature:
            return f"({', '.join(inspect.signature(value).parameters)})", ""
        made = functions(value.__module__).get(f"{value.__name__}.__init__")
        return (_arguments(made), "") if made else None
    inner = inspect.unwrap(getattr(value, "__func__", value))
    module = getattr(inner, "__module__", "")
    if what not in ("function", "method") or not module.startswith(("polyfilter", "gcn")):
        return None
    found = functions(module).get(inner.__qualname__)
    if found is None:
        return None
    return _arguments(found), ast.unparse(found.returns) if found.returns else ""


def _arguments(node: ast.FunctionDef) -> str:
    """Return arguments in brackets, without self and cls."""
    args = node.args
    for some in (args.posonlyargs, args.args):
        if some and some[0].arg in ("self", "cls"):
            args = ast.arguments(**{field: getattr(args, field) for field in args._fields})
            args.args = [one for one in args.args if one.arg not in ("self", "cls")]
            args.posonlyargs = [one for one in args.posonlyargs if one.arg not in ("self", "cls")]
    return f"({ast.unparse(args)})"


# -------------------------------------------------------------------------------------- references


def look_up(
    app: Sphinx, env: BuildEnvironment, node: addnodes.pending_xref, shown: nodes.TextElement
) -> nodes.Element | None:
    """Resolve a name of Python that Sphinx did not find, through the imports of its module."""
    if node.get("refdomain") != "py":
        return None
    words = node["reftarget"].split(".")
    places = [(node.get("py:module"), words)]
    places += [(".".join(words[:k]), words[k:]) for k in range(len(words) - 1, 0, -1)]
    python = env.domains.python_domain
    for module, rest in places:
        whole = home(module, rest[0]) if module else ""
        # what is not described by itself is found on the page of its module
        for target in (".".join((whole, *rest[1:])), whole.rpartition(".")[0]) if whole else ():
            found = python.resolve_xref(
                env, node["refdoc"], app.builder, "obj", target, node, shown
            )
            if found is not None:
                return found
    return None


def setup(app: Sphinx) -> ExtensionMetadata:
    """Write the pages before Sphinx looks for any."""
    app.connect("builder-inited", write)
    app.connect("autodoc-process-signature", written)
    app.connect("missing-reference", look_up)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
