"""A scene with its bodies and forces in another order."""

from __future__ import annotations

from typing import Any

from rigidsim.scene import Scene


def reordered(scene: Scene) -> Scene:
    """The scene with siblings, and the forces on a body, in the opposite order. Raises SceneError if the scene cannot
    be read in that order.
    """
    data = scene.resolved()
    data["bodies"] = _reversed(data["bodies"])
    for key in ("metrics", "oracle", "sweep"):
        data.pop(key, None)
    return Scene.from_dict(data)


def _reversed(bodies: dict[str, Any]) -> dict[str, Any]:
    return {name: _body(body) for name, body in reversed(bodies.items())}


def _body(body: dict[str, Any]) -> dict[str, Any]:
    changed = dict(body)
    if "forces" in body:
        changed["forces"] = body["forces"][::-1]
    if "children" in body:
        changed["children"] = _reversed(body["children"])
    return changed
