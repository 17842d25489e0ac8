"""Replaces `include` of bodies by the bodies of the scenes that it names, in the plain data, before validation.

An included scene is read as a scene of its own. The body that includes it stands for its world: what is at rest there
is at rest in this body, and what is named `world` there is this body. The path of this body is put in front of the
paths of its bodies, and of the names of its tables and quantities.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter, ValidationError
from pydantic_core import PydanticCustomError

from rigidsim.errors import SceneError, did_you_mean
from rigidsim.quantities.vocabulary import BODY, PARENT
from rigidsim.scene.expressions.tokens import LONGEST_WRITTEN, ExpressionError, tokens
from rigidsim.scene.hierarchy.nodes import SceneNode, in_parent_axes
from rigidsim.scene.hierarchy.references import references
from rigidsim.scene.hierarchy.start import Starts, relative_rate, relative_velocity
from rigidsim.scene.prepare.overrides import Override, address, put
from rigidsim.scene.prepare.parameters import si_value
from rigidsim.scene.schema.changes import CHANGES, STATES
from rigidsim.scene.schema.controllers import KEY as CONTROLLERS
from rigidsim.scene.schema.include import KEY, Include
from rigidsim.scene.schema.joints import JointAxis
from rigidsim.scene.schema.let import KEY as QUANTITIES
from rigidsim.scene.schema.parameters import KEY as PARAMETERS
from rigidsim.scene.schema.problems import as_problems, problems_in
from rigidsim.scene.schema.tables import KEY as TABLES
from rigidsim.scene.text.document import Document, body_path, shown
from rigidsim.scene.text.document import Path as Place
from rigidsim.scene.text.plain import bodies_in
from rigidsim.scene.text.reader import MAX_BYTES, read_file
from rigidsim.scene.values.base import Reading, invalid
from rigidsim.scene.values.evaluation import is_expression
from rigidsim.scene.values.files import status_of
from rigidsim.tree.nodes import WORLD

if TYPE_CHECKING:
    from rigidsim.scene.changing import Changing
    from rigidsim.scene.schema.scene import SceneData

MOST_DEEP, MOST_INCLUDED = 20, 1000
"""Files that include each other, and inclusions in all."""
_INCLUDE = TypeAdapter(Include)

Reader = Callable[[Document, Iterable[Override], Reading], "SceneData"]
"""The scene in a document, with overrides, that is included while another one is read."""


def has_included(document: Document) -> bool:
    """Whether a document includes other scenes."""
    bodies = bodies_in(document.data.get("bodies")) if isinstance(document.data, dict) else ()
    return any(isinstance(body, dict) and KEY in body for _, body in bodies)


def include(document: Document, reading: Reading, read: Reader, change: Callable[[Document], SceneData]) -> None:
    """Put the bodies of included scenes into the document, with the numbers that these have set up to now; `change`
    reads a document with such numbers. Raises SceneError if there are problems with them.
    """
    n_problems = len(document.problems)
    bodies = bodies_in(document.data.get("bodies"))
    for place, body in [found for found in bodies if isinstance(found[1], dict) and KEY in found[1]]:
        try:
            scene = _named(document, reading, read, (*place, KEY), body[KEY])
            if scene is not None:
                numbers = document.later.get(place)
                changing = _changing(scene)
                now = change(changing.changed(numbers)) if numbers and changing else scene
                _put_in(document, place, Moved(scene, now, place, partial(_length, document)))
        except SceneError as error:
            document.problems.extend(error.problems)
    if len(document.problems) > n_problems:
        raise SceneError(document.problems)  # names of what is missing would be unknown


def _named(document: Document, reading: Reading, read: Reader, place: Place, written: Any) -> SceneData | None:
    """The scene that an `include` names; None, with problems in the document, if there is none."""
    try:
        given = _INCLUDE.validate_python(written, context=reading)
        path = _file(reading, given.file)
    except ValidationError as error:
        document.problems.extend(problems_in(error, document, reading, place))
        return None
    except PydanticCustomError as error:
        document.problems.extend(as_problems(document, (*place, "file"), written, error))
        return None
    inner, values, n_problems = read_file(path), {}, len(document.problems)
    known = inner.data.get(PARAMETERS) if isinstance(inner.data, dict) else None
    for name, value in getattr(given, "with").items():
        try:
            if isinstance(known, dict | None) and name not in (known or ()):
                there = f"there are {', '.join(map(shown, known))}" if known else "it has none"
                raise invalid(
                    "include", f"{path.name} has no parameter '{shown(name)}'", did_you_mean(name, known or (), there)
                )
            values[name] = _value(value, reading)
        except PydanticCustomError as error:
            document.problems.extend(as_problems(document, (*place, "with", name), value, error))
    if len(document.problems) > n_problems:
        return None
    return read(inner, [(f"{PARAMETERS}.{name}", value) for name, value in values.items()], reading)


def _file(reading: Reading, written: str) -> Path:
    """The file that is included; raises the error for one that is not there, or that includes itself."""
    path = reading.folder / written
    # An error shows the line where it is, which should not be one of a file that is no scene.
    status_of(path, "include", MAX_BYTES, "write fewer bodies", kind="scene", formats=(".yaml", ".yml"))
    reading.included[0] += 1
    files = [file.resolve() for file in (*reading.files, path)]
    if files[-1] in files[:-1]:
        names = [file.name for file in files[files.index(files[-1]) :]]
        raise invalid("include", f"a scene cannot include itself: {shown(' -> '.join(names))}", "omit it")
    if len(reading.files) > MOST_DEEP:
        raise invalid("include", f"more than {MOST_DEEP} files include each other")
    if reading.included[0] > MOST_INCLUDED:
        raise invalid("include", f"more than {MOST_INCLUDED} scenes are included")
    return path


def _value(value: Any, reading: Reading) -> Any:
    """The value of a parameter of the included scene, as `--set` takes it: that of an expression of this scene."""
    if not is_expression(value):
        return value
    number, unit = si_value(value, reading)
    return f"{number!r} {unit}" if unit else number


def _put_in(document: Document, place: Place, moved: Moved) -> None:
    """Put a scene into the body at a place, and into the scene around it what belongs to no body."""
    body: Any = document.value_at(place)
    own = body.get("children", {})
    if not isinstance(own, dict):
        return  # validation will report it
    for name in own:
        if name in moved.bodies:
            message = f"the included scene has a body '{shown(name)}', too"
            problem = document.problem("body-name", message, (*place, "children", name), "choose another name", True)
            document.problems.append(problem)
    kept = {key: value for key, value in body.items() if key != KEY}
    put(document, place, document.twin(body, kept | {"children": document.twin(own, moved.bodies | own)}))
    document.included |= moved.settings
    for keys, entries in moved.surroundings.items():
        _extend(document, keys, entries, place)


def _changing(scene: SceneData) -> Changing | None:
    """What a scene that was read sets during its run, if it sets anything."""
    return getattr(scene, "changing", None)


def _length(document: Document, keys: Place) -> int:
    """How many entries a list of the scene has; 0 if there is none."""
    data: Any = document.data
    for key in keys:
        data = data.get(key) if isinstance(data, dict) else None
    return len(data) if isinstance(data, list) else 0


def _extend(document: Document, keys: Place, entries: dict | list, place: Place) -> None:
    """Add entries to a list or a mapping of the scene, which may not have it yet."""
    data: Any = document.data
    for key in keys:
        if not isinstance(data, dict):
            return  # validation will report it
        data = data.get(key)
    data = type(entries)() if data is None else data
    if not entries or not isinstance(data, type(entries)):
        return
    for name in entries if isinstance(entries, dict) else ():
        if name in data:
            message = f"the scene has '{shown(name)}' already, which is the name of what is included here"
            document.problems.append(document.problem("include", message, (*place,), "choose another name", True))
    given: Any = data
    put(document, keys, document.twin(data, {**given, **entries} if isinstance(entries, dict) else [*given, *entries]))


class Moved:
    """The parts of a scene of which the world has become the body with a path."""

    def __init__(self, begun: SceneData, scene: SceneData, place: Place, length: Callable[[Place], int]):
        """`begun` is the scene at the start, `scene` that with the numbers of now; `place` is that of the body, and
        `length` says how many entries a list of the scene around it has.
        """
        base = body_path(place)
        self._base, self._prefix, self._place, self._length = base, re.sub(r"\W", "_", base), place, length
        data = scene.resolved()
        outputs = (output for name, one in scene.controllers.items() for output in one.outputs_of(name))
        self._own = {*data.get(TABLES, ()), *data.get(QUANTITIES, ()), *outputs}
        paths = sorted((path for path, _, _ in scene.walk()), key=len, reverse=True)
        self._path = re.compile(rf"(?<=[@(\"'])(?:{'|'.join(map(re.escape, (*paths, WORLD)))})(?=[@().\"'])")
        starts = Starts(scene.hierarchy)
        for place, body in bodies_in(data["bodies"]):
            _seen_from_parent(scene.hierarchy[body_path(place)], body, starts)
        for loop in data["world"].get("loops", ()):
            for path, axis in zip(loop["between"], (loop.get("axis"), loop.get("to_axis")), strict=True):
                for one in _axes(axis):
                    if path == WORLD:
                        one["frame"] = BODY
                    else:
                        _into_parent_axes(one, scene.hierarchy[path], starts)
        for where, name, words in references(scene.hierarchy):
            if name == WORLD or name not in words:
                _replace(data, where, name, self._moved(name))
        data = self._renamed(data)
        self.settings = self._settings(_changing(begun), data)
        self.bodies: dict[str, Any] = data["bodies"]
        self.surroundings: dict[Place, Any] = {
            (TABLES,): {f"{self._prefix}_{name}": table for name, table in data.get(TABLES, {}).items()},
            (QUANTITIES,): {f"{self._prefix}_{name}": text for name, text in data.get(QUANTITIES, {}).items()},
            (CONTROLLERS,): {
                f"{self._prefix}_{name}": self._driving(one) for name, one in data.get(CONTROLLERS, {}).items()
            },
            ("world", "loops"): data["world"].get("loops", []),
            ("world", "contacts"): data["world"].get("contacts", []),
            ("reparent",): data.get("reparent", []),
            (CHANGES,): data.get(CHANGES, []),
            (STATES,): {f"{self._prefix}_{name}": machine for name, machine in data.get(STATES, {}).items()},
        }

    def _settings(self, changing: Changing | None, data: dict[str, Any]) -> dict[Place, tuple[Place, int]]:
        """What the scene sets during the run, by the places that this has in the scene around it: the body, and the
        number of the setting. Puts what it sets there into the data.
        """
        found: dict[Place, tuple[Place, int]] = {}
        settings = zip(changing.settings, changing.leaves, strict=True) if changing else ()
        for number, (setting, leaves) in enumerate(settings):
            entry: Any = data
            for part in setting.place[:-1]:
                entry = entry[part]
            if "set" in entry:
                moved = {self._there(path): self._renamed(value) for path, value in leaves.items()}
                entry["set"] = {address(path): value for path, value in moved.items() if path}
                found[self._there(setting.place)] = self._place, number
        return found

    def _there(self, path: Place) -> Place:
        """A path of the scene in the scene around it; empty for what is not included."""
        match path:
            case ("bodies", *rest):
                return (*self._place, "children", *rest)
            case ("world", "loops" | "contacts" as key, int(number), *rest):
                return ("world", key, number + self._length(("world", key)), *rest)
            case ("reparent" | "changes" as key, int(number), *rest):
                return (key, number + self._length((key,)), *rest)
            case ("states" | "tables" | "let" as key, name, *rest):
                return (key, f"{self._prefix}_{name}", *rest)
        return ()

    def _driving(self, controller: dict[str, Any]) -> dict[str, Any]:
        """A controller, with the new names of its outputs if it names them."""
        named = [f"{self._prefix}_{name}" for name in controller.get("outputs", ())]
        return controller | ({"outputs": named} if named else {})

    def _moved(self, path: str) -> str:
        return self._base if path == WORLD else f"{self._base}/{path}"

    def _renamed(self, value: Any) -> Any:
        """The value with the new names in every expression."""
        if isinstance(value, dict):
            return {key: self._renamed(item) for key, item in value.items()}
        if isinstance(value, list):
            return [self._renamed(item) for item in value]
        return "".join(self._pieces(value)) if is_expression(value) else value

    def _pieces(self, text: str) -> Iterator[str]:
        done = 0
        with suppress(ExpressionError):  # at the unit that ends it
            for token in tokens(text[:LONGEST_WRITTEN], text.find("=") + 1):
                yield text[done : token.offset]
                if token.kind == "text":
                    yield self._path.sub(lambda found: self._moved(found[0]), token.text)
                else:
                    yield f"{self._prefix}_{token.text}" if token.text in self._own else token.text
                done = token.offset + len(token.text)
        yield text[done:]


def _replace(data: Any, where: Place, old: str, new: str) -> None:
    """Put a new name where the old one stands alone; within expressions it stays."""
    for part in where[:-1]:
        data = data[part]
    if data[where[-1]] == old:
        data[where[-1]] = new


def _seen_from_parent(node: SceneNode, body: dict, starts: Starts) -> None:
    """Give what is given relative to the world, or in its axes, relative to the parent of a body."""
    for key, relative in (("velocity", relative_velocity), ("angular_velocity", relative_rate)):
        if WORLD in (body.get(key) or {}).values():
            body[key] = {"value": list(relative(node, starts[node.parent]))}
    for axis in _axes(body["motion"]):
        _into_parent_axes(axis, node, starts)


def _into_parent_axes(axis: dict, node: SceneNode, starts: Starts) -> None:
    """Give a direction in the world's axes in those of the parent of a body."""
    given = JointAxis.model_construct(**axis)
    axis.update(value=list(in_parent_axes(given, node.orientation, starts[node.parent].q)), frame=PARENT)


def _axes(value: Any) -> Iterator[dict]:
    """The directions in plain data that have the axes of the world."""
    if isinstance(value, dict) and value.get("frame") == WORLD:
        yield value
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _axes(item)
