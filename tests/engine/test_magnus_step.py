"""The articles' step through the engine: orders under constant angular acceleration, and where it is exact."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rigidsim.physics.quaternion import exp_cubic, exp_full
from support.scenes import EPS, angle_between, run, slopes

LOCAL_ORDER = {1: 3, 2: 5, 3: 5, 4: 7}
RATE, TORQUE, MOMENT = (0.9, -0.4, 1.1), (-1.0, 2.6, 1.4), 2.0
SPHERE = {"mass": 3.0, "inertia": {"principal": [MOMENT] * 3}}


def magnus(terms: int, exponential: str = "full") -> dict:
    return {"name": "magnus", "terms": terms, "exponential": exponential}


def ball() -> dict:
    """A body of equal moments under a torque constant in its parent's axes: constant angular acceleration."""
    return SPHERE | {"angular_velocity": list(RATE), "forces": [{"torque": list(TORQUE)}]}


@pytest.mark.parametrize("terms", LOCAL_ORDER)
def test_local_orders_are_3_5_5_7(terms, turned_under_constant_acceleration):
    steps, errors = (0.4, 0.2, 0.1) if terms < 4 else (0.8, 0.4, 0.2), []
    alpha = [tau / MOMENT for tau in TORQUE]
    for h in steps:
        found = run({"ball": ball()}, duration=h, step=h, integrator=magnus(terms))["ball"].world
        exact = np.array(turned_under_constant_acceleration((1, 0, 0, 0), RATE, alpha, h), dtype=float)
        errors.append(angle_between(found.orientation[-1], exact))
        assert np.allclose(found.angular_velocity[-1], np.add(RATE, np.multiply(h, alpha)), rtol=0, atol=8 * EPS)
    # Measured at the finer pair: 2.998, 5.001, 4.992, 7.016.
    assert abs(slopes(steps, errors)[-1] - LOCAL_ORDER[terms]) <= 0.1


@pytest.mark.parametrize("terms", LOCAL_ORDER)
@pytest.mark.parametrize("h", [0.1, 0.5])
def test_constant_acceleration_is_exact(terms, h):
    """Force and gravity constant in the world: the parabola, to the round-off of a hundred steps."""
    position, velocity, force, gravity = (1.0, -2.0, 0.5), (3.0, 0.0, 7.0), (6.0, -4.5, 1.5), (0.25, 0.0, -9.75)
    body = SPHERE | {"position": position, "velocity": velocity, "forces": [{"force": force}]}
    moved = run({"b": body}, duration=100 * h, step=h, integrator=magnus(terms), gravity=gravity, record_every=h)
    t, acceleration = moved.time[:, np.newaxis], np.divide(force, SPHERE["mass"]) + gravity
    path, speed = position + t * velocity + 0.5 * t * t * acceleration, velocity + t * acceleration
    # Measured: 5 and 2 eps of the largest coordinate.
    assert np.abs(moved["b"].world.position - path).max() <= 16 * EPS * np.abs(path).max()
    assert np.abs(moved["b"].world.velocity - speed).max() <= 16 * EPS * np.abs(speed).max()


@pytest.mark.parametrize("terms", LOCAL_ORDER)
def test_constant_angular_acceleration_about_a_fixed_axis_is_exact(terms):
    """About a principal axis every commutator vanishes; 0.4 rad and more a step."""
    h, rate, rate_dot = 0.1, 3.0, 0.7
    inertia = {"principal": [1.0, 2.0, 2.5], "orientation": {"axis": [0, 0, 1], "angle": 0.3}}
    body = {"mass": 1.0, "inertia": inertia, "angular_velocity": [0, 0, rate], "forces": [{"torque": [0, 0, 1.75]}]}
    turned = run({"b": body}, duration=10, step=h, integrator=magnus(terms), record_every=h)
    angle = turned.time * (rate + 0.5 * turned.time * rate_dot)
    exact = np.stack(exp_full((0 * angle, 0 * angle, 0.5 * angle)), axis=-1)
    # Round-off of a hundred steps, relative to the 65 rad in all. Measured: 6 eps.
    assert angle_between(turned["b"].world.orientation, exact).max() <= 16 * EPS * angle[-1]


def test_in_a_turning_parent_the_step_is_of_the_stated_order_one():
    """The acceleration is taken as constant over a step, at its beginning."""
    body = SPHERE | {"position": [1.0, 0.0, 0.0]}
    parent = {"motion": {"prescribed": {"angular_velocity": [0.0, 0.0, 1.0]}}, "children": {"b": body}}
    exact = (1.0, 1.0, 0.0)  # it flies off along the tangent
    steps = (0.01, 0.005, 0.0025)
    errors = [
        np.linalg.norm(run({"p": parent}, duration=1, step=h, integrator=magnus(2))["p/b"].world.position[-1] - exact)
        for h in steps
    ]
    assert np.all(np.abs(slopes(steps, errors) - 1.0) <= 0.1)  # measured: 1.001, 1.001


def test_the_cubic_exponential_makes_its_known_error():
    """A quarter turn in one step: wrong by 0.94 % of the quaternion; a tenth: by (angle/2)^5/15."""
    for angle, steps in ((math.pi / 2, 1), (0.1, 50)):
        body = SPHERE | {"angular_velocity": [0.0, angle, 0.0]}
        found = run({"b": body}, duration=steps, step=1, integrator=magnus(1, "cubic"))["b"].world.orientation[-1]
        exact = np.array(exp_full((0.0, 0.5 * angle * steps, 0.0)))
        one_step = exp_cubic((0.0, angle / 2, 0.0))
        short = angle - 2 * math.atan2(one_step[2], one_step[0])
        assert abs(angle_between(found, exact) - steps * abs(short)) <= 16 * EPS * steps
        if steps == 1:
            assert np.linalg.norm(found - exact) == pytest.approx(0.0094, abs=5e-5)
        else:
            # The next term is of relative size 10/21 (angle/2)^2.
            assert angle_between(found, exact) == pytest.approx(steps * (angle / 2) ** 5 / 15, rel=(angle / 2) ** 2)


def test_terms_two_and_three_differ_where_they_should():
    """The third term is alpha x (alpha x omega) h^5/240, and no more, in one step."""
    h, alpha = 0.2, np.divide(TORQUE, MOMENT)
    two, three = (
        run({"b": ball()}, duration=h, step=h, integrator=magnus(n))["b"].world.orientation[-1] for n in (2, 3)
    )
    third = np.linalg.norm(np.cross(alpha, np.cross(alpha, RATE))) * h**5 / 240
    # Equal to the first order of the turn of the step, here 0.3 rad.
    assert angle_between(two, three) == pytest.approx(third, rel=0.05)
