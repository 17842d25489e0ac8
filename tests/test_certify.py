"""`certify`: one scene in several ways; what is right agrees, and what is wrong does not."""

from __future__ import annotations

import numpy as np
import pytest

from rigidsim.blueprints import build_world
from rigidsim.certify.certifying import AGREES, DIFFERS, OF_CALLBACK, PARTS, SKIPPED, certify
from rigidsim.certify.expressed import Observer, jointed_below, movable, of_other_sign, seen_by, turned, with_stride
from rigidsim.certify.paths import paths_of
from rigidsim.cli.examples import shipped_scenes
from rigidsim.errors import UsageError
from rigidsim.physics.quaternion import exp_full, rotate
from rigidsim.report.certificate import CertificateReport
from rigidsim.scene import Scene

CERTIFIED = (
    "flipping_axis", "ball_on_turntable", "shell_leaves_turret", "three_frames_deep", "car_crash", "payload_release",
    "off_centre_thrust", "nesc_dropped_sphere", "kepler_from_rotating_planet", "satellite_despun_platform",
    "carousel_lets_go",
)  # fmt: skip
NAMES = (
    "turned world", "turned and shifted frame", "frame at constant velocity", "spinning frame", "accelerated frame",
    "another parent", "quaternions of the other sign", "bodies in another order", "another integrator",
)  # fmt: skip
TURN = exp_full((0.4, -0.7, 0.2))
OBSERVER = Observer(
    position=(0.5, -1.0, 2.0), orientation=TURN, velocity=(1.0, 0.5, -0.3), acceleration=(0.2, -0.4, 0.1),
    axis=(0.6, 0.0, 0.8), rate=0.7, rate_dot=0.3,
)  # fmt: skip
EVERYTHING = """\
format: rigidsim/1
simulation: {duration: 1, step: 2.0e-3}
world: {gravity: {center: [0.5, -3, 1], gm: 5, j2: 0.1, radius: 1, axis: [0.6, 0, 0.8]}}
bodies:
  table:
    motion: {prescribed: {angular_velocity: [0, 0.3, "= 1 + 0.5*sin(t)"], velocity: [0.2, 0, 0]}}
    children:
      ball:
        mass: 2
        inertia: {principal: [1, 2, 2.5]}
        center_of_mass: [0.1, 0, 0.05]
        position: [1, 0, 0.5]
        velocity: [0, 0.3, 0]
        angular_velocity: {frame: body, value: [1, 2, 0.5]}
        forces:
          - {force: [0.5, "= -4*x + 0.1*v_y", 0], torque: [0, 0, 0.2]}
          - {force: [0, 0, "= 0.3*speed('table') - 0.1*v_z('self', 'world')"], frame: world, at: [0.1, 0.2, 0]}
          - {type: drag, linear: 0.2, quadratic: 0.1}
          - {type: drag, linear: 0.1, medium: table}
          - {type: spring, to: world, to_at: [1, 1, 1], stiffness: 3, damping: 0.2, length: 0.5}
        impulses: [{time: 0.3, impulse: [0.5, 0, 0.2], at: [0.1, 0, 0.3], frame: parent}]
        children:
          load:
            mass: 0.5
            inertia: {principal: [0.1, 0.1, 0.1]}
            position: [0.5, 0, 0]
            scale: 0.5
            forces: [{force: [0, 0.2, "= -x"], frame: parent}]
            children: {tip: {position: [1, 0, 0], mass: 0.2, inertia: {principal: [0.01, 0.01, 0.01]}, motion: fixed}}
  rider:
    mass: 1
    inertia: {principal: [1, 1, 1.5]}
    position: [-1, 1, 0]
    angular_velocity: [0, 0.5, 1]
    forces: [{type: spring, to: table/ball, stiffness: 2, length: 1}]
  boat: {mass: 3, inertia: {principal: [1, 1, 1]}, position: [4, 0, 0], inherit_impulses: true}
reparent: [{body: rider, to: world, time: 0.6}, {body: table/ball/load, to: rider, time: 0.7}]
"""


def written(text: str, **changes: str) -> Scene:
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    return Scene.from_text(text)


@pytest.mark.parametrize("name", CERTIFIED)
def test_shipped_scenes_are_certified(name):
    found = certify(Scene.from_file(shipped_scenes()[name]))
    assert found.is_certified
    assert tuple(way.name for way in found.ways) == NAMES
    assert {way.verdict for way in found.ways} <= {AGREES, SKIPPED}
    assert found.half.verdict == AGREES


@pytest.fixture(scope="module")
def everything():
    scene = Scene.from_text(EVERYTHING)
    world = with_stride(build_world(scene), 50)
    return scene, world, paths_of(world)[0]


def apart(first, second) -> float:
    second = second.of(first.names)
    return max(float(first.distances(second).max()), float(first.angles(second).max()))


def test_bodies_below_a_moving_frame(everything):
    """Forces in the parent's axes, expressions of its coordinates and impulses keep their meaning. The error is that of
    the method: of fourth order, and at 2 ms, as measured, 3e-10 m."""
    scene, world, paths = everything
    assert {node.path for node in movable(world)} == {"table/ball"}
    seen = seen_by(scene, world, OBSERVER)
    assert seen.tree.by_path["table/ball"].parent == len(world.tree.nodes) + 1
    assert apart(paths, paths_of(seen)[0]) <= 5e-9


def test_bodies_below_another_one(everything):
    scene, world, paths = everything
    below = jointed_below(scene, world, world.tree.by_path["boat"])
    assert below.tree.by_path["table/ball"].parent == below.tree.by_path["boat"].frame
    assert apart(paths, paths_of(below)[0]) <= 5e-9
    assert jointed_below(scene, world, world.tree.by_path["table/ball"]) is None


def test_the_world_turned_as_a_whole(everything):
    """Sources, media, ends of springs, reparentings to the world are turned with it; only rounding is left."""
    _, world, paths = everything
    found = paths_of(turned(world, TURN))[0]
    assert apart(paths, found) > 0.1
    assert apart(paths, found.turned_back(TURN)) <= 1e-12


def test_a_force_whose_axes_change_with_the_parent_differs(monkeypatch):
    """As if `parent` became the new parent."""
    monkeypatch.setattr("rigidsim.certify.expressed._with_old_parents", lambda blueprint, _: blueprint)
    found = certify(Scene.from_text(EVERYTHING))
    assert found.half.verdict == AGREES and found.is_refuted and not found.is_certified
    differing = [way.name for way in found.ways if way.verdict == DIFFERS]
    assert differing == list(NAMES[1:6])
    text = str(CertificateReport("scene.yaml", found))
    assert text.splitlines()[-1] == "not certified: of 9 ways 4 agree and 5 differ"


def test_quaternions_of_the_other_sign(everything):
    _, world, paths = everything
    found = paths_of(of_other_sign(world))[0]
    assert np.array_equal(found.orientation[0], -paths.orientation[0])
    assert apart(paths, found) == 0.0


def test_expressions_do_not_see_the_sign_of_a_quaternion():
    text = """\
format: rigidsim/1
simulation: {duration: 1, step: 0.01}
bodies:
  top: {mass: 1, inertia: {principal: [1, 2, 3]}, angular_velocity: [1, 2, 1], forces: [{force: ["= q_w", 0, 0]}]}
  ball: {mass: 1, inertia: point, position: [1, 0, 0], velocity: [0, 1, 0]}
"""
    verdicts = {way.name: way.verdict for way in certify(Scene.from_text(text)).ways}
    assert verdicts["quaternions of the other sign"] == AGREES


TOP = """\
format: rigidsim/1
simulation: {duration: 20, step: 0.01}
bodies:
  top: {mass: 1, inertia: {principal: [1, 2, 3]}, angular_velocity: [0.1, 3, 0.2], velocity: [1, 0, 0]}
"""


def test_a_step_that_is_too_long_is_not_certified():
    assert certify(Scene.from_text(TOP)).is_certified
    found = certify(written(TOP, **{"0.01": "0.5"}))
    assert not found.is_certified and found.half.parted is not None
    assert "the step is too long" in str(CertificateReport("top.yaml", found))


STIFF = """\
format: rigidsim/1
simulation: {duration: 2, step: 0.01}
bodies:
  a: {mass: 1, inertia: {principal: [1, 2, 3]}, velocity: [0.1, 0, 0]}
  b: {mass: 1, inertia: point, position: [1.001, 0, 0], forces: [{type: spring, to: a, stiffness: 3.0e+4, length: 1}]}
"""


def test_a_spring_that_is_too_stiff_is_not_certified():
    """The step is 2.4 rad of its oscillation: stable, and wrong. A stiffer one is not stable."""
    found = certify(Scene.from_text(STIFF))
    assert not found.is_certified and found.half.verdict == DIFFERS
    assert certify(written(STIFF, **{"3.0e+4": "300"})).is_certified
    found = certify(written(STIFF, **{"3.0e+4": "3.0e+5"}))
    assert not found.is_certified
    assert "the run fails: it is not finite from t = 0." in str(CertificateReport("stiff.yaml", found))


ROCKET = """\
format: rigidsim/1
simulation: {duration: 0.2, step: 0.01}
bodies:
  rocket: {mass: 1, inertia: {principal: [1, 2, 3]}, angular_velocity: [0.3, 0.5, 1]}
"""


def test_a_callback_with_a_force_in_the_wrong_axes_is_found():
    """Thrust along the body's axis, in world axes as it should be, and in body axes."""

    def right(_, motions):
        return rotate(tuple(motions["rocket"].orientation), (1.0, 0.0, 0.0)), (0.0, 0.0, 0.0)

    def wrong(_, _motions):
        return (1.0, 0.0, 0.0), (0.0, 0.0, 0.0)

    scene = Scene.from_text(ROCKET)
    assert certify(scene, {"rocket": right}).is_certified
    found = certify(scene, {"rocket": wrong})
    assert not found.is_certified
    assert [(way.name, way.remark) for way in found.ways if way.verdict == DIFFERS] == [("turned world", OF_CALLBACK)]


CHAOS = """\
format: rigidsim/1
simulation: {duration: 40, step: 0.02}
world: {mutual_gravity: {constant: 1, softening: 0.05}}
bodies:
  a: {mass: 1, inertia: point, position: [1, 0, 0], velocity: [0, 0.5, 0.1]}
  b: {mass: 1.1, inertia: point, position: [-0.5, 0.8, 0], velocity: [-0.4, -0.3, 0]}
  c: {mass: 0.9, inertia: point, position: [-0.5, -0.8, 0], velocity: [0.4, -0.2, -0.1]}
"""


def test_paths_that_part_prove_nothing_and_a_shorter_run_can_be_certified():
    found = certify(Scene.from_text(CHAOS))
    text = str(CertificateReport("chaos.yaml", found))
    assert not found.is_certified and not found.is_refuted
    assert f"paths part at t = {found.half.parted:g} s, which proves nothing" in text
    assert text.splitlines()[-1].startswith("neither certified nor refuted: of 9 ways ")
    assert certify(written(CHAOS, **{"duration: 40": "duration: 1"})).is_certified


@pytest.mark.slow
def test_with_contact_paths_that_differ_or_part_prove_nothing():
    found = certify(Scene.from_file(shipped_scenes()["crash_test"], overrides=["simulation.duration=0.3"]))
    assert found.touched is not None and found.half.verdict == PARTS and not found.is_certified
    text = str(CertificateReport("crash_test.yaml", found))
    assert ", which proves nothing: bodies touch from t = " in text


def test_what_cannot_be_expressed_is_named():
    scene = Scene.from_file(shipped_scenes()["car_crash"])
    remarks = {way.name: way.remark for way in certify(scene).ways}
    assert remarks["spinning frame"] == "car/crated stayed" and remarks["another parent"] == "below car"
    alone = {way.name: (way.verdict, way.remark) for way in certify(Scene.from_text(TOP)).ways}
    assert alone["another parent"] == (SKIPPED, "there is no other body")
    assert alone["bodies in another order"] == (SKIPPED, "there is one body")
    with pytest.raises(UsageError, match="no free or jointed body"):
        certify(
            Scene.from_dict({"format": "rigidsim/1", "simulation": {"duration": 1, "step": 0.1}, "bodies": {"a": {}}})
        )


JOINTED = """\
format: rigidsim/1
simulation: {duration: 0.5, step: 2.0e-3}
world: {gravity: {center: [0.5, -3, 1], gm: 5}}
bodies:
  base:
    mass: 5
    inertia: {principal: [1, 1.5, 2]}
    angular_velocity: [0.3, 0.2, -1]
    children:
      arm:
        mass: 1
        inertia: {principal: [0.1, 0.2, 0.25]}
        center_of_mass: [0.4, 0, 0]
        motion: {hinge: {axis: [0, 1, 1], at: [0.1, 0, 0], angle: 0.5, rate: 2, spring: {stiffness: 3}}}
        children:
          hand: {mass: 1, inertia: {principal: [1, 2, 3]}, position: [1, 0, 0], motion: {ball: {at: [-0.3, 0, 0]}}}
  hung: {mass: 1, inertia: {principal: [0.1, 0.2, 0.25]}, position: [0, 0, 2], motion: {ball: {at: [0, 0, 0.5]}}}
"""


def test_trees_of_joints_are_certified_below_frames_and_below_bodies_that_swing():
    found = certify(Scene.from_text(JOINTED))
    assert [way.verdict for way in (found.half, *found.ways)] == [AGREES] * 10
    assert {"base", "base/arm", "base/arm/hand", "hung"} == {one.body for one in found.ways[0].bodies}
    assert next(way.remark for way in found.ways if way.name == "another parent") == "below hung"


@pytest.mark.parametrize(
    "ends", ["[bob, world], at: [0, 0, 1], to_at: [0.3, 0.1, 2]", "[world, bob], at: [0.3, 0.1, 2], to_at: [0, 0, 1]"]
)
def test_loops_with_the_world_are_turned_with_it(ends):
    text = f"""\
format: rigidsim/1
simulation: {{duration: 0.5, step: 5.0e-3}}
world:
  gravity: [0, 0, -9.81]
  loops: [{{type: point, between: {ends}}}]
bodies:
  bob:
    mass: 2
    inertia: {{principal: [1, 2, 2.5]}}
    position: [0.3, 0.1, 1]
    velocity: [-0.2, 0.3, 0]
    angular_velocity: [0.3, 0.2, 0.1]
"""
    found = {way.name: way.verdict for way in certify(Scene.from_text(text)).ways}
    assert found["turned world"] == AGREES
