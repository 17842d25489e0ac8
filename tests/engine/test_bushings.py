"""Bushings: conservation, closed forms, special cases that springs know."""

from __future__ import annotations

import math

import numpy as np
import pytest

import rigidsim
from force_scenes import BALL, BRICK, BUSHING, DAMPED, TILT, changes, run, scene_of
from rigidsim.physics.quaternion import rotate_back
from rigidsim.report.explain import Explanation
from support.scenes import axis_angle


@pytest.mark.parametrize("axis", range(3))
@pytest.mark.parametrize("other", ["world", "wheel"])
def test_small_oscillations_about_and_along_each_axis(axis, other):
    """omega = sqrt(k/m) along an axis and sqrt(kappa/I) about it, with the reduced mass and inertia of two ends."""
    unit = np.eye(3)[axis]
    along = {"stiffness": [9, 4, 16], "torsion_stiffness": [0, 0, 0]}
    about = {"stiffness": [0, 0, 0], "torsion_stiffness": [4.5, 2, 8]}
    inertia = np.array([3.0, 2.5, 2.0])
    wheel = {"mass": 2, "inertia": {"principal": [1, 1, 0.5]}}
    still = {"type": "bushing", "to": other, "offset": [0, 0, 0], "rest": {"wxyz": [1, 0, 0, 0]}}
    for gains, size in ((along, 0.1), (about, 0.1)):
        moved = {"position": list(size * unit)} if gains is along else {"orientation": axis_angle(unit, size)}
        body = {"mass": 4, "inertia": {"principal": list(inertia)}, **moved, "forces": [{**still, **gains}]}
        if gains is along:
            k, m = gains["stiffness"][axis], 4.0 if other == "world" else 4.0 / 3.0
        else:
            second = wheel["inertia"]["principal"][axis]
            first = inertia[axis]
            k, m = gains["torsion_stiffness"][axis], first if other == "world" else first * second / (first + second)
        period = 2 * math.pi * math.sqrt(m / k)
        bodies = {"b": body} | ({"wheel": wheel} if other == "wheel" else {})
        seen = run(bodies, period, period / 400, record_every=period / 4)["b"].seen_from(other)
        found = seen.position @ unit if gains is along else 2 * np.arcsin(seen.orientation[:, 1 + axis])
        # RK4 with 400 steps a period: 2 pi (2 pi/400)^4/120 of the amplitude is 3e-9.
        assert found == pytest.approx(size * np.array([1, 0, -1, 0, 1]), abs=1e-8 * size), (gains, axis)


def test_equal_gains_are_those_of_a_spring_and_a_torsion_spring():
    """A spring without length that is damped in no direction, and a torsion spring about every axis."""
    spring = {"type": "spring", "to": "a", "at": [0.4, 0, 0.1], "to_at": [0, -0.3, 0.2], "stiffness": 6.0, "length": 0}
    torsion = {"type": "torsion_spring", "to": "a", "stiffness": 1.5, "rest": TILT, "damping": 0.2}
    bushing = {
        "type": "bushing", "to": "a", "at": [0.4, 0, 0.1], "to_at": [0, -0.3, 0.2], "offset": [0, 0, 0], "rest": TILT,
        "stiffness": [6, 6, 6], "torsion_stiffness": [1.5, 1.5, 1.5], "torsion_damping": [0.2, 0.2, 0.2],
    }  # fmt: skip

    def moved(forces: list) -> rigidsim.Trajectory:
        return run({"a": BRICK, "b": {**BRICK, "position": [0.8, 0.5, 0.3], "forces": forces}}, 0.5, 0.005)

    one, two = moved([bushing]), moved([spring, torsion])
    for quantity in ("position", "velocity", "angular_velocity"):
        for name in "ab":
            first, second = (getattr(each[name].world, quantity) for each in (one, two))
            assert np.abs(first - second).max() <= 2e-13, (name, quantity)
    assert one.diagnostic("potential_energy") == pytest.approx(two.diagnostic("potential_energy"), rel=1e-12)


def test_what_is_left_out_is_as_at_the_start():
    b = {**BALL, "position": [0.8, 0.5, 0.3], "orientation": TILT, "forces": [{**BUSHING, "to": "a"}]}
    del b["forces"][0]["rest"]
    a = {**BALL, "orientation": axis_angle((0, 1, 1), 0.5), "children": {"lug": {"orientation": TILT}}}
    for other in ("a", "a/lug"):
        b["forces"][0]["to"] = other
        trajectory = run({"a": a, "b": b}, 0.2, 0.01)
        assert trajectory.diagnostic("potential_energy").max() <= 1e-28
        assert np.abs(trajectory["b"].world.velocity).max() <= 1e-14


def test_a_bushing_in_a_planar_scene_keeps_the_energy_in_the_plane():
    normal = [1, 2, 2]
    plane = {"world": {"plane": normal}}
    b = {**BALL, "position": [2, -1, 0], "forces": [{**BUSHING, "to": "a", "rest": {"wxyz": [1, 0, 0, 0]}}]}
    b["angular_velocity"] = [0.3, 0.6, 0.6]
    trajectory = run({"a": {**BALL, "orientation": axis_angle(normal, 0.3)}, "b": b}, 1.0, 0.0025, **plane)
    momentum, _, energy = changes(trajectory)
    assert max(momentum, energy) <= 1e-8
    height = trajectory["b"].world.position @ np.array(normal) / 3
    assert np.ptp(height) <= 1e-13
    assert np.ptp(trajectory.diagnostic("kinetic_energy")) > 0.1


def test_half_a_turn_is_reported():
    twist = {"type": "bushing", "to": "world", "torsion_stiffness": [0.1, 0.1, 0.1], "during": [0, 3]}
    scene = scene_of({"b": {**BALL, "angular_velocity": [0, 0, 2.0], "forces": [twist]}}, 2.0, 0.01)
    simulation = rigidsim.Simulation(scene)
    simulation.step(200)
    (reported,) = [warning for warning in simulation.warnings if "half a turn" in warning]
    assert reported.startswith("the bushing b, forces[0] passed half a turn at t = ")


def test_explain_gives_its_share_at_both_ends():
    b = {
        **BRICK,
        "position": [0.8, 0.5, 0.3],
        "forces": [{**BUSHING, **DAMPED, "to": "a"}, {"type": "drag", "linear": 1}],
    }
    trajectory = rigidsim.simulate(scene_of({"a": BRICK, "b": b}, 0.1, 0.01), terms=True)
    for body, other in (("a", "b"), ("b", "a")):
        shares = Explanation(trajectory, body, 0.1).shares
        bushing = shares.loads[0]
        assert str(bushing.load) == f"bushing to {other} (b, forces[0])"
        assert np.abs(bushing.terms["angular_applied"]).max() > 0.01
        assert not shares.rest  # the sum is what was recorded


WHEEL = {"mass": 10, "inertia": {"principal": [0.3, 0.3, 0.5]}, "angular_velocity": [20, 0, 314]}
AXLE = {"type": "bushing", "to": "world", "stiffness": [1e5, 2e5, 1e5], "rest": {"wxyz": [1, 0, 0, 0]}}


@pytest.mark.parametrize("gains", [[2000, 2000, 0], [2000, 500, 0]])
def test_a_wheel_keeps_its_spin_about_a_free_axis_and_its_energy(gains):
    """A symmetric wheel turns 100 times while its axis swings by 4 degrees: no torque acts about that axis."""
    wheel, drifts = {**WHEEL, "forces": [{**AXLE, "torsion_stiffness": gains}]}, []
    for step in (8e-4, 4e-4, 2e-4):
        simulation = rigidsim.Simulation(scene_of({"wheel": wheel}, 2.0, step))
        simulation.step(simulation.n_step)
        assert not simulation.warnings
        trajectory = run({"wheel": wheel}, 2.0, step, record_every=0.04)
        motion, stored = trajectory["wheel"].world, trajectory.diagnostic("potential_energy")
        q, omega = (np.asarray(part).T for part in (motion.orientation, motion.angular_velocity))
        assert np.abs(rotate_back(tuple(q), tuple(omega))[2] - 314).max() <= 2e-13  # measured 6e-14, one digit
        assert stored.max() > 2.9 and 0.07 < 2 * np.hypot(q[1], q[2]).max() < 0.08
        drifts.append(np.ptp(trajectory.total_energy) / stored.max())
    assert drifts[-1] < 3e-5  # measured 1.3e-5 and 2.1e-5, falling with the fifth power of the step
    assert np.abs(np.log2(np.array(drifts[:-1]) / drifts[1:]) - 5.0).max() < 0.05


@pytest.mark.parametrize("free", range(3))
def test_each_axis_can_be_free(free):
    """About it a body turns as it likes, without a torque; about the others it is held."""
    unit, gains = np.eye(3)[free], np.where(np.arange(3) == free, 0.0, [4.0, 5.0, 6.0])
    turning = {**AXLE, "stiffness": [0, 0, 0], "torsion_stiffness": [*gains]}
    body = {"mass": 1, "inertia": {"principal": [1, 1, 1]}, "forces": [turning]}
    found = run({"b": {**body, "angular_velocity": [*(3 * unit)]}}, 5.0, 0.01)
    assert np.abs(found["b"].world.angular_velocity - 3 * unit).max() <= 1e-14
    assert not found.diagnostic("potential_energy").any()
    for other in {0, 1, 2} - {free}:
        period = 2 * math.pi / math.sqrt(gains[other])
        tilted = {**body, "orientation": axis_angle(np.eye(3)[other], 0.1)}
        seen = run({"b": tilted}, period, period / 400, record_every=period / 4)["b"].world.orientation
        assert 2 * np.arcsin(np.asarray(seen)[:, 1 + other]) == pytest.approx(
            0.1 * np.array([1, 0, -1, 0, 1]), abs=1e-9
        )
