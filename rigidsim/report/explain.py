"""One body at one time: the terms of its acceleration, force by force; what it touches; what changed its motion."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import repeat
from typing import Any

import numpy as np

from rigidsim.analysis.loads import (
    JOINT_TERMS,
    TERMS,
    JointReaction,
    LoadsAtSample,
    LoopReaction,
    Share,
    joint_reactions,
    loop_reactions,
)
from rigidsim.analysis.past import SampleModel
from rigidsim.analysis.path_directions import AT_REST, directions
from rigidsim.analysis.quantities import full_path, quantity
from rigidsim.containers.optional import not_none
from rigidsim.errors import NotRecordedError, UsageError
from rigidsim.report.jumps import describe_event, events_near
from rigidsim.report.sections import Report, Section
from rigidsim.report.states import known
from rigidsim.report.table import ROUNDING, number, without_rounding
from rigidsim.scene.hierarchy.loops import loop_names
from rigidsim.trajectory.events import BEGINS, ENDS, IMPACT, RESTS, ROLLS, SLEEPS, SLIDES, STICKS, WAKES
from rigidsim.trajectory.fields import Field, angular_terms, linear_terms
from rigidsim.trajectory.trajectory import State, Trajectory, sample_of
from rigidsim.tree.joints import NAMES, coordinate_called, coordinate_number, coordinates_of
from rigidsim.tree.nodes import Tree


@dataclass(frozen=True)
class AccelerationTerm:
    """One summand of an acceleration: its vector, its components along the path and towards the centre of curvature."""

    name: str
    meaning: str
    value: np.ndarray
    along: float
    across: float

    @classmethod
    def of(
        cls, field: Field, at: Callable[[str], np.ndarray], tangent: np.ndarray, normal: np.ndarray
    ) -> AccelerationTerm:
        """From a recorded dataset, which `at` reads."""
        name = field.name.removeprefix("terms/")
        value, meaning = at(name), field.long_name.removeprefix("inertial: ")
        return cls(name, meaning, value, float(value @ tangent), float(value @ normal))

    @property
    def size(self) -> float:
        """The norm of the vector."""
        return float(np.linalg.norm(self.value))

    def __str__(self) -> str:
        return f"{self.name}, {self.size:.6g}"

    def as_dict(self) -> dict[str, object]:
        """What JSON has."""
        return {"value": self.value, "along": self.along, "across": self.across, "meaning": self.meaning}


def largest_of(terms: list[AccelerationTerm]) -> AccelerationTerm:
    """The term with the largest norm."""
    return max(terms, key=lambda term: term.size)


def table(title: str, unit: str, rows: Sequence[tuple[str, np.ndarray]]) -> list[str]:
    """Lines with name, norm and components of each vector, of which one may be the sum of the others."""
    width = max(len(title), *(len(name) for name, _ in rows))

    def row(name: str, v: Sequence[float]) -> str:
        return f"  {name:<{width}}  {np.linalg.norm(v):12.6g}   [{v[0]:12.6g}, {v[1]:12.6g}, {v[2]:12.6g}]"

    names, vectors = zip(*rows, strict=True)
    error = ROUNDING * max(float(np.linalg.norm(v)) for v in vectors)
    header_row = f"  {title:<{width}}  {'norm, ' + unit:>12}   vector in the parent's axes"
    return [header_row, *map(row, names, without_rounding(vectors, repeat(error)))]


UNITS = {"applied": "m/s2", "gravity": "m/s2", "angular_applied": "rad/s2", "joint": "m/s2", "angular_joint": "rad/s2"}
RESUMMED = 1e-9
"""Relative to the largest part: the forces are summed in another order, and the stored state is rounded."""


@dataclass(frozen=True)
class Shares:
    """The contribution of each force and joint to a body's terms, and the recorded rest, which comes from loops that
    hold it, by their names, or from callbacks; `reason` says why they are not known, if so.
    """

    loads: list[Share]
    rest: dict[str, np.ndarray]
    reason: str = ""
    loops: tuple[str, ...] = ()
    joints: tuple[JointReaction, ...] = ()

    @classmethod
    def of(cls, trajectory: Trajectory, sample: int, body: str, at: Callable[[str], np.ndarray]) -> Shares:
        """For a moved body at a sample with terms; `at` reads a recorded term."""
        try:
            past = SampleModel(trajectory, sample)
            loads, joints = LoadsAtSample(past).shares(body), joint_reactions(trajectory, sample, body)
        except NotRecordedError as error:
            return cls([], {}, f"the parts of each force are unknown: {error}")
        all_loops = past.scene.world.loops
        named = zip(loop_names(all_loops), all_loops, strict=True)
        loops = tuple(name for name, loop in named if body in map(past.moved_base, loop.between))
        rest = {name: rest for name in TERMS if (rest := _rest(loads, name, at(name))) is not None}
        return cls(loads, rest, loops=loops, joints=tuple(joints))

    def lines(self, term: str) -> list[str]:
        """The table of forces of a term, or of joints; empty if there are none, or only one gravity or joint."""
        parts = [*((share.load, share.terms) for share in self.loads), *((one, one.terms) for one in self.joints)]
        rows = [(str(name), terms[term]) for name, terms in parts if term in terms and terms[term].any()]
        if term in self.rest:
            rows.append((self._named_rest(), self.rest[term]))
        if not rows or (term in ("gravity", *JOINT_TERMS) and len(rows) == 1):
            return []
        each = "joint by joint" if term in JOINT_TERMS else "force by force"
        return ["", *table(f"{term}, {each}", UNITS[term], rows)]

    def _named_rest(self) -> str:
        """The possible origin of the rest."""
        if self.loops:
            return f"reaction of the {'loops' if self.loops[1:] else 'loop'} {', '.join(self.loops)}"
        is_unwrapped = any(share.load.is_unwrapped for share in self.loads)
        return f"not in the scene {'(a callback, or full turns between samples)' if is_unwrapped else '(a callback)'}"

    def as_list(self) -> list[object]:
        """What JSON has."""
        name = self._named_rest() if self.loops else "not in the scene"
        return [*self.loads, *([{"name": name, "body": "", "index": 0, **self.rest}] if self.rest else [])]


def _rest(loads: list[Share], name: str, recorded: np.ndarray) -> np.ndarray | None:
    """The recorded term minus the sum of the contributions; None if that is round-off."""
    parts = [share.terms[name] for share in loads]
    rest = recorded - np.sum(parts, axis=0) if parts else recorded
    largest = max(float(np.abs(part).max()) for part in (*parts, recorded))
    return rest if float(np.abs(rest).max()) > RESUMMED * largest else None


Known = dict[str, tuple[str, float | None]]
"""What a body does to others that it touches, and since when (s)."""
NOT_KNOWN = "touches", None
DOING = {SLIDES: "slides on", ROLLS: "rolls on", STICKS: "turns on a fixed point of", RESTS: "rests on"}
STILL = 1e-3  # m/s and rad/s; a slower body rests on what it touches
NO_FRICTION = 1e-6  # of the whole force


@dataclass(frozen=True)
class Touch:
    """Another body that a body touches, and the force (N, world axes) by it and the part of that which is friction;
    None if contact points were not recorded. `since` (s) is when the mode of contact began, with `contact: events`.
    """

    body: str
    other: str
    how: str
    since: float | None = None
    force: np.ndarray | None = None
    friction: np.ndarray | None = None

    def __str__(self) -> str:
        does = f"{self.body} {self.how} {self.other}"
        since = "" if self.since is None else f", since t = {self.since:.9g} s"
        if self.force is None:
            return does + since
        size, across = (float(np.linalg.norm(part)) for part in (self.force, self.friction) if part is not None)
        friction = f", of which {number(across)} N are friction" if across > NO_FRICTION * size else ""
        return f"{does} with {number(size)} N{friction}{since}"

    def as_dict(self) -> dict[str, object]:
        """What JSON has."""
        return {name: value for name, value in vars(self).items() if value is not None}


def touches(trajectory: Trajectory, body: str, sample: int) -> list[Touch]:
    """What a body, or the one that it is a part of, touches at a sample."""
    tree = trajectory.header.tree_at(float(trajectory.time[sample]))
    base = tree.part_of(tree[body]).path
    known = _touched(trajectory, tree, base, sample)
    if not trajectory.header.with_contacts:
        return [Touch(base, other, *how) for other, how in known.items()]
    points, state = trajectory.contacts[sample], sample_of(trajectory, sample)
    forces, friction = points.on(base), points.on(base, points.friction)
    down = _gravity(trajectory)
    return [
        Touch(base, other, *_how(state, base, other, float(force @ down), known), force, friction[other])
        for other, force in forces.items()
    ]


def _how(state: State, body: str, other: str, downwards: float, known: Known) -> tuple[str, float | None]:
    """The verb and since when, from the force along gravity, the mode of contact, and the relative motion, as far as it
    was recorded.
    """
    if downwards > 0.0:
        return "carries", None
    if known.get(other, NOT_KNOWN)[1] is not None:
        return known[other]
    seen = state[body].seen_from(other)
    try:
        still = max(np.abs(seen.velocity).max(), np.abs(seen.angular_velocity).max()) < STILL
    except NotRecordedError:
        return NOT_KNOWN
    return ("rests" if still else "moves") + (" on" if downwards < 0.0 else " against"), None


def _gravity(trajectory: Trajectory) -> np.ndarray:
    """The uniform gravity of the scene, m/s2; zero if there is none."""
    given = trajectory.header.resolved.get("world", {}).get("gravity")
    return np.array(given, dtype=np.float64) if isinstance(given, list) else np.zeros(3)


def _touched(trajectory: Trajectory, tree: Tree, base: str, sample: int) -> Known:
    """How a body touches others, from the events up to a sample: by the mode of contact that began last."""
    events, time = trajectory.events.contact, float(trajectory.time[sample])
    if not len(events):
        return {}
    known = trajectory.header.bodies_of_shapes(tree)
    lasting: dict[tuple[int, int], tuple[str, float | None]] = {}
    for row in np.flatnonzero((events.time <= time) & ~np.isin(events.kind, (IMPACT, SLEEPS, WAKES))):
        pair, kind = (int(events.first[row]), int(events.second[row])), int(events.kind[row])
        lasting.pop(pair, None)
        if kind != ENDS:
            lasting[pair] = NOT_KNOWN if kind == BEGINS else (DOING[kind], float(events.time[row]))
    found: Known = {}
    for (one, other), how in lasting.items():
        first, second = known[one], known[other]
        if base in (first, second):
            found[second if first == base else first] = how
    return found


def asleep_since(trajectory: Trajectory, body: str, sample: int) -> float | None:
    """Since when (s) a body, or the one that it is a part of, sleeps at a sample; None if it is awake."""
    events, time = trajectory.events.contact, float(trajectory.time[sample])
    base = trajectory.header.tree_at(time).part_of(trajectory.header.tree_at(time)[body]).path
    rows = np.flatnonzero(np.isin(events.kind, (SLEEPS, WAKES)) & (events.time <= time))
    own = [row for row in rows.tolist() if events.event(row).bodies[0] == base]
    return float(events.time[own[-1]]) if own and events.kind[own[-1]] == SLEEPS else None


ROUND_OFF = 1e-14  # an angular acceleration below this times omega^2 is round-off
SHOWN_EVENTS = 20
AT_LIMIT = 1e-9
"""Of a coordinate in rad or units of length, or relative: as near as this it is at a limit."""
SOLVED = 1e-9
"""Of the largest term: what the impulses of contact leave of the acceleration of a body at rest, per metre for angular
ones; and s, for its speed.
"""
NEARLY = 10.0  # terms larger than this times their sum nearly cancel


class BodyReport(Report):
    """One body at a time: the events near that time, what it touches, and the terms of its acceleration if they were
    recorded.
    """

    @classmethod
    def of(cls, trajectory: Trajectory, body: str, time: float) -> BodyReport:
        """At the sample nearest to `time` (s). Raises UsageError if there is neither an event, a touch nor a term."""
        path, terms = full_path(trajectory, body), None
        events, joint = list(events_near(trajectory, path, time)), joint_state(trajectory, path, time)
        held = loops_on(trajectory, path, nearest_sample(trajectory, time))
        touched = touches(trajectory, path, nearest_sample(trajectory, time))
        since = asleep_since(trajectory, path, nearest_sample(trajectory, time))
        try:
            terms = Explanation(trajectory, path, time)
            acting = terms.shares.joints
        except UsageError:
            acting = tuple(joints_on(trajectory, path, time))
            if not (events or touched or joint or held or acting):
                raise
        shown = (describe_event(event, path, trajectory) for event in events[:SHOWN_EVENTS])
        more = [f"... and {len(events) - SHOWN_EVENTS} more events"] if len(events) > SHOWN_EVENTS else []
        return cls(
            *(Section(lines=[text]) for text in [*shown, *more]),
            Section({"body": path} | (terms.as_dict() if terms else {})),
            Section({"contacts": touched} if touched else {}, list(map(str, touched))),
            Section(
                {"asleep_since": since} if since is not None else {},
                [f"{path} sleeps, since t = {since:.9g} s"] if since is not None else [],
            ),
            Section(
                {key: value for key, value in (("joint", joint), ("joints", acting)) if value},
                [*joint_lines(path, joint), *(one.sentence for one in acting if not one.is_own)],
            ),
            Section({"loops": held} if held else {}, list(map(str, held))),
            Section({"events": events}, [str(terms)] if terms else []),
        )


def joint_state(trajectory: Trajectory, path: str, time: float) -> dict[str, Any]:
    """Where a body is on its joint, and what that exerts on it, at the sample nearest to a time (s), as far as it was
    recorded; empty if it is on none.
    """
    k, scene = nearest_sample(trajectory, time), trajectory.header.scene.hierarchy
    node = trajectory.header.whole_history(scene, scene.reparentings).at(float(trajectory.time[k]))[path]
    if node.joint is None:
        return {}
    type = node.joint.type
    names = [name for name in NAMES if coordinate_called(name, type) is not None]
    found: dict[str, Any] = {"type": type, "parent": trajectory[path].parent_at(time) or "world"}
    found["time"] = float(trajectory.time[k])
    for name in (*names, "reaction_force", "reaction_torque"):
        with suppress(NotRecordedError):
            one = quantity(trajectory, f"{path}.{name}", slice(k, k + 1))
            if one.values is not None:
                found[name], found[f"{name}_unit"] = one.values[0], one.unit
    for name in filter(found.__contains__, coordinates_of(type)):
        x = not_none(node.joint).coordinates[coordinate_number(name, type)]
        metres = 1.0 if x.turns else node.parent_metres
        if math.isfinite(x.low) or math.isfinite(x.high):
            found[f"{name}_limits"] = [end / metres if math.isfinite(end) else None for end in (x.low, x.high)]
    return found


def _stop(joint: dict[str, Any], name: str) -> str:
    """The limit at which a coordinate is, in words."""
    for which, end in zip(("lower", "upper"), joint.get(f"{name}_limits", ()), strict=False):
        if end is not None and abs(joint[name] - end) <= AT_LIMIT * max(1.0, abs(end)):
            return f" (its {which} limit)"
    return ""


def joint_lines(path: str, joint: dict[str, Any]) -> list[str]:
    """The same as sentences."""
    if not joint:
        return []
    names = [name for name in NAMES if name in joint]
    at = ", ".join(f"{name} {number(joint[name])} {joint[f'{name}_unit']}{_stop(joint, name)}" for name in names)
    where = f"a {joint['type']} joint connects {path} to {joint['parent']}, at t = {joint['time']:g} s"
    lines = [f"{where}: {at}" if at else where]
    if "reaction_force" in joint:
        force, torque = (number(float(np.linalg.norm(joint[f"reaction_{one}"]))) for one in ("force", "torque"))
        lines.append(f"the joint exerts {force} N on it, and {torque} N m about the joint")
    return lines


def joints_on(trajectory: Trajectory, path: str, time: float) -> Sequence[JointReaction]:
    """What joints exert on a moved body at the sample nearest to a time (s), as far as it was recorded."""
    with suppress(NotRecordedError):
        if trajectory[path].place_at(time).kind in ("free", "jointed"):
            return joint_reactions(trajectory, nearest_sample(trajectory, time), path)
    return ()


def loops_on(trajectory: Trajectory, path: str, sample: int) -> list[LoopReaction]:
    """What loops exert at a sample that have an end on a body or a part fixed to it, as far as that is known."""
    if not trajectory.header.scene.world.loops:
        return []
    with suppress(NotRecordedError):
        tree = trajectory.header.tree_at(float(trajectory.time[sample]))
        ends = {node.path for node in tree.nodes if tree.part_of(node).path == path} | {path}
        return [one for one in loop_reactions(trajectory, sample) if ends.intersection(one.between)]
    return []


class Explanation:
    """The terms of one body's acceleration relative to its parent at one sample: `linear` and `angular`, their sums,
    the angular speed in the world (`rate`, rad/s; 0 if it was not recorded), and the `shares` of each force.
    """

    def __init__(self, trajectory: Trajectory, body: str, time: float):
        """At the sample nearest to `time` (s). Raises UsageError without terms, or for a body that is driven."""
        index = trajectory.paths.index(trajectory[body].path)
        if not trajectory.header.with_terms:
            raise UsageError("this trajectory has no acceleration terms; record them with `rigidsim run --terms`")
        trajectory[body].term("acceleration")  # raises NotRecordedError if they are not of this body
        k = nearest_sample(trajectory, time)

        def at(name: str) -> np.ndarray:
            return np.asarray(trajectory.arrays[f"terms/{name}"][k, index])

        self.body, self.time = body, float(trajectory.time[k])
        _require_moved(trajectory, body, self.time)
        self.parent = trajectory[body].parent_at(self.time) or "world"
        self.velocity, self.acceleration = at("velocity"), at("acceleration")
        self.angular_acceleration = at("angular_acceleration")
        with_more = bool(trajectory.header.shapes), bool(trajectory.header.joints)
        along_path = directions(self.velocity, self.acceleration)
        about_axis = directions(np.zeros(3), self.angular_acceleration)
        self.linear = [AccelerationTerm.of(field, at, *along_path) for field in linear_terms(*with_more)]
        self.angular = [AccelerationTerm.of(field, at, *about_axis) for field in angular_terms(*with_more)]
        rate = known(sample_of(trajectory, k).motion("world", index), "angular_velocity")
        self.rate = 0.0 if rate is None else float(np.linalg.norm(rate))
        self.shares = Shares.of(trajectory, k, trajectory.paths[index], at)

    @property
    def bend(self) -> float:
        """Acceleration towards the centre of curvature of the path, m/s2."""
        return sum(term.across for term in self.linear)

    @property
    def residue(self) -> float:
        """A smaller acceleration of a body that touches another is zero, m/s2; 0 for a body that touches nothing."""
        contact = any(term.name == "contact" and term.size > 0.0 for term in self.linear)
        return SOLVED * largest_of(self.linear).size if contact else 0.0

    def __str__(self) -> str:
        speed = float(np.linalg.norm(self.velocity))
        lines = [f"{self.body} at t = {self.time:g} s, relative to {self.parent}: speed {speed:.6g} m/s"]
        lines += [self._path_summary(speed), "", *_summed("m/s2", self.linear, self.acceleration)]
        lines += [line for term in ("applied", "gravity", "joint") for line in self.shares.lines(term)]
        lines.append("")
        lines += [self._rotation_summary(), "", *_summed("rad/s2", self.angular, self.angular_acceleration)]
        reason = ["", self.shares.reason] if self.shares.reason else []
        angular = [line for term in ("angular_applied", "angular_joint") for line in self.shares.lines(term)]
        return "\n".join([*lines, *angular, *reason])

    def _path_summary(self, speed: float) -> str:
        size, largest = float(np.linalg.norm(self.acceleration)), largest_of(self.linear)
        if size <= max(ROUND_OFF * largest.size, self.residue):
            how = f"the terms cancel (the largest is {largest})" if largest.size else "there is no acceleration"
            moves = speed > self.residue
            return f"{how}: the body " + ("moves in a straight line at constant speed" if moves else "stays at rest")
        if speed <= AT_REST * size:
            first = max(self.linear, key=lambda term: abs(term.along))
            return (
                f"the body is at rest and accelerates by {size:.6g} m/s2, mainly due to the {first.name} term:"
                f" {first.meaning}" + _cancellation(largest, size)
            )
        if abs(self.bend) <= 1e-9 * size:
            return "the path is straight: there is no acceleration across it"
        return self._curvature(speed) + _cancellation(largest, size)

    def _curvature(self, speed: float) -> str:
        """The radius of curvature, and the terms of the acceleration towards its centre."""
        first = max(self.linear, key=lambda term: term.across)
        others = self.bend - first.across
        text = (
            f"the path has a radius of curvature of {speed * speed / self.bend:.6g} m: the acceleration towards its"
            f" centre is {self.bend:.6g} m/s2.\nThe largest part is the {first.name} term, {first.across:.6g} m/s2"
            f" ({first.meaning})"
        )
        if abs(others) <= ROUND_OFF * first.across:
            return f"{text}; no other term contributes"
        return f"{text}; all other terms together contribute {others:.6g} m/s2"

    def _rotation_summary(self) -> str:
        size = float(np.linalg.norm(self.angular_acceleration))
        largest = largest_of(self.angular)
        if size <= max(ROUND_OFF * max(largest.size, self.rate * self.rate), self.residue):
            return f"the angular velocity relative to {self.parent} is constant"
        first = max(self.angular, key=lambda term: abs(term.along))
        return (
            f"the angular acceleration is {size:.6g} rad/s2, mainly due to the {first.name} term: {first.meaning}"
            + _cancellation(largest, size)
        )

    def as_dict(self) -> dict[str, object]:
        """What JSON has."""
        return {
            "body": self.body,
            "parent": self.parent,
            "time": self.time,
            "velocity": self.velocity,
            "acceleration": self.acceleration,
            "bend": self.bend,
            "terms": {term.name: term for term in self.linear},
            "angular_acceleration": self.angular_acceleration,
            "angular_terms": {term.name: term for term in self.angular},
            "forces": self.shares.as_list(),
        }


def nearest_sample(trajectory: Trajectory, time: float) -> int:
    """The sample that is nearest to a time (s). Raises UsageError outside the trajectory."""
    begin, end = float(trajectory.time[0]), float(trajectory.time[-1])
    if not begin <= time <= end:
        raise UsageError(f"time {time:g} s is outside the trajectory, which covers {begin:g} to {end:g} s")
    return int(np.argmin(np.abs(trajectory.time - time)))


def _cancellation(largest: AccelerationTerm, size: float) -> str:
    """A remark if the sum is small compared with its largest term."""
    return f"; the terms nearly cancel (the largest is {largest})" if largest.size > NEARLY * size else ""


def _require_moved(trajectory: Trajectory, body: str, time: float) -> None:
    kind = trajectory[body].place_at(time).kind
    if kind in ("free", "jointed"):
        return
    moving, parent = trajectory[body].free_ancestor_at(time), trajectory[body].parent_at(time) or "the world"
    how = f"it is fixed to {parent}" if kind == "fixed" else "its motion is prescribed"
    hint = f"; use {moving}, which moves it" if moving else ""
    raise UsageError(f"'{body}' is not a free body: {how}, so there are no terms{hint}")


def _summed(unit: str, terms: list[AccelerationTerm], total: np.ndarray) -> list[str]:
    return table("term", unit, [*((term.name, term.value) for term in terms), ("sum", total)])
