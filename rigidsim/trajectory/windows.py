"""Reading a long trajectory in windows of samples."""

from __future__ import annotations

from collections.abc import Iterator

from rigidsim.trajectory.trajectory import Trajectory

WINDOW_BYTES = 32e6


FEW_BODIES = 8
"""Whose motions take the memory of what is read for one quantity, or for all energies and momenta."""


def windows(trajectory: Trajectory, n_body: int | None = None) -> Iterator[slice]:
    """Slices of the time axis in which the samples of all bodies, or of `n_body`, fit in memory. Their length is a
    power of two, as that of the chunks of a file, so that each chunk is decoded once.
    """
    fitting = max(1, int(WINDOW_BYTES // (32 * (n_body or len(trajectory)))))
    rows = 1 << (fitting.bit_length() - 1)
    return (slice(begin, begin + rows) for begin in range(0, len(trajectory.time), rows))
