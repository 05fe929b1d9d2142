r"""Categories as vectors: the embedding of atoms and bonds.

The map is :math:`(c_1, \dots, c_m) \mapsto \sum_i E_i[c_i]`, from a row of
integers to the sum of one vector for each.

>>> CategoryEncoder((3, 2), 4)(torch.tensor([[2, 0], [1, 1]])).shape
torch.Size([2, 4])

OGB's molecules have nine features for an atom and three for a bond. The paper's parameter counts
were made when the atoms' lists had 173 entries (ogb 1.3.3 and before). Today's ogb, 1.3.6, has 174,
one more chirality, which adds one vector to a network.

>>> sum(ATOM_FEATURES), sum(ATOM_FEATURES_OF_THE_PAPER), sum(BOND_FEATURES)
(174, 173, 13)
"""

import math

import torch
from torch import Tensor, nn

from polyfilter.errors import GraphError

__all__ = ["ATOM_FEATURES", "ATOM_FEATURES_OF_THE_PAPER", "BOND_FEATURES", "CategoryEncoder"]

ATOM_FEATURES = (119, 5, 12, 12, 10, 6, 6, 2, 2)
"""Atomic number, chirality, degree, charge, hydrogens, radicals, hybridization, aromatic, ring."""
ATOM_FEATURES_OF_THE_PAPER = (119, 4, 12, 12, 10, 6, 6, 2, 2)
BOND_FEATURES = (5, 6, 2)
"""Kind, stereo configuration, conjugated."""


class CategoryEncoder(nn.Module):
    r"""The sum of one embedding for each feature.

    Parameters
    ----------
    cardinalities : tuple of int
        How many values each feature can have.
    channels : int
        Width of the result.

    Shapes
    ------
    x : (rows, features), integers; or (rows,) if there is one feature
    output : (rows, channels)

    Examples
    --------
    >>> CategoryEncoder((28,), 16)(torch.tensor([27, 0])).shape
    torch.Size([2, 16])
    """

    def __init__(self, cardinalities: tuple[int, ...], channels: int) -> None:
        super().__init__()
        self.cardinalities = tuple(cardinalities)
        self.weight = nn.Parameter(torch.empty(sum(self.cardinalities), channels))
        starts = torch.tensor((0, *self.cardinalities)).cumsum(0)[:-1]
        self.register_buffer("starts", starts, persistent=False)
        self.register_buffer("limits", torch.tensor(self.cardinalities), persistent=False)
        self.reset_parameters()

    starts: Tensor
    limits: Tensor

    def reset_parameters(self) -> None:
        """Draw each feature's vectors by Glorot's rule, as OGB does."""
        for vectors in torch.split(self.weight, list(self.cardinalities)):
            bound = math.sqrt(6 / sum(vectors.shape))
            nn.init.uniform_(vectors, -bound, bound)

    def forward(self, x: Tensor) -> Tensor:
        """Return the sum of the embeddings."""
        x = x[:, None] if x.dim() == 1 else x
        features = len(self.cardinalities)
        if x.dim() != 2 or x.shape[1] != features or x.dtype.is_floating_point:
            raise GraphError(
                f"categories have to be integers of shape (rows, {features}), not {x.dtype} of "
                f"shape {tuple(x.shape)}"
            )
        if not torch.compiler.is_compiling():
            wrong = ((x < 0) | (x >= self.limits)).nonzero()
            if len(wrong):
                row, feature = wrong[0].tolist()
                raise GraphError(
                    f"row {row} has category {x[row, feature].item()} in feature {feature}, which "
                    f"has {self.cardinalities[feature]}"
                )
        total: Tensor = nn.functional.embedding_bag(x + self.starts, self.weight, mode="sum")
        return total

    def __repr__(self) -> str:
        return f"CategoryEncoder({self.cardinalities}, {self.weight.shape[1]})"
