"""What happened at instants: impulses and changes of the tree, who was protected from them, and by how much."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np

Vector = tuple[float, float, float]


@dataclass(frozen=True)
class Protected:
    """A body whose motion in the world was kept: the changes of its motion relative to its parent that did it.

    Velocities in m/s (of the origin; the parent's units of length) and rad/s, accelerations in m/s2 (of the centre of
    mass) and rad/s2, all in the parent's axes. The accelerations follow from the forces after the jump.
    """

    body: str
    velocity: Vector
    angular_velocity: Vector
    acceleration: Vector
    angular_acceleration: Vector


@dataclass(frozen=True)
class Event:
    """One impulse, or one reparenting.

    `body` is what the scene names, `receiver` the free body that carries it. The impulse (N s) and the angular impulse
    (N m s) about the receiver's centre of mass are in world axes. Velocity and angular velocity are those of the
    receiver's origin in the world, before and after all impulses of the instant. `energy` is what the instant adds to
    the kinetic and potential energy of all bodies, J.
    """

    name: str
    cause: str
    time: float
    body: str
    receiver: str
    parent_before: str
    parent_after: str
    impulse: Vector
    angular_impulse: Vector
    velocity_before: Vector
    velocity_after: Vector
    angular_velocity_before: Vector
    angular_velocity_after: Vector
    energy: float
    protected: tuple[Protected, ...]

    def as_dict(self) -> dict[str, object]:
        """Plain data."""
        return asdict(self)

    def concerns(self, body: str) -> bool:
        """Whether it says something about a body's motion."""
        return body in (self.body, self.receiver) or any(p.body == body for p in self.protected)


TEXTS = ("name", "cause", "body", "receiver", "parent_before", "parent_after")
NUMBERS = {
    "time": ("s", "time since the start"),
    "energy": ("J", "what the instant adds to the energy of all bodies"),
}
VECTORS = {
    "impulse": ("N s", "impulse, world axes"),
    "angular_impulse": ("N m s", "angular impulse about the receiver's centre of mass, world axes"),
    "velocity_before": ("m s-1", "velocity of the receiver's origin in the world, before"),
    "velocity_after": ("m s-1", "velocity of the receiver's origin in the world, after"),
    "angular_velocity_before": ("rad s-1", "angular velocity of the receiver in the world, before"),
    "angular_velocity_after": ("rad s-1", "angular velocity of the receiver in the world, after"),
}
PROTECTED_VECTORS = {
    "velocity": ("m s-1", "change of the velocity relative to the parent that keeps the world's"),
    "angular_velocity": ("rad s-1", "change of the angular velocity relative to the parent"),
    "acceleration": ("m s-2", "change of the acceleration of the centre of mass relative to the parent"),
    "angular_acceleration": ("rad s-2", "change of the angular acceleration relative to the parent"),
}
"""Datasets of events and of who was protected: units and meaning."""


def columns_of(events: Sequence[Event]) -> dict[str, object]:
    """The events column by column, as the file keeps them; `protected/...` has one row for each body protected."""
    rows = [(k, protected) for k, event in enumerate(events) for protected in event.protected]
    return {
        **{name: [getattr(event, name) for event in events] for name in TEXTS},
        **{name: np.array([getattr(event, name) for event in events], dtype=np.float64) for name in NUMBERS},
        **{name: _vectors([getattr(event, name) for event in events]) for name in VECTORS},
        "protected/event": np.array([k for k, _ in rows], dtype=np.int64),
        "protected/body": [protected.body for _, protected in rows],
        **{f"protected/{name}": _vectors([getattr(p, name) for _, p in rows]) for name in PROTECTED_VECTORS},
    }


def events_from(columns: dict[str, Sequence]) -> tuple[Event, ...]:
    """The inverse of `columns_of`. Raises ValueError or IndexError if the columns do not fit each other."""
    protected: list[list[Protected]] = [[] for _ in columns["time"]]
    parts = [columns[f"protected/{name}"] for name in PROTECTED_VECTORS]
    for k, body, *vectors in zip(columns["protected/event"], columns["protected/body"], *parts, strict=True):
        protected[int(k)].append(Protected(body, *(tuple(map(float, v)) for v in vectors)))
    texts = zip(*(columns[name] for name in TEXTS), strict=True)
    numbers = zip(*(columns[name] for name in NUMBERS), strict=True)
    vectors = zip(*(columns[name] for name in VECTORS), strict=True)
    return tuple(
        Event(
            **dict(zip(TEXTS, text, strict=True)),
            **dict(zip(NUMBERS, map(float, number), strict=True)),
            **dict(zip(VECTORS, (tuple(map(float, v)) for v in vector), strict=True)),
            protected=tuple(kept),
        )
        for text, number, vector, kept in zip(texts, numbers, vectors, protected, strict=True)
    )


def digest_of(events: Sequence[Event]) -> bytes:
    """What the content hash has of the events: nothing if there are none."""
    return json.dumps([event.as_dict() for event in events]).encode() if events else b""


def _vectors(rows: Sequence[Vector]) -> np.ndarray:
    return np.array(rows, dtype=np.float64).reshape(len(rows), 3)
