"""Contact together with the rest of a scene: planar scenes, particles, reparentings, impulses, windows of forces,
callbacks, other integrators, sensors and groups.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

import rigidsim
from contact_scenes import DOWN, STEPPING, G, ball, block, collide, floor, tilted, touching
from support.scenes import make_scene

FREE = [0, 0, 0]


def wall(restitution: float = 0.0, friction: float = 0.5) -> dict:
    """The half space x > 1."""
    plane = {"type": "plane", "normal": [-1, 0, 0], "offset": -1}
    return {"shapes": [plane], "material": {"restitution": restitution, "friction": friction}}


def test_in_a_planar_scene_nothing_leaves_the_plane():
    """Balls at different heights, a box, a floor below: motion in the plane, turns about its normal, exactly."""
    how = {"restitution": 0.8, "friction": 0.3}
    bodies = {
        "floor": floor(),
        "wall": wall(),
        "low": ball(0.2, at=(-1, 0, 0.2), velocity=[2, 0.3, 0], **how),
        "high": ball(0.2, at=(0, 0.1, 0.35), angular_velocity=[0, 0, 4], **how),
        "box": block((0.3, 0.5, 0.2), 2, at=(0.6, 0.1, 0.4), orientation={"axis": [0, 0, 1], "angle": 0.3}, **how),
    }
    trajectory = collide(bodies, duration=1.5, step=2e-3, record_every=0.01, plane=[0, 0, 1])
    for name in ("low", "high", "box"):
        motion = trajectory[name].world
        assert np.ptp(motion.position[:, 2]) == 0.0
        assert np.all(motion.velocity[:, 2] == 0.0)
        assert np.all(motion.angular_velocity[:, :2] == 0.0)
        assert np.all(motion.orientation[:, 1:3] == 0.0)
    assert trajectory["box"].world.angular_velocity[-1, 2] != 0.0
    total = trajectory.total_energy
    assert np.abs(total - total[0]).max() <= 1e-12 * total[0]


@pytest.mark.parametrize(("friction", "across"), [(0.1, 2.64), (0.5, 15 / 7)])
def test_an_oblique_impact_in_the_plane(friction, across):
    """As in space: the moment about the normal of the plane is the one that counts."""
    struck = ball(0.1, at=(0.7, 0, 3), restitution=0.8, friction=friction, velocity=[2, 3, 0])
    trajectory = collide({"wall": wall(0.0, friction), "ball": struck}, duration=0.2, step=1e-3, plane=[0, 0, 1])
    motion = trajectory["ball"].world
    assert motion.velocity[-1] == pytest.approx([-1.6, across, 0], abs=1e-9)
    assert 0.1 * motion.angular_velocity[-1, 2] == pytest.approx(-2.5 * (3 - across), abs=1e-9)


@pytest.mark.parametrize(("friction", "across"), [(0.1, 2.64), (5, 0.0)])
def test_a_particle_does_not_turn(friction, across):
    """It keeps no tangential velocity if it sticks, and loses mu (1 + e) v_n if it slips."""
    struck = ball(0.1, at=(0.7, 0, 0), restitution=0.8, friction=friction, velocity=[2, 3, 0], inertia="point")
    trajectory = collide({"wall": wall(0.0, friction), "ball": struck}, duration=0.2, step=1e-3, gravity=FREE)
    assert trajectory["ball"].world.velocity[-1] == pytest.approx([-1.6, across, 0], abs=1e-9)
    assert np.all(trajectory["ball"].world.angular_velocity == 0.0)


def scene_with_events(bodies: dict, *, reparent=(), **how) -> rigidsim.Scene:
    """A scene with reparentings."""
    scene = touching(bodies, **how).resolved()
    return rigidsim.Scene.from_dict(scene | {"reparent": list(reparent)})


def test_what_overlaps_when_it_is_released_collides_once_it_has_been_apart():
    """A shell fixed in a block is released at rest relative to it; pulled out of it by gravity alone, it is not thrown.
    Thrown back at the block, it is stopped by it.
    """
    shell = ball(0.1, 0.5, at=(0, 0, 0.3)) | {"motion": "fixed"}
    bodies = {"block": block((1, 1, 0.5), 5, at=(0, 0, 3), gravity=False, children={"shell": shell})}
    release = {"body": "block/shell", "to": "world", "time": 0.1, "motion": "free"}
    scene = scene_with_events(bodies, reparent=[release], duration=0.4, step=0.01, record_every=0.01, gravity=[0, 0, 5])
    trajectory = rigidsim.simulate(scene)
    t = trajectory.time
    after = t > 0.1
    rise = trajectory["block/shell"].world.velocity[after, 2]
    assert np.abs(rise - 5 * (t[after] - 0.1)).max() <= 1e-9
    assert np.abs(trajectory["block"].world.velocity).max() <= 1e-9


def test_impulse_reparenting_and_contact_at_one_instant():
    """First the reparenting, then the impulse, then contact: a plate becomes part of what is struck onto the floor."""
    plate = block((0.4, 0.4, 0.1), 1, at=(0, 0, 0.25))
    base = block((0.4, 0.4, 0.4), 3, at=(0, 0, 0.2)) | {
        "impulses": [{"time": 0.05, "impulse": [0, 0, -6], "angular_impulse": [0, 0, 0.1]}]
    }
    bodies = {"floor": floor(), "base": base, "plate": plate | {"position": [0, 0, 0.45]}}
    join = {"body": "plate", "to": "base", "time": 0.05, "motion": "fixed"}
    scene = scene_with_events(bodies, reparent=[join], duration=0.2, step=0.01, record_every=0.01)
    trajectory = rigidsim.simulate(scene)
    assert [event.cause for event in trajectory.events if event.time == 0.05][:2] in (
        ["reparent", "impulse"],
        ["reparenting", "impulse"],
    )
    assert np.abs(trajectory["base"].world.velocity[-1]).max() <= 1e-3
    assert trajectory["base"].world.position[-1, 2] == pytest.approx(0.2, abs=1e-4)
    assert np.abs(trajectory["plate"].seen_from("base").position - [0, 0, 0.25])[-1].max() <= 1e-4
    total = trajectory.total_energy
    assert np.abs(total - total[0]).max() <= 1e-12


@pytest.mark.parametrize("integrator", ["magnus", "magnus2", "euler"])
def test_every_integrator_bounces_and_rests(integrator):
    """Contact corrects the smooth step of any method."""
    bodies = {
        "floor": floor(),
        "ball": ball(0.1, at=(0, 0, 0.15), restitution=0.8),
        "box": block((0.2, 0.2, 0.2), at=(1, 0, 0.1)),
    }
    how = {"duration": 0.2, "step": 5e-3, "record_every": 5e-3, "gravity": DOWN, "contact": STEPPING}
    trajectory = rigidsim.simulate(make_scene(bodies, integrator=integrator, **how))
    motion = trajectory["ball"].world
    rising = motion.velocity[:, 2] > 0
    apex = motion.position[rising, 2] - 0.1 + motion.velocity[rising, 2] ** 2 / (2 * G)
    # `euler` falls by another way: its height is of first order in the step.
    assert np.abs(apex - 0.64 * 0.05).max() <= (5e-3 if integrator == "euler" else 1e-9)
    box = trajectory["box"].world
    assert np.abs(box.velocity[-1]).max() <= 1e-6
    assert box.position[-1, 2] == pytest.approx(0.1, abs=5e-5)


def test_a_sensor_notices_and_does_nothing():
    gate = {"shapes": [{"type": "box", "size": [0.2, 1, 1]}], "collide": "sensor", "position": [0.5, 0, 0]}
    how = {"duration": 0.5, "step": 5e-3, "record_every": 5e-3, "gravity": FREE}
    bodies = {"gate": gate, "ball": ball(0.1, velocity=[2, 0, 0])}
    trajectory = collide(bodies, **how)
    assert np.abs(trajectory["ball"].world.velocity - [2, 0, 0]).max() == 0.0
    # It touches from 0.3 m to 0.7 m.
    begins, ends = (next(event.time for event in trajectory.events if event.cause == f"contact_{what}")
                    for what in ("begins", "ends"))  # fmt: skip
    assert begins == pytest.approx(0.15, abs=2.01 * 5e-3)
    assert ends == pytest.approx(0.35, abs=2.01 * 5e-3)


def test_a_car_with_rate_motors_drives_up_a_ramp_whether_or_not_contact_is_asked_for():
    """On the floor a = 2 M/(r (m + 4 I/r^2)) where both motors give M, and I = 2/5 m_wheel r^2; the ramp lifts it."""
    wheel = {"mass": 20, "shapes": [{"type": "sphere", "radius": 0.3}]}
    hinges = {"f": {"axis": [0, 1, 0]}, "r": {"axis": [0, 1, 0], "motor": {"rate": 15, "max_torque": 400}}}
    wheels = {
        end + side: {**wheel, "motion": {"hinge": hinge}, "position": [1 if end == "f" else -1, y, -0.3]}
        for end, hinge in hinges.items()
        for side, y in (("l", 0.9), ("r", -0.9))
    }
    slope = {"type": "box", "size": [3, 3, 0.2], "position": [4, 0, 0.1], "orientation": tilted(math.radians(-10))}
    box, constraints = {"type": "box", "size": [3, 1.4, 0.5]}, {"friction": 0.9}
    bodies = {
        "floor": floor(**constraints),
        "ramp": {"shapes": [slope]},
        "car": {"mass": 800, "position": [0, 0, 0.6], "shapes": [box], "material": constraints, "children": wheels},
    }
    asked, chosen = (
        rigidsim.simulate(make_scene(bodies, gravity=DOWN, duration=2.5, step=2e-3, record_every=0.05, **how))
        for how in ({"contact": "stepping"}, {})
    )
    motion = asked["car"].world
    assert motion.position.tobytes() == chosen["car"].world.position.tobytes()
    flat = asked.time <= 0.5
    gained = 2 * 400 / 0.3 / (880 + 4 * 0.4 * 20) * asked.time[flat]
    assert motion.velocity[flat, 0] == pytest.approx(gained, rel=1e-5)
    assert motion.position[:, 2].max() >= 0.8
