"""Report on one body at a time: the terms of its acceleration, and the events that changed its motion."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rigidsim.errors import UsageError
from rigidsim.hindsight.path_directions import AT_REST, directions
from rigidsim.report.jumps import describe_event, events_near
from rigidsim.report.shares import Shares
from rigidsim.report.states import known
from rigidsim.report.terms import AccelerationTerm, largest_of, table
from rigidsim.report.touching import Touch, touches
from rigidsim.trajectory.contact_events import ContactEvent
from rigidsim.trajectory.events import Event
from rigidsim.trajectory.fields import angular_terms, linear_terms
from rigidsim.trajectory.trajectory import Trajectory, sample_of

ROUND_OFF = 1e-14  # an angular acceleration below this times omega^2 is round-off
SHOWN_EVENTS = 20
SOLVED = 1e-9
"""Of the largest term: what the impulses of contact leave of the acceleration of a body at rest, per metre for angular
ones; and s, for its speed.
"""
NEARLY = 10.0  # terms larger than this times their sum nearly cancel


@dataclass(frozen=True)
class BodyReport:
    """One body at a time: the events near that time, what it touches, and the terms of its acceleration if they were
    recorded.
    """

    body: str
    events: tuple[Event | ContactEvent, ...]
    carriers: tuple[str, ...]  # at each event, the free body that carries it; itself if it is free
    touches: tuple[Touch, ...]
    terms: Explanation | None

    @classmethod
    def of(cls, trajectory: Trajectory, body: str, time: float) -> BodyReport:
        """At the sample nearest to `time` (s). Raises UsageError if there is neither an event, a touch nor a term."""
        path = trajectory[body].path
        events = tuple(events_near(trajectory, path, time))
        carriers = tuple(trajectory[body].carrier_at(event.time) for event in events)
        touched = tuple(touches(trajectory, path, nearest_sample(trajectory, time)))
        try:
            return cls(path, events, carriers, touched, Explanation.of(trajectory, body, time))
        except UsageError:
            if not events and not touched:
                raise
            return cls(path, events, carriers, touched, None)

    def __str__(self) -> str:
        pairs = list(zip(self.events, self.carriers, strict=True))
        parts = [describe_event(event, self.body, carrier) for event, carrier in pairs[:SHOWN_EVENTS]]
        if len(pairs) > SHOWN_EVENTS:
            parts.append(f"... and {len(pairs) - SHOWN_EVENTS} more events")
        if self.touches:
            parts.append("\n".join(map(str, self.touches)))
        return "\n\n".join([*parts, *([str(self.terms)] if self.terms else [])])

    def as_dict(self) -> dict[str, object]:
        """Plain data, for `--json`."""
        found = self.terms.as_dict() if self.terms else {"schema_version": 1, "body": self.body}
        contacts = {"contacts": [touch.as_dict() for touch in self.touches]} if self.touches else {}
        return {**found, **contacts, "events": [event.as_dict() for event in self.events]}


@dataclass(frozen=True)
class Explanation:
    """The terms of one body's acceleration relative to its parent at one sample."""

    body: str
    parent: str
    time: float
    velocity: np.ndarray
    acceleration: np.ndarray
    linear: list[AccelerationTerm]
    angular_acceleration: np.ndarray
    angular: list[AccelerationTerm]
    rate: float  # angular speed in the world, rad/s; 0 if it was not recorded
    shares: Shares  # the contribution of each force to the applied terms

    @classmethod
    def of(cls, trajectory: Trajectory, body: str, time: float) -> Explanation:
        """At the sample nearest to `time` (s). Raises UsageError without terms, or for a body that is not free."""
        index = trajectory.paths.index(trajectory[body].path)
        if not trajectory.header.with_terms:
            raise UsageError("this trajectory has no acceleration terms; record them with `rigidsim run --terms`")
        trajectory[body].term("acceleration")  # raises NotRecordedError if they are not of this body
        if not trajectory.time[0] <= time <= trajectory.time[-1]:
            begin, end = trajectory.time[0], trajectory.time[-1]
            raise UsageError(f"time {time:g} s is outside the trajectory, which covers {begin:g} to {end:g} s")
        k = nearest_sample(trajectory, time)

        def at(name: str) -> np.ndarray:
            return np.asarray(trajectory.arrays[f"terms/{name}"][k, index])

        velocity, acceleration, angular = at("velocity"), at("acceleration"), at("angular_acceleration")
        _require_free(trajectory, body, float(trajectory.time[k]))
        tangent, normal = directions(velocity, acceleration)
        with_contact = bool(trajectory.header.shapes)
        linear, angular_parts = linear_terms(with_contact), angular_terms(with_contact)
        rate = known(sample_of(trajectory, k).motion("world", index), "angular_velocity")
        return cls(
            body=body,
            parent=trajectory[body].parent_at(float(trajectory.time[k])) or "world",
            time=float(trajectory.time[k]),
            velocity=velocity,
            acceleration=acceleration,
            linear=[AccelerationTerm.of(f, at, tangent, normal) for f in linear],
            angular_acceleration=angular,
            angular=[AccelerationTerm.of(f, at, *directions(np.zeros(3), angular)) for f in angular_parts],
            rate=0.0 if rate is None else float(np.linalg.norm(rate)),
            shares=Shares.of(trajectory, k, trajectory.paths[index], at),
        )

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
        lines += [*self.shares.lines("applied"), *self.shares.lines("gravity"), ""]
        lines += [self._rotation_summary(), "", *_summed("rad/s2", self.angular, self.angular_acceleration)]
        reason = ["", self.shares.reason] if self.shares.reason else []
        return "\n".join([*lines, *self.shares.lines("angular_applied"), *reason])

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
        """Plain data, for `--json`."""
        return {
            "schema_version": 1,
            "body": self.body,
            "parent": self.parent,
            "time": self.time,
            "velocity": self.velocity.tolist(),
            "acceleration": self.acceleration.tolist(),
            "bend": self.bend,
            "terms": {term.name: term.as_dict() for term in self.linear},
            "angular_acceleration": self.angular_acceleration.tolist(),
            "angular_terms": {term.name: term.as_dict() for term in self.angular},
            "forces": self.shares.as_list(),
        }


def nearest_sample(trajectory: Trajectory, time: float) -> int:
    """The sample that is nearest to a time (s)."""
    return int(np.argmin(np.abs(trajectory.time - time)))


def _cancellation(largest: AccelerationTerm, size: float) -> str:
    """A remark if the sum is small compared with its largest term."""
    return f"; the terms nearly cancel (the largest is {largest})" if largest.size > NEARLY * size else ""


def _require_free(trajectory: Trajectory, body: str, time: float) -> None:
    kind = trajectory[body].place_at(time).kind
    if kind == "free":
        return
    carrier, parent = trajectory[body].carrier_at(time), trajectory[body].parent_at(time) or "the world"
    how = f"it is fixed to {parent}" if kind == "fixed" else "its motion is prescribed"
    hint = f"; use {carrier}, which carries it" if carrier else ""
    raise UsageError(f"'{body}' is not a free body: {how}, so there are no terms{hint}")


def _summed(unit: str, terms: list[AccelerationTerm], total: np.ndarray) -> list[str]:
    return table("term", unit, [*((term.name, term.value) for term in terms), ("sum", total)])
