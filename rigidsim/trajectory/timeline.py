"""All events of a trajectory in one order of time: impulses and reparentings, and the events of contact."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

import numpy as np

from rigidsim.trajectory.contact_events import ContactEvent, ContactEvents
from rigidsim.trajectory.contact_fields import EVENT_NAMES
from rigidsim.trajectory.events import Event
from rigidsim.trajectory.header import Header


class Events(Sequence):
    """Events in order of time, as objects: impulses and reparentings (`Event`) and, after those of the same instant,
    the events of contact (`ContactEvent`), which are made when they are asked for.

    `scheduled` has the impulses and reparentings alone, `contact` the events of contact as columns (`ContactEvents`),
    which are the way to handle many.
    """

    def __init__(
        self, header: Header, scheduled: Sequence[Event] = (), columns: Mapping[str, np.ndarray] | None = None
    ):
        has_rows = columns and columns[EVENT_NAMES[0]].shape[0]
        self.scheduled, self.columns = tuple(scheduled), dict(columns) if has_rows else {}
        self.contact = ContactEvents(header, self.columns)
        self._header = header

    @cached_property
    def _places(self) -> np.ndarray:
        """The place of each impulse and reparenting among all events."""
        times = [event.time for event in self.scheduled]
        before = np.searchsorted(self.contact.time, times) if len(self.contact) else np.zeros(len(times), dtype=int)
        return before + np.arange(len(times))

    def __len__(self) -> int:
        return len(self.scheduled) + len(self.contact)

    def __getitem__(self, place: int | slice) -> Event | ContactEvent | tuple[Event | ContactEvent, ...]:
        if isinstance(place, slice):
            return tuple(self[k] for k in range(*place.indices(len(self))))
        place = range(len(self))[place]  # IndexError beyond
        k = int(np.searchsorted(self._places, place))
        if k < len(self.scheduled) and self._places[k] == place:
            return self.scheduled[k]
        return self.contact.event(place - k)

    def __iter__(self) -> Iterator[Event | ContactEvent]:
        return (self[k] for k in range(len(self)))

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Events):
            if (self.scheduled, self.columns.keys()) != (other.scheduled, other.columns.keys()):
                return False
            pairs = ((np.asarray(table[name]) for table in (self.columns, other.columns)) for name in self.columns)
            return all(np.array_equal(*pair) for pair in pairs) and (
                not self.columns or self.contact.shapes == other.contact.shapes
            )
        return isinstance(other, tuple | list) and tuple(self) == tuple(other)

    __hash__ = None

    def __repr__(self) -> str:
        return f"<Events: {len(self.scheduled)} impulses and reparentings, {len(self.contact)} of contact>"

    def between(self, begin: float, end: float) -> Events:
        """The events from one time to another (s), both included."""
        scheduled = [event for event in self.scheduled if begin <= event.time <= end]
        if not self.columns:
            return Events(self._header, scheduled)
        time = self.contact.time
        rows = slice(int(np.searchsorted(time, begin)), int(np.searchsorted(time, end, side="right")))
        return Events(self._header, scheduled, {name: np.asarray(self.columns[name])[rows] for name in EVENT_NAMES})
