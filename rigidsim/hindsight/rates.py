"""How fast loads change against the step: what makes an integrator lose the energy, found by small changes of a state.

A load that changes with the velocity by k per second is followed if k h is small, h being the step; one that changes
with the position, as a spring's does, if the square root of that change times h is; one that changes with time, if it
keeps most of its size over a step. Each number is the part of a decay or of a turn, in rad, that a step has to follow.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rigidsim.engine import layout
from rigidsim.hindsight.loads import SeparateLoads, WrittenLoad
from rigidsim.hindsight.past import Acting, Past

SMALL = 1e-4  # a change of the state, as part of what a step does to it
LEAST = 1e-8  # that change, as part of what is changed: half of its digits
STEPS = 100  # at which a load is asked how it changes with time
MOST = 0.5  # of the largest number: a load with that much does it by itself


class Rate(NamedTuple):
    """How much of a load's change falls into one step; by what it changes: velocity, position, time or turn."""

    by: str
    number: float
    when: float  # s


class Culprit(NamedTuple):
    """The body that a step follows worst, and the load on it that does most of it; None if none does by itself."""

    body: str
    load: WrittenLoad | None
    rate: Rate


def culprit(past: Past, step: float, until: float) -> Culprit | None:
    """What changes fastest for this step, from the sample to a later time (s); None if nothing changes at all."""
    with np.errstate(all="ignore"):
        state, loads = past.state(), SeparateLoads(past)
        found = rates(past.under(past.scene), past, state, step, until)
        worst = [max(rate, _turn(past, body, step), key=_number) for body, rate in zip(past.free, found, strict=True)]
        if not any(map(_number, worst)):
            return None
        row = max(range(len(worst)), key=lambda k: worst[k].number)
        alone = [
            (rates(past.under(loads.alone(load)), past, state, step, until)[row], load)
            for load in loads.on(past.free[row])
        ]
    rate, load = max(alone, key=lambda pair: pair[0].number, default=(worst[row], None))
    is_alone = rate.number >= MOST * worst[row].number
    return Culprit(past.free[row], *((load, rate) if is_alone else (None, worst[row])))


def rates(acting: Acting, past: Past, state: np.ndarray, step: float, until: float) -> list[Rate]:
    """For each free body, how fast what acts on it changes, by what does it most."""
    here = _pull(acting, past.time, state)
    by_time, when = _with_time(acting, past.time, state, step, until)
    found = {"time": by_time}
    for by, is_velocity in (("velocity", True), ("position", False)):
        changes = [_slope(acting, past, state, here, step, kind, is_velocity) for kind in (0, 1)]
        found[by] = step * np.fmax(*changes) if is_velocity else step * np.sqrt(np.fmax(*changes))
    return [
        max((Rate(by, float(np.nan_to_num(n[row])), float(when[row]) if by == "time" else past.time)
             for by, n in found.items()), key=_number)
        for row in range(len(past.free))
    ]  # fmt: skip


def _number(rate: Rate) -> float:
    return rate.number


def _pull(acting: Acting, time: float, state: np.ndarray) -> np.ndarray:
    """(free, 2, 3) acceleration and angular acceleration by all loads."""
    terms = acting.terms(time, state)
    parts = [terms[:, first : first + 3] for first in (layout.T_APPLIED, layout.T_GRAVITY, layout.T_ANGULAR_APPLIED)]
    return np.stack([parts[0] + parts[1], parts[2]], axis=1)


def _slope(acting: Acting, past: Past, state: np.ndarray, here: np.ndarray, step: float, kind: int, is_velocity: bool):
    """(free) the largest change of an acceleration (`kind` 0) or angular acceleration (1) by a unit change of the
    velocity or position it is the derivative of. Each body is moved its own way, so that springs between two notice.
    """
    n, metres = len(past.free), np.array([node.parent_metres for node in past.tree.free()])
    unit = np.ones(n) if kind else metres
    place, velocity = ((layout.S_P, layout.S_V), (layout.S_Q, layout.S_OMEGA))[kind]
    speed = np.linalg.norm(state[:n, velocity : velocity + 3], axis=1)
    speed = np.fmax(speed, step * np.linalg.norm(here[:, kind], axis=1) / unit)
    by = SMALL * np.where(speed > 0.0, speed, 1.0)
    if not is_velocity:
        size = np.ones(n) if kind else np.linalg.norm(state[:n, place : place + 3], axis=1)
        by = np.fmax(by * step, LEAST * np.fmax(size, SMALL))
    ways = np.linalg.qr(np.random.default_rng(0).normal(size=(n, 3, 3)))[0]
    columns = []
    for way in range(3):
        moved, change = state.copy(), by[:, np.newaxis] * ways[:, :, way]
        _displace(moved[:n], velocity if is_velocity else place, change)
        columns.append((_pull(acting, past.time, moved) - here)[:, kind] / (by * unit)[:, np.newaxis])
    return np.linalg.norm(np.nan_to_num(np.stack(columns, axis=-1)), 2, axis=(1, 2))


def _displace(free: np.ndarray, place: int, change: np.ndarray) -> None:
    """Change velocities or positions, or turn bodies by small angles about their own axes; in place."""
    if place != layout.S_Q:
        free[:, place : place + 3] += change
        return
    q, half = free[:, place : place + 4].copy(), 0.5 * change
    free[:, place] -= np.sum(q[:, 1:] * half, axis=1)
    free[:, place + 1 : place + 4] += q[:, :1] * half + np.cross(q[:, 1:], half)


def _with_time(acting: Acting, begin: float, state: np.ndarray, step: float, until: float) -> tuple:
    """For each body the largest change within a step, as part of the largest size, and when; the state stands still."""
    steps = np.unique(np.linspace(0, max(1, round((until - begin) / step)) - 1, STEPS).astype(int))
    times = begin + step * (steps[:, np.newaxis] + np.array([0.0, 0.5, 1.0]))
    pulls = np.array([[_pull(acting, float(t), state) for t in three] for three in times])  # (step, 3, free, 2, 3)
    change = np.max([np.linalg.norm(pulls[:, i] - pulls[:, j], axis=-1) for i, j in ((0, 1), (1, 2), (0, 2))], axis=0)
    largest = np.linalg.norm(pulls, axis=-1).max(axis=(0, 1))
    share = np.divide(change, largest, out=np.zeros_like(change), where=largest > 0.0).max(axis=2)  # (step, free)
    return share.max(axis=0), times[share.argmax(axis=0), 1]


def _turn(past: Past, body: str, step: float) -> Rate:
    """What a body or its parent turns in a step, rad."""
    node = past.tree.by_path[body]
    turning = past.tree.lineage(node)[:2]
    rows = [past.world[each.index, layout.O_OMEGA : layout.O_OMEGA + 3] for each in turning]
    return Rate("turn", step * float(max(np.linalg.norm(row) for row in rows)), past.time)
