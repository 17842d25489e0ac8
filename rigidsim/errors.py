"""The exceptions of rigidsim. `exit_code` of each is the exit code of the command line."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from difflib import get_close_matches


def did_you_mean(name: object, known: Iterable[str], otherwise: str = "") -> str:
    """A hint for an unknown name: the most similar of the known ones, or `otherwise` if none is similar."""
    close = get_close_matches(name, list(known), n=1) if isinstance(name, str) else []
    return f"did you mean '{close[0]}'?" if close else otherwise


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
    trajectory = None  # the samples before the failure, if the run was in memory


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
