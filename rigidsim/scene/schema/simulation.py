"""The settings of a simulation: duration, step, method, sampling, what is recorded."""

from __future__ import annotations

from pydantic import Field

from rigidsim.scene.schema.contact import ContactMode, ContactSettings
from rigidsim.scene.schema.integrators import DEFAULT, MODELS, Integrator
from rigidsim.scene.schema.record import Record
from rigidsim.scene.values.base import SceneModel
from rigidsim.scene.values.quantities import TIME, positive


class SimulationSettings(SceneModel):
    """Duration, step, method and sampling of a simulation."""

    duration: positive(TIME) = Field(description="Simulated time from the start to the end; a whole number of steps.")
    step: positive(TIME) = Field(description="Length of an integration step.")
    integrator: Integrator = Field(
        MODELS[DEFAULT](name=DEFAULT),
        description="The integration method, by name or with options; `rigidsim integrators` lists them.",
    )
    record_every: positive(TIME) = Field(
        None,
        description="Time between samples, a whole number of steps; default: each step, or about 10 000 samples.",
    )
    record: Record = Field(
        None,
        description="Quantities to record, of all bodies or of some; default: motion, energies and momenta. Time and "
        "events are always recorded.",
    )
    contact: ContactMode = Field(
        ContactSettings(), description="Whether and how shapes collide: auto, stepping or off, or a mapping."
    )
