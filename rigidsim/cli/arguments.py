"""The files that commands read, and their imports, which are most of the time of a short one."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from rigidsim.errors import UsageError

if TYPE_CHECKING:
    from rigidsim.scene import Scene
    from rigidsim.sweeps.stored import Sweep
    from rigidsim.trajectory import Trajectory

STANDARD = "-"


@contextmanager
def importing() -> Iterator[None]:
    """Import without garbage collection: modules live as long as the process, and looking through them again and again
    takes a fifth of the time of a short run. What was imported is left out of later collections.
    """
    known, was_enabled = len(sys.modules), gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if len(sys.modules) > known:
            gc.freeze()
        if was_enabled:
            gc.enable()


def beside(path: str, ending: str) -> Path:
    """The file beside one, with another ending; of what has no name, such as the present folder, it is one in it."""
    return Path(path).parent / f"{Path(path).stem}{ending}"


def load_result(path: str) -> Trajectory | Sweep:
    """The trajectory or the sweep in a file. Raises StorageError, FormatError."""
    from rigidsim.sweeps.unfinished import is_sweep

    if is_sweep(Path(path)):
        from rigidsim.sweeps.stored import load_sweep

        return load_sweep(path)
    from rigidsim.trajectory.reader import load

    return load(path)


def load_trajectory(path: str) -> Trajectory:
    """The trajectory in a file. Raises UsageError for the result file of a sweep, StorageError, FormatError."""
    from rigidsim.trajectory.reader import load

    require_run(path, ", not a trajectory")
    return load(path)


def require_run(path: str, why: str) -> None:
    """Raise UsageError if a file is the result of a sweep; `why` continues the message."""
    from rigidsim.sweeps.unfinished import is_sweep

    if is_sweep(Path(path)):
        hint = f"rigidsim run SCENE --from {path} --index N makes the trajectory of a run"
        raise UsageError(f"{path} is the result file of a sweep{why}; {hint}")


def read_scene(argument: str, overrides: Iterable[str]) -> Scene:
    """The scene in a file, or from standard input for `-`; relative paths then start at the current folder."""
    with importing():
        from rigidsim.runner.progress import Working
        from rigidsim.scene import Scene

    with Working(f"reading {shown_name(argument)}"):
        if argument != STANDARD:
            return Scene.from_file(argument, overrides)
        return Scene.from_stream(sys.stdin.buffer, shown_name(argument), overrides)


def shown_name(argument: str) -> str:
    """The name of the scene in messages."""
    return "<stdin>" if argument == STANDARD else argument
