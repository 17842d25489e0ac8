"""Warnings about a step that is too long: for a spring, for the damping of a body, for the fastest rotation, for a free
flight in a rotating frame.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import islice
from typing import NamedTuple

import numpy as np

from rigidsim.physics.quaternion import rotate
from rigidsim.physics.vector import norm, sub
from rigidsim.scene.checks.joints import own_resistances
from rigidsim.scene.hierarchy.mobility import Part
from rigidsim.scene.hierarchy.nodes import Hierarchy, SceneNode
from rigidsim.scene.hierarchy.references import references
from rigidsim.scene.hierarchy.start import Starts, largest
from rigidsim.scene.schema.integrators import Integrator
from rigidsim.scene.text.document import Path
from rigidsim.scene.values.rotation import Vector

MOST_STEPS = 10**6  # of a flight; beyond, the powers of a step's matrix lose digits
ALLOWED_ERROR = 1e-4
"""Allowed error of a free flight in a rotating frame, relative to its distance from the axis."""


def growth(method: Integrator, swing: float, damping: float) -> float:
    """The logarithm of the largest growth factor per step of x'' = -swing^2 x - damping x' (both per step); negative
    for decay.

    Leading terms, undamped: `rkmk4` -z^6/144, `magnus` z^2/4, `magnus2` z^4/8, `euler` 0 up to 2.
    """
    matrix = method.linear_step(np.array([(0.0, 1.0), (-swing * swing, -damping)]))
    if not np.isfinite(matrix @ matrix).all():
        return math.inf
    (a, b), (c, d) = matrix.tolist()
    middle, apart = (a + d) / 2, ((a - d) / 2) ** 2 + b * c  # eigenvalues: middle +- sqrt(apart)
    largest = math.hypot(middle, math.sqrt(-apart)) if apart < 0 else abs(middle) + math.sqrt(apart)
    return math.log(largest) if largest > 0 else -math.inf


def flight_error(method: Integrator, turn: float, total: float) -> float:
    """The error of a free flight in a frame that rotates by `turn` (rad) per step and by `total` during the run,
    relative to its distance from the axis: the larger of those of a body at rest and of one that begins on the axis.

    With z = turn and T = total: `rkmk4` none; `magnus2` z^2 (1/2 + T/6), the first term alone while T < 1; `magnus`
    3 z T/4 and `euler` z, growing to T^2 z/4 and T^2 z/2, then exponentially in T sqrt(z).
    """
    if method.in_world or turn == 0.0:
        return 0.0
    if not turn < math.inf:
        return math.inf
    steps = max(1, round(min(total / turn, MOST_STEPS)))
    rotating = np.array([(0.0, 1.0), (turn * turn, -2j * turn)])
    # Without the eigenvalues of a point that rotates with the frame, z -> exp(-i turn) z.
    flown = np.linalg.matrix_power(method.linear_step(rotating) * np.exp(1j * turn), steps)
    rest = abs(flown[0] @ np.array([1.0, -1j * turn]) - 1.0)
    away = abs(flown[0, 1] - steps) / steps
    worst = max(rest, away)
    return float(worst) if math.isfinite(worst) else math.inf


def _is_damped(rate: float, step: float) -> bool:
    """Whether a step is short enough for damping at this rate, 1/s."""
    return rate * step <= DAMPED


def shorter(step: float, fits: Callable[[float], bool], shortest: float = 0.0) -> float | None:
    """The first of 5, 2, 1 times powers of ten below a step that is short enough, if there is one above the
    shortest.
    """
    power = math.floor(math.log10(step))
    while 5 * 10.0**power >= shortest and power > -300:
        for digit in (5, 2, 1):
            tried = float(f"{digit}e{power}")
            if shortest <= tried < step and fits(tried):
                return tried
        power -= 1
    return None


def advised_step(step: float | None) -> str:
    """The advice at the end of a message about a step that is too long."""
    return "no shorter step is sufficient" if step is None else f"use at most {step:g} s"


class Stay(NamedTuple):
    """The time (s) that a free body spends in a frame."""

    frame: SceneNode
    begin: float
    end: float


def stays(hierarchy: Hierarchy) -> Iterator[Stay]:
    """The parents of each free body over time, without the world."""
    now = {node.index: (hierarchy.at(node.parent), 0.0) for node in hierarchy.free() if node.parent}
    for change in hierarchy.changes:
        if change.body in now:
            yield Stay(*now.pop(change.body), change.time)
        if change.kind == "free" and change.to:
            now[change.body] = (hierarchy.at(change.to), change.time)
    for frame, begin in now.values():
        yield Stay(frame, begin, hierarchy.scene.simulation.duration)


def flown_in(hierarchy: Hierarchy) -> set[str]:
    """The paths of all bodies that are ancestors of free bodies at some time."""
    return _with_those_above(hierarchy, (stay.frame.path for stay in stays(hierarchy)))


def frames_that_matter(hierarchy: Hierarchy) -> set[str]:
    """The paths of all bodies that are read, or that are ancestors of free bodies or of bodies that are read."""
    return flown_in(hierarchy) | _with_those_above(hierarchy, (name for _, name, _ in references(hierarchy)))


def _with_those_above(hierarchy: Hierarchy, names: Iterable[str]) -> set[str]:
    """These paths, as far as they are bodies, and those of their ancestors."""
    known = {name: hierarchy[name] for name in names if name in hierarchy}
    return {above.path for node in known.values() for above in hierarchy.lineage(node)}


LARGEST_TURN = 0.5
"""Radians per step, of a body or of the phase of a spring: at this value the error of `rkmk4` is about 1e-4 rad per
turn, and that of the other methods much larger.
"""
ADVISED_TURN = 0.1
LOOKS = 500  # at which rates are evaluated


def step_notes(hierarchy: Hierarchy) -> Iterator[tuple[Path, str]]:
    """Each free body and each used frame that rotates by more than LARGEST_TURN per step, at t = 0 or by its prescribed
    motion, and each frame in which free flights have a large error, with a sufficient step.
    """
    if hierarchy.scene.simulation.integrator.chooses:
        return
    step, rates = hierarchy.scene.simulation.step, _Rates(hierarchy)
    matter = frames_that_matter(hierarchy) if any(node.body.prescribed for node in hierarchy) else set()
    flown = _flown_in(hierarchy)
    for node in hierarchy:
        path, kind = node.path, node.kind
        turns = kind == "free" or (node.joint is not None and node.joint.has_attitude)
        fastest = rates.fastest(node) if turns or (kind == "prescribed" and path in matter) else 0.0
        if fastest * step > LARGEST_TURN:
            turn = math.degrees(fastest * step)
            advised = ADVISED_TURN / fastest
            yield node.place, f"it rotates by {turn:.3g} degrees per step of {step:g} s; use at most {advised:.1g} s"
        else:
            found = (_flight_note(hierarchy, *rates.during(stay)) for stay in flown.get(path, ()))
            yield from ((node.place, message) for message in islice(filter(None, found), 1))


def _flown_in(hierarchy: Hierarchy) -> dict[str, dict[Stay, None]]:
    """The times at which free bodies are in each moving frame; nodes fixed to a frame are part of it."""
    found: dict[str, dict[Stay, None]] = defaultdict(dict)  # each once, in order
    for stay in stays(hierarchy):
        frame = hierarchy.base(stay.frame)
        if frame is not None:
            found[frame.path].setdefault(stay._replace(frame=frame))
    return found


def _flight_note(hierarchy: Hierarchy, largest: float, total: float) -> str | None:
    step, method = hierarchy.scene.simulation.step, hierarchy.scene.simulation.integrator
    if largest == 0.0 or (error := flight_error(method, largest * step, total)) <= ALLOWED_ERROR:
        return None
    advised = shorter(
        step, lambda h: flight_error(method, largest * h, total) <= ALLOWED_ERROR, total / largest / MOST_STEPS
    )
    turn, size = math.degrees(largest * step), f"{100 * error:.2g} %" if error < 1 else "more than 100 %"
    message = (
        f"it rotates by {turn:.3g} degrees per step of {step:g} s, and free flights in this frame are wrong by {size}"
    )
    way_out = "use another parent" if advised is None else f"use at most {advised:g} s, or another parent"
    return f"{message} of their distance; {way_out}"


class _Rates:
    """Rates of rotation of frames, as far as the scene determines them without a run; of free bodies, those at t =
    0.
    """

    def __init__(self, hierarchy: Hierarchy):
        self._hierarchy, self._start = hierarchy, Starts(hierarchy)
        self._times = np.linspace(0.0, hierarchy.scene.simulation.duration, LOOKS)

    def fastest(self, node: SceneNode) -> float:
        """The largest angular velocity: of a prescribed frame relative to its parent, of a free body in the world."""
        if node.prescribed is not None:
            return largest(np.sqrt(sum(part * part for part in node.prescribed.at(self._times)["angular_velocity"])))
        at_start = self._start[node.frame].omega if node.parent or node.joint else node.body.angular_velocity.start
        return math.hypot(*at_start)

    def during(self, stay: Stay) -> tuple[float, float]:
        """The largest rate in the world (rad/s) and the total rotation (rad) of a frame in a span of time."""
        if stay.frame.kind == "free":
            rate = math.hypot(*self._start[stay.frame.frame].omega)
            return rate, rate * (stay.end - stay.begin)
        sizes = np.sqrt(np.sum(self._in_world(stay.frame.frame) ** 2, axis=0))
        inside = np.interp(np.linspace(stay.begin, stay.end, LOOKS), self._times, np.nan_to_num(sizes))
        return largest(inside), float(np.mean(inside)) * (stay.end - stay.begin)

    def _in_world(self, frame: int) -> np.ndarray:
        """The rate of a frame in the world at each time, in its axes at t = 0: (3, time)."""
        if not frame:
            return np.zeros((3, LOOKS))
        node, spin = self._hierarchy.at(frame), np.zeros((3, 1))
        if node.kind == "free":
            return np.repeat(self._start[frame].omega, LOOKS).reshape(3, LOOKS)
        if node.prescribed is not None:
            rate = np.broadcast_arrays(*node.prescribed.at(self._times)["angular_velocity"], self._times)[:3]
            spin = np.array(rotate(self._start[node.parent].q, rate))
        return self._in_world(node.parent) + spin


MOST_GROWTH = math.log(1.01)
"""The largest growth factor, over the whole run, of an undamped oscillation."""
DAMPED = 1.0
"""The advised decay rate times the step: with every integrator a speed then decays without oscillation."""


class LoadRates(NamedTuple):
    """A spring, damper or drag: its location, its angular frequency (rad/s) and its largest decay rate (1/s) at each
    free body on which it acts, without other loads.
    """

    place: Path
    swing: float
    damping: dict[str, float]


def load_notes(hierarchy: Hierarchy) -> Iterator[tuple[Path, str]]:
    """Springs whose oscillation is too fast for the step or grows during the run, and the strongest damping of each
    body for whose total damping the step is too long.
    """
    if hierarchy.scene.simulation.integrator.chooses:
        return
    simulation, loads = hierarchy.scene.simulation, list(_loads(hierarchy))
    step, method, steps = simulation.step, simulation.integrator, simulation.duration / simulation.step
    damped: dict[str, float] = {}
    for load in loads:
        for body, rate in load.damping.items():
            damped[body] = damped.get(body, 0.0) + rate
    reported: set[str] = set()
    for load in sorted(loads, key=lambda load: -max(load.damping.values(), default=0.0)):
        # The largest eigenvalue of the dampers that share a body is at most their sum.
        rate = sum(damped[body] for body in load.damping)
        if growth(method, 0.0, rate * step) * steps > MOST_GROWTH and not reported & load.damping.keys():
            reported |= load.damping.keys()
            message = f"a step of {step:g} s is too long for the damping of this body, {rate:.3g} 1/s in total"
            advised = advised_step(shorter(step, partial(_is_damped, rate)))
            yield load.place, f"{message}, so that '{method.name}' diverges; {advised}"
    for load in loads:
        yield from _swing_notes(hierarchy, load, sum(damped[body] for body in load.damping))


def _swing_notes(hierarchy: Hierarchy, load: LoadRates, damping: float) -> Iterator[tuple[Path, str]]:
    simulation = hierarchy.scene.simulation
    step, method, rate = simulation.step, simulation.integrator, load.swing
    if rate * step > LARGEST_TURN:
        period, advised = 2 * math.pi / rate, ADVISED_TURN / rate
        message = f"a step of {step:g} s is long for a spring with a period of {period:.3g} s"
        yield load.place, f"{message}; use at most {advised:.1g} s"
        return

    def grown(h: float) -> float:
        return growth(method, rate * h, damping * h) * simulation.duration / h

    if rate and growth(method, 0.0, damping * step) <= 0 and grown(step) > MOST_GROWTH:
        factor = f"{math.exp(min(grown(step), 690)):.3g}"
        message = f"with '{method.name}' the oscillation of this spring grows by a factor of {factor} during the run"
        yield load.place, f"{message}; {advised_step(shorter(step, lambda h: grown(h) <= MOST_GROWTH))}, or rkmk4"


def _loads(hierarchy: Hierarchy) -> Iterator[LoadRates]:
    forces = [
        (node, index, force)
        for node in hierarchy
        for index, force in enumerate(node.body.forces)
        if force.kind.rates is not None
        and not force.varies
        and (force.during is None or force.during[0] < hierarchy.scene.simulation.duration)
    ]
    start = Starts(hierarchy)
    for node, index, force in forces:
        held = (node, hierarchy.get(getattr(force, "to", None)))
        ends = [Part(hierarchy, end) for end in held if end is not None and hierarchy.moved_base(end)]
        if len({end.moved_base.path for end in ends}) < len(ends) or not all(end.mass.mass for end in ends):
            continue  # within one body, or on one whose mass is that of others, which hang on it by joints

        def speed(at: Vector | None, medium: str, end: Part = ends[0]) -> float:
            return _speed(end, at, start, hierarchy.frame_of(medium))

        assert force.kind.rates is not None
        swing, damping = force.kind.rates(force, ends, speed)
        damped = dict(zip((end.moved_base.path for end in ends), damping, strict=False))
        yield LoadRates((*node.place, "forces", index), swing, damped)
    yield from _joint_loads(hierarchy, start)


def _joint_loads(hierarchy: Hierarchy, start: Starts) -> Iterator[LoadRates]:
    """The springs and dampers in joints, of which the rates are those of the body by itself: what hangs on it makes
    them slower.
    """
    for node in hierarchy:
        if node.joint is None or not hierarchy.composite(node).mass.mass:
            continue
        free = [
            coordinate for coordinate in node.joint.coordinates if not (coordinate.is_prescribed or coordinate.holds)
        ]
        loads = [(one.stiffness + one.servo_stiffness, one.damping + one.servo_damping) for one in free] or [
            (node.joint.stiffness, node.joint.damping)
        ] * 3
        inertias = own_resistances(node, hierarchy, start)
        rates = [(k / m, c / m) for (k, c), m in zip(loads, inertias, strict=False) if m > 0.0]
        swing, decay = (max((float(pair[i]) for pair in rates), default=0.0) for i in (0, 1))
        if swing or decay:
            yield LoadRates((*node.place, "motion", node.joint.type), math.sqrt(swing), {node.path: decay})


def _speed(end: Part, at: Vector | None, start: Starts, medium: int) -> float:
    """The speed of a point relative to a medium at t = 0, m/s."""
    body = start[end.moved_base.frame]
    point = body.point(end.point(at))
    return norm(sub(body.velocity_at(point), start[medium].velocity_at(point)))
