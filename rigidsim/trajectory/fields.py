"""The datasets of a trajectory: name, position in a sample, dimensions, units."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from rigidsim.engine.model import layout
from rigidsim.engine.model.arrays import JointSamples, MotionSamples, Samples
from rigidsim.engine.model.layout import LEDGER

BODY_TEXTS = ("body", "parent", "kind")
"""Text datasets with one entry per body."""
KINDS = {"free", "jointed", "fixed", "prescribed"}
"""The kinds of motion."""


class Block(NamedTuple):
    """Consecutive samples of one world, in the arrays that the stepper wrote."""

    time: np.ndarray  # (sample) s
    local: MotionSamples  # each (sample, node, component)
    world: MotionSamples
    joints: JointSamples | None  # if there are any
    ledger: np.ndarray  # (sample, width of `LEDGER`)
    terms: np.ndarray  # (TERMS, sample, node, 3), or no samples
    asked: np.ndarray  # (sample, vector, 3) what metrics read besides; it is not kept
    contacts: Mapping[str, np.ndarray] = MappingProxyType({})  # the columns of `contact_columns`, if recorded
    readings: Mapping[str, np.ndarray] = MappingProxyType({})  # what was sampled since the last block, by dataset
    checkpoint: Mapping[str, np.ndarray] = MappingProxyType({})  # what is needed to continue after these samples

    def copied(self) -> Block:
        """The block with arrays of its own."""
        local, world = (MotionSamples(*(array.copy() for array in motion)) for motion in (self.local, self.world))
        rest = {name: getattr(self, name).copy() for name in ("time", "ledger", "terms", "asked")}
        joints = self.joints and JointSamples._make(array.copy() for array in self.joints)
        return self._replace(local=local, world=world, joints=joints, **rest)


class Field(NamedTuple):
    """One dataset. `source` and `place` locate it in a Block: a member, and the number of an array in it or, in the
    ledger, its columns; `axis` names its last dimension, if any, and `of_each` the one after the time, if any.
    """

    name: str
    source: str
    place: int | slice
    axis: str
    units: str
    long_name: str
    of_each: str = "body"

    @property
    def dimensions(self) -> tuple[str, ...]:
        """Names of the dimensions, time first."""
        return ("time", *filter(None, (self.of_each, self.axis)))

    def of(self, block: Block) -> np.ndarray:
        """This field's part of a block, without a copy; C-contiguous if it is one of bodies."""
        if self.source != "ledger":
            array = getattr(block, self.source)[self.place]
            return array if self.axis else array[..., 0]
        return block.ledger[:, self.place]

    def of_lanes(self, samples: Samples, n_lane: int) -> np.ndarray:
        """(lane, sample, ...) this field of the samples of a block of worlds, without a copy."""
        if self.source != "ledger":
            array = getattr(samples, self.source)[self.place]
            found = array.reshape(*array.shape[:-1], -1, n_lane).transpose(3, 0, 1, 2)
            return found if self.axis else found[..., 0]
        ledger = samples.ledger.reshape(len(samples.ledger), -1, n_lane).transpose(2, 0, 1)
        return ledger[..., self.place]


class TableColumn(NamedTuple):
    """One dataset of a table whose rows are not samples; `axis` names its second dimension, if any; `dtype` can be
    `text`.
    """

    name: str
    dtype: str
    axis: str
    units: str
    long_name: str

    def shape(self, rows: int) -> tuple[int, ...]:
        """The shape of that many rows."""
        return (rows, len(AXES[self.axis])) if self.axis else (rows,)


class ReadingTable(NamedTuple):
    """What a sensor or a controller gave at its samples: a group of datasets, of which `time` has the times."""

    group: str  # sensors/body/name or controllers/name
    columns: tuple[TableColumn, ...]

    @property
    def name(self) -> str:
        """What it is called: `body.name`, or the name of a controller."""
        kind, _, rest = self.group.partition("/")
        body, _, name = rest.rpartition("/")
        return f"{body}.{name}" if kind == "sensors" else rest

    @property
    def time(self) -> str:
        """The dataset of the times."""
        return f"{self.group}/time"

    @property
    def names(self) -> tuple[str, ...]:
        """Its datasets."""
        return self.time, *(column.name for column in self.columns)


AXES = {"xyz": ("x", "y", "z"), "wxyz": ("w", "x", "y", "z")}


def _motion(frame: str, of: str, length: str) -> tuple[Field, ...]:
    return (
        Field(f"{frame}/position", frame, 0, "xyz", length, f"position of the origin {of}"),
        Field(f"{frame}/orientation", frame, 1, "wxyz", "1", f"unit quaternion, scalar first, {of}"),
        Field(f"{frame}/velocity", frame, 2, "xyz", f"{length} s-1", f"velocity of the origin {of}"),
        Field(f"{frame}/angular_velocity", frame, 3, "xyz", "rad s-1", f"angular velocity {of}"),
    )


def _of_run(name: str, columns: int | slice, axis: str, units: str, long_name: str) -> Field:
    return Field(name, "ledger", columns, axis, units, long_name, "")


FIELDS = (
    *_motion("local", "relative to the parent, in the parent's axes", "m"),
    *_motion("world", "in the world", "m"),
    _of_run("diagnostics/kinetic_energy", LEDGER.kinetic, "", "J", "kinetic energy of the free bodies"),
    _of_run("diagnostics/potential_energy", LEDGER.potential, "", "J",
          "potential energy of gravity and springs"),
    _of_run("diagnostics/work", LEDGER.work, "", "J", "work of applied forces and torques since the start"),
    _of_run("diagnostics/linear_momentum", LEDGER.momentum, "xyz", "N s", "linear momentum, world axes"),
    _of_run("diagnostics/spin_angular_momentum", LEDGER.spin, "xyz", "N m s", "sum of I omega, world axes"),
    _of_run("diagnostics/orbital_angular_momentum", LEDGER.orbital, "xyz", "N m s",
          "sum of p x m v about the world's origin"),
)  # fmt: skip


def _term(name: str, place: int, units: str, long_name: str) -> Field:
    return Field(f"terms/{name}", "terms", place, "xyz", units, long_name)


# Of the centre of mass relative to the parent, in the parent's axes, always in metres.
LINEAR_TERMS = (
    _term("applied", layout.T_APPLIED, "m s-2", "force / mass"),
    _term("gravity", layout.T_GRAVITY, "m s-2", "gravity"),
    _term("linear", layout.T_LINEAR, "m s-2", "inertial: the parent's origin accelerates"),
    _term("euler", layout.T_EULER, "m s-2", "inertial: the parent's angular velocity changes"),
    _term("centrifugal", layout.T_CENTRIFUGAL, "m s-2", "inertial: away from the parent's axis of rotation"),
    _term("coriolis", layout.T_CORIOLIS, "m s-2", "inertial: deflection of motion in a rotating parent"),
)
ANGULAR_TERMS = (
    _term("angular_applied", layout.T_ANGULAR_APPLIED, "rad s-2", "torque / inertia"),
    _term("gyroscopic", layout.T_GYROSCOPIC, "rad s-2", "-I^-1 (omega x L)"),
    _term("angular_parent", layout.T_ANGULAR_PARENT, "rad s-2", "inertial: the parent's angular velocity changes"),
    _term("angular_transport", layout.T_ANGULAR_TRANSPORT, "rad s-2", "inertial: omega_body x omega_parent"),
)
TERM_FIELDS = (
    _term("velocity", layout.T_VELOCITY, "m s-1", "velocity of the centre of mass relative to the parent"),
    _term("acceleration", layout.T_ACCELERATION, "m s-2", "sum of applied to coriolis"),
    *LINEAR_TERMS,
    _term("angular_acceleration", layout.T_ANGULAR, "rad s-2", "sum of angular_applied to angular_transport"),
    *ANGULAR_TERMS,
)
# In scenes with contact. An impact with restitution is an event, not a part of these.
CONTACT_TERM = _term("contact", layout.T_CONTACT, "m s-2", "force of contact / mass, in the last step")
ANGULAR_CONTACT_TERM = _term(
    "angular_contact", layout.T_ANGULAR_CONTACT, "rad s-2", "torque of contact / inertia, in the last step"
)
# In scenes with joints: what those of a body do to it, to its parent and to its children.
JOINT_TERM = _term("joint", layout.T_JOINT, "m s-2", "force of joints / mass")
ANGULAR_JOINT_TERM = _term("angular_joint", layout.T_ANGULAR_JOINT, "rad s-2", "torque of joints / inertia")
CONTACT_WORK = _of_run("contacts/work", LEDGER.contact, "", "J",
                     "work of contact since the start, part of diagnostics/work")  # fmt: skip


def linear_terms(with_contact: bool, with_joints: bool) -> tuple[Field, ...]:
    """The terms of which the acceleration is the sum."""
    return (*LINEAR_TERMS, *[CONTACT_TERM] * with_contact, *[JOINT_TERM] * with_joints)


def angular_terms(with_contact: bool, with_joints: bool) -> tuple[Field, ...]:
    """The terms of which the angular acceleration is the sum."""
    return (*ANGULAR_TERMS, *[ANGULAR_CONTACT_TERM] * with_contact, *[ANGULAR_JOINT_TERM] * with_joints)


COORDINATE, JOINT, LOOP = "joint_coordinate", "joint", "loop"
"""The dimensions of datasets of joints: their coordinates, named by the path of the body and, if it has several, a
number, `arm/wrist.1`; and the joints, named by the path. That of datasets of loops, by their names.
"""
TYPES = {JOINT: "joint_type", LOOP: "loop_type"}
"""The texts with the types of joints and loops."""
JOINT_FIELDS = (
    Field("joints/coordinate", "joints", 0, "", "1", "coordinate, an angle in rad or a displacement in m", COORDINATE),
    Field("joints/rate", "joints", 1, "", "1", "rate of the coordinate, in rad/s or m/s", COORDINATE),
    Field("joints/motor", "joints", 2, "", "1", "torque in N m, or force in N, of the joint's motor", COORDINATE),
    Field("joints/force", "joints", 3, "xyz", "N", "force of the joint on its body, in the parent's axes", JOINT),
    Field("joints/torque", "joints", 4, "xyz", "N m", "its torque about the joint, likewise", JOINT),
)  # fmt: skip

LOOP_FIELDS = (
    Field("loops/force", "joints", 5, "xyz", "N", "force of the loop on its second body, in the world's axes", LOOP),
    Field("loops/torque", "joints", 6, "xyz", "N m", "its torque about the point of that body, likewise", LOOP),
)  # fmt: skip


def term_fields(with_contact: bool, with_joints: bool) -> tuple[Field, ...]:
    """The datasets of terms; those of contact and of joints come last."""
    more = (*[CONTACT_TERM, ANGULAR_CONTACT_TERM] * with_contact, *[JOINT_TERM, ANGULAR_JOINT_TERM] * with_joints)
    names = [f" and {field.name.removeprefix('terms/')}" for field in more]
    sums = {"terms/acceleration": "".join(names[::2]), "terms/angular_acceleration": "".join(names[1::2])}
    return (*(f._replace(long_name=f.long_name + sums.get(f.name, "")) for f in TERM_FIELDS), *more)


def sample_bytes(n_node: int, with_terms: bool) -> int:
    """Bytes of one sample, uncompressed."""
    per_node = 2 * sum(layout.MOTION_WIDTHS) + (3 * layout.TERMS if with_terms else 0)
    return 8 * (1 + n_node * per_node + LEDGER.width)


# --- tables, whose rows are not samples


CAUSES = (
    "impulse", "reparent", "contact_begins", "contact_ends", "impact", "stop", "trigger",
    "sliding_begins", "rolling_begins", "sticking_begins", "rest_begins",
    "falls_asleep", "wakes",
)  # fmt: skip
"""What can happen, in the order of the numbers that the kernels give it."""
SHAPES = "shape"
"""The dataset with the names of all shapes that can touch; tables refer to its rows."""


def _side(name: str, texts: Sequence[str], *vectors: tuple[str, str, str]) -> tuple[TableColumn, ...]:
    return (
        TableColumn(f"events/{name}/event", "i8", "", "1", "row of the event"),
        *(TableColumn(f"events/{name}/{text}", "text", "", "", "") for text in texts),
        *(TableColumn(f"events/{name}/{vector}", "f8", "xyz", unit, meaning) for vector, unit, meaning in vectors),
    )


EVENT_COLUMNS = (
    TableColumn("events/time", "f8", "", "s", "time since the start"),
    TableColumn("events/cause", "i1", "", "1", "what happened"),
    TableColumn("events/first", "i4", "", "1",
                "row of the first shape in /shape; -1 unless shapes touch, or a body sleeps"),
    TableColumn("events/second", "i4", "", "1", "row of the second shape in /shape, or of the first again; else -1"),
    TableColumn("events/point", "f8", "xyz", "m", "where the impulse acts, in the world"),
    TableColumn("events/normal", "f8", "xyz", "1", "unit normal from the first shape to the second, world axes"),
    TableColumn("events/impulse", "f8", "xyz", "N s",
                "impulse on the receiver or the body of the second shape, world axes"),
    TableColumn("events/energy_before", "f8", "", "J",
                "kinetic energy of both bodies, or energy of all, before; 0 where a mode of contact ends"),
    TableColumn("events/energy_after", "f8", "", "J",
                "kinetic energy of both bodies, or energy of all, after; where a mode ends,"
                " the work of friction in it"),
)  # fmt: skip
SIDE_TABLES = {
    "received": _side(
        "received",
        ("id", "name", "body", "receiver", "parent_before", "parent_after", "motion"),
        ("angular_impulse", "N m s", "angular impulse that acted, about the receiver's centre of mass, world axes"),
        ("constraint_impulse", "N s", "part of the written impulse absorbed by constraints, world axes"),
        ("constraint_angular_impulse", "N m s",
         "part of the written angular impulse absorbed by constraints, world axes"),
        ("velocity_before", "m s-1", "velocity of the receiver's origin in the world, before"),
        ("velocity_after", "m s-1", "velocity of the receiver's origin in the world, after"),
        ("angular_velocity_before", "rad s-1", "angular velocity of the receiver in the world, before"),
        ("angular_velocity_after", "rad s-1", "angular velocity of the receiver in the world, after"),
    ),
    "protected": _side(
        "protected",
        ("body",),
        ("velocity", "m s-1", "change of the velocity relative to the parent"),
        ("angular_velocity", "rad s-1", "change of the angular velocity relative to the parent"),
        ("acceleration", "m s-2", "change of the acceleration of the centre of mass relative to the parent"),
        ("angular_acceleration", "rad s-2", "change of the angular acceleration relative to the parent"),
    ),
    "carried": _side(
        "carried",
        ("body",),
        ("velocity", "m s-1", "change of the velocity of the origin in the world"),
        ("angular_velocity", "rad s-1", "change of the angular velocity in the world"),
        ("impulse", "N s", "impulse gained, world axes"),
        ("angular_impulse", "N m s", "angular impulse gained about the centre of mass, world axes"),
    ),
    "broken": _side(
        "broken",
        (),
        ("force", "N", "force that the joint bore on its body, in the parent's axes"),
        ("torque", "N m", "torque that it bore, about the joint, likewise"),
    ),
    "changed": _side("changed", ("path", "value")),
}  # fmt: skip
"""The columns of the table, and those of the side tables."""
WITHOUT_ROWS = ("broken", "changed")
"""Side tables that are not written if they have no rows: files and hashes are those of before there were any."""


def sides_in(columns: Mapping[str, np.ndarray]) -> dict[str, tuple[TableColumn, ...]]:
    """The side tables that a table of events has."""
    return {
        side: s for side, s in SIDE_TABLES.items() if side not in WITHOUT_ROWS or len(columns[f"events/{side}/event"])
    }


EVENT_NAMES = tuple(column.name for column in EVENT_COLUMNS)
SIDE_NAMES = tuple(column.name for columns in SIDE_TABLES.values() for column in columns)

POINTS = "contacts"
POINT_COLUMNS = (
    TableColumn(f"{POINTS}/first", "i4", "", "1", "row of the first shape in /shape"),
    TableColumn(f"{POINTS}/second", "i4", "", "1", "row of the second shape in /shape"),
    TableColumn(f"{POINTS}/point", "f8", "xyz", "m", "point of contact in the world"),
    TableColumn(f"{POINTS}/normal", "f8", "xyz", "1", "unit normal from the first shape to the second, world axes"),
    TableColumn(
        f"{POINTS}/force", "f8", "xyz", "N", "force on the body of the second shape in the last step, world axes"
    ),
)
POINT_NAMES = tuple(column.name for column in POINT_COLUMNS)
COUNT_COLUMN = TableColumn(f"{POINTS}/count", "i8", "", "1", "number of contact points at each sample")
COUNT = COUNT_COLUMN.name
"""The rows of the contact points follow each other in the order of samples."""
