"""The contribution of each force to the terms of an acceleration, recomputed from the state at a sample."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from rigidsim.errors import NotRecordedError
from rigidsim.hindsight.loads import LoadsAtSample, Share
from rigidsim.hindsight.past import SampleModel
from rigidsim.report.terms import table
from rigidsim.trajectory.trajectory import Trajectory

UNITS = {"applied": "m/s2", "gravity": "m/s2", "angular_applied": "rad/s2"}
ROUND_OFF = 1e-9
"""Relative to the largest part: the forces are summed in another order, and the stored state is rounded."""


@dataclass(frozen=True)
class Shares:
    """The contribution of each force to a body's terms, and the recorded rest, which comes from callbacks; `reason`
    says why they are not known, if so.
    """

    loads: list[Share]
    rest: dict[str, np.ndarray]
    reason: str = ""

    @classmethod
    def of(cls, trajectory: Trajectory, sample: int, body: str, at: Callable[[str], np.ndarray]) -> Shares:
        """For a free body at a sample with terms; `at` reads a recorded term."""
        try:
            loads = LoadsAtSample(SampleModel(trajectory, sample)).shares(body)
        except NotRecordedError as error:
            return cls([], {}, f"the parts of each force are unknown: {error}")
        return cls(loads, {name: rest for name in UNITS if (rest := _rest(loads, name, at(name))) is not None})

    def lines(self, term: str) -> list[str]:
        """The table of forces of a term; empty if there are none, or only one gravity."""
        rows = [(str(share.load), share.terms[term]) for share in self.loads if share.terms[term].any()]
        if term in self.rest:
            rows.append((f"not in the scene{self._missing()}", self.rest[term]))
        if not rows or (term == "gravity" and len(rows) == 1):
            return []
        return ["", *table(f"{term}, force by force", UNITS[term], rows)]

    def _missing(self) -> str:
        """The possible origin of the rest."""
        is_wound = any(share.load.is_wound for share in self.loads)
        return " (a callback, or full turns between samples)" if is_wound else " (a callback)"

    def as_list(self) -> list[dict[str, object]]:
        """Plain data."""
        rest = {name: value.tolist() for name, value in self.rest.items()}
        entry = [{"name": "not in the scene", "body": "", "index": 0, **rest}] if rest else []
        return [*(share.as_dict() for share in self.loads), *entry]


def _rest(loads: list[Share], name: str, recorded: np.ndarray) -> np.ndarray | None:
    """The recorded term minus the sum of the contributions; None if that is round-off."""
    parts = [share.terms[name] for share in loads]
    rest = recorded - np.sum(parts, axis=0) if parts else recorded
    largest = max(float(np.abs(part).max()) for part in (*parts, recorded))
    return rest if float(np.abs(rest).max()) > ROUND_OFF * largest else None
