"""How bodies collide: the mode of a simulation, and values of contact between two bodies."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Discriminator, Field, WithJsonSchema, model_validator

from rigidsim.scene.schema.integrators import whole
from rigidsim.scene.schema.material import Friction, Restitution, Switch
from rigidsim.scene.text.document import shown
from rigidsim.scene.values.base import SceneModel, by_form, form, invalid, list_of

MOST_SUBSTEPS = 16
MODES = ("auto", "stepping", "off")


def _require_mode(value: Any) -> Any:
    if value is False:
        return "off"
    if value == "events":
        message = "contact in events mode is not available in this version"
        raise invalid("contact", message, "write contact: stepping, or omit it")
    if not isinstance(value, str) or value not in MODES:
        close = get_close_matches(value, MODES, n=1) if isinstance(value, str) else []
        hint = (
            f"did you mean '{close[0]}'?" if close else f"write {', '.join(MODES)}, or {{mode: stepping, substeps: 4}}"
        )
        raise invalid("contact", f"{shown(value)} is not a mode of contact", hint)
    return value


Mode = Annotated[Literal[MODES], BeforeValidator(_require_mode), WithJsonSchema({"enum": [*MODES, False]})]


class ContactSettings(SceneModel):
    """Whether and how shapes collide."""

    mode: Mode = Field(
        "auto", description="auto: chosen by the number of bodies; stepping: soft contact in sub-steps; off (or false)."
    )
    substeps: whole(1, MOST_SUBSTEPS, "Number of sub-steps of a step; default: from the ratios of masses.") = None


ContactMode = Annotated[
    Annotated[Mode, form("word")] | Annotated[ContactSettings, form("settings")],
    Discriminator(by_form(lambda value: "settings" if isinstance(value, dict | SceneModel) else "word")),
    AfterValidator(lambda value: ContactSettings(mode=value) if isinstance(value, str) else value),
]
"""A mode as a word or with options; its value is the model with its options."""


class PairContact(SceneModel):
    """Values of contact between two bodies and all below them, in place of those that follow from their surfaces."""

    between: list_of(str, 2, "of two paths") = Field(
        description="Paths of the two bodies, each with all below it; world stands for all bodies."
    )
    restitution: Restitution = Field(None, description="Coefficient of restitution, from 0 to 1.")
    friction: Friction = Field(None, description="Coefficient of friction, 0 or more.")
    rolling_friction: Friction = Field(None, description="Coefficient of rolling friction, 0 or more.")
    collide: Switch = Field(None, description="Whether they collide: true, false or sensor.")

    @model_validator(mode="after")
    def _require_value(self) -> PairContact:
        if len(self.model_fields_set) < 2:
            raise invalid("missing-key", "no value is given", "give friction, restitution, rolling_friction or collide")
        return self
