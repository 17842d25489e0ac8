"""Checks of reparentings: each must be valid on the tree that the earlier ones have made."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from operator import itemgetter

from rigidsim.scene.checks.findings import Finding
from rigidsim.scene.checks.joints import bereft_fault, carries_mass, new_joint_findings, release_fault
from rigidsim.scene.checks.loops import held_fault
from rigidsim.scene.hierarchy.loops import ends_on, loop_names
from rigidsim.scene.hierarchy.nodes import Hierarchy, SceneNode, new_joint
from rigidsim.scene.schema.loops import Coupling
from rigidsim.scene.schema.scene import Reparenting
from rigidsim.tree.history import instant_of
from rigidsim.tree.nodes import WORLD, Tree

Fault = tuple[str, str, str]
"""The invalid key of a reparenting, the message, and a hint."""


def reparent_findings(hierarchy: Hierarchy) -> Iterator[Finding]:
    """Every invalid reparenting, in the order of time, with those of triggers last; the valid ones are applied."""
    tree: Tree[SceneNode] = hierarchy
    types = {node.path: node.joint.type for node in hierarchy if node.joint is not None}
    step = hierarchy.scene.simulation.step
    events = [*enumerate(hierarchy.scene.reparent)]
    timed = [(instant_of(event.time, step), n, event) for n, event in events if event.time is not None]
    fired = [(n, event) for n, event in events if event.when is not None]
    for index, event in [*((n, event) for _, n, event in sorted(timed, key=itemgetter(0))), *fired]:
        node, new = tree.get(event.body), tree.get(event.to)
        if node is None or (new is None and event.to != WORLD):
            continue  # reported by `reference_findings`
        if event.joint is None and not (event.position is event.orientation is None):
            key = "orientation" if event.position is None else "position"
            message = f"'{key}' belongs to a joint; a body that is {event.kind} keeps its pose"
            yield Finding("reparent", message, ("reparent", index, key), "omit it")
        if event.joint is not None:
            found = list(new_joint_findings(hierarchy, node, event, ("reparent", index), types.get(node.path)))
            yield from found
            if found:
                continue
            types[node.path] = event.joint[0]
        fault = _fault(tree, event, node, new)
        if fault is None:
            left, frame = tree.moved_base(node), new.frame if new else 0
            tree = tree.moved(node.index, frame, event.kind, joint=new_joint(event, tree.metres(frame)))
            bereft = bereft_fault(tree, node)
            changed = left and tree.nodes[left.index], tree.moved_base(tree[event.body])
            fault = (
                (bereft and ("body", *bereft))
                or _pair_fault(tree, changed)
                or _loop_fault(hierarchy, tree, tree[event.body], changed)
            )
        if fault is not None:
            key, message, hint = fault
            yield Finding("reparent", message, ("reparent", index, key), hint)


def _loop_fault(
    hierarchy: Hierarchy, tree: Tree[SceneNode], moved: SceneNode, changed: Iterable[SceneNode | None]
) -> Fault | None:
    """The problem with a loop on this tree, of which this body was moved, and these have changed, if there is one."""
    loops = hierarchy.scene.world.loops
    for name, loop in zip(loop_names(loops), loops, strict=True):
        if isinstance(loop, Coupling):
            if moved.joint and moved.path in loop.between:
                message = f"the coupling '{name}' holds a coordinate of the joint of '{moved.path}', which ends here"
                return "motion", message, "choose a body of no coupling, or write motion: free or fixed"
            continue
        if (fault := held_fault(tree, loop.between)) and not held_fault(hierarchy, loop.between):
            return "to", f"of the loop '{name}' then {fault[0]}", "choose another parent, or omit the loop"
    for moved_base in filter(None, changed):
        if moved_base.is_free() and moved_base.index in ends_on(tree, loops) and _is_particle(tree, moved_base):
            message = f"'{moved_base.path}', on which a loop has an end, would be a particle, which does not rotate"
            return "body", message, f"give '{moved_base.path}' an inertia"
    return None


def _is_particle(tree: Tree[SceneNode], moved_base: SceneNode) -> bool:
    """Whether all mass of a free body is one particle."""
    parts = [part for part in tree.parts(moved_base) if part.body.has_mass]
    inertia = parts[0].body.inertia if len(parts) == 1 else None
    return inertia is not None and inertia.is_point


def _fault(tree: Tree[SceneNode], event: Reparenting, node: SceneNode, new: SceneNode | None) -> Fault | None:
    if node.joint is not None and node.joint.is_tank:
        return "body", f"'{node.path}' is a tank, which keeps its parent", "reparent the body that holds it"
    if event.joint and event.joint[0] == "tank":
        return "motion", "a tank cannot be made during the run", "write motion: weld, or begin with the tank"
    if node.kind == "prescribed":
        return (
            "body",
            f"the motion of '{node.path}' is prescribed, so its parent cannot change",
            "choose a free or a fixed body",
        )
    if new is not None and node in tree.lineage(new):
        what = "the body itself" if new is node else f"a descendant of '{node.path}' itself"
        return "to", f"'{event.to}' is {what}", "choose a body that is neither it nor below it"
    if event.kind == "jointed":
        return _joint_fault(tree, event, node, new)
    if event.kind == "free":
        if not node.body.has_mass:
            massless = f"'{node.path}' has no mass, so it cannot be free"
            return "body", massless, "give it a mass, or write motion: fixed"
        fault = release_fault(tree, node)
        return None if fault is None else ("body", *fault)
    if node.kind == "fixed" and any(part.body.has_mass for part in tree.parts(node)):
        return "motion", f"'{node.path}' is already fixed", "make it free first, by another entry of reparent"
    if new is None or tree.moved_base(new) is None:
        return _holding_fault(tree, event, node)
    return None


def _joint_fault(tree: Tree[SceneNode], event: Reparenting, node: SceneNode, new: SceneNode | None) -> Fault | None:
    """The problem with hanging a node on a body by a joint, if there is one."""
    if not carries_mass(tree, node):
        message = f"nothing that has a mass is on '{node.path}', so forces could not move it on a joint"
        return "body", message, "give it a mass, or write motion: fixed"
    held = tree.moved_base(new) if new else None
    if held is not None and held.is_free() and _is_particle(tree, held):
        message = f"'{held.path}' is a particle, which does not rotate, so no joint can be attached to it"
        return "to", message, f"give '{held.path}' an inertia"
    return None


def _holding_fault(tree: Tree[SceneNode], event: Reparenting, node: SceneNode) -> Fault | None:
    """The problem with fixing a node to the world or to a prescribed motion, if there is one."""
    if any(part.body.has_mass and tree.moved_base(part) is node for part in tree):
        message = "a mass can be fixed to a free body only, not to the world or to a prescribed motion"
        return "to", message, "omit 'motion', so that it is free there"
    loaded = next((part for part in tree.parts(node) if part.body.forces or part.body.impulses), None)
    if loaded is not None:
        message = f"the loads on '{loaded.path}' would have no effect there: '{event.to}' holds it"
        return "to", message, "put it on a free body or on a part fixed to one"
    return None


def _pair_fault(tree: Tree[SceneNode], moved_bases: tuple[SceneNode | None, ...]) -> Fault | None:
    # Three particles may be on one line, too, but their positions at that time are known in the run only.
    for moved_base in filter(None, moved_bases):
        parts = [part for part in tree.parts(moved_base) if part.body.has_mass]
        if len(parts) == 2 and all(part.body.inertia and part.body.inertia.is_point for part in parts):
            first, second = (part.path for part in parts)
            line = f"'{first}' and '{second}' are two particles on a line, with no moment of inertia about it"
            message = f"together with the parts fixed to it, the inertia is not positive definite: {line}"
            hint = "give one of them an inertia; reparentings at the same time are applied in the order of the file"
            return "body", message, hint
    return None
