"""Bodies that roll and are not round about their centre of mass, against the equations of motion and an integral."""

from __future__ import annotations

import math

import numpy as np
import pytest

from contact_scenes import G, collide, floor
from rigidsim.physics.quaternion import exp_full, product, to_matrix

UP = np.array([0.0, 0.0, 1.0])
LOADED = {"mass": 0.5, "radius": 0.05, "com": (0.005, 0.008, -0.012), "inertia": (4e-4, 5e-4, 6e-4)}
TOP = {"mass": 0.015, "radius": 0.025, "com": (0.0, 0.0, -0.004), "inertia": (4e-6, 4e-6, 4.1e-6)}


def axes(q) -> np.ndarray:
    return np.array(to_matrix(tuple(q)))


def acceleration(q, omega, ball: dict) -> np.ndarray:
    """Of a ball that rolls without slipping: I alpha + omega x I omega = r x m (a - g), v = -omega x r."""
    m, turn = ball["mass"], axes(q)
    core, inertia = -turn @ ball["com"], turn @ np.diag(ball["inertia"]) @ turn.T
    r = core - ball["radius"] * UP
    centripetal = -np.cross(omega, np.cross(omega, core))
    masses = inertia + m * (r @ r * np.eye(3) - np.outer(r, r))
    moment = np.cross(r, m * (centripetal + G * UP)) - np.cross(omega, inertia @ omega)
    return np.linalg.solve(masses, moment)


def rolled(omega, seconds: float, ball: dict, steps: int) -> tuple[np.ndarray, np.ndarray]:
    """The way of the middle of the ball and its rate at the end; fourth order in the step."""
    q, omega, way, h = np.array([1.0, 0.0, 0.0, 0.0]), np.array(omega, float), np.zeros(3), seconds / steps

    def slope(theta, rate):
        turned = product(exp_full(tuple(0.5 * theta)), tuple(q))
        # The rate of a rotation vector, to the second order that a method of fourth needs here.
        drift = rate - 0.5 * np.cross(theta, rate) + np.cross(theta, np.cross(theta, rate)) / 12
        return drift, acceleration(turned, rate, ball), np.cross(rate, ball["radius"] * UP)

    for _ in range(steps):
        k1 = slope(np.zeros(3), omega)
        k2 = slope(0.5 * h * k1[0], omega + 0.5 * h * k1[1])
        k3 = slope(0.5 * h * k2[0], omega + 0.5 * h * k2[1])
        k4 = slope(h * k3[0], omega + h * k3[1])
        theta, gained, moved = (h / 6 * (a + 2 * b + 2 * c + d) for a, b, c, d in zip(k1, k2, k3, k4, strict=True))
        q, omega, way = np.array(product(exp_full(tuple(0.5 * theta)), tuple(q))), omega + gained, way + moved
    return way, omega


def sphere(ball: dict, friction: float, **motion) -> dict:
    """The body of a scene."""
    return {
        "mass": ball["mass"], "center_of_mass": list(ball["com"]), "inertia": {"principal": list(ball["inertia"])},
        "shapes": [{"type": "sphere", "radius": ball["radius"]}], "position": [0, 0, ball["radius"]],
        "material": {"friction": friction}, **motion,
    }  # fmt: skip


def energy(motion, ball: dict, k: int) -> float:
    """Kinetic and potential energy of a sample, J."""
    turn, omega = axes(motion.orientation[k]), motion.angular_velocity[k]
    arm, spin = turn @ ball["com"], turn.T @ omega
    v = motion.velocity[k] + np.cross(omega, arm)
    height = motion.position[k, 2] + arm[2]
    return 0.5 * ball["mass"] * v @ v + 0.5 * spin @ (ball["inertia"] * spin) + ball["mass"] * G * height


def test_a_loaded_ball_rolls_to_second_order():
    """With the levers of the beginning of a step it is 15 mm off at 1 ms, and loses 8e-4 of its energy."""
    omega, errors = (3.0, -2.0, 20.0), []
    way, rate = rolled(omega, 2.0, LOADED, 1000)  # 4000 give the same to 2e-8 m
    for step in (2e-3, 1e-3):
        ball = sphere(LOADED, 5, velocity=[-0.1, -0.15, 0], angular_velocity=list(omega))
        found = collide({"floor": floor(friction=5), "ball": ball}, duration=2, step=step, record_every=1)["ball"].world
        errors.append(np.linalg.norm((found.position[-1] - found.position[0] - way)[:2]))
        assert np.linalg.norm(found.angular_velocity[-1] - rate) <= 4e-3 * (step / 1e-3) ** 2
        assert abs(energy(found, LOADED, -1) / energy(found, LOADED, 0) - 1) <= 2e-5
    assert errors[1] <= 2e-5
    assert math.log2(errors[0] / errors[1]) == pytest.approx(2, abs=0.2)


def test_a_tippe_top_keeps_the_integral_of_jellett():
    """L . r, r from the centre of mass to the contact, is constant for an axisymmetric body with a round bottom."""
    tilt, spin = 0.15, 150.0
    motion = {
        "orientation": {"axis": [1, 0, 0], "angle": tilt},
        "angular_velocity": [0, -spin * math.sin(tilt), spin * math.cos(tilt)],
    }
    bodies = {"floor": floor(friction=0.3), "top": sphere(TOP, 0.3, **motion)}
    found = collide(bodies, duration=1, step=1e-3, record_every=0.1)["top"].world
    jellett, tilts = [], []
    for q, omega in zip(found.orientation, found.angular_velocity, strict=True):
        turn = axes(q)
        momentum = turn @ (TOP["inertia"] * (turn.T @ omega))
        jellett.append(momentum @ (-turn @ TOP["com"] - TOP["radius"] * UP))
        tilts.append(math.degrees(math.acos(turn[2, 2])))
    assert np.abs(np.array(jellett) / jellett[0] - 1).max() <= 5e-7  # with first-order levers 8e-3, and it inverts
    assert tilts[-1] == pytest.approx(2.924, abs=0.06)  # the limit of fine steps


def test_a_roly_poly_loses_no_swing_as_steps_shrink():
    """A ball with its centre of mass low swings for 20 s; it loses a share of m g b (1 - cos(tilt)), of second order.

    From 2 s on: at the beginning it sinks into the floor, to where penalty and weight balance.
    """
    low = {"mass": 1.0, "radius": 0.1, "com": (0.0, 0.0, -0.03), "inertia": (3e-3, 3e-3, 3e-3)}
    tilt, losses = 0.02, []
    for step in (4e-3, 2e-3, 1e-3):
        bodies = {"floor": floor(friction=2), "ball": sphere(low, 2, orientation={"axis": [0, 1, 0], "angle": tilt})}
        motion = collide(bodies, duration=20, step=step, record_every=2)["ball"].world
        losses.append((energy(motion, low, 1) - energy(motion, low, -1)) / (G * 0.03 * (1 - math.cos(tilt))))
    assert 0 < losses[2] <= 7e-5  # 3.4e-5 measured
    assert math.log2(losses[0] / losses[1]) == pytest.approx(2, abs=0.2)
    assert math.log2(losses[1] / losses[2]) == pytest.approx(2, abs=0.2)
