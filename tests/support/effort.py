"""How much work a call takes, counted rather than timed, so that a busy machine fails no test."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def at_most_calls(limit: int) -> Iterator[None]:
    """The block makes at most `limit` calls of Python and C functions (of this thread)."""
    made = 0

    def count(frame, event, argument):
        nonlocal made
        made += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        yield
    finally:
        sys.setprofile(before)
    print(f"{made} calls")
    assert made <= limit
