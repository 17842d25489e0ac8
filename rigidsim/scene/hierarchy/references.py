"""References to bodies in a scene, and the words that are allowed in place of a path."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from rigidsim.engine.laws import declaration as laws
from rigidsim.scene.expressions import Expression
from rigidsim.scene.expressions.vocabulary import BODIES, OF_JOINTS, OWN_FRAMES, SELF
from rigidsim.scene.hierarchy.nodes import Hierarchy
from rigidsim.scene.schema.forces import Declared
from rigidsim.scene.schema.let import KEY
from rigidsim.scene.schema.names import AXES
from rigidsim.scene.schema.sensors import Contact
from rigidsim.scene.text.document import Path, body_path
from rigidsim.tree.nodes import WORLD

ALLOWED = {laws.AXES: AXES, laws.END: (WORLD,), laws.MEDIUM: (WORLD,), laws.CENTER: (), laws.TANK: ()}
"""The words allowed in place of a path, by the form of a force's key."""


def coordinate_reads(hierarchy: Hierarchy) -> Iterator[tuple[Path, str, str]]:
    """Every coordinate of a joint that a load, a motor or a quantity reads: its location, the name, and the path of the
    body.
    """
    for where, quantity in quantities(hierarchy):
        for state in quantity.own_states:
            if state.quantity in OF_JOINTS:
                yield where, state.quantity, body_path(where[:-2]) if state.body == SELF else state.body
    for node in hierarchy:
        expressions = [
            (where, part)
            for index, force in enumerate(node.body.forces)
            for where, part in _expressions((*node.place, "forces", index), force)
        ]
        for number, coordinate in enumerate(node.joint.coordinates if node.joint else ()):
            if isinstance(coordinate.law, Expression):
                expressions.append(((*node.place, *node.in_joint("motor", number)), coordinate.law))
        for where, part in expressions:
            for state in part.states:
                if state.quantity in OF_JOINTS and (state in part.own_states or state.body in hierarchy.joint_types):
                    yield where, state.quantity, node.path if state.body == SELF else state.body


def references(hierarchy: Hierarchy) -> Iterator[tuple[Path, str, Collection[str]]]:
    """Every reference to a body: its location, the name, and the words that are allowed there."""
    for node in hierarchy:
        for index, force in enumerate(node.body.forces):
            yield from _of_force((*node.place, "forces", index), force)
        for index, impulse in enumerate(node.body.impulses):
            yield (*node.place, "impulses", index, "frame"), impulse.frame, AXES
        for name, sensor in node.body.sensors.items():
            if isinstance(sensor, Contact):
                yield (*node.place, "sensors", name, "to"), sensor.to, ("",)
    for where, quantity in quantities(hierarchy):
        for name in {name for state in quantity.own_states for name in (state.body, state.observer, state.other)}:
            yield where, name, (*BODIES, *OWN_FRAMES.values(), "")
    source = hierarchy.scene.world.source
    if source is not None and isinstance(source.center, str):
        yield ("world", "gravity", "center"), source.center, ()
    if hierarchy.scene.world.mutual_gravity is not None:
        for index, path in enumerate(hierarchy.scene.world.mutual_gravity.bodies or ()):
            yield ("world", "mutual_gravity", "bodies", index), path, ()
    for index, pair in enumerate(hierarchy.scene.world.contacts):
        for side, path in enumerate(pair.between):
            yield ("world", "contacts", index, "between", side), path, (WORLD,)
    for index, loop in enumerate(hierarchy.scene.world.loops):
        for side, path in enumerate(loop.between):
            yield ("world", "loops", index, "between", side), path, (WORLD,)
    for index, event in enumerate(hierarchy.scene.reparent):
        yield ("reparent", index, "body"), event.body, ()
        yield ("reparent", index, "to"), event.to, (WORLD,)


def quantities(hierarchy: Hierarchy) -> Iterator[tuple[Path, Expression]]:
    """The quantities that the scene and its bodies define, with their locations."""
    owners: list[tuple[Path, dict[str, Expression]]]
    owners = [((), hierarchy.scene.let), *((node.place, node.body.let) for node in hierarchy)]
    return (((*place, KEY, name), quantity) for place, let in owners for name, quantity in let.items())


def _of_force(place: Path, force: Declared) -> Iterator[tuple[Path, str, Collection[str]]]:
    for key in force.kind.keys:
        value = getattr(force, key.name)
        if key.form in ALLOWED and isinstance(value, str):
            yield (*place, key.name), value, ALLOWED[key.form]
    for where, part in _expressions(place, force):
        for state in part.own_states:
            yield where, state.body, BODIES
            yield where, state.observer, BODIES


def _expressions(place: Path, force: Declared) -> Iterator[tuple[Path, Expression]]:
    """The expressions of a force, with their locations."""
    for key in force.kind.keys:
        value = getattr(force, key.name)
        for index, part in enumerate(value) if isinstance(value, tuple) else [(None, value)]:
            if isinstance(part, Expression):
                yield (*place, key.name) if index is None else (*place, key.name, index), part
