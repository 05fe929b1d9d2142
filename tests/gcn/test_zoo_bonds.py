"""OGB's vanilla and GIN layers, against a loop over edges."""

import torch
from torch import Tensor, nn
from zoo_cases import MOLHIV, Case, case_of

from gcn.propagate import prepare
from gcn.zoo.bond_gin import BondGIN
from gcn.zoo.bond_vanilla import BondVanilla
from gcn.zoo.wired import Wiring, wired

BONDS = (5, 6, 2)
TOLERANCE = 2**-44
"""A few dozen roundings of float64 in numbers of order one."""


def parts(operator: str) -> tuple[Case, Tensor, Wiring]:
    case = case_of(MOLHIV)
    x = torch.randn(9, 4, generator=torch.Generator().manual_seed(2), dtype=torch.float64)
    A = prepare(case.edge_index, 9, operator=operator, dtype=torch.float64)
    return case, x, wired(A, case.edge_attr, case.graph)


def embedded(weight: Tensor, row: Tensor) -> Tensor:
    starts = (0, 5, 11)
    return torch.stack([weight[s + k] for s, k in zip(starts, row.tolist(), strict=True)]).sum(0)


def test_vanilla() -> None:
    case, x, wiring = parts("symmetric")
    layer = BondVanilla(4, 3, BONDS).double()
    h = x @ layer.linear.weight.T + layer.linear.bias
    degree = torch.bincount(case.edge_index[1], minlength=9).double() + 1
    truth = torch.relu(h + layer.root) / degree[:, None]
    assert case.edge_attr is not None
    for (j, i), kind in zip(case.edge_index.T.tolist(), case.edge_attr, strict=True):
        sent = torch.relu(h[j] + embedded(layer.bond.weight, kind))
        truth[i] = truth[i] + sent / (degree[i] * degree[j]).sqrt()
    assert (layer(x, wiring) - truth).abs().max() <= TOLERANCE


def test_gin() -> None:
    case, x, wiring = parts("sum")
    layer = BondGIN(4, 3, BONDS).double().eval()
    nn.init.constant_(layer.epsilon, 0.3)
    total = 1.3 * x
    assert case.edge_attr is not None
    for (j, i), kind in zip(case.edge_index.T.tolist(), case.edge_attr, strict=True):
        total[i] = total[i] + torch.relu(x[j] + embedded(layer.bond.weight, kind))
    first, norm, _, last = layer.mlp
    assert isinstance(first, nn.Linear)
    assert isinstance(norm, nn.BatchNorm1d)
    assert isinstance(last, nn.Linear)
    inside = (total @ first.weight.T + first.bias) / (1 + norm.eps) ** 0.5
    truth = torch.relu(inside) @ last.weight.T + last.bias
    assert (layer(x, wiring) - truth).abs().max() <= TOLERANCE
