"""Checks of reparentings: each must be valid on the tree that the earlier ones have made."""

from __future__ import annotations

from collections.abc import Iterator

from rigidsim.scene.checks.findings import Finding
from rigidsim.scene.hierarchy.nodes import Hierarchy, SceneNode
from rigidsim.scene.schema.scene import Reparenting
from rigidsim.tree.history import instant_of
from rigidsim.tree.nodes import WORLD, Tree

Fault = tuple[str, str, str]
"""The invalid key of a reparenting, the message, and a hint."""


def reparent_findings(hierarchy: Hierarchy) -> Iterator[Finding]:
    """Every invalid reparenting, in the order of time; the valid ones are applied."""
    tree: Tree = hierarchy
    jointed = next((node.path for node in hierarchy if node.joint is not None), None)
    if jointed is not None and hierarchy.scene.reparent:
        message = f"in this version the hierarchy cannot change in a scene with joints, such as that of '{jointed}'"
        yield Finding("reparent", message, ("reparent", 0), "omit 'reparent', or the joints")
        return
    step = hierarchy.scene.simulation.step
    for index, event in sorted(enumerate(hierarchy.scene.reparent), key=lambda item: instant_of(item[1].time, step)):
        node, new = tree.get(event.body), tree.get(event.to)
        if node is None or (new is None and event.to != WORLD):
            continue  # reported by `reference_findings`
        fault = _fault(tree, event, node, new)
        if fault is None:
            left, tree = tree.carrier(node), tree.moved(node.index, new.frame if new else 0, event.motion)
            fault = _pair_fault(tree, (left and tree.nodes[left.index], tree.carrier(tree[event.body])))
        if fault is not None:
            key, message, hint = fault
            yield Finding("reparent", message, ("reparent", index, key), hint)


def _fault(tree: Tree, event: Reparenting, node: SceneNode, new: SceneNode | None) -> Fault | None:
    if node.kind == "prescribed":
        return (
            "body",
            f"the motion of '{node.path}' is prescribed, so its parent cannot change",
            "choose a free or a fixed body",
        )
    if new is not None and node in tree.lineage(new):
        return "to", f"'{event.to}' is a descendant of '{node.path}' itself", "choose a body that is not"
    if event.motion == "free":
        massless = f"'{node.path}' has no mass, so it cannot be free"
        return None if node.body.has_mass else ("body", massless, "give it a mass, or write motion: fixed")
    if node.kind == "fixed" and any(part.body.has_mass for part in tree.parts(node)):
        return "motion", f"'{node.path}' is already fixed", "make it free first, by another entry of reparent"
    if new is None or tree.carrier(new) is None:
        return _holding_fault(tree, event, node)
    return None


def _holding_fault(tree: Tree, event: Reparenting, node: SceneNode) -> Fault | None:
    """The problem with fixing a node to the world or to a prescribed motion, if there is one."""
    if any(part.body.has_mass and tree.carrier(part) is node for part in tree):
        message = "a mass can be fixed to a free body only, not to the world or to a prescribed motion"
        return "to", message, "omit 'motion', so that it is free there"
    loaded = next((part for part in tree.parts(node) if part.body.forces or part.body.impulses), None)
    if loaded is not None:
        message = f"the loads on '{loaded.path}' would have no effect there: '{event.to}' holds it"
        return "to", message, "put it on a free body or on a part fixed to one"
    return None


def _pair_fault(tree: Tree, carriers: tuple[SceneNode | None, ...]) -> Fault | None:
    # Three particles may be on one line, too, but their positions at that time are known in the run only.
    for carrier in filter(None, carriers):
        parts = [part for part in tree.parts(carrier) if part.body.has_mass]
        if len(parts) == 2 and all(part.body.inertia and part.body.inertia.is_point for part in parts):
            first, second = (part.path for part in parts)
            line = f"'{first}' and '{second}' are two particles on a line, with no moment of inertia about it"
            message = f"together with the parts fixed to it, the inertia is not positive definite: {line}"
            hint = "give one of them an inertia; reparentings at the same time are applied in the order of the file"
            return "body", message, hint
    return None
