"""How long and how finely a scene is simulated."""

from __future__ import annotations

from rigidsim.scene.schema.integrators import DEFAULT, MODELS, Integrator
from rigidsim.scene.values.base import Model
from rigidsim.scene.values.quantities import TIME, positive


class Simulation(Model):
    """How long and how finely to simulate, and what to keep."""

    duration: positive(TIME)
    step: positive(TIME)
    integrator: Integrator = MODELS[DEFAULT](name=DEFAULT)
    record_every: positive(TIME) = None
