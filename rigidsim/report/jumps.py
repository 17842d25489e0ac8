"""The events of a trajectory in words, in general and for one body."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from rigidsim.report.table import ROUNDING, number, shortened
from rigidsim.report.wording import counted
from rigidsim.trajectory.events import ContactEvent, Event
from rigidsim.trajectory.trajectory import Trajectory


def events_near(trajectory: Trajectory, body: str, time: float) -> list[Event | ContactEvent]:
    """Events within one sampling interval of a time that concern a body or the free body that moves it."""
    spacing = float(np.diff(trajectory.time).max()) if len(trajectory.time) > 1 else 0.0
    near = spacing * (1 + 1e-9)

    def concerns(event: Event | ContactEvent) -> bool:
        moving = trajectory[body].free_ancestor_at(event.time)
        return event.concerns(body) or (moving != "" and event.concerns(moving))

    return [event for event in trajectory.events.between(time - near, time + near) if concerns(event)]


def describe_event(event: Event | ContactEvent, body: str, trajectory: Trajectory) -> str:
    """The effect of one event on a body, or on the free body that moves it."""
    if isinstance(event, ContactEvent):
        cause = _does(event, body, trajectory) + _ended(event, trajectory)
    else:
        cause = cause_of(event)
    lines = [f"at t = {event.time:.9g} s: {cause}", *_reason(event, trajectory)]
    if isinstance(event, Event) and event.changed:
        return "\n".join([*lines, *_set(event)])
    if not event.concerns(body):
        moving = trajectory[body].free_ancestor_at(event.time)
        lines.append(f"  {body} moves with {moving}:")
        body = moving
    if isinstance(event, ContactEvent):
        return "\n".join([*lines, *_struck(event, body)])
    if body in (event.receiver, event.body):
        lines += _received(event)
    gain = next((other for other in event.carried if other.body == body), None)
    if gain is not None:
        lines += [
            f"  {body} has inherit_impulses: it moves with its parent and gains in the world",
            f"    velocity {_vector(gain.velocity)} m/s, angular velocity {_vector(gain.angular_velocity)} rad/s,",
            f"    equal to impulses of {_vector(gain.impulse)} N s and {_vector(gain.angular_impulse)} N m s",
        ]
    kept = next((other for other in event.protected if other.body == body), None)
    if kept is not None:
        lines += [
            f"  {body} keeps its motion in the world; relative to its parent, whose motion jumps, it changes by:",
            f"    velocity {_vector(kept.velocity)} m/s, angular velocity {_vector(kept.angular_velocity)} rad/s",
            f"    acceleration {_vector(kept.acceleration)} m/s2, from the forces after the jump",
        ]
    if body in (event.receiver, event.body):
        lines += _others(*([other.body for other in others] for others in (event.protected, event.carried)))
    return "\n".join(lines)


def _reason(event: Event | ContactEvent, trajectory: Trajectory) -> Iterator[str]:
    """The condition of the trigger that made an event happen, if there was one."""
    # Imported here to keep the scene's schema out of reports.
    from rigidsim.scene.hierarchy.triggers import triggers_in

    if not isinstance(event, Event):
        return
    for trigger in triggers_in(trajectory.header.scene.hierarchy):
        if trigger.id == event.id and trigger.condition is not None:
            later = f", {number(trigger.delay)} s ago" if trigger.delay else ""
            yield f"  its condition became true{later}: {trigger.condition}"


def _set(event: Event) -> Iterator[str]:
    """The numbers that were set."""
    for path, value in (event.changed or {}).items():
        yield f"  {path} {value if isinstance(value, str) else f'= {number(value)}'}"
    if event.energy:
        yield f"  the potential energy of all bodies changes by {event.energy:+.9g} J"


DID = {"sliding_begins": "slid", "rolling_begins": "rolled", "sticking_begins": "stuck", "rest_begins": "rested"}
"""The modes of contact that last, in the past."""
NO_WORK = 1e-6
"""Of the largest kinetic energy: less work of friction where nothing slides is the error of the method."""


def _ended(event: ContactEvent, trajectory: Trajectory) -> str:
    """The mode of contact that an event ended, in words; empty if there was none."""
    before = trajectory.events.contact.ended_by(event) if event.cause in (*DID, "contact_ends") else None
    if before is None:
        return ""
    did, ledger = f"; it {DID[before.cause]} for {number(event.time - before.time)} s", trajectory.contact_ledger
    if before.cause != "sliding_begins" and ledger and abs(event.energy) <= NO_WORK * ledger.kinetic_energy:
        return did
    work = "lost {} J to friction" if event.energy < 0.0 else "gained {} J by friction"
    return f"{did} and {work.format(number(abs(event.energy)))}"


def _struck(event: ContactEvent, body: str) -> Iterator[str]:
    """The effect of an impact on a body."""
    if event.cause != "impact":
        return
    if body in event.protected_bodies:
        yield f"  {body} keeps its motion in the world"
    elif body in event.carried_bodies:
        yield f"  {body} has inherit_impulses: it moves with its parent"
    else:
        own = event.side_of(body)
        acted = _vector(event.impulse if own else tuple(-part for part in event.impulse))
        yield f"  {event.bodies[own]} receives {acted} N s at {_vector(event.point)} m"
        yield f"  the kinetic energy of both bodies changes by {event.energy:+.9g} J"
        yield from _others(event.protected_bodies, event.carried_bodies)


def _others(*bodies: Sequence[str]) -> Iterator[str]:
    """The other bodies that an event concerns: those that are protected from it, and those that are carried along."""
    for what, names in zip(
        ("not affected in the world (protected)", "carried along (inherit_impulses)"), bodies, strict=True
    ):
        if names:
            yield f"  {what}: {', '.join(names)}"


DOES = {
    "contact_begins": "begins to touch", "contact_ends": "no longer touches", "impact": "is struck by",
    "sliding_begins": "begins to slide on", "rolling_begins": "begins to roll on",
    "sticking_begins": "begins to turn on a fixed point of", "rest_begins": "comes to rest on",
    "falls_asleep": "falls asleep", "wakes": "wakes",
}  # fmt: skip
"""What a body does at an event of contact, to the other one if there is one."""


def _does(event: ContactEvent, body: str, trajectory: Trajectory) -> str:
    """What a body does to another one. Of bodies with several shapes it says which one touches."""
    if event.shapes[0] == event.shapes[1]:
        return f"{event.bodies[0]} {DOES[event.cause]}"
    own, header = event.side_of(body), trajectory.header
    counts = Counter(header.bodies_of_shapes(header.tree_at(event.time)))
    one, other = (
        f"{path} ({shape.removeprefix(f'{path}.')})" if counts[path] > 1 else path
        for path, shape in zip(event.bodies, event.shapes, strict=True)
    )
    return f"{other} {DOES[event.cause]} {one}" if own else f"{one} {DOES[event.cause]} {other}"


def cause_of(event: Event) -> str:
    """A one-line description of an event that is none of contact."""
    if event.cause == "impulse":
        name = f" '{event.name}'" if event.name else ""
        via = "" if event.body == event.receiver else f", carried by {event.receiver}"
        acted = _impulse(event.impulse, event.angular_impulse, " about its centre of mass")
        rest = _beyond_rounding(event.constraint_impulse, event.impulse)
        angular_rest = _beyond_rounding(event.constraint_angular_impulse, event.angular_impulse)
        taken = f"; constraints absorbed {_impulse(rest, angular_rest)}" * any((*rest, *angular_rest))
        return f"impulse{name} on {event.body}{via}: {acted}{taken}"
    if event.cause == "stop":
        turns = any(event.angular_impulse)
        acted = f"{_vector(event.angular_impulse)} N m s" if turns else f"{_vector(event.impulse)} N s"
        if event.name:
            return f"{event.name} reaches its {event.id.rpartition('.')[2]}: {acted} on {event.body}"
        return f"{event.body} reaches its {'upper' if event.id.endswith('[1]') else 'lower'} limit: {acted}"
    if event.cause == "trigger":
        from rigidsim.scene.schema.changes import STATES  # here, as the schema is slow to load

        if event.id.startswith(f"{STATES}."):
            return f"{event.id.split('.')[1]} is in the state '{event.name}'"
        return f"{event.id}{f' {event.name!r}' if event.name else ''} happens"
    if event.force is not None and event.torque is not None:
        type = event.id.split(".")[-2]
        reaction = f"{math.hypot(*event.force):.6g} N and {math.hypot(*event.torque):.6g} N m"
        return f"the {type} of {event.body} on {event.parent_before or 'world'} breaks under {reaction}; it is free"
    parents = [parent or "world" for parent in (event.parent_before, event.parent_after)]
    fixed = "" if event.receiver == event.body else "; it is fixed there, and both become one body"
    hangs = "; a joint connects them" if event.motion == "jointed" else ""
    return f"{event.body} is reparented from {parents[0]} to {parents[1]}{fixed}{hangs}"


def listed(events: tuple[Event, ...], most: int | None) -> list[str]:
    """The first events, one line each."""
    lines = []
    for event in events:
        others = ((event.protected, "protected"), (event.carried, "carried along"))
        counts = "".join(f"; {counted(len(bodies), 'body', 'bodies')} {word}" for bodies, word in others if bodies)
        lines.append(f"{event.time:.9g} s  {cause_of(event)}; energy {event.energy:+.6g} J{counts}")
    return [f"  {line}" for line in shortened(lines, most)]


def _received(event: Event) -> Iterator[str]:
    pairs = (
        ("velocity", "m/s", event.velocity_before, event.velocity_after),
        ("angular velocity", "rad/s", event.angular_velocity_before, event.angular_velocity_after),
    )
    for name, unit, before, after in pairs:
        change = tuple(b - a for a, b in zip(before, after, strict=True))
        if math.hypot(*change) > ROUNDING * max(math.hypot(*before), math.hypot(*after), 1e-300):
            yield (
                f"  {event.receiver}: {name} in the world {_vector(before)} -> {_vector(after)} {unit},"
                f" change {_vector(change)}"
            )
    yield f"  the kinetic and potential energy of all bodies changes by {event.energy:+.9g} J"


def _beyond_rounding(rest: tuple[float, ...], acted: tuple[float, ...]) -> tuple[float, ...]:
    """The part of an impulse that did not act; zero if it is only rounding."""
    return rest if math.hypot(*rest) > ROUNDING * math.hypot(*acted) else (0.0, 0.0, 0.0)


def _impulse(linear: tuple[float, ...], angular: tuple[float, ...], about: str = "") -> str:
    return f"{_vector(linear)} N s" + f", angular impulse {_vector(angular)} N m s{about}" * any(angular)


def _vector(v: tuple[float, ...]) -> str:
    return "[" + ", ".join(f"{part + 0.0:.6g}" for part in v) + "]"
