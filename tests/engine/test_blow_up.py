"""A state that is not finite: named, dated, and the samples so far kept."""

from __future__ import annotations

import re

import numpy as np
import pytest

import rigidsim
from rigidsim.engine.integrators import INTEGRATORS
from support.scenes import make_scene

NAMES = [integrator.name for integrator in INTEGRATORS]
CALM = {"mass": 1.0, "inertia": {"principal": [1.0, 1.0, 1.0]}, "angular_velocity": [0.1, 0, 0]}
STEP, ON = 0.01, 0.5
HUGE = ["= 1e170 + 0*t", "= 2e170 + 0*t", "= 3e170 + 0*t"]  # no constants, which are refused
# A torque that in one step makes a rate whose square is beyond the largest float.
RUNAWAY = {
    "mass": 1.0,
    "inertia": {"principal": [1.0, 2.0, 3.0]},
    "angular_velocity": [0.1, 0.2, 0.3],
    "forces": [{"torque": HUGE, "during": [ON, 99]}],
}


def scene(integrator="rkmk4", **more) -> rigidsim.Scene:
    how = {"duration": 1.0, "step": STEP, "record_every": STEP, "integrator": integrator} | more
    return make_scene({"calm": CALM, "carrier": CALM | {"children": {"wild": RUNAWAY}}}, **how)


@pytest.fixture(autouse=True)
def quiet():
    """Python's own arithmetic on what has overflowed warns; the run must not depend on it."""
    with np.errstate(all="ignore"):
        yield


@pytest.mark.parametrize("integrator", NAMES)
def test_it_says_which_body_and_when_and_keeps_the_finite_samples(integrator):
    with pytest.raises(rigidsim.SimulationError, match="'carrier/wild' is not finite") as caught:
        rigidsim.simulate(scene(integrator))
    stopped = float(re.search(r"after t = (\S+) s", str(caught.value)).group(1))
    assert ON <= stopped <= ON + 3 * STEP
    kept = caught.value.trajectory
    assert kept.status == "failed"
    assert kept.time[-1] == pytest.approx(stopped, abs=1e-9)
    assert np.array_equal(kept.time, np.arange(len(kept.time)) * STEP)
    for name in ("position", "orientation", "velocity", "angular_velocity"):
        assert np.isfinite(kept.arrays[f"local/{name}"]).all()


@pytest.mark.parametrize("integrator", NAMES)
def test_the_samples_kept_are_those_of_a_run_that_ends_in_time(integrator):
    with pytest.raises(rigidsim.SimulationError) as caught:
        rigidsim.simulate(scene(integrator))
    short = rigidsim.simulate(scene(integrator, duration=ON))
    kept, n = caught.value.trajectory, len(short.time)
    for name, array in short.arrays.items():
        assert np.array_equal(kept.arrays[name][:n], array), name


@pytest.mark.parametrize("at_once", [True, False])
def test_stepping_stops_at_the_last_finite_state(at_once):
    simulation = rigidsim.Simulation(scene())
    simulation.step(40)
    with pytest.raises(rigidsim.SimulationError, match="carrier/wild"):
        for _ in range(1 if at_once else 60):
            simulation.step(60 if at_once else 1)
    assert ON <= simulation.time <= ON + 3 * STEP
    assert np.isfinite(simulation.state["carrier/wild"].local.angular_velocity).all()
    before = simulation.time
    with pytest.raises(rigidsim.SimulationError):
        simulation.step()
    assert simulation.time == before


def test_a_blow_up_in_the_first_step_keeps_the_start():
    wild = RUNAWAY | {"forces": [{"torque": HUGE}]}
    with pytest.raises(rigidsim.SimulationError, match=r"after t = 0 s \(step 1\)") as caught:
        rigidsim.simulate(make_scene({"wild": wild}, duration=1, step=STEP))
    assert caught.value.trajectory.time.tolist() == [0.0]
    assert caught.value.exit_code == 4
