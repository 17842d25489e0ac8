"""What a check of a whole scene can find, and the nodes that such checks look at."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rigidsim.scene.text.document import Path

if TYPE_CHECKING:
    from rigidsim.scene.scene import Scene
    from rigidsim.scene.schema.body import Body


@dataclass(frozen=True)
class Finding:
    """Something wrong at a path of the scene."""

    code: str
    message: str
    path: Path
    hint: str = ""
    at_key: bool = False


@dataclass(frozen=True)
class Node:
    """A body in its place: its path, the body that carries it (None: the world), and its unit of length in metres."""

    path: Path
    body: Body
    carrier: Body | None
    metres_per_unit: float

    def given(self, key: str) -> bool:
        """Whether the scene has this key, rather than its default."""
        return key in self.body.model_fields_set

    def finding(self, code: str, message: str, key: str | None = None, hint: str = "") -> Finding:
        """A finding about the body, or about one of its keys."""
        path = self.path if key is None else (*self.path, key)
        return Finding(code, message, path, hint, at_key=key is not None)


def nodes(scene: Scene) -> tuple[Node, ...]:
    """All bodies of a scene, parents first, in the order of the file."""
    if scene._nodes is None:
        scene._nodes = tuple(_walked(scene))  # every check and every note looks at them
    return scene._nodes


def _walked(scene: Scene) -> Iterator[Node]:
    waiting = [Node(("bodies", name), body, None, 1.0) for name, body in reversed(scene.bodies.items())]
    while waiting:
        above = waiting.pop()
        body = above.body
        node = Node(
            above.path,
            body,
            above.carrier if body.kind == "fixed" else body,
            above.metres_per_unit * body.scale,
        )
        yield node
        waiting.extend(
            Node((*node.path, "children", name), child, node.carrier, node.metres_per_unit)
            for name, child in reversed(body.children.items())
        )
