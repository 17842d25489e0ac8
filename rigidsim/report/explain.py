"""Which term bends the path, and what made it jump, in words and numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rigidsim.errors import UsageError
from rigidsim.report.jumps import events_near, told
from rigidsim.report.shares import Shares
from rigidsim.report.terms import AT_REST, Term, directions, largest_of, table
from rigidsim.trajectory.events import Event
from rigidsim.trajectory.fields import ANGULAR_TERMS, LINEAR_TERMS
from rigidsim.trajectory.trajectory import Trajectory

ROUND_OFF = 1e-14  # a change of rate this small, against the square of the rate, is none
NEARLY = 10.0  # terms this many times their sum nearly cancel


@dataclass(frozen=True)
class Account:
    """What can be said of one body at a time: the events near it, and the terms, if they were recorded."""

    body: str
    events: tuple[Event, ...]
    carriers: tuple[str, ...]  # at each event, the free body that takes it along; itself if it is free
    terms: Explanation | None

    @classmethod
    def of(cls, trajectory: Trajectory, body: str, time: float) -> Account:
        """At the sample nearest to `time` (s). Raises UsageError if there is neither an event nor a term to tell of."""
        path = trajectory[body].path
        events = tuple(events_near(trajectory, path, time))
        carriers = tuple(trajectory[body].carrier_at(event.time) for event in events)
        try:
            return cls(path, events, carriers, Explanation.of(trajectory, body, time))
        except UsageError:
            if not events:
                raise
            return cls(path, events, carriers, None)

    def __str__(self) -> str:
        parts = [told(event, self.body, carrier) for event, carrier in zip(self.events, self.carriers, strict=True)]
        return "\n\n".join([*parts, *([str(self.terms)] if self.terms else [])])

    def as_dict(self) -> dict[str, object]:
        """Plain data, for `--json`."""
        found = self.terms.as_dict() if self.terms else {"schema_version": 1, "body": self.body}
        return {**found, "events": [event.as_dict() for event in self.events]}


@dataclass(frozen=True)
class Explanation:
    """The terms of one body's acceleration relative to its parent at one sample."""

    body: str
    parent: str
    time: float
    velocity: np.ndarray
    acceleration: np.ndarray
    linear: list[Term]
    angular_acceleration: np.ndarray
    angular: list[Term]
    rate: float  # of turning in the world, rad/s
    shares: Shares  # of each force in the terms that forces make

    @classmethod
    def of(cls, trajectory: Trajectory, body: str, time: float) -> Explanation:
        """At the sample nearest to `time` (s). Raises UsageError without terms, or for a body that is not free."""
        index = trajectory.paths.index(trajectory[body].path)
        if not trajectory.header.with_terms:
            raise UsageError("this trajectory has no terms; record them with `rigidsim run --terms`")
        if not trajectory.time[0] <= time <= trajectory.time[-1]:
            begin, end = trajectory.time[0], trajectory.time[-1]
            raise UsageError(f"time {time:g} s is outside the history, which goes from {begin:g} to {end:g} s")
        k = int(np.argmin(np.abs(trajectory.time - time)))

        def at(name: str) -> np.ndarray:
            return np.asarray(trajectory.arrays[f"terms/{name}"][k, index])

        velocity, acceleration, angular = at("velocity"), at("acceleration"), at("angular_acceleration")
        _require_free(trajectory, body, float(trajectory.time[k]))
        tangent, normal = directions(velocity, acceleration)
        return cls(
            body=body,
            parent=trajectory[body].parent_at(float(trajectory.time[k])) or "world",
            time=float(trajectory.time[k]),
            velocity=velocity,
            acceleration=acceleration,
            linear=[Term.of(f, at, tangent, normal) for f in LINEAR_TERMS],
            angular_acceleration=angular,
            angular=[Term.of(f, at, *directions(np.zeros(3), angular)) for f in ANGULAR_TERMS],
            rate=float(np.linalg.norm(trajectory.arrays["world/angular_velocity"][k, index])),
            shares=Shares.of(trajectory, k, trajectory.paths[index], at),
        )

    @property
    def bend(self) -> float:
        """Acceleration across the path, m/s2."""
        return sum(term.across for term in self.linear)

    def __str__(self) -> str:
        speed = float(np.linalg.norm(self.velocity))
        lines = [f"{self.body} at t = {self.time:g} s, seen from {self.parent}: speed {speed:.6g} m/s"]
        lines += [self._verdict(speed), "", *_summed("m/s2", self.linear, self.acceleration)]
        lines += [*self.shares.lines("applied"), *self.shares.lines("gravity"), ""]
        lines += [self._turning(), "", *_summed("rad/s2", self.angular, self.angular_acceleration)]
        return "\n".join([*lines, *self.shares.lines("angular_applied")])

    def _verdict(self, speed: float) -> str:
        size, largest = float(np.linalg.norm(self.acceleration)), largest_of(self.linear)
        if size <= ROUND_OFF * largest.size:
            how = f"the terms cancel, the largest of them {largest}" if largest.size else "no acceleration"
            return f"{how}: it " + ("moves in a straight line at constant speed" if speed else "stays where it is")
        if speed <= AT_REST * size:
            first = max(self.linear, key=lambda term: abs(term.along))
            return (
                f"at rest, it begins to move with {size:.6g} m/s2, above all by the {first.name} term: {first.meaning}"
                + _rest_of(largest, size)
            )
        if abs(self.bend) <= 1e-9 * size:
            return "the path is straight: nothing acts across it"
        return self._bending(speed) + _rest_of(largest, size)

    def _bending(self, speed: float) -> str:
        """What pulls towards the inside of the bend, and what is left of it."""
        first = max(self.linear, key=lambda term: term.across)
        others = self.bend - first.across
        told = (
            f"the path bends with a radius of {speed * speed / self.bend:.6g} m: the body is accelerated towards the"
            f" inside of the bend by {self.bend:.6g} m/s2.\nThe {first.name} term pulls inwards most, by"
            f" {first.across:.6g} m/s2 ({first.meaning})"
        )
        if abs(others) <= ROUND_OFF * first.across:
            return f"{told}; no other term bends the path"
        return f"{told}; all others together pull {'outwards' if others < 0.0 else 'inwards'} by {abs(others):.6g} m/s2"

    def _turning(self) -> str:
        size = float(np.linalg.norm(self.angular_acceleration))
        largest = largest_of(self.angular)
        if size <= ROUND_OFF * max(largest.size, self.rate * self.rate):
            return f"its rate of turning relative to {self.parent} does not change"
        first = max(self.angular, key=lambda term: abs(term.along))
        return (
            f"its rate of turning changes by {size:.6g} rad/s2, above all by the {first.name} term: {first.meaning}"
            + _rest_of(largest, size)
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


def _rest_of(largest: Term, size: float) -> str:
    """A sum that is small beside its terms is no single one's doing."""
    return f"; the terms nearly cancel, the largest of them {largest}" if largest.size > NEARLY * size else ""


def _require_free(trajectory: Trajectory, body: str, time: float) -> None:
    kind = trajectory[body].place_at(time).kind
    if kind == "free":
        return
    carrier, parent = trajectory[body].carrier_at(time), trajectory[body].parent_at(time) or "the world"
    how = f"is fixed to {parent}" if kind == "fixed" else "goes where it is told"
    hint = f"; ask for {carrier}, which takes it along" if carrier else ""
    raise UsageError(f"'{body}' is not a free body: it {how}, no term moves it{hint}")


def _summed(unit: str, terms: list[Term], total: np.ndarray) -> list[str]:
    return table("term", unit, [*((term.name, term.value) for term in terms), ("sum", total)])
