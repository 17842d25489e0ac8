"""Steps of a given length that are divided where a body turns too far in them, in each lane of a block for itself.

A step has several parts if, at its beginning, some free body or joint turns by more than a radian a step;
each part is a whole step of the method, with forces of its own. The parts of a lane depend on that lane alone. Lanes
that need fewer than others wait: at the end of their step they are put back to where they are.
"""

from __future__ import annotations

from rigidsim.engine.dynamics.articulated import moves_by_angle
from rigidsim.engine.model.arrays import StepPart
from rigidsim.engine.model.layout import SCALAR, STAGE, STATE, copy_rows, largest_of
from rigidsim.engine.model.programs import fill
from rigidsim.jit import inlined, lanewise, routine
from rigidsim.physics.elementary import select
from rigidsim.physics.step_control import parts_of_step
from rigidsim.physics.vector import dot


@lanewise
def note_turn(is_angle, state: STAGE, h, largest: SCALAR, lane):
    """The largest square of a turn in a step of length h (s), rad^2, with that of one more body or angle."""
    rate = state.v if is_angle else state.omega
    square = h * h * dot(rate, rate)
    largest.value = select(square > largest.value, square, largest.value)


@lanewise
def set_count(count: SCALAR, lane):
    """The number of parts, in place of the square of the largest turn."""
    count.value = parts_of_step(count.value)


@inlined
def note_turns(h, block):
    """The square of the largest turn in a step of length h (s) in each lane, in place of the number of parts."""
    model, part, lanes = block.model, block.scratch.part, block.lanes
    fill(part.parts, 0.0, lanes)
    for k in range(len(model.moved_node)):
        if model.joints is not None and moves_by_angle(k, model.joints):
            note_turn(True, block.state[k], h, part.parts, lanes)
        else:
            note_turn(False, block.state[k], h, part.parts, lanes)


@inlined
def divide(t, t_end, h, block):
    """Find the number of parts of a step from t to t_end = t + h (s) in each lane. Returns the largest of them."""
    part, lanes = block.scratch.part, block.lanes
    note_turns(h, block)
    fill(part.begin, t, lanes)
    fill(part.end, t_end, lanes)
    fill(part.length, h, lanes)
    if not largest_of(part.parts, lanes) > 1.0:
        return 1.0
    set_count(part.parts, lanes)
    return largest_of(part.parts, lanes)


@lanewise
def set_part(number, t, t_end, h, part: StepPart, lane):
    """Part `number` of a step from t to t_end = t + h, s; of no length at its end in a lane that waits."""
    each, waits = h / part.parts.value, number >= part.parts.value
    part.begin.value = select(waits, t_end, t + number * each)
    part.end.value = select(number + 1.0 < part.parts.value, t + (number + 1.0) * each, t_end)
    part.length.value = select(waits, 0.0, each)


@routine
def begin_part(number, t, t_end, h, most, block):
    """Set the times of one of several parts; keep the state if some lane may wait."""
    if most > 1.0:
        set_part(number, t, t_end, h, block.scratch.part, block.lanes)
        if len(block.lanes) > 1:
            copy_rows(0, len(block.state), block.state, block.scratch.before)


@lanewise
def put_back(length: SCALAR, before: STATE, state: STATE, lane):
    """The state as it was, in lanes that wait."""
    waits = length.value == 0.0
    for c in range(STATE.width):
        state[c] = select(waits, before[c], state[c])


@routine
def end_part(most, block):
    """Put lanes that wait back."""
    if len(block.lanes) > 1 and most > 1.0:
        for k in range(len(block.state)):
            put_back(block.scratch.part.length, block.scratch.before[k], block.state[k], block.lanes)
