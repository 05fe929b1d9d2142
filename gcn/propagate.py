r"""One hop on a batch of graphs, forward and backward.

The map is

.. math::  x \mapsto A x, \qquad A = D^{-1/2} W D^{-1/2}

with :math:`W` the (weighted) adjacency matrix of all graphs of a batch side by side and :math:`D`
its degrees. :func:`prepare` sorts the edges and normalizes them once, and every layer
takes what it gives:

>>> path = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
>>> A = prepare(path, 3)
>>> A
Prepared(3 nodes, 4 edges, operator='symmetric', kernel='fused', torch.float32, cpu)
>>> A.propagate(torch.eye(3)).square()
tensor([[0.0000, 0.5000, 0.0000],
        [0.5000, 0.0000, 0.5000],
        [0.0000, 0.5000, 0.0000]])

Two other operators are at hand, for networks that are published with them: ``"mean"`` is
:math:`D^{-1} W` and ``"sum"`` is :math:`W` itself. A node without edges has a row of zeros.

Assumptions: an undirected edge is listed in both directions, as PyTorch Geometric does. Nothing
breaks if it is not: messages flow from ``edge_index[0]`` to ``edge_index[1]``, and degrees count
what arrives. Several edges between the same nodes add up.

Who multiplies is in :mod:`gcn.kernels`; A x is differentiable in x and in the edge weights.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from gcn.edges import OPERATORS, check_edges, normalized
from gcn.kernels import KERNELS, chosen, hop
from polyfilter.errors import GraphError
from polyfilter.graphs import Graph, GraphSet

__all__ = ["KERNELS", "OPERATORS", "Prepared", "as_prepared", "prepare", "prepare_graphs", "ranges"]

INT32 = 2**31
"""Below this many nodes and edges, indices take half the memory."""


@dataclass(frozen=True, eq=False, repr=False)
class Prepared:
    """The matrix A of a batch, by rows and by columns.

    Attributes
    ----------
    rowptr, cols, weight : Tensor
        Row i of A has ``weight[k]`` in column ``cols[k]``, for k in ``rowptr[i]:rowptr[i + 1]``.
    colptr, rows, transposed_weight : Tensor
        The same for the transposed matrix; the same tensors if A is symmetric.
    order : Tensor
        Edge k of the rows is edge ``order[k]`` of the ``edge_index`` that it was made from.
    operator, kernel : str
        Which matrix it is, and who multiplies.
    """

    # No name begins with another one: torch.export puts its own in their place as plain text.
    rowptr: Tensor
    cols: Tensor
    weight: Tensor
    colptr: Tensor
    rows: Tensor
    transposed_weight: Tensor
    order: Tensor
    operator: str
    kernel: str

    @property
    def num_nodes(self) -> int:
        """Rows of A."""
        return self.rowptr.numel() - 1

    @property
    def num_edges(self) -> int:
        """Entries of A: an undirected edge counts two."""
        return self.cols.numel()

    @property
    def dtype(self) -> torch.dtype:
        """Type of the weights, which features have to share."""
        return self.weight.dtype

    @property
    def device(self) -> torch.device:
        """Where the weights are, and features have to be."""
        return self.weight.device

    @property
    def is_symmetric(self) -> bool:
        """Whether A was found to be its own transpose."""
        return self.transposed_weight is self.weight

    def propagate(self, x: Tensor) -> Tensor:
        """Return A x.

        Parameters
        ----------
        x : Tensor of shape (num_nodes, channels)

        Examples
        --------
        >>> star = prepare(torch.tensor([[0, 0, 1, 2], [1, 2, 0, 0]]), 3, operator="mean")
        >>> star.propagate(torch.tensor([[1.0], [2.0], [4.0]])).T
        tensor([[3., 1., 1.]])
        """
        self.check(x)
        weight, transposed_weight = self.weight, self.transposed_weight
        if x.dtype != weight.dtype:  # only under autocast: `check` refuses it otherwise
            weight, transposed_weight = weight.to(x.dtype), transposed_weight.to(x.dtype)
        forward = (self.rowptr, self.cols, weight)
        backward = (self.colptr, self.rows, transposed_weight)
        return hop(x, forward, backward, self.kernel)

    def aggregate(self, messages: Tensor) -> Tensor:
        """Return the sum of the messages that arrive at each node, times A's entries.

        Parameters
        ----------
        messages : Tensor of shape (num_edges, channels)
            One for each entry of A, in the order of ``cols``.

        Examples
        --------
        >>> star = prepare(torch.tensor([[0, 0, 1, 2], [1, 2, 0, 0]]), 3, operator="sum")
        >>> star.aggregate(torch.tensor([[1.0], [2.0], [4.0], [8.0]])).T
        tensor([[3., 4., 8.]])
        """
        if messages.dim() != 2 or messages.shape[0] != self.num_edges:
            raise GraphError(
                f"messages have shape {tuple(messages.shape)}, but the batch has "
                f"{self.num_edges} edges: ({self.num_edges}, channels)"
            )
        edges = torch.arange(self.num_edges, device=self.device, dtype=self.cols.dtype)
        starts = torch.arange(self.num_edges + 1, device=self.device, dtype=self.cols.dtype)
        degrees = self.rowptr.diff().long()
        targets = torch.repeat_interleave(degrees, output_size=self.num_edges).to(self.cols.dtype)
        weight = self.weight.to(messages.dtype)
        return hop(messages, (self.rowptr, edges, weight), (starts, targets, weight), self.kernel)

    def check(self, x: Tensor) -> None:
        """Raise a :class:`~polyfilter.errors.GraphError` if A x is not defined.

        Examples
        --------
        >>> prepare(torch.tensor([[0, 1], [1, 0]]), 2).check(torch.ones(3, 1))
        Traceback (most recent call last):
        ...
        polyfilter.errors.GraphError: x has shape (3, 1), but the batch has 2 nodes: (2, channels)
        """
        if x.dim() != 2 or x.shape[0] != self.num_nodes:
            raise GraphError(
                f"x has shape {tuple(x.shape)}, but the batch has {self.num_nodes} nodes: "
                f"({self.num_nodes}, channels)"
            )
        if x.device != self.device:
            raise GraphError(
                f"x is on {x.device} and the batch on {self.device}: move one with .to(...)"
            )
        if x.dtype != self.dtype and not torch.is_autocast_enabled(x.device.type):
            raise GraphError(
                f"x is {x.dtype} and the batch {self.dtype}: convert x with .to({self.dtype})"
            )

    def to(self, target: torch.device | torch.dtype | str) -> Prepared:
        """Return the same matrix on another device, or with weights of another type.

        Examples
        --------
        >>> prepare(torch.tensor([[0, 1], [1, 0]]), 2).to(torch.float64).dtype
        torch.float64
        """
        floats = isinstance(target, torch.dtype)

        def moved(tensor: Tensor) -> Tensor:
            return tensor.to(target) if not floats or tensor.is_floating_point() else tensor

        return self._each(moved)

    def blocks(self, node_ptr: Tensor, graphs: Tensor) -> Prepared:
        """Return the matrix of some of the graphs, in the order asked for.

        Nothing is sorted or normalized again: rows are copied.

        Parameters
        ----------
        node_ptr : Tensor of shape (graphs + 1,)
            Graph g owns the nodes ``node_ptr[g]:node_ptr[g + 1]``, and no edge leaves it.
        graphs : Tensor
            Which graphs.

        Examples
        --------
        >>> two = prepare(torch.tensor([[0, 1, 2, 3, 3, 4], [1, 0, 3, 2, 4, 3]]), 5)
        >>> two.blocks(torch.tensor([0, 2, 5]), torch.tensor([1])).propagate(torch.eye(3)).square()
        tensor([[0.0000, 0.5000, 0.0000],
                [0.5000, 0.0000, 0.5000],
                [0.0000, 0.5000, 0.0000]])
        """
        first, last = node_ptr[graphs], node_ptr[graphs + 1]
        nodes, _ = ranges(first, last)
        shift = _starts(last - first)[:-1] - first
        return self._moved(lambda ptr, ends: _taken(ptr, ends, first, last, nodes, shift))

    def relabelled(self, nodes: Tensor) -> Prepared:
        """Return the matrix with its nodes in another order; edges keep their numbers in ``order``.

        Parameters
        ----------
        nodes : Tensor of shape (num_nodes,)
            Node i of the result is ``nodes[i]`` here.

        Examples
        --------
        >>> star = prepare(torch.tensor([[0, 0, 1, 2], [1, 2, 0, 0]]), 3, operator="sum")
        >>> star.relabelled(torch.tensor([1, 2, 0])).propagate(torch.eye(3))
        tensor([[0., 0., 1.],
                [0., 0., 1.],
                [1., 1., 0.]])
        """
        place = torch.empty_like(nodes)
        place[nodes] = torch.arange(len(nodes), device=nodes.device)

        def moved(ptr: Tensor, ends: Tensor) -> tuple[Tensor, Tensor, Tensor]:
            first, last = ptr[nodes].long(), ptr[nodes + 1].long()
            edges, _ = ranges(first, last)
            return _starts(last - first).to(ptr.dtype), place[ends[edges]].to(ends.dtype), edges

        return self._moved(moved)

    def _moved(
        self, rows_of: Callable[[Tensor, Tensor], tuple[Tensor, Tensor, Tensor]]
    ) -> Prepared:
        """Return other rows, from a map of (rowptr, cols) to theirs and to the entries they are."""
        rowptr, cols, edges = rows_of(self.rowptr, self.cols)
        weight, order = self.weight.index_select(0, edges), self.order.index_select(0, edges)
        if self.colptr is self.rowptr:
            colptr, rows, edges_t = rowptr, cols, edges
        else:
            colptr, rows, edges_t = rows_of(self.colptr, self.rows)
        transposed_weight = weight
        if not self.is_symmetric:
            transposed_weight = self.transposed_weight.index_select(0, edges_t)
        return replace(
            self,
            rowptr=rowptr,
            cols=cols,
            weight=weight,
            colptr=colptr,
            rows=rows,
            transposed_weight=transposed_weight,
            order=order,
        )

    def _each(self, function: Callable[[Tensor], Tensor]) -> Prepared:
        """Map all tensors, each once, so that a symmetric A stays one."""
        done: dict[int, Tensor] = {}
        names = ("rowptr", "cols", "weight", "colptr", "rows", "transposed_weight", "order")
        for name in names:
            tensor: Tensor = getattr(self, name)
            if id(tensor) not in done:
                done[id(tensor)] = function(tensor)
        mapped: dict[str, Any] = {name: done[id(getattr(self, name))] for name in names}
        return replace(self, **mapped)

    def __repr__(self) -> str:
        return (
            f"Prepared({self.num_nodes} nodes, {self.num_edges} edges, operator={self.operator!r}, "
            f"kernel={self.kernel!r}, {self.dtype}, {self.device})"
        )


# torch.export takes only containers that it knows; the two names are part of the program.
torch.export.register_dataclass(Prepared, serialized_type_name="gcn.propagate.Prepared")
# A saved program keeps its example inputs; torch would unpickle what it isn't told to trust.
torch.serialization.add_safe_globals([Prepared])


def prepare(
    edge_index: Tensor,
    num_nodes: int,
    edge_weight: Tensor | None = None,
    kernel: str = "auto",
    *,
    operator: str = "symmetric",
    dtype: torch.dtype | None = None,
) -> Prepared:
    """Sort and normalize the edges of a batch, once for all layers.

    Parameters
    ----------
    edge_index : Tensor of shape (2, edges)
        Sources and targets, integers in 0 ... num_nodes - 1.
    num_nodes : int
        Nodes of the batch, isolated ones included.
    edge_weight : Tensor of shape (edges,), optional
        Nonnegative; gradients flow to it through the normalization. By default all are 1.
    kernel : {"auto", "fused", "spmm", "scatter"}
        Who multiplies; see :mod:`gcn.kernels`.
    operator : {"symmetric", "mean", "sum"}
        The matrix: D^{-1/2} W D^{-1/2}, D^{-1} W or W.
    dtype : torch.dtype, optional
        Type of the result: by default that of ``edge_weight``, or torch's default.

    Examples
    --------
    >>> edge = torch.tensor([[0, 1], [1, 0]])
    >>> prepare(edge, 2, torch.tensor([4.0, 4.0])).propagate(torch.tensor([[1.0], [0.0]])).T
    tensor([[0., 1.]])
    """
    index, num_nodes = check_edges(edge_index, num_nodes, edge_weight)
    if operator not in OPERATORS:
        raise GraphError(f"unknown operator {operator!r}: choose from {', '.join(OPERATORS)}")
    source, target = index[0], index[1]
    order, rowptr = _sorted(target, source, num_nodes)
    order_t, colptr = _sorted(source, target, num_nodes)
    weight = normalized(index, num_nodes, edge_weight, operator, dtype)
    kernel = chosen(kernel, weight)
    wide = kernel == "scatter" or max(num_nodes, index.shape[1]) >= INT32
    kind = torch.int64 if wide else torch.int32
    cols, rows = source[order].to(kind), target[order_t].to(kind)
    rowptr, colptr = rowptr.to(kind), colptr.to(kind)
    by_row, by_column = weight[order], weight[order_t]
    # a compiled program can't ask for values: it gets both matrices
    known = not torch.compiler.is_compiling()
    if known and torch.equal(rowptr, colptr) and torch.equal(cols, rows):
        colptr, rows = rowptr, cols
        # weights that learn keep both: the second derivative goes through either
        if not weight.requires_grad and torch.equal(by_row, by_column):
            by_column = by_row
    return Prepared(rowptr, cols, by_row, colptr, rows, by_column, order, operator, kernel)


def prepare_graphs(
    graphs: Graph | GraphSet,
    kernel: str = "auto",
    *,
    operator: str = "symmetric",
    dtype: torch.dtype | None = None,
) -> Prepared:
    """Prepare a graph of :mod:`polyfilter`, or all graphs of a set side by side.

    Parameters
    ----------
    graphs : Graph or GraphSet
    kernel, operator, dtype
        As for :func:`prepare`.

    Examples
    --------
    >>> prepare_graphs(Graph.from_edges([(0, 1), (1, 2)]))
    Prepared(3 nodes, 4 edges, operator='symmetric', kernel='fused', torch.float32, cpu)
    """
    graph = graphs if isinstance(graphs, Graph) else graphs.union()
    W = graph.adjacency.tocoo()
    index = torch.from_numpy(np.stack((W.col, W.row)).astype(np.int64))
    weight = torch.tensor(W.data, dtype=dtype or torch.get_default_dtype())
    return prepare(index, graph.num_nodes, weight, kernel, operator=operator)


def as_prepared(
    x: Tensor, edges: Tensor | Prepared, edge_weight: Tensor | None, operator: str
) -> Prepared:
    """Return what a layer propagates by, from either way to call it.

    Examples
    --------
    >>> as_prepared(torch.ones(2, 1), torch.tensor([[0, 1], [1, 0]]), None, "sum").operator
    'sum'
    """
    if isinstance(edges, Prepared):
        if edge_weight is not None:
            raise GraphError("a prepared batch has its weights: give edge_weight to prepare(...)")
        if edges.operator != operator:
            raise GraphError(
                f"this layer propagates by the {operator!r} operator, but the batch was prepared "
                f"for {edges.operator!r}: prepare(..., operator={operator!r})"
            )
        return edges
    if x.dim() != 2:
        raise GraphError(f"x has shape {tuple(x.shape)}: a layer takes (nodes, channels)")
    dtype = x.dtype if x.dtype.is_floating_point else None
    return prepare(edges, x.shape[0], edge_weight, operator=operator, dtype=dtype)


def _sorted(rows: Tensor, columns: Tensor, num_nodes: int) -> tuple[Tensor, Tensor]:
    """Return the order that sorts entries by row, then column, and where each row begins."""
    order = torch.argsort(rows * num_nodes + columns, stable=True)
    counts = rows.new_zeros(num_nodes).index_add(0, rows, torch.ones_like(rows))
    return order, _starts(counts)


def _starts(counts: Tensor) -> Tensor:
    """Return 0 and the running sums."""
    return torch.cat((counts.new_zeros(1), counts.cumsum(0)))


def ranges(first: Tensor, last: Tensor) -> tuple[Tensor, Tensor]:
    """Return all integers of the ranges, one after the other, and the number of each one's range.

    Examples
    --------
    >>> ranges(torch.tensor([5, 0]), torch.tensor([7, 1]))
    (tensor([5, 6, 0]), tensor([0, 0, 1]))
    """
    counts = last - first
    which = torch.repeat_interleave(torch.arange(len(counts), device=counts.device), counts)
    place = torch.arange(len(which), device=counts.device)
    return place.add_((first - _starts(counts)[:-1]).index_select(0, which)), which


def _taken(
    rowptr: Tensor, cols: Tensor, first: Tensor, last: Tensor, nodes: Tensor, shift: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """Return the rows of some blocks as a matrix of their own, and which entries they are."""
    edges, block = ranges(rowptr[first].long(), rowptr[last].long())
    # index_select, since indexing by brackets is made for more and takes several times as long
    counts = rowptr.index_select(0, nodes + 1) - rowptr.index_select(0, nodes)
    taken = cols.index_select(0, edges).add_(shift.to(cols.dtype).index_select(0, block))
    return _starts(counts).to(rowptr.dtype), taken, edges
