"""The integrators: each has a step function and a class of options, which selects the step when code is made.

Their keys, defaults and descriptions are in `scene/schema/integrators.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from rigidsim.engine.integrators import adaptive, euler, magnus, magnus2, rkmk4, taylor
from rigidsim.jit import inlined


class Trials(NamedTuple):
    """The step of a method that chooses its length, see `engine/trials.py`."""

    make: Callable  # the arrays in `Scratch.trial`, or those of the block before, with the numbers of this one
    attempt: Callable
    between: Callable
    share: Callable  # the relative tolerance of a step
    fill: Callable | None = None  # what `between` needs besides


class Integrator(NamedTuple):
    """A method: its name in a scene, the class of its options, and its step; or its trials, if it chooses its steps."""

    name: str
    options: type
    step: Callable | None = None
    trials: Trials | None = None
    divides: bool = False  # whether steps in which a body turns too far have parts, see `engine/parts.py`


INTEGRATORS = (
    Integrator("rkmk4", rkmk4.Rkmk4Options, rkmk4.step, divides=True),
    Integrator("magnus", magnus.MagnusOptions, magnus.step),
    Integrator("magnus2", magnus2.Magnus2Options, magnus2.step),
    Integrator("euler", euler.EulerOptions, euler.step),
    Integrator(
        "adaptive",
        adaptive.AdaptiveOptions,
        trials=Trials(adaptive.make_trial, adaptive.attempt, adaptive.between, adaptive.share, adaptive.fill),
    ),
    Integrator(
        "taylor",
        taylor.TaylorOptions,
        trials=Trials(taylor.make_trial, taylor.attempt, taylor.between, taylor.share),
    ),
)

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
