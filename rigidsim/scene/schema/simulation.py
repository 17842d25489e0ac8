"""How long and how finely a scene is simulated."""

from __future__ import annotations

from rigidsim.scene.schema.integrators import Integrator, Rkmk4
from rigidsim.scene.values.base import Model
from rigidsim.scene.values.quantities import TIME, positive


class Simulation(Model):
    """How long and how finely to simulate, and what to keep."""

    duration: positive(TIME)
    step: positive(TIME)
    integrator: Integrator = Rkmk4(name="rkmk4")
    record_every: positive(TIME) = None
