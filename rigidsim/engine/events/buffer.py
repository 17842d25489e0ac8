"""The event buffer: of fixed capacity, filled by the kernels, emptied by Python.

An event is an impulse or a reparenting, with the moved body that received it. With the events of an instant are
recorded the bodies that a jump reached along the tree: protected bodies, which keep their motion in the world, and
carried bodies, which receive the velocity change. A row holds the change of each from before to after the instant.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rigidsim.engine.assembly.blueprint import World
from rigidsim.engine.dynamics.corrections import begin_corrections
from rigidsim.engine.model import layout as at
from rigidsim.engine.model.arrays import Corrections, Model, Samples, floats, integers, made, make_samples, n_places
from rigidsim.engine.model.layout import BODY, CHANGE, EACH, HIT, LEDGER, QUATERNION, REACHED, RECORD, TRIPLE
from rigidsim.jit import inlined, lanewise
from rigidsim.jit.rows import with_rows
from rigidsim.physics.inertia import apply
from rigidsim.physics.quaternion import rotate, rotate_back
from rigidsim.physics.rigid_body import point_velocity
from rigidsim.physics.vector import scaled, sub

CAPACITY = 1024  # events, and bodies they reached; larger if one instant can have more


class EventBuffer(NamedTuple):
    """Events since Python last read them, and the working arrays of one instant."""

    pair: Samples  # before and after the present instant
    made: Corrections  # of the present instant
    filled: np.ndarray = integers(2)  # rows of events and of those reached that are in use
    kept: np.ndarray = integers(2)  # likewise, at the beginning of a step
    lacks: np.ndarray = integers(1)  # 1 if what happens in a step has no room
    event: RECORD = integers("events")
    event_value: HIT = floats("events")
    reached: REACHED = integers("reached")
    reached_value: CHANGE = floats("reached")


class RecordedEvents(NamedTuple):
    """Events as the kernels recorded them, as in `EventBuffer`, and the worlds before and after them; without a
    reparenting these are the same.
    """

    event: np.ndarray
    value: np.ndarray
    reached: np.ndarray
    change: np.ndarray
    before: list[World]
    after: list[World]
    reaction: tuple[np.ndarray, np.ndarray] | None = None  # of a joint that broke: its force and torque, parent's axes
    changed: tuple[tuple[str, str], ...] = ()  # numbers that were set: their paths in the scene, and values as JSON


def recorded(buffer: EventBuffer, before: list[World], after: list[World]) -> RecordedEvents:
    """A copy of the events in the buffer."""
    arrays = buffer.event, buffer.event_value, buffer.reached, buffer.reached_value
    filled = np.repeat(buffer.filled, 2)
    event, value, reached, change = (array[:n].copy() for array, n in zip(arrays, filled, strict=True))
    return RecordedEvents(event, value, reached, change, before, after)


def make_buffer(model: Model, lanes: tuple[int, ...], pair: Samples | None = None, least: int = 0) -> EventBuffer:
    """An empty buffer for at least so many events, large enough for those of any one instant; `pair` can be that of an
    earlier buffer.
    """
    sizes = {
        "lanes": len(lanes),
        "nodes": len(model.node),
        "places": n_places(model),
        "moved": len(model.body),
        "events": max(CAPACITY, least, int(np.diff(model.due).max()) + 2 * len(model.body)),
        "reached": max(CAPACITY, least, len(model.body)),
    }
    pair = pair or make_samples(model, 2, True, lanes)
    return made(EventBuffer, sizes, pair=pair, made=made(Corrections, sizes))


@inlined
def has_room(buffer, phase, model):
    """Whether there is room for what happens as this phase begins: impulses that are due, impacts at stops."""
    n = model.due[phase + 1] - model.due[phase] + most_impacts(model)
    return n == 0 or has_room_for(n, model, buffer)


@inlined
def most_impacts(model):
    """The largest number of events of stops at one instant: each coordinate may be at either, as lanes differ."""
    return 0 if model.joints is None or model.joints.modes is None else 2 * len(model.joints.modes)


@inlined
def has_room_for(n, model, buffer):
    """Whether there is room for so many events at one instant, and for the bodies they may reach."""
    free, free_reached = len(buffer.event) - buffer.filled[0], len(buffer.reached) - buffer.filled[1]
    return n <= free and len(model.body) <= free_reached


@inlined
def lacks_room(model, buffer):
    """Whether impacts at stops may have no room, or had none; that is noted."""
    if not has_room_for(most_impacts(model), model, buffer):
        buffer.lacks[0] = 1
    return buffer.lacks[0] > 0


@inlined
def begin_instant(buffer):
    """Clear the working arrays of an instant. Returns its number: the row of its first event."""
    begin_corrections(buffer.made)
    return buffer.filled[0]


@inlined
def record_event(instant, kind, number, node, buffer):
    """Add an event, which the body of this node receives. Returns its row."""
    k = buffer.filled[0]
    event = buffer.event[k]
    event.cause, event.first, event.second, event.instant = kind, number, node, instant
    buffer.event_value[k, :] = 0.0
    buffer.filled[0] = k + 1
    return k


def note_alone(cause: int, number: int, t: float, before: float, after: float, buffer: EventBuffer) -> None:
    """Record in the only lane what no body receives, at time t (s), and the energy of all bodies, J."""
    buffer = with_rows(buffer)
    k = record_event(begin_instant(buffer), cause, number, at.NO_ROW, buffer)
    buffer.event_value[k].time = t
    buffer.event_value[k].energy_before, buffer.event_value[k].energy_after = before, after


@inlined
def record_reached(instant, role, node, source, buffer):
    """Record that a jump reaches the body of this node."""
    k = buffer.filled[1]
    reached = buffer.reached[k]
    reached.instant, reached.role, reached.node, reached.source = instant, role, node, source
    buffer.filled[1] = k + 1


@inlined
def record_reached_bodies(nodes, instant, model, buffer):
    """Record the bodies that what happened above them reached."""
    for node in nodes:
        above = buffer.made.source[model.node[node].parent]
        if above != at.NO_ROW and model.node[node].kind == at.FREE:
            inherits = model.inherits[model.node[node].row] > 0.0
            record_reached(instant, at.ROLE_CARRIED if inherits else at.ROLE_PROTECTED, node, above, buffer)


class SampleRows(NamedTuple):
    """The motion of a node in the world, and the energies of all bodies, in one sample."""

    velocity: TRIPLE
    angular_velocity: TRIPLE
    ledger: LEDGER


@inlined
def sample_rows(samples, k, node):
    """Those of sample k."""
    return SampleRows(samples.world.velocity[k, node], samples.world.angular_velocity[k, node], samples.ledger[k])


@lanewise
def write_event(t: EACH, before: SampleRows, after: SampleRows, value: HIT, lane):
    """Write the time of an event, the receiver's motion in the world before and after, and the energies of the
    instant.
    """
    value.time = t
    value.velocity_before, value.velocity_after = before.velocity.xyz, after.velocity.xyz
    value.angular_velocity_before = before.angular_velocity.xyz
    value.angular_velocity_after = after.angular_velocity.xyz
    value.energy_before = before.ledger.kinetic + before.ledger.potential
    value.energy_after = after.ledger.kinetic + after.ledger.potential


@lanewise
def write_change(before: TRIPLE, after: TRIPLE, place, value: CHANGE, lane):
    """Write the change of a vector, to components from `place` on."""
    value.put(place, sub(after.xyz, before.xyz))


@lanewise
def write_moments(orientation: QUATERNION, body: BODY, value: CHANGE, lane):
    """Write the impulse and the moment about its centre of mass that are equivalent to the changes of a carried body's
    velocities; these are written.
    """
    q_WB, com = orientation.wxyz, body.com
    dv, domega = value.v, value.omega
    value.a = scaled(body.mass, point_velocity(dv, domega, rotate(q_WB, com)))
    value.alpha = rotate(q_WB, apply(body.inertia, rotate_back(q_WB, domega)))


@inlined
def write_velocities(motion, node, value, lanes):
    """Write the changes of a node's velocity and rate in a pair of samples."""
    write_change(motion.velocity[0, node], motion.velocity[1, node], CHANGE.place("v"), value, lanes)
    write_change(
        motion.angular_velocity[0, node], motion.angular_velocity[1, node], CHANGE.place("omega"), value, lanes
    )


@inlined
def write_protected(pair, node, value, lanes):
    """Write the change of a protected body's motion relative to its parent: velocities and accelerations."""
    acceleration, angular = pair.terms[at.T_ACCELERATION], pair.terms[at.T_ANGULAR]
    write_velocities(pair.local, node, value, lanes)
    write_change(acceleration[0, node], acceleration[1, node], CHANGE.place("a"), value, lanes)
    write_change(angular[0, node], angular[1, node], CHANGE.place("alpha"), value, lanes)


@inlined
def write_inherited(pair, node, body, value, lanes):
    """Write the change of a carried body's motion in the world, and the equivalent impulse and moment."""
    write_velocities(pair.world, node, value, lanes)
    write_moments(pair.world.orientation[0, node], body, value, lanes)


@inlined
def complete_instant(t, instant, model, buffer, lanes):
    """Complete the records of an instant from the samples before and after it."""
    pair = buffer.pair
    for k in range(instant, buffer.filled[0]):
        node = buffer.event[k].second
        write_event(t, sample_rows(pair, 0, node), sample_rows(pair, 1, node), buffer.event_value[k], lanes)
    k = buffer.filled[1] - 1
    while k >= 0 and buffer.reached[k].instant == instant:
        node, value = buffer.reached[k].node, buffer.reached_value[k]
        if buffer.reached[k].role == at.ROLE_PROTECTED:
            write_protected(pair, node, value, lanes)
        else:
            write_inherited(pair, node, model.body[model.node[node].row], value, lanes)
        k -= 1
