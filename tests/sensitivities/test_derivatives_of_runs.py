"""Derivatives of runs beside closed forms, of which dual numbers give those of the same parameters."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import rigidsim
from rigidsim.containers.dual import acos, atan, cos, jacobian, sin, sqrt
from rigidsim.errors import UsageError
from rigidsim.scene import Scene
from rigidsim.sensitivities.simulation import differentiating
from rigidsim.trajectory.trajectory import Trajectory

BALL = """
format: rigidsim/1
parameters: {e: 0.8, g: 9.81, h: 100 cm}
simulation: {duration: 1.5, step: 1e-3, record_every: 0.01}
world: {gravity: [0, 0, "= -g"]}
bodies:
  floor: {shapes: [{type: plane}], material: {restitution: "= e", friction: 0.1}}
  ball:
    mass: 1
    position: [0, 0, "= h + 0.05"]
    shapes: [{type: sphere, radius: 0.05}]
    material: {restitution: "= e", friction: 0.1}
metrics: {last: '= final(z("ball"))', top: '= max(speed("ball"))'}
"""
DOOR = """
format: rigidsim/1
parameters: {open: 90 deg, closer: 25, e: 0.4, mass: 30}
simulation: {duration: 3.2, step: 2e-3, record_every: 0.1, integrator: taylor}
bodies:
  door:
    mass: "= mass"
    center_of_mass: [0.45, 0, 0]
    inertia: {principal: [2, 2, "= mass/12"]}
    motion:
      hinge:
        axis: [0, 0, 1]
        angle: "= open"
        limits: [0, 3]
        restitution: "= e"
        spring: {stiffness: "= closer", rest: -0.35}
metrics: {angle: '= final(angle("door"))'}
"""
RELEASED = """
format: rigidsim/1
parameters: {turn: 0.7, reach: 2, until: 0.5, mass: 1}
simulation: {duration: 1.2, step: 1e-3, record_every: 0.1}
bodies:
  arm:
    mass: "= 3*mass"
    inertia: {principal: [1, 1, 1]}
    angular_velocity: [0, 0, "= turn"]
    children:
      stone: {mass: "= mass", inertia: {principal: [1, 1, 1]}, position: ["= reach", 0, 0], motion: fixed}
reparent: [{body: arm/stone, to: world, time: "= until", motion: free}]
"""
ORBIT = """
format: rigidsim/1
parameters: {gm: 1.2, e: 0.6, a: 1.1}
simulation: {duration: 21, step: 1e-2, record_every: 1, integrator: {name: taylor, tolerance: 1e-15}}
world: {gravity: {center: [0, 0, 0], gm: "= gm"}}
bodies:
  moon: {mass: 1, inertia: point, position: ["= a*(1 - e)", 0, 0], velocity: [0, "= sqrt(gm/a*(1 + e)/(1 - e))", 0]}
"""


def derivatives(text: str, *names: str, **changes) -> Trajectory:
    return rigidsim.simulate(Scene.from_text(text, overrides=list(changes.items())), derivatives=names)


def error_of(trajectory: Trajectory, found, exact: list[list[float]]) -> float:
    """The largest error relative to the largest derivative; `found` takes what it is the derivative of."""
    rates = np.array([found(trajectory.derivative(name)) for name in trajectory.parameters]).T
    return float(np.max(np.abs(rates - exact)) / np.max(np.abs(exact)))


def flights(x: list) -> list:
    """Height and time of the last impact of a ball that falls from h, 1.5 s later."""
    e, g, h = x
    t, v = sqrt(2.0 * h / g), e * sqrt(2.0 * g * h)
    while t + 2.0 * v / g < 1.5:
        t, v = t + 2.0 * v / g, e * v
    return [v * (1.5 - t) - 0.5 * g * (1.5 - t) * (1.5 - t), t]


@pytest.mark.slow  # compiles contact
def test_a_bouncing_ball():
    """Measured: 3e-14."""
    names = "e", "g", "h"
    found, plain = derivatives(BALL, *names), rigidsim.simulate(Scene.from_text(BALL))
    exact = np.array(jacobian(flights, [0.8, 9.81, 1.0]))

    def rates(one):
        assert one.metrics["last"] == one["ball"].world.position[-1, 2]
        return [one["ball"].world.position[-1, 2], one.events["time"][-1]]

    assert found.content_hash == plain.content_hash
    assert error_of(found, rates, exact) < 1e-12
    assert error_of(found, lambda one: [one.metrics["top"]], [[0.0, 0.45, 0.0]]) < 1e-12  # g t, the last sample before


ROLLING = """
format: rigidsim/1
parameters: {mu: 0.2, v: 2.0, g: 9.81}
simulation: {duration: 0.8, step: 1e-3, record_every: 0.1, contact: events}
world: {gravity: [0, 0, "= -g"]}
bodies:
  floor: {shapes: [{type: plane}], material: {friction: "= mu", restitution: 0}}
  ball:
    mass: 1
    position: [0, 0, 0.1]
    velocity: ["= v", 0, 0]
    shapes: [{type: sphere, radius: 0.1}]
    material: {friction: "= mu", restitution: 0}
metrics: {x: "= final(x('ball'))", w: "= final(omega_y('ball'))"}
"""


@pytest.mark.slow  # compiles contact
@pytest.mark.parametrize("mode", ["events", "stepping"])
def test_a_ball_slides_then_rolls(mode):
    """It rolls from t = 2 v/(7 mu g) on, with 5 v/7. Measured: 3e-15 by events; by steps 5.7e-4, 2.8e-4, 1.4e-4 at 1,
    0.5 and 0.25 ms: of first order, because the end of sliding is not located.
    """

    def end(x):
        mu, v, g = x
        t = 2.0 * v / (7.0 * mu * g)
        return [v * t - 0.5 * mu * g * t * t + 5.0 * v / 7.0 * (0.8 - t), 50.0 * v / 7.0]

    exact, errors = np.array(jacobian(end, [0.2, 2.0, 9.81])), []
    for step in (1e-3, 5e-4):
        found = derivatives(ROLLING, "mu", "v", "g", **{"simulation.contact": mode, "simulation.step": step})
        errors.append(error_of(found, lambda one: [one.metrics["x"]], exact[:1]))
        assert error_of(found, lambda one: [one.metrics["w"]], exact[1:]) < 1e-11
    assert max(errors) < 1e-12 if mode == "events" else 1.5 < errors[0] / errors[1] < 2.5


def swings(x: list) -> list:
    """The angle of the door after 3.2 s, and the times of its impacts."""
    start, closer, e, mass = x
    w = sqrt(closer / (mass / 12.0 + mass * 0.45 * 0.45))
    times, v, r = [], w * sqrt((start + 0.35) * (start + 0.35) - 0.35 * 0.35), 0.35
    t = acos(r / (start + r)) / w
    while t < 3.2:
        times, v = [*times, t], e * v
        t = t + 2.0 * atan(v / (w * r)) / w
    s = 3.2 - times[-1]
    return [r * cos(w * s) + v / w * sin(w * s) - r, *times]


@pytest.mark.slow  # compiles stops
def test_a_door_that_rebounds_from_its_stop():
    """Measured: 9e-14."""
    values = [np.pi / 2, 25.0, 0.4, 30.0]
    found = derivatives(DOOR, "open", "closer", "e", "mass", e=0.4)
    exact, count = np.array(jacobian(swings, values)), len(swings(values)) - 1
    assert count >= 3 and len(found.events.columns["events/time"]) == count
    assert error_of(found, lambda one: [one.metrics["angle"], *one.events["time"]], exact) < 1e-12


@pytest.mark.parametrize("until", [0.5, 0.5003, 0.7])  # at a step, inside one, at a sample
def test_the_time_of_a_reparenting(until):
    """Measured: 2e-11. A stone leaves a turning arm of three times its mass."""

    def place(x):
        w, r, t = x
        centre, far, c, s, rest = 0.25 * r, 0.75 * r, cos(w * t), sin(w * t), 1.2 - t
        return [centre + far * (c - w * s * rest), w * centre * 1.2 + far * (s + w * c * rest), 0.0]

    found = derivatives(RELEASED, "turn", "reach", "until", until=until)
    exact = np.array(jacobian(place, [0.7, 2.0, until]))
    assert error_of(found, lambda one: one["arm/stone"].world.position[-1], exact) < 1e-10
    assert found.derivative("until").events["time"] == pytest.approx([1.0], abs=1e-12)
    before = found.time < until - 0.05
    assert np.abs(found.derivative("until")["arm/stone"].world.position[before]).max() == 0.0


@pytest.mark.parametrize("speed", ["{value: 3.6, unit: km/h}", "3.6 km/h", "{value: 3.6 km/h}", "1"])
def test_a_derivative_is_per_si_unit_however_the_number_is_written(speed):
    body = "b: {mass: 1, inertia: point, velocity: ['= v', 0, 0]}"
    timing = "{duration: 2, step: 0.5, record_every: 2}"
    found = derivatives(
        f"format: rigidsim/1\nparameters: {{v: {speed}}}\nsimulation: {timing}\nbodies: {{{body}}}", "v"
    )
    assert found.derivative("v")["b"].world.position[-1, 0] == pytest.approx(2.0, rel=1e-13)


def test_an_orbit():
    """Measured: 1e-11, of three turns; x' grows with the time."""

    def place(x):
        gm, e, a = x
        mean = 21.0 * sqrt(gm / (a * a * a))
        angle = mean
        for _ in range(60):
            angle = angle - (angle - e * sin(angle) - mean) / (1.0 - e * cos(angle))
        return [a * (cos(angle) - e), a * sqrt(1.0 - e * e) * sin(angle), 0.0]

    found = derivatives(ORBIT, "gm", "e", "a")
    exact = np.array(jacobian(place, [1.2, 0.6, 1.1]))
    assert error_of(found, lambda one: one["moon"].world.position[-1], exact) < 1e-10


def test_derivatives_are_in_the_file(tmp_path):
    found = derivatives(RELEASED, "turn", "until")
    plain = rigidsim.simulate(Scene.from_text(RELEASED))
    assert plain.parameters == () and found.parameters == ("turn", "until")
    found.save(tmp_path / "a.h5")
    plain.save(tmp_path / "b.h5")
    with rigidsim.load(tmp_path / "a.h5") as stored, rigidsim.load(tmp_path / "b.h5") as other:
        assert stored.content_hash == other.content_hash == found.content_hash
        assert stored.parameters == found.parameters
        for name in found.parameters:
            mine, theirs = found.derivative(name), stored.derivative(name)
            assert mine.value == theirs.value and mine.metrics == theirs.metrics
            assert mine.arrays.keys() == theirs.arrays.keys()
            for part in mine.arrays:
                np.testing.assert_array_equal(mine.arrays[part], theirs.arrays[part])
    damage(tmp_path / "a.h5")
    with rigidsim.load(tmp_path / "a.h5") as stored, pytest.raises(rigidsim.RigidsimError, match="derivatives/turn"):
        stored.derivative("turn")


def damage(path) -> None:
    import h5py

    with h5py.File(path, "r+") as file:
        file["derivatives/turn/world/position"][3, 0, 0] += 1e-9


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["nothing"], "'nothing' is not in the scene"),
        (["turn", "turn"], "'turn' is named twice"),
        (["simulation.duration"], "changes the steps or the times of the samples"),
        (["simulation.step"], "changes the steps or the times of the samples"),
        (["bodies.arm.children.stone.position"], "is a list, not a number"),
        (["reparent.0.time"], "is an expression, = until; name a parameter in it"),
        ("turn", "derivatives must be a list"),
    ],
)
def test_what_has_no_derivative_is_refused(names, message):
    with pytest.raises(UsageError, match=message):
        rigidsim.simulate(Scene.from_text(RELEASED), derivatives=names)


def test_a_derivative_has_the_motions_that_were_recorded():
    found = derivatives(RELEASED, "turn").derivative("turn")
    assert found["arm"].world.orientation.shape == found["arm"].local.orientation.shape == (13, 4)
    assert np.all(np.diff(found["arm"].world.orientation[:, 3]) > 0.0)
    with pytest.raises(UsageError, match="motions in the world"):
        found["arm/stone"].seen_from("arm")
    assert all(a < b for a, b in pairwise(found.time))


def test_constant_forces_torques_and_thrusters():
    """x = F t^2/2m, the angle M t^2/2I, in the axes of the world: polynomials, which the method has exactly."""
    text = """
format: rigidsim/1
parameters: {push: 1, turn: 0.5, thrust: 2}
simulation: {duration: 1, step: 10 ms}
bodies:
  cart:
    mass: 2
    inertia: {principal: [1, 1, 1]}
    forces:
      - {force: ["= push", 0, 0], torque: [0, 0, "= turn"], frame: world}
      - {type: thruster, thrust: "= thrust", direction: [0, 0, 1]}
metrics: {x: "= final(x('cart'))", z: "= final(z('cart'))", rate: "= final(omega_z('cart'))"}
"""
    run = rigidsim.simulate(Scene.from_text(text), derivatives=["push", "turn", "thrust"])
    found = [[run.derivative(name).metrics[metric] for metric in "xz"] for name in ("push", "thrust")]
    np.testing.assert_allclose(found, [[0.25, 0.0], [0.0, 0.25]], rtol=1e-12, atol=1e-15)
    assert run.derivative("turn").metrics["rate"] == pytest.approx(1.0, rel=1e-12)


def test_the_corners_of_hulls_beside_meshes():
    """Steps read copies of the corners; these vary as the hull does. Nothing is compiled."""
    scene = Scene.from_text(
        """
format: rigidsim/1
parameters: {size: 0.1}
simulation: {duration: 0.1, step: 1e-2}
bodies:
  ground: {shapes: [{type: terrain, spacing: 2, heights: [[0, 0], [0, 0]]}]}
  stone:
    position: [1, 1, 1]
    shapes:
      - {type: hull, points: [["= size", 0, 0], [0, 0.1, 0], [0, 0, 0.1], [-0.1, -0.1, -0.1]], density: 1000}
"""
    )
    (simulation,) = differentiating(scene, ["size"])
    run = simulation._run
    own = run.rates(run.model.contacts.corner)
    assert abs(own).max() > 0.1
    for convex in (run.contacts.arrays.points.convex, run.contacts.arrays.impacts.near.convex):
        assert np.array_equal(run.rates(convex.corner)[: len(own)], own)
