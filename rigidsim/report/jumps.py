"""Why did this jump? What the events of a trajectory say about one body."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from rigidsim.report.wording import counted
from rigidsim.trajectory.events import Event
from rigidsim.trajectory.trajectory import Trajectory


def events_near(trajectory: Trajectory, body: str, time: float) -> list[Event]:
    """What concerns a body, or the free body that takes it along, within one sample of a time."""
    spacing = float(np.diff(trajectory.time).max()) if len(trajectory.time) > 1 else 0.0
    near = spacing * (1 + 1e-9)
    return [
        event
        for event in trajectory.events
        if abs(event.time - time) <= near
        and (event.concerns(body) or event.concerns(trajectory[body].carrier_at(event.time)))
    ]


def told(event: Event, body: str, carrier: str) -> str:
    """What one event did to a body, or to the free body that takes it along, in words and numbers."""
    lines = [f"at t = {event.time:.9g} s: {cause_of(event)}"]
    if not event.concerns(body):
        lines.append(f"  {body} goes where {carrier} takes it:")
        body = carrier
    if body in (event.receiver, event.body):
        lines += _received(event)
    taken = next((carried for carried in event.carried if carried.body == body), None)
    if taken is not None:
        lines += [
            f"  {body} inherits impulses: it goes along with its parent, and gains in the world",
            f"    velocity {_vector(taken.velocity)} m/s, angular velocity {_vector(taken.angular_velocity)} rad/s,",
            f"    which is {_vector(taken.impulse)} N s, moment {_vector(taken.angular_impulse)} N m s",
        ]
    kept = next((protected for protected in event.protected if protected.body == body), None)
    if kept is not None:
        lines += [
            f"  {body} keeps its motion in the world; relative to its parent, which jumps, it changes by the opposite:",
            f"    velocity {_vector(kept.velocity)} m/s, angular velocity {_vector(kept.angular_velocity)} rad/s",
            f"    acceleration {_vector(kept.acceleration)} m/s2, from the forces after the jump",
        ]
    if body in (event.receiver, event.body):
        if event.protected:
            names = ", ".join(protected.body for protected in event.protected)
            lines.append(f"  protected from it, so that their motion in the world goes on: {names}")
        if event.carried:
            lines.append(f"  carried along, as they inherit impulses: {', '.join(c.body for c in event.carried)}")
    return "\n".join(lines)


def cause_of(event: Event) -> str:
    """The event in one line."""
    if event.cause == "impulse":
        name = f" '{event.name}'" if event.name else ""
        via = "" if event.body == event.receiver else f", which {event.receiver} carries"
        acted = _impulse(event.impulse, event.angular_impulse, " about its centre of mass")
        taken = _impulse(event.constraint_impulse, event.constraint_angular_impulse)
        rest = f"; the plane took up {taken}" * any((*event.constraint_impulse, *event.constraint_angular_impulse))
        return f"impulse{name} on {event.body}{via}: {acted}{rest}"
    parents = [parent or "world" for parent in (event.parent_before, event.parent_after)]
    fixed = "" if event.receiver == event.body else ", fixed there: the two are one body from now on"
    return f"{event.body} gets another parent, {parents[1]} instead of {parents[0]}{fixed}"


def listed(events: tuple[Event, ...], most: int) -> Iterator[str]:
    """The events one by one, the first few of them."""
    for event in events[:most]:
        others = ((event.protected, "protected"), (event.carried, "carried along"))
        counts = "".join(f"; {counted(len(bodies), 'body', 'bodies')} {word}" for bodies, word in others if bodies)
        yield f"  {event.time:.9g} s  {cause_of(event)}; energy {event.energy:+.6g} J{counts}"
    if len(events) > most:
        yield f"  ... and {len(events) - most} more"


def _received(event: Event) -> Iterator[str]:
    pairs = (
        ("velocity", "m/s", event.velocity_before, event.velocity_after),
        ("angular velocity", "rad/s", event.angular_velocity_before, event.angular_velocity_after),
    )
    for name, unit, before, after in pairs:
        change = tuple(b - a for a, b in zip(before, after, strict=True))
        if math.hypot(*change) > 1e-12 * max(math.hypot(*before), math.hypot(*after), 1e-300):
            yield (
                f"  {event.receiver}: {name} in the world {_vector(before)} -> {_vector(after)} {unit},"
                f" a change of {_vector(change)}"
            )
    yield f"  kinetic and potential energy of all bodies change by {event.energy:+.9g} J"


def _impulse(impulse: tuple[float, ...], moment: tuple[float, ...], about: str = "") -> str:
    return f"{_vector(impulse)} N s" + f", moment {_vector(moment)} N m s{about}" * any(moment)


def _vector(v: tuple[float, ...]) -> str:
    return "[" + ", ".join(f"{part + 0.0:.6g}" for part in v) + "]"
