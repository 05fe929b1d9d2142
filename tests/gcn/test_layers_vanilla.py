"""The vanilla layer: (A + I) as the paper writes it, which is not what GCNConv normalizes."""

import torch
from dense_truth import CASES, polynomial_tolerance, signal
from torch_geometric.nn import GCNConv

from gcn.layers import VanillaConv


def twins(**options: bool) -> tuple[GCNConv, VanillaConv]:
    twin = GCNConv(3, 2, add_self_loops=options["self_loop"]).double()
    layer = VanillaConv(3, 2, **options).double()
    with torch.no_grad():
        layer.weight.copy_(twin.lin.weight.T)
        assert layer.bias is not None
        layer.bias.copy_(twin.bias)
    return twin, layer


def test_gcnconv_normalizes_after_adding_the_loop() -> None:
    """GCNConv is (D+I)^{-1/2} (W+I) (D+I)^{-1/2}: another matrix, and no polynomial in our A."""
    case, x = CASES["path"], signal(3, 3)
    twin, layer = twins(self_loop=True)
    assert (twin(x, case.index) - layer(x, case.index)).abs().max() > 0.01
    W = case.matrix("sum") + torch.eye(3, dtype=torch.float64)
    scale = W.sum(1).rsqrt()
    renormalized = scale[:, None] * W * scale
    truth = renormalized @ x @ layer.weight + layer.bias
    theta = layer.matrix_polynomial().detach()
    bound = polynomial_tolerance(case.matrix(), x, theta, x.dtype)
    assert (twin(x, case.index) - truth).abs().max() <= bound
    # a polynomial in A would commute with it
    A = case.matrix()
    assert (A @ renormalized - renormalized @ A).abs().max() > 0.01


def test_without_loops_they_are_the_same() -> None:
    case, x = CASES["weighted"], signal(5, 3)
    twin, layer = twins(self_loop=False)
    theta = layer.matrix_polynomial().detach()
    bound = polynomial_tolerance(case.matrix(), x, theta, x.dtype)
    difference = twin(x, case.index, case.weight) - layer(x, case.index, case.weight)
    assert difference.abs().max() <= bound
    assert not theta[0].any()


def test_one_weight_for_both() -> None:
    theta = VanillaConv(3, 2).matrix_polynomial()
    assert torch.equal(theta[0], theta[1])
    assert VanillaConv(3, 2, bias=False).bias is None
