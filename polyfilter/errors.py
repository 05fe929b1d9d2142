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
    """A spectrum that is empty, not finite, or outside [-1, 1]."""


class CapacityError(PolyfilterError):
    """A spectrum capacity that could not be computed by the method asked for."""


class FilterError(PolyfilterError):
    """A polynomial, a stack or a signal that can't be used as a filter."""


class ResponseError(PolyfilterError):
    """A wanted response that returns the wrong shape or values that are not finite."""


class FileFormatError(PolyfilterError):
    """A file that is missing, truncated, or not in a format that we read."""
