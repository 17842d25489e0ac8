"""Some quantities of a trajectory over its run, as text and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rigidsim.report.courses import Course, course_lines, courses
from rigidsim.report.wording import counted
from rigidsim.trajectory.trajectory import Trajectory


@dataclass(frozen=True)
class QuantitiesReport:
    """The output of `inspect FILE QUANTITY ...`."""

    file: str
    status: str
    time: np.ndarray
    courses: list[Course]

    @classmethod
    def of(cls, trajectory: Trajectory, file: str | Path, names: Sequence[str]) -> QuantitiesReport:
        """Raises UsageError for a name that means nothing, NotRecordedError for what is not in the trajectory."""
        return cls(str(file), trajectory.status, trajectory.time, courses(trajectory, names))

    def __str__(self) -> str:
        return "\n".join(
            [f"{self.file}: {self.status}, {counted(len(self.time), 'sample')}", *course_lines(self.courses, self.time)]
        )

    def as_dict(self) -> dict[str, object]:
        """Plain data, for `--json`."""
        ends = {"begin": float(self.time[0]), "end": float(self.time[-1])}
        found = [course.as_dict() for course in self.courses]
        return {"schema_version": 1, "file": self.file, "status": self.status, **ends, "quantities": found}
