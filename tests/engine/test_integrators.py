"""Every integrator shows the order it promises, alone and under a moving parent, and describes itself."""

from __future__ import annotations

from operator import attrgetter

import numpy as np
import pytest

from rigidsim.engine.integrators import INTEGRATORS
from rigidsim.scene.schema.integrators import MODELS
from scenes import angle_between, run, slopes

ORDERS = {"rkmk4": 4, "magnus": 1, "magnus2": 2, "euler": 1}
BY_TOLERANCE = {"adaptive": 8}
STEPS = (0.02, 0.01, 0.005)
PARENT = {
    "angular_velocity": [0.0, 0.4, 1.0],
    "angular_acceleration": [0.0, 0.12, 0.3],
    "acceleration": [1.0, 2.0, 3.0],
}


def pushed_body(under_parent: bool) -> tuple[dict, str]:
    """A body with a force and torque that turn with it, its start given in the world."""
    body = {
        "mass": 1,
        "inertia": {"principal": [1, 2, 3]},
        "position": [1, 0, 0],
        "velocity": {"value": [1, 0, 0], "frame": "world", "relative_to": "world"},
        "angular_velocity": {"value": [0.5, 2, 0.3], "frame": "body", "relative_to": "world"},
        "forces": [{"force": [0, 1, 0.5], "torque": [0.3, 0.2, 0.1], "frame": "body", "at": [0.1, 0.2, 0]}],
    }
    if not under_parent:
        return {"b": body}, "b"
    return {"p": {"motion": {"prescribed": PARENT}, "children": {"b": body}}}, "p/b"


@pytest.fixture(scope="module")
def exact():
    bodies, path = pushed_body(False)
    return run(bodies, duration=2, step=5e-4)[path].world


@pytest.mark.parametrize("under_parent", [False, True], ids=["in the world", "under a moving parent"])
@pytest.mark.parametrize("name", sorted(ORDERS))
def test_observed_order_is_the_promised_one(name, under_parent, exact):
    bodies, path = pushed_body(under_parent)
    errors = []
    for step in STEPS:
        found = run(bodies, duration=2, step=step, integrator=name)[path].world
        row = [angle_between(found.orientation[-1], exact.orientation[-1])]
        row += [
            np.linalg.norm(getattr(found, quantity)[-1] - getattr(exact, quantity)[-1])
            for quantity in ("position", "velocity", "angular_velocity")
        ]
        errors.append(row)
    assert np.all(np.abs(slopes(STEPS, np.array(errors)) - ORDERS[name]) <= 0.1)


def test_every_integrator_is_described_and_tested():
    assert {integrator.name for integrator in INTEGRATORS} == {*ORDERS, *BY_TOLERANCE} == set(MODELS)
    for name, described in MODELS.items():
        assert described.order.startswith(str((ORDERS | BY_TOLERANCE)[name]))
        assert described.source and described.conserves
        assert described.evaluations >= 1


@pytest.mark.parametrize("integrator", INTEGRATORS, ids=attrgetter("name"))
def test_options_of_the_step_are_those_of_the_scene(integrator):
    described = MODELS[integrator.name](name=integrator.name)
    taken = {key for key in integrator.options._fields if key not in integrator.options._field_defaults}
    assert taken == set(described.options()) == set(described.allowed())


@pytest.mark.parametrize("name", sorted(ORDERS))
def test_energy_ledger_closes_at_the_order(name):
    """Kinetic energy less work stays, to the order of the method."""
    bodies, _ = pushed_body(True)
    drifts = []
    for step in STEPS:
        energy = run(bodies, duration=2, step=step, integrator=name).total_energy
        drifts.append(abs(energy[-1] - energy[0]))
    assert np.all(slopes(STEPS, np.array(drifts)) >= ORDERS[name] - 0.15)


def test_a_particle_keeps_its_orientation_under_every_integrator():
    for name in ORDERS:
        body = {"mass": 1, "inertia": "point", "velocity": [1, 0, 0], "forces": [{"force": [0, 0, 1]}]}
        spinning = {"motion": {"prescribed": {"angular_velocity": [0, 0, 1]}}, "children": {"b": body}}
        world = run({"p": spinning}, duration=1, step=0.01, integrator=name)["p/b"].world
        assert np.abs(world.angular_velocity).max() <= 1e-15
        assert (
            angle_between(world.orientation[-1], world.orientation[0]) <= 1e-10
        )  # measured 2.1e-11: euler's truncated exponential, a turn there and back
