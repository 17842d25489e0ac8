"""Forces, impulses, reparentings, gravity, motions by expressions: how each is read, and what mistakes are reported."""

from __future__ import annotations

import math

import pytest

from rigidsim.scene import Scene
from rigidsim.scene.expressions import Expression
from rigidsim.scene.schema.world import GRAVITATIONAL_CONSTANT, PointSource

TEXT = """\
format: rigidsim/1
parameters: {k: 400 N/m, burn: 2}
simulation: {duration: 1, step: 1e-3}
world:
  gravity: {center: planet, gm: 1 km^3/s^2, j2: 1e-3, radius: 6 km, axis: [0, 1, 0]}
  mutual_gravity: {bodies: [ship, ship/bob], softening: 1 cm}
bodies:
  planet: {position: [1 km, 0, 0]}
  ship:
    mass: 4
    inertia: {principal: [1, 2, 2.5]}
    inherit_impulses: true
    forces:
      - {force: [1 N, 0, 0]}
      - {type: constant, torque: [0, 0, "= 0.1*sin(t)*omega_z"], frame: body, during: [0, 100 ms]}
      - {type: spring, to: world, at: [0, 0, 5 cm], to_at: [1, 0, 0], stiffness: "= k", damping: 2 N*s/m, length: 30 cm}
      - {type: damper, to: ship/bob, damping: 3, during: [0.1, 0.2]}
      - {type: torsion_spring, to: planet, stiffness: 2 N*m/rad, damping: 0.1, axis: [0, 0, 2],
         rest: {wxyz: [0.7071, 0, 0, 0.7071]}}
      - {type: drag, linear: 0.1, quadratic: 0.02 kg/m, medium: ship/deck, at: [0, 1, 0]}
      - {type: thruster, thrust: 2 kN, throttle: "= step(burn - t)", direction: [0, 0, 3], at: [0, 0, -1]}
      - {type: gravity, acceleration: [0, "= -x", -9.81], frame: ship/deck}
      - {type: point_gravity, center: [0, 0, 7 km], gm: 3, softening: 2}
      - {type: gravity_gradient}
      - {type: gravity_gradient, center: planet, gm: 5, during: [0.5, 2]}
    impulses:
      - {time: 500 ms, impulse: [1, 0, 0], at: [0, 0, 1], frame: body, name: kick}
      - {time: 0, angular_impulse: [0, 0, 1 N*m*s]}
    children:
      deck:
        motion:
          prescribed:
            position: ["= 0.1*sin(3*t)", 0, 1]
            orientation: {euler: ["= 0.2*t", 0, 5 deg], order: ZYX}
      turret: {motion: {prescribed: {orientation: {axis: [0, 3, 4], angle: "= burn*t^2"}, velocity: [1, 0, 0]}}}
      pulley: {motion: {prescribed: {angular_velocity: [0, 0, "= sin(t)"], velocity: ["= cos(t)", 0, 0]}}}
      bob: {mass: 1, inertia: point, position: [0, 3, 0]}
reparent:
  - {body: ship/bob, to: world, time: 0.25}
  - {body: ship/bob, to: ship/deck, time: 0.5}
  - {body: ship/bob, to: ship, time: 750 ms, motion: fixed}
"""


@pytest.fixture
def scene():
    return Scene.from_text(TEXT)


@pytest.fixture
def forces(scene):
    return scene.bodies["ship"].forces


def test_every_type_is_read(forces):
    names = "constant constant spring damper torsion_spring drag thruster gravity point_gravity"
    assert [force.type for force in forces] == [*names.split(), "gravity_gradient", "gravity_gradient"]


def test_constants_and_expressions(forces):
    push, twist = forces[:2]
    assert (push.force, push.torque, push.at, push.frame, push.during, push.varies) == (
        *((1, 0, 0), (0, 0, 0), None, "parent", None, False),
    )
    assert isinstance(twist.torque[2], Expression)
    assert (twist.frame, twist.during, twist.varies) == ("body", (0, 0.1), True)


def test_springs_dampers_and_drag(forces):
    _, _, spring, damper, torsion, drag, *_ = forces
    assert (spring.to, spring.at, spring.to_at, spring.stiffness, spring.damping, spring.length, spring.during) == (
        *("world", (0, 0, 0.05), (1, 0, 0), 400, 2, 0.3, None),
    )
    assert (damper.to, damper.damping, damper.at, damper.to_at, damper.during) == (
        *("ship/bob", 3, None, None, (0.1, 0.2)),
    )
    assert (torsion.to, torsion.stiffness, torsion.damping, torsion.axis) == ("planet", 2, 0.1, (0, 0, 2))
    assert torsion.rest == pytest.approx((math.sqrt(0.5), 0, 0, math.sqrt(0.5)))
    assert (drag.linear, drag.quadratic, drag.medium, drag.at) == (0.1, 0.02, "ship/deck", (0, 1, 0))


def test_thruster_and_gravity(forces):
    thruster, uniform, source, plain, gradient = forces[6:]
    assert (thruster.thrust, thruster.direction, thruster.at, thruster.frame) == (2000, (0, 0, 3), (0, 0, -1), "body")
    assert isinstance(thruster.throttle, Expression)
    assert (uniform.acceleration[0], uniform.acceleration[2], uniform.frame) == (0, -9.81, "ship/deck")
    assert (source.center, source.gm, source.softening, source.j2, source.radius) == ((0, 0, 7000), 3, 2, 0, None)
    assert (plain.center, plain.gm, gradient.center, gradient.gm, gradient.during) == (
        *(None, None, "planet", 5, (0.5, 2)),
    )


def test_world_gravity(scene):
    world = scene.world
    assert isinstance(world.source, PointSource)
    assert (world.source.center, world.source.gm, world.source.j2, world.source.radius, world.source.axis) == (
        *("planet", 1e9, 1e-3, 6000, (0, 1, 0)),
    )
    assert world.uniform_gravity == (0, 0, 0)
    assert (world.mutual_gravity.bodies, world.mutual_gravity.softening) == (("ship", "ship/bob"), 0.01)
    assert world.mutual_gravity.constant == GRAVITATIONAL_CONSTANT


def test_impulses_and_reparentings(scene):
    kick, spin = scene.bodies["ship"].impulses
    assert (kick.time, kick.impulse, kick.angular_impulse, kick.at, kick.frame, kick.name) == (
        *(0.5, (1, 0, 0), (0, 0, 0), (0, 0, 1), "body", "kick"),
    )
    assert (spin.time, spin.angular_impulse, spin.at, spin.frame, spin.name) == (0, (0, 0, 1), None, "parent", "")
    assert scene.bodies["ship"].inherit_impulses
    assert [(event.body, event.to, event.time, event.motion) for event in scene.reparent] == [
        ("ship/bob", "world", 0.25, "free"),
        ("ship/bob", "ship/deck", 0.5, "free"),
        ("ship/bob", "ship", 0.75, "fixed"),
    ]


def test_motions_by_expressions(scene):
    deck, turret = (scene.bodies["ship"].children[name].prescribed for name in ("deck", "turret"))
    known = [scene.hierarchy[f"ship/{name}"].prescribed for name in ("deck", "pulley")]
    assert [(motion.has_poses, motion.has_rates) for motion in known] == [(True, False), (False, True)]
    assert (deck.position[1:], deck.orientation.order) == ((0, 1), "ZYX")
    (first, _), (second, zero), (third, angle) = deck.orientation.turns
    assert (first, second, third, zero) == ((0, 0, 1), (0, 1, 0), (1, 0, 0), 0)
    assert angle == pytest.approx(math.radians(5))
    ((axis, _),) = turret.orientation.turns
    assert axis == pytest.approx((0, 0.6, 0.8))
    assert turret.velocity.value == (1, 0, 0)


# --- what is refused. Each is put on a free brick beside a particle, a motion that is prescribed, and fixed parts.

BRICK = {"mass": 1, "inertia": {"principal": [1, 1, 1]}}
SPRING = {"type": "spring", "to": "world", "stiffness": 1}
POINT = {"type": "point_gravity", "center": [9, 0, 0], "gm": 1}


def scene_with(**more) -> dict:
    """A scene as plain data; `more` are keys of the brick, or of the scene if it has them."""
    top = {key: more.pop(key) for key in ("world", "reparent") if key in more}
    brick = {**BRICK, "children": {"part": {"position": [1, 0, 0]}, "load": {**BRICK, "motion": "fixed"}}, **more}
    bodies = {
        "brick": brick,
        "bead": {"mass": 1, "inertia": "point", "position": [0, 5, 0], "children": {"hook": {"position": [0, 1, 0]}}},
        "drum": {"motion": {"prescribed": {}}, "children": {"pin": {}, "ball": {**BRICK}}},
    }
    return {"format": "rigidsim/1", "simulation": {"duration": 1, "step": 0.01}, "bodies": bodies, **top}


FORCES = {
    "unknown type": ({"type": "sprng"}, "type", "unknown-value", "not a type of force; did you mean 'spring'?"),
    "no such type": ({"type": "magnet"}, "type", "unknown-value", "there are constant, spring, damper,"),
    "type is a list": ({"type": ["spring"]}, "type", "unknown-value", "a list is not a type of force"),
    "not a mapping": (3, "", "not-a-mapping", "expected a force, a mapping, got 3"),
    "nothing": (None, "", "empty", "has no value"),
    "no end": ({"type": "spring", "stiffness": 1}, "to", "missing-key", "'to' is missing"),
    "no stiffness": ({"type": "spring", "to": "bead"}, "stiffness", "missing-key", "is missing"),
    "no damping": ({"type": "damper", "to": "bead"}, "damping", "missing-key", "is missing"),
    "no thrust": ({"type": "thruster", "direction": [1, 0, 0]}, "thrust", "missing-key", "is missing"),
    "no direction": ({"type": "thruster", "thrust": 1}, "direction", "missing-key", "is missing"),
    "no acceleration": ({"type": "gravity"}, "acceleration", "missing-key", "is missing"),
    "no center": ({"type": "point_gravity", "gm": 1}, "center", "missing-key", "is missing"),
    "no gm": ({"type": "point_gravity", "center": "drum"}, "gm", "missing-key", "is missing"),
    "half a gradient": ({"type": "gravity_gradient", "gm": 1}, "gm", "missing-key", "'gm' is given without 'center'"),
    "other half": ({"type": "gravity_gradient", "center": "drum"}, "center", "missing-key", "given without 'gm'"),
    "no source": ({"type": "gravity_gradient"}, "", "gravity", "no point source of gravity"),
    "j2 alone": ({**POINT, "j2": 1e-3}, "j2", "missing-key", "'j2' is given without 'radius'"),
    "j2 softened": ({**POINT, "j2": 1, "radius": 1, "softening": 1}, "softening", "gravity", "cannot be softened"),
    "negative stiffness": ({**SPRING, "stiffness": -1}, "stiffness", "negative", "must not be negative, got -1"),
    "negative damping": ({**SPRING, "damping": "-1 kg/s"}, "damping", "negative", "must not be negative"),
    "negative length": ({**SPRING, "length": -1}, "length", "negative", "must not be negative"),
    "negative drag": ({"type": "drag", "linear": -1}, "linear", "negative", "must not be negative"),
    "repulsion": ({**POINT, "gm": -1}, "gm", "not-positive", "greater than zero"),
    "unit": ({**SPRING, "stiffness": "1 N*m/rad"}, "stiffness", "unit", "stiffness (N/m) is expected here"),
    "state in a source": ({**POINT, "gm": "= x"}, "gm", "expression", "'x' cannot be used here"),
    "zero direction": ({"type": "thruster", "thrust": 1, "direction": [0, 0, 0]}, "direction", "direction", "is zero"),
    "zero axis": ({**POINT, "axis": [0, 0, 0]}, "axis", "direction", "is zero"),
    "wrong key": ({**SPRING, "stifness": 1}, "stifness", "unknown-key", "did you mean 'stiffness'?"),
    "key of another type": ({"type": "damper", "to": "bead", "damping": 1, "length": 1}, "length", "unknown-key", ""),
    "unknown end": ({**SPRING, "to": "beed"}, "to", "reference", "there is no body 'beed'; did you mean 'bead'?"),
    "part by its name": ({**SPRING, "to": "part"}, "to", "reference", "did you mean 'brick/part'?"),
    "drag without a coefficient": (
        {"type": "drag", "medium": "drum"},
        *("", "missing-key", "neither 'linear' nor 'quadratic' is given; give at least one of them"),
    ),
    "a radius without j2": ({**POINT, "radius": 1}, "radius", "missing-key", "'radius' is given without 'j2'"),
    "an axis without j2": ({**POINT, "axis": [0, 0, 1]}, "axis", "missing-key", "'axis' is given without 'j2'"),
    "unknown medium": (
        {"type": "drag", "linear": 1, "medium": "air"},
        "medium",
        "reference",
        "there are: world, brick, brick/",
    ),
    "unknown center": ({**POINT, "center": "drun"}, "center", "reference", "did you mean 'drum'?"),
    "unknown frame": ({"force": [1, 0, 0], "frame": "boddy"}, "frame", "reference", "did you mean 'body'?"),
    "frame is a number": ({"force": [1, 0, 0], "frame": 3}, "frame", "not-text", "expected text, got 3"),
    "seen body": ({"force": ['= x("bed")', 0, 0]}, "force[0]", "reference", "did you mean 'bead'?"),
    "body seen by a stiffness": (
        {**SPRING, "stiffness": '= x("bed")'},
        "stiffness",
        "reference",
        "did you mean 'bead'?",
    ),
    "seen from": ({"force": [0, '= v_x("bead", "drm")', 0]}, "force[1]", "reference", "did you mean 'drum'?"),
    "throttled by": (
        {"type": "thruster", "thrust": 1, "direction": [1, 0, 0], "throttle": '= x("bed")'},
        *("throttle", "reference", "did you mean 'bead'?"),
    ),
    "spring to itself": (
        {**SPRING, "to": "brick"},
        "to",
        "force",
        "the body itself; a spring between a body and itself has no effect",
    ),
    "drag in itself": ({"type": "drag", "linear": 1, "medium": "brick"}, "medium", "force", "the body itself"),
    "attracts itself": ({**POINT, "center": "brick/part"}, "center", "gravity", "does not attract itself"),
    "turns a particle": (
        {"type": "torsion_spring", "to": "bead", "stiffness": 1},
        *("to", "inertia", "'bead' is a particle, which does not rotate"),
    ),
    "pulls a particle aside": (
        {**SPRING, "to": "bead", "to_at": [1, 0, 0]},
        "to_at",
        "inertia",
        "a force must act at its centre of mass",
    ),
    "pulls a particle's hook": (
        {**SPRING, "to": "bead/hook"},
        "to",
        "inertia",
        "a force must act at its centre of mass",
    ),
}


@pytest.mark.parametrize(("force", "key", "code", "words"), FORCES.values(), ids=FORCES)
def test_force_refused(problem, force, key, code, words):
    only = problem(scene_with(forces=[{"force": [1, 0, 0]}, force]))
    assert (only.code, only.path) == (code, "bodies.brick.forces[1]" + (f".{key}" if key else ""))
    assert words in f"{only.message}; {only.hint}"


@pytest.mark.parametrize("force", [
    {**SPRING, "to": "bead"}, {**SPRING, "to": "bead", "to_at": [0, 0, 0]}, {**SPRING, "to": "brick/part"},
    {**SPRING, "to": "bead/hook", "to_at": [0, -1, 0]}, {"type": "damper", "to": "drum/pin", "damping": 0},
    {"force": [1, 0, 0], "frame": "drum"}, {"force": ['= x("self", "parent") + y("bead", "world")', 0, 0]},
    {**POINT, "center": "drum/ball"}, {**POINT, "j2": 0, "softening": 1},
])  # fmt: skip
def test_force_allowed(force):
    Scene.from_dict(scene_with(forces=[force]))


def test_a_complaint_stands_where_the_type_is(problem):
    text = "format: rigidsim/1\nsimulation: {duration: 1, step: 0.1}\nbodies:\n  b:\n    mass: 1\n    inertia: point\n"
    only = problem(f"{text}    forces:\n      - {{to: world, type: sprin, stiffness: 1}}\n")
    assert (only.path, only.line, only.column) == ("bodies.b.forces[0].type", 8, 27)
    assert only.hint == "did you mean 'spring'?"


@pytest.mark.parametrize(("key", "what"), [("forces", [SPRING]), ("impulses", [{"time": 0, "impulse": [1, 0, 0]}])])
def test_nothing_acts_on_what_is_held(problem, key, what):
    written = scene_with()
    written["bodies"]["drum"]["children"]["pin"][key] = what
    only = problem(written)
    assert (only.code, only.path) == ("force", f"bodies.drum.children.pin.{key}")
    assert "has no effect here: the prescribed motion holds this body" in only.message


@pytest.mark.parametrize(
    ("load", "key", "words"),
    [
        ({"torque": [0, 0, 1]}, "torque", "angular impulse cannot act on it"),
        ({"torque": [0, 0, "= t"]}, "torque", "angular impulse cannot act on it"),
        ({"force": [1, 0, 0], "at": [0, 1, 0]}, "at", "must act at its centre of mass"),
        ({"force": ["= t", 0, 0], "at": [0, 1, 0]}, "at", "must act at its centre of mass"),
        ({**SPRING, "at": [0, 1, 0]}, "at", "must act at its centre of mass"),
        ({"type": "drag", "linear": 1, "at": [0, 1, 0]}, "at", "must act at its centre of mass"),
        ({"type": "thruster", "thrust": 1, "direction": [1, 0, 0], "at": [0, 1, 0]}, "at", "at its centre of mass"),
        ({"type": "torsion_spring", "to": "brick", "stiffness": 1}, "", "a torque cannot act on it"),
        ({"type": "gravity_gradient", "center": "drum", "gm": 1}, "", "a torque cannot act on it"),
    ],
)
def test_a_particle_takes_no_torque(problem, load, key, words):
    written = scene_with()
    written["bodies"]["bead"]["forces"] = [load]
    only = problem(written)
    assert (only.code, only.path) == ("inertia", "bodies.bead.forces[0]" + (f".{key}" if key else ""))
    assert words in only.message


IMPULSES = {
    "empty": ({"time": 0}, "", "missing-key", "neither 'impulse' nor 'angular_impulse'"),
    "no time": ({"impulse": [1, 0, 0]}, "time", "missing-key", "'time' is missing"),
    "too early": ({"time": -1, "impulse": [1, 0, 0]}, "time", "negative", "must not be negative, got -1"),
    "frame": ({"time": 0, "impulse": [1, 0, 0], "frame": "bord"}, "frame", "reference", "there is no body 'bord'"),
    "varies": ({"time": 0, "impulse": ["= t", 0, 0]}, "impulse[0]", "expression", "'t' cannot be used here"),
    "name": ({"time": 0, "impulse": [1, 0, 0], "name": "a\x1b[31m"}, "name", "character", "U+001B"),
    "unit": ({"time": 0, "impulse": ["1 N", 0, 0]}, "impulse[0]", "unit", "impulse (N*s) is expected"),
}


@pytest.mark.parametrize(("impulse", "key", "code", "words"), IMPULSES.values(), ids=IMPULSES)
def test_impulse_refused(problem, impulse, key, code, words):
    only = problem(scene_with(impulses=[impulse]))
    assert (only.code, only.path) == (code, "bodies.brick.impulses[0]" + (f".{key}" if key else ""))
    assert words in f"{only.message}; {only.hint}"


def test_a_particle_takes_no_angular_impulse(problem):
    written = scene_with()
    written["bodies"]["bead"]["impulses"] = [{"time": 0, "angular_impulse": [0, 0, 1]}]
    only = problem(written)
    assert (only.code, only.path) == ("inertia", "bodies.bead.impulses[0].angular_impulse")


def test_only_a_free_body_inherits_impulses(problem):
    written = scene_with()
    written["bodies"]["drum"]["inherit_impulses"] = True
    assert problem(written).path == "bodies.drum.inherit_impulses"


def test_what_comes_after_the_end_is_reported():
    written = scene_with(
        forces=[{"force": [1, 0, 0], "during": [1, 2]}, {"force": [1, 0, 0], "during": [0.5, 99]}],
        impulses=[{"time": 1, "impulse": [1, 0, 0]}, {"time": 1.5, "impulse": [1, 0, 0]}],
        reparent=[{"body": "bead", "to": "drum", "time": 3}],
    )
    assert Scene.from_dict(written).warnings == (
        "bodies.brick.forces[0].during: it begins at 1 s, but the simulation ends at 1 s",
        "bodies.brick.impulses[1].time: at 1.5 s it is too late: the simulation ends at 1 s",
        "reparent[0].time: at 3 s it is too late: the simulation ends at 1 s",
    )


def moved(body: str, to: str, time: float = 0.5, **more) -> dict:
    return {"body": body, "to": to, "time": time, **more}


REPARENTINGS = {
    "unknown body": ([moved("bred", "drum")], "[0].body", "reference", "did you mean 'bead'?"),
    "unknown parent": ([moved("bead", "drun")], "[0].to", "reference", "did you mean 'drum'?"),
    "too early": ([moved("bead", "drum", -1)], "[0].time", "negative", "must not be negative"),
    "no body": ([{"to": "drum", "time": 0}], "[0].body", "missing-key", "is missing"),
    "word": ([moved("bead", "drum", motion="glued")], "[0].motion", "motion", "write free, fixed, or a joint: hinge"),
    "to itself": ([moved("bead", "bead")], "[0].to", "reparent", "'bead' is the body itself"),
    "to its own": (
        [moved("brick", "brick/part")],
        "[0].to",
        "reparent",
        "'brick/part' is a descendant of 'brick' itself",
    ),
    "to what hangs on it by then": (
        [moved("bead", "brick", 0.2), moved("brick", "bead", 0.4)],
        *("[1].to", "reparent", "'bead' is a descendant of 'brick' itself"),
    ),
    "in order of time": (
        [moved("brick", "bead", 0.4), moved("bead", "brick", 0.2)],
        *("[0].to", "reparent", "'bead' is a descendant of 'brick' itself"),
    ),
    "prescribed": ([moved("drum", "brick")], "[0].body", "reparent", "is prescribed, so its parent cannot change"),
    "massless and free": ([moved("brick/part", "world")], "[0].body", "reparent", "has no mass, so it cannot be free"),
    "mass to the world": (
        [moved("brick", "world", motion="fixed")],
        *("[0].to", "reparent", "a mass can be fixed to a free body only, not to the world"),
    ),
    "mass to a motion": ([moved("bead", "drum/pin", motion="fixed")], "[0].to", "reparent", "to a free body only"),
    "fixed already": ([moved("brick/load", "bead", motion="fixed")], "[0].motion", "reparent", "is already fixed"),
    "forces that would be held": (
        [moved("brick/arm", "drum", motion="fixed")],
        *("[0].to", "reparent", "the loads on 'brick/arm/jet' would have no effect there: 'drum' holds it"),
    ),
}


@pytest.mark.parametrize(("events", "place", "code", "words"), REPARENTINGS.values(), ids=REPARENTINGS)
def test_reparenting_refused(problem, events, place, code, words):
    written = scene_with(reparent=events)
    jet = {"position": [0, 0, 1], "forces": [{"force": [1, 0, 0]}]}
    written["bodies"]["brick"]["children"]["arm"] = {"children": {"jet": jet}}
    only = problem(written)
    assert (only.code, only.path) == (code, f"reparent{place}")
    assert words in f"{only.message}; {only.hint}"


@pytest.mark.parametrize("events", [
    [moved("bead", "drum"), moved("bead", "brick", 0.7, motion="fixed"), moved("bead", "world", 0.9)],
    [moved("brick/load", "world"), moved("brick/load", "bead", motion="fixed")],
    [moved("brick/part", "drum/pin", motion="fixed")],
    [moved("brick", "bead", 0.2), moved("brick", "world", 0.3), moved("bead", "brick", 0.4)],
])  # fmt: skip
def test_reparenting_allowed(events):
    Scene.from_dict(scene_with(reparent=events))


TWO = "mutual_gravity.bodies"
GRAVITY = {
    "center": ({"gravity": {"center": "drm", "gm": 1}}, "gravity.center", "reference", "did you mean 'drum'?"),
    "point": ({"gravity": {"center": [0, 0], "gm": 1}}, "gravity.center", "length", "expected 3 values"),
    "flat": ({"gravity": {"center": "drum", "gm": 1, "j2": 1}}, "gravity.j2", "missing-key", "without 'radius'"),
    "round": ({"gravity": {"center": "drum", "gm": 1, "radius": 1}}, "gravity.radius", "missing-key", "without 'j2'"),
    "missing": ({"gravity": {"gm": 1}}, "gravity.center", "missing-key", "is missing"),
    "path": ({"mutual_gravity": {"bodies": ["brick", "bed"]}}, f"{TWO}[1]", "reference", "mean 'bead'"),
    "held": ({"mutual_gravity": {"bodies": ["brick", "drum"]}}, f"{TWO}[1]", "gravity", "not moved by forces"),
    "one": ({"mutual_gravity": {"bodies": ["brick"]}}, TWO, "gravity", "mutual gravity needs at least two bodies"),
    "twice": ({"mutual_gravity": {"bodies": ["bead", "bead"]}}, f"{TWO}[1]", "gravity", "occurs twice"),
    "constant": ({"mutual_gravity": {"constant": 0}}, "mutual_gravity.constant", "not-positive", "greater than zero"),
}


@pytest.mark.parametrize(("world", "place", "code", "words"), GRAVITY.values(), ids=GRAVITY)
def test_gravity_refused(problem, world, place, code, words):
    only = problem(scene_with(world=world))
    assert (only.code, only.path) == (code, f"world.{place}")
    assert words in f"{only.message}; {only.hint}"


MOTIONS = {
    "an order beside an angle": (
        {"orientation": {"axis": [0, 0, 1], "angle": "= t", "order": "xyz"}},
        *(".orientation.order", "unknown-key", "unknown key 'order'; allowed keys: axis, angle"),
    ),
    "an angle beside an order": (
        {"orientation": {"euler": ["= t", 0, 0], "order": "xyz", "angle": 1}},
        *(".orientation.angle", "unknown-key", "unknown key 'angle'; allowed keys: euler, order"),
    ),
    "rate of a position": (
        {"position": ["= t", 0, 0], "velocity": [1, 0, 0]},
        *(".velocity", "motion", "both 'position' and 'velocity' are given"),
    ),
    "rate of an orientation": (
        {"orientation": {"axis": [0, 0, 1], "angle": "= t"}, "angular_velocity": [0, 0, 1]},
        *(".angular_velocity", "motion", "both 'orientation' and 'angular_velocity' are given"),
    ),
    "derivative of a rate": (
        {"velocity": ["= t", 0, 0], "acceleration": [1, 0, 0]},
        *(".acceleration", "motion", "'acceleration' is its derivative"),
    ),
    "axes of a rate": (
        {"angular_velocity": {"frame": "body", "value": [0, 0, "= t"]}},
        *(".angular_velocity", "motion", "is in the parent's axes"),
    ),
    "state": ({"position": ["= x", 0, 0]}, ".position[0]", "expression", "'x' cannot be used here"),
    "quaternion": ({"orientation": {"wxyz": [1, 0, 0, 0]}}, ".orientation", "orientation", "as a function of time"),
    "zero axis": ({"orientation": {"axis": [0, 0, 0], "angle": 1}}, ".orientation.axis", "direction", "is zero"),
    "order": ({"orientation": {"euler": [0, 0, "= t"], "order": "xxz"}}, ".orientation.order", "", ""),
    "unit": ({"position": ["= t", "1 deg", 0]}, ".position[1]", "unit", "length (m) is expected"),
}


@pytest.mark.parametrize(("motion", "key", "code", "words"), MOTIONS.values(), ids=MOTIONS)
def test_motion_refused(problem, motion, key, code, words):
    written = scene_with()
    written["bodies"]["drum"]["motion"]["prescribed"] = motion
    only = problem(written)
    assert only.path == f"bodies.drum.motion.prescribed{key}"
    assert only.code == code or not code
    assert words in f"{only.message}; {only.hint}"


@pytest.mark.parametrize(
    "force",
    [{"type": "drag", "quadratic": 0}, {**POINT, "j2": 0, "radius": 1}, {**POINT, "j2": 0, "axis": [0, 1, 0]}],
)
def test_what_is_given_as_zero_is_given(force):
    Scene.from_dict(scene_with(forces=[force]))


def test_a_position_is_prescribed_once(problem):
    written = scene_with()
    written["bodies"]["drum"] = {"position": [1, 0, 0], "motion": {"prescribed": {"position": ["= t", 0, 0]}}}
    only = problem(written)
    assert (only.code, only.path) == ("motion", "bodies.drum.position")
    assert only.hint == "put the whole position under motion.prescribed.position"


# --- a step too long for a spring


def warned(step: float, forces: list, **more) -> list[str]:
    written = scene_with(forces=forces, **more)
    del written["bodies"]["brick"]["children"]  # 1 kg, and 1 kg m^2 about any axis
    written["simulation"]["step"] = step
    return list(Scene.from_dict(written).warnings)


STIFF = [
    # (force, its rate, rad/s)
    ({**SPRING, "stiffness": 400}, 20),
    ({**SPRING, "to": "drum", "stiffness": 400}, 20),
    ({**SPRING, "to": "bead", "stiffness": 200}, 20),
    ({"type": "torsion_spring", "to": "drum", "stiffness": 400}, 20),
    ({"type": "torsion_spring", "to": "drum/ball", "stiffness": 200}, 20),
    ({"type": "torsion_spring", "to": "drum", "stiffness": 400, "axis": [0, 0, 5]}, 20),
]


@pytest.mark.parametrize(("force", "rate"), STIFF)
def test_a_step_too_long_for_a_spring(force, rate):
    """Half a radian a step: 25 ms at 20 rad/s; 0.1 rad is advised, 5 ms."""
    assert rate == 20
    assert not warned(0.02, [force])
    message = "a step of 0.05 s is long for a spring with a period of 0.314 s; use at most 0.005 s"
    assert warned(0.05, [force]) == [f"bodies.brick.forces[0]: {message}"]


def test_the_inertia_about_the_axis_is_what_counts():
    spring = {"type": "torsion_spring", "to": "world", "stiffness": 400}
    heavy = {"inertia": {"principal": [1, 16, 16]}}
    assert warned(0.05, [spring], **heavy)
    assert warned(0.05, [{**spring, "axis": [1, 0, 0]}], **heavy)
    assert not warned(0.05, [{**spring, "axis": [0, 1, 0]}], **heavy)


def test_a_spring_within_one_body_never_swings():
    scene = Scene.from_dict(scene_with(forces=[{**SPRING, "to": "brick/part", "stiffness": 1e9}]))
    assert not any("period" in warning for warning in scene.warnings)


def test_a_rest_orientation_that_was_not_quite_a_unit_quaternion_is_reported(scene):
    assert scene.warnings == ("bodies.ship.forces[4].rest.wxyz: the quaternion of norm 0.99999041 was normalised",)
