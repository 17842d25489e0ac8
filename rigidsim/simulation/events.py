"""What happened at the instants of a run, in words: the kernels' records, with the names of things."""

from __future__ import annotations

from collections.abc import Iterator

from rigidsim.engine import layout as at
from rigidsim.engine.run import Happened
from rigidsim.trajectory.events import Carried, Event, Protected


def told(happened: Happened, lane: int) -> Iterator[Event]:
    """The events in the world of one lane, in order."""
    story = Story(happened, lane)
    return (story.event(*event, row) for event, row in zip(story.events, story.values, strict=True))


class Story:
    """What one world's records say."""

    def __init__(self, happened: Happened, lane: int):
        buffer, n_lane = happened.events, len(happened.after)
        n_event, n_reached = buffer.filled
        self.events = buffer.event[:n_event].tolist()
        self.values = buffer.event_value[:n_event, lane::n_lane].tolist()
        self._before, self._after = happened.before[lane], happened.after[lane]
        self._node = {path: node for node, path in enumerate(self._after.paths)}
        self._changes = buffer.reached_value[:n_reached, lane::n_lane].tolist()
        self._reached: dict[int, list] = {}  # by instant
        for k, (instant, *reached) in enumerate(buffer.reached[:n_reached].tolist()):
            self._reached.setdefault(instant, []).append((k, *reached))

    def event(self, instant: int, kind: int, number: int, receiver: int, row: list[float]) -> Event:
        """One event."""
        world, reached = self._after, self._reached.get(instant, [])
        if kind == at.EVENT_IMPULSE:
            body, named = self._impulse(number)
            protected, carried = self._others(reached, {receiver + 1})
        else:
            body, named = self._reparenting(number)
            protected, carried = self._others(reached, {source for *_, source in reached})
        node = self._node[body]
        return Event(
            **named,
            time=row[at.HIT_TIME],
            body=body,
            receiver=world.paths[receiver],
            parent_before=self._before.parents[node],
            parent_after=world.parents[node],
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

    def _impulse(self, number: int) -> tuple[str, dict[str, str]]:
        path, index, name = self._after.impulse_names[number]
        return path, {"id": f"{path}.impulses[{index}]", "name": name, "cause": "impulse", "motion": ""}

    def _reparenting(self, number: int) -> tuple[str, dict[str, str]]:
        event = self._after.schedule.reparentings[number]
        return event.body, {"id": f"reparent[{number}]", "name": "", "cause": "reparent", "motion": event.motion}

    def _others(self, reached: list, frames: set[int]) -> tuple[tuple[Protected, ...], tuple[Carried, ...]]:
        """Whom the jumps of these frames reached, straight or through those that they carried along."""
        protected, carried = [], []
        for k, role, node, source in reached:
            if source not in frames:
                continue
            told = (self._after.paths[node], *(_vector(self._changes[k], first) for first in CHANGES))
            if role == at.REACHED_CARRIED:
                carried.append(Carried(*told))
                frames.add(node + 1)
            else:
                protected.append(Protected(*told))
        return tuple(protected), tuple(carried)


CHANGES = (at.CHANGE_V, at.CHANGE_OMEGA, at.CHANGE_A, at.CHANGE_ALPHA)


def _vector(row: list[float], first: int) -> tuple[float, float, float]:
    return tuple(row[first : first + 3])
