"""Checks of joints: axes that fit together, values that belong to another key, coordinates that no mass resists."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations_with_replacement
from typing import Any, NamedTuple

from rigidsim.containers.optional import not_none
from rigidsim.physics.inertia import apply
from rigidsim.physics.mass import Lump, total_of
from rigidsim.physics.quaternion import rotate, rotate_back
from rigidsim.physics.vector import add, cross, dot, norm, scaled, sub
from rigidsim.scene.checks.findings import Finding, finding_at, incapable
from rigidsim.scene.checks.plane import joint_in_plane
from rigidsim.scene.hierarchy.loops import loop_names
from rigidsim.scene.hierarchy.nodes import Hierarchy, SceneNode, new_joint
from rigidsim.scene.hierarchy.start import Starts
from rigidsim.scene.schema.joints import Ball
from rigidsim.scene.schema.scene import Reparenting
from rigidsim.scene.text.document import Path
from rigidsim.scene.values.rotation import Vector
from rigidsim.tree.joints import IS_ANGLE, Coordinate, Joint, key_of
from rigidsim.tree.nodes import ZERO, Tree

AXES = {"universal": "axes", "planar": "normal"}
"""The keys for the axes of a joint, where it is not `axis`."""
PARALLEL = 1e-6
"""Sine of the angle below which two directions count as parallel."""
IDLE = 1e-12
"""What is left of the largest possible inertia of a coordinate, below which it is rounding."""
WIDTH = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def joint_findings(hierarchy: Hierarchy, node: SceneNode) -> Iterator[Finding]:
    """Velocities that the joint determines, axes that coincide, a chain of joints without any mass at its end."""
    if node.joint is None:
        return
    type, place = not_none(node.joint).type, (*node.place, "motion", not_none(node.joint).type)
    for key in ("velocity", "angular_velocity"):
        if node.given(key) and (type, key) != ("ball", "angular_velocity"):
            of_ball = "give its angular_velocity" if type == "ball" else "omit it"
            moves = IS_ANGLE[type] and not node.joint.is_tank
            hint = f"write '{key_of(type, 'rate', 0)[0]}' under motion.{type}" if moves else of_ball
            message = f"the {key.replace('_', ' ')} of a body on a {type} joint follows from that of the joint"
            yield finding_at(node, "motion", message, key, hint)
    if node.joint.is_tank and not node.body.has_mass:
        yield finding_at(node, "missing-key", "a tank has no mass at the start", None, "give it the mass that it holds")
    if node.joint.is_tank and node.joint.breaks:
        hint = "put the tank on a body that is welded, and give that weld the strength"
        yield Finding("motion", "a tank cannot break off", (*place, "breaks"), hint)
        return
    yield from axes_findings(node.joint, place)
    for number, one in enumerate(node.joint.coordinates):
        limits, start = (*place, *key_of(type, "limits", number)), key_of(type, "start", number)
        yield from limit_findings(one, "at the start", limits, f"begin with '{start[0]}' within the limits")
    yield from breaking_findings(hierarchy, node, node.joint, place)
    if needs_mass(node.joint) and not carries_mass(hierarchy, node):
        message = f"a body on a {type} joint needs a mass, unless joints connect bodies with mass to it"
        yield finding_at(node, "missing-key", message, None, "give it one, or write motion: fixed")


def release_fault(tree: Tree[SceneNode], node: SceneNode) -> tuple[str, str] | None:
    """Why a body cannot be free, and a hint; None if it can."""
    parts = [part.body for part in tree.parts(node) if part.body.has_mass]
    if not parts:
        return f"'{node.path}' has no mass, so it cannot be free", "give it a mass"
    if len(parts) == 1 and parts[0].inertia and parts[0].inertia.is_point and tree.jointed_to(node):
        message = f"'{node.path}' is a particle, to which no joint can be attached when it is free"
        return message, "give it an inertia that is not a point"
    return bereft_fault(tree.moved(node.index, node.parent, "free"), node)


def bereft_fault(after: Tree[SceneNode], node: SceneNode) -> tuple[str, str] | None:
    """Why a body cannot leave its joint, given the tree afterwards, and a hint; None if it can."""
    for left in after:
        if left.kind == "jointed" and needs_mass(not_none(left.joint)) and not carries_mass(after, left):
            return f"without '{node.path}' nothing that has a mass is on the joint of '{left.path}'", "give it a mass"
    return None


def breaking_findings(tree: Tree[SceneNode], node: SceneNode, joint: Joint, place: Path) -> Iterator[Finding]:
    """A joint that can break, of a body that cannot be free; `place` is where the joint is written."""
    fault = release_fault(tree, node) if joint.breaks else None
    if fault is not None:
        yield Finding("motion", f"this joint cannot break: {fault[0]}", (*place, "breaks"), fault[1])


def axes_findings(joint: Joint, place: Path) -> Iterator[Finding]:
    """Axes of a joint that coincide; `place` is where it is written."""
    axes = [coordinate.axis for coordinate in joint.coordinates]
    if joint.type == "universal" and norm(cross(*axes)) < PARALLEL:
        message = "the two axes are parallel, so the body would turn about one only"
        yield Finding("direction", message, (*place, "axes"), "write motion: {hinge: ...}, or turn one of them")
    if joint.type == "planar" and not any(axes[0]):
        message = "'along' is the normal of the plane, so it gives no direction in it"
        yield Finding("direction", message, (*place, "along"), "choose another direction, or omit it")


def new_joint_findings(
    hierarchy: Hierarchy, node: SceneNode, event: Reparenting, place: Path, before: str | None
) -> Iterator[Finding]:
    """Problems of a joint by which a body hangs from an instant on; `before` is the type of joint that it was on, if it
    ever was on one.
    """
    kind, given = not_none(event.joint)
    place = (*place, "motion", kind)
    if before not in (None, kind):
        message = f"'{node.path}' was on a {before} joint before; all joints of a body in one run are of one type"
        yield Finding(
            "reparent", message, place, f"use a {before} joint, or fix a body to it that is on the {kind} joint"
        )
    for key in BEGINNINGS:
        field = type(given).model_fields.get(key)
        if field is not None and getattr(given, key) != field.default:
            message = f"'{key}' of a joint that is made during the run follows from the motion of its body then"
            hint = "omit it" if key.startswith("rate") else "omit it; position and orientation say where it is zero"
            yield Finding("reparent", message, (*place, key), hint)
    for key in ("motor", "motors"):
        if any(_listed(getattr(given, key, None))):
            message = "in this version a joint that is made during the run has no motor"
            yield Finding("reparent", message, (*place, key), "use a spring, or a torque under 'forces' of the body")
    axes = [(key, axis) for key in ("axis", "axes", "normal", "along") for axis in _listed(getattr(given, key, None))]
    for key, axis in axes:
        if axis.frame == "world" or (axis.frame == "parent" and event.orientation is None):
            message = f"the axes of the {axis.frame} at that time are not known here"
            hint = "write frame: body" if axis.frame == "world" else "give 'orientation', or write frame: body"
            yield Finding("frame", message, (*place, key), hint)
    if isinstance(given, Ball) and given.spring.stiffness and event.orientation is None:
        message = "the orientation at which this spring is relaxed is not given"
        yield Finding("reparent", message, (*place, "spring"), "give 'orientation' beside 'motion'")
    joint = not_none(new_joint(event, 1.0))
    for number, one in enumerate(joint.coordinates):
        given_by = "orientation" if one.turns else "position"
        if getattr(event, given_by) is None:
            limits = (*place, *key_of(kind, "limits", number))
            yield from limit_findings(one, "at that time", limits, f"allow 0, or give '{given_by}' beside 'motion'")
    yield from axes_findings(joint, place)
    yield from breaking_findings(hierarchy, node, joint, place)
    if node.normal:
        yield from joint_in_plane(joint, node.normal, place)


BEGINNINGS = ("angle", "angles", "displacement", "displacements", "rate", "rates")
"""The keys of joints for coordinates and rates at the start."""


def _listed(value: Any) -> tuple:
    return value if isinstance(value, tuple) else () if value is None else (value,)


def limit_findings(one: Coordinate, when: str, place: Path, hint: str) -> Iterator[Finding]:
    """A coordinate that begins beyond its limits."""
    if one.low <= one.start <= one.high:
        return
    what, unit_of = ("angle", "rad") if one.turns else ("displacement", "m")
    which, end = ("below the lower", one.low) if one.start < one.low else ("above the upper", one.high)
    message = f"the {what} {when}, {one.start:g} {unit_of}, is {which} limit, {end:g} {unit_of}"
    yield Finding("limits", message, place, hint)


def method_findings(hierarchy: Hierarchy) -> Iterator[Finding]:
    """An integrator that does not know joints, their modes, or loops, in a scene with some; or tables of this size."""
    method, loops = hierarchy.scene.simulation.integrator, hierarchy.scene.world.loops
    jointed = [(node.path, node.joint) for node in hierarchy if node.joint]
    jointed += [(event.body, not_none(new_joint(event, 1.0))) for event in hierarchy.scene.reparent if event.joint]
    with_modes = [path for path, joint in jointed if joint.has_modes]
    limited = [name for name, loop in zip(loop_names(loops), loops, strict=True) if getattr(loop, "stops", None)]
    for found, capability, what in (
        ([path for path, _ in jointed], "moves_joints", "move bodies on joints (such as '{}')"),
        (loops, "moves_joints", "keep loops closed"),
        (with_modes, "locates_events", "know limits, dry friction or rates of motors in joints (such as that of '{}')"),
        (limited, "locates_events", "know limits of loops (such as '{}')"),
    ):
        if found and not getattr(method, capability):
            yield incapable(method, capability, what.format(found[0]) + " in this version")
            return
    for name, table in hierarchy.scene.scope.tables.items():
        if method.most_pieces is not None and table is not None and len(table.pieces) > method.most_pieces:
            message = f"'{method.name}' takes tables of at most {method.most_pieces} pieces, and this has"
            hint = "leave out points, or use rkmk4 or adaptive"
            yield Finding("integrator", f"{message} {len(table.pieces)}", ("tables", name), hint)


def needs_mass(joint: Joint) -> bool:
    """Whether forces move a coordinate of a joint, or a ball."""
    return joint.has_attitude or not all(one.is_prescribed or one.holds for one in joint.coordinates)


def carries_mass(tree: Tree[SceneNode], body: SceneNode) -> bool:
    """Whether a body, or what hangs on it by joints, has a mass."""
    waiting = [body]
    while waiting:
        node = waiting.pop()
        if any(part.body.has_mass for part in tree.parts(node)):
            return True
        waiting += tree.jointed_to(node)
    return False


def resistance_findings(hierarchy: Hierarchy) -> Iterator[Finding]:
    """Coordinates of joints that no inertia resists at t = 0, so that forces would have no finite effect; free
    particles on which joints hang. The tree is weighed.
    """
    jointed, starts = [node for node in hierarchy if node.joint is not None], Starts(hierarchy)
    for node in jointed:
        held = hierarchy.moved_base(hierarchy.at(node.parent)) if node.parent else None
        if held is not None and held.is_free() and hierarchy.composite(held).mass.is_point:
            message = f"'{held.path}' is a particle, which does not rotate, so no joint can be attached to it"
            yield finding_at(node, "inertia", message, "motion", f"give '{held.path}' an inertia")
    reported: set[int] = set()
    for node in jointed:
        # What hangs on a body can only add to the resistance of its own mass.
        if node.index not in reported and _idle([node], hierarchy, starts) is not None:
            idle = _idle(_jointed_below(hierarchy, node), hierarchy, starts)
            if idle is not None and idle.node.index not in reported:
                reported.add(idle.node.index)
                yield _idle_finding(idle)


def _jointed_below(hierarchy: Hierarchy, body: SceneNode) -> list[SceneNode]:
    """A jointed body and all that hang on it by joints, parents first."""
    found = [body]
    for node in found:
        found += hierarchy.jointed_to(node)
    return found


class Move(NamedTuple):
    """A coordinate of a joint at t = 0: how it moves the body and all beyond, in the world."""

    node: SceneNode
    number: int  # of the joint's coordinates
    turns: bool
    advance: Any  # along the axis, m
    axis: Vector
    point: Vector  # on the axis, m
    armature: Any = 0.0  # of its rotor, kg m^2 or kg

    def at(self, point: Vector) -> tuple[Vector, Vector]:
        """Velocity of a point (m) and angular velocity for a rate of one."""
        turning = self.axis if self.turns else ZERO
        return add(cross(turning, sub(point, self.point)), scaled(self.advance, self.axis)), turning

    def most(self, mass: Lump, center: Vector) -> Any:
        """The largest inertia that this mass, with its centre here in the world, could have for such a coordinate."""
        r, along = sub(center, self.point), mass.mass * self.advance * self.advance
        return mass.mass * dot(r, r) + total_of(mass.inertia[:3]) + along if self.turns else along


def _moves(node: SceneNode, starts: Starts) -> list[Move]:
    joint, point, q_WP = not_none(node.joint), starts[node.frame].point(not_none(node.joint).at), starts[node.parent].q
    if joint.has_attitude:
        return [Move(node, k, True, 0.0, rotate(q_WP, axis), point) for k, axis in enumerate(WIDTH)]
    each = enumerate(zip(joint.coordinates, joint.directions(joint.starts), strict=True))
    return [
        Move(node, k, one.turns, one.advance, rotate(q_WP, axis), point, one.armature)
        for k, (one, axis) in each
        if not (one.is_prescribed or one.holds)
    ]


def own_resistances(node: SceneNode, hierarchy: Hierarchy, starts: Starts) -> list[Any]:
    """The inertia of each coordinate of a joint, by the mass of its own body alone, kg m^2 or kg; of a ball about three
    axes. That of coordinates with motors is left out.
    """
    mass, motion = hierarchy.composite(node).mass, starts[node.frame]
    center, found = motion.point(mass.center), []
    for move in _moves(node, starts):
        v, omega = move.at(center)
        omega_B = rotate_back(motion.q, omega)
        found.append(mass.mass * dot(v, v) + dot(omega_B, apply(mass.inertia, omega_B)) + move.armature)
    return found


def _idle(nodes: list[SceneNode], hierarchy: Hierarchy, starts: Starts) -> Move | None:
    """The first coordinate of these bodies, from the last one inwards, that nothing resists if the ones further out
    move freely: a pivot of L D L^T of the inertia of the coordinates that is zero up to rounding,
    M_ij = sum over bodies of m v_i . v_j + omega_i . I omega_j. The parent of the first body is at rest.
    """
    moves: list[Move] = []
    inertia: dict[tuple[int, int], Any] = {}  # M, for i <= j, where it does not vanish by the tree
    most: list[Any] = []  # the largest M_ii that these masses could have
    above: dict[int, list[int]] = {}  # of each body: the numbers of the coordinates that move it
    for node in nodes:
        held, own = hierarchy.moved_base(hierarchy.at(node.parent)) if node.parent else None, _moves(node, starts)
        numbers = [*above.get(held.index if held else -1, ()), *range(len(moves), len(moves) + len(own))]
        inertia |= {(len(moves) + k, len(moves) + k): move.armature for k, move in enumerate(own)}
        moves, most, above[node.index] = [*moves, *own], [*most, *[0.0] * len(own)], numbers
        mass, motion = hierarchy.composite(node).mass, starts[node.frame]
        center = motion.point(mass.center)
        rates = {k: moves[k].at(center) for k in numbers} if mass.mass else {}
        for i, j in combinations_with_replacement(rates, 2):
            (v_i, omega_i), (v_j, omega_j) = rates[i], rates[j]
            turning = dot(rotate_back(motion.q, omega_i), apply(mass.inertia, rotate_back(motion.q, omega_j)))
            inertia[i, j] = inertia.get((i, j), 0.0) + mass.mass * dot(v_i, v_j) + turning
        for k in rates:
            most[k] = most[k] + moves[k].most(mass, center)
    for k in reversed(range(len(moves))):
        pivot, others = inertia.get((k, k), 0.0), [j for j in range(k) if (j, k) in inertia]
        if not pivot > IDLE * most[k]:
            return moves[k]
        for i, j in combinations_with_replacement(others, 2):
            inertia[i, j] = inertia[i, j] - inertia[i, k] * inertia[j, k] / pivot
    return None


def _idle_finding(idle: Move) -> Finding:
    type, place = not_none(idle.node.joint).type, (*idle.node.place, "motion", not_none(idle.node.joint).type)
    if type == "ball":
        message = "no mass resists some rotation of this joint: all mass on it is on one line through the joint"
        return Finding("inertia", message, place, "give the body an inertia that is not a point")
    key = AXES.get(type, "axis")
    place = (*place, key, idle.number) if key == "axes" else (*place, key)
    what = "on the axis" if idle.turns else "on other joints"
    message = f"no mass resists the {'rotation about' if idle.turns else 'displacement along'} this axis"
    why = f"all mass on the joint is {what}, or moves by another joint in the same way"
    return Finding("inertia", f"{message}: {why}", place, "give the body an inertia, or another axis")
