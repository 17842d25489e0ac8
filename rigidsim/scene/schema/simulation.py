"""The settings of a simulation: duration, step, method, sampling, what is recorded, the mode of contact."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, WithJsonSchema, model_validator
from pydantic.config import JsonDict

from rigidsim.scene.schema.integrators import DEFAULT, MODELS, Integrator
from rigidsim.scene.schema.record import Record, RecordedPart
from rigidsim.scene.schema.start import StartSettings
from rigidsim.scene.schema.when import Stop
from rigidsim.scene.values.base import UNWRITTEN, Parsed, SceneModel, invalid, or_mapping, require_word
from rigidsim.scene.values.quantities import EXPRESSION_SCHEMA, NUMBER_ONLY, TIME, positive, quantity, whole

MOST_SUBSTEPS = 16
MOST_SEED = 2**53
SEED_SCHEMA = {"anyOf": [{"type": "integer", "minimum": 0, "maximum": MOST_SEED}, EXPRESSION_SCHEMA]}
DEFAULT_SAMPLES = 1000
"""Of a run without a step and without times between samples."""
MODES = ("auto", "stepping", "events", "off")


def _require_mode(value: Any) -> Any:
    if value is False:
        return "off"
    otherwise = f"write {', '.join(MODES)}, or {{mode: stepping, substeps: 4}}"
    require_word(value, MODES, "a mode of contact", "contact", otherwise)
    return value


Mode = Annotated[Parsed[str, Literal[MODES]], BeforeValidator(_require_mode), WithJsonSchema({"enum": [*MODES, False]})]


class ContactSettings(SceneModel):
    """Whether and how shapes collide."""

    mode: Mode = Field(
        "stepping",
        description="stepping: soft contact in sub-steps; events: few contacts as constraints, with located changes; "
        "auto: events where few round shapes and planes can meet, else stepping; off (or false).",
    )
    substeps: Parsed[int | None, whole(1, MOST_SUBSTEPS)] = Field(
        None, description="Number of sub-steps of a step; default: from the ratios of masses."
    )
    sleep: bool = Field(
        False, description="Whether bodies that rest on each other fall asleep, and cost nothing until they wake."
    )

    @model_validator(mode="after")
    def _sleeps_stepping(self) -> Self:
        if self.sleep and self.mode in ("events", "off"):
            raise invalid("contact", f"bodies sleep with 'mode: stepping' alone, got 'mode: {self.mode}'")
        return self


ContactMode = Parsed[ContactSettings, or_mapping(Mode, ContactSettings, "mode")]
"""A mode as a word or with options; its value is the model with its options."""


CHOOSERS = [name for name, model in MODELS.items() if model.chooses]
CHOOSING: JsonDict = {"description": "An integrator that chooses its steps.", "enum": [*CHOOSERS]}
CHOOSES: JsonDict = {"if": {"type": "object"}, "then": {"properties": {"name": CHOOSING}}, "else": CHOOSING}
NO_STEP: JsonDict = {"required": ["integrator"], "properties": {"integrator": CHOOSES}}
"""The settings without a step, for the JSON Schema."""


def _require_seed(seed: float) -> float:
    if not 0 <= seed <= MOST_SEED or seed % 1 != 0:
        raise invalid("seed", f"a seed is a whole number from 0 to {MOST_SEED}, got {seed:g}")
    return seed


class SimulationSettings(SceneModel):
    """Duration, step, method and sampling of a simulation."""

    model_config = ConfigDict(json_schema_extra={"if": NO_STEP, "else": {"required": ["step"]}})

    duration: Parsed[float, positive(TIME)] = Field(
        description="Simulated time from the start to the end; a whole number of steps."
    )
    step: Parsed[float, positive(TIME)] = Field(
        UNWRITTEN,
        description="Length of an integration step. Of an integrator that chooses its steps: the grid of the samples, "
        "by default record_every or a thousandth of the duration; with contact, the step of contact.",
    )
    integrator: Integrator = Field(
        MODELS[DEFAULT](name=DEFAULT),
        description="The integration method, by name or with options; `rigidsim integrators` lists them.",
    )
    record_every: Parsed[float | None, positive(TIME)] = Field(
        None,
        description="Time between samples, a whole number of steps; default: each step, or about 10 000 samples.",
    )
    start: Parsed[StartSettings | None, StartSettings] = Field(
        None, description="What is found before the run begins: coordinates of joints."
    )
    stop: Parsed[Stop | None, Stop] = Field(None, description="What ends the run before: a condition.")
    seed: Annotated[Parsed[int, quantity(NUMBER_ONLY)], AfterValidator(_require_seed), WithJsonSchema(SEED_SCHEMA)] = (
        Field(0, description="Seed of the errors of sensors, a whole number; the same seed gives the same bits.")
    )
    record: Parsed[tuple[str | RecordedPart, ...] | None, Record] = Field(
        None,
        description="Quantities to record, of all bodies or of some; default: motion, energies and momenta. Time and "
        "events are always recorded.",
    )
    contact: ContactMode = Field(
        ContactSettings(), description="Whether and how shapes collide: auto, stepping, events or off, or a mapping."
    )

    @model_validator(mode="after")
    def _with_step(self) -> SimulationSettings:
        if self.step is UNWRITTEN:
            if not self.integrator.chooses:
                hint = f"or integrator: {' or '.join(CHOOSERS)}"
                raise invalid("missing-key", "the key 'step' is missing", hint, key="step")
            step = self.duration / DEFAULT_SAMPLES if self.record_every is None else self.record_every
            object.__setattr__(self, "step", step)
        return self

    @property
    def pace(self) -> str:
        """The steps, in words."""
        name = self.integrator.name
        return f"in steps that {name} chooses" if self.integrator.chooses else f"in steps of {self.step:g} s"

    @property
    def has_step(self) -> bool:
        """Whether the step is written in the scene."""
        return "step" in self.model_fields_set
