"""Rates of change of loads compared with the step, by finite differences: the usual cause of energy drift.

With the step h, a load with the derivative k (1/s) by velocity is resolved if k h is small; one with the derivative k
(1/s2) by position, such as a spring, if sqrt(k) h is small; one that depends on time, if it changes little over a step.
Each number is the fraction of a decay, or the angle of an oscillation (rad), per step.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rigidsim.analysis.loads import LoadsAtSample, SceneLoad
from rigidsim.analysis.past import LoadsInPhase, SampleModel
from rigidsim.containers.optional import not_none
from rigidsim.engine.model import layout
from rigidsim.tree.nodes import Node

SMALL = 1e-4  # perturbation relative to the change of the state in a step
LEAST = 1e-8  # smallest perturbation relative to the value: half of its digits
STEPS = 100  # number of steps at which the change with time is evaluated
MOST = 0.5  # relative to the largest rate: a load above it is named as the cause


class Rate(NamedTuple):
    """The rate of change of a load per step, and the variable: velocity, position, time or turn (rotation)."""

    by: str
    number: float
    when: float  # s


class DriftCause(NamedTuple):
    """The body with the highest rate, and the load that causes it; None if no single load does, or if it is what acts
    in the body's joint, whose type is `joint`, if it hangs on one.
    """

    body: str
    load: SceneLoad | None
    rate: Rate
    joint: str = ""


def drift_cause(past: SampleModel, step: float, until: float) -> DriftCause | None:
    """The highest rate from the sample to a later time (s); None if all are zero."""
    with np.errstate(all="ignore"):
        state, loads = past.state(), LoadsAtSample(past)
        found = rates(past.under(past.scene), past, state, step, until)
        worst = [max(rate, _turn(past, node, step), key=_number) for node, rate in zip(past.moved, found, strict=True)]
        if not any(map(_number, worst)):
            return None
        row = max(range(len(worst)), key=lambda k: worst[k].number)
        body, most = past.moved[row], MOST * worst[row].number
        joint = body.joint.type if body.joint else ""

        def rate_under(load: SceneLoad | None) -> Rate:
            return rates(past.under(loads.alone(load)), past, state, step, until)[row]

        if joint and (own := rate_under(None)).number >= most:
            if not_none(body.joint).has_loads:
                return DriftCause(body.path, None, own, joint)
            # The motion itself: rates of turning bodies couple the coordinates of their joints.
            turns = [_turn(past, node, step) for node in past.moved]
            fastest = max(range(len(turns)), key=lambda k: turns[k].number)
            return DriftCause(past.moved[fastest].path, None, turns[fastest])
        alone = [(rate_under(load), load) for load in loads.on(body.path)]
    rate, load = max(alone, key=lambda pair: pair[0].number, default=(worst[row], None))
    return DriftCause(body.path, *((load, rate) if rate.number >= most else (None, worst[row])), joint)


def rates(acting: LoadsInPhase, past: SampleModel, state: np.ndarray, step: float, until: float) -> list[Rate]:
    """For each row of the state the highest rate of change of the loads on a free body, or of the acceleration of a
    coordinate of a joint.
    """
    here = _pull(acting, past.time, state)
    by_time, when = _with_time(acting, past.time, state, step, until)
    found = {"time": by_time}
    for by, is_velocity in (("velocity", True), ("position", False)):
        changes = [_slope(acting, past, state, here, step, kind, is_velocity) for kind in (0, 1)]
        found[by] = step * np.fmax(*changes) if is_velocity else step * np.sqrt(np.fmax(*changes))
    return [
        max((Rate(by, float(np.nan_to_num(n[row])), float(when[row]) if by == "time" else past.time)
             for by, n in found.items()), key=_number)
        for row in range(len(past.moved))
    ]  # fmt: skip


def _number(rate: Rate) -> float:
    return rate.number


def _pull(acting: LoadsInPhase, time: float, state: np.ndarray) -> np.ndarray:
    """(row, 2, 3) acceleration and angular acceleration of free bodies due to all loads; of joints those of the
    coordinate, and of a ball joint.
    """
    terms = acting.terms(time, state)[:, acting.free]
    found = np.stack([acting.scratch.rate[:, layout.RATE.columns(part, 1)] for part in ("a", "alpha")], axis=1)
    found[acting.is_free, 0] = terms[layout.T_APPLIED] + terms[layout.T_GRAVITY]
    found[acting.is_free, 1] = terms[layout.T_ANGULAR_APPLIED]
    return found


def _slope(
    acting: LoadsInPhase,
    past: SampleModel,
    state: np.ndarray,
    here: np.ndarray,
    step: float,
    kind: int,
    is_velocity: bool,
):
    """(row) the largest derivative of the acceleration (`kind` 0) or angular acceleration (1) by velocity or position.
    Bodies are displaced in different directions, so that springs between two of them change.
    """
    n, metres = len(past.moved), np.array([node.parent_metres if node.is_free() else 1.0 for node in past.moved])
    unit = np.ones(n) if kind else metres
    place, velocity = ((layout.STATE.p, layout.STATE.v), (layout.STATE.q, layout.STATE.omega))[kind]
    rows = state[:n]
    speed = np.linalg.norm(rows[:, velocity], axis=1)
    speed = np.fmax(speed, step * np.linalg.norm(here[:, kind], axis=1) / unit)
    by = SMALL * np.where(speed > 0.0, speed, 1.0)
    if not is_velocity:
        size = np.ones(n) if kind else np.linalg.norm(rows[:, place], axis=1)
        by = np.fmax(by * step, LEAST * np.fmax(size, SMALL))
    ways = np.linalg.qr(np.random.default_rng(0).normal(size=(n, 3, 3)))[0]
    columns = []
    for way in range(3):
        moved, change = state.copy(), by[:, np.newaxis] * ways[:, :, way]
        moved[:n] = _displaced(rows, velocity if is_velocity else place, change)
        columns.append((_pull(acting, past.time, moved) - here)[:, kind] / (by * unit)[:, np.newaxis])
    return np.linalg.norm(np.nan_to_num(np.stack(columns, axis=-1)), 2, axis=(1, 2))


def _displaced(rows: np.ndarray, place: slice, change: np.ndarray) -> np.ndarray:
    """The rows of bodies with changes of velocities or positions, or rotated by small angles about body axes."""
    rows = rows.copy()
    if place != layout.STATE.q:
        rows[:, place] += change
        return rows
    q, half = rows[:, place], 0.5 * change
    w, xyz = q[:, :1].copy(), q[:, 1:].copy()
    q[:, 0] -= np.sum(xyz * half, axis=1)
    q[:, 1:] += w * half + np.cross(xyz, half)
    return rows


def _with_time(acting: LoadsInPhase, begin: float, state: np.ndarray, step: float, until: float) -> tuple:
    """For each body the largest relative change of its loads within a step at constant state, and its time."""
    steps = np.unique(np.linspace(0, max(1, round((until - begin) / step)) - 1, STEPS).astype(int))
    times = begin + step * (steps[:, np.newaxis] + np.array([0.0, 0.5, 1.0]))
    pulls = np.array([[_pull(acting, float(t), state) for t in three] for three in times])  # (step, 3, row, 2, 3)
    change = np.max([np.linalg.norm(pulls[:, i] - pulls[:, j], axis=-1) for i, j in ((0, 1), (1, 2), (0, 2))], axis=0)
    largest = np.linalg.norm(pulls, axis=-1).max(axis=(0, 1))
    share = np.divide(change, largest, out=np.zeros_like(change), where=largest > 0.0).max(axis=2)  # (step, row)
    return share.max(axis=0), times[share.argmax(axis=0), 1]


def _turn(past: SampleModel, node: Node, step: float) -> Rate:
    """The rotation of a body or its parent per step, rad."""
    turning = past.tree.lineage(node)[:2]
    rows = [past.world.angular_velocity[each.index] for each in turning]
    return Rate("turn", step * float(max(np.linalg.norm(row) for row in rows)), past.time)
