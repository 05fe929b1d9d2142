"""What can go wrong, by name.

Every mistake that a user can make raises a subclass of :class:`PolyfilterError`, with one
sentence that says what was wrong, where, and what to do about it. The command line prints that
sentence and nothing else; a traceback therefore always means a bug of ours.

>>> try:
...     raise GraphError("edge 3 joins node 7, but the graph has 5 nodes")
... except PolyfilterError as error:
...     print(error)
edge 3 joins node 7, but the graph has 5 nodes
"""

__all__ = [
    "CapacityError",
    "FileFormatError",
    "FilterError",
    "GraphError",
    "PolyfilterError",
    "ResponseError",
    "SpectrumError",
]


class PolyfilterError(ValueError):
    """Base of every error that a user's input can cause."""


class GraphError(PolyfilterError):
    """A graph or graph set that is empty, directed, badly weighted or out of range."""


class SpectrumError(PolyfilterError):
    """A spectrum that is empty, not finite, or outside [-1, 1].

    Examples
    --------
    >>> from polyfilter.blocks import check_dense
    >>> check_dense(10**9, "a graph")
    Traceback (most recent call last):
    ...
    polyfilter.errors.SpectrumError: a graph has 1,000,000,000 nodes, more than the ...
    """


class CapacityError(PolyfilterError):
    """A spectrum capacity that could not be computed by the method asked for.

    Examples
    --------
    >>> from polyfilter import Graph, spectrum_capacity
    >>> spectrum_capacity(Graph.from_edges([(0, 1)]), "by eye")
    Traceback (most recent call last):
    ...
    polyfilter.errors.CapacityError: ...
    """


class FilterError(PolyfilterError):
    """A polynomial, a stack or a signal that can't be used as a filter.

    Examples
    --------
    >>> from polyfilter import factorize
    >>> factorize([])
    Traceback (most recent call last):
    ...
    polyfilter.errors.FilterError: ...
    """


class ResponseError(PolyfilterError):
    """A wanted response that returns the wrong shape or values that are not finite.

    Examples
    --------
    >>> from polyfilter import responses
    >>> responses.low_pass.with_(sharp=3)
    Traceback (most recent call last):
    ...
    polyfilter.errors.ResponseError: a low-pass response has no parameter 'sharp'; it has ...
    """


class FileFormatError(PolyfilterError):
    """A file that is missing, truncated, or not in a format that we read.

    Examples
    --------
    >>> from polyfilter import read_graph
    >>> read_graph("nowhere.npz")
    Traceback (most recent call last):
    ...
    polyfilter.errors.FileFormatError: can't read nowhere.npz: ...
    """
