"""The integrators: each has a step function and a class of options, which selects the step when code is made.

Their keys, defaults and descriptions are in `scene/schema/integrators.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from rigidsim.engine.integrators import euler, magnus, magnus2, rkmk4
from rigidsim.jit import inlined


class Integrator(NamedTuple):
    """A method: its name in a scene, the class of its options, and its step."""

    name: str
    options: type
    step: Callable


INTEGRATORS = (
    Integrator("rkmk4", rkmk4.Rkmk4Options, rkmk4.step),
    Integrator("magnus", magnus.MagnusOptions, magnus.step),
    Integrator("magnus2", magnus2.Magnus2Options, magnus2.step),
    Integrator("euler", euler.EulerOptions, euler.step),
)

BY_NAME = {integrator.name: integrator for integrator in INTEGRATORS}
_BY_OPTIONS = {integrator.options: integrator for integrator in INTEGRATORS}


@inlined
def step(method, t, t_end, h, era, model, state, scratch, lanes):
    """Advance the state of one block from t to t_end, h = t_end - t (s), by the method that these options belong to."""
    _BY_OPTIONS[type(method)].step(method, t, t_end, h, era, model, state, scratch, lanes)
