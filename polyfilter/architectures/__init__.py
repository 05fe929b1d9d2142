r"""Architectures by name, each with what it can express.

================= ==================================== =================== =========================
name              a layer                              dimension           complete at depth
================= ==================================== =================== =========================
vanilla           W (A + I)                            1                   never
vanilla+residual  I + W (A + I)                        min{L + 1, Γ}       Γ, or never if -1 is an
                                                                           eigenvalue; two channels:
                                                                           Γ - 1
sgc               θ (A + I)^L                          1                   never
gin               W (θ₁ A + θ₀ I)                      min{L + 1, Γ}       Γ, real roots only before
first-order       Θ₁ A + Θ₀                            min{L + 1, Γ}       Γ; two channels: Γ - 1
sogc              Θ₂ A² + Θ₁ A + Θ₀                    min{2L + 1, Γ}      ⌈(Γ - 1)/2⌉
k-order:K         Σ_k Θ_k A^k                          min{KL + 1, Γ}      ⌈(Γ - 1)/K⌉, and one more
                                                                           for one channel, if K is
                                                                           odd and divides Γ - 1
chebnet:K         Σ_k Θ_k T_k(-A)                      as k-order          as k-order
appnp             Z ↦ (1-α) P Z + α X                  1                   never
gcnii             M ((1-α) P H + α H₀)                 min{L, Γ}           Γ + 1, or never if -1 is
                                                                           an eigenvalue; two
                                                                           channels: Γ
gpr-gnn           Σ_k γ_k P^k                          min{K + 1, Γ}       Γ - 1
bernnet           Σ_k θ_k B_k(L/2), θ ≥ 0              min{K + 1, Γ}       never: a cone
chebnetii         Σ_j γ_j ℓ_j(-A)                      min{K + 1, Γ}       Γ - 1
jacobiconv        Σ_k γ_k P_k^(a,b)(A)                 min{K + 1, Γ}       Γ - 1
arma              Σ b (I - aA)⁻¹                       min{2Kw, Γ}         ⌈Γ/w⌉, w the width
jknet             all layers of vanilla, concatenated  min{L + 1, Γ}       Γ - 1
================= ==================================== =================== =========================

A is the normalized adjacency, :math:`P = (A + I)/2`; networks embed one channel and read one out
(:mod:`polyfilter.architectures.base`). Small cases (Γ ≤ 2) and the proofs stand in the module of
each family. Width matters where layers mix channels by matrices of their own, since matrices of two
by two hold the complex numbers; elsewhere it does not.

>>> architecture("k-order:3").complete(ambient(10), width=1).depth
4
>>> architecture("gcnii", alpha=0.5).rho
1
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from fractions import Fraction
from types import MappingProxyType
from typing import Any

from polyfilter.ambient import ambient
from polyfilter.architectures.arma import ARMA_
from polyfilter.architectures.base import Architecture, Hull, Membership, Need, Weights
from polyfilter.architectures.bernstein import BERNNET
from polyfilter.architectures.fixed import FIXED
from polyfilter.architectures.gcnii import GCNII_
from polyfilter.architectures.linear import LINEAR
from polyfilter.architectures.products import PRODUCTS, Product
from polyfilter.architectures.residual import RESIDUAL
from polyfilter.errors import FilterError

__all__ = [
    "ARCHITECTURES",
    "Architecture",
    "Hull",
    "Membership",
    "Need",
    "Weights",
    "ambient",
    "architecture",
]

ARCHITECTURES: Mapping[str, Architecture] = MappingProxyType(
    {
        kind.name: kind
        for kind in (
            FIXED["vanilla"],
            RESIDUAL,
            FIXED["sgc"],
            *PRODUCTS.values(),
            FIXED["appnp"],
            GCNII_,
            LINEAR["gpr-gnn"],
            BERNNET,
            LINEAR["chebnetii"],
            LINEAR["jacobiconv"],
            ARMA_,
            LINEAR["jknet"],
        )
    }
)
"""All of them; ``k-order`` and ``chebnet`` wait for their order."""

MAX_ORDER = 1000
"""A layer of a higher order is a typing mistake."""


def architecture(name: str | Architecture, **parameters: Any) -> Architecture:
    """Return the architecture called ``name``.

    Parameters
    ----------
    name
        One of the table above; ``k-order`` and ``chebnet`` are followed by a colon and their
        order, as in ``k-order:3``.
    parameters
        ``order`` (k-order, chebnet), ``alpha`` (appnp, gcnii), ``a`` and ``b`` (jacobiconv).

    Examples
    --------
    >>> print(architecture("sogc").layer)
    Θ₂ A² + Θ₁ A + Θ₀
    >>> architecture("chebnet", order=4) == architecture("chebnet:4")
    True
    >>> architecture("k-order")
    Traceback (most recent call last):
    ...
    polyfilter.errors.FilterError: k-order needs its order: write k-order:3 for order three
    """
    if isinstance(name, Architecture):
        return _finished(name)
    base, colon, text = str(name).partition(":")
    kind = ARCHITECTURES.get(base)
    if kind is None:
        raise FilterError(
            f"no architecture is called {base!r}; there are {', '.join(ARCHITECTURES)}"
        )
    if colon and "order" not in parameters:
        parameters["order"] = text
    if "order" in parameters and isinstance(kind, Product):
        kind = _ordered(kind, parameters.pop("order"))
    _finished(kind)
    known = {field.name for field in fields(kind)} & {"alpha", "a", "b"}
    for parameter, value in parameters.items():
        if parameter not in known:
            listed = ", ".join(sorted(known)) or "none"
            raise FilterError(f"{base} has no parameter {parameter!r}; its parameters: {listed}")
        changed: dict[str, Any] = {parameter: _fraction(parameter, value)}
        kind = replace(kind, **changed)
    return kind


def _finished(kind: Architecture) -> Architecture:
    """Refuse one that still waits for its order."""
    if isinstance(kind, Product) and kind.order == 0:
        raise FilterError(f"{kind} needs its order: write {kind}:3 for order three")
    return kind


def _ordered(kind: Product, order: Any) -> Product:
    if kind.order:
        raise FilterError(f"{kind.name} has the order {kind.order}; k-order takes any")
    try:
        number = int(order)
    except (TypeError, ValueError):
        number = 0
    if not 1 <= number <= MAX_ORDER or str(order).strip() != str(number):
        raise FilterError(
            f"the order of {kind.name} is a whole number from 1 to {MAX_ORDER}, not {order!r}"
        )
    return kind.of_order(number)


def _fraction(parameter: str, value: Any) -> Fraction:
    """Return a parameter as the decimal that the user sees: 0.1 is a tenth."""
    try:
        return Fraction(str(value))
    except (ValueError, ZeroDivisionError) as error:
        raise FilterError(f"{parameter} is a number, not {value!r}") from error
