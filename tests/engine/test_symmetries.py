"""What nature does not notice: turned axes, the sign of a quaternion, the direction and the unit of time."""

from __future__ import annotations

import numpy as np
import pytest

import rigidsim
from rigidsim.physics.quaternion import exp_full, product, rotate
from support.scenes import EPS, angle_between, axis_angle, make_scene, run

HOW = {"duration": 2, "step": 1e-3, "record_every": 0.1}
GRAVITY = (0.3, -0.2, -1.5)
TURN = exp_full((0.3, -0.5, 0.8))
QUANTITIES = ("position", "velocity", "angular_velocity")
BODY = {
    "mass": 2.0,
    "inertia": {"principal": [0.5, 0.8, 1.1], "orientation": axis_angle((0, 1, 1), 0.5)},
    "center_of_mass": [0.2, -0.1, 0.3],
}
START = {"position": (1.0, 2.0, 0.5), "velocity": (1.0, 0.5, -2.0), "angular_velocity": (0.4, 1.1, -0.7)}
FORCE, TORQUE, AT = (0.4, -0.3, 0.2), (0.1, 0.2, -0.15), [0.3, 0.1, -0.2]
SPIN, ORIENTATION = (0.3, -0.6, 0.9), exp_full((0.2, 0.1, -0.4))


def scene_turned_by(q) -> dict:
    """A body in a spinning parent, everything that has a direction in the world turned by q."""
    start = {name: list(rotate(q, vector)) for name, vector in START.items()}
    load = {"force": list(rotate(q, FORCE)), "torque": list(rotate(q, TORQUE)), "at": AT, "frame": "world"}
    body = BODY | start | {"orientation": {"wxyz": list(product(q, ORIENTATION))}, "forces": [load]}
    motion = {"prescribed": {"angular_velocity": list(rotate(q, SPIN)), "velocity": list(rotate(q, (0.1, 0.2, 0.3)))}}
    return {"p": {"motion": motion, "children": {"b": body}}}


@pytest.mark.parametrize("integrator", ["rkmk4", "magnus", "magnus2", "euler"])
def test_a_scene_turned_as_a_whole_moves_turned(integrator):
    """Each method is equivariant whatever its error; what is left is round-off of 2000 steps. Measured: half of it."""
    plain = run(scene_turned_by((1.0, 0.0, 0.0, 0.0)), gravity=GRAVITY, integrator=integrator, **HOW)["p/b"].world
    found = run(scene_turned_by(TURN), gravity=rotate(TURN, GRAVITY), integrator=integrator, **HOW)["p/b"].world
    round_off = 2000 * EPS
    for name in QUANTITIES:
        expected = np.stack(rotate(TURN, tuple(getattr(plain, name).T)), axis=-1)
        assert np.abs(getattr(found, name) - expected).max() <= round_off * np.abs(expected).max(), name
    expected = np.stack(product(TURN, tuple(plain.orientation.T)), axis=-1)
    assert angle_between(found.orientation, expected).max() <= round_off


def test_run_backwards_it_comes_back():
    """Velocities turned round at the end: the same path back, here to the error of the method at 1 ms."""
    start = {name: list(vector) for name, vector in START.items()}
    body = BODY | start | {"orientation": {"wxyz": list(ORIENTATION)}}
    scene = make_scene({"b": body}, duration=2, step=1e-3, gravity=GRAVITY)
    simulation = rigidsim.Simulation(scene)
    simulation.step(2000)
    end = simulation.state["b"].world
    back = body | {
        "position": end.position.tolist(),
        "orientation": {"wxyz": end.orientation.tolist()},
        "velocity": (-end.velocity).tolist(),
        "angular_velocity": (-end.angular_velocity).tolist(),
    }
    found = run({"b": back}, duration=2, step=1e-3, gravity=GRAVITY)["b"].world
    round_off = 2000**0.5 * EPS  # of twice 2000 steps, in both directions; measured: 30 eps
    assert np.abs(found.position[-1] - START["position"]).max() <= 4 * round_off
    assert np.abs(found.velocity[-1] + START["velocity"]).max() <= 4 * round_off
    assert np.abs(found.angular_velocity[-1] + START["angular_velocity"]).max() <= 4 * round_off
    assert angle_between(found.orientation[-1], np.array(ORIENTATION)) <= 4 * round_off


@pytest.mark.parametrize("integrator", ["rkmk4", "magnus", "magnus2", "euler"])
def test_another_unit_of_time_changes_no_bit(integrator):
    """Half the time, double the rates, four times the forces: powers of two, so exact."""

    def scaled_by(k):
        start = {name: [k * c if name != "position" else c for c in vector] for name, vector in START.items()}
        load = {"force": [k * k * c for c in FORCE], "torque": [k * k * c for c in TORQUE], "at": AT, "frame": "body"}
        body = BODY | start | {"orientation": {"wxyz": list(ORIENTATION)}, "forces": [load]}
        motion = {"prescribed": {"angular_velocity": [k * c for c in SPIN]}}
        return run(
            {"p": {"motion": motion, "children": {"b": body}}},
            duration=2 / k, step=2**-8 / k, gravity=[k * k * c for c in GRAVITY], integrator=integrator,
        )["p/b"].world  # fmt: skip

    slow, fast = scaled_by(1), scaled_by(2)
    assert np.array_equal(slow.position, fast.position)
    assert np.array_equal(slow.orientation, fast.orientation)
    assert np.array_equal(2 * slow.velocity, fast.velocity)
    assert np.array_equal(2 * slow.angular_velocity, fast.angular_velocity)


@pytest.mark.parametrize("integrator", ["rkmk4", "magnus", "magnus2", "euler"])
def test_mass_scales_out(integrator):
    """Eight times the mass, inertia and loads: the same motion to the bit, energies times eight."""

    def heavier(k):
        start = {name: list(vector) for name, vector in START.items()}
        inertia = BODY["inertia"] | {"principal": [k * c for c in BODY["inertia"]["principal"]]}
        load = {"force": [k * c for c in FORCE], "torque": [k * c for c in TORQUE], "at": AT, "frame": "body"}
        body = BODY | start | {"mass": k * BODY["mass"], "inertia": inertia, "forces": [load]}
        return run({"b": body}, gravity=GRAVITY, integrator=integrator, **HOW)

    light, heavy = heavier(1), heavier(8)
    assert np.array_equal(light["b"].world.orientation, heavy["b"].world.orientation)
    assert np.array_equal(light["b"].world.position, heavy["b"].world.position)
    for name in ("kinetic_energy", "potential_energy", "work"):
        assert np.array_equal(8 * light.diagnostic(name), heavy.diagnostic(name)), name
