"""What a run hands to the reader of its events."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from rigidsim.engine.assembly.blueprint import World
from rigidsim.engine.events import EventBuffer


class RecordedEvents(NamedTuple):
    """The events since the buffer was last emptied, and the worlds before and after them; without a reparenting these
    are the same.
    """

    events: EventBuffer  # overwritten by later events
    before: list[World]
    after: list[World]


ReadEvents = Callable[[RecordedEvents, int], Iterable]
"""The events of the world of one lane, in the form in which a run collects them."""


def no_events(_recorded: RecordedEvents, _lane: int) -> tuple:
    """No events are collected."""
    return ()
