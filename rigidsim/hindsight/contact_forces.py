"""The force of contact on one body over time."""

from __future__ import annotations

import numpy as np

from rigidsim.errors import UsageError
from rigidsim.trajectory.contact_fields import POINTS, node_of
from rigidsim.trajectory.contact_points import ContactHistory
from rigidsim.trajectory.header import Header
from rigidsim.trajectory.trajectory import Trajectory


def contact_force(
    contacts: ContactHistory, trajectory: Trajectory, samples: slice, body: str, is_friction: bool = False
) -> np.ndarray:
    """The sum of the forces of contact on a body and what is fixed to it at each of these samples, N, world axes,
    (time, 3); or of their parts across the normals, the friction.
    """
    wanted = np.arange(len(trajectory.time))[samples]
    if not len(wanted):
        return np.zeros((0, 3))
    low, high = int(wanted.min()), int(wanted.max()) + 1
    begins = contacts.begins[low : high + 1]
    first, second, normal, force = (
        np.asarray(trajectory.arrays[f"{POINTS}/{name}"][begins[0] : begins[-1]])
        for name in ("first", "second", "normal", "force")
    )
    if is_friction:
        force = force - np.sum(force * normal, axis=1)[:, np.newaxis] * normal
    sample = np.repeat(np.arange(high - low), np.diff(begins))
    total = np.zeros((high - low, 3))
    for number, span in trajectory.header.spans(trajectory.time[low:high]):
        of_span = np.zeros(high - low, bool)
        of_span[span] = True
        on = _carried(trajectory.header, number, body)
        sign = (on[second].astype(float) - on[first]) * of_span[sample]
        np.add.at(total, sample, sign[:, np.newaxis] * force)
    return total[wanted - low]


def _carried(header: Header, number: int, body: str) -> np.ndarray:
    """Of each shape whether it moves with the body, while that tree holds."""
    movers = header.movers_at(max(header.trees()[number][0], 0.0))
    return np.array([movers[node_of(name)] == body for name in header.shapes], dtype=bool)


def require_mover(header: Header, body: str) -> None:
    """Raise UsageError if a body always is a part of another one, with which its shapes move."""
    movers = [header.movers_at(max(begin, 0.0))[body] for begin, _ in header.trees()]
    if body not in movers:
        raise UsageError(f"'{body}' is fixed to '{movers[0]}', which takes its forces of contact; ask for those")
