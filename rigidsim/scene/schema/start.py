"""The schema of `simulation.start`: what is found before the run begins."""

from __future__ import annotations

import re
from typing import Annotated, Any, NamedTuple

from pydantic import AfterValidator, Field, model_validator

from rigidsim.scene.text.document import shown
from rigidsim.scene.values.base import Parsed, SceneModel, invalid, mapping_of, one_of
from rigidsim.scene.values.quantities import LENGTH, quantity, vector
from rigidsim.scene.values.rotation import Vector

PLACES = "simulation", "start", "solve"
PLACE = re.compile(r"(?P<body>.+)\.position(?:\.(?P<axis>[xyz]))?")
EXAMPLE = "{arm/hand.position: [1, 0, 0.5]}"


class StartPlace(NamedTuple):
    """Where the origin of a body begins: a number for each axis of the world, or one along one axis, m."""

    name: str
    body: str
    axes: tuple[int, ...]
    values: tuple[float, ...]


def _split(name: str) -> tuple[str, str]:
    """The body and the axis, which may be empty, that a name has; two empty texts for one that is no place."""
    found = PLACE.fullmatch(name)
    return (found["body"], found["axis"] or "") if found else ("", "")


def _check_place(name: str) -> str:
    if not _split(name)[0]:
        hint = "name the position of a body in the world, or one component: arm/hand.position, arm/hand.position.x"
        raise invalid("start", f"'{shown(name)}' is no place that joints can bring a body to", hint)
    return name


_VALUE = Parsed[
    Any,
    one_of(
        lambda value: "list" if isinstance(value, list | tuple) else "one", one=quantity(LENGTH), list=vector(LENGTH)
    ),
]
_Place = Annotated[str, AfterValidator(_check_place)]


class StartSettings(SceneModel):
    """What is found before the run begins: the coordinates of joints with which bodies are in given places."""

    solve: Parsed[dict[str, float | Vector], mapping_of(_Place, _VALUE, "places of bodies", EXAMPLE, "places")] = Field(
        description="Places of bodies in the world at t = 0, to which the coordinates of joints are set."
    )

    @model_validator(mode="after")
    def _require_components(self) -> StartSettings:
        if not self.solve:
            raise invalid("start", "there is no place in it", f"write {EXAMPLE}", key=("solve",))
        for name, value in self.solve.items():
            is_one = not isinstance(value, tuple)
            if is_one != bool(_split(name)[1]):
                given, wanted = ("one number", "three numbers") if is_one else ("three numbers", "one number")
                hint = "name one component, such as arm/hand.position.x" if is_one else "name the position as a whole"
                message = f"'{shown(name)}' has {given}; expected {wanted}"
                raise invalid("start", message, hint, key=("solve", name))
        return self

    @property
    def targets(self) -> list[StartPlace]:
        """The places, in the order of the file."""
        found = []
        for name, value in self.solve.items():
            body, axis = _split(name)
            axes, values = ((0, 1, 2), value) if isinstance(value, tuple) else (("xyz".index(axis),), (value,))
            found.append(StartPlace(name, body, axes, values))
        return found

    def written(self) -> dict[str, Any]:
        """It as a scene has it, in SI units."""
        return {"solve": {name: [*x] if isinstance(x, tuple) else x for name, x in self.solve.items()}}
