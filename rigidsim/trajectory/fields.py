"""The datasets of a trajectory: name, position in a sample, dimensions, units."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rigidsim.engine import layout

BODY_TEXTS = ("body", "parent", "kind")
"""Text datasets with one entry per body."""
KINDS = {"free", "fixed", "prescribed"}
"""The kinds of motion."""


class Block(NamedTuple):
    """Consecutive samples of one world, in the layout of the stepper."""

    time: np.ndarray  # (sample) s
    local: np.ndarray  # (sample, node, SAMPLE_ROWS)
    world: np.ndarray  # (sample, node, SAMPLE_ROWS)
    ledger: np.ndarray  # (sample, LEDGER_ROWS)
    terms: np.ndarray  # (sample, node, TERM_ROWS), or empty


class Field(NamedTuple):
    """One dataset. `source` and `first` locate it in a Block; `axis` names its last dimension, if any."""

    name: str
    source: str
    first: int
    axis: str
    units: str
    long_name: str

    @property
    def dimensions(self) -> tuple[str, ...]:
        """Names of the dimensions, time first."""
        per_body = () if self.source == "ledger" else ("body",)
        return ("time", *per_body, *((self.axis,) if self.axis else ()))

    def of(self, block: Block) -> np.ndarray:
        """This field's part of a block."""
        rows = getattr(block, self.source)
        if not self.axis:
            return rows[..., self.first]
        return rows[..., self.first : self.first + len(AXES[self.axis])]


AXES = {"xyz": ("x", "y", "z"), "wxyz": ("w", "x", "y", "z")}


def _motion(frame: str, of: str, length: str) -> tuple[Field, ...]:
    return (
        Field(f"{frame}/position", frame, layout.O_P, "xyz", length, f"position of the origin {of}"),
        Field(f"{frame}/orientation", frame, layout.O_Q, "wxyz", "1", f"unit quaternion, scalar first, {of}"),
        Field(f"{frame}/velocity", frame, layout.O_V, "xyz", f"{length} s-1", f"velocity of the origin {of}"),
        Field(f"{frame}/angular_velocity", frame, layout.O_OMEGA, "xyz", "rad s-1", f"angular velocity {of}"),
    )


FIELDS = (
    *_motion("local", "relative to the parent, in the parent's axes", "m"),
    *_motion("world", "in the world", "m"),
    Field("diagnostics/kinetic_energy", "ledger", layout.E_KINETIC, "", "J", "kinetic energy of the free bodies"),
    Field("diagnostics/potential_energy", "ledger", layout.E_POTENTIAL, "", "J",
          "potential energy of gravity and springs"),
    Field("diagnostics/work", "ledger", layout.E_WORK, "", "J", "work of applied forces and torques since the start"),
    Field("diagnostics/linear_momentum", "ledger", layout.E_MOMENTUM, "xyz", "N s", "linear momentum, world axes"),
    Field("diagnostics/spin_angular_momentum", "ledger", layout.E_SPIN, "xyz", "N m s", "sum of I omega, world axes"),
    Field("diagnostics/orbital_angular_momentum", "ledger", layout.E_ORBITAL, "xyz", "N m s",
          "sum of p x m v about the world's origin"),
)  # fmt: skip


def _term(name: str, first: int, units: str, long_name: str) -> Field:
    return Field(f"terms/{name}", "terms", first, "xyz", units, long_name)


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


def fields(with_terms: bool) -> tuple[Field, ...]:
    """The datasets of a trajectory, apart from time."""
    return FIELDS + TERM_FIELDS if with_terms else FIELDS


def sample_bytes(n_node: int, with_terms: bool) -> int:
    """Bytes of one sample, uncompressed."""
    rows = 2 * layout.SAMPLE_ROWS + (layout.TERM_ROWS if with_terms else 0)
    return 8 * (1 + n_node * rows + layout.LEDGER_ROWS)
