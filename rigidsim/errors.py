"""The exceptions of rigidsim. `exit_code` of each is the exit code of the command line."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

OTHER_WORDS = {
    "hinge": ("revolute", "continuous", "pin", "rotational"),
    "slide": ("prismatic", "slider", "translational", "linear"),
    "ball": ("spherical", "socket"),
    "universal": ("cardan",),
    "screw": ("helical",),
    "pitch": ("lead",),
    "coupling": ("gear", "mimic", "gears"),
    "weld": ("fixed", "rigid"),
    "rate": ("velocity", "speed", "target_velocity", "angular_velocity"),
    "max_torque": ("effort", "torque_limit", "max_effort", "max_force"),
    "max_force": ("effort", "force_limit", "max_effort", "max_torque"),
    "velocity": ("linear_velocity", "speed", "vel"),
    "angular_velocity": ("omega", "angular_speed", "spin"),
    "position": ("pos", "origin", "translation", "xyz", "location"),
    "orientation": ("quaternion", "quat", "rotation", "rpy", "attitude", "pose"),
    "wxyz": ("quaternion", "quat"),
    "center_of_mass": ("com", "cog", "centre_of_mass", "center_of_gravity"),
    "mass": ("mass_properties", "inertial"),
    "inertia": ("moment_of_inertia", "inertia_tensor"),
    "shapes": ("geometry", "geometries", "geom", "collision", "visual", "shape"),
    "time": ("when", "at_time", "instant"),
    "during": ("when", "window", "interval"),
    "length": ("height", "rest_length", "natural_length"),
    "radius": ("r", "radii"),
    "size": ("extents", "dimensions", "half_extents"),
    "stiffness": ("k", "spring_constant"),
    "damping": ("c", "damper"),
    "rest": ("springref", "rest_angle", "rest_length", "equilibrium"),
    "limits": ("range", "limit", "lower", "upper"),
    "friction": ("mu", "friction_coefficient", "frictionloss"),
    "restitution": ("bounce", "bounciness", "e"),
    "step": ("dt", "timestep", "time_step", "step_size"),
    "duration": ("t_end", "end_time", "stop_time", "end"),
    "record_every": ("output_every", "sample_rate", "output_step"),
    "integrator": ("solver", "method"),
}
"""For words of the format those that other programs, and textbooks, have for the same."""


def meant_by(name: object, known: Iterable[str]) -> str:
    """The one of some known names that an unknown one stands for: what other programs call so, or else the most
    similar; empty if there is none.
    """
    known = list(known)
    if not isinstance(name, str):
        return ""
    called = [word for word in known if name.lower() in OTHER_WORDS.get(word, ())]
    return next(iter(called or get_close_matches(name, known, n=1)), "")


def did_you_mean(name: object, known: Iterable[str], otherwise: str = "") -> str:
    """A hint for an unknown name: the known one that it stands for, or `otherwise` if there is none."""
    meant = meant_by(name, known)
    return f"did you mean '{meant}'?" if meant else otherwise


INTERNAL = 70
"""The exit code of a bug of rigidsim: EX_SOFTWARE of the BSD sysexits, as 1 says that results differ."""


class RigidsimError(Exception):
    """An error that the user can act on; its text is a complete message. Each kind has an exit code of its own."""

    exit_code = INTERNAL


class UsageError(RigidsimError):
    """Invalid usage: an option, an argument, or the path of a body that does not exist."""

    exit_code = 2


class NotRecordedError(UsageError):
    """A quantity that was left out of a trajectory and cannot be derived from what was recorded."""


@dataclass(frozen=True)
class Problem:
    """One error in a scene, with its location.

    `path` is the YAML path (`bodies.tank.mass`); `line` and `column` count from one and are 0 if the scene has no
    text; `source_line` is the text of that line; `hint` suggests a correction.
    """

    code: str
    message: str
    path: str = ""
    file: str = "<scene>"
    line: int = 0
    column: int = 0
    source_line: str = ""
    hint: str = ""

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}:{self.column}" if self.line else self.file
        where = f" {self.path}:" if self.path else ""
        text = f"{place}: error[{self.code}]{where} {self.message}"
        if self.hint:
            text += f"; {self.hint}"
        if self.source_line:
            # A caret below the column; tabs are copied to keep the two lines aligned.
            margin = "".join("\t" if c == "\t" else " " for c in self.source_line[: self.column - 1])
            text += f"\n    {self.source_line}\n    {margin}^"
        return text

    def as_dict(self) -> dict[str, object]:
        """The problem as plain data, for `--json`."""
        return {name: value for name, value in vars(self).items() if name != "source_line"}


@dataclass
class SceneError(RigidsimError):
    """An invalid scene, with all problems found in it."""

    problems: list[Problem] = field(default_factory=list)
    exit_code = 3
    SHOWN = 20

    def __str__(self) -> str:
        lines = [str(problem) for problem in self.problems[: self.SHOWN]]
        if len(self.problems) > self.SHOWN:
            lines.append(f"... and {len(self.problems) - self.SHOWN} more problems")
        return "\n".join(lines)


class SimulationError(RigidsimError):
    """The simulation failed, usually because its state is no longer finite. The samples before that are saved."""

    exit_code = 4
    trajectory: Any = None  # the samples before the failure, if the run was in memory


class StorageError(RigidsimError):
    """A file could not be read or written: missing, no permission, disk full, or it exists already."""

    exit_code = 5


def out_of_memory(error: MemoryError) -> StorageError:
    """The StorageError for a MemoryError, with the size of the failed allocation if NumPy reports it."""
    size = re.search(r"allocate (\S+ \S+)", str(error))
    failed = f": {size[1]} could not be allocated" if size else ""
    return StorageError(f"out of memory{failed}; use a smaller scene or a longer simulation.record_every")


class FormatError(RigidsimError):
    """A file that is damaged or has another format."""

    exit_code = 6


class SweepError(RigidsimError):
    """Some runs of a sweep failed; the file has the results of the others."""

    exit_code = 7


class Interrupted(RigidsimError):
    """The run was stopped by a signal; the trajectory file is valid and holds the samples up to then."""

    def __init__(self, message: str, signal_number: int):
        super().__init__(message)
        self.exit_code = 128 + signal_number
