"""The integrators: each has a module with its step and a class of options, which selects the step when code is made.

Their keys, defaults and descriptions are in `scene/schema/integrators.py`.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from rigidsim.engine.integrators.declaration import Integrator
from rigidsim.jit import inlined

_MODULES = [import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__)]
INTEGRATORS: tuple[Integrator, ...] = tuple(module.INTEGRATOR for module in _MODULES if hasattr(module, "INTEGRATOR"))
"""What the modules of this package declare."""

BY_NAME = {integrator.name: integrator for integrator in INTEGRATORS}
_BY_OPTIONS = {integrator.options: integrator for integrator in INTEGRATORS}


@inlined
def step(method, t, t_end, h, block):
    """Advance the state of one block from t to t_end, h = t_end - t (s), by the method that these options belong to."""
    _BY_OPTIONS[type(method)].step(method, t, t_end, h, block)


@inlined
def divides(method):
    """Whether the method that these options belong to divides steps, and so takes times as rows of lanes."""
    return _BY_OPTIONS[type(method)].divides


@inlined
def trials_of(method):
    """The trials of the method that these options belong to; None if its steps have a given length."""
    return _BY_OPTIONS[type(method)].trials


@inlined
def weights_of(method):
    """The weights of the stages in a step of the method that these options belong to."""
    return _BY_OPTIONS[type(method)].weights


@inlined
def attempt(method, stop, block):
    """Try a step from the state of each lane, not beyond the time `stop` (s): the state at its end and what is known of
    it in `scratch.trial.state`. A row `STEP` there has the time reached, the error in units of the tolerance, and the
    length of the step that follows, or that is to be tried in place of this one if the error is above 1.
    """
    trials_of(method).attempt(method, stop, block)


@inlined
def fill(method, block):
    """What `between` needs besides an attempt."""
    if trials_of(method).fill is not None:
        trials_of(method).fill(method, block)


@inlined
def between(method, t, block):
    """The state at time t (s) inside the trial of each lane, in `scratch.stage`."""
    trials_of(method).between(method, t, block)
