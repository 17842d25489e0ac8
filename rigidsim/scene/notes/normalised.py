"""Warnings about values that are corrected while reading."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from rigidsim.scene.text.document import Path

WORTH_TELLING = 1e-9


def normalised_notes(data: dict[str, Any]) -> Iterator[tuple[Path, str]]:
    """Each quaternion in a valid scene that was not exactly of length one, as (path, sentence)."""
    waiting = [(("bodies", name), body) for name, body in reversed(data["bodies"].items())]
    while waiting:
        path, body = waiting.pop()
        yield from _quaternion_notes((*path, "orientation"), body.get("orientation", {}))
        inertia = body.get("inertia", {})
        if isinstance(inertia, dict):
            yield from _quaternion_notes((*path, "inertia", "orientation"), inertia.get("orientation", {}))
        for index, shape in enumerate(body.get("shapes", [])):
            yield from _quaternion_notes((*path, "shapes", index, "orientation"), shape.get("orientation", {}))
        for index, force in enumerate(body.get("forces", [])):
            yield from _quaternion_notes((*path, "forces", index, "rest"), force.get("rest", {}))
        children = body.get("children", {})
        waiting.extend(((*path, "children", name), child) for name, child in reversed(children.items()))


def _quaternion_notes(path: Path, orientation: dict[str, Any]) -> Iterator[tuple[Path, str]]:
    for key in ("wxyz", "xyzw"):
        parts = orientation.get(key, (1,))
        if any(isinstance(part, str) for part in parts):
            continue  # expressions are evaluated to full precision
        norm = math.hypot(*parts)
        if abs(norm - 1) > WORTH_TELLING:
            yield (*path, key), f"the quaternion of norm {norm:.9g} was normalised"
