"""A run in the arrays of one that has ended has the bits of a run in arrays of its own."""

from __future__ import annotations

from contextlib import suppress
from itertools import product
from pathlib import Path

import numpy as np
import pytest

import rigidsim
from rigidsim.blueprints import build_world
from rigidsim.engine.assembly.lanes import share_structure, structure
from rigidsim.engine.contact.run import ContactRun
from rigidsim.engine.model.arrays import leaves
from rigidsim.engine.time.run import BlockRun
from rigidsim.errors import RigidsimError
from rigidsim.scene import Scene
from rigidsim.sensitivities.parameters import parameters_of
from rigidsim.simulation.spare import spare_runs
from rigidsim.trajectory.trajectory import Trajectory

SCENES = sorted((Path(__file__).parents[2] / "scenes").glob("*.yaml"))
STEPS = 200
KINDS = """
format: rigidsim/1
parameters: {g: 9.81, k: 3, start: 0.5}
simulation: {duration: 0.04, step: 0.01}
world: {gravity: [0, "= -g", 0]}
bodies:
  %s:
    mass: 1
    center_of_mass: [0, -0.2, 0]
    inertia: {principal: [0.1, 0.1, 0.1]}
    motion: {hinge: {axis: [0, 0, 1], angle: "= start", rate: -3, limits: [0.45, 2], spring: {stiffness: "= k"}}}
  ball:
    mass: 1
    inertia: {principal: [0.1, 0.2, 0.3]}
    angular_velocity: [1, 2, 3]
    forces: [{type: constant, force: ["= 0.1*sin(9*t)", 0, 0]}]
    impulses: [{time: 0.02, impulse: ["= k", 0, 0]}]
metrics: {angle: '= max(angle("%s"))', speed: '= rms(speed("ball"))'}
"""


def kinds(name: str = "rod", **changes) -> Scene:
    return Scene.from_text(KINDS % (name, name), overrides=[*changes.items()])


def fresh(scene: Scene) -> Trajectory:
    """The history in arrays of its own."""
    spare_runs.forget()
    return rigidsim.simulate(scene)


def require_same(a: Trajectory, b: Trajectory) -> None:
    assert a.content_hash == b.content_hash and a.metrics == b.metrics
    assert [str(one) for one in a.events] == [str(one) for one in b.events]


def test_other_numbers_and_names(monkeypatch):
    """Interpreted: the arrays are the same ones as in compiled code."""
    monkeypatch.setenv("RIGIDSIM_JIT", "off")
    other = kinds("arm", g=5.0, k=40.0, start=0.49)
    one, two = fresh(kinds()), fresh(other)
    assert len(one.events) >= 2
    require_same(rigidsim.simulate(kinds()), one)
    require_same(rigidsim.simulate(other), two)
    assert spare_runs.take((False, False), build_world(other)) is not None  # it was in the arrays of another


def test_structures_are_compared_as_their_keys_are():
    names = ("pendulum", "double_pendulum", "four_bar", "car_crash", "newtons_cradle", "door_with_a_stop")
    worlds = [build_world(Scene.from_file(SCENES[0].parent / f"{name}.yaml")) for name in names]
    worlds += [build_world(kinds()), build_world(kinds(g=5.0)), build_world(kinds(k=40.0, **{"simulation.step": 0.02}))]
    for one, other in product(worlds, worlds):
        assert share_structure(one, other) == (structure(one) == structure(other))
    assert share_structure(*worlds[-3:-1]) and not share_structure(*worlds[-2:])


@pytest.mark.parametrize("name", ["four_legs", "hollow_of_a_terrain", "poured_stones", "ragdoll", "rocking_ellipsoid"])
def test_arrays_of_contact_that_begin_again_are_as_they_were_made(name):
    world = build_world(Scene.from_file(SCENES[0].parent / f"{name}.yaml"))
    run, other = (BlockRun([world], 1, contacts=ContactRun()) for _ in range(2))
    of_model, used = {id(array) for array in leaves(run.model)}, 0
    for array in leaves(run.contacts.arrays):
        if id(array) not in of_model:
            array.fill(3)
            used += array.size
    run.contacts.begin_again()
    for array, first in zip(leaves(run.contacts.arrays), leaves(other.contacts.arrays), strict=True):
        assert np.array_equal(array, first)
    assert used > 1000


def numbers_in(scene: Scene) -> list[str]:
    """The names of parameters that are numbers."""
    found = []
    for name in scene.parameters:
        with suppress(RigidsimError):
            found += [one.name for one in parameters_of(scene, [name])]
    return found


@pytest.mark.slow
@pytest.mark.parametrize("path", SCENES, ids=lambda path: path.stem)
def test_of_shipped_scenes(path):
    whole = Scene.from_file(path)
    step, duration = whole.simulation.step, whole.simulation.duration
    cut = [] if duration <= STEPS * step else [f"simulation.duration={STEPS * step!r}"]
    scene, others = Scene.from_file(path, cut), []
    for one in parameters_of(scene, numbers_in(scene)):
        with suppress(RigidsimError):
            others.append(scene.with_overrides([(one.name, one.at(1.001 * one.value + 1e-3))]))
    alone = fresh(scene)
    for other in [*others[:2], scene]:
        require_same(rigidsim.simulate(other), fresh(other)) if other is not scene else None
        rigidsim.simulate(other)
        require_same(rigidsim.simulate(scene), alone)
