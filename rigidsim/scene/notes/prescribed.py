"""Warnings about prescribed motions: jumps; and, of frames with free bodies, what is too fast for the step."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from operator import itemgetter
from typing import Any

import numpy as np

from rigidsim.containers.optional import not_none
from rigidsim.physics.operations import OPERATIONS, VALUES
from rigidsim.scene.expressions import Expression
from rigidsim.scene.expressions.tree import Apply, Time, parts
from rigidsim.scene.hierarchy.nodes import Hierarchy
from rigidsim.scene.hierarchy.start import columns, largest
from rigidsim.scene.notes.steps import advised_step, flown_in, shorter
from rigidsim.scene.schema.integrators import Integrator
from rigidsim.scene.schema.prescription import PrescribedMotion
from rigidsim.scene.text.document import Path

MOST_INSTANTS = 50_000  # at which branches are evaluated
MOST_CHANGES = 100  # of branches, at which a jump is searched for
LOOKS = 500  # at which rates are evaluated
MOST_SUMMED = 5_000  # steps of which the errors are summed
SPANS = 50  # spans of consecutive steps, if there are more steps than that
NEAR = 20  # steps for which shorter steps are tried
ALLOWED_GAIN = 1e-3  # allowed error for a body at rest, relative to the largest speed of the motion
SAME = 1e-9  # a smaller change, relative to the largest value, is not a jump

# The value by which an operation selects its branch. Equality of two numbers is omitted: it lasts an instant.
BRANCHES = {operation.name: operation.branch for operation in OPERATIONS if operation.branch}


def prescribed_notes(hierarchy: Hierarchy) -> Iterator[tuple[Path, str]]:
    """Warnings about each prescribed motion of a frame with free bodies: its first jump (found among MOST_INSTANTS), or
    else a change that is too fast for the step.
    """
    duration, step = hierarchy.scene.simulation.duration, hierarchy.scene.simulation.step
    times = np.linspace(0.0, duration, min(round(duration / step), MOST_INSTANTS) + 1)
    moving = [node for node in hierarchy if node.body.prescribed is not None]
    carrying = flown_in(hierarchy) if moving else set()
    moving = [node for node in moving if node.path in carrying]
    count = sum(len([*expressed(not_none(node.body.prescribed))]) for node in moving)
    spans = _spans(duration, step, max(MOST_SUMMED // max(1, count), LOOKS))
    for node in moving:
        place = (*node.place, "motion", "prescribed")
        jumps = [
            ((*place, *key), found)
            for key, part, orders in expressed(not_none(node.body.prescribed))
            if (found := first_jump(part, times, orders)) is not None
        ]
        for where, found in jumps:
            yield where, f"{found}; its free descendants gain a spurious velocity there: use a smooth function"
        if not jumps and not hierarchy.scene.simulation.integrator.chooses:
            yield from _change_notes(hierarchy, place, not_none(node.body.prescribed), spans)
    for node in hierarchy:
        for k, x in enumerate(node.joint.coordinates if node.joint else ()):
            if x.is_prescribed and isinstance(x.desired, Expression) and (found := first_jump(x.desired, times, 2)):
                place = (*node.place, *node.in_joint("motor", k))
                yield place, f"{found}; no force makes this motion: use a smooth function, or give the motor a limit"


def _change_notes(
    hierarchy: Hierarchy, place: Path, motion: PrescribedMotion, spans: np.ndarray
) -> Iterator[tuple[Path, str]]:
    """The vectors of a motion by which a body at rest would gain more than ALLOWED_GAIN of the largest speed."""
    step, method = hierarchy.scene.simulation.step, hierarchy.scene.simulation.integrator
    found: dict[str, list] = {}
    for (name, *_), part, orders in expressed(motion):
        gained, speed = _gained(part, orders, spans, step, method)
        found.setdefault(str(name), []).append((largest(gained), speed, part, orders))
    for name, each in found.items():
        gained, _, part, orders = max(each, key=itemgetter(0))
        allowed = ALLOWED_GAIN * max(speed for _, speed, _, _ in each)
        if gained > allowed:
            advised = _slower(part, orders, spans, step, method, allowed / gained)
            unit = "m/s" if name in ("position", "velocity") else "rad/s"
            message = f"its velocity changes too fast for a step of {step:g} s: a descendant at rest gains {gained:.2g}"
            yield (*place, name), f"{message} {unit}; {advised_step(advised)}"


def _gained(part: Expression, orders: int, spans: np.ndarray, step: float, method: Integrator) -> tuple:
    """The speed that a body at rest gains over spans of steps (span, step) that begin and end at these times (span,
    step + 1), since the method takes the acceleration of a motion by its quadrature; and the largest speed of it.
    """
    speed, change = columns(part, spans)[orders - 1 : orders + 1]
    at = {0.0: change[:, :-1], 1.0: change[:, 1:]}
    total = speed[:, :-1] - speed[:, 1:]
    for instant, weight in method.quadrature:
        known = at[instant] if instant in at else columns(part, spans[:, :-1] + instant * step)[orders]
        total = total + step * weight * known
    return np.cumsum(np.where(np.isfinite(total), total, 0.0), axis=1), largest(speed)


def _slower(
    part: Expression, orders: int, spans: np.ndarray, step: float, method: Integrator, factor: float
) -> float | None:
    """A step that reduces the error to this fraction, computed where most of the error arises."""
    each = np.abs(np.diff(_gained(part, orders, spans, step, method)[0], axis=1, prepend=0.0))
    worst = float(spans[:, :-1].ravel()[np.argmax(each)])
    begin = max(1e-9 * step, worst - NEAR / 2 * step)

    def left(h: float) -> float:
        times = begin + h * np.arange(round(NEAR * step / h) + 1)
        return largest(_gained(part, orders, times[None, :], h, method)[0])

    now = left(step)
    return shorter(step, lambda h: left(h) <= factor * now, 1e-4 * step)


def _spans(duration: float, step: float, most: int) -> np.ndarray:
    """The times at which steps begin and end (span, step + 1): all steps, or SPANS spans of consecutive steps, at most
    `most` steps in total.

    The first begins just after t = 0, where a formula may be undefined.
    """
    steps = round(duration / step)
    count, length = (1, steps) if steps <= most else (SPANS, most // SPANS)
    first = np.linspace(0, steps - length, count).round()
    times = step * (first[:, None] + np.arange(length + 1))
    times[0, 0] = 1e-9 * step
    return times


def expressed(motion: PrescribedMotion) -> Iterator[tuple[Path, Expression, int]]:
    """Each expression of a motion, its location, and the number of its derivatives, including the value, that must be
    continuous.
    """
    poses: list[tuple[Path, Any, int]] = [(("position", k), part, 2) for k, part in enumerate(motion.position or ())]
    if motion.orientation is not None:
        poses += [(("orientation",), angle, 2) for _, angle in motion.orientation.turns]
    rates = [
        ((key, k), part, 1)
        for key in ("velocity", "angular_velocity")
        for k, part in enumerate(getattr(motion, key).value)
    ]
    yield from (found for found in (*poses, *rates) if isinstance(found[1], Expression))


def first_jump(part: Expression, times: np.ndarray, orders: int) -> str | None:
    """A description of the first jump of value or rate between two of these times (s)."""
    if not any(isinstance(each, Apply) and each.operation in BRANCHES for each in parts(part.tree)):
        return None
    branches = branches_of(part, times)
    changes = np.flatnonzero((branches[:, 1:] != branches[:, :-1]).any(axis=0))
    sizes = [largest(column) for column in columns(part, times[:: 1 + len(times) // LOOKS])]
    for k in changes[:MOST_CHANGES]:
        before, after = _switch(part, times[k], times[k + 1])
        # One double further to both sides, away from the edge of the branch.
        jets = [part.jet(t) for t in (np.nextafter(before, times[0]), np.nextafter(after, np.inf))]
        for name, u, v, size in list(zip(("it jumps", "its rate jumps"), *jets, sizes, strict=False))[:orders]:
            if abs(v - u) > SAME * size:
                u, v = (0.0 if abs(w) < SAME * size else w for w in (u, v))
                return f"{name} at t = {after:.9g} s, from {u:.6g} to {v:.6g}"
    return None


def branches_of(part: Expression, times: np.ndarray) -> np.ndarray:
    """(choice, time) the branch that each operation takes."""
    taken = []

    def noting(name: str) -> Callable:
        def apply(*arguments):
            taken.append(np.broadcast_to(BRANCHES[name](*arguments), np.shape(times)).astype(float))
            return VALUES[name](*arguments)

        return apply

    with np.errstate(all="ignore"):
        part.evaluate({Time(): times}, VALUES | {name: noting(name) for name in BRANCHES})
    return np.array(taken)


def _switch(part: Expression, before: float, after: float) -> tuple[float, float]:
    """Neighbouring doubles between which the branches change, the first time after `before` if they do so once."""
    start = branches_of(part, np.array([before]))
    while before < (middle := (before + after) / 2) < after:
        if (branches_of(part, np.array([middle])) == start).all():
            before = middle
        else:
            after = middle
    return before, after
