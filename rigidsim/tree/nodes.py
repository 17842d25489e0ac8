"""The tree of frames at some time: one preorder list of nodes, in which the descendants of a node follow it.

The handles of the list are the numbers of the nodes in the file. They stay valid: a reparenting moves a range of the
list. The order of the list is the order of evaluation; sums are in the order of the file, that of the list's storage.

Three relations say what moves a node:

- `base`: the node at the end of the chain of fixed nodes above it, itself included: a moved or prescribed node, or the
  world (None). Nodes with the same base do not move relative to each other.
- `moved_base`: the body that a node is, or is a part of: its base, if that is moved: free, or on a joint. Forces and
  impulses on the node act on its moved base, and its mass is counted there; without a moved base neither has an effect.
- `free_ancestor`: the nearest free body among the node and its ancestors, through all others. When the motion of that
  body jumps, so does that of the node.

A fourth one says what can touch: nodes with one `leader`, the nearest moved body above them, never do, for no impulse
changes how they move relative to each other; nor do a body on a joint and what has the leader of its parent, unless the
joint lets them collide.
"""

from __future__ import annotations

import copy
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import count
from types import MappingProxyType
from typing import TYPE_CHECKING, Generic, NamedTuple

from rigidsim.containers import ContiguousList
from rigidsim.containers.optional import not_none
from rigidsim.physics.mass import Lump, Placement, inertia_fault, joined, placed, total_of, unpacked
from rigidsim.physics.vector import scaled
from rigidsim.tree.joints import NO_TURN, ZERO, Joint

WORLD = "world"
"""In place of a path: the frame in which all others move."""
NO_ROW = -1


@dataclass(eq=False, kw_only=True, slots=True)
class Node:
    """A node and its place in the tree. The fields after `metres` do not depend on the place; a tree that is only asked
    how the nodes hang, such as that of a file, has neither poses nor masses.
    """

    path: str
    index: int  # its number, in the order of the file
    parent: int  # frame; 0 is the world
    kind: str  # free, jointed, fixed or prescribed
    position: tuple = ZERO  # pose in the parent at t = 0, or when it became fixed
    orientation: tuple = NO_TURN
    scale: float = 1.0
    parent_metres: float = 1.0  # metres per unit of the parent's lengths
    metres: float = 1.0  # metres per unit of its own lengths
    mass: Lump | None = None  # without the parts fixed to it
    center: tuple = ZERO  # its centre of mass; its origin if it has no mass
    falls: bool = True  # whether the gravity of the world acts on it
    inherits: bool = False  # whether it inherits the jumps of its parent
    joint: Joint | None = None  # of a jointed node
    normal: tuple = ()  # of the plane that a planar scene is locked to, in its own axes; else empty

    @property
    def frame(self) -> int:
        """Its frame; that of the world is 0."""
        return self.index + 1

    def is_free(self) -> bool:
        """Whether it moves in its parent without any connection."""
        return self.kind == "free"

    def is_moved(self) -> bool:
        """Whether forces move it in its parent: it is free, or on a joint."""
        return self.kind in ("free", "jointed")


if TYPE_CHECKING:  # a default is known to type checkers only, before Python 3.13
    from typing_extensions import TypeVar

    N = TypeVar("N", bound=Node, default=Node, covariant=True)
else:
    from typing import TypeVar

    N = TypeVar("N", bound=Node, covariant=True)


class Composite(NamedTuple):
    """A moved body with the parts fixed to it."""

    mass: Lump
    fault: tuple[str, str] | None  # why no rigid body has this inertia, and a hint; None if one can


class Tree(Generic[N]):
    """All nodes by their numbers, with their bases, free ancestors and the order of evaluation."""

    def __init__(self, order: ContiguousList[N], composites: Mapping[int, Composite] = MappingProxyType({})):
        """`composites` are those that are known, by the number of the body."""
        self.order, self.nodes = order, order.values
        self.by_path = {node.path: node for node in self.nodes}
        # Of each frame, that of the world first: its depth, and the frames of its base, of its free ancestor and of the
        # nearest moved body.
        self.depth, self._base, self._free, self._mover = ([0] * (1 + len(self.nodes)) for _ in range(4))
        for node in order:
            frame = node.frame
            self.depth[frame] = 1 + self.depth[node.parent]
            self._base[frame] = self._base[node.parent] if node.kind == "fixed" else frame
            self._free[frame] = frame if node.is_free() else self._free[node.parent]
            self._mover[frame] = frame if node.is_moved() else self._mover[node.parent]
        self._composites: dict[int, Composite] = dict(composites)

    @classmethod
    def of(cls, nodes: Sequence[Node]) -> Tree[Node]:
        """The tree of nodes given in the order of the file; siblings keep this order."""
        return Tree(preorder(nodes))

    def moved(self, index: int, to: int, kind: str, pose: tuple | None = None, joint: Joint | None = None) -> Tree[N]:
        """The tree with a node and its descendants moved below another frame, as the last child. `pose` is the
        (position, orientation) of a fixed node in its new parent, `joint` that of a jointed one; its unit of length
        does not change.
        """
        order, node = copy.copy(self.order), self.nodes[index]
        following = order.next(self.subtree(to - 1)[-1]) if to else None
        if following != index:
            order.splice(following, order, index, self.subtree(index)[-1])
        metres = self.metres(to)
        position, orientation = pose or (node.position, node.orientation)
        order.replace(
            index,
            replace(node, parent=to, kind=kind, position=position, orientation=orientation, joint=joint,
                    scale=node.metres / metres, parent_metres=metres),
        )  # fmt: skip
        return Tree(order)

    def posed(self, poses: Mapping[int, tuple]) -> Tree[N]:
        """The tree with other poses (position, orientation) of some nodes, by their numbers."""
        order = copy.copy(self.order)
        for index, (position, orientation) in poses.items():
            order.replace(index, replace(self.nodes[index], position=position, orientation=orientation))
        return Tree(order)

    def begun(self, joint_of: Callable[[N], Joint]) -> Tree[N]:
        """The tree with these joints of the nodes whose pose at zero is not given."""
        order = copy.copy(self.order)
        for node in self.nodes:
            if node.joint is not None and not node.joint.has_begun:
                order.replace(node.index, replace(node, joint=joint_of(node)))
        return Tree(order)

    # --- nodes

    def __iter__(self) -> Iterator[N]:
        """The nodes in the order of the file."""
        return iter(self.nodes)

    def __contains__(self, path: object) -> bool:
        return path in self.by_path

    def __getitem__(self, path: str) -> N:
        return self.by_path[path]

    def get(self, path: str | None) -> N | None:
        """The node of this path, if there is one."""
        return None if path is None else self.by_path.get(path)

    def node(self, frame: int) -> N | None:
        """The node of a frame; None for that of the world."""
        return self.nodes[frame - 1] if frame else None

    def at(self, frame: int) -> N:
        """The node of a frame that is not the world's."""
        return self.nodes[frame - 1]

    def frame_of(self, path: str) -> int:
        """The frame of a node, or of the world."""
        return 0 if path == WORLD else self.by_path[path].frame

    def metres(self, frame: int) -> float:
        """Metres per unit of a frame's own lengths."""
        return self.nodes[frame - 1].metres if frame else 1.0

    def free(self) -> list[N]:
        """The free bodies, in the order of the file."""
        return [node for node in self.nodes if node.is_free()]

    def moved_nodes(self) -> list[N]:
        """The bodies that forces move, free or on joints, in the order of the file."""
        return [node for node in self.nodes if node.is_moved()]

    # --- ancestors and descendants

    def parent(self, node: Node) -> N | None:
        """The parent of a node; None if that is the world."""
        return self.node(node.parent)

    def base(self, node: Node) -> N | None:
        """The node of which this one is rigidly a part, itself if it is free or prescribed; None if it rests in the
        world.
        """
        return self.node(self._base[node.frame])

    def part_of(self, node: Node) -> N:
        """The base of a node; the node itself, if it rests in the world."""
        return self.base(node) or self.nodes[node.index]

    def moved_base(self, node: Node) -> N | None:
        """The moved body that the node is, or is a part of; None if it is held by the world or a prescribed node."""
        base = self.base(node)
        return base if base is not None and base.is_moved() else None

    def free_ancestor(self, node: Node) -> N | None:
        """The nearest free body among the node and its ancestors, if there is one."""
        return self.node(self._free[node.frame])

    def leader(self, node: Node) -> N:
        """The nearest moved body among the node and its ancestors; if there is none, the prescribed node of which it is
        a part, and if it rests in the world, itself.
        """
        return self.node(self._mover[node.frame]) or self.part_of(node)

    def held_apart(self, frames: Iterable[tuple[int, int]]) -> dict[int, set[int]]:
        """Of the number of each leader those of the leaders with which it does not collide: bodies on joints and what
        they hang on, if their joints do not let them collide; and the nodes of pairs of frames.
        """
        jointed = [(node.frame, node.parent) for node in self.nodes if node.joint and not node.joint.collide]
        found: dict[int, set[int]] = defaultdict(set)
        for ends in (*jointed, *frames):
            if all(ends):
                one, other = (self.leader(self.at(frame)).index for frame in ends)
                found[one].add(other)
                found[other].add(one)
        return found

    def outermost(self, body: Node) -> N:
        """The first body of the tree of joints of a moved body: it is on no joint, or hangs on what is held."""
        found = self.nodes[body.index]
        while found.joint is not None and (above := self.parent(found)) and (moved_base := self.moved_base(above)):
            found = moved_base
        return found

    def first_free_below(self, node: Node) -> list[N]:
        """The first free descendants of a free body, through fixed and prescribed nodes, in the order of the file."""
        return self._first_free.get(node.frame, [])

    @cached_property
    def _first_free(self) -> dict[int, list[N]]:
        found: dict[int, list[N]] = {}
        for node in self.free():
            found.setdefault(self._free[node.parent], []).append(node)
        return found

    def jointed_to(self, body: Node) -> list[N]:
        """The bodies on joints that hang on a moved body or on a part fixed to it, in the order of the file."""
        return self._jointed.get(body.frame, [])

    @cached_property
    def _jointed(self) -> dict[int, list[N]]:
        found: dict[int, list[N]] = {}
        for node in self.nodes:
            if node.kind == "jointed" and node.parent:
                found.setdefault(self._base[node.parent], []).append(node)
        return found

    def subtree(self, index: int) -> list[int]:
        """A node and its descendants: a range of the list."""
        found, depth = [index], self.depth[index + 1]
        following = self.order.next(index)
        while following is not None and self.depth[following + 1] > depth:
            found.append(following)
            following = self.order.next(following)
        return found

    def lineage(self, node: Node) -> list[N]:
        """The node and its ancestors, itself first."""
        found = [self.nodes[node.index]]
        while found[-1].parent:
            found.append(self.nodes[found[-1].parent - 1])
        return found

    def branches(self, first: int, second: int) -> tuple[list[N], list[N]]:
        """The nodes from each of two frames up to their nearest common ancestor, which is not included; the given
        frames first.
        """
        inwards, outwards = (self.lineage(self.nodes[frame - 1]) if frame else [] for frame in (first, second))
        while inwards and outwards and inwards[-1] is outwards[-1]:
            inwards.pop()
            outwards.pop()
        return inwards, outwards

    # --- what is rigidly joined

    def parts(self, node: Node) -> list[N]:
        """A node and all that is fixed to it, directly or through fixed nodes, in the order of evaluation."""
        found, frames = [self.nodes[node.index]], {node.frame}
        for index in self.subtree(node.index)[1:]:
            part = self.nodes[index]
            if part.kind == "fixed" and part.parent in frames:
                found.append(part)
                frames.add(part.frame)
        return found

    @cached_property
    def placements(self) -> list[Placement]:
        """The pose of each node on its base."""
        found = [Placement()] * len(self.nodes)
        for node in self.order:
            if node.kind == "fixed" and node.parent:
                found[node.index] = found[node.parent - 1].below(node.position, node.orientation, node.scale)
        return found

    def composite(self, body: Node) -> Composite:
        """The composite of a moved body."""
        found = self._composites.get(body.index)
        if found is None:
            parts = self.parts(body)
            lumps = [placed(part.mass, self.placements[part.index]) for part in parts if part.mass]
            mass = joined(lumps, body.metres) if lumps else Lump(0.0, body.center, (0.0,) * 6)
            fault = None if mass.is_point or len(parts) == 1 else inertia_fault(unpacked(mass.inertia))
            found = self._composites[body.index] = Composite(mass, fault)
        return found

    def lump(self, body: Node) -> Lump:
        """Mass, centre of mass (m) and inertia of a free body with its parts, in its own axes."""
        mass, center, inertia = self.composite(body).mass
        return Lump(mass, scaled(body.metres, center), inertia)

    def weight(self, body: Node) -> float:
        """The mass of a free body with its parts, kg; it does not depend on where they are."""
        return total_of([part.mass.mass for part in self.parts(body) if part.mass])

    # --- rows of a model

    @cached_property
    def rows(self) -> list[int]:
        """The row of each node among those of the moved nodes or of the others. A node with several coordinates has one
        row for each; this is the last, that of the body.
        """
        moved, driven, found = count(), count(), []
        for node in self.nodes:
            row = next(moved if node.is_moved() else driven)
            for _ in range(links_of(node)):
                row = next(moved)
            found.append(row)
        return found

    def row(self, body: N | None) -> int:
        """The row of a moved body; NO_ROW for None."""
        return NO_ROW if body is None else self.rows[body.index]


def links_of(node: Node) -> int:
    """The number of links without mass before a node: one less than its joint has coordinates."""
    return max(len(not_none(node.joint).coordinates) - 1, 0) if node.kind == "jointed" else 0


def path_of(node: Node | None) -> str:
    """The path of a node; empty for the world."""
    return node.path if node else ""


def preorder(nodes: Sequence[N]) -> ContiguousList[N]:
    """Nodes given in the order of the file as a list in which descendants follow, siblings in that order."""
    below: list[list[int]] = [[] for _ in range(1 + len(nodes))]
    for node in reversed(nodes):
        below[node.parent].append(node.index)
    order, waiting = [], below[0]
    while waiting:
        order.append(waiting.pop())
        waiting.extend(below[1 + order[-1]])
    return ContiguousList(nodes, order)
