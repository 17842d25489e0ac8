"""The scene argument of a command: a file or standard input."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

from rigidsim.cli.importing import importing

if TYPE_CHECKING:
    from rigidsim.scene import Scene

STANDARD = "-"


def read_scene(argument: str, overrides: Iterable[str]) -> Scene:
    """The scene in a file, or from standard input for `-`; relative paths then start at the current folder."""
    with importing():
        from rigidsim.report.progress import Working
        from rigidsim.scene import Scene

    with Working(f"reading {shown_name(argument)}"):
        if argument != STANDARD:
            return Scene.from_file(argument, overrides)
        return Scene.from_stream(sys.stdin.buffer, shown_name(argument), overrides)


def shown_name(argument: str) -> str:
    """The name of the scene in messages."""
    return "<stdin>" if argument == STANDARD else argument
