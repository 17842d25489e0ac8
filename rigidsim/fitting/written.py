"""The text of a scene with other numbers, as it was written."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import reduce
from operator import getitem
from typing import Any

from rigidsim.errors import SceneError
from rigidsim.scene.prepare.overrides import path_of
from rigidsim.scene.read import Scene
from rigidsim.scene.text.plain import as_yaml
from rigidsim.scene.text.reader import read_text

SCALAR = re.compile(
    r"""'(?:[^']|'')*'|"(?:[^"\\]|\\.)*"|[^\s,\[\]{}#'"][^,\[\]{}\n]*?(?=\s*(?:[,\]}]|\s#|$))""", re.MULTILINE
)


def text_with(scene: Scene, changes: Sequence[tuple[str, Any]]) -> str:
    """The text of a scene in which numbers have been replaced where they stand, comments and all; of a scene with
    overrides, or where a number does not stand in the text itself, its data.
    """
    changed = scene.with_overrides(changes)
    if not scene.overrides and (text := _replaced(scene.source, changes)) is not None:
        try:
            if Scene.from_text(text, scene.file) == changed:
                return text
        except SceneError:
            pass
    return as_yaml(changed.document().data)


def _replaced(text: str, changes: Sequence[tuple[str, Any]]) -> str | None:
    document = read_text(text, "")
    lines, places = text.splitlines(keepends=True), []
    for name, value in changes:
        path = path_of(document, name, Scene)
        line, column = document.locate(path)
        match = SCALAR.match(lines[line - 1], column - 1) if line else None
        if match is None or reduce(getitem, path, document.data) is None:
            return None
        places.append((line - 1, match.start(), match.end(), str(value)))
    for line, begin, end, value in sorted(places, reverse=True):
        lines[line] = lines[line][:begin] + value + lines[line][end:]
    return "".join(lines)
