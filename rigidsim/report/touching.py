"""What a body touches at a sample, in words: it rests on the floor with 9.81 N."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from rigidsim.errors import NotRecordedError
from rigidsim.report.table import number
from rigidsim.trajectory.contact_events import BEGINS, ENDS
from rigidsim.trajectory.trajectory import State, Trajectory, sample_of

STILL = 1e-3  # m/s and rad/s; a slower body rests on what it touches
NO_FRICTION = 1e-6  # of the whole force


@dataclass(frozen=True)
class Touch:
    """Another body that a body touches, and the force (N, world axes) by it and the part of that which is friction;
    None if contact points were not recorded.
    """

    body: str
    other: str
    how: str
    force: np.ndarray | None = None
    friction: np.ndarray | None = None

    def __str__(self) -> str:
        if self.force is None:
            return f"{self.body} {self.how} {self.other}"
        size, across = (float(np.linalg.norm(part)) for part in (self.force, self.friction))
        friction = f", of which {number(across)} N are friction" if across > NO_FRICTION * size else ""
        return f"{self.body} {self.how} {self.other} with {number(size)} N{friction}"

    def as_dict(self) -> dict[str, object]:
        """Plain data."""
        vectors = {"force": self.force, "friction": self.friction}
        given = {name: vector.tolist() for name, vector in vectors.items() if vector is not None}
        return {"body": self.body, "other": self.other, "how": self.how, **given}


def touches(trajectory: Trajectory, body: str, sample: int) -> list[Touch]:
    """What a body, or the one that carries it, touches at a sample."""
    mover = trajectory.header.movers_at(float(trajectory.time[sample]))[body]
    if not trajectory.header.with_contacts:
        return [Touch(mover, other, "touches") for other in _touched(trajectory, mover, sample)]
    points, state = trajectory.contacts[sample], sample_of(trajectory, sample)
    forces, friction = points.on(mover), points.on(mover, points.friction)
    down = _gravity(trajectory)
    return [
        Touch(mover, other, _how(state, mover, other, float(force @ down)), force, friction[other])
        for other, force in forces.items()
    ]


def _how(state: State, body: str, other: str, downwards: float) -> str:
    """The verb, from the force along gravity and the relative motion, as far as it was recorded."""
    if downwards > 0.0:
        return "carries"
    seen = state[body].seen_from(other)
    try:
        still = max(np.abs(seen.velocity).max(), np.abs(seen.angular_velocity).max()) < STILL
    except NotRecordedError:
        return "touches"
    return ("rests" if still else "moves") + (" on" if downwards < 0.0 else " against")


def _gravity(trajectory: Trajectory) -> np.ndarray:
    """The uniform gravity of the scene, m/s2; zero if there is none."""
    given = trajectory.header.resolved.get("world", {}).get("gravity")
    return np.array(given, dtype=np.float64) if isinstance(given, list) else np.zeros(3)


def _touched(trajectory: Trajectory, mover: str, sample: int) -> Iterator[str]:
    """The bodies that a body touches, from the events up to a sample."""
    events, time = trajectory.events.contact, float(trajectory.time[sample])
    if not len(events):
        return
    movers = trajectory.header.movers_at(time)
    known = np.array([movers[node] for node in events.nodes], dtype=object)
    rows = np.flatnonzero((events.time <= time) & (events.kind <= ENDS))
    depth: dict[str, int] = {}
    for row in rows:
        pair = known[events.first[row]], known[events.second[row]]
        if mover in pair:
            other = pair[pair[0] == mover]
            depth[other] = depth.get(other, 0) + (1 if events.kind[row] == BEGINS else -1)
    yield from (other for other, count in depth.items() if count > 0)
