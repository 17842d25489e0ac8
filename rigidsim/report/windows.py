"""Reading a long trajectory in windows of samples."""

from __future__ import annotations

from collections.abc import Iterator

from rigidsim.trajectory.trajectory import Trajectory

WINDOW_BYTES = 32e6


def windows(trajectory: Trajectory) -> Iterator[slice]:
    """Slices of the time axis that fit in memory."""
    rows = max(1, int(WINDOW_BYTES // (32 * len(trajectory))))
    return (slice(begin, begin + rows) for begin in range(0, len(trajectory.time), rows))
