"""Data sets: graphs with signals on them and the answers that a network should give.

:mod:`gcn.data.collection` holds the graphs of a split and cuts batches out of them;
:mod:`gcn.data.sgs` makes the paper's Synthetic Graph Spectrum set.
"""

from gcn.data.collection import Batch, Collection

__all__ = ["Batch", "Collection"]
