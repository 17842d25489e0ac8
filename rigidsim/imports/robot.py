"""The scene of a robot: what both formats make, as plain data of a scene, and its text."""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from rigidsim.errors import Problem, SceneError, StorageError
from rigidsim.imports.elements import Element, LeftOut
from rigidsim.scene import Scene
from rigidsim.scene.schema.joints import JOINTS
from rigidsim.scene.schema.names import WORDS
from rigidsim.scene.text.builder import MAX_DEPTH
from rigidsim.scene.text.document import path_text
from rigidsim.scene.text.plain import as_yaml

WIDTH = 120
PLAIN = re.compile("[A-Za-z_][A-Za-z0-9_/.-]*( [A-Za-z0-9_-]+)*")
NO_NAME = re.compile("[^A-Za-z0-9_]|^(?=[0-9])")
"""What a name in an expression must not have."""
KEYS = ("mass", "density", "center_of_mass", "inertia", "position", "orientation", "motion", "shapes", "material",
        "collide", "children")  # fmt: skip
"""The order in which a body says what it is."""
ORIGIN = (0.0, 0.0, 0.0)
DEEPEST = (MAX_DEPTH - 2 - 8) // 2
"""How many bodies may hang one below the other. Of the levels of a scene's text, two are those of the scene and of
`bodies`, each body takes two (its own and `children`), and what the last one says at most eight.
"""


@dataclass
class Robot:
    """A scene that is being made: its bodies as plain data, each of them and the elements that it and its joint come
    from by its place (`bodies.arm`), and what has been left out.
    """

    title: str = ""
    gravity: tuple[float, float, float] = (0.0, 0.0, -9.81)
    step: float = 0.001
    collides: bool = True
    bodies: dict[str, Any] = field(default_factory=dict)
    loops: list[dict[str, Any]] = field(default_factory=list)
    parameters: dict[str, float] = field(default_factory=dict)
    placed: dict[str, dict[str, Any]] = field(default_factory=dict)
    origins: dict[str, Element] = field(default_factory=dict)
    joints: dict[str, Element] = field(default_factory=dict)
    left_out: LeftOut = field(default_factory=LeftOut)

    def add(
        self, parent: tuple[str, ...], name: str, element: Element, body: dict[str, Any], joint: Element | None = None
    ) -> tuple[str, ...]:
        """Hang a body on another one, the world if `parent` is empty; its path. Its name is changed if it has to be."""
        siblings = self._children(parent)
        if len(parent) == DEEPEST:
            hint = "shorten the chain, or write parts that never move against each other as one body"
            raise element.error("depth", f"{element} is nested more than {DEEPEST} bodies below the world", hint)
        name = free_name(name, siblings)
        siblings[name] = {key: body[key] for key in KEYS if key in body}
        path = (*parent, name)
        place = self._place(path)
        self.placed[place], self.origins[place] = siblings[name], element
        if joint is not None:
            self.joints[f"{place}.motion"] = joint
        return path

    def joint(self, element: Element, kind: str, keys: dict[str, Any]) -> dict[str, Any]:
        """The key `motion` of a body that hangs on a joint, with what joints have here."""
        known = JOINTS[kind].model_fields
        for key in [key for key in keys if key not in known]:
            self.left_out.add(element, f"a {kind} joint has no {key} in this version")
        return {"motion": {kind: {key: value for key, value in keys.items() if key in known}}}

    def couple(
        self, element: Element, first: tuple[str, ...], second: tuple[str, ...], ratio: float, constant: float
    ) -> None:
        """Let the coordinate of the second joint, of one, follow that of the first, and begin where that says."""
        kind, keys = self.motion_of(second)
        start = ratio * self._start(first) + constant
        name = "displacement" if kind == "slide" else "angle"
        keys |= {name: start} if start or name in keys else {}
        coupling = {"type": "coupling", "between": ["/".join(first), "/".join(second)], "ratio": ratio}
        self.origins[f"world.loops[{len(self.loops)}]"] = element
        self.loops.append(coupling | {name: constant})

    def parameter(self, name: str, value: float) -> str:
        """A parameter of the scene, of which the name is changed if it has to be."""
        name = free_name(NO_NAME.sub("_", name), self.parameters)
        self.parameters[name] = value
        return name

    def drive(self, path: tuple[str, ...], motor: dict[str, Any]) -> None:
        """Give a hinge or slide a motor; `coordinate`, `effort` and `max_effort` stand for the keys of its type."""
        kind, keys = self.motion_of(path)
        coordinate, effort = ("displacement", "force") if kind == "slide" else ("angle", "torque")
        words = {"coordinate": coordinate, "effort": effort, "max_effort": f"max_{effort}"}
        keys["motor"] = {words.get(key, key): value for key, value in motor.items()}

    def motion_of(self, path: tuple[str, ...]) -> tuple[str, dict[str, Any]]:
        """The type of the joint of a body, and what it says."""
        return next(iter(self.placed[self._place(path)]["motion"].items()))

    def has_coordinate(self, path: tuple[str, ...]) -> bool:
        """Whether the joint of a body is a hinge or a slide."""
        motion = self.placed[self._place(path)].get("motion")
        return isinstance(motion, dict) and next(iter(motion)) in ("hinge", "slide")

    def _start(self, path: tuple[str, ...]) -> float:
        """The coordinate of a hinge or slide at the start, rad or m."""
        _, keys = self.motion_of(path)
        start = keys.get("angle", keys.get("displacement", 0.0))
        return math.radians(float(start.removesuffix(" deg"))) if isinstance(start, str) else start

    def limits(self, element: Element, kind: str, low: float, high: float, in_degrees: bool) -> dict[str, Any]:
        """The limits of a joint, in the unit of the file, and where it begins if the pose at zero is beyond them."""
        if low == high:
            self.left_out.add(element, "its limits are equal, so it moves without any")
            return {}
        keys = {"limits": [angle_of(end, in_degrees) for end in (low, high)]}
        if low <= 0 <= high:
            return keys
        self.left_out.add(element, "its pose at zero is beyond its limits, so it begins at the nearest one")
        start = angle_of(low if low > 0 else high, in_degrees)
        return keys | {"displacement" if kind == "slide" else "angle": start}

    def _children(self, path: tuple[str, ...]) -> dict[str, Any]:
        found = self.bodies
        for name in path:
            found = found[name].setdefault("children", {})
        return found

    def _place(self, path: tuple[str, ...]) -> str:
        return path_text(["bodies", *(part for name in path for part in (name, "children"))][:-1])

    def data(self) -> dict[str, Any]:
        """The scene as plain data, which lasts about ten seconds."""
        steps = max(1, round(10 / self.step))
        return {
            "format": "rigidsim/1",
            **({"title": self.title} if self.title else {}),
            **without_defaults(parameters=self.parameters),
            "simulation": {
                "duration": float(f"{steps * self.step:.12g}"),
                "step": self.step,
                **({} if self.collides else {"contact": "off"}),
            },
            **without_defaults(world=without_defaults(gravity=self.gravity, loops=self.loops)),
            "bodies": self.bodies,
        }

    def checked(self, name: str) -> str:
        """The text of the scene, which is valid; `name` is the path it will have. Shapes that cannot collide where they
        are do not. What else is wrong with it raises SceneError, at the element of the body or of its joint.
        """
        text = as_text(self.data())
        try:
            Scene.from_text(text, name)
        except SceneError as error:
            if any(problem.code != "collide" for problem in error.problems):
                raise SceneError([self._in_file(problem) for problem in error.problems]) from None
            for problem in error.problems:
                self._let_pass(problem)
            return self.checked(name)
        return text

    def _let_pass(self, problem: Problem) -> None:
        """Let the shape at a problem pass through others, and say so."""
        place, _, number = problem.path.removesuffix("]").rpartition(".shapes[")
        self.placed[place]["shapes"][int(number)]["collide"] = False
        self.left_out.add(self.origins[place], problem.message)

    def _in_file(self, problem: Problem) -> Problem:
        """A problem of the scene as one of the file that it is made from."""
        elements = self.origins | self.joints
        places = [place for place in elements if f"{problem.path}.".startswith(f"{place}.")]
        if not places:
            return problem
        place = max(places, key=len)
        element = elements[place]
        rest = problem.path[len(place) + 1 :]
        message = f"{element}: {rest}: {problem.message}" if rest else f"{element}: {problem.message}"
        return replace(element.problem(problem.code, message, problem.hint))


def free_name(name: str, taken: Mapping[str, Any]) -> str:
    """A name that a body may have, and that none of its siblings has: as it is, or changed as little as possible."""
    name = "".join(c if c.isprintable() and c != "/" else "_" for c in name).strip()
    name = f"{name}_" if name in (*WORDS, "", ".", "..") else name
    found, number = name, 2
    while found in taken:
        found, number = f"{name}_{number}", number + 1
    return found


# --- values as a person writes them


def without_defaults(**keys: Any) -> dict[str, Any]:
    """The keys of a mapping that say something: neither None nor zero, nor empty."""
    return {key: value for key, value in keys.items() if value not in (None, ORIGIN, 0.0, {}, [], ())}


def tensor_of(xx: float, yy: float, zz: float, xy: float, xz: float, yz: float) -> dict[str, Any]:
    """An inertia by its moments, if they are principal ones, else by its rows."""
    if xy == xz == yz == 0:
        return {"principal": [xx, yy, zz]}
    return {"tensor": [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]}


def with_shared(shapes: list[dict[str, Any]]) -> dict[str, Any]:
    """The keys for the shapes of a body; what all of them have in common is written once, for the body."""
    shared: dict[str, Any] = {}
    for key in ("density", "material", "collide"):
        values = [shape.get(key) for shape in shapes]
        if values and values[0] is not None and all(value == values[0] for value in values):
            shared[key] = values[0]
    own = [{key: value for key, value in shape.items() if key not in shared} for shape in shapes]
    return {"shapes": own, **shared} if shapes else {}


def angle_of(value: float, in_degrees: bool) -> Any:
    """An angle in the unit of the file."""
    return f"{_number(value)} deg" if in_degrees and value else value


def relative_path(path: Path, folder: Path) -> str:
    """The path of a mesh as a scene in a folder writes it."""
    try:
        return Path(os.path.relpath(path.resolve(), folder.resolve())).as_posix()
    except (OSError, ValueError) as error:
        raise StorageError(f"{path}: {error}") from None


def _number(value: float) -> str:
    """The shortest text of a number that YAML 1.1 and 1.2 both read as one."""
    if value == round(value) and abs(value) < 1e15:
        return str(int(value))
    text = repr(float(value))
    mantissa, mark, exponent = text.partition("e")
    return f"{mantissa}{'' if '.' in mantissa else '.0'}e{exponent}" if mark else text


def _flow(value: Any) -> str:
    """A value in one line."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_flow(key)}: {_flow(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_flow, value)) + "]"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return _number(value)
    if PLAIN.fullmatch(value) and as_yaml([value]) == f"[{value}]\n":
        return value
    return json.dumps(value, ensure_ascii=False)


def as_text(data: Mapping[str, Any]) -> str:
    """The text of a scene in plain data."""
    return "\n".join(_lines(data)) + "\n"


def _lines(data: Mapping[str, Any], margin: str = "", named: bool = False) -> Iterator[str]:
    """A mapping in blocks: bodies always, other values where they do not fit in a line; shapes and rows have a line
    each.
    """
    for key, value in data.items():
        head, holds_bodies = f"{margin}{_flow(key)}:", key in ("bodies", "children") and not named
        line = f"{head} {_flow(value)}"
        if isinstance(value, Mapping) and value and (named or holds_bodies or len(line) > WIDTH):
            yield head
            yield from _lines(value, f"{margin}  ", holds_bodies)
        elif isinstance(value, list) and (len(line) > WIDTH or (key in ("shapes", "loops") and len(value) > 1)):
            yield head
            yield from (f"{margin}  - {_flow(item)}" for item in value)
        else:
            yield line
