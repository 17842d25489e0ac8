"""What one part of a scene calls another by: every mention of a body, and the words that may stand there as well."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from rigidsim.scene.expressions import Expression
from rigidsim.scene.hierarchy.nodes import Hierarchy
from rigidsim.scene.schema.names import AXES, SEEN, WORLD
from rigidsim.scene.text.document import Path


def references(hierarchy: Hierarchy) -> Iterator[tuple[Path, str, Collection[str]]]:
    """Every name of a body that the scene mentions: where, the name, and the words that could stand there as well."""
    for node in hierarchy:
        for index, force in enumerate(node.body.forces):
            yield from _of_force((*node.place, "forces", index), force)
        for index, impulse in enumerate(node.body.impulses):
            yield (*node.place, "impulses", index, "frame"), impulse.frame, AXES
    source = hierarchy.scene.world.source
    if source is not None and isinstance(source.center, str):
        yield ("world", "gravity", "center"), source.center, ()
    if hierarchy.scene.world.mutual_gravity is not None:
        for index, path in enumerate(hierarchy.scene.world.mutual_gravity.bodies or ()):
            yield ("world", "mutual_gravity", "bodies", index), path, ()
    for index, event in enumerate(hierarchy.scene.reparent):
        yield ("reparent", index, "body"), event.body, ()
        yield ("reparent", index, "to"), event.to, (WORLD,)


def _of_force(place: Path, force: object) -> Iterator[tuple[Path, str, Collection[str]]]:
    words = {"frame": AXES, "to": (WORLD,), "medium": (WORLD,)}
    for key, allowed in words.items():
        if hasattr(force, key):
            yield (*place, key), getattr(force, key), allowed
    if isinstance(getattr(force, "center", None), str):
        yield (*place, "center"), force.center, ()
    for key in type(force).model_fields:
        value = getattr(force, key)
        for index, part in enumerate(value) if isinstance(value, tuple) else [(None, value)]:
            if isinstance(part, Expression):
                where = (*place, key) if index is None else (*place, key, index)
                for state in part.states:
                    yield where, state.body, SEEN
                    yield where, state.observer, SEEN
