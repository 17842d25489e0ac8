"""The shipped scenes: each runs, opens with what it shows, and shows it."""

from __future__ import annotations

import math
from pathlib import Path

import mpmath
import numpy as np
import pytest

from rigidsim.cli.examples import shipped_scenes
from rigidsim.physics.quaternion import rotate, rotate_back

EPS = np.finfo(float).eps
SCENES = shipped_scenes()


@pytest.mark.parametrize("name", sorted(SCENES))
def test_opens_with_what_it_shows_and_what_to_look_for(name):
    head = Path(SCENES[name]).read_text().split("format:")[0]
    assert all(line.startswith("#") for line in head.splitlines())
    assert "Look for:" in head
    assert f"rigidsim run scenes/{name}.yaml" in head


# Departure of energy less work, relative to the largest of its summands. Round-off where the motion is gentle, grown
# with the root of 30 000 steps at most (measured 1.2e-13 for the flipping axis, 6e-14 and less elsewhere). Otherwise it
# is the method's error, of fourth order or better in the step (`test_language_scenes` halves it): the gyroscope turns
# 0.05 rad a step; the car's belt, the rod's and the container's springs are stiff, the orbit is eccentric, the pendulum
# swings for an hour.
ROUND_OFF = 16 * math.sqrt(30_000) * EPS
LEDGER_BOUNDS = {
    "gyroscope_constant_torque": 5e-10,  # measured 1.1e-10
    "car_crash": 1e-10,  # 2.0e-11
    "foucault_pendulum": 2e-12,  # 3.8e-13
    "kapitza_pendulum": 2e-8,  # 4.0e-9
    "kepler_from_rotating_planet": 2e-11,  # 5.0e-12
    "newtons_cradle": 3e-10,  # 7.1e-11
    "ship_deck_in_seaway": 4e-10,  # 8.6e-11
}


@pytest.mark.parametrize("name", sorted(SCENES))
def test_energy_ledger_closes(name, run):
    trajectory = run(name)
    energy = trajectory.total_energy
    size = max(np.abs(trajectory.diagnostic(part)).max() for part in ("kinetic_energy", "potential_energy", "work"))
    assert np.abs(energy - energy[0]).max() <= LEDGER_BOUNDS.get(name, ROUND_OFF) * size


def test_flipping_axis_flips_at_the_closed_form_interval(run):
    """Half the period 4K(m)/lambda of Euler's equations (reference case 4.1, I = (0.3, 0.35, 0.4))."""
    i_1, i_2, i_3 = 0.3, 0.35, 0.4
    w = (0.1, 15.0, 0.1)
    twice_t = i_1 * w[0] ** 2 + i_2 * w[1] ** 2 + i_3 * w[2] ** 2
    l_2 = (i_1 * w[0]) ** 2 + (i_2 * w[1]) ** 2 + (i_3 * w[2]) ** 2
    # L^2 > 2T I2: the rate and the parameter for motion about the third axis.
    assert l_2 > twice_t * i_2
    rate = math.sqrt((i_3 - i_2) * (l_2 - twice_t * i_1) / (i_1 * i_2 * i_3))
    m = (i_2 - i_1) * (twice_t * i_3 - l_2) / ((i_3 - i_2) * (l_2 - twice_t * i_1))
    interval = float(2 * mpmath.ellipk(m)) / rate
    assert interval == pytest.approx(6.16747290467, abs=1e-10)  # as published

    trajectory = run("flipping_axis")
    motion = trajectory["nut"].world
    about_y = rotate_back(tuple(motion.orientation.T), tuple(motion.angular_velocity.T))[1]
    before = np.flatnonzero(np.diff(np.sign(about_y)))
    crossings = [trajectory.time[i] + 0.01 * about_y[i] / (about_y[i] - about_y[i + 1]) for i in before]
    assert len(crossings) >= 4
    # Linear interpolation of a zero where the curvature vanishes too: measured 2.2e-7 s.
    assert np.allclose(np.diff(crossings), interval, rtol=0, atol=1e-6)


def test_shell_flies_a_parabola_in_the_world_and_bends_to_the_right_in_the_turret(run):
    trajectory = run("shell_leaves_turret")
    shell, t = trajectory["tank/turret/shell"], trajectory.time
    world = shell.world
    fall = np.array([0, 0, -9.81]) * t[:, None] ** 2 / 2
    parabola = world.position[0] + world.velocity[0] * t[:, None] + fall
    reach = np.abs(parabola).max()
    # The frame turns and accelerates, so this is the method's error at 1 ms: measured 7.1e-15 of the reach.
    assert np.abs(world.position - parabola).max() <= 5e-14 * reach
    sideways = shell.local.position[:, 1]
    assert np.all(np.diff(sideways) < 0)  # to the right of the barrel, ever further
    gun = trajectory["tank/turret/gun"]
    assert np.abs(gun.seen_from("tank/turret").position - [1.5, 0, 0]).max() <= 4 * EPS


def test_vehicle_keeps_its_centimetres_on_an_orbit_of_an_astronomical_unit(run):
    """Against the linear equation of motion in the ground frame, integrated at thirty digits."""
    trajectory = run("vehicle_on_earth")
    vehicle = trajectory["orbit/stars/earth/ground/vehicle"]
    rate, t = 7.292115e-5, 20.0
    north = up = math.sqrt(0.5) * rate
    # Coriolis drift to the east, 2 omega sin(latitude) v t^2/2, to first order in omega t = 1.5e-3.
    east = north * 30.0 * t * t
    assert vehicle.local.position[-1, 0] == pytest.approx(east, rel=rate * t)
    with mpmath.workdps(30):
        omega = mpmath.matrix([0, north, up])
        skew = mpmath.matrix([[0, -omega[2], omega[1]], [omega[2], 0, -omega[0]], [-omega[1], omega[0], 0]])
        arm = mpmath.matrix([0, 0, 6371000])
        held = mpmath.matrix([0, 25.408316266096236, -25.40831626609624]) / 1500
        # p'' = held - omega x (omega x (arm + p)) - 2 omega x p'
        start = held - skew * skew * arm
        system = mpmath.zeros(7)
        for i in range(3):
            system[i, 3 + i] = 1
            system[3 + i, 6] = start[i]
            for j in range(3):
                system[3 + i, j] = -(skew * skew)[i, j]
                system[3 + i, 3 + j] = -2 * skew[i, j]
        expected = mpmath.expm(system * t) * mpmath.matrix([0, 0, 0, 0, 30, 0, 1])
    error = vehicle.local.position[-1] - np.array([float(expected[i]) for i in range(3)])
    # What is left is the Sun's pull, held fixed in the world while the Earth falls round it: n^3 r t^3/6 = 1.6e-6 m,
    # and the rounding of numbers written in the scene. Measured 1.57e-6 m.
    assert np.linalg.norm(error) <= 2e-6
    assert np.abs(vehicle.world.position[:, 0]).max() > 1.4e11


def test_balls_on_the_turntable_follow_the_involute_and_the_circle(run):
    trajectory = run("ball_on_turntable")
    t = trajectory.time
    let_go, left = trajectory["table/let_go"], trajectory["table/left_behind"]
    involute = np.stack([np.cos(t) + t * np.sin(t), -np.sin(t) + t * np.cos(t), 0 * t], axis=-1)
    # The method's error at 1 ms over 6 s: measured 3.1e-13 m for `let_go`, 2.6e-14 m for `left_behind`.
    assert np.abs(let_go.local.position - involute).max() <= 1e-12
    at = let_go.local.at([1.0, 2.0]).position[:, :2]
    published = [[1.3817732907, -0.3011686789], [1.4024480171, -1.7415910999]]
    assert np.allclose(at, published, rtol=0, atol=1e-10)
    circle = 0.5 * np.stack([np.sin(t), np.cos(t), 0 * t], axis=-1)
    assert np.abs(left.local.position - circle).max() <= 1e-12
    assert np.abs(left.world.position - [0, 0.5, 0]).max() <= 1e-12
    straight = np.stack([1 + 0 * t, t, 0 * t], axis=-1)
    assert np.abs(let_go.world.position - straight).max() <= 1e-12


def test_box_floats_in_the_falling_lift(run):
    trajectory = run("box_in_falling_lift")
    t, box = trajectory.time, trajectory["lift/box"]
    straight = np.array([0.4, 0, 1.5]) + np.outer(t, [0.05, 0, 0])
    steps = 3000
    assert np.abs(box.local.position - straight).max() <= steps * EPS  # round-off of as many additions
    assert np.all(box.local.velocity == box.local.velocity[0])  # gravity and the linear term cancel to the last bit
    fallen = trajectory["lift"].world.position[-1, 2] - 60
    assert fallen == pytest.approx(-9.81 * 9 / 2, rel=4 * EPS)


def test_despun_platform_does_not_spin_and_nutates_with_the_closed_form_period(run):
    trajectory = run("satellite_despun_platform")
    platform = trajectory["satellite/platform"].world
    x, y, spin = rotate_back(tuple(platform.orientation.T), tuple(platform.angular_velocity.T))
    assert np.abs(spin).max() <= 8 * EPS * 2 * math.pi  # of the two rates that cancel; measured 1.3e-15 rad/s
    angular_momentum = np.linalg.norm(trajectory.angular_momentum[0])
    period = 2 * math.pi * 80 / angular_momentum
    direction = platform.angular_velocity[:, 0]
    crossings = np.flatnonzero((direction[:-1] < 0) & (direction[1:] >= 0))
    fractions = direction[crossings] / (direction[crossings] - direction[crossings + 1])
    times = trajectory.time[crossings] + 0.002 * fractions
    # Linear interpolation of a sine's zero, where its curvature vanishes: measured 1.9e-8 s.
    assert np.allclose(np.diff(times), period, rtol=0, atol=1e-7)
    # The nutation's rate across the axis is one revolution a minute, kept to the method's error: measured 2.1e-12 of
    # it.
    assert np.abs(np.hypot(x, y) / (2 * math.pi / 60) - 1).max() <= 1e-11


def test_three_frames_deep_the_box_still_flies_straight(run):
    trajectory = run("three_frames_deep")
    t = trajectory.time[:, None]
    box = trajectory["ship/turntable/sled/box"].world
    straight = box.position[0] + t * box.velocity[0]
    assert np.abs(box.position - straight).max() <= 5e-12  # the method's error at 1 ms over 5 s: measured 4.7e-13 m
    ship = trajectory["ship"].world
    # The joint centre of mass of ship and boss, in ship coordinates.
    centre = (900 * np.array([0.2, -0.1, 0.05]) + 100 * np.array([0, 1.5, 0.3])) / 1000
    arm = np.stack(rotate(tuple(ship.orientation.T), tuple(centre)), axis=-1)
    com = ship.position + arm
    velocity = ship.velocity[0] + np.cross(ship.angular_velocity[0], arm[0])
    assert np.abs(com - (com[0] + t * velocity)).max() <= 5000 * EPS * 10  # round-off of as many steps
    assert np.abs(ship.position - ship.position[0] - t * ship.velocity[0]).max() > 0.1


def test_gyroscope_stands_still_in_the_frame_that_precesses_with_it(run):
    trajectory = run("gyroscope_constant_torque")
    wheel = trajectory["turning/wheel"]
    x, y, z = rotate(tuple(wheel.local.orientation.T), (0.0, 0.0, 1.0))
    # The method's error of a body that turns 0.05 rad a step: measured 1.2e-8 rad after 10 s.
    assert np.arctan2(np.hypot(y, z), x).max() <= 5e-8
    world_x, world_y, _ = rotate(tuple(wheel.world.orientation.T), (0.0, 0.0, 1.0))
    turned = np.unwrap(np.arctan2(world_y, world_x))
    assert turned[-1] == pytest.approx(9.81, abs=5e-8)


def test_billiard_balls_run_parabolas_on_the_train_and_stay_in_the_plane(run):
    trajectory = run("billiard_on_a_train")
    t = trajectory.time[:, None]
    for name in ("cue", "eight", "nine"):
        ball = trajectory[f"train/table/{name}"].local
        parabola = ball.position[0] + t * ball.velocity[0] - [0.3, 0, 0] * t**2
        assert np.abs(ball.position - parabola).max() <= 2000 * EPS
        assert np.all(ball.position[:, 2] == 0.0)
        assert np.all(ball.orientation[:, 1:3] == 0.0)


def test_off_centre_thrust_follows_fresnel_and_then_a_straight_line(run):
    trajectory = run("off_centre_thrust")
    t, probe = trajectory.time, trajectory["probe"].world
    change = 20.0 * 0.1 / 5.0  # torque F l about z over the moment, clockwise
    burning = t <= 3.0
    angle = np.where(burning, -change * t**2 / 2, -change * 3 * (t - 1.5))
    w, z = probe.orientation[:, 0], probe.orientation[:, 3]
    found = np.unwrap(2 * np.arctan2(z, w))
    assert np.abs(found - angle).max() <= 1e-13  # measured 1.9e-14 rad
    k = int(np.flatnonzero(t == 3.0)[0])
    push = [float(mpmath.quad(lambda u, f=f: 0.4 * f(change * u * u / 2), [0, 3])) for f in (mpmath.cos, mpmath.sin)]
    assert np.allclose(probe.velocity[k, :2], [push[0], -push[1]], rtol=0, atol=1e-13)  # measured 1.0e-14 m/s
    assert np.abs(np.diff(probe.velocity[k:], axis=0)).max() == 0.0
