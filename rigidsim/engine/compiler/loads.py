"""The loads of a scene, kind by kind, as the kernels take them."""

from __future__ import annotations

import numpy as np

from rigidsim.engine import layout
from rigidsim.engine.compiler.assembly import product_of
from rigidsim.engine.compiler.entries import WIDTHS, Entry, law_of, unit
from rigidsim.engine.compiler.initial import relative_pose
from rigidsim.engine.compiler.mutual import links_of
from rigidsim.engine.compiler.pairs import Pairs
from rigidsim.engine.compiler.schedule import Schedule
from rigidsim.engine.compiler.scripts import Scripts
from rigidsim.engine.compiler.tree import End, Node, Tree
from rigidsim.engine.model import Law, zeros
from rigidsim.physics.quaternion import conjugate, product, rotate
from rigidsim.physics.vector import add, norm, scaled, sub
from rigidsim.scene import Scene
from rigidsim.scene.schema import forces as kinds
from rigidsim.scene.schema.events import Impulse
from rigidsim.scene.schema.gravity import GravityGradient, PointGravity, PointSource, UniformGravity


class Loads:
    """Collects the loads of a tree. Those on one body are in the order of paths and, on one node, of the file."""

    def __init__(self, scene: Scene, tree: Tree, start: Tree, schedule: Schedule):
        self.scene, self.tree, self.start, self.schedule = scene, tree, start, schedule
        self.pairs = Pairs(tree)
        self.scripts = Scripts(tree, self.pairs)
        self.rows = {node.path: row for row, node in enumerate(tree.free())}
        self.entries: dict[str, list[Entry]] = {kind: [] for kind in WIDTHS}
        self.impulse_names: list[tuple[str, int, str]] = []
        self.torsion_labels: list[str] = []
        for node in sorted(tree.nodes, key=lambda node: node.path):
            for index, force in enumerate(node.spec.forces):
                add_force = _BY_TYPE[type(force)]
                add_force(self, node, force, f"{node.path}, forces[{index}]")
            for index, impulse in enumerate(node.spec.impulses):
                self._impulse(node, index, impulse)
        self._world_gravity()
        self.pairs.link(links_of(scene.world.mutual_gravity, tree))

    def laws(self) -> dict[str, Law]:
        """All kinds of loads, as the model has them."""
        return {kind: law_of(entries, WIDTHS[kind]) for kind, entries in self.entries.items()}

    @property
    def is_isolated(self) -> bool:
        """Whether bodies act on each other only, so that momenta are conserved."""
        internal = all(
            entry.first >= 0 and entry.second >= 0
            for kind in ("springs", "torsions", "attractions")
            for entry in self.entries[kind]
        )
        return internal and not any(
            self.entries[kind] for kind in ("constants", "drags", "gradients", "scripts", "impulses")
        )

    # --- what the kinds have in common

    def _row(self, end: End) -> int:
        return layout.NOBODY if end.carrier is None else self.rows[end.carrier.path]

    def _add(self, kind: str, pair: int, first: int, second: int, during, value: np.ndarray) -> None:
        span = self.schedule.span(during)
        self.entries[kind].append(Entry(pair, first, second, span, value))

    def _lever(self, end: End) -> tuple:
        """From the carrier's centre of mass, m, its axes."""
        mass = self.tree.carried(end.carrier).mass
        return sub(end.point, scaled(end.carrier.metres, tuple(mass.center_of_mass)))

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
        return carrier.frame, self.tree.carried(carrier).placements[node.path].rotation

    # --- the kinds

    def _constant(self, node: Node, force: kinds.ConstantForce, label: str) -> None:
        end = self.tree.end(node.path, force.at)
        if force.varies:
            self._script(node, force.force, force.torque, end, force.frame, force.during, label)
            return
        axes, turn = self._axes(force.frame, node)
        row = zeros(layout.LOAD_ROWS)
        row[layout.L_F : layout.L_F + 3] = rotate(turn, force.force)
        row[layout.L_TAU : layout.L_TAU + 3] = rotate(turn, force.torque)
        row[layout.L_LEVER : layout.L_LEVER + 3] = self._lever(end)
        self._add("constants", axes, layout.NOBODY, self._row(end), force.during, row)

    def _script(self, node: Node, force, torque, end: End, frame: str, during, label: str) -> None:
        """A load whose components are expressions; its axes are those of the named node itself."""
        self.scripts.add(node, force, torque, label)
        row = zeros(layout.SCRIPT_ROWS)
        row[layout.X_LEVER : layout.X_LEVER + 3] = self._lever(end)
        self._add("scripts", self.tree.frame(frame, node), layout.NOBODY, self._row(end), during, row)

    def _spring(self, node: Node, force: kinds.Spring | kinds.Damper, _label: str) -> None:
        first, second = self.tree.end(force.to, force.to_at), self.tree.end(node.path, force.at)
        row = zeros(layout.SPRING_ROWS)
        row[layout.G_STIFFNESS], row[layout.G_DAMPING] = force.stiffness, force.damping
        length = force.length
        row[layout.G_LENGTH] = self._distance(node, force) if length is None else length
        row[layout.G_FIRST : layout.G_FIRST + 3] = first.point
        row[layout.G_SECOND : layout.G_SECOND + 3] = second.point
        pair = self.pairs.index(first.frame, second.frame)
        self._add("springs", pair, self._row(first), self._row(second), force.during, row)

    def _distance(self, node: Node, force: kinds.Spring) -> float:
        """Between the ends of a spring at the start, m."""
        first, second = self.start.end(force.to, force.to_at), self.start.end(node.path, force.at)
        p, q = relative_pose(self.start, first.frame, second.frame)
        return float(norm(sub(add(p, rotate(q, second.point)), first.point)))

    def _torsion(self, node: Node, force: kinds.TorsionSpring, label: str) -> None:
        self.torsion_labels.append(label)
        first, turn_1 = self._carried_axes(self.tree.frame_of(force.to))
        second, turn_2 = self._carried_axes(node.frame)
        rest = force.rest
        if rest is None:
            rest = relative_pose(self.start, self.start.frame_of(force.to), node.frame)[1]
        rest = product(product(turn_1, rest), conjugate(turn_2))
        row = zeros(layout.TORSION_ROWS)
        row[layout.H_STIFFNESS], row[layout.H_DAMPING] = force.stiffness, force.damping
        row[layout.H_REST : layout.H_REST + 4] = rest
        if force.axis is not None:
            row[layout.H_AXIS : layout.H_AXIS + 3] = rotate(turn_2, unit(force.axis))
        ends = (self.tree.end(force.to, None), self.tree.end(node.path, None))
        self._add("torsions", self.pairs.index(first, second), *map(self._row, ends), force.during, row)

    def _drag(self, node: Node, force: kinds.Drag, _label: str) -> None:
        end = self.tree.end(node.path, force.at)
        row = zeros(layout.DRAG_ROWS)
        row[layout.D_LINEAR], row[layout.D_QUADRATIC] = force.linear, force.quadratic
        row[layout.D_POINT : layout.D_POINT + 3] = end.point
        pair = self.pairs.index(self.tree.frame_of(force.medium), end.frame)
        self._add("drags", pair, layout.NOBODY, self._row(end), force.during, row)

    def _thruster(self, node: Node, force: kinds.Thruster, label: str) -> None:
        end, u = self.tree.end(node.path, force.at), unit(force.direction)
        size = product_of(force.thrust, force.throttle)
        thrust = tuple(product_of(size, part) if part else 0.0 for part in u)
        written = kinds.ConstantForce.model_construct(
            _fields_set={"force"}, force=thrust, at=force.at, frame=force.frame, during=force.during
        )
        if written.varies:
            self._script(node, thrust, written.torque, end, force.frame, force.during, label)
        else:
            self._constant(node, written, label)

    def _uniform_gravity(self, node: Node, force: UniformGravity, label: str) -> None:
        carrier = self.tree.carrier(node)
        mass = self.tree.carried(carrier).mass.mass
        weight = tuple(product_of(mass, part) for part in force.acceleration)
        written = kinds.ConstantForce.model_construct(
            _fields_set={"force"}, force=weight, frame=force.frame, during=force.during
        )
        end = self.tree.end(carrier.path, None)
        if written.varies:
            self._script(node, weight, written.torque, end, force.frame, force.during, label)
        else:
            axes, turn = self._axes(force.frame, node)
            row = zeros(layout.LOAD_ROWS)
            row[layout.L_F : layout.L_F + 3] = rotate(turn, weight)
            self._add("constants", axes, layout.NOBODY, self._row(end), force.during, row)

    def _point_gravity(self, node: Node, force: PointGravity, _label: str) -> None:
        self._attraction("attractions", node, force, force.during)

    def _gradient(self, node: Node, force: GravityGradient, _label: str) -> None:
        source = self.scene.world.source if force.center is None else force
        self._attraction("gradients", node, source, force.during)

    def _attraction(self, kind: str, node: Node, source, during) -> None:
        """The attraction of a source, or the torque of its gradient, on the free body that carries a node."""
        body = self.tree.end(self.tree.carrier(node).path, None)
        from_body = isinstance(source.center, str)
        center = self.tree.end(source.center, None) if from_body else End(0, None, source.center)
        if center.carrier is body.carrier:
            return  # the two have become one body
        row = zeros(layout.ATTRACTION_ROWS)
        row[layout.U_GM], row[layout.U_MASS] = source.gm, self.tree.carried(body.carrier).mass.mass
        if isinstance(source, PointSource):
            row[layout.U_SOFT] = source.softening * source.softening
            row[layout.U_J2] = source.j2 * source.radius * source.radius if source.j2 else 0.0
            axis = unit(source.axis)
            turn = self._carried_axes(self.tree.frame_of(source.center) if from_body else 0)[1]
            row[layout.U_AXIS : layout.U_AXIS + 3] = rotate(turn, axis)
        row[layout.U_POINT : layout.U_POINT + 3] = center.point
        pair = self.pairs.index(center.frame, body.frame)
        self._add(kind, pair, layout.NOBODY, self._row(body), during, row)

    def _world_gravity(self) -> None:
        source = self.scene.world.source
        if source is None:
            return
        itself = None
        if isinstance(source.center, str):
            itself = self.tree.carrier(self.tree.by_path[source.center])
        for node in sorted(self.tree.free(), key=lambda node: node.path):
            if node is not itself and node.spec.gravity:
                self._attraction("attractions", node, source, None)

    def _impulse(self, node: Node, index: int, impulse: Impulse) -> None:
        end = self.tree.end(node.path, impulse.at)
        if end.carrier is None:
            return
        axes, turn = self._axes(impulse.frame, node)
        row = zeros(layout.IMPULSE_ROWS)
        row[layout.J_P : layout.J_P + 3] = rotate(turn, impulse.impulse)
        row[layout.J_L : layout.J_L + 3] = rotate(turn, impulse.angular_impulse)
        row[layout.J_LEVER : layout.J_LEVER + 3] = self._lever(end)
        self.impulse_names.append((node.path, index, impulse.name))
        era = self.schedule.era(impulse.time)
        self.entries["impulses"].append(Entry(axes, layout.NOBODY, self._row(end), (era, era + 1), row))


_BY_TYPE = {
    kinds.ConstantForce: Loads._constant,
    kinds.Spring: Loads._spring,
    kinds.Damper: Loads._spring,
    kinds.TorsionSpring: Loads._torsion,
    kinds.Drag: Loads._drag,
    kinds.Thruster: Loads._thruster,
    UniformGravity: Loads._uniform_gravity,
    PointGravity: Loads._point_gravity,
    GravityGradient: Loads._gradient,
}
