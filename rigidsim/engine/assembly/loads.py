"""The loads of a blueprint on a tree, kind by kind, as the kernels take them."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from rigidsim.engine import layout
from rigidsim.engine.assembly.blueprint import Blueprint, ImpulseRecord, ViewRecord
from rigidsim.engine.assembly.entries import WIDTHS, Entry, law_of, unit
from rigidsim.engine.assembly.mutual import links_of
from rigidsim.engine.assembly.pairs import Pairs
from rigidsim.engine.assembly.tree import End, Node, Tree
from rigidsim.engine.model import Law, table, zeros
from rigidsim.physics.quaternion import conjugate, product, rotate
from rigidsim.physics.vector import scaled, sub


class Loads:
    """Collects the loads of a tree. Those on one body are in the order of paths and, on one node, of the file."""

    def __init__(self, blueprint: Blueprint, tree: Tree):
        self.tree = tree
        self.pairs = Pairs(tree)
        self.entries: dict[str, list[Entry]] = {kind: [] for kind in WIDTHS}
        self.impulse_numbers: list[int] = []
        for load in blueprint.loads:
            self._load = load
            _BY_KIND[load.kind](self, tree.nodes[load.node], load.written)
        for number, impulse in sorted(enumerate(blueprint.impulses), key=lambda numbered: numbered[1].era):
            self._impulse(number, impulse)
        self._world_gravity(blueprint.source)
        self.views = table([self._view(view) for view in blueprint.scripts.views], 3)
        self.pairs.link(links_of(blueprint.mutual, tree))

    def laws(self) -> dict[str, Law]:
        """All kinds of loads, as the model has them."""
        return {kind: law_of(entries, WIDTHS[kind]) for kind, entries in self.entries.items()}

    # --- what the kinds have in common

    def _row(self, end: End) -> int:
        return self.tree.row(end.carrier)

    def _add(self, kind: str, pair: int, first: int, second: int, value: np.ndarray, eras=None) -> None:
        self.entries[kind].append(Entry(pair, first, second, eras or self._load.eras, value))

    def _lever(self, end: End) -> tuple:
        """From the carrier's centre of mass, m, its axes."""
        return sub(end.point, scaled(end.carrier.metres, self.tree.composite(end.carrier).mass.center))

    def _axes(self, name: str, node: Node) -> tuple[int, tuple]:
        """The frame that vectors are written in, and how they are turned into it.

        Axes of a part fixed to a free body turn with that body.
        """
        return self._carried_axes(self.tree.frame(name, node))

    def _carried_axes(self, frame: int) -> tuple[int, tuple]:
        node = self.tree.nodes[frame - 1] if frame else None
        carrier = self.tree.carrier(node) if node else None
        if carrier is None or carrier is node:
            return frame, (1.0, 0.0, 0.0, 0.0)
        return carrier.frame, self.tree.placements[node.index].rotation

    # --- the kinds

    def _constant(self, node: Node, force: SimpleNamespace) -> None:
        end = self.tree.end(node.path, force.at)
        axes, turn = self._axes(force.frame, node)
        row = zeros(layout.LOAD_ROWS)
        row[layout.L_F : layout.L_F + 3] = rotate(turn, force.force)
        row[layout.L_TAU : layout.L_TAU + 3] = rotate(turn, force.torque)
        row[layout.L_LEVER : layout.L_LEVER + 3] = self._lever(end)
        self._add("constants", axes, layout.NOBODY, self._row(end), row)

    def _script(self, node: Node, force: SimpleNamespace) -> None:
        """A load whose components are expressions; its axes are those of the named node itself."""
        self._scripted(node, force.frame, self.tree.end(node.path, force.at))

    def _scripted(self, node: Node, frame: str, end: End) -> None:
        row = zeros(layout.SCRIPT_ROWS)
        row[layout.X_LEVER : layout.X_LEVER + 3] = self._lever(end)
        self._add("scripts", self.tree.frame(frame, node), layout.NOBODY, self._row(end), row)

    def _view(self, view: ViewRecord) -> tuple[int, int, int]:
        observer, body = (self.tree.frame(name, self.tree.nodes[node]) for name, node in (view.observer, view.body))
        return view.kind, self.pairs.index(observer, body), view.register

    def _spring(self, node: Node, force: SimpleNamespace) -> None:
        first, second = self.tree.end(force.to, force.to_at), self.tree.end(node.path, force.at)
        row = zeros(layout.SPRING_ROWS)
        row[layout.G_STIFFNESS], row[layout.G_DAMPING] = force.stiffness, force.damping
        row[layout.G_LENGTH] = force.length
        row[layout.G_FIRST : layout.G_FIRST + 3] = first.point
        row[layout.G_SECOND : layout.G_SECOND + 3] = second.point
        pair = self.pairs.index(first.frame, second.frame)
        self._add("springs", pair, self._row(first), self._row(second), row)

    def _torsion(self, node: Node, force: SimpleNamespace) -> None:
        first, turn_1 = self._carried_axes(self.tree.frame_of(force.to))
        second, turn_2 = self._carried_axes(node.frame)
        rest = product(product(turn_1, force.rest), conjugate(turn_2))
        row = zeros(layout.TORSION_ROWS)
        row[layout.H_STIFFNESS], row[layout.H_DAMPING] = force.stiffness, force.damping
        row[layout.H_REST : layout.H_REST + 4] = rest
        if force.axis is not None:
            row[layout.H_AXIS : layout.H_AXIS + 3] = rotate(turn_2, unit(force.axis))
        ends = (self.tree.end(force.to, None), self.tree.end(node.path, None))
        self._add("torsions", self.pairs.index(first, second), *map(self._row, ends), row)

    def _drag(self, node: Node, force: SimpleNamespace) -> None:
        end = self.tree.end(node.path, force.at)
        row = zeros(layout.DRAG_ROWS)
        row[layout.D_LINEAR], row[layout.D_QUADRATIC] = force.linear, force.quadratic
        row[layout.D_POINT : layout.D_POINT + 3] = end.point
        pair = self.pairs.index(self.tree.frame_of(force.medium), end.frame)
        self._add("drags", pair, layout.NOBODY, self._row(end), row)

    def _field(self, node: Node, force: SimpleNamespace) -> None:
        axes, turn = self._axes(force.frame, node)
        g = np.array(rotate(turn, force.acceleration))
        self._add("fields", axes, layout.NOBODY, self._row(self.tree.end(self.tree.carrier(node).path, None)), g)

    def _scripted_field(self, node: Node, force: SimpleNamespace) -> None:
        self._scripted(node, force.frame, self.tree.end(self.tree.carrier(node).path, None))

    def _attraction(self, node: Node, source: SimpleNamespace) -> None:
        self._attract("attractions", node, source, self._load.eras)

    def _gradient(self, node: Node, source: SimpleNamespace) -> None:
        self._attract("gradients", node, source, self._load.eras)

    def _attract(self, kind: str, node: Node, source: SimpleNamespace, eras: tuple[int, int]) -> None:
        """The attraction of a source, or the torque of its gradient, on the free body that carries a node."""
        body = self.tree.end(self.tree.carrier(node).path, None)
        from_body = isinstance(source.center, str)
        center = self.tree.end(source.center, None) if from_body else End(0, None, source.center)
        if center.carrier is body.carrier:
            return  # the two have become one body
        row = zeros(layout.ATTRACTION_ROWS)
        row[layout.U_GM], row[layout.U_MASS] = source.gm, self.tree.composite(body.carrier).mass.mass
        row[layout.U_SOFT] = source.softening * source.softening
        row[layout.U_J2] = source.j2 * source.radius * source.radius if source.j2 else 0.0
        if source.axis is not None:
            turn = self._carried_axes(self.tree.frame_of(source.center) if from_body else 0)[1]
            row[layout.U_AXIS : layout.U_AXIS + 3] = rotate(turn, unit(source.axis))
        row[layout.U_POINT : layout.U_POINT + 3] = center.point
        pair = self.pairs.index(center.frame, body.frame)
        self._add(kind, pair, layout.NOBODY, self._row(body), row, eras)

    def _world_gravity(self, source: SimpleNamespace | None) -> None:
        if source is None:
            return
        itself = None
        if isinstance(source.center, str):
            itself = self.tree.carrier(self.tree.by_path[source.center])
        for node in sorted(self.tree.free(), key=lambda node: node.path):
            if node is not itself and node.falls:
                self._attract("attractions", node, source, (0, layout.NEVER))

    def _impulse(self, number: int, impulse: ImpulseRecord) -> None:
        node, written = self.tree.nodes[impulse.node], impulse.written
        end = self.tree.end(node.path, written.at)
        if end.carrier is None:
            return
        axes, turn = self._axes(written.frame, node)
        row = zeros(layout.IMPULSE_ROWS)
        row[layout.J_P : layout.J_P + 3] = rotate(turn, written.impulse)
        row[layout.J_L : layout.J_L + 3] = rotate(turn, written.angular_impulse)
        row[layout.J_LEVER : layout.J_LEVER + 3] = self._lever(end)
        self.impulse_numbers.append(number)
        self._add("impulses", axes, layout.NOBODY, self._row(end), row, (impulse.era, impulse.era + 1))


_BY_KIND = {
    "constants": Loads._constant,
    "scripts": Loads._script,
    "fields": Loads._field,
    "scripted_fields": Loads._scripted_field,
    "springs": Loads._spring,
    "torsions": Loads._torsion,
    "drags": Loads._drag,
    "attractions": Loads._attraction,
    "gradients": Loads._gradient,
}
