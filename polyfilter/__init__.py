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

from polyfilter import design, responses
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
    "as_filter",
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
    "spectrum",
    "spectrum_capacity",
    "write_graph",
    "write_graphs",
]

__version__ = "0.1.0"
