"""Armature: the inertia of rotors in joints, against reduced coordinates and against rotors that are bodies."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from rigidsim.analysis.quantities import quantity
from support.scenes import run

Z, G = [0, 0, 1], 9.81
METHODS = {"rkmk4": "rkmk4", "adaptive": {"name": "adaptive", "rtol": 1e-11}}
METHODS |= {"taylor": {"name": "taylor", "tolerance": 1e-11}}
EVERY = pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)


def arm(length: float, center: float, **more) -> dict:
    """A rod along x that hinges about z at its origin; 0.05 kg m^2 about its centre of mass."""
    hinge = {key: more.pop(key) for key in [*more] if key not in ("position", "children", "shapes", "material")}
    body = {"mass": 1.5, "inertia": {"principal": [0.05, 0.05, 0.05]}, "center_of_mass": [center, 0, 0]}
    return body | {"position": [length, 0, 0], "motion": {"hinge": {"axis": Z, **hinge}}} | more


def values(trajectory, name: str) -> np.ndarray:
    return quantity(trajectory, name).values


def two_arms(rates: dict, motor: float) -> dict:
    lower = arm(0.6, 0.3, armature=0.4, damping=0.2, **rates.get("lower", {}))
    return {
        "upper": arm(
            0, 0.25, armature=1.1, motor={"torque": motor}, **rates.get("upper", {}), children={"lower": lower}
        )
    }


@EVERY
def test_two_arms_with_rotors_move_as_lagrange_says(method):
    """(M(q) + diag(a)) q'' + c(q, q') = tau, the kinetic energy of the rotors being that of their own turns."""
    rates = {"upper": {"angle": 0.3, "rate": 1.0}, "lower": {"angle": -0.8, "rate": -2.0}}
    how = {"gravity": [0, -G, 0], "duration": 1.0, "step": 1e-3, "integrator": method}
    trajectory = run(two_arms(rates, 2.0), **how)
    m, moment, length, c1, c2 = 1.5, 0.05, 0.6, 0.25, 0.3

    def equations(t, y):
        q1, q2, v1, v2 = y
        cos, sin = math.cos(q2), math.sin(q2)
        coupled = moment + m * (c2**2 + length * c2 * cos)
        whole = 2 * moment + m * (c1**2 + length**2 + c2**2 + 2 * length * c2 * cos)
        M = np.array([[whole + 1.1, coupled], [coupled, moment + m * c2**2 + 0.4]])
        h = m * length * c2 * sin
        outer = -m * G * c2 * math.cos(q1 + q2)
        force = [
            2.0 - m * G * (c1 + length) * math.cos(q1) + outer + h * (2 * v1 * v2 + v2**2),
            -0.2 * v2 + outer - h * v1**2,
        ]
        return [v1, v2, *np.linalg.solve(M, force)]

    end = solve_ivp(equations, (0, 1), (0.3, -0.8, 1.0, -2.0), method="DOP853", rtol=1e-13, atol=1e-14).y[:, -1]
    names = ("upper.angle", "upper/lower.angle", "upper.rate", "upper/lower.rate")
    found = [values(trajectory, name)[-1] for name in names]
    assert found == pytest.approx(end, abs=2e-10)  # measured: rkmk4 2e-11
    energy = trajectory.total_energy
    assert np.abs(energy - energy[0]).max() < 1e-9


def test_a_rotor_on_a_coupled_hinge_is_an_armature_of_the_square_of_its_ratio():
    """A rotor on the ground that turns n = -20 times as fast, beside an armature of n^2 times its inertia."""
    n, rotor = -20.0, 0.003
    spun = {"mass": 0.1, "inertia": {"principal": [rotor] * 3}, "position": [2, 0, 0], "motion": {"hinge": {"axis": Z}}}
    bodies = {"arm": arm(0, 0.25, angle=1.0, armature=0.0), "rotor": spun}
    loops = [{"type": "coupling", "between": ["arm", "rotor"], "ratio": n}]
    how = {"gravity": [0, -G, 0], "duration": 1.0, "step": 2e-3}
    one = run(bodies, loops=loops, **how)
    other = run({"arm": arm(0, 0.25, angle=1.0, armature=n * n * rotor)}, **how)
    assert values(one, "arm.angle")[-1] == pytest.approx(values(other, "arm.angle")[-1], abs=1e-11)
    assert one.total_energy[-1] == pytest.approx(other.total_energy[-1], abs=1e-11)


def test_an_impulse_and_a_stop_meet_the_rotor_too():
    """A blow of J on the tip: rate J l/(I + a); an elastic stop turns the rate round. The ledger closes."""
    bodies = {"arm": arm(0, 0.5, armature=0.6, limits=[-1, 0.25], restitution=1.0)}
    bodies["arm"]["impulses"] = [{"time": 0.1, "impulse": [0, 2.0, 0], "at": [1, 0, 0], "frame": "world"}]
    trajectory = run(bodies, duration=0.6, step=1e-2, record_every=0.1)
    rate = 2.0 / (0.05 + 1.5 * 0.25 + 0.6)
    rates = values(trajectory, "arm.rate")
    assert rates[1] == pytest.approx(rate, rel=1e-13)
    assert rates[-1] == pytest.approx(-rate, rel=1e-13)
    energy = trajectory.total_energy
    assert np.abs(energy - energy[0]).max() < 1e-13


def test_a_motor_that_prescribes_the_angle_turns_its_rotor():
    """Its torque is that of the arm and a x''; its work is their energy."""
    bodies = {"arm": arm(0, 0.0, armature=0.7, motor={"angle": "= sin(2*t)"})}
    trajectory = run(bodies, duration=1.0, step=1e-3, record_every=0.1)
    torque = -4 * np.sin(2 * trajectory.time) * (0.05 + 0.7)
    assert values(trajectory, "arm.motor") == pytest.approx(torque, abs=1e-12)
    energy = trajectory.total_energy
    assert np.abs(energy - energy[0]).max() < 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("more", [{}, {"limits": [-1, 1]}], ids=["free", "between stops"])
def test_a_body_that_hits_an_arm_meets_its_rotor(more):
    """A ball of 0.5 kg falls on the end of a lever at rest: afterwards both move as one plastic impact says, and the
    contact ledger closes: nothing holds the rate of the lever.
    """
    lever = arm(0, 0.0, armature=0.3, **more, shapes=[{"type": "box", "size": [2, 0.1, 0.1]}])
    ball = {"mass": 0.5, "inertia": {"principal": [0.01] * 3}, "position": [0.8, 0.1501, 0], "velocity": [0, -1, 0]}
    ball["shapes"] = [{"type": "sphere", "radius": 0.1}]
    trajectory = run({"lever": lever, "ball": ball}, duration=0.01, step=1e-3, contact="stepping")
    rate = -0.5 * 0.8 / (0.05 + 0.3 + 0.5 * 0.64)
    assert values(trajectory, "lever.rate")[-1] == pytest.approx(rate, rel=2e-3)  # the soft contact of the sub-steps
    assert trajectory.contact_ledger.relative_error < 1e-3
    assert abs(trajectory.contact_ledger.driven) < 1e-15


def test_momenta_of_a_floating_arm_are_kept_whatever_its_rotors():
    base = {"mass": 2, "inertia": {"principal": [0.2, 0.3, 0.4]}, "angular_velocity": [0.3, -0.2, 0.5]}
    base["children"] = two_arms({"upper": {"rate": 2.0}, "lower": {"rate": -1.0}}, 0.5)
    trajectory = run({"base": base}, duration=1.0, step=2e-3)
    for momentum in (trajectory.diagnostic("linear_momentum"), trajectory.angular_momentum):
        assert np.abs(momentum - momentum[0]).max() < 1e-11
    assert np.abs(trajectory.total_energy - trajectory.total_energy[0]).max() < 1e-9
