"""What a trajectory holds: each dataset's name, place in a sample, dimensions, units."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rigidsim.engine import layout


class Block(NamedTuple):
    """Consecutive samples of one world, as the stepper writes them."""

    time: np.ndarray  # (sample) s
    local: np.ndarray  # (sample, node, SAMPLE_ROWS)
    world: np.ndarray  # (sample, node, SAMPLE_ROWS)
    ledger: np.ndarray  # (sample, LEDGER_ROWS)


class Field(NamedTuple):
    """One dataset. `source` and `first` say where a Block holds it; `axis` names its last dimension, if any."""

    name: str
    source: str
    first: int
    axis: str
    units: str
    long_name: str

    @property
    def dimensions(self) -> tuple[str, ...]:
        """Names of the dimensions, time first."""
        per_body = ("body",) if self.source in ("local", "world") else ()
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
    Field("diagnostics/potential_energy", "ledger", layout.E_POTENTIAL, "", "J", "potential energy in uniform gravity"),
    Field("diagnostics/work", "ledger", layout.E_WORK, "", "J", "work of applied forces and torques since the start"),
    Field("diagnostics/linear_momentum", "ledger", layout.E_MOMENTUM, "xyz", "N s", "linear momentum, world axes"),
    Field("diagnostics/spin_angular_momentum", "ledger", layout.E_SPIN, "xyz", "N m s", "sum of I omega, world axes"),
    Field("diagnostics/orbital_angular_momentum", "ledger", layout.E_ORBITAL, "xyz", "N m s",
          "sum of p x m v about the world's origin"),
)  # fmt: skip


def sample_bytes(n_node: int) -> int:
    """Bytes of one sample, uncompressed."""
    return 8 * (1 + 2 * n_node * layout.SAMPLE_ROWS + layout.LEDGER_ROWS)
