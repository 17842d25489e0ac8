"""The surface of a shape: its material, its motion, and what it collides with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema, create_model

from rigidsim.scene.text.document import shown
from rigidsim.scene.values.base import Parsed, SceneModel, Text, invalid, one_of
from rigidsim.scene.values.quantities import (
    EXPRESSION_SCHEMA,
    NUMBER_ONLY,
    UNCERTAIN_SCHEMAS,
    VELOCITY,
    quantity,
    vector,
)
from rigidsim.scene.values.rotation import Vector

LARGEST = 1e100
"""The largest coefficient; products of two are finite."""


def _within(largest: float) -> Any:
    """The type of a plain number from 0 to `largest`."""

    def check(number: float) -> float:
        if not 0 <= number <= largest:
            wanted = "must not be negative" if number < 0 and largest == LARGEST else f"must be from 0 to {largest:g}"
            raise invalid("out-of-range", f"{wanted}, got {number:g}")
        return number + 0.0  # no negative zero: which of two zeros is the larger is undefined

    schema = WithJsonSchema(
        {"anyOf": [{"type": "number", "minimum": 0, "maximum": largest}, EXPRESSION_SCHEMA, *UNCERTAIN_SCHEMAS]}
    )
    return Annotated[quantity(NUMBER_ONLY), AfterValidator(check), schema]


Restitution, Friction = _within(1.0), _within(LARGEST)


class Material(SceneModel):
    """Properties of a surface; what is not given comes from the body, then from the body it is fixed to."""

    restitution: Parsed[float | None, Restitution] = Field(
        None, description="Coefficient of restitution, from 0 to 1; default 0."
    )
    friction: Parsed[float | None, Friction] = Field(
        None, description="Coefficient of friction, 0 or more; default 0.5."
    )
    rolling_friction: Parsed[float | None, Friction] = Field(
        None,
        description="Coefficient of rolling friction; default 0. The moment is at most this times the smaller "
        "radius of curvature times the normal force.",
    )


MATERIAL = {"restitution": 0.0, "friction": 0.5, "rolling_friction": 0.0}
"""The material of a surface for which the scene gives none."""


def _check_group(name: str) -> str:
    if not name or name != name.strip():
        raise invalid("collide", f"'{shown(name)}' is not a name of a group", "write one without blanks at its ends")
    return name


def _check_groups(names: tuple[str, ...]) -> tuple[str, ...]:
    if not names:
        raise invalid("collide", "the list of groups is empty", "write collide: false for what collides with nothing")
    return names


GroupName = Annotated[Text, AfterValidator(_check_group)]
GroupNames = Annotated[tuple[GroupName, ...], Field(strict=False), AfterValidator(_check_groups)]


class _InGroup(SceneModel):
    group: Parsed[str | None, GroupName] = Field(None, description="Name of the group; default: none.")


_WITH: Any = (GroupNames, Field(None, description="Groups to collide with, which must admit it, too; default: all."))
Groups = create_model(
    "Groups",
    __base__=_InGroup,
    __doc__="The group that shapes belong to, and the groups that they collide with.",
    **{"with": _WITH},
)
SENSOR = "sensor"


def _form(value: Any) -> str:
    return "groups" if isinstance(value, dict | SceneModel) else "word" if isinstance(value, str) else "switch"


def _known(allowed: str, is_known: Callable[[Any], bool]) -> BeforeValidator:
    def check(value: Any) -> Any:
        if not (isinstance(value, bool) or value == SENSOR or is_known(value)):
            raise invalid("collide", f"{shown(value)} does not say whether to collide", f"write {allowed}")
        return value

    return BeforeValidator(check)


_WORDS = {"switch": bool, "word": Literal["sensor"]}
Switch = Annotated[Parsed[bool | str, one_of(_form, **_WORDS)], _known("true, false or sensor", lambda value: False)]
"""Whether two surfaces collide: true, false, or `sensor`, for touching that is recorded and has no effect."""
Collide = Annotated[
    Parsed[Any, one_of(_form, **_WORDS, groups=Groups)],
    _known("true, false, sensor, or {group: crates, with: [floor]}", lambda value: _form(value) == "groups" and value),
]
"""What a surface collides with: all (true), nothing (false), nothing with effect (`sensor`), or groups."""


class Surfaced(SceneModel):
    """What every shape may say about its surface."""

    material: Parsed[Material | None, Material] = Field(
        None, description="Properties of the surface; default: those of the body."
    )
    collide: Collide = Field(
        None, description="Whether it collides: true, false, sensor, or a group; default: as the body."
    )
    surface_velocity: Parsed[Vector | None, vector(VELOCITY)] = Field(
        None, description="Velocity of the surface relative to the body, in its axes: a conveyor belt."
    )
