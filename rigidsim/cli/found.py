"""The scene with numbers that a command found, and what it writes beside it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rigidsim.cli.arguments import STANDARD

if TYPE_CHECKING:
    from rigidsim.scene import Scene


def checked_scene(output: str | None, force: bool, scene: str = "", ending: str = "") -> Path:
    """Where the scene with the numbers goes, by default beside the one that was read. Raises StorageError."""
    from rigidsim.trajectory.destination import IN_SHELL, SCENE, check_output

    folder, name = (Path(), "stdin") if scene == STANDARD else (Path(scene).parent, Path(scene).stem)
    path = Path(output) if output else folder / f"{name}{ending}.yaml"
    check_output(path, SCENE, force, IN_SHELL)
    return path


def write_scene(path: Path, scene: Scene, overrides: Sequence[tuple[str, float | str]]) -> None:
    """Write the scene with these numbers, where they stand in its text."""
    from rigidsim.fitting.written import text_with
    from rigidsim.trajectory.destination import as_storage_error

    with as_storage_error(path):
        path.write_text(text_with(scene, overrides), encoding="utf-8")
