"""Small tasks of every kind, and batches for them."""

from dataclasses import dataclass

import torch
from torch import Tensor

from gcn.data.dataset import Task
from gcn.encoders import ATOM_FEATURES_OF_THE_PAPER, BOND_FEATURES
from gcn.nets import GraphNetwork
from gcn.propagate import prepare
from gcn.zoo import MODELS, build

ZINC = Task("zinc", "ZINC", "mae", "sum", (28,), 1, (4,))
MNIST = Task("mnist", "MNIST", "cross_entropy", "mean", 3, 10, 1)
CIFAR10 = Task("cifar10", "CIFAR10", "cross_entropy", "mean", 5, 10, 1)
CLUSTER = Task("cluster", "CLUSTER", "balanced_cross_entropy", "node", (7,), 6)
PATTERN = Task("pattern", "PATTERN", "balanced_cross_entropy", "node", (3,), 2)
MOLHIV = Task("molhiv", "ogbg-molhiv", "bce", "mean", ATOM_FEATURES_OF_THE_PAPER, 1, BOND_FEATURES)
PROTEINS = Task("proteins", "ogbn-proteins", "bce", "node", 8, 112)
CORA = Task("cora", "Cora", "cross_entropy", "node", 12, 7)
TASKS = {
    task.name: task for task in (ZINC, MNIST, CIFAR10, CLUSTER, PATTERN, MOLHIV, PROTEINS, CORA)
}
KINDS = ("zinc", "mnist", "cluster", "molhiv", "proteins", "cora")
"""Graphs and nodes, categories and floats, with and without embedded edges, head and embedding."""
FITTING = [(model, task) for model in MODELS for task in KINDS if task not in MODELS[model].unfit]


@dataclass(frozen=True)
class Case:
    """What a network is called with, in float64."""

    x: Tensor
    edge_index: Tensor
    graph: Tensor
    edge_attr: Tensor | None

    def answer(self, net: GraphNetwork, operator: str) -> Tensor:
        A = prepare(self.edge_index, len(self.x), operator=operator, dtype=torch.float64)
        graphs = int(self.graph.max()) + 1
        found: Tensor = net(self.x, A, self.graph, edge_attr=self.edge_attr, num_graphs=graphs)
        return found

    def permuted(self, order: Tensor, edges: Tensor) -> "Case":
        """Renumber: node ``order[i]`` becomes node i, and edges are listed in another order."""
        number = torch.empty_like(order)
        number[order] = torch.arange(len(order))
        attr = None if self.edge_attr is None else self.edge_attr[edges]
        index = number[self.edge_index[:, edges]]
        return Case(self.x[order], index, self.graph[order], attr)

    def alone(self, graph: int) -> "Case":
        """Take one graph out of the batch."""
        nodes = (self.graph == graph).nonzero()[:, 0]
        edges = (self.graph[self.edge_index[0]] == graph).nonzero()[:, 0]
        number = torch.zeros(len(self.x), dtype=torch.int64)
        number[nodes] = torch.arange(len(nodes))
        attr = None if self.edge_attr is None else self.edge_attr[edges]
        index = number[self.edge_index[:, edges]]
        return Case(self.x[nodes], index, torch.zeros_like(nodes), attr)


def case_of(task: Task, seed: int = 0) -> Case:
    """Draw three graphs: a triangle with a tail, a path, and a node alone."""
    draw = torch.Generator().manual_seed(seed)
    pairs = torch.tensor([[0, 1, 0, 2, 4, 5, 6], [1, 2, 2, 3, 5, 6, 7]])
    index = torch.cat((pairs, pairs.flip(0)), dim=1)
    graph = torch.tensor([0, 0, 0, 0, 1, 1, 1, 1, 2])
    attr = None
    if task.edge_channels is not None:
        attr = _features(task.edge_channels, pairs.shape[1], draw).repeat(2, 1)
    return Case(_features(task.in_channels, len(graph), draw), index, graph, attr)


def _features(channels: int | tuple[int, ...], rows: int, draw: torch.Generator) -> Tensor:
    if isinstance(channels, int):
        return torch.randn(rows, channels, generator=draw, dtype=torch.float64)
    return (torch.rand(rows, len(channels), generator=draw) * torch.tensor(channels)).long()


def small(model: str, task: Task, *, layers: int = 3, gru: bool = False) -> GraphNetwork:
    """Build a network of width 24, which eight heads and three powers divide."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        return build(model, task, layers=layers, width=24, gru=gru).double()
