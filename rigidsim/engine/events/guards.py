"""Guards of triggers: numbers that become positive where the conditions do, looked at after each step.

A guard reads a sample of the present state as a metric does. What happens when it is positive, and where in the step
that is, Python decides (`triggering.py`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rigidsim.engine.model.arrays import Model, Samples, floats, integers, made, make_samples
from rigidsim.engine.model.layout import CHAIN, NO_ROW, SCALAR
from rigidsim.engine.model.programs import fill, run_program
from rigidsim.engine.outputs.metrics import parts_read, read_sample
from rigidsim.engine.outputs.observe import observe
from rigidsim.jit import inlined, routine

SPENT, WAITS, ARMED = -1, 0, 1
"""What a trigger is: one that happens no more, one that was not armed again, one that happens when its guard allows."""
NOT_FIRED = NO_ROW


class Guarding(NamedTuple):
    """What the guards of the only lane read, and what they found."""

    samples: Samples
    chains: np.ndarray = floats(2, CHAIN)
    register: np.ndarray = floats("registers", SCALAR)
    value: np.ndarray = floats("guards")  # at the end of the last step
    before: np.ndarray = floats("guards")  # when they were looked at before that
    armed: np.ndarray = integers("guards")
    passed: np.ndarray = integers(1)  # 1 if the guard of a trigger that is armed is positive, or one is no number
    begun: np.ndarray = integers(1)  # the step that was taken last, and the part of it that was done before
    begun_part: np.ndarray = floats(1)
    stop: np.ndarray = integers(1)  # the step, and the part of it, at which Python wants to act
    stop_part: np.ndarray = floats(1)
    precedes: np.ndarray = integers(1)  # 1 if that is before an edge at the same instant
    fired: np.ndarray = integers(1)  # in place of the phase that begins: impulses that a trigger fires, by their phase


def guarding_of(model: Model) -> Guarding | None:
    """Scratch arrays for the guards of a model, if it has any."""
    if model.guards is None:
        return None
    program, asked = model.guards.program, model.asked
    joints = asked is not None and any(part is not None for part in (asked.joints, asked.reactions, asked.loops))
    samples = make_samples(model, 1, False, (0,), joints=joints, **parts_read(model.guards))
    sizes = {"registers": program.first + len(program.code), "guards": len(model.guards.folds) // 2}
    found = made(Guarding, sizes, samples=samples)
    found.register[: len(program.constant)] = program.constant
    return found


@routine
def find_passed(t, block):
    """Look at all guards in the state at time t (s); arm those that may be. Returns whether one is passed."""
    lanes = block.lanes
    guards, tables = block.scratch.guards, block.model.guards
    program, register = tables.program, guards.register
    observe(t, block, guards.samples, 0)
    fill(register[len(program.constant)], t, lanes)
    read_sample(tables, guards.samples, 0, guards.chains, register, lanes)
    run_program(program.code, program.first, program.tables, register, lanes)
    guards.passed[0] = 0
    for k in range(len(guards.armed)):
        value, again = register[tables.folds[2 * k].x, 0], register[tables.folds[2 * k + 1].x, 0]
        guards.before[k] = guards.value[k]
        guards.value[k] = value
        if guards.armed[k] == ARMED and not value <= 0.0:
            guards.passed[0] = 1
        if guards.armed[k] == WAITS and again >= 0.0:
            guards.armed[k] = ARMED
    return guards.passed[0]


@inlined
def halts(n, done, model, scratch):
    """Whether Python wants to act at t = (n + done) h."""
    if model.guards is None:
        return False
    return scratch.guards.stop[0] == n and scratch.guards.stop_part[0] == done


@inlined
def precedes_edge(n, done, model, scratch):
    """Whether Python wants to act at t = (n + done) h before an edge there."""
    return halts(n, done, model, scratch) and scratch.guards.precedes[0] > 0


@inlined
def note_begin(n, done, model, scratch):
    """Note that something begins at t = (n + done) h, at whose end guards are looked at: a step, or a jump."""
    if model.guards is not None:
        scratch.guards.begun[0] = n
        scratch.guards.begun_part[0] = done


@inlined
def end_before(n, done, end, model, scratch):
    """Where a part of step n ends, which begins at `done`: at `end`, or sooner, where Python wants to act. If that is
    at the end of the step, its time may be differentiated, as that of an edge.
    """
    note_begin(n, done, model, scratch)
    if model.guards is not None:
        guards = scratch.guards
        if guards.stop[0] == n and done < guards.stop_part[0]:
            end = guards.stop_part[0] if guards.stop_part[0] < end else end
        elif guards.stop[0] == n + 1 and guards.stop_part[0] == 0.0 and end == 1.0:
            end = 1.0 + guards.stop_part[0]
    return end
