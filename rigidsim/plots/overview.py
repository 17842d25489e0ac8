"""What a figure shows if nothing is named: paths, speeds, energies."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePath

from rigidsim.analysis.quantities import names
from rigidsim.errors import UsageError
from rigidsim.plots.requests import ENERGY, STATES
from rigidsim.trajectory.trajectory import Trajectory

MOST_BODIES = 7


def overview(trajectory: Trajectory) -> list[str]:
    """The names of what is shown: of the first free bodies the paths in the world, the paths seen from a moving parent,
    and the speeds; the energies, and states of machines. Raises UsageError if nothing of that was recorded.
    """
    found = list(_names(trajectory))
    if not found:
        raise UsageError(f"nothing was recorded that an overview shows ({trajectory.header.record_text})")
    return found


def overview_title(trajectory: Trajectory) -> str:
    """The name of the scene, and how many of its bodies are shown if there are more."""
    count = len(_moved(trajectory))
    left_out = f", {MOST_BODIES} of {count} bodies" if count > MOST_BODIES else ""
    return f"{PurePath(trajectory.header.scene_name).stem}{left_out}"


def _names(trajectory: Trajectory) -> Iterator[str]:
    known = set(names(trajectory))
    moving = (
        _moved(trajectory) or [path for path in trajectory if trajectory[path].kind == "prescribed"] or list(trajectory)
    )
    shown = moving[:MOST_BODIES]
    placed = [path for path in shown if f"{path}.position" in known]
    yield from (f"{path}.path" for path in placed)
    parents = list(dict.fromkeys(trajectory[path].parent for path in placed))
    for parent in [parent for parent in parents if parent and f"{parent}.position" in known][:2]:
        yield from (f"{path}.path@{parent}" for path in placed if trajectory[path].parent == parent)
    yield from (f"{path}.speed" for path in shown if f"{path}.speed" in known)
    if "kinetic_energy" in known:
        yield ENERGY
    if trajectory.header.section(STATES):
        yield STATES


def _moved(trajectory: Trajectory) -> list[str]:
    """The bodies that forces move at some time."""
    moved = trajectory.header.history.ever_moved
    return [path for row, path in enumerate(trajectory.paths) if row in moved]
