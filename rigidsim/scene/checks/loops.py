"""Checks of loops: ends that nothing can hold together, gaps at the start."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from rigidsim.containers.optional import not_none
from rigidsim.physics.loops import CLOSED
from rigidsim.physics.vector import norm, sub
from rigidsim.scene.checks.findings import Finding
from rigidsim.scene.hierarchy.fitting import Unknown, closing_coordinates
from rigidsim.scene.hierarchy.loops import Coupled, LoopClosure, coupled_numbers, loop_closures
from rigidsim.scene.hierarchy.nodes import Hierarchy
from rigidsim.scene.hierarchy.start import Starts
from rigidsim.scene.schema.loops import AngleLoop, Coupling, DistanceLoop, HingeLoop
from rigidsim.scene.text.document import Path, shown
from rigidsim.tree.joints import coordinates_of, without_joint
from rigidsim.tree.nodes import WORLD, Tree

MOST_NAMED = 8
"""Coordinates that a hint names."""
FIT = "give rates that fit together, or omit those of joints that shall follow from the others"


def end_findings(hierarchy: Hierarchy) -> Iterator[Finding]:
    """Loops with one name, between parts of one rigid body, or between ends that forces do not move."""
    scene = hierarchy.scene
    names = [loop.name for loop in scene.world.loops]
    for index, loop in enumerate(scene.world.loops):
        if loop.name is not None and loop.name in names[:index]:
            message = f"world.loops[{names.index(loop.name)}] has the name '{shown(loop.name)}', too"
            yield Finding("name", message, ("world", "loops", index, "name"), "give each loop a name of its own")
        if isinstance(loop, Coupling):
            yield from _coupling_findings(hierarchy, loop, ("world", "loops", index))
        elif fault := held_fault(hierarchy, loop.between):
            message, hint = fault
            yield Finding("loop", message, ("world", "loops", index, "between"), hint)


def _coupling_findings(hierarchy: Hierarchy, loop: Coupling, place: Path) -> Iterator[Finding]:
    """A coupling of what is no coordinate of a joint, of one coordinate with itself, or of two that motors prescribe;
    a constant of the wrong kind.
    """
    if WORLD in loop.between:
        message = "a coupling is between coordinates of two joints, and the world has none"
        yield Finding("loop", message, (*place, "between"), "name two bodies on joints")
    nodes = [hierarchy[path] for path in loop.between if path in hierarchy]
    if len(nodes) < 2:
        return  # reported by `reference_findings`
    unjointed = next((node for node in nodes if node.joint is None), None)
    if unjointed is not None:
        yield Finding(
            "loop", without_joint(unjointed.kind, unjointed.path), (*place, "between"), "name two bodies on joints"
        )
        return
    types = [not_none(node.joint).type for node in nodes]
    numbers = coupled_numbers(loop, types)
    for node, type, number in zip(nodes, types, numbers, strict=True):
        if number is None:
            known = coordinates_of(type)
            has = f"it has {', '.join(known)}" if known else "it has none"
            message = f"which coordinate of the {type} joint of '{node.path}' is meant is not clear: {has}"
            hint = "name one of each joint, such as coordinates: [angle, angle_2]"
            yield Finding("loop", message, (*place, "coordinates" if loop.coordinates else "between"), hint)
            return
    first, second = (
        not_none(node.joint).coordinates[k] for node, k in zip(nodes, numbers, strict=True) if k is not None
    )
    if loop.between[0] == loop.between[1] and numbers[0] == numbers[1]:
        message = "both ends are the same coordinate, so there is nothing to hold"
        yield Finding("loop", message, (*place, "between"), "name two coordinates")
    if first.is_prescribed and second.is_prescribed:
        message = "motors prescribe both coordinates, so nothing can hold one at the other"
        yield Finding("loop", message, (*place, "between"), "omit one of the motors, or the coupling")
    wrong, right = ("displacement", "angle") if second.turns else ("angle", "displacement")
    if getattr(loop, wrong) is not None:
        message = f"the second coordinate is an {right}" if second.turns else f"the second coordinate is a {right}"
        yield Finding("loop", message, (*place, wrong), f"write {right}")


def held_fault(tree: Tree, between: Sequence[str]) -> tuple[str, str] | None:
    """Why nothing can hold together the nodes at two paths of this tree, and a hint; None if something can."""
    nodes = [tree.get(path) for path in between]
    if any(node is None and path != WORLD for node, path in zip(nodes, between, strict=True)):
        return None  # reported by `reference_findings`
    bases = [node and tree.base(node) for node in nodes]
    if bases[0] is bases[1]:
        what = f"parts of '{bases[0].path}'" if bases[0] else "parts of the world"
        message = f"both ends are {what}, which does not change, so there is nothing to hold"
        return message, "name two bodies that move relative to each other"
    if not any(node and tree.moved_base(node) for node in nodes):
        return "forces move neither end, so nothing can hold them together", "name a free body, or one on a joint"
    return None


def closing_findings(hierarchy: Hierarchy) -> Iterator[Finding]:
    """Loops that are not closed at t = 0, or would not stay so. The tree is weighed."""
    if hierarchy.scene.world.loops:
        advice = ""
        for index, closing in enumerate(loop_closures(hierarchy, Starts(hierarchy))):
            place = ("world", "loops", index)
            particles = [] if isinstance(closing, Coupled) else [*_particle_findings(hierarchy, closing, place)]
            gaps = [] if particles else _gap_findings(closing, place)
            if gaps and not advice:
                advice = _advice(hierarchy)
            yield from particles
            yield from (replace(gap, hint=advice + gap.hint) for gap in gaps)
            yield from [] if particles or gaps else _rate_findings(closing, place)


def _advice(hierarchy: Hierarchy) -> str:
    """The coordinates near those at the start that would close all loops, as the beginning of a hint; empty if none are
    found.
    """
    found = closing_coordinates(hierarchy)
    texts = [f"{one.node.path} {_written(one, value)}" for one, value in found[:MOST_NAMED]]
    more = [f"and {len(found) - len(texts)} more"] if len(found) > len(texts) else []
    return f"all loops are closed with {', '.join([*texts, *more])}; or " if texts else ""


def _written(unknown: Unknown, value: float) -> str:
    """A coordinate, as a scene may have it."""
    key, *place = unknown.key("start")
    turns = not_none(unknown.node.joint).coordinates[unknown.number].turns
    number = f"{math.degrees(value):.9g} deg" if turns else f"{value:.9g}"
    return f"{key}{''.join(f'[{k}]' for k in place)}: {number}"


def _particle_findings(hierarchy: Hierarchy, closing: LoopClosure, place: Path) -> Iterator[Finding]:
    ends = ((closing.first, closing.loop.at, "at"), (closing.second, closing.loop.to_at, "to_at"))
    for node, at, key in ends:
        moved_base = hierarchy.moved_base(node) if node else None
        if moved_base is None or not moved_base.is_free() or not hierarchy.composite(moved_base).mass.is_point:
            continue
        if isinstance(closing.loop, HingeLoop):
            message = f"'{moved_base.path}' is a particle, which does not rotate, so no axis of it can be held"
            yield Finding("inertia", message, (*place, "between"), "write type: point, or give it an inertia")
        elif (
            node
            and norm(sub(hierarchy.placements[node.index].point(at), hierarchy.composite(moved_base).mass.center)) > 0.0
        ):
            message = f"'{moved_base.path}' is a particle, which does not rotate, so it is held at its mass only"
            yield Finding("inertia", message, (*place, key), "omit this, or give the body an inertia")


def _gap_findings(closing: LoopClosure | Coupled, place: Path) -> list[Finding]:
    if isinstance(closing, Coupled):
        return _coupled_gap_findings(closing, place)
    loop, allowed = closing.loop, CLOSED * (closing.size)
    if closing.has_limits:
        return _limit_findings(closing, place)
    if isinstance(loop, DistanceLoop) and not closing.length > 0.0:
        message = "the points are at one place, so their distance has no direction"
        return [Finding("loop", message, place, "write type: point")]
    if isinstance(loop, DistanceLoop) and closing.gap > allowed:
        now = norm(closing.way)
        message = f"the points are {now:.9g} m apart at the start, not {closing.length:.9g} m"
        hint = f"omit the length, which is then {now:.9g} m, or move a body"
        return [Finding("loop", message, (*place, "length"), hint)]
    if closing.gap > allowed:
        x, y, z = closing.way
        message = f"the loop is open at the start: the points are {closing.gap:.9g} m apart"
        hint = f"in the axes of the first body, the second point is at [{x:.9g}, {y:.9g}, {z:.9g}] m from the first"
        return [Finding("loop", message, place, hint)]
    if isinstance(loop, HingeLoop) and closing.angle > CLOSED:
        hint = "omit 'to_axis': by default it is where the axis is at the start"
        message = f"the axes are not parallel at the start: the sine of their angle is {closing.angle:.9g}"
        return [Finding("loop", message, (*place, "to_axis"), hint)]
    return []


def _limit_findings(closing: LoopClosure, place: Path) -> list[Finding]:
    """A distance or an angle that is beyond a limit at the start."""
    assert isinstance(closing.loop, DistanceLoop | AngleLoop) and closing.loop.stops is not None
    (least, most, _), now = closing.loop.stops, closing.measured
    is_length = isinstance(closing.loop, DistanceLoop)
    what, unit, allowed = ("distance", "m", closing.size) if is_length else ("angle", "rad", 1.0)
    beyond = (now < least - CLOSED * allowed, now > most + CLOSED * allowed)
    if not any(beyond):
        return []
    side, limit = ("above", most) if beyond[1] else ("below", least)
    message = f"the {what} at the start, {now:.9g} {unit}, is {side} the limit of {limit:.9g} {unit}"
    return [Finding("loop", message, (*place, *closing.loop.keys[beyond[1]]), "move a body, or give another limit")]


def _coupled_gap_findings(closing: Coupled, place: Path) -> list[Finding]:
    if closing.gap <= CLOSED * closing.size:
        return []
    (first, second), unit = closing.coordinates, "rad" if closing.coordinates[1].turns else "m"
    key, wanted = "angle" if second.turns else "displacement", closing.ratio * first.start + closing.length
    message = f"the second coordinate is {second.start:.9g} {unit} at the start, not {wanted:.9g} {unit}"
    hint = "omit this, which then follows from the coordinates at the start, or begin with other coordinates"
    return [Finding("loop", message, (*place, key), hint)]


def _rate_findings(closing: LoopClosure | Coupled, place: Path) -> list[Finding]:
    if isinstance(closing, Coupled):
        if not closing.opens:
            return []
        first, second = (one.rate for one in closing.coordinates)
        unit = "rad/s" if closing.coordinates[1].turns else "m/s"
        message = f"the rates do not fit together at the start: the second is {second:.9g} {unit}, not "
        return [Finding("loop", f"{message}{closing.ratio * first:.9g} {unit}", place, FIT)]
    if closing.opens:
        x, y, z = closing.rate
        message = f"the loop opens at the start: its second point moves away from the first at {closing.speed:.9g} m/s"
        hint = f"{FIT}; its velocity is [{x:.9g}, {y:.9g}, {z:.9g}] m/s in the first body's axes"
        return [Finding("loop", message, place, hint)]
    if closing.turns_away:
        message = f"the loop opens at the start: its axes turn away from each other at {closing.turning:.9g} rad/s"
        return [Finding("loop", message, place, FIT)]
    return []
