"""The argument TRAJECTORY of commands that take no result file of a sweep."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rigidsim.errors import UsageError

if TYPE_CHECKING:
    from rigidsim.trajectory import Trajectory


def load_trajectory(path: str) -> Trajectory:
    """The trajectory in a file. Raises UsageError for the result file of a sweep, StorageError, FormatError."""
    from rigidsim.sweeps.unfinished import is_sweep
    from rigidsim.trajectory.reader import load

    if is_sweep(Path(path)):
        hint = f"rigidsim run SCENE --from {path} --index N makes the trajectory of a run"
        raise UsageError(f"{path} is the result file of a sweep, not a trajectory; {hint}")
    return load(path)
