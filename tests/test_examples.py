"""Every public name has an example that runs; ``make test`` runs all of them."""

import ast
import inspect
import pkgutil
import re
import sys
from doctest import DocTestParser
from importlib import import_module
from types import ModuleType

import pytest

PACKAGES = ("polyfilter", "gcn")
ELSEWHERE = ("polyfilter.claims", "polyfilter.commands", "polyfilter.verify", "polyfilter.cli")
"""Not for importing: the shell runs them."""


def modules(package):
    """Yield the names of a package and of all its public modules."""
    yield package
    for found in pkgutil.walk_packages(import_module(package).__path__, f"{package}."):
        private = any(word.startswith("_") for word in found.name.split("."))
        if not private and not found.name.startswith(ELSEWHERE):
            yield found.name


MODULES = sorted(name for package in PACKAGES for name in modules(package))


def examples(doc):
    """Return what the examples of a docstring say and show."""
    found = DocTestParser().get_examples(doc or "")
    return "\n".join(example.source + example.want + (example.exc_msg or "") for example in found)


def documented(module):
    """Yield for every docstring with an example what that shows, beside what its text shows.

    An example of a method shows the class, and one of a function shows what it returns.
    """
    tree = ast.parse(inspect.getsource(module))
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            text = examples(ast.get_docstring(node))
            returns = getattr(node, "returns", None)
            yield text, ast.unparse(returns) if returns else ""
        if isinstance(node, ast.ClassDef):
            for inner in ast.walk(node):
                if isinstance(inner, ast.FunctionDef):
                    yield examples(ast.get_docstring(inner)), node.name


def without_example(module: ModuleType):
    """List the public classes and functions of a module that no example of it shows."""
    shown = list(documented(module))
    missing = []
    for name in getattr(module, "__all__", ()):
        value = getattr(module, name)
        if not callable(value) or getattr(value, "__module__", "") != module.__name__:
            continue
        word = re.compile(rf"\b{name}\b")
        if not any(word.search(code) or (code and word.search(also)) for code, also in shown):
            missing.append(name)
    return missing


@pytest.mark.parametrize("name", MODULES)
def test_every_public_name_has_an_example(name):
    import_module(name)
    missing = without_example(sys.modules[name])
    assert not missing, f"no example in {name} shows {', '.join(missing)}"


def test_a_name_without_an_example_is_found():
    module = ModuleType("made_up")
    module.__all__ = ["shown", "hidden"]
    source = 'def shown():\n    """>>> shown()"""\n\n\ndef hidden():\n    """Nothing."""\n'
    exec(source, module.__dict__)
    for name in module.__all__:
        getattr(module, name).__module__ = "made_up"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(inspect, "getsource", lambda _: source)
        assert without_example(module) == ["hidden"]
