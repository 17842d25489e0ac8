"""Checks of what acts on bodies: that it acts on one that can move, and that changes of the tree make sense."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rigidsim.engine.laws.declaration import CENTER, END, MEDIUM
from rigidsim.scene.hierarchy.findings import Finding, Node, nodes
from rigidsim.scene.hierarchy.references import WORLD, node_path
from rigidsim.scene.schema.events import Reparenting

if TYPE_CHECKING:
    from rigidsim.scene.scene import Scene
    from rigidsim.scene.schema.body import Body


def load_findings(node: Node) -> Iterator[Finding]:
    """Forces and impulses on what does not move by them."""
    for key, name in (("forces", "a force"), ("impulses", "an impulse")):
        if getattr(node.body, key) and (node.carrier is None or node.carrier.kind != "free"):
            holder = "world" if node.carrier is None else "prescribed motion"
            message = f"{name} has no effect here: the {holder} holds this body"
            yield node.finding("force", message, key, "put it on a free body or on a part fixed to one")
    if node.body.inherit_impulses and node.body.kind != "free":
        yield node.finding("motion", "only a free body can inherit impulses", "inherit_impulses", "leave it out")


def source_findings(scene: Scene) -> Iterator[Finding]:
    """Gravity-gradient torques without a source, and bodies that are to act on themselves."""
    known = {node_path(node.path): node for node in nodes(scene)}
    for path, node in known.items():
        for index, force in enumerate(node.body.forces):
            place = (*node.path, "forces", index)
            takes_world = force.kind.takes_world and force.center is None
            if takes_world and scene.world.source is None:
                hint = "give 'center' and 'gm' here, or world: {gravity: {center: ..., gm: ...}}"
                yield Finding("gravity", "there is no point source of gravity to take the gradient of", place, hint)
            for key in force.kind.keys:
                value, where = getattr(force, key.name), (*place, key.name)
                if key.form in (END, MEDIUM) and value == path:
                    yield Finding("force", f"this is the body itself, where a {force.type} does nothing", where)
                if key.form == CENTER:
                    source = scene.world.source and scene.world.source.center if takes_world else value
                    center = known.get(source) if isinstance(source, str) else None
                    if center is not None and center.carrier is node.carrier:
                        where, hint = place if takes_world else where, "name another body, or a point"
                        yield Finding("gravity", "a body does not attract itself", where, hint)


def mutual_findings(scene: Scene) -> Iterator[Finding]:
    """Groups that cannot attract each other."""
    mutual = scene.world.mutual_gravity
    if mutual is None or mutual.bodies is None:
        return
    above = ("world", "mutual_gravity", "bodies")
    known = {node_path(node.path): node for node in nodes(scene)}
    first = {path: index for index, path in reversed([*enumerate(mutual.bodies)])}
    for index, path in enumerate(mutual.bodies):
        if path in known and known[path].body.kind != "free":
            hint = "mutual gravity acts between free bodies"
            yield Finding("gravity", f"'{path}' is not a free body", (*above, index), hint)
        elif first[path] < index:
            yield Finding("gravity", f"'{path}' is named twice", (*above, index), "leave one of the two out")
    if len(mutual.bodies) < 2:
        yield Finding("gravity", "it takes two bodies to attract each other", above, "left out, all free bodies do")


def reparent_findings(scene: Scene) -> Iterator[Finding]:
    """Every reparenting that cannot be done, the others taken as done, in the order of time."""
    bodies = {node_path(node.path): node.body for node in nodes(scene)}
    kinds = {path: body.kind for path, body in bodies.items()}
    parents = {path: path.rpartition("/")[0] for path in bodies}
    in_time = sorted(enumerate(scene.reparent), key=lambda item: item[1].time)
    for index, event in in_time:
        if event.body not in bodies or event.to not in (WORLD, *bodies):
            continue  # told elsewhere
        told = _fault(event, bodies, kinds, parents)
        if told is None:
            left = _carrier(event.body, kinds, parents)
            parents[event.body] = "" if event.to == WORLD else event.to
            kinds[event.body] = event.motion
            told = _pair_fault((left, _carrier(event.body, kinds, parents)), bodies, kinds, parents)
        if told is not None:
            key, message, hint = told
            yield Finding("reparent", message, ("reparent", index, key), hint)


def _fault(event: Reparenting, bodies: dict, kinds: dict, parents: dict) -> tuple[str, str, str] | None:
    kind, new = kinds[event.body], "" if event.to == WORLD else event.to
    line = list(_line(new, parents))
    massive = [path for path in bodies if bodies[path].has_mass and _carrier(path, kinds, parents) == event.body]
    if kind == "prescribed":
        return "body", f"the motion of '{event.body}' is prescribed; it keeps its parent", "name a free or a fixed body"
    if event.body in line:
        return "to", f"'{event.to}' hangs on '{event.body}' itself", "name a body that does not"
    if event.motion == "free" and not bodies[event.body].has_mass:
        return "body", f"'{event.body}' has no mass, so it cannot be free", "give it a mass, or write motion: fixed"
    if event.motion == "fixed" and kind == "fixed" and _brings_mass(event.body, bodies, kinds, parents):
        return "motion", f"'{event.body}' is fixed already", "free it first, by another entry of reparent"
    if event.motion == "fixed" and _carrier(new, kinds, parents) is None:
        if massive:
            message = "a mass can be fixed to a free body only, not to the world or to a prescribed motion"
            return "to", message, "leave 'motion' out, so that it is free there"
        loaded = next((path for path in _parts(event.body, kinds, parents) if _is_loaded(bodies[path])), None)
        if loaded is not None:
            message = f"what acts on '{loaded}' would have no effect there: '{event.to}' holds it"
            return "to", message, "put it on a free body or on a part fixed to one"
    return None


def _pair_fault(carriers: tuple, bodies: dict, kinds: dict, parents: dict) -> tuple[str, str, str] | None:
    # Three particles may be on one line, too: only the run knows where they are by then.
    for carrier in filter(None, carriers):
        parts = [path for path in _parts(carrier, kinds, parents) if bodies[path].has_mass]
        if len(parts) == 2 and all(bodies[path].inertia and bodies[path].inertia.is_point for path in parts):
            line = f"'{parts[0]}' and '{parts[1]}' are two particles on a line, about which no torque turns them"
            message = f"together with what is fixed to it, the inertia is not positive definite: {line}"
            hint = "give one of them an inertia; those of one instant are done one by one, in the order of the file"
            return "body", message, hint
    return None


def _brings_mass(path: str, bodies: dict, kinds: dict, parents: dict) -> bool:
    return any(bodies[part].has_mass for part in _parts(path, kinds, parents))


def _is_loaded(body: Body) -> bool:
    return bool(body.forces or body.impulses)


def _parts(top: str, kinds: dict, parents: dict) -> Iterator[str]:
    """A body and all that is fixed to it, directly or through fixed parts."""
    for path in parents:
        line = list(_line(path, parents))
        if top in line and all(kinds[between] == "fixed" for between in line[: line.index(top)]):
            yield path


def _carrier(path: str, kinds: dict, parents: dict) -> str | None:
    above = next((p for p in _line(path, parents) if kinds[p] != "fixed"), None)
    return above if above is not None and kinds[above] == "free" else None


def _line(path: str, parents: dict) -> Iterator[str]:
    while path:
        yield path
        path = parents[path]
