"""The forces that a picture shows: at contact points, and on bodies from the terms of their accelerations."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rigidsim.errors import NotRecordedError
from rigidsim.physics.quaternion import rotate_back
from rigidsim.trajectory.events import node_of
from rigidsim.trajectory.fields import POINT_NAMES
from rigidsim.trajectory.motion import columns, rows
from rigidsim.trajectory.trajectory import Trajectory
from rigidsim.views.poses import Poses

MOST_POINTS = 100_000
FORCES = ("applied", "gravity", "contact", "joint")
INERTIAL = ("linear", "euler", "centrifugal", "coriolis")


class ContactForces(NamedTuple):
    """The contact points of samples: those of sample k have the rows from `begins[k]` to `begins[k + 1]`. `point` (m)
    and `force` (N, on the other body) are in the axes of the body of the row `body`, the first of the two.
    """

    begins: np.ndarray
    body: np.ndarray
    point: np.ndarray
    force: np.ndarray


class Loads(NamedTuple):
    """What was recorded of forces at some samples; `sample` (frame) is the number among them of the last one that is
    not after each frame. `force` and `inertial` (sample, body, 3) are accelerations (m/s2) in the axes of the parent:
    the sums of the terms of forces and of the inertial ones. None is what was not recorded.
    """

    sample: np.ndarray
    contacts: ContactForces | None
    force: np.ndarray | None
    inertial: np.ndarray | None


def loads_of(trajectory: Trajectory, samples: np.ndarray, poses: Poses, notes: list[str]) -> Loads:
    """The loads at these samples of a trajectory; what is left out is named in `notes`."""
    times = trajectory.time[samples]
    frame = np.searchsorted(poses.time, times)
    sums = [_sum(trajectory.part(samples), names) for names in (FORCES, INERTIAL)]
    return Loads(
        np.searchsorted(times, poses.time, side="right") - 1, _contacts(trajectory, samples, poses, frame, notes), *sums
    )


def _sum(shown: Trajectory, names: tuple[str, ...]) -> np.ndarray | None:
    """The sum of some terms, (sample, body, 3), zero for bodies without; None if no terms were recorded."""
    recorded = {field.name for field in shown.header.fields}
    names = tuple(name for name in names if f"terms/{name}" in recorded)
    if not names:
        return None
    found = np.zeros((len(shown.time), len(shown.paths), 3))
    for row, path in enumerate(shown.paths):
        try:
            found[:, row] = np.nan_to_num(np.sum([shown[path].term(name) for name in names], axis=0))
        except NotRecordedError:
            continue
    return found


def _contacts(
    trajectory: Trajectory, samples: np.ndarray, poses: Poses, frame: np.ndarray, notes: list[str]
) -> ContactForces | None:
    if not trajectory.header.with_contacts:
        return None
    every = trajectory.contacts.begins
    count = np.diff(every)[samples]
    begins = np.concatenate([[0], np.cumsum(count)])
    if begins[-1] > MOST_POINTS:
        notes.append(f"{begins[-1]} contact points, more than {MOST_POINTS}, are left out; show a shorter time")
        return None
    points = np.concatenate([np.arange(every[k], every[k + 1]) for k in samples])
    if not len(points):
        return None
    first, _, point, _, force = (np.asarray(trajectory.arrays[name][points]) for name in POINT_NAMES)
    body = np.array([trajectory.header.row_of[node_of(name)] for name in trajectory.header.shapes])[first]
    seen, at = poses.seen_from(), np.repeat(frame, count)
    turn = columns(seen.orientation[at, body])
    inner = rotate_back(turn, columns(point - seen.position[at, body]))
    return ContactForces(begins, body, rows(inner), rows(rotate_back(turn, columns(force))))
