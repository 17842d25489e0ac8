"""Warnings about what is written in vain: values that are corrected, contradicted by shapes, or have no effect."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from rigidsim.containers.optional import not_none
from rigidsim.physics.mass import joined, principal_moments, unpacked
from rigidsim.physics.vector import norm, sub
from rigidsim.scene.hierarchy.collision_pairs import MOST_RATIO, CollisionPairs
from rigidsim.scene.hierarchy.fitting import opposed_motors
from rigidsim.scene.hierarchy.mass import solid_masses
from rigidsim.scene.hierarchy.nodes import Hierarchy, SceneNode
from rigidsim.scene.text.document import Path
from rigidsim.scene.text.plain import bodies_in

WORTH_TELLING = 1e-9


def normalised_notes(data: dict[str, Any]) -> Iterator[tuple[Path, str]]:
    """Each quaternion in a valid scene that was not exactly of length one, as (path, sentence)."""
    for path, body in bodies_in(data["bodies"]):
        yield from _quaternion_notes((*path, "orientation"), body.get("orientation", {}))
        inertia = body.get("inertia", {})
        if isinstance(inertia, dict):
            yield from _quaternion_notes((*path, "inertia", "orientation"), inertia.get("orientation", {}))
        for index, shape in enumerate(body.get("shapes", [])):
            yield from _quaternion_notes((*path, "shapes", index, "orientation"), shape.get("orientation", {}))
        for index, force in enumerate(body.get("forces", [])):
            yield from _quaternion_notes((*path, "forces", index, "rest"), force.get("rest", {}))


def _quaternion_notes(path: Path, orientation: dict[str, Any]) -> Iterator[tuple[Path, str]]:
    for key in ("wxyz", "xyzw"):
        parts = orientation.get(key, (1,))
        if any(isinstance(part, str) for part in parts):
            continue  # expressions are evaluated to full precision
        norm = math.hypot(*parts)
        if abs(norm - 1) > WORTH_TELLING:
            yield (*path, key), f"the quaternion of norm {norm:.9g} was normalised"


SAME_PLACE = 1e-9
"""Tolerance relative to the reach of the shapes: a given centre of mass this close to theirs is treated as equal."""
ROUNDING = 1e-9
"""Tolerance by which a radius of gyration may exceed the reach of the shapes; for a thin ring the two are equal."""


def shape_notes(hierarchy: Hierarchy) -> Iterator[tuple[Path, str]]:
    """Each given centre of mass or inertia that differs from that of the shapes, as (path, sentence)."""
    for node in hierarchy:
        if node.body.has_mass and node.body.solids:
            yield from _center_notes(node)
            yield from _gyration_notes(node)


def _center_notes(node: SceneNode) -> Iterator[tuple[Path, str]]:
    body = node.body
    if not node.given("center_of_mass") or body.inertia is not None:
        return  # with an inertia, too, nothing is that of the shapes
    center = joined(solid_masses(body, node.metres), node.metres).center
    reach = max(solid.reach(center) for solid in body.solids)
    if norm(sub(center, body.center_of_mass)) > SAME_PLACE * reach:
        place = ", ".join(f"{part:.6g}" for part in center)
        yield (*node.place, "center_of_mass"), f"it is used instead of that of the shapes, [{place}]"


def _gyration_notes(node: SceneNode) -> Iterator[tuple[Path, str]]:
    body = node.body
    if body.inertia is None or body.inertia.is_point:
        return
    mass, center, inertia = not_none(node.mass)
    gyration = math.sqrt(principal_moments(unpacked(inertia))[2] / mass)
    reach = node.metres * max(solid.reach(center) for solid in body.solids)
    if gyration > reach * (1 + ROUNDING):
        message = f"the radius of gyration, {gyration:.6g} m, exceeds the reach of the shapes, {reach:.6g} m"
        yield (*node.place, "inertia"), message


SAMPLES = 100
"""The advised number of samples."""


def idle_notes(hierarchy: Hierarchy) -> Iterator[tuple[Path, str]]:
    """Forces, impulses, reparentings and samples after the end of the simulation; springs between parts of one body;
    restitutions of joints without stops.
    """
    end, every = hierarchy.scene.simulation.duration, hierarchy.scene.simulation.record_every
    if every is not None and every > end:
        step = hierarchy.scene.simulation.step
        message = f"it is longer than the duration of {end:.12g} s, so that only the start and the end are recorded"
        often = step * max(1, round(end / step / SAMPLES))
        yield ("simulation", "record_every"), f"{message}; use {often:.12g} s to show the motion"
    for node in hierarchy:
        for index, force in enumerate(node.body.forces):
            if force.during is not None and force.during[0] >= end:
                place = (*node.place, "forces", index, "during")
                yield place, f"it begins at {force.during[0]:.12g} s, but the simulation ends at {end:.12g} s"
            other = hierarchy.get(getattr(force, "to", None))
            if other is not None and (whole := _whole(hierarchy, node)) and whole == _whole(hierarchy, other):
                message = f"both ends are parts of '{whole}', so it has no effect; choose another body in 'to'"
                yield (*node.place, "forces", index, "to"), message
        for number, one in enumerate(node.joint.coordinates if node.joint else ()):
            if one.restitution and one.low == -math.inf and one.high == math.inf:
                place = (*node.place, *node.in_joint("restitution", number))
                yield place, "without limits it has no effect"
        yield from _events((*node.place, "impulses"), node.body.impulses, end)
    yield from _events(("reparent",), hierarchy.scene.reparent, end)


def _events(place: Path, events: tuple, end: float) -> Iterator[tuple[Path, str]]:
    for index, event in enumerate(events):
        if event.when is None and event.time > end:
            message = f"at {event.time:.12g} s it is too late: the simulation ends at {end:.12g} s"
            yield (*place, index, "time"), message


def _whole(hierarchy: Hierarchy, node: SceneNode) -> str:
    """The path of the free body of which a node is a part during the whole run; empty if there is none."""
    moved_bases = {tree.moved_base(tree.nodes[node.index]) for tree in hierarchy.history}
    paths = {moved_base.path if moved_base else "" for moved_base in moved_bases}
    return paths.pop() if len(paths) == 1 else ""


def motor_notes(hierarchy: Hierarchy) -> Iterator[tuple[Path, str]]:
    """Motors that loops set against each other, as (path, sentence)."""
    opposed = opposed_motors(hierarchy) if hierarchy.scene.world.loops else []
    if not opposed:
        return
    first, names = opposed[0], list(dict.fromkeys(f"'{one.node.path}'" for one in opposed))
    if len(names) > 1:
        said = f"the motors of {', '.join(names[:-1])} and {names[-1]} hold coordinates that loops tie to each other"
    else:
        said = f"the motor of {names[0]} holds a coordinate that loops hold already"
    message = f"{said}: the mechanism is statically indeterminate, and how it shares the torques is arbitrary"
    yield (
        (*first.node.place, *first.node.in_joint("motor", first.number)),
        f"{message}; let some of them have a torque instead",
    )


def contact_notes(hierarchy: Hierarchy) -> Iterator[tuple[Path, str]]:
    """Everything about contact that may not be meant, as (path, sentence)."""
    collision_pairs = CollisionPairs(hierarchy)
    if collision_pairs.settings.substeps is None and collision_pairs.ratio > MOST_RATIO:
        message = (
            f"moving bodies that can collide have a ratio of masses of {collision_pairs.ratio:.3g}. Above"
            f" {MOST_RATIO:g} a light body under a heavy one sinks into what it lies on. A smaller step helps; given"
            " substeps end this warning"
        )
        yield ("simulation", "contact"), message
    if collision_pairs.settings.mode != "off" and collision_pairs.surfaces.entries:
        yield from _idle_pairs(collision_pairs)


def _idle_pairs(collision_pairs: CollisionPairs) -> Iterator[tuple[Path, str]]:
    """Entries of `world.contacts` for bodies that can never touch."""
    surfaces = collision_pairs.surfaces
    possible = np.zeros((len(surfaces.all),) * 2, dtype=bool)
    for a, b in collision_pairs.possible_pairs():
        possible[a, b] = possible[b, a] = True
    for index, entry in enumerate(surfaces.entries):
        place = ("world", "contacts", index, "between")
        sides = [surfaces.members(path) for path in entry.between]
        bare = [side for side, members in enumerate(sides) if not len(members)]
        for side in bare:
            yield (*place, side), f"there is no shape on '{entry.between[side]}' or below it, so this has no effect"
        if not bare and not possible[np.ix_(*sides)].any():
            one, other = entry.between
            reason = "they are planes, parts of one body, or both not moved by forces"
            yield place, f"'{one}' and '{other}' can never touch, so this has no effect: {reason}"
