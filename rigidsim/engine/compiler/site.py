"""Where a load acts: frames, points and axes of the present tree, seen from the node that it is written on."""

from __future__ import annotations

from rigidsim.engine.compiler.assembly import product_of
from rigidsim.engine.compiler.initial import relative_pose
from rigidsim.engine.compiler.tree import Tree
from rigidsim.engine.laws.declaration import End
from rigidsim.physics.vector import scaled, sub
from rigidsim.scene.hierarchy.references import WORLD

PARENT = -1
"""In place of a frame: that of the present parent."""


def rows_of_free(tree: Tree) -> dict[str, int]:
    """The row of each free body, by path."""
    return {node.path: row for row, node in enumerate(tree.free())}


class Site:
    """A node of a tree, for the rows of a force on it; `frame` is its own wherever none is given. `rows` are those of
    the free bodies, by path.
    """

    def __init__(self, tree: Tree, rows: dict[str, int], frame: int):
        self._tree, self._rows, self._own = tree, rows, frame

    def frame(self, frame: int | None = None) -> End:
        """The frame of a node itself; it feels nothing."""
        if frame == PARENT:
            return End(self._tree.frame("parent", self._tree.nodes[self._own - 1]))
        return End(self._own if frame is None else frame)

    def axes(self, frame: int) -> End:
        """The frame that carries these axes; those of a part fixed to a free body turn with that body."""
        named = self.frame(frame).frame
        node = self._tree.nodes[named - 1] if named else None
        carrier = self._tree.carrier(node) if node else None
        if carrier is None or carrier is node:
            return End(named)
        return End(carrier.frame, turn=self._tree.carried(carrier).placements[node.path].rotation)

    def end(self, frame: int | None = None, at: tuple | None = None) -> End:
        """The point `at` of a node, in its coordinates; left out, its centre of mass, or its origin without mass."""
        named = self._own if frame is None else frame
        found = self._tree.end(self._tree.nodes[named - 1].path if named else WORLD, at)
        if found.carrier is None:
            return End(found.frame, point=found.point)
        center = scaled(found.carrier.metres, tuple(self._tree.carried(found.carrier).mass.center_of_mass))
        row, turn = self._rows[found.carrier.path], self.axes(named).turn
        return End(found.frame, row, found.point, sub(found.point, center), turn)

    def whole(self) -> End:
        """The centre of mass of the free body that carries the node."""
        return self.end(self._tree.carrier(self._tree.nodes[self._own - 1]).frame)

    def source(self, center: int | tuple) -> End:
        """What attracts: the centre of mass of a node, or a point of the world."""
        return End(0, point=center) if isinstance(center, tuple) else self.end(center)

    def pose(self, first: int, second: int) -> tuple:
        """(p, q) of the second frame in the first, m, in the poses of the start."""
        return relative_pose(self._tree, first, second)

    @staticmethod
    def product(a, b):
        """Of numbers or expressions."""
        return product_of(a, b)
