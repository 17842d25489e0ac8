"""The integrators: each is data (name, order, cost, source) and one step function.

The options of a method are a NamedTuple whose class picks the step at compile time.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from rigidsim._jit import compiled_form
from rigidsim.engine.integrators import euler, magnus, magnus2, rkmk4


@dataclass(frozen=True)
class Integrator:
    """What is known of a method, for help, documents and tests."""

    name: str
    options: type
    step: Callable
    order: str
    evaluations: int
    conserves: str
    source: str


INTEGRATORS = (
    Integrator(
        name="rkmk4",
        options=rkmk4.Rkmk4,
        step=rkmk4.step,
        order="4",
        evaluations=4,
        conserves="unit quaternions",
        source="Munthe-Kaas, BIT 38 (1998), on Kutta's tableau (1901); rotation in body rates",
    ),
    Integrator(
        name="magnus",
        options=magnus.Magnus,
        step=magnus.step,
        order="1; exact for constant acceleration, 2, 4, 4, 6 in the rotation for constant angular acceleration",
        evaluations=1,
        conserves="unit quaternions",
        source="Numerical Integration for Rotational Dynamics (cwzx); Magnus (1954)",
    ),
    Integrator(
        name="magnus2",
        options=magnus2.Magnus2,
        step=magnus2.step,
        order="2",
        evaluations=2,
        conserves="unit quaternions; angular momentum about the centre of mass where no torque acts",
        source="explicit midpoint on L = I omega, with a Magnus increment; Magnus (1954)",
    ),
    Integrator(
        name="euler",
        options=euler.Euler,
        step=euler.step,
        order="1",
        evaluations=1,
        conserves="unit quaternions",
        source="semi-implicit Euler, as in game engines; for comparison only",
    ),
)

BY_NAME = {integrator.name: integrator for integrator in INTEGRATORS}
_BY_OPTIONS = {integrator.options: integrator for integrator in INTEGRATORS}


def step(method, t, h, era, model, state, scratch, lanes):
    """Advance the state of one block from t to t + h (s) by the method that these options belong to."""
    _BY_OPTIONS[type(method)].step(method, t, h, era, model, state, scratch, lanes)


@compiled_form(step)
def _step(method, t, h, era, model, state, scratch, lanes):
    chosen = _BY_OPTIONS[method.instance_class].step

    def advance(method, t, h, era, model, state, scratch, lanes):
        chosen(method, t, h, era, model, state, scratch, lanes)

    return advance
