"""The tree of nodes at some time: one preorder list, in which the descendants of a node follow it.

The handles of the list are the numbers of the nodes in the file. They stay valid: a reparenting moves a range of the
list. The order of the list is the order of evaluation; sums are in the order of the file, that of the list's storage.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from itertools import count
from typing import NamedTuple

from rigidsim.engine import layout
from rigidsim.physics.mass import Lump, Placement, inertia_fault, joined, placed, unpacked
from rigidsim.structures import ContiguousList

WORLD = "world"


class Node(NamedTuple):
    """A node and its place in the tree. The fields after `metres` do not depend on the place."""

    path: str
    index: int  # its number, in the order of the file
    parent: int  # frame; 0 is the world
    kind: str  # free, fixed or prescribed
    position: tuple  # pose in the parent at t = 0, or when it became fixed
    orientation: tuple
    scale: float
    parent_metres: float  # metres per unit of the parent's lengths
    metres: float  # metres per unit of its own lengths
    mass: Lump | None  # without the parts fixed to it
    center: tuple  # its centre of mass; its origin if it has no mass
    falls: bool  # whether the gravity of the world acts on it
    inherits: bool  # whether it inherits the jumps of its parent
    normal: tuple  # of the plane that a planar scene is locked to, in its own axes; else empty

    @property
    def frame(self) -> int:
        """Its frame; that of the world is 0."""
        return self.index + 1

    def is_free(self) -> bool:
        """Whether forces move it."""
        return self.kind == "free"


class Composite(NamedTuple):
    """A free body with the parts fixed to it."""

    mass: Lump
    fault: str  # why no rigid body has this inertia; empty if one can


def rows_of(nodes: Sequence[Node]) -> list[int]:
    """The row of each node among the free ones or among the others."""
    free, driven = count(), count()
    return [next(free if node.is_free() else driven) for node in nodes]


class Tree:
    """All nodes by their numbers, with parents, carriers and the order of evaluation."""

    def __init__(self, order: ContiguousList[Node]):
        self.order, self.nodes = order, order.values
        self.by_path = {node.path: node for node in self.nodes}
        self.depth = [0] * (1 + len(self.nodes))  # of each frame below the world
        self.carriers = [layout.NO_ROW] * len(self.nodes)  # number of the free body that carries each node
        self.placements = [Placement()] * len(self.nodes)  # pose of each node on its carrier
        self.rows = rows_of(self.nodes)  # row of each among the free bodies or among the driven nodes
        self._parts: dict[int, list[Node]] = {}
        for node in order:
            self._enter(node)
        self._composites: dict[int, Composite] = {}

    @classmethod
    def of(cls, nodes: Sequence[Node]) -> Tree:
        """The tree of nodes given in the order of the file; siblings keep this order."""
        below: list[list[int]] = [[] for _ in range(1 + len(nodes))]
        for node in reversed(nodes):
            below[node.parent].append(node.index)
        order, waiting = [], below[0]
        while waiting:
            order.append(waiting.pop())
            waiting.extend(below[1 + order[-1]])
        return cls(ContiguousList(nodes, order))

    def _enter(self, node: Node) -> None:
        """Fill the columns of a node; those of its parent are filled."""
        above = node.parent - 1
        self.depth[node.frame] = 1 + self.depth[node.parent]
        carrier = layout.NO_ROW
        if node.kind == "fixed" and node.parent:
            carrier = self.carriers[above]
            self.placements[node.index] = self.placements[above].below(node.position, node.orientation, node.scale)
        elif node.is_free():
            carrier = node.index
        self.carriers[node.index] = carrier
        self._parts.setdefault(carrier, []).append(node)

    def moved(self, index: int, to: int, kind: str, pose: tuple | None) -> Tree:
        """The tree with a node and its descendants moved below another frame, as the last child. `pose` is the
        (position, orientation) of a fixed node in its new parent; its unit of length does not change.
        """
        order, node = copy.copy(self.order), self.nodes[index]
        following = order.next(self.subtree(to - 1)[-1]) if to else None
        if following != index:
            order.splice(following, order, index, self.subtree(index)[-1])
        metres = self.metres(to)
        position, orientation = pose or (node.position, node.orientation)
        order.replace(
            index,
            node._replace(parent=to, kind=kind, position=position, orientation=orientation,
                          scale=node.metres / metres, parent_metres=metres),
        )  # fmt: skip
        return Tree(order)

    # --- ancestors and descendants

    def subtree(self, index: int) -> list[int]:
        """A node and its descendants: a range of the list."""
        found, depth = [index], self.depth[index + 1]
        following = self.order.next(index)
        while following is not None and self.depth[following + 1] > depth:
            found.append(following)
            following = self.order.next(following)
        return found

    def parent(self, node: Node) -> Node | None:
        """The parent of a node; None if that is the world."""
        return self.nodes[node.parent - 1] if node.parent else None

    def lineage(self, node: Node) -> list[Node]:
        """The node and its ancestors, itself first."""
        found = [node]
        while found[-1].parent:
            found.append(self.nodes[found[-1].parent - 1])
        return found

    def branches(self, first: int, second: int) -> tuple[list[Node], list[Node]]:
        """The nodes from each of two frames up to their nearest common ancestor, which is not included; the given
        frames first.
        """
        inwards, outwards = (self.lineage(self.nodes[frame - 1]) if frame else [] for frame in (first, second))
        while inwards and outwards and inwards[-1] is outwards[-1]:
            inwards.pop()
            outwards.pop()
        return inwards, outwards

    def free(self) -> list[Node]:
        """The free bodies, in the order of the file."""
        return [node for node in self.nodes if node.is_free()]

    # --- composites

    def carrier(self, node: Node) -> Node | None:
        """The free body to which a node is fixed, directly or through fixed nodes; the node itself if it is free; None
        if it moves with the world or with a prescribed node.
        """
        carrier = self.carriers[node.index]
        return None if carrier == layout.NO_ROW else self.nodes[carrier]

    def row(self, carrier: Node | None) -> int:
        """The row of a free body, or NO_ROW."""
        return layout.NO_ROW if carrier is None else self.rows[carrier.index]

    def composite(self, carrier: Node) -> Composite:
        """The composite of a free body."""
        found = self._composites.get(carrier.index)
        if found is None:
            parts = self._parts[carrier.index]
            massive = [placed(part.mass, self.placements[part.index]) for part in parts if part.mass]
            mass = joined(massive, carrier.metres)
            fault = None if mass.is_point or len(parts) == 1 else inertia_fault(unpacked(mass.inertia))
            found = self._composites[carrier.index] = Composite(mass, fault[0] if fault else "")
        return found

    # --- frames

    def frame_of(self, path: str) -> int:
        """The frame of a node, or of the world."""
        return 0 if path == WORLD else self.by_path[path].frame

    def metres(self, frame: int) -> float:
        """Metres per unit of a frame's own lengths."""
        return self.nodes[frame - 1].metres if frame else 1.0
