"""From text to a checked scene, step by step; and the public class `Scene`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, BinaryIO, ClassVar

import numpy as np
from pydantic import PrivateAttr, ValidationError, ValidationInfo, model_validator

from rigidsim.arguments import file_path, refuse
from rigidsim.arguments import text as require_text
from rigidsim.errors import Problem, SceneError, UsageError
from rigidsim.methods import calling
from rigidsim.scene.changing import Changing, has_changes, setting_findings
from rigidsim.scene.checks.findings import Finding
from rigidsim.scene.checks.scene import findings, mass_and_contact_findings, time_findings
from rigidsim.scene.expressions import Scope
from rigidsim.scene.hierarchy.fitting import found_coordinates, found_rates
from rigidsim.scene.hierarchy.nodes import Hierarchy
from rigidsim.scene.hierarchy.triggers import settings_in
from rigidsim.scene.inclusion import has_included, include
from rigidsim.scene.notes.idle import contact_notes, idle_notes, motor_notes, normalised_notes, shape_notes
from rigidsim.scene.notes.prescribed import prescribed_notes
from rigidsim.scene.notes.steps import load_notes, step_notes
from rigidsim.scene.prepare.expansion import expand
from rigidsim.scene.prepare.held import read_held
from rigidsim.scene.prepare.kin import resolve_relatives
from rigidsim.scene.prepare.overrides import Override, apply_overrides, put
from rigidsim.scene.prepare.parameters import read_parameters, require_known, unused
from rigidsim.scene.prepare.quantities import read_quantities
from rigidsim.scene.prepare.tables import read_tables
from rigidsim.scene.prepare.uncertain import names_of, read_uncertain
from rigidsim.scene.resolved import resolved_scene
from rigidsim.scene.schema.problems import MANY, problems_in
from rigidsim.scene.schema.scene import SceneData
from rigidsim.scene.schema.simulation import SimulationSettings
from rigidsim.scene.text.document import Document, body_path, path_text
from rigidsim.scene.text.plain import as_yaml, bodies_in, plain_data
from rigidsim.scene.text.reader import collector_paused, read_file, read_stream, read_text
from rigidsim.scene.values.base import Reading
from rigidsim.scene.values.samples import Distribution
from rigidsim.tree.joints import IS_ANGLE

READ = "a scene is read by Scene.from_file, Scene.from_text or Scene.from_dict, which check all of it"
EXPECTED = "expected a mapping with the keys format, simulation and bodies"
NOTES = (shape_notes, step_notes, load_notes, prescribed_notes, idle_notes, motor_notes, contact_notes)


class Scene(SceneData):
    """Bodies in a hierarchy of frames and how to simulate them, as written in a YAML file."""

    _written: Document = PrivateAttr(Document({}))
    _name: str = PrivateAttr("")
    _overrides: tuple[Override, ...] = PrivateAttr(())
    _warnings: tuple[str, ...] = PrivateAttr(())
    _hierarchy: Hierarchy | None = PrivateAttr(None)
    _uncertain: dict[str, Distribution] = PrivateAttr(default_factory=dict)
    _made: dict[Callable, Any] = PrivateAttr(default_factory=dict)
    _scope: Scope | None = PrivateAttr(None)
    _changing: Changing | None = PrivateAttr(None)

    def __new__(cls, *written: object, **_: object) -> Scene:
        """Scenes are made by the functions that read and check them."""
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
        """Read a scene from a YAML file.

        Parameters
        ----------
        path : str or Path
            The file.
        overrides : iterable
            `"bodies.tank.mass=4e4"` or (path, value) pairs.

        Returns
        -------
        Scene
            It has been checked.

        Raises
        ------
        SceneError
            With all problems, each with its place.
        """
        path = file_path(path, "the scene's file")
        document = read_file(path)
        return _checked(cls, document, overrides, path.name)

    @classmethod
    def from_stream(cls, stream: BinaryIO, name: str = "<stream>", overrides: Iterable[Override] = ()) -> Scene:
        """Read a scene from bytes of YAML.

        Parameters
        ----------
        stream : binary file
            The text, in UTF-8.
        name : str
            It stands for a file name in messages.
        overrides : iterable
            `"bodies.tank.mass=4e4"` or (path, value) pairs.

        Returns
        -------
        Scene
            It has been checked.

        Raises
        ------
        SceneError
            With all problems, each with its place.
        """
        document = read_stream(stream, name)
        return _checked(cls, document, overrides)

    @classmethod
    def from_text(cls, text: str, name: str = "<text>", overrides: Iterable[Override] = ()) -> Scene:
        """Read a scene from YAML text.

        Parameters
        ----------
        text : str
            The text.
        name : str
            It stands for a file name in messages.
        overrides : iterable
            `"bodies.tank.mass=4e4"` or (path, value) pairs.

        Returns
        -------
        Scene
            It has been checked.

        Raises
        ------
        SceneError
            With all problems, each with its place.
        """
        require_text(text, "the scene"), require_text(name, "name")
        return _checked(cls, read_text(text, name), overrides, "" if name.startswith("<") else name)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], overrides: Iterable[Override] = ()) -> Scene:
        """Make a scene from nested mappings and lists of the form that a scene file has.

        Parameters
        ----------
        data : mapping
            The scene.
        overrides : iterable
            `"bodies.tank.mass=4e4"` or (path, value) pairs.

        Returns
        -------
        Scene
            It has been checked.

        Raises
        ------
        SceneError
            With all problems, each with its place.
        """
        return _checked(cls, Document(plain_data(data)), overrides)

    _repr_html_ = calling("html_of")
    view: ClassVar = calling("view")

    @property
    def source(self) -> str:
        """The original YAML text, without overrides."""
        return self._written.text or as_yaml(self._written.data)

    @property
    def file(self) -> str:
        """The file of the scene, or what stands for one in messages."""
        return self._written.file

    @property
    def overrides(self) -> tuple[Override, ...]:
        """The overrides with which the scene was read."""
        return self._overrides

    def document(self) -> Document:
        """The text or data of the scene, with its overrides."""
        document = self._written.copy()
        _override(document, self._overrides, Scene)
        return document

    def with_overrides(self, overrides: Iterable[Override]) -> Scene:
        """The scene read again with further overrides.

        Parameters
        ----------
        overrides : Iterable[Override]
            Values by path, as `--set` takes them: `PATH=VALUE` or (path, value).

        Returns
        -------
        Scene
            Another scene; this one does not change.
        """
        return _checked(Scene, self._written, [*self._overrides, *overrides], self._name)

    @property
    def name(self) -> str:
        """The name of the file that the scene was read from, or nothing."""
        return self._name

    @property
    def hierarchy(self) -> Hierarchy:
        """The tree of the bodies at t = 0, and its history."""
        private: Any = self.__pydantic_private__
        return private["_hierarchy"]  # asked often, and `self._hierarchy` takes a microsecond

    @property
    def underivable(self) -> str:
        """What the scene has whose results have no derivatives, as the subject of a sentence; else empty."""
        for name, one in self.controllers.items():
            if one.type == "python":
                return f"the controller '{name}', a function of Python,"
        for node in self.hierarchy:
            for name, sensor in node.body.sensors.items():
                if sensor.type == "range":
                    return f"the range finder '{node.path}.sensors.{name}'"
        return ""

    @property
    def changing(self) -> Changing | None:
        """What the scene sets during a run, if it sets anything."""
        return self._changing

    @property
    def scope(self) -> Scope:
        """The names that the scene adds to expressions."""
        assert self._scope is not None
        return self._scope

    @property
    def uncertain(self) -> dict[str, Distribution]:
        """The distributions of numbers that were written with one, by their names; the scene has their means."""
        return dict(self._uncertain)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings about the scene, one sentence each: values corrected while reading, and questionable settings."""
        return self._warnings

    def once(self, function: Callable[[Scene], Any]) -> Any:
        """What a function makes of the scene; it is called once, because a scene does not change.

        Parameters
        ----------
        function : Callable[[Scene], Any]
            What is called with the scene.

        Returns
        -------
        Any
            What the function returned the first time.
        """
        private: Any = self.__pydantic_private__  # asked often, as `hierarchy`
        made = private["_made"]
        if function not in made:
            made[function] = function(self)
        return made[function]

    def resolved(self) -> dict[str, Any]:
        """The scene as plain data in SI units with all defaults; `from_dict` makes an equal scene of it."""
        return resolved_scene(self)

    def __reduce__(self) -> tuple:
        """A scene is pickled as what was written, and read again: that of another process may find other files."""
        written = self._written
        return _read_again, (written.text or written.data, written.file, self._overrides, self._name)

    def __eq__(self, other: object) -> bool:
        return self.resolved() == other.resolved() if isinstance(other, Scene) else NotImplemented


def _read_again(written: str | dict, file: str, overrides: Iterable[Override], name: str) -> Scene:
    document = read_text(written, file) if isinstance(written, str) else Document(written)
    return _checked(Scene, document, overrides, name)


def _override(document: Document, overrides: Iterable[Override], kind: type[Scene]) -> list[Override]:
    """Put overrides into a document, and the means of uncertain numbers, of which these may have some."""
    read_uncertain(document)
    given = apply_overrides(document, overrides, kind)
    if given:
        read_uncertain(document)
    return given


@collector_paused()
def _checked(kind: type[Scene], written: Document, overrides: Iterable[Override], name: str = "") -> Scene:
    """The scene in a document, with warnings; all its problems are raised in one SceneError."""
    document = written.copy()
    require_mapping(document)
    given = _override(document, overrides, kind)
    scene, reading = checked(document, kind)
    scene._uncertain = names_of(document)
    idle = [*unused(document, reading, scene.resolved)]
    require_known(document, [str(path[1]) for path, _ in idle])
    _require_none(document, ())
    noted = (*normalised_notes(document.data), *idle, *_unwise(scene.hierarchy))
    scene._written, scene._name, scene._overrides = written, name, tuple(given)
    scene._warnings = tuple(f"{path_text(path)}: {text}" for path, text in noted)
    return scene


def checked(
    document: Document, kind: type[Scene] = Scene, outer: Reading | None = None, is_changed: bool = False
) -> tuple[Scene, Reading]:
    """The scene in a document whose overrides are applied, and the context of its validation; all its problems are
    raised in one SceneError. `outer` is the context of a scene that includes it; what sets numbers during the run of a
    scene that `is_changed` was checked before.
    """
    reading, may_change = _begun(document, outer), has_changes(document) or has_included(document)
    written = document.copy() if may_change else None
    read_parameters(document, reading)
    expand(document, reading)
    resolve_relatives(document)
    include(document, reading, _included, changed_scene)
    read_tables(document, reading)
    reading.scope.joints = {path: type for path, type in _joint_types(document.data).items() if type}
    read_held(document, reading)
    read_quantities(document, reading)
    scene = _validated(document, kind, reading)
    found = findings(scene.hierarchy)
    if not found:
        scene._hierarchy = scene.hierarchy.weighed()
        for find in (found_coordinates, found_rates):
            for place, value in (values := find(scene.hierarchy)).items():
                put(document, place, value)
            if values:
                scene = _validated(document, kind, reading)
                scene._hierarchy = scene.hierarchy.weighed()
        found = findings(scene.hierarchy) if scene.simulation.start else []
        found = found or mass_and_contact_findings(scene.hierarchy)
    _require_none(document, found)
    if written is not None and not is_changed and has_changes(document):
        scene._changing = Changing(written, settings_in(scene), document.included)
        found, leaves = setting_findings(scene._changing, changed_scene, scene.hierarchy, resolved_scene)
        _require_none(document, found)
        scene._changing.leaves = leaves
    return scene, reading


def changed_scene(document: Document) -> Scene:
    """The scene in a document with numbers that are set during the run of another one."""
    return checked(document, is_changed=True)[0]


def _begun(document: Document, outer: Reading | None = None) -> Reading:
    """The context of the validation of a document."""
    path, outer = Path(document.file), outer or Reading()
    return Reading(folder=path.parent, files=(*outer.files, path), included=outer.included)


def _included(document: Document, overrides: Iterable[Override], outer: Reading) -> Scene:
    """The scene in a document that another one includes."""
    require_mapping(document)
    _override(document, overrides, Scene)
    document.overrides = [
        (path, f"{outer.files[-1].name}, with {path_text(path[1:])}") for path, _ in document.overrides
    ]
    return checked(document, Scene, outer)[0]


def _validated(document: Document, kind: type[Scene], reading: Reading) -> Scene:
    """The scene in a document, of which each part is valid on its own, with its tree."""
    try:
        scene = kind.model_validate(document.data, context=reading)
    except ValidationError as error:
        raise _scene_error(document.problems + problems_in(error, document, reading)) from None
    scene._scope = reading.scope
    scene._hierarchy = Hierarchy.of_scene(scene)
    return scene


def _require_none(document: Document, findings: Iterable[Finding]) -> None:
    """Raise SceneError if there are findings, or problems of the document."""
    found = [document.problem(f.code, f.message, f.path, f.hint, f.at_key) for f in findings]
    if document.problems or found:
        raise _scene_error(document.problems + found)


def bodies_and_settings(document: Document) -> tuple[dict[str, str], SimulationSettings]:
    """The bodies of a document by path, each with the type of its joint, if it is on one at some time, and its
    `simulation`; all else is read by `checked` only. Raises SceneError if there are none, or if parameters, repeats or
    settings are invalid.
    """
    reading = _begun(document)
    read_parameters(document, reading)
    expand(document, reading)
    include(document, reading, _included, changed_scene)
    try:
        settings = SimulationSettings.model_validate(document.data.get("simulation"), context=reading)
    except ValidationError as error:
        raise _scene_error(document.problems + problems_in(error, document, reading, ("simulation",))) from None
    _require_none(document, time_findings(settings))
    return _joint_types(document.data), settings


def _joint_types(scene: dict[str, Any]) -> dict[str, str]:
    """The type of the joint of each body in plain data by its path, also of one that a reparenting makes; empty if it
    is on none.
    """
    types = {body_path(place): _joint_type(body) for place, body in bodies_in(scene.get("bodies"))}
    reparentings = scene.get("reparent")
    for change in reparentings if isinstance(reparentings, list) else ():
        body = change.get("body") if isinstance(change, dict) else None
        if isinstance(body, str) and types.get(body) == "":
            types[body] = _joint_type(change)
    return types


def _joint_type(body: Any) -> str:
    """The type of the joint of a body, or of a reparenting, in plain data; empty if it is on none."""
    motion = body.get("motion") if isinstance(body, dict) else None
    names = motion if isinstance(motion, dict) else [motion] if isinstance(motion, str) else ()
    return next((name for name in names if name in IS_ANGLE), "")


@np.errstate(all="ignore")  # an estimate that overflows is infinite
def _unwise(hierarchy: Hierarchy) -> list[tuple[tuple, str]]:
    return [found for notes_of in NOTES for found in notes_of(hierarchy)]


def as_scene(given: Scene | Path | str) -> Scene:
    """A scene unchanged, or read from the file with this path; UsageError for anything else."""
    if isinstance(given, Scene):
        return given
    if isinstance(given, str) and "\n" in given:
        raise UsageError("the path of a scene file is one line; Scene.from_text reads the text of a scene")
    if not isinstance(given, str | Path):
        refuse("a scene", "a Scene, or the path of a scene file (Scene.from_dict makes one of a mapping)", given)
    return Scene.from_file(given)


def require_mapping(document: Document) -> None:
    """Raise SceneError for a document that is not a mapping."""
    if document.data is None:
        raise SceneError([*document.problems, document.problem("empty", f"the scene is empty; {EXPECTED}")])
    if not isinstance(document.data, dict):
        kind = "a list" if isinstance(document.data, list) else "a single value"
        raise SceneError([*document.problems, document.problem("not-a-mapping", f"{EXPECTED}, got {kind}")])


def _scene_error(problems: list[Problem]) -> SceneError:
    # The copies of a repeated body share its errors; each is reported once for one place in the text.
    distinct: dict[tuple, Problem] = {}
    for problem in problems:
        place = (problem.line, problem.column) if problem.line else (problem.file, problem.path)
        distinct.setdefault((place, problem.code, problem.message), problem)
    return SceneError(
        sorted(distinct.values(), key=lambda problem: (problem.code == MANY, problem.line, problem.column))
    )
