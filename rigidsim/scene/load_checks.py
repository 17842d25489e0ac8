"""Checks of what acts on bodies: that it acts on one that can move, and that changes of the tree make sense."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rigidsim.scene.findings import Finding, Node, nodes
from rigidsim.scene.forces import GravityGradient, Reparenting
from rigidsim.scene.references import WORLD, node_path

if TYPE_CHECKING:
    from rigidsim.scene.scene import Scene


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
    """Gravity-gradient torques without a source, and groups that cannot attract each other."""
    for node in nodes(scene):
        for index, force in enumerate(node.body.forces):
            if isinstance(force, GravityGradient) and force.center is None and scene.world.source is None:
                hint = "give 'center' and 'gm' here, or world: {gravity: {center: ..., gm: ...}}"
                place = (*node.path, "forces", index)
                yield Finding("gravity", "there is no point source of gravity to take the gradient of", place, hint)
    mutual = scene.world.mutual_gravity
    carriers = {node_path(node.path): node for node in nodes(scene)}
    for index, path in enumerate(mutual.bodies or ()) if mutual else ():
        node = carriers.get(path)
        if node is not None and node.body.kind != "free":
            place = ("world", "mutual_gravity", "bodies", index)
            yield Finding("gravity", f"'{path}' is not a free body", place, "mutual gravity acts between free bodies")


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
            parents[event.body] = "" if event.to == WORLD else event.to
            kinds[event.body] = event.motion
        else:
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
    if event.motion == "fixed" and massive and _carrier(new, kinds, parents) is None:
        return "to", "a mass can be fixed to a free body only, not to the world or to a prescribed motion", ""
    return None


def _brings_mass(path: str, bodies: dict, kinds: dict, parents: dict) -> bool:
    below = (other for other in bodies if path in _line(other, parents))
    return any(bodies[other].has_mass and _all_fixed(other, path, kinds, parents) for other in below)


def _all_fixed(path: str, top: str, kinds: dict, parents: dict) -> bool:
    line = list(_line(path, parents))
    return all(kinds[between] == "fixed" for between in line[: line.index(top) + 1])


def _carrier(path: str, kinds: dict, parents: dict) -> str | None:
    above = next((p for p in _line(path, parents) if kinds[p] != "fixed"), None)
    return above if above is not None and kinds[above] == "free" else None


def _line(path: str, parents: dict) -> Iterator[str]:
    while path:
        yield path
        path = parents[path]
