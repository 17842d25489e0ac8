"""What happened at instants, as the kernels record it: a buffer of fixed capacity, which Python empties.

An event is an impulse, or a reparenting, and the moved body that received it. Beside the events of an instant stand the
bodies that a jump reached along the tree: protected from it, or carried along. A row says of each what it was before
and after.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rigidsim._jit import inlined, routine
from rigidsim.engine import layout as at
from rigidsim.engine.kinds import is_moved
from rigidsim.engine.layout import change3, load, load3, load4, load6, store, store3
from rigidsim.engine.model import Model, Samples, make_samples, zeros
from rigidsim.physics.inertia import apply
from rigidsim.physics.quaternion import rotate, rotate_back
from rigidsim.physics.rigid_body import point_velocity
from rigidsim.physics.vector import scaled

CAPACITY = 1024  # events, and bodies they reached, unless more can come in one instant


class EventBuffer(NamedTuple):
    """Events since Python last read them, and what one instant needs."""

    filled: np.ndarray  # (2) rows of events and of those reached that are in use
    event: np.ndarray  # (capacity, 4) instant; CAUSE_IMPULSE or CAUSE_REPARENTING; its number; the receiver's node
    event_value: np.ndarray  # (capacity, HIT_ROWS * lanes)
    reached: np.ndarray  # (capacity, 4) instant; ROLE_PROTECTED or ROLE_CARRIED; node; frame the jump came from
    reached_value: np.ndarray  # (capacity, CHANGE_ROWS * lanes)
    pair: Samples  # before and after the instant; overwritten by the next
    strike: np.ndarray  # (moved, STRIKE_ROWS * lanes) the impulses on each body, and their moments
    jump: np.ndarray  # (1 + node, JUMP_ROWS * lanes) of each frame
    source: np.ndarray  # (1 + node) the frame whose jump this one follows, itself if it jumps of its own, or NOBODY


def make_buffer(model: Model, lanes: tuple[int, ...], pair: Samples | None = None) -> EventBuffer:
    """An empty buffer that holds what can happen in one instant; `pair` may be handed on from the buffer before."""
    n, n_node, n_moved = len(lanes), len(model.node), len(model.body)
    n_event, n_reached = max(CAPACITY, int(np.diff(model.due).max())), max(CAPACITY, n_moved)
    return EventBuffer(
        filled=np.zeros(2, dtype=np.int64),
        event=np.zeros((n_event, at.EVENT_COLUMNS), dtype=np.int64),
        event_value=zeros(n_event, at.HIT_ROWS * n),
        reached=np.zeros((n_reached, at.REACHED_COLUMNS), dtype=np.int64),
        reached_value=zeros(n_reached, at.CHANGE_ROWS * n),
        pair=pair or make_samples(model, 2, True, lanes),
        strike=zeros(n_moved, at.STRIKE_ROWS * n),
        jump=zeros(n_node + 1, at.JUMP_ROWS * n),
        source=np.full(n_node + 1, at.NOBODY, dtype=np.int64),
    )


@inlined
def has_room(buffer, era, model):
    """Whether there is room for the impulses that are due as this era begins, and for all that they may reach."""
    due, room = model.due[era + 1] - model.due[era], len(buffer.event) - buffer.filled[0]
    return due == 0 or (due <= room and len(model.body) <= len(buffer.reached) - buffer.filled[1])


@inlined
def begin_instant(buffer):
    """Nothing jumps yet. Returns the number of the instant: the row of its first event."""
    buffer.strike[:] = 0.0
    buffer.jump[:] = 0.0
    buffer.source[:] = at.NOBODY
    return buffer.filled[0]


@inlined
def note_event(instant, kind, number, node, buffer):
    """A new event, which the body of this node receives. Returns its row."""
    k = buffer.filled[0]
    event = buffer.event[k]
    event[at.EVENT_INSTANT], event[at.EVENT_CAUSE], event[at.EVENT_NUMBER], event[at.EVENT_NODE] = (
        instant, kind, number, node,
    )  # fmt: skip
    buffer.event_value[k, :] = 0.0
    buffer.filled[0] = k + 1
    return k


@inlined
def note_reached(instant, role, node, source, buffer):
    """A jump reaches the body of this node."""
    k = buffer.filled[1]
    reached = buffer.reached[k]
    reached[at.REACHED_INSTANT], reached[at.REACHED_ROLE], reached[at.REACHED_NODE], reached[at.REACHED_SOURCE] = (
        instant, role, node, source,
    )  # fmt: skip
    buffer.filled[1] = k + 1


@inlined
def spread(node, instant, model, buffer):
    """Whether a node jumps: it is struck, or given a jump, or its parent's reaches it; then that is noted of a moved
    body. A body that is protected passes nothing on.
    """
    above = buffer.source[model.node[node, at.NODE_PARENT]]
    jumps = buffer.source[node + 1] != at.NOBODY
    if above == at.NOBODY:
        return jumps
    if not is_moved(node, model):
        buffer.source[node + 1] = node + 1 if jumps else above
    elif model.inherits[model.node[node, at.NODE_ROW]] > 0.0:
        note_reached(instant, at.ROLE_CARRIED, node, above, buffer)
        buffer.source[node + 1] = node + 1
    else:
        note_reached(instant, at.ROLE_PROTECTED, node, above, buffer)
    return True


@routine
def tell_event(t, before, after, ledger_before, ledger_after, value, lanes):
    """When it was, the receiver's motion in the world before and after, and the energy that the instant brought."""
    n = len(lanes)
    for lane in range(n):
        store(value, at.HIT_TIME, lane, n, t)
        store3(value, at.HIT_V_BEFORE, lane, n, load3(before, at.O_V, lane, n))
        store3(value, at.HIT_V_AFTER, lane, n, load3(after, at.O_V, lane, n))
        store3(value, at.HIT_OMEGA_BEFORE, lane, n, load3(before, at.O_OMEGA, lane, n))
        store3(value, at.HIT_OMEGA_AFTER, lane, n, load3(after, at.O_OMEGA, lane, n))
        energy_before = load(ledger_before, at.E_KINETIC, lane, n) + load(ledger_before, at.E_POTENTIAL, lane, n)
        energy_after = load(ledger_after, at.E_KINETIC, lane, n) + load(ledger_after, at.E_POTENTIAL, lane, n)
        store(value, at.HIT_ENERGY, lane, n, energy_after - energy_before)


@routine
def tell_protected(before, after, terms_before, terms_after, value, lanes):
    """How its motion relative to the parent changed, and its acceleration by the forces after the jump."""
    n = len(lanes)
    for lane in range(n):
        store3(value, at.CHANGE_V, lane, n, change3(before, after, at.O_V, lane, n))
        store3(value, at.CHANGE_OMEGA, lane, n, change3(before, after, at.O_OMEGA, lane, n))
        store3(value, at.CHANGE_A, lane, n, change3(terms_before, terms_after, at.T_ACCELERATION, lane, n))
        store3(value, at.CHANGE_ALPHA, lane, n, change3(terms_before, terms_after, at.T_ANGULAR, lane, n))


@routine
def tell_carried(before, after, body, value, lanes):
    """How its motion in the world changed, and the impulse and moment about its centre of mass that this amounts to."""
    n = len(lanes)
    for lane in range(n):
        q_WB, com = load4(before, at.O_Q, lane, n), load3(body, at.B_COM, lane, n)
        dv, domega = change3(before, after, at.O_V, lane, n), change3(before, after, at.O_OMEGA, lane, n)
        store3(value, at.CHANGE_V, lane, n, dv)
        store3(value, at.CHANGE_OMEGA, lane, n, domega)
        dv_C = point_velocity(dv, domega, rotate(q_WB, com))
        store3(value, at.CHANGE_A, lane, n, scaled(load(body, at.B_MASS, lane, n), dv_C))
        spin_B = apply(load6(body, at.B_INERTIA, lane, n), rotate_back(q_WB, domega))
        store3(value, at.CHANGE_ALPHA, lane, n, rotate(q_WB, spin_B))


@inlined
def tell_instant(t, instant, model, buffer, lanes):
    """What the events of an instant and those they reached were before and after, from the pair of samples."""
    local, world, ledger, terms = buffer.pair
    for k in range(instant, buffer.filled[0]):
        node = buffer.event[k, at.EVENT_NODE]
        tell_event(t, world[0, node], world[1, node], ledger[0], ledger[1], buffer.event_value[k], lanes)
    k = buffer.filled[1] - 1
    while k >= 0 and buffer.reached[k, at.REACHED_INSTANT] == instant:
        node, value = buffer.reached[k, at.REACHED_NODE], buffer.reached_value[k]
        if buffer.reached[k, at.REACHED_ROLE] == at.ROLE_PROTECTED:
            tell_protected(local[0, node], local[1, node], terms[0, node], terms[1, node], value, lanes)
        else:
            body = model.body[model.node[node, at.NODE_ROW]]
            tell_carried(world[0, node], world[1, node], body, value, lanes)
        k -= 1
