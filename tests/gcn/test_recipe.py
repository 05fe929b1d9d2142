"""The recipe: what is decided, and what can't be asked for."""

import json
from dataclasses import FrozenInstanceError
from typing import Any

import pytest

from gcn.data.recipe import CHOICES, Recipe
from polyfilter.errors import FilterError


def test_the_default_is_the_release() -> None:
    assert Recipe() == Recipe.released()
    for name, (released, _) in CHOICES.items():
        assert getattr(Recipe(), name) == released
    with pytest.raises(FrozenInstanceError):
        Recipe().basis = "solver"  # type: ignore[misc]


@pytest.mark.parametrize("recipe", [Recipe(), Recipe.text(), Recipe(max_noise=1, isolated="one")])
def test_it_survives_a_file(recipe: Recipe) -> None:
    assert Recipe.from_dict(json.loads(json.dumps(recipe.to_dict()))) == recipe


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"beta_sum": "half"}, "'unit' or 'plain', not 'half'"),
        ({"min_nodes": 121}, "min_nodes is a whole number from 4 to 120, not 121"),
        ({"min_nodes": 3}, "from 4 to"),
        ({"max_nodes": 100.0}, "max_nodes is a whole number"),
        ({"edge_probability": 1.5}, "edge_probability is a number from 0 to 1"),
        ({"edge_probability": float("nan")}, "not nan"),
        ({"min_noise": 0.5}, "from 0 to 0.35"),
        ({"max_noise": float("inf")}, "max_noise"),
        ({"max_noise": True}, "not True"),
        ({"ends": ["copied"]}, "ends"),
    ],
)
def test_bad_choices_are_refused(change: dict[str, Any], words: str) -> None:
    with pytest.raises(FilterError, match=words):
        Recipe(**change)


def test_a_file_names_every_choice() -> None:
    with pytest.raises(FilterError, match="a recipe has the choices"):
        Recipe.from_dict({"basis": "uniform"})
