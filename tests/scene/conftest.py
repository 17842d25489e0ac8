"""A small valid scene to vary, and a way to read off the problems of an invalid one."""

from __future__ import annotations

import copy

import jsonschema
import pytest

from rigidsim.errors import SceneError
from rigidsim.scene import Scene, json_schema
from rigidsim.scene import read as read_module

VALIDATOR = jsonschema.Draft202012Validator(json_schema())
# What is wrong with the form of a scene; the JSON Schema finds it, too.
OF_FORM = {
    "empty", "integrator", "key", "length", "negative", "not-a-boolean", "not-a-list", "not-a-mapping", "not-a-number",
    "not-positive", "parameter-name", "type", "unknown-key", "unknown-value",
}  # fmt: skip
MOST_SCENES, MOST_BODIES = 10, 20  # of a test, and of a scene
BRICK = {"mass": 2.0, "inertia": {"principal": [1, 2, 2.5]}}
MINIMAL = {
    "format": "rigidsim/1",
    "simulation": {"duration": 1, "step": 0.1},
    "bodies": {"brick": BRICK},
}


def is_of_form(problem) -> bool:
    """Whether the JSON Schema refuses it."""
    return problem.code in OF_FORM or "is missing" in problem.message


@pytest.fixture(autouse=True)
def every_scene_reads_back(monkeypatch):
    """What is read in a test is resolved, and read back as an equal scene; the JSON Schema accepts both forms."""
    done, checked = [], read_module._checked

    def noted(cls, written, overrides, name=""):
        scene = checked(cls, written, overrides, name)
        done.append((scene, None if written.text or overrides else written.data))
        return scene

    monkeypatch.setattr(read_module, "_checked", noted)
    yield
    monkeypatch.undo()
    for scene, written in done[:MOST_SCENES]:
        if len(scene.hierarchy.nodes) <= MOST_BODIES:
            resolved = scene.resolved()
            again = Scene.from_dict(resolved)
            assert again == scene
            assert again.resolved() == resolved
            for form in (resolved, written or resolved):
                assert [error.message for error in VALIDATOR.iter_errors(form)] == []


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
