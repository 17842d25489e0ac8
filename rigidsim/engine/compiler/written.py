"""The loads of a scene as records of a blueprint: names and numbers, omitted values filled in."""

from __future__ import annotations

from types import SimpleNamespace

from rigidsim.engine.assembly.blueprint import ImpulseRecord, LoadRecord
from rigidsim.engine.assembly.entries import unit
from rigidsim.engine.assembly.schedule import Schedule
from rigidsim.engine.assembly.tree import Node, Tree
from rigidsim.engine.compiler.assembly import product_of
from rigidsim.engine.compiler.initial import relative_pose
from rigidsim.engine.compiler.scripts import Scripts
from rigidsim.physics.quaternion import rotate
from rigidsim.physics.vector import add, norm, sub
from rigidsim.scene import Scene
from rigidsim.scene.expressions import Expression
from rigidsim.scene.schema import forces as kinds
from rigidsim.scene.schema.events import Impulse
from rigidsim.scene.schema.gravity import GravityGradient, PointGravity, PointSource, UniformGravity
from rigidsim.scene.values.vectors import ZERO


class WrittenLoads:
    """Collects the loads, in the order of paths and, on one node, of the file; `tree` is that of the start."""

    def __init__(self, scene: Scene, tree: Tree, schedule: Schedule):
        self._scene, self._tree, self._schedule = scene, tree, schedule
        self.scripts = Scripts()
        self.loads: list[LoadRecord] = []
        self.impulses: list[ImpulseRecord] = []
        bodies = {path: body for path, body, _ in scene.walk()}
        for node in sorted(tree.nodes, key=lambda node: node.path):
            for index, force in enumerate(bodies[node.path].forces):
                self._label = f"{node.path}, forces[{index}]"
                kind, written = _BY_TYPE[type(force)](self, node, force)
                eras = schedule.span(force.during)
                self.loads.append(LoadRecord(kind, node.index, eras, self._label, SimpleNamespace(**written)))
            for index, impulse in enumerate(bodies[node.path].impulses):
                self.impulses.append(self._impulse(node, index, impulse))

    def _constant(self, node: Node, force: kinds.ConstantForce) -> tuple[str, dict]:
        return self._pushing(node, force.force, force.torque, force)

    def _thruster(self, node: Node, force: kinds.Thruster) -> tuple[str, dict]:
        size = product_of(force.thrust, force.throttle)
        thrust = tuple(product_of(size, part) if part else 0.0 for part in unit(force.direction))
        return self._pushing(node, thrust, ZERO, force)

    def _pushing(self, node: Node, force, torque, written) -> tuple[str, dict]:
        where = {"at": written.at, "frame": written.frame}
        if varies((*force, *torque)):
            self.scripts.add(node.index, (force, torque, ZERO), self._label)
            return "scripts", where
        return "constants", {"force": force, "torque": torque, **where}

    def _field(self, node: Node, force: UniformGravity) -> tuple[str, dict]:
        if varies(force.acceleration):
            self.scripts.add(node.index, (ZERO, ZERO, force.acceleration), self._label)
            return "scripted_fields", {"frame": force.frame}
        return "fields", {"acceleration": force.acceleration, "frame": force.frame}

    def _spring(self, node: Node, force: kinds.Spring | kinds.Damper) -> tuple[str, dict]:
        given = {key: getattr(force, key) for key in ("to", "to_at", "at", "stiffness", "damping")}
        return "springs", {**given, "length": self._distance(node, force) if force.length is None else force.length}

    def _distance(self, node: Node, force: kinds.Spring) -> float:
        """Between the ends of a spring at the start, m."""
        first, second = self._tree.end(force.to, force.to_at), self._tree.end(node.path, force.at)
        p, q = relative_pose(self._tree, first.frame, second.frame)
        return float(norm(sub(add(p, rotate(q, second.point)), first.point)))

    def _torsion(self, node: Node, force: kinds.TorsionSpring) -> tuple[str, dict]:
        given = {key: getattr(force, key) for key in ("to", "stiffness", "damping", "rest", "axis")}
        if force.rest is None:
            given["rest"] = relative_pose(self._tree, self._tree.frame_of(force.to), node.frame)[1]
        return "torsions", given

    def _drag(self, _node: Node, force: kinds.Drag) -> tuple[str, dict]:
        return "drags", {key: getattr(force, key) for key in ("linear", "quadratic", "medium", "at")}

    def _attraction(self, _node: Node, force: PointGravity) -> tuple[str, dict]:
        return "attractions", vars(source_of(force))

    def _gradient(self, _node: Node, force: GravityGradient) -> tuple[str, dict]:
        return "gradients", vars(source_of(self._scene.world.source if force.center is None else force))

    def _impulse(self, node: Node, index: int, impulse: Impulse) -> ImpulseRecord:
        written = {key: getattr(impulse, key) for key in ("impulse", "angular_impulse", "at", "frame")}
        era = self._schedule.era(impulse.time)
        return ImpulseRecord(node.index, index, impulse.name, era, SimpleNamespace(**written))


def varies(parts: tuple) -> bool:
    """Whether any component is an expression of time or state."""
    return any(isinstance(part, Expression) for part in parts)


def source_of(source: PointSource | GravityGradient | None) -> SimpleNamespace | None:
    """What attracts; a source without a shape has no axis."""
    if source is None:
        return None
    point = {"softening": 0.0, "j2": 0.0, "radius": None, "axis": None}
    return SimpleNamespace(
        center=source.center, gm=source.gm, **{key: getattr(source, key, value) for key, value in point.items()}
    )


_BY_TYPE = {
    kinds.ConstantForce: WrittenLoads._constant,
    kinds.Spring: WrittenLoads._spring,
    kinds.Damper: WrittenLoads._spring,
    kinds.TorsionSpring: WrittenLoads._torsion,
    kinds.Drag: WrittenLoads._drag,
    kinds.Thruster: WrittenLoads._thruster,
    UniformGravity: WrittenLoads._field,
    PointGravity: WrittenLoads._attraction,
    GravityGradient: WrittenLoads._gradient,
}
