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
    for key in ("metrics", "oracle", "sweep", "fit", "optimise"):
        data.pop(key, None)
    return Scene.from_dict(data)


def _reversed(bodies: dict[str, Any]) -> dict[str, Any]:
    return {
        name: body | {"forces": body["forces"][::-1], "children": _reversed(body["children"])}
        for name, body in reversed(bodies.items())
    }
