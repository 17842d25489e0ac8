"""Contacts on surfaces that turn or move: turntables, with the closed forms of what rides and rolls on them."""

from __future__ import annotations

import math

import numpy as np
import pytest

from contact_bodies import FLOOR, Bodies, Point
from rigidsim.engine.contact import columns as at
from rigidsim.physics.quaternion import rotate

DOWN = (0.0, 0.0, -1.0)
CORNERS = [(x, y, -0.1) for x in (-0.1, 0.1) for y in (-0.1, 0.1)]


def box_points(bodies: Bodies, flags: int = at.SWEPT, B: int = FLOOR) -> list[Point]:
    """The corners of the first body, a box, above the plane z = 0 of a table, whose centre is the origin."""
    points = []
    for k, corner in enumerate(CORNERS):
        arm = np.array(rotate(tuple(bodies.q[0]), corner))
        place = bodies.p[0] + arm
        centre = np.zeros(3) if B == FLOOR else bodies.p[B]
        points.append(Point(0, B, DOWN, place[2], tuple(arm), tuple(place - centre), core=tuple(arm), friction=3.0,
                            flags=flags, feature=k))  # fmt: skip
    return points


def riding(rate: float, h: float, seconds: float, flags: int = at.SWEPT) -> tuple[float, float]:
    """Error of radius, and lag, of a box that rides on a turntable; it starts with the table."""
    bodies = Bodies([(1.0, 0.0, 0.1)], 1.0, [[1 / 150] * 3], h, lanes=1)
    bodies.floor_omega[2], bodies.omega[0, 2], bodies.v[0, 1] = rate, rate, rate
    for _ in range(round(seconds / h)):
        bodies.step(box_points(bodies, flags))
    x, y, _ = bodies.p[0]
    return math.hypot(x, y) - 1.0, math.remainder(rate * seconds - math.atan2(y, x), 2 * math.pi)


@pytest.mark.parametrize(
    "rate, h, seconds, radius, lag",
    [(1.0, 5e-3, 3.0, 3e-6, 6e-6), (1.0, 1e-3, 0.5, 6e-8, 6e-8), (3.0, 5e-3, 3.0, 6e-5, 1.2e-4)],
)
def test_a_box_rides_on_a_turntable(rate, h, seconds, radius, lag):
    """After 10 s at 1 rad/s and 5 ms: -6.2e-6 of the radius, 1.2e-5 rad of lag; both fall with h^2."""
    found = riding(rate, h, seconds)
    assert abs(found[0]) < radius
    assert abs(found[1]) < lag


def test_with_levers_of_the_begin_of_the_step_a_box_spirals_outwards():
    """What following the surface is for: 3 % in 10 s."""
    assert riding(1.0, 5e-3, 1.0, flags=0)[0] > 2e-3


def rolling(bodies: Bodies, rate: float, steps: int) -> np.ndarray:
    """The path of a ball of radius 0.1 on a turntable."""
    bodies.floor_omega[2], path = rate, []
    for _ in range(steps):
        lever, place = (0.0, 0.0, -0.1), tuple(bodies.p[0] - (0, 0, 0.1))
        bodies.step([Point(0, FLOOR, DOWN, bodies.p[0, 2] - 0.1, lever, place, flags=at.SWEPT)])
        path.append(bodies.p[0].copy())
    return np.array(path)


def ball(h: float, **motion) -> Bodies:
    bodies = Bodies([(0.5, 0.0, 0.1)], 1.0, [[0.4 * 0.01] * 3], h, lanes=1)
    bodies.v[0], bodies.omega[0] = motion.get("v", (0, 0, 0)), motion.get("omega", (0, 0, 0))
    return bodies


def test_a_ball_that_turns_against_the_table_stays_where_it_is():
    """Its lowest point moves with the table, v + omega x (0, 0, -r) = Omega x p, and nothing acts on it."""
    bodies = ball(5e-3, omega=(1.5 * 0.5 / 0.1, 0.0, 0.0))
    path = rolling(bodies, 1.5, 400)
    assert np.abs(bodies.omega[0] - (7.5, 0, 0)).max() < 1e-12
    assert np.abs(path[:, :2] - (0.5, 0.0)).max() < 1e-14


def test_a_ball_on_a_turntable_orbits_with_two_sevenths_of_its_rate():
    """dv/dt = 2/7 Omega x v for a ball that rolls: a circle of radius v/(2/7 Omega), wherever on the table."""
    rate, speed, h = 3.5, 0.1, 5e-3
    period = 2 * math.pi / (2 / 7 * rate)
    steps = round(period / h)
    # Rolling from the beginning: v + omega x (0, 0, -r) = Omega x p.
    bodies = ball(h, v=(speed, 0.0, 0.0), omega=(rate * 0.5 / 0.1, speed / 0.1, 0.0))
    path = rolling(bodies, rate, steps)
    left = 2 / 7 * rate * (period - steps * h)
    assert np.abs(bodies.v[0] - (speed * math.cos(left), -speed * math.sin(left), 0)).max() < 1e-4 * speed
    diameter = np.ptp(path[:, 1])
    assert abs(diameter / (2 * speed / (2 / 7 * rate)) - 1) < 1e-5


def test_a_free_body_carries_a_box_as_a_prescribed_one_does():
    """A table of 1e12 kg without weight, which turns freely."""
    rows = [(1.0, 0.0, 0.1), (0.0, 0.0, 0.0)]
    table = Bodies(rows, (1.0, 1e12), [[1 / 150] * 3, [1e12] * 3], 5e-3, lanes=1)
    table.g = np.array([(0.0, 0.0, -9.81), (0.0, 0.0, 0.0)])
    table.omega[:, 2], table.v[0, 1] = 1.0, 1.0
    for _ in range(200):
        table.step(box_points(table, B=1))
    x, y, _ = table.p[0]
    assert abs(math.hypot(x, y) - 1.0) < 1.8e-6
    assert abs(math.atan2(y, x) - 1.0) < 6e-6


def test_over_a_floor_at_rest_a_box_turns_no_differently():
    """Following a surface moves the corners of a box with its turn: second order, and the same end."""
    ways = []
    for flags in (0, at.SWEPT):
        bodies = Bodies([(1.0, 0.0, 0.1)], 1.0, [[1 / 150] * 3], 5e-3, lanes=1)
        bodies.v[0], bodies.omega[0, 2] = (0.5, 0.2, 0.0), 2.0
        for _ in range(100):
            points = box_points(bodies, flags)
            for point in points:
                point.friction = 0.3
            bodies.step(points)
        assert bodies.kinetic_energy < 1e-24
        ways.append((*bodies.p[0], *bodies.q[0]))
    assert np.abs(np.subtract(*ways)).max() < 2e-3
