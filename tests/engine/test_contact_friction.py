"""Sticking, sliding, rolling and riding against closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import rigidsim
from contact_scenes import DOWN, G, ball, block, collide, floor, rod, surface, tilted
from support.scenes import make_scene

STEPS = (1e-3, 5e-3)
PASSENGER = {
    "mass": 75, "inertia": {"principal": [5, 5, 1]}, "position": [-0.3, 0, 0.3],
    "velocity": {"relative_to": "parent", "value": [0, 0, 0]},
    "shapes": [{"type": "capsule", "radius": 0.15, "length": 0.5}],
    "forces": [{"type": "spring", "to": "car", "length": 0, "stiffness": 20000, "damping": 1500}],
}  # fmt: skip


def sloped(angle: float, children: dict, **material) -> dict:
    """A plane that falls along its x, with bodies on it."""
    return {"slope": floor(**material) | {"orientation": tilted(angle), "children": children}}


@pytest.mark.parametrize("step", STEPS)
def test_a_box_on_a_slope_sticks_below_the_angle_of_friction_and_slides_above(step):
    angle = math.radians(26)
    tangent = math.tan(angle)
    bodies = sloped(
        angle,
        {
            "sticks": block((0.4, 0.3, 0.1), 2, at=(0, 1, 0.05), friction=1.01 * tangent),
            "slides": block((0.4, 0.3, 0.1), 2, at=(0, -1, 0.05), friction=0.99 * tangent),
            "free": block((0.4, 0.3, 0.1), 2, at=(0, 0, 0.05), friction=0),
        },
    )
    pairs = [
        {"between": ["slope", f"slope/{name}"], "friction": share * tangent}
        for name, share in (("sticks", 1.01), ("slides", 0.99), ("free", 0.0))
    ]
    trajectory = collide(bodies, duration=2, step=step, record_every=0.5, contacts=pairs)
    for name, share in (("slides", 0.99), ("free", 0.0)):
        v = trajectory[f"slope/{name}"].local.velocity
        expected = G * math.sin(angle) * (1 - share)
        assert (v[-1, 0] - v[1, 0]) / 1.5 == pytest.approx(expected, rel=1e-6)
        assert np.abs(v[1:, 1:]).max() <= 1e-6
    sticks = trajectory["slope/sticks"]
    assert np.abs(sticks.local.velocity[1:]).max() <= 1e-9
    assert np.abs(sticks.local.angular_velocity[1:]).max() <= 1e-9
    # It yields while it sinks, in the first steps (2e-5 m at 5 ms), and does not creep.
    assert np.abs(sticks.local.position[1:] - [0, 1, 0.05]).max() <= 5e-5
    assert np.abs(sticks.local.position[-1] - sticks.local.position[1]).max() <= 1e-9


@pytest.mark.parametrize("step", STEPS)
def test_what_is_just_held_slides_little_as_the_run_starts(step):
    """With 1e-4 more friction than it needs, what it gets less at the start is hardly made up for."""
    angle = math.radians(26)
    friction = 1.0001 * math.tan(angle)
    box = block((0.4, 0.3, 0.1), 2, at=(0, 0, 0.05), friction=friction)
    trajectory = collide(sloped(angle, {"box": box}, friction=friction), duration=1, step=step, record_every=0.5)
    slid = trajectory["slope/box"].local.position[-1, 0]
    # 4.3e-7 and 1.1e-5; with one sweep a sub-step from the start on 6e-5 and 9e-4.
    assert 0 <= slid <= (6e-7 if step == 1e-3 else 1.5e-5)


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("shape", ["sphere", "capsule"])
def test_rolling_down_a_slope(step, shape):
    """g sin/(1 + I/(m r^2)); a capsule's moment is that about its axis."""
    angle, radius = math.radians(20), 0.1
    lying = {"axis": [1, 0, 0], "angle": math.pi / 2}
    roller = {"sphere": ball(radius), "capsule": rod(radius, 0.5, orientation=lying)}[shape]
    cylinder, cap = math.pi * radius**2 * 0.5, 4 / 3 * math.pi * radius**3
    share = {"sphere": 0.4, "capsule": (0.5 * cylinder + 0.4 * cap) / (cylinder + cap)}[shape]
    bodies = sloped(angle, {"roller": roller | {"position": [0, 0, radius]}})
    trajectory = collide(bodies, duration=2, step=step, record_every=0.5)
    motion = trajectory["slope/roller"].local
    expected = G * math.sin(angle) / (1 + share)
    found = np.diff(motion.velocity[1:, 0]) / 0.5
    assert found == pytest.approx(expected, rel=1e-9)  # the prototype: 5e-14
    # Exact from the second step on, and off by that of the first: the prototype 7e-8 (1 ms), 2e-6 (5 ms) of it.
    assert motion.position[-1, 0] == pytest.approx(expected * 2, rel=1e-6 if step == 1e-3 else 1e-5)
    # Both ends of a capsule are solved in order, so while it sinks it turns by some 2e-6 rad, and rolls a bit aside.
    assert np.abs(motion.velocity[1:, 1:]).max() <= 2e-5


BALL = {"type": "sphere", "radius": 0.1}
CAPSULE = {"type": "capsule", "radius": 0.1, "length": 0.4, "orientation": {"axis": [1, 0, 0], "angle": "90 deg"}}
# Name: shape, depth of the centre of mass below the middle, inertia; angle, rate; duration; largest error/h^2, m/s^2.
ROLLING = {
    "to and fro": (BALL, 0.03, 0.003, 0.2, 0.0, 4.0, 0.4),
    "over and over": (BALL, 0.02, 0.004, -0.5 * math.pi, 5.0, 1.5, 0.4),
    "on its side": (CAPSULE, 0.03, 0.003, 0.5, 0.0, 2.0, 0.8),
}


@pytest.mark.parametrize("step", [5e-3, 1e-3, 1e-4])
@pytest.mark.parametrize("name", ROLLING)
def test_what_rolls_off_its_centre_of_mass_does_so_at_second_order(name, step):
    """With lengths R and d below the middle: (m (R^2 + d^2 - 2 R d cos x) + I) x'' = -m d sin x (g + R x'^2)."""
    shape, d, inertia, start, rate, duration, most = ROLLING[name]
    mass, radius = 1.0, shape["radius"]

    def law(_t, y):
        total = mass * (radius**2 + d**2 - 2 * radius * d * math.cos(y[0])) + inertia
        return [y[1], -mass * d * math.sin(y[0]) * (G + radius * y[1] ** 2) / total]

    body = {"mass": mass, "inertia": {"principal": [inertia] * 3}, "center_of_mass": [0, 0, -d]}
    body |= {"position": [0, 0, radius], "orientation": tilted(start), "shapes": [shape], "material": {"friction": 3}}
    body |= {"velocity": [rate * radius, 0, 0], "angular_velocity": [0, rate, 0]}
    found = collide({"floor": floor(friction=3), "b": body}, duration=duration, step=step, record_every=0.1)
    options = {"method": "DOP853", "rtol": 1e-12, "atol": 1e-14}
    angle = solve_ivp(law, (0, duration + 0.1), [start, rate], t_eval=found.time, **options).y[0]
    x = found["b"].world.position[:, 0]
    # Measured: 0.22 to 0.6 h^2 with h in s, from 5 to 0.05 ms.
    assert abs(x - radius * (angle - start)).max() < most * step**2


@pytest.mark.parametrize("step", [5e-3, 1e-3, 1e-4])
def test_a_brick_tips_over_an_edge_at_second_order(step):
    """Without slip, from rest beyond its balance: I x'' = m g l sin x, of the angle x past it, about the edge."""
    width, height, mass = 0.1, 0.3, 1.0
    inertia, arm, balance = mass * (width**2 + height**2) / 12, math.hypot(width, height) / 2, math.atan2(width, height)
    start = balance + math.radians(4)
    brick = {"mass": mass, "inertia": {"principal": [inertia] * 3}, "orientation": tilted(start)}
    brick |= {"position": [arm * math.sin(start - balance), 0, arm * math.cos(start - balance)]}
    brick |= {"shapes": [{"type": "box", "size": [width, 0.2, height]}], "material": {"friction": 5}}
    found = collide({"floor": floor(friction=5), "b": brick}, duration=0.3, step=step, record_every=0.05)
    law = lambda _t, y: [y[1], mass * G * arm * math.sin(y[0]) / (inertia + mass * arm**2)]  # noqa: E731
    options = {"method": "DOP853", "rtol": 1e-12, "atol": 1e-14}
    angle = solve_ivp(law, (0, 0.4), [start - balance, 0.0], t_eval=found.time, **options).y[0]
    # Measured: 0.044 to 0.049 h^2 with h in s, from 5 to 0.05 ms.
    assert abs(found["b"].world.position[:, 0] - arm * np.sin(angle)).max() < 0.08 * step**2


@pytest.mark.parametrize(("height", "tips"), [(0.9, False), (1.1, True)])
def test_a_pushed_box_slides_or_tips(height, tips):
    """Pushed with more than mu m g at the height z above the floor it tips first if z > b/(2 mu)."""
    friction, width, tall = 0.5, 1.0, 2.5
    force = {"force": [0.52 * 2 * G, 0, 0], "at": [0, 0, height - tall / 2], "frame": "world"}
    box = block((width, 1, tall), 2, at=(0, 0, tall / 2), forces=[force])
    trajectory = collide({"floor": floor(), "box": box}, duration=0.5, step=1e-3, record_every=0.1)
    turned = trajectory["box"].world.angular_velocity[-1, 1]
    assert (turned > 0.05) == tips
    if not tips:
        assert abs(turned) <= 1e-6
        gained = np.diff(trajectory["box"].world.velocity[1:, 0])  # after the first steps, in which it sinks
        assert gained == pytest.approx(0.02 * G * 0.1, rel=1e-6)
    assert friction == 0.5  # that of floor and box


@pytest.mark.parametrize("step", STEPS)
def test_a_plate_that_spins_is_braked_as_by_an_even_pressure(step):
    """mu m g times the mean distance from the middle of a square, 0.3826 of its side; of its corners, 0.7071."""
    plate = block((1, 1, 0.1), at=(0, 0, 0.05), friction=0.3, angular_velocity=[0, 0, 5])
    trajectory = collide({"floor": floor(friction=0.3), "plate": plate}, duration=0.5, step=step, record_every=0.05)
    spin = trajectory["plate"].world.angular_velocity[:, 2]
    mean = (math.sqrt(2) + math.log(1 + math.sqrt(2))) / 6
    # Not in the first steps, in which it sinks.
    assert np.diff(spin[1:]) / 0.05 == pytest.approx(-0.3 * G * mean * 6, rel=1e-5 if step == 1e-3 else 2e-4)


def test_a_lying_capsule_that_spins_is_braked_as_by_an_even_pressure():
    """A quarter of the length of the line on which it lies, in place of half of it."""
    lying = rod(0.02, 0.5, orientation={"axis": [1, 0, 0], "angle": math.pi / 2}, position=[0, 0, 0.02])
    body = lying | {"inertia": {"principal": [0.02, 0.02, 0.01]}, "angular_velocity": [0, 0, 5]} | surface(friction=0.1)
    trajectory = collide({"floor": floor(friction=0.1), "rod": body}, duration=0.4, step=1e-3, record_every=0.05)
    spin = trajectory["rod"].world.angular_velocity[:, 2]
    assert np.diff(spin[1:]) / 0.05 == pytest.approx(-0.1 * G * 0.5 / 4 / 0.02, rel=1e-4)


@pytest.mark.parametrize("step", STEPS)
def test_what_slides_with_its_weight_aside_does_not_turn(step):
    """The centre of pressure is that of the points: friction has no moment about it."""
    own = {"center_of_mass": [0.2, 0, 0], "inertia": {"principal": [0.085, 0.085, 0.167]}}
    plate = block((1, 1, 0.1), at=(0, 0, 0.05), friction=0.3, velocity=[1, 2, 0]) | own
    trajectory = collide({"floor": floor(friction=0.3), "plate": plate}, duration=0.5, step=step, record_every=0.1)
    motion = trajectory["plate"].world
    # It turns a bit while it sinks: 2e-9 and 9e-8 rad/s are left.
    assert abs(motion.angular_velocity[-1, 2]) <= (1e-8 if step == 1e-3 else 2e-7)
    assert motion.velocity[-1, 1] / motion.velocity[-1, 0] == pytest.approx(2, rel=1e-5)


def test_a_conveyor_belt_takes_a_box_along():
    """It slides until it is as fast as the belt, v/(mu g), v^2/(2 mu g) behind."""
    belt = {"shapes": [{"type": "plane", "surface_velocity": [1, 0, 0]}]} | surface()
    bodies = {"belt": belt, "box": block((0.4, 0.4, 0.2), at=(0, 0, 0.1))}
    trajectory = collide(bodies, duration=1, step=1e-3, record_every=0.1)
    motion = trajectory["box"].world
    assert motion.velocity[1, 0] == pytest.approx(0.5 * G * 0.1, rel=1e-4)
    assert motion.velocity[-1] == pytest.approx([1, 0, 0], abs=1e-9)
    assert motion.position[-1, 0] == pytest.approx(1 - 1 / (2 * 0.5 * G), abs=1e-4)


TABLE = {"motion": {"prescribed": {"angular_velocity": [0, 0, 1]}}} | floor(friction=0.5)
FREELY = block((4, 4, 0.2), 1e12, friction=0.5, gravity=False, angular_velocity=[0, 0, 1])
FREELY["shapes"][0]["position"] = [0, 0, -0.1]


@pytest.mark.parametrize("table", [TABLE, FREELY], ids=["prescribed", "free"])
@pytest.mark.parametrize("is_child", [True, False])
def test_a_box_rides_on_a_turntable(table, is_child):
    """In the frame of the table or not: radius within 1e-5, lag within 1e-4 rad after 10 s of 5 ms at 1 rad/s."""
    box = block((0.2, 0.2, 0.2), at=(1, 0, 0.1))
    if is_child:
        bodies = {"table": table | {"children": {"box": box}}}
    else:
        bodies = {"table": table, "box": box | {"velocity": [0, 1, 0], "angular_velocity": [0, 0, 1]}}
    trajectory = collide(bodies, duration=10, step=5e-3, record_every=0.5)
    x, y, _ = trajectory["table/box" if is_child else "box"].seen_from("table").position.T
    assert np.abs(np.hypot(x, y) - 1).max() <= 1e-5
    assert np.abs(np.arctan2(y, x)).max() <= 1e-4


def test_a_spinning_ball_is_braked_by_rolling_resistance():
    """The moment is the coefficient times radius times weight: it rolls to rest with 5/7 of that over the radius."""
    how = {"rolling": 0.01}
    bodies = {
        "floor": floor(),
        "ball": ball(0.1, at=(0, 0, 0.1), velocity=[1, 0, 0], angular_velocity=[0, 10, 0], **how),
    }
    trajectory = collide(bodies, duration=2, step=1e-3, record_every=0.5)
    v = trajectory["ball"].world.velocity[:, 0]
    assert np.diff(v[1:]) / 0.5 == pytest.approx(-5 / 7 * 0.01 * G, rel=1e-6)
    plain = collide(bodies | {"ball": bodies["ball"] | surface()}, duration=2, step=1e-3)
    assert plain["ball"].world.velocity[-1, 0] == pytest.approx(1, abs=1e-12)


def test_a_box_has_no_rolling_resistance():
    """Flat faces have none, whatever the material says."""
    motions = []
    for rolling in (0.0, 0.5):
        box = block((0.4, 0.4, 0.2), at=(0, 0, 0.1), rolling=rolling, angular_velocity=[0, 0, 3], velocity=[1, 0, 0])
        motions.append(collide({"floor": floor(), "box": box}, duration=0.3, step=1e-3)["box"].world)
    assert np.array_equal(motions[0].position, motions[1].position)
    assert np.array_equal(motions[0].angular_velocity, motions[1].angular_velocity)


@pytest.mark.parametrize("integrator", ["rkmk4", "euler"])
def test_what_lies_on_a_floor_is_at_rest_whatever_the_integrator(integrator):
    """Sunk by g/(2 pi 0.25/s)^2, without velocity."""
    bodies = {"floor": floor(), "box": block((0.4, 0.4, 0.2), at=(0, 0, 0.1)), "ball": ball(0.1, at=(1, 0, 0.1))}
    scene = make_scene(bodies, duration=1, step=1e-3, integrator=integrator, gravity=DOWN, contact="stepping")
    trajectory = rigidsim.simulate(scene)
    for name in ("box", "ball"):
        assert np.abs(trajectory[name].world.velocity[-1]).max() <= 1e-9
        assert -2e-6 <= trajectory[name].world.position[-1, 2] - 0.1 <= 0


@pytest.mark.parametrize("step", [2e-3, 1e-3, 5e-4])
def test_a_box_that_falls_on_an_edge_stays_in_its_plane_of_symmetry(step):
    """It rebounds, tips over the edge, and lands on a face: y is its axis. What is left (1.6e-6 m, 1.7e-4 rad/s at
    1 ms) falls with the third power of the step; points that share a load by their order made it 1e-2 m and 1.8 rad/s.
    """
    box = block((0.1, 0.1, 0.1), 1, at=(0, 0, 0.6)) | {"orientation": tilted(0.46)}
    trajectory = collide({"floor": floor(), "box": box}, duration=0.45, step=step, record_every=0.05)
    world, scale = trajectory["box"].world, (step / 1e-3) ** 3
    assert np.abs(world.position[:, 1]).max() < 1e-5 * scale
    assert np.abs(world.angular_velocity[:, [0, 2]]).max() < 1e-3 * scale
    assert abs(world.angular_velocity[-1, 1]) < 1e-6  # it has landed


@pytest.mark.parametrize("step", [1e-3, 1e-4])
def test_a_car_that_hits_a_wall_squarely_does_not_turn(step):
    """With a passenger on a spring; it turned by 43 degrees, to the left or to the right by the step. After landing it
    rocks by some 1e-3 rad/s. Where that counted as rest (at 0.1 ms), the ends of its bumper struck one after the other.
    """
    car = block((4, 1.7, 0.4), at=(0, 0, 0.6), restitution=0.1, friction=0.1) | {"velocity": [15, 0, 0]}
    car |= {"mass": 1200, "inertia": {"principal": [300, 1500, 1500]}, "children": {"passenger": PASSENGER}}
    car["shapes"][0]["position"] = [0, 0, -0.3]
    wall = block((0.5, 4, 2), at=(6, 0, 1))
    wall.pop("mass"), wall.pop("inertia", None)
    trajectory = collide({"road": floor(friction=0.3), "wall": wall, "car": car}, duration=0.4, step=step)
    assert np.abs(trajectory["car"].world.angular_velocity[:, 2]).max() < 1e-5
    assert trajectory["car"].world.velocity[-1, 0] < 0
