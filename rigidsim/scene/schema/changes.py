"""The schema of numbers that change during a run: at a time, by a trigger, or with the state of a machine."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, ConfigDict, Field, model_validator

from rigidsim.scene.expressions.tokens import NAME
from rigidsim.scene.schema.forces import Instant
from rigidsim.scene.schema.when import TIMED, Condition, Trigger, When, require_instant
from rigidsim.scene.text.document import shown
from rigidsim.scene.values.base import Parsed, SceneModel, Text, invalid, mapping_of, or_mapping
from rigidsim.scene.values.quantities import TIME, positive

KEYS = CHANGES, STATES = "changes", "states"
"""The keys of a scene that change its numbers."""


def _check_name(name: str) -> str:
    if not NAME.fullmatch(name):
        hint = "letters, digits and underscores, not beginning with a digit"
        raise invalid("state-name", f"a state machine, or a state, cannot be called '{shown(name)}'", hint)
    return name


Settings = Parsed[
    dict[str, Any], mapping_of(str, Any, "paths with values", "{bodies.arm.motion.hinge.motor.rate: 0}", "values")
]
"""Numbers of the scene by their paths, and the values that they get."""


class NumberChange(SceneModel):
    """Numbers of the scene that change at an instant."""

    model_config = ConfigDict(json_schema_extra=TIMED)

    time: Parsed[float | None, Instant] = Field(None, description="Time of the change.")
    when: Parsed[When | None, Trigger] = Field(
        None, description="In place of the time: the condition at which the numbers change."
    )
    set: Settings = Field({}, description="The new values, by the paths that --set takes; default: only an event.")
    name: Text = Field("", description="Name of the change, for reports.")

    @model_validator(mode="after")
    def _require_instant(self) -> NumberChange:
        require_instant(self)
        return self


class Passage(SceneModel):
    """What leads from a state to another one: a condition, or a time in the state."""

    condition: Condition = Field(None, description="The machine leaves the state where this holds, also at once.")
    after: Parsed[float | None, positive(TIME)] = Field(None, description="In place of a condition: time in the state.")

    @model_validator(mode="after")
    def _require_one(self) -> Passage:
        if (self.condition is None) == (self.after is None):
            raise invalid("when", "a state is left by a 'condition', or 'after' a time", "give one of them")
        return self


_Name = Annotated[str, AfterValidator(_check_name)]
_EXAMPLE = '{heats: {set: {parameters.power: 100}, to: {rests: "= temperature > 21"}}}'


class MachineState(SceneModel):
    """A state of a machine: the numbers that hold in it, and where it leads."""

    set: Settings = Field({}, description="Values that numbers get when the state begins, by the paths of --set.")
    to: Parsed[
        dict[str, Passage],
        mapping_of(_Name, or_mapping(Condition, Passage, "condition"), "states with conditions",
                   '{rests: "= temperature > 21"}', "states"),
    ] = Field(
        {}, description="The states that may follow, each with its condition; the first that holds is taken."
    )  # fmt: skip


Machine = Parsed[dict[str, MachineState], mapping_of(_Name, MachineState, "names with states", _EXAMPLE, "states")]
Machines = Parsed[
    dict[str, Machine], mapping_of(_Name, Machine, "names with state machines", f"{{heater: {_EXAMPLE}}}", "machines")
]
