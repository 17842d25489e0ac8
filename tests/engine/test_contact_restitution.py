"""Impacts with restitution against closed forms. In flight every integrator is exact, so only the law and the time of
the impact are seen.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from contact_scenes import DOWN, G, ball, block, collide, floor, rod, turn, written_under

STEPS = (1e-3, 5e-3)
FREE = [0, 0, 0]


def heights(trajectory, radius: float) -> np.ndarray:
    """How high above the floor the ball goes from where it is, by its height and speed at each sample."""
    motion = trajectory["ball"].world
    return motion.position[:, 2] - radius + motion.velocity[:, 2] ** 2 / (2 * G)


@pytest.mark.parametrize("step", STEPS)
def test_a_hundred_bounces_without_loss(step):
    bodies = {"floor": floor(), "ball": ball(0.1, at=(0, 0, 1.1), restitution=1)}
    fall = math.sqrt(2 / G)
    trajectory = collide(bodies, duration=91, step=step, record_every=100 * step)
    assert np.abs(heights(trajectory, 0.1) - 1).max() <= 1e-9  # the prototype: 6e-14
    into = np.mod(trajectory.time + fall, 2 * fall) - fall  # since the nearest apex
    expected = 1.1 - G * into**2 / 2
    # The times of a hundred impacts add up: 4.4 m/s times their round-off.
    assert np.abs(trajectory["ball"].world.position[:, 2] - expected).max() <= 1e-9


def test_a_ball_that_loses_speed_comes_to_rest():
    """At sqrt(2h/g) (1 + e)/(1 - e) = 4.064 s, or a little before, as the slowest rebounds are left out."""
    bodies = {"floor": floor(), "ball": ball(0.1, at=(0, 0, 1.1), restitution=0.8)}
    trajectory = collide(bodies, duration=5, step=1e-3, record_every=1e-3)
    moving = np.abs(trajectory["ball"].world.velocity[:, 2]) > 1e-6
    stopped = trajectory.time[np.flatnonzero(moving)[-1]]
    assert 3.9 <= stopped <= 4.065
    # It rests as deep as four soft sub-steps let it: g/(2 pi 0.25/0.25 ms)^2 = 2.5e-7 m.
    assert abs(trajectory["ball"].world.position[-1, 2] - 0.1) <= 1e-6


@pytest.mark.parametrize("step", STEPS)
def test_newtons_cradle(step):
    """Touching balls, sequentially: all goes to the last one."""
    for e, last in ((1.0, 1.0), (0.9, 0.81450625)):
        how = {"restitution": e, "friction": 0}
        bodies = {f"b{k}": ball(0.5, at=(k, 0, 0), **how) for k in range(1, 5)}
        bodies["b0"] = ball(0.5, at=(-0.1, 0, 0), velocity=[1, 0, 0], **how)
        trajectory = collide(bodies, duration=0.3, step=step, gravity=FREE)
        v = np.array([trajectory[f"b{k}"].world.velocity[-1, 0] for k in range(5)])
        assert v[4] == pytest.approx(last, abs=1e-9)
        assert v.sum() == pytest.approx(1, abs=1e-12)
        if e == 1:
            assert np.abs(v[:4]).max() <= 1e-9


@pytest.mark.parametrize("step", STEPS)
def test_oblique_impact_of_two_equal_spheres(step):
    """Without friction and loss they exchange what they have along the line of centres at the time of touching."""
    offset = 0.12  # of the paths; the normal then is at an angle of asin(0.6)
    bodies = {
        "a": ball(0.1, at=(-0.5, 0, 0), restitution=1, friction=0, velocity=[2, 0, 0]),
        "b": ball(0.1, at=(0, offset, 0), restitution=1, friction=0),
    }
    trajectory = collide(bodies, duration=0.5, step=step, gravity=FREE)
    assert trajectory["b"].world.velocity[-1] == pytest.approx([2 * 0.64, 2 * 0.48, 0], abs=1e-9)
    assert trajectory["a"].world.velocity[-1] == pytest.approx([2 * 0.36, -2 * 0.48, 0], abs=1e-9)


@pytest.mark.parametrize("step", STEPS)
def test_galilean_cannon(step):
    """A light ball rides on a heavy one: up with (3M - m)/(M + m) v, the heavy one with (M - 3m)/(M + m) v."""
    how = {"restitution": 1, "friction": 0}
    bodies = {
        "floor": floor(friction=0),
        "heavy": ball(0.25, 1.0, at=(0, 0, 1.25), **how),
        "light": ball(0.125, 0.1, at=(0, 0, 1.625), **how),
    }
    v, t = math.sqrt(2 * G), math.sqrt(2 / G)
    after = 0.5
    trajectory = collide(bodies, duration=after, step=step)
    light, heavy = (trajectory[name].world.velocity[-1, 2] + G * (after - t) for name in ("light", "heavy"))
    assert light == pytest.approx(2.9 / 1.1 * v, rel=1e-9)
    assert heavy == pytest.approx(0.7 / 1.1 * v, rel=1e-9)


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("make", [rod, block])
def test_centre_of_percussion(step, make):
    """Struck at I/(m a) beyond the centre, a free rod turns about the point a behind it."""
    a, moment = 0.4, 0.06
    beyond = moment / (2 * a)
    size = {"rod": {"radius": 0.05, "length": 1.0}, "block": {"size": (0.1, 0.1, 1.0)}}[make.__name__]
    bodies = {
        "rod": make(mass=2, inertia={"principal": [moment, moment, 0.01]}, friction=0, **size),
        "ball": ball(0.05, 0.3, at=(-0.5, 0, beyond), restitution=0.7, friction=0, velocity=[2, 0, 0]),
    }
    trajectory = collide(bodies, duration=0.25, step=step, gravity=FREE)
    struck = trajectory["rod"].world
    v, omega = struck.velocity[-1, 0], struck.angular_velocity[-1, 1]
    assert v > 0.1
    assert abs(v - omega * a) <= 1e-9 * v


FLAT = {"cube": (1, 1, 1), "slab": (2, 1, 0.1)}


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("size", FLAT.values(), ids=FLAT)
@pytest.mark.parametrize("seed", [None, 1, 2])
def test_a_box_dropped_flat_leaves_without_turning(size, seed, step):
    """The four corners are one impact: e v, and no turn; under a turned parent they touch within round-off."""
    drop, half = 0.5, size[2] / 2
    parent = {} if seed is None else {"orientation": {"wxyz": list(turn(np.random.default_rng(seed)))}}
    child = block(size, restitution=0.5) | written_under(parent, (0, 0, half + drop), (0, 0, 0))
    bodies = {"floor": floor(), "frame": parent | {"children": {"box": child}}}
    t = math.sqrt(2 * drop / G)
    trajectory = collide(bodies, duration=0.45, step=step)
    motion = trajectory["frame/box"].world
    up = 0.5 * G * t - G * (0.45 - t)
    assert motion.velocity[-1] == pytest.approx([0, 0, up], abs=1e-9)
    assert np.abs(motion.angular_velocity[-1]).max() <= 1e-9
    assert motion.position[-1, 2] == pytest.approx(half + 0.5 * G * t * (0.45 - t) - G * (0.45 - t) ** 2 / 2, abs=1e-9)


@pytest.mark.parametrize("step", STEPS)
def test_passengers_go_on_as_they_were_until_they_touch_something(step):
    """A car with a fixed wall in front strikes a wall; what is in it and touches nothing moves on in the world."""
    inside = {
        "loose": ball(0.05, 0.1, at=(0, 0, 0.5)),
        "turning": block((0.1, 0.2, 0.3), 2, at=(0, 0.4, 0.5), angular_velocity=[0.3, 1, 2]),
    }
    car = block((2, 1, 0.2), 1000, friction=0, velocity=[10, 0, 0])
    pane = {"shapes": [{"type": "box", "size": [0.1, 1, 1]}], "position": [0.9, 0, 0.6]}
    car["children"] = inside | {"pane": pane}
    wall = {"shapes": [{"type": "plane", "normal": [-1, 0, 0], "offset": -2}]} | {"material": {"restitution": 0.1}}
    how = {"step": step, "record_every": step, "gravity": FREE}
    trajectory = collide({"car": car, "wall": wall}, duration=0.3, **how)
    # The wall is met at 0.1 s; then the pane, more than 0.6 m ahead of both, comes with 11 m/s.
    untouched = trajectory.time < 0.1 + 0.6 / 11
    assert trajectory["car"].world.velocity[untouched][-1, 0] == pytest.approx(-1, abs=1e-9)
    for name in inside:
        motion = trajectory[f"car/{name}"].world
        assert np.abs(motion.velocity[untouched] - [10, 0, 0]).max() <= 1e-12
        assert np.abs(motion.position[untouched][-1, 0] - 10 * trajectory.time[untouched][-1]) <= 1e-12
    loose = trajectory["car/loose"].world.velocity[:, 0]
    assert loose[-1] < 9  # and then the pane stops it


def test_a_child_that_inherits_goes_along():
    """With `inherit_impulses` it gets the velocity field of all that contacts give the parent."""
    cargo = ball(0.05, 0.1, at=(0, 0, 0.5), inherit_impulses=True)
    car = block((2, 1, 0.2), 1000, friction=0, velocity=[10, 0, 0]) | {"children": {"cargo": cargo}}
    wall = {"shapes": [{"type": "plane", "normal": [-1, 0, 0], "offset": -2}]} | {"material": {"restitution": 0.1}}
    trajectory = collide({"car": car, "wall": wall}, duration=0.3, step=1e-3, record_every=1e-3, gravity=FREE)
    assert np.abs(trajectory["car/cargo"].local.velocity).max() <= 1e-12
    assert np.abs(trajectory["car/cargo"].local.position - [0, 0, 0.5]).max() <= 1e-12
    assert trajectory["car/cargo"].world.velocity[-1, 0] == pytest.approx(-1, abs=1e-9)


@pytest.mark.parametrize("restitution", [0.0, 0.5])
def test_a_fast_sphere_does_not_pass_through_a_thin_wall(restitution):
    """Ten radii a step, a wall of a fifth of a radius."""
    pane = {"shapes": [{"type": "box", "size": [0.01, 2, 2]}], "position": [1.03, 0, 0]}
    bodies = {"pane": pane, "ball": ball(0.05, velocity=[100, 0, 0], restitution=restitution)}
    trajectory = collide(bodies, duration=0.1, step=5e-3, record_every=5e-3, gravity=FREE)
    motion = trajectory["ball"].world
    assert motion.position[:, 0].max() <= 1.025 - 0.05 + 1e-6
    assert motion.velocity[-1, 0] == pytest.approx(-100 * restitution, abs=1e-6)


def test_gravity_and_impacts_in_a_box_keep_the_energy():
    """Elastic balls, hundreds of impacts among themselves and with walls: constant to round-off."""
    random = np.random.default_rng(5)
    walls = [{"type": "plane", "normal": list(n), "offset": -1.0} for n in np.vstack([np.eye(3), -np.eye(3)]).tolist()]
    how = {"restitution": 1, "friction": 0}
    grid = [(x, y, z) for x in (-0.5, 0, 0.5) for y in (-0.5, 0, 0.5) for z in (-0.5, 0, 0.5)]
    bodies = {
        f"b{i:02}": ball(0.1, at=np.add(place, random.uniform(-0.05, 0.05, 3)),
                         velocity=random.uniform(-2, 2, 3).tolist(), **how)
        for i, place in enumerate(grid)
    }  # fmt: skip
    bodies["walls"] = {"shapes": walls, "material": {"restitution": 1, "friction": 0}}
    for gravity, bound in ((FREE, 1e-12), (DOWN, 1e-4)):  # falling, pushing apart in sub-steps is booked as work
        trajectory = collide(bodies, duration=4, step=2e-3, record_every=0.02, gravity=gravity)
        places = np.stack([trajectory[name].world.position for name in bodies if name != "walls"])
        assert np.abs(places).max() <= 0.9 + 1e-3
        energy = trajectory.diagnostic("kinetic_energy") + trajectory.diagnostic("potential_energy")
        assert np.abs(energy / energy[0] - 1).max() <= bound
        total = trajectory.total_energy
        assert np.abs(total - total[0]).max() <= 1e-11 * np.abs(energy).max()
