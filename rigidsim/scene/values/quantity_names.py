"""Names of quantities over time: `table/let_go.position.x@table`, `nut.angular_velocity`, `kinetic_energy`."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from typing import NamedTuple

from rigidsim.scene.text.document import shown

XYZ, WXYZ, ANGLES, SCALAR = ("x", "y", "z"), ("w", "x", "y", "z"), ("roll", "pitch", "yaw"), ()
NORM = "norm"
"""In place of a component of a vector: its length."""
WORLD, PARENT, BODY = "world", "parent", "body"


class Named(NamedTuple):
    """A quantity of a body: its components, the frames it may be seen from, and whether these may be other bodies."""

    components: tuple[str, ...]
    frames: tuple[str, ...] = (WORLD, PARENT)
    is_seen: bool = True


OF_BODIES = {
    "position": Named(XYZ),
    "orientation": Named(WXYZ),
    "velocity": Named(XYZ, (WORLD, PARENT, BODY)),
    "angular_velocity": Named(XYZ, (WORLD, PARENT, BODY)),
    **dict.fromkeys(("speed", "angular_speed", "distance"), Named(SCALAR)),
    "angles": Named(ANGLES),
    **dict.fromkeys(("axis_x", "axis_y", "axis_z"), Named(XYZ)),
    "kinetic_energy": Named(SCALAR, (WORLD,), False),
    "linear_momentum": Named(XYZ, (WORLD, BODY), False),
    "angular_momentum": Named(XYZ, (WORLD, BODY), False),
}
"""The quantities of a body that can be computed of any run."""
OF_ALL: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("kinetic_energy", "potential_energy", "work", "total_energy"), SCALAR),
    **dict.fromkeys(("linear_momentum", "angular_momentum"), XYZ),
    **dict.fromkeys(("spin_angular_momentum", "orbital_angular_momentum"), XYZ),
}
"""The components of each quantity of all bodies together that can be computed of any run."""
ATTRIBUTES = {"world": WORLD, "local": PARENT}
"""`ball.local.position`, as the Python API has it, is `ball.position@parent`."""
FORM = re.compile(
    rf"(?P<body>.+?)(?:\.(?P<attribute>{'|'.join(ATTRIBUTES)}))?\.(?P<quantity>{'|'.join(OF_BODIES)})"
    r"(?:\.(?P<component>[^.@/]*))?(?:@(?P<frame>.+))?"
)
EXAMPLE = "write ball.position, ball.velocity.x@parent, kinetic_energy"


class BadQuantityName(ValueError):
    """A text that names no quantity: the message, and a hint."""

    def __init__(self, message: str, hint: str):
        super().__init__(message)
        self.message, self.hint = message, hint


@dataclass(frozen=True)
class QuantityName:
    """A quantity of a body, seen from a frame (`world`, `parent`, `body` for the body's own axes, or a path); of all
    bodies together if `body` is empty. `component` is empty for all components.
    """

    quantity: str
    component: str = ""
    body: str = ""
    frame: str = WORLD

    @property
    def components(self) -> tuple[str, ...]:
        """The names of the components; none for a scalar."""
        if self.component:
            return SCALAR
        return OF_BODIES[self.quantity].components if self.body else OF_ALL[self.quantity]


def read_quantity_name(text: str) -> QuantityName:
    """The quantity with this name. Raises BadQuantityName; whether there is such a body is not checked."""
    match, (stem, _, component) = FORM.fullmatch(text), text.partition(".")
    if match is not None:
        return _of_body(text, match)
    if stem not in OF_ALL:
        raise _unknown(text)
    _require_component(stem, component, OF_ALL[stem]) if component else None
    return QuantityName(stem, component)


def bodies_called(ending: str, paths: Collection[str]) -> list[str]:
    """The body with this path, or all bodies whose path ends so."""
    return [ending] if ending in paths else [path for path in paths if path.endswith(f"/{ending}")]


def _of_body(text: str, match: re.Match) -> QuantityName:
    quantity, component, frame = match["quantity"], match["component"], match["frame"]
    kind = OF_BODIES[quantity]
    if component is not None:
        _require_component(quantity, component, kind.components)
    if frame and match["attribute"]:
        raise BadQuantityName(f"'{shown(text)}' has two frames", f"omit '.{match['attribute']}' or '@{shown(frame)}'")
    frame = frame or ATTRIBUTES.get(match["attribute"], WORLD)
    if frame not in kind.frames and (frame in (PARENT, BODY) or not kind.is_seen):
        known = ", ".join((*kind.frames, *(["the path of a body"] if kind.is_seen else [])))
        raise BadQuantityName(f"'{quantity}' has no frame '{shown(frame)}'", f"there are {known}")
    return QuantityName(quantity, component or "", match["body"], frame)


def _require_component(quantity: str, component: str, components: tuple[str, ...]) -> None:
    if component not in components and not (component == NORM and components == XYZ):
        hint = f"there are {', '.join(components)}" if components else "it is a single number"
        raise BadQuantityName(f"'{quantity}' has no component '{shown(component)}'", hint)


def _unknown(text: str) -> BadQuantityName:
    """What is wrong with a text that has not the form of a name."""
    body, dot, asked = text.partition("@")[0].rpartition(".")
    if not dot:
        return BadQuantityName(f"there is no quantity '{shown(text)}'", _similar(text, OF_ALL) or EXAMPLE)
    wrong = asked
    if "." in body and asked in (*WXYZ, *ANGLES, NORM):
        body, _, wrong = body.rpartition(".")
    hint = _similar(wrong, OF_BODIES) or f"there are {', '.join(OF_BODIES)}"
    return BadQuantityName(f"there is no quantity '{shown(wrong)}' of a body", hint)


def _similar(name: str, known: Iterable[str]) -> str:
    close = get_close_matches(name, list(known), n=1)
    return f"did you mean '{close[0]}'?" if close else ""
