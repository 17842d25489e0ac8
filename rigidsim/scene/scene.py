"""The scene: what the user wrote, checked and in SI units."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, BinaryIO, Literal

import numpy as np
from pydantic import Field, PrivateAttr, ValidationError, ValidationInfo, model_validator

from rigidsim.arguments import file_path, refuse
from rigidsim.arguments import text as require_text
from rigidsim.errors import Problem, SceneError, UsageError
from rigidsim.scene.checks.bodies import findings
from rigidsim.scene.checks.shapes import shape_notes
from rigidsim.scene.hierarchy.findings import Node
from rigidsim.scene.notes.idle import idle_notes
from rigidsim.scene.notes.load_steps import load_notes
from rigidsim.scene.notes.prescribed import prescribed_notes
from rigidsim.scene.notes.step_length import step_notes
from rigidsim.scene.notes.wording import notes
from rigidsim.scene.prepare.expansion import expand
from rigidsim.scene.prepare.overrides import Override, apply_overrides
from rigidsim.scene.prepare.parameters import Parameters, read_parameters, unused
from rigidsim.scene.resolved import resolved_scene
from rigidsim.scene.schema.body import NAMED, Body, BodyName, Simulation, World
from rigidsim.scene.schema.events import Reparenting
from rigidsim.scene.schema.problems import MANY, problems_in
from rigidsim.scene.text.document import Document, path_text
from rigidsim.scene.text.plain import as_yaml, plain_data
from rigidsim.scene.text.reader import collector_paused, read_file, read_stream, read_text
from rigidsim.scene.values.base import Model, Reading, Text

READ = "a scene is read by Scene.from_file, Scene.from_text or Scene.from_dict, which check all of it"
EXPECTED = "expected a mapping with the keys format, simulation and bodies"


class Scene(Model):
    """Bodies in a hierarchy of frames and how to simulate them, as written in a YAML file."""

    format: Literal["rigidsim/1"]
    title: Text = ""
    description: Text = ""
    parameters: Parameters = Field(default={})
    simulation: Simulation
    world: World = World()
    bodies: Annotated[dict[BodyName, Body], Field(min_length=1, json_schema_extra=NAMED)]
    reparent: Annotated[tuple[Reparenting, ...], Field(strict=False)] = ()

    _written: str | dict = PrivateAttr("")
    _name: str = PrivateAttr("")
    _warnings: tuple[str, ...] = PrivateAttr(())
    _nodes: tuple[Node, ...] | None = PrivateAttr(None)

    def __new__(cls, *written: object, **_: object) -> Scene:
        """Only what reads a scene makes one."""
        if written:
            raise UsageError(READ)
        return super().__new__(cls)

    @model_validator(mode="before")
    @classmethod
    def _is_read(cls, data: Any, info: ValidationInfo) -> Any:
        if not isinstance(info.context, Reading):
            raise UsageError(READ)
        return data

    @classmethod
    def from_file(cls, path: Path | str, overrides: Iterable[Override] = ()) -> Scene:
        """Read a scene from a YAML file; `overrides` are `"bodies.tank.mass=4e4"` or (path, value) pairs."""
        path = file_path(path, "the scene's file")
        document = read_file(path)
        return cls._validated(document, overrides, document.text, path.name)

    @classmethod
    def from_stream(cls, stream: BinaryIO, name: str = "<stream>", overrides: Iterable[Override] = ()) -> Scene:
        """Read a scene from bytes of YAML; `name` stands for a file name in messages."""
        document = read_stream(stream, name)
        return cls._validated(document, overrides, document.text, "")

    @classmethod
    def from_text(cls, text: str, name: str = "<text>", overrides: Iterable[Override] = ()) -> Scene:
        """Read a scene from YAML text; `name` stands for a file name in messages."""
        require_text(text, "the scene"), require_text(name, "name")
        return cls._validated(read_text(text, name), overrides, text, "" if name.startswith("<") else name)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], overrides: Iterable[Override] = ()) -> Scene:
        """Make a scene from nested mappings and lists of the form that a scene file has."""
        data = plain_data(data)
        return cls._validated(Document(data), overrides, data, "")

    @property
    def source(self) -> str:
        """The YAML text as it was given, without overrides."""
        return self._written if isinstance(self._written, str) else as_yaml(self._written)

    @property
    def name(self) -> str:
        """The name of the file that the scene was read from, or nothing."""
        return self._name

    @property
    def warnings(self) -> tuple[str, ...]:
        """What was put right while reading and what looks unwise, one sentence each."""
        return self._warnings

    def resolved(self) -> dict[str, Any]:
        """The scene as plain data in SI units with all defaults; `from_dict` makes an equal scene of it."""
        return resolved_scene(self)

    def walk(self) -> Iterator[tuple[str, Body, str | None]]:
        """Every body as (path, body, parent's path), parents first and in the order of the file."""
        waiting = [(name, body, None) for name, body in reversed(self.bodies.items())]
        while waiting:
            path, body, parent = waiting.pop()
            yield path, body, parent
            waiting.extend((f"{path}/{name}", child, path) for name, child in reversed(body.children.items()))

    def __repr__(self) -> str:
        kinds = Counter(body.kind for _, body, _ in self.walk())
        bodies = f"{kinds.total()} {'body' if kinds.total() == 1 else 'bodies'}"
        each = ", ".join(f"{kinds[kind]} {kind}" for kind in ("free", "fixed", "prescribed") if kinds[kind])
        times = f"{self.simulation.duration:g} s in steps of {self.simulation.step:g} s"
        return f"<Scene{self.title and f' {self.title!r}'}: {bodies} ({each}), {times}>"

    __str__ = __repr__

    def __eq__(self, other: object) -> bool:
        return self.resolved() == other.resolved() if isinstance(other, Scene) else NotImplemented

    @classmethod
    @collector_paused()
    def _validated(cls, document: Document, overrides: Iterable[Override], written: str | dict, name: str) -> Scene:
        _require_mapping(document)
        apply_overrides(document, overrides, cls)
        reading = Reading(folder=Path(document.file).parent)
        read_parameters(document, reading)
        expand(document, reading)
        try:
            scene = cls.model_validate(document.data, context=reading)
        except ValidationError as error:
            raise _scene_error(document.problems + problems_in(error, document, reading)) from None
        found = [document.problem(f.code, f.message, f.path, f.hint, f.at_key) for f in findings(scene)]
        if document.problems or found:
            raise _scene_error(document.problems + found)
        scene._written, scene._name = written, name
        told = (*notes(document.data), *unused(document, reading, scene.resolved), *_unwise(scene))
        scene._warnings = tuple(f"{path_text(path)}: {text}" for path, text in told)
        return scene


@np.errstate(all="ignore")  # what overflows in an estimate is infinite
def _unwise(scene: Scene) -> list[tuple[tuple, str]]:
    about = (shape_notes, step_notes, load_notes, prescribed_notes, idle_notes)
    return [found for notes_of in about for found in notes_of(scene)]


def as_scene(given: Scene | Path | str) -> Scene:
    """A scene as it is, or read from the file of that path; UsageError for anything else."""
    if isinstance(given, Scene):
        return given
    if isinstance(given, str) and "\n" in given:
        raise UsageError("a scene's file is named by one line; Scene.from_text reads text")
    if not isinstance(given, str | Path):
        refuse("a scene", "a Scene, or the path of a scene file (Scene.from_dict makes one of a mapping)", given)
    return Scene.from_file(given)


def json_schema() -> dict[str, Any]:
    """The JSON Schema (2020-12) of scene files as they are written, for editors and other programs."""
    schema = Scene.model_json_schema(mode="validation")
    head = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "urn:rigidsim:scene:1",
        "title": "rigidsim scene",
    }
    return head | {key: _without_null_defaults(value) for key, value in schema.items() if key != "title"}


def _without_null_defaults(schema: Any) -> Any:
    if isinstance(schema, dict):
        kept = {key: value for key, value in schema.items() if not (key == "default" and value is None)}
        return {key: _without_null_defaults(value) for key, value in kept.items()}
    return [_without_null_defaults(item) for item in schema] if isinstance(schema, list) else schema


def _require_mapping(document: Document) -> None:
    if document.data is None:
        raise SceneError([*document.problems, document.problem("empty", f"the scene is empty; {EXPECTED}")])
    if not isinstance(document.data, dict):
        kind = "a list" if isinstance(document.data, list) else "a single value"
        raise SceneError([*document.problems, document.problem("not-a-mapping", f"{EXPECTED}, got {kind}")])


def _scene_error(problems: list[Problem]) -> SceneError:
    # The copies of a repeated body share its faults; what stands at one place in the text is told once.
    distinct: dict[tuple, Problem] = {}
    for problem in problems:
        place = (problem.line, problem.column) if problem.line else (problem.file, problem.path)
        distinct.setdefault((place, problem.code, problem.message), problem)
    return SceneError(
        sorted(distinct.values(), key=lambda problem: (problem.code == MANY, problem.line, problem.column))
    )
