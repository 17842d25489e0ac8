"""Joints in scenes: their keys, the motion at t = 0 that they give, and every mistake with its place."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rigidsim.blueprints import build_world
from rigidsim.engine.model.layout import JOINT_VALUE
from rigidsim.physics.quaternion import product, rotate
from rigidsim.scene import Scene
from rigidsim.scene.hierarchy.start import Starts

HEAD = "format: rigidsim/1\nsimulation: {duration: 1, step: 0.1}\n"
BRICK = "mass: 1, inertia: {principal: [1, 1.2, 1.5]}"
POINT = "mass: 1, inertia: point"
TYPES = {
    "hinge": "{axis: [1, 2, 2], at: [0.1, 0.2, 0.3], angle: 40 deg, rate: 2 rpm, limits: [-1 rev, .inf], friction: 3}",
    "slide": "{axis: {frame: world, value: [1, 0, 1]}, displacement: 20 cm, rate: -0.3, limits: [null, 30 cm],"
    " restitution: 0.5, motor: {rate: 1 km/h, max_force: 5}}",
    "universal": "{axes: [[1, 0, 0], {frame: parent, value: [0, 1, 1]}], angles: [0.4, -0.7], rates: [1, 2],"
    ' limits: [null, [-1, 1]], frictions: [1, 0], motors: [{torque: "= -rate_2"}, null]}',
    "cylindrical": "{axis: [0, 1, 1], displacement: 0.2, angle: 0.5, rates: [0.1, 0.2], at: [0, 0, 2],"
    " limits: [[0, 1], [-30 deg, null]], restitutions: [1, 0.5], motors: [null, {rate: 3 rpm, max_torque: 2}]}",
    "planar": "{normal: [1, 1, 0], along: [0, 0, 3], displacements: [1, 2], angle: 1, rates: [1, 2, 3], at: [0, 1, 0],"
    " limits: [null, [0, 3], null], frictions: [1, 0, 2]}",
    "screw": "{axis: [1, 2, 2], pitch: -3 cm, at: [0.1, 0.2, 0.3], angle: 2 rev, rate: 3, limits: [null, 3 rev],"
    ' friction: 1, motor: {torque: "= -angle"}}',
    "ball": "{at: [0, 0, 0.5], spring: {stiffness: 2}, damping: 0.1}",
}


def scene_of(bodies: str, more: str = "") -> Scene:
    return Scene.from_text(f"{HEAD}{more}bodies:\n  {bodies}")


@pytest.mark.parametrize("type", [one for one in TYPES if one != "ball"])
def test_rates_at_the_start_are_the_derivative_of_the_pose_with_respect_to_the_coordinates(type):
    frame = "base: {scale: 2, orientation: {axis: [1, 0, 2], angle: 0.6}, children: {b: {position: [1, 2, 3], "
    body = f"{BRICK}, scale: 0.5, orientation: {{axis: [1, 1, 0], angle: 0.3}}, motion: {{{type}: {TYPES[type]}}}}}}}}}"
    node = scene_of(frame + body).hierarchy["base/b"]
    (p, q, v, omega), h = node.joint.moved(node.joint.starts, node.scale, node.parent_metres), 1e-5
    ahead, behind = (
        node.joint.moved([(x + k * h * rate, rate) for x, rate in node.joint.starts], node.scale, node.parent_metres)
        for k in (1, -1)
    )
    assert (p, q) == (node.position, node.orientation)
    # Errors of central differences are h^2/6 times the third derivatives, of order 10, and 1e-16/h of rounding.
    assert np.allclose(np.subtract(ahead[0], behind[0]) / (2 * h), v, atol=1e-9)
    turn = product(tuple(np.subtract(ahead[1], behind[1]) / (2 * h)), (q[0], -q[1], -q[2], -q[3]))
    assert np.allclose(2 * np.array(turn[1:]), omega, atol=1e-9)


def test_a_hinge_leaves_its_point_at_rest_and_its_axis_in_place():
    scene = scene_of(f"b: {{{BRICK}, position: [1, 0, 0], motion: {{hinge: {TYPES['hinge']}}}}}")
    node = scene.hierarchy["b"]
    start, axis = Starts(scene.hierarchy)[node.frame], (1 / 3, 2 / 3, 2 / 3)
    assert np.allclose(start.point((0.1, 0.2, 0.3)), (1.1, 0.2, 0.3), atol=1e-15)
    assert np.allclose(start.velocity_at(start.point((0.1, 0.2, 0.3))), 0, atol=1e-16)
    assert np.allclose(rotate(start.q, axis), axis, atol=1e-15)
    assert np.allclose(start.omega, np.array(axis) * 2 * math.pi / 30, atol=1e-16)


def test_axes_in_other_frames_are_the_same_directions():
    turned = "orientation: {axis: [1, 0, 2], angle: 0.6}"
    bodies = f"base: {{{turned}, children: {{b: {{{BRICK}, {turned}, motion: {{hinge: {{axis: AXIS}}}}}}}}}}"
    found = {}
    for frame in ("body", "parent", "world"):
        node = scene_of(bodies.replace("AXIS", f"{{frame: {frame}, value: [0, 3, 4]}}")).hierarchy["base/b"]
        (found[frame],) = (one.axis for one in node.joint.coordinates)
    q = node.orientation
    assert found["body"] == (0.0, 0.6, 0.8)
    assert np.allclose(rotate(q, found["parent"]), found["body"], atol=1e-15)
    assert np.allclose(rotate(product(q, q), found["world"]), found["body"], atol=1e-15)


def test_lengths_of_joints_are_in_the_units_of_the_parent():
    bodies = (
        f"base: {{scale: 2, children: {{b: {{{BRICK}, motion: {{slide: {{axis: [1, 0, 0], displacement: 3}}}}}}}}}}"
    )
    scene = scene_of(bodies)
    node = scene.hierarchy["base/b"]
    assert node.joint.coordinates[0].start == 6.0
    assert node.position == (3.0, 0.0, 0.0)
    assert Starts(scene.hierarchy)[node.frame].p == (6.0, 0.0, 0.0)


MODES = ("low", "high", "restitution", "friction", "wanted", "largest")
NO_MODES = {"low": -math.inf, "high": math.inf, "restitution": 0.0, "friction": 0.0, "wanted": 0.0, "largest": 0.0}


def test_limits_friction_and_wanted_rates_are_in_si_units_of_the_parent_for_each_coordinate():
    keys = "limits: [[-1, 3], [null, 90 deg]], restitutions: [0.5, 0], frictions: [7 kN, 0]"
    motors = "motors: [null, {rate: 3 rev/s, max_torque: 2}]"
    body = f"b: {{{BRICK}, motion: {{cylindrical: {{axis: [1, 0, 0], {keys}, {motors}}}}}}}"
    scene = scene_of(f"base: {{scale: 2, children: {{{body}}}}}")
    sliding, turning = scene.hierarchy["base/b"].joint.coordinates
    expected = NO_MODES | {"low": -2.0, "high": 6.0, "restitution": 0.5, "friction": 7000.0}
    assert {key: getattr(sliding, key) for key in MODES} == expected
    expected = NO_MODES | {"high": math.pi / 2, "wanted": 6 * math.pi, "largest": 2.0}
    assert {key: getattr(turning, key) for key in MODES} == expected
    model = build_world(scene).model
    assert model.joints.modes.tolist() == [0, 1]
    for row, one in enumerate((sliding, turning)):
        assert all(model.joints.value[row, getattr(JOINT_VALUE, key)] == getattr(one, key) for key in MODES)


def test_only_coordinates_with_limits_friction_or_a_wanted_rate_have_modes():
    plain = "cylindrical: {axis: [1, 0, 0], limits: [null, [null, .inf]], frictions: [0, 0], restitutions: [1, 1]}"
    assert build_world(scene_of(f"b: {{{BRICK}, motion: {{{plain}}}}}")).model.joints.modes is None
    given = {"frictions": "[0, 1]", "limits": "[null, [-1, null]]", "motors": "[null, {rate: 0, max_torque: 1}]"}
    for key, value in given.items():
        some = f"cylindrical: {{axis: [1, 0, 0], {key}: {value}}}"
        assert build_world(scene_of(f"b: {{{BRICK}, motion: {{{some}}}}}")).model.joints.modes.tolist() == [1]


def test_a_ball_joint_starts_with_the_rotation_of_the_body_and_holds_its_point():
    spin = "orientation: {axis: [1, 0, 0], angle: 0.4}, angular_velocity: {frame: body, value: [0, 0, 9]}"
    scene = scene_of(f"b: {{{BRICK}, {spin}, motion: {{ball: {TYPES['ball']}}}}}")
    node = scene.hierarchy["b"]
    start = Starts(scene.hierarchy)[node.frame]
    assert np.allclose(start.omega_B, (0, 0, 9), atol=1e-15)
    assert np.allclose(start.velocity_at(start.point((0, 0, 0.5))), 0, atol=1e-15)
    assert (node.joint.stiffness, node.joint.damping) == (2.0, 0.1)


@pytest.mark.parametrize("type", TYPES)
def test_a_joint_reads_back_from_the_resolved_scene(type):
    scene = scene_of(f"b: {{{BRICK}, motion: {{{type}: {TYPES[type]}}}}}")
    again = Scene.from_dict(scene.resolved())
    assert again == scene
    assert again.hierarchy["b"].joint == scene.hierarchy["b"].joint
    assert "(1 jointed)" in str(scene)


TORQUE = "forces: [{torque: [0, 0, 1]}]"
HINGE = "motion: {hinge: {axis: [0, 0, 1]}}"
FAULTS = {
    "a word": (f"b: {{{BRICK}, motion: hinge}}", "motion", "b.motion", "write motion: {hinge: {axis: [0, 0, 1]}}"),
    "a word of a ball": (f"b: {{{BRICK}, motion: ball}}", "motion", "b.motion", "{ball: {at: [0, 0, 0]}}"),
    "two kinds": (
        f"b: {{{BRICK}, motion: {{hinge: {{axis: [0, 0, 1]}}, slide: {{axis: [0, 0, 1]}}}}}}",
        *("motion", "b.motion.slide", "both 'hinge' and 'slide' are given"),
    ),
    "no kind": (f"b: {{{BRICK}, motion: {{}}}}", "motion", "b.motion", "write one of hinge, slide"),
    "misspelt type": (
        f"b: {{{BRICK}, motion: {{hing: {{axis: [0, 0, 1]}}}}}}",
        "unknown-key",
        "b.motion.hing",
        "hinge",
    ),
    "misspelt key": (
        f"b: {{{BRICK}, motion: {{hinge: {{axis: [0, 0, 1], rat: 1}}}}}}",
        "unknown-key",
        "b.motion.hinge.rat",
        "rate",
    ),
    "no axis": (f"b: {{{BRICK}, motion: {{hinge: {{}}}}}}", "missing-key", "b.motion.hinge.axis", "'axis' is missing"),
    "no direction": (
        f"b: {{{BRICK}, motion: {{hinge: {{axis: [0, 0, 0]}}}}}}",
        "direction",
        "b.motion.hinge.axis",
        "zero",
    ),
    "wrong unit": (
        f"b: {{{BRICK}, motion: {{slide: {{axis: [1, 0, 0], displacement: 3 deg}}}}}}",
        *("unit", "b.motion.slide.displacement", "'deg' is a unit of angle, but length"),
    ),
    "wrong unit in a list": (
        f"b: {{{BRICK}, motion: {{cylindrical: {{axis: [1, 0, 0], rates: [1, 2 m/s]}}}}}}",
        *("unit", "b.motion.cylindrical.rates[1]", "velocity, but angular velocity"),
    ),
    "wrong length": (
        f"b: {{{BRICK}, motion: {{planar: {{normal: [1, 0, 0], rates: [1, 2]}}}}}}",
        *("length", "b.motion.planar.rates", "expected 3 values [first, second, turning], got 2"),
    ),
    "negative stiffness": (
        f"b: {{{BRICK}, motion: {{hinge: {{axis: [1, 0, 0], spring: {{stiffness: -1}}}}}}}}",
        *("negative", "b.motion.hinge.spring.stiffness", "must not be negative"),
    ),
    "parallel axes": (
        f"b: {{{BRICK}, motion: {{universal: {{axes: [[1, 0, 0], [2, 1e-9, 0]]}}}}}}",
        *("direction", "b.motion.universal.axes", "parallel"),
    ),
    "along the normal": (
        f"b: {{{BRICK}, motion: {{planar: {{normal: [1, 0, 0], along: [-1, 0, 0]}}}}}}",
        *("direction", "b.motion.planar.along", "no direction"),
    ),
    "velocity": (
        f"b: {{{BRICK}, {HINGE}, velocity: [1, 0, 0]}}",
        "motion",
        "b.velocity",
        "write 'rate' under motion.hinge",
    ),
    "angular velocity": (
        f"b: {{{BRICK}, motion: {{planar: {{normal: [0, 0, 1]}}}}, angular_velocity: [1, 0, 0]}}",
        *("motion", "b.angular_velocity", "write 'rates' under motion.planar"),
    ),
    "velocity of a ball": (
        f"b: {{{BRICK}, motion: {{ball: {{}}}}, velocity: [1, 0, 0]}}",
        *("motion", "b.velocity", "give its angular_velocity"),
    ),
    "limits the wrong way round": (
        f"b: {{{BRICK}, motion: {{hinge: {{axis: [1, 0, 0], limits: [30 deg, 10 deg]}}}}}}",
        *("limits", "b.motion.hinge.limits", "the lower limit, 0.523599 rad, is not below the upper one"),
    ),
    "one limit": (
        f"b: {{{BRICK}, motion: {{hinge: {{axis: [1, 0, 0], limits: 1}}}}}}",
        *("not-a-list", "b.motion.hinge.limits", "expected a list [low, high]"),
    ),
    "a lower limit without bound": (
        f"b: {{{BRICK}, motion: {{slide: {{axis: [1, 0, 0], limits: [.inf, 1]}}}}}}",
        *("not-finite", "b.motion.slide.limits[0]", "not finite"),
    ),
    "a start beyond the limits": (
        f"b: {{{BRICK}, motion: {{hinge: {{axis: [1, 0, 0], angle: 1, limits: [-1, 45 deg]}}}}}}",
        *("limits", "b.motion.hinge.limits", "the angle at the start, 1 rad, is above the upper limit, 0.785398 rad"),
    ),
    "a second start beyond the limits": (
        f"b: {{{BRICK}, motion: {{planar: {{normal: [1, 0, 0], limits: [null, [1, 2], null]}}}}}}",
        *("limits", "b.motion.planar.limits[1]", "the displacement at the start, 0 m, is below the lower limit, 1 m"),
    ),
    "restitution above one": (
        f"b: {{{BRICK}, motion: {{hinge: {{axis: [1, 0, 0], restitution: 1.5}}}}}}",
        *("out-of-range", "b.motion.hinge.restitution", "must be from 0 to 1, got 1.5"),
    ),
    "negative friction": (
        f"b: {{{BRICK}, motion: {{universal: {{axes: [[1, 0, 0], [0, 1, 0]], frictions: [0, -2]}}}}}}",
        *("negative", "b.motion.universal.frictions[1]", "must not be negative"),
    ),
    "friction in what a motor prescribes": (
        f'b: {{{BRICK}, motion: {{hinge: {{axis: [1, 0, 0], friction: 1, motor: {{angle: "= t"}}}}}}}}',
        *("motion", "b.motion.hinge.friction", "the motor alone says how the joint moves"),
    ),
    "limits of what a motor prescribes": (
        f"b: {{{BRICK}, motion: {{cylindrical: {{axis: [1, 0, 0], limits: [null, [0, 1]],"
        f' motors: [null, {{angle: "= t"}}]}}}}}}',
        *("motion", "b.motion.cylindrical.limits[1]", "the motor alone says how the joint moves"),
    ),
    "friction where a motor wants a rate": (
        f"b: {{{BRICK}, motion: {{slide: {{axis: [1, 0, 0], friction: 1, motor: {{rate: 1, max_force: 2}}}}}}}}",
        *("motion", "b.motion.slide.friction", "the motor brings the rate to one of its own"),
    ),
    "a rate without a largest torque": (
        f"b: {{{BRICK}, motion: {{hinge: {{axis: [1, 0, 0], motor: {{rate: 1}}}}}}}}",
        *("missing-key", "b.motion.hinge.motor", "write {rate: 0.2, max_torque: 50}"),
    ),
    "a largest torque of zero": (
        f"b: {{{BRICK}, motion: {{hinge: {{axis: [1, 0, 0], motor: {{rate: 1, max_torque: 0}}}}}}}}",
        *("not-positive", "b.motion.hinge.motor.max_torque", "must be greater than zero"),
    ),
    "a largest force beside a force": (
        f"b: {{{BRICK}, motion: {{planar: {{normal: [1, 0, 0], motors: [{{force: 1, max_force: 2}}, null, null]}}}}}}",
        *("motion", "b.motion.planar.motors[0].max_force", "limits a motor with a 'rate' or 'displacement'"),
    ),
    "friction where a servo has a largest torque": (
        f"b: {{{BRICK}, motion: {{hinge: {{axis: [1, 0, 0], friction: 1, motor: {{angle: 1, max_torque: 2}}}}}}}}",
        *("motion", "b.motion.hinge.friction", "the motor brings the rate to one of its own"),
    ),
    "a time constant beside a stiffness": (
        f"b: {{{BRICK}, motion: {{hinge: {{axis: [1, 0, 0], motor: {{angle: 1, max_torque: 2, stiffness: 3,"
        f" time_constant: 1}}}}}}}}",
        *("motion", "b.motion.hinge.motor.time_constant", "follows by that, not within a 'time_constant'"),
    ),
    "a time constant without a largest torque": (
        f"b: {{{BRICK}, motion: {{hinge: {{axis: [1, 0, 0], motor: {{angle: 1, time_constant: 1}}}}}}}}",
        *("motion", "b.motion.hinge.motor.time_constant", "a motor with 'angle' and 'max_torque'"),
    ),
    "a stiffness of a rate": (
        f"b: {{{BRICK}, motion: {{hinge: {{axis: [1, 0, 0], motor: {{rate: 1, max_torque: 1, stiffness: 2}}}}}}}}",
        *("motion", "b.motion.hinge.motor.stiffness", "belongs to a motor with 'angle'"),
    ),
    "two kinds of motors in one": (
        f"b: {{{BRICK}, motion: {{hinge: {{axis: [1, 0, 0], motor: {{rate: 1, torque: 1}}}}}}}}",
        *("motion", "b.motion.hinge.motor", "a motor has one of 'angle', 'torque' and 'rate'"),
    ),
    "limits of a ball": (
        f"b: {{{BRICK}, motion: {{ball: {{limits: {{swing: 60 deg}}}}}}}}",
        *("unknown-key", "b.motion.ball.limits", "allowed keys: breaks, collide, at, spring, damping"),
    ),
    "massless": (f"b: {{{HINGE}}}", "missing-key", "b", "needs a mass"),
    "massless with a free child": (f"b: {{{HINGE}, children: {{c: {{{BRICK}}}}}}}", "missing-key", "b", "needs a mass"),
    "point on the axis": (
        f"b: {{{POINT}, center_of_mass: [0, 0, 3], {HINGE}}}",
        *("inertia", "b.motion.hinge.axis", "no mass resists the rotation about this axis"),
    ),
    "point on a ball": (
        f"b: {{{POINT}, center_of_mass: [0, 0, 3], motion: {{ball: {{}}}}}}",
        *("inertia", "b.motion.ball", "on one line through the joint"),
    ),
    "massless link on a parallel hinge": (
        f"b: {{{HINGE}, children: {{c: {{{BRICK}, {HINGE}}}}}}}",
        *("inertia", "b.motion.hinge.axis", "moves by another joint in the same way"),
    ),
    "second axis of a point": (
        f"b: {{{POINT}, center_of_mass: [0, 2, 0], motion: {{universal: {{axes: [[1, 0, 0], [0, 1, 0]]}}}}}}",
        *("inertia", "b.motion.universal.axes[1]", "on the axis"),
    ),
    "joint on a particle": (
        f"b: {{{POINT}, children: {{c: {{{BRICK}, {HINGE}}}}}}}",
        *("inertia", "b.children.c.motion", "'b' is a particle"),
    ),
    "motor reads no joint": (
        f"b: {{{BRICK}, motion: {{hinge: {{axis: [0, 0, 1], motor: {{torque: \"= displacement('b')\"}}}}}}}}",
        *("quantity", "b.motion.hinge.motor", "the hinge joint of 'b' has no displacement; it has angle, rate"),
    ),
    "one of several motors reads no joint": (
        f"b: {{{BRICK}, motion: {{cylindrical: {{axis: [0, 0, 1], motors: [null, {{torque: \"= angle_2('b')\"}}]}}}}}}",
        *("quantity", "b.motion.cylindrical.motors[1]", "the cylindrical joint of 'b' has no angle_2"),
    ),
    "force reads no joint": (
        f'b: {{{BRICK}, forces: [{{force: [0, 0, "= angle"]}}]}}',
        *("quantity", "b.forces[0].force[2]", "'b' is free, not on a joint, so it has no angle"),
    ),
    "inherits": (
        f"b: {{{BRICK}, {HINGE}, inherit_impulses: true}}",
        "motion",
        "b.inherit_impulses",
        "only a free body",
    ),
}


@pytest.mark.parametrize(("body", "code", "path", "words"), FAULTS.values(), ids=FAULTS)
def test_a_mistake_is_one_located_sentence(problem, body, code, path, words):
    only = problem(f"{HEAD}bodies:\n  {body}")
    assert (only.code, only.path, only.line) == (code, f"bodies.{path}", 4)
    assert words in f"{only.message}; {only.hint}"


@pytest.mark.parametrize("method", ["euler", "magnus"])
@pytest.mark.parametrize("key", ["friction: 1", "limits: [null, 1]", "motor: {rate: 1, max_torque: 1}"])
def test_an_integrator_without_modes_is_named(problem, method, key):
    head = HEAD.replace("}", f", integrator: {method}}}")
    only = problem(f"{head}bodies:\n  a: {{{BRICK}, {HINGE}}}\n  b: {{{BRICK}, {HINGE.replace(']}', f'], {key}}}')}}}")
    assert (only.code, only.path) == ("integrator", "simulation.integrator")
    assert "friction or rates of motors in joints (such as that of 'b') in this version" in only.message
    assert only.hint == "use rkmk4 or adaptive or taylor"


@pytest.mark.parametrize(
    "body",
    [
        f"b: {{{HINGE}, children: {{c: {{{BRICK}, motion: {{hinge: {{axis: [1, 0, 0]}}}}}}}}}}",
        f"b: {{{HINGE}, children: {{c: {{{BRICK}, position: [1, 0, 0], {HINGE}}}}}}}",
        f"b: {{{HINGE}, children: {{c: {{{BRICK}, motion: fixed}}}}}}",
        f"b: {{{POINT}, center_of_mass: [1, 0, 0], {HINGE}, forces: [{{force: [0, 1, 0]}}], gravity: false}}",
        f"b: {{motion: {{slide: {{axis: [0, 0, 1]}}}}, children: {{c: {{{BRICK}, {HINGE}, {TORQUE}}}}}}}",
    ],
)
def test_massless_links_and_points_off_the_axis_are_allowed(body):
    assert scene_of(body).warnings == ()


@pytest.mark.parametrize(
    ("motion", "words"),
    [
        ("{hinge: {axis: [0, 1, 1]}}", "this hinge joint moves the body out of the plane"),
        ("{slide: {axis: [0, 1, 1]}}", "this slide joint moves"),
        ("{cylindrical: {axis: [0, 0, 1]}}", "this cylindrical joint moves"),
        ("{ball: {}}", "a ball joint turns about all axes"),
    ],
)
def test_joints_of_a_planar_scene_stay_in_the_plane(problem, motion, words):
    only = problem(f"{HEAD}world: {{plane: [0, 0, 1]}}\nbodies:\n  b: {{{BRICK}, motion: {motion}}}")
    assert (only.code, only.path) == ("plane", f"bodies.b.motion.{motion[1:-1].split(':')[0]}")
    assert words in only.message


def test_joints_across_the_normal_of_a_plane_are_allowed():
    turned = "orientation: {axis: [1, 0, 0], angle: 90 deg}"
    slide, planar = "motion: {slide: {axis: [1, 0, 0]}}", "motion: {planar: {normal: [0, 1, 0]}}"
    below = f"s: {{{BRICK}, {slide}}}, p: {{{BRICK}, {planar}}}"
    hinge = "motion: {hinge: {axis: [0, 1, 0], angle: 1}}"
    scene_of(f"b: {{{BRICK}, {turned}, {hinge}, children: {{{below}}}}}", "world: {plane: [0, 0, 1]}\n")


NEW_JOINTS = {
    "of another type": ("slide: {axis: [1, 0, 0]}", "reparent", "b", "slide", "was on a hinge joint before"),
    "a start": ("hinge: {axis: [0, 0, 1], angle: 1}", "reparent", "c", "hinge.angle", "position and orientation say"),
    "a rate": ("hinge: {axis: [0, 0, 1], rate: 1}", "reparent", "c", "hinge.rate", "follows from the motion"),
    "a motor": ("hinge: {axis: [0, 0, 1], motor: {torque: 1}}", "reparent", "c", "hinge.motor", "has no motor"),
    "axes of the world": (
        *("hinge: {axis: {frame: world, value: [0, 0, 1]}}", "frame", "c", "hinge.axis", "write frame: body"),
    ),
    "axes of an unknown parent": (
        *("slide: {axis: {frame: parent, value: [0, 0, 1]}}", "frame", "c", "slide.axis", "give 'orientation'"),
    ),
    "parallel axes": (
        *("universal: {axes: [[0, 0, 1], [0, 0, 2]]}", "direction", "c", "universal.axes", "are parallel"),
    ),
    "a limit that does not allow zero": (
        *("slide: {axis: [1, 0, 0], limits: [1, 2]}", "limits", "c", "slide.limits", "allow 0, or give 'position'"),
    ),
    "one of two limits that does not allow zero": (
        *("universal: {axes: [[1, 0, 0], [0, 1, 0]], limits: [null, [-2, -1]]}", "limits", "c"),
        *("universal.limits[1]", "the angle at that time, 0 rad, is above the upper limit, -1 rad"),
    ),
    "a ball's spring": ("ball: {spring: {stiffness: 1}}", "reparent", "c", "ball.spring", "give 'orientation'"),
}


@pytest.mark.parametrize(("joint", "code", "body", "place", "words"), NEW_JOINTS.values(), ids=NEW_JOINTS)
def test_a_mistake_in_a_joint_that_is_made_during_the_run_is_one_located_sentence(
    problem, joint, code, body, place, words
):
    event = f"{{body: {body}, to: d, time: 0.5, motion: {{{joint}}}}}"
    bodies = f"bodies:\n  b: {{{BRICK}, {HINGE}}}\n  c: {{{BRICK}}}\n  d: {{{BRICK}}}"
    only = problem(f"{HEAD}reparent: [{event}]\n{bodies}")
    assert (only.code, only.path, only.line) == (code, f"reparent[0].motion.{place}", 3)
    assert words in f"{only.message}; {only.hint}"


def test_a_joint_on_a_particle_and_a_pose_without_a_joint_are_named(problem):
    point = "p: {mass: 1, inertia: point}"
    only = problem(f"{HEAD}reparent: [{{body: c, to: p, time: 0.5, {HINGE}}}]\nbodies:\n  c: {{{BRICK}}}\n  {point}")
    assert (only.code, only.path) == ("reparent", "reparent[0].to")
    assert "'p' is a particle" in only.message
    moved = "{body: c, to: b, time: 0.5, position: [0, 0, 1]}"
    only = problem(f"{HEAD}reparent: [{moved}]\nbodies:\n  b: {{{BRICK}}}\n  c: {{{BRICK}}}")
    assert (only.code, only.path) == ("reparent", "reparent[0].position")


BREAKING = {
    "no limit": ("{weld: {breaks: {}}}", "missing-key", "weld.breaks", "neither 'force' nor 'torque'"),
    "zero": ("{weld: {breaks: {force: 0}}}", "not-positive", "weld.breaks.force", "must be greater than zero"),
    "a unit": ("{weld: {breaks: {torque: 5 N}}}", "unit", "weld.breaks.torque", "torque (N*m) is expected"),
}


@pytest.mark.parametrize(("motion", "code", "place", "words"), BREAKING.values(), ids=BREAKING)
def test_a_mistake_in_what_a_joint_bears_is_one_located_sentence(problem, motion, code, place, words):
    only = problem(f"{HEAD}bodies:\n  b: {{{BRICK}, motion: {motion}}}")
    assert (only.code, only.path, only.line) == (code, f"bodies.b.motion.{place}".rstrip("."), 4)
    assert words in f"{only.message}; {only.hint}"


def test_a_joint_cannot_break_that_would_leave_a_massless_body_free_or_on_a_joint(problem):
    weld = "motion: {weld: {breaks: {force: 1}}}"
    only = problem(f"{HEAD}bodies:\n  b: {{{weld}, children: {{c: {{{BRICK}, {HINGE}}}}}}}")
    assert (only.path, "'b' has no mass" in only.message) == ("bodies.b.motion.weld.breaks", True)
    only = problem(f"{HEAD}bodies:\n  b: {{{HINGE}, children: {{c: {{{BRICK}, {weld}}}}}}}")
    assert only.path == "bodies.b.children.c.motion.weld.breaks"
    assert "without 'b/c' nothing that has a mass is on the joint of 'b'" in only.message


def test_a_load_cannot_read_the_angle_of_a_joint_that_ends(problem):
    spin = "forces: [{type: constant, torque: [0, 0, \"= angle('b')\"]}]"
    bodies = f"bodies:\n  b: {{{BRICK}, {HINGE}}}\n  c: {{{BRICK}, {spin}}}"
    only = problem(f"{HEAD}reparent: [{{body: b, to: c, time: 0.5}}]\n{bodies}")
    assert only.path.startswith("bodies.c.forces[0].torque")
    assert "'b' is not on its joint for the whole run" in only.message


BALL = "density: 1, shapes: [{type: sphere, radius: 1}]"
OTHER = f"c: {{{BALL}, position: [5, 0, 0]}}"


def test_bodies_on_joints_collide_but_for_those_that_a_joint_holds():
    """What hangs on each other meets only if the joint says so; another body meets both."""
    held = f"b: {{{BALL}, {HINGE}, children: {{d: {{{BALL}, motion: {{hinge: {{axis: [1, 0, 0], collide: %s}}}}}}}}}}"
    for collide, more, expected in (("false", "", 0), ("true", "", 2), ("false", f"\n  {OTHER}", 3)):
        plan = build_world(scene_of(held % collide + more)).blueprint.contacts
        assert (plan.summary["bodies"] if plan else 0) == expected


def test_bodies_collide_that_loops_hold_or_whose_joints_have_modes_beside_restitution():
    loop = "loops: [{type: distance, between: [b, world], at: [1, 0, 0], to_at: [5, 5, 5]}]"
    rubber = "contacts: [{between: [b, world], restitution: 0.5}]"
    for world, more in ((loop, ""), (rubber, ", limits: [-1, 1]")):
        bodies = f"bodies:\n  b: {{{BALL}, motion: {{hinge: {{axis: [0, 0, 1]{more}}}}}}}\n  {OTHER}"
        assert build_world(Scene.from_text(f"{HEAD}world: {{{world}}}\n{bodies}")).blueprint.contacts is not None


def test_what_contact_of_joints_cannot_do_is_said_once(problem):
    """The method that it cannot correct, a body without mass."""
    head, bodies = HEAD.replace("0.1}", "0.1, integrator: euler}"), f"  b: {{{BALL}, {HINGE}}}\n  {OTHER}"
    only = problem(f"{head}bodies:\n{bodies}")
    assert (only.code, only.path, only.line) == ("integrator", "simulation.integrator", 2)
    assert "'euler' does not move bodies on joints that touch others, such as 'b'" in only.message
    child = f"d: {{{BRICK}, motion: {{hinge: {{axis: [1, 0, 0]}}}}}}"
    shell = f"b: {{shapes: [{{type: sphere, radius: 1}}], {HINGE}, children: {{{child}}}}}"
    only = problem(f"{HEAD}bodies:\n  {shell}\n  {OTHER}")
    assert (only.code, only.path) == ("contact", "bodies.b.shapes[0]")
    assert "'b' has no mass, so it cannot collide" in only.message


@pytest.mark.parametrize(
    ("motion", "words"),
    [
        ("{hinge: {axis: [0, 0, 1], spring: {stiffness: 100}}}", "with a period of 0.77 s; use at most 0.01 s"),
        ("{slide: {axis: [0, 0, 1], damping: 40}}", "too long for the damping of this body, 40 1/s in total"),
        ("{ball: {spring: {stiffness: 100}}}", "with a period of 0.628 s"),
        ("{hinge: {axis: [0, 0, 1], restitution: 0.5}}", ".restitution: without limits it has no effect"),
        (
            "{cylindrical: {axis: [0, 0, 1], limits: [[0, 1], null], restitutions: [1, 1]}}",
            ".restitutions[1]: without limits it has no effect",
        ),
    ],
)
def test_springs_and_dampers_too_stiff_for_the_step_and_idle_restitutions_are_warned_of(motion, words):
    (warning,) = scene_of(f"b: {{{BRICK}, motion: {motion}}}").warnings
    assert warning.startswith(f"bodies.b.motion.{motion[1:-1].split(':')[0]}")
    assert words in warning


def test_a_weld_is_a_word_and_a_spring_that_is_not_there_is_null():
    springs = "motion: {universal: {axes: [[1, 0, 0], [0, 1, 0]], springs: [null, {stiffness: 3}]}}"
    text = f"{HEAD}bodies:\n  a: {{{BRICK}, {springs}}}\n  b: {{{BRICK}, motion: weld}}"
    bodies = Scene.from_text(text).bodies
    assert bodies["b"].motion.joint[0] == "weld"
    assert [spring.stiffness for spring in bodies["a"].motion.joint[1].springs] == [0.0, 3.0]
