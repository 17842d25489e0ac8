"""Reading a long trajectory in windows of samples."""

from __future__ import annotations

from collections.abc import Iterator

from rigidsim.trajectory.trajectory import Trajectory

WINDOW_BYTES = 32e6


def windows(trajectory: Trajectory) -> Iterator[slice]:
    """Slices of the time axis that fit in memory. Their length is a power of two, as that of the chunks of a file, so
    that each chunk is decoded once.
    """
    fitting = max(1, int(WINDOW_BYTES // (32 * len(trajectory))))
    rows = 1 << (fitting.bit_length() - 1)
    return (slice(begin, begin + rows) for begin in range(0, len(trajectory.time), rows))
