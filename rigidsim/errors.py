"""One family of exceptions. Each carries the exit code that the command line ends with."""

from __future__ import annotations

import re
from dataclasses import dataclass, field


class RigidsimError(Exception):
    """Something the user can act on; its text is a complete message."""

    exit_code = 1


class UsageError(RigidsimError):
    """The call itself is wrong: an option, an argument, a body that is not there."""

    exit_code = 2


@dataclass(frozen=True)
class Problem:
    """One thing wrong with a scene, and where.

    `path` is the YAML path (`bodies.tank.mass`); `line` and `column` count from one and are 0 where there is no text;
    `source_line` is the text of that line; `hint` says what to do about it.
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
            # A caret under column n; tabs are kept so that the two lines stay aligned.
            margin = "".join("\t" if c == "\t" else " " for c in self.source_line[: self.column - 1])
            text += f"\n    {self.source_line}\n    {margin}^"
        return text

    def as_dict(self) -> dict[str, object]:
        """The problem as plain data, for `--json`."""
        return {
            "code": self.code,
            "message": self.message,
            "path": self.path,
            "file": self.file,
            "line": self.line,
            "column": self.column,
            "hint": self.hint,
        }


@dataclass
class SceneError(RigidsimError):
    """A scene that cannot be simulated: all its problems at once."""

    problems: list[Problem] = field(default_factory=list)
    exit_code = 3
    SHOWN = 20

    def __str__(self) -> str:
        lines = [str(problem) for problem in self.problems[: self.SHOWN]]
        if len(self.problems) > self.SHOWN:
            lines.append(f"... and {len(self.problems) - self.SHOWN} more problems")
        return "\n".join(lines)


class SimulationError(RigidsimError):
    """The simulation went wrong while running: it blew up. The samples so far are kept."""

    exit_code = 4
    trajectory = None  # those samples, where a run in memory had begun


class StorageError(RigidsimError):
    """A file could not be read or written: missing, no permission, full disk, already there."""

    exit_code = 5


def out_of_memory(error: MemoryError) -> StorageError:
    """What to tell of it; NumPy knows how much was asked for at once."""
    asked = re.search(r"allocate (\S+ \S+)", str(error))
    needed = f"; {asked[1]} were needed at once" if asked else ""
    return StorageError(f"out of memory{needed}; a smaller scene or a longer simulation.record_every takes less")


class FormatError(RigidsimError):
    """A file that is damaged, or is not what it should be."""

    exit_code = 6


class Interrupted(RigidsimError):
    """The run was stopped by a signal; the file written so far is complete and readable."""

    def __init__(self, message: str, signal_number: int):
        super().__init__(message)
        self.exit_code = 128 + signal_number
