"""A long history in pieces."""

from __future__ import annotations

from collections.abc import Iterator

from rigidsim.trajectory.trajectory import Trajectory

WINDOW_BYTES = 32e6


def windows(trajectory: Trajectory) -> Iterator[slice]:
    """Pieces of the time axis small enough to hold in memory."""
    rows = max(1, int(WINDOW_BYTES // (32 * len(trajectory))))
    return (slice(begin, begin + rows) for begin in range(0, len(trajectory.time), rows))
