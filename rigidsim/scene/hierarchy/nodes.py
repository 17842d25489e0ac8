"""The nodes of a scene's tree with parents and carriers, as used by all checks and warnings."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from rigidsim.physics.mass import Placement
from rigidsim.scene.schema.body import Body
from rigidsim.scene.schema.scene import SceneData
from rigidsim.scene.text.document import Path


class SceneNode:
    """A body with its path, its location in the file, its parent (None: the world) and its motion; a reparenting
    changes the last two.
    """

    def __init__(self, path: str, place: Path, body: Body, parent: SceneNode | None):
        self.path, self.place, self.body = path, place, body
        self.parent, self.kind = parent, body.kind
        self.metres_per_unit = body.scale * (1.0 if parent is None else parent.metres_per_unit)

    def given(self, key: str) -> bool:
        """Whether the scene has this key, rather than its default."""
        return key in self.body.model_fields_set

    def line(self) -> Iterator[SceneNode]:
        """The node and its ancestors, itself first."""
        node = self
        while node is not None:
            yield node
            node = node.parent

    def rigid_line(self) -> Iterator[SceneNode]:
        """The node and those to which it is fixed, directly or through fixed nodes, itself first."""
        for node in self.line():
            yield node
            if node.kind != "fixed":
                return

    @property
    def holder(self) -> SceneNode | None:
        """The free or prescribed node at the end of the rigid line; None if that is fixed to the world."""
        return next((node for node in self.rigid_line() if node.kind != "fixed"), None)

    @property
    def carrier(self) -> SceneNode | None:
        """The free body that this is, or is part of."""
        holder = self.holder
        return holder if holder is not None and holder.kind == "free" else None


class Hierarchy:
    """All nodes of a scene by their paths, parents first, in the order of the file, at t = 0."""

    def __init__(self, scene: SceneData):
        self.scene = scene
        self._nodes: dict[str, SceneNode] = {}
        for path, body, above in scene.walk():
            parent = self._nodes.get(above)
            place = ("bodies",) if parent is None else (*parent.place, "children")
            self._nodes[path] = SceneNode(path, (*place, path.rpartition("/")[2]), body, parent)

    def __iter__(self) -> Iterator[SceneNode]:
        return iter(self._nodes.values())

    def __contains__(self, path: object) -> bool:
        return path in self._nodes

    def __getitem__(self, path: str) -> SceneNode:
        return self._nodes[path]

    def get(self, path: str | None) -> SceneNode | None:
        """The node of this path, if there is one."""
        return self._nodes.get(path)

    def parts(self, top: SceneNode) -> Iterator[SceneNode]:
        """A body and the nodes fixed to it, directly or through fixed nodes."""
        return (node for node in self if top in node.rigid_line())


def stages(scene: SceneData) -> Iterator[Hierarchy]:
    """The tree at t = 0, and after each instant of the run with reparentings: one that changes. All must be valid."""
    tree, end = Hierarchy(scene), scene.simulation.duration
    yield tree
    due = sorted((event for event in scene.reparent if event.time <= end), key=lambda event: event.time)
    for _, events in groupby(due, key=lambda event: event.time):
        for event in events:
            node = tree[event.body]
            node.parent, node.kind = tree.get(event.to), event.motion
        yield tree


def fixed_parts(carrier: Body) -> Iterator[tuple[tuple[str, ...], Body, Placement]]:
    """The carrier and the parts fixed to it, directly or through fixed parts, as (names, part, placement)."""
    waiting = [((), carrier, Placement())]
    while waiting:
        names, part, placement = waiting.pop()
        yield names, part, placement
        fixed = [(name, child) for name, child in part.children.items() if child.kind == "fixed"]
        waiting.extend(
            ((*names, name), child, placement.below(child.position, child.orientation, child.scale))
            for name, child in reversed(fixed)
        )
