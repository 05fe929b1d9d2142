r"""What the text leaves open about the Synthetic Graph Spectrum data, decided and named.

The map is ``choices -> Recipe``, a frozen value that :mod:`gcn.data.synthesis` follows and every
data file carries.

>>> Recipe.released() == Recipe()
True
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from math import isfinite
from typing import Any

from polyfilter.errors import FilterError

__all__ = ["Recipe"]

CHOICES = {
    "parameters": ("grid", "continuous"),
    "beta_sum": ("unit", "plain"),
    "ends": ("copied", "finite"),
    "gaussian_peak": ("centre", "index"),
    "isolated": ("zero", "one"),
    "basis": ("uniform", "solver"),
}


@dataclass(frozen=True)
class Recipe:
    r"""The choices that make SGS what it is; the default is what the authors' generator does.

    :meth:`released` is that default and :meth:`text` is the letter of Appendix E.

    Parameters
    ----------
    min_nodes, max_nodes
        N is uniform in {80, ..., 120}, as released and as the text says.
    edge_probability
        Each unordered pair is an edge with p = 0.02. There are no self-loops.
    parameters
        "grid", as released: :math:`a_i, b_i \in \{0.1, 0.2, \dots, 5\}`,
        :math:`\mu_j \in \{0, \dots, N\}`, :math:`\sigma_j` an integer from
        :math:`N / 9(j+1)` to :math:`N / 9j`, both rounded, heights in
        :math:`\{0.5, 0.6, \dots, 2\}`, noise in :math:`\{0.05, 0.06, \dots, 0.34\}`.
        "continuous": uniform between the same ends (0.35 for the noise), which is how the text
        would be read if the braces of Unif{a, b} meant an interval.
    beta_sum
        "unit", as released: the sum of the two betas is divided by its maximum. "plain", as the
        text: it is not; signals, and the errors of any filter on them, are then 2.3 times larger.
    ends
        Densities of beta distributions with a or b below 1 are infinite at 0 or 1. "copied", as
        released: t = 0, ..., N - 1, the betas are evaluated for t = 1, ..., N - 2 only, and in
        the end :math:`s_0 = s_1` and :math:`s_{N-1} = s_{N-2}`. "finite": t = 1, ..., N as the
        text's :math:`t \in [N]` says, and only at t = N, where there may be no finite value, the
        sum of the betas is that of t = N - 1.
    gaussian_peak
        A height is divided by the largest value of its density: at its centre ("centre", as
        released), or at the indices t ("index", as the text), which differs where
        :math:`\mu_j` is no index.
    isolated
        An isolated node has a zero row in A, so eigenvalue 0 of A and 1 of L ("zero", as
        released and as in all of polyfilter); "one" is the convention of the combinatorial
        Laplacian, eigenvalue 1 of A and 0 of L, which no polynomial of our A can follow.
    min_noise, max_noise
        The standard deviation of the noise is drawn once a graph, between these. With "grid"
        parameters it is a multiple of 0.01 and below ``max_noise``.
    basis
        "uniform": the eigenvectors are uniformly random where A does not determine them (see
        :mod:`gcn.data.synthesis`), and so the same on every machine. "solver", as released: they
        are what LAPACK returns here. Its signs are arbitrary but not random, and an isolated
        node is an eigenvector by itself, so that its signal is positive where ours has both signs.
        With it the mean of abs(y) is 2 % larger on high- and low-pass and 8 % on band-pass, and
        the error of the best polynomial of degree 32 the same within 2 %; but the same bytes are
        promised on this machine only.

    Examples
    --------
    >>> Recipe.text().beta_sum
    'plain'
    >>> Recipe(basis="any")
    Traceback (most recent call last):
    ...
    polyfilter.errors.FilterError: the recipe's basis is 'uniform' or 'solver', not 'any'
    """

    min_nodes: int = 80
    max_nodes: int = 120
    edge_probability: float = 0.02
    parameters: str = "grid"
    beta_sum: str = "unit"
    ends: str = "copied"
    gaussian_peak: str = "centre"
    isolated: str = "zero"
    min_noise: float = 0.05
    max_noise: float = 0.35
    basis: str = "uniform"

    def __post_init__(self) -> None:
        for name, allowed in CHOICES.items():
            if (value := getattr(self, name)) not in allowed:
                options = " or ".join(map(repr, allowed))
                raise FilterError(f"the recipe's {name} is {options}, not {value!r:.40}")
        for name, low, high in (
            ("min_nodes", 4, self.max_nodes),
            ("max_nodes", 4, 10_000),
            ("edge_probability", 0, 1),
            ("min_noise", 0, self.max_noise),
            ("max_noise", 0, 1e6),
        ):
            value, whole = getattr(self, name), name.endswith("nodes")
            number = type(value) is int or (type(value) is float and not whole)
            if not number or not isfinite(value) or not low <= value <= high:
                kind = "a whole number" if whole else "a number"
                raise FilterError(
                    f"the recipe's {name} is {kind} from {low} to {high}, not {value!r:.40}"
                )

    @classmethod
    def released(cls) -> Recipe:
        """Return what the authors' generator does, but for the basis (see ``basis``)."""
        return cls()

    @classmethod
    def text(cls) -> Recipe:
        """Return what Appendix E says, to the letter."""
        return cls(parameters="continuous", beta_sum="plain", ends="finite", gaussian_peak="index")

    def to_dict(self) -> dict[str, Any]:
        """Return the choices by name, for a file.

        Examples
        --------
        >>> Recipe.from_dict(Recipe.text().to_dict()) == Recipe.text()
        True
        """
        return asdict(self)

    @classmethod
    def from_dict(cls, choices: dict[str, Any]) -> Recipe:
        """Return the recipe with these choices, all of them named."""
        if set(choices) != {field.name for field in fields(cls)}:
            raise FilterError(f"a recipe has the choices {[field.name for field in fields(cls)]}")
        return cls(**choices)
