"""Steps of contacts that last, divided where a mode changes: a gap closes, a normal force or the room that friction has
reaches zero, a slip stops.

A step is a sequence of trials. Modes are constant in a trial, so the step of the method has its order. One that passes
an event is put back and taken again with another length (`location.py`), until the event is at its end; there impacts
act, and the modes are chosen anew (`instants.py`). A step that this mode of contact has no law for (`BEYOND`) is put
back as a whole, and left to the sub-steps.
"""

from __future__ import annotations

from rigidsim.engine.constraints.lasting import (
    BEYOND,
    EVENTS,
    FIRST_LEFT,
    GROWING,
    IS_PLACED,
    IS_SETTLED,
    MOST_SLOTS,
    N_CALLS,
    N_EVENTS,
    N_LEFT,
    N_SLOTS,
    SLIDING,
    STEPPED,
    WHY_LEFT,
    begin_powers,
    find_mobilities_of_slots,
    keep_slots,
    renew_parts,
    speed_of,
    write_now,
)
from rigidsim.engine.contact.arrays import LACKS_NOTHING
from rigidsim.engine.contact.closing import close_contacts, look_at_end
from rigidsim.engine.contact.instants import AT_REST, NEW, settle
from rigidsim.engine.contact.ledger import finish_booking
from rigidsim.engine.contact.location import (
    BEFORE,
    DIP,
    GAP,
    NOTHING,
    REGION,
    STOP,
    begin_search,
    bracket,
    find_target,
    guard_at,
    passed_before,
)
from rigidsim.engine.contact.log import write_origins
from rigidsim.engine.contact.trial_lengths import (
    AT_ONCE,
    STIFF,
    limit_by_pairs,
    limit_by_slips,
    renew_pairs,
    time_to_turn,
)
from rigidsim.engine.evaluate import evaluate, place_nodes
from rigidsim.engine.integrators.parts import note_turns
from rigidsim.engine.model import contact_layout as c
from rigidsim.engine.model import layout as at
from rigidsim.engine.model.layout import copy_numbers, copy_rows
from rigidsim.engine.model.programs import fill
from rigidsim.jit import inlined
from rigidsim.physics.step_control import parts_of_step
from rigidsim.physics.vector import add, dot, norm, rejection, scaled, sub

AGREES = 1e-9  # the difference of the direction of a slip that grows from that of its rate
MOST_TRIALS, MOST_TAKEN = 60, 10_000  # of one search, and of a step


# --- the step


@inlined
def unsettle(scratch):
    """The modes of contact are to be chosen anew: something happened to the state."""
    scratch.lasting.size[IS_SETTLED] = 0


@inlined
def kept_rows(state, arrays, lasting):
    """The rows that a step may change, each with those that keep them as it begins, and how many there were."""
    n = lasting.size[N_SLOTS]
    return (
        (state, lasting.first_state, len(state)), (lasting.slot, lasting.first_slot, n),
        (lasting.value, lasting.first_value, n), (arrays.ledger.cause, lasting.first_cause, len(arrays.ledger.cause)),
        (arrays.last.pair, lasting.first_pair, arrays.last.count[1]),
    )  # fmt: skip


@inlined
def kept_numbers(arrays, lasting):
    """The numbers of which the same is true."""
    return (
        (lasting.size, lasting.first_size), (arrays.record.count, lasting.first_record),
        (arrays.ledger.work, lasting.first_work), (arrays.last.count, lasting.first_touching),
    )  # fmt: skip


@inlined
def keep_step(state, arrays, lasting):
    """Keep everything as the step begins."""
    for rows, first, count in kept_rows(state, arrays, lasting):
        copy_rows(0, count, rows, first)
    for numbers, first in kept_numbers(arrays, lasting):
        copy_numbers(len(first), numbers, first)


@inlined
def put_step_back(state, arrays, lasting):
    """Put everything back as it was when the step began."""
    for numbers, first in kept_numbers(arrays, lasting):
        copy_numbers(len(first), first, numbers)
    for rows, first, count in kept_rows(state, arrays, lasting):
        copy_rows(0, count, first, rows)


@inlined
def begin_lasting(t, h, block, arrays):
    """Begin a step of length h (s) at time t, s."""
    model, state, scratch = block.model, block.state, block.scratch
    lasting = scratch.lasting
    arrays.lacks[0] = LACKS_NOTHING
    keep_step(state, arrays, lasting)
    note_turns(h, block)
    search = lasting.locating
    search.done, search.longest, search.target = 0.0, h / parts_of_step(scratch.part.parts[0]), 1.0 * NOTHING
    search.most, search.taken = 1e300, 0.0
    lasting.size[BEYOND], lasting.size[N_EVENTS], lasting.instant[1] = 0, 0, 0.0
    if lasting.size[IS_PLACED] == 0:
        place_nodes(model.active, t, block)
        write_now(block)
        find_mobilities_of_slots(block)
        lasting.size[IS_PLACED] = 1
    if lasting.size[IS_SETTLED] == 0:
        lasting.size[STEPPED] = 0
        settle(t, h, block, NOTHING, 0, arrays)
        lasting.size[IS_SETTLED] = 1


@inlined
def ends_lasting(t, block, arrays):
    """Whether the step was taken; if not, for lack of room or of a law, it is put back."""
    model, state, scratch = block.model, block.state, block.scratch
    lasting = scratch.lasting
    why, lacks = lasting.size[BEYOND], arrays.lacks[0]
    if lacks != LACKS_NOTHING or why != 0:
        put_step_back(state, arrays, lasting)
        arrays.lacks[0], lasting.size[IS_PLACED] = lacks, 0
        if lacks == LACKS_NOTHING:
            lasting.size[N_SLOTS], lasting.size[IS_SETTLED], lasting.size[STEPPED] = 0, 0, 1
            lasting.size[BEYOND] = why
            if lasting.left[N_LEFT] == 0.0:
                lasting.left[FIRST_LEFT], lasting.left[WHY_LEFT] = t, 1.0 * why
            lasting.left[N_LEFT] += 1.0
        return False
    write_present(model, scratch, arrays)
    return True


@inlined
def write_present(model, scratch, arrays):
    """Write the contact points at the end of the step."""
    record, lasting, contacts = arrays.record, scratch.lasting, model.contacts
    if lasting.size[N_SLOTS] > 0:
        write_origins(contacts, model, scratch, arrays.motions)
    for k in range(lasting.size[N_SLOTS]):
        slot, value = lasting.slot[k], lasting.value[k]
        a, row, point = contacts.shape[slot.first].body, record.present[k], record.present_value[k]
        row.sample, row.first, row.second, row.feature = c.NOTHING_SAMPLED, slot.first, slot.second, slot.feature
        point.point = add(arrays.motions.origin[a].xyz, add(lasting.motion[a].p, value.lever_A))
        point.normal, point.force = value.normal, value.force
    record.count[2] = lasting.size[N_SLOTS]


# --- trials


@inlined
def next_trial(t, t_end, h, block, arrays):
    """Set the times of the next trial of a step from t to t_end = t + h, s. Returns its length, 0 if all is done."""
    scratch, lanes = block.scratch, block.lanes
    lasting, contacts = scratch.lasting, block.model.contacts
    search = lasting.locating
    search.taken += 1.0
    if search.taken > MOST_TAKEN:
        lasting.size[BEYOND] = EVENTS
    while search.done < h and lasting.size[BEYOND] == 0 and arrays.lacks[0] == LACKS_NOTHING:
        if int(search.target) == NOTHING:
            length, stops = limit_by_slips(h, min(search.longest, search.most, h - search.done), contacts, lasting)
            if stops != at.NO_ROW:
                settle(t + search.done, h, block, STOP, stops, arrays)
                continue
            if lasting.size[N_SLOTS] == 0:
                place_nodes(block.model.active, t + search.done, block)
                write_now(block)
            if not renew_pairs(length, contacts, lasting, arrays):
                return 0.0
            length = limit_by_pairs(length, contacts, lasting, arrays)
            if length > (1.0 - AT_ONCE) * (h - search.done):
                length = h - search.done
            search.length = length
            copy_rows(0, len(block.state), block.state, scratch.before)
            keep_slots(lasting, lasting.old_slot, lasting.old_value)
        part = scratch.part
        fill(part.begin, t + search.done, lanes)
        is_last = search.length >= h - search.done
        fill(part.end, t_end if is_last else t + search.done + search.length, lanes)
        fill(part.length, search.length, lanes)
        begin_powers(lasting)
        lasting.work[:] = 0.0
        return search.length
    return 0.0


@inlined
def put_trial_back(state, scratch):
    """The state at the beginning of the trial."""
    lasting = scratch.lasting
    copy_rows(0, len(state), scratch.before, state)
    copy_rows(0, lasting.size[N_SLOTS], lasting.old_slot, lasting.slot)
    copy_rows(0, lasting.size[N_SLOTS], lasting.old_value, lasting.value)


@inlined
def end_trial(t, t_end, h, block, arrays):
    """Look at the state at the end of a trial: take it, or put it back and say how long the next one is."""
    state, scratch = block.state, block.scratch
    lasting, contacts = scratch.lasting, block.model.contacts
    search = lasting.locating
    is_last = search.length >= h - search.done
    now = t_end if is_last else t + search.done + search.length
    look_at_end(now, block)
    what, index = int(search.target), int(search.first)
    if what != NOTHING:
        search.tried += 1.0
        if not bracket(h, contacts, lasting) and search.tried < MOST_TRIALS:
            put_trial_back(state, scratch)
            return
        other, time = passed_before(h, contacts, arrays, lasting)
        if other != NOTHING:
            begin_search(other, time, lasting)
            put_trial_back(state, scratch)
            return
        if what == REGION and guard_at(REGION, index, lasting) > 0.0:
            what, search.most = NOTHING, BEFORE * abs(search.last[0] - search.other[0])
    else:
        what, time = find_target(contacts, arrays, lasting)
        search.most = 1e300
        if what == DIP:
            search.most = 0.5 * search.length
            put_trial_back(state, scratch)
            if lasting.size[N_SLOTS] > 0:
                evaluate(t + search.done, block)
            return
        if what != NOTHING:
            begin_search(what, time, lasting)
            put_trial_back(state, scratch)
            if time <= 0.0 and what != GAP:
                index = int(search.first)
                search.target = 1.0 * NOTHING
                evaluate(t + search.done, block)
                settle(t + search.done, h, block, what, index, arrays)
            return
    for k in range(lasting.size[N_SLOTS]):
        along = lasting.value[k].along
        lasting.value[k].direction = along
    note_work(lasting, arrays.ledger)
    search.done = h if is_last else search.done + scratch.part.length[0]
    search.target = 1.0 * NOTHING
    renew_parts(lasting)
    if what != REGION:
        close_contacts(now, block, arrays)
    if what != NOTHING:
        settle(now, h, block, what, index, arrays)
    else:
        renew_growing(now, h, block, arrays)


@inlined
def renew_growing(now, h, block, arrays):
    """Give slips that grew a direction of their own; choose anew where one does not grow."""
    lasting, contacts = block.scratch.lasting, block.model.contacts
    for k in range(lasting.size[N_SLOTS]):
        slot, row = lasting.slot[k], lasting.value[k]
        if slot.mode == GROWING:
            u = rejection(row.normal, row.slip)
            S, along = norm(u), dot(row.along, u)
            agrees = norm(sub(u, scaled(along, row.along))) <= AGREES * S
            stiff = STIFF * time_to_turn(k, contacts, lasting) < lasting.locating.longest
            if along < -AT_REST * speed_of(k, contacts, lasting):
                settle(now, h, block, STOP, k, arrays)
                return
            if S > NEW and not (stiff and agrees):
                slot.mode = SLIDING


@inlined
def note_work(lasting, ledger):
    """Book the work of contact in a trial."""
    friction, whole = 0.0, lasting.work[MOST_SLOTS]
    if lasting.size[N_CALLS] == 0:
        return
    for k in range(lasting.size[N_SLOTS]):
        lasting.value[k].work += lasting.work[k]
        friction += lasting.work[k]
    ledger.step[:] = 0.0
    ledger.step[c.W_FRICTION], ledger.step[c.W_DRIVEN] = friction, whole - friction
    finish_booking(whole, ledger)
