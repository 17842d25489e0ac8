"""Random trees that begin with a body at a given place: where the reference has it with other coordinates."""

from __future__ import annotations

import numpy as np
import pytest

import rigidsim
from maximal_coordinates import Equations, nodes_of
from random_scenes import Drawing, add_frame, add_free, add_jointed

KINDS = ("hinge", "slide", "screw", "universal", "cylindrical", "planar")
CLOSE = 1e-12
"""Of lengths above 1 m: largest 8.2e-15 of 80 trees."""
NEAR = 0.2
"""rad, m: how far coordinates of the scene are from those with which the body is in its place."""


def drawn(seed: int) -> tuple[dict, str]:
    """A tree with two or three joints, perhaps below a frame or a body; the path of its last body."""
    scene = Drawing(seed)
    if scene.rng.random() < 0.5:
        scene.one_of([add_frame, add_free])(scene)
    for _ in range(2 + scene.rng.integers(2)):
        add_jointed(scene, scene.one_of(KINDS))
    return scene.data("rkmk4"), [*scene.paths][-1]


def moved(value, numbers: np.random.Generator):
    """A coordinate, or several, with other values."""
    return (np.asarray(value) + numbers.uniform(-NEAR, NEAR, np.shape(value))).tolist()


def away(bodies: dict, numbers: np.random.Generator) -> None:
    """Change all coordinates of joints."""
    for body in bodies.values():
        motion = body.get("motion")
        if isinstance(motion, dict) and "prescribed" not in motion:
            ((_, keys),) = motion.items()
            keys |= {
                key: moved(keys[key], numbers)
                for key in ("angle", "displacement", "angles", "displacements")
                if key in keys
            }
        away(body.get("children", {}), numbers)


@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 80))])
def test_a_body_begins_where_other_coordinates_have_it(seed):
    data, path = drawn(seed)
    tree = Equations(data, nodes_of(data["bodies"]))
    place = tree.motions(0.0, tree.start())[path].p
    away(data["bodies"], np.random.default_rng(seed))
    data["simulation"]["start"] = {"solve": {f"{path}.position": place.tolist()}}
    begun = rigidsim.Simulation(rigidsim.Scene.from_dict(data)).state[path].world.position
    assert np.abs(begun - place).max() <= CLOSE * max(1.0, np.abs(place).max())
