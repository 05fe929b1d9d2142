"""Data sets: graphs with signals on them and the answers that a network should give.

:mod:`gcn.data.collection` holds the graphs of a split and cuts batches out of them;
:mod:`gcn.data.sgs` makes the paper's Synthetic Graph Spectrum set;
:mod:`gcn.data.benchmarks` loads the real benchmarks by name, as :mod:`gcn.data.dataset` holds them.
"""

from gcn.data.collection import Batch, Collection

__all__ = ["Batch", "Collection"]
