"""The JSON Schema accepts every scene that is shipped or shown in a document, as written and resolved."""

from __future__ import annotations

import re
from pathlib import Path

import jsonschema
import pytest

from rigidsim.cli.examples import shipped_scenes
from rigidsim.scene import Scene, json_schema
from rigidsim.scene.text.reader import read_text

ROOT = Path(__file__).parents[2]
FENCE = re.compile(r"```yaml\n(format:.*?)```", re.DOTALL)
SCENES = {f"{name}.yaml": path.read_text() for name, path in shipped_scenes().items()}
for document in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))):
    SCENES |= {f"{document.relative_to(ROOT)}-{k}": text for k, text in enumerate(FENCE.findall(document.read_text()))}
VALIDATOR = jsonschema.Draft202012Validator(json_schema())


def errors_of(scene: dict) -> list[str]:
    return [f"{error.json_path}: {error.message}" for error in VALIDATOR.iter_errors(scene)]


def test_there_are_scenes_to_check():
    assert len(SCENES) > len(shipped_scenes()) + 5 > 20


@pytest.mark.parametrize("name", SCENES)
def test_json_schema_accepts_it_as_written_and_resolved(name, monkeypatch):
    monkeypatch.chdir(ROOT / "scenes")  # where the paths of other files begin
    written = read_text(SCENES[name], name).data
    assert errors_of(written) == []
    Scene.from_text(SCENES[name])
    # It is looked at throughout: a key that is wrong is found at every body.
    bodies = dict(bodies_of(written["bodies"], "$.bodies"))
    for body in bodies.values():
        body["mas"] = 1
    assert {error.json_path for error in VALIDATOR.iter_errors(written) if "'mas'" in error.message} == bodies.keys()


def bodies_of(bodies: dict, path: str):
    for name, body in bodies.items():
        yield f"{path}.{name}", body
        yield from bodies_of(body.get("children", {}), f"{path}.{name}.children")
