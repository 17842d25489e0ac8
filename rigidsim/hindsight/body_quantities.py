"""The quantities of bodies: motion, momenta, terms of the acceleration, forces of contact."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np

from rigidsim.hindsight.body_momenta import angular_momentum, kinetic_energy, linear_momentum
from rigidsim.hindsight.contact_forces import contact_force, require_mover
from rigidsim.physics.quaternion import conjugate, product, rotate, rotate_back
from rigidsim.trajectory.contact_points import ContactHistory
from rigidsim.trajectory.fields import term_fields
from rigidsim.trajectory.motion import Motion, columns, rows
from rigidsim.trajectory.trajectory import Trajectory

WORLD, PARENT, BODY = "world", "parent", "body"
XYZ, WXYZ = ("x", "y", "z"), ("w", "x", "y", "z")
ANGLES = ("roll", "pitch", "yaw")
SUMS = {
    "velocity": "velocity of its centre of mass",
    "acceleration": "acceleration",
    "angular_acceleration": "angular acceleration",
}
"""What is recorded with the terms but is none of them, in words."""
OF_TERMS, OF_MASS = "recorded accelerations and their terms", "energy and momentum"


class Source:
    """Some samples of a trajectory, of which a quantity reads what it needs."""

    def __init__(self, whole: Trajectory, samples: slice):
        self.whole, self.samples = whole, samples

    @cached_property
    def part(self) -> Trajectory:
        """The samples as a trajectory."""
        return self.whole if self.samples == slice(None) else self.whole.window(self.samples)

    @cached_property
    def contacts(self) -> ContactHistory:
        """The contact points of all samples. Raises UsageError if they were not recorded."""
        return self.whole.contacts

    def contact_count(self) -> np.ndarray:
        """The number of contact points at each sample."""
        return self.contacts.count[self.samples]

    def contact_work(self, dataset: str) -> np.ndarray:
        """The work of contact since the start, J."""
        _ = self.contacts
        return np.asarray(self.part.arrays[dataset])

    def motion(self, body: str, frame: str) -> Motion:
        """The motion of a body in a frame; in the world if that is its own axes."""
        if frame in (WORLD, BODY):
            return self.part[body].world
        return self.part[body].local if frame == PARENT else self.part.relative(body, frame)

    def in_body_axes(self, body: str, vector: np.ndarray) -> np.ndarray:
        """A vector given in world axes."""
        return rows(rotate_back(columns(self.part[body].world.orientation), columns(vector)))


class BodyQuantity(NamedTuple):
    """A quantity of a body: words, components, unit with L for the unit of length, `read(source, body, frame)`, frames
    that it can have, the one if none is written, whether it can be seen from other bodies, what it needs, and what
    messages call it if only free bodies have it.
    """

    words: str
    components: tuple[str, ...]
    unit: str
    read: Callable[[Source, str, str], np.ndarray]
    frames: tuple[str, ...] = (WORLD, PARENT)
    default: str = WORLD
    is_seen: bool = True
    is_recorded: Callable[[Trajectory, str], bool] = lambda trajectory, path: True
    of_free: str = ""


def _motion(name: str, source: Source, body: str, frame: str) -> np.ndarray:
    found = getattr(source.motion(body, frame), name)
    return source.in_body_axes(body, found) if frame == BODY else found


def _size(name: str, source: Source, body: str, frame: str) -> np.ndarray:
    return np.linalg.norm(getattr(source.motion(body, frame), name), axis=-1)


def _axis(axis: tuple, source: Source, body: str, frame: str) -> np.ndarray:
    return rows(rotate(columns(source.motion(body, frame).orientation), axis))


def _angles(source: Source, body: str, frame: str) -> np.ndarray:
    """Roll, pitch and yaw: rotations about x, y, z of the frame, in this order."""
    w, x, y, z = columns(source.motion(body, frame).orientation)
    roll = np.arctan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y))
    pitch = np.arcsin(np.clip(2 * (w * y - z * x), -1, 1))
    return np.stack([roll, pitch, np.arctan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))], axis=-1)


def _momentum(read: Callable, source: Source, body: str, frame: str) -> np.ndarray:
    found = read(source.part, body)
    return source.in_body_axes(body, found) if frame == BODY else found


def _term(name: str, source: Source, body: str, frame: str) -> np.ndarray:
    found = source.part[body].term(name)
    if frame == PARENT:
        return found
    history = source.part[body]
    q_PB, q_WB = columns(history.local.orientation), columns(history.world.orientation)
    if frame == BODY:
        return rows(rotate_back(q_PB, columns(found)))
    return rows(rotate(product(q_WB, conjugate(q_PB)), columns(found)))


def _contact(is_friction: bool, source: Source, body: str, frame: str) -> np.ndarray:
    require_mover(source.whole.header, body)
    found = contact_force(source.contacts, source.whole, source.samples, body, is_friction)
    return source.in_body_axes(body, found) if frame == BODY else found


def _is_free(trajectory: Trajectory, path: str) -> bool:
    header = trajectory.header
    return any(places[header.row_of[path]].kind == "free" for _, places in header.trees())


def _has_term(name: str, trajectory: Trajectory, path: str) -> bool:
    if f"terms/{name}" not in trajectory.arrays or not _is_free(trajectory, path):
        return False
    recorded = trajectory.header.recorded_rows(f"terms/{name}")
    return recorded is None or trajectory.header.row_of[path] in recorded


def _touches(trajectory: Trajectory, path: str) -> bool:
    return trajectory.header.with_contacts and any(
        trajectory.header.movers_at(0.0)[shape.rpartition(".shapes[")[0]] == path for shape in trajectory.header.shapes
    )


def _vector(words: str, name: str, unit: str) -> BodyQuantity:
    return BodyQuantity(words, XYZ, unit, partial(_motion, name), (WORLD, PARENT, BODY))


def _of_mass(words: str, unit: str, read: Callable) -> BodyQuantity:
    options = {"frames": (WORLD, BODY), "is_seen": False, "is_recorded": _is_free, "of_free": OF_MASS}
    return BodyQuantity(words, XYZ, unit, partial(_momentum, read), **options)


def _terms() -> dict[str, BodyQuantity]:
    """The terms, those of contact too, and velocity and acceleration of the centre of mass that go with them."""
    found = {}
    for field in term_fields(with_contact=True):
        name, unit = field.name.removeprefix("terms/"), field.units.replace(" s-1", "/s").replace(" s-2", "/s²")
        words = SUMS.get(name, f"{name.replace('_', ' ')} term")
        options = {"frames": (PARENT, WORLD, BODY), "default": PARENT, "is_seen": False, "of_free": OF_TERMS}
        found[f"terms.{name}"] = BodyQuantity(
            words, XYZ, unit, partial(_term, name), is_recorded=partial(_has_term, name), **options
        )
    return found


def _of_contact(words: str, is_friction: bool) -> BodyQuantity:
    return BodyQuantity(words, XYZ, "N", partial(_contact, is_friction), (WORLD, BODY), WORLD, False, _touches)


KINDS = {
    "position": BodyQuantity("position", XYZ, "L", partial(_motion, "position")),
    "orientation": BodyQuantity("orientation", WXYZ, "", partial(_motion, "orientation")),
    "velocity": _vector("velocity", "velocity", "L/s"),
    "angular_velocity": _vector("angular velocity", "angular_velocity", "rad/s"),
    "speed": BodyQuantity("speed", (), "L/s", partial(_size, "velocity")),
    "angular_speed": BodyQuantity("angular speed", (), "rad/s", partial(_size, "angular_velocity")),
    "distance": BodyQuantity("distance", (), "L", partial(_size, "position")),
    "angles": BodyQuantity("angle", ANGLES, "rad", _angles),
    **{
        f"axis_{letter}": BodyQuantity(f"{letter}-axis direction", XYZ, "", partial(_axis, axis))
        for letter, axis in zip(XYZ, ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)), strict=True)
    },
    "kinetic_energy": BodyQuantity(
        "kinetic energy", (), "J", lambda source, body, _: kinetic_energy(source.part, body),
        frames=(WORLD,), is_seen=False, is_recorded=_is_free, of_free=OF_MASS,
    ),
    "linear_momentum": _of_mass("momentum", "N s", linear_momentum),
    "angular_momentum": _of_mass("angular momentum", "N m s", angular_momentum),
    **_terms(),
    "contact_force": _of_contact("contact force", False),
    "friction_force": _of_contact("friction", True),
}  # fmt: skip
"""The quantities of a body by name."""
