"""Checks of loads and impulses: whether they act on bodies that can move, and whether their other bodies are valid."""

from __future__ import annotations

from collections.abc import Iterator

from rigidsim.engine.laws.declaration import CENTER, END, MEDIUM
from rigidsim.scene.checks.findings import Finding, finding_at
from rigidsim.scene.hierarchy.nodes import Hierarchy, SceneNode


def load_findings(node: SceneNode) -> Iterator[Finding]:
    """Forces and impulses on bodies that cannot move."""
    for key, name in (("forces", "a force"), ("impulses", "an impulse")):
        if getattr(node.body, key) and (node.carrier is None):
            holder = "world" if node.holder is None else "prescribed motion"
            message = f"{name} has no effect here: the {holder} holds this body"
            yield finding_at(node, "force", message, key, "put it on a free body or on a part fixed to one")
    if node.body.inherit_impulses and node.kind != "free":
        yield finding_at(node, "motion", "only a free body can inherit impulses", "inherit_impulses", "omit it")


def source_findings(hierarchy: Hierarchy) -> Iterator[Finding]:
    """Gravity-gradient torques without a source, and loads between a body and itself."""
    for node in hierarchy:
        for index, force in enumerate(node.body.forces):
            place, world = (*node.place, "forces", index), hierarchy.scene.world.source
            takes_world = force.kind.takes_world and force.center is None
            if takes_world and world is None:
                hint = "give 'center' and 'gm' here, or world: {gravity: {center: ..., gm: ...}}"
                yield Finding("gravity", "there is no point source of gravity for this gradient", place, hint)
            for key in force.kind.keys:
                value, where = getattr(force, key.name), (*place, key.name)
                if key.form in (END, MEDIUM) and value == node.path:
                    yield Finding(
                        "force",
                        f"this is the body itself; a {force.type} between a body and itself has no effect",
                        where,
                    )
                if key.form == CENTER:
                    source = world and world.center if takes_world else value
                    center = hierarchy.get(source) if isinstance(source, str) else None
                    if center is not None and center.holder is node.holder:
                        where, hint = place if takes_world else where, "choose another body, or a point"
                        yield Finding("gravity", "a body does not attract itself", where, hint)


def mutual_findings(hierarchy: Hierarchy) -> Iterator[Finding]:
    """Groups of mutual gravity with invalid members."""
    mutual = hierarchy.scene.world.mutual_gravity
    if mutual is None or mutual.bodies is None:
        return
    above = ("world", "mutual_gravity", "bodies")
    first = {path: index for index, path in reversed([*enumerate(mutual.bodies)])}
    for index, path in enumerate(mutual.bodies):
        if path in hierarchy and hierarchy[path].kind != "free":
            hint = "mutual gravity acts between free bodies"
            yield Finding("gravity", f"'{path}' is not a free body", (*above, index), hint)
        elif first[path] < index:
            yield Finding("gravity", f"'{path}' occurs twice", (*above, index), "omit one of the two")
    if len(mutual.bodies) < 2:
        yield Finding(
            "gravity",
            "mutual gravity needs at least two bodies",
            above,
            "without 'bodies' all free bodies attract each other",
        )
