"""Events: impulses and reparentings, with the bodies that were protected from them or carried along."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np

Vector = tuple[float, float, float]


@dataclass(frozen=True)
class Protected:
    """A body that keeps its motion in the world, and the changes of its motion relative to its parent that compensate.

    Velocities in m/s (of the origin; in length units of the parent) and rad/s, accelerations in m/s2 (of the centre of
    mass) and rad/s2, all in the parent's axes. The accelerations follow from the forces after the event.
    """

    body: str
    velocity: Vector
    angular_velocity: Vector
    acceleration: Vector
    angular_acceleration: Vector


@dataclass(frozen=True)
class Carried:
    """A body with `inherit_impulses`, and its gain in the world: the change of velocity (m/s, of the origin) and of
    angular velocity (rad/s), and the equivalent impulse (N s) and angular impulse about its centre of mass (N m s). All
    in world axes.
    """

    body: str
    velocity: Vector
    angular_velocity: Vector
    impulse: Vector
    angular_impulse: Vector


@dataclass(frozen=True)
class Event:
    """One impulse, or one reparenting.

    `id` is its path in the scene, `car.impulses[0]` or `reparent[0]`. `body` is the body that the scene names,
    `receiver` the free body that carries it. The impulse (N s) and the angular impulse (N m s) about the receiver's
    centre of mass are those that acted, in world axes; `constraint_impulse` and `constraint_angular_impulse` are the
    part absorbed by the plane of a planar scene, or by a particle, which does not rotate. Velocity and angular
    velocity are those of the receiver's origin in the world, before and after all events at that time. `energy` is the
    change of the kinetic and potential energy of all bodies by all of them, J. `motion` is the kind of a reparented
    body: free or fixed.
    """

    id: str
    name: str
    cause: str
    time: float
    body: str
    receiver: str
    parent_before: str
    parent_after: str
    motion: str
    impulse: Vector
    angular_impulse: Vector
    constraint_impulse: Vector
    constraint_angular_impulse: Vector
    velocity_before: Vector
    velocity_after: Vector
    angular_velocity_before: Vector
    angular_velocity_after: Vector
    energy: float
    protected: tuple[Protected, ...]
    carried: tuple[Carried, ...]

    def as_dict(self) -> dict[str, object]:
        """Plain data."""
        return asdict(self)

    def concerns(self, body: str) -> bool:
        """Whether the event involves a body, as the receiver, a parent, protected or carried."""
        others = (other.body for other in (*self.protected, *self.carried))
        return body in (self.body, self.receiver, self.parent_before, self.parent_after, *others)


TEXTS = ("id", "name", "cause", "body", "receiver", "parent_before", "parent_after", "motion")
NUMBERS = {
    "time": ("s", "time since the start"),
    "energy": ("J", "change of the energy of all bodies by all events at that time"),
}
VECTORS = {
    "impulse": ("N s", "impulse that acted, world axes"),
    "angular_impulse": ("N m s", "angular impulse that acted, about the receiver's centre of mass, world axes"),
    "constraint_impulse": ("N s", "part of the written impulse absorbed by constraints, world axes"),
    "constraint_angular_impulse": ("N m s", "part of the written angular impulse absorbed by constraints, world axes"),
    "velocity_before": ("m s-1", "velocity of the receiver's origin in the world, before"),
    "velocity_after": ("m s-1", "velocity of the receiver's origin in the world, after"),
    "angular_velocity_before": ("rad s-1", "angular velocity of the receiver in the world, before"),
    "angular_velocity_after": ("rad s-1", "angular velocity of the receiver in the world, after"),
}
OTHERS = {
    "protected": {
        "velocity": ("m s-1", "change of the velocity relative to the parent"),
        "angular_velocity": ("rad s-1", "change of the angular velocity relative to the parent"),
        "acceleration": ("m s-2", "change of the acceleration of the centre of mass relative to the parent"),
        "angular_acceleration": ("rad s-2", "change of the angular acceleration relative to the parent"),
    },
    "carried": {
        "velocity": ("m s-1", "change of the velocity of the origin in the world"),
        "angular_velocity": ("rad s-1", "change of the angular velocity in the world"),
        "impulse": ("N s", "impulse gained, world axes"),
        "angular_impulse": ("N m s", "angular impulse gained about the centre of mass, world axes"),
    },
}
"""Datasets of events and of protected and carried bodies: units and meaning."""

ADDED = ("constraint_impulse", "constraint_angular_impulse")
"""Vectors that older files do not have: zero there."""


def columns_of(events: Sequence[Event]) -> dict[str, object]:
    """The events as columns of the file; `protected/...` and `carried/...` have one row per body."""
    columns = {
        **{name: [getattr(event, name) for event in events] for name in TEXTS},
        **{name: np.array([getattr(event, name) for event in events], dtype=np.float64) for name in NUMBERS},
        **{name: _vectors([getattr(event, name) for event in events]) for name in VECTORS},
    }
    for kind, vectors in OTHERS.items():
        rows = [(k, other) for k, event in enumerate(events) for other in getattr(event, kind)]
        columns[f"{kind}/event"] = np.array([k for k, _ in rows], dtype=np.int64)
        columns[f"{kind}/body"] = [other.body for _, other in rows]
        columns |= {f"{kind}/{name}": _vectors([getattr(other, name) for _, other in rows]) for name in vectors}
    return columns


def events_from(columns: dict[str, Sequence]) -> tuple[Event, ...]:
    """The inverse of `columns_of`; columns that older files lack are zero. Raises ValueError if the columns are
    inconsistent.
    """
    columns = dict.fromkeys(ADDED, np.zeros((len(columns["time"]), 3))) | columns
    protected, carried = (_others(columns, kind, row) for kind, row in (("protected", Protected), ("carried", Carried)))
    texts = zip(*(columns[name] for name in TEXTS), strict=True)
    numbers = zip(*(columns[name] for name in NUMBERS), strict=True)
    vectors = zip(*(columns[name] for name in VECTORS), strict=True)
    return tuple(
        Event(
            **dict(zip(TEXTS, text, strict=True)),
            **dict(zip(NUMBERS, map(float, number), strict=True)),
            **dict(zip(VECTORS, (tuple(map(float, v)) for v in vector), strict=True)),
            protected=tuple(spared),
            carried=tuple(moved),
        )
        for text, number, vector, spared, moved in zip(texts, numbers, vectors, protected, carried, strict=True)
    )


def _others(columns: dict[str, Sequence], kind: str, row: type) -> list[list]:
    """The `protected` or `carried` bodies of each event."""
    found: list[list] = [[] for _ in columns["time"]]
    parts = [columns[f"{kind}/{name}"] for name in OTHERS[kind]]
    for k, body, *vectors in zip(columns[f"{kind}/event"], columns[f"{kind}/body"], *parts, strict=True):
        if not 0 <= k < len(found):
            raise ValueError(f"{kind} refers to event {k} of {len(found)}")
        found[int(k)].append(row(body, *(tuple(map(float, v)) for v in vectors)))
    return found


def digest_of(events: Sequence[Event]) -> bytes:
    """The bytes of the events for the content hash; empty if there are none."""
    return json.dumps([_digested(event) for event in events]).encode() if events else b""


def _digested(event: Event) -> dict[str, object]:
    """Without the vectors that older files lack where they are zero, so that their hashes hold."""
    return {name: value for name, value in event.as_dict().items() if name not in ADDED or any(value)}


def _vectors(rows: Sequence[Vector]) -> np.ndarray:
    return np.array(rows, dtype=np.float64).reshape(len(rows), 3)
