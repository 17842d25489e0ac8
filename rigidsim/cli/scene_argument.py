"""The scene that a command is given: a file, or standard input."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rigidsim.scene import Scene

STANDARD = "-"


def read_scene(argument: str, overrides: Iterable[str]) -> Scene:
    """The scene in a file, or on standard input for `-`; what it names is then looked for in the current folder."""
    from rigidsim.scene import Scene

    if argument != STANDARD:
        return Scene.from_file(argument, overrides)
    return Scene.from_stream(sys.stdin.buffer, shown_name(argument), overrides)


def shown_name(argument: str) -> str:
    """What the scene is called in messages."""
    return "<stdin>" if argument == STANDARD else argument
