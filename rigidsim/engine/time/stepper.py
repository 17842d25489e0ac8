"""The stepper: steps of the grid t = n h, split at the edges of phases, with a sample every `stride` steps.

A method that chooses its steps (`trials.py`) goes on from one instant at which something happens, a sample or an edge,
to the next; of the grid it knows only these.
"""

from __future__ import annotations

from rigidsim.engine.constraints.lasting import add_works, is_left, lasts
from rigidsim.engine.constraints.loops import close_loops, let_measured_go
from rigidsim.engine.contact.division import end_of_part, is_divided
from rigidsim.engine.contact.independent import moves_others, step_independent
from rigidsim.engine.contact.joint_constraints import have_constraints, wait_for_contact
from rigidsim.engine.contact.log import sample_contacts
from rigidsim.engine.contact.sleeping import begin_call, woke
from rigidsim.engine.contact.step import begin_step, end_step
from rigidsim.engine.contact.transitions import begin_lasting, ends_lasting, next_trial, unsettle
from rigidsim.engine.contact.transitions import end_trial as end_trial_of_contacts
from rigidsim.engine.dynamics.drive import settle
from rigidsim.engine.dynamics.relations import keep_windings
from rigidsim.engine.events.buffer import has_room, lacks_room
from rigidsim.engine.events.guards import end_before, find_passed, halts, note_begin, precedes_edge
from rigidsim.engine.events.impulses import cross_edge
from rigidsim.engine.events.modes import begin_modes, let_all_slide, resume_modes, settle_event
from rigidsim.engine.events.switching import (
    begin_search,
    begin_trial,
    end_trial,
    keep_rates_inside,
    keep_step,
    put_step_back,
    short,
)
from rigidsim.engine.integrators import divides, step, trials_of, weights_of
from rigidsim.engine.integrators.parts import begin_part, divide, end_part
from rigidsim.engine.model import layout as at
from rigidsim.engine.model.arrays import KEPT, WorldBlock, in_state, switches
from rigidsim.engine.model.programs import fill, is_steered
from rigidsim.engine.outputs.metrics import fold_row
from rigidsim.engine.outputs.observe import can_break, find_broken, observe
from rigidsim.engine.time.trials import UNKNOWN, arrive, look, reach, stop_of
from rigidsim.jit import inlined
from rigidsim.jit.kernels import kernel
from rigidsim.jit.layouts import Straight

NOW = -1  # in place of the number of a step


@kernel
def observe_at(n, done, phase, model, state, scratch, samples, k, lanes):
    """Write sample k: the state at t = (n + done) h."""
    observe((n + done) * model.step, WorldBlock(phase, model, state, scratch, lanes), samples, k)


@kernel
def resume_at(n, done, phase, model, state, scratch, lanes):
    """Choose the modes of a state at t = (n + done) h that has none, as that of a sample."""
    resume_modes((n + done) * model.step, WorldBlock(phase, model, state, scratch, lanes))


@inlined
def move(method, t, t_end, h, block, buffer=None):
    """Advance the state from t to t_end, h = t_end - t (s), as if nothing touched. Only impacts of joints at their
    stops need a buffer.
    """
    model, part = block.model, block.scratch.part
    if trials_of(method) is not None:
        arrive(method, t_end, block, buffer)
        if switches(model) and model.contacts is not None:
            keep_rates_inside(in_lanes(method, t_end, block), block)
    elif switches(model):
        begin_search(h, block)
        while begin_trial(t, t_end, h, block) > 0.0:
            take_step(method, part.begin, part.end, part.length, block)
            if end_trial(h, block) > 0.0:
                settle_event(t, block, buffer)
    elif divides(method):
        most, number = divide(t, t_end, h, block), 0.0
        while number < most:
            begin_part(number, t, t_end, h, most, block)
            take_step(method, part.begin, part.end, part.length, block)
            end_part(most, block)
            number += 1.0
    else:
        take_step(method, t, t_end, h, block)


@inlined
def take_step(method, t, t_end, h, block):
    """Advance the state from t to t_end, h = t_end - t (s), by one step of a given length."""
    if block.scratch.independent is not None:
        step_independent(method, t, t_end, h, block)
    if moves_others(block.model, block.scratch):
        step(method, t, t_end, h, block)
    settle(t_end, block)
    keep_windings(t_end, block)
    if block.model.loops is not None:
        close_loops(t_end, block)


@inlined
def take_lasting(method, t, t_end, h, block, contact):
    """Advance the state from t to t_end, h = t_end - t (s), with contacts that last; whether the step was taken."""
    scratch = block.scratch
    part = scratch.part
    begin_lasting(t, h, block, contact)
    while next_trial(t, t_end, h, block, contact) > 0.0:
        if trials_of(method) is None:
            take_step(method, part.begin, part.end, part.length, block)
            add_works(part.length[0], weights_of(method), scratch.lasting)
        else:
            arrive(method, part.end[0], block)
        end_trial_of_contacts(t, t_end, h, block, contact)
    return ends_lasting(t, block, contact)


@inlined
def keeps_grid(model):
    """Whether a method that chooses its steps ends one at each end of the grid, where something is looked at or may
    jump.
    """
    return model.contacts is not None or can_break(model) or model.guards is not None or is_steered(model)


@inlined
def go_to(method, t, known, block, buffer=None):
    """Let a method that chooses its steps go on to time t (s); others are there. For `buffer` see `reach`."""
    if trials_of(method) is None or keeps_grid(block.model):
        return known
    return reach(method, t, stop_of(block.phase, block.model), known, block, buffer)


@inlined
def in_lanes(method, t, block):
    """Time t (s) as the steps of a method have it: what depends on it is compiled for numbers, or for rows of lanes."""
    if not divides(method) and trials_of(method) is None:
        return t
    fill(block.scratch.part.now, t, block.lanes)
    return block.scratch.part.now


@inlined
def sample(method, t, known, block, samples, row):
    """Make the state at time t (s), which was reached, a sample; `known` as in `reach`."""
    if trials_of(method) is None or keeps_grid(block.model):
        observe(in_lanes(method, t, block), block, samples, row)
        return known
    known = look(method, t, known, block)
    now = in_lanes(method, t, block)
    if switches(block.model):
        keep_rates_inside(now, in_state(block.scratch.stage, block))
    observe(now, in_state(block.scratch.stage, block), samples, row)
    return known


@kernel(straight=Straight(known=("method", "phase", "model", "metrics"), local={"state": True, "scratch": KEPT}))
def cruise(method, n, n_end, phase, stride, model, state, scratch, samples, first, keeps, metrics, meter, lanes):
    """Whole steps n to n_end - 1 inside a phase of a scene without contact, with the bits of `advance`.

    Samples are taken as there; each is added to the memory of the metrics, if there are any. Without `keeps` all are
    written to row 0, one after the other.
    """
    known, block = UNKNOWN, WorldBlock(phase, model, state, scratch, lanes)
    while True:
        t, t_end = n * model.step, (n + 1) * model.step
        known = go_to(method, t, known, block)
        if n >= n_end:
            break
        if n % stride == 0:
            row = n // stride - first if keeps else 0
            known = sample(method, t, known, block, samples, row)
            if metrics is not None:
                fold_row(metrics, t, samples, row, meter.chains, meter.register, meter.memory, lanes)
        if trials_of(method) is not None:
            n = min(n_end, stride * (n // stride + 1))
        else:
            move(method, t, t_end, model.step, block)
            n += 1


@inlined
def needs_python(phase, model, buffer):
    """Whether Python has to act before the next phase begins: to change the tree or to empty the event buffer."""
    stops = model.edge_kind[phase] == at.EDGE_STOPS or is_full(model, buffer)
    return stops or not (buffer is None or has_room(buffer, phase + 1, model))


@inlined
def is_full(model, buffer):
    """Whether what happens in a step has no room in the buffer."""
    return switches(model) and buffer.lacks[0] > 0


@inlined
def move_if_room(method, t, t_end, h, block, buffer, contact):
    """Advance the state as `move` does, from where a step of contact begins; not at all, if what happens meanwhile has
    no room. Returns whether it has.
    """
    model = block.model
    if contact is not None:
        begin_step(contact, t, block)
    if switches(model):
        keep_step(block, buffer)
    move(method, t, t_end, h, block, buffer)
    if switches(model) and lacks_room(model, buffer):
        put_step_back(block, buffer)
        return False
    return True


@inlined
def correct_if_room(contact, t, h, block, buffer):
    """Correct a step of length h (s) that ended at time t (s) by contact; if that has no room, the step is put back,
    with what happened in it. Returns whether it has.
    """
    has_room_for_it = end_step(contact, t, h, block)
    if switches(block.model) and not has_room_for_it:
        put_step_back(block, buffer)
    return has_room_for_it


@inlined
def next_instant(n, n_end, stride, phase, model):
    """The next instant, as a step and a part of it, at which there is a sample, an edge, or the end."""
    following = min(n_end, stride * (n // stride + 1))
    if phase < len(model.edge_step) and model.edge_step[phase] < following:
        return model.edge_step[phase], model.edge_fraction[phase]
    return following, 0.0


@inlined
def breaks(method, t, block):
    """Whether a joint breaks at time t (s), at which a step ends."""
    if not can_break(block.model):
        return False
    find_broken(in_lanes(method, t, block), block)
    return block.scratch.broken[0] > 0


@inlined
def passes(method, t, block):
    """Whether a trigger is due at time t (s), at which a step ends or something happened."""
    if block.model.guards is None:
        return False
    return find_passed(in_lanes(method, t, block), block) > 0


@inlined
def begin_phase(method, contact, buffer, t, block):
    """What happens at time t (s), at which this phase begins. A gap of the start needs a second projection."""
    model, scratch, lanes = block.model, block.scratch, block.lanes
    if model.loops is not None:
        let_measured_go(model, block.state, lanes)
        for _ in range(2):
            close_loops(t, block)
    if contact is not None and have_constraints(model):
        wait_for_contact(model.contacts, model, scratch)
    if lasts(scratch):
        unsettle(scratch)
    if switches(model):
        keep_rates_inside(in_lanes(method, t, block), block)
        let_all_slide(block)
    if model.guards is not None and scratch.guards.fired[0] != at.NO_ROW:
        cross_edge(scratch.guards.fired[0], in_lanes(method, t, block), block, buffer)
    elif buffer is not None and (not is_steered(model) or scratch.anew[0] == 0):
        cross_edge(block.phase, in_lanes(method, t, block), block, buffer)
    if switches(model):
        h = model.step if trials_of(method) is None else short(model)
        begin_modes(in_lanes(method, t, block), h, block, buffer)


@inlined
def end_of_step(n, done, phase, contact, model, scratch):
    """Where step n ends, as a part of it: at the next edge, where Python wants to act, or at an impact. An edge at its
    end has a time that may be differentiated.
    """
    end = 1.0
    if phase < len(model.edge_step) and model.edge_step[phase] == n:
        end = model.edge_fraction[phase]
    elif phase < len(model.edge_step) and model.edge_step[phase] == n + 1 and model.edge_fraction[phase] == 0.0:
        end = 1.0 + model.edge_fraction[phase]
    end = end_before(n, done, end, model, scratch)
    return end if contact is None else end_of_part(done, end, contact)


@kernel
def advance(
    method, n, done, phase, arrives, n_end, stride, model, state, scratch, samples, first, buffer, contact, lanes
):
    """Step from t = (n + done) h, in the given phase, to the beginning of step n_end; or to an edge where Python has to
    change the tree or to empty the event buffer; or to a step for which contact or events have no room; or to the end
    of one in which a joint breaks or a trigger is due.

    With `arrives`, the exchange of energy and the impulses at the beginning of the given phase are still to be applied,
    and loops to be closed. A sample is taken before each step whose number is a multiple of `stride`: sample k = n /
    stride is row k - first of `samples`. With n_end = NOW nothing happens but that the present state becomes row
    `first`. Returns (n, done, phase) reached; at an edge, the phase that ends there. The result does not depend on how
    a run is divided into calls: time is n h, multiplied, and phases change at edges only.
    """
    if n_end == NOW:
        t, block = (n + done) * model.step, WorldBlock(phase, model, state, scratch, lanes)
        known = go_to(method, t, UNKNOWN, block, buffer)
        sample(method, t, known, block, samples, first)
        return n, done, phase
    begin_call(contact)
    known = UNKNOWN
    while True:
        is_edge = phase < len(model.edge_step) and model.edge_step[phase] == n and model.edge_fraction[phase] == done
        if is_edge and not (model.guards is not None and arrives):
            if trials_of(method) is not None:
                arrive(method, stop_of(phase, model), WorldBlock(phase, model, state, scratch, lanes), buffer)
                known = UNKNOWN
            if needs_python(phase, model, buffer) or precedes_edge(n, done, model, scratch):
                return n, done, phase
            arrives = model.edge_kind[phase] == at.EDGE_CROSSED or switches(model) or lasts(scratch)
            phase += 1
        block = WorldBlock(phase, model, state, scratch, lanes)  # of this turn: a loop that passes it on is read twice
        if arrives:
            begin_phase(method, contact, buffer, (n + done) * model.step, block)
            arrives = False
            note_begin(n, done, model, scratch)
            if passes(method, (n + done) * model.step, block):
                return n, done, phase
        known = go_to(method, (n + done) * model.step, known, block, buffer)
        if n >= n_end or is_full(model, buffer) or halts(n, done, model, scratch):
            return n, done, phase
        if done == 0.0 and n % stride == 0:
            if contact is not None and not sample_contacts(contact, n // stride):
                return n, done, phase
            row = n // stride - first
            known = sample(method, n * model.step, known, block, samples, row)
        if trials_of(method) is not None and not keeps_grid(model):
            n, done = next_instant(n, n_end, stride, phase, model)
            continue
        end = end_of_step(n, done, phase, contact, model, scratch)
        t, t_end, h = (n + done) * model.step, (n + end) * model.step, (end - done) * model.step
        if lasts(scratch) and not is_left(scratch.lasting):
            if take_lasting(method, t, t_end, h, block, contact):
                n, done = (n, end) if end < 1.0 else (n + 1, end - 1.0)
                if passes(method, t_end, block):
                    return n, done, phase
                continue
            if contact.lacks[0] > 0:
                return n, done, phase
        if not move_if_room(method, t, t_end, h, block, buffer, contact):
            return n, done, phase
        if contact is not None and not correct_if_room(contact, t_end, h, block, buffer):
            if contact.lacks[0] == 0 and (is_divided(contact) or woke(contact)):
                continue
            return n, done, phase
        n, done = (n, end) if end < 1.0 else (n + 1, end - 1.0)
        broken = breaks(method, t_end, block)
        if passes(method, t_end, block) or broken:
            return n, done, phase
