"""The tree of nodes as it is at some time: what the scene says, and what reparentings have made of it since."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from rigidsim.engine.compiler.driven import initial_pose
from rigidsim.physics.vector import scaled
from rigidsim.scene import Scene
from rigidsim.scene.hierarchy.mass import MassProperties, Placement, carried_mass, fixed_parts, own_center
from rigidsim.scene.hierarchy.references import WORLD
from rigidsim.scene.schema.inertia import inertia_fault


@dataclass(eq=False)
class Node:
    """A body in its place. What concerns mass, shapes and forces is the scene's body's."""

    path: str
    index: int
    spec: object
    parent: Node | None
    kind: str
    position: tuple
    orientation: tuple
    scale: float
    children: dict[str, Node] = field(default_factory=dict)

    def __getattr__(self, name: str) -> object:
        # So that the mass properties of a node are computed by the same functions as those of a body of the scene.
        if name == "spec" or name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.spec, name)

    @property
    def frame(self) -> int:
        """Its frame; that of the world is 0."""
        return self.index + 1

    @property
    def metres(self) -> float:
        """Metres per unit of its own lengths."""
        return self.scale * self.parent_metres

    @property
    def parent_metres(self) -> float:
        """Metres per unit of the lengths it is placed in."""
        return 1.0 if self.parent is None else self.parent.metres

    def lineage(self) -> list[Node]:
        """The node and its ancestors, itself first."""
        return [self] if self.parent is None else [self, *self.parent.lineage()]

    def is_free(self) -> bool:
        """Whether forces move it."""
        return self.kind == "free"


class End(NamedTuple):
    """Where a load acts: a point (m) in the axes and from the origin of a frame, and the node that is moved by it, or
    None.
    """

    frame: int
    carrier: Node | None
    point: tuple


class Carried(NamedTuple):
    """A free body with all that is fixed to it."""

    mass: MassProperties
    placements: dict[str, Placement]  # by path of the part
    fault: str  # why nothing has this inertia; empty if it is possible


class Tree:
    """All nodes, in the order of the file, and who is whose parent."""

    def __init__(self, nodes: list[Node]):
        self.nodes = nodes
        self.by_path = {node.path: node for node in nodes}
        self._carried: dict[str, Carried] = {}

    @classmethod
    def of(cls, scene: Scene) -> Tree:
        """As the scene has it at the start."""
        nodes: dict[str, Node] = {}
        for path, body, above in scene.walk():
            parent = nodes[above] if above else None
            kind = body.kind
            position, orientation = initial_pose(body)
            node = Node(path, len(nodes), body, parent, kind, position, orientation, body.scale)
            nodes[path] = node
            if parent is not None:
                parent.children[path] = node
        return cls(list(nodes.values()))

    def outwards(self) -> Iterator[Node]:
        """Every node, parents first; in the order of the file as far as that allows."""
        placed: set[str] = set()
        for node in self.nodes:
            for ancestor in reversed(node.lineage()):
                if ancestor.path not in placed:
                    placed.add(ancestor.path)
                    yield ancestor

    def free(self) -> list[Node]:
        """The free bodies, in the order of the file."""
        return [node for node in self.nodes if node.is_free()]

    def carried(self, carrier: Node) -> Carried:
        """Mass and parts of a free body."""
        found = self._carried.get(carrier.path)
        if found is None:
            placements = {part.path: placement for _, part, placement in fixed_parts(carrier)}
            mass = carried_mass(carrier, carrier.metres)
            fault = None if mass.is_point or len(placements) == 1 else inertia_fault(tuple(map(tuple, mass.inertia)))
            found = self._carried[carrier.path] = Carried(mass, placements, fault[0] if fault else "")
        return found

    def carrier(self, node: Node) -> Node | None:
        """The free body that carries a node through fixed ones, itself if it is free; None if the world or a prescribed
        motion does.
        """
        for ancestor in node.lineage():
            if ancestor.kind != "fixed":
                return ancestor if ancestor.is_free() else None
        return None

    def branches(self, first: int, second: int) -> tuple[list[Node], list[Node]]:
        """The nodes from each of two frames in to below their nearest common ancestor, innermost first."""
        inwards, outwards = (self.nodes[frame - 1].lineage() if frame else [] for frame in (first, second))
        while inwards and outwards and inwards[-1] is outwards[-1]:
            inwards.pop()
            outwards.pop()
        return inwards, outwards

    def end(self, path: str, at: tuple | None) -> End:
        """The point `at` of a node, in its coordinates; left out, its centre of mass, or its origin without mass."""
        if path == WORLD:
            return End(0, None, at or (0.0, 0.0, 0.0))
        node = self.by_path[path]
        carrier = self.carrier(node)
        if carrier is None:
            return End(node.frame, None, scaled(node.metres, at or own_center(node, node.metres)))
        carried = self.carried(carrier)
        if at is None and node is carrier:
            point = tuple(carried.mass.center_of_mass)
        else:
            placement = carried.placements[path]
            point = placement.point(own_center(node, node.metres) if at is None else at)
        return End(carrier.frame, carrier, scaled(carrier.metres, point))

    def frame(self, name: str, node: Node) -> int:
        """The frame that `body`, `parent`, `world` or a path means, for something written on a node."""
        if name == "body":
            return node.frame
        if name == "parent":
            return 0 if node.parent is None else node.parent.frame
        return self.frame_of(name)

    def frame_of(self, path: str) -> int:
        """The frame of a node, or of the world."""
        return 0 if path == WORLD else self.by_path[path].frame
