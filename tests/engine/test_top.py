"""The torque-free top: against an independent integration, and what is conserved; closed forms are in the self-test."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from support.scenes import angle_between, run

MOMENTS = (1.0, 2.0, 3.0)
FLIP = (0.01, 2.0, 0.01)
TARGET = 3e-8  # rad after 100 s at 10 ms


def reference(rates, duration: float) -> tuple[np.ndarray, np.ndarray]:
    """(q, omega_B) at the end, by DOP853 at its tightest: uncertain to about 2e-11 rad after 100 s."""
    a, b, c = MOMENTS

    def equations(_, y):
        w, x, y_, z, p, q, r = y
        turning = (-x * p - y_ * q - z * r, w * p + y_ * r - z * q, w * q + z * p - x * r, w * r + x * q - y_ * p)
        return [*(0.5 * part for part in turning), (b - c) * q * r / a, (c - a) * r * p / b, (a - b) * p * q / c]

    found = solve_ivp(equations, (0, duration), [1, 0, 0, 0, *rates], method="DOP853", rtol=1e-13, atol=1e-13)
    return found.y[:4, -1] / np.linalg.norm(found.y[:4, -1]), found.y[4:, -1]


def top(rates=FLIP, moments=MOMENTS) -> dict:
    rate = {"frame": "body", "value": list(rates), "relative_to": "world"}
    return {"mass": 1, "inertia": {"principal": list(moments)}, "angular_velocity": rate}


@pytest.fixture(scope="module")
def after_100_seconds() -> np.ndarray:
    return reference(FLIP, 100.0)[0]


def test_a_hundred_seconds_at_ten_milliseconds(after_100_seconds):
    trajectory = run({"top": top()}, duration=100, step=0.01)
    found = trajectory["top"].world.orientation[-1]
    assert angle_between(found, after_100_seconds) <= TARGET  # measured 1.4e-8
    momentum = trajectory.angular_momentum
    # Measured 2.7e-9 and 1.4e-10.
    assert np.linalg.norm(momentum[-1] - momentum[0]) <= 1e-8 * np.linalg.norm(momentum[0])
    assert abs(trajectory.total_energy[-1] / trajectory.total_energy[0] - 1) <= 5e-10


def test_a_spinning_parent_costs_no_accuracy(after_100_seconds):
    """The stages use the body's own rate, so what the parent does does not enter Euler's equation."""
    hub = {"motion": {"prescribed": {"angular_velocity": [0.6, 0, 0.8]}}, "children": {"top": top()}}
    trajectory = run({"hub": hub}, duration=100, step=0.01)
    assert angle_between(trajectory["hub/top"].world.orientation[-1], after_100_seconds) <= TARGET


@pytest.mark.parametrize("integrator", ["magnus2", "rkmk4"])
def test_what_the_method_conserves(integrator):
    trajectory = run({"top": top((1, 1, 1))}, duration=20, step=0.01, integrator=integrator, record_every=0.1)
    momentum = trajectory.angular_momentum
    drift = np.linalg.norm(momentum - momentum[0], axis=1).max() / np.linalg.norm(momentum[0])
    # magnus2 keeps L to round-off, grown with the root of 2000 steps (measured 2.4e-14); rkmk4 to its order (1e-9).
    assert drift <= {"magnus2": 16 * math.sqrt(2000) * 2.2e-16, "rkmk4": 1e-8}[integrator]
    # L . omega = 2 T at any instant, whatever the error of the motion.
    product = np.sum(momentum * trajectory["top"].world.angular_velocity, axis=1)
    assert np.abs(product / (2 * trajectory.total_energy) - 1).max() <= 8 * 2.2e-16


@pytest.mark.slow
def test_a_million_steps_keep_the_energy():
    """1e6 steps of the free top: no drift towards another axis."""
    trajectory = run({"top": top((1, 1, 1))}, duration=1000, step=1e-3, record_every=10)
    energy = trajectory.total_energy
    assert np.abs(energy / energy[0] - 1).max() <= 1e-11
