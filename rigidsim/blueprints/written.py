"""The loads and impulses of a scene as records of a blueprint: bodies are given by their frames, and defaults that
depend on the motion at t = 0 are filled in.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

from rigidsim.blueprints.programs import product_of
from rigidsim.blueprints.scripts import Scripts
from rigidsim.engine.assembly.blueprint import ImpulseRecord, LoadRecord, Schedule
from rigidsim.engine.assembly.site import EXPRESSION, PARENT, Site
from rigidsim.engine.laws.declaration import AXES, CENTER, END, MEDIUM, TANK, Force
from rigidsim.engine.laws.gravity import SOURCE_KEYS
from rigidsim.engine.laws.registry import BY_NAME
from rigidsim.scene import Scene
from rigidsim.scene.expressions import Expression
from rigidsim.scene.hierarchy.nodes import SceneNode
from rigidsim.scene.hierarchy.triggers import triggers_in
from rigidsim.scene.text.document import path_text
from rigidsim.tree.nodes import Node, Tree


class LoadRecords:
    """All loads and impulses, in the order of paths and, on one node, of the file; `start` is the tree at t = 0."""

    def __init__(self, scene: Scene, start: Tree, schedule: Schedule):
        self._start, self._schedule = start, schedule
        self.scripts = Scripts(start, scene.simulation.integrator.most_pieces is None)
        nodes = sorted(scene.hierarchy, key=lambda node: node.path)
        self._fired = {one.place: schedule.n_phase + number for number, one in enumerate(triggers_in(scene.hierarchy))}
        self.source = scene.world.source and self._plain(scene.world.source, SOURCE_KEYS, nodes[0])
        self.loads = tuple(load for node in nodes for load in self._loads(node))
        self.motors = tuple(motor for node in nodes for motor in self._motor_labels(node))
        self.impulses = tuple(impulse for node in nodes for impulse in self._impulses(node))

    def _loads(self, node: SceneNode) -> Iterator[LoadRecord]:
        for index, force in enumerate(node.body.forces):
            kind: Force = BY_NAME[force.type]
            label, site = f"{node.path}, forces[{index}]", Site(self._start, node.frame, product_of)
            values = self._plain(force, kind.keys, node)
            if kind.takes_world and values.center is None:
                vars(values).update({key.name: getattr(self.source, key.name) for key in kind.keys})
            vars(values).update(kind.at_start(values, site))
            coefficients = self._coefficients(node, kind, values, label)
            for row in kind.rows(values, site):
                if row.table is None:
                    self.scripts.add(node.frame, row.vectors, label)
            values = SimpleNamespace(**{key: _without_expressions(value) for key, value in vars(values).items()})
            yield LoadRecord(kind.name, node.frame, values, self._schedule.span(force.during), label, coefficients)

    def _coefficients(self, node: SceneNode, kind: Force, values: SimpleNamespace, label: str) -> tuple:
        """The numbers of a load that expressions give, taken out of its values."""
        names = [key.name for key in kind.keys if key.name in kind.table.values.parts]
        given = {name: value for name in names if isinstance(value := getattr(values, name), Expression)}
        if given:
            vars(values).update(dict.fromkeys(given, 0.0), worked=1.0)
        return tuple(
            (name, self.scripts.add_coefficient(node.frame, value, f"{label}.{name}")) for name, value in given.items()
        )

    def _motor_labels(self, node: SceneNode) -> Iterator[str]:
        """The location of each motor that has a law, which is added to the expressions."""
        for number, coordinate in enumerate(node.joint.coordinates if node.joint else ()):
            if coordinate.law is not None:
                self.scripts.add_motor(node.frame, number, coordinate.law)
                yield f"{node.path}, {path_text(node.in_joint('motor', number))}"

    def _impulses(self, node: SceneNode) -> Iterator[ImpulseRecord]:
        for index, impulse in enumerate(node.body.impulses):
            given = {key: getattr(impulse, key) for key in ("impulse", "angular_impulse", "at")}
            values = SimpleNamespace(**given, frame=self._axes(impulse.frame, node))
            phase = self._fired.get((*node.place, "impulses", index, "when"))
            if impulse.time is not None:
                phase = self._schedule.phase(impulse.time)
            assert phase is not None
            yield ImpulseRecord(node.frame, index, impulse.name, values, phase)

    def _plain(self, given: Any, keys: tuple, node: Node) -> SimpleNamespace:
        return SimpleNamespace(**{key.name: self._value(key.form, getattr(given, key.name), node) for key in keys})

    def _value(self, form: str, value: Any, node: Node) -> Any:
        if form == AXES:
            return self._axes(value, node)
        is_path = form in (END, MEDIUM, TANK) or (form == CENTER and isinstance(value, str))
        return self._start.frame_of(value) if is_path else value

    def _axes(self, name: str, node: Node) -> int:
        """The frame of `body`, `parent` or a path; `parent` is resolved later, because it changes with the tree."""
        return {"parent": PARENT, "body": node.frame}.get(name) or self._start.frame_of(name)


def _without_expressions(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(_without_expressions(part) for part in value)
    return EXPRESSION if isinstance(value, Expression) else value
