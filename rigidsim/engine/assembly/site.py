"""Where a load acts: frames, points and axes of the present tree, relative to the node on which the load is defined."""

from __future__ import annotations

from collections.abc import Callable

from rigidsim.containers.optional import not_none
from rigidsim.engine.laws.declaration import LoadPoint
from rigidsim.physics.vector import ZERO, scaled, sub
from rigidsim.tree.motion import seen
from rigidsim.tree.nodes import Tree

PARENT = -1
"""In place of a frame number: the present parent."""
EXPRESSION = "expression"
"""In place of a value: an expression, compiled separately (see `ScriptTables`)."""


def product(a: float | str, b: float | str) -> float | str:
    """The product of two values; EXPRESSION if either is an expression."""
    return EXPRESSION if isinstance(a, str) or isinstance(b, str) else a * b


class Site:
    """A node of a tree on which a force is defined, for the functions that make the rows of that force. The frame of
    the node is the default of every function.
    """

    def __init__(self, tree: Tree, frame: int, product: Callable = product):
        self._tree, self._own, self.product = tree, frame, product

    def frame(self, frame: int | None = None) -> LoadPoint:
        """The origin of a node, without a body that receives a reaction."""
        if frame == PARENT:
            return LoadPoint(self._tree.nodes[self._own - 1].parent)
        return LoadPoint(self._own if frame is None else frame)

    def axes(self, frame: int) -> LoadPoint:
        """The frame that has these axes; those of a part fixed to a free body rotate with that body."""
        named = self.frame(frame).frame
        node = self._tree.nodes[named - 1] if named else None
        moved_base = self._tree.moved_base(node) if node else None
        if node is None or moved_base is None or moved_base is node:
            return LoadPoint(named)
        return LoadPoint(moved_base.frame, turn=self._tree.placements[node.index].rotation)

    def end(self, frame: int | None = None, at: tuple | None = None) -> LoadPoint:
        """The point `at` of a node, in its coordinates; by default its centre of mass, or its origin without mass."""
        named, tree = self._own if frame is None else frame, self._tree
        if named == 0:
            return LoadPoint(0, point=at or ZERO)
        node = tree.nodes[named - 1]
        moved_base = tree.moved_base(node)
        if moved_base is None:
            return LoadPoint(named, point=scaled(node.metres, at or node.center))
        center = tree.composite(moved_base).mass.center
        if at is None and node is moved_base:
            point = center
        else:
            point = tree.placements[node.index].point(node.center if at is None else at)
        point, center = scaled(moved_base.metres, point), scaled(moved_base.metres, center)
        return LoadPoint(moved_base.frame, tree.row(moved_base), point, sub(point, center), self.axes(named).turn)

    def moved_base_center(self) -> LoadPoint:
        """The centre of mass of the free body that carries the node."""
        return self.end(not_none(self._tree.moved_base(self._tree.at(self._own))).frame)

    def source(self, center: int | tuple) -> LoadPoint:
        """The source of an attraction: the centre of mass of a node, or a point of the world."""
        return LoadPoint(0, point=center) if isinstance(center, tuple) else self.end(center)

    def pose(self, first: int, second: int) -> tuple:
        """(p, q) of the second frame in the first, m, from the poses of the nodes at t = 0."""
        p, q, _, _ = seen(
            self._tree, second, first, lambda node: ((node.position, node.orientation, node.scale), ZERO, ZERO)
        )
        return scaled(self._tree.metres(first), p), q
