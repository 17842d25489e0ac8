"""The shipped scenes: each runs, opens with what it shows, and shows it."""

from __future__ import annotations

import math
from pathlib import Path

import mpmath
import numpy as np
import pytest

import rigidsim
from rigidsim.cli.examples import shipped_scenes
from rigidsim.physics.quaternion import rotate_back

EPS = np.finfo(float).eps
SCENES = shipped_scenes()


@pytest.fixture(scope="module")
def run():
    """Each scene's history, computed once."""
    done = {}

    def get(name: str) -> rigidsim.Trajectory:
        if name not in done:
            done[name] = rigidsim.simulate(rigidsim.Scene.from_file(SCENES[name]))
        return done[name]

    return get


@pytest.mark.parametrize("name", sorted(SCENES))
def test_opens_with_what_it_shows_and_what_to_look_for(name):
    head = Path(SCENES[name]).read_text().split("format:")[0]
    assert all(line.startswith("#") for line in head.splitlines())
    assert "Look for:" in head
    assert f"rigidsim run scenes/{name}.yaml" in head


@pytest.mark.parametrize("name", sorted(SCENES))
def test_energy_ledger_closes(name, run):
    """Energy less work stays; the bound is round-off, grown with the root of the number of steps."""
    trajectory = run(name)
    energy = trajectory.total_energy
    size = max(np.abs(trajectory.diagnostic(part)).max() for part in ("kinetic_energy", "potential_energy", "work"))
    steps = 30_000
    # Measured: 1.2e-13 for the flipping axis (30 000 steps), 2e-14 and less for the others.
    assert np.abs(energy - energy[0]).max() <= 16 * math.sqrt(steps) * EPS * size


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
