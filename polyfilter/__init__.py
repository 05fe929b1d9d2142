r"""Polynomial graph filters as stacks of second-order layers.

From a graph set to its spectrum capacity, from a wanted response to a polynomial, from the
polynomial to an exact stack of second-order graph convolutions (SoGCN, Wang et al., 2021), and from
a stack to the filtered signal:

>>> import polyfilter as pf
>>> ring = pf.Graph.from_edges([(i, (i + 1) % 30) for i in range(30)], name="ring")
>>> pf.spectrum_capacity(ring).value
16
>>> stack = pf.factorize(pf.design.interpolate(pf.responses.low_pass, 64))
>>> smooth = stack.apply(ring, [1.0, 0.0] * 15)
>>> print(smooth[0].round(3))                     # the alternation is gone, the mean is left
0.5
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from polyfilter import depth, design, responses, spaces
    from polyfilter.analysis import Analysis, analyze
    from polyfilter.capacity import SpectrumCapacity, spectrum_capacity
    from polyfilter.certify import Certificate
    from polyfilter.errors import PolyfilterError
    from polyfilter.graphs import Graph, GraphSet
    from polyfilter.polynomial import FilterPolynomial, as_filter
    from polyfilter.reading import read_graph, read_graphs, write_graph, write_graphs
    from polyfilter.roots import Roots, roots
    from polyfilter.spectrum import (
        Spectrum,
        eigenbasis,
        filter_dense,
        fourier,
        inverse_fourier,
        spectrum,
    )
    from polyfilter.stack import SoGCStack, Status, factorize

__all__ = [
    "Analysis",
    "Certificate",
    "FilterPolynomial",
    "Graph",
    "GraphSet",
    "PolyfilterError",
    "Roots",
    "SoGCStack",
    "Spectrum",
    "SpectrumCapacity",
    "Status",
    "analyze",
    "as_filter",
    "depth",
    "design",
    "eigenbasis",
    "factorize",
    "filter_dense",
    "fourier",
    "inverse_fourier",
    "read_graph",
    "read_graphs",
    "responses",
    "roots",
    "spaces",
    "spectrum",
    "spectrum_capacity",
    "write_graph",
    "write_graphs",
]

__version__ = "0.1.0"

# Each public name is imported when it is first asked for, so that a command which prints its help
# does not wait for scipy.
_HOMES = {
    "analysis": ("Analysis", "analyze"),
    "capacity": ("SpectrumCapacity", "spectrum_capacity"),
    "certify": ("Certificate",),
    "errors": ("PolyfilterError",),
    "graphs": ("Graph", "GraphSet"),
    "polynomial": ("FilterPolynomial", "as_filter"),
    "reading": ("read_graph", "read_graphs", "write_graph", "write_graphs"),
    "roots": ("Roots", "roots"),
    "spectrum": (
        "Spectrum",
        "eigenbasis",
        "filter_dense",
        "fourier",
        "inverse_fourier",
        "spectrum",
    ),
    "stack": ("SoGCStack", "Status", "factorize"),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}


class _Package(ModuleType):
    """The package as a module that looks its names up late."""

    def __getattr__(self, name: str) -> Any:
        if name in _HOME:
            value = getattr(import_module(f"polyfilter.{_HOME[name]}"), name)
        elif name in __all__:
            value = import_module(f"polyfilter.{name}")
        else:
            raise AttributeError(f"module 'polyfilter' has no attribute {name!r}")
        vars(self)[name] = value
        return value

    def __setattr__(self, name: str, value: object) -> None:
        # Importing polyfilter.spectrum binds the module to this name; the function keeps its place.
        if name not in _HOME or not isinstance(value, ModuleType):
            super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        return sorted({*vars(self), *__all__})


sys.modules[__name__].__class__ = _Package
