"""Checks of a scene that involve several of its parts."""

from __future__ import annotations

import math
from collections.abc import Iterator

from rigidsim.physics.quaternion import rotate
from rigidsim.physics.vector import cross, norm
from rigidsim.scene.checks.findings import Finding, finding_at, is_whole
from rigidsim.scene.checks.joints import joint_findings, method_findings, resistance_findings
from rigidsim.scene.checks.loads import (
    load_findings,
    mass_findings,
    mutual_findings,
    reaction_findings,
    source_findings,
)
from rigidsim.scene.checks.loops import closing_findings, end_findings
from rigidsim.scene.checks.machines import machine_findings
from rigidsim.scene.checks.metrics import metric_findings, trigger_findings
from rigidsim.scene.checks.plane import plane_findings
from rigidsim.scene.checks.references import oracle_findings, record_findings, reference_findings
from rigidsim.scene.checks.reparenting import reparent_findings
from rigidsim.scene.checks.sensing import sensing_findings
from rigidsim.scene.checks.shapes import contact_findings, group_findings, mass_key, shape_findings
from rigidsim.scene.checks.start import place_findings
from rigidsim.scene.hierarchy.nodes import Hierarchy, SceneNode
from rigidsim.scene.schema.prescription import PrescribedMotion
from rigidsim.scene.schema.simulation import SimulationSettings
from rigidsim.scene.values.quantities import LARGEST
from rigidsim.scene.values.rotation import Vector

PARALLEL_TOLERANCE = 1e-9
MOST_STEPS = 1e12
NO_REACTION = "a prescribed node exerts no reaction; give the mass to a free body, or to one on a joint with a motor"


def findings(hierarchy: Hierarchy) -> list[Finding]:
    """All problems of a scene of which each part is valid on its own."""
    found = list(time_findings(hierarchy.scene.simulation))
    for node in hierarchy:
        for check in NODE_CHECKS:
            found += check(hierarchy, node)
    for check_all in SCENE_CHECKS:
        found += check_all(hierarchy)
    return found


def mass_and_contact_findings(hierarchy: Hierarchy) -> list[Finding]:
    """The problems of a weighed tree without other problems: masses can be joined only if each of them is valid."""
    of_nodes = (finding for node in hierarchy for finding in mass_findings(hierarchy, node))
    of_all = (*reaction_findings(hierarchy), *resistance_findings(hierarchy))
    of_all = (*of_all, *place_findings(hierarchy), *closing_findings(hierarchy))
    return [*of_nodes, *of_all] or [*contact_findings(hierarchy)]


def time_findings(simulation: SimulationSettings) -> Iterator[Finding]:
    """Steps and times between samples that do not divide the duration."""
    duration, step, every = simulation.duration, simulation.step, simulation.record_every
    name, plural = ("step", "steps") if simulation.has_step else ("record_every", "times")
    path = ("simulation", name)
    if step > duration:
        yield Finding("step", f"the {name} of {step:g} s is longer than the duration of {duration:g} s", path)
    elif not duration / step <= MOST_STEPS:
        count = "steps" if simulation.has_step else "samples"
        yield Finding("step", f"{duration:g} s / {step:g} s are more than {MOST_STEPS:g} {count}", path)
    elif not is_whole(duration / step):
        few = math.floor(duration / step)
        hint = (
            f"nearest {plural}: {duration / (few + 1):.12g} s and {duration / few:.12g} s; "
            f"nearest durations: {few * step:.12g} s and {(few + 1) * step:.12g} s"
        )
        yield Finding("step", f"duration / {name} = {duration / step:.9g} is not a whole number", path, hint)
    elif every is not None and not (every / step <= MOST_STEPS and is_whole(every / step)):
        few = math.floor(min(every / step, MOST_STEPS))
        hint = "nearest: " + " and ".join(f"{count * step:.12g} s" for count in (few, few + 1) if count)
        message = f"record_every / step = {every / step:.9g} is not a whole number"
        yield Finding("step", message, ("simulation", "record_every"), hint)


def _scale_findings(_: Hierarchy, node: SceneNode) -> Iterator[Finding]:
    if not 1.0 / LARGEST <= node.metres <= LARGEST:
        message = f"a unit of length here is {node.metres:g} m, not between {1.0 / LARGEST:g} and {LARGEST:g} m"
        yield finding_at(node, "scale", message, "scale")


def _placed_mass_findings(hierarchy: Hierarchy, node: SceneNode) -> Iterator[Finding]:
    body, kind = node.body, node.kind
    if not body.has_mass:
        if kind == "free":
            hint = "give it one, or write motion: fixed"
            yield finding_at(node, "missing-key", "a free body needs a mass", None, hint)
        for key in ("inertia", "center_of_mass"):
            if node.given(key):
                hint = "add a mass, or omit this"
                yield finding_at(node, "mass", f"'{key}' is given, but the body has no mass", key, hint)
        return
    if kind == "prescribed":
        message = "a body with a prescribed motion cannot have a mass"
        yield finding_at(node, "mass", message, mass_key(body), NO_REACTION)
    elif hierarchy.moved_base(node) is None:
        base = "a body with a prescribed motion" if hierarchy.base(node) else "the world"
        message = f"this body is fixed to {base}, where its mass has no effect"
        yield finding_at(node, "mass", message, mass_key(body), "omit the mass, or make the body free")
    elif body.mass is not None and body.inertia is None and not body.solids:
        hint = "a particle has inertia: point"
        yield finding_at(node, "missing-key", "a body with mass needs an inertia", None, hint)


def _velocity_findings(_: Hierarchy, node: SceneNode) -> Iterator[Finding]:
    kind = node.kind
    if node.is_moved():
        return
    for key in ("velocity", "angular_velocity"):
        if node.given(key) and kind == "prescribed":
            message = f"'{key}' is prescribed here"
            yield finding_at(node, "motion", message, key, f"put '{key}' under motion.prescribed")
        elif node.given(key):
            hint = "give it a mass to make it free, or write motion: {prescribed: ...}"
            yield finding_at(node, "motion", f"a fixed body has no {key.replace('_', ' ')} of its own", key, hint)
    if node.given("gravity"):
        hint = "it acts on the body that carries this one"
        yield finding_at(node, "gravity", f"gravity does not act on a {kind} body", "gravity", hint)


def _prescribed_findings(_: Hierarchy, node: SceneNode) -> Iterator[Finding]:
    motion = node.body.prescribed
    if motion is None:
        return
    if motion.position is not None and node.given("position"):
        hint = "put the whole position under motion.prescribed.position"
        yield finding_at(node, "motion", "'position' is prescribed here", "position", hint)
    spin, change = (_in_parent_axes(node, motion, key) for key in ("angular_velocity", "angular_acceleration"))
    if not norm(cross(spin, change)) <= PARALLEL_TOLERANCE * norm(spin) * norm(change):
        path = (*node.place, "motion", "prescribed", "angular_acceleration")
        message = "the angular acceleration is not parallel to the angular velocity"
        yield Finding("motion", message, path, "only the rate of a prescribed spin may change, not its axis")


def _in_parent_axes(node: SceneNode, motion: PrescribedMotion, key: str) -> Vector:
    """The direction of a prescribed vector, scaled to a largest component of 1, so that no product overflows."""
    vector = getattr(motion, key)
    largest = max(map(abs, vector.start)) or 1.0
    value = tuple(part / largest for part in vector.start)
    return rotate(node.body.orientation, value) if vector.frame == "body" else value


SCENE_CHECKS = (
    *(plane_findings, reference_findings, source_findings, mutual_findings, reparent_findings),
    *(group_findings, metric_findings, trigger_findings, sensing_findings, record_findings, oracle_findings),
    *(method_findings, end_findings, machine_findings),
)
NODE_CHECKS = (
    *(_scale_findings, _placed_mass_findings, shape_findings),
    *(_velocity_findings, load_findings, _prescribed_findings, joint_findings),
)
