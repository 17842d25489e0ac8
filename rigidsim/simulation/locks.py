"""One thread at a time: locks that refuse instead of waiting."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

from rigidsim.errors import UsageError

TAKEN = (
    "this simulation is already being stepped, by another thread or by a loop over its blocks (`close` ends that loop);"
    " use one thread at a time"
)
BUSY = "this simulation is in the middle of a step, so there is no state to read; use one thread at a time"


@contextmanager
def held(lock: Lock, refusal: str) -> Iterator[None]:
    """Hold a lock that is free; UsageError, without waiting, if it is not."""
    if not lock.acquire(blocking=False):
        raise UsageError(refusal)
    try:
        yield
    finally:
        lock.release()
