"""The mass of a body of a scene together with the parts fixed to it."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from rigidsim.physics.mass import unpacked
from rigidsim.scene.hierarchy.nodes import Hierarchy
from rigidsim.scene.schema.body import Body
from rigidsim.scene.schema.scene import SceneData
from rigidsim.scene.schema.world import Surroundings


def carried_mass(body: Body, metres_per_unit: float = 1.0) -> SimpleNamespace:
    """Mass, centre of mass and inertia (3, 3) of a free body with its parts, in its own coordinates."""
    bodies = {"b": body.model_copy(update={"scale": metres_per_unit})}
    tree = Hierarchy.of_scene(SceneData.model_construct(bodies=bodies, world=Surroundings())).weighed()
    mass = tree.composite(tree["b"]).mass
    inertia = np.array(unpacked(mass.inertia))
    return SimpleNamespace(mass=mass.mass, center_of_mass=mass.center, inertia=inertia, is_point=mass.is_point)
