"""Forces whose series do not tell at the beginning of a step what comes within it: each step is verified."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import rigidsim

TOLERANCE = 1e-8
SHARE = 0.6  # of the tolerance: twice the largest error of a run that was measured, in largest values
# Name: force, the same in Python, x and v at the beginning, duration.
FORCES = {
    "a hard spring from its middle": ("= -x^5", lambda t, x: -(x**5), 0.0, 1.5, 10.0),
    "a power of time beyond the order": ("= t^40", lambda t, x: t**40, 0.3, 0.0, 1.5),
    "a switch": (
        "= 0.5 + 0.5*tanh((t - 5)/0.1)",
        lambda t, x: 0.5 + 0.5 * math.tanh((t - 5) / 0.1),
        0.0,
        1.0,
        10.0,
    ),
    "a gust": ("= exp(-(t - 5)^2/0.1)", lambda t, x: math.exp(-((t - 5) ** 2) / 0.1), 0.0, 1.0, 10.0),
    "pushes between rests": ("= sin(t)^8", lambda t, x: math.sin(t) ** 8, 0.0, 1.0, 20.0),
    "a chirp": ("= sin(t^6)", lambda t, x: math.sin(t**6), 0.0, 1.0, 2.5),
    "a steep wall from far": ("= 1e-4/x^13", lambda t, x: 1e-4 / x**13, 30.0, -10.0, 6.0),
}


def moved(force, x, v, duration, tolerance, method="taylor"):
    """(sample, 2) position and velocity of 1 kg under a force along x, and the samples."""
    key = {"taylor": "tolerance", "adaptive": "rtol"}[method]
    scene = {
        "format": "rigidsim/1",
        "simulation": {
            "duration": duration, "record_every": duration / 50, "integrator": {"name": method, key: tolerance},
        },
        "bodies": {
            "b": {"mass": 1, "inertia": "point", "position": [x, 0, 0], "velocity": [v, 0, 0],
                  "forces": [{"force": [force, 0, 0]}]},
        },
    }  # fmt: skip
    found = rigidsim.simulate(rigidsim.Scene.from_dict(scene))
    return found.time, np.stack([found["b"].world.position[:, 0], found["b"].world.velocity[:, 0]], axis=1)


@pytest.mark.parametrize("name", FORCES)
def test_a_step_by_series_is_verified(name):
    force, law, x, v, duration = FORCES[name]
    times, found = moved(force, x, v, duration, TOLERANCE)
    options = {"method": "DOP853", "rtol": 1e-12, "atol": 1e-14, "max_step": duration / 200}
    exact = solve_ivp(lambda t, y: [y[1], law(t, y[0])], (0, duration), [x, v], t_eval=times, **options).y.T
    sizes = np.maximum(1.0, np.abs(exact).max(axis=0))
    assert np.all(np.abs(found - exact).max(axis=0) <= SHARE * TOLERANCE * sizes)


def test_rounding_makes_no_step_shorter():
    """A thrust of 0.5 + 0.5 tanh((t - 5)/0.1) from rest is rounding at first, of which no step is to be a share."""
    _, found = moved("= 0.5 + 0.5*tanh((t - 5)/0.1)", 0.0, 0.0, 10.0, 1e-12)
    # v = 5 + 0.05 log(1 + exp(-100)) - 0.05 log(1 + exp(-100)) of the integral from 0 to 10 s.
    assert found[-1, 1] == pytest.approx(5.0, abs=1e-11)


def test_the_work_of_a_motor_is_integrated_to_the_tolerance():
    """A hinge that is moved as 0.7 sin(2 t + 0.3): the work is what the kinetic energy gains."""
    scene = {
        "format": "rigidsim/1",
        "simulation": {"duration": 2, "record_every": 0.1, "integrator": {"name": "taylor", "tolerance": TOLERANCE}},
        "bodies": {
            "arm": {"mass": 1, "inertia": {"principal": [1, 1, 1]},
                    "motion": {"hinge": {"axis": [0, 0, 1], "motor": {"angle": "= 0.7*sin(2*t + 0.3)"}}}},
        },
    }  # fmt: skip
    energy = rigidsim.simulate(rigidsim.Scene.from_dict(scene)).total_energy
    assert np.abs(energy - energy[0]).max() < TOLERANCE  # J, of 0.98
