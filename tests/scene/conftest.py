"""A small valid scene to vary, and a way to read off the problems of an invalid one."""

from __future__ import annotations

import copy

import pytest

from rigidsim.errors import SceneError
from rigidsim.scene import Scene

BRICK = {"mass": 2.0, "inertia": {"principal": [1, 2, 2.5]}}
MINIMAL = {
    "format": "rigidsim/1",
    "simulation": {"duration": 1, "step": 0.1},
    "bodies": {"brick": BRICK},
}


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
        return caught.value.problems

    return read


@pytest.fixture
def problem(problems):
    """The only problem of a scene."""

    def read(scene, **options):
        (only,) = problems(scene, **options)
        return only

    return read
