"""Changes of the tree: each must make sense after those before it."""

from __future__ import annotations

from collections.abc import Iterator

from rigidsim.scene.checks.findings import Finding
from rigidsim.scene.hierarchy.nodes import Hierarchy, SceneNode
from rigidsim.scene.schema.events import Reparenting
from rigidsim.scene.schema.names import WORLD

Fault = tuple[str, str, str]
"""The key of the reparenting that is at fault, the message, and a hint."""


def reparent_findings(hierarchy: Hierarchy) -> Iterator[Finding]:
    """Every reparenting that cannot be done, the others taken as done, in the order of time."""
    tree = Hierarchy(hierarchy.scene)
    for index, event in sorted(enumerate(hierarchy.scene.reparent), key=lambda item: item[1].time):
        node, new = tree.get(event.body), tree.get(event.to)
        if node is None or (new is None and event.to != WORLD):
            continue  # told elsewhere
        fault = _fault(tree, event, node, new)
        if fault is None:
            left = node.carrier
            node.parent, node.kind = new, event.motion
            fault = _pair_fault(tree, (left, node.carrier))
        if fault is not None:
            key, message, hint = fault
            yield Finding("reparent", message, ("reparent", index, key), hint)


def _fault(tree: Hierarchy, event: Reparenting, node: SceneNode, new: SceneNode | None) -> Fault | None:
    if node.kind == "prescribed":
        return "body", f"the motion of '{node.path}' is prescribed; it keeps its parent", "name a free or a fixed body"
    if new is not None and node in new.line():
        return "to", f"'{event.to}' hangs on '{node.path}' itself", "name a body that does not"
    if event.motion == "free":
        massless = f"'{node.path}' has no mass, so it cannot be free"
        return None if node.body.has_mass else ("body", massless, "give it a mass, or write motion: fixed")
    if node.kind == "fixed" and any(part.body.has_mass for part in tree.parts(node)):
        return "motion", f"'{node.path}' is fixed already", "free it first, by another entry of reparent"
    if new is None or new.carrier is None:
        return _holding_fault(tree, event, node)
    return None


def _holding_fault(tree: Hierarchy, event: Reparenting, node: SceneNode) -> Fault | None:
    """What is wrong with fixing a node to what no force moves."""
    if any(part.body.has_mass and part.carrier is node for part in tree):
        message = "a mass can be fixed to a free body only, not to the world or to a prescribed motion"
        return "to", message, "leave 'motion' out, so that it is free there"
    loaded = next((part for part in tree.parts(node) if part.body.forces or part.body.impulses), None)
    if loaded is not None:
        message = f"what acts on '{loaded.path}' would have no effect there: '{event.to}' holds it"
        return "to", message, "put it on a free body or on a part fixed to one"
    return None


def _pair_fault(tree: Hierarchy, carriers: tuple[SceneNode | None, ...]) -> Fault | None:
    # Three particles may be on one line, too: only the run knows where they are by then.
    for carrier in filter(None, carriers):
        parts = [part for part in tree.parts(carrier) if part.body.has_mass]
        if len(parts) == 2 and all(part.body.inertia and part.body.inertia.is_point for part in parts):
            first, second = (part.path for part in parts)
            line = f"'{first}' and '{second}' are two particles on a line, about which no torque turns them"
            message = f"together with what is fixed to it, the inertia is not positive definite: {line}"
            hint = "give one of them an inertia; those of one instant are done one by one, in the order of the file"
            return "body", message, hint
    return None
