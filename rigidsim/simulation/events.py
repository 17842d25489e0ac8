"""The events of a run, made from the records of the kernels and the names of bodies."""

from __future__ import annotations

from collections.abc import Iterator

from rigidsim.engine import layout as at
from rigidsim.engine.reading import RecordedEvents
from rigidsim.trajectory.events import Carried, Event, Protected


def events_of(recorded: RecordedEvents, lane: int) -> Iterator[Event]:
    """The events in the world of one lane, in order."""
    records = WorldEvents(recorded, lane)
    return (records.event(*event, row) for event, row in zip(records.events, records.values, strict=True))


class WorldEvents:
    """The recorded events of one world."""

    def __init__(self, recorded: RecordedEvents, lane: int):
        buffer, n_lane = recorded.events, len(recorded.after)
        n_event, n_reached = buffer.filled
        self.events = buffer.event[:n_event].tolist()
        self.values = buffer.event_value[:n_event, lane::n_lane].tolist()
        world, worlds = recorded.after[lane], (recorded.before[lane], recorded.after[lane])
        self._written, self._frames = world.blueprint, ("", *world.paths)
        self._parents = [each.model.node[:, at.NODE_PARENT].tolist() for each in worlds]
        self._changes = buffer.reached_value[:n_reached, lane::n_lane].tolist()
        self._reached: dict[int, list] = {}  # by instant
        for k, (instant, *reached) in enumerate(buffer.reached[:n_reached].tolist()):
            self._reached.setdefault(instant, []).append((k, *reached))

    def event(self, instant: int, kind: int, number: int, receiver: int, row: list[float]) -> Event:
        """One event from its columns."""
        reached = self._reached.get(instant, [])
        if kind == at.CAUSE_IMPULSE:
            node, named = self._impulse(number)
            protected, carried = self._others(reached, {receiver + 1})
        else:
            node, named = self._reparenting(number)
            protected, carried = self._others(reached, {source for *_, source in reached})
        before, after = (self._frames[parents[node]] for parents in self._parents)
        return Event(
            **named,
            time=row[at.HIT_TIME],
            body=self._frames[node + 1],
            receiver=self._frames[receiver + 1],
            parent_before=before,
            parent_after=after,
            impulse=_vector(row, at.HIT_J),
            angular_impulse=_vector(row, at.HIT_K),
            constraint_impulse=_vector(row, at.HIT_REST_J),
            constraint_angular_impulse=_vector(row, at.HIT_REST_K),
            velocity_before=_vector(row, at.HIT_V_BEFORE),
            velocity_after=_vector(row, at.HIT_V_AFTER),
            angular_velocity_before=_vector(row, at.HIT_OMEGA_BEFORE),
            angular_velocity_after=_vector(row, at.HIT_OMEGA_AFTER),
            energy=row[at.HIT_ENERGY],
            protected=protected,
            carried=carried,
        )

    def _impulse(self, number: int) -> tuple[int, dict[str, str]]:
        impulse = self._written.impulses[number]
        name = f"{self._frames[impulse.frame]}.impulses[{impulse.index}]"
        return impulse.frame - 1, {"id": name, "name": impulse.name, "cause": "impulse", "motion": ""}

    def _reparenting(self, number: int) -> tuple[int, dict[str, str]]:
        event = self._written.schedule.reparentings[number]
        return event.body, {"id": f"reparent[{number}]", "name": "", "cause": "reparent", "motion": event.motion}

    def _others(self, reached: list, frames: set[int]) -> tuple[tuple[Protected, ...], tuple[Carried, ...]]:
        """The bodies that the jumps of these frames reached, directly or through carried bodies."""
        protected, carried = [], []
        for k, role, node, source in reached:
            if source not in frames:
                continue
            values = (self._frames[node + 1], *(_vector(self._changes[k], first) for first in CHANGES))
            if role == at.ROLE_CARRIED:
                carried.append(Carried(*values))
                frames.add(node + 1)
            else:
                protected.append(Protected(*values))
        return tuple(protected), tuple(carried)


CHANGES = (at.CHANGE_V, at.CHANGE_OMEGA, at.CHANGE_A, at.CHANGE_ALPHA)


def _vector(row: list[float], first: int) -> tuple[float, float, float]:
    return tuple(row[first : first + 3])
