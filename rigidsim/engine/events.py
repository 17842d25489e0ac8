"""The event buffer: of fixed capacity, filled by the kernels, emptied by Python.

An event is an impulse or a reparenting, with the moved body that received it. With the events of an instant are
recorded the bodies that a jump reached along the tree: protected bodies, which keep their motion in the world, and
carried bodies, which receive the velocity change. A row holds the change of each from before to after the instant.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rigidsim.engine import layout as at
from rigidsim.engine.kinds import is_moved
from rigidsim.engine.layout import change3, load, load3, load4, load6, store, store3
from rigidsim.engine.model import Model, Samples, make_samples, zeros
from rigidsim.jit import inlined, routine
from rigidsim.physics.inertia import apply
from rigidsim.physics.quaternion import rotate, rotate_back
from rigidsim.physics.rigid_body import point_velocity
from rigidsim.physics.vector import scaled

CAPACITY = 1024  # events, and bodies they reached; larger if one instant can have more


class EventBuffer(NamedTuple):
    """Events since Python last read them, and the working arrays of one instant."""

    filled: np.ndarray  # (2) rows of events and of those reached that are in use
    event: np.ndarray  # (capacity, 4) instant; CAUSE_IMPULSE or CAUSE_REPARENTING; its number; the receiver's node
    event_value: np.ndarray  # (capacity, HIT_ROWS * lanes)
    reached: np.ndarray  # (capacity, 4) instant; ROLE_PROTECTED or ROLE_CARRIED; node; frame the jump came from
    reached_value: np.ndarray  # (capacity, CHANGE_ROWS * lanes)
    pair: Samples  # before and after the present instant
    total: np.ndarray  # (moved, TOTAL_ROWS * lanes) sums of the impulses on each body, and of their moments
    jump: np.ndarray  # (1 + node, JUMP_ROWS * lanes) of each frame
    source: np.ndarray  # (1 + node) the frame where the jump of this one began, or NO_ROW without a jump


def make_buffer(model: Model, lanes: tuple[int, ...], pair: Samples | None = None) -> EventBuffer:
    """An empty buffer, large enough for the events of any one instant; `pair` can be that of an earlier buffer."""
    n, n_node, n_moved = len(lanes), len(model.node), len(model.body)
    n_event, n_reached = max(CAPACITY, int(np.diff(model.due).max())), max(CAPACITY, n_moved)
    return EventBuffer(
        filled=np.zeros(2, dtype=np.int64),
        event=np.zeros((n_event, at.EVENT_COLUMNS), dtype=np.int64),
        event_value=zeros(n_event, at.HIT_ROWS * n),
        reached=np.zeros((n_reached, at.REACHED_COLUMNS), dtype=np.int64),
        reached_value=zeros(n_reached, at.CHANGE_ROWS * n),
        pair=pair or make_samples(model, 2, True, lanes),
        total=zeros(n_moved, at.TOTAL_ROWS * n),
        jump=zeros(n_node + 1, at.JUMP_ROWS * n),
        source=np.full(n_node + 1, at.NO_ROW, dtype=np.int64),
    )


@inlined
def has_room(buffer, era, model):
    """Whether there is room for the impulses that are due as this era begins, and for the bodies they may reach."""
    due, room = model.due[era + 1] - model.due[era], len(buffer.event) - buffer.filled[0]
    return due == 0 or (due <= room and len(model.body) <= len(buffer.reached) - buffer.filled[1])


@inlined
def begin_instant(buffer):
    """Clear the working arrays of an instant. Returns its number: the row of its first event."""
    buffer.total[:] = 0.0
    buffer.jump[:] = 0.0
    buffer.source[:] = at.NO_ROW
    return buffer.filled[0]


@inlined
def record_event(instant, kind, number, node, buffer):
    """Add an event, which the body of this node receives. Returns its row."""
    k = buffer.filled[0]
    event = buffer.event[k]
    event[at.EVENT_INSTANT], event[at.EVENT_CAUSE], event[at.EVENT_NUMBER], event[at.EVENT_NODE] = (
        instant, kind, number, node,
    )  # fmt: skip
    buffer.event_value[k, :] = 0.0
    buffer.filled[0] = k + 1
    return k


@inlined
def record_reached(instant, role, node, source, buffer):
    """Record that a jump reaches the body of this node."""
    k = buffer.filled[1]
    reached = buffer.reached[k]
    reached[at.REACHED_INSTANT], reached[at.REACHED_ROLE], reached[at.REACHED_NODE], reached[at.REACHED_SOURCE] = (
        instant, role, node, source,
    )  # fmt: skip
    buffer.filled[1] = k + 1


@inlined
def spread(node, instant, model, buffer):
    """Whether a jump affects a node: an impulse, a jump of its own, or that of its parent. A moved body that the jump
    of its parent reaches is recorded. A protected body does not pass the jump on to its children.
    """
    above = buffer.source[model.node[node, at.NODE_PARENT]]
    jumps = buffer.source[node + 1] != at.NO_ROW
    if above == at.NO_ROW:
        return jumps
    if not is_moved(node, model):
        buffer.source[node + 1] = node + 1 if jumps else above
    elif model.inherits[model.node[node, at.NODE_ROW]] > 0.0:
        record_reached(instant, at.ROLE_CARRIED, node, above, buffer)
        buffer.source[node + 1] = node + 1
    else:
        record_reached(instant, at.ROLE_PROTECTED, node, above, buffer)
    return True


@routine
def write_event(t, v_before, v_after, omega_before, omega_after, ledger_before, ledger_after, value, lanes):
    """Write the time of an event, the receiver's motion in the world before and after, and the energy of the
    instant.
    """
    n = len(lanes)
    for lane in range(n):
        store(value, at.HIT_TIME, lane, n, t)
        store3(value, at.HIT_V_BEFORE, lane, n, load3(v_before, 0, lane, n))
        store3(value, at.HIT_V_AFTER, lane, n, load3(v_after, 0, lane, n))
        store3(value, at.HIT_OMEGA_BEFORE, lane, n, load3(omega_before, 0, lane, n))
        store3(value, at.HIT_OMEGA_AFTER, lane, n, load3(omega_after, 0, lane, n))
        energy_before = load(ledger_before, at.E_KINETIC, lane, n) + load(ledger_before, at.E_POTENTIAL, lane, n)
        energy_after = load(ledger_after, at.E_KINETIC, lane, n) + load(ledger_after, at.E_POTENTIAL, lane, n)
        store(value, at.HIT_ENERGY, lane, n, energy_after - energy_before)


@routine
def write_change(before, after, c, value, lanes):
    """Write the change of a vector, to component c of `value`."""
    n = len(lanes)
    for lane in range(n):
        store3(value, c, lane, n, change3(before, after, 0, lane, n))


@routine
def write_moments(orientation, body, value, lanes):
    """Write the impulse and the moment about its centre of mass that are equivalent to the changes of a carried body's
    velocities; these are written.
    """
    n = len(lanes)
    for lane in range(n):
        q_WB, com = load4(orientation, 0, lane, n), load3(body, at.B_COM, lane, n)
        dv, domega = load3(value, at.CHANGE_V, lane, n), load3(value, at.CHANGE_OMEGA, lane, n)
        dv_C = point_velocity(dv, domega, rotate(q_WB, com))
        store3(value, at.CHANGE_A, lane, n, scaled(load(body, at.B_MASS, lane, n), dv_C))
        spin_B = apply(load6(body, at.B_INERTIA, lane, n), rotate_back(q_WB, domega))
        store3(value, at.CHANGE_ALPHA, lane, n, rotate(q_WB, spin_B))


@inlined
def write_velocities(motion, node, value, lanes):
    """Write the changes of a node's velocity and rate in a pair of samples."""
    write_change(motion.velocity[0, node], motion.velocity[1, node], at.CHANGE_V, value, lanes)
    write_change(motion.angular_velocity[0, node], motion.angular_velocity[1, node], at.CHANGE_OMEGA, value, lanes)


@inlined
def write_protected(pair, node, value, lanes):
    """Write the change of a protected body's motion relative to its parent: velocities and accelerations."""
    acceleration, angular = pair.terms[at.T_ACCELERATION], pair.terms[at.T_ANGULAR]
    write_velocities(pair.local, node, value, lanes)
    write_change(acceleration[0, node], acceleration[1, node], at.CHANGE_A, value, lanes)
    write_change(angular[0, node], angular[1, node], at.CHANGE_ALPHA, value, lanes)


@inlined
def write_carried(pair, node, body, value, lanes):
    """Write the change of a carried body's motion in the world, and the equivalent impulse and moment."""
    write_velocities(pair.world, node, value, lanes)
    write_moments(pair.world.orientation[0, node], body, value, lanes)


@inlined
def complete_instant(t, instant, model, buffer, lanes):
    """Complete the records of an instant from the samples before and after it."""
    pair, v, omega = buffer.pair, buffer.pair.world.velocity, buffer.pair.world.angular_velocity
    for k in range(instant, buffer.filled[0]):
        node, value = buffer.event[k, at.EVENT_NODE], buffer.event_value[k]
        write_event(
            t, v[0, node], v[1, node], omega[0, node], omega[1, node], pair.ledger[0], pair.ledger[1], value, lanes
        )
    k = buffer.filled[1] - 1
    while k >= 0 and buffer.reached[k, at.REACHED_INSTANT] == instant:
        node, value = buffer.reached[k, at.REACHED_NODE], buffer.reached_value[k]
        if buffer.reached[k, at.REACHED_ROLE] == at.ROLE_PROTECTED:
            write_protected(pair, node, value, lanes)
        else:
            write_carried(pair, node, model.body[model.node[node, at.NODE_ROW]], value, lanes)
        k -= 1
