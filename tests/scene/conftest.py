"""A small valid scene to vary, and a way to read off the problems of an invalid one."""

from __future__ import annotations

import copy

import jsonschema
import pytest

from rigidsim.errors import SceneError
from rigidsim.scene import Scene, json_schema

VALIDATOR = jsonschema.Draft202012Validator(json_schema())
# What is wrong with the form of a scene; the JSON Schema finds it, too.
OF_FORM = {
    "empty", "integrator", "key", "length", "negative", "not-a-boolean", "not-a-list", "not-a-mapping", "not-a-number",
    "not-positive", "parameter-name", "type", "unknown-key", "unknown-value",
}  # fmt: skip
BRICK = {"mass": 2.0, "inertia": {"principal": [1, 2, 2.5]}}
MINIMAL = {
    "format": "rigidsim/1",
    "simulation": {"duration": 1, "step": 0.1},
    "bodies": {"brick": BRICK},
}


def is_of_form(problem) -> bool:
    """Whether the JSON Schema refuses it."""
    return problem.code in OF_FORM or "is missing" in problem.message


@pytest.fixture
def minimal():
    """The smallest scene that moves, as a dict that may be changed."""
    return copy.deepcopy(MINIMAL)


@pytest.fixture
def with_body(minimal):
    """The scene with one body of the given keys beside nothing else."""

    def build(**body):
        return minimal | {"bodies": {"b": body}}

    return build


@pytest.fixture
def problems():
    """All problems of a scene given as a dict or as text."""

    def read(scene, **options):
        with pytest.raises(SceneError) as caught:
            Scene.from_text(scene, **options) if isinstance(scene, str) else Scene.from_dict(scene, **options)
        found = caught.value.problems
        if isinstance(scene, dict) and not options and any(is_of_form(problem) for problem in found):
            assert not VALIDATOR.is_valid(scene)
        return found

    return read


@pytest.fixture
def problem(problems):
    """The only problem of a scene."""

    def read(scene, **options):
        (only,) = problems(scene, **options)
        return only

    return read
